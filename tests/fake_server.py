"""A server on this machine that speaks HTTP byte by byte, as a test wants it: all others are made of it."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import repeat
from typing import NamedTuple, Self


class Request(NamedTuple):
    """A request; `path` is the target as it was sent."""

    method: str
    path: str
    head: str


@dataclass
class FakeServer:
    """Each connection is answered with the pieces of the script for its path, one after the other."""

    scripts: dict[str, Callable[[], Iterable[bytes]]] = field(default_factory=dict)
    pause: float = 0
    """Seconds between two pieces."""
    tls: ssl.SSLContext | None = None
    asked: list[str] = field(default_factory=list)
    """Paths, after the method if it is not GET."""
    heads: list[str] = field(default_factory=list)
    host: str = ""
    _ended: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        return f"{'https' if self.tls else 'http'}://{self.host}"

    def script(self, request: Request) -> Iterable[bytes]:
        return self.scripts.get(request.path, lambda: [answer(b"", "403 \x1b[2J")])()

    def silence(self) -> Iterator[bytes]:
        self._ended.wait()
        yield b""

    @contextmanager
    def running(self) -> Iterator[Self]:
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.host = f"127.0.0.1:{server.getsockname()[1]}"
            thread = threading.Thread(target=self._accept, args=(server,), daemon=True)
            thread.start()
            try:
                yield self
            finally:
                self._ended.set()
                with suppress(OSError):
                    socket.create_connection(server.getsockname(), 1).close()
                thread.join(10)

    def _accept(self, server: socket.socket) -> None:
        while not self._ended.is_set():
            connection, _ = server.accept()
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with suppress(OSError):  # the client may have had enough
            self._speak(self.tls.wrap_socket(connection, server_side=True) if self.tls else connection)

    def _speak(self, connection: socket.socket) -> None:
        with connection:
            head = b""
            while b"\r\n\r\n" not in head:
                head += (received := connection.recv(4096))
                if not received or head[0] < ord("A"):  # TLS, which it does not speak
                    return
            method, path, _ = head.decode("latin-1").split(" ", 2)
            self.asked.append(path if method == "GET" else f"{method} {path}")
            self.heads.append(head.decode("latin-1"))
            for piece in self.script(Request(method, path, self.heads[-1])):
                connection.sendall(piece)
                if self._ended.wait(self.pause) or method == "HEAD":
                    return


def answer(
    body: bytes, status: str | int = "200 OK", headers: Mapping[str, str] | None = None, **more: str
) -> bytes:
    """A whole answer; underscores in names of further headers stand for hyphens."""
    given = {"Content-Length": str(len(body)), "Connection": "close"} | dict(headers or {})
    given |= {name.replace("_", "-"): value for name, value in more.items()}
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in given.items()), "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


@dataclass
class Reply:
    """An answer in two pieces, head and body; `length` is announced in place of the body's own."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None
    wait: threading.Event | None = None
    """What to wait for between the two."""

    def __iter__(self) -> Iterator[bytes]:
        length = len(self.body) if self.length is None else self.length
        yield answer(b"", f"{self.status} -", {"Content-Length": str(length)} | self.headers)
        if self.wait:
            self.wait.wait(30)
        yield self.body


def drops(data: bytes) -> Callable[[], Iterable[bytes]]:
    return lambda: (data[at : at + 1] for at in range(len(data)))


def endless(head: bytes, piece: bytes) -> Callable[[], Iterable[bytes]]:

    def pieces() -> Iterator[bytes]:
        yield head
        yield from repeat(piece)

    return pieces
