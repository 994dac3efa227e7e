"""Release cycles of products: files from endoflife.date, one for each product on a page.

A file is a response of API v1 (https://endoflife.date/docs/api/v1/). `sync` keeps only this part:

    {"result": {"name": "postgresql", "links": {"html": "https://endoflife.date/postgresql"},
                "releases": [{"name": "17", "eolFrom": "2029-11-08", "isEol": false}]}}

`isEol` depends on the day of the response, so it is only used if `eolFrom` is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated

import msgspec

from ..authored.folders import leads_out, no_file, read_file
from ..authored.pages import RawItem
from ..authored.site import Site
from ..catalog.lines import Cycle
from ..catalog.models import ImageEntry
from ..problems import Problem, Problems, reason
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


_DECODER = msgspec.json.Decoder(ProductCycles)


def decode_cycles(data: bytes) -> ProductCycles:
    """Decode a file. Raises ValueError: the error, and the field after ` - at `."""
    try:
        return _DECODER.decode(data)
    except RecursionError:
        raise ValueError("nested too deeply") from None


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
            cycles[product] = _read(path, name, site, problems)
    return cycles


def _read(path: Path, name: str, site: Site, problems: Problems) -> Sequence[Cycle]:
    if not path.is_file():
        problems.add(Problem(name, 0, 0, "", no_file(path, name), _SYNC, code=Code.NOT_READ))
        return ()
    if leads_out(path, [site.root]):
        message, hint = (
            "this link leads out of the project and is not followed",
            "copy the file into the project",
        )
        problems.add(Problem(name, 0, 0, "", message, hint, code=Code.NOT_READ))
        return ()
    try:
        answer = decode_cycles(read_file(path, MOST))
    except OSError as error:
        problems.add(Problem(name, 0, 0, "", f"can't be read: {reason(error)}", _SYNC, code=Code.NOT_READ))
        return ()
    except ValueError as error:
        message, _, field = str(error).partition(" - at `$.")
        problems.add(Problem(name, 0, 0, field.rstrip("`"), message, _SYNC, code=Code.NOT_READ))
        return ()
    return tuple(
        Cycle(
            cycle.name,
            cycle.eol_from.isoformat() if cycle.eol_from else None,
            cycle.is_eol and cycle.eol_from is None,
        )
        for cycle in answer.result.releases
    )
