"""The page of an image or a chart: its answer, quick start, versions, vulnerabilities and logo."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import lxml.html
import pytest

from mkdocs_catalog_api.web.logos import Logos

from .pages import document, page, shown, words
from .sites import REGISTRY, Result, SiteFolder, digest, rendered, row, trivy
from .test_items import MARKDOWN, NAMES, PLAIN

REQUIRED = "category: Tools\ntier: core\nlicense: MIT\n"
NEW, OLD = "2026-11-01T06:00:00Z", "2026-08-01T06:00:00Z"
SPRITE = "site/assets/catalog-api-logos.svg"
ANSWER = "//section/div[contains(@class, 'catalog-answer')]/div/p[1]"
OPTIONS = ".//select[@name='version']/option"
SECTIONS = ".//nav[contains(@class, 'catalog-sections')]/a/@href"
LEFT_OUT = ".//*[@id = 'catalog-compare' or @id = 'catalog-badges']"
LINES = ".//section[@aria-label='Lines']/ul"
COMMANDS = ".//div[@id='catalog-start']//code"
VERSION = "versions: [{version: '18.0', digest: DIGEST}]\n"
SUPPORTED = VERSION.replace("}", ", endOfLife: 2030-11-14}")
ENDED = VERSION.replace("}", ", endOfLife: 2026-10-01}")
CRITICAL, HIGH = row("CVE-2026-1", "CRITICAL"), row("CVE-2026-2")

# An image's front matter, of which DIGEST is its digest; its scan (none, or what it finds and when);
# the state of its answer, and how that begins.
STATES: dict[str, tuple[str, dict[str, Any] | None, str, str]] = {
    "fine": (f"{SUPPORTED}signature: cosign", {}, "good",
             "Use 18.0. Supported until 2030-11-14. Scanned 2026-11-01, signed with Cosign, used by 1 c"),
    "no-end": (VERSION, {}, "good",
               "Use 18.0. No end of support is known. Scanned 2026-11-01, used by 1 chart."),
    "withdrawn": (f"{VERSION}lifecycle: withdrawn", {}, "bad",
                  "Do not use this image: it was withdrawn and is no longer offered. Scanned"),
    "deprecated": (f"{SUPPORTED}lifecycle: deprecated", {}, "fair",
                   "Do not start with this image: it is deprecated. Supported until 2030-11-14. Scanned"),
    "planned": ("lifecycle: planned", None, "unknown", "This image is planned: there is no version yet."),
    "no-version": ("", None, "unknown", "No version is listed yet."),
    "ended": (ENDED, {}, "bad",
              "Do not use 18.0. Support ended on 2026-10-01. Scanned 2026-11-01, used by 1 chart."),
    "never-scanned": (SUPPORTED, None, "unknown", "18.0 has not been scanned, so its vulnerabilities are "
                      "unknown. Supported until 2030-11-14. Used by"),
    "system-ended": (VERSION, {"OS": {"Family": "debian", "Name": "9", "EOSL": True}}, "bad",
                     "The operating system of 18.0 no longer gets advisories, so finding nothing"),
    "open": (VERSION, {"rows": [CRITICAL, HIGH, row("CVE-2026-3")]}, "bad",
             "Avoid 18.0: 1 critical and 2 high vulnerabilities are open."),
    "high": (VERSION, {"rows": [HIGH]}, "fair", "Use 18.0 with care: 1 high vulnerability is open."),
    "medium": (VERSION, {"rows": [row("CVE-2026-2", "MEDIUM")]}, "good", "Use 18.0. No end"),
    "stale": (VERSION, {"created": OLD}, "fair", "The scan of 18.0 is old, so more may be known now."),
    "no-time": (VERSION, {"created": ""}, "fair", "The scan of 18.0 has no date."),
    "worst-first": (f"{ENDED}lifecycle: deprecated", {"rows": [HIGH], "created": OLD}, "bad",
                    "Do not use 18.0. Do not start with this image: it is deprecated. The scan of 18.0 is "
                    "old, so more may be known now. 1 high vulnerability is open. Support ended on "
                    "2026-10-01. Scanned 2026-08-01"),
    "one-platform-named": (f"{VERSION}platforms: [linux/amd64, linux/arm64]",
                           {"ImageConfig": {"os": "linux", "architecture": "amd64"}}, "fair",
                           "Only 1 of 2 platforms of 18.0 is scanned. No end"),
    "no-platform-named": (f"{VERSION}platforms: [linux/amd64, linux/arm64]", {"ImageConfig": {}}, "fair",
                          "It is not known which of the 2 platforms of 18.0 was scanned."),
    "critical-first": (f"{VERSION}platforms: [linux/amd64, linux/arm64]",
                       {"ImageConfig": {}, "rows": [CRITICAL]}, "bad",
                       "Avoid 18.0: 1 critical vulnerability is open. It is not known which of the 2"),
    "one-platform": (f"versions: [{{version: '18.0', digests: [DIGEST, '{digest('other')}']}}]", {}, "fair",
                     "Only 1 of 2 platforms of 18.0 is scanned."),
}  # fmt: skip


class Item(NamedTuple):
    """An image's front matter, version → the rows of its scan, and what the page shows."""

    matter: str
    scans: dict[str, list[dict[str, object]]]
    shown: dict[str, list[str]]
    """XPath → its texts."""
    says: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    body: str = ""


