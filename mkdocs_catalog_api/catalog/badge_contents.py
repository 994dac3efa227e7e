"""The tables of badges: a row for each, with its name and a function that computes its content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

from ..items.models import ChartEntry, ImageEntry, ListedEntry, PinningEntry
from ..items.names import badge_name, hub_name
from .assessment import Figures
from .grading import GRADES
from .populations import all_of, populations
from .value import Catalog, Image

# White text on each of them has a contrast of at least 4.5 : 1 (WCAG 2.2, success criterion 1.4.3).
_GREY, _BLUE = "#5f6b7a", "#1d6fb8"
_GREEN, _LIME, _OLIVE = "#15803d", "#4d7c0f", "#6d7400"
_AMBER, _ORANGE, _RED = "#a16207", "#c2410c", "#b91c1c"
_BY_WORST = (_RED, _ORANGE, _AMBER, _OLIVE, _OLIVE)
_BY_GRADE = dict(zip(GRADES, (_GREEN, _LIME, _OLIVE, _AMBER, _ORANGE, _RED), strict=True))


class BadgeContent(NamedTuple):
    label: str
    message: str
    color: str = _BLUE


ContentOfImage: TypeAlias = Callable[[Image, str], BadgeContent]
"""By the image and the time of the catalog's `newest_scan`. Without a value, the message says so."""


class ImageBadge(NamedTuple):
    description: str
    content: ContentOfImage


class Counted(NamedTuple):
    """What the badges of the whole catalog count: the items that are not planned."""

    images: Sequence[ImageEntry]
    pinning: Sequence[PinningEntry]
    figures: Sequence[Figures]
    """Of the scanned images' newest releases."""

    @property
    def items(self) -> list[ListedEntry]:
        return [*self.images, *self.pinning]


def badge_values(entry: ListedEntry) -> Iterator[tuple[str, str]]:
    """(field, value) of each field of an item whose values have badges."""
    for field in VALUE_BADGES:
        if value := getattr(entry, field, None):
            yield field, hub_name(value) if field == "hub" else value


def catalog_contents(catalog: Catalog) -> Iterator[tuple[str, BadgeContent]]:
    """Name and content of each badge of the whole catalog."""
    everything = populations(catalog).all
    counted = Counted(
        [image.entry for image in everything.images],
        [item.entry for item in all_of(catalog.pinning)],
        [figures for _, _, figures in everything.newest()],
    )
    for name, content in CATALOG_BADGES.items():
        yield name, content(counted)
    counts = Counter(chain.from_iterable(map(badge_values, counted.items)))
    listed = chain.from_iterable(catalog.with_documents.values())
    values = {each for item in listed for each in badge_values(item.entry)}
    for each, message in VALUE_BADGES.items():
        for value in sorted(value for field, value in values if field == each):
            yield badge_name(value), BadgeContent(value, message(counts[each, value], counted))


def _cves(label: str, figures: Sequence[Figures]) -> BadgeContent:
    if not figures:
        return BadgeContent(label, "not scanned", _GREY)
    totals = [sum(part) for part in zip(*(list(part.counters.values()) for part in figures), strict=True)]
    # Without a grade, zero vulnerabilities do not show that there are none.
    clean = _GREY if any(each.grade is None for each in figures) else _GREEN
    worst = next((color for color, count in zip(_BY_WORST, totals, strict=True) if count), clean)
    return BadgeContent(label, str(sum(totals)), worst)


def _architectures(counted: Counted) -> BadgeContent:
    """The architectures that all images have."""
    sets = [{name.partition("/")[2] for name in image.platforms} for image in counted.images]
    common = set.intersection(*sets) if sets else set()
    text, color = (" | ".join(sorted(common)), _BLUE) if common else ("none in common", _GREY)
    return BadgeContent("multi-arch", text, color)


def _license(counted: Counted) -> BadgeContent:
    licenses = {item.license for item in counted.items if item.license}
    if len(licenses) == 1:
        return BadgeContent("license", licenses.pop())
    return BadgeContent("licenses", str(len(licenses)))


IMAGE_BADGES: dict[str, ImageBadge] = {}
"""Name → badge of each image, in the order of this file."""


def _image_badge(name: str, description: str) -> Callable[[ContentOfImage], ContentOfImage]:
    """Add a function to `IMAGE_BADGES`."""

    def added(content: ContentOfImage) -> ContentOfImage:
        IMAGE_BADGES[name] = ImageBadge(description, content)
        return content

    return added


@_image_badge("cves", "Open vulnerabilities.")
def _image_cves(image: Image, _: str) -> BadgeContent:
    label, state = f"{image.entry.name} CVEs", _ungraded(image)
    return _cves(label, [image.figures]) if image.figures and not state else BadgeContent(label, state, _GREY)


@_image_badge("grade", "Letter for the worst of them.")
def _image_grade(image: Image, _: str) -> BadgeContent:
    grade = image.figures and image.figures.grade
    label, color = f"{image.entry.name} grade", _BY_GRADE[grade] if grade else _GREY
    return BadgeContent(label, grade or _ungraded(image), color)


@_image_badge("version", "The newest version.")
def _image_version(image: Image, _: str) -> BadgeContent:
    if not image.releases:
        return BadgeContent(image.entry.name, "no version", _GREY)
    return BadgeContent(image.entry.name, image.releases[0].entry.version)


def _ungraded(image: Image) -> str:
    """Why an image has no grade; empty if it has one."""
    if image.figures is None:
        return "not scanned"
    if image.figures.grade:
        return ""
    ended = "os-end-of-life" in image.releases[0].selection.limits
    return "not graded" if ended else "partly scanned"


CATALOG_BADGES: Mapping[str, Callable[[Counted], BadgeContent]] = {
    "images": lambda counted: BadgeContent("all images", str(len(counted.images))),
    "charts": lambda counted: BadgeContent(
        "all charts", str(sum(isinstance(entry, ChartEntry) for entry in counted.pinning))
    ),
    "cves": lambda counted: _cves("CVEs, all images", counted.figures),
    "multiarch": _architectures,
    "license": _license,
}
"""Name → content of each badge that every catalog has."""
VALUE_BADGES: Mapping[str, Callable[[int, Counted], str]] = {
    "base": lambda number, counted: f"{number} of {len(counted.images)} images",
    "signature": lambda number, counted: f"{number} of {len(counted.items)} signed",
    "hub": lambda number, _: f"{number} chart{'' if number == 1 else 's'}",
}
"""Field → message of the badge that each of its values has, by the number of items with this value."""
