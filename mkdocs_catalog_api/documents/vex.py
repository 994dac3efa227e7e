"""The author's statements for other people's scanners: a document for each image, and all as an archive.

The documents are OpenVEX v0.2.0 (https://github.com/openvex/spec): as in badges, fields that do not apply are
absent, never null. The archive is a VEX Repository v0.1 (https://github.com/aquasecurity/vex-repo-spec).
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from ..catalog.addresses import PREFIX
from ..catalog.published import Document, Timestamp
from ..catalog.statements import JustificationWord, Statement, StatusWord
from ..catalog.types import Text
from ..catalog.value import Catalog
from ..catalog.vex_export import Exact, Export, StatementOnReleases, image_id
from ..catalog.vulnerabilities import vocabulary
from .kinds import IMAGE_SLUG, Documents, Kind, Route

VexStatus = Annotated[StatusWord, vocabulary("VexStatus", StatusWord)]
VexJustification = Annotated[JustificationWord, vocabulary("VexJustification", JustificationWord)]


class VexVulnerability(Document):
    """The vulnerability of a statement."""

    name: Annotated[Text, Meta(description="CVE id, else the advisory's id.")]
    aliases: Annotated[list[Text], Meta(description="Its other ids.")]


class VexPackage(Document):
    """A package in an image."""

    id: Annotated[Text, Meta(description="Package URL, or the package's name.")] = field(name="@id")


class VexProduct(Document, kw_only=True):
    """One version of the image."""

    id: Annotated[Text, Meta(description="Package URL with the digest of the version.")] = field(name="@id")
    subcomponents: Annotated[
        Annotated[list[VexPackage], Meta(min_length=1)] | UnsetType,
        Meta(description="The affected packages; the whole image if this is absent."),
    ] = UNSET


class VexStatement(Document, kw_only=True):
    """A statement on one vulnerability in some versions."""

    vulnerability: Annotated[VexVulnerability, Meta(description="The vulnerability.")]
    timestamp: Annotated[Timestamp, Meta(description="Time of the statement.")]
    products: Annotated[list[VexProduct], Meta(min_length=1, description="The versions.")]
    status: Annotated[VexStatus, Meta(description="Status of the vulnerability in them.")]
    justification: Annotated[
        VexJustification | UnsetType, Meta(description="The reason why they are not affected.")
    ] = UNSET
    impact_statement: Annotated[Text | UnsetType, Meta(description="The reason in words.")] = field(
        name="impact_statement", default=UNSET
    )
    action_statement: Annotated[Text | UnsetType, Meta(description="Recommended action.")] = field(
        name="action_statement", default=UNSET
    )


class ImageVex(Document, kw_only=True):
    """Statements of the author on vulnerabilities in the versions of one image."""

    context: Annotated[Literal["https://openvex.dev/ns/v0.2.0"], Meta(description="The format.")] = field(
        name="@context"
    )
    id: Annotated[Text, Meta(description="Address of the document.")] = field(name="@id")
    author: Annotated[Text, Meta(description="Author of the statements.")]
    timestamp: Annotated[Timestamp, Meta(description="When the newest statement was made.")]
    version: Annotated[Literal[1], Meta(description="Always 1: compare `timestamp` instead.")]
    statements: Annotated[list[VexStatement], Meta(min_length=1, description="The oldest first.")]


ARCHIVE = "vex/repository.tar.gz"
_LONG_AGO = "1970-01-01T00:00:00"
"""Of a statement without a time."""
_ENCODER = msgspec.json.Encoder()


def path(slug: str) -> str:
    """Path of the document of an image that has statements."""
    return f"vex/{slug}.json"


def repository(site_url: str) -> str:
    """Address of the archive; `site_url` is the address of the site."""
    return f"{site_url.rstrip('/')}/{PREFIX}/{ARCHIVE}"


def _documents(catalog: Catalog) -> Documents:
    export = Export(catalog.statements, catalog.images)
    packages: dict[str, tuple[str, list[StatementOnReleases]]] = {}
    """Package URL of an image → its slug, and its statements; several items may share an image."""
    for image in catalog.images:
        assessments = [release.assessment for release in image.releases if release.assessment]
        matched = frozenset[int]().union(*(assessment.matched for assessment in assessments))
        related = frozenset[frozenset[str]]().union(*(assessment.related for assessment in assessments))
        statements = [*export.statements_on(image, matched, related)]
        if statements and image.entry.image:
            slug = image.entry.slug
            packages.setdefault(image_id(image.entry.image), (slug, []))[1].extend(statements)
            yield path(slug), _document(catalog, slug, statements)
    yield ARCHIVE, _archive(catalog, packages)


def _document(catalog: Catalog, slug: str, statements: Sequence[StatementOnReleases]) -> ImageVex:
    authors = dict.fromkeys(each.statement.author for each in statements if each.statement.author)
    return ImageVex(
        context="https://openvex.dev/ns/v0.2.0",
        id=f"{(catalog.site_url or '').rstrip('/')}/{PREFIX}/{path(slug)}",
        author=", ".join(authors) or catalog.title,
        timestamp=_newest(each.statement for each in statements),
        version=1,
        statements=[_statement(each.statement, each.products) for each in statements],
    )


def _archive(catalog: Catalog, packages: Mapping[str, tuple[str, list[StatementOnReleases]]]) -> bytes:
    """A gzip-compressed tar archive; the same statements give the same bytes with the same zlib."""
    files, index = dict[str, bytes](), list[dict[str, str]]()
    for id_, (slug, statements) in sorted(packages.items()):
        document = _document(catalog, slug, sorted(statements, key=lambda each: each.rank))
        location = f"pkg/oci/{slug}/vex.json"
        index.append({"id": id_, "location": location})
        files[location] = _ENCODER.encode(document) + b"\n"
    everything = (each.statement for _, statements in packages.values() for each in statements)
    body = _ENCODER.encode({"updated_at": _newest(everything), "packages": index}) + b"\n"
    return _packed({"index.json": body, **files})


def _statement(statement: Statement, releases: Iterable[Exact]) -> VexStatement:
    products = [
        VexProduct(id=release.purl, subcomponents=[*map(VexPackage, release.parts)] or UNSET)
        for release in releases
    ]
    action = statement.action_statement or ("No action is given." if statement.status == "affected" else "")
    return VexStatement(
        vulnerability=VexVulnerability(
            statement.name, [name for name in statement.ids if name != statement.name]
        ),
        timestamp=_newest([statement]),
        products=products,
        status=statement.status,  # type: ignore[arg-type]
        justification=statement.justification or UNSET,  # type: ignore[arg-type]
        impact_statement=statement.impact_statement or UNSET,
        action_statement=action or UNSET,
    )


def _newest(statements: Iterable[Statement]) -> str:
    """The time of the newest of them."""
    return (max((statement.timestamp for statement in statements), default="") or _LONG_AGO) + "Z"


def _packed(files: dict[str, bytes]) -> bytes:
    import gzip  # few catalogs publish their statements
    import tarfile

    buffer = io.BytesIO()
    # `gzip.compress` writes what it runs on into the header, in some versions of Python.
    with (
        gzip.GzipFile(fileobj=buffer, mode="wb", filename="", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, body in files.items():
            member = tarfile.TarInfo(name)  # without an owner, of 1970, readable by all
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
    return buffer.getvalue()


VEX = Kind(
    "vex",
    "vex",
    routes=(
        Route(
            "vex/{slug}.json",
            "getImageVex",
            "Statements on one image",
            "The author's statements on the image's versions, as OpenVEX, for `--vex` of a scanner. Only "
            "where the catalog publishes its statements, and for images that have any.",
            ImageVex,
            (IMAGE_SLUG,),
            listed="vex",
        ),
        Route(
            ARCHIVE,
            "getVexRepository",
            "Statements on all images",
            "The same documents as a VEX Repository v0.1. Scanners find it by "
            "`.well-known/vex-repository.json` of the site. Only where the catalog publishes its statements.",
            None,
            listed="vexRepository",
            media_type="application/gzip",
        ),
    ),
    documents=_documents,
    needs=lambda catalog, settings: settings.security.publish_vex and catalog.site_url is not None,
)
