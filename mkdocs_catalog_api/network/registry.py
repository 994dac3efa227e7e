"""Reads image registries by the OCI distribution specification, and classic chart repositories.

Content is requested by digest and compared with it. Nothing is written. Responses are not trusted: wrong
types, sizes and digests raise `NoAnswerError`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import suppress
from threading import Lock
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit
from urllib.request import parse_http_list

import msgspec
from msgspec import Struct
from requests.utils import parse_dict_header, parse_header_links

from ..items.names import DIGEST, VERSION_LABEL, Reference
from ..problems.decoding import decoding_reason
from ..sources.reports.normalise import text
from .client import Answer, Client, NoAnswerError, UnavailableError
from .credentials import Credentials

_OCI, _DOCKER = "application/vnd.oci.image.", "application/vnd.docker.distribution."
_INDEXES = (f"{_OCI}index.v1+json", f"{_DOCKER}manifest.list.v2+json")
_MANIFESTS = (f"{_OCI}manifest.v1+json", f"{_DOCKER}manifest.v2+json")
_ACCEPT = ", ".join((*_INDEXES, *_MANIFESTS))
_SMALL = 2**14
"""Maximum bytes of a manifest that is kept for the run."""
_MANIFEST_SIZE, _BLOB_SIZE, _INDEX_SIZE = 4 * 2**20, 8 * 2**20, 32 * 2**20
_MOST_PAGES, _MOST_ENTRIES, _MOST_TAGS = 1000, 1000, 50_000
_SCHEMA_1 = f"{_DOCKER}manifest.v1+"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9-]*(?=\s|$)")
_TOKEN = re.compile(r"[\x21-\x7e]+")
_ERROR_CODE = re.compile(r"[A-Z_]{1,40}")
T = TypeVar("T")


class NoManifestError(NoAnswerError):
    """A tag that the registry lists, but of which it has no manifest, or only one of Docker's schema 1."""


class Descriptor(Struct, rename="camel"):
    """A reference in a manifest."""

    digest: str
    media_type: str = ""
    size: int = 0
    platform: dict[str, Any] | None = None
    annotations: dict[str, Any] | None = None
    artifact_type: str | None = None


class RegistryManifest(Struct, rename="camel"):
    """An index or a manifest, with a type of OCI or of Docker."""

    media_type: str = ""
    manifests: list[Descriptor] | None = None
    """Set for an index."""
    config: Descriptor | None = None
    """Set for a manifest."""
    layers: list[Descriptor] | None = None
    annotations: dict[str, Any] | None = None
    artifact_type: str | None = None

    @property
    def is_index(self) -> bool:
        return self.media_type in _INDEXES


class _Tags(Struct):
    """`{"name": "acme/web", "tags": ["1.0", "latest"]}`; null without any."""

    tags: list[str] | None = None


class _Token(Struct):
    """`{"token": "eyJ…"}`, or the same as `access_token`."""

    token: str = ""
    access_token: str = ""


_DECODERS: dict[type, msgspec.json.Decoder[Any]] = {
    kind: msgspec.json.Decoder(kind) for kind in (RegistryManifest, _Tags, _Token)
}
"""Created in one thread: msgspec crashes if several threads are the first to decode a type."""


