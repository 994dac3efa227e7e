"""What Artifact Hub says of one version of a chart, https://artifacthub.io/docs/api/
(`GET …/packages/helm/{repository}/{package}[/{version}]`), as far as anything is done with it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta, Struct

from .json_errors import mended
from .normalise import ReportError, text

FOLDER = "hub"
"""Folder of all hub reports below the reports folder: `hub/<repository>/<package>/<version>.json`."""
SUFFIX = ".package"
"""Ending of the answer about the package, saved beside the security report that belongs to it."""


class HubImage(Struct):
    """An image that the chart lists."""

    image: Annotated[str, Meta(min_length=1)]
    """The reference as the chart writes it; the key in the security report."""
    whitelisted: bool | None = None
    """The publisher asked the hub not to scan it."""


class HubVersion(Struct):
    """A version of the chart that the hub lists."""

    version: str


class HubPackage(Struct):
    """One version of a chart."""

    package_id: UUID
    version: str
    security_report_created_at: Annotated[int, Meta(ge=0, lt=2**37)] | None = None
    """Unix seconds of the scan of all its images; None when there was none."""
    containers_images: list[HubImage] | None = None
    """None for an empty list, as with the versions."""
    available_versions: list[HubVersion] | None = None

    @property
    def scanned_at(self) -> str | None:
        """UTC time of the scan to the second, `2026-11-20T06:00:00Z`."""
        seconds = self.security_report_created_at
        if seconds is None:
            return None
        return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat() + "Z"

    @property
    def scanned_images(self) -> list[str]:
        """The images that a scan of the hub covers, without duplicates."""
        images = (text(entry.image) for entry in self.containers_images or () if not entry.whitelisted)
        return list(dict.fromkeys(images))


_PACKAGE = msgspec.json.Decoder(HubPackage)


def read_package(data: bytes) -> HubPackage:
    """Raises `ReportError` for anything but an answer about a package."""
    try:
        return _PACKAGE.decode(mended(data))
    except ReportError as error:  # without its place, which is in another file than the report
        raise ReportError(f"no answer about a package: {error}", "fetch it again") from None
    except msgspec.ValidationError as error:
        said, _, where = str(error).partition(" - at ")
        fault = f"{where.replace('$.', '')}: {said}" if where else said
        raise ReportError(
            f"no answer about a package: {fault[:1].lower()}{fault[1:]}", "fetch it again"
        ) from None
