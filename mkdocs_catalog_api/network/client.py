"""HTTP client for servers that are not trusted, which is considerate of them: an identifying User-Agent, and
waits when the server requests them.

A slow response, an endless header, a compression bomb or a redirect to http raises a `NoAnswerError`, and
never blocks the program or fills the memory.
"""

from __future__ import annotations

import io
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import partial
from http.client import HTTPException, HTTPResponse
from http.cookiejar import DefaultCookiePolicy
from importlib.metadata import version
from ipaddress import ip_address
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import requests
from msgspec import Struct
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError, MaxRetryError, NameResolutionError, ProtocolError, ReadTimeoutError
from urllib3.util import Retry

from ..sources.reports.normalise import text

USER_AGENT = f"mkdocs-catalog-api/{version('mkdocs-catalog-api')}"
PARALLEL = 8
"""Maximum number of requests to one host at a time."""
_BUSY = (429, 500, 502, 503, 504)
_MOST_REDIRECTS = 3
_CHUNK = 2**16
_ERROR_SIZE = 2**14
"""Maximum bytes to read from the body of an error or redirect."""
_HEADERS_SIZE = 2**20
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_IN_A_ROW = 3
"""Number of consecutive requests without a response after which a host is left alone."""
CHECK = (
    "check its name and your network; behind a proxy, set HTTPS_PROXY, "
    "and for a company's certificate REQUESTS_CA_BUNDLE"
)
"""The hint for a host that is down."""


class NoAnswerError(Exception):
    """No usable response. The message is one line without control characters.

    `status` is that of an error of the registry: 401 or 403 for wrong credentials, 404 for a missing object.
    As text, the error has its hint in parentheses.
    """

    def __init__(self, message: str, status: int = 0, hint: str = "") -> None:
        super().__init__(text(f"{message} ({hint})" if hint else message))
        self.message, self.status, self.hint = text(message), status, text(hint)


class UnavailableError(NoAnswerError):
    """No response, an incomplete one, or a busy server, also after all retries.

    `down` is the host if it gets no more requests: it can't be reached, or failed three times in a row.
    """

    silent = False
    """Whether the host could not be reached, or sent nothing at all."""

    def __init__(self, message: str, down: str = "") -> None:
        super().__init__(message)
        self.down = down


class Limits(Struct, frozen=True):
    """Limits of requests; times are in seconds."""

    silence: float = 10
    """For the connection, and between two parts of a response."""
    whole: float = 300
    """From the start of a response to its last byte."""
    run: float = 3600
    """For all requests of a client. The next run continues from there."""
    size: int = 128 * 2**20
    """Bytes of one response, packed and unpacked."""
    retries: int = 6
    """Retries of a busy server. Their waits, 0, 4, 8, 16, 32 and 60 s, exceed the 75 s for which Artifact Hub
    blocks clients."""
    longest_wait: float = 60
    """The longest wait that a server may request."""
    sleep: Callable[[float], object] | None = None


