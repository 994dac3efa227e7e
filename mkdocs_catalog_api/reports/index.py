"""All reports below the reports folder: read once, parsed into the store, their heads kept for the join."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from io import FileIO
from pathlib import Path

from msgspec import convert
from msgspec.structs import astuple
from pydantic_core import from_json, to_json

from ..catalog.names import Reference
from ..catalog.scans import Finding, Scan, ScanFacts, ScanHead
from ..catalog.vulnerabilities import SEVERITY_INDEX, Tally, tally, unite_with_findings
from ..parallel import in_chunks
from ..problems import Level, Problem, Problems
from ..sources.cache import Cache, scan_facts
from ..sources.store import Kept, Parsed, Store, content_key
from . import hub_package, read_report
from .facts import ReportError
from .folders import json_files

_FIELDS = Finding.__struct_fields__
_NOTHING_AT_ALL = (
    "the hub found nothing in any image of this chart",
    "it says the same when it could not pull an image: see the errors that it shows to the publisher",
)


Check = Callable[[bytes, Tally, str], None]
"""Judges the JSON of united rows before they are kept: the bytes, what they add up to, where they are from.
Rows that are read back are the same bytes, so they are not judged again."""


@dataclass(frozen=True, slots=True)
class _Read:
    path: str
    key: str
    kept: tuple[Kept[ScanFacts], ...] | None = None
    """The scans that were parsed now; None when the store has had them, or for a problem."""
    problem: tuple[str, str, int, int] | None = None
    """Message, hint, line and column."""
    of_hub: bool = False


class ReportIndex:
    """The scans of all reports below `folder`; `label` is how problems name the folder.

    The reading begins at once, in other processes where there are several. With `cached`, what an earlier
    build has parsed is taken from the user's cache folder, and kept there for the next.
    """

    def __init__(self, folder: Path, label: str, store: Store, check: Check, *, cached: bool = True) -> None:
        self._label, self._store = label, store
        self._cache = Cache("reports", folder, scan_facts) if cached else None
        if self._cache:
            store.reports |= self._cache.load(store)
        self._chunks = in_chunks(partial(_read_chunk, folder, store, check), json_files(folder), least=64)

    def heads(self, problems: Problems) -> list[ScanHead]:
        """The heads of all scans in the order of paths. Unreadable reports become problems."""
        heads: list[ScanHead] = []
        keys: dict[str, None] = {}
        for chunk in self._chunks:
            for read in chunk:
                file = f"{self._label}/{read.path}"
                if read.problem:
                    message, hint, line, column = read.problem
                    problems.add(Problem(file, line, column, "", message, hint))
                    continue
                keys[read.key] = None
                kept = self._store.reports.setdefault(read.key, read.kept or ())
                # A hub's report lies in the folder of its chart, so its path speaks for no image.
                alone = len(kept) == 1 and not read.of_hub
                found = [
                    ScanHead(file, read.path, read.key, position, alone, read.of_hub, *scan.about)
                    for position, scan in enumerate(kept)
                ]
                if found and all(head.inferred for head in found):
                    problems.add(Problem(file, 0, 0, "", *_NOTHING_AT_ALL, level=Level.INFO))
                heads += found
        if self._cache:
            used = {key: self._store.reports[key] for key in keys}
            self._cache.save(self._store, used, problems)
        return heads


def _read_chunk(folder: Path, store: Store, check: Check, paths: Sequence[str]) -> list[_Read]:
    read = [_read_one(folder, store, check, path) for path in paths]
    store.flush()
    return read


def _read_one(folder: Path, store: Store, check: Check, path: str) -> _Read:
    try:
        data, package = _content(folder, path)
    except OSError as error:
        return _Read(path, "", problem=(f"the report can't be read: {error.strerror}", "", 0, 0))
    key = content_key(package, data)
    if key in store.reports:
        return _Read(path, key, of_hub=bool(package))
    try:
        parsed = [_parse(scan, check, f"{folder.name}/{path}") for scan in read_report(data, package)]
    except ReportError as error:
        return _Read(path, key, problem=(str(error), error.hint, error.line, error.column))
    kept = tuple(store.put(scan[1:], scan.facts) for scan in parsed)
    return _Read(path, key, kept, of_hub=bool(package))


def _content(folder: Path, path: str) -> tuple[bytes, bytes]:
    """The report, and of a hub's the answer about the package beside it, else nothing."""
    package = b""
    if path.startswith(f"{hub_package.FOLDER}/"):
        beside = folder / (path.removesuffix(".json") + hub_package.SUFFIX)
        package = beside.read_bytes() if beside.is_file() else b""
    with FileIO(f"{folder}/{path}") as file:
        return file.readall(), package


def _parse(scan: Scan, check: Check, path: str) -> Parsed:
    names: dict[tuple[str, str | None], None] = {}
    digests = set(scan.digests)
    for text in scan.references:
        try:
            reference = Reference.parse(text)
        except ValueError:  # a file name or an archive, say; then digests or the path must speak
            continue
        tag = reference.tag if reference.digest else reference.tag_or_latest
        names[reference.repository, tag] = None
        if reference.digest:
            digests.add(reference.digest)
    united = unite_with_findings(scan.findings)
    rows = [row for row, _ in united]
    said, json = tally(rows), to_json(rows)
    check(json, said, path)
    ids = list(dict.fromkeys([row["id"] for row in rows]))
    facts = ScanFacts(
        scanner=scan.scanner,
        scanner_version=scan.scanner_version,
        scanned_at=scan.scanned_at,
        names=tuple(names),
        digests=tuple(sorted(digests)),
        platform=scan.platform,
        os_end_of_life=scan.os_end_of_life,
        findings=len(scan.findings),
        fixable=said.fixable,
        unfixable=said.unfixable,
        unique=said.unique,
        inferred=scan.inferred,
    )
    return Parsed(facts, to_json(ids), json, to_json([_more(findings) for _, findings in united]))


@dataclass(frozen=True, slots=True)
class Reports:
    """Gives back what the store keeps of the scans of one reports folder."""

    folder: Path
    store: Store
    check: Check

    def parsed(self, head: ScanHead) -> Parsed:
        """The stored scan; read again from its report should the store have lost it."""
        kept = self.store.reports[head.key][head.position]
        if (read := self.store.read(kept)) is not None:
            return Parsed(kept.about, *read)
        scan = read_report(*_content(self.folder, head.path))[head.position]
        return _parse(scan, self.check, head.file)


def stored_findings(parsed: Parsed) -> list[Finding]:
    """The raw findings of a stored scan, in the order of their rows."""
    findings = []
    for row, more in zip(from_json(parsed.rows), from_json(parsed.findings), strict=True):
        if isinstance(more, str):
            id_, severity, pkg, installed, fixed, title, url, targets = row.values()
            target = "".join(targets)
            severity = SEVERITY_INDEX[severity]
            found = Finding(id_, severity, pkg, installed, fixed, title, url, target, (), more)
            findings.append(found)
        else:
            findings += [convert(dict(zip(_FIELDS, values, strict=True)), Finding) for values in more]
    return findings


def _more(findings: Sequence[Finding]) -> object:
    """What a row does not tell of its findings: of a single one the package URL, else all about them."""
    plain = len(findings) == 1 and not findings[0].aliases and not findings[0].ecosystem
    return findings[0].purl if plain else [astuple(finding) for finding in findings]
