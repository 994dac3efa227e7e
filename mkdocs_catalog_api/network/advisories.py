"""Downloads the file of known exploited vulnerabilities (KEV)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..authored.folders import not_writable, write_whole
from ..problems import Level, Problem, Problems
from ..problems.codes import Code
from ..sources.advisories import read_kev
from .client import Answer, Client, NoAnswerError

_SHRUNK = 0.9
"""A file with less than this share of the earlier entries is treated as incomplete."""


class Outline(NamedTuple):
    """The properties of a file that show whether it is newer and complete."""

    day: str
    entries: int


class AdvisorySource(NamedTuple):
    """A file of a publisher."""

    address: str
    outline: Callable[[bytes, str, int, Problems], Outline | None]
    """Returns None and adds a problem for each error if the bytes are invalid."""


def _kev(data: bytes, name: str, most: int, problems: Problems) -> Outline | None:
    kev = read_kev(data, name, problems)
    return kev and Outline(kev.released, len(kev.added))


ADVISORY_SOURCES: Mapping[str, AdvisorySource] = {
    "kev": AdvisorySource(
        "https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json", _kev
    ),
}


class _Tag(msgspec.Struct, rename="camel"):
    """Data that is saved next to a file, to avoid a download if it is unchanged."""

    address: str
    sha256: str
    """Hash of the file that these headers belong to."""
    etag: str = ""
    last_modified: str = ""


class Target(NamedTuple):
    """The path of a download. `label` is its name in problems, `most` its maximum unpacked size in bytes.

    Links may point to the folders of `project`.
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
    """Download a file, or add a problem and keep the earlier file if the response is not usable.

    `address` is https, or http on this machine. `counts` gets one more `fetched` or `unchanged`.

    Raises:
        OSError: the file can't be written.
    """
    for file in (target.file, _beside(target.file)):
        name = f"{target.label}{file.name.removeprefix(target.file.name)}"
        if fault := not_writable(file, name, target.project):
            problems.add(fault)
            return
    earlier = target.file.read_bytes() if target.file.exists() else b""

    def keep(message: str, hint: str = "", level: Level = Level.ERROR) -> None:
        hints = filter(None, ["the earlier file is kept" if earlier else "", hint])
        problem = Problem(target.label, 0, 0, "", message, "; ".join(hints), level, code=Code.NOT_FETCHED)
        problems.add(problem)

    try:
        conditions = _conditions(target.file, address, earlier)
        answer = client.ask(address, conditions, size=target.most, elsewhere=True)
        if answer.status == 404:
            raise NoAnswerError(f"{address}: not found (404)")
    except NoAnswerError as error:
        keep(str(error), "run the command again later")
        return
    if answer.status == 304:
        counts["unchanged"] += 1
        return
    outline = source.outline(answer.body, address, target.most, problems)
    before = source.outline(earlier, target.label, target.most, Problems())
    if outline is None:
        keep("not downloaded, because the response is invalid")
    elif before and outline.day < before.day:
        keep(f"{address} has an older file, of {outline.day}", level=Level.WARNING)
    elif before and outline.entries < _SHRUNK * before.entries:
        message = f"{address} has {outline.entries:,} entries, but the earlier file has {before.entries:,}"
        keep(message, "if this is correct, delete the file and run the command again")
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
    """Return the headers that request the file only if it has changed."""
    try:
        tag = msgspec.json.decode(_beside(file).read_bytes(), type=_Tag)
    except (OSError, ValueError, RecursionError):
        return {}
    if tag.address != address or tag.sha256 != hashlib.sha256(earlier).hexdigest():
        return {}
    conditions = {"If-None-Match": tag.etag, "If-Modified-Since": tag.last_modified}
    return {name: value for name, value in conditions.items() if value}
