"""What SBOMs have in common: their format, what is around one, and the image that it describes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from ...catalog.contents import PackageList
from ...catalog.package_urls import Purl
from ...catalog.scans import SBOM, Coverage, Scan
from .envelopes import Enclosed, enclosed
from .normalise import (
    UNKNOWN_WORDS,
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
from .repeated_keys import Occurrences, refuse_repeated

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
            path = f"{parsed.namespace}/{parsed.name}".lstrip("/")
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
    """A format of SBOMs: `read` gets one without what is around it, and the subject of its attestation."""

    def scan_of(each: Enclosed) -> Scan:
        scan = read(each.document, _attested(each.statement))
        if each.payload is not None:
            refuse_repeated(each.payload, _all_keys(keys_read, [each]))
        return _in_place(scan, each)

    return ReportFormat(
        word="",
        name=name,
        page=page,
        what=f"JSON, {versions}, also in an attestation: lists packages, is not a scan",
        keys=(),
        decode=lambda data: enclosed(_DECODER.decode(data)),
        recognizes=lambda found: bool(found) and all(recognizes(each.document) for each in found),
        read=lambda found: [scan_of(each) for each in found],
        keys_read=lambda found: _all_keys(keys_read, [each for each in found if each.payload is None]),
        sample=sample,
    )


def _all_keys(
    keys_read: Callable[[dict[str, object]], Occurrences], found: Sequence[Enclosed]
) -> Occurrences:
    """The keys that are read in these and around them."""
    total = Counter[str]()
    for each in found:
        total.update(keys_read(each.document))
        total.update(each.keys_read)
    return total


def _in_place(scan: Scan, each: Enclosed) -> Scan:
    """The scan, with what the wrapper says: which platform it is of, or that it is of a folder."""
    if each.is_of_folder:
        contents = scan.contents and replace(scan.contents, lacks=True)
        return replace(scan, references=(), coverage=Coverage(), kind="", contents=contents)
    if each.platform:
        return replace(scan, coverage=scan.coverage._replace(platform=each.platform))
    return scan


def _attested(statement: dict[str, object]) -> SbomSubject | None:
    """The subject of an in-toto statement; None if it names no image."""
    subjects = [
        SbomSubject.of_purl(text(subject.get("name")))._replace(
            digests=digests(
                f"{algorithm}:{text(value)}" for algorithm, value in mapping(subject.get("digest")).items()
            ),
            local="",
        )
        for subject in items(statement.get("subject"))
    ]
    attested = SbomSubject().with_others(subjects)
    return attested if attested != SbomSubject() else None


def is_of_image(kind: str, attested: SbomSubject | None) -> bool:
    """Whether an SBOM of this kind lists an image. What an attestation is of says its subject, unless the
    SBOM calls itself an application.
    """
    return kind != "application" if attested else kind in ("", "container")


def version_of(written: object) -> str:
    """A version; "" for the words of SPDX that say that it is not known."""
    version = text(written)
    return "" if version in UNKNOWN_WORDS else version


def is_image(purl: str) -> bool:
    """Whether it is the package URL of an image: one that another is built on, or a layer, is no package."""
    parsed = Purl.parse(purl)
    return parsed is not None and parsed.package.type in IMAGES


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
