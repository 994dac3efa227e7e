"""References and commands for the newest release of an image or a chart."""

from __future__ import annotations

import shlex

from ..items.models import ImageEntry, ListedEntry, PinningVersionEntry, VersionEntry


def image_reference(image: str, version: VersionEntry | None) -> str:
    """The newest release of an image, by its digest where it has exactly one, else by its tag."""
    if version is None:
        return image
    return f"{image}@{version.only_digest}" if version.only_digest else f"{image}:{version.version}"


def newest_reference(entry: ListedEntry) -> str | None:
    """The newest release of an item, as cosign verifies it; None if it can't."""
    if isinstance(entry, ImageEntry):
        if entry.image is None:
            return None
        return image_reference(entry.image, entry.versions[0] if entry.versions else None)
    return pinning_reference(entry.reference, entry.versions[0] if entry.versions else None)


def pinning_reference(name: str | None, version: PinningVersionEntry | None) -> str | None:
    """The newest release of an item in an OCI registry; None elsewhere, since cosign only supports these."""
    if name is None or _is_classic(name):
        return None
    name = name.removeprefix("oci://")
    if version is None or "@" in name or ":" in name.rpartition("/")[2]:
        return name
    # A tag can't contain the + of a version; Helm replaces it with _.
    return f"{name}@{version.digest}" if version.digest else f"{name}:{version.version.replace('+', '_')}"


def install_command(name: str, chart: str, version: str) -> str | None:
    """The Helm command that installs a version of a chart, quoted for a POSIX shell; None without a scheme,
    since Helm takes that for a path.
    """
    if "://" not in chart:
        return None
    place = [name, "--repo", chart] if _is_classic(chart) else [chart]
    return shlex.join(["helm", "install", name, *place, "--version", version])


def _is_classic(chart: str) -> bool:
    """Whether a chart is in a repository with an `index.yaml` rather than in an OCI registry."""
    return chart.lower().startswith(("http://", "https://"))
