"""Documents become files: rendered into a staging folder, then moved into place as one."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from .documents.addresses import MANIFEST, PREFIX

GENERATOR = "mkdocs-catalog-api"


class Written(NamedTuple):
    """A document that was written: its path below `api/v1/`, its hash and its size."""

    path: str
    sha256: str
    bytes: int


class Staging:
    """A folder beside the site where one build's documents wait; nothing in it is published yet."""

    def __init__(self, site_dir: Path) -> None:
        parent = site_dir.parent
        parent.mkdir(parents=True, exist_ok=True)
        # The leading dot keeps site generators and servers from taking it for content.
        self.folder = Path(tempfile.mkdtemp(prefix=f".{site_dir.name}-catalog-api-", dir=parent))
        self.documents = self.folder / "documents"
        self.documents.mkdir()

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def write(folder: Path, documents: Iterable[tuple[str, bytes]]) -> list[Written]:
    """Write documents below `folder`, which is nobody else's. Returns them in the order given.

    Raises:
        FileExistsError: two documents have the same path.
        OSError: the disk is full, a name is too long …
    """
    written, made = [], {str(folder)}
    base = str(folder)
    for path, body in documents:
        target = f"{base}/{path}"
        parent = target.rpartition("/")[0]
        if parent not in made:
            Path(parent).mkdir(parents=True, exist_ok=True)
            made.add(parent)
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        try:
            view = memoryview(body)
            while view:
                view = view[os.write(descriptor, view) :]
        finally:
            os.close(descriptor)
        written.append(Written(path, hashlib.sha256(body).hexdigest(), len(body)))
    return written


def foreign_files(site_dir: Path) -> set[str]:
    """Paths below `api/v1/` of the site that an earlier build of ours did not write."""
    target = site_dir / PREFIX
    ours = _previous(target)
    return {
        path
        for folder, _, names in os.walk(target)
        for name in names
        if (path := (Path(folder) / name).relative_to(target).as_posix()) not in ours
    }


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
        if (new / path).exists():
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
    try:
        os.link(source, destination)
    except OSError:
        shutil.copy2(source, destination)
