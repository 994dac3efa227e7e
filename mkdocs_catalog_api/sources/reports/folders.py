"""Folders of files from outside: which of them may be read, and the scans of all reports."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from ...authored.folders import MAX_SIZE, project_of, walk
from ...catalog.names import Reference
from ...catalog.scans import Scan
from ...problems import Level, Problem, Problems, reason
from ...problems.codes import Code
from . import read_report
from .artifact_hub import FOLDER, SUFFIX
from .normalise import ReportError

_NOTHING_AT_ALL = (
    "the hub found nothing in any image of this chart",
    "it says the same when it could not pull an image: see the errors that it shows to the publisher",
)

_NOT_A_REPORT = "not read: the name of a report ends in .json"


def usable_files(
    folder: Path,
    label: str,
    root: Path,
    problems: Problems,
    *,
    suffixes: tuple[str, ...] = (".json",),
    max_size: int = MAX_SIZE,
    note: str = "",
) -> list[str]:
    """Paths of the files below the folder that may be read, in the order of code points.

    They have forward slashes. Left out are hidden files and folders, and what does not end in one of
    `suffixes` (in any case), for which `note` is the text of an INFO line, if given. A problem is added for
    each file of more than `max_size` bytes and for all that `walk` refuses; nothing is opened. `label` is
    how problems name the folder; `root` is the folder of mkdocs.yml: links may lead to what is in it and, of
    a folder that the settings place outside of it, to what is in that.
    """
    usable = []
    for below, files in walk(folder, label, project_of(root, folder), problems, suffixes=suffixes):
        for name, size in files.items():
            if not name.lower().endswith(suffixes):
                if note:
                    file = f"{label}/{below}{name}"
                    problems.add(Problem(file, 0, 0, "", note, level=Level.INFO, code=Code.NO_REPORT))
                continue
            if size > max_size:
                message = f"the file has {size:,} bytes and is not read: {max_size:,} are the limit"
                hint = "split it, or raise `security.max_report_size`"
                problems.add(Problem(f"{label}/{below}{name}", 0, 0, "", message, hint, code=Code.NOT_READ))
            else:
                usable.append(below + name)
    return sorted(usable)


def read_reports(
    folder: Path, label: str, root: Path, problems: Problems, max_size: int = MAX_SIZE
) -> list[Scan]:
    """The scans of all reports below `folder`, in the order of paths. Unreadable reports become problems.

    `label`, `root` and `max_size` as in `usable_files`.
    """
    scans: list[Scan] = []
    suffixes, errors = (".json", SUFFIX), problems.count(Level.ERROR)
    files = usable_files(
        folder, label, root, problems, suffixes=suffixes, max_size=max_size, note=_NOT_A_REPORT
    )
    paths = [path for path in files if not path.endswith(SUFFIX)]
    if not paths and problems.count(Level.ERROR) == errors:
        message = "the folder has no report, so no image has vulnerability data"
        hint = "save reports as <slug>/<version>.json there, or remove the folder"
        problems.add(Problem(label, 0, 0, "", message, hint, Level.WARNING, code=Code.NO_REPORT))
    for path in paths:
        file = f"{label}/{path}"
        try:
            package = _package(folder, path)
            report = read_report((folder / path).read_bytes(), package)
        except OSError as error:
            message = f"the report can't be read: {reason(error)}"
            problems.add(Problem(file, 0, 0, "", message, code=Code.NOT_READ))
        except ReportError as error:
            place = file, error.line, error.column
            problems.add(Problem(*place, "", str(error), error.hint, code=Code.BROKEN_REPORT))
        else:
            if report and all(scan.inferred for scan in report):
                note = Problem(file, 0, 0, "", *_NOTHING_AT_ALL, level=Level.INFO, code=Code.IN_PART)
                problems.add(note)
            # A hub's report is in the folder of its chart, so its path names no image.
            alone = len(report) == 1 and not package
            scans += [
                _placed(scan, file, path, position, alone=alone, of_hub=bool(package))
                for position, scan in enumerate(report)
            ]
    return scans


def _package(folder: Path, path: str) -> bytes:
    """The hub's answer about the package, saved beside its report; empty for any other report."""
    beside = folder / (path.removesuffix(".json") + SUFFIX)
    of_hub = path.startswith(f"{FOLDER}/") and beside.is_file()
    return beside.read_bytes() if of_hub else b""


def _placed(scan: Scan, file: str, path: str, position: int, *, alone: bool, of_hub: bool) -> Scan:
    """The scan with its place, and with what its references say of the image."""
    names: dict[tuple[str, str | None], None] = {}
    digests = set(scan.digests)
    unreadable: list[str] = []
    for text in scan.references:
        name, at, digest = text.partition("@")
        try:
            reference = Reference.parse(f"{name}{at}{digest.lower()}")
        except ValueError:  # a file name or an archive; then digests or the path must match
            unreadable.append(text)
            continue
        names[reference.repository, reference.tag if reference.digest else reference.tag_or_latest] = None
        if reference.digest:
            digests.add(reference.digest)
    return replace(
        scan,
        names=tuple(names),
        digests=frozenset(digests),
        unreadable=tuple(unreadable),
        file=file,
        path=path,
        position=position,
        alone=alone,
        of_hub=of_hub,
    )
