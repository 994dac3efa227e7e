"""What Artifact Hub says of one version of a chart, https://artifacthub.io/docs/api/
(`GET …/packages/helm/{repository}/{package}[/{version}]`), as far as anything is done with it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from .facts import ReportError
from .json_errors import decode
from .normalise import text

FOLDER = "hub"
"""Folder of all hub reports below the reports folder: `hub/<repository>/<package>/<version>.json`."""
SUFFIX = ".package"
"""Ending of the answer about the package, saved beside the security report that belongs to it."""

_EmptyForNull = BeforeValidator(lambda value: [] if value is None else value)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class HubImage(_Part):
    """An image that the chart lists."""

    image: Annotated[str, BeforeValidator(text), Field(min_length=1)]
    """The reference as the chart writes it; the key in the security report."""
    whitelisted: bool | None = None
    """The publisher asked the hub not to scan it."""


class HubVersion(_Part):
    """A version of the chart that the hub lists."""

    version: str


class HubPackage(_Part):
    """One version of a chart."""

    package_id: UUID
    version: str
    security_report_created_at: Annotated[int, Field(ge=0, lt=2**37)] | None = None
    """Unix seconds of the scan of all its images; None when there was none."""
    containers_images: Annotated[list[HubImage], _EmptyForNull] = []
    available_versions: Annotated[list[HubVersion], _EmptyForNull] = []

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
        return list(dict.fromkeys(entry.image for entry in self.containers_images if not entry.whitelisted))


def read_package(data: bytes) -> HubPackage:
    """Raises `ReportError` for anything but an answer about a package."""
    try:
        return HubPackage.model_validate(decode(data))
    except ReportError as error:  # without its place, which is in another file than the report
        raise ReportError(f"no answer about a package: {error}", "fetch it again") from None
    except ValidationError as error:
        details = error.errors(include_url=False)[0]
        fault = "not an object" if details["type"] == "model_type" else details["msg"].lower()
        where = ".".join(map(str, details["loc"]))
        message = f"no answer about a package: {f'`{where}`: ' if where else ''}{fault}"
        raise ReportError(message, "fetch it again") from None
