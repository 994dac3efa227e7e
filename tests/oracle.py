"""The published counts, computed a second time from a catalog's sources, by the contract of the API alone.

Imports nothing from the package, and writes ANY for what the contract leaves open. `oracle_files` reads the files.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace as Record
from typing import Any
from urllib.parse import parse_qsl, unquote

from .oracle_files import ANY, SEVERITIES, instant, pages, reference, releases, reports, settings

COUNTS = [*map(str.lower, SEVERITIES), "total", "fixable"]
BANDS = {"CRITICAL": ("F", 0, 39), "HIGH": ("D", 40, 59), "MEDIUM": ("C", 60, 79)}
WEIGHTS = dict(zip(SEVERITIES, (40, 10, 4, 1, 1), strict=True))


def join(scans: list[Record], candidates: list[Record]) -> None:
    """By digest, else by tag if one of both has no digest, else by path."""
    for scan in scans:
        by_digest = [r for r in candidates if scan.digests & set(r.digests)]
        by_tag = [r for r in candidates if scan.tags & r.tags and not (scan.digests and r.digests)]
        for release in by_digest or by_tag or [r for r in candidates if scan.path in r.paths]:
            release.scans.append(scan)


def parts(release: Record) -> list[list[Record]]:
    """The scans of each digest; those that name none are of what no other names. A foreign one is the last resort."""
    own = [scan for scan in release.scans if not scan.digests or scan.digests & set(release.digests)]
    if not own or len(release.digests) < 2:
        return [own if release.digests and own else release.scans]
    each = [[scan for scan in own if digest in scan.digests] for digest in release.digests]
    return [*each, [scan for scan in own if not scan.digests and not all(each)]]


def replaces(newer: Record, older: Record, now: Fraction) -> bool:
    """A newer one does, unless its time says nothing or it lacks a class of packages of the same content."""
    usable = all(scan.time is not None and scan.time <= now for scan in (newer, older))
    same_content = not (newer.digests and older.digests) or newer.digests & older.digests
    lacks = same_content and older.classes - newer.classes
    return usable and newer.time > older.time and not lacks and not other_platform(newer, older)


def other_platform(one: Record, other: Record) -> bool:
    return bool(one.platform and other.platform and one.platform != other.platform)


def counting(release: Record, scanners: list[str], now: Fraction) -> list[Record]:
    """For each digest and platform the first scanner's scans that no newer one replaces."""
    counted: list[Record] = []
    for part in parts(release):
        while part:
            first = min((scan.silent, scanners.index(scan.scanner)) for scan in part)
            rivals = [scan for scan in part if (scan.silent, scanners.index(scan.scanner)) == first]
            newest: list[Record] = []
            for scan in sorted(rivals, key=lambda scan: scan.time or 0, reverse=True):
                newest += [] if any(replaces(other, scan, now) for other in newest) else [scan]
            counted += newest
            part = [scan for scan in part if all(other_platform(scan, other) for other in newest)]
    return [scan for scan in release.scans if scan in counted]


def statements(folder: Path, now: Fraction) -> list[Record]:
    """Of each document the highest version, and all of that version that differ."""
    documents = {
        json.dumps(d, sort_keys=True): d for d in (json.loads(p.read_bytes()) for p in folder.glob("*.json"))
    }
    newest = {
        d["@id"]: max(o["version"] for o in documents.values() if o["@id"] == d["@id"])
        for d in documents.values()
    }
    newest_ids = [d["@id"] for d in documents.values() if d["version"] == newest[d["@id"]]]
    disputed = {id_ for id_ in newest_ids if newest_ids.count(id_) > 1}
    read = []
    for document in documents.values():
        for said in document["statements"] if document["version"] == newest[document["@id"]] else []:
            suppresses = said["status"] in ("not_affected", "fixed")
            reason = (
                said.get("justification") or said.get("impact_statement") or said["status"] != "not_affected"
            )
            own, all_times = (
                [said.get("timestamp") or document.get("timestamp")],
                [
                    entry[key]
                    for entry in (said, document)
                    for key in ("timestamp", "last_updated")
                    if key in entry
                ],
            )
            times = [instant(text) for text in (own if suppresses else all_times)]
            time = max(times) if times and None not in times else None
            time = time if suppresses or document["@id"] not in disputed else None
            shown = (said["status"], said.get("justification", ""), document["@id"])
            if reason and not (suppresses and time is not None and time > now):
                read.append(
                    Record(
                        ids=statement_ids(said["vulnerability"]),
                        products=said.get("products", []),
                        time=time,
                        suppresses=suppresses,
                        document=document,
                        shown=shown,
                    )
                )
    return read


