"""What SBOMs have in common: their format, the statement around one, and the image that it describes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from ...catalog.contents import PackageList
from ...catalog.package_urls import Purl
from ...catalog.scans import SBOM, Coverage, Scan
from .normalise import (
    ReportFormat,
    digests,
    distinct,
    items,
    mapping,
    platform,
    second_fraction,
    text,
    utc_second,
)
from .repeated_keys import Occurrences

_DECODER = msgspec.json.Decoder()
"""Untyped: other programs' files have the same keys."""
IMAGES = ("oci", "docker")
"""Types of package URL of an image."""


class SbomSubject(NamedTuple):
    """The image that an SBOM names."""

    names: Sequence[str] = ()
    """References."""
    digests: frozenset[str] = frozenset()
    local: str = ""
    """Digest of the manifest that the tool has read, which a registry may not have."""
    platform: str = ""

    @classmethod
    def of_purl(cls, purl: str) -> SbomSubject:
        """`pkg:oci/nginx@sha256:…?repository_url=ghcr.io/acme/nginx&arch=amd64&tag=1.29`.

        Without a repository, the digest is that of a local copy.
        """
        parsed = Purl.parse(purl)
        if parsed is None or parsed.package.type not in IMAGES:
            return cls()
        qualifiers = dict(parsed.qualifiers)
        system, _, architecture = qualifiers.get("platform", "").partition("/")
        system, architecture = system or "linux", architecture or qualifiers.get("arch", "")
        named = platform(system, architecture)
        repository, found = qualifiers.get("repository_url", ""), digests([parsed.version])
        if parsed.package.type == "docker":  # the name has the repository, the version is the tag
            path = f"{parsed.namespace}/{parsed.package.name}".lstrip("/")
            return cls([f"{path}:{parsed.version}"] if parsed.version and not found else [], platform=named)
        if not repository:
            return cls(local=min(found, default=""), platform=named)
        tag = qualifiers.get("tag")
        return cls([f"{repository}:{tag}"] if tag else [], found, platform=named)

    @classmethod
    def of_component(cls, name: str, version: str, further: Iterable[str] = ()) -> SbomSubject:
        """What an SBOM describes: `version` is a digest, or the tag of a `name` without one, as Syft writes
        them (https://github.com/anchore/syft). `further` are other names.
        """
        if found := digests([version]):
            return cls([f"{name}@{min(found)}", *further], found)
        has_tag = "@" in name or ":" in name.rpartition("/")[2]
        return cls([name if has_tag or not version else f"{name}:{version}", *further])

    def with_others(self, others: Iterable[SbomSubject]) -> SbomSubject:
        """The first known of each, and all names and digests."""
        every = [self, *others]
        return SbomSubject(
            distinct(name for each in every for name in each.names),
            frozenset[str]().union(*(each.digests for each in every)),
            next((each.local for each in every if each.local), ""),
            next((each.platform for each in every if each.platform), ""),
        )


def sbom_format(
    name: str,
    page: str,
    versions: str,
    recognizes: Callable[[dict[str, object]], bool],
    read: Callable[[dict[str, object], SbomSubject | None], Scan],
    keys_read: Callable[[dict[str, object]], Occurrences],
    sample: bytes,
) -> ReportFormat:
    """A format of SBOMs: `read` gets one without its statement, and the subject of that."""
    return ReportFormat(
        word="",
        name=name,
        page=page,
        what=f"JSON, {versions}, also in an in-toto statement: lists packages, is not a scan",
        keys=(),
        decode=_DECODER.decode,
        recognizes=lambda document: recognizes(_unwrapped(document)[0]),
        read=lambda document: [read(*_unwrapped(document))],
        keys_read=lambda document: keys_read(_unwrapped(document)[0]),
        sample=sample,
    )


def _unwrapped(document: object) -> tuple[dict[str, object], SbomSubject | None]:
    """Return the SBOM, and the subject of the in-toto statement around it, if there is one that names any."""
    outer = mapping(document)
    if "predicateType" not in outer:
        return outer, None
    subjects = [
        SbomSubject.of_purl(text(subject.get("name")))._replace(
            digests=digests(
                f"{algorithm}:{text(value)}" for algorithm, value in mapping(subject.get("digest")).items()
            ),
            local="",
        )
        for subject in items(outer.get("subject"))
    ]
    attested = SbomSubject().with_others(subjects)
    return mapping(outer.get("predicate")), attested if attested != SbomSubject() else None


def as_scan(
    subject: SbomSubject,
    contents: PackageList | None,
    *,
    tool: str,
    created: object,
    kind: str,
    unread: int = 0,
) -> Scan:
    """The SBOM as it is joined. `unread` is its number of vulnerabilities, which are not a scan."""
    return Scan(
        scanner_version=tool,
        scanned_at=utc_second(created),
        fraction=second_fraction(created),
        references=distinct(subject.names),
        coverage=Coverage(
            digests=subject.digests | digests(subject.names),
            platform=subject.platform,
            manifest=subject.local,
        ),
        os_end_of_life=None,
        findings=(),
        contents=contents,
        kind=kind,
        unread=(("vulnerabilities in an SBOM", unread),) if unread else (),
        scanner=SBOM,
    )
