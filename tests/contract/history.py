"""The documents of a history: what they say of each other, and that they are there together or not at all."""

import datetime
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction

from tests.contract.api import SEVERITIES, Api, Json

FIXES = ("rebuilt", "superseded")


def paths(api: Api) -> Iterator[str]:
    """The documents that a catalog with a history has beside the others."""
    if "changes.json" in api.documents:
        yield from ("changes.json", "fixes.json")
        changes = api.documents.get("changes.json", {"data": []})
        yield from (f"changes/{day['date']}.json" for day in changes["data"])
        yield from _histories(api)


def check(api: Api) -> None:
    if "changes.json" not in api.documents:
        return
    changes = api.documents["changes.json"]
    days = changes["data"][::-1]
    dates = [day["date"] for day in days]
    api.expect("changes.json", "$.data[*].date", dates, sorted(set(dates)))
    api.holds("changes.json", "$", changes, total=len(days))
    for position, day in enumerate(days):
        path, where = f"changes/{day['date']}.json", f"$.data[{len(days) - 1 - position}]"
        document = api.documents[path]
        previous = days[position - 1] if position else None
        around = {"prev": previous and previous["href"], "collection": api.href("changes.json")}
        counts = dict(sorted(Counter(event["kind"] for event in document["data"]).items()))
        api.holds("changes.json", where, day, href=api.href(path), counts=counts)
        api.holds(path, "$", document, date=day["date"], links=around, total=len(document["data"]))
        for name in ("all", "available"):
            population = day[name]
            total = sum(population["bySeverity"].values())
            api.expect("changes.json", f"{where}.{name}.total", population["total"], total)
            if population["fixable"] > total or population["imagesScanned"] > population["images"]:
                api.blame("changes.json", f"{where}.{name}", "counts a part as more than the whole")
            if population["images"] > day["all"]["images"] or total > day["all"]["total"]:
                api.blame("changes.json", f"{where}.{name}", "is more than all")
    _fixes(api, dates[-1])
    _scans(api, dates)
    digests = _digests(api, dates)
    for path, document in _histories(api).items():
        _image(api, path, document, dates)
        api.expect(path, "$.digests", document["digests"], digests.get(document["slug"], []))


def _histories(api: Api) -> dict[str, Json]:
    """Path → the history of an image, also of one that has left."""
    return {path: document for path, document in api.documents.items() if path.startswith("history/")}


def _days(first: str, last: str) -> int:
    return (datetime.date.fromisoformat(last) - datetime.date.fromisoformat(first)).days


def _fixes(api: Api, last: str) -> None:
    path, document = "fixes.json", api.documents["fixes.json"]
    data = document["data"]
    api.holds(path, "$", document, total=len(data))
    keys = [(entry["slug"], entry["id"], entry["firstSeen"]) for entry in data]
    api.expect(path, "$.data", [*map(list, keys)], [*map(list, sorted(set(keys)))])
    episodes: defaultdict[tuple[str, str, str], list[Json]] = defaultdict(list)
    for image in _histories(api).values():
        for episode in image["vulnerabilities"]:
            episodes[image["slug"], episode["id"], episode["firstSeen"]].append(episode)
    severities = {key: {entry["severity"] for entry in entries} for key, entries in episodes.items()}
    urgent = {key for key, words in severities.items() if words & {"CRITICAL", "HIGH"}}
    for key in sorted(urgent.difference(keys)):
        api.blame(path, "$.data", f"has no entry for {' '.join(key)}")
    for number, (key, entry) in enumerate(zip(keys, data, strict=True)):
        _fix(api, f"$.data[{number}]", entry, episodes.get(key, []))
    for severity in ("critical", "high"):
        entries = [entry for entry in data if entry["severity"] == severity.upper()]
        took = [entry["days"] for entry in entries if entry["days"] is not None]
        shares: Json = {"fixed": len(took)}
        for limit in (7, 30, 90):
            timely = sum(days <= limit for days in took)
            share = math.floor(Fraction(timely * 1000, len(took))) / 1000 if took else None
            shares[f"days{limit}"] = int(share) if share in (0, 1) else share
        api.expect(path, f"$.within.{severity}", document["within"][severity], shares)
        ages = [_days(entry["firstSeen"], last) for entry in entries if entry["reason"] is None]
        api.expect(path, f"$.open.{severity}", document["open"][severity], sorted(ages, reverse=True))
        ends = [_days(entry["fixed"], last) for entry in entries if entry["days"] is not None]
        for window in (90, 365):
            times, fixed = document["timeToFix"][severity][f"days{window}"], sum(end < window for end in ends)
            api.expect(path, f"$.timeToFix.{severity}.days{window}.fixed", times["fixed"], fixed)


def _fix(api: Api, where: str, entry: Json, episodes: list[Json]) -> None:
    """An entry of `fixes.json`, and what the image's history has of the same id since the same day."""
    path = "fixes.json"
    if entry["severity"] not in ("CRITICAL", "HIGH") or not episodes:
        api.blame(path, where, "is neither critical nor high, or not in the history of its image")
        return
    lasting = any(episode["reason"] is None for episode in episodes)
    api.expect(path, where, entry["reason"] is None, lasting)
    _ended(api, path, where, entry, from_baseline=any(episode["baseline"] for episode in episodes))
    ends = [(episode["fixed"], episode["fixedIn"], episode["reason"]) for episode in episodes]
    if entry["fixed"] and (entry["fixed"], entry["fixedIn"], entry["reason"]) not in ends:
        api.blame(path, where, "names a fix that is not in the history of its image")


