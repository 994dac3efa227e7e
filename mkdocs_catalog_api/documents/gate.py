"""The last look before anything is published: the serialised bytes, against the models of the schemas.

Each spliced part is checked once, in the words it will be published in. A violation is a fault of this
plugin, never of an author, so it stops the build with the document and the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pydantic import BaseModel, ValidationError

from .addresses import PREFIX


class ContractError(Exception):
    """A document breaks the contract of the API. This is a bug of the plugin."""

    def __init__(self, document: str, message: str) -> None:
        super().__init__(f"{document}: {message}; this is a bug of mkdocs-catalog-api, please report it")


class Gate:
    """Checks serialised parts and remembers the API links that they hold."""

    def __init__(self, mount: str) -> None:
        base = re.escape(f"{mount}/{PREFIX}/")
        # In items only `href` is ours; all other texts are the author's, and may look like anything.
        self._href = re.compile(rf'"href":"{base}([^"\\]*)"'.encode())
        self._link = re.compile(rf'"(?!title")[^"\\]+":"{base}([^"\\]*)"'.encode())
        self.links: set[str] = set()

    def check(self, model: type[BaseModel], body: bytes, document: str) -> None:
        """Validate a serialised part of `document` against `model`.

        Raises:
            ContractError: it does not hold.
        """
        try:
            model.__pydantic_validator__.validate_json(body)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise ContractError(document, f"{place}: {first['msg']}") from error

    def item(self, model: type[BaseModel], body: bytes, document: str) -> None:
        """`check` for a part with the author's texts, and remember where its `href`s lead."""
        self.check(model, body, document)
        self.links.update(found.decode() for found in self._href.findall(body))

    def head(self, model: type[BaseModel], body: bytes, document: str) -> None:
        """`check` for an envelope, and remember where its links lead."""
        self.check(model, body, document)
        self.links.update(found.decode() for found in self._link.findall(body))

    def check_links(self, documents: Iterable[str]) -> None:
        """Every link leads to one of the documents of this build.

        Raises:
            ContractError: one does not.
        """
        missing = sorted(self.links.difference(documents))
        if missing:
            raise ContractError(missing[0], "a link leads to this document, but it was not written")