def statement_ids(vulnerability: Any) -> set[str]:
    given = {"name": vulnerability} if isinstance(vulnerability, str) else vulnerability
    tidy = {
        key: re.sub(r"\s", "", given[key]).upper().rpartition("/")[2]
        for key in ("@id", "name")
        if key in given
    }
    if len({id_ for id_ in tidy.values() if id_.startswith("CVE-")}) > 1:
        return set()
    return {*tidy.values(), *(re.sub(r"\s", "", alias).upper() for alias in given.get("aliases", []))}


def identified(entry: Any, fits: Callable[[str], bool]) -> bool:
    """All that identifies it holds; an identifier of a wrong type, an empty one or a CPE spoils the whole."""
    names = [entry[key] for key in ("@id",) if key in entry] + list(entry.get("identifiers", {}).values())
    understood = set(entry.get("identifiers", {})) <= {"purl"} and all(
        isinstance(n, str) and n for n in names
    )
    return bool(names) and understood and all(fits(name) for name in names)


def purl(text: str) -> tuple[str, str, dict[str, str]]:
    path, _, query = text.partition("?")
    name, _, version = path.partition("@")
    return name, unquote(version), dict(parse_qsl(query))


def fits_package(name: str, finding: Record) -> bool:
    if not name.startswith("pkg:"):
        return bool(name == finding.row[1])
    (path, version, qualifiers), given = purl(name), purl(finding.purl)
    return path == given[0] and version in ("", given[1]) and qualifiers.items() <= given[2].items()


def fits_image(name: str, finding: Record, scan: Record, release: Record) -> bool:
    if name.startswith("cpe:") or (name.startswith("pkg:") and not name.startswith("pkg:oci/")):
        return name.startswith("pkg:") and fits_package(name, finding)
    repository, tag, digest, arch, others = *reference("@" * name.startswith("sha256:") + name), "", {}
    if name.startswith("pkg:"):
        _, digest, others = purl(name)
        repository, tag, arch = (others.pop(key, "") for key in ("repository_url", "tag", "arch"))
        repository = reference(repository)[0]
    scanned = scan.digests or (set(release.digests) if len(release.digests) == 1 else set())
    fits = (
        (not digest or digest in scanned)
        and (not tag or tag in release.labels)
        and arch in ("", scan.platform)
    )
    return not others and bool(repository or digest) and fits and repository in ("", release.image)


def covers(statement: Record, finding: Record, scan: Record, release: Record) -> bool:
    for product in statement.products:
        parts = product.get("subcomponents", [])
        if identified(product, lambda name: fits_image(name, finding, scan, release)) and (
            not parts or any(identified(part, lambda name: fits_package(name, finding)) for part in parts)
        ):
            return True
    return False


def suppression(finding: Record, scan: Record, release: Record, catalog: Record) -> tuple[str, ...] | None:
    """One statement on its own id, or one on each of several CVEs, that none contradicts; else its scanner."""
    fitting = [s for s in catalog.statements if covers(s, finding, scan, release)]
    several = [{finding.id.upper(), cve} for cve in finding.cves]
    reasons, contradicted = [], False
    for ids in several if len(several) > 1 else [{id_.upper() for id_ in (finding.id, *finding.aliases)}]:
        about = [s for s in fitting if s.ids & ids]
        times = [s.time for s in about if not s.suppresses]
        best = [
            s for s in about if s.suppresses and all(None not in (s.time, t) and s.time > t for t in times)
        ]
        reasons.append(agreed([s.shown for s in best if (s.time or 0) == max(o.time or 0 for o in best)]))
        contradicted |= bool(times and not best)
    told = finding.told in ("not_affected", "fixed", *catalog.accept) and not contradicted
    return agreed(reasons) or ((finding.told, ANY, ANY) if told else None)


def agreed(texts: list[Any]) -> Any:
    """The tuple in which all agree, ANY where they differ; None of none."""
    columns = zip(*texts, strict=True) if all(texts) else []
    return tuple(column[0] if len(set(column)) == 1 else ANY for column in columns) or None


