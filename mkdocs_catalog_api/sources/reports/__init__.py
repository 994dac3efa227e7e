"""Reports of vulnerability scanners, told apart by their content."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from ...catalog.scans import SEVERITIES, Finding, Scan
from . import artifact_hub
from .formats import FORMATS, SCANNERS
from .json_errors import check_numbers, damages, decode, explain, mended
from .normalise import ReportError, mapping, text
from .report_format import ReportFormat

__all__ = ["FORMATS", "SCANNERS", "SEVERITIES", "Finding", "ReportError", "Scan", "read_report"]


class Foreign(NamedTuple):
    """A known document that is no report, or none that can be read without guessing."""

    name: str
    recognizes: Callable[[dict[str, object]], bool]
    hint: str


_NOTHING_SAID = (
    "look whether the scan ended with an error, and scan again; what a hub sends needs the `.package` file "
    "beside it, which `catalog-api fetch` brings"
)
_RESCAN = "write the report with `--format json`"
FOREIGN = (
    # It holds package and versions in free text only.
    Foreign("a SARIF file", lambda doc: "runs" in doc, _RESCAN),
    Foreign("a CycloneDX bill of materials", lambda doc: "bomFormat" in doc, _RESCAN),
    Foreign(
        "an SPDX bill of materials",
        lambda doc: "spdxVersion" in doc or "spdx.org" in text(doc.get("@context")),
        _RESCAN,
    ),
    Foreign(
        "an OpenVEX document",
        lambda doc: "openvex" in text(doc.get("@context")),
        "put it into the folder of VEX documents",
    ),
)


def read_report(data: bytes, package: bytes = b"") -> list[Scan]:
    """The scans in one report: one per image, so several only from Artifact Hub.

    `package` is the hub's answer about the package that the report belongs to, when there is one.
    Raises `ReportError`, and nothing else, for bytes that are not such a report.
    """
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        check_numbers(data)
        return _read(data, package)
    data = mended(data)
    try:
        return _read(data, package)
    except msgspec.ValidationError as error:
        raise explain(error) from None


def _read(data: bytes, package: bytes) -> list[Scan]:
    if package:
        scans = artifact_hub.read_of_package(data, artifact_hub.read_package(package))
        return _with_scanner(artifact_hub.FORMAT, scans)
    for report_format in FORMATS:
        try:
            document = report_format.decode(data)
        except msgspec.ValidationError as error:
            if damages(error):  # of this format, but damaged
                raise
            continue
        if report_format.recognizes(document):
            return _with_scanner(report_format, report_format.read(document))
    other = decode(data)
    if other is None or other == {}:
        shown = "`null`" if other is None else "an empty object"
        raise ReportError(f"the report is {shown}, which does not say what was scanned", _NOTHING_SAID)
    for foreign in FOREIGN:
        if foreign.recognizes(mapping(other)):
            raise ReportError(f"{foreign.name}, not a scanner's own report", foreign.hint)
    raise ReportError(
        f"no report of a known scanner: {_outline(other)}",
        f"reports in JSON are read of {', '.join(report_format.name for report_format in FORMATS)}",
    )


def _with_scanner(report_format: ReportFormat, scans: list[Scan]) -> list[Scan]:
    return [replace(scan, scanner=SCANNERS[report_format.word]) for scan in scans]


def _outline(document: object) -> str:
    """What a document looks like from outside, in a few words."""
    if isinstance(document, dict):
        keys = ", ".join(f"`{text(key)[:40]}`" for key in list(document)[:5])
        return f"an object with {keys}{' …' if len(document) > 5 else ''}"
    if isinstance(document, list):
        return "a list of something else" if document else "an empty list"
    return "a single value"
