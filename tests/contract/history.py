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
    lasting, digests = _open(api, dates), _digests(api, dates)
    for path, document in _histories(api).items():
        _image(api, path, document, dates)
        slug, episodes = document["slug"], document["vulnerabilities"]
        now = {(episode["id"], episode["pkg"]) for episode in episodes if episode["reason"] is None}
        api.expect(path, "$.vulnerabilities", sorted(map(list, now)), sorted(map(list, lasting[slug])))
        api.expect(path, "$.digests", document["digests"], digests.get(slug, []))


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
    episodes: defaultdict[tuple[str, str], list[Json]] = defaultdict(list)
    for image in _histories(api).values():
        for episode in image["vulnerabilities"]:
            episodes[image["slug"], episode["firstSeen"]].append(episode)
    open_: dict[str, list[int]] = {"critical": [], "high": []}
    every = (episode for since in episodes.values() for episode in since if episode["reason"] is None)
    old = {_days(episode["firstSeen"], last) for episode in every if episode["baseline"]}
    for number, entry in enumerate(data):
        since = episodes[entry["slug"], entry["firstSeen"]]
        _fix(api, f"$.data[{number}]", entry, [episode for episode in since if _same(episode, entry)])
        if entry["reason"] is None:
            open_[entry["severity"].lower()].append(_days(entry["firstSeen"], last))
    for (slug, first), since in episodes.items():
        entries = [entry for entry in data if (entry["slug"], entry["firstSeen"]) == (slug, first)]
        for episode in since:
            known = episode["severity"] in ("CRITICAL", "HIGH") and not episode["baseline"]
            if known and not any(_same(episode, entry) for entry in entries):
                api.blame(path, "$.data", f"has no entry for {slug} {episode['id']} {first}")
    for severity in ("critical", "high"):
        entries = [entry for entry in data if entry["severity"] == severity.upper()]
        took = [entry["days"] for entry in entries if entry["days"] is not None]
        shares: Json = {"count": len(took)}
        for limit in (7, 30, 90):
            timely = sum(days <= limit for days in took)
            share = math.floor(Fraction(timely * 1000, len(took))) / 1000 if took else None
            shares[f"days{limit}"] = int(share) if share in (0, 1) else share
        api.expect(path, f"$.within.{severity}", document["within"][severity], shares)
        ages = document["open"][severity]
        # Those of the first day have no entry.
        rest, lacking = Counter(ages) - Counter(open_[severity]), Counter(open_[severity]) - Counter(ages)
        if ages != sorted(ages, reverse=True) or lacking or not {*rest} <= old:
            api.blame(path, f"$.open.{severity}", f"is {ages}, which is not of {open_[severity]}")
        ends = [_days(entry["fixedOn"], last) for entry in entries if entry["days"] is not None]
        for period in (90, 365):
            times, fixed = document["timeToFix"][severity][f"days{period}"], sum(end < period for end in ends)
            api.expect(path, f"$.timeToFix.{severity}.days{period}.count", times["count"], fixed)


def _same(one: Json, other: Json) -> bool:
    return bool({one["id"], *one["aliases"]} & {other["id"], *other["aliases"]})


def _fix(api: Api, where: str, entry: Json, episodes: list[Json]) -> None:
    """An entry of `fixes.json`, and what the image's history has of the same vulnerability since that day."""
    path = "fixes.json"
    if entry["severity"] not in ("CRITICAL", "HIGH") or any(episode["baseline"] for episode in episodes):
        api.blame(path, where, "is neither critical nor high, or of the first day")
    _ended(api, path, where, entry, from_baseline=False)
    # A renamed image has no episode yet while it is not scanned.
    if episodes:
        lasting = any(episode["reason"] is None for episode in episodes)
        api.expect(path, where, entry["reason"] is None, lasting)
    ends = [(episode["fixedOn"], episode["fixedIn"], episode["reason"]) for episode in episodes]
    if entry["fixedOn"] and episodes and (entry["fixedOn"], entry["fixedIn"], entry["reason"]) not in ends:
        api.blame(path, where, "names a fix that is not in the history of its image")


def _ended(api: Api, path: str, where: str, entry: Json, *, from_baseline: bool) -> None:
    """A fix has a day and a version; it took no days of what may be older than the first day recorded."""
    fixed = entry["fixedOn"]
    if (fixed is None) != (entry["fixedIn"] is None) or (fixed and entry["reason"] not in FIXES):
        api.blame(path, where, f"ended by {entry['reason']}, but is fixed on {fixed}")
        return
    took = None if fixed is None or from_baseline else _days(entry["firstSeen"], fixed)
    api.expect(path, f"{where}.days", entry["days"], took)


def _open(api: Api, dates: list[str]) -> defaultdict[str, set[tuple[str, str]]]:
    """Slug → id and package of what is open, from the events; an id may have become another one since."""
    lasting: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    now = {
        (document["slug"], name, episode["pkg"]): episode["id"]
        for document in _histories(api).values()
        for episode in document["vulnerabilities"]
        if episode["reason"] is None
        for name in (episode["id"], *episode["aliases"])
    }
    for date in dates:
        path = f"changes/{date}.json"
        for number, event in enumerate(api.documents[path]["data"]):
            if "pkg" not in event:
                continue
            slug, what = event["slug"], event["kind"].partition("-")[2]
            id_ = now.get((slug, event["id"], event["pkg"]), event["id"])
            key = id_, event["pkg"]
            if what in ("found", "reopened"):
                if key in lasting[slug]:
                    api.blame(path, f"$.data[{number}]", "is already open")
                lasting[slug].add(key)
            elif what in ("gone", "suppressed"):
                lasting[slug].discard(key)
    return lasting


def _digests(api: Api, dates: list[str]) -> dict[str, list[Json]]:
    """Slug → the digests that its versions had and have, from the events, within their bounds."""
    pages: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
    entries: defaultdict[str, dict[tuple[str, str], Json]] = defaultdict(dict)
    for date in dates:
        changed = []
        for event in api.documents[f"changes/{date}.json"]["data"]:
            kind, slug, version = event["kind"], event["slug"], event.get("version")
            changed.append(slug)
            if kind == "image-removed":
                pages[slug] = {}
            elif kind == "release-removed":
                pages[slug].pop(version)
            elif kind in ("release-added", "release-rebuilt"):
                pages[slug][version] = event["digests" if kind == "release-added" else "to"]
        for slug in dict.fromkeys(changed):
            now = {(version, digest) for version, digests in pages[slug].items() for digest in digests}
            for key in entries[slug].keys() - now:
                entries[slug][key]["until"] = entries[slug][key]["until"] or date
            for version, digest in now:
                entry = {"digest": digest, "version": version, "from": date}
                entries[slug].setdefault((version, digest), entry)["until"] = None
    return {slug: [*_bounded([*known.values()], dates[-1])] for slug, known in entries.items()}


def _bounded(entries: list[Json], last: str) -> Iterator[Json]:
    """Of each version the 20 that ended last, within a year."""
    entries.sort(key=lambda entry: entry["until"] or "9999", reverse=True)
    for entry in sorted(entries, key=lambda entry: (entry["from"], entry["version"], entry["digest"])):
        ended = [other for other in entries if other["until"] and other["version"] == entry["version"]]
        if not entry["until"] or (_days(entry["until"], last) <= 365 and ended.index(entry) < 20):
            yield entry


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
        if not {episode["firstSeen"], episode["fixedOn"] or dates[0]} <= {*dates}:
            api.blame(path, where, "names a day that is not recorded")
