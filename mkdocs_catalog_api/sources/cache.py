"""Parsed reports of an earlier build, in one file for each folder of reports in the user's cache folder.

A file is a mark, the scans one after another, an index of them, and the index's size and digest. It is
replaced as a whole by a rename, so builds at the same time don't disturb each other, and it can be deleted at
any time. A scan is found by the content of its report and read only if its own digest is right.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import struct
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path
from pydantic_core import from_json, to_json

from ..catalog.scans import ScanFacts
from .store import Kept, Store

LIMIT = 1 << 30
"""Bytes that all files together may take; beyond it, what was unused longest goes first."""

_MARK = b"catalog-api reports 1\n"
_FOOTER = struct.Struct(">Q32s")
_BLOCK = 4 << 20


@cache
def reader_version() -> str:
    """A digest of all code; what another version has read and judged is never used."""
    package = Path(__file__).parent.parent
    sources = sorted(package.glob("**/*.py"))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()


class Cache:
    """The cache file of one folder of reports."""

    def __init__(self, reports: Path) -> None:
        self.folder = user_cache_path("mkdocs-catalog-api", appauthor=False)
        name = hashlib.sha256(f"{reader_version()}\0{reports.resolve()}".encode()).hexdigest()[:32]
        self._path = self.folder / f"{name}.reports"

    def load(self, store: Store) -> None:
        """Put into the store what an earlier build has kept; nothing when there is no sound file."""
        with contextlib.suppress(OSError):
            descriptor = os.open(self._path, os.O_RDONLY)
            index = _read_index(descriptor)
            if index is None:
                os.close(descriptor)
                return
            store.adopt(descriptor, index)
            os.utime(self._path)  # used now

    def save(self, store: Store, keys: Iterable[str]) -> None:
        """Keep the reports with these keys, and nothing else, for the next build.

        Raises:
            OSError: the folder can't be written to.
        """
        kept = {key: store.kept[key] for key in keys}
        if kept.keys() == store.kept.keys() and all(not scan.file for scan in _scans(kept)):
            return  # as it was
        if not self.folder.is_absolute():
            raise OSError(errno.ENOENT, "there is no home folder")
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(suffix=".reports", dir=self.folder)
        try:
            with os.fdopen(descriptor, "wb", buffering=_BLOCK) as file:
                file.write(_MARK)
                moved: dict[str, list[Kept]] = {key: [] for key in kept}
                offset = len(_MARK)
                for key, scans in kept.items():
                    for scan in scans:
                        moved[key].append(scan._replace(file="", offset=offset))
                        offset += file.write(store.read_at(scan.file, scan.offset, sum(scan.sizes)))
                index = to_json(moved)
                file.write(index + _FOOTER.pack(len(index), hashlib.sha256(index).digest()))
            Path(temporary).replace(self._path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        _evict(self.folder)


def _scans(kept: dict[str, tuple[Kept, ...]]) -> Iterator[Kept]:
    for scans in kept.values():
        yield from scans


def _read_index(descriptor: int) -> dict[str, tuple[Kept, ...]] | None:
    """What the file holds, None when it is not sound."""
    end = os.fstat(descriptor).st_size - _FOOTER.size
    if end < len(_MARK) or os.pread(descriptor, len(_MARK), 0) != _MARK:
        return None
    size, digest = _FOOTER.unpack(os.pread(descriptor, _FOOTER.size, end))
    index = os.pread(descriptor, size, end - size) if size <= end else b""
    if hashlib.sha256(index).digest() != digest:
        return None
    return {key: tuple(_kept(*scan) for scan in scans) for key, scans in from_json(index).items()}


def _kept(
    facts: tuple[object, ...], file: str, offset: int, sizes: tuple[int, int, int], digest: str
) -> Kept:
    """A scan of the index, with the tuples that JSON has no word for."""
    read = ScanFacts(*facts)  # type: ignore[arg-type]  # the digest of the index vouches for the types
    names = tuple((repository, tag) for repository, tag in read.names)
    made = read._replace(
        names=names,
        digests=frozenset(read.digests),
        fixable=tuple(read.fixable),
        unfixable=tuple(read.unfixable),
    )
    return Kept(made, file, offset, sizes, digest)


def _evict(folder: Path) -> None:
    """Remove what was unused longest until the rest is within the limit."""
    total = 0
    with contextlib.suppress(OSError):  # another build may be removing files too
        files = [(path.stat(), path) for path in folder.glob("*.reports")]
        for status, path in sorted(files, key=lambda pair: pair[0].st_mtime, reverse=True):
            total += status.st_size
            if total > LIMIT:
                path.unlink()
