"""Known exploited vulnerabilities.

KEV is CISA's catalog of them (https://www.cisa.gov/known-exploited-vulnerabilities-catalog): a JSON file with
some 1,500 entries, `{count, dateReleased, vulnerabilities: [{cveID, dateAdded, …}]}`.
"""

import os
import re
from collections.abc import Mapping
from datetime import date
from typing import Annotated, NamedTuple

import msgspec

from ..authored.folders import leads_out, read_file
from ..authored.settings import KEV
from ..authored.site import Site
from ..problems import Problem, Problems, reason
from ..problems.codes import Code

_AGAIN = "download it again"
_BYTE = re.compile(r" \(byte (\d+)\)$")
_MOST_FAULTS = 20


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
    try:
        if leads_out(file, [site.root]):
            raise OSError("a link leads out of the project")
        catalog = read_kev(read_file(file, most), KEV, problems)
    except OSError as error:
        problems.add(Problem(KEV, 0, 0, "", f"can't be read: {reason(error)}", _AGAIN, code=Code.NOT_READ))
        return None
    return catalog and catalog.added


class _KevEntry(msgspec.Struct):
    id: Annotated[str, msgspec.Meta(pattern=r"^CVE-[0-9]{4}-[0-9]{4,19}\Z")] = msgspec.field(name="cveID")
    added: date = msgspec.field(name="dateAdded")


class _KevCatalog(msgspec.Struct):
    count: int
    released: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T")] = msgspec.field(
        name="dateReleased"
    )
    vulnerabilities: Annotated[list[msgspec.Raw], msgspec.Meta(min_length=1)]


_CATALOG, _ENTRY = msgspec.json.Decoder(_KevCatalog), msgspec.json.Decoder(_KevEntry)
_FAULTS = (msgspec.MsgspecError, ValueError, RecursionError)


def read_kev(data: bytes, name: str, problems: Problems) -> Kev | None:
    """Return the catalog in any bytes. If it is invalid, return None and add at most 20 problems."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        catalog = _CATALOG.decode(data)
    except _FAULTS as error:
        problems.add(_kev_problem(data, name, error))
        return None
    added: dict[str, str] = {}
    faults: list[Problem] = []
    start = 0
    for number, raw in enumerate(catalog.vulnerabilities):
        start = data.index(raw, start)
        try:
            entry = _ENTRY.decode(raw)
        except _FAULTS as error:
            line = data.count(b"\n", 0, start) + 1
            message, field = _message(error)
            faults.append(
                Problem(
                    name, line, 0, f"vulnerabilities[{number}]{field}", message, _AGAIN, code=Code.NOT_READ
                )
            )
            if len(faults) == _MOST_FAULTS:
                break
        else:
            day = entry.added.isoformat()
            added[entry.id] = min(day, added.get(entry.id, day))
        start += len(memoryview(raw))
    else:
        if catalog.count != len(catalog.vulnerabilities):
            message = f"{catalog.count:,}, but the file has {len(catalog.vulnerabilities):,} entries"
            faults.append(Problem(name, 0, 0, "count", message, _AGAIN, code=Code.NOT_READ))
    problems.extend(faults)
    return None if faults else Kev(catalog.released[:10], added)


def _message(error: Exception) -> tuple[str, str]:
    """Return the message of a decoder's error, and its path: `.cveID`."""
    message, _, path = str(error).partition(" - at `$")
    return message, path.removesuffix("`")


def _kev_problem(data: bytes, name: str, error: Exception) -> Problem:
    """Return why the file is not a catalog, with the line where its JSON is cut off."""
    message, field = _message(error)
    line = column = 0
    if not data.strip():
        message = "the file is empty"
    elif byte := _BYTE.search(message):
        before = data[: int(byte[1])]
        line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
        message = f"not a catalog of exploited vulnerabilities: {message.removesuffix(byte[0])}"
    elif "truncated" in message:
        line, message = data.count(b"\n") + 1, "the file is cut off"
    else:
        message = f"not a catalog of exploited vulnerabilities: {message}"
    return Problem(name, line, column, field.removeprefix("."), message, _AGAIN, code=Code.NOT_READ)
