"""What is inside? A software bill of materials of each version whose packages are known, in CycloneDX 1.6
(https://cyclonedx.org/docs/1.6/json/), as its readers take it: unknown fields are absent. It has neither a
time nor a serial number, so the same packages give the same bytes.
"""

from collections.abc import Iterator
from operator import attrgetter
from typing import Annotated, Any, Literal
from urllib.parse import quote

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from ..catalog import addresses
from ..catalog.contents import Contents, PackageVersion
from ..catalog.described import vocabulary
from ..catalog.published import Document
from ..catalog.value import Catalog, Image, Release
from ..items.names import Reference
from ..items.types import Text, VersionLabel
from .kinds import IMAGE_SLUG, Documents, Kind, Parameter

SBOMS = Kind("sbom", "lookups", optional=True)
_VERSION: Any = VersionLabel
Purl = Annotated[
    Text,
    "Package URL, with the qualifiers by which scanners find vulnerabilities.",
    Meta(examples=["pkg:deb/debian/libssl3@3.0.17-1~deb12u2?arch=amd64&distro=debian-12&upstream=openssl"]),
]
ComponentType = Literal["container", "library", "operating-system"]
BomRef = Annotated[
    Text,
    "Its number in the document: short, since each document of a package would repeat more.",
    Meta(examples=["0"]),
]
_SOURCE = ("aquasecurity:trivy:SrcName", "aquasecurity:trivy:SrcVersion")
"""Trivy finds a distribution's vulnerabilities by the source package, which it reads from these alone."""


class BomLicense(Document):
    """A license."""

    name: Annotated[Text, "SPDX expression or name, as in the list.", Meta(examples=["Apache-2.0"])]


class BomLicenseChoice(Document):
    """An entry of licenses."""

    license: Annotated[BomLicense, "The license."]


class BomProperty(Document):
    """A property that one program reads."""

    name: Annotated[Text, "Its name.", Meta(examples=["aquasecurity:trivy:SrcName"])]
    value: Annotated[Text, "Its value.", Meta(examples=["openssl"])]


class BomComponent(Document, kw_only=True, rename={"bom_ref": "bom-ref"}):
    """The image, a package in it, or its operating system."""

    type: Annotated[ComponentType, vocabulary("BomComponentType", ComponentType), "Type of component."]
    bom_ref: BomRef
    name: Annotated[str, "Name, with its namespace.", Meta(examples=["libssl3"])]
    version: Annotated[Text | UnsetType, "Version, if it is known.", Meta(examples=["3.0.17-1~deb12u2"])] = (
        UNSET
    )
    licenses: Annotated[list[BomLicenseChoice] | UnsetType, "Licenses, if they are known."] = UNSET
    purl: Purl | UnsetType = UNSET
    properties: Annotated[list[BomProperty] | UnsetType, "Source package, if it has another name."] = UNSET


class BomMetadata(Document):
    """What the document is about."""

    component: Annotated[BomComponent, "The image."]


@SBOMS.route(
    addresses.sbom("{slug}", "{version}"),
    "getSbom",
    "What is inside a version",
    "The packages of a version in CycloneDX 1.6, as scanners take it. A version whose packages are "
    "known in part, or not at all, has no document.",
    IMAGE_SLUG,
    Parameter("version", "The version.", _VERSION),
    listed="sbom",
)
class Bom(Document, rename="camel"):
    """The packages of one version of an image, as CycloneDX 1.6."""

    bom_format: Annotated[Literal["CycloneDX"], "Format."]
    spec_version: Annotated[Literal["1.6"], "Version of the format."]
    version: Annotated[Literal[1], "Version of the document."]
    metadata: Annotated[BomMetadata, "What it is about."]
    components: Annotated[
        list[BomComponent], "Operating systems, then packages by package URL.", Meta(min_length=1)
    ]


def has_sbom(release: Release) -> bool:
    """Whether the packages are known, so that it has a document."""
    return release.contents is not None and release.contents.complete


def sbom_document(catalog: Catalog, slug: str, release: Release) -> str | None:
    """The address of the document; None if there is none."""
    published = catalog.publishes_sboms and has_sbom(release)
    return catalog.addresses.api(addresses.sbom(slug, release.entry.version)) if published else None


def sbom_address(catalog: Catalog, slug: str, release: Release) -> str | None:
    """Where the SBOM of a listed version is: at the author's address, else here."""
    return release.entry.sbom or sbom_document(catalog, slug, release)


class _Components:
    """The component of each package: all documents have it with a number of their own."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[PackageVersion, BomComponent]] = {}

    def of(self, contents: Contents) -> Iterator[BomComponent]:
        made = self._made
        components: list[BomComponent] = []
        for entry in contents.packages:
            pair = made.get(id(entry))
            if pair is None:
                pair = made[id(entry)] = entry, _component(entry)
            components.append(pair[1])
        components.sort(key=attrgetter("bom_ref"))
        systems = (
            BomComponent(type="operating-system", bom_ref="", name=name, version=version or UNSET)
            for name, version in contents.systems
        )
        for number, component in enumerate((*systems, *components), 1):
            yield replace(component, bom_ref=str(number))


def _component(entry: PackageVersion) -> BomComponent:
    """The component, with its place among others as `bom_ref`."""
    name = entry.name
    source: list[BomProperty] | UnsetType = UNSET
    if entry.source:
        values = entry.source, entry.source_version
        source = [BomProperty(*pair) for pair in zip(_SOURCE, values, strict=True) if pair[1]]
    return BomComponent(
        type="library",
        bom_ref=entry.purl or f"{name}@{entry.version}",
        name=name,
        version=entry.version or UNSET,
        licenses=[BomLicenseChoice(BomLicense(each)) for each in entry.licenses] or UNSET,
        purl=entry.purl or UNSET,
        properties=source,
    )


def _image(image: Image, release: Release) -> BomComponent:
    reference, digest, version = image.entry.image, release.entry.only_digest, release.entry.version
    purl: str | UnsetType = UNSET
    if reference and digest:
        repository = Reference.parse(reference).repository
        name = quote(repository.rpartition("/")[2], safe="")
        purl = f"pkg:oci/{name}@{quote(digest, safe='')}?repository_url={quote(repository, safe='')}"
    name = reference or image.entry.name
    return BomComponent(type="container", bom_ref="0", name=name, version=version, purl=purl)


@SBOMS.generator
def _documents(catalog: Catalog) -> Documents:
    components = _Components()
    for image in catalog.images:
        for release in image.releases:
            if release.contents and has_sbom(release):
                yield (
                    addresses.sbom(image.entry.slug, release.entry.version),
                    Bom(
                        "CycloneDX",
                        "1.6",
                        1,
                        BomMetadata(_image(image, release)),
                        [*components.of(release.contents)],
                    ),
                )
