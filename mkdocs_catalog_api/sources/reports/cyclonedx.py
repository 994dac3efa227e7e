"""SBOMs in CycloneDX, https://cyclonedx.org/docs/1.6/json/, from Syft, Trivy, BuildKit and others.

| fact | from |
|---|---|
| scanned_at | `metadata.timestamp` |
| references, coverage | `metadata.component`: `name`, `purl`, of Syft `version`, of Trivy `properties` |
| kind | `metadata.component.type`, except `container` |
| contents | `components[]`, also nested: `library`, `framework`, or any with version and package URL |
| no contents | files, images, what has no name, and `metadata.component` where it is listed, too |
| contents that lack some | `compositions[].aggregate`: `incomplete` and its kinds |
| contents.systems | the components of type `operating-system` |
| version, source of a package | `purl`, else `version`; of Trivy the property `SrcName` |
| licenses | `licenses[]`: `license.id`, `license.name` or `expression` |
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...catalog.contents import PackageList, PackageVersion, System, package_version
from ...catalog.scans import Scan
from ...problems import RefusedError
from .normalise import items, licenses, mapping, rows, text
from .repeated_keys import Occurrences, every_object, in_objects
from .sbom import SbomSubject, as_scan, is_image, is_of_image, sbom_format, version_of

_TRIVY = "aquasecurity:trivy:"
_HINT = "create the SBOM again"
_OLDEST = (1, 4)
_NUMBER = re.compile("[0-9]{1,4}")


def _read(sbom: dict[str, object], attested: SbomSubject | None) -> Scan:
    """Read an SBOM. Raises `RefusedError` for versions before 1.4."""
    _check_version(text(sbom.get("specVersion")))
    metadata = mapping(sbom.get("metadata"))
    subject = mapping(metadata.get("component"))
    components = [*_flat(rows(sbom.get("components"), "components", _HINT))]
    systems = (
        System(text(entry.get("name")), text(entry.get("version")))
        for entry in components
        if entry.get("type") == "operating-system"
    )
    root = text(subject.get("bom-ref"))
    others = [entry for entry in components if not root or entry.get("bom-ref") != root]
    kind = text(subject.get("type"))
    stated = {text(entry.get("aggregate")) for entry in items(sbom.get("compositions"))}
    return as_scan(
        attested or _subject(subject),
        PackageList.of(
            filter(None, map(_package, others)),
            systems,
            lacks=bool(stated - {"complete"}) or not is_of_image(kind, attested),
            is_complete=stated == {"complete"},
        ),
        tool=_tool(metadata.get("tools")),
        created=metadata.get("timestamp"),
        kind="" if attested or kind == "container" else kind,
        unread=len(items(sbom.get("vulnerabilities"))),
    )


def _keys_read(sbom: dict[str, object]) -> Occurrences:
    components = [*_flat(items(sbom.get("components")))]
    holders = [sbom, *components, *every_object(sbom.get("metadata"))]
    return {key: in_objects(key, holders) for key in ("components", "purl", "version")}


def _check_version(written: str) -> None:
    numbers = [int(part) if _NUMBER.fullmatch(part) else -1 for part in written.split(".")]
    if tuple(numbers) < _OLDEST:
        raise RefusedError(
            f"CycloneDX {written[:20] or 'without a version'} is not read", "write CycloneDX 1.4 or later"
        )


def _flat(components: Sequence[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Yield the components and those inside of them, in the document's order."""
    rest = [*reversed(components)]
    while rest:
        component = rest.pop()
        yield component
        rest += reversed(rows(component.get("components"), "components[…].components", _HINT))


def _subject(component: dict[str, object]) -> SbomSubject:
    properties = _properties(component)
    tags, by_digest = properties.get("RepoTag", []), properties.get("RepoDigest", [])
    name, version = text(component.get("name")), text(component.get("version"))
    named = SbomSubject.of_component(name, version, [*tags, *by_digest])
    return SbomSubject.of_purl(text(component.get("purl"))).with_others([named])


def _tool(tools: object) -> str:
    """Name and version of the first program; a list before 1.5."""
    listed = items(mapping(tools).get("components")) or items(tools)
    return " ".join(filter(None, (text(tool.get(key)) for tool in listed[:1] for key in ("name", "version"))))


def _package(component: dict[str, object]) -> PackageVersion | None:
    """The package that a component is; None for files, images, the system and what contains packages."""
    name, purl = text(component.get("name")), text(component.get("purl"))
    version = version_of(component.get("version"))
    if component.get("type") in ("operating-system", "file") or not name or is_image(purl):
        return None
    if component.get("type") not in ("library", "framework") and not (version and purl):
        return None
    if group := text(component.get("group")):
        name = f"{group}/{name}"
    properties = _properties(component)
    source, source_version = (properties.get(key, [""])[0] for key in ("SrcName", "SrcVersion"))
    if release := properties.get("SrcRelease"):
        source_version = f"{source_version}-{release[0]}"
    return package_version(purl, name, version, source, source_version, licenses(_licenses(component)))


def _licenses(component: dict[str, object]) -> Iterator[str]:
    for entry in items(component.get("licenses")):
        license_ = mapping(entry.get("license"))
        yield text(entry.get("expression")) or text(license_.get("id")) or text(license_.get("name"))


def _properties(component: dict[str, object]) -> dict[str, list[str]]:
    """Trivy's name of a property → its values."""
    values: dict[str, list[str]] = {}
    for entry in items(component.get("properties")):
        name = text(entry.get("name"))
        if name.startswith(_TRIVY) and (value := text(entry.get("value"))):
            values.setdefault(name.removeprefix(_TRIVY), []).append(value)
    return values


FORMAT = sbom_format(
    "CycloneDX",
    "https://cyclonedx.org",
    "1.4 or later",
    lambda sbom: sbom.get("bomFormat") == "CycloneDX",
    _read,
    _keys_read,
    b"""{"bomFormat": "CycloneDX", "specVersion": "1.6", "metadata": {"component":
        {"type": "container", "name": "ghcr.io/acme/web:1"}}, "components": [{"type": "library",
        "name": "zlib", "version": "1.2", "purl": "pkg:apk/wolfi/zlib@1.2"}]}""",
)
