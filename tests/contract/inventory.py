"""Which files there are: no more and no fewer than the contract calls for, each listed with its bytes."""

import hashlib
import re
from collections.abc import Iterator

from tests.contract.api import Api
from tests.contract.records import COLLECTIONS

FIXED_BADGES = ("images", "charts", "cves", "multiarch", "license")
IMAGE_BADGES = ("cves", "grade", "version")


def complete(api: Api) -> bool:
    """Blame files that are missing or too many; False when one is missing."""
    if lacking := [name for name in COLLECTIONS if f"{name}.json" not in api.files]:
        for name in lacking:
            api.blame(f"{name}.json", "$", "is missing")
        return False
    wanted = set(_wanted(api))
    for path in sorted(wanted - api.files):
        api.blame(path, "$", "is missing")
    for path in sorted(api.files - wanted):
        if not _author_badge(path):
            api.blame(path, "$", "is a file that no item calls for")
    return wanted <= api.files


def check(api: Api) -> None:
    _manifest(api)
    _discovery(api)


def last_page(total: int) -> int:
    return (total + 23) // 24


def _wanted(api: Api) -> Iterator[str]:
    yield from ("security.json", "security/index.json", "index.json", "openapi.json", "manifest.json")
    yield from (f"badge/{name}.json" for name in FIXED_BADGES)
    for name in COLLECTIONS:
        data = api.read(f"{name}.json")["data"]
        yield f"{name}.json"
        yield from (f"{name}/{number + 1}.json" for number in range(last_page(len(data))))
        if name != "updates":
            yield from (f"{name}/{item['slug']}/index.json" for item in data)
    for image in api.read("images.json")["data"]:
        yield from (f"badge/{image['slug']}/{name}.json" for name in IMAGE_BADGES)
        if image["versions"]:
            yield f"security/{image['slug']}.json"
        yield from (f"security/{image['slug']}/{entry['version']}.json" for entry in image["versions"])


def _author_badge(path: str) -> bool:
    """Badges for a base, a signature or a hub; that an item has the value is judged in badges.py."""
    return re.fullmatch(r"badge/[^/]+\.json", path) is not None


def _manifest(api: Api) -> None:
    documents = {}
    for path in sorted(api.files - {"manifest.json"}):
        raw = (api.root / path).read_bytes()
        documents[path] = {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)}
    api.expect("manifest.json", "$.documents", api.read("manifest.json")["documents"], documents)


def _discovery(api: Api) -> None:
    resources = {}
    for name in COLLECTIONS:
        total = len(api.read(f"{name}.json")["data"])
        resources[name] = {"href": api.href(f"{name}.json"), "total": total, "totalPages": last_page(total)}
    names = sorted(path[6:-5] for path in api.files if _author_badge(path))
    found = api.read("index.json")
    wanted = {
        "apiVersion": "v1",
        "title": found["title"],
        "resources": resources,
        "security": {"summary": api.href("security.json"), "index": api.href("security/index.json")},
        "badges": {name: api.href(f"badge/{name}.json") for name in names},
        "openapi": api.href("openapi.json"),
        "manifest": api.href("manifest.json"),
    }
    api.expect("index.json", "$", found, wanted)
