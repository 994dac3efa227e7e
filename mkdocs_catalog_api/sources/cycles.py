"""Release cycles of products: files from endoflife.date, one for each product on a page.

A file is a response of API v1 (https://endoflife.date/docs/api/v1/). `sync` keeps only this part:

    {"result": {"name": "postgresql", "links": {"html": "https://endoflife.date/postgresql"},
                "releases": [{"name": "17", "eolFrom": "2029-11-08", "isEol": false}]}}

`isEol` depends on the day of the response, so it is only used if `eolFrom` is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Annotated

import msgspec

from ..authored.folders import read_synced
from ..authored.pages import RawItem
from ..authored.site import Site
from ..catalog.lines import Cycle
from ..catalog.models import ImageEntry
from ..problems import Problems
from ..problems.codes import Code

FOLDER = "advisories/endoflife"
"""Folder of the files, relative to mkdocs.yml."""
MOST = 4 * 2**20
"""Maximum size of a file in bytes."""
_SYNC = "download it with `catalog-api sync eol`"


class _Release(msgspec.Struct):
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
    eol_from: date | None = msgspec.field(default=None, name="eolFrom")
    is_eol: bool = msgspec.field(default=False, name="isEol")


class _Links(msgspec.Struct):
    html: str = ""


class _Result(msgspec.Struct):
    releases: Annotated[list[_Release], msgspec.Meta(min_length=1)]
    name: str = ""
    aliases: list[str] = []
    links: _Links = msgspec.field(default_factory=_Links)


class ProductCycles(msgspec.Struct):
    """A file, or a response with additional data."""

    result: _Result


decode_cycles = msgspec.json.Decoder(ProductCycles).decode


def encode_cycles(cycles: ProductCycles) -> bytes:
    """Return the content of the file, with a line for each value."""
    result = cycles.result
    kept = {"name": result.name, "links": result.links, "releases": result.releases}
    return msgspec.json.format(msgspec.json.encode({"result": kept})) + b"\n"


def read_cycles(
    site: Site, images: Iterable[tuple[ImageEntry, RawItem]], problems: Problems
) -> Mapping[str, Sequence[Cycle]]:
    """Return product → its cycles, for the products on pages. A missing file is a problem of the page."""
    cycles: dict[str, Sequence[Cycle]] = {}
    for entry, raw in images:
        product = entry.product
        if product is None:
            continue
        name = f"{FOLDER}/{product}.json"
        path = site.root / name
        if not path.exists():
            message = f"the file {name} does not exist"
            hint = f"{_SYNC}, or correct the name of the product"
            problems.add(raw.problem(("product",), message, hint, code=Code.MISSING_PATH))
        elif product not in cycles:
            answer = read_synced(path, name, decode_cycles, MOST, [site.root], _SYNC, problems)
            cycles[product] = [*map(_cycle, answer.result.releases)] if answer else []
    return cycles


def _cycle(release: _Release) -> Cycle:
    end = release.eol_from.isoformat() if release.eol_from else None
    return Cycle(release.name, end, release.is_eol and end is None)
