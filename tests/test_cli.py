"""`catalog-api build` and `check`: the same API as `mkdocs build`, from a shell and without MkDocs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mkdocs_catalog_api.commands.main import main

from .sites import SiteFolder, digest, row, run, trivy

EXAMPLE = Path(__file__).parent.parent / "example_site/mkdocs.yml"


@pytest.fixture(autouse=True)
def _one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795000000")


def call(*arguments: str | Path) -> Result:
    """Run the command line in process. Only `sys.exit` may leave it: no traceback."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below the folder, the manifest too."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def config(site: SiteFolder, text: str = "", **keys: Any) -> Path:
    """Write mkdocs.yml: JSON, which is YAML, and then `text`."""
    site.write("docs/index.md", "# Home\n")
    lines = {"site_name": "Catalog", "plugins": [{"catalog-api": site.settings}]} | keys
    body = "".join(f"{key}: {json.dumps(value)}\n" for key, value in lines.items() if value is not None)
    path = site.write("mkdocs.yml", "")
    path.write_text(body + text)
    return path


def assert_same(site: SiteFolder, expected_items: set[str], **keys: Any) -> None:
    """`mkdocs build` and `catalog-api build` publish the same bytes, and just these images."""
    site.config |= keys
    published = site.mkdocs()
    assert not published.failed, published.logged()
    items = {item["slug"] for item in published.json("images.json")["data"]}
    assert items == expected_items
    result = call("build", "-f", site.folder / "mkdocs.yml", "--site-dir", "other")
    assert result.exit_code == 0, result.output
    assert tree(site.folder / "other/api") == tree(published.api.parent)


