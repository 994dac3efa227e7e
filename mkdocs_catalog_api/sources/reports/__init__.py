"""Reports of vulnerability scanners, and SBOMs; the format is detected from the content."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec
from msgspec.structs import replace

from ...catalog.scans import SEVERITIES, Finding, Scan
from ...problems import RefusedError
from . import artifact_hub
from .artifact_hub import HubPackage
from .formats import FORMATS, SBOM_FORMATS, SCANNERS
from .json_errors import damages, decode, explain, repaired
from .normalise import ReportFormat, text
from .others import other_file
from .repeated_keys import look_for_repeated, refuse_repeated

__all__ = ["FORMATS", "SCANNERS", "SEVERITIES", "Finding", "Scan", "read_report"]


_KEYS = msgspec.json.Decoder(dict[str, msgspec.Raw])


def read_report(data: bytes, package: HubPackage | None = None, *, lists: bool = True) -> list[Scan]:
    """Return the scans in one report: one for each image, so that only Artifact Hub has several; or an SBOM.

    `package` is the response of the hub on the package of the report, if there is one. Without `lists`, the
    packages of a scan are not read: that takes as long as all else. Raises `RefusedError`,
    and no other error, for bytes that are not a report.
    """
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _read(data, package, lists=lists)
    written, data = data, repaired(data)
    try:
        return _read(data, package, lists=lists, written=written)
    except msgspec.ValidationError as error:
        raise explain(error) from None


def _read(
    data: bytes, package: HubPackage | None, *, lists: bool, written: bytes | None = None
) -> list[Scan]:
    """Read a report. `written` are its bytes if `data` was repaired, which drops keys that stand twice."""
    if package:
        scans = artifact_hub.read_of_package(data, package)
        _refuse_repeated(artifact_hub.FORMAT, artifact_hub.DECODER.decode(data), data, written)
        return _with_scanner(artifact_hub.FORMAT, scans)
    for report_format in (*FORMATS, *SBOM_FORMATS):
        try:
            document = report_format.decode(data)
        except msgspec.ValidationError as error:
            if damages(error):  # this format, but damaged
                raise
            continue
        if report_format.recognizes(document):
            scans = report_format.read(document)
            if lists and report_format.contents:
                scans = [replace(scan, contents=report_format.contents(document)) for scan in scans]
            _check_keys(data, report_format)
            _refuse_repeated(report_format, document, data, written)
            return _with_scanner(report_format, scans)
    other = decode(data)
    if known := other_file(other):
        raise RefusedError(f"this is {known[0]}", known[1])
    raise RefusedError(
        f"not a report of a known scanner: {_outline(other)}",
        f"use a JSON report of {', '.join(report_format.name for report_format in FORMATS)}",
    )


def _refuse_repeated(report_format: ReportFormat, document: Any, data: bytes, written: bytes | None) -> None:
    keys = report_format.keys_read(document)
    if written is None:
        refuse_repeated(data, keys)
    else:
        look_for_repeated(written, keys)


def _check_keys(data: bytes, found: ReportFormat) -> None:
    """Raise `RefusedError` for a report that also has keys of another format: its findings would be lost."""
    with suppress(msgspec.ValidationError):  # a list
        top = _KEYS.decode(data) if found.keys else {}
        for other in FORMATS:
            if other is not found and any(key.startswith(other.keys) for key in top):
                names = f"{found.name} and {other.name}"
                raise RefusedError(f"a report of both {names}", "save each report in a file of its own")


def _with_scanner(report_format: ReportFormat, scans: list[Scan]) -> list[Scan]:
    """Return the scans with their scanner; SBOMs as they are."""
    scanner = SCANNERS.get(report_format.word)
    return [replace(scan, scanner=scanner) for scan in scans] if scanner else scans


def _outline(document: object) -> str:
    if isinstance(document, dict) and document:
        keys = ", ".join(f"`{text(key)[:40]}`" for key in list(document)[:5])
        return f"an object with {keys}{' …' if len(document) > 5 else ''}"
    return "a list" if isinstance(document, list) else "a single value"
