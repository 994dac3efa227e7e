"""Replace each marker: check its arguments, choose its data, and render its template."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, cast

import msgspec
from markupsafe import Markup

from ..authored.kept import KEPT
from ..authored.messages import models_in, resembling, suggestion
from ..authored.settings import DEFAULT_MAX_AGE, Settings, item_fields
from ..authored.site import Site
from ..catalog.markdown import plain_text, safe_html
from ..catalog.package_urls import Package, plain_version
from ..catalog.populations import newest_scan
from ..catalog.scans import COUNTERS
from ..catalog.value import Catalog, Image, Pin, PinningItem, Release, RoadmapItem
from ..catalog.vulnerabilities import Vulnerability
from ..documents.badges import image_badges
from ..documents.collection_pages import item_document
from ..documents.history import image_history
from ..documents.items import verify
from ..documents.sboms import sbom_document
from ..documents.security import detail
from ..documents.slim import slim_names, slim_path
from ..items.base_model import Model
from ..items.collections import COLLECTIONS, ITEM_MODELS, PINNING, WITH_DOCUMENTS
from ..items.fields import ItemFields, closed_words
from ..items.shown import shown_fields
from ..problems import RefusedError
from .answer import image_answer, pinning_answer
from .lists import (
    PER_PAGE,
    SORTS,
    CatalogList,
    Filter,
    field_value,
    filter_fields,
    list_filters,
    shown_rules,
    texts,
    used_fields,
)
from .logos import SPRITE, Logos
from .markers import Marker
from .overview import thousands
from .render import Place, environment, render, templates_changed
from .replaced_words import read_words, replace_words
from .timeline import timeline
from .view import CatalogView, Item


class MarkerKind(NamedTuple):
    shows: str
    """As in the guide."""
    views: Sequence[str] = ()
    """The default first."""


MARKERS: Mapping[str, MarkerKind] = {
    **{
        each.name: MarkerKind("the collection, with search and filters", each.views)
        for each in COLLECTIONS.values()
    },
    "security": MarkerKind(
        "an answer, five counts, trend, grades and times to fix, then images and charts, the worst first",
        ("full", "summary"),
    ),
    "cves": MarkerKind("every vulnerability id, and who has one, or a package"),
    "badges": MarkerKind("the catalog's badges, with the Markdown to copy"),
    "counts": MarkerKind("numbers of items, versions and vulnerabilities"),
    "item": MarkerKind("the item, on its own page"),
    "trend": MarkerKind("open vulnerabilities on the recorded days"),
    "changes": MarkerKind("what happened on the recorded days"),
    "time-to-fix": MarkerKind("how fast vulnerabilities were fixed"),
}
SECTIONS = ("overview", "images", "releases", "vulnerabilities", "packages", "compare", "history", "badges")
"""Parts of an item's page that the marker `item` can leave out, as in `hide=compare,badges`."""
_VALUES = 10
"""A warning names this many values of a field."""
_IDS_PER_PAGE = 240
"""Ids are short and many."""
_PACKAGES_SHOWN = 500
"""Of an image whose SBOM is not published."""
_USERS = 4
"""This many items that use an image are named in its essentials."""
_RELEASES_AT_ONCE, _RELEASES_OF_A_LINE = 12, 5
"""Of an image with more than the first number, each line shows this many; the others are folded."""


class ItemPage(NamedTuple):
    item: Image | PinningItem | RoadmapItem
    data: Item
    """The item as it is published."""

    @property
    def resource(self) -> str:
        return self.item.collection

    @property
    def slug(self) -> str:
        return self.item.entry.slug

    def findable(self, *, packages: bool) -> str:
        """Text for the search index: name, description, categories, versions, and vulnerable packages.

        The packages are those of the newest release. Ids of vulnerabilities are found on their own page.
        """
        entry = self.item.entry
        words = [
            COLLECTIONS[self.resource].noun,
            entry.name,
            plain_text(entry.description),
            *entry.categories,
        ]
        words += getattr(entry, "replaces", ())
        if not isinstance(self.item, RoadmapItem):
            words += [version.version for version in self.item.entry.versions]
        if packages and isinstance(self.item, Image) and self.item.newest and self.item.newest.assessment:
            words += dict.fromkeys(row.pkg for row in self.item.newest.assessment.rows)
        return " ".join(filter(None, words))


