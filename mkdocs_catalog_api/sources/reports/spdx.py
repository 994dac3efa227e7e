"""SBOMs in SPDX 2.2 and 2.3, https://spdx.github.io/spdx-spec/v2.3/, from Syft, Trivy, BuildKit and others.

| fact | from |
|---|---|
| scanned_at | `creationInfo.created` |
| references, coverage | the subject: `name`, package URL, of Trivy `attributionTexts` |
| kind | its `primaryPackagePurpose`, except `CONTAINER` |
| contents | `packages[]` with a package URL or a version, except the subject and the system |
| contents.systems | packages whose purpose is `OPERATING-SYSTEM`, or without purpose that Trivy calls so |
| version of a package | its package URL, else `versionInfo` |
| source of a package | its package URL; of Trivy `sourceInfo` |
| licenses | `licenseDeclared`, else `licenseConcluded` |

The subject is the first of these, if possible one without a package URL of an ecosystem:

1. the packages that the document describes, in the order of `documentDescribes` and of its relations,
   `DESCRIBES` and `DESCRIBED_BY`
2. the packages whose purpose is `CONTAINER`

The subject is no package if the document describes nothing else, or if it has no package URL of an
ecosystem. Nor are images and what has no name. The system is one if it has such a URL.
"""

from __future__ import annotations

import re

from ...catalog.contents import PackageList, PackageVersion, System, package_version
from ...catalog.package_urls import Purl
from ...catalog.scans import Scan
from .normalise import items, licenses, mapping, rows, text, texts
from .repeated_keys import Occurrences, in_objects
from .sbom import IMAGES, SbomSubject, as_scan, is_image, is_of_image, sbom_format, version_of

_VERSIONS = ("SPDX-2.2", "SPDX-2.3")
_HINT = "create the SBOM again"
_DOCUMENT = "SPDXRef-DOCUMENT"
_SYSTEM = "SPDXRef-OperatingSystem"
_BUILT_FROM = re.compile(r"built package from: (\S+) (?:\d+:)?(\S+)")


def _read(sbom: dict[str, object], attested: SbomSubject | None) -> Scan:
    """Read an SBOM."""
    entries = rows(sbom.get("packages"), "packages", _HINT)
    described = _described(sbom, entries)
    subject = min(described, key=_in_ecosystem, default={})
    is_root = len(described) == 1 or not _in_ecosystem(subject)
    systems: list[System] = []
    packages: list[PackageVersion] = []
    for entry in entries:
        if is_system := _is_system(entry):
            systems.append(System(text(entry.get("name")), text(entry.get("versionInfo"))))
        if entry is subject and is_root:
            continue
        if _in_ecosystem(entry) or not is_system:
            packages += filter(None, [_package(entry)])
    creation = mapping(sbom.get("creationInfo"))
    purpose = text(subject.get("primaryPackagePurpose")).lower()
    creators = texts(creation.get("creators"))
    by_buildkit = any(name.startswith("Tool: buildkit") for name in creators)
    return as_scan(
        attested or _subject(subject),
        PackageList.of(packages, systems, lacks=not (by_buildkit or is_of_image(purpose, attested))),
        tool=next((name.removeprefix("Tool: ") for name in creators if "Tool:" in name), ""),
        created=creation.get("created"),
        # BuildKit describes the folder that it has mounted.
        kind="" if attested or by_buildkit or purpose == "container" else purpose,
    )


def _keys_read(sbom: dict[str, object]) -> Occurrences:
    entries = items(sbom.get("packages"))
    references = [reference for entry in entries for reference in items(entry.get("externalRefs"))]
    return {
        "packages": 1,
        "externalRefs": in_objects("externalRefs", entries),
        "versionInfo": in_objects("versionInfo", entries),
        "referenceLocator": in_objects("referenceLocator", references),
    }


