"""Brings the files that say which vulnerabilities are exploited (KEV), and how likely each is (EPSS)."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..authored.folders import not_writable, write_whole
from ..problems import Level, Problem, Problems
from ..problems.codes import Code
from ..sources.advisories import read_epss, read_kev
from .client import Answer, Client, NoAnswerError

_SHRUNK = 0.9
"""A file with fewer than so many of the earlier one's entries is taken for half an answer."""


class Outline(NamedTuple):
    """What tells whether a file is newer than another, and whole."""

    day: str
    entries: int


class AdvisorySource(NamedTuple):
    """One such file, as its publisher offers it."""

    address: str
    outline: Callable[[bytes, str, int, Problems], Outline | None]
    """None, and a problem for each fault, when the bytes are no such file."""


def _kev(data: bytes, name: str, most: int, problems: Problems) -> Outline | None:
    found = read_kev(data, name, problems)
    return found and Outline(found.released, len(found.added))


def _epss(data: bytes, name: str, most: int, problems: Problems) -> Outline | None:
    found = read_epss(io.BytesIO(data), name, most, problems)
    return found and Outline(found.score_date, found.rows)


ADVISORY_SOURCES: Mapping[str, AdvisorySource] = {
    "kev": AdvisorySource(
        "https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json", _kev
    ),
    "epss": AdvisorySource("https://epss.empiricalsecurity.com/epss_scores-current.csv.gz", _epss),
}


class _Tag(msgspec.Struct, rename="camel"):
    """What is kept beside a file, so as not to get it again while it has not changed."""

    address: str
    sha256: str
    """Of the file that the server's words are about."""
    etag: str = ""
    last_modified: str = ""


class Target(NamedTuple):
    """Where a file goes. `label` is how problems name it, `most` how many bytes it may have unpacked.

    Links may lead to the folders of `project`.
    """

    file: Path
    label: str
    most: int
    project: Sequence[Path]


def download(
    client: Client,
    source: AdvisorySource,
    address: str,
    target: Target,
    problems: Problems,
    counts: Counter[str],
) -> None:
    """Get a file, or say why the earlier one stays: no answer, a broken one, an older one, half of one.

    `address` is https, or http on this machine. `counts` is given whether it was `fetched` or `unchanged`.

    Raises:
        OSError: the file can't be written.
    """
    for file in (target.file, _beside(target.file)):
        name = f"{target.label}{file.name.removeprefix(target.file.name)}"
        if fault := not_writable(file, name, target.project):
            problems.add(fault)
            return
    earlier = target.file.read_bytes() if target.file.exists() else b""

    def stays(message: str, hint: str = "", level: Level = Level.ERROR) -> None:
        hints = filter(None, ["the earlier file is kept" if earlier else "", hint])
        problem = Problem(target.label, 0, 0, "", message, "; ".join(hints), level, code=Code.NOT_FETCHED)
        problems.add(problem)

    try:
        conditions = _conditions(target.file, address, earlier)
        answer = client.ask(address, conditions, size=target.most, elsewhere=True)
        if answer.status == 404:
            raise NoAnswerError(f"{address}: the server does not know it (404)")
    except NoAnswerError as error:
        stays(str(error), "run it again later")
        return
    if answer.status == 304:
        counts["unchanged"] += 1
        return
    found = source.outline(answer.body, address, target.most, problems)
    before = source.outline(earlier, target.label, target.most, Problems())
    if found is None:
        stays("not fetched: the answer is broken")
    elif before and found.day < before.day:
        stays(f"{address} has an older one, of {found.day}", level=Level.WARNING)
    elif before and found.entries < _SHRUNK * before.entries:
        message = f"{address} has {found.entries:,} entries now, where there were {before.entries:,}"
        stays(message, "if that is right, delete it and fetch again")
    else:
        if answer.body != earlier:
            write_whole(target.file, answer.body)
        write_whole(_beside(target.file), _tag(address, answer))
        counts["unchanged" if answer.body == earlier else "fetched"] += 1


def _beside(file: Path) -> Path:
    return file.with_name(f"{file.name}.etag")


def _tag(address: str, answer: Answer) -> bytes:
    headers = answer.headers
    sha256 = hashlib.sha256(answer.body).hexdigest()
    tag = _Tag(address, sha256, headers.get("ETag", ""), headers.get("Last-Modified", ""))
    return msgspec.json.format(msgspec.json.encode(tag)) + b"\n"


def _conditions(file: Path, address: str, earlier: bytes) -> dict[str, str]:
    """Headers that ask for the file only if it is another than the one that is here."""
    try:
        tag = msgspec.json.decode(_beside(file).read_bytes(), type=_Tag)
    except (OSError, ValueError, RecursionError):
        return {}
    if tag.address != address or tag.sha256 != hashlib.sha256(earlier).hexdigest():
        return {}
    conditions = {"If-None-Match": tag.etag, "If-Modified-Since": tag.last_modified}
    return {name: value for name, value in conditions.items() if value}
