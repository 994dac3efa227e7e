"""The exceptions of the catalog for other people's scanners: one document an image, and all as an archive.

The documents are OpenVEX v0.2.0 (https://github.com/openvex/spec): as in badges, fields that do not apply are
absent, never null. The archive is a VEX Repository v0.1 (https://github.com/aquasecurity/vex-repo-spec).
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from ..catalog.addresses import PREFIX
from ..catalog.described import vocabulary
from ..catalog.exceptions import EffectiveException, effective_exceptions
from ..catalog.published import Document, Timestamp
from ..catalog.statements import JustificationWord, Statement, StatusWord
from ..catalog.value import Catalog
from ..items.types import Text
from .kinds import IMAGE_SLUG, Documents, Kind, Route

ARCHIVE = "vex/repository.tar.gz"
VEX = Kind(
    "vex",
    "vex",
    needs=lambda catalog, settings: settings.security.publish_vex and catalog.site_url is not None,
)
VexStatus = Annotated[StatusWord, vocabulary("VexStatus", StatusWord)]
VexJustification = Annotated[JustificationWord, vocabulary("VexJustification", JustificationWord)]


class VexVulnerability(Document):
    """The vulnerability of a statement."""

    name: Annotated[Text, "CVE id, else the id as the scanner printed it."]
    aliases: Annotated[list[Text], "Its other ids."]


class VexPackage(Document):
    """A package in an image."""

    id: Annotated[Text, "Package URL."] = field(name="@id")


class VexProduct(Document):
    """One build of the image, or one platform of it."""

    id: Annotated[Text, "Package URL with the digest."] = field(name="@id")
    subcomponents: Annotated[
        list[VexPackage], "The packages that the statement is about.", Meta(min_length=1)
    ]


class VexStatement(Document, kw_only=True):
    """A vulnerability that is suppressed in some builds."""

    vulnerability: Annotated[VexVulnerability, "The vulnerability."]
    timestamp: Annotated[Timestamp, "Time of the statement."]
    products: Annotated[list[VexProduct], "The builds.", Meta(min_length=1)]
    status: Annotated[VexStatus, "Status of the vulnerability in them."]
    justification: Annotated[VexJustification | UnsetType, "The reason why they are not affected."] = UNSET
    impact_statement: Annotated[Text | UnsetType, "The reason in words."] = field(
        name="impact_statement", default=UNSET
    )


@VEX.route(
    "vex/{slug}.json",
    "getImageVex",
    "Exceptions of one image",
    "The vulnerabilities that the catalog suppresses in the image's versions, as OpenVEX, for a "
    "scanner's `--vex`. Only where the catalog publishes them, and for images that have any.",
    IMAGE_SLUG,
    listed="vex",
)
class ImageVex(Document, kw_only=True):
    """The vulnerabilities that the catalog suppresses in the versions of one image."""

    context: Annotated[Literal["https://openvex.dev/ns/v0.2.0"], "The format."] = field(name="@context")
    id: Annotated[Text, "URL of the document."] = field(name="@id")
    author: Annotated[Text, "Author of the statements."]
    timestamp: Annotated[Timestamp, "When the newest statement was made."]
    version: Annotated[Literal[1], "Always 1: compare `timestamp` instead."]
    statements: Annotated[
        list[VexStatement], "By version, the newest first, as its rows.", Meta(min_length=1)
    ]


VEX.routes.append(
    Route(
        ARCHIVE,
        "getVexRepository",
        "Exceptions of all images",
        "The same documents as a VEX Repository v0.1. Scanners find it by "
        "`.well-known/vex-repository.json` of the site. Only where the catalog publishes its statements.",
        None,
        listed="vexRepository",
        media_type="application/gzip",
    )
)


_LONG_AGO = "1970-01-01T00:00:00"
"""Of a statement without a time."""
_ENCODER = msgspec.json.Encoder()


def path(slug: str) -> str:
    """Path of the document of an image that has statements."""
    return f"vex/{slug}.json"


def repository(site_url: str) -> str:
    """Address of the archive; `site_url` is the address of the site."""
    return f"{site_url.rstrip('/')}/{PREFIX}/{ARCHIVE}"


@VEX.generator
def _documents(catalog: Catalog) -> Documents:
    packages: dict[str, tuple[str, list[EffectiveException]]] = {}
    """Package URL of an image → its slug, and its exceptions; several items may share an image."""
    for slug, image, exceptions in effective_exceptions(catalog):
        packages.setdefault(image, (slug, []))[1].extend(exceptions)
        yield path(slug), _document(catalog, slug, exceptions)
    yield ARCHIVE, _archive(catalog, packages)


def _document(catalog: Catalog, slug: str, exceptions: Sequence[EffectiveException]) -> ImageVex:
    authors = dict.fromkeys(each.statement.author for each in exceptions if each.statement.author)
    same: dict[tuple[Statement, str, tuple[str, ...]], dict[str, dict[str, None]]] = {}
    """Statement and ids → product → packages: they make one statement of the document."""
    for each in exceptions:
        products = same.setdefault((each.statement, each.id, each.aliases), {})
        products.setdefault(each.product, {})[each.package] = None
    return ImageVex(
        context="https://openvex.dev/ns/v0.2.0",
        id=f"{(catalog.site_url or '').rstrip('/')}/{PREFIX}/{path(slug)}",
        author=", ".join(authors) or catalog.title,
        timestamp=_newest(each.statement for each in exceptions),
        version=1,
        statements=[_statement(*about, products) for about, products in same.items()],
    )


def _archive(catalog: Catalog, packages: Mapping[str, tuple[str, list[EffectiveException]]]) -> bytes:
    """A gzip-compressed tar archive; the same statements give the same bytes with the same zlib."""
    files, index = dict[str, bytes](), list[dict[str, str]]()
    for id_, (slug, exceptions) in sorted(packages.items()):
        location = f"pkg/oci/{slug}/vex.json"
        index.append({"id": id_, "location": location})
        files[location] = _ENCODER.encode(_document(catalog, slug, exceptions)) + b"\n"
    everything = (each.statement for _, exceptions in packages.values() for each in exceptions)
    body = _ENCODER.encode({"updated_at": _newest(everything), "packages": index}) + b"\n"
    return _packed({"index.json": body, **files})


def _statement(
    statement: Statement, id_: str, aliases: Sequence[str], products: Mapping[str, Iterable[str]]
) -> VexStatement:
    return VexStatement(
        vulnerability=VexVulnerability(id_, [*aliases]),
        timestamp=_newest([statement]),
        products=[
            VexProduct(product, [*map(VexPackage, packages)]) for product, packages in products.items()
        ],
        status=statement.status,  # type: ignore[arg-type]
        justification=statement.justification or UNSET,  # type: ignore[arg-type]
        impact_statement=statement.impact_statement or UNSET,
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
