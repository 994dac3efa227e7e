"""What an earlier build has left in a site: its documents, and what lies among them that is not ours."""

import hashlib
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..catalog.addresses import GENERATOR, MANIFEST, PREFIX

SIGNATURE = f"{MANIFEST}.jws"


class Entry(msgspec.Struct, frozen=True):
    """What a manifest says of a document."""

    sha256: str = ""
    bytes: int = -1


class _Manifest(msgspec.Struct):
    generator: dict[str, object]
    documents: dict[str, Entry]


Listed = Mapping[str, Entry]
"""The documents of an API by their path below `api/v1/`."""
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
    if manifest.generator.get("name") != GENERATOR:
        return {}
    return manifest.documents | {MANIFEST: Entry(hashlib.sha256(data).hexdigest(), len(data))}


def remember(site_dir: Path) -> dict[str, Stamp]:
    """The time stamps of an earlier build's documents: path below `api/v1/` → stamp.

    For who clears the site before a build: `publish` gives them back to the documents that are the same.
    """
    return survey(site_dir / PREFIX, listed(site_dir / PREFIX))[0]


def survey(folder: Path, documents: Listed) -> tuple[dict[str, Stamp], set[str]]:
    """The time stamps of the folder's documents, and the paths of what is not among them, links included.

    A document of another size, or younger than the manifest, which is written last, has no time stamp:
    somebody has changed it.
    """
    stamps: dict[str, Stamp] = {}
    foreign: set[str] = set()
    last = (folder / MANIFEST).lstat().st_mtime_ns if documents else 0
    left = [""]
    while left:
        below = left.pop()
        with suppress(OSError), os.scandir(f"{folder}/{below}") as entries:
            for entry in entries:
                path = below + entry.name
                if entry.is_dir(follow_symlinks=False):
                    left.append(f"{path}/")
                elif (document := documents.get(path)) is None:
                    foreign.add(path)
                else:
                    status = entry.stat(follow_symlinks=False)
                    unchanged = status.st_size == document.bytes and status.st_mtime_ns <= last
                    if unchanged and stat.S_ISREG(status.st_mode):
                        stamps[path] = Stamp(document.sha256, status.st_mtime_ns)
    return stamps, foreign


def keep_stamps(folder: Path, documents: Listed, stamps: Mapping[str, Stamp]) -> None:
    """Give those of the folder's documents that are the same the time stamps that they had."""
    for path, document in documents.items():
        stamp = stamps.get(path)
        if stamp and stamp.sha256 == document.sha256:
            os.utime(f"{folder}/{path}", ns=(stamp.modified, stamp.modified))
