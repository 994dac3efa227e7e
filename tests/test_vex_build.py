"""VEX documents in a site: which rows go where, what is counted, what is said."""

from __future__ import annotations

import logging
from typing import Any

import lxml.html
import pytest

from .sites import REGISTRY, Result, SiteFolder, built, digest, rendered, row, trivy, vex

ONE = "CVE-2026-0001"
TWO = "CVE-2026-0002"
DOCUMENT = "https://example.org/vex/a"
IDLE = (
    "security.vex: {} of 2 VEX statements match no finding in the catalog "
    f"(the first is statements[{{}}] in {DOCUMENT}, on CVE-1999-0001)"
)


@pytest.fixture
def nginx(site: SiteFolder) -> SiteFolder:
    """An image with one scanned release: a fixable critical row and a medium one."""
    site.image("nginx", f"versions: [{{version: 1.27.3, digest: '{digest(1)}'}}]")
    rows = [row(ONE, "CRITICAL", fixed="3.0.1"), row(TWO, "MEDIUM", pkg="zlib")]
    site.report("nginx/1.27.3.json", trivy(rows, digest=f"{REGISTRY}/nginx@{digest(1)}"))
    return site


def ids(record: dict[str, Any], name: str) -> list[str]:
    return [found["id"] for found in record[name]]


def idle(result: Result) -> list[str]:
    return [text for text in result.logged(logging.INFO) if "VEX statement" in text]


def test_the_page_shows_since_when_a_statement_holds(nginx: SiteFolder) -> None:
    vex(nginx, {"timestamp": "2026-03-05T08:00:00Z"}, {"vulnerability": {"name": TWO}})
    rendered(nginx)
    html = lxml.html.document_fromstring((nginx.folder / "site/images/nginx/index.html").read_text("utf-8"))
    (table,) = html.xpath("//table[.//th[normalize-space()='Since']]")
    headings = [heading.text_content().strip() for heading in table.xpath(".//thead//th")]
    rows = [
        dict(zip(headings, [" ".join(cell.text_content().split()) for cell in row_], strict=True))
        for row_ in table.xpath(".//tbody/tr")
    ]
    since = {row_["Vulnerability"]: row_["Since"] for row_ in rows}
    assert since == {ONE: "2026-03-05", TWO: "2026-01-01"}, "of the statement, else of its document"


def test_a_suppressed_row_moves_and_no_longer_counts(nginx: SiteFolder) -> None:
    vex(nginx, {})
    result = built(nginx)
    record = result.json("security/nginx/1.27.3.json")
    assert ids(record, "cves") == [TWO]
    (row_,) = record["suppressed"]
    assert list(row_) == [
        *("id", "severity", "pkg", "installed", "fixed", "title", "url", "targets"),
        *("status", "justification", "statement", "exploited"),
    ]
    assert (row_["id"], row_["fixed"], row_["status"]) == (ONE, "3.0.1", "not_affected")
    assert (row_["justification"], row_["statement"]) == ("vulnerable_code_not_present", DOCUMENT)
    assert (record["total"], record["critical"], record["fixable"]) == (1, 0, 0)
    assert (record["grade"], record["findings"], record["unique"]) == ("C", 2, 1)
    security = result.json("images.json")["data"][0]["security"]
    assert (security["total"], security["suppressed"], security["grade"]) == (1, 1, "C")
    summary = result.json("security.json")
    assert (summary["total"], summary["suppressed"], summary["unique"]) == (1, 1, 1)
    assert summary["images"]["nginx"]["suppressed"] == 1
    assert result.json("badge/nginx/cves.json")["message"].startswith("1")


def test_the_same_bytes_without_a_document_that_applies(nginx: SiteFolder) -> None:
    plain = built(nginx).bytes()
    vex(nginx, {"vulnerability": "CVE-1999-0001"}, {"products": ["pkg:oci/other?repository_url=x.io/other"]})
    result = built(nginx)
    assert result.bytes() == plain
    assert idle(result) == [IDLE.format(2, 0)]


