"""What `catalog-api sync` learned fills what pages leave out; the files are written as it writes them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from mkdocs_catalog_api.commands.main import main

from .fake_registry import FakeRegistry
from .sites import REGISTRY, SiteFolder, built, digest, item, row, trivy

OCI = "org.opencontainers.image."
FACTS = "registry/images/web.json"


def facts(version: str, *tags: str, seed: int | str = 0, **more: Any) -> dict[str, Any]:
    """A version in a file of facts, for two platforms."""
    name = seed or version
    manifests = [
        {"platform": "linux/amd64", "digest": digest(f"{name}-amd64"), "size": 1000},
        {"platform": "linux/arm64", "digest": digest(f"{name}-arm64"), "size": 2000},
    ]
    known = {"version": version, "digest": digest(name), "tags": [*tags], "manifests": manifests}
    return known | {"created": "2026-11-01T06:00:00Z"} | more


def know(site: SiteFolder, *versions: dict[str, Any], slug: str = "web", image: str = "") -> None:
    text = json.dumps({"image": image or f"{REGISTRY}/{slug}", "versions": versions})
    site.write(f"registry/images/{slug}.json", text)


def know_chart(site: SiteFolder, *versions: dict[str, Any]) -> None:
    text = json.dumps({"chart": "oci://registry.example.org/charts/stack", "versions": versions})
    site.write("registry/charts/stack.json", text)


def web(site: SiteFolder, versions: Any, **fields: Any) -> None:
    """The page of the image web."""
    matter = {"category": "Tools", "tier": "core", "license": "MIT", "versions": versions} | fields
    given = {key: value for key, value in matter.items() if value is not None}
    site.page("images/web.md", yaml.safe_dump(given, sort_keys=False))


def problems(site: SiteFolder, *, least: str = "warning") -> list[tuple[Any, ...]]:
    """Level, code, file, line and field of each problem."""
    site.write_config()
    result = CliRunner().invoke(main, ["check", "--json", "-f", str(site.folder / "mkdocs.yml")])
    assert result.stdout, result.exception
    wanted = {"warning": ("warning", "error"), "info": ("info", "warning", "error")}[least]
    return [
        tuple(problem[key] for key in ("level", "code", "file", "line", "field"))
        for problem in json.loads(result.stdout)["problems"]
        if problem["level"] in wanted and problem["field"] != "site_url"
    ]


def versions_of(result: Any, *keys: str, slug: str = "web") -> list[list[Any]]:
    return [[version[key] for key in keys] for version in item(result, slug)["versions"]]


def test_what_the_page_leaves_out_of_its_versions_is_filled(site: SiteFolder) -> None:
    know(site, facts("1.29.3", "1", "1.29", "latest"), facts("1.28.0"))
    web(site, ["1.29.3", "1.27.0"])
    image = item(built(site), "web")
    first, other = image["versions"]
    assert first | {"href": ""} == {
        "version": "1.29.3",
        "line": "1.29",
        "variant": "",
        "digest": digest("1.29.3"),
        "digests": [digest("1.29.3")],
        "manifests": [
            {"platform": "linux/amd64", "digest": digest("1.29.3-amd64"), "size": 1000},
            {"platform": "linux/arm64", "digest": digest("1.29.3-arm64"), "size": 2000},
        ],
        "released": "2026-11-01",
        "endOfLife": None,
        "size": 1000,
        "tags": ["1", "1.29", "latest"],
        "platforms": ["linux/amd64", "linux/arm64"],
        "sbom": None,
        "provenance": None,
        "href": "",
        "custom": {},
    }
    assert (other["version"], other["digest"], other["released"]) == ("1.27.0", None, None)
    assert image["platforms"] == ["linux/amd64", "linux/arm64"]


def test_the_item_is_filled_from_its_newest_version(site: SiteFolder) -> None:
    annotations = {
        f"{OCI}licenses": "BSD-2-Clause",
        f"{OCI}description": "  A web\nserver ",
        f"{OCI}url": "https://example.org/web",
        f"{OCI}source": "https://example.org/web.git",
        f"{OCI}base.name": f"docker.io/library/debian:12-slim@{digest(1)}",
    }
    old = dict.fromkeys(annotations, "https://example.org/old")
    gone = facts("3.0.0", annotations=old, gone=True)
    know(
        site,
        facts("2.0.0", annotations=annotations, signature="cosign"),
        facts("1.0.0", annotations=old),
        gone,
    )
    web(site, ["1.0.0", "2.0.0", "3.0.0"], license=None)
    image = item(built(site, gone={"images/web": {"3.0.0"}}), "web")
    fields = ("license", "description", "homepage", "source", "base", "signature")
    assert [image[field] for field in fields] == [
        "BSD-2-Clause",
        "A web server",
        "https://example.org/web",
        "https://example.org/web.git",
        "debian",
        "cosign",
    ]


def test_the_page_and_the_defaults_win(site: SiteFolder) -> None:
    annotations = {
        f"{OCI}licenses": "MIT",
        f"{OCI}description": "Other",
        f"{OCI}url": "https://example.org/x",
    }
    know(site, facts("1.0.0", "1", annotations=annotations))
    site.settings["images"] = {"defaults": {"homepage": "https://example.org/default"}}
    own = {
        "version": "1.0.0",
        "released": "2020-01-01",
        "size": 5,
        "tags": ["one"],
        "platforms": ["linux/s390x"],
    }
    web(site, [own], license="ISC", description="Own", platforms=["linux/riscv64"])
    image = item(built(site), "web")
    (version,) = image["versions"]
    assert (image["license"], image["description"], image["platforms"]) == ("ISC", "Own", ["linux/riscv64"])
    assert image["homepage"] == "https://example.org/default"
    assert {key: version[key] for key in own} == own
    assert version["digest"] == digest("1.0.0")


def test_a_page_with_another_digest_is_not_filled_and_its_scan_counts(site: SiteFolder) -> None:
    know(site, facts("1.0.0", "1"))
    web(site, [{"version": "1.0.0", "digest": digest(7)}])
    site.report("web/1.0.0.json", trivy([row("CVE-2026-0001")], digest=f"{REGISTRY}/web@{digest(7)}"))
    result = built(site)
    (version,) = item(result, "web")["versions"]
    assert (version["digest"], version["manifests"], version["released"], version["tags"]) == (
        digest(7), [], None, [],
    )  # fmt: skip
    assert result.json("security.json")["total"] == 1
    assert problems(site, least="info") == [("info", "CAT084", "docs/images/web.md", 7, "versions[0].digest")]


def test_a_page_with_a_former_digest_gets_the_manifests_of_that_digest_alone(site: SiteFolder) -> None:
    know(site, facts("1.0.0", "1", seed="now"))
    path = site.folder / FACTS
    former = [{key: facts("1.0.0")[key] for key in ("version", "digest", "manifests")}]
    site.write(
        FACTS, json.dumps(json.loads(path.read_bytes()) | {"former": [former[0] | {"until": "2026-11-02"}]})
    )
    web(site, [{"version": "1.0.0", "digest": digest("1.0.0")}])
    result = built(site)
    (version,) = item(result, "web")["versions"]
    parts = [digest("1.0.0-amd64"), digest("1.0.0-arm64")]
    assert [part["digest"] for part in version["manifests"]] == parts
    assert (version["platforms"], version["size"], version["released"], version["tags"]) == (
        [],
        None,
        None,
        [],
    )
    assert (result.api / f"digests/{parts[0].replace(':', '/')}.json").exists()


@pytest.mark.parametrize(
    ("given", "digests", "platforms"),
    [
        ({"digest": digest("1.0.0")}, [digest("1.0.0")], 2),
        (
            {"digest": [digest("1.0.0-amd64"), digest("1.0.0-arm64")]},
            [digest("1.0.0-amd64"), digest("1.0.0-arm64")],
            0,
        ),
        ({"manifests": {"linux/arm64": digest("1.0.0-arm64")}}, [digest("1.0.0")], 1),
    ],
)
def test_digests_of_the_same_image_are_completed(
    site: SiteFolder, given: dict[str, Any], digests: list[str], platforms: int
) -> None:
    know(site, facts("1.0.0"))
    web(site, [{"version": "1.0.0"} | given])
    (version,) = item(built(site), "web")["versions"]
    assert (version["digests"], len(version["manifests"])) == (digests, platforms)
    assert version["released"] == "2026-11-01"


def test_a_single_manifest_is_the_digest_and_no_index(site: SiteFolder) -> None:
    only = {"platform": "linux/amd64", "digest": digest("1.0.0"), "size": 7}
    know(site, facts("1.0.0", manifests=[only]))
    web(site, ["1.0.0"])
    result = built(site)
    assert versions_of(result, "manifests", "size", "platforms") == [[[], 7, ["linux/amd64"]]]


def test_a_version_is_found_by_its_tags_and_each_tag_is_filled_once(site: SiteFolder) -> None:
    know(site, facts("1.29.3", "1", "1.29", "latest"))
    web(site, ["1.29", "1.29.3"])
    result = built(site)
    assert versions_of(result, "version", "digest", "tags") == [
        ["1.29.3", digest("1.29.3"), ["1", "latest"]],
        ["1.29", digest("1.29.3"), []],
    ]


def test_all_versions_of_the_registry_are_listed(site: SiteFolder) -> None:
    know(site, facts("1.29.3", "1", "latest"), facts("1.30-alpine"), facts("edge"), facts("1.28.0"))
    web(site, "registry")
    result = built(site)
    assert versions_of(result, "version", "variant", "tags") == [
        ["1.29.3", "", ["1", "latest"]],
        ["1.30-alpine", "alpine", []],
        ["1.28.0", "", []],
    ]
    assert item(result, "web")["latest"] == "1.29.3"


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"tags": "^[0-9.]+$"}, ["1.3.0", "1.2.1", "1.2.0"]),
        ({"tags": ["1.2*", "edge"]}, ["1.2.1", "1.2.1-alpine", "1.2.0", "edge"]),
        ({"keep": 1}, ["1.3.0", "1.2.1", "1.2.1-alpine"]),
        ({"tags": "^1[.]2", "keep": 1}, ["1.2.1", "1.2.1-alpine"]),
        ({}, ["1.3.0", "1.2.1", "1.2.1-alpine", "1.2.0"]),
    ],
)
@pytest.mark.parametrize("as_default", [True, False])
def test_tags_and_keep_choose(
    site: SiteFolder, choice: dict[str, Any], expected: list[str], as_default: bool
) -> None:
    know(site, *(facts(label) for label in ("1.2.0", "1.2.1", "1.2.1-alpine", "1.3.0", "edge")))
    value = {"from": "registry"} | choice
    if as_default:
        site.settings["images"] = {"defaults": {"versions": value}}
    web(site, None if as_default else value)
    assert [label for (label,) in versions_of(built(site), "version")] == expected


def test_lines_and_variants_of_the_page_decide_what_is_kept(site: SiteFolder) -> None:
    know(site, *(facts(label) for label in ("1.2.0", "1.3.0-slim12", "1.3.0-slim13", "2.0.0")))
    web(site, {"from": "registry", "keep": 1}, lines="major", variants={"slim": "*-slim*"})
    assert [label for (label,) in versions_of(built(site), "version")] == ["2.0.0", "1.3.0-slim13", "1.2.0"]


def test_versions_on_a_page_come_before_the_default(site: SiteFolder) -> None:
    site.settings["images"] = {"defaults": {"versions": "registry"}}
    know(site, facts("1.0.0"), facts("2.0.0"))
    web(site, ["1.0.0"])
    assert versions_of(built(site), "version", "digest") == [["1.0.0", digest("1.0.0")]]


def test_without_its_file_versions_from_the_registry_are_an_error(site: SiteFolder) -> None:
    web(site, "registry")
    assert problems(site) == [("error", "CAT021", "docs/images/web.md", 5, "versions")]
    result = CliRunner().invoke(main, ["check", "-f", str(site.folder / "mkdocs.yml")])
    assert "catalog-api sync" in result.stderr and FACTS in result.stderr
    know(site, facts("1.0.0"), slug="other")
    assert problems(site) == [("error", "CAT021", "docs/images/web.md", 5, "versions")]


def test_a_file_without_a_chosen_version_is_a_warning(site: SiteFolder) -> None:
    know(site, facts("1.0.0"))
    web(site, {"from": "registry", "tags": "^v"})
    assert problems(site) == [("warning", "CAT083", "docs/images/web.md", 5, "versions")]


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ("registri", "versions"),
        ({"from": "hub"}, "versions.from"),
        ({"from": "registry", "keep": 0}, "versions.keep"),
        ({"from": "registry", "keep": "some"}, "versions.keep"),
        ({"from": "registry", "tags": "("}, "versions.tags"),
        ({"from": "registry", "tags": []}, "versions.tags"),
        ({"from": "registry", "tags": {"a": 1}}, "versions.tags"),
        ({"from": "registry", "kep": 1}, "versions.kep"),
    ],
)
def test_a_wrong_choice_is_named_where_it_is_written(site: SiteFolder, value: Any, field: str) -> None:
    know(site, facts("1.0.0"))
    web(site, value)
    (problem,) = problems(site)
    assert (problem[0], problem[2], problem[4]) == ("error", "docs/images/web.md", field)
    assert problem[3] >= 5
    web(site, None)
    site.settings["images"] = {"defaults": {"versions": value}}
    found = [problem for problem in problems(site) if problem[2] == "mkdocs.yml"]
    assert [(level, code, place) for level, code, _, _, place in found] == [
        ("error", "CAT020", f"catalog-api.images.defaults.{field}")
    ]


def test_what_is_gone_stays_listed_and_is_never_the_newest(site: SiteFolder) -> None:
    know(site, facts("1.0.0"), facts("1.0.1"), facts("1.0.2", gone=True), facts("2.0.0", gone=True))
    web(site, "registry")
    result = built(site, gone={"images/web": {"1.0.2", "2.0.0"}})
    image = item(result, "web")
    assert ([version["version"] for version in image["versions"]], image["latest"]) == (
        ["1.0.1", "2.0.0", "1.0.2", "1.0.0"], "1.0.1",
    )  # fmt: skip

    def advice(label: str) -> list[str | None]:
        path = f"digests/{digest(label).replace(':', '/')}.json"
        entry = result.json(path)["data"][0]
        return [entry[key] and entry[key]["version"] for key in ("upgrade", "newLine")]

    assert (advice("1.0.0"), advice("1.0.1"), advice("1.0.2")) == (
        ["1.0.1", None],
        [None, None],
        [None, None],
    )
    assert {problem[:3] for problem in problems(site)} == {("warning", "CAT083", FACTS)}
    listed = CliRunner().invoke(main, ["list", "--json", "-f", str(site.folder / "mkdocs.yml")])
    labels = [version["version"] for version in json.loads(listed.stdout)["versions"]]
    assert labels == ["1.0.1", "1.0.1", "1.0.0", "1.0.0"], "a line for each platform"


def test_a_gone_version_that_the_page_lists_or_names_as_latest(site: SiteFolder) -> None:
    know(site, facts("1.0.0"), facts("2.0.0", gone=True))
    web(site, ["1.0.0", "2.0.0"], latest="2.0.0")
    assert item(built(site, gone={"images/web": {"2.0.0"}}), "web")["latest"] == "1.0.0"
    assert problems(site) == [
        ("warning", "CAT083", "docs/images/web.md", 5, "versions"),
        ("warning", "CAT014", "docs/images/web.md", 8, "latest"),
    ]


def test_an_image_of_which_all_is_gone_still_shows_its_newest(site: SiteFolder) -> None:
    know(site, facts("1.0.0", gone=True), facts("2.0.0", gone=True))
    web(site, "registry")
    site.report("a.json", trivy([row("CVE-2026-0001")], digest=f"{REGISTRY}/web@{digest('2.0.0')}"))
    result = built(site)
    assert (item(result, "web")["latest"], result.json("security.json")["total"]) == ("2.0.0", 1)


def test_gone_versions_are_kept_beside_those_that_keep_counts(site: SiteFolder) -> None:
    know(site, facts("1.0.0"), facts("1.0.1"), facts("1.0.2", gone=True), facts("1.0.3"))
    web(site, {"from": "registry", "keep": 2})
    assert [label for (label,) in versions_of(built(site), "version")] == ["1.0.3", "1.0.2", "1.0.1"]


PINS = f"""
- name: app
  image: {REGISTRY}/web:1.0.0@{digest("1.0.0")}
  whitelisted: true