def test_the_example_is_the_same_as_with_mkdocs(
    tmp_path: Path, example_bytes: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795154400")
    assert call("build", "-q", "-f", EXAMPLE, "--site-dir", tmp_path).output == ""
    assert tree(tmp_path / "api/v1") == example_bytes


def test_neither_command_imports_mkdocs(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from mkdocs_catalog_api.commands.main import main\n"
        "main(sys.argv[1:], standalone_mode=False)\n"
        "print(sorted(m for m in sys.modules if m.partition('.')[0] in ('mkdocs', 'material')))\n"
    )
    for command in ("build", "check"):
        arguments = [command, "-q", "-f", str(EXAMPLE), "--site-dir", str(tmp_path / "site")]
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("directory_urls", [True, False])
def test_pages_have_the_addresses_of_mkdocs(site: SiteFolder, directory_urls: bool) -> None:
    site.image("plain")
    site.image("a b", "slug: with-blank")
    for path in ("folder/index", "readme/README", "both/README", "both/index", "deep/er/x", "html"):
        site.page(f"images/{path}.md", f"category: T\ntier: t\nlicense: MIT\ndescription: {path}")
    site.page("images/other.markdown", "catalog: images\ncategory: T\ntier: t\nlicense: MIT")
    site.write("docs/images/html.html", "<p>beside the page of the same name</p>")
    names = {"plain", "with-blank", "folder", "readme", "both", "x", "html", "other"}
    assert_same(site, names, use_directory_urls=directory_urls)
    data = json.loads((site.folder / "other/api/v1/images.json").read_bytes())["data"]
    url = {item["slug"]: item["url"] for item in data}["with-blank"]
    assert url == "/catalog/images/a%20b" + ("/" if directory_urls else ".html")


def test_what_mkdocs_leaves_out_is_left_out(site: SiteFolder) -> None:
    for path in ("kept", "old/gone", "draft-1", ".hidden", ".folder/x", "README"):
        site.page(f"images/{path}.md", "category: T\ntier: t\nlicense: MIT")
    site.page("images/old/kept-too.md", "category: T\ntier: t\nlicense: MIT")
    site.page("templates/images.md", "catalog: images\ncategory: T\ntier: t\nlicense: MIT")
    patterns = {"exclude_docs": "/images/old/*\n!kept-too.md\n", "draft_docs": "draft-*"}
    assert_same(site, {"kept", "kept-too"}, **patterns)


def test_defaults_of_a_folder_count_only_with_the_meta_plugin(site: SiteFolder) -> None:
    site.settings["images"] = {"fields": {"tier": {"required": True}}}
    site.write("docs/.meta.yml", "license: MIT\n")
    site.write("docs/images/.meta.yml", "tier: core\nplatforms: [linux/amd64]\n")
    site.page("images/one.md", "category: Tools\nplatforms: [linux/arm64]")
    plugins = ["meta", {"catalog-api": site.settings}]
    assert_same(site, {"one"}, theme={"name": "material"}, plugins=plugins)
    result = call("check", "-f", config(site))
    assert result.exit_code == 1
    assert "docs/images/one.md" in result.stderr and "tier" in result.stderr


def test_offline_turns_directory_urls_off(site: SiteFolder) -> None:
    site.image("one")
    plugins = ["offline", {"catalog-api": site.settings}]
    assert_same(site, {"one"}, theme={"name": "material"}, plugins=plugins)


def test_inherited_and_environment_values_and_tags_of_python(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CATALOG_NAME", "From outside")
    site.image("one", f"versions: [{{version: '1.10', digest: '{digest(1)}'}}]")
    site.report("one.json", trivy([row("CVE-2026-0001")], digest=f"registry.example.org/x@{digest(1)}"))
    site.write(
        "base.yml", "site_name: Base\nsite_url: https://example.org/catalog/\nuse_directory_urls: false\n"
    )
    extra = (
        "INHERIT: base.yml\nsite_name: !ENV [NOT_SET, CATALOG_NAME, Default]\n"
        "markdown_extensions:\n  - toc: {slugify: !!python/name:markdown.extensions.toc.slugify }\n"
        "extra: {made: !!python/object/apply:os.getcwd []}\n"
    )
    path = config(site, extra, site_name=None)
    assert not run(path).failed
    assert call("build", "-f", path, "--site-dir", "other").exit_code == 0
    assert tree(site.folder / "other/api/v1") == tree(site.folder / "site/api/v1")
    assert b"From outside" in (site.folder / "other/api/v1/index.json").read_bytes()


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("site_name: [a\n", "mkdocs.yml:1:12", "flow sequence"),
        ("site_name: A\r\nplugins: @\r\n", "mkdocs.yml:2:10", "put the value in"),
        ("- a list\n", "mkdocs.yml:1:1", "not keys and values"),
        ("site_name: 1.10\nplugins: [catalog-api]\n", "mkdocs.yml:1:1: site_name", "expected text"),
        ("docs_dir: docs\nplugins: [catalog-api]\n", "mkdocs.yml: site_name", "required"),
        (
            "site_name: A\nplugins: [search]\n",
            "mkdocs.yml: plugins",
            "the plugin catalog-api is missing",
        ),
        ("site_name: A\nplugins: catalog-api\n", "mkdocs.yml:2:1: plugins", "expected a list"),
        ("site_name: A\nplugins: [{catalog-api: 1}]\n", "mkdocs.yml:2:1: plugins", "expected a list"),
        (
            "site_name: A\nplugins: [catalog-api]\ndocs_dir: no\n",
            "mkdocs.yml:3:1: docs_dir",
            "expected text",
        ),
        ("site_name: A\nplugins: [catalog-api]\ndocs_dir: 'no'\n", "mkdocs.yml: docs_dir", "does not exist"),
        (
            "site_name: A\nplugins: [catalog-api]\nsite_url: example.org\n",
            "mkdocs.yml:3:1: site_url",
            "https://",
        ),
        (
            "site_name: A\nplugins: [catalog-api]\nexclude_docs: [a]\n",
            "mkdocs.yml:3:1: exclude_docs",
            "expected text",
        ),
        ("INHERIT: mkdocs.yml\n", "mkdocs.yml:1:1", "INHERIT"),
        ("INHERIT: gone.yml\n", "mkdocs.yml:1:1", "gone.yml"),
        ("site_name: !!bool maybe\n", "mkdocs.yml", "not valid YAML"),
        ("site_name: A\nplugins: [catalog-api: {registri: a.b/c}]\n", "mkdocs.yml:2", "unknown setting"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_a_problem_with_its_place(
    site: SiteFolder, text: str, place: str, said: str
) -> None:
    config(site)
    path = site.write("mkdocs.yml", text)
    result = call("build", "-f", path)
    assert result.exit_code == 1
    assert f"error: {place}" in result.stderr and said in result.stderr


def test_a_fault_in_an_inherited_file_is_told_at_its_place(site: SiteFolder) -> None:
    site.write("below/base.yml", "INHERIT: deep.yml\nsite_name: Base\n")
    site.write("below/deep.yml", "plugins:\n  - catalog-api:\n      registri: a\n")
    path = site.write("mkdocs.yml", "INHERIT: below/base.yml\n")
    assert (
        "error: below/deep.yml:3:7: catalog-api.registri: unknown setting" in call("check", "-f", path).stderr
    )
    site.write("below/deep.yml", "plugins: [a\n")
    assert (
        "error: below/deep.yml:1:10: not valid YAML: did not find expected"
        in call("check", "-f", path).stderr
    )


def test_of_settings_in_several_files_each_is_told_at_its_place(site: SiteFolder) -> None:
    site.write("base.yml", "plugins:\n  catalog-api:\n    registri: a\n    security: {max_age: x}\n")
    own = "INHERIT: base.yml\nsite_name: A\nplugins:\n  catalog-api:\n    registry: a.b/c\n    feed: true\n"
    told = call("check", "-f", site.write("mkdocs.yml", own)).stderr
    for place in ("base.yml:3:5: ", "base.yml:4:16: ", "mkdocs.yml:6:5: "):
        assert f"error: {place}catalog-api." in told


@pytest.mark.parametrize("folder", ["docs", "."])
def test_the_sources_do_not_lie_in_the_site(site: SiteFolder, folder: str) -> None:
    site.image("one")
    path = config(site)
    before = tree(site.folder)
    result = call("build", "-f", path, "--site-dir", folder)
    assert result.exit_code == 1 and "docs_dir is in the site folder" in result.stderr
    assert tree(site.folder) == before


def test_a_place_where_nothing_can_be_written_is_named(site: SiteFolder) -> None:
    site.image("one")
    site.write("file", "")
    result = call("build", "-f", config(site), "--site-dir", "file/site")
    assert result.exit_code == 1
    assert (
        "this folder can't be written to" in result.stderr and f"{site.folder / 'file/site'}" in result.stderr
    )


def test_the_plugin_stands_in_the_configuration_once(site: SiteFolder) -> None:
    path = config(site, plugins=["catalog-api", {"catalog-api": site.settings}])
    assert "plugins: the plugin catalog-api is listed twice" in call("check", "-f", path).stderr


def test_without_memory_the_catalog_is_refused(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("mkdocs_catalog_api.build.load", full)
    site.image("one")
    told = "the API can't be written: memory ran out"
    assert told in call("build", "-f", config(site)).stderr
    assert any(told in text for text in site.mkdocs().logged())


@pytest.mark.parametrize("epoch", ["abc", "-1", "1.5", "9" * 12])
def test_a_time_of_the_build_that_is_none_is_refused(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch, epoch: str
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    site.image("one")
    result = call("build", "-f", config(site))
    assert result.exit_code == 1 and f"SOURCE_DATE_EPOCH: '{epoch}' is not a number" in result.stderr


def test_check_tells_everything_and_writes_nothing(site: SiteFolder) -> None:
    site.image("good")
    site.image("bad", "signatur: cosign", tier="[x]")
    site.write("docs/images/latin.md", b"---\nname: \xe9\n---\n")
    path = config(site)
    before = tree(site.folder)
    result = call("check", "-f", path)
    assert result.exit_code == 1
    assert result.stdout == ""
    for said in ("docs/images/bad.md:5:1: signatur", "docs/images/bad.md:3:1: tier", "not UTF-8", "3 errors"):
        assert said in result.stderr
    (site.folder / "docs/images/bad.md").unlink()
    (site.folder / "docs/images/latin.md").unlink()
    result = call("check", "-f", path)
    assert (result.exit_code, result.stderr.splitlines()[-1][:8]) == (0, "checked:")
    assert tree(site.folder).keys() < before.keys()


@pytest.mark.parametrize("good", [True, False])
def test_check_opens_no_file_to_write(site: SiteFolder, good: bool) -> None:
    """Not in the site, not beside it, not in a folder for temporary files, not even for a moment."""
    site.settings |= {"feeds": True, "headers": "netlify"}
    site.image("alpha", "versions: [1.0]", tier="core" if good else "[x]")
    site.report("alpha/1.0.json", trivy([row("CVE-2026-0001")]))
    program = f"""
import os, sys
changing = {{"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate"}}
def look(event, given):
    writes = event == "open" and given[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and given[0] != os.devnull
    if writes or event in changing or event.startswith(("tempfile.", "shutil.")):
        print("touched", event, *given)
sys.dont_write_bytecode = True
sys.addaudithook(look)
from mkdocs_catalog_api.commands.main import main
main(["check", "-f", {str(config(site))!r}])
"""
    before = tree(site.folder)
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    assert done.returncode == (0 if good else 1), done.stderr
    assert "touched" not in done.stdout, done.stdout
    assert ("checked: " in done.stderr) == good
    assert tree(site.folder) == before
    assert not (site.folder / "site").exists()


def test_json_has_each_problem_as_an_object(site: SiteFolder) -> None:
    site.image("bad", license="Nothing known")
    path = config(site)
    result = call("check", "--json", "--strict", "-f", path)
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    warning = next(problem for problem in told["problems"] if problem["level"] == "warning")
    place = {"file", "line", "column", "item", "field"}
    assert warning.keys() == {"level", "code", "message", "hint"} | place
    found = [warning[name] for name in ("code", "file", "line", "field")]
    assert found == ["CAT012", "docs/images/bad.md", 4, "license"]
    assert told["summary"] == {"refused": True, "errors": 0, "warnings": 1, "documents": 0, "bytes": 0}
    told = json.loads(call("check", "--json", "-f", path).stdout)
    assert told["summary"]["refused"] is False and told["summary"]["documents"] > 10


def test_strict_of_mkdocs_yml_counts(site: SiteFolder) -> None:
    site.image("bad", license="Nothing known")
    assert call("build", "-f", config(site)).exit_code == 0
    assert call("build", "-f", config(site, strict=True)).exit_code == 1


def test_quiet_says_nothing_when_all_is_well(site: SiteFolder) -> None:
    site.image("one")
    assert call("build", "-q", "-f", config(site)).output == ""
    assert "built: " in call("build", "-f", config(site)).stderr


def test_a_file_of_the_author_is_never_overwritten(site: SiteFolder) -> None:
    site.image("one")
    path = config(site)
    mine = site.write("site/api/v1/images.json", "mine")
    result = call("build", "-f", path)
    assert result.exit_code == 1 and "images.json" in result.stderr
    assert mine.read_text() == "mine"


def test_wrong_usage_ends_with_2(site: SiteFolder) -> None:
    assert call("build", "-f", site.folder / "gone.yml").exit_code == 2
    assert call("build", "--speed").exit_code == 2
    assert call("bild").exit_code == 2
