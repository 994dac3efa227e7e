"""By which reference the newest release of an image or a chart is verified."""

from __future__ import annotations

from .models import ChartVersionEntry, VersionEntry


def image_reference(image: str, version: VersionEntry | None) -> str:
    """The newest release of an image, by its digest where it has exactly one, else by its tag."""
    if version is None:
        return image
    return f"{image}@{version.only_digest}" if version.only_digest else f"{image}:{version.version}"


def chart_reference(chart: str | None, version: ChartVersionEntry | None) -> str | None:
    """The newest release of a chart likewise; None when it lies in no OCI registry, where cosign looks."""
    if chart is None or chart.lower().startswith(("http://", "https://")):
        return None
    name = chart.removeprefix("oci://")
    if version is None or "@" in name or ":" in name.rpartition("/")[2]:
        return name
    # Helm writes the + of a version, which no tag may hold, as _.
    return f"{name}@{version.digest}" if version.digest else f"{name}:{version.version.replace('+', '_')}"