class Registries:
    """Requests data from registries, from several threads."""

    def __init__(self, client: Client, credentials: Credentials) -> None:
        self.client, self._credentials = client, credentials
        self._authorizations: dict[tuple[str, str], str] = {}
        """Host and repository → header."""
        self._without_referrers: set[str] = set()
        """Hosts without the referrers API."""
        self._lock = Lock()
        self._small: dict[str, Future[Answer]] = {}
        """Digest → the response, if it is small: tags, indexes and repositories share content."""

    def tags(self, repository: Reference) -> list[str]:
        """Return all tags, sorted. A page without a new tag ends the list."""
        tags: set[str] = set()
        for answer in self._pages(repository, "tags/list", ""):
            known = len(tags)
            tags.update(_decode(answer.body, _Tags, "list of tags").tags or ())
            if len(tags) > _MOST_TAGS:
                raise NoAnswerError(f"{repository.repository} has more than {_MOST_TAGS:,} tags")
            if len(tags) == known:
                break
        return sorted(tag for tag in tags if VERSION_LABEL.fullmatch(tag))

    def digest(self, repository: Reference, tag: str) -> str:
        """Return the digest of a tag.

        Raises `NoManifestError` if the registry lists the tag, but has no manifest that can be read. Raises
        `NoAnswerError` for no usable response.
        """
        answer, path = None, f"manifests/{tag}"
        try:
            answer = self._ask(repository, path, method="HEAD")
        except NoAnswerError as error:
            if error.status not in (404, 405):  # some registries only respond to GET
                raise
        digest = answer.headers.get("Docker-Content-Digest") if answer else None
        if answer is None or digest is None:
            try:
                answer = self._ask(repository, path)
            except NoAnswerError as error:
                if error.status != 404:
                    raise
                raise NoManifestError(f"{tag} is listed, but has no manifest", 404) from None
            digest = f"sha256:{hashlib.sha256(answer.body).hexdigest()}"
        if _media_type(answer).startswith(_SCHEMA_1):
            raise NoManifestError(f"{tag} has a manifest of Docker's schema 1, which is not read")
        if not DIGEST.fullmatch(digest):
            raise NoAnswerError(f"{repository.domain} sent a malformed digest for {tag}")
        return digest

    def manifest(self, repository: Reference, digest: str) -> RegistryManifest:
        """Return the index or manifest with this digest."""
        answer = self._by_digest(repository, "manifests", digest, _MANIFEST_SIZE)
        manifest = _decode(answer.body, RegistryManifest, f"manifest {digest}")
        manifest.media_type = manifest.media_type or _media_type(answer)
        if manifest.media_type not in (*_INDEXES, *_MANIFESTS):
            raise NoAnswerError(f"{digest} has the type {manifest.media_type[:100]!r}, which is unknown")
        if len(manifest.manifests or ()) > _MOST_ENTRIES:
            raise NoAnswerError(f"{digest} is an index of more than {_MOST_ENTRIES:,} manifests")
        return manifest

    def blob(self, repository: Reference, digest: str) -> bytes:
        """Return a config or another small blob."""
        return self._by_digest(repository, "blobs", digest, _BLOB_SIZE).body

    def referrers(self, repository: Reference, digest: str) -> list[Descriptor]:
        """Return the referrers of a digest; empty if the registry does not support the referrers API."""
        if repository.domain in self._without_referrers:
            return []
        referrers: list[Descriptor] = []
        try:
            for answer in self._pages(repository, f"referrers/{digest}", _INDEXES[0]):
                if _media_type(answer) != _INDEXES[0]:
                    raise NoAnswerError(f"the referrers of {digest} are not an index")
                index = _decode(answer.body, RegistryManifest, f"index of referrers of {digest}")
                entries = [entry for entry in index.manifests or () if entry not in referrers]
                referrers += entries
                if not entries or len(referrers) > _MOST_ENTRIES:
                    break
        except UnavailableError:
            raise
        except NoAnswerError as error:
            if error.status not in (401, 403):
                self._without_referrers.add(repository.domain)
        return referrers

    def chart_index(self, address: str) -> bytes:
        """Return the index.yaml of a classic repository."""
        reference = Reference(urlsplit(address).netloc, "")
        return self._ask(reference, f"{address.rstrip('/')}/index.yaml", size=_INDEX_SIZE, accept="*/*").body

    def _by_digest(self, repository: Reference, kind: str, digest: str, size: int) -> Answer:
        """Return the content with this digest, which is requested once, whichever repository has it.

        Who asks while it is on its way waits. A failure is the problem of the repository that was asked.
        """
        with self._lock:
            known = self._small.get(digest)
            if known is None:
                request = self._small[digest] = Future()
        if known is not None:
            with suppress(NoAnswerError):
                return known.result()
            return self._content(repository, kind, digest, size)
        try:
            answer = self._content(repository, kind, digest, size)
        except BaseException as error:
            with self._lock:
                del self._small[digest]
            request.set_exception(error if isinstance(error, NoAnswerError) else NoAnswerError("stopped"))
            raise
        request.set_result(answer)
        if len(answer.body) > _SMALL:
            with self._lock:
                del self._small[digest]
        return answer

    def _content(self, repository: Reference, kind: str, digest: str, size: int) -> Answer:
        if not DIGEST.fullmatch(digest):
            raise NoAnswerError(f"{repository.domain} refers to a malformed digest {digest[:80]!r}")
        answer = self._ask(
            repository, f"{kind}/{digest}", size=size, accept=_ACCEPT if kind[0] == "m" else "*/*"
        )
        algorithm = digest.partition(":")[0]
        if f"{algorithm}:{hashlib.new(algorithm, answer.body).hexdigest()}" != digest:
            raise NoAnswerError(f"{repository.domain} sent content that does not match {digest}")
        return answer

    def _pages(self, repository: Reference, path: str, accept: str) -> Iterator[Answer]:
        """Yield the response, and the next pages in `Link`, of which only the query is used: behind a proxy,
        the rest may be another host's.
        """
        first = address = self._address(repository, path)
        for _ in range(_MOST_PAGES):
            answer = self._ask(repository, address, size=_MANIFEST_SIZE, accept=accept or "application/json")
            yield answer
            links = parse_header_links(answer.headers.get("Link", ""))
            following = next((link["url"] for link in links if link.get("rel") == "next"), None)
            if following is None:
                return
            try:
                query = urlsplit(following).query
            except ValueError:
                query = ""
            if not query:
                raise NoAnswerError(
                    f"{repository.domain} continues its list at {following[:100]!r}, which is not followed"
                )
            address = f"{first}?{query}"
        raise NoAnswerError(f"{repository.domain} sent more than {_MOST_PAGES} pages of one list")

    def _address(self, repository: Reference, path: str) -> str:
        if path.startswith(("https://", "http://")):
            return path
        host = "registry-1.docker.io" if repository.domain == "docker.io" else repository.domain
        scheme = "http" if self.client.is_plain(repository.domain) else "https"
        return f"{scheme}://{host}/v2/{repository.path}/{path}"

    def _ask(
        self,
        repository: Reference,
        path: str,
        *,
        size: int = _MANIFEST_SIZE,
        method: str = "GET",
        accept: str = _ACCEPT,
    ) -> Answer:
        """Return a response with status 200. Sends credentials if the registry requires them.

        Raises `NoAnswerError` for another status below 500, or no usable response.
        """
        host, address = repository.domain, self._address(repository, path)
        key = host, repository.path
        authorization = self._authorizations.get(key, "")
        for attempt in range(2):
            headers = {"Accept": accept} | ({"Authorization": authorization} if authorization else {})
            answer = self.client.ask(address, headers, size=size, method=method, errors=range(400, 500))
            # Only the registry itself may request credentials, or name a token server.
            challenge = "" if answer.redirected else answer.headers.get("WWW-Authenticate", "")
            if attempt or answer.status != 401 or not challenge:
                break
            authorization = self._authorize(repository, challenge)
            if not authorization:
                break
            self._authorizations[key] = authorization
        if answer.status == 200:
            return answer
        reason = {401: "access denied", 403: "access denied", 404: "not found"}.get(answer.status, "rejected")
        hint = "check the reference; a private repository also needs a login" if answer.status == 404 else ""
        if answer.status in (401, 403):
            hint = self.login_hint(host)
        code = _error_code(answer.body)
        detail = f"{answer.status} {code}".strip()
        raise NoAnswerError(f"{address.partition('?')[0]}: {reason}, {detail}", answer.status, hint)

    def login_hint(self, host: str) -> str:
        """Return how to get access to a registry that denies it."""
        login = self._credentials.of(host)
        if login is None:
            return f"run `docker login {host}`"
        return f"as user {login.user!r}: {login.remedy or f'run `docker login {host}` again'}"

    def _authorize(self, repository: Reference, challenge: str) -> str:
        """Return the header for a challenge, or "" if there are no credentials."""
        challenges = _challenges(challenge)
        login = self._credentials.of(repository.domain)
        if "bearer" not in challenges and "basic" in challenges:
            return login.basic if login else ""
        if "bearer" not in challenges:
            raise NoAnswerError(f"{repository.domain} requires {text(challenge)[:40]!r}, which is unknown")
        fields = challenges["bearer"]
        realm = fields.get("realm") or ""
        scope = fields.get("scope") or f"repository:{repository.path}:pull"
        query = {
            name: value for name, value in (("service", fields.get("service")), ("scope", scope)) if value
        }
        headers = {"Authorization": login.basic} if login else {}
        address = f"{realm}{'&' if '?' in realm else '?'}{urlencode(query)}"
        try:
            self.client.check_step(self._address(repository, ""), address)
            answer = self.client.ask(address, headers, size=_MANIFEST_SIZE, errors=range(400, 500))
        except UnavailableError:
            raise
        except NoAnswerError as error:
            raise NoAnswerError(
                f"{repository.domain} has a token server that can't be used: {error.message}", hint=error.hint
            ) from None
        if answer.status != 200:
            message = f"{realm}: no token, {answer.status} {_error_code(answer.body)}".strip()
            raise NoAnswerError(message, answer.status, self.login_hint(repository.domain))
        token = _decode(answer.body, _Token, "token")
        value = token.token or token.access_token
        if not _TOKEN.fullmatch(value):
            raise NoAnswerError(f"{realm}: no token in the response")
        return f"Bearer {value}"


def _challenges(header: str) -> dict[str, dict[str, str | None]]:
    """Return scheme, in lower case → parameters, of all challenges in a header."""
    challenges: dict[str, dict[str, str | None]] = {}
    parameters: dict[str, str | None] = {}
    for part in parse_http_list(header):
        if scheme := _SCHEME.match(part):
            parameters = challenges.setdefault(scheme[0].lower(), {})
            part = part[scheme.end() :].strip()
        parameters |= parse_dict_header(part)
    return challenges


def _decode(body: bytes, kind: type[T], name: str) -> T:
    try:
        decoded: T = _DECODERS[kind].decode(body)
        return decoded
    except (ValueError, RecursionError) as error:
        # The reason has types and places, but never the text of the token.
        raise NoAnswerError(f"the {name} can't be read: {decoding_reason(error)}") from None


def _media_type(answer: Answer) -> str:
    return answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()


def _error_code(body: bytes) -> str:
    """Return the first error code of a registry, such as `NAME_UNKNOWN`."""
    try:
        code = msgspec.json.decode(body)["errors"][0]["code"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return ""
    return code if isinstance(code, str) and _ERROR_CODE.fullmatch(code) else ""
