"""Release records, the detail of each image, the summary and the index."""

import re
from typing import NamedTuple

from tests.contract.api import Api, Json
from tests.contract.grading import Load, grade, load
from tests.contract.records import RECORD, SEVERITIES

COUNTS = (*SEVERITIES, "total", "fixable")


class Release(NamedTuple):
    """What stays of a release record once its rows are judged."""

    scanned: bool
    rows: Load
    suppressed: int
    end_of_life: bool
    document: str


# Releases by the slug of the image and the version label.
Releases = dict[tuple[str, str], Release]


def check(api: Api) -> Releases:
    releases: Releases = {}
    unique: set[str] = set()
    images = api.read("images.json")["data"]
    for image in images:
        if image["versions"]:
            newest = _detail(api, image, releases)
            if newest["scanned"] and image["lifecycle"] != "planned":
                unique |= {row["id"] for row in newest["cves"]}
    shown = [image for image in images if image["lifecycle"] != "planned"]
    _summary(api, shown, len(unique))
    _index(api, shown)
    return releases


def _detail(api: Api, image: Json, releases: Releases) -> Json:
    slug = image["slug"]
    path = f"security/{slug}.json"
    detail = api.read(path)
    head = {"apiVersion": "v1", "resource": "security", "slug": slug, "image": image["image"]}
    api.expect(path, "$", {name: detail[name] for name in head}, head)
    labels = [record["version"] for record in detail["versions"]]
    wanted = [entry["version"] for entry in image["versions"]]
    if labels != wanted:
        api.blame(path, "$.versions", f"has the versions {labels}, while the item has {wanted}")
    for position, record in enumerate(detail["versions"]):
        where = f"$.versions[{position}]"
        release_path = f"security/{slug}/{record['version']}.json"
        if _complete(api, path, where, record):
            releases[slug, record["version"]] = _judge(api, path, where, record, release_path)
        if release_path in api.files:
            api.expect(release_path, "$", api.read(release_path), head | record)
    if detail["versions"]:
        api.expect(path, "$.latest", detail["latest"], detail["versions"][0])
    return detail["latest"]


def _complete(api: Api, path: str, where: str, record: Json) -> bool:
    """A scan fills all its figures, no scan fills none."""
    if not record["scanned"]:
        for name in RECORD:
            if name not in ("version", "scanned") and record[name] is not None:
                api.blame(path, f"{where}.{name}", "is not null, though nothing was scanned")
        return True
    needed = [name for name in (*COUNTS, "cves", "findings", "unique", "suppressed") if record[name] is None]
    for name in needed:
        api.blame(path, f"{where}.{name}", "is null, though the release was scanned")
    return not needed


def _judge(api: Api, path: str, where: str, record: Json, document: str) -> Release:
    if not record["scanned"]:
        return Release(False, load(()), 0, False, document)
    rows = record["cves"]
    _rows(api, path, f"{where}.cves", rows)
    _rows(api, path, f"{where}.suppressed", record["suppressed"])
    open_keys = {_key(row) for row in rows}
    for position, row in enumerate(record["suppressed"]):
        if _key(row) in open_keys:
            api.blame(path, f"{where}.suppressed[{position}]", "is among the open rows too")
    release = Release(True, load(rows), len(record["suppressed"]), record["osEndOfLife"] is True, document)
    wanted = counts(release.rows) | dict(
        zip(("grade", "score"), grade(release.rows, release.end_of_life), strict=True)
    )
    wanted["unique"] = len({row["id"] for row in rows})
    api.expect(path, where, {name: record[name] for name in wanted}, wanted)
    if record["findings"] < len(rows):
        api.blame(path, f"{where}.findings", f"is {record['findings']}, fewer than the {len(rows)} rows")
    return release


def counts(rows: Load) -> dict[str, Json]:
    found: dict[str, Json] = {s: rows[s.upper(), True] + rows[s.upper(), False] for s in SEVERITIES}
    return found | {"total": rows.total(), "fixable": sum(n for (_, fix), n in rows.items() if fix)}


def _key(row: Json) -> tuple[str, str, str]:
    return row["id"], row["pkg"], row["installed"]


def _rows(api: Api, path: str, where: str, rows: list[Json]) -> None:
    if rows != (wanted := sorted(rows, key=_place)):
        first = next(i for i, (row, right) in enumerate(zip(rows, wanted, strict=True)) if row != right)
        api.blame(path, f"{where}[{first}]", f"is out of order: {wanted[first]['id']} should stand here")
    seen: set[tuple[str, str, str]] = set()
    for position, row in enumerate(rows):
        if _key(row) in seen:
            api.blame(
                path, f"{where}[{position}]", "is there twice: the same id, package and installed version"
            )
        seen.add(_key(row))
        if row["targets"] != sorted(set(row["targets"])):
            api.blame(path, f"{where}[{position}].targets", "are not sorted, or one is there twice")


def _place(row: Json) -> tuple[int, int, int, int, str, str, str]:
    severity = SEVERITIES.index(row["severity"].lower())
    cve = re.fullmatch(r"CVE-(\d{4})-(\d+)", row["id"], re.ASCII)
    year, number = (int(cve[1]), int(cve[2])) if cve else (0, 0)
    return severity, 0 if cve else 1, year, number, row["id"], row["pkg"], row["installed"]


def _latest(api: Api, image: Json) -> Json:
    return api.read(f"security/{image['slug']}.json")["latest"] if image["versions"] else {"scanned": False}


def _summary(api: Api, images: list[Json], unique: int) -> None:
    entries = {}
    for image in images:
        record = _latest(api, image)
        if record["scanned"]:
            entry = {name: record[name] for name in COUNTS}
            entry["suppressed"] = len(record["suppressed"] or ())
            entry |= {name: record[name] for name in ("grade", "score", "version")}
            entries[image["slug"]] = entry | {"href": api.href(f"security/{image['slug']}.json")}

    def total(name: str) -> int:
        return sum(entry[name] or 0 for entry in entries.values())

    found = api.read("security.json")
    wanted = {
        "apiVersion": "v1",
        "resource": "security",
        "total": total("total"),
        "bySeverity": {name: total(name) for name in SEVERITIES},
        "imagesWithCves": sum(bool(entry["total"]) for entry in entries.values()),
        "images": entries,
        "scanned": len(entries),
        "unscanned": [image["slug"] for image in images if image["slug"] not in entries],
        "fixable": total("fixable"),
        "suppressed": total("suppressed"),
        "unique": unique,
    }
    api.expect("security.json", "$", found, wanted)
    if list(found["images"]) != sorted(found["images"]):
        api.blame("security.json", "$.images", "is not in the order of the slugs")


def _index(api: Api, images: list[Json]) -> None:
    entries = []
    for image in images:
        record = _latest(api, image)
        if record["scanned"]:
            entry = {name: image[name] for name in ("slug", "name", "image")}
            entry |= {name: record[name] for name in ("version", "grade", "score", *COUNTS, "scannedAt")}
            entries.append(entry | {"href": api.href(f"security/{image['slug']}.json")})
    wanted = {"apiVersion": "v1", "resource": "security", "total": len(entries), "data": entries}
    api.expect("security/index.json", "$", api.read("security/index.json"), wanted)
