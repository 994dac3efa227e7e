"""What a history says after several days: the days of an image in a line of text, recorded from builds."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest

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
    - A build `a+b` has two digests, with a report of each: `a+b: 1 / ?`, and `a+a` one with two reports. Only
      reports know that of `-a`.
    - `a<amd64 arm64>` has platforms, and `a<amd64=x>` a manifest.
    - `web>`: the slug is another. In braces: a line of the page.
    """

    days: str
    events: str
    """What happened to vulnerabilities on each day."""
    ends: str
    """Each vulnerability of a package: first day–day of the fix, reason and version; * if it may be older."""
    kinds: str | None = None
    """The kinds of all other events from the second day on, if they matter."""
    figures: str | None = None
    """Day: open and suppressed vulnerabilities, on each day on which a figure changed, if they matter."""


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
            version |= {} if given["unlisted"] else {"digest": [*dict.fromkeys(builds)]}
            versions.append({"version": label} | version)
            for number, (of, text) in enumerate(zip(builds, given["reports"].split("/"), strict=True)):
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
                    path = f"{name}/{label}{f'-{number}' if len(builds) > 1 else ''}.json"
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
            f"{place}{_name(entry['id'], entry['pkg'])} {_end(entry)}"
            for place, document in histories
            for entry in document["vulnerabilities"]
        ]
        figures = [
            f"{place}{_day(entry['date'])}: {entry['total'] if entry['scanned'] else '?'}"
            + (f" ~{entry['suppressed']}" if entry["suppressed"] else "")
            for place, document in histories
            for entry in document["figures"]
        ]
        return Story(
            told.days,
            _by_day(", ".join(_event(event) for event in day if "pkg" in event) for day in events),
            ", ".join(ends),
            kinds=None
            if told.kinds is None
            else _by_day(" ".join(each["kind"] for each in day if "pkg" not in each) for day in events[1:]),
            figures=told.figures and ", ".join(figures),
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
    if "ended" in facts:
        report["Metadata"]["OS"] = {"Family": "debian", "Name": "9", "EOSL": True}
    for architecture in {"amd64", "arm64"} & {*facts}:
        report["Metadata"]["ImageConfig"] = {"os": "linux", "architecture": architecture}
    return report


def _name(id_: str, pkg: str) -> str:
    return id_.rpartition("-")[2].lstrip("0") + (f"@{pkg}" if pkg != "openssl" else "")


def _end(entry: dict[str, Any]) -> str:
    """Since when a vulnerability is known, and its end."""
    time = "*" * entry["baseline"] + f"{_day(entry['firstSeen'])}–{_day(entry['fixed'])}"
    version = entry["fixedIn"] if entry["fixedIn"] != "1.0" else None
    return " ".join(filter(None, [time, entry["reason"], version]))


def _event(event: dict[str, Any]) -> str:
    name, what = _name(event["id"], event["pkg"]), event["kind"].partition("-")[2]
    if what == "changed":
        return f"{name} was {event['was'] or event['from']}"
    sign = {"found": "+", "gone": "-", "suppressed": "~", "reopened": "again "}[what]
    return " ".join(filter(None, [f"{sign}{name}", event.get("reason")]))


# The time to fix of an id is that of `test_history_rules`.
STORIES = {
    "found, then not scanned, then gone": Story(
        "a: | a: 1 | b: ? | b:", " | +1 | | -1 rebuilt", "1 2–4 rebuilt", figures="1: 0, 2: 1, 3: ?, 4: 0"),
    "without any digest nothing counts as rebuilt": Story(
        "-: | -: 1 | -:", " | +1 | -1 scanner", "1 2– scanner"),
    "a statement that is withdrawn reopens": Story(
        "a: | a: 1 | a: 1 ~1 | a: 1", " | +1 | ~1 | again 1", "1 2–, 1 2– suppressed",
        figures="1: 0, 2: 1, 3: 0 ~1, 4: 1"),
    "an end that is not a fix keeps its reason": Story(
        "a: | a: 1 2@curl 2@zlib | a: 1 2@curl ~1 | a: 1 ~1",
        " | +1, +2@curl, +2@zlib | -2@zlib scanner, ~1 | -2@curl scanner",
        "1 2– suppressed, 2@curl 2– scanner, 2@zlib 2– scanner"),
    "a new version fixes although the old one keeps it": Story(
        "a: | a: 1 | a: 1; 1.1=b:", " | +1 | -1 superseded", "1 2–3 superseded 1.1",
        kinds="grade-changed | release-added latest-changed scan-changed grade-changed"),
    "another severity": Story("a: | a: 1!LOW | a: 1!CRITICAL", " | +1 | 1 was LOW", "1 2–"),
    "renamed, withdrawn, and back again": Story(
        "a: | a: 1 | web> a: 1 | web> {lifecycle: withdrawn} a: 1 | a: 1",
        " | +1 | +1, -1 withdrawn | | +1, -1 withdrawn", "1 2–, 1 2– withdrawn, web> 1 *3– withdrawn",
        kinds="grade-changed | "
        "image-added release-added latest-changed scan-changed grade-changed image-removed | "
        "lifecycle-changed | "
        "image-added release-added latest-changed scan-changed grade-changed image-removed",
        figures="1: 0, 2: 1, 3: ?, 5: 1, web> 3: 1, web> 5: ?"),
    "what a renamed image shows has no known beginning": Story(
        "a: | a: 1 | web> a: 1 | web> a: 1 2 | web> b:",
        " | +1 | +1, -1 withdrawn | +2 | -1 rebuilt, -2 rebuilt",
        "1 2– withdrawn, web> 2 4–5 rebuilt, web> 1 *3–5 rebuilt"),
    "a renamed image that is scanned a day later has no known beginning": Story(
        "a: | a: 1 | web> a: ? | web> a: 1", " | +1 | -1 withdrawn | +1", "1 2– withdrawn, web> 1 *4–"),
    "a renamed image is known by the digests of its scans": Story(
        "-a: | -a: 1 | web> -a: 1", " | +1 | +1, -1 withdrawn", "1 2– withdrawn, web> 1 *3–"),
    "an image with digests of its own has a beginning": Story("a: | a: | web> b: 1", " | | +1", "web> 1 3–"),
    "a release is deleted, and going back to an older version fixes nothing": Story(
        "a: | a: 2; 1.1=b: 1 | a: 2", " | +1 | -1 superseded, +2", "2 3–, 1 2– superseded",
        kinds="release-added latest-changed scan-changed grade-changed | "
        "release-removed latest-changed scan-changed"),
    "the first record of an old catalog is a baseline": Story(
        "a: 1 2 ~2 | a: 1 2 3 | b:",
        "+1 baseline, ~2 baseline | again 2, +3 | -1 rebuilt, -2 rebuilt, -3 rebuilt",
        "2 *2–3 rebuilt, 3 2–3 rebuilt, 1 *1–3 rebuilt"),
    "another scanner": Story(
        "a: | a: 1@libssl3 2@zlib | a: 1 3@curl (grype) | a: 1 3@curl (grype)",
        " | +1@libssl3, +2@zlib | -2@zlib scanner, 1 was libssl3, +3@curl scanner",
        "3@curl 3–, 1 2–, 2@zlib 2– scanner"),
    "the same scanner names a package otherwise": Story(
        "a: | a: 1 | a: 1@libssl3", " | +1 | 1@libssl3 was openssl", "1@libssl3 2–"),
    "another scanner that names more packages": Story(
        "a: | a: 1 | a: 1@libcrypto3 1@libssl3 (grype)",
        " | +1 | 1@libcrypto3 was openssl, +1@libssl3 scanner", "1@libcrypto3 2–, 1@libssl3 2–"),
    "another digest of the same build in the reports": Story(
        "a: (also b) | a: 1 (also b) | b: (also a)", " | +1 | -1 scanner", "1 2– scanner"),
    "an older variant of the same release fixes nothing": Story(
        "a: | a: 1 | 1.0-alpine=b: 1 | 1.0-alpine=b: 1; 1.0=c:", " | +1 | | -1 superseded",
        "1 2– superseded"),
    "a newer version than the variant fixes": Story(
        "a: | a: 1 | 1.0-alpine=b: 1 | 1.0-alpine=b: 1; 1.1=c:", " | +1 | | -1 superseded",
        "1 2–4 superseded 1.1"),
    "a fix is taken back under another name of the package": Story(
        "a: | a: 1 | b: | b: 1@libssl3 | c:", " | +1 | -1 rebuilt | +1@libssl3 | -1@libssl3 rebuilt",
        "1@libssl3 2–5 rebuilt"),
    "an ended system fixes nothing": Story("a: | a: 1 | b: (ended)", " | +1", "1 2–"),
    "a system that has ended no longer hides nothing": Story(
        "a: (ended) | a: 1 (ended) | b:", " | +1 | -1 rebuilt", "1 2–3 rebuilt"),
    "a scan made before the vulnerability was seen fixes nothing": Story(
        "a: | a: 1 | b: (made 1)", " | +1 | -1 rebuilt", "1 2– rebuilt"),
    "a scan made on the day on which it was seen fixes": Story(
        "a: | a: 1 | b: (made 2)", " | +1 | -1 rebuilt", "1 2–3 rebuilt"),
    "a scan without a time is as old as its first record": Story(
        "a: | b: 1 | a:", " | +1 | -1 rebuilt", "1 2– rebuilt"),
    "a later scan of the same is no event": Story("a: (made 1) | a: (made 2)", "", "", kinds=""),
    "the scan of another platform fixes nothing": Story(
        "a: | a: 1 (amd64) | b: (arm64)", " | +1 | -1 rebuilt", "1 2– rebuilt"),
    "nor does it for one that appears there a day later": Story(
        "a+a: (amd64) / (arm64) | a+a: 1 (amd64) / (arm64) | a+a: 1 (amd64) / 1 (arm64) | b: (amd64)",
        " | +1 | | -1 rebuilt", "1 2– rebuilt"),
    "a platform that is no longer scanned when it is found is not asked for": Story(
        "a+a: (amd64) / (arm64) | a: 1 (amd64) | b: (amd64)", " | +1 | -1 rebuilt", "1 2–3 rebuilt"),
    "a scan that names no platform fixes": Story(
        "a: | a: 1 (amd64) | b:", " | +1 | -1 rebuilt", "1 2–3 rebuilt"),
    "a report that names no part fixes nothing where there are several": Story(
        "a<amd64 arm64>: | a<amd64 arm64>: 1 | b<amd64 arm64>:", " | +1 | -1 rebuilt", "1 2– rebuilt"),
    "the same manifest in a new index fixes nothing": Story(
        "a<amd64=x>: (amd64) | a<amd64=x>: 1 (amd64) | b<amd64=x>: (amd64)", " | +1 | -1 scanner",
        "1 2– scanner"),
    "another manifest in a new index fixes": Story(
        "a<amd64=x>: (amd64) | a<amd64=x>: 1 (amd64) | b<amd64=y>: (amd64)", " | +1 | -1 rebuilt",
        "1 2–3 rebuilt"),
    "what only an unscanned platform had is not gone": Story(
        "a+b: / | a+b: 1 / 1 2 | a+b: 1 / ? | . | a+b: 1 / 1", " | +1, +2 | | | -2 scanner",
        "1 2–, 2 2– scanner",
        kinds="grade-changed | scan-changed grade-changed | | scan-changed grade-changed",
        figures="1: 0, 2: 2, 3: 2, 5: 1"),
    "a rebuilt image fixes once each platform is scanned": Story(
        "a+b: / | a+b: 1 / 1 2 | c+d: 3 / ? | c+d: 3 / 2", " | +1, +2 | +3 | -1 rebuilt",
        "3 3–, 1 2–4 rebuilt, 2 2–"),
    "what one platform no longer reports is not fixed by scanning the other": Story(
        "a+b: / | a+b: 1 / 1 2 | c+d: 3 / ? | c+d: /",
        " | +1, +2 | +3 | -1 rebuilt, -2 rebuilt, -3 scanner", "3 3– scanner, 1 2–4 rebuilt, 2 2–4 rebuilt"),
    "a platform that stays as it was fixes nothing": Story(
        "a+b: / | a+b: 1 / 1 2 | a+c: /", " | +1, +2 | -1 scanner, -2 scanner", "1 2– scanner, 2 2– scanner"),
}  # fmt: skip
ACCEPTED = {
    "one platform is enough for who scans no other": Story(
        "a+b: / ? | c+d: 1 / ? | e+f: / ?", " | +1 | -1 rebuilt", "1 2–3 rebuilt"),
    "but not for what only an unscanned platform had": Story(
        "a+b: / | a+b: 1 / 1 2 | a+b: 1 / ? | a+b: 1 / 1", " | +1, +2 | | -2 scanner", "1 2–, 2 2– scanner",
        figures="1: 0, 2: 2, 4: 1"),
}  # fmt: skip
"""Stories of a catalog that accepts images of which some platforms are not scanned."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    accepting = SiteFolder(tmp_path_factory.mktemp("accepting"))
    accepting.settings["security"] = {"accept": ["partial"]}
    strict = Told(SiteFolder(tmp_path_factory.mktemp("strict")), STORIES)
    return dict.fromkeys(STORIES, strict) | dict.fromkeys(ACCEPTED, Told(accepting, ACCEPTED))


@pytest.mark.parametrize("name", [*STORIES, *ACCEPTED])
def test_a_story_is_told(told: dict[str, Told], name: str) -> None:
    story = (STORIES | ACCEPTED)[name]
    assert told[name].story(name, story) == story
