"""CISA's catalog of known exploited vulnerabilities, KEV
(https://www.cisa.gov/known-exploited-vulnerabilities-catalog): a JSON file with some 1,500 entries,
`{count, dateReleased, vulnerabilities: [{cveID, dateAdded, …}]}`.
"""

import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from ...problems import Problem, Problems
from ...problems.codes import Code
from .files import AGAIN, read_bounded

_BYTE = re.compile(r" \(byte (\d+)\)$")
_MOST_FAULTS = 20


class Kev(NamedTuple):
    """What the catalog says."""

    released: str
    """Day of the catalog, `2025-08-25`."""
    added: Mapping[str, str]
    """CVE id → the day on which it was added, `2025-08-25`; of an id that stands there twice the first."""


class _Entry(msgspec.Struct):
    id: Annotated[str, msgspec.Meta(pattern=r"^CVE-[0-9]{4}-[0-9]{4,19}\Z")] = msgspec.field(name="cveID")
    added: date = msgspec.field(name="dateAdded")


class _Catalog(msgspec.Struct):
    count: int
    released: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T")] = msgspec.field(
        name="dateReleased"
    )
    vulnerabilities: Annotated[list[msgspec.Raw], msgspec.Meta(min_length=1)]


_CATALOG, _ENTRY = msgspec.json.Decoder(_Catalog), msgspec.json.Decoder(_Entry)
_FAULTS = (msgspec.MsgspecError, ValueError, RecursionError)


def load(file: Path, name: str, most: int, problems: Problems) -> Kev | None:
    """The catalog in a file, or None and a problem for each fault.

    `name` is how problems call the file, `most` how many bytes it may have.
    """
    data = read_bounded(file, name, most, problems)
    return None if data is None else read(data, name, problems)


def read(data: bytes, name: str, problems: Problems) -> Kev | None:
    """The catalog in any bytes, or None and a problem for each fault (at most 20 of them)."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        catalog = _CATALOG.decode(data)
    except _FAULTS as error:
        problems.add(_problem(data, name, error))
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
                    name, line, 0, f"vulnerabilities[{number}]{field}", message, AGAIN, code=Code.ADVISORIES
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
            message = f"says {catalog.count:,}, but there are {len(catalog.vulnerabilities):,} entries"
            faults.append(Problem(name, 0, 0, "count", message, AGAIN, code=Code.ADVISORIES))
    problems.extend(faults)
    return None if faults else Kev(catalog.released[:10], added)


def _message(error: Exception) -> tuple[str, str]:
    """What a decoder says is wrong, and the path that it names: `.cveID`."""
    message, _, path = str(error).partition(" - at `$")
    return message, path.removesuffix("`")


def _problem(data: bytes, name: str, error: Exception) -> Problem:
    """Why the file as a whole is no catalog, with the line where its JSON breaks off."""
    message, field = _message(error)
    line = column = 0
    if not data.strip():
        message = "the file is empty"
    elif found := _BYTE.search(message):
        before = data[: int(found[1])]
        line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
        message = f"not a catalog of exploited vulnerabilities: {message.removesuffix(found[0])}"
    elif "truncated" in message:
        line, message = data.count(b"\n") + 1, "the file is cut off"
    else:
        message = f"not a catalog of exploited vulnerabilities: {message}"
    return Problem(name, line, column, field.removeprefix("."), message, AGAIN, code=Code.ADVISORIES)
