"""A session of `requests` whose answers have a deadline. Its own timeouts begin anew with each byte, so that
an answer in drops, be it a body, a head, or one "100 Continue" after the other, would go on for days.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from http.client import HTTPResponse
from socket import socket
from typing import Any

import requests
from requests.adapters import HTTPAdapter


class TimedSession(requests.Session):
    """A session that neither follows redirects nor sends passwords from the user's .netrc."""

    def __init__(self, left: Callable[[], float]) -> None:
        """`left` says how many seconds an answer still has, and raises an error when none are left."""
        super().__init__()
        self.auth = lambda request: request
        for scheme in ("http://", "https://"):
            self.mount(scheme, _TimedAdapter(left))

    def get_redirect_target(self, resp: requests.Response) -> None:
        """None, as `requests` would read the whole body of a redirect, however long, also of one that is not
        to be followed.
        """


class _TimedAdapter(HTTPAdapter):
    """Has every answer read through `_Timed`, so that its deadline holds from the first byte of its head."""

    def __init__(self, left: Callable[[], float]) -> None:
        self._left = left
        super().__init__()

    def get_connection_with_tls_context(self, *args: Any, **options: Any) -> Any:
        pool = super().get_connection_with_tls_context(*args, **options)
        left = self._left

        class TimedResponse(HTTPResponse):
            def __init__(self, sock: socket, *args: Any, **options: Any) -> None:
                super().__init__(sock, *args, **options)
                self.fp = io.BufferedReader(_Timed(sock, self.fp.detach(), left))

        if not hasattr(pool.ConnectionCls, "timed"):
            # `http.client` makes the object that reads the head, and all the 1xx before it, from this.
            pool.ConnectionCls = type(
                "TimedConnection", (pool.ConnectionCls,), {"response_class": TimedResponse, "timed": True}
            )
        return pool


class _Timed(io.RawIOBase):
    """What a socket receives, until no time is left. The socket's own timeout starts anew with each byte."""

    def __init__(self, sock: socket, raw: Any, left: Callable[[], float]) -> None:
        self._sock, self._raw, self._left = sock, raw, left
        self._silence = sock.gettimeout()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._left()
        self._sock.settimeout(left if self._silence is None else min(self._silence, left))
        try:
            received: int = self._raw.readinto(buffer)
        except TimeoutError:
            self._left()  # which says so if it was the deadline
            raise
        return received

    def close(self) -> None:
        self._raw.close()
        super().close()
