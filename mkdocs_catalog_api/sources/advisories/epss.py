"""The daily scores of the Exploit Prediction Scoring System, EPSS (https://www.first.org/epss/data_stats):
a CSV file, packed with gzip, of some 290,000 rows.

    #model_version:v2025.03.14,score_date:2025-08-25T12:55:00Z
    cve,epss,percentile
    CVE-1999-0001,0.0142,0.79885
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ...catalog.scores import Score, Scores
from ...problems import Problem, Problems, reason
from ...problems.codes import Code
from .files import AGAIN, too_large

_BLOCK = 2**20
_LONGEST_LINE = 4096
_HEAD = re.compile(
    rb"#model_version:([\w.+-]{1,100}),score_date:([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T[0-9:.]+(?:Z|[+-][0-9:]+)?)?\r?\n"
    rb"cve,epss,percentile\r?\n"
)
_NUMBER = rb"(?:0(?:\.[0-9]{1,30})?|1(?:\.0{1,30})?|[0-9](?:\.[0-9]{1,30})?[eE]-[0-9]{1,2})"
_ROWS = re.compile(rb"(?:CVE-[0-9]{4}-[0-9]{4,19},%b,%b\r?\n)*+" % (_NUMBER, _NUMBER))


class Epss(NamedTuple):
    """The scores of one day. Every row has been checked; few are ever asked for, so they stay text."""

    score_date: str
    """`2025-08-25`."""
    model_version: str
    """`v2025.03.14`."""
    rows: int
    """How many rows the file has."""
    text: Sequence[bytes]
    """Them, in blocks of whole lines."""

    def of(self, ids: Iterable[str]) -> Scores:
        """The scores of these ids; if the file has an id twice, the highest."""
        wanted = {id_.encode("utf-8", "replace") for id_ in ids}
        scores: dict[str, Score] = {}
        for block in self.text:
            for row in block.splitlines():
                if row[: row.index(b",")] in wanted:
                    id_, epss, percentile = row.decode().split(",")
                    score = Score(Decimal(epss), Decimal(percentile))
                    scores[id_] = max(score, scores.get(id_, score))
        return Scores(self.score_date, self.model_version, scores)


class _FaultError(Exception):
    """What is wrong with the file, and in which line (0: none in particular)."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class _TooLargeError(Exception):
    """More bytes than allowed."""


def load(file: Path, name: str, most: int, problems: Problems) -> Epss | None:
    """The scores in a file, or None and a problem.

    `name` is how problems call the file, `most` how many bytes it may have when unpacked.
    """
    try:
        with file.open("rb") as stream:
            return read(stream, name, most, problems)
    except OSError as error:
        problems.add(Problem(name, 0, 0, "", f"can't be read: {reason(error)}", code=Code.NOT_READ))
        return None


def read(stream: BinaryIO, name: str, most: int, problems: Problems) -> Epss | None:
    """As `load`, from a stream that can be sought in; packed or, as some mirrors give it, not.

    Raises OSError when the stream can't be read.
    """
    packed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    try:
        return _read(_blocks(gzip.GzipFile(fileobj=stream) if packed else stream, most))
    except _FaultError as fault:
        problems.add(Problem(name, fault.line, 0, "", str(fault), AGAIN, code=Code.ADVISORIES))
    except _TooLargeError:
        problems.add(too_large(name, most))
    except (gzip.BadGzipFile, zlib.error, EOFError):
        problems.add(
            Problem(name, 0, 0, "", "the packed file is cut off or damaged", AGAIN, code=Code.ADVISORIES)
        )
    return None


def _blocks(stream: BinaryIO | gzip.GzipFile, most: int) -> Iterator[bytes]:
    """The text in blocks of whole lines."""
    rest, size = b"", 0
    while block := stream.read(_BLOCK):
        size += len(block)
        if size > most:
            raise _TooLargeError
        lines, end, rest_of_line = (rest + block).rpartition(b"\n")
        if len(rest_of_line) > _LONGEST_LINE:
            raise _FaultError("not the scores of EPSS: no lines")
        if end:
            yield lines + end
        rest = rest_of_line
    if rest:
        yield rest


def _read(blocks: Iterator[bytes]) -> Epss:
    first = next(blocks, b"").removeprefix(b"\xef\xbb\xbf")
    if not first:
        raise _FaultError("the file is empty")
    head = _HEAD.match(first)
    if head is None:
        raise _FaultError(
            "not the scores of EPSS: it has to begin with `#model_version:…,score_date:…` "
            "and `cve,epss,percentile`",
            1,
        )
    lines, block, text = 2, first[head.end() :], list[bytes]()
    while block:
        rows = _ROWS.match(block)
        end = rows.end() if rows else 0
        if end < len(block):
            raise _FaultError(
                "neither a CVE id with two numbers from 0 to 1 nor a whole row",
                lines + block.count(b"\n", 0, end) + 1,
            )
        lines += block.count(b"\n")
        text.append(block)
        block = next(blocks, b"")
    if lines == 2:
        raise _FaultError("no scores")
    return Epss(head[2].decode(), head[1].decode(), lines - 2, text)
