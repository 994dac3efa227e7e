"""All reports below the reports folder: read once, parsed into the store, their heads kept for the join."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

from ..catalog.references import Reference
from ..catalog.scans import Finding, Scan, ScanHead
from ..catalog.vulnerabilities import counts, unite
from ..parallel import in_chunks
from ..problems import Level, Problem, Problems
from .folders import json_files
from .reports import hub_package, read_report
from .reports.facts import ReportError
from .store import Parsed, Store, compact, content_key

_NOTHING_AT_ALL = (
    "the hub found nothing in any image of this chart",
    "it says the same when it could not pull an image: see the errors that it shows to the publisher",
)


@dataclass(frozen=True, slots=True)
class _Read:
    path: str
    key: bytes
    heads: tuple[str, ...] = ()
    parsed: tuple[Parsed, ...] = ()
    problem: tuple[str, str] | None = None
    of_hub: bool = False


def index_reports(folder: Path, label: str, store: Path, problems: Problems) -> list[ScanHead]:
    """Read every report below `folder` into the store; `label` is how problems name the folder.

    Returns the heads of all scans in the order of paths. Unreadable reports become problems.
    """
    heads: list[ScanHead] = []
    work = partial(_read_chunk, folder, store)
    with Store(store) as kept:
        for chunk in in_chunks(work, json_files(folder), least=64):
            kept.put((read.key, read.parsed) for read in chunk if read.parsed)
            for read in chunk:
                file = f"{label}/{read.path}"
                if read.problem:
                    problems.add(Problem(file, 0, 0, "", *read.problem))
                # A hub's report lies in the folder of its chart, so its path speaks for no image.
                alone = len(read.heads) == 1 and not read.of_hub
                found = [_head(text, file, read, position, alone) for position, text in enumerate(read.heads)]
                if found and all(head.inferred for head in found):
                    problems.add(Problem(file, 0, 0, "", *_NOTHING_AT_ALL, level=Level.INFO))
                heads += found
    return heads


def _read_chunk(folder: Path, store: Path, paths: Sequence[str]) -> list[_Read]:
    with Store(store) as kept:
        return [_read_one(folder, kept, path) for path in paths]


def _read_one(folder: Path, store: Store, path: str) -> _Read:
    try:
        data, package = _content(folder, path)
    except OSError as error:
        return _Read(path, b"", problem=(f"the report can't be read: {error.strerror}", ""))
    key = content_key(package + data)
    heads = store.heads(key)
    if heads is not None:
        return _Read(path, key, tuple(heads), of_hub=bool(package))
    try:
        parsed = tuple(_parse(scan) for scan in read_report(data, package))
    except ReportError as error:
        return _Read(path, key, problem=(str(error), error.hint))
    return _Read(path, key, tuple(scan.head for scan in parsed), parsed, of_hub=bool(package))


def _content(folder: Path, path: str) -> tuple[bytes, bytes]:
    """The report, and of a hub's the answer about the package beside it, else nothing."""
    file = folder / path
    beside = file.with_suffix(hub_package.SUFFIX)
    of_hub = path.startswith(f"{hub_package.FOLDER}/") and beside.is_file()
    return file.read_bytes(), beside.read_bytes() if of_hub else b""


def _parse(scan: Scan) -> Parsed:
    names: dict[tuple[str, str | None], None] = {}
    digests = set(scan.digests)
    for text in scan.references:
        try:
            reference = Reference.parse(text)
        except ValueError:  # a file name or an archive, say; then digests or the path must speak
            continue
        tag = reference.tag or (None if reference.digest else "latest")
        names[reference.repository, tag] = None
        if reference.digest:
            digests.add(reference.digest)
    rows = unite(scan.findings)
    fixable, unfixable = counts(rows)
    ids = list(dict.fromkeys(row["id"] for row in rows))
    head = {
        "scanner": scan.scanner,
        "scannerVersion": scan.scanner_version,
        "scannedAt": scan.scanned_at,
        "names": list(names),
        "digests": sorted(digests),
        "platform": scan.platform,
        "osEndOfLife": scan.os_end_of_life,
        "findings": len(scan.findings),
        "fixable": fixable,
        "unfixable": unfixable,
        "unique": len(ids),
        "inferred": scan.inferred,
    }
    return Parsed(compact(head), compact(ids), compact(rows).encode(), compact(scan.findings).encode())


def _head(text: str, file: str, read: _Read, position: int, alone: bool) -> ScanHead:
    head = json.loads(text)
    return ScanHead(
        file=file,
        path=read.path,
        key=read.key,
        position=position,
        alone=alone,
        scanner=head["scanner"],
        scanner_version=head["scannerVersion"],
        scanned_at=head["scannedAt"],
        names=tuple((repository, tag) for repository, tag in head["names"]),
        digests=frozenset(head["digests"]),
        platform=head["platform"],
        os_end_of_life=head["osEndOfLife"],
        findings=head["findings"],
        fixable=tuple(head["fixable"]),
        unfixable=tuple(head["unfixable"]),
        unique=head["unique"],
        inferred=head["inferred"],
    )


class Reports:
    """Gives back what the store keeps of the scans of one reports folder."""

    def __init__(self, folder: Path, store: Path) -> None:
        self._folder, self._store = folder, Store(store)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.__exit__()

    def parsed(self, head: ScanHead) -> Parsed:
        """The stored scan; read again from its report should the store have lost it."""
        kept = self._store.parsed(head.key, head.position)
        if kept is not None:
            return kept
        return _parse(read_report(*_content(self._folder, head.path))[head.position])


def stored_findings(parsed: Parsed) -> list[Finding]:
    """The raw findings of a stored scan."""
    return [
        Finding(id_, severity, pkg, installed, fixed, title, url, target, tuple(aliases), purl)
        for id_, severity, pkg, installed, fixed, title, url, target, aliases, purl in json.loads(
            parsed.findings
        )
    ]
