"""Advisories on vulnerabilities: known exploited ones (KEV), and the probability of exploitation (EPSS).

KEV is CISA's catalog of known exploited vulnerabilities
(https://www.cisa.gov/known-exploited-vulnerabilities-catalog): a JSON file with some 1,500 entries,
`{count, dateReleased, vulnerabilities: [{cveID, dateAdded, …}]}`.

EPSS, the Exploit Prediction Scoring System (https://www.first.org/epss/data_stats), publishes daily scores in
a CSV file, compressed with gzip, with some 290,000 rows:

    #model_version:v2025.03.14,score_date:2025-08-25T12:55:00Z
    cve,epss,percentile
    CVE-1999-0001,0.0142,0.79885
"""

import gzip
import io
import os
import re
import zlib
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, BinaryIO, NamedTuple

import msgspec

from ..authored.folders import leads_out, no_file, project_of
from ..authored.settings import ADVISORIES, Settings
from ..authored.site import Site
from ..catalog.value import Score, Scores
from ..problems import Problem, Problems, reason
from ..problems.codes import Code

_AGAIN = "download it again"
_BYTE = re.compile(r" \(byte (\d+)\)$")
_MOST_FAULTS = 20
_LONGEST_LINE = 4096
_HEAD = re.compile(
    rb"#model_version:([\w.+-]{1,100}),score_date:([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T[0-9:.]+(?:Z|[+-][0-9:]+)?)?\r?\n"
    rb"cve,epss,percentile\r?\n"
)
_NUMBER = rb"(?:0(?:\.[0-9]{1,30})?|1(?:\.0{1,30})?|[0-9](?:\.[0-9]{1,30})?[eE]-[0-9]{1,2})"
_ROWS = re.compile(rb"(?:CVE-[0-9]{4}-[0-9]{4,19},%b,%b\r?\n)*+" % (_NUMBER, _NUMBER))


class Kev(NamedTuple):
    """The content of the KEV catalog."""

    released: str
    """Date of the catalog, `2025-08-25`."""
    added: Mapping[str, str]
    """CVE id → the date when it was added, `2025-08-25`; for a duplicate id, the first date."""


class Epss(NamedTuple):
    """The scores of one day. All rows are validated, but stay text, as few of them are needed."""

    score_date: str
    """`2025-08-25`."""
    model_version: str
    """`v2025.03.14`."""
    rows: int
    """Number of rows in the file."""
    text: bytes
    """The rows."""

    def of(self, ids: Iterable[str]) -> Scores:
        """Return the scores of these ids; for a duplicate id, the highest score."""
        wanted = {id_.encode("utf-8", "replace") for id_ in ids}
        scores: dict[str, Score] = {}
        for row in self.text.splitlines():
            if row[: row.index(b",")] in wanted:
                id_, epss, percentile = row.decode().split(",")
                score = Score(Decimal(epss), Decimal(percentile))
                scores[id_] = max(score, scores.get(id_, score))
        return Scores(self.score_date, self.model_version, scores)


class Advisories(NamedTuple):
    """Data on vulnerabilities that does not come from scans."""

    exploited: Mapping[str, str] | None = None
    """CVE id → date since when it is known to be exploited; None without the file."""
    scores: Epss | None = None
    """Probability of exploitation; None without the file."""


def read_advisories(site: Site, settings: Settings, problems: Problems) -> Advisories:
    """Return the content of the files in the settings, or of the default files."""
    most = settings.security.max_report_size
    kev, epss = (_file(site, settings, setting, problems) for setting in ("kev", "epss"))
    catalog = load_kev(*kev, most, problems) if kev else None
    scores = load_epss(*epss, most, problems) if epss else None
    return Advisories(catalog.added if catalog else None, scores)


