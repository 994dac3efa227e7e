"""A registry that answers as a test wants: pages, waits, redirects, wrong digests, huge and slow answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .fake_server import FakeServer, Reply, Request
from .registries import CONFIG, INDEX, MANIFEST, OCI, digest_of, encoded

CHART = "application/vnd.cncf.helm.config.v1+json"
UNKNOWN = Reply(b'{"errors":[{"code":"NAME_UNKNOWN"}]}', 404)


@dataclass
class FakeRegistry(FakeServer):
    """Replies by path."""

    replies: dict[str, Reply] = field(default_factory=dict)
    before: dict[str, list[Reply]] = field(default_factory=dict)
    """Replies that come first, once each."""

    def script(self, request: Request) -> Iterable[bytes]:
        first = self.before.get(request.path)
        return first.pop(0) if first else self.replies.get(request.path, UNKNOWN)

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

    def artifact(self, name: str, config: object, kind: str, *tags: str, seed: str = "") -> str:
        """Reply with a config of this type, and with the manifest of it and of a layer of five bytes."""
        described = {"mediaType": kind, "digest": digest_of(encoded(config)), "size": 1}
        layer = {"mediaType": f"{OCI}layer.v1.tar", "digest": digest_of(seed.encode()), "size": 5}
        self.put(f"/v2/{name}/blobs/{described['digest']}", config, kind)
        document = {"schemaVersion": 2, "mediaType": MANIFEST, "config": described, "layers": [layer]}
        return self.manifest(name, document, *tags)

    def image(
        self, name: str, *tags: str, labels: Mapping[str, str] | None = None, seed: str = "", **platform: Any
    ) -> str:
        """Reply with an image for one platform, and with the list of its tags; its digest."""
        config = {"os": "linux", "architecture": "amd64"} | platform
        config |= {"created": f"2026-11-0{len(tags)}T06:00:00Z", "config": {"Labels": labels}}
        self.tags(name, *tags)
        return self.artifact(name, config, CONFIG, *tags, seed=seed or "".join(tags[:1]))

    def chart(self, name: str, version: str, **metadata: Any) -> str:
        """Reply with a chart, and with the list of its tag; its digest."""
        tag = version.replace("+", "_")
        self.tags(name, tag)
        return self.artifact(name, {"name": "x", "version": version} | metadata, CHART, tag)

    def index(self, name: str, *entries: dict[str, Any], tag: str = "") -> dict[str, Any]:
        """Reply with an index; its entry in another one."""
        document = {"mediaType": INDEX, "manifests": [*entries]}
        return {"digest": self.manifest(name, document, *([tag] if tag else [])), "mediaType": INDEX}

    def first(self, path: str, reply: Reply) -> None:
        """Give this reply once, before the one that is there."""
        self.before.setdefault(path, []).append(reply)

    def tags(self, name: str, *tags: str, **headers: str) -> None:
        self.put(f"/v2/{name}/tags/list", {"name": name, "tags": [*tags]}, "application/json", **headers)

    def referrers(self, name: str, digest: str, *entries: Mapping[str, Any]) -> None:
        document = {"schemaVersion": 2, "mediaType": INDEX, "manifests": [*entries]}
        self.put(f"/v2/{name}/referrers/{digest}", document, INDEX)
