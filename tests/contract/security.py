"""Vulnerability rows, and the figures that records and items have of them."""

import re
from collections import Counter
from types import SimpleNamespace
from typing import NamedTuple

from tests.contract.api import FIGURES, SEVERITIES, Api, Json
from tests.oracle import grade


class Release(NamedTuple):
    """A release that was scanned: the rows that are open, how many are suppressed."""

    rows: list[Json]
    suppressed: int
    looked: bool
    """Whether anybody has looked what is exploited."""
    missing: bool
    """There is no grade: a part has no scan."""
    limits: bool
    """A scan has a limit, so that there is no A."""


# By the slug of the image and the version label; only those that were scanned.
Releases = dict[tuple[str, str], Release]


def check(api: Api) -> Releases:
    releases: Releases = {}
    for position, image in enumerate(api.data("images")):
        where, slug = f"$.data[{position}]", image["slug"]
        if image["versions"]:
            _detail(api, image, releases)
        for number, entry in enumerate(image["versions"]):
            release, digests = api.href(f"security/{slug}/{entry['version']}.json"), entry["digests"]
            first = {"digest": digests[0] if digests else None, "digests": [*dict.fromkeys(digests)]}
            api.holds("images.json", f"{where}.versions[{number}]", entry, **first, href=release)
        if ":" in image["image"].rpartition("/")[2]:
            api.blame("images.json", f"{where}.image", f"is {image['image']}, with a tag or digest")
        newest = releases.get((slug, image["latest"]))
        api.expect("images.json", f"{where}.security", image["security"], security(api, image, newest))
    listed = [*api.documents["security.json"]["images"]]
    api.expect("security.json", "$.images", listed, sorted(listed))
    return releases


def security(api: Api, image: Json, newest: Release | None) -> Json:
    """The object `security` of an image."""
    slug, label = image["slug"], image["latest"]
    wanted: Json = {"scanned": newest is not None, **shown(figures([newest] if newest else []))}
    record = api.documents[f"security/{slug}/{label}.json"] if image["versions"] else {}
    wanted |= {"complete": record.get("complete", False), "version": label}
    wanted |= {name: record.get(name) for name in ("scannedAt", "osEndOfLife")}
    return wanted | {"href": api.href(f"security/{slug}.json") if image["versions"] else None}


def shown(found: dict[str, Json]) -> dict[str, Json]:
    """Without a grade, a count of zero is null."""
    return found if found["grade"] else {name: value or None for name, value in found.items()}


def figures(releases: list[Release]) -> dict[str, Json]:
    """The sums over scanned releases; without one everything is null."""
    if not releases:
        return dict.fromkeys(FIGURES)
    rows = [row for release in releases for row in release.rows]
    found: dict[str, Json] = {s: sum(row["severity"] == s.upper() for row in rows) for s in SEVERITIES}
    found |= {"total": len(rows), "fixable": sum(row["fixed"] != "" for row in rows)}
    found["suppressed"] = sum(release.suppressed for release in releases)
    found["exploited"] = None
    if any(release.looked for release in releases):
        found["exploited"] = sum(row["exploited"] is not None for row in rows)
    looked = {name: any(getattr(release, name) for release in releases) for name in ("missing", "limits")}
    worst_first = sorted(rows, key=lambda row: SEVERITIES.index(row["severity"].lower()))
    graded = grade([SimpleNamespace(**row) for row in worst_first], looked, SimpleNamespace(accept=()))
    found["grade"], score = graded
    found["score"] = score if score is None or score % 1 else int(score)
    return found


def _detail(api: Api, image: Json, releases: Releases) -> None:
    slug = image["slug"]
    path, head = f"security/{slug}.json", {"slug": slug, "image": image["image"]}
    detail = api.documents[path]
    api.holds(path, "$", detail, **head, latest=detail["versions"][0])
    labels = [record["version"] for record in detail["versions"]]
    api.expect(path, "$.versions", labels, [entry["version"] for entry in image["versions"]])
    for position, record in enumerate(detail["versions"]):
        where = f"$.versions[{position}]"
        document = f"security/{slug}/{record['version']}.json"
        if document in api.documents:
            api.holds(document, "$", api.documents[document], **head, **record)
        if not record["scanned"]:
            nothing = dict.fromkeys(record) | {"version": record["version"], "platformsScanned": []}
            nothing |= {"limits": [], "scanned": False, "complete": False}
            api.expect(path, where, record, nothing)
        elif None in [
            record[name] for name in ("cves", "suppressed", "findings", "scanner", "digestsScanned")
        ]:
            api.blame(path, where, "was scanned, but has null for what was found")
        else:
            releases[slug, record["version"]] = _judged(api, path, where, record)


def _judged(api: Api, path: str, where: str, record: Json) -> Release:
    rows, suppressed = record["cves"], record["suppressed"]
    for name in ("cves", "suppressed"):
        if record[name] != sorted(record[name], key=_place):
            api.blame(path, f"{where}.{name}", "is out of order")
        for position, row in enumerate(record[name]):
            api.expect(path, f"{where}.{name}[{position}].targets", row["targets"], sorted({*row["targets"]}))
    keys = Counter((row["id"], row["pkg"], row["installed"]) for row in [*rows, *suppressed])
    for key in (key for key, count in keys.items() if count > 1):
        api.blame(path, f"{where}.cves", f"has {key} twice, or among the suppressed rows too")
    looked = api.documents["security.json"]["exploited"] is not None
    if ("os-end-of-life" in record["limits"]) != (record["osEndOfLife"] is True):
        api.blame(path, f"{where}.osEndOfLife", f"is {record['osEndOfLife']}, limits are {record['limits']}")
    release = Release(rows, len(suppressed), looked, record["grade"] is None, bool(record["limits"]))
    # Of the suppressed the record has the rows themselves.
    api.holds(path, where, record, **figures([release]) | {"suppressed": suppressed})
    api.holds(path, where, record, unique=len({row["id"] for row in rows}))
    if record["findings"] < len(rows):
        api.blame(path, f"{where}.findings", f"is {record['findings']}, fewer than the {len(rows)} rows")
    return release


def _place(row: Json) -> tuple[Json, ...]:
    cve = re.fullmatch(r"CVE-(\d{4})-(\d+)", row["id"], re.ASCII)
    numbers = (0, int(cve[1]), int(cve[2])) if cve else (1, 0, 0)
    return SEVERITIES.index(row["severity"].lower()), *numbers, row["id"], row["pkg"], row["installed"]
