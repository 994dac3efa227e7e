"""Vulnerability rows, and every figure that is made of them: records, items, summary and index."""

import re
from collections import Counter
from fractions import Fraction
from math import floor
from typing import NamedTuple

from tests.contract.api import FIGURES, SEVERITIES, Api, Json

WEIGHTS = {"CRITICAL": 40, "HIGH": 10, "MEDIUM": 4, "LOW": 1, "UNKNOWN": 1}
BANDS = {"A": (95, 99), "B": (80, 94), "C": (60, 79), "D": (40, 59), "F": (0, 39)}
WORST = {"CRITICAL": "F", "HIGH": "D", "MEDIUM": "C", "LOW": "B", "UNKNOWN": "B"}
WORST_UNFIXABLE = WORST | {"LOW": "A", "UNKNOWN": "A"}
"""Where no row has a fix."""


class Release(NamedTuple):
    """A release that was scanned: the rows that are open, how many are suppressed."""

    rows: list[Json]
    suppressed: int
    looked: bool
    """Whether anybody has looked what is exploited."""
    withheld: bool
    """There is no grade: a part has no scan, or a scan has a limit."""
    limited: bool
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
    _totals(api, releases)
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
    found["grade"], found["score"] = _grade(rows, any(release.limited for release in releases))
    if any(release.withheld for release in releases):
        found["grade"] = found["score"] = None
    return found


def _grade(rows: list[Json], withheld: bool) -> tuple[str | None, float | None]:
    """In exact arithmetic; both None when an A+ or A is withheld."""
    worst = next((severity for severity in WORST if any(row["severity"] == severity for row in rows)), None)
    letters = WORST if any(row["fixed"] for row in rows) else WORST_UNFIXABLE
    letter = letters[worst] if worst else "A+"
    if letter in ("A+", "A") and withheld:
        return None, None
    if letter == "A+":
        return letter, 100
    load = sum(Fraction(WEIGHTS[row["severity"]], 1 if row["fixed"] else 2) for row in rows)
    low, high = BANDS[letter]
    tenths = floor(10 * (low + (high - low) * Fraction(20) / (20 + load)))
    return letter, tenths // 10 if tenths % 10 == 0 else tenths / 10


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
            entry = image["versions"][position]
            releases[slug, record["version"]] = _judged(api, path, where, record, entry["digests"])
            _parts(api, path, where, record, image, entry)


def _judged(api: Api, path: str, where: str, record: Json, digests: list[str]) -> Release:
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
    number, most = record["digestsScanned"], len({*digests})
    if number > most or (record["digest"] in digests and number == 0):
        api.blame(path, f"{where}.digestsScanned", f"is {number} of {most}, and one is {record['digest']}")
    # Only the author's settings tell whether a part will do for a grade.
    withheld, limits = record["grade"] is None, record["limits"]
    if withheld and record["complete"] and not limits:
        api.blame(path, f"{where}.grade", "is null, but everything was looked at")
    if ("os-end-of-life" in limits) != (record["osEndOfLife"] is True):
        api.blame(path, f"{where}.limits", f"are {limits}, but osEndOfLife is {record['osEndOfLife']}")
    if record["complete"] and number < most:
        api.blame(path, f"{where}.complete", f"is true, but {number} of {most} digests are scanned")
    release = Release(rows, len(suppressed), looked, withheld, bool(limits))
    # Of the suppressed the record has the rows themselves.
    api.holds(path, where, record, **figures([release]) | {"suppressed": suppressed})
    api.holds(path, where, record, unique=len({row["id"] for row in rows}))
    if record["findings"] < len(rows):
        api.blame(path, f"{where}.findings", f"is {record['findings']}, fewer than the {len(rows)} rows")
    return release


def _parts(api: Api, path: str, where: str, record: Json, image: Json, entry: Json) -> None:
    """What is complete has a scan of each platform."""
    listed = [] if entry["manifests"] else entry["platforms"] or image["platforms"]
    platforms = {_plain(name) for name in listed}
    scanned = {_plain(name) for name in record["platformsScanned"]}
    lacking = sorted(name for name in platforms if not any(_alike(name, other) for other in scanned))
    if record["complete"] and len(platforms) > 1 and scanned and lacking:
        api.blame(path, f"{where}.complete", f"is true, but nobody scanned {', '.join(lacking)}")
    if record["platformsScanned"] != sorted({*record["platformsScanned"]}):
        api.blame(path, f"{where}.platformsScanned", "are out of order")


def _plain(platform: str) -> str:
    return re.sub(r" *[(\[].*", "", platform).replace("/arm64/v8", "/arm64")


def _alike(one: str, other: str) -> bool:
    return all(map(str.__eq__, one.split("/"), other.split("/")))


def _place(row: Json) -> tuple[Json, ...]:
    cve = re.fullmatch(r"CVE-(\d{4})-(\d+)", row["id"], re.ASCII)
    numbers = (0, int(cve[1]), int(cve[2])) if cve else (1, 0, 0)
    return SEVERITIES.index(row["severity"].lower()), *numbers, row["id"], row["pkg"], row["installed"]


def _totals(api: Api, releases: Releases) -> None:
    """The summary and the index, of the newest release of each image that is more than planned."""
    images = [image for image in api.data("images") if image["lifecycle"] != "planned"]
    scanned = {i["slug"]: i for i in images if (i["slug"], i["latest"]) in releases}
    newest = [releases[slug, image["latest"]] for slug, image in scanned.items()]
    entries, listed = {}, []
    for (slug, image), release in zip(scanned.items(), newest, strict=True):
        path = f"security/{slug}.json"
        entries[slug] = figures([release]) | {"version": image["latest"], "href": api.href(path)}
        entry = {name: image[name] for name in ("slug", "name", "image")} | entries[slug]
        del entry["suppressed"]
        listed.append(entry | {"scannedAt": api.documents[path]["latest"]["scannedAt"]})
    if list(entries) != list(api.documents["security.json"]["images"]):
        api.blame("security.json", "$.images", f"should have the images {', '.join(entries)}")
    times = [entry["scannedAt"] for entry in listed]
    exploited = figures(newest)["exploited"]
    sums = {name: count or 0 for name, count in figures(newest).items()}
    api.holds(
        "security.json",
        "$",
        api.documents["security.json"],
        **{name: sums[name] for name in ("total", "fixable", "suppressed")},
        bySeverity={name: sums[name] for name in SEVERITIES},
        imagesWithCves=sum(bool(release.rows) for release in newest),
        images=entries,
        scanned=len(scanned),
        unscanned=[image["slug"] for image in images if image["slug"] not in scanned],
        oldestScan=min(times) if times and None not in times else None,
        newestScan=max(filter(None, times), default=None),
        exploited=exploited,
        unique=len({row["id"] for release in newest for row in release.rows}),
        available=_available(images, releases),
    )
    index = api.documents["security/index.json"]
    api.holds("security/index.json", "$", index, total=len(listed), data=listed)


def _available(images: list[Json], releases: Releases) -> Json:
    """The counts of the images that are available."""
    available = [image for image in images if image["lifecycle"] == "available"]
    newest = [(image["slug"], image["latest"]) for image in available]
    scanned = [releases[key] for key in newest if key in releases]
    sums = figures(scanned)
    return {
        **{name: sums[name] or 0 for name in ("total", "fixable")},
        "bySeverity": {name: sums[name] or 0 for name in SEVERITIES},
        "exploited": sums["exploited"],
        "images": len(available),
        "scanned": len(scanned),
    }
