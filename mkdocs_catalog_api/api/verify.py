"""The last look before anything is published: the serialised bytes, against the models of the schemas.

Each spliced part is checked once, in the words it will be published in. A violation is a fault of this
plugin, never of an author, so it stops the build with the document and the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from ..catalog.scans import SEVERITIES
from ..catalog.vulnerabilities import Tally
from . import addresses
from . import structs as models

M = TypeVar("M", bound=BaseModel)

_REFERENCE = re.compile(rb'"\$ref":"#/components/schemas/([^"]+)"')
_PARAMETER = re.compile(r"\\\{\w+\\\}")
_BEGINS = (b'{"apiVersion":"v1",', b'{"schemaVersion":1,', b'{"openapi":"3.1.0",')


class ContractError(Exception):
    """A document breaks the contract of the API. This is a bug of the plugin."""

    def __init__(self, document: str, message: str) -> None:
        super().__init__(document, message)  # both, so that it passes from a worker's process

    def __str__(self) -> str:
        document, message = self.args
        return f"{document}: {message}; this is a bug of mkdocs-catalog-api, please report it"


class Gate:
    """Checks serialised parts and remembers the API links that they hold."""

    def __init__(self, mount: str) -> None:
        self._pages = f"{mount}/"
        self._api = f"{mount}/{addresses.PREFIX}/"
        self._document = ""
        self.links: dict[str, str] = {}
        """Path of each document that is linked to → one that links to it."""

    def api_link(self, address: str) -> None:
        """Remember an address that stands where the contract has a link to a document."""
        if not address.startswith(self._api):
            raise ValueError(f"{address!r} does not begin with {self._api}")
        self.links.setdefault(address.removeprefix(self._api), self._document)

    def page_link(self, address: str) -> None:
        """Refuse an address outside of the site where the contract has a link to a web page."""
        if not address.startswith(self._pages):
            raise ValueError(f"{address!r} does not begin with {self._pages}")

    def check(self, model: type[M], body: bytes, document: str) -> M:
        """Validate a serialised part of `document`: its types as they stand, its sums, its links.

        Raises:
            ContractError: it does not hold.
        """
        self._document = document
        try:
            return model.__pydantic_validator__.validate_json(body, strict=True, context=self)  # type: ignore[no-any-return]
        except ValidationError as error:
            raise _broken(document, error) from error

    def rows(self, data: bytes, said: Tally, document: str) -> None:
        """Check the rows of a release, and that they add up to what is said of them."""
        rows = self.check(models.Rows, data, document).root
        fixable: list[str] = [row.severity for row in rows if row.fixed]
        unfixable: list[str] = [row.severity for row in rows if not row.fixed]
        unique = len({row.id for row in rows})
        found = Tally(tuple(map(fixable.count, SEVERITIES)), tuple(map(unfixable.count, SEVERITIES)), unique)
        if found != said:
            raise ContractError(document, f"cves: counted {said}, but the rows give {found}")

    def record(self, head: bytes, rows: Tally | None, document: str) -> None:
        """Check a release without its rows, which have been checked; they are None without a scan."""
        checked = self.check(models.ReleaseHead, head, document)
        if checked.scanned != (rows is not None):
            raise ContractError(document, f"scanned is {checked.scanned}, but the rows say otherwise")
        if rows is None:
            return
        counters = (checked.critical, checked.high, checked.medium, checked.low, checked.unknown)
        fixable, found = sum(rows.fixable), tuple(map(sum, zip(rows.fixable, rows.unfixable, strict=True)))
        if counters != found or checked.total != sum(found):
            raise ContractError(
                document, f"counters {counters} and total {checked.total}, but the rows give {found}"
            )
        if checked.fixable != fixable:
            raise ContractError(document, f"fixable is {checked.fixable}, but {fixable} rows have a fix")
        if checked.unique != rows.unique:
            raise ContractError(document, f"unique is {checked.unique}, but the rows have {rows.unique} ids")

    def collection(self, head: bytes, document: str, items: Sequence[bytes], data: bytes) -> None:
        """Check the head of a full collection, and `data`, into which its items are joined."""
        checked = self.check(models.CollectionHead, head, document)
        _counted(document, checked.total, items, data)

    def page(self, head: bytes, document: str, items: Sequence[bytes], data: bytes) -> None:
        """Check the head of a page, and `data`, into which its items are joined."""
        checked = self.check(models.PageHead, head, document)
        self._leads_to_itself(checked.links.self, document)
        left = checked.total - (checked.page - 1) * models.PER_PAGE
        _counted(document, min(left, models.PER_PAGE), items, data)

    def item(self, model: type[models.ItemHead], head: bytes, document: str) -> None:
        """Check the head of an item's document; the item itself has been checked."""
        self._leads_to_itself(self.check(model, head, document).links.self, document)

    def _leads_to_itself(self, address: str, document: str) -> None:
        if address != self._api + document:
            raise ContractError(document, f"links.self: {address} is the address of another document")

    def whole(self, documents: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
        """Let documents pass whose parts have been checked, unless putting them together went wrong.

        Raises:
            ContractError: one is empty, or has no envelope.
        """
        for path, body in documents:
            if not body.startswith(_BEGINS) or not body.endswith(b"}\n"):
                raise ContractError(path, f"it is no document of the API, but {body[:40]!r}")
            yield path, body

    def openapi(self, body: bytes, documents: Iterable[str]) -> None:
        """Check the OpenAPI document: it is whole, and describes each of the documents.

        Raises:
            ContractError: it does not hold.
        """
        described = self.check(models.OpenApi, body, addresses.OPENAPI)
        schemas = described.components["schemas"]
        for name in sorted({found.decode() for found in _REFERENCE.findall(body)}.difference(schemas)):
            raise ContractError(addresses.OPENAPI, f"components.schemas has no {name}")
        templates = (_PARAMETER.sub("[^/]+", re.escape(path)) for path in described.paths)
        known = re.compile("|".join(templates))
        for path in documents:
            if not known.fullmatch(f"/{addresses.PREFIX}/{path}"):
                raise ContractError(addresses.OPENAPI, f"paths: none describes {path}")

    def check_links(self, documents: Iterable[str]) -> None:
        """Every link leads to one of the documents of this build.

        Raises:
            ContractError: one does not.
        """
        for missing in sorted(self.links.keys() - set(documents)):
            raise ContractError(self.links[missing], f"links to {missing}, but there is no such document")


def _counted(document: str, said: int, items: Sequence[bytes], data: bytes) -> None:
    if said != len(items):
        raise ContractError(document, f"data: {len(items)} items, where total says {said}")
    if len(data) != sum(map(len, items)) + max(len(items) - 1, 0) + len("[]"):
        raise ContractError(document, "data: something was lost when the items were joined")


def _broken(document: str, error: ValidationError) -> ContractError:
    """The first fault that a model found, with its place."""
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(map(str, first["loc"]))
    message = first["msg"].removeprefix("Value error, ")
    return ContractError(document, f"{place}: {message}" if place else message)
