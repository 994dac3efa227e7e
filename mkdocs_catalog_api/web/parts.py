"""What stands in for each marker: its arguments are checked, its data chosen, its template rendered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import msgspec
from pydantic import JsonValue

from ..authored.messages import field_names, resembling, suggestion
from ..authored.settings import Settings, item_fields
from ..catalog.fields import ItemFields
from ..catalog.model import Model
from ..catalog.scans import COUNTERS
from ..catalog.value import Catalog, Image
from . import lists
from .gathered import Gathered
from .item_pages import ItemPage, context
from .lists import Filter, texts
from .markers import Marker, MarkerError
from .render import Place, environment, render
from .view import CatalogView, Item

COLLECTIONS = ("images", "charts", "roadmap", "updates")
VIEWS: Mapping[str, Sequence[str]] = {
    "images": ("cards", "table"),
    "charts": ("cards", "table"),
    "roadmap": ("cards", "table"),
    "updates": ("table", "cards"),
    "security": ("full", "summary"),
    "cves": (),
    "badges": (),
    "counts": (),
    "item": (),
    "trend": (),
    "changes": (),
    "time-to-fix": (),
}
"""Marker → the views it has, the default first."""
_NO_FILTER = {"security", "versions", "digests", "url", "href"}


class Parts:
    """Renders the catalog's parts of pages."""

    def __init__(
        self, settings: Settings, catalog: Catalog | None, view: CatalogView, overrides: Path | None
    ) -> None:
        self._env = environment(overrides)
        self._gathered = Gathered.of(catalog)
        self._env.globals |= {"catalog": view, "settings": settings, "gathered": self._gathered}
        self._value, self._catalog, self._settings = catalog, view, settings
        self._users = catalog.users() if catalog else {}
        fields: Mapping[str, ItemFields[Model]] = catalog.fields if catalog else item_fields(settings)
        self._filters = {
            name: [field for field in (*field_names(each.model), *each.own.names) if field not in _NO_FILTER]
            for name, each in fields.items()
        }

    def marker(self, marker: Marker, own: ItemPage | None, place: Place, level: int) -> list[str]:
        """The HTML for a marker, and that of its further pages; `own` is the item whose page this is.

        `level` is that of the next heading.

        Raises:
            MarkerError: an unknown marker or argument, a value that is probably misspelt, a bad template.
        """
        name, arguments = marker.name, dict(marker.arguments)
        if name not in VIEWS:
            raise _unknown(name, VIEWS, "marker")
        if name == "item":
            if own is None:
                hint = "it belongs on the page of an image, a chart or a roadmap item"
                raise MarkerError("`item` stands on a page that is no item's", hint)
            _reject(arguments, ())
            return [self.item(own, place, level)]
        context: dict[str, object] = {}
        if views := VIEWS[name]:
            context["view"] = view = arguments.pop("view", views[0])
            if view not in views:
                raise MarkerError(f"{view!r} is no view of {name}", suggestion(view, views, "one of"))
        if name in COLLECTIONS:
            return [
                self._render(
                    name, place, level, context | {"resource": name, "list": one, "items": one.items}
                )
                for one in self._lists(name, arguments, place)
            ]
        if name == "changes":
            limit = _limit(arguments)
            context["days"] = self._catalog.changes(10 if limit is None else limit)
        _reject(arguments, ("view",) if views else ())
        if name == "security":
            context["ranked"] = [
                next(iter(self._pages(resource, _ranked(getattr(self._catalog, resource)), {}, None, place)))
                for resource in ("images", "charts")
            ]
        if name == "cves":
            found = self._pages("cves", self._cves(), {}, None, place, "cves/index.json", _MANY)
            return [self._render(name, place, level, {"list": one, "items": one.items}) for one in found]
        return [self._render(name, place, level, context)]

    def item(self, own: ItemPage, place: Place, level: int) -> str:
        """The catalog's part of an item's own page."""
        assert self._value is not None  # noqa: S101  # without a catalog no page is an item's
        values = context(self._value, own, self._users.get(own.slug, ()))
        values["fields"] = getattr(self._settings, own.resource).fields
        if isinstance(own.item, Image):
            values["filters"] = _of_rows(own.item)
        if own.resource == "charts":
            values["pins"] = self._pins(values["item"]["images"])
        return self._render(f"item-{own.resource}", place, level, values)

    def ids(self) -> list[str]:
        """Every id that the page of vulnerabilities has something to say of."""
        return [str(entry["id"]) for entry in self._cves()]

    def _cves(self) -> Sequence[Item]:
        index = cast(Mapping[str, Sequence[Item]], self._catalog.lookup("cves/index.json"))
        return index.get("data", ())

    def trail(self, own: ItemPage, place: Place) -> str:
        """The way back to the list of the item's collection; empty when no page lists it."""
        data = msgspec.to_builtins(own.data)
        return self._render("trail", place, 2, {"item": data, "resource": own.resource})

    def _render(self, name: str, place: Place, level: int, context: dict[str, object]) -> str:
        here: dict[str, object] = {
            "link": place.link,
            "absolute": place.absolute,
            "level": level,
            "place": place,
            "listing": place.listing,
            "feed": place.file if self._settings.feeds and place.origin else lambda _: None,
        }
        return render(self._env, f"catalog/{name}.html", here | context)

    def _lists(self, resource: str, arguments: dict[str, str], place: Place) -> Sequence[lists.List]:
        """The items of a collection that the arguments leave, as a list of pages."""
        items: Sequence[Item] = getattr(self._catalog, resource)
        limit = _limit(arguments)
        names = self._filters[resource]
        _reject(arguments, ("view", "limit", *names))
        for name, wanted in arguments.items():
            left = [item for item in items if wanted in texts(item[name])]
            if not left:
                _check_spelling(name, wanted, getattr(self._catalog, resource))
            items = left
        if resource == "updates":
            items = sorted(items, key=lambda item: str(item["checked"] or ""), reverse=True)
        return self._pages(resource, items[:limit], arguments, limit, place)

    def _pages(
        self,
        resource: str,
        items: Sequence[Item],
        base: Mapping[str, str],
        limit: int | None,
        place: Place,
        path: str = "",
        size: int = lists.PER_PAGE,
    ) -> Sequence[lists.List]:
        source = self._catalog.href(path or f"{resource}.json")
        fields = getattr(getattr(self._settings, resource, None), "fields", {})
        made = lists.pages(resource, source, items, base, limit, fields, self._gathered, place.stem, size)
        return [*made]

    def _pins(self, pins: Sequence[Item]) -> Sequence[Item]:
        """The pins of a chart, each with the figures of its release, the worst first."""
        found: list[Item] = [{**pin, "found": self._figures(pin)} for pin in pins]
        return sorted(found, key=lambda pin: _worst(cast("Item | None", pin["found"])))

    def _figures(self, pin: Item) -> JsonValue:
        return cast(JsonValue, self._gathered.releases.get((str(pin["slug"]), str(pin["version"]))))


