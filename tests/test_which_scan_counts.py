"""Which scan counts for which release or pin of a chart, and what is told of the others.

How scans join and which of them count is the oracle's: rows are what it does not know, or what authors read.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from mkdocs_catalog_api.problems import Level

from .scan_rows import (
    DB,
    FUTURE,
    NEW,
    NOW,
    OLD,
    PLAIN,
    WEB,
    A,
    B,
    C,
    D,
    Row,
    by_grype,
    compare,
    error,
    note,
    scan,
    warning,
)
from .sites import SiteFolder, built, grype, match, rendered, row, trivy

ONE = f"versions: [{{version: '1', digest: '{A}'}}]"
TWO = f"versions: [{{version: '1', digest: ['{A}', '{B}']}}]"
THREE = f"versions: [{{version: '1', digest: '{C}', manifests: {{linux/amd64: '{A}', linux/arm64: '{B}'}}}}]"
"""An index and its two manifests."""
LISTED = f"platforms: [linux/amd64, linux/arm64]\nversions: [{{version: '1', digest: '{C}'}}]"
"""The page lists two platforms, and knows no manifest."""
REFERENCE = f"accept: [reference]\n{PLAIN}"
STRAY = "no version in the catalog matches this report of"
MOVE = "without a known digest, and lies at another path (move it to scans/"
HUB = "hub/acme/web/1.0"
BY_NAME = {
    **{
        f"{written} is {image}": Row(
            page=f"image: {image}\n{PLAIN}", reports={"web/1": scan("CVE-1", names=[written])}, ids=["CVE-1"])
        for written, image in (
            ("web:1", "docker.io/library/web"),
            ("docker.io/library/web:1", "web"),
            ("index.docker.io/web:1", "docker.io/web"),
            ("REGISTRY.example.org/hardened/web:1", WEB),
        )
    },
    "digests in upper case": Row(
        page=TWO,
        reports={
            "a": scan("CVE-1", names=[f"{WEB}@{A.upper()}"]),
            "b": grype(match("CVE-2"), created=NEW, manifestDigest=B.upper()),
        },
        ids=["CVE-1", "CVE-2"], record={"digestsScanned": 2}),
    **{
        f"a name finds nothing: {path}": Row(
            page=page, reports={"a": report}, told=[warning("CAT031", "a", f"{MOVE}{path})")])
        for path, page, report in (
            ("web/1.json", PLAIN, scan(tag="1")),
            ("web/1.json", PLAIN, scan(tag="stable")),
            ("web/1.json", ONE, scan(tag="1", digest=B)),
            (f"web/1.{'b' * 12}.json", THREE, scan(tag="1", platform="linux/arm64")),
            ("web/VERSION.json", PLAIN, scan(tag="7")),
        )
    },
    "what is of nothing here": Row(
        reports={"a": scan(names=["quay.io/acme/x:1"])}, told=[warning("CAT031", "a", STRAY)]),
    "a local copy may have another name before the last part": Row(
        page=ONE, reports={"web/1": scan("CVE-1", names=["localhost/web:dev"])}, ids=["CVE-1"]),
    "a map of a hub joins entry by entry": Row(
        page=ONE, db="versions: ['1', '2']",
        reports={HUB: {name: scan("CVE-1") for name in (f"{WEB}:9@{A}", f"{DB}:1", "docker.io/acme/x:12")}},
        ids=["CVE-1"], others={"db/1": ["CVE-1"], "db/2": None},
        told=[note("CAT031", HUB, "matches the entry of docker.io/acme/x:12")]),
    "a map of which nothing belongs anywhere": Row(
        reports={"a": {f"docker.io/acme/{name}:1": scan("CVE-1") for name in "ab"}},
        told=[warning("CAT031", "a", "no version and no pin in the catalog matches an image in")]),
}  # fmt: skip


def other(of: str, page: str, report: object, *, path: str = "web/1", **row: Any) -> Row:
    """A report that names something else than its path: it is not used for it."""
    says = f"not used for web 1, whose path it has: the report is of {of}"
    return Row(page=page, reports={path: report}, told=[warning("CAT031", f"{path}", says)], **row)


def of_kind(kind: str) -> dict[str, Any]:
    if kind in ("directory", "file"):
        return grype() | {"source": {"type": kind, "target": "/src"}}
    return scan() | {"ArtifactName": "x", "ArtifactType": kind, "Metadata": {}}


KINDS = ("filesystem", "repository", "vm", "cyclonedx", "spdx", "directory", "file")
PART = "web/1.bbbbbbbbbbbb"
IN_PART = warning("CAT036", f"{PART}", "no scan found for")
BY_PATH = {
    "another digest": other(B, ONE, scan("CVE-1", digest=B)),
    "the path of another version": other(
        f"{WEB}:2 (move it to scans/web/2.json)", "versions: ['1', '2']", scan("CVE-1", tag="2"),
        others={"web/2": None}),
    "a local copy of another version": other("docker.io/library/web:0.9", PLAIN, scan(names=["web:0.9"])),
    "a local copy of another image": other("docker.io/acme/db:dev", PLAIN, scan(names=["acme/db:dev"])),
    "a tag that the page does not have": other(f"{WEB}:0.9", PLAIN, scan("CVE-1", tag="0.9")),
    "a mirror": other(
        f"localhost:5000/web:1 (scan {WEB}:1 for this path, or move the report away; or set", PLAIN,
        scan(names=["localhost:5000/web:1"])),
    "an image without a tag is the latest": other(f"{WEB}:latest", PLAIN, grype(userInput=WEB)),
    **{f"a {kind}": other(f"a {kind}", PLAIN, of_kind(kind)) for kind in KINDS},
    **{
        f"an accepted {kind}": Row(
            page=f"accept: [filesystem]\n{PLAIN}", reports={"web/1": of_kind(kind)}, ids=[])
        for kind in KINDS
    },
    **{
        f"{name!r} contradicts nothing": Row(
            reports={"web/1": scan("CVE-1") | {"ArtifactName": name}}, ids=["CVE-1"])
        for name in (
            *("/builds/x.tar", "x.tar", "./oci", "ghcr.io/acme/Web Server", f"{WEB}:1:2"),
            *("web", "a/web:x"),
        )
    },
    **{
        f"the path of a part, but {of}": Row(
            page=THREE, reports={PART: report},
            told=[warning("CAT031", f"{PART}", f"the report is of {of}")])
        for of, report in (
            ("docker.io/library/nginx", scan("CVE-1", names=["docker.io/library/nginx:1.27"])),
            ("linux/amd64", scan("CVE-1", platform="linux/amd64")),
            (f"{WEB}:2", scan("CVE-1", tag="2")),
            (D, scan("CVE-1", digest=D)),
        )
    },
    "the path of a part, but of another one": Row(
        page=THREE, reports={PART: scan("CVE-1", digest=A)}, ids=["CVE-1"], told=[IN_PART],
        record={"platformsScanned": ["linux/amd64"]}),
    "the path of a part, and what names no other": Row(
        page=THREE, reports={PART: scan("CVE-1", tag="1", platform="linux/arm64")}, ids=["CVE-1"],
        told=[IN_PART], record={"platformsScanned": ["linux/arm64"]}),
    **{
        f"a report of a former build never counts by its path: {report['ArtifactName']}": Row(
            page=THREE, reports={"web/1.0123456789ab": report},
            told=[warning("CAT031", "web/1.0123456789ab", says)])
        for report, says in (
            (scan("CVE-1", tag="1"), MOVE),
            (scan("CVE-1", digest=D, platform="linux/amd64"), MOVE),
        )
    },
}  # fmt: skip


def system(tag: str = "", results: object = None, digest: str = "", **facts: object) -> dict[str, Any]:
    """A report of Trivy that names an operating system with these facts."""
    report = scan(tag=tag, digest=digest)
    report["Metadata"]["OS"] = {"Family": "alpine"} | facts
    return report if results is None else report | {"Results": results}


ONLY_FIXED = {"descriptor": {"name": "grype", "timestamp": NEW, "configuration": {"only-fixed": True}}}
TWO_DAYS, MORE = "2026-10-30T06:00:00Z", "2026-10-30T05:59:59Z"
NEWEST = {
    "equally old ones all count": Row(
        page=TWO,
        reports={
            "b": scan("CVE-2", digest=A),
            "a": scan("CVE-1", digest=A, names=[f"{WEB}@{B}"]),
            "c": scan("CVE-3", tag="1", digest=A, names=[f"{WEB}@{B}"]),
        },
        ids=["CVE-1", "CVE-2", "CVE-3"],
        told=[warning("CAT035", "b", "scans/a.json, scans/c.json, as they have the same time")]),
    "a time in the future": Row(
        page=ONE, reports={"a": scan("CVE-1", digest=A, at=FUTURE), "b": scan("CVE-2", digest=A)},
        ids=["CVE-1", "CVE-2"],
        told=[
            warning("CAT035", "a", "as the time of scans/a.json is not known"),
            warning("CAT035", "a", "which is in the future"),
        ]),
    "a limit that the older one lacks": Row(
        page=ONE,
        reports={"a": by_grype("CVE-1", digest=A, at=OLD), "b": by_grype("CVE-2", digest=A) | ONLY_FIXED},
        ids=["CVE-1", "CVE-2"],
        told=[warning("CAT036", "a", "with scans/b.json, as scans/b.json has the limit only-fixed")]),
    "types of reports from before 2021 are classes": Row(
        page=ONE,
        reports={
            kind: scan(digest=A, at=time)
            | {"Results": [{"Target": kind, "Type": kind, "Vulnerabilities": [row(id_)]}]}
            for kind, id_, time in (("alpine", "CVE-1", OLD), ("npm", "CVE-2", NEW))
        },
        ids=["CVE-1", "CVE-2"], told=[warning("CAT036", "alpine")]),
    **{
        f"the newer one has no {kind}": Row(
            page=ONE, reports={"a": newer, "b": older}, ids=["CVE-1", "CVE-2"],
            told=[warning("CAT036", "b", f"with scans/a.json, as scans/a.json has no {kind}")])
        for kind, newer, older in (
            ("os-pkgs", scan(lang=["CVE-2"], digest=A), scan("CVE-1", digest=A, at=OLD)),
            ("lang-pkgs", scan("CVE-2", digest=A), scan("CVE-1", lang=["CVE-1"], digest=A, at=OLD)),
        )
    },
    "a kind in which the older one names nothing is not asked for": Row(
        page=ONE, reports={"a": scan("CVE-2", digest=A), "b": scan("CVE-1", lang=[], digest=A, at=OLD)},
        ids=["CVE-2"], told=[note("CAT033", "b", "scans/a.json takes precedence")]),
    "the first scanner, two days older": Row(
        page=ONE, reports={"a": by_grype("CVE-2", digest=A), "b": scan("CVE-1", digest=A, at=TWO_DAYS)},
        ids=["CVE-1"],
        told=[note("CAT033", "a", "not used for web 1: scans/b.json takes precedence")],
        record={"scanner": "Trivy"}),
    "the first scanner, more than two days older": Row(
        page=ONE, reports={"a": by_grype("CVE-2", digest=A), "b": scan("CVE-1", digest=A, at=MORE)},
        ids=["CVE-1", "CVE-2"],
        told=[warning("CAT035", "a", "with scans/b.json, as scans/a.json is over two days newer")]),
    "the first scanner, older, and it looked at less": Row(
        page=ONE, reports={"a": by_grype("CVE-2", digest=A), "b": scan(lang=[], digest=A, at=MORE)},
        ids=["CVE-2"],
        told=[warning("CAT036", "a", "with scans/b.json, as scans/b.json has no os-pkgs")]),
    "the first scanner with a limit": Row(
        page=ONE,
        reports={"a": by_grype("CVE-2", digest=A), "b": system(digest=A, results=[{"Class": "lang-pkgs"}])},
        ids=["CVE-2"],
        told=[warning("CAT036", "a", "as scans/b.json has the limit no-system-packages")],
        record={"grade": "D", "complete": True}),
    "neither is in the setting": Row(
        page=ONE, reports={"a": by_grype("CVE-2", digest=A), "b": scan("CVE-1", digest=A, at=OLD)},
        told=[
            note("CAT033", file, f"{name} is not in `security.scanners` (add {name} to it")
            for file, name in (("a", "grype"), ("b", "trivy"))
        ],
        security={"scanners": ["harbor"]}),
}  # fmt: skip

PARTLY = "web 1 is only partly scanned: no scan found for"
BOTH = ["linux/amd64", "linux/arm64"]
INCOMPLETE: dict[str, object] = {"complete": False, "grade": None}
# The parts of a version, and what covers them.
PARTS = {
    "one of two digests": Row(
        page=TWO, app=f"images: ['{WEB}@{A}']", reports={"a": scan("CVE-1", severity="LOW", digest=A)},
        ids=["CVE-1"], told=[warning("CAT036", "a", f"{PARTLY} {B} (scan what")],
        record={"total": 1, "digestsScanned": 1, "grade": None, "badge": "partly scanned"},
        chart={"scanned": True, "total": 1, "grade": None, "score": None}),
    "one of two digests, accepted": Row(
        page=TWO, reports={"a": scan("CVE-1", severity="MEDIUM", digest=A)}, ids=["CVE-1"],
        told=[note("CAT036", "a", f"{PARTLY} {B}")],
        record={"grade": "C", "digestsScanned": 1, "badge": "C"}, security={"accept": ["partial"]}),
    "one of no digest beside all": Row(
        page=TWO,
        reports={"a": scan("CVE-1", digest=A), "b": scan("CVE-2", digest=B), "web/1": scan("CVE-3", at="")},
        ids=["CVE-1", "CVE-2", "CVE-3"],
        told=[warning("CAT036", "web/1", "as scans/web/1.json may be of any part")],
        record={"complete": True}),
    "a report by the index covers only its platform": Row(
        page=THREE, reports={"a": scan("CVE-1", digest=C, platform="linux/amd64")}, ids=["CVE-1"],
        told=[warning("CAT036", "a", f"{PARTLY} linux/arm64 ({B}) (scan what `catalog-api")],
        record=INCOMPLETE | {"platformsScanned": BOTH[:1]}),
    "who publishes one platform says so once": Row(
        page=f"platforms: [linux/amd64]\n{THREE}",
        reports={
            "a": scan(digest=C, platform="linux/amd64"),
            "b": scan("CVE-1", severity="CRITICAL", digest=C, platform="linux/arm64"),
        },
        ids=[], record={"complete": True, "grade": "A+"},
        told=[note("CAT033", "b", "it is of linux/arm64, which is none of the version's")]),
    "platforms of no manifest": Row(
        page=f"platforms: [linux/s390x]\n{THREE}",
        reports={
            "a": scan(digest=C, platform="linux/amd64"),
            "b": scan("CVE-1", severity="CRITICAL", digest=C, platform="linux/arm64"),
        },
        ids=["CVE-1"], record={"complete": True, "grade": "F"},
        told=[warning("CAT036", "docs/images/web.md", "1 has manifests of linux/amd64, linux/arm64, but")]),
    "a pinned manifest has its own figures": Row(
        page=THREE, app=f"images: ['{WEB}@{B}']", reports={"b": scan(digest=B, platform="linux/arm64")},
        ids=[], told=[warning("CAT036", "b", "no scan found for linux/amd64")],
        chart={"complete": True, "critical": 0, "grade": "A+"}),
}  # fmt: skip


def listed(says: str, limit: str, report: object, code: str = "CAT036", **record: object) -> Row:
    """A report with a limit: no grade."""
    told = [warning(code, "web/1", says)]
    record = {"complete": False, "grade": None, "limits": [limit]} | record
    return Row(page=LISTED, reports={"web/1": report}, ids=[], told=told, record=record)


def of_debian(results: object, **metadata: object) -> dict[str, Any]:
    report = scan(digest=C, platform="linux/amd64") | {"Results": results}
    report["Metadata"] |= metadata
    return report


def alert(kind: str) -> dict[str, Any]:
    report = by_grype(tag="1", os="linux", architecture="amd64")
    return report | {"alertsByPackage": [{"alerts": [{"type": kind}]}]}


NOTHING = "recognized neither an operating system"
LIMITS = {
    "nothing recognized by Trivy": listed(NOTHING, "nothing-recognized", of_debian(None)),
    "nothing recognized in an image that is built from nothing": Row(
        page=f"accept: [nothing-recognized]\n{LISTED}", reports={"web/1": of_debian(None)}, ids=[],
        record={"complete": False, "grade": "A+", "limits": []}),
    "Grype does not know the distribution": listed(
        "no data on this distribution", "unknown-distribution", alert("distro-unknown")),
    "Grype says that a distribution has ended": listed(
        "the operating system in web 1 is past its end", "os-end-of-life", alert("distro-eol"), "CAT037",
        osEndOfLife=True),
    "an operating system without a result": listed(
        "no results for its packages", "no-system-packages", of_debian(None, OS={"Family": "debian"})),
    "a file with two formats": Row(
        page=LISTED, reports={"a": scan(tag="1") | by_grype(tag="1")},
        told=[error("CAT030", "a", "a report of both Trivy and Grype (save each report in a file")]),
}  # fmt: skip

OLD_SYSTEM = system(EOSL=True)
ENDED = warning("CAT037", "web/1", "the operating system in web 1 is past its end of life")
ENDED_NOTE = note("CAT037", "web/1")
DAY = "versions: [{version: '1', released: 2026-10-20, tags: [stable]%s}]"
# What says little gets no good grade, or a warning.
DOUBTS = {
    **{
        f"a system past its end of life, {ids or 'clean'}": Row(
            reports={"web/1": system(EOSL=True, results=[{"Class": "os-pkgs", "Vulnerabilities": rows}])},
            ids=ids, told=[ENDED],
            record={"osEndOfLife": True, "grade": grade, "score": score, "badge": grade or "not graded"})
        for ids, rows, grade, score in (
            ([], [], None, None),
            (["CVE-1"], [row("CVE-1", "UNKNOWN")], None, None),
            (["CVE-2"], [row("CVE-2", "UNKNOWN", fixed="2")], "B", 93.3),
        )
    },
    **{
        f"a system past its end of life in {lifecycle}: {version}": Row(
            page=f"lifecycle: {lifecycle}\nversions: [{version}]", reports={"web/1": OLD_SYSTEM}, ids=[],
            told=[told], record={"grade": None})
        for lifecycle, version, told in (
            ("available", "{version: '1', endOfLife: 2026-11-01}", ENDED_NOTE),
            ("available", "{version: '1', endOfLife: 2026-11-02}", ENDED),
            ("deprecated", "'1'", ENDED_NOTE),
            ("withdrawn", "'1'", ENDED_NOTE),
        )
    },
    "a system that is maintained": Row(
        reports={"web/1": system() | {"Trivy": {"Version": "0.69.3"}}}, ids=[],
        record={"osEndOfLife": False, "scanner": "Trivy 0.69.3", "grade": "A+"}),
    "what a scanner does not say is null": Row(
        reports={"web/1": {"matches": [match("CVE-1")], "descriptor": {"name": "grype"}}}, ids=["CVE-1"],
        record={"osEndOfLife": None, "scanner": "Grype", "scannedAt": None}),
    "a scan from before the release": Row(
        page=DAY % "", reports={"web/1": scan(tag="stable", at="2026-10-18T23:00:00Z")}, ids=[],
        told=[warning("CAT035", "web/1", "but web 1 was released on 2026-10-20 (scan the")]),
    "a scan from the day before": Row(
        page=DAY % "", reports={"web/1": scan(tag="stable", at="2026-10-19T01:00:00Z")}, ids=[]),
    "of the digest of the release": Row(
        page=DAY % f", digest: '{A}'", reports={"a": scan(digest=A, at=OLD)}, ids=[]),
    "of its manifest": Row(
        page=DAY % f", digest: '{B}', manifests: {{linux/amd64: '{A}'}}",
        reports={"a": scan(digest=A, at=OLD)}, ids=[]),
    "all pins have a scan without a finding, one has no grade": Row(
        page=f"lifecycle: deprecated\n{PLAIN}", db=PLAIN, app=f"images: ['{WEB}:1', '{DB}:1']",
        reports={"web/1": OLD_SYSTEM, "db/1": scan()}, ids=[], told=[ENDED_NOTE],
        chart={"scanned": True, "total": None, "grade": None, "score": None}),
}  # fmt: skip
OLDER = "of web 1 is %s days old (`security.max_age` is 30) (scan the image again)"


def aged(*told: Any, reports: dict[str, object], page: str = PLAIN, **row: Any) -> Row:
    """A row with `max_age`: the oldest part of the newest version decides."""
    return Row(page=page, reports=reports, told=told, security={"max_age": 30}, **row)


ANCIENT = "2020-01-01T00:00:00Z"
AGES = {
    "30 days": aged(reports={"web/1": scan(at="2026-10-03T05:00:00Z")}, ids=[]),
    "31 days": aged(
        warning("CAT035", "web/1", OLDER % 31), reports={"web/1": scan(at="2026-10-02T05:00:00Z")},
        ids=[]),
    "an older version": aged(
        page="versions: ['2', '1']", reports={"web/2": scan(), "web/1": scan(at=ANCIENT)}, ids=[],
        others={"web/2": []}),
    "the oldest part": aged(
        warning("CAT035", "b", OLDER % 154), page=ONE,
        reports={
            "a": scan(digest=A, platform="linux/amd64"),
            "b": scan(digest=A, platform="linux/arm64", at="2026-06-01T06:00:00Z"),
        },
        ids=[]),
    "no scan": aged(
        warning("CAT035", "docs/images/web.md", "versions: the newest version, 1, has no scan (scan it"),
        page="versions: ['1']", db=PLAIN, reports={"db/1": scan()}),
    "a planned image with an old scan": aged(
        page="lifecycle: planned\nversions: ['1']", reports={"web/1": scan(at=ANCIENT)}, ids=[]),
    "no time": aged(
        note("CAT035", "web/1", "has no time, so its age is unknown"), reports={"web/1": scan(at="")},
        ids=[], record={"scannedAt": None}),
}  # fmt: skip

VERSIONS = f"""versions:
  - {{version: 1.27.3, digest: '{A}'}}
  - {{version: '1.27', digest: '{A}'}}
  - {{version: 1.27.2, digest: ['{B}', '{C}']}}"""
REPORTS = {
    "web/1.27.3": trivy([row("CVE-1", "CRITICAL", fixed="2"), row("CVE-2", "LOW")], digest=f"{WEB}@{A}"),
    "web/1.27.2": trivy([row("CVE-2", "LOW")], digest=f"{WEB}@{B}"),
    "web/arm64": trivy([], digest=f"{WEB}@{C}"),
}
PAGE = "docs/charts/app.md"
OFF_PAGE = note("CAT038", PAGE, f"images[0]: the digest {D} is on no page of the catalog")


def pins(*written: str, told: Any = (), more: dict[str, object] | None = None, **chart: object) -> Row:
    """A chart with these pins: `web` has scanned releases, `db` has none."""
    listed = f"images: {json.dumps(written)}" if written else ""
    others = {} if any(each.level == "ERROR" for each in told) else {"web/1.27.3": ["CVE-1", "CVE-2"]}
    reports = REPORTS | (more or {})
    return Row(
        page=VERSIONS, db="versions: ['8.2', latest]", app=listed, reports=reports, others=others, told=told,
        chart=chart)  # fmt: skip


PINS = {
    "a digest before a tag": pins(f"{WEB}:1.27.3@{C}", joined=["web 1.27.2"]),
    "a tag": pins(f"{WEB}:1.27", joined=["web 1.27"]),
    "no tag": pins(DB, joined=["db latest"]),
    "a name of Docker Hub": pins("db:8.2", joined=["- -"]),
    "a tag that no page has": pins(
        f"{WEB}:1.0", joined=["web -"],
        told=[note("CAT038", PAGE, "there is no scan of it (it has versions 1.27.3, 1.27.2, 1.27)")]),
    "a tag that none of two pages of a repository has": Row(
        page=f"image: {DB}\n{PLAIN}", db=PLAIN, app=f"images: ['{DB}:2']", chart={"joined": ["- -"]}),
    "a tag that no page has, but a scan": pins(
        f"{WEB}:1.0", more={HUB: {f"{WEB}:1.0": scan()}}, joined=["web -"], pinsScanned=1),
    "a digest that no page has": pins(
        f"{WEB}:1.27.3@{D}", joined=["web -"],
        told=[OFF_PAGE]),
    "a digest of another repository": pins(
        f"{DB}:8.2@{A}", told=[error("CAT038", PAGE, f"images[0]: the digest belongs to {WEB} 1.27.3, not")]),
    "an image without a digest counts once by its reference": pins(
        f"{DB}:8.2", "docker.io/library/busybox", "docker.io/library/busybox:latest", pins=2, pinsScanned=0,
        total=None, complete=False, grade=None, score=None, scannedAt=None),
    "with some pins unscanned, none found is not none there": pins(
        f"{WEB}@{A}", f"{DB}:8.2", scanned=False, pins=2, pinsScanned=1, total=2, critical=1, high=None,
        suppressed=None, grade=None, score=None),
    "only that very digest is a scan of a pinned digest": pins(
        f"quay.io/acme/proxy:1@{D}", pinsScanned=0,
        more={"a": scan("CVE-9", names=["quay.io/acme/proxy:1", "quay.io/acme/proxy@sha256:" + "e" * 64])},
        told=[OFF_PAGE, warning("CAT031", "a", f"{STRAY} quay.io/acme/proxy:1")]),
    **{
        f"a hub scanned {scanned[:20]}": pins(
            pin, more={HUB: {scanned: scan("CVE-9", severity="MEDIUM")}}, told=[OFF_PAGE] * ("@" in pin),
            scanned=True, total=1, medium=1, grade="C")
        for pin, scanned in (
            (f"quay.io/acme/b@{D}", f"elsewhere.io/x@{D}"),
            ("docker.io/library/d:1", "d:1"),
            (f"{WEB}@{D}", f"{WEB}@{D}"),
        )
    },
}  # fmt: skip
ROWS = BY_NAME | BY_PATH | NEWEST | PARTS | LIMITS | DOUBTS | AGES | PINS


@pytest.mark.parametrize("name", ROWS)
def test_which_scan_counts(site: SiteFolder, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", NOW)
    compare(site, ROWS[name])


def test_a_page_names_the_platforms_that_were_scanned_if_another_was_not(site: SiteFolder) -> None:
    site.image("web", LISTED)
    for part, named in (("amd64", True), ("arm64", False)):
        site.report(f"{part}.json", scan(digest=C, platform=f"linux/{part}"))
        page = (rendered(site).folder / "site/images/web/index.html").read_text("utf-8")
        assert ("·&nbsp;linux/amd64</span>" in page) == named


def test_max_age_asks_for_no_scan_in_a_catalog_without_any(site: SiteFolder) -> None:
    site.settings["security"] = {"max_age": 30}
    site.image("never", "versions: ['1']")
    assert built(site).logged() == []


def test_a_scan_is_not_in_the_future_because_the_build_claims_an_earlier_time(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1500000000")  # 2017: that of the last commit
    site.image("web", ONE)
    site.report("a.json", scan("CVE-1", digest=A, at="2016-01-01T00:00:00Z"))
    site.report("b.json", scan("CVE-2", digest=A, at="2018-01-01T00:00:00Z"))
    result = built(site)
    assert [each["id"] for each in result.json("security/web/1.json")["cves"]] == ["CVE-2"]
    assert result.logged() == []


# A file in the folder of reports → level and file of what is told of the folder, if it is all that is there.
NO_REPORT = {
    "": (),
    "README": ("note scans/README",),
    "web/1.sarif": ("note scans/web/1.sarif",),
    ".hidden/x.json": (),
}


@pytest.mark.parametrize("file", NO_REPORT)
def test_what_is_no_report_is_noted_and_a_folder_without_one_is_a_warning(
    site: SiteFolder, file: str
) -> None:
    site.image("web", ONE)
    (site.folder / "scans").mkdir()
    if file:
        site.write(f"scans/{file}", "{}")
    told = [f"{'note ' * (each.level == Level.INFO)}{each.file}" for each in built(site).problems]
    assert told == ["scans", *NO_REPORT[file]]
    site.report("web/2.json", scan(digest=A))
    noted = [f"note {each.file}" for each in built(site, strict=True).problems]
    assert noted == [*NO_REPORT[file]]


def test_reports_with_a_capital_ending_are_read(site: SiteFolder) -> None:
    site.image("web", ONE)
    site.write("scans/web/1.JSON", json.dumps(scan("CVE-1", digest=A)).encode())
    assert built(site).json("security/web/1.json")["total"] == 1


@pytest.mark.parametrize("file", ["scans/web/1.json", "vex/a.json"])
def test_the_limit_of_the_settings_holds_for_reports_and_statements(site: SiteFolder, file: str) -> None:
    site.image("web", PLAIN)
    site.write(file, b" " * 1_001)
    site.settings["security"] = {"max_report_size": "1kB"}
    result = site.build()
    assert result.failed
    assert f"{file}: not read, because the file has 1,001 bytes (limit: 1,000)" in result.logged()[0]
