"""The documents that the oracle expects of a catalog: security summary and index, `cves/` and `digests/`."""

import json
import re
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace as Record
from typing import Any

from .contract.api import PINNING
from .oracle import counting, every_digest, grade, id_order, join, looked, rows, statements
from .oracle_files import ANY, SEVERITIES, instant, pages, reference, releases, reports, settings

COUNTERS = [severity.lower() for severity in SEVERITIES]


def expected(folder: Path, today: str) -> dict[str, Any]:
    """The documents of a site's folder on a day."""
    catalog = settings(folder)
    catalog.now = instant(today)
    vex = {path.read_text("utf-8"): None for path in (folder / "vex").glob("*.json")}
    catalog.statements = statements([json.loads(text) for text in vex], catalog.now)
    images = [(page, releases(page, catalog.registry)) for page in pages(folder, "images")]
    listed, scans = [release for _, versions in images for release in versions], reports(folder / "scans")
    join(scans, listed)
    for release in listed:
        assess(release, catalog)
    pinning = {
        (collection, page["slug"]): pinned(page, listed, scans, catalog)
        for collection in PINNING
        for page in pages(folder, collection)
    }
    newest = {page["slug"]: versions[:1] for page, versions in images if page["lifecycle"] != "planned"}
    every_pin = sorted((pin for item in pinning.values() for pin in item), key=lambda pin: severities(pin[1]))
    pins = dict(every_pin)  # of two with the same digest the worse
    scanned = [release for versions in newest.values() for release in versions if release.counting]
    return {
        "security.json": summary(newest, scanned, pins, catalog)
        | {"available": available([page for page, _ in images], scanned, catalog)},
        "security/index.json": envelope("security", [index_entry(release) for release in scanned]),
        **cve_documents(listed, pinning, catalog),
        **digest_documents(images, catalog),
        **{f"security/{r.slug}/{r.version}.json": release_record(r) for r in listed},
        **{
            f"{collection}/{slug}/index.json": {"security": sum_of_pins(pins, catalog)}
            for (collection, slug), pins in pinning.items()
        },
    }


def envelope(resource: str, data: list[Any]) -> dict[str, Any]:
    return {"apiVersion": "v1", "resource": resource, "total": len(data), "data": data}


def assess(release: Record, catalog: Record) -> None:
    """Everything that is published about a release."""
    release.counting = counting(release, catalog.scanners, catalog.now)
    release.looked = looked(release)
    release.rows = rows(release, catalog)
    release.open = [row for row in release.rows if not row.reason]
    release.time, release.counts = counted(release.counting, release.rows, release.looked, catalog)
    release.detail = f"{catalog.base}/security/{release.slug}.json"
    release.href = f"{catalog.base}/security/{release.slug}/{release.version}.json"


