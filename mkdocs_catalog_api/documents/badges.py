"""Badge payloads in the endpoint format of shields.io (https://shields.io/badges/endpoint-badge)."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from ..catalog import addresses
from ..catalog.badge_contents import CATALOG_BADGES, IMAGE_BADGES, BadgeContent, catalog_contents
from ..catalog.described import vocabulary
from ..catalog.populations import newest_scan
from ..catalog.published import Document
from ..catalog.value import Catalog, Image
from ..items.types import Slug, Text
from .kinds import SLUG, Documents, Kind, Parameter, Route

_LABEL_COLOR = "#2f3a45"  # as readable under white text as the colors of the contents
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


BADGES = Kind("badges", "badges", fixed=tuple(addresses.badge(name) for name in CATALOG_BADGES))
_BADGE = Parameter(
    "name", "Name of the badge, as in `badges` of `index.json`.", Annotated[Slug, Meta(examples=["cves"])]
)
_IMAGE_BADGES: Any = Literal.__getitem__((*IMAGE_BADGES,))
_IMAGE_BADGE = Parameter(
    "name",
    "Subject of the badge.",
    Annotated[_IMAGE_BADGES, vocabulary("ImageBadgeName", _IMAGE_BADGES)],
)


@BADGES.route(
    "badge/{name}.json",
    "getBadge",
    "One badge of the catalog",
    f"{', '.join(f'`{name}`' for name in CATALOG_BADGES)}, and one for each base, signing tool and "
    "chart hub: `badges` of `index.json` lists them. They count all images and charts but planned "
    "ones; `cves` is `total` of `security.json`. For a badge renderer's endpoint mode.",
    _BADGE,
    listed="badge",
)
class Badge(Document):
    """A badge in the endpoint format of shields.io."""

    schema_version: Annotated[Literal[1], "Version of the badge format."]
    label: Annotated[Text, "Left half."]
    message: Annotated[Text, "Right half."]
    color: Annotated[Text, "Color of the right half."]
    label_color: Annotated[Text, "Color of the left half."]
    named_logo: Annotated[Text, "Slug of simple-icons."]
    logo_color: Annotated[Text, "Color of the logo."]
    style: Annotated[Literal["for-the-badge"], "Shape of the badge."]
    cache_seconds: Annotated[Literal[3600], "Seconds for which renderers may keep it."]


BADGES.routes.append(
    Route(
        "badge/{slug}/{name}.json",
        "getImageBadge",
        "One badge of an image",
        f"{', '.join(f'`{name}`' for name in IMAGE_BADGES)} of one image, for a badge renderer's "
        "endpoint mode.",
        Badge,
        (SLUG, _IMAGE_BADGE),
        listed="imageBadge",
    )
)


def catalog_badges(catalog: Catalog) -> dict[str, Badge]:
    """Name → badge of the whole catalog."""
    return {name: _payload(name, content) for name, content in catalog_contents(catalog)}


def image_badges(image: Image, as_of: str) -> dict[str, Badge]:
    """Name → badge of one image; `as_of` is the time of the catalog's newest scan."""
    return {name: _payload(name, badge.content(image, as_of)) for name, badge in IMAGE_BADGES.items()}


def _payload(name: str, content: BadgeContent) -> Badge:
    return Badge(
        schema_version=1,
        label=content.label,
        message=content.message,
        color=content.color,
        label_color=_LABEL_COLOR,
        named_logo=LOGOS.get(name, OTHER_LOGO),
        logo_color="white",
        style="for-the-badge",
        cache_seconds=3600,
    )


@BADGES.generator
def _documents(catalog: Catalog) -> Documents:
    for name, badge in catalog_badges(catalog).items():
        yield addresses.badge(name), badge
    as_of = newest_scan(catalog)
    for image in catalog.images:
        for name, badge in image_badges(image, as_of).items():
            yield addresses.image_badge(image.entry.slug, name), badge
