"""A fault of the plugin stops the build, with the document and the place, and nothing is published."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from mkdocs_catalog_api import rendering
from mkdocs_catalog_api.api import badges, collections, index, openapi, security
from mkdocs_catalog_api.api import security_totals as totals
from mkdocs_catalog_api.api.security import Assessed, Assessor, Record
from mkdocs_catalog_api.documents.serialise import Raw
from mkdocs_catalog_api.reports import index as scan_index

from .sites import REGISTRY, SiteFolder
from .test_build import small
from .test_cli import call, config

Change = Callable[[Any], Any]


def plant(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, change: Change) -> None:
    """Let a function of the composer return something else than it should."""
    right = getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda *given, **named: change(right(*given, **named)))


def set_(**values: Any) -> Change:
    """Fields that get another value; None stays None."""
    return lambda fields: {**fields, **values}


def add(name: str) -> Change:
    """A counter that is one too high, where it is known at all."""
    return lambda fields: fields if fields[name] is None else {**fields, name: fields[name] + 1}


def without(name: str) -> Change:
    return lambda fields: {key: value for key, value in fields.items() if key != name}


def in_summary(change: Change) -> Change:
    return lambda pair: (change(pair[0]), pair[1])


def in_index(change: Change) -> Change:
    return lambda pair: (pair[0], [change(entry) for entry in pair[1]])


def in_record(old: bytes, new: bytes) -> Change:
    """Other bytes in the JSON of a scanned release, its rows aside."""

    def change(made: tuple[Record, Assessed | None]) -> tuple[Record, Assessed | None]:
        record, found = made
        before, rows, after = record
        return Record(Raw(before.replace(old, new)), rows, Raw(after.replace(old, new))), found

    return change


def in_rows(**values: Any) -> Change:
    """Other values in the rows of a report."""
    return lambda united: [({**row, **values}, findings) for row, findings in united]


def in_paths(change: Change) -> Change:
    return lambda document: {**document, "paths": change(document["paths"])}


ELSEWHERE = "/catalog/api/v1/security/nobody.json"
ALPHA = "images/alpha/index.json: "
RECORD = "security/alpha/1.10.json: "
REPORT = "scans/alpha/1.10.json: "
COUNTED = (
    ("a page too many", collections, "total_pages", lambda pages: pages + 1, "images/1.json: page 1 of 2"),
    ("the total of an image", totals, "image_security", add("total"), ALPHA + "security: total is"),
    ("a severity", totals, "image_security", add("low"), ALPHA + "security: total is 2"),
    ("the unscanned", totals, "image_security", set_(fixable=0), "images/beta/index.json: "),
    ("pins", totals, "chart_security", add("pinsScanned"), "charts/stack/index.json: "),
    ("the summary", totals, "summary_and_index", in_summary(add("total")), "security.json: total"),
    ("clean images", totals, "summary_and_index", in_summary(add("imagesWithCves")), "imagesWithCves"),
    ("an index entry", totals, "summary_and_index", in_index(add("high")), "data.0: total is 2"),
    ("a record", Assessor, "record", in_record(b'"total":2', b'"total":3'), RECORD + "counters"),
    ("fixes", Assessor, "record", in_record(b'"fixable":1', b'"fixable":2'), RECORD + "fixable is 2"),
    ("nothing scanned", Assessor, "record", in_record(b'"scanned":true', b'"scanned":false'), RECORD),
    ("rows", scan_index, "tally", lambda said: said._replace(fixable=(0,) * 5), REPORT + "cves: counted"),
    ("ids of rows", scan_index, "tally", lambda said: said._replace(unique=1), REPORT + "cves: counted"),
    ("distinct ids", Assessor, "record", in_record(b'"unique":2', b'"unique":3'), RECORD + "unique is 3"),
)  # fmt: skip
TYPED = (
    ("null", collections, "published", set_(name=None), ALPHA + "name: "),
    ("a missing field", collections, "published", without("homepage"), ALPHA + "homepage: "),
    ("a field of its own", collections, "published", set_(extra=1), ALPHA + "extra: "),
    ("a counter as text", totals, "image_security", set_(total="2"), ALPHA + "security.total: "),
    ("a counter as a float", totals, "image_security", set_(high=1.0), ALPHA + "security.high: "),
    ("a score as text", totals, "image_security", set_(score="1"), ALPHA + "security.score"),
    ("a word that is none", collections, "published", set_(lifecycle="gone"), ALPHA + "lifecycle: "),
    ("null in a badge", badges.Badge, "payload", set_(namedLogo=None), "badge/alpha/cves.json: namedLogo: "),
    ("two logos", badges.Badge, "payload", set_(logoSvg="<svg/>"), "badge/alpha/cves.json: a badge has"),
    ("null in a row", scan_index, "unite_with_findings", in_rows(title=None), REPORT + "0.title: "),
    ("a row of its own", scan_index, "unite_with_findings", in_rows(extra=1), REPORT + "0.extra: "),
    ("an envelope", security, "envelope", lambda _: Raw(b'{"slug":"alpha"}'), "alpha.json: apiVersion"),
    ("nothing at all", rendering, "members", lambda _: Raw(b"{}"), RECORD + "it is no document"),
    ("no list", collections, "array", lambda _: Raw(b""), "images.json: data"),
    ("half a list", collections, "array", lambda data: Raw(data[:-9] + b"]"), "images.json: data"),
)  # fmt: skip
LINKED = (
    ("to nothing", totals, "image_security", set_(href=ELSEWHERE), "links to security/nobody.json"),
    ("off the site", totals, "image_security", set_(href="/api/v1/x.json"), "security.href: "),
    ("a page off the site", collections, "published", set_(url="/images/alpha/"), ALPHA + "url: "),
    ("in discovery", index, "discovery", set_(openapi="/catalog/api/v1/o.json"), "links to o.json"),
    ("an undescribed path", openapi, "openapi", in_paths(without("/api/v1/index.json")), "describes"),
    ("an unknown schema", openapi, "openapi", set_(components={"schemas": {}}), "schemas has no "),
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


def test_the_same_catalog_passes_without_a_fault(site: SiteFolder) -> None:
    result = call("build", "-f", config(small(site), site_url="https://example.org/catalog/"))
    assert result.exit_code == 0, result.output


def test_rows_that_a_statement_has_sifted_are_judged_again(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    statement = {
        "vulnerability": {"name": "CVE-2026-0001"},
        "products": [{"@id": f"pkg:oci/alpha?repository_url={REGISTRY}/alpha"}],
        "status": "fixed",
    }
    head = {"@context": "https://openvex.dev/ns/v0.2.0", "@id": "https://example.org/vex/1"}
    body = {**head, "timestamp": "2026-01-01T00:00:00Z", "statements": [statement]}
    small(site).write("vex/a.json", json.dumps(body))
    plant(monkeypatch, security, "tally", lambda said: said._replace(unique=7))
    result = call("build", "-f", config(site, site_url="https://example.org/catalog/"))
    assert result.exit_code == 1
    assert REPORT + "cves: counted" in result.output


def test_mkdocs_says_so_in_one_line(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, totals, "image_security", add("total"))
    result = small(site).build()
    assert result.failed
    assert any("images/alpha/index.json: security: total is 3" in line for line in result.logged())
    assert not result.api.exists()


def test_a_fault_in_a_worker_is_told_like_any_other(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(70):
        site.image(f"image-{number:02}", "versions: [1.0]")
    plant(monkeypatch, Assessor, "record", in_record(b'"scanned":false', b'"scanned":true'))
    result = call("build", "-f", config(site))
    assert result.exit_code == 1
    assert "security/image-00/1.0.json: scanned, but without figures" in result.output


def test_texts_of_authors_are_never_taken_for_links(site: SiteFolder) -> None:
    small(site)
    site.settings["badges"] = {"cves": {"label": "/catalog/api/v1/nothing.json"}}
    site.image("gamma", 'name: "/catalog/api/v1/x.json"\ndescription: "href\\":\\"/catalog/api/v1/x.json"')
    result = call("build", "-f", config(site, site_url="https://example.org/catalog/"))
    assert result.exit_code == 0, result.output
