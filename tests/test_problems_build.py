"""A broken site under `mkdocs build`: all problems at once, in order, and nothing of ours published."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from mkdocs_catalog_api.commands.main import main

from .authors import REQUIRED, configure
from .sites import REGISTRY, SiteFolder, digest, row, trivy, vex


def test_mkdocs_build_tells_all_problems_and_publishes_nothing(site: SiteFolder) -> None:
    configure(site, f"registry: {REGISTRY}\nsecurity: {{reports: nope}}")
    site.write("docs/images/b.md", f"---\n{REQUIRED}latest: 2\nbase: [\n---\n")
    site.write("docs/images/a.md", f"---\n{REQUIRED}url: x\nhomepage: x\n---\n")
    site.write("docs/images/c.md", b"---\nname: \xff\n---\n")
    site.write("roadmap.yml", "- {name: X, homepage: x}\n")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
    ended = subprocess.run(command, cwd=site.folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert [
        line.strip()
        for line in ended.stderr.splitlines()
        if "catalog-api: " in line or "not published" in line
    ] == [
        f"ERROR   -  catalog-api: {line}"
        for line in (
            "docs/images/a.md:5:1: url: `url` is computed and can't be set (remove it) [CAT010]",
            "docs/images/a.md:6:1: homepage: 'x' is not a web link: it must start with http:// or https://"
            " [CAT012]",
            "docs/images/b.md:7:1: not valid YAML: while parsing a flow node, did not find expected node"
            " content (check indentation, quotes and brackets up to here) [CAT001]",
            "docs/images/c.md: the page is not UTF-8 (save it as UTF-8) [CAT002]",
            "mkdocs.yml:7:18: catalog-api.security.reports: 'nope' is not a folder"
            " (create it or correct the path) [CAT021]",
            "roadmap.yml:1:13: x: [0].homepage: 'x' is not a web link: it must start with http:// or https://"
            " [CAT012]",
        )
    ] + ["ERROR   -  the catalog is not published: 6 errors in 5 files"]
    assert "Traceback" not in ended.stderr
    assert not (site.folder / "site/api").exists()
    assert [path.name for path in site.folder.iterdir() if path.name.startswith(".")] == []


TAKEN = {
    "api/v1/images.json": "images.json",
    "api/v1/Images.JSON": "Images.JSON",
    "api/v1/images/nginx/index.json": "images/nginx/index.json",
    "api/v1/charts.json.md": "charts.json/index.html",  # A page where a document lands.
    "api/v1/security": "security",  # A file where a folder goes.
}


def test_an_author_s_own_file_is_never_overwritten(site: SiteFolder) -> None:
    site.image("nginx", "versions: [1.0]")
    site.page("charts/web.md", "category: Web")
    for path in TAKEN:
        site.write(f"docs/{path}", "# Mine\n")
    result = site.mkdocs()
    assert result.failed
    for path, target in TAKEN.items():
        said = f"docs/{path}: this file becomes api/v1/{target}, where the build writes a document of the API"
        assert f"{said} (move or rename the file)" in result.logged()
    assert not (result.folder / "site/api").exists()


def test_an_author_s_page_beside_the_documents_is_fine(site: SiteFolder) -> None:
    site.image("nginx", "versions: [1.0]")
    site.write("docs/api/v1/images.md", "# About these documents\n")
    result = site.mkdocs(strict=True)
    assert not result.failed, result.logged()
    assert (result.api / "images/index.html").exists()
    assert result.json("images.json")["total"] == 1


def test_the_reports_of_a_page_with_a_fault_are_no_strays(site: SiteFolder) -> None:
    site.image("redis", "versions: [1.0]")
    site.report("nginx/1.0.json", trivy([], tag=f"{REGISTRY}/nginx:1.0"))
    site.report("other.json", trivy([], tag=f"{REGISTRY}/other:1.0"))
    for fault, wanted in (("homepage: x", ["docs/images/nginx.md"]), ("", ["scans/other.json"])):
        site.image("nginx", f"versions: [1.0]\n{fault}")
        assert [problem.file for problem in site.build().problems] == wanted


def material(site: SiteFolder) -> None:
    site.config = {"theme": {"name": "material"}, "plugins": ["meta", {"catalog-api": site.settings}]}


def test_inherited_values_are_text_too(site: SiteFolder) -> None:
    material(site)
    site.write("docs/images/.meta.yml", f"{REQUIRED}base: 010\nversions: [1.10]\n")
    site.page("images/nginx.md", "name: NGINX")
    image = site.mkdocs(strict=True).json("images/nginx/index.json")["data"]
    assert (image["category"], image["base"], image["latest"]) == ("Tools", "010", "1.10")


def test_an_inherited_fault_is_told_where_it_is(site: SiteFolder) -> None:
    """Also of a file that only the catalog refuses; not of one that no item inherits."""
    material(site)
    site.write("docs/images/.meta.yml", f"{REQUIRED}homepage: nginx.org\n")
    site.write("docs/images/web/.meta.yml", "tier: x\ntier: y\n")
    site.write("docs/blog/.meta.yml", "a: b\na: c\n")
    site.page("images/nginx.md", "name: NGINX\nsource: x")
    site.page("images/web/redis.md", "name: Redis\nhomepage: https://redis.io")
    told = [
        f"{each.file}:{each.line}:{each.column} {each.field} {each.message}"
        for each in site.mkdocs().problems
    ]
    assert [text.partition(" is not ")[0] for text in told] == [
        "docs/images/.meta.yml:4:1 homepage 'nginx.org'",
        "docs/images/nginx.md:3:1 source 'x'",
        "docs/images/web/.meta.yml:2:1  duplicate key `tier`",
    ]


@pytest.mark.parametrize("base", ["'wolfi'", "float('nan')", "object"])
def test_what_another_plugin_sets_is_used_and_checked(site: SiteFolder, base: str) -> None:
    site.config = {"hooks": ["hook.py"]}
    site.write(
        "hook.py",
        f"""
        def on_page_markdown(markdown, page, **_):
            if page.file.name == "nginx":
                page.meta |= {{"tier": "from a hook", "base": {base}}}
        """,
    )
    site.image("nginx", "versions: [1.10]")
    result = site.mkdocs()
    if base != "'wolfi'":
        assert result.failed and "base: expected text, got" in result.logged()[0]
        return
    image = result.json("images/nginx/index.json")["data"]
    assert (image["tier"], image["base"], image["latest"]) == ("from a hook", "wolfi", "1.10")


def test_the_key_that_brings_a_page_in_may_stand_anywhere_in_front_matter(site: SiteFolder) -> None:
    keys = "category: Tools\ntier: core\nlicense: MIT\n"
    site.page("one.md", f"{keys}'catalog': images")
    site.page("two.md", f"{keys}description: {'long ' * 1000}\ncatalog: images")
    assert [item["slug"] for item in site.mkdocs().json("images.json")["data"]] == ["one", "two"]
    folder = str(site.folder / "alone")
    command = ["build", "-f", str(site.folder / "mkdocs.yml"), "--site-dir", folder]
    assert CliRunner().invoke(main, command).exit_code == 0
    alone = json.loads((site.folder / "alone/api/v1/images.json").read_bytes())
    assert [item["slug"] for item in alone["data"]] == ["one", "two"]


def test_without_registry_no_reference_is_made_up(site: SiteFolder) -> None:
    del site.settings["registry"]
    site.image("alpha", f"versions: [{{version: '1.0', digest: '{digest(1)}'}}, '0.9']")
    site.image("beta", "versions: ['2.0', latest]")
    site.image("gamma", f"image: {REGISTRY}/gamma\nversions: [{{version: '3.0', digest: '{digest(3)}'}}]")
    site.page(
        "charts/web.md",
        f"""
        category: Web
        tier: core
        license: MIT
        images:
          - {REGISTRY}/alpha@{digest(1)}
          - {REGISTRY}/other@{digest(3)}
          - {REGISTRY}/beta:9
          - {REGISTRY}/nowhere@{digest(9)}
        """,
    )
    site.report("alpha/1.0.json", trivy([row("CVE-2026-1")], digest=f"{REGISTRY}/alpha@{digest(1)}"))
    site.report("alpha/0.9.json", trivy([row("CVE-2026-1")], tag=f"{REGISTRY}/alpha:0.9"))
    site.report("beta/2.0.json", trivy([], tag=f"{REGISTRY}/something-else:8"))
    site.report("gamma/3.0.json", trivy([], tag=f"{REGISTRY}/beta:2.0"))
    site.report("stray.json", trivy([], tag=f"{REGISTRY}/stray:1"))
    vex(site, {"products": [{"@id": f"pkg:oci/alpha?repository_url={REGISTRY}/alpha"}]}, {"products": []})
    done = CliRunner().invoke(main, ["check", "--json", "-f", str(site.write_config())])
    assert done.exit_code == 1
    assert "registry.invalid" not in done.output
    problems = json.loads(done.stdout)["problems"]
    named = [(each["code"], each["file"], each["field"]) for each in problems if each["level"] != "info"]
    assert named == [
        ("CAT038", "docs/charts/web.md", "images[1]"),
        ("CAT011", "mkdocs.yml", "catalog-api.registry"),
        ("CAT031", "scans/gamma/3.0.json", ""),
        ("CAT041", "vex/a.json", "statements[1].products"),
    ], "nothing is compared with references that are not known"
