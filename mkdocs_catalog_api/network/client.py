"""HTTP client that is considerate of servers: one request at a time, an identifying User-Agent, waits when
the server requests them, and limits for bytes and seconds.

Servers are not trusted: a slow response, an endless header, a compression bomb or a redirect to another host
raises a `NoAnswerError`, and never blocks the program or fills the memory.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from importlib.metadata import version
from queue import Empty, SimpleQueue
from threading import Thread
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

import requests
from msgspec import Struct
from urllib3.exceptions import HTTPError
from urllib3.util import Retry

from ..sources.reports.normalise import text

USER_AGENT = f"mkdocs-catalog-api/{version('mkdocs-catalog-api')}"
_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_REDIRECTS = 3
_CHUNK = 2**16
_ERROR_SIZE = 2**14
"""Maximum bytes to read from the body of an error."""
_SECRET = ("authorization", "cookie")
"""Headers that are not sent to other hosts."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class NoAnswerError(Exception):
    """No usable response. The message is one line without control characters."""

    def __init__(self, message: str) -> None:
        super().__init__(text(message))


class UnavailableError(NoAnswerError):
    """No response after several tries."""


class _BrokenError(NoAnswerError):
    """An incomplete response; the next try may succeed."""


# The waits are 0, 4, 8, 16, 32 and 64 s, in total longer than the 75 s for which Artifact Hub blocks clients.
_RETRY = Retry(6, backoff_factor=2, backoff_max=64, status_forcelist=(429, 500, 502, 503, 504))


class Limits(Struct, frozen=True):
    """Limits of requests; times are in seconds."""

    silence: float = 30
    """For the connection, and between two parts of a response."""
    whole: float = 300
    """From the start of a request to the last byte of its response."""
    size: int = 128 * 2**20
    """Bytes of one unpacked response."""
    retry: Retry = _RETRY
    """Number of retries, and the waits before them."""
    longest_wait: float = 600
    """The longest wait that a server may request."""
    sleep: Callable[[float], None] = time.sleep


