"""A registry that answers as a test wants: pages, waits, redirects, wrong digests, huge and slow answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .fake_server import FakeServer, Reply, Request
from .registries import CONFIG, INDEX, MANIFEST, OCI, Pushes, described, digest_of, encoded

UNKNOWN = Reply(b'{"errors":[{"code":"NAME_UNKNOWN"}]}', 404)


@dataclass
class FakeRegistry(FakeServer, Pushes):
    """Replies by path."""

    replies: dict[str, Reply] = field(default_factory=dict)
    before: dict[str, list[Reply]] = field(default_factory=lambda: defaultdict(list))
    """Replies that come first, once each."""
    _tags: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def script(self, request: Request) -> Iterable[bytes]:
        first = self.before[request.path]
        return first.pop(0) if first else self.replies.get(request.path, UNKNOWN)

    def put(self, path: str, document: object, media_type: str = MANIFEST, **headers: str) -> None:
        body = document if isinstance(document, bytes) else encoded(document)
        self.replies[path] = Reply(body, headers={"Content-Type": media_type} | headers)

    def tags(self, name: str, *tags: str, **headers: str) -> None:
        self._tags[name] = [*tags]
        self.put(f"/v2/{name}/tags/list", {"name": name, "tags": tags}, "application/json", **headers)

    def blob(self, repository: str, body: bytes, media_type: str) -> dict[str, Any]:
        self.put(f"/v2/{repository}/blobs/{digest_of(body)}", body, media_type)
        return described(body, media_type)

    def manifest(self, repository: str, document: Mapping[str, Any], *tags: str) -> dict[str, Any]:
        body, kind = encoded(document), document["mediaType"]
        for reference in (digest_of(body), *tags):
            path = f"/v2/{repository}/manifests/{reference}"
            self.put(path, body, kind, **{"Docker-Content-Digest": digest_of(body)})
        self.tags(repository, *dict.fromkeys((*self._tags[repository], *tags)))
        return described(body, kind)

    def artifact(self, name: str, config: object, kind: str, *tags: str, seed: str = "") -> str:
        """Push a config of this type, and the manifest of it and of a layer of five bytes; its digest."""
        layer = {"mediaType": f"{OCI}layer.v1.tar", "digest": digest_of(seed.encode()), "size": 5}
        digest: str = self.pushed(name, self.blob(name, encoded(config), kind), [layer], *tags)["digest"]
        return digest

    def image(self, name: str, *tags: str, labels: Mapping[str, str] | None = None, seed: str = "") -> str:
        """Push an image for one platform, whose tags are all that the registry has; its digest."""
        config = {"os": "linux", "architecture": "amd64", "config": {"Labels": labels}}
        config |= {"created": f"2026-11-0{len(tags)}T06:00:00Z"}
        digest = self.artifact(name, config, CONFIG, *tags, seed=seed or tags[0])
        self.tags(name, *tags)
        return digest

    def nest(self, name: str, *entries: dict[str, Any], tag: str = "") -> dict[str, Any]:
        return self.manifest(name, {"mediaType": INDEX, "manifests": [*entries]}, *filter(None, [tag]))

    def first(self, path: str, reply: Reply) -> None:
        """Give this reply once, before the one that is there."""
        self.before[path].append(reply)

    def referrers(self, name: str, digest: str, *entries: Mapping[str, Any]) -> None:
        document = {"schemaVersion": 2, "mediaType": INDEX, "manifests": [*entries]}
        self.put(f"/v2/{name}/referrers/{digest}", document, INDEX)
