"""The files of a published API, and the rules that hold for the bytes of each."""

import json
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any

# Whatever a document holds: nothing is trusted before its shape has been looked at.
Json = Any

PINNING = ("charts",)
"""Collections whose items pin images."""
LISTED = ("images", *PINNING)
"""Collections whose items have versions and documents."""
COLLECTIONS = (*LISTED, "roadmap", "updates")
SEVERITIES = ("critical", "high", "medium", "low", "unknown")
FIGURES = (*SEVERITIES, "total", "fixable", "suppressed", "exploited", "grade", "score")


def last_page(total: int) -> int:
    return (total + 23) // 24


class Api:
    """The documents below api/v1 of a site, by their path there, and the violations found in them."""

    def __init__(self, site: Path, mount: str, files: Mapping[str, bytes] | None = None) -> None:
        self.site, self.mount, self.base = site, mount, f"{mount}/api/v1"
        self.gone: Mapping[str, Set[str]] = {}
        """Item → the labels that its registry no longer has, which no document says."""
        self.violations: list[str] = []
        self.documents: dict[str, Json] = {}
        root = site / "api/v1"
        self.files: Mapping[str, bytes] = files or {
            path.relative_to(root).as_posix(): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }
        for path, raw in self.files.items():
            if path.endswith((".tar.gz", ".txt")):
                continue
            try:
                self.documents[path] = _parsed(raw.decode())
            except (ValueError, RecursionError) as error:
                self.blame(path, "$", f"is not JSON as agreed: {error}")

    def data(self, collection: str) -> list[Json]:
        found: list[Json] = self.documents[f"{collection}.json"]["data"]
        return found

    @property
    def site_url(self) -> str:
        """The site's own address, which OpenAPI names last if there is one; else empty."""
        address: str = self.documents["openapi.json"]["servers"][-1]["url"]
        return address if "://" in address else ""

    def href(self, path: str) -> str:
        return f"{self.base}/{path}"

    def blame(self, document: str, where: str, text: str) -> None:
        self.violations.append(f"{document} {where}: {text}")

    def expect(self, document: str, where: str, actual: Json, wanted: Json) -> None:
        """Blame every place where `actual` is not what the contract makes of the other documents."""
        for place, text in _differences(actual, wanted, where):
            self.blame(document, place, text)

    def holds(self, document: str, where: str, record: Json, **wanted: Json) -> None:
        """Expect these fields of an object, of which the schema has judged which fields it has."""
        self.expect(document, where, {name: record[name] for name in wanted}, wanted)


def _parsed(text: str) -> Json:
    value = json.loads(text)
    # A key that stands twice shows here as well.
    if text != json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n":
        raise ValueError("it is not compact with its text unescaped and one newline at the end")
    return value


def _differences(actual: Json, wanted: Json, where: str) -> Iterator[tuple[str, str]]:
    """Every place where two JSON values differ; 1, 1.0 and true are three different values."""
    if isinstance(actual, dict) and isinstance(wanted, dict) and actual.keys() == wanted.keys():
        for key in actual:
            yield from _differences(actual[key], wanted[key], f"{where}.{key}")
    elif isinstance(actual, list) and isinstance(wanted, list) and len(actual) == len(wanted):
        for position, (mine, theirs) in enumerate(zip(actual, wanted, strict=True)):
            yield from _differences(mine, theirs, f"{where}[{position}]")
    elif type(actual) is not type(wanted) or actual != wanted:
        yield where, f"is {json.dumps(actual)[:200]}, not {json.dumps(wanted)[:200]}"
