"""Files of the site outside the API: feeds, the host's header file, `.well-known/vex-repository.json`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from ..authored.folders import name_of, not_writable
from ..authored.site import Site
from ..catalog.addresses import GENERATOR, PREFIX
from ..problems import CatalogError, Problem, Problems
from ..problems.codes import Code


def _source_of(site: Site, path: str) -> str | None:
    """Name in problems of the author's file in docs_dir that becomes this file of the site; else None."""
    if not (site.docs_dir / path).exists():
        return None
    return (Path(name_of(site.docs_dir, site.root)) / path).as_posix()


def refuse_links(site_dir: Path, path: str, problems: Problems) -> None:
    """Add a problem if `path` of the site is a link, is in a linked folder, or has a file as a parent."""
    target = site_dir / path
    for place in reversed([target, *target.parents][: len(Path(path).parts)]):
        shown = place.relative_to(site_dir).as_posix()
        straight = os.path.join(os.path.realpath(place.parent), place.name)  # noqa: PTH118
        if os.path.normcase(os.path.realpath(place)) != os.path.normcase(straight):
            message = f"{path} would be written here, but nothing is written through a link"
            hint = "replace it with a real file or folder, or remove it"
            problems.add(Problem(shown, 0, 0, "", message, hint, code=Code.IN_THE_WAY))
        elif place != target and place.exists() and not place.is_dir():
            message = f"{path} would require a folder instead of this file"
            problems.add(Problem(shown, 0, 0, "", message, "move or rename the file", code=Code.IN_THE_WAY))
        else:
            continue
        return


def put(site_dir: Path, path: str, body: bytes, staging: Path) -> None:
    """Write a file of the site as a whole: by a rename, and never through a link.

    `path` has forward slashes; `staging` is a folder on the same disk, where the file waits. A file with
    the same bytes remains unchanged, with its time stamp. The caller decides whether an existing file may be
    replaced.

    Raises:
        CatalogError: the file or a parent folder is a link, a parent folder is a file, or the path is
            something other than a file.
        OSError: the disk is full …
    """
    problems = Problems()
    refuse_links(site_dir, path, problems)
    if not list(problems) and (fault := not_writable(site_dir / path, path, site_dir)):
        problems.add(fault)
    if list(problems):
        raise CatalogError(problems)
    target = site_dir / path
    if target.is_file() and target.stat().st_size == len(body) and target.read_bytes() == body:
        return
    waiting = staging / path.replace("/", "-")
    waiting.write_bytes(body)
    target.parent.mkdir(parents=True, exist_ok=True)
    waiting.replace(target)


class OwnFiles(NamedTuple):
    """Files of one kind that builds write into sites and recognize later."""

    called: str
    """Name in problems of the file at a `{path}`."""
    places: tuple[str, ...]
    """Possible places of a file from an earlier build, as patterns."""
    marks: tuple[bytes, ...]
    """Each file contains one of these."""
    unless: str
    """The setting that turns them on."""

    def check(self, paths: Iterable[str], site: Site, problems: Problems) -> None:
        """Add a problem for each of the author's files that would become one of them."""
        for path in paths:
            if file := _source_of(site, path):
                problems.add(self._in_the_way(file, path))

    def write(self, made: Mapping[str, bytes], site: Site, site_dir: Path, staging: Path) -> None:
        """Write them into the site, each as a whole; `made` has their paths, `staging` is as for `put`.

        Files of an earlier build that this build has not written are removed.

        Raises:
            CatalogError: the path is a link, or a file not written by a build.
        """
        problems = Problems()
        for path in made:
            refuse_links(site_dir, path, problems)
            if (site_dir / path).exists() and not self._is_ours(site_dir / path):
                problems.add(self._in_the_way(path, path))
        if list(problems):
            raise CatalogError(problems)
        for path, body in made.items():
            put(site_dir, path, body, staging)
        for target in sorted({target for pattern in self.places for target in site_dir.glob(pattern)}):
            path = target.relative_to(site_dir).as_posix()
            if path not in made and not (site.docs_dir / path).exists():
                self._remove(path, site_dir)

    def _is_ours(self, target: Path) -> bool:
        return target.is_file() and any(mark in target.read_bytes() for mark in self.marks)

    def _remove(self, path: str, site_dir: Path) -> None:
        """Remove a file marked as written by a build, and folders that are empty then."""
        target, links = site_dir / path, Problems()
        refuse_links(site_dir, path, links)
        if list(links) or not self._is_ours(target):
            return
        target.unlink()
        for folder in (*target.parents,)[: len(PurePosixPath(path).parts) - 1]:
            if any(folder.iterdir()):
                return
            folder.rmdir()

    def _in_the_way(self, file: str, path: str) -> Problem:
        message = f"{self.called.format(path=path)} would replace this file"
        return Problem(file, 0, 0, "", message, f"move it, or set `{self.unless}`", code=Code.IN_THE_WAY)


VEX_REPOSITORY = ".well-known/vex-repository.json"
VEX_FILES = OwnFiles(
    called="{path}",
    places=(VEX_REPOSITORY,),
    marks=(f'"generator":"{GENERATOR}"'.encode(),),
    unless="publish_vex: false",
)
_PREVIEW = ("127.0.0.1", "localhost", "::1")


def vex_repository_file(title: str, archive: str) -> dict[str, bytes]:
    """Path in the site → the file that leads to the archive at the address `archive`."""
    version = {
        "spec_version": "0.1",
        "locations": [{"url": archive}],
        "update_interval": "24h",
        "repository_specific": {"generator": GENERATOR},
    }
    description = f"VEX statements of {title} about vulnerabilities in its images"
    body = {"name": title, "description": description, "versions": [version]}
    return {VEX_REPOSITORY: msgspec.json.encode(body) + b"\n"}


def check_vex_repository(site: Site, problems: Problems) -> None:
    """Add a problem unless the site has an https address, and for an author's file at this path."""
    address = urlsplit(site.site_url or "")
    # `mkdocs serve` has another address, which scanners never read.
    if address.scheme != "https" and address.hostname not in _PREVIEW:
        message = f"scanners accept statements only from https, but site_url is {site.site_url or 'not set'}"
        hint = "set an https `site_url`, or remove `publish_vex`"
        problems.add(site.config.problem(("security", "publish_vex"), message, hint, code=Code.SETTING))
    VEX_FILES.check([VEX_REPOSITORY], site, problems)


def refuse_occupied(documents: Iterable[str], files: Mapping[str, str], problems: Problems) -> None:
    """A problem for each file at the path of a document or of a document's folder.

    `documents` and the keys of `files` are paths in `api/v1/`; the values of `files` name the author's file.
    The case of letters is ignored, as on the file systems of Windows and macOS.
    """
    if not files:
        return
    ours = {path.casefold() for path in documents}
    folders = {str(parent) for path in ours for parent in PurePosixPath(path).parents}
    for path, file in files.items():
        folded = path.casefold()
        above = {str(parent) for parent in PurePosixPath(folded).parents}
        if folded in ours or folded in folders or ours & above:
            target = f"{PREFIX}/{path}"
            message = f"this file becomes {target}, where the build writes a document of the API"
            problems.add(Problem(file, 0, 0, "", message, "move or rename the file", code=Code.IN_THE_WAY))
