"""Badge payloads in the endpoint format of shields.io (https://shields.io/badges/endpoint-badge)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import UNSET, Struct

from ..catalog.join import Catalog, Image
from ..catalog.models import ChartEntry, ImageEntry
from ..catalog.names import FIXED_BADGES, badge_name, hub_name
from .security import SecurityFigures
from .structs.discovery import Badge as Payload

FIXED = FIXED_BADGES
EXPLOITED = "exploited"
"""The badge of catalogs that know what is exploited."""
PER_IMAGE = ("cves", "grade", "version")

# White text on each of them has a contrast of at least 4.5 : 1 (WCAG 2.2, success criterion 1.4.3).
_GREY, _BLUE = "#5f6b7a", "#1d6fb8"
_GREEN, _LIME, _OLIVE = "#15803d", "#4d7c0f", "#6d7400"
_AMBER, _ORANGE, _RED = "#a16207", "#c2410c", "#b91c1c"
_LABEL_COLOR = "#2f3a45"
_BY_WORST = (_RED, _ORANGE, _AMBER, _OLIVE, _OLIVE)
_BY_GRADE = {"A+": _GREEN, "A": _LIME, "B": _OLIVE, "C": _AMBER, "D": _ORANGE, "F": _RED}
# simple-icons has each of these; a name that it lacks would be dropped in silence.
LOGOS = {
    "images": "docker",
    "charts": "helm",
    "cves": "trivy",
    "exploited": "trivy",
    "grade": "trivy",
    "license": "spdx",
    "alpine": "alpinelinux",
    "arch": "archlinux",
    "rhel": "redhat",
    "ubi": "redhat",
    "wolfi": "chainguard",
} | {
    name: name
    for name in (
        *("almalinux", "archlinux", "artifacthub", "centos", "chainguard", "debian", "fedora", "nixos"),
        *("opensuse", "photon", "redhat", "rockylinux", "suse", "ubuntu"),
    )
}
OTHER_LOGO = "opencontainersinitiative"


class BadgeStyle(Struct, frozen=True):
    """What the settings say about one badge; `svg` is the content of its logo's file."""

    label: str | None = None
    color: str | None = None
    label_color: str | None = None
    logo: str | None = None
    svg: str | None = None
    logo_color: str | None = None


class Badge(Struct, frozen=True):
    """A badge before its style is applied."""

    name: str
    label: str
    message: str
    color: str

    def payload(self, style: BadgeStyle) -> Payload:
        """The document: no null, no other keys, never both kinds of logo."""
        named = style.logo or LOGOS.get(self.name, OTHER_LOGO)
        return Payload(
            schema_version=1,
            label=style.label or self.label,
            message=self.message,
            color=style.color or self.color,
            label_color=style.label_color or _LABEL_COLOR,
            named_logo=UNSET if style.svg else named,
            logo_color=UNSET if style.svg else style.logo_color or "white",
            logo_svg=style.svg or UNSET,
            style="for-the-badge",
            cache_seconds=3600,
        )


def value_names(catalog: Catalog) -> Iterator[tuple[str, str, str]]:
    """(badge name, value, what it is) for each distinct base, signature and hub of the catalog."""
    images = [image.entry for image in catalog.images]
    charts = [chart.entry for chart in catalog.charts]
    both: list[ImageEntry | ChartEntry] = [*images, *charts]
    for base in sorted({image.base for image in images if image.base}):
        yield badge_name(base), base, "base"
    for signature in sorted({item.signature for item in both if item.signature}):
        yield badge_name(signature), signature, "signature"
    for hub in sorted({hub_name(chart.hub) for chart in charts if chart.hub}):
        yield hub, hub, "hub"


def catalog_badges(
    catalog: Catalog, newest: Mapping[str, SecurityFigures | None], *, exploited: bool
) -> Iterator[Badge]:
    """The badges of the whole catalog; `newest` has the figures of each image's newest version, `exploited`
    says whether it is known what is exploited.
    """
    images = [image.entry for image in catalog.images]
    charts = [chart.entry for chart in catalog.charts]
    both: list[ImageEntry | ChartEntry] = [*images, *charts]
    yield Badge("images", "images", str(len(images)), _BLUE)
    yield Badge("charts", "charts", str(len(charts)), _BLUE)
    counted = [newest[image.slug] for image in images if image.lifecycle != "planned"]
    yield _cves("cves", "CVEs", [found for found in counted if found])
    if exploited:
        yield _exploited([found.exploited for found in counted if found and found.exploited is not None])
    yield Badge("multiarch", "multi-arch", *_architectures([image.platforms for image in images]))
    licenses = {item.license for item in both}
    if len(licenses) == 1:
        yield Badge("license", "license", licenses.pop(), _BLUE)
    else:
        yield Badge("license", "licenses", str(len(licenses)), _BLUE)
    signed = Counter(item.signature for item in both)
    bases = Counter(image.base for image in images)
    hubs = Counter(hub_name(chart.hub) for chart in charts if chart.hub)
    for name, value, kind in value_names(catalog):
        match kind:
            case "base":
                yield Badge(name, value, f"{bases[value]} of {len(images)} images", _BLUE)
            case "signature":
                share = f"{signed[value]} of {len(images) + len(charts)} signed"
                yield Badge(name, value, share, _BLUE)
            case _:
                yield Badge(name, name, f"{hubs[value]} charts" if hubs[value] != 1 else "1 chart", _BLUE)


def image_badges(image: Image, newest: SecurityFigures | None) -> Iterator[Badge]:
    """The three badges of one image."""
    name = image.entry.name
    if newest and newest.grade is None:
        yield Badge("cves", f"{name} CVEs", _ungraded(newest), _GREY)
    else:
        yield _cves("cves", f"{name} CVEs", [newest] if newest else [])
    if newest is None:
        yield Badge("grade", f"{name} grade", "not scanned", _GREY)
    elif newest.grade is None:
        yield Badge("grade", f"{name} grade", _ungraded(newest), _GREY)
    else:
        yield Badge("grade", f"{name} grade", newest.grade, _BY_GRADE[newest.grade])
    version = image.releases[0].entry.version if image.releases else None
    yield Badge("version", name, version or "no release", _BLUE if version else _GREY)


def _cves(name: str, label: str, found: Sequence[SecurityFigures]) -> Badge:
    if not found:
        return Badge(name, label, "not scanned", _GREY)
    totals = [sum(part) for part in zip(*(list(part.counters.values()) for part in found), strict=True)]
    # Nothing found in what is not graded proves nothing.
    clean = _GREY if any(one.grade is None for one in found) else _GREEN
    worst = next((color for color, count in zip(_BY_WORST, totals, strict=True) if count), clean)
    return Badge(name, label, str(sum(totals)), worst)


def _exploited(found: Sequence[int]) -> Badge:
    if not found:
        return Badge(EXPLOITED, "known exploited", "not scanned", _GREY)
    return Badge(EXPLOITED, "known exploited", str(sum(found)), _RED if sum(found) else _GREEN)


def _ungraded(found: SecurityFigures) -> str:
    return "partly scanned" if found.in_part else "not graded"


def _architectures(platforms: Sequence[Sequence[str]]) -> tuple[str, str]:
    """The architectures that every image is built for."""
    sets = [{name.partition("/")[2] for name in names} for names in platforms]
    common = set.intersection(*sets) if sets else set()
    return (" | ".join(sorted(common)), _BLUE) if common else ("none in common", _GREY)
