"""What a scan has looked at: the parts of a version, what covers them, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from .scan_rows import NEW, WEB, A, B, C, D, Row, Seen, catalogs, scan
from .sites import SiteFolder, grype, match, rendered

BOTH = ["linux/amd64", "linux/arm64"]
MANIFESTS = (
    f"versions: [{{version: '1', digest: '{C}', manifests: {{linux/amd64: '{A}', linux/arm64: '{B}'}}}}]"
)
"""A version with an index and its two manifests."""
LISTED = f"platforms: [linux/amd64, linux/arm64]\nversions: [{{version: '1', digest: '{C}'}}]"
"""A version whose page lists two platforms, and knows no manifest."""
MISSING = "CAT036 a: web 1 is only partly scanned: no scan found for"
PARTLY: dict[str, object] = {"complete": False, "grade": None}


def of_grype(manifest: str = "", **more: object) -> dict[str, Any]:
    facts = {"userInput": f"{WEB}:1", "manifestDigest": manifest, "os": "linux", "architecture": "amd64"}
    return grype(created=NEW, **facts) | more


def of_system(results: object, **system: str) -> dict[str, Any]:
    report = scan("@c linux/amd64")
    return report | {"Metadata": report["Metadata"] | system, "Results": results}


HEADERS = {
    "package": {"name": "linux(-.*)?-headers-.*", "type": "deb", "upstream-name": "linux.*"},
    "match-type": "exact-indirect-match",
}
FIXED = {"reason": "DistroPackageFixed"}
DEBIAN: Any = {"OS": {"Family": "debian", "Name": "13"}}
ENDED = [{"package": {"name": "libc6"}, "alerts": [{"type": "distro-eol", "message": "debian 10"}]}]
NOT_OF_1 = "CAT031 web/1.0123456789ab: no version in the catalog matches"
ROWS = {
    "a report by the index covers only its platform": Row(
        MANIFESTS, "a: CVE-1 @c linux/amd64", "CVE-1", f"{MISSING} linux/arm64 ({B}) (scan what `catalog-api",
        PARTLY | {"platformsScanned": BOTH[:1]},
    ),
    "with that of the other platform all is covered": Row(
        MANIFESTS, "a: @c linux/amd64, b: CVE-1 CRITICAL @b linux/arm64/v8", "CVE-1",
        record={"complete": True, "grade": "F", "platformsScanned": BOTH},
    ),
    "a part may be accepted, but is not complete": Row(
        MANIFESTS, "a: @c linux/amd64", "", f"note {MISSING} linux/arm64", {"complete": False, "grade": "A+"},
        security={"accept": ["partial"]},
    ),
    "a manifest digest of Grype names its part": Row(
        MANIFESTS, {"a": of_grype(B)}, "", f"{MISSING} linux/amd64", {"platformsScanned": BOTH[1:]}
    ),
    "one that no page has is left aside": Row(
        MANIFESTS, {"a": of_grype(D)}, "", f"{MISSING} linux/arm64", {"platformsScanned": BOTH[:1]}
    ),
    "a scan without a platform covers no particular part": Row(
        MANIFESTS, "a: CVE-1 @c", "CVE-1", f"{MISSING} linux/amd64 ({A}), linux/arm64 ({B})",
        PARTLY | {"platformsScanned": [], "total": 1},
    ),
    "who publishes one platform says so once": Row(
        f"platforms: [linux/amd64]\n{MANIFESTS}",
        "a: @c linux/amd64, b: CVE-1 CRITICAL @c linux/arm64", "",
        "note CAT033 b: not used for web 1: it is of linux/arm64, which `platforms` leaves out",
        {"complete": True, "grade": "A+"},
    ),
    "platforms of no manifest": Row(
        f"platforms: [linux/s390x]\n{MANIFESTS}",
        "a: @c linux/amd64, b: CVE-1 CRITICAL @c linux/arm64", "CVE-1",
        "CAT036 docs/images/web.md:5: 1 has manifests of linux/amd64, linux/arm64, but of none of these",
        {"complete": True, "grade": "F"},
    ),
    "a report of another build covers nothing": Row(
        LISTED, "web/1: @a linux/amd64", "",
        f"CAT031 web/1: the scanned digest {A} is not a digest of web 1",
        PARTLY | {"scanned": True, "digest": A, "digestsScanned": 0},
    ),
    "no platform is expected of an image built from nothing": Row(
        LISTED, {"a": of_system(None)}, "", record={"complete": False, "grade": "A+"}
    ),
    **{
        f"an operating system without results gets no good grade: {results}": Row(
            LISTED, {"a": of_system(results, **DEBIAN)}, "", "CAT036 a: no results for its packages",
            PARTLY | {"limits": ["no-system-packages"]},
        )
        for results in ([{"Target": "app", "Class": "lang-pkgs"}], None)
    },
    "Grype says that a distribution has ended": Row(
        LISTED, {"a": of_grype(alertsByPackage=ENDED)}, "",
        "CAT037 a: the operating system in web 1 is past its end",
        {"osEndOfLife": True, "grade": None, "limits": ["os-end-of-life"]},
    ),
    "a file with two formats": Row(
        LISTED, {"a": scan(":1") | of_grype()}, None,
        "error CAT030 a: a report of both Trivy and Grype (save each report in a file",
    ),
    **{
        f"a report of a former build never counts by its path: {words}": Row(
            MANIFESTS, {"web/1.0123456789ab": scan(f"CVE-1 {words} linux/amd64")}, None, NOT_OF_1
        )
        for words in (":1", "@d")
    },
    **{
        f"Grype left a match out by rule {number}": Row(
            LISTED,
            {"a": of_grype(
                ignoredMatches=[match("CVE-1", "Critical") | {"appliedIgnoreRules": [rule]}],
                descriptor={"name": "grype", "timestamp": NEW, "configuration": {"ignore": configured}},
            )},
            "CVE-1" * counts, "note CAT039 a: counted like any other: 1 finding ignored by Grype" * counts,
        )
        for number, (rule, configured, counts) in enumerate((
            (HEADERS, [HEADERS], False),
            (HEADERS | {"package": {"name": "openssl.*", "upstream-name": "openssl"}}, [], True),
            (HEADERS | {"vulnerability": "CVE-1"}, [], True),
            (FIXED, [], False),
            (FIXED, [FIXED | {"package": {"name": "a"}}], True),
        ))
    },
    "a chart with an unscanned pin has no count of zero": Row(
        {"web": MANIFESTS, "app": f"images: ['{WEB}@{B}', 'quay.io/acme/proxy:1']"},
        "b: @b linux/arm64", "", "CAT036 b: no scan found for linux/amd64",
        chart={"pins": 2, "pinsScanned": 1, "scanned": False, "complete": False, "critical": None,
               "total": None, "grade": None},
    ),
    "a pinned manifest has its own figures": Row(
        {"web": MANIFESTS, "app": f"images: ['{WEB}@{B}']"},
        "b: @b linux/arm64", "", "CAT036 b: no scan found for linux/amd64",
        chart={"complete": True, "critical": 0, "grade": "A+"},
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Seen]]:
    with catalogs(ROWS, tmp_path_factory.mktemp) as every:
        yield every


@pytest.mark.parametrize("name", ROWS)
def test_what_a_scan_has_looked_at(seen: dict[str, Seen], name: str) -> None:
    seen[name].compare(ROWS[name])


def test_each_manifest_has_the_figures_of_its_own_scans(seen: dict[str, Seen]) -> None:
    one, both = [*ROWS][:2]
    facts = "scanned", "complete", "grade", "critical"
    for name, digest, expected in (
        (one, A, [True, True, "D", 0]),
        (one, B, [False, False, None, None]),
        (both, A, [True, True, "A+", 0]),
        (both, B, [True, True, "F", 1]),
    ):
        (entry,) = seen[name].result.json(f"digests/{seen[name].own(digest).replace(':', '/')}.json")["data"]
        assert [entry["security"][fact] for fact in facts] == expected


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", ""),
        ("@c linux/amd64", f"this report is for linux/amd64, but its path is that of {B}"),
        ("@a linux/arm64", f"this report is for {A}, but its path is that of {B}"),
    ],
)
def test_a_path_names_a_part_unless_the_report_contradicts_it(
    site: SiteFolder, words: str, told: str
) -> None:
    site.image("web", MANIFESTS)
    site.report("web/1.bbbbbbbbbbbb.json", scan(words))
    result = site.build()
    assert (result.failed, told in result.logged()[0]) == (bool(told), True)
    if not told:
        assert result.at("security/web/1 platformsScanned") == BOTH[1:]


def test_platforms_without_digests_are_graded_by_what_was_scanned(site: SiteFolder) -> None:
    site.image("web", LISTED)
    site.report("a.json", scan("@c linux/amd64"))
    result = rendered(site, strict=True)
    assert [result.at(f"security/web/1 {key}") for key in ("complete", "grade")] == [False, "A+"]
    page = (result.folder / "site/images/web/index.html").read_text("utf-8")
    assert 'No known vulnerabilities</b> <span class="catalog-quiet">·&nbsp;linux/amd64</span>' in page
    site.report("b.json", scan("@c linux/arm64"))
    result = rendered(site)
    assert result.at("security/web/1 platformsScanned") == BOTH
    assert "·&nbsp;linux/amd64</span>" not in (result.folder / "site/images/web/index.html").read_text(
        "utf-8"
    )
