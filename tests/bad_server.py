"""A server on this machine that speaks HTTP byte by byte, as a test wants it, and mostly badly."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import repeat


@dataclass
class BadServer:
    """Each connection is answered with the pieces of the script for its path, one after the other."""

    scripts: dict[str, Callable[[], Iterable[bytes]]] = field(default_factory=dict)
    pause: float = 0
    """Seconds between two pieces."""
    tls: ssl.SSLContext | None = None
    asked: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    address: str = ""

    @contextmanager
    def running(self) -> Iterator[BadServer]:
        ended = threading.Event()
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.address = f"{'https' if self.tls else 'http'}://127.0.0.1:{server.getsockname()[1]}"
            threads = [threading.Thread(target=self._accept, args=(server, ended), daemon=True)]
            threads[0].start()
            try:
                yield self
            finally:
                ended.set()
                with suppress(OSError):
                    socket.create_connection(server.getsockname(), 1).close()
                threads[0].join(10)

    def _accept(self, server: socket.socket, ended: threading.Event) -> None:
        while not ended.is_set():
            connection, _ = server.accept()
            threading.Thread(target=self._answer, args=(connection, ended), daemon=True).start()

    def _answer(self, connection: socket.socket, ended: threading.Event) -> None:
        with suppress(OSError):  # the client may have had enough
            self._speak(self.tls.wrap_socket(connection, server_side=True) if self.tls else connection, ended)

    def _speak(self, connection: socket.socket, ended: threading.Event) -> None:
        with connection:
            head = b""
            while b"\r\n\r\n" not in head:
                if not (received := connection.recv(4096)):
                    return
                head += received
                if not head.startswith(b"G"):  # TLS, which it does not speak
                    return
            path = head.split(b" ", 2)[1].decode()
            self.asked.append(path)
            self.heads.append(head.decode("latin-1"))
            for piece in self.scripts.get(path, lambda: [answer(b"", "403 \x1b[2J")])():
                connection.sendall(piece)
                if ended.wait(self.pause):
                    return


def answer(body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    """A whole answer; underscores in names of headers stand for hyphens."""
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    lines += [f"Content-Length: {len(body)}", "Connection: close"]
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode("latin-1") + body


def drops(data: bytes) -> Callable[[], Iterable[bytes]]:
    """The data byte by byte."""
    return lambda: (data[at : at + 1] for at in range(len(data)))


def endless(head: bytes, piece: bytes) -> Callable[[], Iterable[bytes]]:
    """The head, and then the same again and again."""

    def pieces() -> Iterator[bytes]:
        yield head
        yield from repeat(piece)

    return pieces
