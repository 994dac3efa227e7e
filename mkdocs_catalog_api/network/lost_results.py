"""A hub's newer report, with what it lost: nothing gets better because a report is gone."""

from __future__ import annotations

import msgspec

from ..sources.reports import read_report
from ..sources.reports.json_errors import decode
from ..sources.reports.normalise import mapping, text


def keep_lost_results(earlier: bytes, newer: bytes) -> tuple[bytes, list[str]]:
    """Two reports of one version of a chart as one: where an image is gone that had findings, all that the
    earlier report says of images which the newer one does not mention stays.

    Returns what to save in place of the newer report, and the images, sorted, that the earlier one found
    something in and that are gone from the newer one, or there without any result.

    The hub's answer that was saved with the earlier report goes on belonging to what is kept: its time says
    how old that is and, as it differs from the hub's, has the next run ask again.

    Raises:
        ReportError: one of them is no report.
    """
    images = mapping(decode(newer))
    found = {image for scan in read_report(earlier) if scan.findings for image in scan.references}
    said = {image: body for image, body in images.items() if _has_results(body)}
    lost = found - set(map(text, said))
    if not lost:
        return newer, []
    report = msgspec.json.encode(mapping(decode(earlier)) | said) if said else earlier
    return report, sorted(lost)


def _has_results(body: object) -> bool:
    """Whether Trivy looked into something; its first schema is the list of results itself."""
    return isinstance(body, list) or bool(mapping(body).get("Results"))