class Answer(NamedTuple):
    """A response. Of an error, `body` is only the beginning."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    redirected: bool
    """Whether another address sent it, which must not get credentials."""


class _Reader(io.RawIOBase):
    """The bytes of one response, up to a deadline and a size.

    A timeout of the socket alone restarts with each byte, and any part of a response can come in drops: the
    headers, repeated "100 Continue", the size of a chunk, the body.
    """

    def __init__(self, raw: io.RawIOBase, connection: socket.socket, deadline: float, size: int) -> None:
        self._raw, self._connection = raw, connection
        self._deadline, self._left = deadline, size
        self._silence = connection.gettimeout() or deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        seconds = self._deadline - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("no complete response in time")
        if self._left < 0:
            raise OSError("too many bytes")
        self._connection.settimeout(min(seconds, self._silence))
        count: int | None = self._raw.readinto(buffer)
        self._left -= count or 0
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(HTTPResponse):
    """A response that is read with a `_Reader`."""

    def __init__(self, client: Client, connection: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(connection, *args, **kwargs)
        self.fp: Any = io.BufferedReader(_Reader(self.fp.detach(), connection, *client.bounds()))


class _Patience(Retry):
    """Retries while a server is busy; not a silent server, and not for longer than the client accepts."""

    client: Client
    host = ""

    def new(self, **changes: Any) -> _Patience:
        following = super().new(**changes)
        following.client = self.client
        return following

    def get_retry_after(self, response: Any) -> float | None:
        try:
            return super().get_retry_after(response)
        except (HTTPError, ValueError, OverflowError):  # malformed
            return None

    def increment(
        self,
        method: str | None = None,
        url: str | None = None,
        response: Any = None,
        error: Exception | None = None,
        _pool: Any = None,
        _stacktrace: Any = None,
    ) -> _Patience:
        too_long = response and (self.get_retry_after(response) or 0) > self.client.limits.longest_wait
        if too_long or isinstance(error, ReadTimeoutError):
            raise MaxRetryError(_pool, url or "", error)
        following = super().increment(method, url, response, error, _pool, _stacktrace)
        following.host = _pool.host
        return following

    def sleep(self, response: Any = None) -> None:
        wait = max((response and self.get_retry_after(response)) or 0, self.get_backoff_time())
        if wait:
            reason = f"responds with {response.status}" if response else "does not respond"
            self.client.wait(wait, f"{self.host} {reason}")


class _Adapter(HTTPAdapter):
    """Sends requests to addresses that the client allows, and reads responses with a `_Reader`."""

    def __init__(self, client: Client) -> None:
        limits = client.limits
        retry = _Patience(
            limits.retries,
            connect=0,
            read=min(limits.retries, 1),  # a server may close a connection that was kept for the next request
            other=0,
            status_forcelist=_BUSY,
            backoff_factor=2,
            backoff_max=limits.longest_wait,
            raise_on_status=False,
        )
        retry.client = self._client = client
        super().__init__(pool_connections=64, pool_maxsize=PARALLEL, max_retries=retry)

    def send(self, request: Any, *args: Any, **kwargs: Any) -> requests.Response:
        self._client.check(request.url)
        return super().send(request, *args, **kwargs)

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> Any:
        pool = super().get_connection_with_tls_context(*args, **kwargs)
        if "ConnectionCls" not in vars(pool):
            response_class = staticmethod(partial(_Response, self._client))
            pool.ConnectionCls = type(
                "_Connection", (pool.ConnectionCls,), {"response_class": response_class}
            )
        return pool


class _Session(requests.Session):
    """A session that sends no credentials after a redirect, none of the user's .netrc, and no cookies."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client
        self.auth = lambda request: request
        self.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self.max_redirects = _MOST_REDIRECTS
        self.headers.update({"User-Agent": USER_AGENT, "Accept": "application/json, */*;q=0.1"})
        for scheme in ("https://", "http://"):
            self.mount(scheme, _Adapter(client))

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        if resp.is_redirect:  # `requests` would read and unpack the whole body, or leave it open
            resp.raw.read(_ERROR_SIZE, decode_content=False)
            resp.raw.close()
        return super().get_redirect_target(resp)

    def rebuild_auth(self, prepared_request: requests.PreparedRequest, response: requests.Response) -> None:
        prepared_request.headers.pop("Authorization", None)
        self._client.check_step(response.url, prepared_request.url or "")


