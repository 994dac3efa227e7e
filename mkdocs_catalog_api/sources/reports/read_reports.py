"""Finds the readable files in folders of untrusted files, and reads the scans of all reports."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from ...authored.folders import MAX_SIZE, read_file, walk
from ...authored.kept import KEPT
from ...catalog.scans import ImageName, Scan
from ...items.names import Reference
from ...problems import Level, Problem, Problems, RefusedError, reason
from ...problems.codes import Code
from . import read_report
from .artifact_hub import FOLDER, SUFFIX, read_package

_ARCHIVES = (".tar", ".tgz", ".tar.gz", ".oci")


def usable_files(
    folder: Path,
    label: str,
    problems: Problems,
    *,
    suffixes: tuple[str, ...] = (".json",),
    max_size: int = MAX_SIZE,
    kind: str = "report",
    code: Code = Code.BROKEN_REPORT,
) -> list[str]:
    """Return the paths of the readable files in the folder, in the order of code points.

    Paths have forward slashes. Hidden files and folders are left out. Files without one of `suffixes` (in any
    case) are not of this `kind`: an INFO line with this `code` names each. A problem is added for each file
    of more than `max_size` bytes and for what `walk` reports. No file is opened. `label` is the name of the
    folder in problems.
    """
    usable = []
    for below, files in walk(folder, label, problems):
        for name, size in files.items():
            if not name.lower().endswith(suffixes):
                file = f"{label}/{below}{name}"
                message = f"not read, because the name of a {kind} must end in .json"
                problems.add(Problem(file, 0, 0, "", message, level=Level.INFO, code=code))
                continue
            if size > max_size:
                message = f"not read, because the file has {size:,} bytes (limit: {max_size:,})"
                hint = "split it, or raise `security.max_report_size`"
                problems.add(Problem(f"{label}/{below}{name}", 0, 0, "", message, hint, code=Code.NOT_READ))
            else:
                usable.append(below + name)
    return sorted(usable)


_WITHOUT_LISTS = partial(read_report, lists=False)


def read_reports(
    folder: Path,
    label: str,
    problems: Problems,
    max_size: int = MAX_SIZE,
    *,
    lists: bool = True,
) -> list[Scan]:
    """Return the scans of all reports in `folder`, and SBOMs, in the order of paths. Invalid ones become
    problems.

    For `label` and `max_size`, see `usable_files`; for `lists`, `read_report`.
    """
    scans: list[Scan] = []
    suffixes, errors = (".json", SUFFIX), problems.count(Level.ERROR)
    files = usable_files(folder, label, problems, suffixes=suffixes, max_size=max_size)
    paths = [path for path in files if not path.endswith(SUFFIX)]
    packages = {path for path in files if path.endswith(SUFFIX)}
    """Responses of the hub on the packages of its reports."""
    if not paths and problems.count(Level.ERROR) == errors:
        message = "no reports found, so no image has vulnerability data"
        hint = "save reports as <slug>/<version>.json in this folder, or remove it"
        problems.add(Problem(label, 0, 0, "", message, hint, Level.WARNING, code=Code.BROKEN_REPORT))
    for path in paths:
        file = faulty = f"{label}/{path}"
        try:
            body = b""
            beside = path.removesuffix(".json") + SUFFIX
            if path.startswith(f"{FOLDER}/") and beside in packages:
                faulty = f"{label}/{beside}"
                body = read_file(folder / beside, None)
                package = read_package(body)
                faulty = file
                report = read_report(read_file(folder / path, None), package, lists=lists)
            else:
                report = KEPT.of_file(folder / path, read_report if lists else _WITHOUT_LISTS)
        except OSError as error:
            message = f"the report can't be read: {reason(error)}"
            problems.add(Problem(file, 0, 0, "", message, code=Code.NOT_READ))
        except RefusedError as error:
            problems.add(error.problem(faulty, Code.BROKEN_REPORT))
        else:
            # A report of a hub is in the folder of its chart, so its path does not contain an image.
            of_hub = path.startswith(f"{FOLDER}/")
            alone = not of_hub and (len(report) == 1 or all(scan.is_sbom for scan in report))
            scans += [
                _placed(scan, file, path, position, alone=alone, of_hub=of_hub)
                for position, scan in enumerate(report)
            ]
    return scans


def _reference(written: str) -> Reference | None:
    """Return a reference; one with capital letters is no valid name of a repository, but names one."""
    repository, colon, tag = written.rpartition(":")
    if not colon or "/" in tag:
        repository, tag = written, ""
    for text in (written, f"{repository.lower()}{colon if tag else ''}{tag}"):
        with suppress(ValueError):
            return Reference.parse(text)
    return None


def _placed(scan: Scan, file: str, path: str, position: int, *, alone: bool, of_hub: bool) -> Scan:
    """Return the scan with its place, and with the image in its references."""
    names: dict[ImageName, None] = {}
    digests: list[str] = []
    for text in scan.references:
        if text.lower().endswith(_ARCHIVES):
            continue
        name, at, digest = text.partition("@")
        reference = _reference(f"{name}{at}{digest.lower()}")
        if reference is None:  # a file name: digests or the path must match
            continue
        tag = reference.tag if reference.digest else reference.tag_or_latest
        host, slash, _ = name.partition("/")
        names[ImageName(reference.repository, tag, bool(slash) and ("." in host or ":" in host))] = None
        if reference.digest:
            digests.append(reference.digest)
    return replace(
        scan.naming(*digests),
        names=tuple(names),
        file=file,
        path=path,
        position=position,
        alone=alone,
        of_hub=of_hub,
    )