def _described(sbom: dict[str, object], entries: list[dict[str, object]]) -> list[dict[str, object]]:
    """What the document describes, and its containers; each once."""
    by_id: dict[str, dict[str, object]] = {}
    for entry in entries:
        by_id.setdefault(text(entry.get("SPDXID")), entry)

    found: dict[int, dict[str, object]] = {}
    for id_ in _described_ids(sbom):
        if id_ in by_id:
            found[id(by_id[id_])] = by_id[id_]
    for entry in entries:
        if _is_container(entry):
            found.setdefault(id(entry), entry)
    return [*found.values()]


def _described_ids(sbom: dict[str, object]) -> list[str]:
    """The ids of what the document describes, as it lists them, then as its relations say."""
    ids = [*texts(sbom.get("documentDescribes"))]
    for relation in items(sbom.get("relationships")):
        kind = relation.get("relationshipType")
        ends = text(relation.get("spdxElementId")), text(relation.get("relatedSpdxElement"))
        if kind == "DESCRIBES" and ends[0] == _DOCUMENT:
            ids.append(ends[1])
        if kind == "DESCRIBED_BY" and ends[1] == _DOCUMENT:
            ids.append(ends[0])
    return ids


def _is_container(entry: dict[str, object]) -> bool:
    return entry.get("primaryPackagePurpose") == "CONTAINER"


def _is_system(entry: dict[str, object]) -> bool:
    if purpose := text(entry.get("primaryPackagePurpose")):
        return purpose == "OPERATING-SYSTEM"
    return text(entry.get("SPDXID")).startswith(_SYSTEM) and not _in_ecosystem(entry)


def _in_ecosystem(entry: dict[str, object]) -> bool:
    """Whether its package URL is not that of an image."""
    parsed = Purl.parse(_purl(entry))
    return parsed is not None and parsed.package.type not in IMAGES


def _subject(entry: dict[str, object]) -> SbomSubject:
    pairs = [line.partition(": ") for line in texts(entry.get("attributionTexts"))]
    names = [value for name, _, value in pairs if name in ("RepoTag", "RepoDigest")]
    named = SbomSubject.of_component(text(entry.get("name")), text(entry.get("versionInfo")), names)
    return SbomSubject.of_purl(_purl(entry)).with_others([named])


def _purl(entry: dict[str, object]) -> str:
    """The first package URL that can be read."""
    references = [
        text(reference.get("referenceLocator"))
        for reference in items(entry.get("externalRefs"))
        if reference.get("referenceType") == "purl"
    ]
    return next(filter(Purl.parse, references), "")


def _package(entry: dict[str, object]) -> PackageVersion | None:
    """The package of an entry; None for an image, without a name, and without version and package URL, as of
    a lock file.
    """
    name, version, purl = text(entry.get("name")), version_of(entry.get("versionInfo")), _purl(entry)
    if not name or _is_container(entry) or is_image(purl) or not (version or purl):
        return None
    built_from = _BUILT_FROM.fullmatch(text(entry.get("sourceInfo")))
    declared = licenses([text(entry.get("licenseDeclared"))])
    return package_version(
        purl,
        name,
        version,
        *(built_from.groups() if built_from else ("", "")),
        declared or licenses([text(entry.get("licenseConcluded"))]),
    )


FORMAT = sbom_format(
    "SPDX",
    "https://spdx.dev",
    "2.2 or 2.3",
    lambda sbom: sbom.get("spdxVersion") in _VERSIONS,
    _read,
    _keys_read,
    b"""{"spdxVersion": "SPDX-2.3", "packages": [{"SPDXID": "SPDXRef-image",
        "name": "ghcr.io/acme/web:1", "primaryPackagePurpose": "CONTAINER"}, {"SPDXID": "SPDXRef-zlib",
        "name": "zlib", "versionInfo": "1.2", "externalRefs": [{"referenceType": "purl",
        "referenceLocator": "pkg:apk/wolfi/zlib@1.2"}]}]}""",
)
