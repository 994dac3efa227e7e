"""What `catalog-api sync` learned fills what pages leave out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mkdocs_catalog_api.problems import Level

from .sites import REGISTRY, Result, SiteFolder, built, digest, item, row, trivy
from .syncing import call

PAGE = "category: Tools\ntier: core\nlicense: MIT\n"
NO_LICENSE = "category: Tools\ntier: core\n"
Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Row:
    """A page, what is known of its versions, and what is published."""

    page: Mapping[str, object] = field(default_factory=dict)
    """Front matter after the required fields, from line 5 on."""
    known: Sequence[str | Json] = ()
    """Versions in the file of `sync`; a text is one without further tags."""
    text: str = ""
    """The whole file, in place of `known`."""
    facts: Mapping[str, object] = field(default_factory=dict)
    """What is known of the item; it is of the version `newest`, by default the first."""
    former: str = ""
    """A version with a former digest."""
    published: Mapping[str, object] = field(default_factory=dict)
    """Values of the item. A text is the version of a version, the digest of a manifest, or a pin."""
    told: Sequence[str] = ()
    """Problems: code, PAGE and its line or FILE, and field; after `info` if it is a note."""
    chart: bool = False
    head: str = PAGE
    default: bool = False
    """Whether the catalog has these values as defaults, and not the page."""

    @property
    def kind(self) -> str:
        return "chart" if self.chart else "image"

    @property
    def versions(self) -> list[Json]:
        every = [known(each) if isinstance(each, str) else each for each in self.known]
        return [self._chart(each) if self.chart else each for each in every]

    def _chart(self, version: Json) -> Json:
        label = version["version"]
        own = {"digest": digest(f"chart {label}"), "appVersion": "9.9", "released": "2026-10-01"}
        given = {key: version[key] for key in version.keys() - {"size", "manifests", *own}}
        return given | own | {"tags": [label.replace("+", "_")]}

    def write(self, site: SiteFolder, number: int) -> None:
        slug, folder, page = f"row-{number}", f"{self.kind}s", {**self.page}
        own = f"{REGISTRY}/{slug}"
        if self.default:
            site.settings["images"]["defaults"].append({"pages": f"images/{slug}.md", "values": page})
            page = {}
        if self.chart:
            own = f"oci://{own}"
            page["chart"] = own
        lines = "\n".join(f"{key}: {json.dumps(value)}" for key, value in page.items())
        site.page(f"{folder}/{slug}.md", self.head + lines)
        newest = {"newest": self.versions[0]["version"]} if self.versions else {}
        file: Json = {self.kind: own, **newest, **self.facts, "versions": self.versions}
        if self.former:
            facts = known(self.former)
            entry = {key: facts[key] for key in ("version", "digest", "manifests")}
            file["former"] = [entry | {"until": "2026-11-02"}]
        if self.text or self.known:
            site.write(f"registry/{folder}/{slug}.json", self.text or json.dumps(file))


def known(
    label: str, *, tags: Sequence[str] = (), gone: bool = False, seed: str = "", **more: object
) -> Json:
    """A version of an image in the file of `sync`, for two platforms; `seed` is that of its digest."""
    seed = seed or label
    manifests = [
        {"platform": f"linux/{name}", "digest": digest(f"{seed}-{name}"), "size": size}
        for name, size in (("amd64", 1000), ("arm64", 2000))
    ]
    facts: Json = {"version": label, "digest": digest(seed), "tags": [*tags], "manifests": manifests}
    return facts | {"size": 1000, "released": "2026-11-01"} | ({"gone": True} if gone else {}) | more


def from_registry(**choice: object) -> Json:
    return {"from": "registry", **choice}


def chosen(choice: object, known: Sequence[str | Json], versions: Sequence[str], **row: Any) -> Row:
    """A row of the versions that a choice lists."""
    return Row(page=dict(versions=choice), known=known, published=dict(versions=[*versions]), **row)


CHOSEN = ["1.2.0", "1.2.1", "1.2.1-alpine", "1.3.0", "edge"]
WORDS = {
    "license": "BSD-2-Clause",
    "description": "A web server",
    "homepage": "https://example.org/web",
    "source": "https://example.org/web.git",
    "base": "debian",
}
BOTH = ["linux/amd64", "linux/arm64"]
ROWS: dict[str, Row] = {
    "what the page leaves out of its versions is filled": Row(
        page=dict(versions=["1.29.3", "1.27.0"]),
        known=[known("1.29.3", tags=["1", "1.29", "latest"]), "1.28.0"],
        published=dict(
            platforms=BOTH,
            versions=[
                dict(
                    version="1.29.3", digest=digest("1.29.3"), digests=[digest("1.29.3")],
                    released="2026-11-01", size=1000, tags=["1", "1.29", "latest"], platforms=BOTH,
                    manifests=[
                        dict(platform="linux/amd64", digest=digest("1.29.3-amd64"), size=1000),
                        dict(platform="linux/arm64", digest=digest("1.29.3-arm64"), size=2000)]),
                dict(version="1.27.0", digest=None, released=None, size=None, tags=[], platforms=[])])),
    "the item is filled from its newest version": Row(
        page=dict(versions=["1.0.0", "2.0.0", "3.0.0"]),
        known=[known("2.0.0", signature="cosign"), "1.0.0", known("3.0.0", gone=True)],
        published=dict(**WORDS, signature="cosign"), told=["CAT083 PAGE:4 versions[2]"], head=NO_LICENSE,
        facts=WORDS),
    "the page wins": Row(
        page=dict(
            description="Own", platforms=["linux/riscv64"],
            versions=[
                dict(
                    version="1.0.0", released="2020-01-01", size=5, tags=["one"],
                    platforms=["linux/s390x"])]), known=[known("1.0.0", tags=["1"])],
        published=dict(
            license="MIT", description="Own", platforms=["linux/riscv64"],
            homepage="https://example.org/web",
            versions=[
                dict(
                    released="2020-01-01", size=5, tags=["one"], platforms=["linux/s390x"],
                    digest=digest("1.0.0"))]), told=["CAT036 PAGE:6 platforms"], facts=WORDS),
    "platforms of the page choose among those of the registry": Row(
        page=dict(platforms=BOTH[:1], versions=["1.0.0"]), known=["1.0.0"],
        published=dict(
            platforms=BOTH[:1],
            versions=[
                dict(platforms=BOTH[:1], manifests=[digest("1.0.0-amd64"), digest("1.0.0-arm64")])])),
    "a page with another digest is not filled": Row(
        page=dict(versions=[dict(version="1.0.0", digest=digest("7"))]), known=[known("1.0.0", tags=["1"])],
        published=dict(versions=[dict(digest=digest("7"), manifests=[], released=None, tags=[], size=None)])),
    "a page with a former digest gets the manifests of that digest alone": Row(
        page=dict(versions=[dict(version="1.0.0", digest=digest("1.0.0"))]),
        known=[known("1.0.0", tags=["1"], seed="now")],
        published=dict(
            versions=[
                dict(
                    manifests=[digest("1.0.0-amd64"), digest("1.0.0-arm64")], platforms=[], size=None,
                    released=None)]), former='1.0.0'),
    "digests of platforms stay as they are": Row(
        page=dict(versions=[dict(version="1.0.0", digest=[digest("1.0.0-amd64"), digest("1.0.0-arm64")])]),
        known=["1.0.0"],
        published=dict(
            versions=[
                dict(
                    digests=[digest("1.0.0-amd64"), digest("1.0.0-arm64")], manifests=[],
                    released="2026-11-01", size=None)])),
    "a manifest gets the digest of its index": Row(
        page=dict(versions=[dict(version="1.0.0", manifests={"linux/arm64": digest("1.0.0-arm64")})]),
        known=["1.0.0"],
        published=dict(
            versions=[
                dict(digests=[digest("1.0.0")], manifests=[digest("1.0.0-arm64")], released="2026-11-01")])),
    "a single manifest is the digest and no index": Row(
        page=dict(versions=["1.0.0"]),
        known=[
            known("1.0.0", size=7, manifests=[dict(platform="linux/amd64", digest=digest("1.0.0"), size=7)])],
        published=dict(versions=[dict(manifests=[], size=7, platforms=["linux/amd64"])])),
    "details of platforms are of manifests alone": Row(
        page=dict(versions=["1.0.0"]),
        known=[
            known(
                "1.0.0", size=None,
                manifests=[
                    dict(platform="linux/amd64[a]", digest=digest("x")),
                    dict(platform="unknown/unknown", digest=digest("y"))])],
        published=dict(versions=[dict(platforms=["linux/amd64"], size=None)], platforms=["linux/amd64"])),
    "how it runs, and what is attached": Row(
        page=dict(versions=["1.0.0", "2.0.0"]),
        known=[
            known("1.0.0", attestations=["sbom", "x"], config=dict(user="65532", ports=["80"])),
            known("2.0.0", config={})],
        published=dict(
            versions=[
                dict(version="2.0.0", attestations=[], config=dict(user=None, ports=[])),
                dict(
                    attestations=["sbom", "x"],
                    config=dict(user="65532", entrypoint=[], cmd=[], workingDir=None, ports=["80"]))])),
    "a version is found by its tags, and each tag is filled once": Row(
        page=dict(versions=["1.29", "1.29.3"]), known=[known("1.29.3", tags=["1", "1.29", "latest"])],
        published=dict(
            versions=[
                dict(version="1.29.3", digest=digest("1.29.3"), tags=["1", "latest"]),
                dict(version="1.29", digest=digest("1.29.3"), tags=[])])),
    "all versions of the registry are listed": Row(
        page=dict(versions="registry"),
        known=[known("1.29.3", tags=["1", "latest"]), "1.30-alpine", "edge", "1.28.0"],
        published=dict(
            versions=[
                dict(version="1.29.3", variant="", tags=["1", "latest"]),
                dict(version="1.30-alpine", variant="alpine"), "1.28.0"], latest="1.29.3")),
    "tags by an expression": chosen(from_registry(tags="^[0-9.]+$"), CHOSEN, ["1.3.0", "1.2.1", "1.2.0"]),
    "tags by patterns": chosen(
        from_registry(tags=["1.2*", "edge"]), CHOSEN, ["1.2.1", "1.2.1-alpine", "1.2.0", "edge"]),
    "an expression is for the beginning": chosen(from_registry(tags="2"), ["1.2.0", "2.0.0"], ["2.0.0"]),
    "tags without some": chosen(from_registry(tags=["1.2*", "!*-alpine"]), CHOSEN, ["1.2.1", "1.2.0"]),
    "the default without some": chosen(
        from_registry(tags=["!*-alpine", "!1.3*"]), CHOSEN, ["1.2.1", "1.2.0"]),
    "only latest": Row(
        page=dict(versions="registry"),
        known=[known("main", tags=["latest", "sha-504ed11"]), "sha-504ed12"],
        published=dict(latest="latest", versions=[dict(version="latest", tags=["main", "sha-504ed11"])])),
    "the tag latest decides between dates and numbers": Row(
        page=dict(versions="registry"), known=[known("2.4.1", tags=["latest"]), "20231015"],
        published=dict(latest="2.4.1", versions=["2.4.1", "20231015"])),
    "the newest and the one with the tag latest are kept": Row(
        page=dict(versions=from_registry(keep=1)),
        known=[known("1.0.0", tags=["latest"]), "1.0.1", "1.0.2"],
        published=dict(versions=["1.0.2", "1.0.0"]), told=["CAT014 FILE versions"]),
    "keep": chosen(from_registry(keep=1), CHOSEN, ["1.3.0", "1.2.1-alpine"]),
    "keep some of each line": Row(
        page=dict(versions=from_registry(keep=dict(lines=2, each=2))),
        known=[*CHOSEN, "1.1.9", "1.2.2-rc1"],
        published=dict(versions=["1.3.0", "1.2.1", "1.2.1-alpine", "1.2.0"])),
    "a line has its final versions before the others": Row(
        page=dict(versions=from_registry(keep=3)),
        known=["2.0.0-rc1", "2.0.0-rc2", "1.9.1-rc1", "1.9.0", "1.8.0", "1.7.0"],
        published=dict(versions=["1.9.0", "2.0.0-rc2", "1.8.0"])),
    "keep of tags": chosen(from_registry(tags="^1[.]2", keep=1), CHOSEN, ["1.2.1", "1.2.1-alpine"]),
    "neither": chosen(from_registry(), CHOSEN, ["1.3.0", "1.2.1", "1.2.1-alpine", "1.2.0"]),
    "lines and variants of the page decide what is kept": Row(
        page=dict(lines="major", variants="none", versions=from_registry(keep=2)),
        known=["1.2.0", "1.3.0-slim12", "1.3.0-slim13", "2.0.0"],
        published=dict(versions=["2.0.0", "1.3.0-slim13"])),
    "gone versions are kept beside those that keep counts": Row(
        page=dict(versions=from_registry(keep=dict(lines=1, each=2))),
        known=["1.0.0", "1.0.1", known("1.0.2", gone=True), "1.0.3"],
        published=dict(versions=["1.0.3", "1.0.2", "1.0.1"]), told=["CAT083 FILE versions[2]"]),
    "what is gone stays listed and is never the newest": Row(
        page=dict(versions="registry"),
        known=["1.0.0", "1.0.1", known("1.0.2", gone=True), known("2.0.0", gone=True)],
        published=dict(versions=["1.0.1", "2.0.0", "1.0.2", "1.0.0"], latest="1.0.1"),
        told=["CAT083 FILE versions[2]", "CAT083 FILE versions[3]"]),
    "a gone version that the page lists and names as latest": Row(
        page=dict(versions=["1.0.0", "2.0.0"], latest="2.0.0"), known=["1.0.0", known("2.0.0", gone=True)],
        published=dict(latest="1.0.0"), told=["CAT083 PAGE:5 versions[1]", "CAT014 PAGE:6 latest"]),
    "an image of which all is gone still shows its newest": Row(
        page=dict(versions="registry"), known=[known("1.0.0", gone=True), known("2.0.0", gone=True)],
        published=dict(latest="2.0.0", base="debian"),
        told=["CAT083 FILE versions[0]", "CAT083 FILE versions[1]"], facts=dict(newest="2.0.0", **WORDS)),
    "a file without a chosen version": chosen(
        from_registry(tags="^v"), ["1.0.0"], [], told=["CAT083 PAGE:5 versions"]),
    "a file without a version": chosen("registry", ["main", "pr-7"], [], told=["CAT083 PAGE:5 versions"]),
    "a license that is none": Row(
        page=dict(versions=["1.0.0"]), known=["1.0.0"], published=dict(license="do what you want"),
        told=["CAT012 FILE license"], head=NO_LICENSE, facts=dict(license="do what you want")),
    "a license that the page does not know": Row(
        page=dict(versions=["1.0.0"], license="NOASSERTION"), known=["1.0.0"],
        published=dict(license="ISC"), head=NO_LICENSE, facts=dict(license="ISC")),
    "what is known of none of the page's versions": Row(
        page=dict(versions=["2.0.0"]), known=["1.0.0"], published=dict(homepage=None, platforms=[]),
        facts=WORDS),
    "what is known of another version than the page's newest": Row(
        page=dict(versions=["1.0.0"]), known=[known("2.0.0", signature="cosign"), "1.0.0"],
        published=dict(base="debian", signature=None), facts=WORDS),
    "a default is above the registry": Row(
        page=dict(base="Debian 12"), known=["1.0.0"],
        published=dict(base="Debian 12", homepage="https://example.org/web"),
        head='category: Tools\ntier: core\nlicense: MIT\nversions: [1.0.0]\n', default=True, facts=WORDS),
    "facts of another repository": Row(
        page=dict(versions=["1.0.0"], image="registry.example.org/other/web"), known=["1.0.0"],
        published=dict(versions=[dict(digest=None)]), told=["CAT084 FILE image"]),
    "charts are filled, too": Row(
        page=dict(versions="registry"),
        known=["1.0.0", known("1.1.0+build.1", signature="cosign"), known("2.0.0", gone=True)],
        published=dict(
            license="BSD-2-Clause", appVersion="9.9", description="A web server",
            homepage="https://example.org/web", signature="cosign", latest="1.1.0+build.1",
            versions=[
                dict(version="1.1.0+build.1", appVersion="9.9", released="2026-10-01"), "2.0.0", "1.0.0"],
            images=[dict(name="app", image=f"{REGISTRY}/web:1.0.0"), "docker.io/library/redis:8"]),
        told=["CAT083 FILE versions[2]"], chart=True, head=NO_LICENSE,
        facts=dict(
            newest="1.1.0+build.1", **WORDS,
            images=[
                dict(name="app", image=f"{REGISTRY}/web:1.0.0"), dict(image="docker.io/library/redis:8")])),
    "a chart on a page is filled and wins": Row(
        page=dict(versions=[dict(version="v1.0.0", appVersion="1"), "0.9.0"], images=["a/b:1"]),
        known=["1.0.0"],
        published=dict(
            versions=[dict(appVersion="1", released="2026-10-01"), dict(appVersion=None)],
            images=["a/b:1"]), chart=True,
        facts=dict(
            images=[
                dict(name="app", image=f"{REGISTRY}/web:1.0.0"), dict(image="docker.io/library/redis:8")])),
    "versions on a page come before the default": Row(
        page=dict(versions=["1.0.0"]), known=["1.0.0", "2.0.0"], published=dict(versions=["1.0.0"])),
}  # fmt: skip
ROWS |= {
    f"{name}, by default": replace(ROWS[name], default=True)
    for name in ("tags by an expression", "keep", "keep of tags", "neither")
}
WRONG_TAGS: list[object] = ["(", "!*-dev", [], {"a": 1}]
WRONG: list[tuple[object, str, str]] = [
    ("registri", "CAT012", ""),
    ({"from": "hub"}, "CAT012", ".from"),
    *((from_registry(keep=keep), "CAT012", ".keep") for keep in (0, "all")),
    (from_registry(keep={"lines": 0}), "CAT012", ".keep.lines"),
    (from_registry(keep={"each": 2}), "CAT011", ".keep.lines"),
    (from_registry(keep={"lines": 1, "eac": 2}), "CAT010", ".keep.eac"),
    *((from_registry(tags=tags), "CAT012", ".tags") for tags in WRONG_TAGS),
    (from_registry(kep=1), "CAT010", ".kep"),
    ("1.0.0", "CAT012", ""),
    ([{"version": "1.0.0", "digest": {"a": "b"}}], "CAT012", "[0].digest"),
    ([{"version": "1.0.0", "tags": [{"a": "b"}]}], "CAT012", "[0].tags[0]"),
    ([{"version": ["a"]}, "1.0.0"], "CAT012", "[0].version"),
]
"""Values of `versions`, the code of the problem, and its field below."""
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
ONE = ["1.0.0"]
REFUSED = [
    Row(page=dict(versions="registry"), told=["CAT021 PAGE:5 versions"]),
    Row(page=dict(versions="registry", image="a.example.org/web"), known=ONE, told=["CAT084 FILE image"]),
    *(
        Row(page=dict(versions=value), known=ONE, told=[f"{code} PAGE:5 versions{field}"])
        for value, code, field in WRONG
    ),
    *(
        Row(page=dict(versions=ONE), text=text, told=[f"CAT002 FILE {field}".rstrip()])
        for text, field in MALFORMED.items()
    ),
    Row(
        page=dict(versions=ONE), known=ONE, told=["CAT012 FILE homepage"], facts=dict(homepage="see the wiki")
    ),
    Row(
        page=dict(versions=["0.9.0", "1.0.0"]),
        known=[known("1.0.0", config=dict(user="\u0007"))],
        told=["CAT012 FILE versions[0].config.user"],
    ),
]


def catalog(site: SiteFolder, rows: Iterable[Row]) -> dict[str, set[str]]:
    site.settings["images"] = {"defaults": []}
    gone: dict[str, set[str]] = {}
    for number, each in enumerate(rows):
        each.write(site, number)
        gone[f"{each.kind}s/row-{number}"] = {
            known["version"] for known in each.versions if known.get("gone")
        }
    return gone


def told(result: Result, number: int) -> list[str]:
    """The problems of a row, as in the row."""
    return [
        f"{'info ' if each.level is Level.INFO else ''}{each.code} "
        f"{'FILE' if each.file.startswith('registry') else 'PAGE'}"
        f"{f':{each.line}' if each.line else ''} {each.field}".rstrip()
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
        found = same(published, {**each.published})
        assert found == each.published, name
        assert told(result, number) == [*each.told], name
    notes = [(each.level, each.code) for each in result.problems if each.file == "registry/images"]
    assert notes == [(Level.INFO, "CAT083")], "one for all tags that are not listed"


def test_a_page_or_file_is_refused(site: SiteFolder) -> None:
    catalog(site, REFUSED)
    result = site.build()
    for number, each in enumerate(REFUSED):
        assert told(result, number) == [*each.told], each
        assert {problem.level for problem in result.problems} == {Level.ERROR}


# Rows that need a catalog of their own


def test_what_is_gone_is_no_advice_and_not_listed_for_scanners(site: SiteFolder) -> None:
    gone = [known("1.0.2", gone=True), known("2.0.0", gone=True)]
    Row(page=dict(versions="registry"), known=["1.0.0", "1.0.1", *gone]).write(site, 0)
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
    Row(page=dict(versions=[dict(version="1.0.0", digest=digest("7"))]), known=ONE).write(site, 0)
    gone = [known("1.0.0", gone=True), known("2.0.0", gone=True)]
    Row(page=dict(versions="registry"), known=gone).write(site, 1)
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
    own = dict(version="3.0.0", digest=digest("3"), released="2026-11-03")
    page = Row(
        page=dict(versions=[own, "1.0.0"]), known=["1.0.0", known("2.0.0", released=None)], head=NO_LICENSE
    )
    replace(page, facts=dict(license="MIT", source="https://example.org/web")).write(site, 0)
    image = item(built(site), "row-0")
    assert (image["license"], image["source"]) == ("MIT", "https://example.org/web")
    assert [version["released"] for version in image["versions"]] == ["2026-11-03", "2026-11-01"]
    replace(page, page=dict(versions=["1.0.0", "2.0.0", "3.0.0"])).write(site, 0)
    missing = [(each.code, each.field) for each in site.build().problems]
    fields = ("license", "source", "versions[1].released", "versions[2]", "versions[2]")
    assert missing == [("CAT011", field) for field in fields]


def test_entries_of_a_data_file_are_filled(site: SiteFolder) -> None:
    Row(known=ONE).write(site, 0)
    (site.folder / "docs/images/row-0.md").unlink()
    site.write("images.yml", "- {name: Row 0, category: Tools, versions: registry}\n")
    (version,) = item(built(site), "row-0")["versions"]
    assert (version["version"], version["digest"]) == ("1.0.0", digest("1.0.0"))


def test_a_problem_of_a_default_is_where_it_is_set(site: SiteFolder) -> None:
    site.settings["images"] = {"defaults": [{"values": {"tier": "core", "defaultVariant": "x"}}]}
    site.image("web", "versions: [1.0.0]")
    (told,) = site.build().problems
    assert (told.code, told.file, told.item) == ("CAT014", "mkdocs.yml", "web")
    assert told.field == "catalog-api.images.defaults[0].values.defaultVariant"
