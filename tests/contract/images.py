"""What the item of an image says of its versions and of its security."""

from collections.abc import Set

from tests.contract.api import Api, Json
from tests.contract.grading import grade
from tests.contract.security import COUNTS, Releases, counts
from tests.contract.versions import misplaced


def check(api: Api, releases: Releases, named_latest: Set[str]) -> None:
    for position, image in enumerate(api.read("images.json")["data"]):
        where = f"$.data[{position}]"
        versions(api, "images", image, where, named_latest)
        _links(api, image, where)
        api.expect("images.json", f"{where}.security", image["security"], _security(api, image, releases))


def versions(api: Api, name: str, item: Json, where: str, named_latest: Set[str]) -> None:
    """Newest first, except that a page may name its newest itself; no label twice."""
    labels = [entry["version"] for entry in item["versions"]]
    free = 1 if f"{name}/{item['slug']}" in named_latest else 0
    if pair := misplaced(labels[free:]):
        api.blame(f"{name}.json", f"{where}.versions", f"have {pair[0]} before {pair[1]}, which is newer")
    if len({label.casefold() for label in labels}) < len(labels):
        api.blame(f"{name}.json", f"{where}.versions", f"hold a label twice: {labels}")
    api.expect(f"{name}.json", f"{where}.latest", item["latest"], labels[0] if labels else None)


def _links(api: Api, image: Json, where: str) -> None:
    for position, entry in enumerate(image["versions"]):
        here = f"{where}.versions[{position}]"
        release = api.href(f"security/{image['slug']}/{entry['version']}.json")
        api.expect("images.json", f"{here}.href", entry["href"], release)
        first = entry["digests"][0] if entry["digests"] else None
        api.expect("images.json", f"{here}.digest", entry["digest"], first)
        if len(set(entry["digests"])) < len(entry["digests"]):
            api.blame("images.json", f"{here}.digests", "hold a digest twice")


def _security(api: Api, image: Json, releases: Releases) -> dict[str, Json]:
    nothing = dict.fromkeys((*COUNTS, "suppressed", "grade", "score"))
    slug, newest = image["slug"], image["latest"]
    place = {"version": newest, "href": api.href(f"security/{slug}.json") if image["versions"] else None}
    release = releases.get((slug, newest))
    if release is None or not release.scanned:
        return {"scanned": False, **nothing, **place}
    letter, score = grade(release.rows, release.end_of_life)
    figures = counts(release.rows) | {"suppressed": release.suppressed, "grade": letter, "score": score}
    return {"scanned": True, **figures, **place}
