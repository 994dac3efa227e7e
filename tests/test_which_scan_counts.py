"""Which scan counts for which release or pin of a chart, and what is told of the others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from mkdocs_catalog_api.problems import Level

from .scan_rows import DB, NEW, ONE, PLAIN, TWO, WEB, A, B, C, D, Row, Seen, catalogs, scan
from .sites import REGISTRY, SiteFolder, built, grype, match, osv, rendered, row, trivy

REFERENCE = f"accept: [reference]\n{PLAIN}"
MANIFESTS = (
    f"versions: [{{version: '1', digest: '{C}', manifests: {{linux/amd64: '{A}', linux/arm64: '{B}'}}}}]"
)
"""A version with an index and its two manifests."""
# How scans join and which of them count is the oracle's; these are what it does not know or tell of.
BY_NAME = {
    f"{written} is {image}": Row(f"image: {image}\n{PLAIN}", f"a: CVE-1 {written}", "CVE-1")
    for written, image in (
        (f"{WEB}:1", WEB),
        ("web:1", "docker.io/library/web"),
        ("docker.io/library/web:1", "web"),
        ("index.docker.io/web:1", "docker.io/web"),
        ("REGISTRY.example.org/hardened/web:1", WEB),
    )
} | {
    "digests in upper case": Row(
        TWO, {"a": scan(f"CVE-1 {WEB}@A"), "b": grype(match("CVE-2"), created=NEW, manifestDigest=B.upper())},
        "CVE-1 CVE-2", record={"digestsScanned": 2}),
    "a digest of no page": Row(
        ONE, "a: @b, web/1: @a", "", "CAT031 a: no version in the catalog matches this report of"),
    "a tag never joins a release with other digests": Row(
        ONE, "a: :1 @b", None, f"CAT031 a: no version in the catalog matches this report of {WEB}:1"),
    "a map of a hub joins entry by entry": Row(
        {"web": ONE, "db": "versions: ['1', '2']"},
        {"hub": {name: scan("CVE-1") for name in (f"{WEB}:9@{A}", f"{DB}:1", "docker.io/acme/x:12")}},
        {"web 1": "CVE-1", "db 1": "CVE-1", "db 2": None},
        "note CAT031 hub: no version and no pin in the catalog matches the entry of docker.io/acme/x:12"),
    "a map of which nothing belongs anywhere": Row(
        PLAIN, {"hub": {f"docker.io/acme/{name}:1": scan("CVE-1") for name in "ab"}}, None,
        "CAT031 hub: no version and no pin in the catalog matches an image in this report"),
}  # fmt: skip
OTHER_ONE = "CAT031 web/1: not used for web 1, whose path it has: the report is of"
# What names something else than its path is not used for it, and counts where it certainly belongs.
BY_PATH = {
    "another digest": Row(ONE, "web/1: CVE-1 @b", None, f"{OTHER_ONE} {B}"),
    "another digest, with the tag of its path": Row(ONE, "web/1: CVE-1 :1 @b", None, f"{OTHER_ONE} {B}"),
    "the path of another version": Row(
        "versions: ['1', '2']", "web/1: CVE-1 :2", {"web 1": None, "web 2": "CVE-1"}, f"{OTHER_ONE} {WEB}:2"),
    "the path of another image": Row(
        {"web": PLAIN, "db": ONE}, "web/1: CVE-1 elsewhere/x@a", {"web 1": None, "db 1": "CVE-1"},
        f"{OTHER_ONE} docker.io/elsewhere/x"),
    "a tag that the page does not have": Row(PLAIN, "web/1: CVE-1 :0.9", None, f"{OTHER_ONE} {WEB}:0.9"),
    "an image that the catalog does not have": Row(
        PLAIN, "web/1: docker.io/library/redis:1", None, f"{OTHER_ONE} docker.io/library/redis"),
    "a mirror": Row(
        PLAIN, "web/1: localhost:5000/web:1", None,
        f"{OTHER_ONE} localhost:5000/web (scan {WEB}:1 for this path, or move the report away; or set"),
    "an accepted mirror": Row(REFERENCE, "web/1: CVE-1 localhost:5000/web:1", "CVE-1"),
    "another tag of an accepted mirror": Row(
        REFERENCE, "web/1: localhost:5000/web:2", None, f"{OTHER_ONE} localhost:5000/web:2"),
    "another digest of an accepted mirror": Row(
        f"accept: [reference]\n{ONE}", "web/1: localhost:5000/web:1 @b", None, f"{OTHER_ONE} {B}"),
    "another image is no mirror": Row(
        REFERENCE, "web/1: localhost:5000/redis:1", None, f"{OTHER_ONE} localhost:5000/redis"),
    "an image without a tag is the latest": Row(
        PLAIN, {"web/1": grype(userInput=WEB)}, None, f"{OTHER_ONE} {WEB}:latest"),
    **{
        f"{name!r} is no reference": Row(PLAIN, {"web/1": scan("CVE-1") | {"ArtifactName": name}}, "CVE-1")
        for name in ("/builds/x.tar", "x.tar", "./oci", "ghcr.io/acme/Web Server", f"{REGISTRY}/redis:1:2")
    },
    **{
        f"of other than the part in its path: {words}": Row(
            MANIFESTS, f"web/1.bbbbbbbbbbbb: CVE-1 {words}", None,
            f"CAT031 web/1.bbbbbbbbbbbb: the report is of {of}")
        for words, of in (
            ("docker.io/library/nginx:1.27", "docker.io/library/nginx"),
            ("linux/amd64", "linux/amd64"),
            (":2", f"{WEB}:2"),
            ("@d", D),
        )
    },
    "of another part than its path": Row(
        MANIFESTS, "web/1.bbbbbbbbbbbb: CVE-1 @a", "CVE-1",
        f"CAT031 web/1.bbbbbbbbbbbb: the report is of {A} | CAT036 web/1.bbbbbbbbbbbb: no scan found for",
        {"platformsScanned": ["linux/amd64"]}),
    **{
        f"of the part in its path: {words}": Row(
            MANIFESTS, f"web/1.bbbbbbbbbbbb: CVE-1 {words}", "CVE-1", "CAT036 web/1.bbbbbbbbbbbb: no scan",
            {"platformsScanned": ["linux/arm64"]})
        for words in ("", ":1 linux/arm64", "@c linux/arm64", "@b")
    },
}  # fmt: skip


def of_kind(kind: str) -> dict[str, Any]:
    if kind in ("directory", "file"):
        return grype() | {"source": {"type": kind, "target": "/src"}}
    return scan("") | {"ArtifactName": "x", "ArtifactType": kind, "Metadata": {}}


FILES = f"accept: [filesystem]\n{PLAIN}"
# What is no image is not used, unless that is accepted.
for kind in ("filesystem", "repository", "vm", "cyclonedx", "spdx", "directory", "file"):
    BY_PATH[f"a {kind}"] = Row(PLAIN, {"web/1": of_kind(kind)}, None, f"{OTHER_ONE} a {kind}")
    BY_PATH[f"an accepted {kind}"] = Row(FILES, {"web/1": of_kind(kind)}, "")


def of_system(words: str = "", results: object = None, **system: object) -> dict[str, Any]:
    report = scan(words) | {"Metadata": {"OS": {"Family": "alpine"} | system}}
    return report if results is None else report | {"Results": results}


ONLY_FIXED = {"descriptor": {"name": "grype", "timestamp": NEW, "configuration": {"only-fixed": True}}}
MADE_WITH = "the report was made with only-fixed"
NEWEST = {
    "a tag before and after a rebuild": Row(
        PLAIN, "a: CVE-1 :1 @a, b: CVE-2 :1 @b old", "CVE-1", "note CAT033 b", {"digest": A}),
    "equally old ones all count": Row(
        TWO, "b: CVE-2 :1 @a, a: CVE-1 :1 @a @b, c: CVE-3 :1 @a @b", "CVE-1 CVE-2 CVE-3",
        "CAT035 b: together with scans/a.json, scans/c.json, as they have the same time"),
    "reports with one time and subject are one scan": Row(
        PLAIN, "b: os CVE-2 :1, a: lang CVE-1 :1, c: os CVE-3 :1", "CVE-1 CVE-2 CVE-3"),
    "a scan in two reports replaces one in one": Row(
        ONE, "b: os CVE-2 @a, a: lang CVE-1 @a, c: os CVE-3 lang CVE-4 @a old", "CVE-1 CVE-2",
        "note CAT033 c"),
    "a time in the future": Row(
        PLAIN, "a: CVE-1 :1 future, b: CVE-2 :1", "CVE-1 CVE-2",
        "CAT035 a: as the time of scans/a.json is not known | CAT035 a: which is in the future"),
    "one without a time keeps no old one": Row(
        PLAIN, "a: CVE-1 :1 old, b: CVE-2 :1, c: CVE-3 :1 undated", "CVE-2 CVE-3",
        "note CAT033 a | CAT035 c: together with scans/b.json, as the time of scans/c.json is not"),
    "a limit that the older one lacks": Row(
        ONE, {"a": "grype CVE-1 @a old", "b": scan("grype CVE-2 @a") | ONLY_FIXED}, "CVE-1 CVE-2",
        "CAT036 a: together with scans/b.json, as scans/b.json has the limit only-fixed"),
    "a limit, and a newer one without": Row(
        ONE, {"a": scan("grype CVE-1 @a") | ONLY_FIXED, "b": "grype CVE-2 @a newer"}, "CVE-2",
        "note CAT033 a"),
    "types of reports from before 2021 are classes": Row(
        ONE,
        {
            kind: scan(f"@a {time}")
            | {"Results": [{"Target": kind, "Type": kind, "Vulnerabilities": [row(id_)]}]}
            for kind, id_, time in (("alpine", "CVE-1", "old"), ("npm", "CVE-2", NEW))
        },
        "CVE-1 CVE-2",
        "CAT036 alpine",
    ),
} | {
    f"{newer} after {older}": Row(
        ONE, f"a: {newer} @a, b: {older} @a old", "CVE-1 CVE-2",
        f"CAT036 b: together with scans/a.json, as scans/a.json has no {lacks}-pkgs")
    for older, newer, lacks in (("os CVE-1", "lang CVE-2", "os"), ("lang os CVE-1", "os CVE-2", "lang"))
}  # fmt: skip

PARTLY = "web 1 is only partly scanned: no scan found for"
PARTS = {
    "one of two digests": Row(
        {"web": TWO, "app": f"images: ['{WEB}@{A}']"}, "a: CVE-1 LOW @a", "CVE-1",
        f"CAT036 a: {PARTLY} {B} (scan what",
        {"scanned": True, "total": 1, "digestsScanned": 1, "grade": None, "badge": "partly scanned"},
        {"scanned": True, "total": 1, "grade": None, "score": None}),
    "one of two digests, accepted": Row(
        TWO, "a: CVE-1 MEDIUM @a", "CVE-1", f"note CAT036 a: {PARTLY} {B}",
        {"grade": "C", "digestsScanned": 1, "badge": "C"}, security={"accept": ["partial"]}),
    "none of a digest": Row(
        TWO, "web/1: CVE-1", "CVE-1", f"CAT036 web/1: {PARTLY} {A}, {B}",
        {"total": 1, "digestsScanned": 0, "grade": None}),
    "one of no digest beside all": Row(
        TWO, "a: CVE-1 @a, b: CVE-2 @b, web/1: CVE-3 undated", "CVE-1 CVE-2 CVE-3",
        "CAT036 web/1: together with scans/a.json, scans/b.json, as scans/web/1.json may be of any part",
        {"complete": True}),
    "the first scanner, two days older": Row(
        PLAIN, "a: grype CVE-2 :1, b: CVE-1 :1 2026-10-30T06:00:00Z", "CVE-1",
        "note CAT033 a: not used for web 1: scans/b.json takes precedence", {"scanner": "Trivy"}),
    "the first scanner, older, and it looked at less": Row(
        PLAIN, {"a": "grype CVE-2 CRITICAL :1", "b": scan("lang :1 2026-10-30T05:59:59Z")}, "CVE-2",
        "CAT036 a: together with scans/b.json, as scans/b.json has no operating system", {"grade": "F"}),
    "the first scanner, more than two days older": Row(
        PLAIN, "a: grype CVE-2 :1, b: CVE-1 :1 2026-10-30T05:59:59Z", "CVE-1 CVE-2",
        "CAT035 a: together with scans/b.json, as scans/a.json is over two days newer"),
    "a second scanner without a time": Row(
        PLAIN, {"a": scan("grype CVE-2 :1 undated"), "b": "CVE-1 :1 old"}, "CVE-1", "note CAT033 a"),
    "the first scanner with a limit": Row(
        PLAIN, {"a": "grype CVE-2 :1", "b": of_system(":1", [{"Class": "lang-pkgs"}])}, "CVE-2",
        "CAT036 a: as scans/b.json has the limit no-system-packages", {"grade": "D", "complete": True}),
    "neither is in the setting": Row(
        PLAIN, "a: grype CVE-2 :1, b: CVE-1 :1 old", None,
        "note CAT033 a: the scanner grype is not in `security.scanners` (add grype to it"
        " | note CAT033 b: the scanner trivy is not in `security.scanners` (add trivy to it",
        security={"scanners": ["harbor"]},
    ),
}  # fmt: skip


OLD_SYSTEM = of_system(EOSL=True)
DAY = "versions: [{version: '1', released: 2026-10-20, tags: [stable]%s}]"
# What says little gets no good grade, or a warning.
DOUBTS = {
    f"a system past its end of life with {rows}": Row(
        PLAIN, {"web/1": of_system(EOSL=True, results=[{"Class": "os-pkgs", "Vulnerabilities": rows}])},
        "CVE-1" if rows else "", "CAT037 web/1: the operating system in web 1 is past its end of life",
        {"osEndOfLife": True, "grade": grade, "score": score, "badge": grade or "not graded"})
    for rows, grade, score in (
        ([], None, None),
        ([row("CVE-1", "UNKNOWN")], None, None),
        ([row("CVE-1", "UNKNOWN", fixed="2")], "B", 93.3),
    )
} | {
    f"a system past its end of life in {lifecycle}: {version}": Row(
        f"lifecycle: {lifecycle}\nversions: [{version}]", {"web/1": OLD_SYSTEM}, "", told, {"grade": None})
    for lifecycle, version, told in (
        ("available", "{version: '1', endOfLife: 2026-11-01}", "note CAT037 web/1"),
        ("available", "{version: '1', endOfLife: 2026-11-02}", "CAT037 web/1"),
        ("deprecated", "'1'", "note CAT037 web/1"),
        ("withdrawn", "'1'", "note CAT037 web/1"),
    )
} | {
    "nothing of no system": Row(
        PLAIN, {"web/1": of_system(Family="none", results=[{"Target": "x", "Class": "lang-pkgs"}])}, ""),
    "a system that is maintained": Row(
        PLAIN, {"web/1": of_system() | {"Trivy": {"Version": "0.69.3"}}}, "",
        record={"osEndOfLife": False, "scanner": "Trivy 0.69.3", "grade": "A+"}),
    "what a scanner does not say is null": Row(
        PLAIN, {"web/1": {"matches": [match("CVE-1")], "descriptor": {"name": "grype"}}}, "CVE-1",
        record={"osEndOfLife": None, "scanner": "Grype", "scannedAt": None}),
    "a scan from before the release": Row(
        DAY % "", "a: :stable 2026-10-18T23:00:00Z", "",
        "CAT035 a: scanned at 2026-10-18T23:00:00Z, but web 1 was released on 2026-10-20 (scan the"),
    "a scan from the day before": Row(DAY % "", "a: :stable 2026-10-19T01:00:00Z", ""),
    "of the digest of the release": Row(DAY % f", digest: '{A}'", "a: @a old", ""),
    "of its manifest": Row(DAY % f", digest: '{B}', manifests: {{linux/amd64: '{A}'}}", "a: @a old", ""),
    "all pins have a scan without a finding, one has no grade": Row(
        {"web": f"lifecycle: deprecated\n{PLAIN}", "db": PLAIN, "app": f"images: ['{WEB}:1', '{DB}:1']"},
        {"web/1": OLD_SYSTEM, "db/1": ""}, "", "note CAT037 web/1",
        chart={"scanned": True, "total": None, "grade": None, "score": None}),
}  # fmt: skip
MAX_AGE: dict[str, Any] = {"max_age": 30}
OLDER = "of web 1 is %s days old (`security.max_age` is 30) (scan the image again)"
# By `max_age` the oldest part of the newest version decides.
AGES = {
    "30 days": Row(PLAIN, "web/1: 2026-10-03T05:00:00Z", "", security=MAX_AGE),
    "31 days": Row(PLAIN, "web/1: 2026-10-02T05:00:00Z", "", f"CAT035 web/1: {OLDER % 31}", security=MAX_AGE),
    "an older version": Row(
        "versions: ['2', '1']", "web/2: , web/1: 2020-01-01T00:00:00Z", {"web 2": ""}, security=MAX_AGE),
    "the oldest part": Row(
        PLAIN, "a: :1 linux/amd64, b: :1 linux/arm64 2026-06-01T06:00:00Z", "", f"CAT035 b: {OLDER % 154}",
        security=MAX_AGE),
    "no scan": Row(
        "versions: ['1']", "", None,
        "CAT035 docs/images/web.md:5: versions: the newest version, 1, has no scan (scan it; `security.max",
        security=MAX_AGE),
    "a planned image with an old scan": Row(
        "lifecycle: planned\nversions: ['1']", "web/1: 2020-01-01T00:00:00Z", "", security=MAX_AGE),
    "no time": Row(
        PLAIN, "web/1: undated", "", "note CAT035 web/1: has no time, so its age is unknown",
        {"scannedAt": None}, security=MAX_AGE),
}  # fmt: skip
IN_NO_GROUP = [
    {"id": "GHSA-1", "aliases": ["CVE-2026-0001"], "database_specific": {"severity": "CRITICAL"}},
    {"id": "OSV-2", "database_specific": {"severity": "LOW"}},
]
NEWEST |= {
    f"records of OSV-Scanner, groups: {groups}": Row(
        PLAIN, {"web/1": osv(IN_NO_GROUP, groups)}, "CVE-2026-0001 OSV-2",
        record={"critical": 1, "low": 1, "findings": 2})
    for groups in (None, [], [{"ids": ["GHSA-1"], "aliases": ["CVE-2026-0001"]}])
}  # fmt: skip
# A pin of a chart, the release that it is, and what is told; `web` has scanned releases, `db` has no scan.
VERSIONS = f"""versions:
  - {{version: 1.27.3, digest: '{A}'}}
  - {{version: '1.27', digest: '{A}'}}
  - {{version: 1.27.2, digest: ['{B}', '{C}']}}"""
REPORTS = {
    "web/1.27.3": trivy([row("CVE-1", "CRITICAL", fixed="2"), row("CVE-2", "LOW")], digest=f"{WEB}@{A}"),
    "web/1.27.2": trivy([row("CVE-2", "LOW")], digest=f"{WEB}@{B}"),
    "web/arm64": trivy([], digest=f"{WEB}@{C}"),
}
OFF_PAGE = "note CAT038 docs/charts/app.md:5: is on no page of the catalog"


def pins(*written: str, more: dict[str, object] | None = None, told: str = "", **chart: object) -> Row:
    listed = f"images: [{', '.join(written)}]" if written else ""
    pages = {"web": VERSIONS, "db": "versions: ['8.2', latest]", "app": listed}
    return Row(pages, REPORTS | (more or {}), {"web 1.27.3": "CVE-1 CVE-2"}, told, chart=chart)


PINS = {
    f"pin {pin}": pins(f"'{pin}'", joined=[release], told=told)
    for pin, release, told in (
        (f"{WEB}:1.27.3@{C}", "web 1.27.2", ""),
        (f"{WEB}:1.27", "web 1.27", ""),
        (DB, "db latest", ""),
        ("db:8.2", "- -", ""),
        (
            f"{WEB}:1.0",
            "web -",
            "note CAT038 docs/charts/app.md:5: images[0]: the page of 'web' has no version '1.0', and there"
            " is no scan of it (it has versions 1.27.3, 1.27.2, 1.27)",
        ),
        (f"{WEB}:1.27.3@{D}", "web -", OFF_PAGE.replace("is on", f"images[0]: the digest {D} is on")),
    )
} | {
    "a pin in two fields": pins(f"{{image: '{WEB}', digest: '{B}'}}", joined=["web 1.27.2"]),
    "a pin of a version that was scanned though no page has it": pins(
        f"'{WEB}:1.0'", more={"old": scan(f"{WEB}:1.0")}, joined=["web -"], pinsScanned=1),
    "a pin of a digest of another repository": pins(
        f"'{DB}:8.2@{A}'",
        told=f"error CAT038 docs/charts/app.md:5: images[0]: the digest belongs to {WEB} 1.27.3, not"),
    "an image without a digest counts once by its reference": pins(
        f"'{DB}:8.2'", f"{{name: cache, image: '{DB}:8.2'}}", "docker.io/library/busybox",
        "docker.io/library/busybox:latest", pins=2, pinsScanned=0, total=None, complete=False, grade=None,
        score=None, scannedAt=None),
    "with some pins unscanned, none found is not none there": pins(
        f"'{WEB}@{A}'", f"'{DB}:8.2'", scanned=False, pins=2, pinsScanned=1, total=2, critical=1, high=None,
        suppressed=None, grade=None, score=None),
    "only that very digest is a scan of a pinned digest": pins(
        f"'quay.io/acme/proxy:1@{D}'", more={"a": scan("CVE-9 quay.io/acme/proxy:1 quay.io/acme/proxy@e")},
        told=f"{OFF_PAGE} | CAT031 a: no version in the catalog matches this report of quay.io/acme/proxy:1",
        pinsScanned=0),
} | {
    f"a hub scanned {scanned}": pins(
        f"'{pin}'", more={"hub": {scanned: scan("CVE-9 MEDIUM")}}, told=OFF_PAGE * ("@" in pin), scanned=True,
        total=1, medium=1, grade="C")
    for pin, scanned in (
        (f"quay.io/acme/b@{D}", f"elsewhere.io/x@{D}"),
        ("docker.io/library/d:1", "d:1"),
        (f"{WEB}@{D}", f"{WEB}@{D}"),
    )
}  # fmt: skip
BOTH = ["linux/amd64", "linux/arm64"]
LISTED = f"platforms: [linux/amd64, linux/arm64]\nversions: [{{version: '1', digest: '{C}'}}]"
"""A version whose page lists two platforms, and knows no manifest."""
MISSING = "CAT036 a: web 1 is only partly scanned: no scan found for"
INCOMPLETE: dict[str, object] = {"complete": False, "grade": None}


def of_grype(manifest: str = "", **more: object) -> dict[str, Any]:
    facts = {"userInput": f"{WEB}:1", "manifestDigest": manifest, "os": "linux", "architecture": "amd64"}
    return grype(created=NEW, **facts) | more


def of_debian(results: object, **system: str) -> dict[str, Any]:
    report = scan("@c linux/amd64")
    return report | {"Metadata": report["Metadata"] | system, "Results": results}


DEBIAN: Any = {"OS": {"Family": "debian", "Name": "13"}}
ENDED = [{"package": {"name": "libc6"}, "alerts": [{"type": "distro-eol", "message": "debian 10"}]}]
NOT_OF_1 = "CAT031 web/1.0123456789ab: no version in the catalog matches"
# What a scan has looked at: the parts of a version, and what covers them.
LOOKED = {
    "a report by the index covers only its platform": Row(
        MANIFESTS, "a: CVE-1 @c linux/amd64", "CVE-1", f"{MISSING} linux/arm64 ({B}) (scan what `catalog-api",
        INCOMPLETE | {"platformsScanned": BOTH[:1]}),
    "with that of the other platform all is covered": Row(
        MANIFESTS, "a: @c linux/amd64, b: CVE-1 CRITICAL @b linux/arm64/v8", "CVE-1",
        record={"complete": True, "grade": "F", "platformsScanned": BOTH}),
    "a manifest digest of Grype names its part": Row(
        MANIFESTS, {"a": of_grype(B)}, "", f"{MISSING} linux/amd64", {"platformsScanned": BOTH[1:]}),
    "one that no page has is left aside": Row(
        MANIFESTS, {"a": of_grype(D)}, "", f"{MISSING} linux/arm64", {"platformsScanned": BOTH[:1]}),
    "a scan without a platform covers no particular part": Row(
        MANIFESTS, "a: CVE-1 @c", "CVE-1", f"{MISSING} linux/amd64 ({A}), linux/arm64 ({B})",
        INCOMPLETE | {"platformsScanned": [], "total": 1}),
    "who publishes one platform says so once": Row(
        f"platforms: [linux/amd64]\n{MANIFESTS}", "a: @c linux/amd64, b: CVE-1 CRITICAL @c linux/arm64", "",
        "note CAT033 b: not used for web 1: it is of linux/arm64, which `platforms` leaves out",
        {"complete": True, "grade": "A+"}),
    "platforms of no manifest": Row(
        f"platforms: [linux/s390x]\n{MANIFESTS}", "a: @c linux/amd64, b: CVE-1 CRITICAL @c linux/arm64",
        "CVE-1",
        "CAT036 docs/images/web.md:5: 1 has manifests of linux/amd64, linux/arm64, but of none of these",
        {"complete": True, "grade": "F"}),
    **{
        f"nothing is recognized by {name}": Row(
            LISTED, {"web/1": report}, "", "CAT036 web/1: recognized neither an operating system",
            INCOMPLETE | {"limits": ["nothing-recognized"]})
        for name, report in (
            ("Trivy", of_debian(None)),
            ("Grype", of_grype(distro={"name": ""})),
            ("OSV-Scanner", {"results": []}),
        )
    },
    "nothing is recognized in an image that is built from nothing": Row(
        f"accept: [nothing-recognized]\n{LISTED}", {"web/1": of_debian(None)}, "",
        record={"complete": False, "grade": "A+", "limits": []}),
    **{
        f"Grype alerts {alert}": Row(
            LISTED, {"a": of_grype(alertsByPackage=[{"alerts": [{"type": alert}]}])}, "",
            "CAT036 a: no data on this distribution", INCOMPLETE | {"limits": ["unknown-distribution"]})
        for alert in ("distro-unknown", "distro-disabled", "of a later Grype")
    },
    "OSV-Scanner names a system": Row(
        LISTED, {"web/1": {"results": [], "image_metadata": {"os": "Alpine 3"}}}, "", record={"limits": []}),
    **{
        f"an operating system without results gets no good grade: {results}": Row(
            LISTED, {"a": of_debian(results, **DEBIAN)}, "", "CAT036 a: no results for its packages",
            INCOMPLETE | {"limits": ["no-system-packages"]})
        for results in ([{"Target": "app", "Class": "lang-pkgs"}], None)
    },
    "Grype says that a distribution has ended": Row(
        LISTED, {"a": of_grype(alertsByPackage=ENDED)}, "",
        "CAT037 a: the operating system in web 1 is past its end",
        {"osEndOfLife": True, "grade": None, "limits": ["os-end-of-life"]}),
    "a file with two formats": Row(
        LISTED, {"a": scan(":1") | of_grype()}, None,
        "error CAT030 a: a report of both Trivy and Grype (save each report in a file"),
    **{
        f"a report of a former build never counts by its path: {words}": Row(
            MANIFESTS, {"web/1.0123456789ab": scan(f"CVE-1 {words} linux/amd64")}, None, NOT_OF_1)
        for words in (":1", "@d")
    },
    "a pinned manifest has its own figures": Row(
        {"web": MANIFESTS, "app": f"images: ['{WEB}@{B}']"}, "b: @b linux/arm64", "",
        "CAT036 b: no scan found for linux/amd64", chart={"complete": True, "critical": 0, "grade": "A+"}),
}  # fmt: skip
ROWS = BY_NAME | BY_PATH | NEWEST | PARTS | DOUBTS | AGES | PINS | LOOKED


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Seen]]:
    with catalogs(ROWS, tmp_path_factory.mktemp) as every:
        yield every


@pytest.mark.parametrize("name", ROWS)
def test_which_scan_counts(seen: dict[str, Seen], name: str) -> None:
    seen[name].compare(ROWS[name])


def test_a_page_names_the_platforms_that_were_scanned_if_another_was_not(site: SiteFolder) -> None:
    site.image("web", LISTED)
    for part, named in (("amd64", True), ("arm64", False)):
        site.report(f"{part}.json", scan(f"@c linux/{part}"))
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
    site.image("web", PLAIN)
    site.report("a.json", scan(":1 CVE-1 2016-01-01T00:00:00Z"))
    site.report("b.json", scan(":1 CVE-2 2018-01-01T00:00:00Z"))
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
    site.report("web/2.json", scan("@a"))
    noted = [f"note {each.file}" for each in built(site, strict=True).problems]
    assert noted == [*NO_REPORT[file]]


def test_reports_with_a_capital_ending_are_read(site: SiteFolder) -> None:
    site.image("web", ONE)
    site.write("scans/web/1.JSON", json.dumps(scan("CVE-1 @a")).encode())
    assert built(site).json("security/web/1.json")["total"] == 1


@pytest.mark.parametrize("file", ["scans/web/1.json", "vex/a.json"])
def test_the_limit_of_the_settings_holds_for_reports_and_statements(site: SiteFolder, file: str) -> None:
    site.image("web", PLAIN)
    site.write(file, b" " * 1_001)
    site.settings["security"] = {"max_report_size": "1kB"}
    result = site.build()
    assert result.failed
    assert f"{file}: not read, because the file has 1,001 bytes (limit: 1,000)" in result.logged()[0]