- image: docker.io/library/redis:8
"""


def chart_facts(version: str, **more: Any) -> dict[str, Any]:
    known = {"version": version, "digest": digest(f"chart {version}"), "tags": [version.replace("+", "_")]}
    return known | {"appVersion": "9.9", "created": "2026-10-01T00:00:00Z"} | more


def stack(site: SiteFolder, versions: Any, **fields: Any) -> None:
    matter = {"category": "Tools", "tier": "core", "chart": "oci://registry.example.org/charts/stack"}
    site.page("charts/stack.md", yaml.safe_dump(matter | {"versions": versions} | fields))


def test_charts_are_filled_from_chart_yaml_and_its_annotations(site: SiteFolder) -> None:
    annotations = {"artifacthub.io/license": "Apache-2.0", "artifacthub.io/images": PINS}
    newest = chart_facts(
        "1.1.0+build.1",
        annotations=annotations,
        description="A stack",
        home="https://example.org/stack",
        sources=["https://example.org/stack.git"],
        signature="cosign",
    )
    know_chart(site, chart_facts("1.0.0"), newest, chart_facts("2.0.0", gone=True))
    know(site, facts("1.0.0"))
    web(site, ["1.0.0"])
    site.report("web/1.0.0.json", trivy([row("CVE-2026-0001")], digest=f"{REGISTRY}/web@{digest('1.0.0')}"))
    stack(site, "registry")
    result = built(site, gone={"charts/stack": {"2.0.0"}})
    chart = result.json("charts/stack/index.json")["data"]
    keys = ("license", "appVersion", "description", "homepage", "source", "signature", "latest")
    assert [chart[key] for key in keys] == [
        "Apache-2.0",
        "9.9",
        "A stack",
        "https://example.org/stack",
        "https://example.org/stack.git",
        "cosign",
        "1.1.0+build.1",
    ]
    assert [version["version"] for version in chart["versions"]] == ["1.1.0+build.1", "2.0.0", "1.0.0"]
    assert chart["versions"][0] == {
        "version": "1.1.0+build.1",
        "appVersion": "9.9",
        "digest": digest("chart 1.1.0+build.1"),
        "released": "2026-10-01",
        "custom": {},
    }
    assert [(pin["name"], pin["slug"], pin["version"]) for pin in chart["images"]] == [
        ("app", "web", "1.0.0"),
        ("redis", None, None),
    ]
    assert (chart["security"]["total"], chart["security"]["pinsScanned"]) == (1, 1)


def test_a_chart_on_a_page_is_filled_and_wins(site: SiteFolder) -> None:
    know_chart(site, chart_facts("1.0.0", annotations={"artifacthub.io/images": PINS}))
    stack(site, [{"version": "v1.0.0", "appVersion": "1"}, "0.9.0"], license="MIT", images=["a/b:1"])
    chart = built(site).json("charts/stack/index.json")["data"]
    assert [(version["appVersion"], version["released"]) for version in chart["versions"]] == [
        ("1", "2026-10-01"),
        (None, None),
    ]
    assert [pin["image"] for pin in chart["images"]] == ["a/b:1"]


@pytest.mark.parametrize(
    "pins", ["[", "text", "- {name: x}\n- image: a/b:1\n", "- image: 'A B'\n- image: a/b:1\n"]
)
def test_pins_that_cannot_be_used_are_warned_of(site: SiteFolder, pins: str) -> None:
    know_chart(site, chart_facts("1.0.0", annotations={"artifacthub.io/images": pins}))
    stack(site, "registry", license="MIT")
    result = built(site)
    # Some of its pins alone would give counts that are too low.
    assert result.json("charts/stack/index.json")["data"]["images"] == []
    (found,) = problems(site)
    assert found[:3] == ("warning", "CAT012", "registry/charts/stack.json")
    assert found[4].startswith("versions[0].annotations.artifacthub.io/images")


def test_a_value_that_is_none_is_not_used_and_named(site: SiteFolder) -> None:
    annotations = {f"{OCI}url": "see the wiki", f"{OCI}description": "bell\a", f"{OCI}source": " "}
    know(site, facts("1.0.0", annotations=annotations))
    web(site, ["1.0.0"])
    image = item(built(site), "web")
    assert (image["homepage"], image["description"], image["source"]) == (None, None, None)
    assert [problem[:3] + problem[4:] for problem in problems(site)] == [
        ("warning", "CAT012", FACTS, f"versions[0].annotations.{OCI}{name}")
        for name in ("description", "url")
    ]


def test_a_registry_may_meet_what_the_catalog_requires(site: SiteFolder) -> None:
    site.settings["images"] = {
        "fields": {"license": {"required": True}, "source": {"required": True}},
        "version_fields": {"digest": {"required": True}, "released": {"required": True}},
    }
    known = facts("1.0.0", annotations={f"{OCI}licenses": "MIT", f"{OCI}source": "https://example.org/web"})
    know(site, known, facts("2.0.0", created=None))
    web(site, [{"version": "3.0.0", "digest": digest(3), "released": "2026-11-03"}, "1.0.0"], license=None)
    image = item(built(site), "web")
    assert (image["license"], image["source"]) == ("MIT", "https://example.org/web")
    assert [version["released"] for version in image["versions"]] == ["2026-11-03", "2026-11-01"]
    web(site, ["1.0.0", "2.0.0", "3.0.0"], license=None)
    # The newest version in the registry has no annotations, and no day.
    assert [(code, field) for _, code, _, _, field in problems(site)] == [
        ("CAT011", "license"),
        ("CAT011", "source"),
        ("CAT011", "versions[1]"),
        ("CAT011", "versions[2]"),
        ("CAT011", "versions[2]"),
    ]


def test_a_license_that_is_none_is_named_in_the_file(site: SiteFolder) -> None:
    know(site, facts("1.0.0", annotations={f"{OCI}licenses": "do what you want"}))
    web(site, ["1.0.0"], license=None)
    assert problems(site) == [("warning", "CAT012", FACTS, 0, "license")]


def test_facts_of_another_repository_are_not_used(site: SiteFolder) -> None:
    know(site, facts("1.0.0"), image="registry.example.org/before/web")
    web(site, ["1.0.0"])
    assert versions_of(built(site), "digest") == [[None]]
    assert problems(site) == [("warning", "CAT084", FACTS, 0, "image")]
    web(site, "registry")
    assert problems(site) == [("error", "CAT084", FACTS, 0, "image")]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", ""),
        ("[]", ""),
        ("{", ""),
        ("[" * 100_000, ""),
        ('{"image": "a/b", "versions": 1}', "versions"),
        ('{"image": "a/b", "versions": [{"version": "1", "digest": "x"}]}', "versions[0].digest"),
        ('{"image": "a/b", "versions": [{"version": "../1", "digest": "x"}]}', "versions[0].version"),
        ('{"image": "a/b", "versions": [], "more": 1}', ""),
    ],
)
def test_a_malformed_file_is_refused(site: SiteFolder, text: str, field: str) -> None:
    site.write(FACTS, text)
    web(site, ["1.0.0"])
    assert problems(site) == [("error", "CAT002", FACTS, 0, field)]


def test_pipes_and_links_out_of_the_project_are_refused(
    site: SiteFolder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside: Path = tmp_path_factory.mktemp("outside") / "web.json"
    know(site, facts("1.0.0"))
    (site.folder / FACTS).rename(outside)
    web(site, ["1.0.0"])
    (site.folder / FACTS).symlink_to(outside)
    assert problems(site) == [("error", "CAT002", FACTS, 0, "")]
    (site.folder / FACTS).unlink()
    (site.folder / FACTS).symlink_to("nowhere")
    assert problems(site) == [("error", "CAT002", FACTS, 0, "")]
    (site.folder / FACTS).unlink()
    os.mkfifo(site.folder / FACTS)
    assert problems(site) == [("error", "CAT002", FACTS, 0, "")]


def test_entries_of_a_data_file_are_filled(site: SiteFolder) -> None:
    know(site, facts("1.0.0"))
    site.write("images.yml", "- {name: Web, category: Tools, tier: core, license: MIT, versions: registry}\n")
    site.write("docs/index.md", "# Home\n")
    assert versions_of(built(site), "version", "digest") == [["1.0.0", digest("1.0.0")]]


def test_the_build_reads_what_sync_writes(site: SiteFolder) -> None:
    def sync() -> None:
        nobody = {"DOCKER_CONFIG": str(site.folder)}
        arguments = ["sync", "-f", str(site.write_config())]
        result = CliRunner().invoke(main, arguments, env=nobody)
        assert result.exit_code == 0, result.output

    with FakeRegistry().running() as fake:
        site.image("web", "versions: {from: registry, tags: '^[0-9.]+$'}", image=f"{fake.host}/acme/web")
        first = fake.image("acme/web", "1.0.0", "stable")
        sync()
        assert versions_of(built(site), "version", "digest", "tags", "size") == [
            ["1.0.0", first, ["stable"], 5]
        ]
        second = fake.image("acme/web", "1.1.0")
        fake.tags("acme/web", "1.0.0", "1.1.0")
        sync()
        assert versions_of(built(site), "version", "digest") == [["1.1.0", second], ["1.0.0", first]]
        fake.tags("acme/web", "1.0.0")
        sync()
        result = built(site, gone={"images/web": {"1.1.0"}})
        assert versions_of(result, "version", "digest") == [["1.0.0", first], ["1.1.0", second]]
