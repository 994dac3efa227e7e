"""Known exploited vulnerabilities.

KEV is CISA's catalog of them (https://www.cisa.gov/known-exploited-vulnerabilities-catalog): a JSON file with
some 1,500 entries, `{count, dateReleased, vulnerabilities: [{cveID, dateAdded, …}]}`.
"""

import os
from collections.abc import Mapping
from datetime import date
from typing import Annotated, NamedTuple

import msgspec

from ..authored.folders import read_synced
from ..authored.settings import KEV
from ..authored.site import Site
from ..problems import Problems


class Kev(NamedTuple):
    """The content of the KEV catalog."""

    released: str
    """Date of the catalog, `2025-08-25`."""
    added: Mapping[str, str]
    """CVE id → the date when it was added, `2025-08-25`; for a duplicate id, the first date."""


def read_exploited(site: Site, most: int, problems: Problems) -> Mapping[str, str] | None:
    """Return CVE id → date when it was added to the KEV catalog; None without the file, or if it is invalid.

    `most` is the maximum size of the file in bytes.
    """
    file = site.root / KEV
    if not os.path.lexists(file):
        return None
    catalog = read_synced(file, KEV, read_kev, most, [site.root], "download it again", problems)
    return catalog and catalog.added


class _KevEntry(msgspec.Struct):
    id: Annotated[str, msgspec.Meta(pattern=r"^CVE-[0-9]{4}-[0-9]{4,19}\Z")] = msgspec.field(name="cveID")
    added: date = msgspec.field(name="dateAdded")


class _KevCatalog(msgspec.Struct):
    count: int
    released: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T")] = msgspec.field(
        name="dateReleased"
    )
    vulnerabilities: Annotated[list[_KevEntry], msgspec.Meta(min_length=1)]


_CATALOG = msgspec.json.Decoder(_KevCatalog)


def read_kev(data: bytes) -> Kev:
    """Return the catalog in these bytes.

    Raises:
        ValueError: it is not valid.
    """
    catalog = _CATALOG.decode(data.removeprefix(b"\xef\xbb\xbf"))
    if catalog.count != len(catalog.vulnerabilities):
        found = f"the file has {len(catalog.vulnerabilities):,} entries"
        raise ValueError(f"{catalog.count:,}, but {found} - at `$.count`")
    added: dict[str, str] = {}
    for entry in catalog.vulnerabilities:
        day = entry.added.isoformat()
        added[entry.id] = min(day, added.get(entry.id, day))
    return Kev(catalog.released[:10], added)
