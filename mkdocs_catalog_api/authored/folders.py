"""Folders of files from outside, walked without harm.

Nothing is opened, so a pipe can't hang the build. No link is followed out of the project, so nothing that
lies elsewhere is read or quoted. No folder is entered twice, so links in circles end.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from ..problems import Problem, Problems, reason
from ..problems.codes import Code

MAX_SIZE = 512 * 2**20
"""Bytes of the largest file that is read, unless the settings say otherwise."""
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_LEADS_OUT = "this link leads out of the project and is not followed", "put what it leads to into the project"


def name_of(path: Path, root: Path) -> str:
    """How problems name what is below `root`, the folder of mkdocs.yml; "" for what is not."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else ""


def _kind_of(mode: int) -> str:
    """What is neither file nor folder, by its mode; "" for these."""
    return _KINDS.get(stat.S_IFMT(mode), "")


def no_file(path: Path, name: str) -> str:
    """What is wrong with something in the place of the file `name` that is not a file."""
    if not path.exists():
        return f"{name!r} is a link to nothing"
    kind = _kind_of(path.stat().st_mode)
    return f"{name!r} is not a file" + (f", but {kind}, which is never opened" if kind else "")


def read_file(path: Path, most: int = MAX_SIZE) -> bytes:
    """The bytes of a plain file; a pipe, socket or device is not opened, as reading it could last forever.

    Raises:
        OSError: it can't be read, is not a file, or has more than `most` bytes.
    """
    status = path.stat()
    if kind := _kind_of(status.st_mode):
        raise OSError(errno.EINVAL, f"this is {kind}, which is never opened", str(path))
    if status.st_size > most:
        raise OSError(errno.EFBIG, f"the file has more than {most:,} bytes", str(path))
    return path.read_bytes()


def project_of(root: Path, path: Path) -> list[Path]:
    """The folders that links at `path` may lead to: `root`, and `path` if the settings place it elsewhere."""
    outside = not Path(os.path.abspath(path)).is_relative_to(os.path.abspath(root))  # noqa: PTH100  # keeps links
    return [root, path] if outside else [root]


def without_address(name: str, path: str) -> Problem | None:
    """A problem if the `path` of a page has bytes that are not UTF-8, so that no address leads to it."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return Problem(name, 0, 0, "", "the name is not UTF-8", "rename it", code=Code.NOT_READ)
    return None


def leads_out(path: Path, project: Iterable[Path]) -> bool:
    """Whether a link at or above `path` leads out of all folders of the project."""
    real = Path(os.path.realpath(path))
    return not any(real.is_relative_to(os.path.realpath(folder)) for folder in project)


def not_writable(path: Path, name: str, project: Iterable[Path]) -> Problem | None:
    """Why the file `name` must not be written: it is behind a link out of the project, or is not a file."""
    if leads_out(path, project):
        message, hint = "a link leads out of the project, so nothing is written here", "remove the link"
    elif path.exists() and not path.is_file():
        kind = _kind_of(path.stat().st_mode) or "a folder"
        message, hint = f"this is {kind}, so no file is written here", "remove it"
    else:
        return None
    return Problem(name, 0, 0, "", message, hint, code=Code.IN_THE_WAY)


def write_whole(file: Path, body: bytes) -> None:
    """Write beside the file, then rename; an interruption leaves nothing behind.

    A link is followed, so that it stays. That it may be is for the caller to know (`not_writable`).
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
    """Each folder below `folder` (`""`, `a/`, `a/b/`), and its files: name → size in bytes.

    Folders and names come in the order of code points, linked folders after all others. `label` is how
    problems name `folder`; `project` are the folders that links may lead to; files that end in one of
    `suffixes` are those that will be read. With `hidden`, names that begin with a dot are given, too. Of what
    `skip` is true for (a path; that of a folder ends with a slash), no problem is told.

    A problem is told of: a folder that can't be read, a link out of the project, a link to nothing, and
    what is neither file nor folder. None of these is given.
    """
    bounds = [Path(os.path.realpath(path)) for path in project]

    def refuse(path: str, message: str, hint: str) -> None:
        if not skip(path):
            name = "/".join(filter(None, (label, path))).rstrip("/")
            problems.add(Problem(name, 0, 0, "", message, hint, code=Code.NOT_READ))

    def outside(target: str) -> bool:
        return not any(Path(target).is_relative_to(bound) for bound in bounds)

    start = os.path.realpath(folder)
    if outside(start):
        refuse("", *_LEADS_OUT)
        return
    entered: set[str] = set()
    left, linked = [("", start)], list[tuple[str, str]]()
    while left or linked:
        below, real = left.pop() if left else linked.pop(0)
        if real in entered:
            continue
        entered.add(real)
        try:
            with os.scandir(real) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            refuse(below, f"the folder can't be read: {reason(error)}", "make it readable, or take it away")
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
                if link and outside(target):
                    if Path(target).is_dir():
                        refuse(f"{path}/", *_LEADS_OUT)
                    elif entry.name.lower().endswith(suffixes):
                        refuse(path, *_LEADS_OUT)
                    else:
                        files[entry.name] = 0  # it is not read, so nothing is shown
                    continue
                status = entry.stat()
            except OSError as error:
                refuse(path, f"this can't be read: {reason(error)}", "make it readable, or remove it")
                continue
            if stat.S_ISREG(status.st_mode):
                files[entry.name] = status.st_size
            elif not stat.S_ISDIR(status.st_mode):
                kind = _kind_of(status.st_mode) or "no file"
                refuse(path, f"this is {kind}, which is never opened", "put a file there, or remove it")
            elif not link:
                folders.append((f"{path}/", target))
            elif not Path(real).is_relative_to(target):  # else it leads to a folder around it
                linked.append((f"{path}/", target))
        left += reversed(folders)
        yield below, files
