"""Security reports of a package on Artifact Hub, https://artifacthub.io/docs/api/
(`…/packages/{package_id}/{version}/security-report`): a map from each image of a chart, written as the
chart writes it, to a whole report of Trivy.

An image without findings is absent. So is every image when nothing was found at all: the body is then
`null`, which alone does not tell what was scanned and is refused. The answer about the package, saved beside
the report, says which images were scanned and when.
"""

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from ...catalog.scans import Scan
from . import trivy
from .hub_package import HubPackage
from .json_errors import damages, explain
from .normalise import DAMAGED, ReportError, digests, text

DECODER = msgspec.json.Decoder(dict[str, Raw] | None)


def recognizes(document: dict[str, Raw] | None) -> bool:
    return any(_recognized(body) for body in (document or {}).values())


def _recognized(body: Raw) -> bool:
    """Whether it is a report, sound or damaged."""
    try:
        report = trivy.DECODER.decode(body)
    except msgspec.ValidationError as error:
        return damages(error)
    return report is not None and trivy.recognizes(report)


def read(document: dict[str, Raw] | None) -> list[Scan]:
    """One scan per image. Raises `ReportError` when the report of one cannot be read."""
    return [scan for image, body in (document or {}).items() for scan in _scans(text(image), body)]


def read_of_package(data: bytes, package: HubPackage) -> list[Scan]:
    """One scan per image that the hub scanned, also of those in which it found nothing.

    Raises `ReportError` when the document is no security report.
    """
    try:
        document = DECODER.decode(data)
    except msgspec.ValidationError:
        raise ReportError("no security report of a package", "fetch it again") from None
    time = package.scanned_at
    found = [replace(scan, scanned_at=scan.scanned_at or time) for scan in read(document)]
    if time is None:
        return found
    reported = {reference for scan in found for reference in scan.references}
    return found + [_nothing_found(image, time) for image in package.scanned_images if image not in reported]


def _nothing_found(image: str, time: str) -> Scan:
    return Scan("", time, (image,), digests([image]), "", None, (), inferred=True)


def _scans(image: str, body: Raw) -> list[Scan]:
    try:
        report = trivy.DECODER.decode(body)
        if report is not None and not trivy.recognizes(report):
            raise ReportError(f"`{image}` holds no report of Trivy", DAMAGED)
        scans = trivy.read(report)
    except ReportError as error:
        if str(error).startswith(f"`{image}`"):
            raise
        raise ReportError(f"{image}: {error}", error.hint) from None
    except msgspec.ValidationError as error:
        if not damages(error):
            raise ReportError(f"`{image}` holds no report of Trivy", DAMAGED) from None
        found = explain(error)
        raise ReportError(f"{image}: {found}", found.hint) from None
    return [replace(scan, references=(image,), digests=scan.digests | digests([image])) for scan in scans]


FORMAT = trivy.FORMAT._replace(
    name="Artifact Hub",
    page="https://artifacthub.io",
    what="the security report of a chart: [`catalog-api fetch`](#scans-from-artifact-hub)",
    decode=DECODER.decode,
    recognizes=recognizes,
    read=read,
    sample=b'{"ghcr.io/acme/web:1": ' + trivy.FORMAT.sample + b"}",
)
"""With the word of Trivy, whose reports the hub passes on."""