def counted(scans: list[Record], every: list[Record], seen: Any, catalog: Record) -> tuple[Any, Any]:
    """The time of the oldest scan, and the counts of the rows."""
    times, still = [scan.time for scan in scans], [row for row in every if not row.reason]
    oldest = min(times) if times and None not in times else None
    time = oldest and datetime.fromtimestamp(int(oldest), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    letter, score = grade(still, seen, catalog)
    counts = {key: sum(row.severity.lower() == key for row in still) for key in COUNTERS}
    counts |= {"total": len(still), "fixable": sum(bool(row.fixed) for row in still)}
    counts |= {"suppressed": len(every) - len(still), "grade": letter, "score": score}
    counts["exploited"] = None if catalog.kev is None else sum(bool(row.exploited) for row in still)
    return time, counts if scans else dict.fromkeys(counts)


def figures(release: Record) -> dict[str, Any]:
    """The object `security` and what belongs to it; without a grade, zero is null."""
    counts, seen, scanned = release.counts, release.looked, bool(release.counting)
    if counts["grade"] is None:
        counts = {key: value or None for key, value in counts.items()}
    ended = "os-end-of-life" in seen["limits"] or (ANY if scanned else None)
    security = {"scanned": scanned, "complete": seen["complete"], "version": release.version}
    security |= counts | {"scannedAt": release.time, "osEndOfLife": ended, "href": release.detail}
    return {"security": security, "platformsScanned": seen["platformsScanned"], "limits": seen["limits"]}


def release_record(release: Record) -> dict[str, Any]:
    """What a release record says of its scans."""
    seen = {key: value for key, value in release.looked.items() if key != "missing"}
    seen |= {} if release.counting else {"digestsScanned": None}
    counts = {key: value for key, value in release.counts.items() if key != "suppressed"}
    return seen | counts | {"scanned": bool(release.counting), "scannedAt": release.time}


def pinned(
    chart: Any, listed: list[Record], scans: list[Record], catalog: Record
) -> list[tuple[str, Record]]:
    """The release with a pin's digest, else with its tag, else one of its own; each by its key."""
    pins = []
    for entry in chart.get("images", []):
        pin = {"image": entry} if isinstance(entry, str) else entry
        repository, tag, digest = reference(pin["image"])
        digests = [digest or pin["digest"]] if digest or "digest" in pin else []
        fits = [
            r for r in listed if (digests[0] in every_digest(r) if digests else (repository, tag) in r.tags)
        ]
        fits.sort(key=lambda release: release.image != repository)
        if not fits:
            about = {"slug": "", "image": repository, "version": tag, "labels": [tag], "digests": digests}
            joins = {"tags": set() if digests else {(repository, tag)}, "paths": set(), "scans": []}
            joins |= {"manifests": {}, "platforms": [], "accept": []}
            fits = [Record(**about, **joins)]
            join(scans, fits)
            assess(fits[0], catalog)
        fits[:1] = [of_manifest(fits[0], digests, catalog)]
        pins.append(((digests or fits[0].digests or [f"{repository}:{tag}"])[0], fits[0]))
    return pins


def of_manifest(release: Record, digests: list[str], catalog: Record) -> Record:
    """The release, or what is known of the manifest with this digest alone."""
    if len(release.manifests) < 2 or not {*digests} & {*release.manifests.values()}:
        return release
    part = next((part for part in release.parts if part[0] in digests), ("nothing", ""))
    scans = [scan for scan in release.counting if part in release.of[id(scan)][0]]
    every, seen = rows(release, catalog, part), looked(release, part)
    about = vars(release) | {"counting": scans, "rows": every, "looked": seen}
    about["time"], about["counts"] = counted(scans, every, seen, catalog)
    return Record(**about | {"open": [row for row in every if not row.reason]})


def sum_of_pins(chart: list[tuple[str, Record]], catalog: Record) -> dict[str, Any]:
    """The object `security` of what pins images; of pins with the same digest the first of the worst."""
    pins: dict[str, Record] = {}
    for key, pin in chart:
        pins[key] = max(pins.get(key, pin), pin, key=lambda p: (severities(p), p.counts["grade"] is None))
    scanned = [pin for pin in pins.values() if pin.counting]
    limits = {limit for pin in scanned for limit in pin.looked["limits"]}
    counts = {
        key: sum(pin.counts[key] or 0 for pin in scanned)
        for key in [*COUNTERS, "total", "fixable", "suppressed", "exploited"]
    }
    counts |= {"exploited": None} if catalog.kev is None else {}
    letter, score = None, None
    if pins and all(pin.counts["grade"] for pin in pins.values()):
        open_rows = sorted((row for pin in scanned for row in pin.open), key=id_order)
        letter, score = grade(open_rows, {"missing": [], "limits": limits}, catalog)
    security = counts if letter else {key: count or None for key, count in counts.items()}
    times = [pin.time for pin in scanned]
    ended = "os-end-of-life" in limits or (ANY if scanned else None)
    oldest = None if None in times else min(times, default=None)
    security |= {"scanned": bool(pins) and len(scanned) == len(pins), "scannedAt": oldest}
    security |= {"complete": bool(chart) and all(pin.looked["complete"] for _, pin in chart)}
    security |= {"pins": len(pins), "pinsScanned": len(scanned), "osEndOfLife": ended}
    return security | {"grade": letter, "score": score, "version": None, "href": None}


def severities(release: Record) -> list[int]:
    return [release.counts[key] for key in COUNTERS] if release.counting else []


def sums(counted: list[Record], catalog: Record) -> dict[str, Any]:
    total = {key: sum(r.counts[key] for r in counted) for key in [*COUNTERS, "total", "fixable"]}
    marked = None if catalog.kev is None else sum(release.counts["exploited"] for release in counted)
    total["exploited"] = marked if counted else ANY
    return {"bySeverity": {key: total.pop(key) for key in COUNTERS}, **total}


def summary(newest: Any, scanned: list[Record], pins: dict[str, Record], catalog: Record) -> dict[str, Any]:
    times = [release.time for release in scanned]
    pins_scanned = [pin for pin in pins.values() if pin.counting]
    of_pins = {key: sums(pins_scanned, catalog)[key] for key in ("total", "bySeverity")}
    fixable = [row.severity for release in scanned for row in release.open if row.fixed]
    return {"apiVersion": "v1", "resource": "security"} | {
        **sums(scanned, catalog),
        "fixableBySeverity": {key: fixable.count(key.upper()) for key in COUNTERS},
        "imagesWithCves": sum(bool(release.open) for release in scanned),
        "images": {r.slug: r.counts | {"version": r.version, "href": r.detail} for r in scanned},
        "scanned": len(scanned),
        "unscanned": sorted(newest.keys() - {release.slug for release in scanned}),
        "suppressed": sum(release.counts["suppressed"] for release in scanned),
        "unique": len({row.id for release in scanned for row in release.open}),
        "oldestScan": ANY if None in times else min(times, default=None),
        "newestScan": ANY if None in times else max(times, default=None),
        "pinned": of_pins | {"releases": len(pins), "unscanned": len(pins) - len(pins_scanned)},
    }


def available(images: list[Any], scanned: list[Record], catalog: Record) -> dict[str, Any]:
    counted = [release for release in scanned if release.page["lifecycle"] == "available"]
    number = sum(page["lifecycle"] == "available" for page in images)
    return sums(counted, catalog) | {"images": number, "scanned": len(counted)}


def index_entry(release: Record) -> dict[str, Any]:
    counts = {key: value for key, value in release.counts.items() if key != "suppressed"}
    about = {"slug": release.slug, "name": release.page["name"], "image": release.written}
    return counts | about | {"version": release.version, "scannedAt": release.time, "href": release.detail}


def cve_documents(
    listed: list[Record], pinning: dict[tuple[str, str], list[Any]], catalog: Record
) -> dict[str, Any]:
    """Who has each id, also those that a row has only as aliases, and those of pins that are on no page."""
    uses = defaultdict(list)
    outside = [pin for pins in pinning.values() for _, pin in pins if not pin.slug]
    for release in [*listed, *outside]:
        for row in release.rows if release.slug else release.open:
            for id_, reported_as in row.ids.items():
                uses[id_].append((release, row, reported_as))
    index, documents = [], {}
    scanned = sum(bool(release.counting) for release in listed)
    numbers = {"scanned": scanned, "unscanned": len(listed) - scanned}
    for id_, found in uses.items():
        affected: dict[str, list[str]] = {collection: [] for collection in PINNING}
        for (collection, slug), pins in sorted(pinning.items()):
            if any(id_ in row.ids for _, pin in pins for row in pin.open):
                affected[collection].append(slug)
        dates = [(catalog.kev or {}).get(id_) if alias else row.exploited for _, row, alias in found]
        about = {"id": id_, "severity": min((row.severity for _, row, _ in found), key=SEVERITIES.index)}
        for key in ("title", "url"):
            texts = {getattr(row, key) for _, row, _ in found}
            about[key] = texts.pop() if len(texts) == 1 else ANY
        safe = re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]{0,99}", id_)
        places = [use for use in found if use[0].slug]
        still = [use for use in places if not use[1].reason]
        last = {"exploited": min((date for date in dates if date), default=None)}
        index.append(
            {
                **about,
                "images": len({release.slug for release, *_ in still}),
                "releases": len({release.href for release, *_ in still}),
                "latest": len({release.slug for release, *_ in still if release.is_latest}),
                "suppressed": len({release.href for release, row, _ in places if row.reason}),
                "fixable": sum(bool(row.fixed) for _, row, _ in still),
                **{collection: len(slugs) for collection, slugs in affected.items()},
                "href": f"{catalog.base}/cves/{id_}.json" if safe else None,
                **last,
            }
        )
        hidden = [affected_release(*use) for use in places if use[1].reason]
        links = {
            collection: [
                {"slug": slug, "href": f"{catalog.base}/{collection}/{slug}/index.json"} for slug in slugs
            ]
            for collection, slugs in affected.items()
        }
        if safe:
            body = envelope("cves", [affected_release(*use) for use in still])
            documents[f"cves/{id_}.json"] = body | about | {"suppressed": hidden} | links | last | numbers
    index.sort(key=lambda entry: id_order(Record(**entry)))
    return documents | {"cves/index.json": envelope("cves", index) | numbers}


