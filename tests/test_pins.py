"""Which release each pin of a chart is, and what the chart's figures add up to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from .scan_rows import DB, WEB, A, B, C, D, Row, Seen, catalogs, scan
from .sites import row, trivy

VERSIONS = f"""versions:
  - {{version: 1.27.3, digest: '{A}'}}
  - {{version: '1.27', digest: '{A}'}}
  - {{version: 1.27.2, digest: ['{B}', '{C}']}}"""
FOUND = [row("CVE-1", "CRITICAL", fixed="2"), row("CVE-2", "LOW")]
REPORTS = {
    "web/1.27.3": trivy(FOUND, digest=f"{WEB}@{A}"),
    "web/1.27.2": trivy(FOUND[1:], digest=f"{WEB}@{B}"),
    "web/arm64": trivy([], digest=f"{WEB}@{C}"),
}
PROXY = "quay.io/acme/proxy"
NOTE = "note CAT038 docs/charts/app.md:5"
NO_PAGE = f"{NOTE}: is on no page of the catalog"


def pins(
    *written: str, more: dict[str, object] | None = None, told: str = "", web: str = "", **chart: object
) -> Row:
    """A chart with these pins; `web` has scanned releases, one under two labels, and `db` no scan."""
    listed = f"images: [{', '.join(written)}]" if written else ""
    pages = {"web": web or VERSIONS, "db": "versions: ['8.2', latest]", "app": listed}
    return Row(pages, REPORTS | (more or {}), {"web 1.27.3": "CVE-1 CVE-2"}, told, chart=chart)


def quoted(pin: str) -> str:
    return pin if pin.startswith("{") else f"'{pin}'"


ONE = {
    f"{WEB}@{A}": "web 1.27.3",
    f"{WEB}:1.27@{A}": "web 1.27.3",
    f"{WEB}:1.27.3@{C}": "web 1.27.2",
    f"{WEB}:1.27": "web 1.27",
    f"{{image: '{WEB}', digest: '{B}'}}": "web 1.27.2",
    f"{WEB}:1.0": "web -",
    f"{WEB}:1.27.3@{D}": "web -",
    DB: "db latest",
    f"{DB}:8.2": "db 8.2",
    "db:8.2": "- -",
    "quay.io/acme/x:1.27.3": "- -",
}
TOLD = {
    f"{WEB}:1.0": f"{NOTE}: images[0]: the page of 'web' has no version '1.0', and there is no scan of it"
    " (it has versions 1.27.3, 1.27.2, 1.27)",
    f"{WEB}:1.27.3@{D}": f"{NOTE}: images[0]: the digest {D} is on no page of the catalog",
}
ROWS = {pin: pins(quoted(pin), told=TOLD.get(pin, ""), joined=[release]) for pin, release in ONE.items()}
NO_FIGURES: dict[str, Any] = dict.fromkeys(
    (
        "critical",
        "high",
        "total",
        "fixable",
        "suppressed",
        "grade",
        "score",
        "exploited",
        "scannedAt",
        "osEndOfLife",
    )
)
ROWS |= {
    "a version that was scanned though no page has it": pins(
        f"'{WEB}:1.0'", more={"old": scan(f"{WEB}:1.0")}, joined=["web -"], pinsScanned=1
    ),
    "a digest on no page": pins(
        f"'{WEB}:1.27.3'", f"'{WEB}:1.27.3@{D}'", told=NO_PAGE, scanned=False, pins=2, pinsScanned=1
    ),
    "a digest of another repository": pins(
        f"'{DB}:8.2@{A}'",
        told=f"error CAT038 docs/charts/app.md:5: images[0]: the digest belongs to {WEB} 1.27.3, not to {DB}",
    ),
    "figures are sums over the releases that are pinned": pins(
        f"'{WEB}@{A}'", f"'{WEB}:1.27.2'",
        scanned=True, critical=1, high=0, medium=0, low=2, unknown=0, total=3, fixable=1, suppressed=0,
        grade="F", score=12.7, pins=2, pinsScanned=2, exploited=None, complete=True,
        scannedAt="2026-11-01T06:00:00Z", osEndOfLife=None, version=None, href=None,
    ),
    "a release pinned in three ways counts once": pins(
        f"'{WEB}@{A}'", f"'{WEB}:1.27.3@{A}'", f"'{WEB}:1.27.3'", pins=1, total=2
    ),
    "an image without a digest counts once by its reference": pins(
        f"'{DB}:8.2'", f"{{name: cache, image: '{DB}:8.2'}}",
        "docker.io/library/busybox", "docker.io/library/busybox:latest",
        pins=2, pinsScanned=0, total=None,
    ),
    "with some pins unscanned, none found is not none there": pins(
        f"'{WEB}@{A}'", f"'{DB}:8.2'",
        scanned=False, pins=2, pinsScanned=1, total=2, critical=1,
        high=None, suppressed=None, grade=None, score=None,
    ),
    "no pin": pins(scanned=False, complete=False, pins=0, pinsScanned=0, **NO_FIGURES),
    "no scan": pins(f"'{DB}:8.2'", scanned=False, complete=False, pins=1, pinsScanned=0, **NO_FIGURES),
    "only that very digest is a scan of a pinned digest": pins(
        f"'{PROXY}:1@{D}'", more={"a": scan(f"CVE-9 {PROXY}:1 {PROXY}@e")}, pinsScanned=0,
        told=f"{NO_PAGE} | CAT031 a: no version in the catalog matches this report of {PROXY}:1",
    ),
    "a scan that counts for a release counts for a pin of its digest": pins(
        f"'{DB}:8.2@{D}'", more={"db/8.2": scan(f"CVE-9 {DB}:8.2 {DB}@d")},
        joined=["db -"], total=1,
        told=NO_PAGE,
    ),
} | {
    f"a hub scanned {scanned}": pins(
        f"'{pin}'", more={"hub": {scanned: scan("CVE-9 MEDIUM")}}, told=NO_PAGE * ("@" in pin),
        scanned=True, total=1, medium=1, grade="C",
    )
    for pin, scanned in (
        (f"quay.io/acme/a:1@{D}", f"quay.io/acme/a:1@{D}"),
        (f"quay.io/acme/b@{D}", f"elsewhere.io/x@{D}"),
        ("quay.io/acme/c:1", "quay.io/acme/c:1"),
        ("docker.io/library/d:1", "d:1"),
        (f"{WEB}@{D}", f"{WEB}@{D}"),
    )
}  # fmt: skip
ROWS["a digest on pages of two repositories is that of the pin"] = Row(
    {"web": f"versions: [{{version: '1', digest: '{A}'}}]",
     "db": f"versions: [{{version: '9', digest: '{A}'}}]",
     "app": f"images: ['{DB}@{A}', '{WEB}@{A}']"},
    "", None, chart={"joined": ["db 9", "web 1"]},
)  # fmt: skip


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Seen]]:
    with catalogs(ROWS, tmp_path_factory.mktemp) as every:
        yield every


@pytest.mark.parametrize("name", ROWS)
def test_what_a_pin_is(seen: dict[str, Seen], name: str) -> None:
    seen[name].compare(ROWS[name])


def test_a_pin_off_the_catalog_counts_in_the_overview_of_pins_only(
    seen: dict[str, Seen],
) -> None:
    summary = seen["no scan"].result.json("security.json")
    assert set(summary["images"]) & {"proxy", "a", "b", "c", "d"} == set()
    assert summary["pinned"]["bySeverity"]["medium"] > summary["bySeverity"]["medium"] == 0
