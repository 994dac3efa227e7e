"""All reports below the reports folder: each read once for its metadata, and again when its image is written.

So every fault is known before anything is written, and one image's findings are in memory at a time.
"""

from __future__ import annotations

from io import FileIO
from pathlib import Path

from msgspec import Struct

from ..authored.folders import MAX_SIZE
from ..catalog.names import Reference
from ..catalog.scans import Finding, Scan, ScanMetadata
from ..codes import Code
from ..problems import Level, Problem, Problems, reason
from . import hub_package, read_report
from .folders import usable_files
from .normalise import ReportError

_NOTHING_AT_ALL = (
    "the hub found nothing in any image of this chart",
    "it says the same when it could not pull an image: see the errors that it shows to the publisher",
)


class Reports(Struct, frozen=True):
    """The scans of all reports below `folder`; `label` is how problems name the folder.

    Links are followed within `root`, the folder of mkdocs.yml; a file of more than `max_size` bytes is a
    problem.
    """

    folder: Path
    label: str
    root: Path
    max_size: int = MAX_SIZE

    def metadata(self, problems: Problems) -> list[ScanMetadata]:
        """What decides about each scan, in the order of paths. Unreadable reports become problems."""
        found: list[ScanMetadata] = []
        suffixes = (".json", hub_package.SUFFIX)
        files = usable_files(
            self.folder, self.label, self.root, problems, suffixes=suffixes, max_size=self.max_size
        )
        for path in files:
            if path.endswith(hub_package.SUFFIX):
                continue
            file = f"{self.label}/{path}"
            try:
                scans, of_hub = self._read(path)
            except OSError as error:
                problems.add(
                    Problem(file, 0, 0, "", f"the report can't be read: {reason(error)}", code=Code.NOT_READ)
                )
            except ReportError as error:
                problems.add(
                    Problem(
                        file, error.line, error.column, "", str(error), error.hint, code=Code.BROKEN_REPORT
                    )
                )
            else:
                if scans and all(scan.inferred for scan in scans):
                    problems.add(
                        Problem(file, 0, 0, "", *_NOTHING_AT_ALL, level=Level.INFO, code=Code.IN_PART)
                    )
                # A hub's report lies in the folder of its chart, so its path speaks for no image.
                alone = len(scans) == 1 and not of_hub
                found += [
                    _metadata(file, path, position, scan, alone, of_hub)
                    for position, scan in enumerate(scans)
                ]
        return found

    def findings(self, scans: tuple[ScanMetadata, ...]) -> list[Finding]:
        """What the scans of one release found, each finding with the place of its scan among them.

        Raises:
            OSError: a report can't be read any more.
        """
        found: list[Finding] = []
        for index, scan in enumerate(scans):
            start = len(found)
            found += self._again(scan).findings
            if index:
                for finding in found[start:]:
                    finding.scan = index
        return found

    def _again(self, scan: ScanMetadata) -> Scan:
        try:
            return self._read(scan.path)[0][scan.position]
        except (ReportError, IndexError):
            raise OSError(f"{scan.file} has changed while it was read; build again") from None

    def _read(self, path: str) -> tuple[list[Scan], bool]:
        """The scans in a report, and whether it is a hub's, with the answer about the package beside it."""
        package = b""
        if path.startswith(f"{hub_package.FOLDER}/"):
            beside = self.folder / (path.removesuffix(".json") + hub_package.SUFFIX)
            package = beside.read_bytes() if beside.is_file() else b""
        with FileIO(f"{self.folder}/{path}") as file:
            return read_report(file.readall(), package), bool(package)


def _metadata(file: str, path: str, position: int, scan: Scan, alone: bool, of_hub: bool) -> ScanMetadata:
    names: dict[tuple[str, str | None], None] = {}
    digests = set(scan.digests)
    for text in scan.references:
        try:
            reference = Reference.parse(text)
        except ValueError:  # a file name or an archive, say; then digests or the path must speak
            continue
        names[reference.repository, reference.tag if reference.digest else reference.tag_or_latest] = None
        if reference.digest:
            digests.add(reference.digest)
    return ScanMetadata(
        file=file,
        path=path,
        position=position,
        alone=alone,
        of_hub=of_hub,
        scanner=scan.scanner,
        scanner_version=scan.scanner_version,
        scanned_at=scan.scanned_at,
        names=tuple(names),
        digests=tuple(sorted(digests)),
        platform=scan.platform,
        os_end_of_life=scan.os_end_of_life,
        findings=len(scan.findings),
        inferred=scan.inferred,
        kind=scan.kind,
        system_only_named=scan.system_only_named,
    )
