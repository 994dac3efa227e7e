"""What a chart pins, and the sums over it."""

import re
from collections.abc import Hashable, Set

from tests.contract.api import Api, Json
from tests.contract.grading import Load, grade
from tests.contract.images import versions
from tests.contract.records import SEVERITIES
from tests.contract.security import COUNTS, Release, Releases, counts

FIGURES = (*COUNTS, "suppressed")


def check(api: Api, releases: Releases, named_latest: Set[str]) -> None:
    homes = Homes(api.read("images.json")["data"])
    for position, chart in enumerate(api.read("charts.json")["data"]):
        where = f"$.data[{position}]"
        versions(api, "charts", chart, where, named_latest)
        for number, pin in enumerate(chart["images"]):
            _pin(api, f"{where}.images[{number}]", pin, homes)
        _security(api, f"{where}.security", chart, homes, releases)


def normal(reference: str) -> tuple[str, str]:
    """The repository with its registry, and the tag: `nginx` is docker.io/library/nginx and latest."""
    name = reference.partition("@")[0]
    tag = re.search(r":([A-Za-z0-9_][A-Za-z0-9_.-]*)$", name)
    name = name[: tag.start()] if tag else name
    domain, slash, path = name.partition("/")
    if not slash or not (domain == "localhost" or re.search(r"[.:]", domain)):
        domain, path = "docker.io", name
    if domain in ("docker.io", "index.docker.io"):
        domain, path = "docker.io", path if "/" in path else f"library/{path}"
    return f"{domain}/{path}", tag[1] if tag else "latest"


class Homes:
    """Which releases of the catalog have a digest, and which images a repository."""

    def __init__(self, images: list[Json]) -> None:
        self.by_digest: dict[str, dict[str, str]] = {}
        self.by_repository: dict[str, list[Json]] = {}
        self.digests: dict[tuple[str, str], str | None] = {}
        for image in images:
            self.by_repository.setdefault(normal(image["image"])[0], []).append(image)
            for entry in image["versions"]:
                self.digests[image["slug"], entry["version"]] = entry["digest"]
                for digest in entry["digests"]:
                    # The first counts: versions stand newest first.
                    self.by_digest.setdefault(digest, {}).setdefault(image["slug"], entry["version"])

    def of(self, pin: Json) -> set[tuple[str, str]]:
        """Slug and label of the releases a pin may be joined to: several when they share a digest."""
        if pin["digest"]:
            return set(self.by_digest.get(pin["digest"], {}).items())
        repository, tag = normal(pin["image"])
        owners = self.by_repository.get(repository, [])
        return {
            (i["slug"], entry["version"])
            for i in owners
            for entry in i["versions"]
            if entry["version"] == tag
        }

    def identity(self, pin: Json) -> Hashable:
        """What two pins of one image share: the digest (its release's, by tag), else the reference."""
        return pin["digest"] or self.digests.get((pin["slug"], pin["version"])) or normal(pin["image"])


def _pin(api: Api, where: str, pin: Json, homes: Homes) -> None:
    if "@" in pin["image"]:
        api.expect("charts.json", f"{where}.digest", pin["digest"], pin["image"].partition("@")[2])
    if found := homes.of(pin):
        if (pin["slug"], pin["version"]) not in found:
            wanted = " or ".join(f"{slug} {label}" for slug, label in sorted(found))
            api.blame("charts.json", where, f"is joined to {pin['slug']} {pin['version']}, not to {wanted}")
    else:
        api.expect("charts.json", f"{where}.version", pin["version"], None)
        owners = {image["slug"] for image in homes.by_repository.get(normal(pin["image"])[0], [])}
        if pin["slug"] is not None and pin["slug"] not in owners:
            api.blame("charts.json", f"{where}.slug", f"is {pin['slug']}, an image with another repository")
    release = api.href(f"security/{pin['slug']}/{pin['version']}.json")
    api.expect("charts.json", f"{where}.href", pin["href"], release if pin["version"] else None)


def _security(api: Api, where: str, chart: Json, homes: Homes, releases: Releases) -> None:
    security = chart["security"]
    distinct = {homes.identity(pin): pin for pin in chart["images"]}
    pinned = [releases.get((pin["slug"], pin["version"])) for pin in distinct.values()]
    known = [release for release in pinned if release is not None and release.scanned]
    api.expect("charts.json", f"{where}.pins", security["pins"], len(distinct))
    # What is no release of the catalog may have been scanned all the same: its rows are in no document.
    hidden = sum(pin["href"] is None for pin in distinct.values())
    if not len(known) <= security["pinsScanned"] <= len(known) + hidden:
        api.blame("charts.json", f"{where}.pinsScanned", f"is {security['pinsScanned']}, not {len(known)}")
        return
    complete = bool(distinct) and security["pinsScanned"] == len(distinct)
    api.expect("charts.json", f"{where}.scanned", security["scanned"], complete)
    sums = _sums(known)
    if not complete:
        sums |= {"grade": None, "score": None}
    if security["pinsScanned"] > len(known):
        _at_least(api, where, security, sums)
        return
    wanted = sums if known else dict.fromkeys(sums)
    api.expect("charts.json", where, {name: security[name] for name in wanted}, wanted)


def _sums(known: list[Release]) -> dict[str, Json]:
    rows = sum((release.rows for release in known), Load())
    letter, score = grade(rows, any(release.end_of_life for release in known))
    suppressed = sum(release.suppressed for release in known)
    return counts(rows) | {"suppressed": suppressed, "grade": letter, "score": score}


def _at_least(api: Api, where: str, security: Json, sums: dict[str, Json]) -> None:
    """What can be said when some of the rows are in no document."""
    short = [name for name in FIGURES if security[name] is None or security[name] < sums[name]]
    for name in short:
        api.blame("charts.json", f"{where}.{name}", f"is {security[name]}, less than the sum of the pins")
    if not short:
        total = sum(security[name] for name in SEVERITIES)
        api.expect("charts.json", f"{where}.total", security["total"], total)
    if not security["scanned"]:
        api.expect("charts.json", f"{where}.grade", security["grade"], None)
        api.expect("charts.json", f"{where}.score", security["score"], None)