def _ended(api: Api, path: str, where: str, entry: Json, *, from_baseline: bool) -> None:
    """A fix has a day and a version; it took no days of what may be older than the first day recorded."""
    fixed = entry["fixed"]
    if (fixed is None) != (entry["fixedIn"] is None) or (fixed and entry["reason"] not in FIXES):
        api.blame(path, where, f"ended by {entry['reason']}, but is fixed on {fixed}")
        return
    took = None if fixed is None or from_baseline else _days(entry["firstSeen"], fixed)
    api.expect(path, f"{where}.days", entry["days"], took)


def _scans(api: Api, dates: list[str]) -> None:
    """Where a vulnerability was seen, and that a scan of a fix has looked there since."""
    fixed = {
        (document["slug"], episode["id"], episode["pkg"], episode["fixed"]): episode["firstSeen"]
        for document in _histories(api).values()
        for episode in document["vulnerabilities"]
    }
    latest: dict[str, list[Json]] = {}
    made: dict[tuple[str, str], str] = {}
    seen: dict[tuple[str, str, str], list[Json]] = {}
    for date in dates:
        path = f"changes/{date}.json"
        for number, event in enumerate(api.documents[path]["data"]):
            kind, slug, where = event["kind"], event["slug"], f"$.data[{number}]"
            vulnerability = slug, event.get("id"), event.get("pkg")
            if kind == "scan-changed":
                latest[slug] = event["scans"] or []
                for scan in latest[slug]:
                    made.setdefault((slug, str(scan)), (scan["scannedAt"] or date)[:10])
                if event["scans"] is not None:
                    digests = {digest for scan in latest[slug] for digest in scan["digests"]}
                    api.expect(path, f"{where}.digests", sorted(event["digests"]), sorted(digests))
            elif kind == "vulnerability-found":
                places, scans = event["seen"] or [], latest.get(slug, [])
                if places != sorted({*places}) or not all(place < len(scans) for place in places):
                    api.blame(path, f"{where}.seen", "names a scan that does not count")
                    continue
                seen[vulnerability] = [scans[place] for place in places]
            elif kind == "vulnerability-changed" and event["was"]:
                seen.pop((slug, event["id"], event["was"]), None)
            elif kind == "vulnerability-gone":
                first = fixed.get((*vulnerability, date))
                for scan in seen.pop(vulnerability, []):
                    fresh = [each for each in latest[slug] if first and made[slug, str(each)] >= first]
                    if first and not any(_looked(each, scan) for each in fresh):
                        api.blame(path, where, "is a fix, but no scan has looked where it was seen")


def _looked(now: Json, before: Json) -> bool:
    names = [[word for word in scan["scanner"].split() if not word[0].isdigit()] for scan in (now, before)]
    part = now["platform"] in (None, before["platform"]) and now["platform"] != "unknown"
    return part and names[0] == names[1] and {*now["limits"]} <= {*before["limits"]}


def _digests(api: Api, dates: list[str]) -> dict[str, list[Json]]:
    """Slug → the digests that its image had and has, from the events."""
    pages: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
    scans: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
    latest: dict[str, Json] = {}
    entries: defaultdict[str, list[Json]] = defaultdict(list)
    for date in dates:
        changed = set()
        for event in api.documents[f"changes/{date}.json"]["data"]:
            kind, slug, version = event["kind"], event["slug"], event.get("version")
            changed.add(slug)
            if kind == "image-removed":
                pages.pop(slug, None), scans.pop(slug, None), latest.pop(slug, None)
            elif kind == "release-removed":
                pages[slug].pop(version), scans[slug].pop(version, None)
            elif kind in ("release-added", "release-rebuilt"):
                pages[slug][version] = event["digests" if kind == "release-added" else "to"]
                scans[slug].pop(version, None)
            elif kind == "scan-changed":
                latest[slug] = event
        for slug in changed:
            scan = latest.get(slug)
            if scan and scan["scanned"]:
                scans[slug][scan["version"]] = scan["digests"]
            known = [*pages[slug].items(), *scans[slug].items()]
            now = {(version, digest) for version, digests in known for digest in digests}
            for entry in entries[slug]:
                if entry["until"] is None and (entry["version"], entry["digest"]) not in now:
                    entry["until"] = date
            had = {(entry["version"], entry["digest"]) for entry in entries[slug] if entry["until"] is None}
            for version, digest in sorted(now - had):
                entries[slug].append({"digest": digest, "version": version, "from": date, "until": None})
    return entries


def _image(api: Api, path: str, document: Json, dates: list[str]) -> None:
    slug = path.removeprefix("history/").removesuffix(".json")
    api.holds(path, "$", document, slug=slug)
    days = [entry["date"] for entry in document["figures"]]
    api.expect(path, "$.figures[*].date", days, sorted({*days} & {*dates}))
    for number, entry in enumerate(document["figures"]):
        where = f"$.figures[{number}]"
        known = {name: entry[name] for name in (*SEVERITIES, "total", "suppressed")}
        if not entry["scanned"]:
            api.holds(path, where, entry, **dict.fromkeys(known), grade=None)
        elif None in known.values():
            api.blame(path, where, "is scanned, but has null for what was found")
        else:
            api.holds(path, where, entry, total=sum(known[word] for word in SEVERITIES))
    for number, episode in enumerate(document["vulnerabilities"]):
        where = f"$.vulnerabilities[{number}]"
        _ended(api, path, where, episode, from_baseline=episode["baseline"])
        if not {episode["firstSeen"], episode["fixed"] or dates[0]} <= {*dates}:
            api.blame(path, where, "names a day that is not recorded")