def test_charts_count_what_remains_of_their_pins(nginx: SiteFolder) -> None:
    """Also of a pin that is no release of the catalog."""
    outside = f"quay.io/acme/proxy@{digest(7)}"
    nginx.report("hub/proxy.json", {outside: trivy([row(ONE), row(TWO)], tag="proxy:1")})
    nginx.page(
        "charts/web.md",
        f"""
        category: Web
        tier: core
        license: MIT
        images:
          - {REGISTRY}/nginx:1.27.3
          - {outside}
        """,
    )
    vex(nginx, {}, {"products": [f"pkg:oci/proxy@{digest(7)}"]})
    result = built(nginx)
    security = result.json("charts.json")["data"][0]["security"]
    assert (security["scanned"], security["pins"], security["total"]) == (True, 2, 2)
    assert (security["suppressed"], security["high"], security["medium"]) == (2, 1, 1)
    assert result.json("security.json")["suppressed"] == 1
    assert idle(result) == []


def test_a_folder_of_another_name(nginx: SiteFolder) -> None:
    """A document without an id is named by its file."""
    vex(nginx, {}, name="../statements/x", **{"@id": ""})
    nginx.settings["security"] = {"vex": "statements"}
    (suppressed,) = built(nginx).json("security/nginx.json")["latest"]["suppressed"]
    assert suppressed["statement"] == "statements/x.json"


def test_a_folder_that_would_be_published_is_refused(nginx: SiteFolder) -> None:
    nginx.write("docs/vex/a.json", b"{}")
    nginx.settings["security"] = {"vex": "docs/vex"}
    result = nginx.build()
    assert result.failed
    (text,) = [text for text in result.logged(logging.ERROR) if "the folder is in docs_dir" in text]
    assert "security.vex: " in text


@pytest.mark.parametrize("first", ["web", "mirror"])
def test_an_image_pinned_under_two_names_counts_as_the_one_that_shows_more(
    site: SiteFolder, first: str
) -> None:
    for slug in ("web", "mirror"):
        site.image(slug, f"versions: [{{version: '1', digest: '{digest(1)}'}}]")
    site.report("a.json", trivy([row("CVE-2026-0001", "CRITICAL")], digest=f"{REGISTRY}/web@{digest(1)}"))
    product = {"@id": f"pkg:oci/web?repository_url={REGISTRY}/web"}
    vex(site, {"vulnerability": {"name": "CVE-2026-0001"}, "products": [product]})
    pins = ", ".join(
        f"'{REGISTRY}/{slug}@{digest(1)}'" for slug in sorted(("web", "mirror"), key=first.__ne__)
    )
    head = "category: Web\ntier: core\nlicense: MIT\nimages: "
    site.page("charts/both.md", f"{head}[{pins}]")
    site.page("charts/one.md", f"{head}['{REGISTRY}/web@{digest(1)}']")
    result = built(site)
    both, one = (chart["security"] for chart in result.json("charts.json")["data"])
    assert (both["pins"], both["critical"], both["grade"]) == (1, 1, "F")
    assert (one["critical"], one["suppressed"], one["grade"]) == (0, 1, "A+")
    assert result.json("security.json")["pinned"]["total"] == 1


def test_an_older_version_of_a_document_is_named_in_a_note(nginx: SiteFolder) -> None:
    vex(nginx, {}, version=1)
    vex(nginx, {}, name="b", version=2, **{"@id": DOCUMENT})
    result = built(nginx)
    assert [text for text in result.logged(20) if text.startswith("vex/a.json: version: ")]
    assert result.json("security.json")["suppressed"] == 1


def test_the_registry_of_a_pin_would_match_too(nginx: SiteFolder) -> None:
    pinned = f"quay.io/acme/proxy@{digest(7)}"
    nginx.page("charts/web.md", f"category: Web\ntier: core\nlicense: MIT\nimages: ['{pinned}']")
    vex(nginx, {"products": ["pkg:oci/proxy"]})
    (text,) = built(nginx).logged()
    assert "repository_url=quay.io/acme/proxy`" in text
