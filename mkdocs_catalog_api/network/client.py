"""Asks a chart hub over HTTP, as politely as an operator would wish: one request at a time, a name that says
who asks, a wait whenever the hub wants one, and no more than a bounded number of bytes and seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from urllib.parse import urljoin, urlsplit

import requests
from urllib3.exceptions import HTTPError

from ..reports.normalise import text

USER_AGENT = f"mkdocs-catalog-api/{version('mkdocs-catalog-api')}"
_REDIRECTS = (301, 302, 303, 307, 308)
_BUSY = (429, 500, 502, 503, 504)
_CHUNK = 2**16


class HubError(Exception):
    """The hub gave no answer that can be used."""


class HubUnavailableError(HubError):
    """The hub gave none although it was asked again and again."""


class _AskAgainError(Exception):
    """Worth asking again, after as many seconds as the hub says."""

    def __init__(self, reason: str, after: float | None = None) -> None:
        super().__init__(reason)
        self.after = after


def _utc() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Limits:
    """How long and how much; all times in seconds."""

    silence: float = 30
    """For connecting, and between two pieces of an answer."""
    whole: float = 300
    """For one answer from its first to its last byte."""
    size: int = 128 * 2**20
    """Bytes of one answer, unpacked."""
    waits: tuple[float, ...] = (2, 4, 8, 16, 32, 64)
    """Before asking again; together longer than the 75 s for which Artifact Hub blocks who asks too much."""
    longest_wait: float = 600
    """The longest wait that the hub may ask for."""
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = _utc


class HubClient:
    """A client for GET requests to hubs; use it as a context manager."""

    def __init__(self, limits: Limits | None = None, say: Callable[[str], None] | None = None) -> None:
        """`say` is told why the client waits."""
        self._limits, self._say = limits or Limits(), say
        self._session = requests.Session()
        self._session.headers.update({"User-Agent": USER_AGENT, "Accept": "application/json"})
        # Keeps passwords of the user's .netrc to the user.
        self._session.auth = lambda request: request

    def __enter__(self) -> HubClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def get(self, address: str) -> bytes | None:
        """The body of an answer as it is; None when the hub does not know the address (404).

        Raises:
            HubUnavailableError: no answer, or "too many requests", or a fault of the server, time and again.
            HubError: an answer that asking again would not mend.
        """
        for wait in (*self._limits.waits, None):
            try:
                return self._ask(address, redirects=3)
            except _AskAgainError as again:
                reason = f"{address}: {again}"
                after = max(again.after or 0, wait or 0)
                if after > self._limits.longest_wait:
                    message = f"{reason}, and wants to be asked again in {after / 60:.0f} minutes only"
                    raise HubUnavailableError(message) from None
                if wait is not None:
                    if self._say:
                        self._say(f"{reason}; asking again in {after:.0f} s")
                    self._limits.sleep(after)
        raise HubUnavailableError(f"{reason}, also after {len(self._limits.waits)} more tries")

    def _ask(self, address: str, redirects: int) -> bytes | None:
        try:
            with self._session.get(
                address, timeout=self._limits.silence, stream=True, allow_redirects=False
            ) as answer:
                if answer.status_code == 200:
                    return self._body(answer)
                if answer.status_code == 404:
                    return None
                status = text(f"the hub answers {answer.status_code} {answer.reason}")
                if answer.status_code in _BUSY:
                    raise _AskAgainError(status, self._seconds(answer.headers.get("Retry-After", "")))
                if answer.status_code not in _REDIRECTS:
                    raise HubError(f"{address}: {status}")
                target = urljoin(address, answer.headers.get("Location", ""))
        except (requests.ConnectionError, requests.Timeout, HTTPError) as error:
            raise _AskAgainError(f"no whole answer ({cause(error)})") from None
        except requests.RequestException as error:
            raise HubError(f"{address}: {cause(error)}") from None
        if urlsplit(target)[:2] != urlsplit(address)[:2]:
            message = f"{address}: the hub sends elsewhere, to {text(target)[:200]}"
            raise HubError(f"{message}; if you trust that place, name it with --hub")
        if not redirects:
            raise HubError(f"{address}: redirected in circles")
        return self._ask(target, redirects - 1)

    def _body(self, answer: requests.Response) -> bytes:
        began, parts, size = self._limits.clock(), [], 0
        # Not `iter_content`: it waits for a full chunk, so an answer in drops would never be interrupted.
        while part := answer.raw.read1(_CHUNK, decode_content=True):
            parts.append(part)
            size += len(part)
            if size > self._limits.size:
                limit = f"{self._limits.size / 2**20:g} MiB"
                raise HubError(f"{answer.url}: the answer is larger than {limit}, so it was not read")
            if self._limits.clock() - began > self._limits.whole:
                raise _AskAgainError(f"the answer takes longer than {self._limits.whole:g} seconds")
        return b"".join(parts)

    def _seconds(self, retry_after: str) -> float | None:
        """RFC 9110, section 10.2.3: a number of seconds or a date; None for anything else."""
        if retry_after.isascii() and retry_after.isdigit() and len(retry_after) < 10:
            return float(retry_after)
        try:
            moment = parsedate_to_datetime(retry_after)
        except ValueError:
            return None
        zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max((zoned - self._limits.now()).total_seconds(), 0)


def cause(error: Exception) -> str:
    """The innermost reason that a library of networking gives, in one line."""
    inner: BaseException = error
    while inner.__cause__ or inner.__context__:
        inner = inner.__cause__ or inner.__context__ or inner
    return text(str(inner))[:200] or type(inner).__name__
