"""A chart hub on this machine that answers as Artifact Hub does, and misbehaves when told to."""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

NOT_FOUND = json.dumps({"message": "not found"}).encode()
WEB_PAGE = b"<!DOCTYPE html><title>Artifact Hub</title>"


@dataclass
class Reply:
    """One answer; `missing` bytes are promised and never sent, a `silent` one never comes."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    missing: int = 0
    silent: bool = False


@dataclass
class Version:
    """One version of a chart; `report` None is the body `null`, `created` None means never scanned."""

    images: list[Any] = field(default_factory=list)
    created: int | None = 1_793_512_800
    report: object = None


class FakeHub:
    """The charts that it lists, what to answer instead, and what it was asked."""

    def __init__(self) -> None:
        self.charts: dict[str, dict[str, Version]] = {}
        """`repository/package` → its versions, newest first."""
        self.instead: dict[str, list[Reply]] = defaultdict(list)
        """Path → answers given instead of the proper ones, until they are used up."""
        self.asked: list[str] = []
        self.agents: set[str] = set()
        self.most_at_once = 0
        self.address = ""
        self._at_once = 0
        self._lock = threading.Lock()
        self._end = threading.Event()

    def reports_asked(self) -> int:
        """How many security reports were asked for."""
        return sum(path.endswith("/security-report") for path in self.asked)

    def report_path(self, name: str, version: str) -> str:
        """Path of a security report."""
        return f"/api/v1/packages/{_id(name)}/{version}/security-report"

    def answer(self, target: str) -> Reply:
        """What Artifact Hub would say."""
        parts = urlsplit(target)
        match unquote(parts.path).strip("/").split("/"):
            case ["api", "v1", "packages", "search"]:
                query = {key: values[0] for key, values in parse_qs(parts.query).items()}
                names = [name for name in self.charts if name.startswith(f"{query['repo']}/")]
                start = int(query["offset"])
                page = names[start : start + int(query["limit"])]
                return _json({"packages": [{"normalized_name": name.partition("/")[2]} for name in page]})
            case ["api", "v1", "packages", "helm", repository, package, *version]:
                return self._package(f"{repository}/{package}", *version)
            case ["api", "v1", "packages", id_, version, "security-report"]:
                for name, versions in self.charts.items():
                    if _id(name) == id_ and version in versions:
                        found = versions[version]
                        return Reply() if found.created is None else _json(found.report)
            case _:
                return Reply(WEB_PAGE)
        return Reply(NOT_FOUND, 404)

    def _package(self, name: str, version: str = "") -> Reply:
        versions = self.charts.get(name, {})
        version = version or next(iter(versions), "")
        if version not in versions:
            return Reply(NOT_FOUND, 404)
        found = versions[version]
        listed = [{"image": image} if isinstance(image, str) else image for image in found.images]
        answer = {
            "package_id": _id(name),
            "version": version,
            "readme": "# A chart",
            "containers_images": listed,
            "available_versions": [{"version": each, "ts": 1} for each in versions],
        }
        return _json(
            answer | ({} if found.created is None else {"security_report_created_at": found.created})
        )

    @contextmanager
    def running(self) -> Iterator[FakeHub]:
        """Answer on a free port of this machine."""
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hub._serve(self)

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        self.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._end.set()
            server.shutdown()
            server.server_close()
            thread.join()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        with self._lock:
            self.asked.append(handler.path)
            self.agents.add(handler.headers["User-Agent"])
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            queue = self.instead[urlsplit(handler.path).path]
            reply = queue.pop(0) if queue else self.answer(handler.path)
        if reply.silent:
            self._end.wait()
        handler.send_response(reply.status)
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(reply.body) + reply.missing))
        handler.end_headers()
        with self._lock:
            self._at_once -= 1
        with suppress(OSError):  # the client may have had enough
            handler.wfile.write(reply.body)


def _json(value: object) -> Reply:
    return Reply(json.dumps(value).encode())


def _id(name: str) -> str:
    """A UUID made of the name."""
    digits = name.encode().hex().ljust(32, "0")[:32]
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
