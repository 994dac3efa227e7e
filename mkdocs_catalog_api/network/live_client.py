"""Asks a host for documents the way a page of another site does, for a bounded time and number of bytes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import requests
from urllib3.exceptions import HTTPError

from .client import USER_AGENT, cause

_CHUNK = 2**16
_BUSY = (429, 503)


@dataclass(frozen=True, slots=True)
class Limits:
    """How long to wait, in seconds."""

    silence: float = 15
    """For connecting, and between two pieces of an answer."""
    whole: float = 60
    """For one answer."""
    clock: Callable[[], float] = time.monotonic


class Answer(NamedTuple):
    """What came back; `body` is None when it was larger than asked for."""

    status: int
    headers: Mapping[str, str]
    body: bytes | None


class NoAnswerError(Exception):
    """Nothing came back that can be judged."""


class LiveClient:
    """A client for GET requests that follows no redirect; use it as a context manager."""

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._session = requests.Session()
        self._session.headers.update(
            {
                "User-Agent": f"{USER_AGENT} check-live",
                "Accept": "application/json",
                # Some hosts send CORS headers only to those who name an origin.
                "Origin": "https://client.example",
            }
        )
        # Keeps passwords of the user's .netrc to the user.
        self._session.auth = lambda request: request

    def __enter__(self) -> LiveClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def get(self, address: str, size: int) -> Answer:
        """What the host answers; the body is read when the status is 200, up to `size` bytes, unpacked.

        Raises:
            NoAnswerError: nothing, or not all of it.
        """
        limits = self._limits
        ends = limits.clock() + limits.whole
        try:
            with self._session.get(
                address, timeout=limits.silence, stream=True, allow_redirects=False
            ) as answer:
                if answer.status_code in _BUSY:
                    raise NoAnswerError(f"the host is busy ({answer.status_code}); try again later")
                body: bytes | None = b""
                if answer.status_code == 200:
                    body = self._body(answer, size, ends)
                return Answer(answer.status_code, answer.headers, body)
        except (requests.RequestException, HTTPError) as error:
            raise NoAnswerError(f"no whole answer: {cause(error)}") from None

    def _body(self, answer: requests.Response, size: int, ends: float) -> bytes | None:
        """The whole body, None when there is more of it than `size` bytes."""
        parts, length = [], 0
        # Not `iter_content`: it waits for a full chunk, so an answer in drops would never be interrupted.
        while part := answer.raw.read1(_CHUNK, decode_content=True):
            parts.append(part)
            length += len(part)
            if length > size:
                return None
            if self._limits.clock() > ends:
                raise NoAnswerError(f"no whole answer within {self._limits.whole:g} seconds")
        return b"".join(parts)
