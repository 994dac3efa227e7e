"""A real registry on this machine, and what tests push to it: images, charts, signatures and attestations."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from .programs import need

OCI, DOCKER = "application/vnd.oci.image.", "application/vnd.docker.distribution."
INDEX, MANIFEST, CONFIG = f"{OCI}index.v1+json", f"{OCI}manifest.v1+json", f"{OCI}config.v1+json"
USER, PASSWORD = "tester", "geheim"
_HTPASSWD = f"{USER}:$2y$05$Axtp4euBtulqTnc4qME9LuFhNsFXBQ8W0WjqltlnZG35dUagxLl6O\n"
_LISTENING = re.compile(r"listening on 127\.0\.0\.1:(\d+)")


def digest_of(body: bytes) -> str:
    return f"sha256:{hashlib.sha256(body).hexdigest()}"


def encoded(document: object) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()


class Pushes(ABC):
    """What tools push to a registry."""

    @abstractmethod
    def blob(self, repository: str, body: bytes, media_type: str) -> dict[str, Any]:
        """Push a blob; its descriptor."""

    @abstractmethod
    def manifest(self, repository: str, document: Mapping[str, Any], *tags: str) -> dict[str, Any]:
        """Push a manifest or index under its tags, else under its digest; its descriptor."""

    def pushed(
        self, repository: str, config: dict[str, Any], layers: list[dict[str, Any]], *tags: str, **more: Any
    ) -> dict[str, Any]:
        document = {"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": layers}
        return self.manifest(repository, document | more, *tags)

    def part(
        self, repository: str, seed: str, platform: str = "linux/amd64", *tags: str, **image: Any
    ) -> dict[str, Any]:
        """Push the image of one platform, whose layer has 100 bytes more than the length of `seed`.

        `image` may have `created`, `labels` and `runs`, which is how its containers run.
        """
        of = dict(zip(("os", "architecture", "variant"), platform.split("/"), strict=False))
        created = {"created": image.get("created", "2026-11-01T06:00:00Z")}
        runs = {"Labels": image.get("labels", {})} | image.get("runs", {})
        more = {"config": runs, "rootfs": {"type": "layers", "diff_ids": []}}
        config = self.blob(repository, encoded(of | created | more), CONFIG)
        layer = self.blob(repository, seed.encode() + bytes(100), f"{OCI}layer.v1.tar+gzip")
        return self.pushed(repository, config, [layer], *tags) | {"platform": of}

    def index(
        self,
        repository: str,
        seed: str,
        *tags: str,
        platforms: Sequence[str] = ("linux/amd64", "linux/arm64"),
        predicates: Sequence[str] = (),
        annotations: Mapping[str, str] | None = None,
        **image: Any,
    ) -> dict[str, Any]:
        """Push an image for several platforms, as BuildKit does with an attestation for each."""
        parts = [self.part(repository, seed, platform, **image) for platform in platforms]
        parts += [self._attestation(repository, part["digest"], predicates) for part in parts if predicates]
        document = {"schemaVersion": 2, "mediaType": INDEX, "manifests": parts}
        document |= {"annotations": annotations} if annotations else {}
        return self.manifest(repository, document, *tags) | {"parts": parts}

    def _attestation(self, repository: str, digest: str, predicates: Sequence[str]) -> dict[str, Any]:
        layers = [
            self.blob(repository, f"{predicate} {digest}".encode(), "application/vnd.in-toto+json")
            | {"annotations": {"in-toto.io/predicate-type": predicate}}
            for predicate in predicates
        ]
        unknown = {"os": "unknown", "architecture": "unknown"}
        reference = {"type": "attestation-manifest", "digest": digest}
        notes = {f"vnd.docker.reference.{name}": value for name, value in reference.items()}
        config = self.blob(repository, encoded(unknown), CONFIG)
        return self.pushed(repository, config, layers) | {"platform": unknown, "annotations": notes}

    def refer(self, repository: str, digest: str, artifact_type: str) -> None:
        """Attach an artifact, and name it in the index under the fallback tag."""
        empty = self.blob(repository, b"{}", "application/vnd.oci.empty.v1+json")
        subject = {"mediaType": INDEX, "digest": digest, "size": 1}
        entry = self.pushed(repository, empty, [empty], artifactType=artifact_type, subject=subject)
        index = {"mediaType": INDEX, "manifests": [entry | {"artifactType": artifact_type}]}
        self.manifest(repository, {"schemaVersion": 2} | index, digest.replace(":", "-"))

    def sign(self, repository: str, digest: str) -> None:
        kind = "application/vnd.dev.cosign.simplesigning.v1+json"
        config = self.blob(repository, b'{"architecture":""}', CONFIG)
        layer = self.blob(repository, f"signature of {digest}".encode(), kind)
        self.pushed(repository, config, [layer], f"{digest.replace(':', '-')}.sig")

    def chart(self, repository: str, version: str, **metadata: Any) -> dict[str, Any]:
        chart = {"apiVersion": "v2", "name": repository.rpartition("/")[2], "version": version} | metadata
        kind = "application/vnd.cncf.helm."
        config = self.blob(repository, encoded(chart), f"{kind}config.v1+json")
        layer = self.blob(repository, version.encode(), f"{kind}chart.content.v1.tar+gzip")
        notes = {"org.opencontainers.image.created": "2026-10-31T10:00:00Z"}
        return self.pushed(repository, config, [layer], version.replace("+", "_"), annotations=notes)


def described(body: bytes, media_type: str) -> dict[str, Any]:
    return {"mediaType": media_type, "digest": digest_of(body), "size": len(body)}


@dataclass
class Registry(Pushes):
    """The registry that runs at `host`, and a client that pushes to it."""

    host: str
    authorization: Callable[[str], str] = lambda _: ""
    """Repository → header."""

    def request(self, method: str, repository: str, path: str, **given: Any) -> requests.Response:
        headers = {"Authorization": self.authorization(repository)} | given.pop("headers", {})
        address = path if path.startswith("http") else f"http://{self.host}/v2/{repository}/{path}"
        return requests.request(method, address, headers=headers, timeout=30, **given)

    def blob(self, repository: str, body: bytes, media_type: str) -> dict[str, Any]:
        begun = self.request("POST", repository, "blobs/uploads/")
        assert begun.status_code == 202, begun.text
        place = begun.headers["Location"]
        sign = "&" if "?" in place else "?"
        done = self.request("PUT", repository, f"{place}{sign}digest={digest_of(body)}", data=body)
        assert done.status_code == 201, done.text
        return described(body, media_type)

    def manifest(self, repository: str, document: Mapping[str, Any], *tags: str) -> dict[str, Any]:
        body, media_type = encoded(document), document["mediaType"]
        for tag in tags or (digest_of(body),):
            headers = {"Content-Type": media_type}
            done = self.request("PUT", repository, f"manifests/{tag}", data=body, headers=headers)
            assert done.status_code == 201, done.text
        return described(body, media_type)

    def delete(self, repository: str, digest: str) -> None:
        assert self.request("DELETE", repository, f"manifests/{digest}").status_code == 202


@contextmanager
def running(
    folder: Path, auth: str = "", authorization: Callable[[str], str] = lambda _: ""
) -> Iterator[Registry]:
    """Debian's registry on a free port, with what it has in memory."""
    need("docker-registry")
    config = folder / "registry.yml"
    storage = "storage: {inmemory: {}, delete: {enabled: true}}\nhttp: {addr: '127.0.0.1:0'}\n"
    config.write_text(f"version: 0.1\n{storage}{auth}", "utf-8")
    with subprocess.Popen(
        ["docker-registry", "serve", str(config)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr
            port = next(found[1] for line in process.stderr if (found := _LISTENING.search(line)))
            threading.Thread(target=process.stderr.read, daemon=True).start()  # a full pipe would stop it
            yield Registry(f"127.0.0.1:{port}", authorization)
        finally:
            process.terminate()


@contextmanager
def with_password(folder: Path) -> Iterator[Registry]:
    """The same behind a user and a password."""
    passwords = folder / "htpasswd"
    passwords.write_text(_HTPASSWD, "ascii")
    login = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    auth = f"auth: {{htpasswd: {{realm: test, path: {passwords}}}}}\n"
    with running(folder, auth, lambda _: login) as registry:
        yield registry
