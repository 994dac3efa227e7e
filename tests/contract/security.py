"""Vulnerability rows, and the figures that records and items have of them."""

import re
from collections import Counter
from types import SimpleNamespace

from tests.contract.api import FIGURES, SEVERITIES, Api, Json
from tests.contract.lookups import identified, named_package
from tests.contract.texts import single_versions
from tests.oracle import grade


def check(api: Api) -> None:
    for position, image in enumerate(api.data("images")):
        where, slug = f"$.data[{position}]", image["slug"]
        for number, entry in enumerate(image["versions"]):
            release, digests = api.href(f"security/{slug}/{entry['version']}.json"), entry["digests"]
            first = {"digest": digests[0] if digests else None, "digests": [*dict.fromkeys(digests)]}
            api.holds("images.json", f"{where}.versions[{number}]", entry, **first, href=release)
        if ":" in (image["image"] or "").rpartition("/")[2]:
            api.blame("images.json", f"{where}.image", f"is {image['image']}, with a tag or digest")
        newest = _detail(api, image) if image["versions"] else {"scanned": False, "complete": False}
        api.expect("images.json", f"{where}.security", image["security"], _of_newest(api, image, newest))
    summary = api.documents["security.json"]
    for population, path in ((summary, "$.causes"), (summary["available"], "$.available.causes")):
        _causes(api, path, population["causes"], only_available=population is not summary)
    listed = [*summary["images"]]
    api.expect("security.json", "$.images", listed, sorted(listed))


def _causes(api: Api, where: str, causes: Json, *, only_available: bool) -> None:
    """The packages with most open rows of newest versions, and how far their fixes go."""
    of_packages: dict[tuple[str, str], list[tuple[str, Json]]] = {}
    for image in api.data("images"):
        wanted = image["lifecycle"] == "available" if only_available else image["lifecycle"] != "planned"
        detail = api.documents.get(f"security/{image['slug']}.json", {"latest": {"cves": None}})
        for row in (detail["latest"]["cves"] or ()) if wanted else ():
            of_packages.setdefault(named_package(row), []).append((image["slug"], row))
    numbers = sorted((len(rows) for rows in of_packages.values()), reverse=True)[:20]
    api.expect("security.json", where, [cause["total"] for cause in causes], numbers)
    for position, cause in enumerate(causes):
        place, found = f"{where}[{position}]", of_packages.get(identified(cause["type"], cause["name"]), [])
        counts = {word: sum(row["severity"] == word.upper() for _, row in found) for word in SEVERITIES}
        about = {"open": counts, "fixable": sum(row["fixed"] != "" for _, row in found)}
        about |= {"total": len(found), "images": len({slug for slug, _ in found})}
        api.holds("security.json", place, cause, **about)
        named = {version for _, row in found for version in single_versions(row["fixed"])}
        if not {*cause["fixed"]} <= named or bool(cause["fixed"]) != bool(named):
            api.blame("security.json", f"{place}.fixed", f"is {cause['fixed']}, of {sorted(named)}")


def _of_newest(api: Api, image: Json, record: Json) -> Json:
    """The object `security` of an image: without a grade, a count of zero is null."""
    wanted = {name: record.get(name) for name in FIGURES}
    wanted["suppressed"] = len(record["suppressions"]) if record["scanned"] else None
    wanted = wanted if wanted["grade"] else {name: count or None for name, count in wanted.items()}
    wanted |= {name: record.get(name) for name in ("scanned", "complete", "scannedAt", "osEndOfLife")}
    href = api.href(f"security/{image['slug']}.json") if image["versions"] else None
    return wanted | {"version": image["latest"], "href": href}


def _detail(api: Api, image: Json) -> Json:
    """Check the records of an image; the newest version's."""
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
            record[name] for name in ("cves", "suppressions", "findings", "scanner", "digestsScanned")
        ]:
            api.blame(path, where, "was scanned, but has null for what was found")
        else:
            _scanned(api, path, where, record)
    return detail["latest"]


def _scanned(api: Api, path: str, where: str, record: Json) -> None:
    rows, suppressed = record["cves"], record["suppressions"]
    for name in ("cves", "suppressions"):
        if record[name] != sorted(record[name], key=_place):
            api.blame(path, f"{where}.{name}", "is out of order")
        for position, row in enumerate(record[name]):
            for field in ("targets", "aliases"):
                there = f"{where}.{name}[{position}].{field}"
                api.expect(path, there, row[field], sorted({*row[field]} - {row["id"]}))
            if row["purl"] and not re.fullmatch(r"pkg:[a-z0-9.+-]+/[^?#]+", row["purl"]):
                api.blame(path, f"{where}.{name}[{position}].purl", f"is {row['purl']}")
    keys = Counter((row["id"], row["purl"] or row["pkg"], row["installed"]) for row in [*rows, *suppressed])
    for key in (key for key, count in keys.items() if count > 1):
        api.blame(path, f"{where}.cves", f"has {key} twice, or among the suppressed rows too")
    if ("os-end-of-life" in record["limits"]) != (record["osEndOfLife"] is True):
        api.blame(path, f"{where}.osEndOfLife", f"is {record['osEndOfLife']}, limits are {record['limits']}")
    wanted: Json = {s: sum(row["severity"] == s.upper() for row in rows) for s in SEVERITIES}
    wanted |= {"total": len(rows), "fixable": sum(row["fixed"] != "" for row in rows)}
    wanted["unique"] = len({row["id"] for row in rows})
    # The summary says whether anybody has looked what is exploited, if it counts a scan at all.
    said = api.documents["security.json"] if api.documents["security.json"]["imagesScanned"] else record
    exploited = sum(row["exploitedSince"] is not None for row in rows)
    wanted["exploited"] = None if said["exploited"] is None else exploited
    looked = {"missing": record["grade"] is None, "limits": record["limits"]}
    graded = grade([SimpleNamespace(**row) for row in rows], looked, SimpleNamespace(accept=()))
    wanted["grade"], score = graded
    wanted["score"] = score if score is None or score % 1 else int(score)
    api.holds(path, where, record, **wanted)
    if record["findings"] < len(rows):
        api.blame(path, f"{where}.findings", f"is {record['findings']}, fewer than the {len(rows)} rows")


def _place(row: Json) -> tuple[Json, ...]:
    cve = re.fullmatch(r"CVE-(\d{4})-(\d+)", row["id"], re.ASCII)
    numbers = (0, int(cve[1]), int(cve[2])) if cve else (1, 0, 0)
    return SEVERITIES.index(row["severity"].lower()), *numbers, row["id"], row["pkg"], row["installed"]
