"""The last look before anything is published: each document's bytes, decoded strictly into its Struct.

A violation is a fault of this plugin, never of an author, so it stops the build with the document and the
place. What the types can't say (sums, counts, what belongs together) stands in `_RULES`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Any

import msgspec
from msgspec import Struct

from ..catalog.vulnerabilities import Vulnerability, count
from . import addresses
from .structs.discovery import Badge
from .structs.fields import PER_PAGE
from .structs.security import (
    ChartSecurity,
    ImageSecurity,
    Release,
    ReleaseDocument,
    SecurityDetail,
    SecurityIndex,
    SecuritySummary,
)

_REFERENCE = re.compile(rb'"\$ref":"#/components/schemas/([^"]+)"')
_PARAMETER = re.compile(r"\\\{\w+\\\}")
_WORDS = ("critical", "high", "medium", "low", "unknown")
_MAY_BE_NULL = {"grade", "score", "digest", "scanned_at", "os_end_of_life", "exploited"}
"""Of a release that has been scanned."""


class ContractError(Exception):
    """A document breaks the contract of the API. This is a bug of the plugin."""

    def __init__(self, document: str, message: str) -> None:
        super().__init__(document, message)

    def __str__(self) -> str:
        document, message = self.args
        return f"{document}: {message}; this is a bug of mkdocs-catalog-api, please report it"


class Verifier:
    """Checks the bytes of documents; the links in them are compared with what was written at the end."""

    def __init__(self) -> None:
        self._decoders: dict[type[Struct], msgspec.json.Decoder[Any]] = {}

    def check(self, path: str, body: bytes, struct: type[Struct]) -> None:
        """Decode a document into its Struct, and see that its parts agree.

        Raises:
            ContractError: they don't.
        """
        decoder = self._decoders.get(struct)
        if decoder is None:
            decoder = self._decoders[struct] = msgspec.json.Decoder(struct)
        try:
            document = decoder.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ContractError(path, str(error)) from error
        for fault in _faults(document):
            raise ContractError(path, fault)


def check_links(linked: Set[str], documents: Iterable[str]) -> None:
    """Every link leads to one of the documents of this build; `linked` are the paths that links lead to.

    Raises:
        ContractError: one does not.
    """
    for missing in sorted(linked - {*documents}):
        raise ContractError(missing, "documents link to it, but it has not been written")


def check_openapi(
    body: bytes, paths: Iterable[str], schemas: Iterable[str], documents: Iterable[str]
) -> None:
    """The OpenAPI document has every schema that it refers to, and describes each of the documents.

    Raises:
        ContractError: it does not.
    """
    for name in sorted({found.decode() for found in _REFERENCE.findall(body)}.difference(schemas)):
        raise ContractError(addresses.OPENAPI, f"components.schemas has no {name}")
    templates = (_PARAMETER.sub("[^/]+", re.escape(path)) for path in paths)
    known = re.compile("|".join(templates))
    for path in documents:
        if not known.fullmatch(f"/{addresses.PREFIX}/{path}"):
            raise ContractError(addresses.OPENAPI, f"paths: none describes {path}")


def _faults(document: Any) -> Iterator[str]:
    rule = _RULES.get(type(document))
    if rule is not None:
        yield from rule(document)
    elif hasattr(document, "faults"):
        yield from document.faults()
    elif hasattr(document, "data"):
        yield from _envelope(document)


def _release(release: Any) -> Iterator[str]:
    """A release record, or the document of one."""
    null = {name for name in Release.__struct_fields__ if getattr(release, name) is None}
    if not release.scanned:
        if len(null) < len(Release.__struct_fields__) - 2:
            yield f"{release.version} is not scanned, but has figures"
        return
    if not null <= _MAY_BE_NULL:
        yield f"{release.version} is scanned, but lacks {', '.join(sorted(null - _MAY_BE_NULL))}"
        return
    yield from _graded(release)
    rows: list[Vulnerability] = release.cves
    found = count(rows)
    counters = tuple(getattr(release, word) for word in _WORDS)
    if counters != tuple(map(sum, zip(*found, strict=True))) or release.total != len(rows):
        yield f"counters {counters} and total {release.total}, but the rows give {found}"
    if release.fixable != sum(found.fixable):
        yield f"fixable is {release.fixable}, but {sum(found.fixable)} rows have a fix"
    if (release.exploited or 0) != sum(row.exploited is not None for row in rows):
        yield f"exploited is {release.exploited}, which is not the number of rows that are"
    if release.unique != len({row.id for row in rows}):
        yield f"unique is {release.unique}, which is not the number of ids in the rows"


def _detail(detail: SecurityDetail) -> Iterator[str]:
    for release in detail.versions:
        yield from _release(release)
    if detail.latest != detail.versions[0]:
        yield "latest is not the first of versions"


def _graded(figures: Any) -> Iterator[str]:
    if (figures.grade is None) != (figures.score is None):
        yield "grade and score come together"


def _figures(figures: Any) -> Iterator[str]:
    """Counters with their total: of what may have no scan all are null together."""
    counters = [getattr(figures, word) for word in _WORDS]
    yield from _graded(figures)
    if figures.total is None:
        others = (*counters, figures.fixable, figures.suppressed, figures.grade, figures.exploited)
        if any(value is not None for value in others):
            yield "not scanned, but with figures"
    elif None in (*counters, figures.fixable, figures.suppressed):
        yield "scanned, but without figures"
    elif figures.total != sum(counters):
        yield f"total is {figures.total}, but the severities add up to {sum(counters)}"


def image_security_faults(security: ImageSecurity) -> Iterator[str]:
    yield from _figures(security)
    if security.scanned != (security.total is not None):
        yield f"scanned is {security.scanned}, but total is {security.total}"
    if (security.version is None) != (security.href is None):
        yield "version and href come together"


def _chart_security(security: ChartSecurity) -> Iterator[str]:
    yield from _figures(security)
    pins, scanned = security.pins, security.pins_scanned
    if scanned > pins or security.scanned != (pins == scanned > 0):
        yield f"scanned is {security.scanned} with {scanned} of {pins} pins scanned"
    if (scanned > 0) != (security.total is not None) or (security.grade and not security.scanned):
        yield f"these figures can't come from {scanned} of {pins} pins"


def _summary(summary: SecuritySummary) -> Iterator[str]:
    images = [*summary.images.values()]
    for image in images:
        yield from _figures(image)
    for name, said, found in (
        ("total", summary.total, sum(image.total for image in images)),
        *(
            (
                f"bySeverity.{word}",
                getattr(summary.by_severity, word),
                sum(getattr(image, word) for image in images),
            )
            for word in _WORDS
        ),
        ("imagesWithCves", summary.images_with_cves, sum(image.total > 0 for image in images)),
        ("scanned", summary.scanned, len(images)),
        ("fixable", summary.fixable, sum(image.fixable for image in images)),
        ("suppressed", summary.suppressed, sum(image.suppressed for image in images)),
        ("exploited", summary.exploited or 0, sum(image.exploited or 0 for image in images)),
        (
            "pinned.total",
            summary.pinned.total,
            sum(getattr(summary.pinned.by_severity, word) for word in _WORDS),
        ),
    ):
        if said != found:
            yield f"{name} is {said}, but the images give {found}"


def _index(index: SecurityIndex) -> Iterator[str]:
    if index.total != len(index.data):
        yield f"total is {index.total}, but data has {len(index.data)} items"
    for entry in index.data:
        counted = sum(getattr(entry, word) for word in _WORDS)
        if entry.total != counted:
            yield f"{entry.slug}: total is {entry.total}, but the severities add up to {counted}"


def _badge(badge: Badge) -> Iterator[str]:
    named = badge.named_logo is not msgspec.UNSET
    if named == (badge.logo_svg is not msgspec.UNSET) or named != (badge.logo_color is not msgspec.UNSET):
        yield "a badge has a named logo with its colour, or a logo of its own"


def _envelope(document: Any) -> Iterator[str]:
    """A collection, a page of one, or the document of one item; they are made for each catalog anew."""
    fields = document.__struct_fields__
    items = document.data if isinstance(document.data, list) else [document.data]
    for item in items:
        yield from _item(item)
    if "page" in fields:
        yield from _page(document)
    elif "total" in fields:
        if document.total != len(items):
            yield f"data: {len(items)} items, where total says {document.total}"
    elif document.links.self != (
        f"{document.links.collection.removesuffix('.json')}/{document.slug}/index.json"
    ):
        yield f"links.self: {document.links.self} is not the document of {document.slug}"


def _page(page: Any) -> Iterator[str]:
    number, last = page.page, page.total_pages
    if last != -(-page.total // PER_PAGE) or number > last:
        yield f"page {number} of {last} can't be with {page.total} items"
    if len(page.data) != min(page.total - (number - 1) * PER_PAGE, PER_PAGE):
        yield f"data: {len(page.data)} items can't be on page {number} of {page.total}"
    base, links = page.links.collection.removesuffix(".json"), page.links
    expected = [
        f"{base}/{n}.json" if 1 <= n <= last else None for n in (number, 1, last, number - 1, number + 1)
    ]
    if [links.self, links.first, links.last, links.prev, links.next] != expected:
        yield f"links: they are not those of page {number} of {last}"


def _item(item: Any) -> Iterator[str]:
    security = getattr(item, "security", None)
    if isinstance(security, ImageSecurity):
        yield from image_security_faults(security)
        newest = item.versions[0].version if item.versions else None
        if item.latest != newest or security.version != newest:
            yield f"latest is {item.latest} and security's {security.version}, not {newest}"
    elif isinstance(security, ChartSecurity):
        yield from _chart_security(security)


_RULES: Mapping[type[Struct], Callable[[Any], Iterator[str]]] = {
    ReleaseDocument: _release,
    SecurityDetail: _detail,
    SecuritySummary: _summary,
    SecurityIndex: _index,
    Badge: _badge,
}