class Client:
    """A client for GET and HEAD requests from several threads; use it as a context manager.

    `requests` counts the requests.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        say: Callable[[str], None] | None = None,
        insecure: Collection[str] = (),
    ) -> None:
        """`say` is called with the reason of each wait. `insecure` has the hosts that use http."""
        self.limits, self._say = limits or Limits(), say
        self._insecure = {host.lower() for host in insecure}
        self._deadline = time.monotonic() + self.limits.run
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._failures = Counter[str]()
        """Host → number of consecutive requests without a usable response."""
        self._responding: set[str] = set()
        self._down: dict[str, str] = {}
        """Host → why it gets no more requests."""
        self.requests = 0
        self._session = _Session(self)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._session.close()

    def stop(self) -> None:
        """Start no more requests, and end all waits."""
        self._deadline = 0
        self._stopped.set()

    def bounds(self) -> tuple[float, int]:
        """Return the deadline and the maximum number of bytes of a response that starts now."""
        return min(time.monotonic() + self.limits.whole, self._deadline), self.limits.size + _HEADERS_SIZE

    def wait(self, seconds: float, reason: str) -> None:
        """Wait before a retry. Ends early if the client stops."""
        if self._say:
            self._say(f"{reason}; next try in {seconds:.0f} s")
        (self.limits.sleep or self._stopped.wait)(seconds)

    def is_plain(self, host: str) -> bool:
        """Whether a host, with its port, uses http."""
        return urlsplit(f"//{host}").hostname in _LOOPBACK or host.lower() in self._insecure

    def check(self, address: str) -> None:
        """Raise `NoAnswerError` unless an address is https, or http of a host that may use it."""
        parts = urlsplit(address)
        if parts.username is not None or not (parts.scheme == "https" or self.is_plain(parts.netloc)):
            shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
            hint = "use https, or add the host to `insecure_registries`"
            raise NoAnswerError(f"{shown}: not requested", hint=hint)

    def check_step(self, source: str, target: str) -> None:
        """Raise `NoAnswerError` if a public host leads to an address that is not public."""
        try:
            hosts = [urlsplit(address).hostname or "" for address in (source, target)]
        except ValueError:
            return  # `ask` rejects it
        if is_public(hosts[0]) and not is_public(hosts[1]):
            raise NoAnswerError(f"{hosts[0]} leads to {hosts[1]}, which is not a public address")

    def ask(
        self,
        address: str,
        headers: Mapping[str, str] | None = None,
        *,
        size: int | None = None,
        method: str = "GET",
        errors: Collection[int] = (404,),
    ) -> Answer:
        """Return a complete response with status 200 or one of `errors`. Retries while the server is busy.

        `size` is an additional limit for the body in bytes. Redirects are followed with https, or with http
        to hosts that use it; they do not get credentials.

        Raises:
            UnavailableError: no response, "too many requests" or a server error, also after all retries.
            NoAnswerError: a response that a retry does not change.
        """
        try:
            host = urlsplit(address).netloc
        except ValueError:
            raise NoAnswerError(f"{address[:200]!r} is not a valid address") from None
        if time.monotonic() > self._deadline:
            seconds = f"{self.limits.run:g} seconds"
            raise NoAnswerError(f"{address}: skipped, because the run ended, or took longer than {seconds}")
        if host in self._down:
            raise UnavailableError(self._down[host], host)
        with self._lock:
            self.requests += 1
        try:
            answer = self._ask(address, headers, min(self.limits.size, size or self.limits.size), method)
        except UnavailableError as error:
            with self._lock:
                self._failures[host] += 1
                if self._failures[host] >= _IN_A_ROW or (error.silent and host not in self._responding):
                    self._down[host] = str(error)
            if host in self._down:
                raise UnavailableError(self._down[host], host) from None
            raise
        self._responding.add(host)
        self._failures[host] = 0
        if answer.status not in (200, *errors):
            raise NoAnswerError(f"{address}: the server responds with {answer.status}")
        return answer

    def _ask(self, address: str, headers: Mapping[str, str] | None, size: int, method: str) -> Answer:
        """Return a response with any status but those of a busy server."""
        try:
            with self._session.request(
                method, address, headers=headers, timeout=self.limits.silence, stream=True
            ) as response:
                status, received = response.status_code, response.headers
                if status in _BUSY:
                    after = (
                        f", Retry-After {received['Retry-After'][:40]}" if "Retry-After" in received else ""
                    )
                    raise UnavailableError(f"{address}: the server responds with {status}{after}")
                most = size if status == 200 else _ERROR_SIZE
                body = _body(response, most)
                if status == 200 and len(body) > most:
                    raise NoAnswerError(
                        f"{address}: not read, because it is larger than {size / 2**20:g} MiB"
                    )
                return Answer(status, received, body, bool(response.history))
        except (requests.ConnectionError, requests.Timeout, HTTPError, HTTPException) as error:
            reason = error.args and getattr(error.args[0], "reason", None)
            why = f"{address}: no complete response ({_cause(error)})"
            if isinstance(reason, NameResolutionError):
                why = f"can't resolve {reason.conn.host} (check its name and the network)"
            unavailable = UnavailableError(why)
            unavailable.silent = bool(reason) and not isinstance(reason, ProtocolError)
            raise unavailable from None
        except (requests.RequestException, ValueError, OSError) as error:
            raise NoAnswerError(f"{address}: {_cause(error)}") from None


def is_public(host: str) -> bool:
    """Whether no address of a host is private. One that can't be resolved is left to a proxy."""
    try:
        addresses = {str(info[4][0]) for info in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        return True
    return all(ip_address(address.partition("%")[0]).is_global for address in addresses)


def _body(response: requests.Response, size: int) -> bytes:
    """Return the whole body, or a few bytes more than `size`."""
    parts, length = [], 0
    # `iter_content` would wait for a full chunk, and detect the limit later.
    while part := response.raw.read1(_CHUNK, decode_content=True):
        parts.append(part)
        length += len(part)
        if length > size:
            break
    return b"".join(parts)


def _cause(error: Exception) -> str:
    """Return the innermost reason of a network error, in one line, without the query of an address."""
    inner: BaseException = error
    while inner.__cause__ or inner.__context__:
        inner = inner.__cause__ or inner.__context__ or inner
    return text(str(inner)).partition("?")[0][:200] or type(inner).__name__
