"""Walks folders of untrusted files safely.

No file is opened, so that a pipe can't hang the build. Links out of the project are not followed, so that no
file outside of it is read or quoted. No folder is visited twice, so that circular links end.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from ..problems import Problem, Problems, RefusedError, reason
from ..problems.codes import Code
from ..problems.decoding import explain_decoding

MAX_SIZE = 512 * 2**20
"""Default limit for the size of a file, in bytes."""
T = TypeVar("T")
_LEADS_OUT = "this link leads out of the project and is not followed", "copy its target into the project"


def name_of(path: Path, root: Path) -> str:
    """Return the name in problems of a path in `root`, the folder of mkdocs.yml; "" for other paths."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else ""


def read_file(path: Path, most: int = MAX_SIZE, project: Iterable[Path] = ()) -> bytes:
    """Return the content of a regular file. Nothing else is opened: reading a pipe could block forever.

    Raises:
        OSError: unreadable, not a file, larger than `most` bytes, or outside of the folders of the `project`.
    """
    if project and leads_out(path, project):
        raise OSError(errno.EPERM, "this link leads out of the project and is not followed", str(path))
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    if status.st_size > most:
        raise OSError(errno.EFBIG, f"the file has more than {most:,} bytes", str(path))
    return path.read_bytes()


def read_synced(
    path: Path,
    name: str,
    decode: Callable[[bytes], T],
    most: int,
    project: Iterable[Path],
    hint: str,
    problems: Problems,
) -> T | None:
    """Return the content of a file that `sync` writes; add a problem and return None if it can't be read.

    `decode` raises a ValueError of msgspec or our own.
    """
    try:
        return decode(read_file(path, most, project))
    except OSError as error:
        message, field = f"can't be read: {reason(error)}", ""
    except RefusedError as error:
        message, hint, field = error.message, error.hint, ""
    except (ValueError, RecursionError) as error:
        message, field = explain_decoding(error)
    problems.add(Problem(name, 0, 0, field, message, hint, code=Code.NOT_READ))
    return None


def project_of(root: Path, path: Path) -> list[Path]:
    """Return the folders that links in `path` may point to: `root`, and `path` if it is outside."""
    outside = not Path(os.path.abspath(path)).is_relative_to(os.path.abspath(root))  # noqa: PTH100  # keeps links
    return [root, path] if outside else [root]


def without_address(name: str, path: str) -> Problem | None:
    """Return a problem if the `path` of a page is not UTF-8: such a page can't have a URL."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return Problem(name, 0, 0, "", "the name is not UTF-8", "rename it", code=Code.NOT_READ)
    return None


def leads_out(path: Path, project: Iterable[Path]) -> bool:
    """Whether `path` or one of its parents is a link out of all folders of the project."""
    real = Path(os.path.realpath(path))
    return not any(real.is_relative_to(os.path.realpath(folder)) for folder in project)


def not_writable(path: Path, name: str, project: Iterable[Path]) -> Problem | None:
    """Return a problem if the file `name` can't be written: a link leads out, or the path is not a file."""
    if leads_out(path, project):
        message, hint = "not written, because a link leads out of the project", "remove the link"
    elif path.exists() and not path.is_file():
        message, hint = "not written, because this is not a regular file", "remove it"
    else:
        return None
    return Problem(name, 0, 0, "", message, hint, code=Code.IN_THE_WAY)


def write_whole(file: Path, body: bytes) -> None:
    """Write a temporary file and rename it, so that an interruption leaves no partial file.

    A link is followed and kept. Callers check it first with `not_writable`.
    """
    file = Path(os.path.realpath(file))
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        beside.write_bytes(body)
        beside.replace(file)
    finally:
        with suppress(FileNotFoundError):
            beside.unlink()


def _nothing(_path: str) -> bool:
    return False


def walk(
    folder: Path,
    label: str,
    project: Iterable[Path],
    problems: Problems,
    *,
    suffixes: tuple[str, ...],
    hidden: bool = False,
    skip: Callable[[str], bool] = _nothing,
) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield each folder in `folder` (`""`, `a/`, `a/b/`), and its files: name → size in bytes.

    Folders and names are in the order of code points, with linked folders last. `label` is the name of
    `folder` in problems. `project` has the folders that links may point to. Files that end in one of
    `suffixes` will be read. With `hidden`, names that begin with a dot are included. No problem is added for
    a path that `skip` accepts; the path of a folder ends with a slash.

    Unreadable folders, links out of the project, broken links and special files are left out, with a problem
    for each.
    """
    bounds = [Path(os.path.realpath(path)) for path in project]

    def add_problem(path: str, message: str, hint: str) -> None:
        if not skip(path):
            name = "/".join(filter(None, (label, path))).rstrip("/")
            problems.add(Problem(name, 0, 0, "", message, hint, code=Code.NOT_READ))

    def outside(target: str) -> bool:
        return not any(Path(target).is_relative_to(bound) for bound in bounds)

    entered: set[str] = set()
    pending, linked = [("", os.path.realpath(folder))], list[tuple[str, str]]()
    while pending or linked:
        below, real = pending.pop() if pending else linked.pop(0)
        if real in entered:
            continue
        entered.add(real)
        if outside(real):
            add_problem(below, *_LEADS_OUT)
            continue
        try:
            with os.scandir(real) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            add_problem(below, f"the folder can't be read: {reason(error)}", "make it readable, or remove it")
            continue
        files: dict[str, int] = {}
        folders: list[tuple[str, str]] = []
        for entry in entries:
            if entry.name.startswith(".") and not hidden:
                continue
            path = below + entry.name
            link = entry.is_symlink() or getattr(entry, "is_junction", bool)()
            target = os.path.realpath(entry.path) if link else entry.path
            try:
                status = entry.stat()
            except OSError as error:
                add_problem(path, f"can't be read: {reason(error)}", "make it readable, or remove it")
                continue
            if stat.S_ISDIR(status.st_mode):
                if not link:
                    folders.append((f"{path}/", target))
                elif not Path(real).is_relative_to(target):  # else it is a circular link
                    linked.append((f"{path}/", target))
            elif link and outside(target):
                if entry.name.lower().endswith(suffixes):
                    add_problem(path, *_LEADS_OUT)
                else:
                    files[entry.name] = 0  # not read, so its size does not matter
            elif stat.S_ISREG(status.st_mode):
                files[entry.name] = status.st_size
            else:
                add_problem(path, "not a regular file", "replace it with a file, or remove it")
        pending += reversed(folders)
        yield below, files
