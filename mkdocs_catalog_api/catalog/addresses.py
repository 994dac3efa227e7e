"""The path of each document in `api/v1/`, and its address on the site."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import quote, urlsplit

from msgspec import Struct

PREFIX = "api/v1"
GENERATOR = "mkdocs-catalog-api"
"""Name of the program in the manifest."""

INDEX = "index.json"
OPENAPI = "openapi.json"
LLMS = "llms.txt"
MANIFEST = "manifest.json"
SUMMARY = "security.json"
SECURITY_INDEX = "security/index.json"
CHANGES = "changes.json"
FIXES = "fixes.json"
DIGEST = "digests/{algorithm}/{hex}.json"
UPDATES_FEED, SECURITY_FEED, CALENDAR = "feeds/updates.xml", "feeds/security.xml", "eol.ics"
"""Files of the site."""


# Functions that fill in a path: a resource, a slug, a version …
collection = "{}.json".format
page = "{}/{}.json".format
item = "{}/{}/index.json".format
detail = "security/{}.json".format
release = "security/{}/{}.json".format
badge = "badge/{}.json".format
image_badge = "badge/{}/{}.json".format
changes = "changes/{}.json".format
sbom = "sbom/{}/{}.json".format
image_history = "history/{}.json".format


def digest(text: str) -> str:
    algorithm, _, hex_ = text.partition(":")
    return DIGEST.format(algorithm=algorithm, hex=hex_)


def web_address(address: str) -> str:
    """An address, percent-encoded where a link requires it (RFC 3986, section 3.3)."""
    parts = urlsplit(address)
    return parts._replace(path=quote(parts.path, safe="%/:@!$&'()*+,;=")).geturl()


@lru_cache(maxsize=8)
def mount_path(site_url: str | None) -> str:
    """The path of the site's address without its trailing slash: `""` at a domain root."""
    return urlsplit(site_url or "").path.rstrip("/")


class Addresses(Struct, frozen=True):
    """Root-relative addresses of one site, so that the same bytes work on any host at that path."""

    mount: str
    """Path of the site's address without its trailing slash."""

    def api(self, path: str) -> str:
        """Address of the document at `path` below `api/v1/`, or of documents with parameters in braces."""
        return f"{self.mount}/{PREFIX}/{path}"

    def web(self, url: str) -> str:
        """Address of the web page at `url` below the site's root."""
        return f"{self.mount}/{url}"
