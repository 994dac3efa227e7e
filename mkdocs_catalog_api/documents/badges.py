"""Badge payloads in the endpoint format of shields.io (https://shields.io/badges/endpoint-badge)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta

from ..catalog import addresses
from ..catalog.assessment import Figures
from ..catalog.badges import FIXED, PER_IMAGE, value_badges
from ..catalog.grading import GRADES
from ..catalog.models import ChartEntry, ImageEntry
from ..catalog.names import hub_name
from ..catalog.populations import all_of, populations
from ..catalog.published import Document, Slug, Text
from ..catalog.value import Catalog, Image
from ..catalog.vulnerabilities import vocabulary
from .kinds import SLUG, Documents, Kind, Parameter, Route

# White text on each of them has a contrast of at least 4.5 : 1 (WCAG 2.2, success criterion 1.4.3).
_GREY, _BLUE = "#5f6b7a", "#1d6fb8"
_GREEN, _LIME, _OLIVE = "#15803d", "#4d7c0f", "#6d7400"
_AMBER, _ORANGE, _RED = "#a16207", "#c2410c", "#b91c1c"
_LABEL_COLOR = "#2f3a45"
_BY_WORST = (_RED, _ORANGE, _AMBER, _OLIVE, _OLIVE)
_BY_GRADE = dict(zip(GRADES, (_GREEN, _LIME, _OLIVE, _AMBER, _ORANGE, _RED), strict=True))
# simple-icons has each of these; a name that it lacks would be dropped in silence.
LOGOS = {
    "images": "docker",
    "charts": "helm",
    "cves": "trivy",
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


class Badge(Document):
    """A badge in the endpoint format of shields.io."""

    schema_version: Annotated[Literal[1], Meta(description="Version of the badge format.")]
    label: Annotated[Text, Meta(description="Left half.")]
    message: Annotated[Text, Meta(description="Right half.")]
    color: Annotated[Text, Meta(description="Color of the right half.")]
    label_color: Annotated[Text, Meta(description="Color of the left half.")]
    named_logo: Annotated[Text, Meta(description="Slug of simple-icons.")]
    logo_color: Annotated[Text, Meta(description="Color of the logo.")]
    style: Annotated[Literal["for-the-badge"], Meta(description="Shape of the badge.")]
    cache_seconds: Annotated[Literal[3600], Meta(description="Seconds for which renderers may keep it.")]


class BadgeContent(NamedTuple):
    """What a badge shows."""

    name: str
    label: str
    message: str
    color: str

    def payload(self) -> Badge:
        """The document."""
        return Badge(
            schema_version=1,
            label=self.label,
            message=self.message,
            color=self.color,
            label_color=_LABEL_COLOR,
            named_logo=LOGOS.get(self.name, OTHER_LOGO),
            logo_color="white",
            style="for-the-badge",
            cache_seconds=3600,
        )


def catalog_badges(catalog: Catalog) -> dict[str, Badge]:
    """Name → badge of the whole catalog."""
    return {each.name: each.payload() for each in _contents(catalog)}


def image_badges(image: Image) -> dict[str, Badge]:
    """Name → badge of one image."""
    return {each.name: each.payload() for each in _image_contents(image)}


def _contents(catalog: Catalog) -> Iterator[BadgeContent]:
    everything = populations(catalog).all
    images = [image.entry for image in everything.images]
    charts = [chart.entry for chart in all_of(catalog.charts)]
    items: list[ImageEntry | ChartEntry] = [*images, *charts]
    yield BadgeContent("images", "all images", str(len(images)), _BLUE)
    yield BadgeContent("charts", "all charts", str(len(charts)), _BLUE)
    scanned = [figures for _, _, figures in everything.newest()]
    yield _cves("cves", "CVEs, all images", scanned)
    yield BadgeContent("multiarch", "multi-arch", *_architectures([image.platforms for image in images]))
    licenses = {item.license for item in items if item.license}
    if len(licenses) == 1:
        yield BadgeContent("license", "license", licenses.pop(), _BLUE)
    else:
        yield BadgeContent("license", "licenses", str(len(licenses)), _BLUE)
    signed = Counter(item.signature for item in items)
    bases = Counter(image.base for image in images)
    hubs = Counter(hub_name(chart.hub) for chart in charts if chart.hub)
    for name, value, kind in value_badges(
        [image.entry for image in catalog.images], [chart.entry for chart in catalog.charts]
    ):
        match kind:
            case "base":
                yield BadgeContent(name, value, f"{bases[value]} of {len(images)} images", _BLUE)
            case "signature":
                share = f"{signed[value]} of {len(images) + len(charts)} signed"
                yield BadgeContent(name, value, share, _BLUE)
            case _:
                yield BadgeContent(
                    name, name, f"{hubs[value]} charts" if hubs[value] != 1 else "1 chart", _BLUE
                )


def _image_contents(image: Image) -> Iterator[BadgeContent]:
    name, newest = image.entry.name, image.figures
    if newest and newest.grade is None:
        yield BadgeContent("cves", f"{name} CVEs", _ungraded(image), _GREY)
    else:
        yield _cves("cves", f"{name} CVEs", [newest] if newest else [])
    if newest is None:
        yield BadgeContent("grade", f"{name} grade", "not scanned", _GREY)
    elif newest.grade is None:
        yield BadgeContent("grade", f"{name} grade", _ungraded(image), _GREY)
    else:
        yield BadgeContent("grade", f"{name} grade", newest.grade, _BY_GRADE[newest.grade])
    version = image.releases[0].entry.version if image.releases else None
    yield BadgeContent("version", name, version or "no version", _BLUE if version else _GREY)


def _cves(name: str, label: str, figures: Sequence[Figures]) -> BadgeContent:
    if not figures:
        return BadgeContent(name, label, "not scanned", _GREY)
    totals = [sum(part) for part in zip(*(list(part.counters.values()) for part in figures), strict=True)]
    # Without a grade, zero vulnerabilities do not show that there are none.
    clean = _GREY if any(each.grade is None for each in figures) else _GREEN
    worst = next((color for color, count in zip(_BY_WORST, totals, strict=True) if count), clean)
    return BadgeContent(name, label, str(sum(totals)), worst)


def _ungraded(image: Image) -> str:
    selection = image.releases[0].selection
    ended = selection.limits == ["os-end-of-life"] and not selection.missing
    return "not graded" if ended else "partly scanned"


def _architectures(platforms: Sequence[Sequence[str]]) -> tuple[str, str]:
    """The architectures that all images have."""
    sets = [{name.partition("/")[2] for name in names} for names in platforms]
    common = set.intersection(*sets) if sets else set()
    return (" | ".join(sorted(common)), _BLUE) if common else ("none in common", _GREY)


def _documents(catalog: Catalog) -> Documents:
    for name, badge in catalog_badges(catalog).items():
        yield addresses.badge(name), badge
    for image in catalog.images:
        for name, badge in image_badges(image).items():
            yield addresses.image_badge(image.entry.slug, name), badge


_BADGE = Parameter(
    "name", "Name of the badge, as in `badges` of `index.json`.", Annotated[Slug, Meta(examples=["cves"])]
)
_IMAGE_BADGES: Any = Literal.__getitem__(PER_IMAGE)
_IMAGE_BADGE = Parameter(
    "name",
    "Subject of the badge.",
    Annotated[_IMAGE_BADGES, vocabulary("ImageBadgeName", _IMAGE_BADGES)],
)
BADGES = Kind(
    "badges",
    routes=(
        Route(
            "badge/{name}.json",
            "getBadge",
            "badges",
            "One badge of the catalog",
            "`images`, `charts`, `cves`, `multiarch`, `license`, and one for each base, signing tool and "
            "chart hub: `badges` of `index.json` lists them. They count all images and charts but planned "
            "ones; `cves` is `total` of `security.json`. For a badge renderer's endpoint mode.",
            Badge,
            (_BADGE,),
            listed="badge",
            goes_with="contents",
        ),
        Route(
            "badge/{slug}/{name}.json",
            "getImageBadge",
            "badges",
            "One badge of an image",
            "The vulnerabilities, grade or version of one image, for a badge renderer's endpoint mode.",
            Badge,
            (SLUG, _IMAGE_BADGE),
            listed="imageBadge",
            goes_with="image",
        ),
    ),
    documents=_documents,
    fixed=tuple(addresses.badge(name) for name in FIXED),
)
