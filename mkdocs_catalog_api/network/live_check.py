"""x"""

from __future__ import annotations

import datetime
import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, TypeVar
from urllib.parse import SplitResult, quote, urlsplit

import msgspec

from ..catalog import addresses
from ..catalog.history import Head
from ..problems import Level, Problem, Problems, RefusedError
from ..problems.codes import Code
from ..publish.hosts import HEADERS
from ..sources.reports.normalise import text
from .client import Client, LiveAnswer, NoAnswerError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


_HOUR = 3600

_Verdict = tuple[Level, str] | None


def _open_cors(value: str | None) -> _Verdict:
    wanted = HEADERS["Access-Control-Allow-Origin"]
    if value == wanted:
        return None
    return Level.ERROR, f"; it must be {wanted!r}, so that every script can read"


def _json_type(value: str | None) -> _Verdict:
    kind, _, parameter = (value or "").lower().partition(";")
    if kind.strip() == "application/json" and parameter.strip() in ("", "charset=utf-8"):
        return None
    return Level.ERROR, "; it must be 'application/json'"


def _an_hour(value: str | None) -> _Verdict:
    """Add a note for another time than an hour: on some hosts, such as GitHub Pages, it can't be changed."""
    parts = [part.strip().lower() for part in (value or "").split(",")]
    ages = [int(match[1]) for part in parts if (match := re.fullmatch(r"max-age=(\d{1,9})", part, re.ASCII))]
    if len(ages) != 1 or not ages[0] or {"no-store", "no-cache", "private"} & set(parts):
        wanted = HEADERS["Cache-Control"]
        return Level.ERROR, f"; it must be {wanted!r}, so that copies are kept for an hour"
    if ages[0] == _HOUR:
        return None
    return Level.INFO, f": copies are kept for {ages[0]} seconds instead of an hour"


_CHECKS: Mapping[str, Callable[[str | None], _Verdict]] = {
    "Access-Control-Allow-Origin": _open_cors,
    "Cache-Control": _an_hour,
    "Content-Type": _json_type,
}


def header_faults(headers: Mapping[str, str], path: str) -> Iterator[tuple[Level, str]]:
    """Yield the errors (or notes) on the headers of the document at `path`."""
    for name, check in _CHECKS.items():
        if check is _json_type and not path.endswith(".json"):
            continue
        value = headers.get(name)
        if verdict := check(value):
            shown = "is missing" if value is None else f"is {text(value)[:100]!r}"
            yield verdict[0], f"{name} {shown}{verdict[1]}"


_OVERVIEW = 2**26
"""Maximum size of `index.json` and `manifest.json` in bytes, as no document contains their size."""
_LARGEST = 2**28
"""Maximum size of a document in a manifest in bytes, as documents are read into memory."""
_BUSY = (429, 503)
_HEADERS = {"Origin": "https://client.example"}
"""Some hosts send CORS headers only if the request has an origin."""
_SEE = "see the guide's page `Configure your host`"
_WHERE = "check that this is the URL of a site with this API"
_AGAIN = "publish the whole site again"
_UNKNOWN = ("images/0.json", "check-live/no-such-document.json")
"""A path that no build writes, as pages count from 1."""
_CLOCKS = datetime.timedelta(minutes=5)
"""Tolerance for a fast clock on the machine that built the site."""
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_GIVE_UP = 3
"""Number of consecutive failures after which the check stops."""

Path = Annotated[str, msgspec.Meta(pattern=rf"^{addresses.DOCUMENT_PATH}\Z", max_length=2000)]


class _LiveDocument(msgspec.Struct):
    sha256: str
    bytes: Annotated[int, msgspec.Meta(ge=0, le=_LARGEST)]


class _LiveManifest(msgspec.Struct, rename="camel"):
    """The required parts of a manifest; later versions may have more."""

    documents: dict[Path, _LiveDocument]
    generated_at: str | None = None
    base: str | None = None


class _LiveResource(msgspec.Struct):
    href: str


class _LiveIndex(msgspec.Struct):
    """The links of the discovery document."""

    resources: dict[str, _LiveResource]
    security: dict[str, str]
    badges: dict[str, str]
    openapi: str
    manifest: str

    def links(self) -> Iterator[str]:
        yield from (resource.href for resource in self.resources.values())
        yield from (*self.security.values(), *self.badges.values(), self.openapi, self.manifest)


class _LiveHistory(msgspec.Struct):
    head: Head


M = TypeVar("M", bound=msgspec.Struct)


def api_root(address: str) -> str:
    """Return the URL of `api/v1/` for the URL of a site, its API, or its discovery document.

    Raises:
        ValueError: not an http(s) URL of a site.
    """
    parts = urlsplit(address)
    try:
        fine = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        fine = False
    if not fine or parts.username is not None or parts.query or parts.fragment or not address.isprintable():
        raise ValueError(f"{address!r} is not a URL such as https://example.org/catalog/")
    path = parts.path.removesuffix(addresses.INDEX).rstrip("/").removesuffix(addresses.PREFIX).rstrip("/")
    return addresses.web_address(f"{parts.scheme}://{parts.netloc}{path}/{addresses.PREFIX}/")