def first_text(findings: list[Record], key: str) -> str:
    texts = [(finding.target, getattr(finding, key)) for finding in findings if getattr(finding, key)]
    return ANY if any(text == ANY for _, text in texts) else min(texts, default=("", ""))[1]


def rows(release: Record, catalog: Record) -> list[Record]:
    """One for each id, package and version; suppressed if all of its findings are."""
    groups = defaultdict(list)
    for scan in release.counting:
        for finding in scan.findings:
            groups[finding.row].append((finding, suppression(finding, scan, release, catalog)))
    made = []
    for (id_, pkg, installed), parts in groups.items():
        found, reasons = [finding for finding, _ in parts], [reason for _, reason in parts]
        cves = {cve for finding in found for cve in finding.cves} if not id_.startswith("CVE-") else set()
        row = {key: first_text(found, key) for key in ("fixed", "title", "url")}
        severity = min((finding.severity for finding in found), key=SEVERITIES.index)
        exploited = min((catalog.kev[i] for i in {id_, *cves} if i in (catalog.kev or {})), default=None)
        row |= {"id": id_, "pkg": pkg, "installed": installed, "severity": severity, "exploited": exploited}
        reason = agreed(reasons) if all(reasons) else None
        made.append(Record(**row, ids={id_: None} | dict.fromkeys(sorted(cves), id_), reason=reason))
    return sorted(made, key=row_order)


def row_order(row: Any) -> tuple[Any, ...]:
    cve = re.fullmatch(r"CVE-(\d+)-(\d+)", row.id)
    number = (0, int(cve[1]), int(cve[2])) if cve else (1, 0, 0)
    return (
        SEVERITIES.index(row.severity),
        *number,
        row.id,
        getattr(row, "pkg", ""),
        getattr(row, "installed", ""),
    )


def grade(open_rows: list[Record], release: Record, catalog: Record) -> tuple[str | None, float | None]:
    fixable = any(row.fixed for row in open_rows)
    band = (
        BANDS.get(open_rows[0].severity, ("B", 80, 94) if fixable else ("A", 95, 99))
        if open_rows
        else ("A+", 100, 100)
    )
    letter, low, high = band
    load = sum(Fraction(WEIGHTS[row.severity], 1 if row.fixed else 2) for row in open_rows)
    score = low + Fraction((high - low) * 20) / (20 + load)
    partial = (
        len(release.digests) > release.digests_scanned
        and len(release.digests) > 1
        and "partial" not in catalog.accept
    )
    blind = letter in ("A+", "A") and any(scan.ended or scan.narrowed for scan in release.counting)
    return (None, None) if partial or blind else (letter, int(score * 10) / 10)


