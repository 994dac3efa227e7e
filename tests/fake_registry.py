"""A registry that answers as a test wants: pages, waits, redirects, wrong digests, huge and slow answers."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from .registries import CONFIG, INDEX, MANIFEST, OCI, digest_of, encoded


@dataclass
class Reply:
    """An answer; `length` is announced in place of the body's own."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None
    wait: threading.Event | None = None
    """What to wait for between the head and the body."""


@dataclass
class FakeRegistry:
    """Replies by path; `asked` has what was asked for, `heads` with which headers."""

    host: str = ""
    replies: dict[str, Reply] = field(default_factory=dict)
    before: dict[str, list[Reply]] = field(default_factory=dict)
    """Replies that come first, once each."""
    asked: list[str] = field(default_factory=list)
    heads: list[Mapping[str, str]] = field(default_factory=list)

    def put(self, path: str, document: object, media_type: str = MANIFEST, **headers: str) -> str:
        """Reply with a document; its digest."""
        body = document if isinstance(document, bytes) else encoded(document)
        self.replies[path] = Reply(body, headers={"Content-Type": media_type} | headers)
        return digest_of(body)

    def manifest(self, name: str, document: Mapping[str, Any], *tags: str) -> str:
        """Reply with a manifest under its digest and its tags."""
        digest = digest_of(encoded(document))
        for reference in (digest, *tags):
            path = f"/v2/{name}/manifests/{reference}"
            self.put(path, document, document["mediaType"], **{"Docker-Content-Digest": digest})
        return digest

    def image(self, name: str, *tags: str, labels: Mapping[str, str] | None = None) -> str:
        """Reply with an image for one platform, and with the list of its tags; its digest."""
        config: dict[str, object] = {
            "os": "linux",
            "architecture": "amd64",
            "created": f"2026-11-0{len(tags)}T06:00:00Z",
        }
        config |= {"config": {"Labels": labels}} if labels else {}
        described = {"mediaType": CONFIG, "digest": digest_of(encoded(config)), "size": 1}
        layer = {"mediaType": f"{OCI}layer.v1.tar", "digest": digest_of(tags[0].encode()), "size": 5}
        self.put(f"/v2/{name}/blobs/{described['digest']}", config, CONFIG)
        self.tags(name, *tags)
        document = {"schemaVersion": 2, "mediaType": MANIFEST, "config": described, "layers": [layer]}
        return self.manifest(name, document, *tags)

    def first(self, path: str, reply: Reply) -> None:
        """Give this reply once, before the one that is there."""
        self.before.setdefault(path, []).append(reply)

    def tags(self, name: str, *tags: str, **headers: str) -> None:
        self.put(f"/v2/{name}/tags/list", {"name": name, "tags": [*tags]}, "application/json", **headers)

    def referrers(self, name: str, digest: str, *entries: Mapping[str, Any]) -> None:
        document = {"schemaVersion": 2, "mediaType": INDEX, "manifests": [*entries]}
        self.put(f"/v2/{name}/referrers/{digest}", document, INDEX)

    @contextmanager
    def running(self) -> Iterator[FakeRegistry]:
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                fake.asked.append(f"{self.command} {self.path}")
                fake.heads.append(dict(self.headers))
                first = fake.before.get(self.path)
                unknown = Reply(b'{"errors":[{"code":"NAME_UNKNOWN"}]}', 404)
                reply = first.pop(0) if first else fake.replies.get(self.path, unknown)
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(reply.length or len(reply.body)))
                self.end_headers()
                if reply.wait:
                    reply.wait.wait(30)
                if self.command == "GET":
                    self.wfile.write(reply.body)

            do_HEAD = do_CONNECT = do_GET  # noqa: N815

            def log_message(self, *_: object) -> None: ...

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            self.host = f"127.0.0.1:{server.server_port}"
            threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
            yield self
            server.shutdown()
