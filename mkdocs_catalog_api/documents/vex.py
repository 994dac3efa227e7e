"""The author's statements for other people's scanners: a document for each image, and all as an archive.

The archive is a VEX Repository v0.1 (https://github.com/aquasecurity/vex-repo-spec).
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable
from datetime import UTC, datetime

import msgspec
from msgspec import UNSET

from ..catalog.addresses import PREFIX
from ..catalog.join import Image
from ..catalog.statements import Statement
from ..catalog.vex_export import Exact, Export, StatementOnReleases, image_id, standing
from ..catalog.vex_matching import Statements
from .structs.vex import ImageVex, VexPackage, VexProduct, VexStatement, VexVulnerability

ARCHIVE = "vex/repository.tar.gz"
ADDRESSES = {"vex": "vex/{slug}.json", "vexRepository": ARCHIVE}
"""Name in discovery → path below `api/v1/`."""
_LONG_AGO = datetime.fromtimestamp(0, UTC)
"""Of a statement without a time, which is older than all others."""
_ENCODER = msgspec.json.Encoder()


def path(slug: str) -> str:
    """Path of the document of an image that statements speak of."""
    return ADDRESSES["vex"].format(slug=slug)


def repository(site_url: str) -> str:
    """Address of the archive; `site_url` is the address of the site."""
    return f"{site_url.rstrip('/')}/{PREFIX}/{ARCHIVE}"


class Publication:
    """Takes one image after another; the archive holds all that were taken."""

    def __init__(self, statements: Statements, site_url: str, author: str) -> None:
        """`author` speaks where the statements' own documents name nobody."""
        self._export = Export(statements)
        self._home, self._author = site_url.rstrip("/"), author
        self._packages: dict[str, tuple[str, list[StatementOnReleases]]] = {}
        """Package URL of an image → its slug, and what is said of it; several items may share an image."""

    def take(
        self, image: Image, matched: Collection[int], related: Collection[frozenset[str]]
    ) -> ImageVex | None:
        """The document of an image, None when nothing is said of it; for the others see `Export`."""
        said = [*self._export.statements_on(image, matched, related)]
        if not said:
            return None
        slug = image.entry.slug
        _, others = self._packages.setdefault(image_id(image.entry.image), (slug, []))
        others += said
        return self._document(slug, said)

    def archive(self) -> bytes:
        """A gzip-compressed tar archive; the same statements give the same bytes with the same zlib."""
        files, packages = dict[str, bytes](), list[dict[str, str]]()
        for id_, (slug, said) in sorted(self._packages.items()):
            document = self._document(slug, standing(sorted(said, key=lambda one: one.rank)))
            location = f"pkg/oci/{slug}/vex.json"
            packages.append({"id": id_, "location": location})
            files[location] = _ENCODER.encode(document) + b"\n"
        everything = (one.statement for _, said in self._packages.values() for one in said)
        index = _ENCODER.encode({"updated_at": _newest(everything), "packages": packages}) + b"\n"
        return _packed({"index.json": index, **files})

    def _document(self, slug: str, said: Iterable[StatementOnReleases]) -> ImageVex:
        said = [*said]
        authors = dict.fromkeys(one.statement.author for one in said if one.statement.author)
        return ImageVex(
            context="https://openvex.dev/ns/v0.2.0",
            id=f"{self._home}/{PREFIX}/{path(slug)}",
            author=", ".join(authors) or self._author,
            timestamp=_newest(one.statement for one in said),
            version=1,
            statements=[_statement(one.statement, one.products) for one in said],
        )


def _statement(said: Statement, releases: Iterable[Exact]) -> VexStatement:
    products = [
        VexProduct(id=release.purl, subcomponents=[*map(VexPackage, release.parts)] or UNSET)
        for release in releases
    ]
    action = said.action_statement or ("No action is given." if said.status == "affected" else "")
    return VexStatement(
        vulnerability=VexVulnerability(said.name, [name for name in said.ids if name != said.name]),
        timestamp=_newest([said]),
        products=products,
        status=said.status,  # type: ignore[arg-type]
        justification=said.justification or UNSET,  # type: ignore[arg-type]
        impact_statement=said.impact_statement or UNSET,
        action_statement=action or UNSET,
    )


def _newest(statements: Iterable[Statement]) -> str:
    """The time of the newest of them."""
    time = max((one.proven_time or _LONG_AGO for one in statements), default=_LONG_AGO)
    return time.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


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
            member = tarfile.TarInfo(name)  # of nobody, of 1970, readable by all
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
    return buffer.getvalue()