class Answer(NamedTuple):
    """A response. `body` is only its beginning if `too_large`, and empty for errors unless requested."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    too_large: bool = False


class _Session(requests.Session):
    """A session that neither follows redirects nor sends passwords from the user's .netrc."""

    def __init__(self) -> None:
        super().__init__()
        self.auth = lambda request: request
        self.headers.update({"User-Agent": USER_AGENT, "Accept": "application/json, */*;q=0.1"})

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Return None: otherwise `requests` reads the whole body of redirects that are not followed."""


class Client:
    """A client for GET and HEAD requests; use it as a context manager, in one thread."""

    def __init__(self, limits: Limits | None = None, say: Callable[[str], None] | None = None) -> None:
        """`say` is called with the reason of each wait."""
        self._limits, self._say = limits or Limits(), say
        self._session = _Session()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def get(
        self,
        address: str,
        size: int | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        method: str = "GET",
        errors: bool = False,
    ) -> Answer:
        """Return the response to one request, with any status. Does not retry or follow redirects.

        `size` is the maximum of bytes of the unpacked body, by default that of the limits. With `errors`,
        the beginning of the body of an error is also read.

        Raises:
            NoAnswerError: no response, an incomplete one, or a timeout.
        """
        session, most = self._session, self._limits.size if size is None else size
        result = SimpleQueue[Answer | Exception]()

        def receive() -> None:
            try:
                result.put(self._receive(session, method, address, most, headers, errors))
            except Exception as error:
                result.put(error)

        # Runs in a thread, because timeouts of sockets restart with each byte, and any part of a response can
        # be slow: the headers, repeated "100 Continue", the size of a chunk.
        Thread(target=receive, daemon=True).start()
        try:
            answer = result.get(timeout=self._limits.whole)
        except Empty:
            self._session = _Session()  # the thread may still use the old one
            raise _BrokenError(f"no complete response within {self._limits.whole:g} seconds") from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _receive(
        self,
        session: requests.Session,
        method: str,
        address: str,
        most: int,
        headers: Mapping[str, str] | None,
        errors: bool,
    ) -> Answer:
        try:
            with session.request(
                method,
                address,
                headers=headers,
                timeout=self._limits.silence,
                stream=True,
                allow_redirects=False,
            ) as answer:
                if answer.status_code != 200:
                    wanted = errors and answer.status_code >= 400
                    return Answer(
                        answer.status_code, answer.headers, _body(answer, _ERROR_SIZE) if wanted else b""
                    )
                body = _body(answer, most)
                return Answer(200, answer.headers, body, len(body) > most)
        except (requests.ConnectionError, requests.Timeout, HTTPError) as error:
            raise _BrokenError(f"no complete response ({_cause(error)})") from None
        except (requests.RequestException, ValueError) as error:
            raise NoAnswerError(_cause(error)) from None

    def ask(
        self,
        address: str,
        headers: Mapping[str, str] | None = None,
        *,
        size: int | None = None,
        elsewhere: bool = False,
        method: str = "GET",
        errors: Collection[int] = (404,),
    ) -> Answer:
        """Return a complete response with status 200, one of `errors`, or 304 if `headers` allow it. Retries
        while the server is busy.

        `size` is an additional limit for the body. Redirects are followed within the same scheme, host and
        port. With `elsewhere`, they are followed to other hosts, but only with https (or with http on this
        machine); other hosts do not get the credentials in `headers`.

        Raises:
            UnavailableError: no response, "too many requests" or a server error, also after all retries.
            NoAnswerError: a response that a retry does not change.
        """
        place, shown, redirects, retry = address, address, 0, self._limits.retry
        most = min(self._limits.size, size or self._limits.size)
        while True:
            after = 0.0
            try:
                answer = self.get(place, most, headers, method=method, errors=errors != (404,))
                if answer.status in _REDIRECTS:
                    target = _target(place, answer, elsewhere)
                    if headers and urlsplit(target)[:2] != urlsplit(place)[:2]:
                        headers = {
                            name: value for name, value in headers.items() if name.lower() not in _SECRET
                        }
                    place, redirects = target, redirects + 1
                    shown = place.partition("?")[
                        0
                    ]  # the query may have a signature, which gives access to the file
                    if redirects > _MOST_REDIRECTS:
                        raise NoAnswerError("circular redirect")
                    continue
                if not retry.is_retry(method, answer.status):
                    return _usable(answer, most, (200, *errors, *([304] if headers else ())))
                reason, after = f"the server responds with {answer.status}", _wanted_wait(retry, answer)
            except _BrokenError as error:
                reason = str(error)
            except NoAnswerError as error:
                raise NoAnswerError(f"{shown}: {error}") from None
            if not retry.total:
                raise UnavailableError(f"{shown}: {reason}, also after {len(retry.history)} retries")
            retry = retry.increment(method, place, error=HTTPError(reason))
            after = max(after, retry.get_backoff_time())
            if after > self._limits.longest_wait:
                when = f"and requests a wait of {after / 60:.0f} minutes"
                raise UnavailableError(f"{shown}: {reason}, {when}")
            if self._say:
                self._say(text(f"{shown}: {reason}; next try in {after:.0f} s"))
            self._limits.sleep(after)


def _body(answer: requests.Response, size: int) -> bytes:
    """Return the whole body, or a few bytes more than `size`."""
    parts, length = [], 0
    # `iter_content` would wait for a full chunk, and detect the limit later.
    while part := answer.raw.read1(_CHUNK, decode_content=True):
        parts.append(part)
        length += len(part)
        if length > size:
            break
    return b"".join(parts)


def _usable(answer: Answer, size: int, statuses: Collection[int]) -> Answer:
    if answer.status not in statuses:
        raise NoAnswerError(f"the server responds with {answer.status}")
    if answer.too_large:
        raise NoAnswerError(f"not read, because the response is larger than {size / 2**20:g} MiB")
    return answer


def _target(place: str, answer: Answer, elsewhere: bool) -> str:
    """Return the target of a redirect. Raises an error if it is not allowed."""
    location = answer.headers.get("Location", "")
    try:
        target = urljoin(place, location)
        there, here = urlsplit(target), urlsplit(place)
        same = there[:2] == here[:2]
        here_only = there.scheme == here.scheme == "http" and {there.hostname, here.hostname} <= {*LOOPBACK}
        secure = there.scheme == "https" or here_only
        foreign = elsewhere and secure and there.hostname and there.username is None
    except ValueError:
        same = foreign = False
    if same or foreign:
        return target
    raise NoAnswerError(
        f"the server redirects to {text(location.partition('?')[0])[:200]!r}, which is not followed; "
        "if you trust that URL, use it instead"
    )


def _wanted_wait(retry: Retry, answer: Answer) -> float:
    """Return the wait in seconds that the server requests: RFC 9110, section 10.2.3."""
    try:
        return retry.parse_retry_after(answer.headers.get("Retry-After", "0"))
    except (HTTPError, ValueError, OverflowError):
        return 0


def _cause(error: Exception) -> str:
    """Return the innermost reason of a network error, in one line."""
    inner: BaseException = error
    while inner.__cause__ or inner.__context__:
        inner = inner.__cause__ or inner.__context__ or inner
    return text(str(inner))[:200] or type(inner).__name__
