"""The page of an image or a chart: its logo, the sentence that answers, and the quick start."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import lxml.html
import pytest

from mkdocs_catalog_api.web.logos import Logos

from .sites import REGISTRY, Result, SiteFolder, digest, rendered, row, trivy

NEW, OLD = "2026-11-01T06:00:00Z", "2026-08-01T06:00:00Z"
SPRITE = "site/assets/catalog-api-logos.svg"


def version(seed: int = 1, **fields: str) -> str:
    given = {"version": "'18.0'", "digest": f"'{digest(seed)}'"} | fields
    return "versions: [{" + ", ".join(f"{name}: {value}" for name, value in given.items()) + "}]\n"


def page(result: Result, path: str) -> lxml.html.HtmlElement:
    return lxml.html.document_fromstring((result.folder / f"site/{path}/index.html").read_text("utf-8"))


def words(element: lxml.html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def answer(result: Result, path: str) -> tuple[str, str]:
    """State and sentence of the banner."""
    (banner,) = page(result, path).xpath("//div[contains(@class, 'catalog-answer')]")
    return banner.get("class").rpartition("-")[2], words(banner)


def scan(
    site: SiteFolder, *rows: dict[str, object], seed: int = 1, created: str = NEW, **metadata: Any
) -> None:
    report = trivy([*rows], digest=f"{REGISTRY}/pg@{digest(seed)}", created=created)
    report["Metadata"] |= metadata
    site.report(f"{seed}.json", report)


STATES = {
    "fine": (
        version(endOfLife="2030-11-14") + "signature: cosign",
        {},
        "good",
        "Use 18.0. Supported until 2030-11-14. Scanned 2026-11-01, signed with Cosign, used by 1 chart.",
    ),
    "no end": (
        version(),
        {},
        "good",
        "Use 18.0. No end of support is known. Scanned 2026-11-01, used by 1 chart.",
    ),
    "withdrawn": (
        version() + "lifecycle: withdrawn",
        {},
        "bad",
        "Do not use this image: it was withdrawn and is no longer offered. Scanned",
    ),
    "deprecated": (
        version(endOfLife="2030-11-14") + "lifecycle: deprecated",
        {},
        "fair",
        "Do not start with this image: it is deprecated. Supported until 2030-11-14. Scanned",
    ),
    "planned": ("lifecycle: planned", None, "unknown", "This image is planned: there is no version yet."),
    "no version": ("", None, "unknown", "No version is listed yet."),
    "support ended": (
        version(endOfLife="2026-10-01"),
        {},
        "bad",
        "Do not use 18.0. Support ended on 2026-10-01. Scanned 2026-11-01, used by 1 chart.",
    ),
    "never scanned": (
        version(endOfLife="2030-11-14"),
        None,
        "unknown",
        "18.0 has not been scanned, so its vulnerabilities are unknown. Supported until 2030-11-14. Used by",
    ),
    "system ended": (
        version(),
        {"OS": {"Family": "debian", "Name": "9", "EOSL": True}},
        "bad",
        "The operating system of 18.0 no longer gets advisories, so finding nothing proves little.",
    ),
    "open": (
        version(),
        {"rows": [row("CVE-2026-1", "CRITICAL"), row("CVE-2026-2"), row("CVE-2026-3")]},
        "bad",
        "Use 18.0 with care: 1 critical and 2 high vulnerabilities are open.",
    ),
    "high": (
        version(),
        {"rows": [row("CVE-2026-2")]},
        "fair",
        "Use 18.0 with care: 1 high vulnerability is open.",
    ),
    "medium": (version(), {"rows": [row("CVE-2026-2", "MEDIUM")]}, "good", "Use 18.0. No end"),
    "stale": (
        version(),
        {"created": OLD},
        "fair",
        "The scan of 18.0 is old, so more may be known now.",
    ),
    "no time": (version(), {"created": ""}, "fair", "The scan of 18.0 has no date."),
    "worst first": (
        version(endOfLife="2026-10-01") + "lifecycle: deprecated",
        {"rows": [row("CVE-2026-2")], "created": OLD},
        "bad",
        "Do not use 18.0. Do not start with this image: it is deprecated. The scan of 18.0 is old, so more "
        "may be known now. 1 high vulnerability is open. Support ended on 2026-10-01. Scanned 2026-08-01",
    ),
}


@pytest.mark.parametrize(("extra", "report", "state", "sentence"), STATES.values(), ids=STATES)
def test_a_sentence_answers_in_every_state(
    site: SiteFolder, extra: str, report: dict[str, Any] | None, state: str, sentence: str
) -> None:
    site.image("pg", extra)
    # The newest scan of the catalog says what day it is at least.
    site.image("other", version(9))
    site.report("other.json", trivy([], digest=f"{REGISTRY}/other@{digest(9)}", created=NEW))
    site.page(
        "charts/web.md",
        f"category: C\ntier: t\nlicense: MIT\nversions: ['1.0.0']\nimages: ['{REGISTRY}/pg@{digest(1)}']",
    )
    if report is not None:
        report = dict(report)
        scan(site, *report.pop("rows", ()), **report)
    result = site.mkdocs()
    assert not result.failed, result.logged()
    found = answer(result, "images/pg")
    assert found[0] == state
    assert found[1].startswith(sentence)


def test_a_sentence_says_how_many_platforms_are_scanned(site: SiteFolder) -> None:
    site.image("pg", f"versions: [{{version: '18.0', digests: ['{digest(1)}', '{digest(2)}']}}]")
    scan(site)
    for accept, state in ([], "fair"), (["partial"], "fair"):
        site.settings["security"] = {"accept": accept}
        found = answer(site.mkdocs(), "images/pg")
        assert found[0] == state
        assert found[1].startswith("Only 1 of 2 platforms of 18.0 are scanned.")


def test_a_chart_is_as_good_as_what_it_installs(site: SiteFolder) -> None:
    pins = [f"{REGISTRY}/pg@{digest(seed)}" for seed in (1, 2)]

    def chart(slug: str, pins: list[str], extra: str = "") -> None:
        given = f"category: C\ntier: t\nlicense: MIT\nversions: ['2.0.0']\nimages: {pins}\n{extra}"
        site.page(f"charts/{slug}.md", given)

    site.image(
        "pg", f"versions: [{{version: '2', digest: '{digest(1)}'}}, {{version: '1', digest: '{digest(2)}'}}]"
    )
    chart("one", pins[:1], "signature: cosign")
    chart("two", pins)
    chart("none", pins[1:])
    chart("empty", [])
    chart("gone", pins, "lifecycle: withdrawn")
    scan(site, row("CVE-2026-1", "LOW"))
    result = rendered(site)
    found = {slug: answer(result, f"charts/{slug}") for slug in ("one", "two", "none", "empty", "gone")}
    assert found == {
        "one": ("good", "Use 2.0.0. Scanned 2026-11-01, signed with Cosign, installs 1 image."),
        "two": (
            "fair",
            "Only 1 of 2 images that 2.0.0 installs are scanned. Scanned 2026-11-01, installs 2 images.",
        ),
        "none": ("unknown", "None of the images that 2.0.0 installs is scanned. Installs 1 image."),
        "empty": ("good", "Use 2.0.0. Installs no images."),
        "gone": (
            "bad",
            "Do not use this chart: it was withdrawn and is no longer offered. Only 1 of 2 images that 2.0.0 "
            "installs are scanned. Scanned 2026-11-01, installs 2 images.",
        ),
    }


def test_the_header_keeps_the_title_and_what_the_author_wrote(site: SiteFolder) -> None:
    matter = "category: C\ntier: t\nlicense: MIT\ndescription: A database.\nversions: ['1']"
    site.page("images/a.md", matter, "# Own title {#own}\n\nOwn text")
    site.page("images/b.md", matter, "# B\n\nThis is A database. And more.")
    site.page("images/c.md", matter + "\nname: See")
    site.config["markdown_extensions"] = ["attr_list"]
    result = site.mkdocs()
    html = page(result, "images/a")
    (title,) = html.xpath("//h1")
    assert (words(title), title.get("id")) == ("Own title", "own")
    (head,) = title.xpath("ancestor::div[contains(@class, 'catalog-head')]")
    assert "A database." in words(head)
    assert "Own text" not in words(head)
    assert words(html).count("Own text") == 1
    (body,) = page(result, "images/b").xpath("//*[@role='main']")
    assert words(body).count("A database.") == 1
    assert [words(title) for title in page(result, "images/c").xpath("//h1")] == ["See"]


def test_the_essentials_are_below_the_answer_and_only_there(site: SiteFolder) -> None:
    site.settings["images"] = {"fields": {"shell": {"type": "text", "card": True}, "port": "integer"}}
    description = "An object-relational database that keeps its promises. " * 4
    site.image(
        "pg",
        f"description: '{description}'\nbase: wolfi\nsignature: cosign\nshell: bash\nport: 5432\n"
        "platforms: [linux/amd64]\nversions: [{version: '1', size: 24200000}]",
    )
    html = page(rendered(site), "images/pg")
    (lead,), (essentials,) = html.find_class("catalog-lead"), html.find_class("catalog-essentials")
    assert words(lead) == description.strip()
    assert [words(fact) for fact in essentials] == [
        *("License MIT", "Base wolfi", "Platforms linux/amd64", "Signed with cosign", "Shell bash"),
        "Size 24.2 MB compressed",
    ]
    assert [words(fact) for fact in html.find_class("catalog-facts")[0]] == ["Port 5432"]


# Logos


def tile(result: Result, path: str) -> lxml.html.HtmlElement:
    (logo,) = page(result, path).xpath("//*[contains(@class, 'catalog-head')]//*[@data-logo]")
    assert logo.get("aria-hidden") == "true"
    return logo


def test_a_logo_is_the_authors_picture_else_an_icon_of_the_theme_else_a_letter(site: SiteFolder) -> None:
    site.write("docs/assets/pg.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>')
    site.image("pg", "versions: ['1']\nlogo: assets/pg.svg")
    site.image("postgresql", "versions: ['1']")
    site.image("kafka", "versions: ['1']")
    site.image("node", "versions: ['1']\nname: Node.js")
    site.image("ours", "versions: ['1']\nname: '«Ours»'\nlogo: https://elsewhere.example.org/ours.svg")
    site.image("shell", "versions: ['1']")
    site.config["theme"] = {"name": "material", "font": False}
    result = rendered(site)
    assert tile(result, "images/pg").xpath("./img/@src") == ["../../assets/pg.svg"]
    sprite = lxml.html.fromstring((result.folder / SPRITE).read_bytes())
    symbols = {symbol.get("id"): symbol for symbol in sprite.iter("symbol")}
    assert symbols.keys() == {"postgresql", "kafka", "node"}
    assert {child.tag for symbol in symbols.values() for child in symbol} == {"path"}
    for slug in symbols:
        (href,) = re.findall(
            r'<use xlink:href="(.*?)"', lxml.html.tostring(tile(result, f"images/{slug}")).decode()
        )
        assert href == f"../../assets/catalog-api-logos.svg#{slug}"
    for slug, letter in ("ours", "O"), ("shell", "S"):
        assert len(tile(result, f"images/{slug}")) == 0
        assert tile(result, f"images/{slug}").get("data-logo") == letter
    assert "elsewhere.example.org" not in (result.folder / "site/images/ours/index.html").read_text("utf-8")


def test_without_icons_there_is_no_file_of_them(site: SiteFolder) -> None:
    site.image("postgresql", "versions: ['1']")
    result = rendered(site)
    assert not (result.folder / SPRITE).exists()
    assert tile(result, "images/postgresql").get("data-logo") == "P"


@pytest.mark.parametrize(
    "icon",
    [
        '<svg viewBox="0 0 24 24"><path d="M0 0h24"/><script>alert(1)</script></svg>',
        '<svg viewBox="0 0 24 24"><path d="M0 0h24" onclick="alert(1)"/></svg>',
        '<svg viewBox="0 0 24 24"><path d="url(https://example.org)"/></svg>',
        '<svg viewBox="0 0 10 10"><path d="M0 0h24"/></svg>',
        "not an icon",
    ],
)
def test_an_icon_with_more_than_an_outline_is_not_used(tmp_path: Path, icon: str) -> None:
    (tmp_path / ".icons/simple").mkdir(parents=True)
    file = tmp_path / ".icons/simple/pg.svg"
    file.write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h24"/></svg>')
    item = {"slug": "pg", "name": "PG"}
    assert Logos([tmp_path], [item]).icons == {"pg": "M0 0h24"}
    file.write_text(icon)
    assert Logos([tmp_path], [item]).icons == {}


# Quick start


def commands(result: Result, path: str) -> list[str]:
    return [words(code) for code in page(result, path).xpath("//section[@id='catalog-start']//code")]


def test_the_quick_start_has_the_commands_of_each_client(site: SiteFolder) -> None:
    site.settings["images"] = {"verify": {"key": "https://example.org/cosign.pub"}}
    site.image("pg", version())
    site.image("tag", "versions: ['1.0']")
    site.image("gone", version(3) + "lifecycle: withdrawn")
    result = rendered(site)
    by_digest = f"{REGISTRY}/pg@{digest(1)}"
    tagged = f"{REGISTRY}/pg:18.0@{digest(1)}"
    assert commands(result, "images/pg") == [
        f"docker pull {tagged}",
        f"podman pull {by_digest}",
        f"FROM {tagged}",
        f"image: {tagged}",
        f"cosign verify --key https://example.org/cosign.pub {by_digest}",
    ]
    assert commands(result, "images/tag")[:2] == [
        f"docker pull {REGISTRY}/tag:1.0",
        f"podman pull {REGISTRY}/tag:1.0",
    ]
    assert commands(result, "images/gone") == []


def test_the_quick_start_has_the_digest_of_each_platform(site: SiteFolder) -> None:
    manifests = f"manifests: {{linux/amd64: '{digest(1)}', linux/arm64: '{digest(2)}'}}"
    site.image("pg", f"versions:\n- version: '18.0'\n  {manifests}")
    result = rendered(site)
    pulls = [command for command in commands(result, "images/pg") if command.startswith("docker")]
    assert pulls == [f"docker pull {REGISTRY}/pg:18.0@{digest(seed)}" for seed in (1, 2)]
    (_, select) = page(result, "images/pg").xpath("//section//fieldset | //section//select[@name='platform']")
    assert select.xpath("./option/@value") == ["linux/amd64", "linux/arm64"]


def test_the_quick_start_of_a_chart_installs_it_with_helm(site: SiteFolder) -> None:
    matter = "category: C\ntier: t\nlicense: MIT\nversions: ['2.0.0', '1.9.0']\nchart: "
    site.page("charts/web.md", matter + "oci://registry.example.org/charts/web")
    site.page("charts/classic.md", matter + "https://charts.example.org")
    result = rendered(site)
    install = "helm install web oci://registry.example.org/charts/web --version 2.0.0"
    assert commands(result, "charts/web") == [install]
    assert commands(result, "charts/classic") == [
        "helm install classic classic --repo https://charts.example.org --version 2.0.0"
    ]
