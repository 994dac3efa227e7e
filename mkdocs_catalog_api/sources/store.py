"""Where parsed reports wait until their image is rendered, so that one image's rows are in memory at a time.

Each process that makes something to keep appends it to a file of its own; only the places cross between
processes. What the cache files of an earlier build have is not made again. Whatever does not check out counts
as absent.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Generic, NamedTuple, TypeVar

from ..catalog.scans import ScanFacts

_BUFFER = 1 << 20
_PREFIX = "kept-"
_SIZE = struct.Struct(">I")

About = TypeVar("About")


class Kept(NamedTuple, Generic[About]):
    """Where some bytes are kept, and what is known of them without reading them."""

    about: About
    file: str
    """One of this build's, or the name of a cache file that was adopted."""
    offset: int
    size: int
    digest: str


class Parsed(NamedTuple):
    """What is kept of one scan: its facts, and as JSON the distinct ids, the united rows, and of the raw
    findings what the rows don't tell."""

    facts: ScanFacts
    ids: bytes
    rows: bytes
    findings: bytes


def content_key(*parts: bytes) -> str:
    """A hash of what something is made of."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.hexdigest()


def pack(parts: Sequence[bytes]) -> bytes:
    """Some byte strings as one."""
    sizes = struct.pack(f">{len(parts)}I", *map(len, parts))
    return b"".join([_SIZE.pack(len(parts)), sizes, *parts])


def unpack(data: bytes) -> list[bytes]:
    """What `pack` was given."""
    (count,) = _SIZE.unpack_from(data)
    parts, start = [], _SIZE.size * (count + 1)
    for size in struct.unpack_from(f">{count}I", data, _SIZE.size):
        parts.append(data[start : start + size])
        start += size
    return parts


@dataclass
class _Writer:
    process: int
    name: str
    file: BinaryIO
    end: int = 0


@dataclass
class Store:
    """What one build keeps; `folder` is where it may write.

    Workers are forked from the process that has it: they inherit what is in it and may `put`, but only
    their parent knows all.
    """

    folder: Path
    reports: dict[str, tuple[Kept[ScanFacts], ...]] = field(default_factory=dict)
    """Key of a report → its scans."""
    images: Mapping[str, tuple[Kept[None], ...]] = field(default_factory=dict)
    """Key of an image → what an earlier build has made of it."""
    _descriptors: dict[str, int] = field(default_factory=dict)
    _adopted: dict[str, Path] = field(default_factory=dict)
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

    def adopt(self, name: str, path: Path, descriptor: int) -> None:
        """Take over an open cache file."""
        self._adopted[name], self._descriptors[name] = path, descriptor

    def put(self, parts: Sequence[bytes], about: About) -> Kept[About]:
        """Keep some byte strings together; `flush` makes them readable."""
        writer = self._writer
        if writer is None or writer.process != os.getpid():
            name = f"{_PREFIX}{os.getpid()}"
            file = (self.folder / name).open("ab", buffering=_BUFFER)
            writer = self._writer = _Writer(os.getpid(), name, file, file.tell())
        data = pack(parts)
        writer.file.write(data)
        kept = Kept(about, writer.name, writer.end, len(data), _digest(data))
        writer.end += len(data)
        return kept

    def flush(self) -> None:
        if self._writer is not None:
            self._writer.file.flush()

    def read(self, kept: Kept[Any]) -> list[bytes] | None:
        """What was put there, None when it is not there or does not check out.

        A damaged cache file is removed, so that the next build makes a sound one.
        """
        data = self.read_at(kept.file, kept.offset, kept.size)
        if _digest(data) == kept.digest:
            return unpack(data)
        if kept.file in self._adopted:
            with suppress(OSError):
                self._adopted[kept.file].unlink()
        return None

    def read_at(self, file: str, offset: int, size: int) -> bytes:
        """Bytes of a cache file or of one of this build's; fewer than asked for when they are not there."""
        try:
            if file not in self._descriptors:
                self._descriptors[file] = os.open(self.folder / file, os.O_RDONLY)
            return os.pread(self._descriptors[file], size, offset)
        except OSError:
            return b""


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]
