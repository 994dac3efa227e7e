"""HTTP client for servers that are not trusted, which is considerate of them: an identifying User-Agent, and
waits when the server requests them.

A slow response, an endless header, a compression bomb or a redirect to http raises a `NoAnswerError`, and
never blocks the program or fills the memory.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from contextlib import suppress
from http.client import HTTPException
from importlib.metadata import version
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

import requests
from msgspec import Struct
from requests.adapters import HTTPAdapter
from requests.utils import get_environ_proxies
from urllib3 import Retry
from urllib3.exceptions import HTTPError, NameResolutionError, ProtocolError

from ..sources.reports.normalise import text

_HEADERS = {
    "User-Agent": f"mkdocs-catalog-api/{version('mkdocs-catalog-api')}",
    "Accept": "application/json, */*;q=0.1",
    "Accept-Encoding": "gzip, deflate",
}
PARALLEL = 8
"""Maximum number of requests to one host at a time."""
_BUSY = (429, 500, 502, 503, 504)
_MOST_REDIRECTS = 3
_CHUNK = 2**16
_ERROR_SIZE = 2**14
"""Maximum bytes to read from the body of an error."""
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


class _Host(Struct):
    """A host that was asked, such as `ghcr.io`."""

    responds: bool = False
    """Whether it ever sent a usable response."""
    failures: int = 0
    """Number of consecutive requests without one."""
    down: str = ""
    """Why it gets no more requests."""


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
        self._hosts = defaultdict[str, _Host](_Host)
        self.requests = 0
        self._adapter = HTTPAdapter(
            pool_connections=64,
            pool_maxsize=PARALLEL,
            # A server may close a connection that was kept for the next request.
            max_retries=Retry(1, connect=0, other=0, respect_retry_after_header=False),
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._adapter.close()

    def stop(self) -> None:
        """Start no more requests, and end all waits."""
        self._deadline = 0
        self._stopped.set()

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
        to hosts that use it; they do not get credentials. Raises `UnavailableError` for no response, "too
        many requests" or a server error, also after all retries. Raises `NoAnswerError` for a response that a
        retry does not change.
        """
        try:
            host = urlsplit(address).netloc
        except ValueError:
            raise NoAnswerError(f"{address[:200]!r} is not a valid address") from None
        if time.monotonic() > self._deadline:
            seconds = f"{self.limits.run:g} seconds"
            raise NoAnswerError(f"{address}: skipped, because the run ended, or took longer than {seconds}")
        with self._lock:
            known = self._hosts[host]
            if known.down:
                raise UnavailableError(known.down, host)
            self.requests += 1
        try:
            answer = self._ask(address, headers, min(self.limits.size, size or self.limits.size), method)
        except UnavailableError as error:
            with self._lock:
                known.failures += 1
                if known.failures >= _IN_A_ROW or (error.silent and not known.responds):
                    known.down = str(error).replace(address, host)  # the address is one of many
            if known.down:
                raise UnavailableError(known.down, host) from None
            raise
        known.responds, known.failures = True, 0
        if answer.status not in (200, *errors):
            raise NoAnswerError(f"{address}: the server responds with {answer.status}")
        return answer

    def _ask(self, address: str, headers: Mapping[str, str] | None, size: int, method: str) -> Answer:
        """Return a response with any status but those of a busy server, for which it waits."""
        for retry in range(self.limits.retries + 1):
            answer = self._in_time(address, headers or {}, size, method)
            if answer.status not in _BUSY:
                return answer
            requested = _retry_after(answer)
            if retry == self.limits.retries or requested > self.limits.longest_wait:
                break
            wait = max(requested, min(2 ** (retry + 1), self.limits.longest_wait) if retry else 0)
            if self._say and wait:
                host = urlsplit(address).hostname
                self._say(f"{host} responds with {answer.status}; next try in {wait:.0f} s")
            (self.limits.sleep or self._stopped.wait)(wait)
        after = f", Retry-After {answer.headers['Retry-After'][:40]}" if requested else ""
        raise UnavailableError(f"{address}: the server responds with {answer.status}{after}")

    def _in_time(self, address: str, headers: Mapping[str, str], size: int, method: str) -> Answer:
        """Return a response that is complete before the deadline.

        It is read in a thread of its own, which is left behind if it takes longer: every part of a response
        can come in drops, and a timeout of the socket restarts with each of them.
        """
        deadline = min(time.monotonic() + self.limits.whole, self._deadline)
        future = Future[Answer]()

        def read() -> None:
            try:
                future.set_result(self._response(address, headers, size, method, deadline))
            except Exception as error:  # raised again below
                future.set_exception(error)

        threading.Thread(target=read, daemon=True).start()
        try:
            return future.result(max(deadline - time.monotonic(), 0))
        except TimeoutError:
            raise UnavailableError(f"{address}: no complete response in time") from None
        except (requests.ConnectionError, requests.Timeout, HTTPError, HTTPException) as error:
            reason = error.args and getattr(error.args[0], "reason", None)
            why = f"{address}: no complete response ({_cause(error)})"
            if isinstance(reason, NameResolutionError):
                why = f"can't resolve {reason.conn.host}"
            unavailable = UnavailableError(why)
            unavailable.silent = bool(reason) and not isinstance(reason, ProtocolError)
            raise unavailable from None
        except (requests.RequestException, ValueError, OSError) as error:
            raise NoAnswerError(f"{address}: {_cause(error)}") from None

    def _response(
        self, address: str, headers: Mapping[str, str], size: int, method: str, deadline: float
    ) -> Answer:
        """Return a response, redirects followed. Only the first address gets credentials."""
        target, sent = address, {**_HEADERS, **headers}
        for step in range(_MOST_REDIRECTS + 1):
            self.check(target)
            request = requests.Request(method, target, sent).prepare()
            with self._adapter.send(
                request,
                stream=True,
                timeout=self.limits.silence,
                verify=os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True,
                proxies=get_environ_proxies(target),
            ) as response:
                if not response.is_redirect:
                    whole = response.status_code == 200
                    body = _body(response, size if whole else _ERROR_SIZE, deadline)
                    if whole and len(body) > size:
                        megabytes = f"{size / 2**20:g} MiB"
                        raise NoAnswerError(f"{address}: not read, because it is larger than {megabytes}")
                    return Answer(response.status_code, response.headers, body, step > 0)
            source, target = target, urljoin(target, response.headers["Location"].encode("latin-1").decode())
            self.check_step(source, target)
            sent.pop("Authorization", None)
        raise NoAnswerError(f"{address}: Exceeded {_MOST_REDIRECTS} redirects")


