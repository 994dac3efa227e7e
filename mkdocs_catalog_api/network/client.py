"""Asks servers over HTTP, as politely as an operator would wish: one request at a time, a name that says who
asks, a wait whenever the server wants one, and no more than a bounded number of bytes and seconds.

Nobody is trusted to be well: an answer in drops, a head without an end, a packed bomb, a redirect to some
other place, each ends with a `NoAnswerError`, never with a hanging program or full memory.
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
"""Bytes of the body of an error that are read if they are wanted."""
_SECRET = ("authorization", "cookie")
"""Headers that no other host gets."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class NoAnswerError(Exception):
    """No answer that can be used. The message is one line without control characters."""

    def __init__(self, message: str) -> None:
        super().__init__(text(message))


class UnavailableError(NoAnswerError):
    """None although the server was asked again and again."""


class _BrokenError(NoAnswerError):
    """No whole answer, which the next try may bring."""


# The waits are 0, 4, 8, 16, 32 and 64 s: together longer than the 75 s for which Artifact Hub blocks.
_RETRY = Retry(6, backoff_factor=2, backoff_max=64, status_forcelist=(429, 500, 502, 503, 504))


class Limits(Struct, frozen=True):
    """How long and how much; all times in seconds."""

    silence: float = 30
    """For connecting, and between two pieces of an answer."""
    whole: float = 300
    """For one answer from the question to its last byte."""
    size: int = 128 * 2**20
    """Bytes of one answer, unpacked."""
    retry: Retry = _RETRY
    """How often to ask again, and after which waits."""
    longest_wait: float = 600
    """The longest wait that a server may ask for."""
    sleep: Callable[[float], None] = time.sleep


LIVE = Limits(silence=15, whole=60)
"""For the documents of a published site, which are small and served from nearby."""


class Answer(NamedTuple):
    """What came back; `body` is only its beginning if `too_large`, and empty for errors that nobody reads."""

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
        """None: `requests` would read the whole body of a redirect, even of one that is not followed."""


class Client:
    """A client for GET and HEAD requests; use it as a context manager, in one thread."""

    def __init__(self, limits: Limits | None = None, say: Callable[[str], None] | None = None) -> None:
        """`say` is called with the reason whenever the client waits."""
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
        """The answer to one question, whatever it is; no redirect is followed, nothing is asked twice.

        `size`, by default that of the limits, is the most bytes that the body may have, unpacked. With
        `errors`, the beginning of the body of an error is read, too.

        Raises:
            NoAnswerError: nothing, or not all of it, or not in time.
        """
        session, most = self._session, self._limits.size if size is None else size
        result = SimpleQueue[Answer | Exception]()

        def receive() -> None:
            try:
                result.put(self._receive(session, method, address, most, headers, errors))
            except Exception as error:
                result.put(error)

        # In a thread, because the timeouts of sockets begin again with each byte, and an answer can come in
        # drops anywhere: in its head, in "100 Continue" after "100 Continue", in the size of a chunk.
        Thread(target=receive, daemon=True).start()
        try:
            answer = result.get(timeout=self._limits.whole)
        except Empty:
            self._session = _Session()  # the thread may still use the old one
            raise _BrokenError(f"no whole answer within {self._limits.whole:g} seconds") from None
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
            raise _BrokenError(f"no whole answer ({_cause(error)})") from None
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
        """An answer of status 200, or one of `errors`, or 304 if `headers` ask for it, its body whole; asked
        for again while the server is busy.

        `size` bounds the body further than the limits do. Redirects are followed within the same scheme, host
        and port; with `elsewhere` also to other hosts, by https alone (or by http from this machine to
        itself), which do not get the credentials in `headers`.

        Raises:
            UnavailableError: no answer, or "too many requests", or a fault of the server, time and again.
            NoAnswerError: an answer that asking again would not mend.
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
                    ]  # what follows may be a signature, which opens a file to all
                    if redirects > _MOST_REDIRECTS:
                        raise NoAnswerError("redirected in circles")
                    continue
                if not retry.is_retry(method, answer.status):
                    return _usable(answer, most, (200, *errors, *([304] if headers else ())))
                reason, after = f"the server answers {answer.status}", _wanted_wait(retry, answer)
            except _BrokenError as error:
                reason = str(error)
            except NoAnswerError as error:
                raise NoAnswerError(f"{shown}: {error}") from None
            if not retry.total:
                raise UnavailableError(f"{shown}: {reason}, also after {len(retry.history)} more tries")
            retry = retry.increment(method, place, error=HTTPError(reason))
            after = max(after, retry.get_backoff_time())
            if after > self._limits.longest_wait:
                when = f"and wants to be asked again in {after / 60:.0f} minutes only"
                raise UnavailableError(f"{shown}: {reason}, {when}")
            if self._say:
                self._say(text(f"{shown}: {reason}; asking again in {after:.0f} s"))
            self._limits.sleep(after)


def _body(answer: requests.Response, size: int) -> bytes:
    """The whole body, or little more than `size` bytes of it."""
    parts, length = [], 0
    # Not `iter_content`, which waits for a full chunk: what is too large should be known at once.
    while part := answer.raw.read1(_CHUNK, decode_content=True):
        parts.append(part)
        length += len(part)
        if length > size:
            break
    return b"".join(parts)


def _usable(answer: Answer, size: int, statuses: Collection[int]) -> Answer:
    if answer.status not in statuses:
        raise NoAnswerError(f"the server answers {answer.status}")
    if answer.too_large:
        raise NoAnswerError(f"the answer is larger than {size / 2**20:g} MiB, so it was not read")
    return answer


def _target(place: str, answer: Answer, elsewhere: bool) -> str:
    """Where a redirect leads, if one may go there."""
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
        f"the server sends elsewhere, to {text(location.partition('?')[0])[:200]!r}, which is not followed; "
        "if you trust that place, give its address instead"
    )


def _wanted_wait(retry: Retry, answer: Answer) -> float:
    """Seconds that the server wants one to wait: RFC 9110, section 10.2.3."""
    try:
        return retry.parse_retry_after(answer.headers.get("Retry-After", "0"))
    except (HTTPError, ValueError, OverflowError):
        return 0


def _cause(error: Exception) -> str:
    """The innermost reason that a library of networking gives, in one line."""
    inner: BaseException = error
    while inner.__cause__ or inner.__context__:
        inner = inner.__cause__ or inner.__context__ or inner
    return text(str(inner))[:200] or type(inner).__name__
