"""A small host for a folder of documents, whose answers a test can spoil."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

RIGHT = {
    "Content-Type": "application/json",
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "public, max-age=3600",
}


class Answer(NamedTuple):
    """What the small host is to answer; `length` says how long it claims to be."""

    status: int
    headers: dict[str, str]
    body: bytes
    length: int | None = None


Change = Callable[[str, Answer], Answer]


class Host:
    """A host for a folder, at /catalog; `change` spoils its answers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.change: Change = lambda path, answer: answer
        self.asked: list[str] = []
        self.headers: dict[str, str] = {}
        host = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body in one packet

            def do_GET(self) -> None:
                host.headers = dict(self.headers)
                path = self.path.removeprefix("/catalog/api/v1/")
                host.asked.append(path)
                file = host.folder / path
                found = file.is_file() and path != self.path
                answer = Answer(200, RIGHT, file.read_bytes()) if found else Answer(404, {}, b"no")
                status, headers, body, length = host.change(path, answer)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body) if length is None else length))
                self.end_headers()
                self.wfile.write(body)
                self.close_connection = length is not None

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/catalog/"

    def spoil(self, spoiled: str, **changes: Any) -> None:
        """Change the answer for one path, or with "*" for all that are there."""
        self.change = lambda path, answer: (
            answer._replace(**changes) if spoiled in ("*", path) and answer.status == 200 else answer
        )


@contextmanager
def serving(api: Path) -> Iterator[Host]:
    """A host for the folder, as long as it is needed."""
    host = Host(api)
    thread = threading.Thread(target=host.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield host
    host.server.shutdown()
    host.server.server_close()
    thread.join()