def is_public(host: str) -> bool:
    """Whether no address of a host is private. One that can't be resolved is left to a proxy."""
    try:
        addresses = {str(info[4][0]) for info in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        return True
    return all(ip_address(address.partition("%")[0]).is_global for address in addresses)


def _body(response: requests.Response, size: int, deadline: float) -> bytes:
    """Return the whole body, or a few bytes more than `size`."""
    parts, length = [], 0
    # `iter_content` would wait for a full chunk, and detect the limits later.
    while part := response.raw.read1(_CHUNK, decode_content=True):
        parts.append(part)
        length += len(part)
        if length > size:
            break
        if time.monotonic() > deadline:  # nobody waits for it any more
            raise TimeoutError
    return b"".join(parts)


def _retry_after(answer: Answer) -> float:
    """Return the seconds that a busy server requests; 0 without a valid request."""
    with suppress(HTTPError, ValueError, OverflowError):
        return Retry().parse_retry_after(answer.headers.get("Retry-After", ""))
    return 0


def _cause(error: Exception) -> str:
    """Return the innermost reason of a network error, in one line, without the query of an address."""
    inner: BaseException = error
    while inner.__cause__ or inner.__context__:
        inner = inner.__cause__ or inner.__context__ or inner
    return text(str(inner)).partition("?")[0][:200] or type(inner).__name__