MANY = [f"{line}.{patch}" for line in ("1.3", "1.2") for patch in range(8, 0, -1)]
DESCRIPTION = "An object-relational database that keeps its promises. " * 4
UPDATE = ".//tr[@data-version='{}']//p[@class='catalog-update']"
PULLED = f"{REGISTRY}/pulled@{digest('pulled')}"
TAGGED = f"{REGISTRY}/pulled:18.0@{digest('pulled')}"
ITEMS = {
    # A version without a scan has no count, and nothing to filter.
    "unscanned": Item(
        "versions: ['2', '1']", {"1": [row("CVE-2026-0001")]},
        {OPTIONS: ["2 (newest)", "1"], ".//template[@data-scanned]/@data-version": ["1"],
         ".//div[@hidden]/@data-list": ["vulnerabilities"]},
        says=("of 2, not scanned",), silent=("0 vulnerabilities",),
    ),
    # An update that changes nothing is not advised.
    "same": Item(
        "versions: [1.2.1, 1.2.0, 1.1.0]",
        {"1.2.1": [row("CVE-2025-1001")], "1.2.0": [row("CVE-2025-1001")], "1.1.0": [row("CVE-2025-1002")]},
        {".//tr[@class='catalog-line']": ["1.2", "1.1"], ".//form": [],
         ".//template[@data-version]//b": [
             "Use 1.2.1 with care: 1 high vulnerability is open.", "Update 1.2.0 to 1.2.1.",
             "Use 1.1.0 with care: 1 high vulnerability is open."],
         UPDATE.format("1.2.0"): [],
         UPDATE.format("1.1.0"): ["Update: 1.2.1 is the next line: fixes 1 (1 high), adds 1 (1 high)"]},
    ),
    # Many versions are folded; an update that was not scanned is marked.
    "many": Item(
        f"versions: [{', '.join(MANY)}]", {"1.2.7": [row("CVE-2025-1001")]},
        {".//tr[@data-version and not(ancestor::details)]/@data-version": [*MANY[:5], *MANY[8:13]],
         ".//details//tr[@data-version]/@data-version": [*MANY[5:8], *MANY[13:]],
         UPDATE.format("1.2.7"): ["Update: 1.2.8 (not scanned); 1.3.8 is the next line (not scanned)"]},
        says=("6 older versions",),
    ),
    # A vulnerability is one row with a line for each package; at most 100 rows are on the page.
    "rows": Item(
        "versions: ['1.0']",
        {"1.0": [row("CVE-2025-1001", fixed="3.0.1"), row("CVE-2025-1001", "LOW", pkg="b"),
                 *(row(f"CVE-2025-{number}", "MEDIUM") for number in range(1002, 1102))]},
        {".//output": ["102 vulnerabilities (101 ids), 100 ids shown"],
         ".//tr[@id='CVE-2025-1001']/td[@class='catalog-lines']/span": [
             "openssl 3.0.0 3.0.1", "b 3.0.0 no fix yet"],
         ".//noscript//summary": ["1.0: 1 vulnerability"],
         ".//tbody/tr[@data-item]/@id": [f"CVE-2025-{number}" for number in range(1001, 1101)]},
    ),
    # The header keeps the title that the author wrote, and is above the author's own text.
    "titled": Item(
        "description: A database.\nversions: ['1']", {},
        {".//h1": ["Own title"], ".//h1/@id": ["own"],
         ".//thead//th": ["Version", "Vulnerabilities"],
         ".//div[contains(@class, 'catalog-head')][contains(., 'A database.')]//h1": ["Own title"],
         ".//p[. = 'Own text'][not(ancestor::div[contains(@class, 'catalog')])]": ["Own text"],
         ".//p[. = 'Own text']/following::*[@id = 'catalog-releases']/@id": ["catalog-releases"]},
        body="# Own title {#own}\n\nOwn text",
    ),
    # A page without a title gets the item's name, and is silent about what nobody has written.
    "named": Item(
        "versions: ['1']\nname: See", {},
        {".//h1": ["See"], ".//dt[. = 'Base']": []},
        says=("See available",), silent=("null", "platforms scanned", "exploited since"),
    ),
    # A description that the author's text contains, with or without its markup, is not repeated.
    "repeated": Item(
        "description: 'A **fast** [one](https://nginx.org).'\nversions: ['1']", {},
        {".//p[contains(., 'A fast one.')]": ["This is A fast one. And more."]},
        body="# B\n\nThis is A *fast* [one](https://example.org/). And more.",
    ),
    # The part of an item is where its marker is; its headings are below the author's.
    "marked": Item(
        "versions: ['1']", {},
        {".//*[@id = 'catalog-releases']/following::p[. = 'Own text']": ["Own text"],
         "(.//h2 | .//h3)[1][self::h2]/@id": ["facts"],
         "(.//h2 | .//h3)[2][self::h3]/@id": ["catalog-releases"]},
        body="# B\n\n## Facts\n\n<!-- catalog: item -->\n\nOwn text",
    ),
    # A marker leaves out sections and the links to them.
    "hidden": Item(
        "versions: ['2', '1']", {},
        {SECTIONS: [f"#catalog-{name}" for name in ("start", "releases", "vulnerabilities")], LEFT_OUT: []},
        body="<!-- catalog: item hide=compare,badges -->",
    ),
    "hidden-with-compare": Item(
        "versions: ['2', '1']", {}, {SECTIONS: ["#catalog-start", "#catalog-releases"], LEFT_OUT: []},
        body="<!-- catalog: item hide=vulnerabilities,badges -->",
    ),
    "chosen": Item(
        "versions: ['2', '1']", {},
        {SECTIONS: ["#catalog-start", "#catalog-vulnerabilities"], LEFT_OUT: []},
        body="<!-- catalog: item show=overview,vulnerabilities -->",
    ),
    # The essentials are below the answer, and only there; other own fields are facts, links or chips.
    "essential": Item(
        f"description: '{DESCRIPTION}'\nbase: wolfi\nsignature: cosign\nshell: bash\nport: 5432\n"
        "fips: true\nupstream: https://example.org/up\nplatforms: [linux/amd64]\n"
        "versions: [{version: '1', size: 24200000, attestations: [sbom, provenance],"
        " config: {user: '0:0', ports: [80, 53/udp]}}]",
        {},
        {".//*[contains(@class, 'catalog-lead')]": [DESCRIPTION.strip()],
         ".//*[contains(@class, 'catalog-essentials')]/*": [
             "License MIT", "Base wolfi", "Platforms linux/amd64", "Signed with cosign", "Shell bash",
             "Size 24.2 MB compressed", "Runs as root, ports 80, 53/udp", "Attached SBOM, provenance",
             "API index.json"],
         ".//*[contains(@class, 'catalog-facts')]/*": ["Port 5432"],
         ".//a[@href='https://example.org/up']": ["Upstream"],
         ".//span[@class='catalog-chip'][. = 'Fips']": ["Fips"]},
    ),
    # The lines over time: their support, and each version by its grade, if two days are known.
    "lines": Item(
        "versions:\n- {version: '2.1', released: 2025-07-01, endOfLife: 2027-01-01}\n"
        "- {version: '1.1', released: 2025-01-01}\n- {version: '1.0', released: 2024-07-01}",
        {"2.1": [row("CVE-2025-1001"), row("CVE-2025-1002")], "1.1": [row("CVE-2025-1001")]},
        {f"{LINES}/li": ["2 2.1 2 open 2.1, 2025-07-01 until 2027-01-01",
                         "1 1.1 1 open 1.0, 2024-07-01 1.1, 2025-01-01", "2024 2025 2026 2027"],
         f"{LINES}//*[local-name()='rect']/@width": ["100", "500.9", "50"],
         f"{LINES}//*[local-name()='path'][@class]/@class": [
             "catalog-grade-d", "catalog-fill-unknown", "catalog-grade-d"]},
    ),
    # A description is rendered.
    "described": Item(
        f"description: '{MARKDOWN}'\nreplaces: [nginx, docker.io/bitnami/nginx]", {},
        {".//*[contains(@class, 'catalog-lead')]": [PLAIN],
         ".//*[contains(@class, 'catalog-lead')]//a/@href": ["https://nginx.org"],
         ".//*[contains(@class, 'catalog-lead')]//*[self::strong or self::em or self::code]": [
             "fast", "server", "a<b>"]},
        says=("Replaces " + ", ".join(NAMES),),
    ),
    "replaced": Item(
        "replacedBy: named\nlifecycle: deprecated", {}, {}, says=("Use See instead.",), body="Text."
    ),
    # The quick start has the commands of each client, of a tag without a digest and of each platform.
    "pulled": Item(
        VERSION, {},
        {COMMANDS: [f"docker pull {TAGGED}", f"podman pull {PULLED}", f"FROM {TAGGED}", f"image: {TAGGED}",
                    f"cosign verify --key https://example.org/cosign.pub {PULLED}"]},
    ),
    "tag": Item(
        "versions: ['1.0']\nlifecycle: deprecated", {},
        {f"{COMMANDS}[contains(., ' pull ')]": [
            f"{client} pull {REGISTRY}/tag:1.0" for client in ("docker", "podman")]},
    ),
    "gone": Item(f"{VERSION}lifecycle: withdrawn", {}, {COMMANDS: []}),
    "platforms": Item(
        "versions:\n- version: '18.0'\n  manifests: "
        f"{{linux/amd64: '{digest('amd')}', linux/arm64: '{digest('arm')}'}}",
        {},
        {f"{COMMANDS}[starts-with(., 'docker pull')]": [
            f"docker pull {REGISTRY}/platforms:18.0@{digest(seed)}" for seed in ("amd", "arm")],
         ".//section//select[@name='platform']/option/@value": ["linux/amd64", "linux/arm64"]},
    ),
}  # fmt: skip
LOGOS = {
    "pg": "logo: assets/pg.svg",
    "ours": "name: '«Ours»'\nlogo: https://elsewhere.example.org/ours.svg",
    **dict.fromkeys(("shell", "worst-pin"), ""),
    **dict.fromkeys(("postgresql", "kafka"), ""),
    "node": "name: Node.js",
}
PINS = [
    f"{REGISTRY}/{image}@{digest(seed)}"
    for image, seed in (("low", "low"), ("low", "older"), ("open", "open"))
]
TABLE = "//h2[@id='catalog-images']/following::table[1]/tbody/tr"
CHART = "category: C\ntier: t\nlicense: MIT\nversions: ['2.0.0']\n"
CHARTS = {
    "one": (f"images: {PINS[:1]}\nsignature: cosign", "good",
            {ANSWER: ["Use 2.0.0. Scanned 2026-11-01, signed with Cosign, installs 1 image."]}),
    "two": (f"images: {PINS[:2]}", "fair", {ANSWER: [
        "Only 1 of 2 images that 2.0.0 installs are scanned. Scanned 2026-11-01, installs 2 images."]}),
    "none": (f"images: {PINS[1:2]}", "unknown",
             {ANSWER: ["None of the images that 2.0.0 installs is scanned. Installs 1 image."]}),
    "empty": ("images: []", "good", {ANSWER: ["Use 2.0.0. Installs no images."]}),
    "gone": (f"images: {PINS[:2]}\nlifecycle: withdrawn", "bad", {ANSWER: [
        "Do not use this chart: it was withdrawn and is no longer offered. Only 1 of 2 images that "
        "2.0.0 installs are scanned. Scanned 2026-11-01, installs 2 images."]}),
    # What a chart pins is listed worst first, with links to pages.
    "worst-pin-first": (f"images: ['{PINS[0]}', '{PINS[2]}']", "bad", {
        f"{TABLE}/th": ["open", "low"],
        f"{TABLE}/td/a/@href": [f"../../images/{slug}/#catalog-vulnerabilities" for slug in ("open", "low")],
        f"{TABLE}[contains(., 'F')]/th": ["open"]}),
    # Helm installs it, from an OCI registry or from another one, which cosign can't read.
    "oci": ("chart: oci://registry.example.org/charts/oci", "good", {COMMANDS: [
        "helm install oci oci://registry.example.org/charts/oci --version 2.0.0",
        "cosign verify --key https://example.org/cosign.pub registry.example.org/charts/oci:2.0.0"]}),
    "classic": ("chart: https://charts.example.org/?a=1&b=2", "good", {COMMANDS: [
        "helm install classic classic --repo 'https://charts.example.org/?a=1&b=2' --version 2.0.0"]}),
}  # fmt: skip


