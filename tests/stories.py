"""Stories of a history: the days of an image in a line of text, recorded from builds of one catalog."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .contract import history
from .contract.api import Api
from .past import Past
from .sites import REGISTRY, SiteFolder, digest, grype, match, not_affected, openvex, row, trivy

_PAGE = re.compile(r"(?:(?P<place>\w+)> )?(?:\{(?P<line>.*)\} )?(?P<versions>.*)")
_VERSION = re.compile(
    r"(?:(?P<label>\S+)=)?(?P<unlisted>-?)(?P<builds>[\w+]*)(?:<(?P<parts>.*)>)?:(?P<reports>.*)"
)
_REPORT = re.compile(r"(?P<rows>[^(]*)(?:\((?P<facts>.*)\))?")
_ROW = re.compile(r"~(?P<hidden>\d)|(?P<id>\d)(?:!(?P<severity>\w+))?(?:@(?P<pkg>\w+))?")


class Story(NamedTuple):
    """An image's days from 1 November on, and what is published of them in the end.

    A day has `version=build: ids` of each version, with semicolons between. The version may be left out: 1.0.

    - Days are separated by |. `.` is a day like the one before, and – one without the page.
    - `1!LOW@curl` has a severity and a package, else HIGH and openssl. A statement hides `~1`.
    - `?`: not scanned. In brackets: what a report shows of itself.
    - A build `a+b` has two digests, with a report of each: `a+b: 1 / ?`. Only reports know that of `-a`.
    - `a<amd64 arm64>` has platforms, and `a<amd64=x>` a manifest.
    - `web>`: the slug is another. In braces: a line of the page.
    """

    days: str
    events: str
    """What happened to vulnerabilities on each day."""
    ends: str
    """Each vulnerability of a package: first day–day of the fix, reason and version; * if it may be older."""
    fixes: str | None = None
    """The same of each id, with its worst severity, in `fixes.json`; None: no other text."""
    kinds: str | None = None
    """The kinds of all other events from the second day on, if they matter."""
    figures: str | None = None
    """Day: open and suppressed vulnerabilities, on each day on which a figure changed, if they matter."""
    digests: str | None = None
    """Version, build, first and last day, if they matter."""


class Told:
    """The catalog of some stories, recorded day by day, and what it publishes in the end."""

    def __init__(self, site: SiteFolder, stories: Mapping[str, Story]) -> None:
        self._site, self._slugs = site, {name: f"story-{number}" for number, name in enumerate(stories)}
        texts = {self._slugs[name]: story.days.split(" | ") for name, story in stories.items()}
        self._days = [_date(day) for day in range(1, max(map(len, texts.values())) + 1)]
        recorded = [self._record(date, texts) for date in self._days]
        self._result = site.build()
        assert not self._result.failed, self._result.logged()
        api = Api(site.folder / "site", "/catalog")
        history.check(api)
        assert api.violations == []
        self._events = [self._result.json(f"changes/{date}.json")["data"] for date in self._days]
        assert self._events == recorded
        assert "CAT050" not in self._result.codes, "every event fits"

    def _record(self, date: str, texts: Mapping[str, list[str]]) -> list[dict[str, Any]]:
        """Write all images as they are on a day, and record it; return its events."""
        for folder in ("docs", "scans", "vex"):
            shutil.rmtree(self._site.folder / folder, ignore_errors=True)
        self._site.write("docs/index.md", "# Home")
        statements: list[object] = []
        for slug, days in texts.items():
            *_, text = (text for text in days[: self._days.index(date) + 1] if text != ".")
            statements += [] if text == "–" else self._write(slug, text)
        if statements:
            self._site.write("vex/a.json", json.dumps(openvex(*statements)).encode())
        return Past(self._site).day(date)

    def _write(self, slug: str, text: str) -> Iterator[object]:
        """Write the page and the reports of an image; yield its statements."""
        page = _groups(_PAGE, text)
        name = f"{slug}-{page['place']}" if page["place"] else slug
        versions = []
        for part in page["versions"].split("; "):
            given = _groups(_VERSION, part)
            label, parts = given["label"] or "1.0", (given["parts"] or "").split()
            builds = [build and _digest(slug, build) for build in given["builds"].split("+")]
            manifests = {f"linux/{each[:5]}": _digest(slug, each[6:]) for each in parts if "=" in each}
            version = {"platforms": [f"linux/{each[:5]}" for each in parts], "manifests": manifests}
            version |= {} if given["unlisted"] else {"digest": builds}
            versions.append({"version": label} | version)
            for of, text in zip(builds, given["reports"].split("/"), strict=True):
                report = _groups(_REPORT, text)
                facts = dict(fact.partition(" ")[::2] for fact in (report["facts"] or "").split(", "))
                also = [_digest(slug, facts["also"])] if "also" in facts else []
                names = [f"{REGISTRY}/{name}@{each}" for each in (of, *also) if each]
                rows = [_groups(_ROW, word) for word in report["rows"].split() if word != "?"]
                yield from (
                    not_affected(
                        _id(each["hidden"]), {"@id": f"pkg:oci/{name}?repository_url={REGISTRY}/{name}"}
                    )
                    for each in rows
                    if each["hidden"]
                )
                found = [each for each in rows if each["id"]]
                if "?" not in text:
                    path = f"{name}/{label}{f'-{of[-9:]}' if len(builds) > 1 else ''}.json"
                    self._site.report(path, _report(f"{REGISTRY}/{name}:{label}", names, found, facts))
        self._site.image(name, f"{page['line'] or ''}\nversions: {json.dumps(versions)}")

    def story(self, name: str, told: Story) -> Story:
        """What is published of a story, with the same columns."""
        slug = self._slugs[name]
        events = [[event for event in day if event["slug"] in (slug, f"{slug}-web")] for day in self._events]
        histories = [
            (place, self._result.json(path))
            for place, path in (("", f"history/{slug}.json"), ("web> ", f"history/{slug}-web.json"))
            if (self._result.api / path).exists()
        ]
        ends = [
            f"{place}{_name(entry['id'], entry['pkg'])} {_end(entry, baseline=entry['baseline'])}"
            for place, document in histories
            for entry in document["vulnerabilities"]
        ]
        fixes = [
            f"{place}{_name(entry['id'], severity=entry['severity'])} {_end(entry)}"
            for place, document in histories
            for entry in self._result.json("fixes.json")["data"]
            if entry["slug"] == document["slug"]
        ]
        figures = [
            f"{place}{_day(entry['date'])}: {entry['total'] if entry['scanned'] else '?'}"
            + (f" ~{entry['suppressed']}" if entry["suppressed"] else "")
            for place, document in histories
            for entry in document["figures"]
        ]
        builds = {_digest(slug, build): build for build in "abcdefxy"}
        digests = [
            f"{entry['version']}={builds[entry['digest']]} {_day(entry['from'])}–{_day(entry['until'])}"
            for _, document in histories
            for entry in document["digests"]
        ]
        return Story(
            told.days,
            _by_day(", ".join(_event(event) for event in day if "pkg" in event) for day in events),
            ", ".join(ends),
            fixes=None if fixes == ends else ", ".join(fixes),
            kinds=None
            if told.kinds is None
            else _by_day(" ".join(each["kind"] for each in day if "pkg" not in each) for day in events[1:]),
            figures=told.figures and ", ".join(figures),
            digests=told.digests and ", ".join(digests),
        )


def _groups(pattern: re.Pattern[str], text: str) -> dict[str, str]:
    match = pattern.fullmatch(text.strip())
    assert match, text
    return match.groupdict()


def _date(day: int) -> str:
    return f"2026-11-{day:02}"


def _day(date: str | None) -> str:
    return date[8:].lstrip("0") if date else ""


def _by_day(texts: Iterable[str]) -> str:
    """The texts of the days, up to the last one."""
    return re.sub(" +", " ", " | ".join(texts)).rstrip(" |")


def _id(number: str) -> str:
    return f"CVE-2026-{number:0>4}"


def _digest(slug: str, build: str) -> str:
    return digest(f"{slug} {build}")


def _report(tag: str, names: list[str], rows: list[dict[str, str]], facts: Mapping[str, str]) -> Any:
    """A report that contains these digests, or the tag without one."""
    found = [(_id(each["id"]), each["severity"] or "HIGH", each["pkg"] or "openssl") for each in rows]
    if "grype" in facts:
        return grype(*[match(id_, severity, pkg=pkg) for id_, severity, pkg in found], repoDigests=names)
    report = trivy([row(id_, severity, pkg=pkg) for id_, severity, pkg in found], tag=tag, created="")
    report["Metadata"] = {"RepoTags": [] if names else [tag], "RepoDigests": names}
    if "made" in facts:
        report["CreatedAt"] = f"{_date(int(facts['made']))}T06:00:00Z"
    if "trivy" in facts:
        report["Trivy"] = {"Version": facts["trivy"]}
    if "ended" in facts:
        report["Metadata"]["OS"] = {"Family": "debian", "Name": "9", "EOSL": True}
    for architecture in {"amd64", "arm64"} & {*facts}:
        report["Metadata"]["ImageConfig"] = {"os": "linux", "architecture": architecture}
    return report


def _name(id_: str, pkg: str = "openssl", severity: str = "HIGH") -> str:
    number = id_.rpartition("-")[2].lstrip("0")
    return number + (f"!{severity}" if severity != "HIGH" else "") + (f"@{pkg}" if pkg != "openssl" else "")


def _end(entry: dict[str, Any], *, baseline: bool = False) -> str:
    """Since when a vulnerability is known, and its end."""
    first, fixed, days = _day(entry["firstSeen"]), _day(entry["fixed"]), entry["days"]
    assert days is None or days == int(fixed) - int(first)
    older = "*" if baseline or (fixed and days is None) else ""
    version = entry["fixedIn"] if entry["fixedIn"] != "1.0" else None
    return " ".join(filter(None, [f"{older}{first}–{fixed}", entry["reason"], version]))


def _event(event: dict[str, Any]) -> str:
    name, what = _name(event["id"], event["pkg"]), event["kind"].partition("-")[2]
    if what == "changed":
        return f"{name} was {event['was'] or event['from']}"
    sign = {"found": "+", "gone": "-", "suppressed": "~", "reopened": "again "}[what]
    return " ".join(filter(None, [f"{sign}{name}", event.get("reason")]))
