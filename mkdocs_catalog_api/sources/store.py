"""Where parsed reports wait until their image is rendered, so that one image's rows are in memory at a time.

Each process that parses reports appends them to a file of its own; only their places cross between processes.
What the cache file of an earlier build has is not parsed again. Whatever does not check out counts as absent.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..catalog.scans import ScanFacts

_BUFFER = 1 << 20
_PREFIX = "reports-"


class Parsed(NamedTuple):
    """What is kept of one scan: its facts, and as JSON the distinct ids, the united rows, and of the raw
    findings what the rows don't tell."""

    facts: ScanFacts
    ids: bytes
    rows: bytes
    findings: bytes


class Kept(NamedTuple):
    """Where a parsed scan is kept."""

    facts: ScanFacts
    file: str
    """Empty for the cache file, else a file of this build."""
    offset: int
    sizes: tuple[int, int, int]
    """Bytes of ids, rows and findings, which follow each other."""
    digest: str


def content_key(data: bytes) -> str:
    """The key of a report: a hash of its content."""
    return hashlib.sha256(data).hexdigest()


@dataclass
class _Writer:
    process: int
    name: str
    file: BinaryIO
    end: int = 0


@dataclass
class Store:
    """The parsed reports of one build; `folder` is where it may write.

    Workers are forked from the process that has it: they inherit what is in it and may `put`, but only
    their parent knows all, by `add`.
    """

    folder: Path
    kept: dict[str, tuple[Kept, ...]] = field(default_factory=dict)
    """Key of a report → its scans."""
    _descriptors: dict[str, int] = field(default_factory=dict)
    _writer: _Writer | None = None

    def close(self) -> None:
        """Let go of all files and remove those of this build."""
        if self._writer is not None:
            self._writer.file.close()
            self._writer = None
        while self._descriptors:
            os.close(self._descriptors.popitem()[1])
        for path in self.folder.glob(f"{_PREFIX}*"):
            path.unlink()

    def adopt(self, descriptor: int, kept: dict[str, tuple[Kept, ...]]) -> None:
        """Take over an open cache file and what is in it."""
        self._descriptors[""] = descriptor
        self.kept |= kept

    def put(self, scans: Sequence[Parsed]) -> tuple[Kept, ...]:
        """Keep the scans of one report; `flush` makes them readable."""
        writer = self._writer
        if writer is None or writer.process != os.getpid():
            name = f"{_PREFIX}{os.getpid()}"
            file = (self.folder / name).open("ab", buffering=_BUFFER)
            writer = self._writer = _Writer(os.getpid(), name, file, file.tell())
        kept = []
        for scan in scans:
            data = b"".join(scan[1:])
            writer.file.write(data)
            sizes = (len(scan.ids), len(scan.rows), len(scan.findings))
            kept.append(Kept(scan.facts, writer.name, writer.end, sizes, _digest(data)))
            writer.end += len(data)
        return tuple(kept)

    def flush(self) -> None:
        if self._writer is not None:
            self._writer.file.flush()

    def read(self, kept: Kept) -> Parsed | None:
        """The scan at its place, None when it is not there or does not check out."""
        data = self.read_at(kept.file, kept.offset, sum(kept.sizes))
        if _digest(data) != kept.digest:
            return None
        ids, rows, _ = kept.sizes
        return Parsed(kept.facts, data[:ids], data[ids : ids + rows], data[ids + rows :])

    def read_at(self, file: str, offset: int, size: int) -> bytes:
        """Bytes of the cache file or of one of this build's; fewer than asked for when they are not there."""
        try:
            if file not in self._descriptors:
                self._descriptors[file] = os.open(self.folder / file, os.O_RDONLY)
            return os.pread(self._descriptors[file], size, offset)
        except OSError:
            return b""


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]