def assess(release: Record, catalog: Record) -> None:
    """Everything that is published about a release."""
    release.counting = counting(release, catalog.scanners, catalog.now)
    named = set().union(*(scan.digests for scan in release.counting)) & set(release.digests)
    only = (
        release.counting and len(release.digests) == 1 and not all(scan.digests for scan in release.counting)
    )
    release.digests_scanned = 1 if only else len(named)
    release.rows = rows(release, catalog)
    release.open = [row for row in release.rows if not row.reason]
    exploited = None if catalog.kev is None else sum(bool(row.exploited) for row in release.open)
    severities = [row.severity for row in release.open]
    counts = {severity.lower(): severities.count(severity) for severity in SEVERITIES}
    counts |= {"total": len(release.open), "fixable": sum(bool(row.fixed) for row in release.open)}
    counts |= {"suppressed": len(release.rows) - len(release.open), "exploited": exploited}
    letter, score = grade(release.open, release, catalog)
    times = [scan.time for scan in release.counting]
    oldest = min(times) if times and None not in times else None
    release.time = oldest and datetime.fromtimestamp(int(oldest), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    release.counts = counts | {"grade": letter, "score": score}
    release.figures = release.counts if release.counting else dict.fromkeys(release.counts)
    release.detail = f"{catalog.base}/security/{release.slug}.json"
    release.href = f"{catalog.base}/security/{release.slug}/{release.version}.json"


def sums(counted: list[Record], catalog: Record) -> dict[str, Any]:
    total = {key: sum(release.counts[key] for release in counted) for key in COUNTS}
    exploited = None if catalog.kev is None else sum(release.counts["exploited"] for release in counted)
    exploited = exploited if counted else ANY
    by_severity = {severity.lower(): total[severity.lower()] for severity in SEVERITIES}
    return {
        "total": total["total"],
        "bySeverity": by_severity,
        "fixable": total["fixable"],
        "exploited": exploited,
    }


def pinned(chart: Any, releases: list[Record], scans: list[Record], catalog: Record) -> list[Any]:
    """The release that has a pin's digest, else its tag; one of its own for what is on no page."""
    found = []
    for entry in chart.get("images", []):
        pin = {"image": entry} if isinstance(entry, str) else entry
        repository, tag, digest = reference(pin["image"])
        digest = pin.get("digest", digest)
        fits = [r for r in releases if (digest in r.digests if digest else (repository, tag) in r.tags)]
        outside = Record(
            slug="", image=repository, version=tag, labels=[tag], digests=[digest] if digest else []
        )
        outside = Record(
            **vars(outside), tags=set() if digest else {(repository, tag)}, paths=set(), scans=[]
        )
        if not fits:
            join(scans, [outside])
            assess(outside, catalog)
        release = (fits or [outside])[0]
        found.append(((digest and [digest] or release.digests or [f"{repository}:{tag}"])[0], release))
    return found


def summary(images: list[Any], pins: list[Any], catalog: Record) -> dict[str, Any]:
    counted = {page["slug"]: versions[:1] for page, versions in images if page["lifecycle"] != "planned"}
    scanned = [release for versions in counted.values() for release in versions if release.counting]
    supported = [release for release in scanned if release.page["lifecycle"] == "available"]
    available = sum(page["lifecycle"] == "available" for page, _ in images)
    distinct = dict(pins).values()
    times = [release.time for release in scanned]
    pins_scanned = [release for release in distinct if release.counting]
    sum_of_pins = sums(pins_scanned, catalog)
    return sums(scanned, catalog) | {
        "imagesWithCves": sum(bool(release.open) for release in scanned),
        "images": {r.slug: r.counts | {"version": r.version, "href": r.detail} for r in scanned},
        "scanned": len(scanned),
        "unscanned": sorted(counted.keys() - {release.slug for release in scanned}),
        "suppressed": sum(release.counts["suppressed"] for release in scanned),
        "unique": len({row.id for release in scanned for row in release.open}),
        "oldestScan": ANY if None in times else min(times, default=None),
        "newestScan": ANY if None in times else max(times, default=None),
        "pinned": {key: sum_of_pins[key] for key in ("total", "bySeverity")}
        | {"releases": len(distinct), "unscanned": len(distinct) - len(pins_scanned)},
        "supported": sums(supported, catalog) | {"images": available, "scanned": len(supported)},
    }


def cve_documents(releases: list[Record], charts: dict[str, list[Any]], catalog: Record) -> dict[str, Any]:
    """Who has each id, also those that a row has only as aliases."""
    found = defaultdict(list)
    outside = [pin for pins in charts.values() for _, pin in pins if not pin.slug]
    for release in [*releases, *outside]:
        for row in release.rows if release.slug else release.open:
            for id_, reported_as in row.ids.items():
                found[id_].append((release, row, reported_as))
    index, documents = [], {}
    for id_, uses in found.items():
        worst = min((row.severity for _, row, _ in uses), key=SEVERITIES.index)
        title, url = agreed([(row.title, row.url) for _, row, _ in uses])
        listed = [use for use in uses if use[0].slug]
        still = [use for use in listed if not use[1].reason]
        affected = sorted(
            slug
            for slug, pins in charts.items()
            if any(id_ in row.ids for _, pin in pins for row in pin.open)
        )
        dates = [
            (catalog.kev or {}).get(id_) if reported_as else row.exploited for _, row, reported_as in uses
        ]
        exploited = min((date for date in dates if date), default=None)
        safe = re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]{0,99}", id_)
        shared = {"id": id_, "severity": worst, "title": title, "url": url}
        index.append(
            shared
            | {
                "images": len({release.slug for release, *_ in still}),
                "releases": len({release.href for release, *_ in still}),
                "latest": len({release.slug for release, *_ in still if release.is_latest}),
                "suppressed": len({release.href for release, row, _ in listed if row.reason}),
                "fixable": sum(bool(row.fixed) for _, row, _ in still),
                "charts": len(affected),
                "exploited": exploited,
                "href": f"{catalog.base}/cves/{id_}.json" if safe else None,
            }
        )
        places = [
            [affected_release(*use) for use in listed if bool(use[1].reason) == hidden]
            for hidden in (False, True)
        ]
        links = [{"slug": slug, "href": f"{catalog.base}/charts/{slug}/index.json"} for slug in affected]
        if safe:
            documents[f"cves/{id_}.json"] = (
                {"apiVersion": "v1", "resource": "cves"}
                | shared
                | {"total": len(places[0]), "data": places[0], "suppressed": places[1], "charts": links}
                | {"exploited": exploited}
            )
    index.sort(key=lambda entry: row_order(Record(**entry)))
    documents["cves/index.json"] = {
        "apiVersion": "v1",
        "resource": "cves",
        "total": len(index),
        "data": index,
    }
    return documents