def item_pages(view: CatalogView) -> dict[str, ItemPage]:
    """Address below the site's root → item whose own page is there."""
    return {
        item.page.url: ItemPage(item, data)
        for resource, listed in (view.value.items if view.value else {}).items()
        for item, data in zip(listed, getattr(view, resource), strict=True)
        if item.page is not None and item.page.own
    }


class Parts:
    """Renders the catalog's parts of pages."""

    def __init__(self, settings: Settings, view: CatalogView, site: Site) -> None:
        catalog = view.value
        self._env, self._words = environment(site.custom_dir), read_words(site)
        self.logos = Logos(site.theme_dirs, (item for name in ITEM_MODELS for item in getattr(view, name)))
        self._facts = {image.entry.slug: _facts(image) for image in catalog.images} if catalog else {}
        self._env.globals |= {
            "catalog": view,
            "settings": settings,
            "logos": self.logos,
            "SPRITE": SPRITE,
            "DEFAULT_MAX_AGE": DEFAULT_MAX_AGE,
            "USERS": _USERS,
        }
        self._env.globals |= {"SORTS": SORTS, "PINNING": PINNING, "WITH_DOCUMENTS": WITH_DOCUMENTS}
        self._view, self._settings = view, settings
        self._as_of = newest_scan(catalog) if catalog else ""
        self._values: tuple[ItemPage | None, dict[str, Any]] = (None, {})
        """The item whose page is being filled, and the values of its templates."""
        self._users = catalog.users() if catalog else {}
        self._since = {
            (statement.document, id_, statement.status): statement.timestamp[:10]
            for statement in (catalog.statements if catalog else ())
            for id_ in statement.ids
            if statement.timestamp
        }
        """Document, id and status of a VEX statement → day since which it holds."""
        fields: Mapping[str, ItemFields[Model]] = catalog.fields if catalog else item_fields(settings)
        self._rules = {name: each.own.rules for name, each in fields.items()}
        self._filters = {
            name: {
                field: closed_words(info.annotation)
                for field, info in each.infos().items()
                if not models_in(info.annotation)
            }
            for name, each in fields.items()
        }
        """Collection → its fields, each with the words that it can have; none if it can have any."""
        self._shown = {
            name: [*shown_fields(each.model), *shown_rules(self._rules[name])]
            for name, each in COLLECTIONS.items()
        }
        self._env.globals["shown"] = self._shown
        self._changed = templates_changed(site.custom_dir)

    def marker(self, marker: Marker, own: ItemPage | None, place: Place, level: int) -> list[str]:
        """The HTML for a marker, and that of its further pages; `own` is the item whose page this is.

        `level` is that of the next heading. Raises `RefusedError` for an unknown marker or argument, and for
        a bad template.
        """
        name, arguments = marker.name, dict(marker.arguments)
        if name not in MARKERS:
            raise _unknown(name, MARKERS, "marker")
        if name == "item":
            if own is None:
                hint = "move it to the page of an image, a chart or a roadmap item"
                raise RefusedError("`item` is on a page that does not belong to an item", hint)
            return [self.item(own, place, level, sections(arguments))]
        values: dict[str, object] = {}
        if views := MARKERS[name].views:
            values["view"] = view = arguments.pop("view", views[0])
            if view not in views:
                raise RefusedError(f"{name} has no view {view!r}", suggestion(view, views, "one of"))
        if name in COLLECTIONS:
            pages = self._collection(name, arguments, place)
            values["resource"] = name
            return [
                self._render(_template(name), place, level, values | {"list": page, "items": page.items})
                for page in pages
            ]
        if name == "changes":
            limit = _limit(arguments)
            values["days"] = self._view.changes(10 if limit is None else limit)
        _reject(arguments, ("view",) if views else ())
        if name == "security":
            values["ranked"] = [
                self._pages(resource, sorted(getattr(self._view, resource), key=_rank), {}, None, place)[0]
                for resource in WITH_DOCUMENTS
            ]
        if name == "cves":
            pages = self._pages("cves", self._cves(), {}, None, place, "cves/index.json", _IDS_PER_PAGE)
            return [self._render(name, place, level, {"list": page, "items": page.items}) for page in pages]
        return [self._render(name, place, level, values)]

    def unmatched(self, marker: Marker) -> Iterator[RefusedError]:
        """A warning for each filter with a value that no item has, unless the field's own words allow it."""
        items: Sequence[Item] = getattr(self._view, marker.name) if marker.name in COLLECTIONS else ()
        for name in marker.arguments.keys() & self._filters.get(marker.name, {}) if items else ():
            wanted, allowed = marker.arguments[name], self._filters[marker.name][name]
            values = sorted({text for item in items for text in texts(field_value(item, name))} - {"None"})
            if wanted not in (*values, *allowed):
                known = [*values[:_VALUES], "…"] if len(values) > _VALUES else values
                near = resembling(wanted, values)
                hint = f"did you mean `{near}`?" if near else f"there are {', '.join(known) or 'no values'}"
                yield RefusedError(f"no {COLLECTIONS[marker.name].one} has the {name} {wanted!r}", hint)

    def item(self, own: ItemPage, place: Place, level: int, shown: Sequence[str] = SECTIONS) -> str:
        """The catalog's part of an item's own page."""
        values = {"resource": own.resource, "sections": shown}
        return self._of_item(f"item-{_template(own.resource)}", own, place, level, values)

    def head(self, own: ItemPage, place: Place, title: str, shown: Sequence[str], *, lead: bool) -> str:
        """The header of an item's page, around its title, with links to the sections that it has.

        `lead` adds the description.

        The title is empty if another generator has written it; logo and breadcrumb are then left out.
        """
        text = Markup(safe_html(own.item.entry.description or "")) if lead else ""  # noqa: S704  # it is safe
        values = {"title": Markup(title), "lead": text, "resource": own.resource, "sections": shown}  # noqa: S704
        return self._of_item("item-head", own, place, 2, values)

    def _of_item(self, name: str, own: ItemPage, place: Place, level: int, more: Mapping[str, object]) -> str:
        """The HTML of one of the templates of items, which show nothing but these values.

        The author's templates may show anything, so that theirs is made in each build.
        """
        values = {**self._item_values(own), **more}
        if self._changed is None:
            return self._render(name, place, level, values)
        site = self._words, self._settings, self._shown, self.logos.icons, self._changed
        sources = values, place, level, *site
        of = name, own.resource, own.slug, place.language
        return KEPT.of_equal(of, sources, lambda: self._render(name, place, level, values))

    def ids(self) -> list[str]:
        """The ids that the page of vulnerabilities covers, with their other names."""
        entries = [(str(entry["id"]), cast(Sequence[str], entry["aliases"])) for entry in self._cves()]
        return [name for id_, aliases in entries for name in (id_, *aliases)]

    @cached_property
    def packages(self) -> list[str]:
        """The packages whose images that page shows."""
        index = cast(Mapping[str, Sequence[Item]], self._view.lookup("packages/index.json"))
        return [str(entry["name"]) for entry in index.get("data", ()) if entry["href"]]

    def _item_values(self, own: ItemPage) -> dict[str, Any]:
        if self._values[0] is not own:
            assert self._view.value is not None  # noqa: S101  # without a catalog, no page belongs to an item
            self._values = (own, self._new_values(self._view.value, own))
        return self._values[1]

    def _new_values(self, catalog: Catalog, own: ItemPage) -> dict[str, Any]:
        values: dict[str, Any] = {"item": own.data}
        if isinstance(own.item, RoadmapItem):
            return values
        values["document"] = msgspec.to_builtins(item_document(catalog, own.item, own.data))
        others: Sequence[Item] = getattr(self._view, own.resource)
        instead = (other for other in others if other["slug"] == own.data["replacedBy"])
        values["instead"] = next(instead, None)
        max_age, addresses = self._settings.security.max_age, catalog.addresses
        values |= {"reference": own.item.entry.reference, "verify": verify(own.item.entry)}
        if isinstance(own.item, Image):
            image, history = own.item, catalog.history
            record = history.images.get(own.slug) if history else None
            values["past"] = msgspec.to_builtins(image_history(own.slug, record)) if record else None
            values["until"] = history.last if history else None
            values["detail"] = msgspec.to_builtins(detail(image)) if image.releases else None
            values["badges"] = msgspec.to_builtins(image_badges(image, self._as_of))
            users = self._users.get(own.slug, ())
            values["users"] = [
                {"name": item.entry.name, "url": addresses.web(item.page.url)} for item in users
            ]
            values["since"] = self._since
            values["groups"], values["older"] = _folded(_release_groups(catalog, image))
            values["platforms"] = _platforms(image)
            values["former"] = [
                {
                    "version": former.version,
                    "digest": former.digest,
                    "until": former.until,
                    "present": image.release(former.label).entry.only_digest if former.label else None,
                    "updates": (updates := _updates(catalog, image, former.release)),
                    "advice": "; ".join(update.version + update.effect for update in updates),
                }
                for former in catalog.former
                if former.slug == own.slug
            ]
            values["packages"] = _packages(image)
            values["contents"] = [sbom_document(catalog, own.slug, release) for release in image.releases]
            values["filters"] = _row_filters(image)
            values["timeline"] = timeline(image, self._as_of)
            values["answers"] = [
                image_answer(image, release, users, self._as_of, max_age)
                for release in image.releases or (None,)
            ]
        else:
            pins = zip(cast(Sequence[Item], own.data["images"]), own.item.pins, strict=True)
            images = {image.entry.slug: image for image in catalog.images}
            with_figures = [
                {
                    **published,
                    "found": _figures(pin),
                    "page": addresses.web(images[pin.slug].page.url) if pin.slug in images else None,
                    "latest": self._view.image(pin.slug)["latest"] if pin.slug in images else None,
                    "listed": pin.former.label if pin.former else pin.version,
                    "former": pin.former is not None,
                }
                for published, pin in pins
            ]
            values["pins"] = sorted(with_figures, key=lambda pin: _worst(pin["found"]))
            values["answers"] = [pinning_answer(own.item, self._as_of, max_age)]
        return values

    def _cves(self) -> Sequence[Item]:
        index = cast(Mapping[str, Sequence[Item]], self._view.lookup("cves/index.json"))
        return index.get("data", ())

    def _render(self, name: str, place: Place, level: int, values: Mapping[str, object]) -> str:
        context = {
            "link": place.link,
            "absolute": place.absolute,
            "level": level,
            "place": place,
            "listing": place.listing,
            "feed": place.file if self._settings.feeds and place.origin else lambda _: None,
            **values,
        }
        return replace_words(render(self._env, f"catalog/{name}.html", context), self._words)

    def _collection(self, resource: str, arguments: dict[str, str], place: Place) -> Sequence[CatalogList]:
        """The items of a collection that match the arguments, as a list of pages."""
        every: Sequence[Item] = getattr(self._view, resource)
        limit = _limit(arguments)
        _reject(arguments, ("view", "limit", *self._filters[resource]))
        items = every
        for name, wanted in arguments.items():
            items = [item for item in items if wanted in texts(field_value(item, name))]
        if resource == "updates":
            items = sorted(items, key=lambda item: str(item["checked"] or ""), reverse=True)
        items = items[:limit]
        if SORTS[resource][0][0] == "name":
            items = sorted(items, key=_by_name)
        return self._pages(resource, items, arguments, limit, place)

    def _source(self, resource: str, base: Mapping[str, str]) -> str:
        """The document with the rows: the slim list if it has every field in the marker's arguments."""
        value = self._view.value
        if value is None or resource not in WITH_DOCUMENTS:
            return f"{resource}.json"
        slim = slim_names(resource, value.fields[resource])
        return slim_path(resource) if base.keys() <= slim else f"{resource}.json"

    def _pages(
        self,
        resource: str,
        items: Sequence[Item],
        base: Mapping[str, str],
        limit: int | None,
        place: Place,
        path: str = "",
        size: int = PER_PAGE,
    ) -> Sequence[CatalogList]:
        """A list cut into pages, at least one; `base` has the marker's filters by field."""
        shown = [item for item in items if item.get("lifecycle", "available") == "available"]
        left_out = [item for item in items if item.get("lifecycle", "available") != "available"]
        available = resource in WITH_DOCUMENTS and "lifecycle" not in base and bool(shown)
        if not available:
            shown, left_out = [*items], []
        rules = self._rules.get(resource, {})
        fields = filter_fields(resource, rules)
        paths = {name: field.path for name, field in fields.items() if name != field.path}
        at_first = [item for item in items if not available or item["lifecycle"] == "available"]
        filters = list_filters(resource, items, at_first, rules) if len(items) > 5 else []
        facts = (self._facts[str(item["slug"])] for item in items if resource == "images" and filters)
        securities = [cast(Item, item["security"]) for item in shown] if resource == "images" else []
        numbers = range(1, max(1, -(-len(shown) // size)) + 1)
        first = CatalogList(
            resource=resource,
            source=self._view.href(path or self._source(resource, base)),
            items=shown[:size],
            total=len(shown),
            every=shown,
            scans=sorted(str(each["scannedAt"]) for each in securities if each["scannedAt"]),
            available=available,
            left_out=left_out,
            filters=filters,
            base=json.dumps(base, ensure_ascii=False),
            limit=limit,
            facts=";".join(facts),
            icons=self.logos.of(str(item.get("slug")) for item in items),
            page=1,
            paths=json.dumps(paths) if paths else "",
            pages=["", *(f"{place.stem}-{resource}-{number}.html" for number in numbers[1:])],
            size=size,
            fields=used_fields(self._shown.get(resource, ()), items),
        )
        return [
            first._replace(page=number, items=shown[(number - 1) * size : number * size])
            for number in numbers
        ]


def _template(collection: str) -> str:
    """All collections that pin images have the templates of charts."""
    return "charts" if collection in PINNING else collection


def sections(arguments: Mapping[str, str]) -> Sequence[str]:
    """The sections of an item's page that its marker's `show` and `hide` leave.

    Raises `RefusedError` for another argument, or an unknown section.
    """
    _reject(arguments, ("show", "hide"))
    named = {key: text.split(",") for key, text in arguments.items()}
    for name in (name for names in named.values() for name in names):
        if name not in SECTIONS:
            raise _unknown(name, SECTIONS, "section")
    left = [name for name in named.get("show", SECTIONS) if name not in named.get("hide", ())]
    return [name for name in left if name != "compare" or "vulnerabilities" in left]


def _packages(image: Image) -> dict[str, Any] | None:
    """What is known of the packages of the newest version, the vulnerable ones first; None for nothing."""
    release = image.newest
    if release is None or release.contents is None:
        return None
    ids: dict[tuple[Package, str], list[str]] = {}
    for row in release.rows:
        ids.setdefault((row.package, plain_version(row.installed)), []).append(row.id)
    entries = {entry.key[:2]: entry for entry in release.contents.packages}
    rows = [
        {
            "name": entry.name,
            "version": entry.version,
            "licenses": entry.licenses,
            "ids": ids.get(key, []),
        }
        for key, entry in entries.items()
    ]
    rows.sort(key=lambda row: (not row["ids"], row["name"], row["version"]))
    return {
        "total": len(rows),
        "complete": release.contents.complete,
        "rows": rows[:_PACKAGES_SHOWN],
        "sbom": release.entry.sbom,
    }


def _figures(pin: Pin) -> dict[str, Any] | None:
    """The counts of the pinned release, listed or former; None if it is not in the catalog."""
    if pin.slug is None or pin.version is None:
        return None
    if pin.figures is None:
        words = (*COUNTERS, "total", "fixable", "grade", "score", "scannedAt")
        return {**dict.fromkeys(words), "version": pin.version, "scanned": False}
    figures = pin.figures
    return {**figures.fields(), "version": pin.version, "scanned": True, "scannedAt": figures.scanned_at}


def _facts(image: Image) -> str:
    """Short facts about an image for lists, as in `CatalogList.facts`."""
    newest, figures = image.newest, image.figures
    counts = zip(COUNTERS, figures.counts.fixable, strict=True) if figures else ()
    fixable = "".join(sorted(word[0] for word, count in counts if count))
    days = (newest.entry.released or "", newest.entry.end_of_life or "") if newest else ("", "")
    return "=".join((image.entry.slug, (figures and figures.scanned_at) or "", fixable, *days))


def _worst(figures: Item | None) -> tuple[int, ...]:
    """A sort key: the worst first, items without a scan last."""
    if figures is None or figures["total"] is None:
        return (1,)
    return (0, *(-(cast(int | None, figures[word]) or 0) for word in COUNTERS))


def _rank(item: Item) -> tuple[int, ...]:
    return _worst(cast(Item, item["security"]))


def _row_filters(image: Image) -> Sequence[Filter]:
    if not image.releases:
        return ()
    figures = [release.figures for release in image.releases if release.figures]
    severities = [word for word in COUNTERS if any(each.counters[word] for each in figures)]
    severity = Filter("severity", "Severity", [(word, word) for word in severities])
    fix = Filter("fix", "Fix", [("yes", "With a fix")])
    return [severity, fix] if len(severities) > 1 else [fix]


def _platforms(image: Image) -> list[dict[str, str | None]]:
    """Platforms of the newest release, unless it has an index: `platform`, `digest`, command to `verify`."""
    newest = image.newest
    if newest is None or newest.entry.only_digest or not newest.entry.manifests:
        return []
    how = image.entry.verify if verify(image.entry) else None
    return [
        {
            "platform": manifest.platform,
            "digest": manifest.digest,
            "verify": how.command(f"{image.entry.image}@{manifest.digest}") if how else None,
        }
        for manifest in newest.entry.manifests
    ]


def _release_groups(catalog: Catalog, image: Image) -> list[dict[str, Any]]:
    """The releases by variant and line, in the order of the newest of each; the default variant first.

    Each group has `variant`, `line` and `releases`; each release its `version`, its `position` in the list of
    versions, and its `updates`.
    """
    groups: dict[tuple[str, str], dict[str, Any]] = {}
    first = image.releases[0].entry.variant if image.releases else ""
    for position, release in enumerate(image.releases):
        entry = release.entry
        group = groups.setdefault(
            (entry.variant, entry.line), {"variant": entry.variant, "line": entry.line, "releases": []}
        )
        group["releases"].append(
            {"version": entry.version, "position": position, "updates": _updates(catalog, image, release)}
        )
    return sorted(groups.values(), key=lambda group: group["variant"] != first)


def _folded(
    groups: Sequence[dict[str, Any]],
) -> tuple[Sequence[dict[str, Any]], Sequence[dict[str, Any]]]:
    """The groups with the newest releases of each, and what they leave out if there are many."""
    if sum(len(group["releases"]) for group in groups) <= _RELEASES_AT_ONCE:
        return groups, ()
    newest = [{**group, "releases": group["releases"][:_RELEASES_OF_A_LINE]} for group in groups]
    older = [{**group, "releases": group["releases"][_RELEASES_OF_A_LINE:]} for group in groups]
    return newest, [group for group in older if group["releases"]]


class _Update(NamedTuple):
    version: str
    effect: str
    """What follows the version in a sentence: what it fixes and adds, as far as scans show it."""


def _updates(catalog: Catalog, image: Image, release: Release) -> list[_Update]:
    """The versions to update to: in its line, then in a newer one. One that changes nothing is left out."""
    updates = []
    for label, line in ((release.advice.upgrade, ""), (release.advice.new_line, " is the next line")):
        if label is None:
            continue
        newer = image.release(label)
        effect = catalog.effect(release, newer)
        changes = zip(("fixes", "adds"), effect or (), strict=False)
        words = ", ".join(f"{word} {_by_severity(rows)}" for word, rows in changes if rows)
        if words:
            updates.append(_Update(label, f"{line}: {words}" if line else f" {words}"))
        elif effect is None:
            updates.append(_Update(label, line if newer.figures else f"{line} (not scanned)"))
    return updates


def _by_severity(rows: Sequence[Vulnerability]) -> str:
    """`20 (2 critical, 18 high)`."""
    counts = Counter(row.severity.lower() for row in rows)
    words = ", ".join(f"{thousands(counts[word])} {word}" for word in COUNTERS if counts[word])
    return f"{thousands(len(rows))} ({words})"


def _by_name(item: Item) -> str:
    """Sort key of the order that the script calls by name: without case, digits as numbers."""
    return re.sub(r"[0-9]+", lambda digits: digits[0].zfill(20), str(item["name"]).casefold())


def _limit(arguments: dict[str, str]) -> int | None:
    limit = arguments.pop("limit", None)
    if limit is not None and not (limit.isascii() and limit.isdigit()):
        raise RefusedError(f"`limit` is {limit!r}", "write a number, as in limit=5")
    return None if limit is None else int(limit)


def _reject(arguments: Mapping[str, str], known: Sequence[str]) -> None:
    for name in arguments:
        if name not in known:
            raise _unknown(name, known, "argument")


def _unknown(name: str, known: Mapping[str, object] | Sequence[str], kind: str) -> RefusedError:
    return RefusedError(f"unknown {kind} `{name}`", suggestion(name, [*known], "one of"))
