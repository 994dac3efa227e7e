"""Stories: an image on some days, and when each vulnerability was found, gone and fixed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from typing import Any

import pytest

from .past import ONE, TWO, Past
from .sites import REGISTRY, Result, SiteFolder, digest, grype, match, not_affected, openvex, row, trivy

GHSA, PYSEC = "GHSA-aaaa-bbbb-cccc", "PYSEC-2026-1"
Build = dict[str, Any]
"""A version of an image: label, digests, and its reports."""


def scanned(build: str, *rows: object, version: str = "1.0", platform: str = "", **facts: Any) -> Build:
    """A version with one digest, and a Trivy report of it, made on the day that is recorded."""
    return {
        "version": version,
        "digest": [build],
        "reports": [report(build, *rows, platform=platform, **facts)],
    }


def report(
    build: str, *rows: object, made: int | None = None, platform: str = "", ended: bool = False
) -> Build:
    """A report of a digest; `made`: on another day, 0 for an unknown one."""
    return {"build": build, "rows": rows, "made": made, "platform": platform, "ended": ended}


def parts(version: str = "1.0", **reports: Build | None) -> Build:
    """A version whose digests are parts, with a report of each or none."""
    return {"version": version, "digest": [*reports], "reports": [*filter(None, reports.values())]}


def unscanned(build: str) -> Build:
    return {"version": "1.0", "digest": [build], "reports": []}


class Story:
    """The days of a catalog, recorded one after the other, and what is published in the end."""

    def __init__(self, site: SiteFolder) -> None:
        self.site, self.days = site, list[str]()

    def day(
        self, *versions: Build, slug: str = "app", repository: str = "app", vex: Sequence[str] = ()
    ) -> None:
        """Record a day on which the image has these versions; without any, it left."""
        date = f"2026-11-{len(self.days) + 1:02}"
        self.days.append(date)
        for folder in ("docs", "scans", "vex"):
            shutil.rmtree(self.site.folder / folder, ignore_errors=True)
        self.site.write("docs/index.md", "# Home")
        image = f"{REGISTRY}/{repository}"
        if vex:
            product = {"@id": f"pkg:oci/{repository}?repository_url={image}"}
            statements = [not_affected(id_, product) for id_ in vex]
            self.site.write("vex/a.json", json.dumps(openvex(*statements)).encode())
        entries = []
        for version in versions:
            listed = {"digest": [*map(digest, version["digest"])]}
            entries.append({"version": version["version"]} | listed | version.get("page", {}))
            for number, facts in enumerate(version["reports"]):
                self._write(f"{slug}/{version['version']}-{number}", image, facts, date)
        if versions:
            self.site.image(slug, f"image: {image}\nversions: {json.dumps(entries)}")
        Past(self.site).day(date)

    def _write(self, path: str, image: str, facts: Build, date: str) -> None:
        name = f"{image}@{digest(facts['build'])}"
        day = date if facts["made"] is None else f"2026-11-{facts['made']:02}"
        created = f"{day}T00:00:00Z" if facts["made"] != 0 else ""
        if any("vulnerability" in each for each in facts["rows"]):
            written = grype(*facts["rows"], repoDigests=[name], created=created)
        else:
            written = trivy([*facts["rows"]], digest=name, created=created)
        if facts["platform"]:
            system, architecture = facts["platform"].split("/")
            written["Metadata"]["ImageConfig"] = {"os": system, "architecture": architecture}
        if facts["ended"]:
            written["Metadata"]["OS"] = {"Family": "debian", "Name": "9", "EOSL": True}
        self.site.report(f"{path}.json", written)

    @property
    def result(self) -> Result:
        result = self.site.build()
        assert not result.failed, result.logged()
        return result

    def events(self, slug: str = "app") -> list[list[str]]:
        """What happened to vulnerabilities on each day: kind, id and reason."""
        result = self.result
        return [
            [
                " ".join(filter(None, (event["kind"][14:], event["id"], event.get("reason"))))
                for event in result.json(f"changes/{date}.json")["data"]
                if "id" in event and event["slug"] == slug
            ]
            for date in self.days
        ]

    def ends(self, slug: str = "app") -> list[str]:
        """Each vulnerability with its first day, the day of its fix, and the reason of its end."""
        return [
            " ".join(
                str(value)
                for value in (
                    entry["id"],
                    entry["firstSeen"][8:],
                    (entry["fixedOn"] or "")[8:],
                    entry["reason"],
                )
                if value
            )
            for entry in self.result.json(f"history/{slug}.json")["vulnerabilities"]
        ]


@pytest.fixture
def story(site: SiteFolder) -> Story:
    return Story(site)


def test_an_id_that_gets_its_cve_is_the_same_vulnerability(story: Story) -> None:
    """One fix after nine days, and not two."""
    ghsa = match(GHSA, "High", pkg="lib")
    cve = match(GHSA, "High", ONE, pkg="lib")
    nothing = [match(TWO, "Low", pkg="z")]
    for matches in (nothing, [ghsa, *nothing], *[[cve, *nothing]] * 8):
        story.day(scanned("a", *matches))
    story.day(scanned("b", *nothing))
    assert [each for each in story.events() if each][1:] == [[f"found {GHSA}"], [f"gone {ONE} rebuilt"]]
    [entry] = story.result.json("fixes.json")["data"]
    assert (entry["id"], entry["aliases"], entry["days"]) == (ONE, [GHSA], 9)
    assert story.result.json("fixes.json")["timeToFix"]["high"]["days90"] == {
        "count": 1,
        "median": 9,
        "percentile90": 9,
    }


def test_two_ids_that_turn_out_to_be_one_vulnerability_have_the_older_clock(story: Story) -> None:
    first = match(GHSA, "High", pkg="lib")
    story.day(scanned("a", match(TWO, "Low", pkg="z")))
    story.day(scanned("a", first, match(TWO, "Low", pkg="z")))
    story.day(scanned("a", first, match(PYSEC, "High", pkg="lib")))
    story.day(scanned("a", match(ONE, "High", GHSA, PYSEC, pkg="lib")))
    story.day(scanned("b", match(TWO, "Low", pkg="z")))
    assert [(each["id"], each["days"]) for each in story.result.json("fixes.json")["data"]] == [(ONE, 3)]


def test_two_cves_with_one_alias_stay_two(story: Story) -> None:
    story.day(scanned("a", match("CVE-2026-0009", "Low", pkg="z")))
    story.day(scanned("a", match(ONE, "High", GHSA, pkg="lib")))
    story.day(scanned("a", match(ONE, "High", GHSA, pkg="lib"), match(TWO, "High", GHSA, pkg="lib")))
    assert story.events()[2] == [f"found {TWO}"]


def test_a_platform_on_which_an_id_appears_a_day_later_has_to_be_looked_at(story: Story) -> None:
    arm: Build = {"platform": "linux/arm64"}
    amd: Build = {"platform": "linux/amd64"}
    story.day(parts(a=report("a", **amd), b=report("b", **arm)))
    story.day(parts(a=report("a", row(ONE), **amd), b=report("b", **arm)))
    story.day(parts(a=report("a", row(ONE), **amd), b=report("b", row(ONE), **arm)))
    story.day(parts(c=report("c", **amd), d=None))
    assert story.ends() == [f"{ONE} 02"], "not gone where nobody has looked"
    story.day(parts(c=report("c", **amd), d=report("d", **arm)))
    assert story.ends() == [f"{ONE} 02 05 rebuilt"]


def test_what_only_an_unscanned_part_had_is_neither_gone_nor_fixed(story: Story) -> None:
    story.day(parts(a=report("a"), b=report("b")))
    story.day(parts(a=report("a", row(ONE)), b=report("b", row(ONE), row(TWO))))
    story.day(parts(a=report("a", row(ONE)), b=None))
    story.day(parts(c=report("c"), d=None))
    assert story.events()[2:] == [[], []]
    story.day(parts(c=report("c"), d=report("d", row(TWO))))
    assert story.ends() == [f"{ONE} 02 05 rebuilt", f"{TWO} 02"]


def test_a_renamed_image_is_the_same(story: Story) -> None:
    """By its repository or a digest; also rebuilt on the same day, and scanned a day later."""
    story.day(scanned("a"))
    story.day(scanned("a", row(ONE), row(TWO)))
    story.day(scanned("b", row(ONE), row(TWO)), slug="web")
    story.day(unscanned("b"), slug="other", repository="moved")
    story.day(scanned("b", row(ONE)), slug="other", repository="moved")
    story.day(scanned("c"), slug="other", repository="moved")
    assert story.events()[2] == [f"gone {ONE} withdrawn", f"gone {TWO} withdrawn"]
    assert story.events("web")[2] == [f"found {ONE} renamed", f"found {TWO} renamed"]
    assert story.ends("other") == [f"{ONE} 02 06 rebuilt"]
    fixes = story.result.json("fixes.json")
    assert [(entry["slug"], entry["days"]) for entry in fixes["data"] if entry["days"]] == [("other", 4)] * 2


def test_another_image_is_not_the_same(story: Story) -> None:
    for seed, slug in (("a", "app"), ("b", "web")):
        story.day(scanned(seed, row(ONE)), slug=slug, repository=slug)
    assert story.events("web")[1] == [f"found {ONE}"]


@pytest.mark.parametrize(
    ("before", "now", "reason"),
    [
        (scanned("a", row(ONE)), scanned("a"), "scanner"),
        (scanned("a", row(ONE)), scanned("b", version="0.9"), "superseded"),
        (scanned("a", row(ONE)), scanned("b", ended=True), "rebuilt"),
        (scanned("a", row(ONE)), scanned("b", made=1), "rebuilt"),
        (scanned("a", row(ONE)), scanned("b", made=0), "rebuilt"),
        (scanned("a", row(ONE)), scanned("b", match(TWO, "Low", pkg="z")), "scanner"),
        (scanned("a", row(ONE), platform="linux/amd64"), scanned("b", platform="linux/s390x"), None),
    ],
)
def test_gone_but_not_fixed(story: Story, before: Build, now: Build, reason: str | None) -> None:
    """The same build, an older version, a limit more, a scan from before or of an unknown time, another
    scanner; what nobody has looked at is not even gone.
    """
    story.day(scanned("x", platform=before["reports"][0]["platform"]))
    story.day(before)
    story.day(now)
    assert story.ends()[-1] == " ".join(filter(None, (ONE, "02", reason)))


def test_the_same_manifest_in_another_index_fixes_nothing(story: Story) -> None:
    def index(build: str, manifest: str, *rows: object) -> Build:
        page = {"manifests": {"linux/amd64": digest(manifest)}}
        return scanned(build, *rows, platform="linux/amd64") | {"page": page}

    for version in (index("x", "m"), index("a", "m", row(ONE)), index("b", "m")):
        story.day(version)
    assert story.ends() == [f"{ONE} 02 scanner"]
    story.day(index("c", "n"))
    assert story.ends() == [f"{ONE} 02 04 rebuilt"]


def test_a_fix_is_taken_back_if_it_reappears_in_a_digest_that_was_scanned(story: Story) -> None:
    for version in (scanned("x"), scanned("a", row(ONE)), scanned("b"), scanned("b", row(ONE)), scanned("c")):
        story.day(version)
    assert story.events()[2:] == [[f"gone {ONE} rebuilt"], [f"found {ONE}"], [f"gone {ONE} rebuilt"]]
    assert [(entry["firstSeen"][8:], entry["days"]) for entry in story.result.json("fixes.json")["data"]] == [
        ("02", 3)
    ]


def test_it_has_to_be_gone_from_every_package(story: Story) -> None:
    story.day(scanned("x"))
    for build, rows in (("a", [row(ONE), row(ONE, pkg="b")]), ("b", [row(ONE)]), ("c", [])):
        story.day(scanned(build, *rows))
    assert story.events()[2:] == [[f"gone {ONE} rebuilt"]] * 2
    assert story.ends() == [f"{ONE} 02 04 rebuilt"] * 2


def test_what_was_there_on_the_first_day_has_no_known_beginning(story: Story) -> None:
    story.day(scanned("a", row(ONE, "CRITICAL"), row(TWO)), vex=[TWO])
    story.day(scanned("a", row(ONE, "CRITICAL"), row(TWO)))
    assert story.events() == [[f"found {ONE} baseline", f"suppressed {TWO} baseline"], [f"reopened {TWO}"]]
    fixes = story.result.json("fixes.json")
    assert (fixes["data"], fixes["open"]) == ([], {"critical": [1], "high": [0]})
    story.day(scanned("b"))
    fixes = story.result.json("fixes.json")
    assert (fixes["data"], fixes["timeToFix"]["critical"]["days90"]["count"]) == ([], 0)
    assert [
        (entry["baseline"], entry["days"])
        for entry in story.result.json("history/app.json")["vulnerabilities"]
    ] == [(True, None)] * 2


def test_another_severity_and_the_worst_counts(story: Story) -> None:
    story.day(scanned("x"))
    for severity in ("LOW", "CRITICAL", "LOW"):
        story.day(scanned("a", row(ONE, severity)))
    assert story.events()[2:] == [[f"changed {ONE}"]] * 2
    assert [entry["severity"] for entry in story.result.json("fixes.json")["data"]] == ["CRITICAL"]


def test_a_time_alone_is_no_difference(story: Story) -> None:
    story.day(scanned("a", row(ONE)))
    story.day(scanned("a", row(ONE)))
    day = json.loads((story.site.folder / "history/2026-11-02.json").read_bytes())
    assert day["images"] == {}


def test_a_note_says_why_there_is_no_time_to_fix(story: Story) -> None:
    for version in (scanned("x"), scanned("a", row(ONE)), scanned("b", made=0)):
        story.day(version)
    assert [(each.code, each.file) for each in story.result.problems if each.code == "CAT050"] == [
        ("CAT050", "history")
    ]
    story.day(scanned("c"))
    assert "CAT050" not in story.result.codes
