"""Lists of a collection: what is shown first, its pages of 48, and what a reader can narrow it by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from ..authored.settings import ITEM_MODELS
from ..catalog.fields import CustomField
from ..catalog.grading import GRADES
from ..catalog.model import Model
from ..catalog.models import UpdateEntry
from ..catalog.scans import COUNTERS
from ..catalog.shown import ShownField, shown_fields
from .view import Item

PER_PAGE = 48
MODELS: Mapping[str, type[Model]] = dict([*ITEM_MODELS.items(), ("updates", UpdateEntry)])
_FIGURES: Mapping[str, Sequence[str]] = {
    "images": ("grade", "severity", "fix"),
    "charts": ("grade", "severity", "fix"),
    "vulnerabilities": ("severity", "fix"),
    "cves": ("severity", "fix", "exploited"),
}
"""Filters by what is computed. Those by fields are said in their models."""
_SCANNED = "scanned"
"""The filter of images by the reader's clock, after all others of the contract."""
_RESERVED = {
    *("find", "q", "sort", "view", "release", "id", _SCANNED),
    *(name for names in _FIGURES.values() for name in names),
    *(field.shown.filter for model in MODELS.values() for field in shown_fields(model)),
}
_ORDERS: Mapping[str, Sequence[str]] = {
    "severity": COUNTERS,
    "grade": (*GRADES, "not graded", "not scanned"),
}
_CHOICES: Mapping[str, Sequence[tuple[str, str]]] = {
    "fix": (("yes", "With a fix"),),
    "exploited": (("yes", "Known to be exploited"),),
    "scanned": (
        *(("7", "in the last 7 days"), ("30", "in the last 30 days")),
        *(("-30", "longer ago"), ("never", "never")),
    ),
}
_WORST = (("-risk", "Most vulnerabilities"), ("-released", "Newest version"))
SORTS: Mapping[str, Sequence[tuple[str, str]]] = {
    "images": (("name", "Name"), ("score", "Worst grade"), *_WORST),
    "charts": (("name", "Name"), ("score", "Worst grade"), *_WORST),
    "vulnerabilities": (("severity", "Severity"), ("-id", "Newest id"), ("pkg", "Package")),
    "cves": (("severity", "Severity"), ("-images", "Most images"), ("-id", "Newest id")),
    "updates": (("application", "Application"), ("-checked", "Last checked")),
    "roadmap": (("name", "Name"), ("category", "Category")),
}
"""What the list of a collection can be sorted by where no headings are shown, as cards and on phones."""
_BOXES = ("fix", "exploited")
"""What is either asked for or not."""


class Filter(NamedTuple):
    """One of the things that a list can be narrowed by."""

    name: str
    """As it stands in the address: `?grade=D,F`."""
    label: str
    choices: Sequence[tuple[str, str]]
    """Value in the address, and what people read."""


def filter_fields(resource: str) -> dict[str, ShownField]:
    """Name of a filter → the field that it is about."""
    fields = shown_fields(MODELS[resource]) if resource in MODELS else ()
    return {field.shown.filter: field for field in fields if field.shown.filter}


class CatalogList(NamedTuple):
    """A list, as its template shows it."""

    resource: str
    source: str
    """Address of the document with all of it."""
    items: Sequence[Item]
    """Those on this page."""
    total: int
    supported: bool
    """Whether it shows supported items alone until somebody asks for others."""
    left_out: Sequence[Item]
    """Deprecated, withdrawn and planned ones, which are shown when somebody asks for them."""
    filters: Sequence[Filter]
    base: str
    """JSON object of the fields that the marker has chosen by."""
    limit: int | None
    facts: str
    """Slug, time of the scan, severities with a fix and of older releases, and days on which the newest
    release came and its support ends, of each image: `nginx=2026-11-01T06:00Z=ch=chm=2026-10-30=;…`."""
    icons: str
    """Slugs with an icon in the file of logos, with spaces between."""
    page: int
    """Number of this page, from 1."""
    categories: str
    """JSON object of slug → categories, of the items whose document has another field of that name."""
    paths: str
    """JSON object of the filters whose field has another name: `{"platform": "platforms"}`."""
    pages: Sequence[str]
    """Address of each page, relative to the first."""
    size: int

    @property
    def others(self) -> str:
        """Those that are left out: `3 deprecated and 1 withdrawn (50 images in all), 1 planned`."""
        counts = Counter(str(item["lifecycle"]) for item in self.left_out)
        planned = counts.pop("planned", 0)
        kept = " and ".join(f"{counts[word]} {word}" for word in sorted(counts))
        in_all = f"{kept} ({self.total + counts.total()} {self.resource} in all)" if kept else ""
        return ", ".join(filter(None, (in_all, f"{planned} planned" if planned else "")))


def list_filters(resource: str, items: Sequence[Item], fields: Mapping[str, CustomField]) -> list[Filter]:
    """What tells the items apart, in the order of the contract, then the author's own fields."""
    by_field = filter_fields(resource)
    first = [name for name, field in by_field.items() if field.shown.first]
    figures = _FIGURES.get(resource, ())
    names = dict.fromkeys([*first, *figures, *by_field, *([_SCANNED] if resource == "images" else [])])
    offered = {
        name: _CHOICES.get(name) or [(word, word) for word in _words(name, by_field.get(name), items)]
        for name in names
    }
    if any(_ends(item) for item in items):
        offered["lifecycle"] = [*offered["lifecycle"], ("ended", "support ended")]
    if not any(item.get("exploited") for item in items):
        offered.pop("exploited", None)
    filters = [Filter(name, name.capitalize(), choices) for name, choices in offered.items()]
    for name, field in fields.items():
        if name not in _RESERVED and (field.type == "boolean" or field.values):
            have = {text for item in items for text in texts(item[name])}
            words = ("true", "false") if field.type == "boolean" else field.values
            choices = [
                (word, {"true": "yes", "false": "no"}.get(word, word)) for word in words if word in have
            ]
            if choices:
                filters.append(Filter(name, field.label or name.capitalize(), choices))
    return [each for each in filters if len(each.choices) > 1 or each.name in _BOXES]


def texts(value: object) -> Iterator[str]:
    """A value, or each of a list, as a marker and an address write it."""
    for entry in value if isinstance(value, list) else [value]:
        yield str(entry).lower() if isinstance(entry, bool) else str(entry)


def _words(name: str, field: ShownField | None, items: Sequence[Item]) -> list[str]:
    have = {word for item in items for word in (_figures(name, item) if field is None else _of(field, item))}
    order = _ORDERS.get(name, ()) if field is None else field.shown.order
    return [*(word for word in order if word in have), *sorted(have.difference(order))]


def _ends(item: Item) -> bool:
    """Whether the newest release has an end of life; the reader's clock says whether it is past."""
    versions = cast("Sequence[Item]", item.get("versions") or ())
    return bool(versions and versions[0].get("endOfLife"))


def _of(field: ShownField, item: Item) -> Iterable[str]:
    value = item[field.name]
    return () if value is None else texts(value)


def _figures(name: str, item: Item) -> Iterable[str]:
    """The words of an item for a filter by what is computed."""
    security = item.get("security")
    if name == "severity":
        if not isinstance(security, dict):
            return [str(item["severity"]).lower()]
        return [word for word in _ORDERS[name] if security[word]]
    figures = cast(Item, security)
    return [str(figures["grade"] or ("not scanned" if figures["total"] is None else "not graded"))]
