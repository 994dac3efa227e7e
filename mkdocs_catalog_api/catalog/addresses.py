"""Where each document lives: its path below `api/v1/`, and its address on the site."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import quote, urlsplit

from msgspec import Struct, field

PREFIX = "api/v1"

INDEX = "index.json"
OPENAPI = "openapi.json"
MANIFEST = "manifest.json"
SUMMARY = "security.json"
SECURITY_INDEX = "security/index.json"
CHANGES = "changes.json"
HISTORY = "history/index.json"


def collection(resource: str) -> str:
    return f"{resource}.json"


def page(resource: str, number: int) -> str:
    return f"{resource}/{number}.json"


def item(resource: str, slug: str) -> str:
    return f"{resource}/{slug}/index.json"


def detail(slug: str) -> str:
    return f"security/{slug}.json"


def release(slug: str, version: str) -> str:
    return f"security/{slug}/{version}.json"


def badge(name: str) -> str:
    return f"badge/{name}.json"


def image_badge(slug: str, name: str) -> str:
    return f"badge/{slug}/{name}.json"


def changes(date: str) -> str:
    return f"changes/{date}.json"


def image_history(slug: str) -> str:
    return f"history/{slug}.json"


def web_address(address: str) -> str:
    """An address as links may hold it, whatever its path is written with (RFC 3986, section 3.3)."""
    parts = urlsplit(address)
    return parts._replace(path=quote(parts.path, safe="%/:@!$&'()*+,;=")).geturl()


def mount_path(site_url: str | None) -> str:
    """The path of the site's address without its trailing slash: `""` at a domain root."""
    return urlsplit(site_url or "").path.rstrip("/")


class Addresses(Struct):
    """Root-relative addresses of one site, so that the same bytes work on any host at that path.

    What is linked to is remembered, to be compared with what is written.
    """

    mount: str
    written: Collection[str] = ()
    """Paths of the documents that are there already."""
    linked: set[str] = field(default_factory=set)
    """Path of each document that an address was made of before it was there."""

    def api(self, path: str) -> str:
        """Address of the document at `path` below `api/v1/`."""
        if path not in self.written:
            self.linked.add(path)
        return f"{self.mount}/{PREFIX}/{path}"

    def template(self, path: str) -> str:
        """Address of documents, with the parameters of their path in braces."""
        return f"{self.mount}/{PREFIX}/{path}"

    def web(self, url: str) -> str:
        """Address of the web page at `url` below the site's root."""
        return f"{self.mount}/{url}"