def published_head(client: Client, root: str) -> tuple[str, str]:
    """Return date and SHA-256 of the last day in the history of a published site. `root` is an `api_root`.

    Raises:
        NoAnswerError: the site is unreachable, or does not publish a history.
    """
    address = root + addresses.HISTORY
    try:
        answer = client.get(address, _OVERVIEW)
        if answer.status != 200 or answer.too_large:
            what = f"more than {_OVERVIEW:,} bytes" if answer.too_large else str(answer.status)
            raise NoAnswerError(f"the host responds with {what}")
        head = msgspec.json.decode(answer.body, type=_LiveHistory).head
    except NoAnswerError as error:
        raise NoAnswerError(f"{address}: {error}") from None
    except (ValueError, RecursionError):
        raise NoAnswerError(f"{address}: not a history") from None
    return head.date, head.sha256


def _same(address: str, root: str) -> bool:
    """Whether a URL is that of an `api_root`, ignoring the case of the host and a default port."""
    try:
        mine, other = (urlsplit(api_root(each)) for each in (address, root))
    except ValueError:
        return False
    return mine.path == other.path and _origin(mine) == _origin(other)


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}[parts.scheme]


class LiveCheck:
    """The check of one site."""

    def __init__(
        self,
        client: Client,
        root: str,
        *,
        most: int | None,
        key: Ed25519PublicKey | None,
        base: str | None,
        max_age: datetime.timedelta | None,
    ) -> None:
        """`root` is an `api_root`, `most` the number of documents to check (None: all). The manifest must be
        signed with `key`, contain the `api_root` `base`, and not be older than `max_age`.
        """
        self.root, self._client, self._most, self._key = root, client, most, key
        self._base, self._max_age = base, max_age
        self.checked = self.bytes = self.documents = 0
        self.generated_at: str | None = None
        """Value in the manifest, like `base`."""
        self.base: str | None = None
        self.verified = False
        self._faults: dict[tuple[Level, str, str, Code], list[str]] = defaultdict(list)
        self._silences = 0
        """Number of consecutive requests without a response."""

    def run(self) -> Problems:
        """Check everything, and return each problem once, with the number of its documents."""
        self._all()
        problems = Problems()
        for (level, message, hint, code), paths in self._faults.items():
            more = f" (and {len(paths) - 1:,} more)" if len(paths) > 1 else ""
            problems.add(Problem(self.root + paths[0], 0, 0, "", message + more, hint, level, code=code))
        return problems

    def faults(self) -> list[dict[str, object]]:
        """Return each problem with all its documents, for programs."""
        return [
            {"level": level.name.lower(), "code": code, "message": message, "hint": hint}
            | {"help": code.help, "documents": paths}
            for (level, message, hint, code), paths in sorted(self._faults.items())
        ]

    def _all(self) -> None:
        index = self._arrived(addresses.INDEX, _OVERVIEW)
        links = self._read(addresses.INDEX, _LiveIndex, index)
        body = self._arrived(addresses.MANIFEST, _OVERVIEW)
        if body is not None and self._key:
            self._verify(body, self._key)
        manifest = self._read(addresses.MANIFEST, _LiveManifest, body)
        if manifest:
            self._age(manifest.generated_at)
            self._address(manifest.base)
        if links:
            self._links(links, manifest)
        if manifest is None:
            return
        self.documents = len(manifest.documents) + 1
        for path in _chosen(list(manifest.documents), self._most):
            entry = manifest.documents[path]
            self._compare(path, index if path == addresses.INDEX else self._arrived(path, entry.bytes), entry)
            if self._silences == _GIVE_UP:
                self._fault(
                    path, f"no response {_GIVE_UP} times in a row, so the other documents are not checked"
                )
                return
        for path in _UNKNOWN:
            self._unknown(path)

    def _fault(
        self, path: str, message: str, hint: str = "", level: Level = Level.ERROR, code: Code = Code.ARRIVED
    ) -> None:
        self._faults[level, message, hint, code].append(path)

    def _read(self, path: str, model: type[M], body: bytes | None) -> M | None:
        try:
            return None if body is None else msgspec.json.decode(body, type=model)
        except msgspec.ValidationError as error:
            self._fault(path, f"not a valid document: {text(str(error))[:300]}", _WHERE)
        except (ValueError, RecursionError):
            self._fault(path, "not JSON", _WHERE)
        return None

    def _verify(self, manifest: bytes, key: Ed25519PublicKey) -> None:
        from ..publish import signature

        answer = self._ask(addresses.SIGNATURE, signature.MOST)
        if answer is None:
            return
        if answer.status != 200:
            hint = "sign after each build, before publishing, with `catalog-api sign`"
            self._fault(
                addresses.SIGNATURE, f"the host responds with {answer.status}, so there is no signature", hint
            )
            return
        try:
            signature.verify(manifest, answer.body, key)
            self.verified = True
        except RefusedError as error:
            self._fault(addresses.SIGNATURE, error.message, "do not trust the site until you know the reason")

    def _age(self, generated_at: str | None) -> None:
        """Check the age of the site: an old site has a valid signature, so anyone can serve it again."""
        self.generated_at = generated_at and text(generated_at)[:100]
        if self._max_age is None:
            return
        now = datetime.datetime.now(datetime.UTC)
        try:
            built = datetime.datetime.strptime(generated_at or "", _TIME).replace(tzinfo=datetime.UTC)
        except ValueError:
            message = f"`generatedAt` is {self.generated_at!r}, not the time of a build"
            self._fault(addresses.MANIFEST, message, _AGAIN)
            return
        days = (now - built).days
        if built > now + _CLOCKS:
            message = f"`generatedAt` is in the future: {self.generated_at}"
            self._fault(addresses.MANIFEST, message, "check the clock of the machine that built the site")
        elif now - built > self._max_age:
            message = f"built {days:,} days ago, on {self.generated_at}, which exceeds the maximum age"
            self._fault(addresses.MANIFEST, message, "build and publish the site again")

    def _address(self, base: str | None) -> None:
        """Check that the manifest belongs to this site: the signature of another site is also valid."""
        self.base = base and text(base)[:300]
        if self._base is None:
            return
        if self.base is None:
            self._fault(addresses.MANIFEST, "missing `base`, the URL of the API", _AGAIN)
        elif f"{self.base}/" == urlsplit(self._base).path:
            message = (
                f"`base` is {self.base!r}, without a host, so the manifest of another host would be accepted"
            )
            self._fault(addresses.MANIFEST, message, "set `site_url` and publish again", Level.WARNING)
        elif not _same(self.base, self._base):
            message = f"`base` is {self.base!r}, not {self._base.rstrip('/')!r}: the manifest of another site"
            hint = "for a preview, pass the URL of the build with `--base`"
            self._fault(addresses.MANIFEST, message, hint)

    def _links(self, index: _LiveIndex, manifest: _LiveManifest | None) -> None:
        base = urlsplit(self.root).path
        for link in index.links():
            path = link.removeprefix(base)
            if path == link:
                other = text(link.partition(addresses.PREFIX)[0])[:100]
                message = f"its links point to {other!r}, but the API is at {base!r}"
                self._fault(
                    addresses.INDEX, message, "set `site_url` to the URL of the site, and publish again"
                )
                return
            if manifest and path != addresses.MANIFEST and path not in manifest.documents:
                message = f"a link points to {text(path)[:100]!r}, which is not in the manifest"
                self._fault(addresses.INDEX, message, _AGAIN)

    def _compare(self, path: str, body: bytes | None, entry: _LiveDocument) -> None:
        if body is not None and (
            len(body) != entry.bytes or hashlib.sha256(body).hexdigest() != entry.sha256
        ):
            hint = f"a cache has an old copy, or the upload is incomplete; {_AGAIN}"
            self._fault(path, "does not match its hash in the manifest", hint)

    def _arrived(self, path: str, size: int) -> bytes | None:
        """Return the body of a document if it exists, and check its headers."""
        answer = self._ask(path, size)
        if answer is None:
            return None
        if 300 <= answer.status < 400:
            target = text(answer.headers.get("Location", ""))[:200]
            self._fault(path, f"redirected to {target!r}", "check the URL of the documents themselves")
            return None
        if answer.status != 200:
            overview = path in (addresses.INDEX, addresses.MANIFEST)
            self._fault(path, f"the host responds with {answer.status}", _WHERE if overview else _AGAIN)
            return None
        for level, message in header_faults(answer.headers, path):
            self._fault(path, message, _SEE, level, code=Code.HEADERS)
        if answer.too_large:
            self._fault(path, f"too large: more than {size:,} bytes")
            return None
        self.checked += 1
        self.bytes += len(answer.body)
        return answer.body

    def _unknown(self, path: str) -> None:
        answer = self._ask(path, 0)
        if answer and answer.status not in (404, 410):
            message = f"the host responds with {answer.status} instead of 404 for a missing file"
            self._fault(path, message, _SEE, code=Code.HEADERS)

    def _ask(self, path: str, size: int) -> LiveAnswer | None:
        try:
            answer = self._client.get(self.root + quote(path), size, _HEADERS)
            if answer.status in _BUSY:
                raise NoAnswerError(f"the host is busy ({answer.status}); try again later")
        except NoAnswerError as why:
            self._silences += 1
            self._fault(path, str(why))
            return None
        self._silences = 0
        return answer


def _chosen(paths: list[str], most: int | None) -> list[str]:
    """Return at most `most` documents, spread evenly over the sorted paths, and so over all kinds."""
    paths.sort()
    if most is None or len(paths) <= most:
        return paths
    return [paths[number * len(paths) // most] for number in range(most)]
