"""A fault of the plugin stops the build, with the document and the place, and nothing is published."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import UNSET, to_builtins
from msgspec.structs import replace

from mkdocs_catalog_api.documents import (
    badges,
    collections,
    index,
    items,
    openapi,
    output,
    security,
    verify_large,
)
from mkdocs_catalog_api.documents import security_totals as totals

from .sites import REGISTRY, SiteFolder
from .test_build import small
from .test_cli import call, config

Change = Callable[[Any], Any]


def plant(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, change: Change) -> None:
    """Let a function return something else than it should."""
    right = getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda *given, **named: change(right(*given, **named)))


def set_(**values: Any) -> Change:
    """Fields that get another value."""
    return lambda made: replace(made, **values)


def add(name: str) -> Change:
    """A counter that is one too high, where it is known at all."""
    return lambda made: made if (known := getattr(made, name)) is None else replace(made, **{name: known + 1})


def if_scanned(**values: Any) -> Change:
    """Other values in the record of a release that has a scan."""
    return lambda record: replace(record, **values) if record.scanned else record


def in_summary(change: Change) -> Change:
    return lambda pair: (change(pair[0]), pair[1])


def in_index(change: Change) -> Change:
    return lambda pair: (pair[0], replace(pair[1], data=[*map(change, pair[1].data)]))


def in_rows(**values: Any) -> Change:
    """Other values in the rows of a report."""
    return lambda united: [(replace(row, **values), findings) for row, findings in united]


def in_documents(end: str, change: Change) -> Change:
    """Another document at each path with this end; None leaves it out."""

    def changed(made: Any) -> Any:
        pairs = [(path, change(body) if path.endswith(end) else body) for path, body in made]
        return [(path, body) for path, body in pairs if body is not None]

    return changed


def in_item(change: Change) -> Change:
    return lambda pair: (pair[0], change(pair[1]))


def in_paths(document: Any) -> Any:
    paths = {path: found for path, found in document["paths"].items() if path != "/api/v1/index.json"}
    return document | {"paths": paths}


ALPHA = "images/alpha/index.json: "
BADGE = "badge/alpha/cves.json: "
RECORD = "security/alpha/1.10.json: "
DETAIL = "alpha.json"
COUNTED = (
    ("a page too many", collections, "total_pages", lambda pages: pages + 1, "images/1.json: page 1 of 2"),
    ("a total", collections, "documents", in_documents("images.json", add("total")), "images.json: data: 2"),
    ("the last page", collections, "documents", in_documents("/1.json", lambda page: replace(
        page, links=replace(page.links, next=page.links.self))), "images/1.json: links: "),
    ("another item", collections, "item", in_item(set_(slug="other")), ALPHA + "links.self: "),
    ("the newest", items, "image", set_(latest="1.9"), ALPHA + "latest is 1.9"),
    ("the total of an image", totals, "image_security", add("total"), ALPHA + "total is 3, but"),
    ("a severity", totals, "image_security", add("low"), ALPHA + "total is 2, but"),
    ("half a grade", totals, "image_security", set_(score=None), ALPHA + "grade and score"),
    ("the unscanned", totals, "image_security", set_(fixable=0), "images/beta/index.json: not scanned"),
    ("pins", totals, "chart_security", add("pins_scanned"), "charts/stack/index.json: scanned is False"),
    ("the summary", totals, "summary_and_index", in_summary(add("total")), "security.json: total is 3"),
    ("clean images", totals, "summary_and_index", in_summary(add("images_with_cves")), "imagesWithCves is 2"),
    ("an index entry", totals, "summary_and_index", in_index(add("high")), "index.json: alpha: total is 2"),
    ("a record", security, "record", add("total"), RECORD + "counters"),
    ("fixes", security, "record", add("fixable"), RECORD + "fixable is 2, but 1"),
    ("distinct ids", security, "record", add("unique"), RECORD + "unique is 3"),
    ("a row", security, "record", if_scanned(cves=[]), RECORD + "counters"),
    ("nothing scanned", security, "record", set_(scanned=False), RECORD + "1.10 is not scanned, but"),
    ("half a scan", security, "record", set_(scanned=True), "1.9.json: 1.9 is scanned, but lacks"),
    ("the latest", security, "documents", in_documents(DETAIL, lambda detail: replace(
        detail, latest=detail.versions[-1])), "security/alpha.json: latest is not"),
)  # fmt: skip
TYPED = (
    ("null", items, "image", set_(name=None), ALPHA + "Expected `str`, got `null` - at `$.data.name`"),
    ("a missing field", items, "image", set_(homepage=UNSET), "missing required field `homepage`"),
    ("a field of its own", items, "image", lambda item: to_builtins(item) | {"extra": 1}, "`extra`"),
    ("a word that is none", items, "image", set_(lifecycle="gone"), "$.data.lifecycle"),
    ("a counter as text", totals, "image_security", set_(total="2"), "$.data.security.total"),
    ("a counter as a float", totals, "image_security", set_(suppressed=0.5), "$.data.security.suppressed"),
    ("a counter below 0", totals, "image_security", set_(suppressed=-1), "$.data.security.suppressed"),
    ("a score as text", totals, "image_security", set_(score="1"), ALPHA + "Expected `float | null`"),
    ("a score above 100", totals, "image_security", set_(score=101.0), "$.data.security.score"),
    ("null in a badge", badges.Badge, "payload", set_(named_logo=None), BADGE + "Expected `str`"),
    ("a badge without words", badges.Badge, "payload", set_(message=""), "$.message"),
    ("two logos", badges.Badge, "payload", set_(logo_svg="<svg/>"), BADGE + "a badge has"),
    ("no logo", badges.Badge, "payload", set_(named_logo=UNSET), BADGE + "a badge has"),
    ("null in a row", security, "deduplicate", in_rows(title=None), RECORD + "Expected `str`"),
    ("a row without an id", security, "deduplicate", in_rows(id=""), "$.cves[0].id"),
    ("a severity of its own", security, "record", if_scanned(cves=[{"severity": "BAD"}]), "'BAD'"),
    ("no digest", security, "record", if_scanned(digest="latest"), "$.digest"),
    ("no time", security, "record", if_scanned(scanned_at="today"), "$.scannedAt"),
    ("a slug that climbs", totals, "summary_and_index", in_summary(set_(unscanned=["../x"])), "$.unscanned"),
    ("a hash that is none", output, "ManifestEntry", set_(sha256="0"), "manifest.json: Expected `str`"),
    ("no list", collections, "documents", in_documents("images.json", set_(data=None)), "images.json: Exp"),
    ("nothing at all", output, "encode", lambda _: b"{}\n", RECORD + "Object missing required field `api"),
    ("half a document", output, "encode", lambda body: body[:-9], RECORD + "Input data was truncated"),
    ("no text", output, "encode", lambda body: body.replace(b"alpha", b"\xff"), RECORD),
)  # fmt: skip
LINKED = (
    ("to nothing", security, "documents", in_documents("beta.json", lambda _: None), "beta.json: documents"),
    ("off the site", totals, "image_security", set_(href="https://example.org/"), "$.data.security.href"),
    ("a page off the site", items, "image", set_(url="images/alpha/"), "$.data.url"),
    ("in discovery", index, "discovery", set_(openapi="openapi.json"), "index.json: Expected `str` matching"),
    ("an undescribed path", openapi, "openapi", in_paths, "paths: none describes index.json"),
    ("an unknown schema", openapi, "openapi", lambda made: made | {"components": {"schemas": {}}}, "has no "),
)  # fmt: skip


@pytest.mark.parametrize(
    ("owner", "name", "change", "said"),
    [pytest.param(*fault[1:], id=fault[0]) for fault in (*COUNTED, *TYPED, *LINKED)],
)
def test_a_fault_of_ours_stops_the_build(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, change: Change, said: str
) -> None:
    plant(monkeypatch, owner, name, change)
    file = config(small(site), site_url="https://example.org/catalog/")
    result = call("build", "-f", file)
    assert result.exit_code == 1
    assert said in result.output
    assert "a bug of mkdocs-catalog-api" in result.output
    assert not (site.folder / "site").exists()


@pytest.mark.parametrize(
    ("owner", "name", "change"),
    [pytest.param(*fault[1:4], id=fault[0]) for fault in (*COUNTED, *TYPED)],
)
def test_very_many_parts_are_looked_at_as_closely(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, change: Change
) -> None:
    monkeypatch.setattr(verify_large, "LEAST", 0)
    file = config(small(site), site_url="https://example.org/catalog/")
    assert call("check", "-f", file).exit_code == 0
    plant(monkeypatch, owner, name, change)
    result = call("build", "-f", file)
    assert result.exit_code == 1
    assert "a bug of mkdocs-catalog-api" in result.output
    assert not (site.folder / "site").exists()


def test_the_same_catalog_passes_without_a_fault(site: SiteFolder) -> None:
    result = call("build", "-f", config(small(site), site_url="https://example.org/catalog/"))
    assert result.exit_code == 0, result.output


def test_what_a_statement_leaves_is_counted_again(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    statement = {
        "vulnerability": {"name": "CVE-2026-0001"},
        "products": [{"@id": f"pkg:oci/alpha?repository_url={REGISTRY}/alpha"}],
        "status": "fixed",
    }
    head = {"@context": "https://openvex.dev/ns/v0.2.0", "@id": "https://example.org/vex/1"}
    body = {**head, "timestamp": "2026-01-01T00:00:00Z", "statements": [statement]}
    small(site).write("vex/a.json", json.dumps(body))
    plant(monkeypatch, security, "count", lambda said: said._replace(fixable=(7, 0, 0, 0, 0)))
    result = call("build", "-f", config(site, site_url="https://example.org/catalog/"))
    assert result.exit_code == 1
    assert RECORD + "counters" in result.output


def test_mkdocs_says_so_in_one_line(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, totals, "image_security", add("total"))
    result = small(site).build()
    assert result.failed
    assert any("images/alpha/index.json: total is 3" in line for line in result.logged())
    assert not result.api.exists()


def test_texts_of_authors_are_never_taken_for_links(site: SiteFolder) -> None:
    small(site)
    site.settings["badges"] = {"cves": {"label": "/catalog/api/v1/nothing.json"}}
    site.image("gamma", 'name: "/catalog/api/v1/x.json"\ndescription: "href\\":\\"/catalog/api/v1/x.json"')
    result = call("build", "-f", config(site, site_url="https://example.org/catalog/"))
    assert result.exit_code == 0, result.output
