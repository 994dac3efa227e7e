"""Documents become files: rendered into a staging folder, then moved into place as one."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from ..api.addresses import MANIFEST, PREFIX

GENERATOR = "mkdocs-catalog-api"
_SERVED = re.compile("mkdocs_[a-z0-9_]{8}")
_DAY = 24 * 60 * 60.0


class Written(NamedTuple):
    """A document that was written: its path below `api/v1/`, its hash and its size."""

    path: str
    sha256: str
    bytes: int


class Staging:
    """A folder beside the site where one build's documents wait; nothing in it is published yet."""

    def __init__(self, site_dir: Path) -> None:
        try:
            parent = _near(site_dir)
            # The leading dot keeps site generators and servers from taking it for content.
            prefix = f".{site_dir.name}-catalog-api-"
            _sweep(parent, prefix)
            self.folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        except OSError as error:
            message = f"nothing can be written there ({error.strerror})"
            raise OSError(error.errno, message, str(site_dir)) from None
        self.documents = self.folder / "documents"
        self.documents.mkdir()

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _near(site_dir: Path) -> Path:
    """Beside the site; inside of it where renaming into it would fail: a mounted volume, a guarded parent."""
    parent = site_dir.parent
    parent.mkdir(parents=True, exist_ok=True)
    if site_dir.is_dir():
        other_disk = site_dir.stat().st_dev != parent.stat().st_dev
        if other_disk or not os.access(parent, os.W_OK):
            return site_dir
    return parent


def _sweep(parent: Path, prefix: str) -> None:
    """Remove what killed builds left; a folder of the last day may belong to a build that still runs."""
    # The site of `mkdocs serve` has another name each time.
    ours = re.compile(_SERVED.sub(_SERVED.pattern, re.escape(prefix)) + "[a-z0-9_]{8}")
    with suppress(OSError):  # another build may be sweeping too
        for entry in os.scandir(parent):
            if ours.fullmatch(entry.name) and entry.stat().st_mtime < time.time() - _DAY:
                shutil.rmtree(entry.path, ignore_errors=True)


def save(folder: Path, path: str, body: bytes) -> None:
    """Write a document below `folder`, which is nobody else's.

    Raises:
        FileExistsError: there is one at this path.
        OSError: the disk is full, a name is too long …
    """
    target = f"{folder}/{path}"
    try:
        file = FileIO(target, "x")
    except FileNotFoundError:  # the first document of its folder
        os.makedirs(target.rpartition("/")[0], exist_ok=True)  # noqa: PTH103  # cheaper, thousands of times
        file = FileIO(target, "x")
    with file:
        view = memoryview(body)
        while view:
            view = view[file.write(view) :]


def foreign_files(site_dir: Path) -> set[str]:
    """Paths below `api/v1/` of the site that an earlier build of ours did not write; links count as files."""
    target = site_dir / PREFIX
    ours = _previous(target)
    found: set[str] = set()
    for parent, folders, names in os.walk(target):
        links = [name for name in folders if Path(parent, name).is_symlink()]
        found.update(Path(parent, name).relative_to(target).as_posix() for name in names + links)
    return found - ours


def _previous(target: Path) -> set[str]:
    """What the manifest of an earlier build lists; nothing when it is not ours."""
    try:
        manifest = json.loads((target / MANIFEST).read_bytes())
        if manifest["generator"]["name"] != GENERATOR:
            return set()
        documents: Mapping[str, object] = manifest["documents"]
        return {*documents, MANIFEST}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return set()


def publish(staging: Staging, site_dir: Path, *, keep: bool = False) -> None:
    """Put the staged documents in place of an earlier build's, all at once.

    Files below `api/v1/` that are not ours stay. The old documents are there until the new folder takes
    their place by a rename; when that fails they are put back. With `keep`, the staged documents stay too
    (as hard links where the file system has them), so that they can be published again.

    Raises:
        FileExistsError: a file that is not ours stands where a document would land.
    """
    target = site_dir / PREFIX
    for folder in (target.parent, target):
        if folder.exists() and not folder.is_dir():
            raise FileExistsError("")
    new = staging.documents
    if keep:
        new = staging.folder / "linked"
        shutil.rmtree(new, ignore_errors=True)
        shutil.copytree(staging.documents, new, copy_function=_link)
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        new.rename(target)
        return
    for path in foreign_files(site_dir):
        if (
            any(place.exists() and not place.is_dir() for place in (new / path).parents)
            or (new / path).exists()
        ):
            raise FileExistsError(path)
        (new / path).parent.mkdir(parents=True, exist_ok=True)
        _link(str(target / path), str(new / path))
    old = staging.folder / "previous"
    shutil.rmtree(old, ignore_errors=True)
    target.rename(old)
    try:
        new.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _link(source: str, destination: str) -> None:
    """Give a file a second place; a symbolic link stays the link that it is."""
    try:
        os.link(source, destination, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(source, destination, follow_symlinks=False)