def scan(site: SiteFolder, slug: str, version: str, *rows: dict[str, object], **changes: Any) -> None:
    created = changes.pop("created", NEW)
    report = trivy([*rows], digest=f"{REGISTRY}/{slug}@{digest(slug)}", created=created)
    if version != "18.0":
        report = trivy([*rows], tag=f"{REGISTRY}/{slug}:{version}")
    report["Metadata"] |= changes
    site.report(f"{slug}/{version}.json", report)


def write_items(site: SiteFolder) -> None:
    """All rows: none looks at another one. A chart pins each image that has a version."""
    shell = {"type": "text", "card": True}
    fields = {"shell": shell, "port": "integer", "fips": "boolean", "upstream": "url"}
    verify = {"verify": {"key": "https://example.org/cosign.pub"}}
    site.settings |= {"images": {"fields": fields} | verify, "charts": verify}
    site.config["markdown_extensions"] = ["attr_list"]
    site.config["theme"] = {"name": "material", "font": False}
    for slug, (matter, report, *_) in STATES.items():
        site.page(f"images/{slug}.md", REQUIRED + matter.replace("DIGEST", f"'{digest(slug)}'"))
        if report is not None:
            report = dict(report)
            scan(site, slug, "18.0", *report.pop("rows", ()), **report)
    for slug, item in ITEMS.items():
        matter = item.matter.replace("DIGEST", f"'{digest(slug)}'")
        site.page(f"images/{slug}.md", REQUIRED + matter, item.body)
        for version, rows in item.scans.items():
            scan(site, slug, version, *rows)
    versions = [("2", "low"), ("1", "older")]
    entries = [f"{{version: '{version}', digest: '{digest(seed)}'}}" for version, seed in versions]
    site.image("low", f"versions: [{', '.join(entries)}]")
    scan(site, "low", "18.0", row("CVE-2026-1", "LOW"))
    pins = [
        f"{REGISTRY}/{slug}@{digest(slug)}" for slug, state in STATES.items() if state[0][:8] == "versions"
    ]
    site.write("docs/assets/pg.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>')
    for slug, matter in LOGOS.items():
        site.image(slug, f"versions: ['1']\n{matter}")
    site.page("charts/all.md", f"{CHART}images: {pins}")
    for slug, (matter, *_) in CHARTS.items():
        site.page(f"charts/{slug}.md", CHART + matter)


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Result:
    site = SiteFolder(tmp_path_factory.mktemp("items"))
    write_items(site)
    return rendered(site)


def answer(result: Result, path: str) -> tuple[str, str]:
    """State and sentence of the card."""
    (sentence,) = page(result, f"{path}/index.html").xpath(ANSWER)
    return sentence.xpath("../../@class")[0].rpartition("-")[2], words(sentence)


@pytest.mark.parametrize(("slug", "state", "sentence"), [(slug, *each[2:]) for slug, each in STATES.items()])
def test_a_sentence_answers_in_every_state(items: Result, slug: str, state: str, sentence: str) -> None:
    found, told = answer(items, f"images/{slug}")
    assert (found, told[: len(sentence)]) == (state, sentence)


@pytest.mark.parametrize("slug", ITEMS)
def test_an_image_s_page_shows(items: Result, slug: str) -> None:
    item, main = ITEMS[slug], page(items, f"images/{slug}/index.html")
    assert {xpath: shown(main, xpath) for xpath in item.shown} == item.shown
    assert [text for text in item.says if text not in words(main)] == []
    assert [text for text in item.silent if text in words(main)] == []


@pytest.mark.parametrize("slug", CHARTS)
def test_a_chart_is_as_good_as_what_it_installs(items: Result, slug: str) -> None:
    _, state, wanted = CHARTS[slug]
    main = page(items, f"charts/{slug}/index.html")
    assert {xpath: shown(main, xpath) for xpath in wanted} == wanted
    assert answer(items, f"charts/{slug}")[0] == state


def test_a_sentence_is_the_same_if_a_scan_in_part_is_accepted(site: SiteFolder) -> None:
    site.page("images/pg.md", REQUIRED + STATES["one-platform"][0].replace("DIGEST", f"'{digest('pg')}'"))
    scan(site, "pg", "18.0")
    site.settings["security"] = {"accept": ["partial"]}
    state, told = answer(site.mkdocs(), "images/pg")
    assert state == "fair" and told.startswith("Only 1 of 2 platforms of 18.0 is scanned.")


def test_a_logo_is_the_authors_picture_else_an_icon_of_the_theme_else_letters(items: Result) -> None:
    def tile(slug: str) -> lxml.html.HtmlElement:
        (logo,) = page(items, f"images/{slug}/index.html").xpath(
            ".//*[contains(@class, 'catalog-head')]//*[@data-logo]"
        )
        assert logo.get("aria-hidden") == "true"
        return logo

    assert tile("pg").xpath("./img/@src") == ["../../assets/pg.svg"]
    sprite = lxml.html.fromstring((items.folder / SPRITE).read_bytes())
    symbols = {symbol.get("id"): symbol for symbol in sprite.iter("symbol")}
    assert symbols.keys() & LOGOS.keys() == {"postgresql", "kafka", "node"}
    assert {child.tag for symbol in symbols.values() for child in symbol} == {"path"}
    for slug in ("postgresql", "kafka", "node"):
        (href,) = re.findall(r'<use xlink:href="(.*?)"', lxml.html.tostring(tile(slug)).decode())
        assert href == f"../../assets/catalog-api-logos.svg#{slug}"
    for slug, letters in ("ours", "ou"), ("worst-pin", "wp"), ("shell", "sh"):
        assert (len(tile(slug)), tile(slug).get("data-logo")) == (0, letters)
    assert b"elsewhere.example.org" not in (items.folder / "site/images/ours/index.html").read_bytes()


def test_without_icons_there_is_no_file_of_them(site: SiteFolder) -> None:
    site.image("postgresql")
    result = site.mkdocs()
    assert not (result.folder / SPRITE).exists()
    assert document(result, "images/postgresql/index.html").xpath("//@data-logo") == ["po"]


@pytest.mark.parametrize(
    ("icon", "used"),
    [
        ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h24"/></svg>', True),
        ('<svg viewBox="0 0 24 24"><path d="M0 0h24"/><script>alert(1)</script></svg>', False),
        ('<svg viewBox="0 0 24 24"><path d="M0 0h24" onclick="alert(1)"/></svg>', False),
        ('<svg viewBox="0 0 24 24"><path d="url(https://example.org)"/></svg>', False),
        ('<svg viewBox="0 0 10 10"><path d="M0 0h24"/></svg>', False),
        ("not an icon", False),
    ],
)
def test_an_icon_with_more_than_an_outline_is_not_used(tmp_path: Path, icon: str, used: bool) -> None:
    file = tmp_path / ".icons/simple/pg.svg"
    file.parent.mkdir(parents=True)
    file.write_text(icon)
    assert Logos([tmp_path], [{"slug": "pg", "name": "PG"}]).icons == ({"pg": "M0 0h24"} if used else {})
