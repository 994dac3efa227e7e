"""Release records: what the scans of one version say, after VEX statements have been heard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import structs, to_builtins

from ..catalog.grading import grade
from ..catalog.join import Image, Release
from ..catalog.names import Reference
from ..catalog.pins import Pin
from ..catalog.scans import SEVERITIES, ScanHead
from ..catalog.vex_matching import Statements, Subject
from ..catalog.vulnerabilities import Row, Tally, deduplicate, tally
from ..documents.serialise import Raw, encode, members
from ..reports.index import Reports, stored_findings
from .verify import Gate

_WORDS = tuple(word.lower() for word in SEVERITIES)
_SCANNER_NAMES = {"trivy": "Trivy", "grype": "Grype", "harbor": "Harbor", "osv": "OSV-Scanner"}


class Assessment(NamedTuple):
    """What is known of a scanned release once its rows are united: small, so it stays in memory."""

    fixable: tuple[int, ...]
    """Rows with a fix for each of `SEVERITIES`."""
    unfixable: tuple[int, ...]
    suppressed: int
    grade: str | None
    score: float | None
    scanned_at: str | None

    @property
    def counters(self) -> dict[str, int]:
        """`critical` … `unknown`."""
        return {
            word: with_fix + without
            for word, with_fix, without in zip(_WORDS, self.fixable, self.unfixable, strict=True)
        }

    @property
    def total(self) -> int:
        return sum(self.fixable) + sum(self.unfixable)

    def figures(self) -> dict[str, object]:
        """The fields of `models.Figures`."""
        return {
            **self.counters,
            "total": self.total,
            "fixable": sum(self.fixable),
            "suppressed": self.suppressed,
            "grade": self.grade,
            "score": self.score,
        }


NO_FIGURES: dict[str, None] = dict.fromkeys((*_WORDS, "total", "fixable", "suppressed", "grade", "score"))


class Assessed(NamedTuple):
    """Scans of one release, united and sifted by the VEX statements."""

    assessment: Assessment
    rows: Raw
    """JSON of `cves`."""
    tally: Tally
    """What they add up to."""
    suppressed: Raw
    ids: bytes
    """JSON of the distinct ids of the rows."""
    matched: set[int]
    """Positions of the VEX statements that speak of a finding."""
    stored: bool
    """Whether the rows are those that are stored with the only scan."""


class Record(NamedTuple):
    """A release record: its rows, and the fields that stand before and after them."""

    before: Raw
    rows: Raw
    after: Raw

    @property
    def head(self) -> Raw:
        """Its JSON without the rows."""
        return members(self.before, self.after)

    @property
    def json(self) -> Raw:
        return Raw(b"".join((self.before[:-1], b',"cves":', self.rows, b",", self.after[1:])))


@dataclass(frozen=True, slots=True)
class Assessor:
    """Turns scans into figures and rows."""

    reports: Reports
    statements: Statements
    gate: Gate

    def assess(
        self, scans: Sequence[ScanHead], image: str, tags: Iterable[str], digests: Iterable[str]
    ) -> Assessed:
        """What one or more scans of one release say; VEX statements may name its image, tags and digests."""
        parsed = [self.reports.parsed(head) for head in scans]
        needed = parsed if len(scans) > 1 or self.statements else []
        findings = [
            structs.replace(finding, scan=number)
            for number, part in enumerate(needed)
            for finding in stored_findings(part)
        ]
        if len(scans) == 1 and not self.statements.concerns(findings):
            [head], [kept] = scans, parsed
            said = Tally(head.fixable, head.unfixable, head.unique)
            figures = _assessment(scans, said, 0)
            return Assessed(figures, Raw(kept.rows), said, _NOTHING, kept.ids, set(), stored=True)
        subjects = [Subject.scanned(image, tags, digests, scan) for scan in scans]
        applied = self.statements.apply(deduplicate(findings), subjects)
        rows: list[Row] = to_builtins(applied.open)
        suppressed, matched = to_builtins(applied.suppressed), applied.matched
        said, data = tally(rows), Raw(encode(rows))
        self.gate.rows(data, said, scans[0].file)
        ids = encode(list(dict.fromkeys(row["id"] for row in rows)))
        figures = _assessment(scans, said, len(suppressed))
        return Assessed(figures, data, said, Raw(encode(suppressed)), ids, matched, stored=False)

    def pin(self, pin: Pin) -> Assessed | None:
        """What is known of a pin that is no release of the catalog."""
        reference, digest = Reference.parse(pin.entry.image), pin.entry.digest
        if not pin.scans:
            return None
        tag, digests = reference.tag_or_latest, [digest] if digest else []
        return self.assess(pin.scans, pin.entry.image, [tag], digests)

    def record(self, image: Image, release: Release) -> tuple[Record, Assessed | None]:
        """The release record of one version, and what its scans say."""
        entry, scans = release.entry, release.scans
        if not scans:
            blank = encode({**_NOT_SCANNED, "version": entry.version, "scanned": False})
            return Record(Raw(blank), Raw(b"null"), _NO_FIGURES_AFTER), None
        found = self.assess(scans, image.entry.image, [entry.version], entry.digests)
        figures = found.assessment.figures()
        before: dict[str, object] = {
            "version": entry.version,
            "scanned": True,
            "total": figures["total"],
            "fixable": figures["fixable"],
            "grade": figures["grade"],
            "score": figures["score"],
        }
        after = {
            **found.assessment.counters,
            "findings": sum(head.findings for head in scans),
            "unique": found.tally.unique,
            "digest": _scanned_digest(release),
            "scannedAt": found.assessment.scanned_at,
            "scanner": _scanner(scans),
            "osEndOfLife": _end_of_life(scans),
            "suppressed": found.suppressed,
        }
        return Record(Raw(encode(before)), found.rows, Raw(encode(after))), found


def _assessment(scans: Sequence[ScanHead], rows: Tally, suppressed: int) -> Assessment:
    letter: str | None
    score: float | None
    letter, score = grade(rows.fixable, rows.unfixable)
    if letter in ("A+", "A") and any(head.os_end_of_life for head in scans):
        letter = score = None  # nobody looks any more, so finding nothing proves nothing
    times = [head.scanned_at for head in scans if head.scanned_at]
    # The oldest of several parts: the release is known no better than its oldest scan.
    oldest = min(times) if len(times) == len(scans) else None
    return Assessment(rows.fixable, rows.unfixable, suppressed, letter, score, oldest)


_NOTHING = Raw(b"[]")
_NOT_SCANNED = dict.fromkeys(("version", "scanned", "total", "fixable", "grade", "score"))
_AFTER = (*_WORDS, "findings", "unique", "digest", "scannedAt", "scanner", "osEndOfLife", "suppressed")
_NO_FIGURES_AFTER = Raw(encode(dict.fromkeys(_AFTER)))


def _scanned_digest(release: Release) -> str | None:
    """The digest that was scanned: the first of the page's that a scan has, else the scan's own."""
    scanned = {digest for head in release.scans for digest in head.digests}
    on_page = (digest for digest in release.entry.digests if digest in scanned)
    # A report without digests was joined by name or path, and says nothing of what it scanned.
    return next(on_page, None) or min(scanned, default=None)


def _scanner(scans: Sequence[ScanHead]) -> str:
    versions = sorted({head.scanner_version for head in scans if head.scanner_version})
    return " ".join([_SCANNER_NAMES[scans[0].scanner], ", ".join(versions)]).strip()


def _end_of_life(scans: Sequence[ScanHead]) -> bool | None:
    known = [head.os_end_of_life for head in scans if head.os_end_of_life is not None]
    return any(known) if known else None


def envelope(image: Image) -> Raw:
    """What the documents of one image begin with."""
    entry = image.entry
    head = {"apiVersion": "v1", "resource": "security", "slug": entry.slug, "image": entry.image}
    return Raw(encode(head))
