"""What an earlier build has left in a site: its documents, and what lies among them that is not ours."""

import hashlib
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..api.addresses import MANIFEST, PREFIX

GENERATOR = "mkdocs-catalog-api"
SIGNATURE = f"{MANIFEST}.jws"


class _Generator(msgspec.Struct):
    name: str


class _Entry(msgspec.Struct):
    sha256: str = ""
    bytes: int = -1


class _Manifest(msgspec.Struct):
    generator: _Generator
    documents: dict[str, _Entry]


Listed = Mapping[str, tuple[str, int]]
"""The documents of an API: path below `api/v1/` → SHA-256 and size in bytes."""
_DECODER = msgspec.json.Decoder(_Manifest)


class Stamp(NamedTuple):
    """When a document was written that has not been touched since."""

    sha256: str
    modified: int
    """Nanoseconds since 1970."""


def listed(folder: Path) -> Listed:
    """The documents in a folder by its manifest, and the manifest itself.

    Nothing when the manifest is missing, can't be read, or is not of this generator.
    """
    file = folder / MANIFEST
    try:
        if not stat.S_ISREG(file.lstat().st_mode):
            return {}
        data = file.read_bytes()
        manifest = _DECODER.decode(data)
    except (OSError, ValueError, msgspec.MsgspecError, RecursionError):
        return {}
    if manifest.generator.name != GENERATOR:
        return {}
    found = {path: (entry.sha256, entry.bytes) for path, entry in manifest.documents.items()}
    return found | {MANIFEST: (hashlib.sha256(data).hexdigest(), len(data))}


def remember(site_dir: Path) -> dict[str, Stamp]:
    """The time stamps of an earlier build's documents: path below `api/v1/` → stamp.

    For who clears the site before a build: `publish` gives them back to the documents that are the same.
    A document of another size, or younger than the manifest, which is written last, is left out: somebody has
    changed it. One `lstat` for each document.
    """
    return stamps_of(site_dir / PREFIX, listed(site_dir / PREFIX))


def stamps_of(folder: Path, documents: Listed) -> dict[str, Stamp]:
    """The time stamps of those of the folder's documents that nobody has changed."""
    found: dict[str, Stamp] = {}
    with suppress(OSError):
        last = (folder / MANIFEST).lstat().st_mtime_ns
        for path, (sha256, size) in documents.items():
            with suppress(OSError, ValueError):  # it is gone; no file can have such a name
                status = os.lstat(f"{folder}/{path}")
                if stat.S_ISREG(status.st_mode) and status.st_size == size and status.st_mtime_ns <= last:
                    found[path] = Stamp(sha256, status.st_mtime_ns)
    return found


def keep_stamps(folder: Path, documents: Listed, stamps: Mapping[str, Stamp]) -> None:
    """Give those of the folder's documents that are the same the time stamps that they had."""
    for path, (sha256, _) in documents.items():
        stamp = stamps.get(path)
        if stamp and stamp.sha256 == sha256:
            os.utime(f"{folder}/{path}", ns=(stamp.modified, stamp.modified))


def foreign_files(folder: Path, documents: Listed) -> set[str]:
    """Paths in the folder of what is not among its documents; links count as files."""
    found: set[str] = set()
    for parent, folders, names in os.walk(folder):
        below = Path(parent).relative_to(folder).as_posix() + "/"
        links = [name for name in folders if os.path.islink(f"{parent}/{name}")]  # noqa: PTH114
        found.update((below + name).removeprefix("./") for name in names + links)
    return found - documents.keys()
