"""Lists of a collection: the items that are shown at first, pages of 48 items, and filters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, cast

from ..catalog.grading import GRADES
from ..catalog.scans import COUNTERS
from ..items.collections import COLLECTIONS, ITEM_MODELS, WITH_DOCUMENTS
from ..items.fields import Rules
from ..items.shown import Shown, ShownField, shown_fields
from .overview import thousands
from .render import words
from .view import Item

PER_PAGE = 48
_FIGURES: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(WITH_DOCUMENTS, ("severity", "fix", "grade")),
    "vulnerabilities": ("severity", "fix"),
    "cves": ("severity", "exploited"),
}
"""Filters by computed values; models declare those by fields. Grades come after the first fields."""
_SCANNED = "scanned"
"""The filter of images by the reader's clock, after all others of the contract."""
_RESERVED = {
    *("find", "q", "sort", "view", "release", "id", _SCANNED),
    *(name for names in _FIGURES.values() for name in names),
    *(field.shown.filter for each in COLLECTIONS.values() for field in shown_fields(each.model)),
}
_ORDERS: Mapping[str, Sequence[str]] = {
    "severity": (*COUNTERS, "none"),
    "grade": (*GRADES, "not graded", "not scanned"),
}
_CHOICES: Mapping[str, Sequence[tuple[str, str]]] = {
    "fix": (("yes", "Only with a fix"),),
    "exploited": (("yes", "Known to be exploited"),),
    "scanned": (
        *(("7", "in the last 7 days"), ("30", "in the last 30 days")),
        *(("-30", "longer ago"), ("never", "never")),
    ),
}
_BY_NAME = (
    *(("name", "Name"), ("score", "Worst grade")),
    *(("-risk", "Most vulnerabilities"), ("-released", "Newest version")),
)
SORTS: Mapping[str, Sequence[tuple[str, str]]] = {
    **dict.fromkeys(WITH_DOCUMENTS, _BY_NAME),
    "images": (*_BY_NAME, ("size", "Smallest"), ("-size", "Largest")),
    "vulnerabilities": (("severity", "Severity"), ("-id", "Newest id"), ("pkg", "Package")),
    "cves": (("severity", "Severity"), ("-images", "Most images"), ("-id", "Newest id")),
    "updates": (("-checked", "Last checked"), ("application", "Application")),
    "roadmap": (("name", "Name"), ("category", "Category")),
}
"""Sort orders of a list, that of its rows first."""
_BOXES = ("fix", "exploited")
"""Filters with a single checkbox."""


class Filter(NamedTuple):
    name: str
    """As in the URL: `?grade=D,F`."""
    label: str
    choices: Sequence[tuple[str, str]]
    """Value in the URL, and its text."""
    counts: Mapping[str, int] = MappingProxyType({})
    """Value → number of items that have it; empty if only the script can count them."""


def filter_fields(resource: str, rules: Rules) -> dict[str, ShownField]:
    """Name of a filter → its field, those of the custom fields in `rules` last."""
    built_in = shown_fields(COLLECTIONS[resource].model) if resource in COLLECTIONS else ()
    return {field.shown.filter: field for field in (*built_in, *shown_rules(rules)) if field.shown.filter}


def shown_rules(rules: Rules) -> list[ShownField]:
    """Where pages show custom fields: all on the page of an item, some on cards and as filters."""
    shown = {
        name: Shown(
            page=words(name),
            card=words(name) if rule.card else "",
            caption=words(name).lower(),
            filter=name if rule.has_filter and name not in _RESERVED else "",
            order=rule.values or ("true", "false"),
            essential=rule.card,
        )
        for name, rule in rules.items()
    }
    return [
        ShownField(name, shown[name], "link" if rule.type == "url" and not rule.list else "text", custom=True)
        for name, rule in rules.items()
    ]


