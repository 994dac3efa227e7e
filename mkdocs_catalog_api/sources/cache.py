"""What earlier builds have made, in the user's cache folder: front matter, reports, images, parts of pages.

A file is its own name, what is kept one after another, an index of it, and the index's size and digest. It is
replaced as a whole by a rename, so builds at the same time don't disturb each other, and it can be deleted at
any time. Everything is found by the content that it was made of, and read only if its own digest is right.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import struct
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Generic, Literal

import pydantic
from platformdirs import user_cache_path
from pydantic_core import from_json, to_json

from ..catalog.scans import ScanFacts
from ..problems import Level, Problem, Problems
from .store import About, Kept, Store, content_key

LIMIT = 1 << 30
"""Bytes that all files together may take; beyond it, what was unused longest goes first."""

_UNFINISHED = "unfinished-"
_FOOTER = struct.Struct(">Q32s")
_BLOCK = 4 << 20
_NAMES = ScanFacts._fields.index("names")
_TUPLES = [ScanFacts._fields.index(name) for name in ("digests", "fixable", "unfixable")]


@cache
def reader_version() -> str:
    """A digest of all code and templates; what another version has made is never used."""
    package = Path(__file__).parent.parent
    sources = sorted(path for path in package.rglob("*.*") if path.suffix in (".py", ".html"))
    return content_key(pydantic.VERSION.encode(), *(path.read_bytes() for path in sources))


class Cache(Generic[About]):
    """One file of the cache: what kind of things it has, and which folder or file they belong to.

    `about` makes what is known of each from its JSON.
    """

    def __init__(
        self, kind: Literal["pages", "reports", "images", "parts"], of: Path, about: Callable[[Any], About]
    ) -> None:
        self.folder = Path("mkdocs-catalog-api")
        with contextlib.suppress(RuntimeError):  # nobody's home
            self.folder = user_cache_path("mkdocs-catalog-api", appauthor=False)
        name = content_key(reader_version().encode(), os.fsencode(of.resolve()))[:32]
        self._path = self.folder / f"{name}.{kind}"
        self._mark = f"{self._path.name}\n".encode()
        self._name, self._about = f"cache.{kind}", about
        self._loaded: Mapping[str, tuple[Kept[About], ...]] = {}

    def load(self, store: Store) -> Mapping[str, tuple[Kept[About], ...]]:
        """What an earlier build has kept, for the store to read; nothing when there is no sound file."""
        if not self.folder.is_absolute():
            return {}
        with contextlib.suppress(OSError):
            descriptor = os.open(self._path, os.O_RDONLY)
            index = _read_index(descriptor, self._mark)
            if index is None:
                os.close(descriptor)
                return {}
            store.adopt(self._name, self._path, descriptor)
            os.utime(self._path)  # used now
            self._loaded = {
                key: tuple(Kept(self._about(about), self._name, *place) for about, _, *place in entries)
                for key, entries in index.items()
            }
        return self._loaded

    def save(self, store: Store, kept: Mapping[str, tuple[Kept[About], ...]], problems: Problems) -> None:
        """Keep this, and nothing else, for the next build. A problem when the folder can't be written to."""
        if kept.keys() == self._loaded.keys() and all(one.file == self._name for one in _each(kept)):
            return  # as it was
        try:
            self._write(store, kept)
        except OSError as error:
            message = f"the cache folder {self.folder} can't be written to ({error.strerror})"
            hint = "every build does all of its work anew; set XDG_CACHE_HOME to another folder"
            problems.add(Problem("", 0, 0, "", message, hint, Level.INFO))

    def _write(self, store: Store, kept: Mapping[str, tuple[Kept[About], ...]]) -> None:
        if not self.folder.is_absolute():
            raise OSError(errno.ENOENT, "there is no home folder")
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=_UNFINISHED, dir=self.folder)
        try:
            with os.fdopen(descriptor, "wb", buffering=_BLOCK) as file:
                offset = file.write(self._mark)
                moved: dict[str, list[Kept[About]]] = {}
                for key, entries in kept.items():
                    moved[key] = []
                    for one in entries:
                        moved[key].append(one._replace(file="", offset=offset))
                        offset += one.size
                for name, start, end in _stretches(kept):
                    for place in range(start, end, _BLOCK):
                        file.write(store.read_at(name, place, min(_BLOCK, end - place)))
                index = to_json(moved)
                file.write(index + _FOOTER.pack(len(index), hashlib.sha256(index).digest()))
            Path(temporary).replace(self._path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        _evict(self.folder)


def _each(kept: Mapping[str, tuple[Kept[About], ...]]) -> Iterator[Kept[About]]:
    for entries in kept.values():
        yield from entries


def _stretches(kept: Mapping[str, tuple[Kept[About], ...]]) -> Iterator[tuple[str, int, int]]:
    """File, start and end of what can be copied at once, as it stands together already."""
    name, start, end = "", 0, 0
    for one in _each(kept):
        if (one.file, one.offset) != (name, end):
            yield name, start, end
            name, start = one.file, one.offset
        end = one.offset + one.size
    yield name, start, end


def _read_index(descriptor: int, mark: bytes) -> dict[str, list[list[Any]]] | None:
    """What the file holds, None when it is not sound."""
    end = os.fstat(descriptor).st_size - _FOOTER.size
    if end < len(mark) or os.pread(descriptor, len(mark), 0) != mark:
        return None
    size, digest = _FOOTER.unpack(os.pread(descriptor, _FOOTER.size, end))
    index = os.pread(descriptor, size, end - size) if size <= end else b""
    if hashlib.sha256(index).digest() != digest:
        return None
    found: dict[str, list[list[Any]]] = from_json(index)
    return found


def scan_facts(fields: Any) -> ScanFacts:
    """The facts of a scan from their JSON, with the tuples that it has no word for."""
    for place in _TUPLES:
        fields[place] = tuple(fields[place])
    fields[_NAMES] = tuple(map(tuple, fields[_NAMES]))
    return ScanFacts(*fields)


def _evict(folder: Path) -> None:
    """Remove what was unused longest until the rest is within the limit, and what killed builds left."""
    total, yesterday = 0, time.time() - 24 * 60 * 60
    with contextlib.suppress(OSError):  # another build may be removing files too
        files = [(path.stat(), path) for path in folder.iterdir()]
        for status, path in sorted(files, key=lambda pair: pair[0].st_mtime, reverse=True):
            total += status.st_size
            if total > LIMIT or (path.name.startswith(_UNFINISHED) and status.st_mtime < yesterday):
                path.unlink()