_MANY = 240
"""Entries on a page of ids, which are short and many."""


def _worst(figures: Item | None) -> tuple[int, ...]:
    """Sorts the worst first, and what nobody has scanned last."""
    if figures is None or figures["total"] is None:
        return (1,)
    return (0, *(-cast(int, figures[word]) for word in COUNTERS))


def _ranked(items: Sequence[Item]) -> Sequence[Item]:
    return sorted(items, key=lambda item: _worst(cast(Item, item["security"])))


def _of_rows(image: Image) -> Sequence[Filter]:
    """What the vulnerabilities of an image can be narrowed by."""
    if not image.releases:
        return ()
    figures = [release.figures for release in image.releases if release.figures]
    have = [word for word in COUNTERS if any(each.counters[word] for each in figures)]
    severity = Filter("severity", "Severity", [(word, word) for word in have])
    fix = Filter("fix", "Fix", [("yes", "With a fix")])
    return [severity, fix] if len(have) > 1 else [fix]


def _limit(arguments: dict[str, str]) -> int | None:
    limit = arguments.pop("limit", None)
    if limit is not None and not (limit.isascii() and limit.isdigit()):
        raise MarkerError(f"`limit` is {limit!r}", "write a number, as in limit=5")
    return None if limit is None else int(limit)


def _reject(arguments: Mapping[str, str], known: Sequence[str]) -> None:
    for name in arguments:
        if name not in known:
            raise _unknown(name, known, "argument")


def _unknown(name: str, known: Mapping[str, object] | Sequence[str], what: str) -> MarkerError:
    near = resembling(name, known)
    hint = f"perhaps you mean `{near}`" if near else f"one of {', '.join(known)}" if known else "remove it"
    return MarkerError(f"no {what} is called `{name}`", hint)


def _check_spelling(name: str, wanted: str, items: Sequence[Item]) -> None:
    """A word that nothing has is fine (nothing is held today), unless it is much like one that is there."""
    near = resembling(wanted, sorted({text for item in items for text in texts(item[name])}))
    if near is not None:
        raise MarkerError(f"nothing has the {name} {wanted!r}", f"perhaps you mean {near!r}")
