"""The documents of a history: what they say of each other, and that they are there together or not at all."""

import datetime
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator

from tests.contract.api import SEVERITIES, Api, Json

FIXES = ("rebuilt", "superseded")


def paths(api: Api) -> Iterator[str]:
    """The documents that a catalog with a history has beside the others."""
    if "changes.json" in api.documents or "history/index.json" in api.documents:
        yield from ("changes.json", "history/index.json")
        changes = api.documents.get("changes.json", {"data": []})
        yield from (f"changes/{day['date']}.json" for day in changes["data"])
        # Images that have left keep theirs.
        yield from (path for path in api.documents if path.startswith("history/"))


def links(api: Api) -> Json:
    """What the discovery document says of it."""
    if "changes.json" not in api.documents:
        return None
    return {"changes": api.href("changes.json"), "index": api.href("history/index.json")}


def check(api: Api) -> None:
    if "changes.json" not in api.documents:
        return
    changes, index = api.documents["changes.json"], api.documents["history/index.json"]
    days = changes["data"][::-1]
    dates = [day["date"] for day in days]
    api.expect("changes.json", "$.data[*].date", dates, sorted(set(dates)))
    api.holds("changes.json", "$", changes, total=len(days))
    api.expect("history/index.json", "$.data[*].date", [day["date"] for day in index["data"]], dates)
    api.holds("history/index.json", "$", index, total=len(days))
    api.expect("history/index.json", "$.head.date", index["head"]["date"], dates[-1])
    for position, day in enumerate(days):
        path = f"changes/{day['date']}.json"
        document = api.documents[path]
        previous = days[position - 1] if position else None
        around = {"prev": previous and previous["href"], "collection": api.href("changes.json")}
        total = sum(day["counts"].values())
        api.expect("changes.json", "$.data[*].href", day["href"], api.href(path))
        api.holds(path, "$", document, date=day["date"], links=around, counts=day["counts"], total=total)
        counted: dict[str, int] = defaultdict(int)
        for event in document["data"]:
            counted[event["kind"]] += 1
        api.expect(path, "$.counts", day["counts"], dict(sorted(counted.items())))
        before = api.documents[f"changes/{dates[position - 1]}.json"]["sha256"] if position else None
        api.expect(path, "$.previous", document["previous"], before)
        api.expect(path, "$.sha256", document["sha256"], hashlib.sha256(_file(document)).hexdigest())
        figures = document["figures"] or {"all": None, "supported": None}
        api.holds("history/index.json", f"$.data[{position}]", index["data"][position], **figures)
        for name, population in figures.items():
            if population:
                total = sum(population["bySeverity"].values())
                api.expect(path, f"$.figures.{name}.total", population["total"], total)
    last = api.documents[f"changes/{dates[-1]}.json"]["sha256"]
    api.expect("history/index.json", "$.head.sha256", index["head"]["sha256"], last)
    _index(api, index)
    for path, document in api.documents.items():
        if path.startswith("history/") and path != "history/index.json":
            _image(api, path, document, dates)


def _file(document: Json) -> bytes:
    """The file of a day, rebuilt from its document."""

    def compact(value: Json) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    names = ("date", "previous", *(["figures"] if document["figures"] else []))
    head = compact({name: document[name] for name in names}).removesuffix("}") + ',"events":['
    events = ",\n".join(map(compact, document["data"]))
    return "\n".join([head, *([events] if events else []), "]}\n"]).encode()


def _index(api: Api, index: Json) -> None:
    fixed: defaultdict[int, int] = defaultdict(int)
    last = datetime.date.fromisoformat(index["head"]["date"])
    for number, day in enumerate(index["data"]):
        where = f"$.data[{number}]"
        if number:
            counts = api.documents[f"changes/{day['date']}.json"]["counts"]
            came = counts.get("image-added", 0) - counts.get("image-removed", 0)
            before = index["data"][number - 1]["images"]
            api.expect("history/index.json", f"{where}.images", day["images"], before + came)
        api.expect("history/index.json", where, day["total"], sum(day["bySeverity"].values()))
        if not sum(day["byGrade"].values()) <= day["scanned"] <= day["images"]:
            api.blame("history/index.json", where, "more graded than scanned, or scanned than there are")
    for path, document in api.documents.items():
        if path.startswith("history/") and path != "history/index.json":
            for episode in document["vulnerabilities"]:
                if episode["fixed"] is not None and episode["days"] is not None:
                    age = last - datetime.date.fromisoformat(episode["fixed"])
                    fixed[365] += age.days < 365
                    fixed[90] += age.days < 90
    for window in (90, 365):
        # An id counts once, and the episodes count each package.
        said = sum(index["timeToFix"][word][f"days{window}"]["fixed"] for word in SEVERITIES)
        if said > fixed[window]:
            api.blame("history/index.json", "$.timeToFix", f"{said} fixes, but there are {fixed[window]}")


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
        fix = episode["reason"] in FIXES  # where the same scanner looked, and at a later version
        fixed = episode["fixed"] is not None
        if fixed != (episode["fixedIn"] is not None) or (fixed and not fix):
            api.blame(path, where, f"ended by {episode['reason']}, but is fixed on {episode['fixed']}")
            continue
        took = None
        if fixed and not episode["baseline"]:
            first, end = (datetime.date.fromisoformat(episode[key]) for key in ("firstSeen", "fixed"))
            took = (end - first).days
        api.expect(path, f"{where}.days", episode["days"], took)
        if episode["firstSeen"] not in dates or (fixed and episode["fixed"] not in dates):
            api.blame(path, where, "names a day that is not recorded")
