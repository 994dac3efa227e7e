"""Replace an earlier build's documents with those of a build."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from ..catalog.addresses import GENERATOR, MANIFEST, PREFIX
from ..documents.discovery import ManifestEntry
from ..problems import CatalogError, Problem, Problems
from ..problems.codes import Code
from .site_files import refuse_links
from .staging import Staging


class _EarlierManifest(msgspec.Struct):
    generator: dict[str, object]
    documents: dict[str, ManifestEntry]


_DECODER = msgspec.json.Decoder(_EarlierManifest)


class Stamp(NamedTuple):
    """Time stamp of a document that has not changed since it was written."""

    sha256: str
    modified: int
    """Nanoseconds since 1970."""


def listed(folder: Path) -> Mapping[str, ManifestEntry]:
    """The documents in a folder by its manifest, and the manifest itself.

    Nothing if the manifest is missing, unreadable, or of another generator.
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
    return manifest.documents | {MANIFEST: ManifestEntry(hashlib.sha256(data).hexdigest(), len(data))}


def remember(site_dir: Path) -> dict[str, Stamp]:
    """The time stamps of an earlier build's documents: path below `api/v1/` → stamp.

    For callers that clear the site before a build: `publish` restores them for unchanged documents.
    """
    return survey(site_dir / PREFIX, listed(site_dir / PREFIX))[0]


def survey(folder: Path, documents: Mapping[str, ManifestEntry]) -> tuple[dict[str, Stamp], set[str]]:
    """The time stamps of the folder's documents, and the paths of all other entries, links included.

    A document of another size, or newer than the manifest, which is written last, has no time stamp,
    since it was changed after the build.
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


def keep_stamps(folder: Path, documents: Mapping[str, ManifestEntry], stamps: Mapping[str, Stamp]) -> None:
    """Restore the time stamps of the folder's unchanged documents."""
    for path, document in documents.items():
        stamp = stamps.get(path)
        if stamp and stamp.sha256 == document.sha256:
            os.utime(f"{folder}/{path}", ns=(stamp.modified, stamp.modified))


def publish(
    staging: Staging,
    site_dir: Path,
    *,
    keep: bool = False,
    replace: bool = False,
    stamps: Mapping[str, Stamp] | None = None,
) -> None:
    """Replace an earlier build's documents with the staged ones, all at once.

    Foreign files in `api/v1/` are kept. The old documents exist until a rename replaces their folder; if it
    fails, they are restored. An unchanged document keeps its time stamp; if the site has been cleared since,
    `stamps` is the result of `remember` from before that.

    With `keep`, the staged documents are kept as well (as hard links if the file system supports them), so
    that they can be published again. With `replace`, documents replace foreign files; without a manifest that
    lists the build's own files, the whole of `api/v1/` is replaced. Raises `CatalogError` if foreign files
    are at paths of documents, or `api/v1` is a link.
    """
    problems = Problems()
    refuse_links(site_dir, PREFIX, problems)
    target = site_dir / PREFIX
    if target.exists() and not target.is_dir():
        message = "the API would replace this file"
        hint = "move or rename the file"
        problems.add(Problem(PREFIX, 0, 0, "", message, hint, code=Code.IN_THE_WAY))
    if list(problems):
        raise CatalogError(problems)
    new = staging.documents
    if keep:
        new = staging.folder / "linked"
        shutil.rmtree(new, ignore_errors=True)
        shutil.copytree(staging.documents, new, copy_function=_link)
    ours, fresh = listed(target), listed(new)
    found, foreign = survey(target, ours)
    keep_stamps(new, fresh, stamps or found)
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        new.rename(target)
        return
    for path in _staying(foreign, target, new, ours=bool(ours), replace=replace):
        (new / path).parent.mkdir(parents=True, exist_ok=True)
        _link(str(target / path), str(new / path))
    staging.replace(target, new)


def _staying(foreign: set[str], target: Path, new: Path, *, ours: bool, replace: bool) -> set[str]:
    """The foreign files in the folder `target`, which are kept among the documents of the folder `new`.

    `ours` is whether a manifest lists the build's own files.
    """
    blocking = {path for path in foreign if _stands_in_the_way(path, new)}
    if not blocking:
        return foreign
    if replace:
        return foreign - blocking if ours else set()
    state = "is of another program" if (target / MANIFEST).exists() else "is missing"
    listed_in = f", and {MANIFEST}, the list of an earlier build's files, {state}" if not ours else ""
    what = f"{len(blocking):,} file{'s' if len(blocking) != 1 else ''}"
    message = f"documents would replace {what} that no build wrote, such as {min(blocking)}{listed_in}"
    replaced = "them" if ours else "the whole folder, as does `mkdocs build` without `--dirty`"
    hint = f"move your own files away; then `catalog-api build --replace` replaces {replaced}"
    raise CatalogError(Problems([Problem(PREFIX, 0, 0, "", message, hint, code=Code.IN_THE_WAY)]))


def _stands_in_the_way(path: str, new: Path) -> bool:
    if os.path.lexists(new / path):
        return True
    above = [new / parent for parent in PurePosixPath(path).parents]
    return any(place.exists() and not place.is_dir() for place in above)


def _link(source: str, destination: str) -> None:
    """Copy a file as a hard link; a symbolic link remains a link."""
    try:
        os.link(source, destination, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(source, destination, follow_symlinks=False)
