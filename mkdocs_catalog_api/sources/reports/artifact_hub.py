"""Security reports of a package on Artifact Hub, https://artifacthub.io/docs/api/
(`…/packages/{package_id}/{version}/security-report`): a map from each image of a chart, written as the
chart writes it, to a complete report of Trivy. Also the data of the hub on one version of a chart
(`GET …/packages/helm/{repository}/{package}[/{version}]`).

Images without results are missing: the hub recognized nothing in them, or could not pull them. If no image
has results, the body is `null`, which is rejected, as it does not contain the scanned images. The response on
the package, saved next to the report, contains the scanned images and the time of the scan.
"""

from collections import Counter
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta, Raw, Struct
from msgspec.structs import replace

from ...catalog.scans import Coverage, Limit, Scan
from ...problems import RefusedError
from . import trivy
from .json_errors import damages, explain, repaired
from .normalise import DAMAGED, digests, text
from .repeated_keys import Occurrences

FOLDER = "hub"
"""Folder of hub reports in the reports folder: `hub/<repository>/<package>/<version>.json`."""
SUFFIX = ".package"
"""Suffix of the response on the package, saved next to its security report."""
DECODER = msgspec.json.Decoder(dict[str, Raw] | None)
_NOTHING: frozenset[Limit] = frozenset({"nothing-recognized"})


class HubImage(Struct):
    """An image in the list of a chart."""

    image: Annotated[str, Meta(min_length=1)]
    """The reference as in the chart; the key in the security report."""
    whitelisted: bool | None = None
    """Whether the publisher disabled scans of this image."""


class HubVersion(Struct):
    version: str


class HubPackage(Struct):
    """One version of a chart."""

    package_id: UUID
    version: str
    security_report_created_at: Annotated[int, Meta(ge=0, lt=2**37)] | None = None
    """Unix time of the scan of all images; None without a scan."""
    containers_images: list[HubImage] | None = None
    """None for an empty list; the same applies to the versions."""
    available_versions: list[HubVersion] | None = None

    @property
    def scanned_at(self) -> str | None:
        """Return the time of the scan in UTC to the second, `2026-11-20T06:00:00Z`."""
        seconds = self.security_report_created_at
        if seconds is None:
            return None
        return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat() + "Z"

    @property
    def scanned_images(self) -> list[str]:
        """Return the images that the hub scans, without duplicates."""
        images = (text(entry.image) for entry in self.containers_images or () if not entry.whitelisted)
        return list(dict.fromkeys(images))


_PACKAGE = msgspec.json.Decoder(HubPackage)


def read_package(data: bytes) -> HubPackage:
    """Decode the response on a package. Raises `RefusedError` for other content."""
    try:
        try:
            return _PACKAGE.decode(repaired(data))
        except msgspec.ValidationError as error:
            raise explain(error) from None
    except RefusedError as error:
        message = f"not a response on a package: {error.message}"
        raise RefusedError(message, "download it again", error.line, error.column) from None


def recognizes(document: dict[str, Raw] | None) -> bool:
    return any(_recognized(body) for body in (document or {}).values())


def _recognized(body: Raw) -> bool:
    """Whether it is a report, valid or damaged."""
    try:
        report = trivy.DECODER.decode(body)
    except msgspec.ValidationError as error:
        return damages(error)
    return report is not None and trivy.recognizes(report)


def read(document: dict[str, Raw] | None) -> list[Scan]:
    """Return one scan for each image. Raises `RefusedError` if a report is unreadable."""
    return [scan for image, body in (document or {}).items() for scan in _scans(text(image), body)]


def read_of_package(data: bytes, package: HubPackage) -> list[Scan]:
    """Return one scan for each image that the hub scanned, also for images without findings.

    Raises `RefusedError` if the document is not a security report.
    """
    try:
        document = DECODER.decode(data)
    except msgspec.ValidationError:
        raise RefusedError("not a security report of a package", "download it again") from None
    time = package.scanned_at
    scans = [replace(scan, scanned_at=scan.scanned_at or time) for scan in read(document)]
    if time is None:
        return scans
    reported = {reference for scan in scans for reference in scan.references}
    return scans + [
        Scan("", time, (image,), Coverage(digests([image]), limits=_NOTHING), None, (), inferred=True)
        for image in package.scanned_images
        if image not in reported
    ]


def keys_read(document: dict[str, Raw] | None) -> Occurrences:
    """Of all reports together."""
    sums = Counter[str]()
    for image, body in (document or {}).items():
        sums.update(trivy.keys_read(trivy.DECODER.decode(body)))
        sums[image] += 1
    return sums


def _scans(image: str, body: Raw) -> list[Scan]:
    try:
        report = trivy.DECODER.decode(body)
        if report is not None and not trivy.recognizes(report):
            raise RefusedError(f"`{image}` is not a report of Trivy", DAMAGED)
        scans = trivy.read(report)
    except RefusedError as error:
        if error.message.startswith(f"`{image}`"):
            raise
        raise RefusedError(f"{image}: {error.message}", error.hint) from None
    except msgspec.ValidationError as error:
        if not damages(error):
            raise RefusedError(f"`{image}` is not a report of Trivy", DAMAGED) from None
        fault = explain(error)
        raise RefusedError(f"{image}: {fault.message}", fault.hint) from None
    return [replace(scan.naming(*digests([image])), references=(image,)) for scan in scans]


FORMAT = trivy.FORMAT._replace(
    name="Artifact Hub",
    page="https://artifacthub.io",
    what="the security report of a chart: [`catalog-api sync`](#artifact-hub)",
    keys=(),
    decode=DECODER.decode,
    recognizes=recognizes,
    read=read,
    keys_read=keys_read,
    sample=b'{"ghcr.io/acme/web:1": ' + trivy.FORMAT.sample + b"}",
)
"""Its word is that of Trivy, as the hub publishes reports of Trivy."""