def affected_release(release: Record, row: Record, reported_as: str | None) -> dict[str, Any]:
    about = {"slug": release.slug, "version": release.version, "isLatest": release.is_latest}
    about |= {"lifecycle": release.page["lifecycle"], "digest": (release.digests or [None])[0]}
    about |= {"pkg": row.pkg, "installed": row.installed, "fixed": row.fixed, "reportedAs": reported_as}
    reason = (
        dict(zip(("status", "justification", "statement"), row.reason, strict=True)) if row.reason else {}
    )
    return about | {"href": release.href} | reason


def digest_documents(images: list[Any], catalog: Record) -> dict[str, Any]:
    """What each digest is: the newest version of every image that lists it, or a manifest of it."""
    entries = defaultdict(list)
    for page, versions in images:
        for digest in dict.fromkeys(d for r in versions for d in [*r.digests, *r.manifests.values()]):
            having = [release for release in versions if digest in every_digest(release)]
            first = having[0]
            platforms = [name for name, each in first.manifests.items() if each == digest]
            about = {key: page[key] for key in ("slug", "name", "lifecycle")} | {"image": first.written}
            about |= {key: first.entry.get(key) for key in ("released", "endOfLife", "sbom", "provenance")}
            about |= {"version": first.version, "versions": [release.version for release in having]}
            about["digest"] = first.digests[0] if len(first.digests) == 1 else None
            about |= {"latest": versions[0].version, "isLatest": first.is_latest}
            about |= {"tag": None, "listed": True, "until": None}
            about |= {"platform": platforms[0] if platforms else None} | figures(
                of_manifest(first, [digest], catalog)
            )
            entries[digest].append(about | {"href": first.href})
    documents = {digest: envelope("digests", data) | {"digest": digest} for digest, data in entries.items()}
    return {f"digests/{digest.replace(':', '/')}.json": body for digest, body in documents.items()}
