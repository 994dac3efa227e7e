"""Where charts are listed on an Artifact Hub."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, urlsplit

import msgspec
from msgspec import Struct

from ..catalog.names import slug
from ..sources.reports import ReportError
from ..sources.reports.json_errors import decode
from .client import Client, NoAnswerError

_PAGE = 60
"""The most packages that the hub gives in one answer."""
_MOST = 6_000


class Listing(Struct, frozen=True):
    """A chart on a hub, and which of its versions are wanted beside the newest."""

    hub: str
    """Address without a slash at the end."""
    repository: str
    package: str
    versions: tuple[str, ...] = ()
    """As the hub writes them, without a leading `v`."""

    @property
    def name(self) -> str:
        return f"{self.repository}/{self.package}"


class _Found(Struct):
    """A package in an answer to a search."""

    normalized_name: str


class _Search(Struct):
    packages: list[_Found] | None = None


def listed_at(address: str, versions: Sequence[str], hub: str | None) -> Listing | None:
    """The chart behind the address of its page on a hub, None when that is no Artifact Hub's.

    `hub` replaces the host of the address, as for a mirror.
    """
    parts = urlsplit(address)
    match parts.path.strip("/").split("/"):
        case ["packages", "helm", repository, package, *_]:
            try:
                names = slug(repository), slug(package)
            except ValueError:
                return None
            plain = tuple(version.removeprefix("v") for version in versions)
            return Listing(hub or f"{parts.scheme}://{parts.netloc}", *names, plain)
    return None


def search(client: Client, hub: str, repository: str) -> list[str]:
    """The names of all charts of a repository, in the hub's order.

    Raises:
        NoAnswerError: the hub gave no answer that can be used.
    """
    names: dict[str, None] = {}
    for offset in range(0, _MOST, _PAGE):
        query = f"kind=0&repo={quote(repository, safe='')}&deprecated=true&limit={_PAGE}&offset={offset}"
        address = f"{hub}/api/v1/packages/search?{query}"
        try:
            found = msgspec.convert(decode(client.ask(address).body), _Search).packages or []
            names |= dict.fromkeys(slug(package.normalized_name) for package in found)
        except (ReportError, msgspec.ValidationError, ValueError) as error:
            raise NoAnswerError(f"{address}: no answer to a search: {error}") from None
        if len(found) < _PAGE:
            break
    return list(names)
