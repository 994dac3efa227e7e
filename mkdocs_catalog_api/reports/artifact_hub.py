"""Security reports of a package on Artifact Hub, https://artifacthub.io/docs/api/
(`…/packages/{package_id}/{version}/security-report`): a map from each image of a chart, written as the
chart writes it, to a whole report of Trivy.

An image without findings is absent. So is every image when nothing was found at all: the body is then
`null`, which alone cannot be told from an empty report of Trivy's first schema and is read as that. The
answer about the package, saved beside the report, says which images were scanned and when.
"""

from __future__ import annotations

from dataclasses import replace

from . import trivy
from .facts import ReportError, Scan
from .hub_package import HubPackage
from .normalise import DAMAGED, digests, mapping, text


def recognises(document: object) -> bool:
    return any(body is not None and trivy.recognises(body) for body in mapping(document).values())


def read(document: object) -> list[Scan]:
    """One scan per image. Raises `ReportError` when the report of one cannot be read."""
    return [scan for image, body in mapping(document).items() for scan in _scans(text(image), body)]


def read_of_package(document: object, package: HubPackage) -> list[Scan]:
    """One scan per image that the hub scanned, also of those in which it found nothing.

    Raises `ReportError` when the document is no security report.
    """
    if document is not None and not isinstance(document, dict):
        raise ReportError("no security report of a package", "fetch it again")
    time = package.scanned_at
    found = [replace(scan, scanned_at=scan.scanned_at or time) for scan in read(document)]
    if time is None:
        return found
    reported = {reference for scan in found for reference in scan.references}
    return found + [_nothing_found(image, time) for image in package.scanned_images if image not in reported]


def _nothing_found(image: str, time: str) -> Scan:
    return Scan("trivy", "", time, (image,), digests([image]), "", None, (), inferred=True)


def _scans(image: str, body: object) -> list[Scan]:
    if not trivy.recognises(body):
        raise ReportError(f"`{image}` holds no report of Trivy", DAMAGED)
    try:
        scans = trivy.read(body)
    except ReportError as error:
        raise ReportError(f"{image}: {error}", error.hint) from None
    return [replace(scan, references=(image,), digests=scan.digests | digests([image])) for scan in scans]