def _file(site: Site, settings: Settings, setting: str, problems: Problems) -> tuple[Path, str] | None:
    """Return the file in the settings, or the default file if it exists, and its name in problems."""
    configured: str | None = getattr(settings.security, setting)
    name = configured or ADVISORIES[setting]
    path, code = site.root / name, Code.MISSING_PATH
    hint = f"download it with `catalog-api sync {setting}`, or correct the path"
    if path.is_file():
        if not leads_out(path, project_of(site.root, path)):
            return path, name
        message, code = f"{name!r} is not read, because a link leads out of the project", Code.NOT_READ
        hint = f"remove the link, and download the file with `catalog-api sync {setting}`"
    elif os.path.lexists(path):
        message = no_file(path, name)
    elif configured:
        message = f"the file {name!r} does not exist"
    else:
        return None
    problems.add(site.config.problem(("security", setting), message, hint, code=code))
    return None


def load_kev(file: Path, name: str, most: int, problems: Problems) -> Kev | None:
    """Return the catalog in a file. If it is invalid, return None and add a problem for each error.

    `name` is the name of the file in problems, `most` its maximum size in bytes.
    """
    data = _bytes(file, name, most, problems)
    return None if data is None else read_kev(data, name, problems)


def load_epss(file: Path, name: str, most: int, problems: Problems) -> Epss | None:
    """Return the scores in a file, or None and add a problem. See `load_kev`; `most` is the unpacked size."""
    data = _bytes(file, name, most, problems)
    return None if data is None else read_epss(io.BytesIO(data), name, most, problems)


def _bytes(file: Path, name: str, most: int, problems: Problems) -> bytes | None:
    try:
        with file.open("rb") as stream:
            data = stream.read(most + 1)
    except OSError as error:
        problems.add(Problem(name, 0, 0, "", f"can't be read: {reason(error)}", code=Code.NOT_READ))
        return None
    if len(data) > most:
        problems.add(_too_large(name, most))
        return None
    return data


def _too_large(name: str, most: int) -> Problem:
    message, hint = (
        f"not read, because the file is larger than {most:,} bytes",
        "or raise `security.max_report_size`",
    )
    return Problem(name, 0, 0, "", message, f"{_AGAIN}, {hint}", code=Code.NOT_READ)


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
    # Imported here, as most catalogs do not have this file and start faster without it.
    from .reports.json_errors import check_numbers
    from .reports.normalise import ReportError

    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        check_numbers(data)
        catalog = _CATALOG.decode(data)
    except ReportError as error:
        place = error.line, error.column
        problems.add(Problem(name, *place, "", str(error), _AGAIN, code=Code.ADVISORIES))
        return None
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
                    name, line, 0, f"vulnerabilities[{number}]{field}", message, _AGAIN, code=Code.ADVISORIES
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
            faults.append(Problem(name, 0, 0, "count", message, _AGAIN, code=Code.ADVISORIES))
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
    return Problem(name, line, column, field.removeprefix("."), message, _AGAIN, code=Code.ADVISORIES)


def read_epss(stream: BinaryIO, name: str, most: int, problems: Problems) -> Epss | None:
    """Like `load_epss`, from a seekable stream. It may be unpacked, as on some mirrors.

    Raises OSError if the stream can't be read.
    """
    packed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    message, line = "", 0
    try:
        text = (gzip.GzipFile(fileobj=stream) if packed else stream).read(most + 1)
    except (gzip.BadGzipFile, zlib.error, EOFError):
        text, message = b"", "the compressed file is cut off or damaged"
    text = text.removeprefix(b"\xef\xbb\xbf")
    head = _HEAD.match(text)
    if head and len(text) > most:
        problems.add(_too_large(name, most))
        return None
    rows = _ROWS.match(text, head.end()) if head else None
    if not text:
        message = message or "the file is empty"
    elif head is None or rows is None:
        message, line = (
            "not an EPSS file: it must begin with `#model_version:…,score_date:…` and `cve,epss,percentile`",
            1,
        )
        if b"\n" not in text[:_LONGEST_LINE] and len(text) > _LONGEST_LINE:
            message, line = "not an EPSS file: no lines", 0
    elif rows.end() < len(text):
        message = "this row is not a CVE id with two numbers from 0 to 1"
        line = text.count(b"\n", 0, rows.end()) + 1
    elif not rows[0]:
        message = "no scores"
    else:
        return Epss(head[2].decode(), head[1].decode(), rows[0].count(b"\n"), rows[0])
    problems.add(Problem(name, line, 0, "", message, _AGAIN, code=Code.ADVISORIES))
    return None