class CatalogList(NamedTuple):
    """A list, as its template shows it."""

    resource: str
    source: str
    """Address of the document with all rows."""
    items: Sequence[Item]
    """Items on this page."""
    total: int
    every: Sequence[Item]
    """Items on all pages."""
    scans: Sequence[str]
    """Times of the scans of images on all pages, in order."""
    available: bool
    """Whether it shows available items alone until a filter asks for others."""
    left_out: Sequence[Item]
    """Deprecated, withdrawn and planned items, which are shown on demand."""
    filters: Sequence[Filter]
    base: str
    """JSON object of the marker's filters: field → value."""
    limit: int | None
    facts: str
    """Slug, time of the scan, severities with a fix, days on which the newest release came and its
    support ends, of each image: `nginx=2026-11-01T06:00Z=ch=2026-10-30=;…`."""
    icons: str
    """Slugs with an icon in the file of logos, with spaces between."""
    page: int
    """Number of this page, from 1."""
    paths: str
    """JSON object of the filters whose field has another name: `{"fips": "custom.fips"}`."""
    pages: Sequence[str]
    """Address of each page, relative to the first."""
    size: int
    fields: Sequence[ShownField]
    """Fields with a column: those that an item has."""

    @property
    def noun(self) -> str:
        """One of its items in a sentence."""
        return COLLECTIONS[self.resource].one

    @property
    def column(self) -> bool:
        """Whether its filters are a column next to it on wide screens."""
        return bool(self.filters) and self.resource in ITEM_MODELS

    @property
    def clean(self) -> int:
        """Number of items that are scanned as a whole and have no known vulnerability."""
        return sum("none" in _figures("severity", item) for item in self.every)

    @property
    def unscanned(self) -> int:
        """Number of items without a scan, or of charts with a pin without one."""
        return sum(not cast(Item, item["security"])["scanned"] for item in self.every)

    @property
    def most(self) -> int | None:
        """The greatest number of open vulnerabilities of an item, None if nothing is scanned."""
        securities = (cast(Item, item["security"]) for item in (*self.every, *self.left_out))
        totals = [cast(int, each["total"]) for each in securities if each["total"] is not None]
        return max(totals, default=None)

    @property
    def others(self) -> str:
        """Summary of `left_out`: `3 deprecated and 1 withdrawn (50 images in all), 1 planned`."""
        counts = Counter(str(item["lifecycle"]) for item in self.left_out)
        planned = counts.pop("planned", 0)
        kept = " and ".join(f"{thousands(counts[word])} {word}" for word in sorted(counts))
        in_all = f"{kept} ({thousands(self.total + counts.total())} {self.resource} in all)" if kept else ""
        return ", ".join(filter(None, (in_all, f"{thousands(planned)} planned" if planned else "")))


def list_filters(resource: str, items: Sequence[Item], shown: Sequence[Item], rules: Rules) -> list[Filter]:
    """The filters of a list, those of the custom fields in `rules` last.

    Choices are those of all `items`, counts those of the items that the list shows at first.
    """
    by_field = filter_fields(resource, rules)
    first = [name for name, field in by_field.items() if field.shown.first]
    built_in = [name for name, field in by_field.items() if not field.custom]
    figures = _FIGURES.get(resource, ())
    scanned = [_SCANNED] if resource == "images" else []
    filters = []
    for name in dict.fromkeys([*figures[:2], *first, *figures, *built_in, *scanned, *by_field]):
        field = by_field.get(name)
        counted = items if name == "lifecycle" else shown
        counts = Counter(word for item in counted for word in _words(name, field, item))
        have = {word for item in items for word in _words(name, field, item)}
        order = field.shown.order if field else _ORDERS.get(name, ())
        ordered = [*(word for word in order if word in have), *sorted(have.difference(order))]
        choices = [*_CHOICES.get(name, ((word, _text(name, field, word)) for word in ordered))]
        if name == "lifecycle" and any(_ends(item) for item in items):
            choices.append(("ended", "support ended"))
        label = "Open vulnerabilities" if name == "severity" and "grade" in figures else words(name)
        if name != "exploited" or have:
            known = {} if name == _SCANNED else {word: counts[word] for word, _ in choices if word != "ended"}
            filters.append(Filter(name, label, choices, known))
    return [each for each in filters if len(each.choices) > 1 or each.name in _BOXES]


def used_fields(fields: Sequence[ShownField], items: Sequence[Item]) -> list[ShownField]:
    """The fields of lists that have a value in at least one item."""
    return [
        field
        for field in fields
        if field.shown.card and any(field.of(item) not in (None, False, "", []) for item in items)
    ]


def field_value(item: Item, name: str) -> object:
    """The value of a field of an item, built-in or custom."""
    return item[name] if name in item else cast(Item, item["custom"])[name]


def texts(value: object) -> Iterator[str]:
    """A value, or each of a list, as a marker and an address write it."""
    for entry in value if isinstance(value, list) else [value]:
        yield str(entry).lower() if isinstance(entry, bool) else str(entry)


def _text(name: str, field: ShownField | None, word: str) -> str:
    if field and field.custom:
        return {"true": "yes", "false": "no"}.get(word, word)
    if name != "severity":
        return word
    return "None known" if word == "none" else word.capitalize()


def _words(name: str, field: ShownField | None, item: Item) -> set[str]:
    """The values of an item for a filter."""
    if field is None:
        return {*_figures(name, item)}
    value = field.of(item)
    return set() if value is None else {*texts(value)}


def _ends(item: Item) -> bool:
    """Whether the newest release has an end of life; the script checks if it has passed."""
    versions = cast("Sequence[Item]", item.get("versions") or ())
    return bool(versions and versions[0].get("endOfLife"))


def _figures(name: str, item: Item) -> Iterable[str]:
    """The values of an item for a filter by a computed value."""
    security = item.get("security")
    if name == _SCANNED:
        return ()
    if name == "exploited":
        return ["yes"] if item.get("exploitedSince") else ()
    if not isinstance(security, dict):
        return [str(item["severity"]).lower()] if name == "severity" else ()
    if name == "fix":
        return ["yes"] if security["fixable"] else ()
    if name == "severity":
        none = security["total"] == 0 and security["grade"] is not None
        return ["none"] if none else [word for word in COUNTERS if security[word]]
    looked = security["scanned"] or security.get("pinsScanned")
    return [str(security["grade"] or ("not graded" if looked else "not scanned"))]
