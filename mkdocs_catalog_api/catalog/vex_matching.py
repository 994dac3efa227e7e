"""Which statement of the OpenVEX documents speaks of a finding in an image."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from msgspec.structs import astuple

from .names import Reference
from .purl import Purl
from .scans import Finding, ScanMetadata
from .statements import Component, Statement
from .vulnerabilities import Suppressed, Vulnerability

_Key = str | tuple[str, str, str]
"""Repository or digest of an image; type, namespace and name of a package."""

_LONG_AGO = datetime.min.replace(tzinfo=UTC)
# Types whose namespace is the distribution; of the others it is a part of the package's name.
_DISTRIBUTIONS = {"alpm", "apk", "deb", "rpm"}


@dataclass(frozen=True, slots=True)
class Subject:
    """An image as statements may name it."""

    repository: str
    """Normalised, as `Reference.repository` gives it."""
    tags: frozenset[str] = frozenset()
    digests: frozenset[str] = frozenset()
    architectures: frozenset[str] = frozenset()
    """Of the platforms scanned, `amd64`; empty when not known."""

    @classmethod
    def scanned(cls, image: str, tag: str, digests: Iterable[str], scans: Sequence[ScanMetadata]) -> Subject:
        """What was scanned under the reference `image`, the tag and the digests of a page or pin."""
        claimed = frozenset(digests)
        found = frozenset(digest for head in scans for digest in head.digests)
        # A scan of another digest, joined by its path, is no scan of what the page claims.
        known = found | claimed if not found or found & claimed else found
        platforms = [head.platform for head in scans]
        architectures = {platform.split("/")[1] for platform in platforms} if all(platforms) else ()
        return cls(Reference.parse(image).repository, frozenset({tag}), known, frozenset(architectures))


class Applied(NamedTuple):
    """Rows after the statements have been heard, each list in the order of the rows."""

    open: list[Vulnerability]
    suppressed: list[Suppressed]
    matched: set[int]
    """Positions of the statements that speak of any row, also of those that take nothing out."""


class _Place(NamedTuple):
    """Images that a product names. An empty field leaves it open, but repository or digest is given."""

    repository: str
    digest: str
    tag: str
    architecture: str

    def holds(self, image: Subject) -> bool:
        # A statement on one architecture does not speak of a scan that also covers others.
        if self.architecture and image.architectures != {self.architecture}:
            return False
        if self.digest:
            return self.digest in image.digests
        return self.repository == image.repository and (not self.tag or self.tag in image.tags)


class _Claim(NamedTuple):
    """One image or package that a statement names, and the parts of it that are meant."""

    position: int
    """Of the statement among all."""
    product: _Place | Purl
    parts: tuple[Component, ...]

    @property
    def key(self) -> _Key:
        """What a subject must have for the claim to hold."""
        if isinstance(self.product, Purl):
            return self.product[:3]
        return self.product.digest or self.product.repository

    def holds(self, finding: Finding, package: Purl | None, image: Subject) -> bool:
        if isinstance(self.product, Purl):
            named = package is not None and self.product.covers(package)
        else:
            named = self.product.holds(image)
        return named and (not self.parts or any(_is(part, finding, package) for part in self.parts))


class Statements:
    """The statements of all documents, found by the ids of a vulnerability."""

    def __init__(self, statements: Iterable[Statement] = ()) -> None:
        self._all = tuple(statements)
        self._by_id: dict[str, list[int]] = defaultdict(list)
        for position, statement in enumerate(self._all):
            for name in statement.ids:
                self._by_id[name].append(position)
        self._claims_by_id: dict[str, dict[_Key, list[_Claim]]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Statement]:
        return iter(self._all)

    def __getitem__(self, position: int) -> Statement:
        return self._all[position]

    def name_any(self, findings: Iterable[Finding]) -> bool:
        """Whether any statement is on one of these vulnerabilities, in whatever product."""
        known = self._by_id
        return any(one.id in known or not known.keys().isdisjoint(one.aliases) for one in findings)

    def matching(self, findings: Iterable[Finding], image: Subject) -> list[int]:
        """Positions of the statements that speak of a row made of these findings, the oldest first.

        Such a statement names one of the row's ids, the image or the package of a finding, and when it
        lists parts, that package. The last decides by its `suppresses`; of equally old ones that is the
        last by document id and place in it.
        """
        findings = list(findings)
        ids = {name for finding in findings for name in (finding.id, *finding.aliases)}
        names = [name for name in ids if name in self._by_id]
        found: set[int] = set()
        for finding in findings if names else ():
            package = Purl.parse(finding.purl)
            keys: list[_Key] = [image.repository, *image.digests]
            if package:
                keys.append(package[:3])
            claims = (claim for name in names for key in keys for claim in self._claims(name).get(key, ()))
            found.update(claim.position for claim in claims if claim.holds(finding, package, image))
        return sorted(found, key=lambda position: _age(self._all[position]))

    def apply_vex(self, rows: Iterable[tuple[Vulnerability, Sequence[Finding]]], image: Subject) -> Applied:
        """Take out the rows that the newest statement on each says do not concern the image."""
        applied = Applied([], [], set())
        for row, findings in rows:
            positions = self.matching(findings, image)
            applied.matched.update(positions)
            if positions and (last := self._all[positions[-1]]).suppresses:
                applied.suppressed.append(
                    Suppressed(*astuple(row), last.status, last.justification, last.document)  # type: ignore[call-arg]
                )
            else:
                applied.open.append(row)
        return applied

    def _claims(self, name: str) -> dict[_Key, list[_Claim]]:
        """Those on one vulnerability, taken apart at the first question for it: most are never asked."""
        if name not in self._claims_by_id:
            claims = self._claims_by_id[name] = defaultdict(list)
            for position in self._by_id[name]:
                for claim in _claimed(position, self._all[position]):
                    claims[claim.key].append(claim)
        return self._claims_by_id[name]


def _age(statement: Statement) -> tuple[datetime, str, int, str, str]:
    place = statement.document, statement.index
    return statement.timestamp or _LONG_AGO, *place, statement.status, statement.justification


def _claimed(position: int, statement: Statement) -> Iterator[_Claim]:
    for product in statement.products:
        images = [purl for purl in product.purls if purl.type in ("oci", "docker")]
        named: list[_Place | Purl | None] = [
            *map(_named, product.names),
            *map(_located, images),
            *(_Place("", digest, "", "") for digest in product.digests),
            *(purl for purl in product.purls if purl not in images),
        ]
        yield from (_Claim(position, found, product.parts) for found in named if found)


def _named(name: str) -> _Place | None:
    """Of a reference or a bare digest."""
    if name.startswith("sha256:"):
        return _Place("", name, "", "")
    if reference := _reference(name):
        return _Place(reference.repository, reference.digest or "", reference.tag or "", "")
    return None


def _located(purl: Purl) -> _Place | None:
    """Of `pkg:oci/name@digest?repository_url=…&tag=…&arch=…` or `pkg:docker/namespace/name@tag-or-digest`.

    Without digest and repository, `pkg:oci` names any image of that name anywhere, and so none for us.
    """
    path = f"{purl.namespace}/{purl.name}".lstrip("/")
    location = purl.qualifiers.get("repository_url", "docker.io" if purl.type == "docker" else "").rstrip("/")
    if location and not location.endswith(f"/{path}"):
        location = f"{location}/{path}"
    digest = purl.version if ":" in purl.version else ""
    tag = purl.qualifiers.get("tag", "") or purl.version.removesuffix(digest)
    reference = _reference(location) if location else None
    if not (digest or reference):
        return None
    repository = reference.repository if reference else ""
    return _Place(repository, digest, tag, purl.qualifiers.get("arch", ""))


def _reference(text: str) -> Reference | None:
    try:
        return Reference.parse(text)
    except ValueError:
        return None


def _is(part: Component, finding: Finding, package: Purl | None) -> bool:
    """Whether a subcomponent is the package; by name and version when the scanner gives no package URL."""
    if finding.pkg in part.names:
        return True
    if package is not None:
        return any(purl.covers(package) for purl in part.purls)
    return any(finding.pkg in _names(purl) and purl.version in ("", finding.installed) for purl in part.purls)


def _names(purl: Purl) -> Iterator[str]:
    """What scanners call the package."""
    if not purl.namespace or purl.type in _DISTRIBUTIONS:
        yield purl.name
    else:
        yield f"{purl.namespace}/{purl.name}"
        yield f"{purl.namespace}:{purl.name}"
