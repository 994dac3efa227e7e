"""The documents that the oracle expects of a catalog: security summary and index, `cves/` and `digests/`."""

import json
import re
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace as Record
from typing import Any

from .contract.api import PINNING
from .oracle import contents, counting, every_digest, grade, id_order, join, looked, named, rows, statements
from .oracle_files import ANY, NAMES, SEVERITIES, instant, pages, reference, releases, reports, settings

COUNTERS = [severity.lower() for severity in SEVERITIES]


def expected(folder: Path, today: str) -> dict[str, Any]:
    """The documents of a site's folder on a day."""
    catalog = settings(folder)
    catalog.now = instant(today)
    vex = {path.read_text("utf-8"): None for path in (folder / "vex").glob("*.json")}
    catalog.statements = statements([json.loads(text) for text in vex], catalog.now)
    images = [(page, releases(page, catalog.registry)) for page in pages(folder, "images")]
    listed, scans = [release for _, versions in images for release in versions], reports(folder / "scans")
    sboms = [scan for scan in scans if scan.scanner == "sbom"]
    scans = [scan for scan in scans if scan.scanner != "sbom"]
    charts = [page for collection in PINNING for page in pages(folder, collection)]
    outside = {digest for chart in charts for digest in pinned_digests(chart)}
    join(scans, listed, others=outside)
    for release in listed:
        assess(release, catalog)
        release.sboms = []
    join(sboms, listed, "sboms", outside)
    for release in listed:
        release.contents, release.known = contents(release)
    pinning = {
        (collection, page["slug"]): pinned(page, listed, scans, catalog, outside)
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
        "packages/index.json": {
            f"releases{how}": sum(release.known == how for release in listed)
            for how in ("Known", "InPart", "Unknown")
        },
        **{
            f"sbom/{r.slug}/{r.version}.json": {"components": r.contents}
            for r in listed
            if r.known == "Known"
        },
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
    words = {
        "not-scanned": not scanned,
        "exploited": counts["exploited"],
        "critical": counts["critical"],
        **dict.fromkeys(seen["doubts"], True),
        "system-end-of-life": "os-end-of-life" in seen["limits"],
    }
    lifecycle = release.page["lifecycle"]
    concerns = [lifecycle] * (lifecycle in ("withdrawn", "planned"))
    concerns += [word for word, holds in words.items() if holds] + [lifecycle] * (lifecycle == "deprecated")
    looked_at = {"platformsScanned": seen["platformsScanned"], "limits": seen["limits"]}
    return {"security": security, "concerns": concerns} | looked_at


def release_record(release: Record) -> dict[str, Any]:
    """What a release record says of its scans."""
    seen = {key: value for key, value in release.looked.items() if key not in ("missing", "doubts")}
    seen |= {} if release.counting else {"digestsScanned": None}
    counts = {key: value for key, value in release.counts.items() if key != "suppressed"}
    return seen | counts | {"scanned": bool(release.counting), "scannedAt": release.time}


def pinned_digests(chart: Any) -> list[str]:
    pins = [{"image": entry} if isinstance(entry, str) else entry for entry in chart.get("images", [])]
    digests = [pin.get("digest") or reference(pin["image"])[2] for pin in pins]
    return [digest for digest in digests if digest]


def pinned(
    chart: Any, listed: list[Record], scans: list[Record], catalog: Record, outside: set[str]
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
            join(scans, fits, others=outside.union(*map(every_digest, listed)))
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
        "imagesScanned": len(scanned),
        "imagesUnscanned": sorted(newest.keys() - {release.slug for release in scanned}),
        "suppressed": sum(release.counts["suppressed"] for release in scanned),
        "unique": len({row.id for release in scanned for row in release.open}),
        "oldestScan": ANY if None in times else min(times, default=None),
        "newestScan": ANY if None in times else max(times, default=None),
        "causes": ANY,
        "pinned": of_pins | {"releases": len(pins), "releasesUnscanned": len(pins) - len(pins_scanned)},
    }


def available(images: list[Any], scanned: list[Record], catalog: Record) -> dict[str, Any]:
    counted = [release for release in scanned if release.page["lifecycle"] == "available"]
    number = sum(page["lifecycle"] == "available" for page in images)
    about = {"images": number, "imagesScanned": len(counted), "causes": ANY}
    return sums(counted, catalog) | about


def index_entry(release: Record) -> dict[str, Any]:
    counts = {key: value for key, value in release.counts.items() if key != "suppressed"}
    about = {"slug": release.slug, "name": release.page["name"], "image": release.written}
    return counts | about | {"version": release.version, "scannedAt": release.time, "href": release.detail}


def vulnerabilities(every: list[Record]) -> tuple[Callable[[Record], str], dict[str, set[str]]]:
    """How rows are named, and each vulnerability's ids: sets are united until nothing changes any more."""

    def single(row: Record) -> bool:
        names = [row.id, *row.aliases]
        return bool(NAMES.match(row.id)) and sum(name.startswith("CVE-") for name in names) < 2

    sets = [({row.id, *row.aliases}, {row.id}) for row in every if single(row)]
    with_cve: dict[str, set[str]] = defaultdict(set)
    for ids, _ in sets:
        for cve in [id_ for id_ in ids if id_.startswith("CVE-")]:
            with_cve[cve] |= ids
    loose = [part for part in sets if not any(id_.startswith("CVE-") for id_ in part[0])]
    joined: list[tuple[set[str], set[str]]] = []
    for ids, printed in loose:
        near = [part for part in joined if part[0] & ids]
        joined = [part for part in joined if part not in near]
        joined.append((ids.union(*(p[0] for p in near)), printed.union(*(p[1] for p in near))))
    names: dict[str, str] = {}
    united = {cve: {*ids} for cve, ids in with_cve.items()}
    for ids, printed in joined:
        cves = [cve for cve, others in with_cve.items() if others & ids]
        main = cves[0] if len(cves) == 1 else min(printed)
        united[main] = united.get(main, set()) | ids
        names |= dict.fromkeys(printed, main)
    return lambda row: names.get(row.id, row.id) if single(row) else row.id, united


def cve_documents(
    listed: list[Record], pinning: dict[tuple[str, str], list[Any]], catalog: Record
) -> dict[str, Any]:
    """Who has each vulnerability, under each of its ids; also those of pins that are on no page."""
    outside = [pin for pins in pinning.values() for _, pin in pins if not pin.slug]
    every = [row for release in [*listed, *outside] for row in release.rows]
    name, united = vulnerabilities(every)

    def claims(id_: str) -> list[str]:
        return [main for main, ids in united.items() if id_ in ids]

    def under(row: Record) -> set[str]:
        """The vulnerabilities of a row: several for an advisory, or a set with several CVEs."""
        main, cves = name(row), [id_ for id_ in (row.id, *row.aliases) if id_.startswith("CVE-")]
        if NAMES.match(row.id) and len(cves) < 2:
            return {main}
        named = [(alias, claims(alias)) for alias in row.aliases]
        cve = re.compile("CVE-").match
        return {main} | {of[0] if len(of) == 1 and not cve(alias) else alias for alias, of in named}

    uses = defaultdict(list)
    for release in [*listed, *outside]:
        for row in release.rows if release.slug else release.open:
            for main in under(row):
                uses[main].append((release, row))
    scanned = [release for release in listed if release.counting]
    numbers = {
        "releasesScanned": len(scanned),
        "releasesInPart": sum(not release.looked["complete"] for release in scanned),
        "releasesUnscanned": len(listed) - len(scanned),
    }
    index, documents = [], {}
    aliases_of = {main: sorted(united.get(main, {main}) - {main}) for main in uses}
    for main, found in uses.items():
        places = [use for use in found if use[0].slug]
        still = [release for release, row in places if not row.reason]
        about = head(main, [(row, name(row) == main) for _, row in found], catalog)
        entry = about | {"aliases": aliases_of[main]}
        entry |= {
            "images": len({release.slug for release in still}),
            "releases": len({release.href for release in still}),
            "latestReleases": len({release.slug for release in still if release.is_latest}),
            "suppressed": len({release.href for release, row in places if row.reason}),
            "href": f"{catalog.base}/cves/{main.replace(':', '-')}.json",
        }
        index.append(entry)
    for id_ in {id_ for main in uses for id_ in (main, *aliases_of[main])}:
        mains = [main for main in uses if main == id_ or id_ in aliases_of[main]]
        one = mains[0] if len(mains) == 1 else id_
        found = [use for main in mains for use in uses[main]]
        body = head(one, [(row, name(row) == main) for main in mains for _, row in uses[main]], catalog)
        body["aliases"] = aliases_of[one] if len(mains) == 1 else sorted({*mains} - {id_})
        body |= numbers | {
            collection: [
                {"slug": slug, "href": f"{catalog.base}/{collection}/{slug}/index.json"}
                for (kind, slug), pins in sorted(pinning.items())
                if kind == collection and any({*mains} & under(row) for _, pin in pins for row in pin.open)
            ]
            for collection in PINNING
        }
        having = {release.href for release, *_ in found if release.slug}
        affected: dict[str, dict[Any, Any]] = defaultdict(lambda: defaultdict(list))
        for release in listed:
            here = {id(row) for other, row in found if other is release}
            for row in [row for row in release.open if id(row) in here]:
                reported_as = name(row) if name(row) != one else None
                package = {key: getattr(row, key) for key in ("pkg", "installed", "fixed", "purl")}
                affected[release.slug][release.version, reported_as].append((release, package))
        data = []
        for slug, entries in sorted(affected.items()):
            versions = [release for release in listed if release.slug == slug]
            here = {id(row) for _, row in found if row.reason}
            rows_out = [(r, row) for r in versions for row in r.rows if id(row) in here]
            having_it = [packages[0][0] for packages in entries.values()]
            fixed = versions[0].href not in having and all(
                looked_alike(versions[0], release, catalog) for release in having_it
            )
            status = "fixed" if fixed else "unknown"
            page = versions[0].page
            image = {"slug": slug, "name": page["name"], "lifecycle": page["lifecycle"]}
            image["href"] = f"{catalog.base}/images/{slug}/index.json"
            image["status"] = "affected" if versions[0] in having_it else status
            image["affected"] = [
                {"version": version, "digest": (packages[0][0].digests or [None])[0]}
                | {"href": packages[0][0].href, "reportedAs": reported_as}
                | {"packages": [package for _, package in packages]}
                | {"fixedIn": fixed_in(packages[0][0], versions, having, catalog)}
                for (version, reported_as), packages in sorted(
                    entries.items(), key=lambda item: (versions.index(item[1][0][0]), item[0][1] or "")
                )
            ]
            image["suppressed"] = [
                {"version": release.version, "href": release.href, "pkg": row.pkg}
                | dict(zip(("status", "justification", "statement"), row.reason, strict=True))
                for release, row in rows_out
            ]
            data.append(image)
        documents[f"cves/{id_.replace(':', '-')}.json"] = envelope("cves", data) | body
    index.sort(key=lambda entry: id_order(Record(**entry)))
    return documents | {"cves/index.json": envelope("cves", index) | numbers}


def head(id_: str, found: list[tuple[Record, bool]], catalog: Record) -> dict[str, Any]:
    """What is said of a vulnerability; each row with whether it is its own."""
    about = {"id": id_, "severity": min((row.severity for row, _ in found), key=SEVERITIES.index)}
    for key in ("title", "url"):
        texts = {getattr(row, key) for row, _ in found}
        about[key] = texts.pop() if len(texts) == 1 else ANY
    known = catalog.kev or {}
    dates = [row.exploited if own else known.get(id_) for row, own in found]
    about["exploitedSince"] = min((date for date in dates if date), default=None)
    return about


def fixed_in(release: Record, versions: list[Record], having: set[str], catalog: Record) -> Any:
    """Only a version that was looked at alike and is without it; which of them, the advice says."""
    fits = [r for r in versions if r.href not in having and looked_alike(r, release, catalog)]
    return ANY if fits else None


def looked_alike(newer: Record, older: Record, catalog: Record) -> bool:
    """By the same scanners, not on an earlier day, each platform and kind of packages with no limit more."""

    def looks(release: Record) -> list[tuple[str, str, Any, Any, Any]]:
        names = {digest: name for r in (newer, older) for name, digest in r.manifests.items()}
        seen = []
        for scan in release.counting:
            of_digests = {names[digest] for digest in named(scan) if digest in names}
            platform = scan.platform or (of_digests.pop() if len(of_digests) == 1 else "")
            day = scan.time // 86_400 if scan.time is not None and scan.time <= catalog.now else None
            seen.append((scan.scanner, platform.replace("/v8", ""), scan.packages, scan.limits, day))
        return seen

    def doubtful(release: Record) -> bool:
        """Whether a scan of an unknown platform may be of one of several parts."""
        digests = {digest for scan in release.counting for digest in named(scan)}
        platforms = [*release.manifests] or release.entry.get("platforms", [])
        return (
            len(platforms) > 1
            if platforms
            else len(release.digests) > 1 and not {*release.digests} <= digests
        )

    new, old = looks(newer), looks(older)
    days = [{day for *_, day in every} for every in (new, old)]
    # A scan of no packages at all tells nothing but its day.
    new, old = ([look for look in every if look[2]] for every in (new, old))
    if not new or {look[0] for look in new} != {look[0] for look in old} or None in days[0] | days[1]:
        return False
    new = [look for look in new if look[1] or not doubtful(newer)]
    listed = [*newer.manifests] or newer.entry.get("platforms", [])
    there = {name.replace("/v8", "") for name in listed}
    for scanner, platform, packages, _, _ in old:
        if there and platform and platform not in there:
            continue
        for kind in packages:
            like = [
                [
                    limits
                    for s, p, kinds, limits, _ in every
                    if (s, p) == (scanner, platform) and kind in kinds
                ]
                for every in (new, old)
            ]
            if not like[0] or set.intersection(*like[0]) - set.intersection(*like[1]):
                return False
    return bool(min(days[0]) >= max(days[1]))


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
            if first.known == "Known":
                about["sbom"] = f"{catalog.base}/sbom/{first.slug}/{first.version}.json"
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
