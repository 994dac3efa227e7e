"""Security reports of a package on Artifact Hub, https://artifacthub.io/docs/api/
(`…/packages/{package_id}/{version}/security-report`): a map from each image of a chart, written as the
chart writes it, to a whole report of Trivy.

An image without findings is absent. So is every image when nothing was found at all: the body is then
`null`, which cannot be told from an empty report of Trivy's first schema and is read as that.
"""

from __future__ import annotations

from dataclasses import replace

from mkdocs_catalog_api.sources.reports import trivy
from mkdocs_catalog_api.sources.reports.facts import ReportError, Scan
from mkdocs_catalog_api.sources.reports.values import DAMAGED, digests, mapping, text


def recognises(document: object) -> bool:
    return any(body is not None and trivy.recognises(body) for body in mapping(document).values())


def read(document: object) -> list[Scan]:
    """One scan per image. Raises `ReportError` when the report of one cannot be read."""
    return [scan for image, body in mapping(document).items() for scan in _scans(text(image), body)]


def _scans(image: str, body: object) -> list[Scan]:
    if not trivy.recognises(body):
        raise ReportError(f"`{image}` holds no report of Trivy", DAMAGED)
    try:
        scans = trivy.read(body)
    except ReportError as error:
        raise ReportError(f"{image}: {error}", error.hint) from None
    return [replace(scan, references=(image,), digests=scan.digests | digests([image])) for scan in scans]
