"""A chart hub on this machine that answers as Artifact Hub does, and misbehaves when told to."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from .fake_server import FakeServer, Reply, Request

NOT_FOUND = Reply(json.dumps({"message": "not found"}).encode(), 404)


@dataclass
class Version:
    """One version of a chart; `report` None is the body `null`, `created` None means never scanned."""

    images: list[Any] = field(default_factory=list)
    created: int | None = 1_793_512_800
    report: object = None


@dataclass
class FakeHub(FakeServer):
    """The charts that it lists, and what to answer instead."""

    charts: dict[str, dict[str, Version]] = field(default_factory=dict)
    """`repository/package` → its versions, newest first."""
    instead: dict[str, list[Iterable[bytes]]] = field(default_factory=lambda: defaultdict(list))
    """Path → answers given instead of the proper ones, until they are used up."""

    def script(self, request: Request) -> Iterable[bytes]:
        queue = self.instead[request.path]
        return queue.pop(0) if queue else self.answer(request.path)

    def report_path(self, name: str, version: str) -> str:
        return f"/api/v1/packages/{_id(name)}/{version}/security-report"

    def answer(self, target: str) -> Reply:
        match unquote(urlsplit(target).path).strip("/").split("/"):
            case ["api", "v1", "packages", "helm", repository, package, *version]:
                return self._package(f"{repository}/{package}", *version)
            case ["api", "v1", "packages", id_, version, "security-report"]:
                for name, versions in self.charts.items():
                    if _id(name) == id_ and version in versions:
                        found = versions[version]
                        return Reply() if found.created is None else _json(found.report)
        return NOT_FOUND

    def _package(self, name: str, version: str = "") -> Reply:
        versions = self.charts.get(name, {})
        version = version or next(iter(versions), "")
        if version not in versions:
            return NOT_FOUND
        found = versions[version]
        answer: dict[str, Any] = {"package_id": _id(name), "version": version, "readme": "# A chart"}
        answer["containers_images"] = [{"image": image} for image in found.images]
        answer["available_versions"] = [{"version": each, "ts": 1} for each in versions]
        created = {} if found.created is None else {"security_report_created_at": found.created}
        return _json(answer | created)


def _json(value: object) -> Reply:
    return Reply(json.dumps(value).encode())


def _id(name: str) -> str:
    digits = name.encode().hex().ljust(32, "0")[:32]
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
