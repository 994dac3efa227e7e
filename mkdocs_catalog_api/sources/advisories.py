"""Files of `catalog-api sync`: known exploited vulnerabilities, and release cycles of products.

KEV is CISA's catalog of exploited vulnerabilities
(https://www.cisa.gov/known-exploited-vulnerabilities-catalog): a JSON file with some 1,500 entries,
`{count, dateReleased, vulnerabilities: [{cveID, dateAdded, …}]}`.

The file of a product is a response of endoflife.date's API v1 (https://endoflife.date/docs/api/v1/). `sync`
keeps only this part:

    {"result": {"name": "postgresql", "links": {"html": "https://endoflife.date/postgresql"},
                "releases": [{"name": "17", "eolFrom": "2029-11-08", "isEol": false}]}}

`isEol` depends on the day of the response, so it is only used if `eolFrom` is null.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Annotated

import msgspec
from msgspec import Meta, Struct, field

from ..authored.folders import read_synced
from ..authored.front_matter import RawItem
from ..authored.settings import KEV
from ..authored.site import Site
from ..items.lines import Cycle
from ..items.models import ImageEntry
from ..problems import Problems
from ..problems.codes import Code

CYCLES_FOLDER = "advisories/endoflife"
"""Folder of the files, relative to mkdocs.yml."""
CYCLES_SIZE = 4 * 2**20
"""Maximum size of a file in bytes."""
_SYNC = "download it with `catalog-api sync eol`"


def read_exploited(site: Site, most: int, problems: Problems) -> Mapping[str, str] | None:
    """Return CVE id → date when it was added to the KEV catalog; None without the file, or if it is invalid.

    `most` is the maximum size of the file in bytes.
    """
    file = site.root / KEV
    if not os.path.lexists(file):
        return None
    return read_synced(
        file, site.root, read_kev, most, "download it again with `catalog-api sync kev`", problems
    )


class _KevEntry(Struct):
    """`{"cveID": "CVE-2025-9230", "dateAdded": "2025-10-02", …}`."""

    id: Annotated[str, Meta(pattern=r"^CVE-[0-9]{4}-[0-9]{4,19}\Z")] = field(name="cveID")
    added: date = field(name="dateAdded")


class _KevCatalog(Struct):
    """`{"count": 1, "vulnerabilities": [{"cveID": …}]}`."""

    count: int
    vulnerabilities: Annotated[list[_KevEntry], Meta(min_length=1)]


_CATALOG = msgspec.json.Decoder(_KevCatalog)


def read_kev(data: bytes) -> Mapping[str, str]:
    """Return CVE id → the date when it was added, `2025-08-25`; for a duplicate id, the first date.

    Raises:
        ValueError: the data is not valid.
    """
    catalog = _CATALOG.decode(data.removeprefix(b"\xef\xbb\xbf"))
    if catalog.count != len(catalog.vulnerabilities):
        found = f"the file has {len(catalog.vulnerabilities):,} entries"
        raise ValueError(f"{catalog.count:,}, but {found} - at `$.count`")
    added: dict[str, str] = {}
    for entry in catalog.vulnerabilities:
        day = entry.added.isoformat()
        added[entry.id] = min(day, added.get(entry.id, day))
    return added


class _Release(Struct):
    """A cycle: `{"name": "17", "eolFrom": "2029-11-08", "isEol": false}`."""

    name: Annotated[str, Meta(min_length=1, max_length=128)]
    eol_from: date | None = field(default=None, name="eolFrom")
    is_eol: bool = field(default=False, name="isEol")


class _Links(Struct):
    html: str = ""


class _Result(Struct):
    releases: Annotated[list[_Release], Meta(min_length=1)]
    name: str = ""
    aliases: list[str] = []
    links: _Links = field(default_factory=_Links)


class ProductCycles(Struct):
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
        name = f"{CYCLES_FOLDER}/{product}.json"
        path = site.root / name
        if not path.exists():
            message = f"the file {name} does not exist"
            hint = f"{_SYNC}, or correct the name of the product"
            group = f"files of endoflife.date do not exist ({hint})"
            problems.add(raw.problem(("product",), message, hint, code=Code.MISSING_PATH, group=group))
        elif product not in cycles:
            answer = read_synced(path, site.root, decode_cycles, CYCLES_SIZE, _SYNC, problems)
            cycles[product] = [*map(_cycle, answer.result.releases)] if answer else []
    return cycles


def _cycle(release: _Release) -> Cycle:
    end = release.eol_from.isoformat() if release.eol_from else None
    return Cycle(release.name, end, release.is_eol and end is None)
