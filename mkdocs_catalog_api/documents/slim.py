"""The whole catalog in brief: a short entry for each item with versions, and the search index."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from typing import Annotated, Any

from msgspec import Meta, Struct

from ..catalog import addresses
from ..catalog.addresses import Addresses
from ..catalog.markdown import plain_text
from ..catalog.published import Day, Document, Total, document_struct, envelope, fields_of
from ..catalog.value import Catalog, Image, PinningItem
from ..items.base_model import Model
from ..items.collections import COLLECTIONS, WITH_DOCUMENTS
from ..items.fields import ItemFields
from ..items.shown import Shown
from ..items.types import Count, VersionLabel, camel
from .item_structs import custom, item_struct
from .items import logo_address
from .kinds import Documents, Kind, Route
from .security import item_security

SEARCH = "search.json"
_DIGEST_DIGITS = 12
_ITEM = (
    *("slug", "name", "description", "category", "categories", "tier", "license", "lifecycle", "latest"),
    *("logo", "platforms"),
)


def slim_path(resource: str) -> str:
    """Path of the slim list of a collection, below `api/v1/`."""
    return f"{resource}/index.json"


@cache
def _slim_structs(resource: str, fields: ItemFields[Model]) -> tuple[type[Struct], type[Struct]]:
    """The Structs of an entry and of the list."""
    of = COLLECTIONS[resource]
    stem, noun = f"{of.stem}Entry", of.one
    item = fields_of(item_struct(fields))
    known: dict[str, Any] = {name: item[name] for name in _ITEM if name in item}
    if resource == "images":
        known["size"] = Annotated[Count | None, "Compressed size of the newest version in bytes."]
        known["end_of_life"] = Annotated[
            Day | None, "Day after which the newest version gets no more updates."
        ]
    for name, info in fields.model.model_fields.items():
        shown = [mark for mark in info.metadata if isinstance(mark, Shown)]
        if any(mark.card or mark.filter for mark in shown):
            known.setdefault(name, item[name])
    known |= {name: item[name] for name in ("security", "url", "href")}
    custom_fields = Meta(description="Custom fields that lists show or filter by.")
    known["custom"] = Annotated[custom(stem, fields.own, _listed(fields)), custom_fields]
    names = {name: camel(name) for name in known}
    entry = document_struct(stem, f"What lists show of one {noun}.", known, names)
    every: Any = Annotated[list.__class_getitem__(entry), f"Every {noun}, by slug."]
    doc = f"Every {noun} with what lists show of it."
    return entry, document_struct(
        f"{of.stem}Index", doc, envelope(resource) | {"total": Total, "data": every}
    )


def _listed(fields: ItemFields[Model]) -> tuple[str, ...]:
    """The custom fields that lists show on cards or use as filters."""
    return tuple(name for name, rule in fields.own.rules.items() if rule.card or rule.has_filter)


def slim_names(resource: str, fields: ItemFields[Model]) -> frozenset[str]:
    """The fields of an entry, as they are in the JSON, with its custom ones."""
    return frozenset((*_slim_structs(resource, fields)[0].__struct_encode_fields__, *_listed(fields)))


def _documents(resource: str, catalog: Catalog) -> Documents:
    fields, at = catalog.fields[resource], catalog.addresses
    entry, listed = _slim_structs(resource, fields)
    own = custom(entry.__name__, fields.own, names := _listed(fields))
    data = [
        _entry(entry, item, at, own(*(item.entry.own[name] for name in names)))
        for item in catalog.with_documents[resource]
    ]
    yield slim_path(resource), listed("v1", resource, len(data), data)


def _entry(struct: type[Struct], item: Image | PinningItem, at: Addresses, own: Struct) -> Struct:
    values: dict[str, Any] = {**vars(item.entry), "custom": own}
    values["description"] = plain_text(item.entry.description)
    newest = item.newest if isinstance(item, Image) else None
    values["size"] = newest.entry.size if newest else None
    values["end_of_life"] = newest.entry.end_of_life if newest else None
    values["security"] = item_security(item, at)
    values["logo"] = logo_address(item.entry, at)
    values["url"] = at.web(item.page.url)
    values["href"] = at.api(addresses.item(item.collection, item.entry.slug))
    return struct(**{name: values[name] for name in struct.__struct_fields__})


def slim_kinds(fields: Mapping[str, ItemFields[Model]]) -> Iterator[Kind]:
    """A kind for each collection with versions, and the search index; `fields` are those of their items."""
    for resource in WITH_DOCUMENTS:
        noun = COLLECTIONS[resource].one
        _, listed = _slim_structs(resource, fields[resource])
        route = Route(
            slim_path(resource),
            f"list{resource.capitalize()}Index",
            f"Every {noun} in brief",
            f"The fields of every {noun} that a list or a dashboard needs.",
            listed,
            listed=f"{resource}Index",
        )
        yield Kind(f"{resource}-index", resource, [route], partial(_documents, resource))
    index = Route(
        SEARCH,
        "getSearchIndex",
        "Search index of images",
        "Names, versions, tags and the beginnings of digests of every image, for a search box.",
        _search_structs(fields["images"])[1],
        listed="search",
    )
    yield Kind("search", "discovery", [index], _search)


_SearchDigests = Annotated[
    list[Annotated[str, Meta(pattern="^[0-9a-f]{12}$")]],
    "The first 12 hexadecimal digits of each of its digests.",
]


class SearchVersion(Document):
    """Names and digests of one version."""

    version: Annotated[VersionLabel, "The version."]
    tags: Annotated[list[VersionLabel], "Its other tags."]
    digest_prefixes: _SearchDigests


class SearchFormer(Document):
    """Former digests of one version."""

    version: Annotated[VersionLabel, "The version."]
    digest_prefixes: _SearchDigests


_SEARCHED = ("slug", "name", "base", "license", "replaces")
"""Fields of an image in the search index."""


@cache
def _search_structs(fields: ItemFields[Model]) -> tuple[type[Struct], type[Struct]]:
    """The Structs of an entry and of the index."""
    item = fields_of(item_struct(fields))
    known: dict[str, Any] = {name: item[name] for name in (*_SEARCHED, "custom")}
    known["versions"] = Annotated[list[SearchVersion], "Its versions, newest first."]
    known["former"] = Annotated[
        list[SearchFormer], "Digests that its versions had before, newest version first."
    ]
    entry = document_struct("SearchEntry", "Names and digests of one image.", known)
    total = Annotated[Count, "Number of images."]
    every: Any = Annotated[list.__class_getitem__(entry), "Every image, by slug."]
    doc = "Names, versions, tags and digests of every image."
    return entry, document_struct(
        "SearchIndex", doc, envelope("search", "resource") | {"total": total, "data": every}
    )


def _first_digits(digests: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(digest.partition(":")[2][:_DIGEST_DIGITS] for digest in digests))


def _search(catalog: Catalog) -> Documents:
    fields = catalog.fields["images"]
    entry, index = _search_structs(fields)
    own = custom(item_struct(fields).__name__, fields.own)
    former: dict[str, dict[str, list[str]]] = defaultdict(dict)
    present = {
        digest for image in catalog.images for each in image.entry.versions for digest in each.every_digest
    }
    for each in catalog.former:
        digests = [digest for digest in each.release.entry.every_digest if digest not in present]
        former[each.slug].setdefault(each.version, []).extend(digests)
    data = [
        entry(
            *(getattr(image.entry, name) for name in _SEARCHED),
            own(*image.entry.own.values()),
            [
                SearchVersion(version.version, version.tags, _first_digits(version.every_digest))
                for version in image.entry.versions
            ],
            [
                SearchFormer(label, _first_digits(digests))
                for label, digests in former[image.entry.slug].items()
            ],
        )
        for image in catalog.images
    ]
    yield SEARCH, index("v1", "search", len(data), data)