def affected_release(release: Record, row: Record, reported_as: str | None) -> dict[str, Any]:
    entry = {"slug": release.slug, "version": release.version, "isLatest": release.is_latest}
    entry |= {
        "lifecycle": release.page["lifecycle"],
        "digest": (release.digests or [None])[0],
        "reportedAs": reported_as,
    }
    entry |= {key: getattr(row, key) for key in ("pkg", "installed", "fixed")} | {"href": release.href}
    return entry | dict(zip(("status", "justification", "statement"), row.reason or (), strict=False))


def digest_documents(images: list[Any], catalog: Record) -> dict[str, Any]:
    documents: dict[str, Any] = {}
    for page, versions in images:
        for digest in dict.fromkeys(digest for release in versions for digest in release.digests):
            having = [release for release in versions if digest in release.digests]
            first, entry = having[0], having[0].entry
            complete = first.digests_scanned == len(first.digests)
            ended = any(scan.ended for scan in first.counting) or (ANY if first.counting else None)
            about = {"scanned": bool(first.counting), "version": first.version, "href": first.detail}
            about |= first.figures | {"scannedAt": first.time, "complete": complete, "osEndOfLife": ended}
            own = {key: entry.get(key) for key in ("released", "endOfLife", "sbom", "provenance")}
            own |= {key: page[key] for key in ("slug", "name", "lifecycle")} | {"image": first.shown_image}
            own |= {
                "version": first.version,
                "versions": [release.version for release in having],
                "href": first.href,
            }
            own |= {"latest": versions[0].version, "isLatest": first.is_latest, "security": about}
            path = f"digests/{digest.replace(':', '/')}.json"
            head = {"apiVersion": "v1", "resource": "digests", "digest": digest, "total": 0, "data": []}
            documents.setdefault(path, head)["data"].append(own)
            documents[path]["total"] += 1
    return documents


def expected(folder: Path, today: str) -> dict[str, Any]:
    """The documents of a site's folder on a day."""
    given, now = settings(folder), instant(today)
    assert now is not None
    catalog = Record(**vars(given), now=now, statements=statements(folder / "vex", now))
    images = sorted(
        ((page, releases(page, given.registry)) for page in pages(folder, "images")),
        key=lambda i: i[0]["slug"],
    )
    listed, scans = [release for _, versions in images for release in versions], reports(folder / "scans")
    join(scans, listed)
    for release in listed:
        assess(release, catalog)
    charts = {page["slug"]: pinned(page, listed, scans, catalog) for page in pages(folder, "charts")}
    entries = [
        {key: release.page[key] for key in ("slug", "name")}
        | {
            "image": release.shown_image,
            "version": release.version,
            "scannedAt": release.time,
            "href": release.detail,
        }
        | {key: value for key, value in release.counts.items() if key != "suppressed"}
        for page, versions in images
        for release in versions[:1]
        if release.counting and page["lifecycle"] != "planned"
    ]
    head = {"apiVersion": "v1", "resource": "security"}
    return {
        "security.json": head | summary(images, [pin for pins in charts.values() for pin in pins], catalog),
        "security/index.json": head | {"total": len(entries), "data": entries},
        **cve_documents(listed, charts, catalog),
        **digest_documents(images, catalog),
    }
