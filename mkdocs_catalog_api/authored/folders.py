"""Walks folders, and reads and writes files, of projects that others may have written.

A link is never followed, so that nothing outside of the project is read, quoted or replaced. Nothing but a
file is opened, so that a pipe can't hang the build.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from ..problems import Level, Problem, Problems, RefusedError, reason
from ..problems.codes import Code
from ..problems.decoding import explain_decoding

MAX_SIZE = 512 * 2**20
"""Default limit for the size of a file, in bytes."""
T = TypeVar("T")


def name_of(path: Path, root: Path) -> str:
    """Return the name in problems of a path in `root`, the folder of mkdocs.yml; "" for other paths."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else ""


def is_within(path: Path, folder: Path) -> bool:
    """Whether a path is a folder or in it, wherever links lead."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def link_on_the_way(path: Path, root: Path) -> Path | None:
    """Return the first link between `root` and `path`, `path` itself included. None if there is none."""
    place = root
    for step in Path(os.path.relpath(path, root)).parts:
        place = place / step
        if place.is_symlink():
            return place
    return None


def not_followed(path: Path, root: Path) -> Problem | None:
    """Return a warning if `path` is behind a link in `root`, the folder of mkdocs.yml."""
    link = link_on_the_way(path, root)
    return _not_followed(name_of(link, root) or link.name) if link else None


def _not_followed(first: str, more: int = 0) -> Problem:
    message = f"this link{f' and {more} more in this folder are' if more else ' is'} not followed"
    hint = "replace it with a copy of what it leads to"
    return Problem(first, 0, 0, "", message, hint, Level.WARNING, code=Code.NOT_READ)


def read_file(path: Path, most: int | None = MAX_SIZE) -> bytes:
    """Return the content of a regular file. Whatever an author's folder holds is read with this function.

    Raises `OSError` if it is unreadable, a link or other than a regular file, or larger than `most` bytes.
    """
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    if most is not None and status.st_size > most:
        raise OSError(errno.EFBIG, f"the file has more than {most:,} bytes", str(path))
    return path.read_bytes()


def read_text(path: Path) -> str:
    """Return the text of a regular file in UTF-8, with `\n` at the end of each line.

    Raises `OSError` as `read_file` does, and `UnicodeDecodeError`.
    """
    text = read_file(path, None).decode("utf-8-sig")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_configuration(path: Path) -> bytes:
    """Return the content of the configuration that the user of a command names, which may be a link."""
    return path.read_bytes()


def read_synced(
    path: Path,
    root: Path,
    decode: Callable[[bytes], T],
    most: int,
    hint: str,
    problems: Problems,
) -> T | None:
    """Return the content of a file that `sync` writes; add a problem and return None if it can't be read.

    `root` is the folder of mkdocs.yml. `decode` raises a ValueError of msgspec or our own.
    """
    if warning := not_followed(path, root):
        problems.add(warning)
        return None
    try:
        return decode(read_file(path, most))
    except OSError as error:
        message, field = f"can't be read: {reason(error)}", ""
    except RefusedError as error:
        message, hint, field = error.message, error.hint, ""
    except (ValueError, RecursionError) as error:
        message, field = explain_decoding(error)
    problems.add(Problem(name_of(path, root), 0, 0, field, message, hint, code=Code.NOT_READ))
    return None


def without_address(name: str, path: str) -> Problem | None:
    """Return a problem if the `path` of a page is not UTF-8: such a page can't have a URL."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return Problem(name, 0, 0, "", "the name is not UTF-8", "rename it", code=Code.NOT_READ)
    return None


def not_writable(path: Path, name: str, root: Path) -> Problem | None:
    """Return a problem if the file `name` can't be written: it is behind a link in `root`, or not a file."""
    if link_on_the_way(path, root):
        message, hint = "not written, because nothing is written through a link", "remove the link"
    elif path.exists() and not path.is_file():
        message, hint = "not written, because this is not a regular file", "remove it"
    else:
        return None
    return Problem(name, 0, 0, "", message, hint, code=Code.IN_THE_WAY)


def write_whole(file: Path, body: bytes, mode: int = 0o666) -> None:
    """Write a temporary file and rename it, so that an interruption leaves no partial file.

    `mode` are its permissions, without those that the umask takes away.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    with suppress(FileNotFoundError):
        beside.unlink()  # of a killed program that had the same number
    try:
        # A file that is there already is never opened: it may be somebody else's link.
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        beside.write_bytes(body)
        beside.replace(file)
    finally:
        with suppress(FileNotFoundError):
            beside.unlink()


def walk(
    folder: Path, label: str, problems: Problems, *, also: Container[str | None] = ()
) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield each folder in `folder` (`""`, `a/`, `a/b/`), and its files: name → size in bytes.

    Folders and names are in the order of code points. Names that begin with a dot are left out, except those
    in `also`, and so is what is neither a file nor a folder. `label` is the name of `folder` in problems: an
    error for each unreadable folder, and a warning for each folder with links.
    """
    pending = [""]
    while pending:
        below = pending.pop()
        name = "/".join(filter(None, (label, below))).rstrip("/")
        try:
            with os.scandir(folder / below) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
            entries = [entry for entry in entries if entry.name[0] != "." or entry.name in also]
            files = {entry.name: entry.stat().st_size for entry in entries if _is_file(entry)}
        except OSError as error:
            message = f"the folder can't be read: {reason(error)}"
            hint = "make it readable, or remove it"
            problems.add(Problem(name, 0, 0, "", message, hint, code=Code.NOT_READ))
            continue
        if links := [entry.name for entry in entries if entry.is_symlink()]:
            problems.add(_not_followed("/".join(filter(None, (name, links[0]))), len(links) - 1))
        folders = [f"{below}{entry.name}/" for entry in entries if entry.is_dir(follow_symlinks=False)]
        pending += reversed(folders)
        yield below, files


def _is_file(entry: os.DirEntry[str]) -> bool:
    return entry.is_file(follow_symlinks=False)


def has_links(folder: Path) -> bool:
    """Whether there is a link in the folder or below."""
    problems = Problems()
    for _ in walk(folder, "", problems):
        pass
    return problems.count(Level.WARNING) > 0
