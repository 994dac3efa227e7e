"""What stands in for each marker: its arguments are checked, its data chosen, its template rendered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from ..authored.messages import field_names, perhaps, resembling
from ..settings import Settings
from ..write import ItemDocuments, entry_models
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

    def __init__(self, settings: Settings, catalog: CatalogView, overrides: Path | None) -> None:
        self._env = environment(overrides)
        self._env.globals |= {"catalog": catalog, "settings": settings}
        self._catalog = catalog
        self._settings = settings
        self._filters = {
            name: [field for field in field_names(model) if field not in _NO_FILTER]
            for name, model in entry_models(settings).items()
        }

    def marker(self, marker: Marker, own: ItemDocuments | None, place: Place, level: int) -> str:
        """The HTML for a marker; `own` is the item whose page this is, `level` that of the next heading.

        Raises:
            MarkerError: an unknown marker or argument, a value that is probably misspelt, a bad template.
        """
        name, given = marker.name, dict(marker.arguments)
        if name not in VIEWS:
            raise _unknown(name, VIEWS, "marker")
        if name == "item":
            if own is None:
                hint = "it belongs on the page of an image, a chart or a roadmap item"
                raise MarkerError("`item` stands on a page that is no item's", hint)
            _reject(given, ())
            return self.item(own, place, level)
        context: dict[str, object] = {}
        if views := VIEWS[name]:
            context["view"] = view = given.pop("view", views[0])
            if view not in views:
                raise MarkerError(f"{view!r} is no view of {name}", perhaps(view, views, "one of"))
        if name in COLLECTIONS:
            context |= {"resource": name, "items": self._chosen(name, given)}
        elif name == "changes":
            limit = _limit(given)
            context["days"] = self._catalog.changes(10 if limit is None else limit)
            _reject(given, ())
        else:
            _reject(given, ("view",) if views else ())
        return self._render(name, place, level, context)

    def item(self, own: ItemDocuments, place: Place, level: int) -> str:
        """The catalog's part of an item's own page."""
        document = msgspec.to_builtins(own.document)
        context: dict[str, object] = {
            "item": document["data"],
            "document": document,
            "fields": getattr(self._settings, own.resource).fields,
        }
        if own.resource == "images":
            context["past"] = msgspec.to_builtins(own.history)
            context["until"] = own.recorded
            context["detail"] = msgspec.to_builtins(own.detail)
            context["badges"] = msgspec.to_builtins(own.badges)
            context["users"] = [{"name": c.entry.name, "url": place.page(c.page.url)} for c in own.users]
        return self._render(f"item-{own.resource}", place, level, context)

    def _render(self, name: str, place: Place, level: int, context: dict[str, object]) -> str:
        here: dict[str, object] = {"link": place.link, "absolute": place.absolute, "level": level}
        here["feed"] = place.file if self._settings.feeds and place.origin else lambda _: None
        return render(self._env, f"catalog/{name}.html", here | context)

    def _chosen(self, resource: str, arguments: dict[str, str]) -> Sequence[Item]:
        """The items of a collection that the arguments leave."""
        items: Sequence[Item] = getattr(self._catalog, resource)
        limit = _limit(arguments)
        names = self._filters[resource]
        _reject(arguments, ("view", "limit", *names))
        for name, wanted in arguments.items():
            left = [item for item in items if wanted in _texts(item[name])]
            if not left:
                _check_spelling(name, wanted, getattr(self._catalog, resource))
            items = left
        return items[:limit]


def _limit(arguments: dict[str, str]) -> int | None:
    limit = arguments.pop("limit", None)
    if limit is not None and not (limit.isascii() and limit.isdigit()):
        raise MarkerError(f"`limit` is {limit!r}", "write a number, as in limit=5")
    return None if limit is None else int(limit)


def _reject(given: Mapping[str, str], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            raise _unknown(name, known, "argument")


def _unknown(name: str, known: Mapping[str, object] | Sequence[str], what: str) -> MarkerError:
    near = resembling(name, known)
    hint = f"perhaps you mean `{near}`" if near else f"one of {', '.join(known)}" if known else "remove it"
    return MarkerError(f"no {what} is called `{name}`", hint)


def _texts(value: object) -> Iterator[str]:
    """A value, or each of a list, as a marker writes it."""
    for entry in value if isinstance(value, list) else [value]:
        yield str(entry).lower() if isinstance(entry, bool) else str(entry)


def _check_spelling(name: str, wanted: str, items: Sequence[Item]) -> None:
    """A word that nothing has is fine (nothing is held today), unless it is much like one that is there."""
    near = resembling(wanted, sorted({text for item in items for text in _texts(item[name])}))
    if near is not None:
        raise MarkerError(f"nothing has the {name} {wanted!r}", f"perhaps you mean {near!r}")
