"""Reports of vulnerability scanners, told apart by their content.

A new format is one new file with `recognises` and `read`, and one row in `READERS`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from ...catalog.scans import SEVERITIES, Finding, Scan
from . import artifact_hub, grype, harbor, osv, trivy
from .json_errors import damages, decode, explain, mended
from .normalise import ReportError, mapping, text

__all__ = ["READERS", "SEVERITIES", "Finding", "Reader", "ReportError", "Scan", "read_report"]


class Reader(NamedTuple):
    name: str
    decode: Callable[[bytes], Any]
    """Strict in lists, rows and ids, which a report stands or falls with; all else may be of any type."""
    recognises: Callable[[Any], bool]
    read: Callable[[Any], list[Scan]]
    """Raises `ReportError` for a document that has the format's shape but cannot be counted on."""


READERS = (
    Reader("Trivy", trivy.DECODER.decode, trivy.recognises, trivy.read),
    Reader("Grype", grype.DECODER.decode, grype.recognises, grype.read),
    Reader("Harbor", harbor.DECODER.decode, harbor.recognises, harbor.read),
    Reader("OSV-Scanner", osv.DECODER.decode, osv.recognises, osv.read),
    Reader("Artifact Hub", artifact_hub.DECODER.decode, artifact_hub.recognises, artifact_hub.read),
)
"""Asked in this order; the first that recognises a document reads it."""


class Foreign(NamedTuple):
    """A known document that is no report, or none that can be read without guessing."""

    name: str
    recognises: Callable[[dict[str, object]], bool]
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
        return _read(data, package)
    data = mended(data)
    try:
        return _read(data, package)
    except msgspec.ValidationError as error:
        raise explain(error) from None


def _read(data: bytes, package: bytes) -> list[Scan]:
    if package:
        return artifact_hub.read_of_package(data, artifact_hub.read_package(package))
    for reader in READERS:
        try:
            document = reader.decode(data)
        except msgspec.ValidationError as error:
            if damages(error):  # of this format, but damaged
                raise
            continue
        if reader.recognises(document):
            return reader.read(document)
    other = decode(data)
    if other is None or other == {}:
        shown = "`null`" if other is None else "an empty object"
        raise ReportError(f"the report is {shown}, which does not say what was scanned", _NOTHING_SAID)
    for foreign in FOREIGN:
        if foreign.recognises(mapping(other)):
            raise ReportError(f"{foreign.name}, not a scanner's own report", foreign.hint)
    raise ReportError(
        f"no report of a known scanner: {_outline(other)}",
        f"reports in JSON are read of {', '.join(reader.name for reader in READERS)}",
    )


def _outline(document: object) -> str:
    """What a document looks like from outside, in a few words."""
    if isinstance(document, dict):
        keys = ", ".join(f"`{text(key)[:40]}`" for key in list(document)[:5])
        return f"an object with {keys}{' …' if len(document) > 5 else ''}"
    if isinstance(document, list):
        return "a list of something else" if document else "an empty list"
    return "a single value"
