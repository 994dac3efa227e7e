"""What `catalog-api sync` learned fills what pages leave out: a table of pages and of files that it wrote."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable
from typing import Any, NamedTuple

import yaml

from mkdocs_catalog_api.problems import Level

from .sites import REGISTRY, Result, SiteFolder, built, digest, item, row, trivy
from .syncing import call

PAGE = "category: Tools\ntier: core\nlicense: MIT\n"
NO_LICENSE = "category: Tools\ntier: core\n"


class Row(NamedTuple):
    """A page, what is known, and what is published. In each, `@x` is a digest.

    A version that is known is its label, its further tags, `?` if it is gone, and other values in braces.
    """

    page: str
    """After the category, the tier and the license."""
    known: str
    published: str = ""
    """In YAML, values of the item. A text is the version of a version, the digest of a manifest, or a pin."""
    told: str = ""
    """Problems between ` | `: `info` if it is a note, code, file:line, field."""
    kind: str = "image"
    begin: str = PAGE
    default: bool = False
    """Whether the catalog has the last line of the page as a default."""
    former: str = ""
    words: str = ""
    """What is known of the item, in YAML; it is of the version `newest`, by default the first."""

    @property
    def facts(self) -> list[dict[str, Any]]:
        return [fact(text, self.kind) for text in self.known.split(" / ") if text]

    def write(self, site: SiteFolder, number: int) -> None:
        slug, folder = f"row-{number}", f"{self.kind}s"
        own, page = f"{REGISTRY}/{slug}", plain(self.page)
        if self.default:
            values = {"pages": f"images/{slug}.md", "values": yaml.safe_load(page)}
            site.settings["images"]["defaults"].append(values)
            page = ""
        if self.kind == "chart":
            own = f"oci://{own}"
            page += f"\nchart: {own}"
        site.page(f"{folder}/{slug}.md", self.begin + page)
        newest = {"newest": self.facts[0]["version"]} if self.facts and "version" in self.facts[0] else {}
        words = yaml.safe_load(f"{{{self.words}}}")
        file: object = {self.kind: own, **newest, **words, "versions": self.facts}
        if self.former:
            entry = {key: fact(self.former, "image")[key] for key in ("version", "digest", "manifests")}
            file = {**file, "former": [entry | {"until": "2026-11-02"}]}  # type: ignore[dict-item]
        text = self.known[1:] if self.known.startswith("=") else json.dumps(file)
        if self.known:
            site.write(f"registry/{folder}/{slug}.json", text)


def plain(text: str) -> str:
    return re.sub(r"(?<![\w\]])@([\w.+-]+)", lambda name: f"'{digest(name[1])}'", text)


def fact(text: str, kind: str = "image") -> dict[str, Any]:
    """What is known of a version, for two platforms."""
    if text.startswith("="):
        return {}
    words, brace, more = text.partition("{")
    label, *tags = words.replace("?", "").split()
    given = yaml.safe_load(plain(brace + more)) if brace else {}
    known: dict[str, Any] = {"version": label, "tags": tags} | ({"gone": True} if "?" in words else {})
    if kind == "chart":
        known |= {"digest": digest(f"chart {label}"), "tags": [label.replace("+", "_")], "appVersion": "9.9"}
        return known | {"released": "2026-10-01"} | given
    seed = given.pop("seed", label)
    parts = (("amd64", 1000), ("arm64", 2000))
    known["digest"] = digest(seed)
    known["manifests"] = [
        {"platform": f"linux/{name}", "digest": digest(f"{seed}-{name}"), "size": size}
        for name, size in parts
    ]
    size = {"size": known["manifests"][0]["size"]}
    return known | size | {"released": "2026-11-01"} | given


CHOSEN = "1.2.0 / 1.2.1 / 1.2.1-alpine / 1.3.0 / edge"
WORDS = (
    "license: BSD-2-Clause, description: A web server, homepage: 'https://example.org/web',"
    " source: 'https://example.org/web.git', base: debian"
)
PINS = f"images: [{{name: app, image: '{REGISTRY}/web:1.0.0'}}, {{image: 'docker.io/library/redis:8'}}]"
BOTH = "[linux/amd64, linux/arm64]"


ROWS: dict[str, Row] = {
    "what the page leaves out of its versions is filled": Row(
        "versions: [1.29.3, 1.27.0]", "1.29.3 1 1.29 latest / 1.28.0", f"""
        platforms: {BOTH}
        versions:
          - {{version: 1.29.3, digest: @1.29.3, digests: [@1.29.3], released: '2026-11-01', size: 1000,
              tags: ['1', '1.29', latest], platforms: {BOTH}, manifests: [
              {{platform: linux/amd64, digest: @1.29.3-amd64, size: 1000}},
              {{platform: linux/arm64, digest: @1.29.3-arm64, size: 2000}}]}}
          - {{version: 1.27.0, digest: null, released: null, size: null, tags: [], platforms: []}}
        """
    ),
    "the item is filled from its newest version": Row(
        "versions: [1.0.0, 2.0.0, 3.0.0]",
        "2.0.0 {signature: cosign} / 1.0.0 / 3.0.0 ?",
        "{license: BSD-2-Clause, description: A web server, homepage: 'https://example.org/web',"
        " source: 'https://example.org/web.git', base: debian, signature: cosign}",
        "CAT083 PAGE:4 versions[2]", begin=NO_LICENSE, words=WORDS
    ),
    "the page wins": Row(
        "description: Own\nplatforms: [linux/riscv64]\nversions: [{version: 1.0.0, released: 2020-01-01,"
        " size: 5, tags: [one], platforms: [linux/s390x]}]",
        "1.0.0 1",
        "{license: MIT, description: Own, platforms: [linux/riscv64], homepage: 'https://example.org/web',"
        " versions: [{released: '2020-01-01', size: 5, tags: [one], platforms: [linux/s390x],"
        " digest: @1.0.0}]}",
        "CAT036 PAGE:6 platforms", words=WORDS
    ),
    "platforms of the page choose among those of the registry": Row(
        "platforms: [linux/amd64]\nversions: [1.0.0]", "1.0.0",
        "{platforms: [linux/amd64], versions: [{platforms: [linux/amd64],"
        " manifests: [@1.0.0-amd64, @1.0.0-arm64]}]}"
    ),
    "a page with another digest is not filled": Row(
        "versions: [{version: 1.0.0, digest: @7}]", "1.0.0 1",
        "versions: [{digest: @7, manifests: [], released: null, tags: [], size: null}]",
        "info CAT084 PAGE:5 versions[0].digest"
    ),
    "a page with a former digest gets the manifests of that digest alone": Row(
        "versions: [{version: 1.0.0, digest: @1.0.0}]", "1.0.0 1 {seed: now}",
        "versions: [{manifests: [@1.0.0-amd64, @1.0.0-arm64], platforms: [], size: null, released: null}]",
        "info CAT084 PAGE:5 versions[0].digest", former="1.0.0"
    ),
    "digests of platforms stay as they are": Row(
        "versions: [{version: 1.0.0, digest: [@1.0.0-amd64, @1.0.0-arm64]}]", "1.0.0",
        "versions: [{digests: [@1.0.0-amd64, @1.0.0-arm64], manifests: [], released: '2026-11-01',"
        " size: null}]"
    ),
    "a manifest gets the digest of its index": Row(
        "versions: [{version: 1.0.0, manifests: {linux/arm64: @1.0.0-arm64}}]", "1.0.0",
        "versions: [{digests: [@1.0.0], manifests: [@1.0.0-arm64], released: '2026-11-01'}]"
    ),
    "a single manifest is the digest and no index": Row(
        "versions: [1.0.0]", "1.0.0 {size: 7, manifests: [{platform: linux/amd64, digest: @1.0.0, size: 7}]}",
        "versions: [{manifests: [], size: 7, platforms: [linux/amd64]}]"
    ),
    "details of platforms are of manifests alone": Row(
        "versions: [1.0.0]",
        "1.0.0 {size: null, manifests: [{platform: 'linux/amd64[a]', digest: @x},"
        " {platform: unknown/unknown, digest: @y}]}",
        "{versions: [{platforms: [linux/amd64], size: null}], platforms: [linux/amd64]}"
    ),
    "how it runs, and what is attached": Row(
        "versions: [1.0.0, 2.0.0]",
        "1.0.0 {attestations: [sbom, x], config: {user: '65532', ports: ['80']}}"
        " / 2.0.0 {config: {}}",
        "versions: [{version: 2.0.0, attestations: [], config: {user: null, ports: []}},"
        " {attestations: [sbom, x],"
        "   config: {user: '65532', entrypoint: [], cmd: [], workingDir: null, ports: ['80']}}]"
    ),
    "a version is found by its tags, and each tag is filled once": Row(
        "versions: ['1.29', 1.29.3]", "1.29.3 1 1.29 latest",
        "versions: [{version: 1.29.3, digest: @1.29.3, tags: ['1', latest]},"
        " {version: '1.29', digest: @1.29.3, tags: []}]"
    ),
    "all versions of the registry are listed": Row(
        "versions: registry", "1.29.3 1 latest / 1.30-alpine / edge / 1.28.0",
        "{versions: [{version: 1.29.3, variant: '', tags: ['1', latest]},"
        " {version: 1.30-alpine, variant: alpine}, 1.28.0], latest: 1.29.3}"
    ),
    "tags by an expression": Row(
        "versions: {from: registry, tags: '^[0-9.]+$'}", CHOSEN, "versions: [1.3.0, 1.2.1, 1.2.0]"
    ),
    "tags by patterns": Row(
        "versions: {from: registry, tags: [1.2*, edge]}", CHOSEN,
        "versions: [1.2.1, 1.2.1-alpine, 1.2.0, edge]"
    ),
    "an expression is for the beginning": Row(
        "versions: {from: registry, tags: '2'}", "1.2.0 / 2.0.0", "versions: [2.0.0]"
    ),
    "tags without some": Row(
        "versions: {from: registry, tags: [1.2*, '!*-alpine']}", CHOSEN, "versions: [1.2.1, 1.2.0]"
    ),
    "the default without some": Row(
        "versions: {from: registry, tags: ['!*-alpine', '!1.3*']}", CHOSEN, "versions: [1.2.1, 1.2.0]"
    ),
    "neither pull requests nor commits": Row(
        "versions: registry", "1.2.3 1.2 / 1.2.2 pr-9 sha-504ed10 / pr-12 / main sha-504ed11 / 1.2.4-504ed12",
        "{latest: 1.2.3, versions: [{version: 1.2.3, tags: ['1.2']},"
        " {version: 1.2.2, tags: [pr-9, sha-504ed10]}]}"
    ),
    "only latest": Row(
        "versions: registry", "main latest sha-504ed11 / sha-504ed12",
        "{latest: latest, versions: [{version: latest, tags: [main, sha-504ed11]}]}"
    ),
    "the tag latest decides between dates and numbers": Row(
        "versions: registry", "2.4.1 latest / 20231015", "{latest: 2.4.1, versions: [2.4.1, '20231015']}"
    ),
    "the newest and the one with the tag latest are kept": Row(
        "versions: {from: registry, keep: 1}", "1.0.0 latest / 1.0.1 / 1.0.2", "versions: [1.0.2, 1.0.0]",
        "CAT014 FILE versions"
    ),
    "keep": Row("versions: {from: registry, keep: 1}", CHOSEN, "versions: [1.3.0, 1.2.1-alpine]"),
    "keep some of each line": Row(
        "versions: {from: registry, keep: {lines: 2, each: 2}}", f"{CHOSEN} / 1.1.9 / 1.2.2-rc1",
        "versions: [1.3.0, 1.2.1, 1.2.1-alpine, 1.2.0]"
    ),
    "a line has its final versions before the others": Row(
        "versions: {from: registry, keep: 3}", "2.0.0-rc1 / 2.0.0-rc2 / 1.9.1-rc1 / 1.9.0 / 1.8.0 / 1.7.0",
        "versions: [1.9.0, 2.0.0-rc2, 1.8.0]"
    ),
    "keep of tags": Row(
        "versions: {from: registry, tags: '^1[.]2', keep: 1}", CHOSEN, "versions: [1.2.1, 1.2.1-alpine]"
    ),
    "neither": Row("versions: {from: registry}", CHOSEN, "versions: [1.3.0, 1.2.1, 1.2.1-alpine, 1.2.0]"),
    "lines and variants of the page decide what is kept": Row(
        "lines: major\nvariants: {slim: '*-slim*'}\nversions: {from: registry, keep: 1}",
        "1.2.0 / 1.3.0-slim12 / 1.3.0-slim13 / 2.0.0", "versions: [2.0.0, 1.3.0-slim13]"
    ),
    "gone versions are kept beside those that keep counts": Row(
        "versions: {from: registry, keep: {lines: 1, each: 2}}", "1.0.0 / 1.0.1 / 1.0.2 ? / 1.0.3",
        "versions: [1.0.3, 1.0.2, 1.0.1]", "CAT083 FILE versions[2]"
    ),
    "what is gone stays listed and is never the newest": Row(
        "versions: registry", "1.0.0 / 1.0.1 / 1.0.2 ? / 2.0.0 ?",
        "{versions: [1.0.1, 2.0.0, 1.0.2, 1.0.0], latest: 1.0.1}",
        "CAT083 FILE versions[2] | CAT083 FILE versions[3]"
    ),
    "a gone version that the page lists and names as latest": Row(
        "versions: [1.0.0, 2.0.0]\nlatest: 2.0.0", "1.0.0 / 2.0.0 ?", "latest: 1.0.0",
        "CAT083 PAGE:5 versions[1] | CAT014 PAGE:6 latest"
    ),
    "an image of which all is gone still shows its newest": Row(
        "versions: registry", "1.0.0 ? / 2.0.0 ?", "{latest: 2.0.0, base: debian}",
        "CAT083 FILE versions[0] | CAT083 FILE versions[1]", words=f"newest: 2.0.0, {WORDS}"
    ),
    "a file without a chosen version": Row(
        "versions: {from: registry, tags: ^v}", "1.0.0", "versions: []", "CAT083 PAGE:5 versions"
    ),
    "a file without a version": Row(
        "versions: registry", "main / pr-7", "versions: []", "CAT083 PAGE:5 versions"
    ),
    "a license that is none": Row(
        "versions: [1.0.0]", "1.0.0", "license: do what you want", "CAT012 FILE license",
        begin=NO_LICENSE, words="license: do what you want"
    ),
    "a license that the page does not know": Row(
        "versions: [1.0.0]\nlicense: NOASSERTION", "1.0.0", "license: ISC", begin=NO_LICENSE,
        words="license: ISC"
    ),
    "what is known of none of the page's versions": Row(
        "versions: [2.0.0]", "1.0.0", "{homepage: null, platforms: []}", words=WORDS
    ),
    "what is known of another version than the page's newest": Row(
        "versions: [1.0.0]", "2.0.0 {signature: cosign} / 1.0.0", "{base: debian, signature: null}",
        words=WORDS
    ),
    "a default is above the registry": Row(
        "base: Debian 12", "1.0.0", "{base: Debian 12, homepage: 'https://example.org/web'}",
        words=WORDS, begin=f"{PAGE}versions: [1.0.0]\n", default=True
    ),
    "facts of another repository": Row(
        "versions: [1.0.0]\nimage: registry.example.org/other/web", "1.0.0", "versions: [{digest: null}]",
        "CAT084 FILE image"
    ),
    "charts are filled, too": Row(
        "versions: registry", "1.0.0 / 1.1.0+build.1 {signature: cosign} / 2.0.0 ?",
        "{license: BSD-2-Clause, appVersion: '9.9', description: A web server,"
        " homepage: 'https://example.org/web', signature: cosign, latest: 1.1.0+build.1,"
        " versions: [{version: 1.1.0+build.1, appVersion: '9.9', released: '2026-10-01'}, 2.0.0, 1.0.0],"
        f" images: [{{name: app, image: '{REGISTRY}/web:1.0.0'}}, 'docker.io/library/redis:8']}}",
        "CAT083 FILE versions[2]", "chart", NO_LICENSE, words=f"newest: 1.1.0+build.1, {WORDS}, {PINS}"
    ),
    "a chart on a page is filled and wins": Row(
        "versions: [{version: v1.0.0, appVersion: '1'}, 0.9.0]\nimages: ['a/b:1']", "1.0.0",
        "{versions: [{appVersion: '1', released: '2026-10-01'}, {appVersion: null}], images: ['a/b:1']}",
        kind="chart", words=PINS
    ),
    "versions on a page come before the default": Row(
        "versions: [1.0.0]", "1.0.0 / 2.0.0", "versions: [1.0.0]"
    ),
}  # fmt: skip
ROWS |= {
    f"{name}, by default": ROWS[name]._replace(default=True)
    for name in ("tags by an expression", "keep", "keep of tags", "neither")
}
WRONG = [
    ("registri", "CAT012", ""),
    ("{from: hub}", "CAT012", ".from"),
    ("{from: registry, keep: 0}", "CAT012", ".keep"),
    ("{from: registry, keep: all}", "CAT012", ".keep"),
    ("{from: registry, keep: {lines: 0}}", "CAT012", ".keep.lines"),
    ("{from: registry, keep: {each: 2}}", "CAT011", ".keep.lines"),
    ("{from: registry, keep: {lines: 1, eac: 2}}", "CAT010", ".keep.eac"),
    ("{from: registry, tags: (}", "CAT012", ".tags"),
    ("{from: registry, tags: '!*-dev'}", "CAT012", ".tags"),
    ("{from: registry, tags: []}", "CAT012", ".tags"),
    ("{from: registry, tags: {a: 1}}", "CAT012", ".tags"),
    ("{from: registry, kep: 1}", "CAT010", ".kep"),
]
MALFORMED = {
    " ": "",
    "[]": "",
    "{": "",
    "[" * 100_000: "",
    '{"image": "a/b", "versions": 1}': "versions",
    '{"image": "a/b", "versions": [{"version": "1", "digest": "x"}]}': "versions[0].digest",
    '{"image": "a/b", "versions": [{"version": "../1", "digest": "x"}]}': "versions[0].version",
    '{"image": "a/b", "versions": [], "more": 1}': "",
}
REFUSED = [
    Row("versions: registry", "", "", "CAT021 PAGE:5 versions"),
    Row("versions: registry\nimage: a.example.org/web", "1.0.0", "", "CAT084 FILE image"),
    *(
        Row(f"versions: {value}", "1.0.0", "", f"{code} PAGE:5 versions{field}")
        for value, code, field in WRONG
    ),
    *(Row("versions: [1.0.0]", f"={text}", "", f"CAT002 FILE {field}") for text, field in MALFORMED.items()),
    Row("versions: [{version: 1.0.0, digest: {a: b}}]", "1.0.0", "", "CAT012 PAGE:5 versions[0].digest"),
    Row("versions: [{version: 1.0.0, tags: [{a: b}]}]", "1.0.0", "", "CAT012 PAGE:5 versions[0].tags[0]"),
    Row("versions: [{version: [a]}, 1.0.0]", "1.0.0", "", "CAT012 PAGE:5 versions[0].version"),
    Row("versions: 1.0.0", "1.0.0", "", "CAT012 PAGE:5 versions"),
    Row("versions: [1.0.0]", "1.0.0", "", "CAT012 FILE homepage", words="homepage: see the wiki"),
    Row(
        "versions: [0.9.0, 1.0.0]", '1.0.0 {config: {user: "\\a"}}', "", "CAT012 FILE versions[0].config.user"
    ),
]


def catalog(site: SiteFolder, rows: Iterable[Row]) -> dict[str, set[str]]:
    site.settings["images"] = {"defaults": []}
    gone: dict[str, set[str]] = {}
    for number, each in enumerate(rows):
        each.write(site, number)
        gone[f"{each.kind}s/row-{number}"] = {fact["version"] for fact in each.facts if fact.get("gone")}
    return gone


def told(result: Result, number: int) -> list[str]:
    """Level, code, file and line, and field of the problems of a row."""
    return [
        f"{'info ' if each.level is Level.INFO else ''}{each.code} "
        f"{'FILE' if each.file.startswith('registry') else 'PAGE'}"
        f"{f':{each.line}' if each.line else ''} {each.field}"
        for each in result.problems
        if each.file.endswith((f"/row-{number}.md", f"/row-{number}.json"))
    ]


def same(value: Any, wanted: Any) -> Any:
    if isinstance(wanted, dict):
        return {name: same(value[name], each) for name, each in wanted.items()}
    if isinstance(wanted, list) and len(wanted) == len(value):
        return [same(*pair) for pair in zip(value, wanted, strict=True)]
    if isinstance(wanted, str) and isinstance(value, dict):
        return next(value[name] for name in ("image", "version", "digest") if name in value)
    return value


def test_a_page_is_filled(site: SiteFolder) -> None:
    result = built(site, gone=catalog(site, ROWS.values()))
    for number, (name, each) in enumerate(ROWS.items()):
        published = result.json(f"{each.kind}s/row-{number}/index.json")["data"]
        wanted = yaml.safe_load(plain(textwrap.dedent(each.published)) or "{}")
        assert same(published, wanted) == wanted, name
        assert told(result, number) == [line for line in each.told.split(" | ") if line], name
    notes = [(each.level, each.code) for each in result.problems if each.file == "registry/images"]
    assert notes == [(Level.INFO, "CAT083")], "one for all tags that are not listed"


def test_a_page_or_file_is_refused(site: SiteFolder) -> None:
    catalog(site, REFUSED)
    result = site.build()
    for number, each in enumerate(REFUSED):
        assert told(result, number) == [each.told], each
        assert {problem.level for problem in result.problems} == {Level.ERROR}


# Rows that need a catalog of their own


def test_what_is_gone_is_no_advice_and_not_listed_for_scanners(site: SiteFolder) -> None:
    Row("versions: registry", "1.0.0 / 1.0.1 / 1.0.2 ? / 2.0.0 ?").write(site, 0)
    result = built(site, gone={"images/row-0": {"1.0.2", "2.0.0"}})

    def advice(label: str) -> list[str | None]:
        (entry,) = result.json(f"digests/{digest(label).replace(':', '/')}.json")["data"]
        return [entry[key] and entry[key]["version"] for key in ("upgrade", "newLine")]

    assert advice("1.0.0") == ["1.0.1", None]
    assert advice("1.0.1") == advice("1.0.2") == [None, None]
    listed = json.loads(call(site, "list", "--json").stdout)["versions"]
    labels = [version["version"] for version in listed]
    assert labels == ["1.0.1", "1.0.1", "1.0.0", "1.0.0"], "a line for each platform"


def test_scans_are_joined_by_what_is_filled(site: SiteFolder) -> None:
    """Also if the page has another digest, and if the newest version is gone."""
    Row("versions: [{version: 1.0.0, digest: @7}]", "1.0.0").write(site, 0)
    Row("versions: registry", "1.0.0 ? / 2.0.0 ?").write(site, 1)
    for number, name in enumerate(("7", "2.0.0-amd64")):
        report = trivy([row("CVE-2026-0001")], digest=f"{REGISTRY}/row-{number}@{digest(name)}")
        site.report(f"{number}.json", report)
    summary = built(site, gone={"images/row-1": {"1.0.0", "2.0.0"}}).json("security.json")
    assert [summary["images"][f"row-{number}"]["total"] for number in (0, 1)] == [1, 1]


def test_a_registry_may_meet_what_the_catalog_requires(site: SiteFolder) -> None:
    site.settings["images"] = {
        "fields": {"license": {"required": True}, "source": {"required": True}},
        "version_fields": {"digest": {"required": True}, "released": {"required": True}},
    }
    words = "license: MIT, source: 'https://example.org/web'"
    own = "{version: 3.0.0, digest: @3, released: 2026-11-03}"
    page = Row(f"versions: [{own}, 1.0.0]", "1.0.0 / 2.0.0 {released: null}", begin=NO_LICENSE)
    page._replace(words=words).write(site, 0)
    image = item(built(site), "row-0")
    assert (image["license"], image["source"]) == ("MIT", "https://example.org/web")
    assert [version["released"] for version in image["versions"]] == ["2026-11-03", "2026-11-01"]
    page._replace(page="versions: [1.0.0, 2.0.0, 3.0.0]").write(site, 0)
    missing = [(each.code, each.field) for each in site.build().problems]
    fields = ("license", "source", "versions[1].released", "versions[2]", "versions[2]")
    assert missing == [("CAT011", field) for field in fields]


def test_entries_of_a_data_file_are_filled(site: SiteFolder) -> None:
    Row("", "1.0.0").write(site, 0)
    (site.folder / "docs/images/row-0.md").unlink()
    site.write("images.yml", "- {name: Row 0, category: Tools, versions: registry}\n")
    (version,) = item(built(site), "row-0")["versions"]
    assert (version["version"], version["digest"]) == ("1.0.0", digest("1.0.0"))


def test_a_problem_of_a_default_is_where_it_is_set(site: SiteFolder) -> None:
    site.settings["images"] = {"defaults": [{"values": {"tier": "core", "lines": "(x)"}}]}
    site.image("web", "versions: [1.0.0]")
    (told,) = site.build().problems
    assert (told.code, told.file, told.item) == ("CAT014", "mkdocs.yml", "web")
    assert told.field == "catalog-api.images.defaults[0].values.lines"
