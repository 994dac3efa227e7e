"""`catalog-api build`, `check` and `list`: the API of `mkdocs build`, from a shell and without MkDocs."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from mkdocs.config.defaults import MkDocsConfig

from mkdocs_catalog_api.commands.main import main

from .sites import REGISTRY, SiteFolder, digest, row, run, trivy

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
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def config(site: SiteFolder, text: str = "", **keys: Any) -> Path:
    """Write mkdocs.yml: JSON, which is YAML, and then `text`."""
    site.write("docs/index.md", "# Home\n")
    lines = {"site_name": "Catalog", "plugins": [{"catalog-api": site.settings}]} | keys
    body = "".join(f"{key}: {json.dumps(value)}\n" for key, value in lines.items() if value is not None)
    path = site.write("mkdocs.yml", "")
    path.write_text(body + text)
    return path


def test_the_example_is_the_same_as_with_mkdocs(
    tmp_path: Path, example_bytes: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795154400")
    assert call("build", "-q", "-f", EXAMPLE, "--site-dir", tmp_path).output == ""
    assert tree(tmp_path / "api/v1") == example_bytes


@pytest.mark.parametrize("offline", [False, True])
def test_pages_count_as_in_mkdocs(site: SiteFolder, offline: bool) -> None:
    """With the same addresses; what MkDocs leaves out is left out; plugins of Material are known."""
    paths = "plain", "folder/index", "readme/README", "both/README", "both/index", "deep/er/x", "html"
    for path in (*paths, "old/gone", "draft-1", ".hidden", ".folder/x", "README", "old/kept"):
        site.page(f"images/{path}.md", "category: T\nlicense: MIT\nplatforms: [linux/arm64]")
    site.page("images/a b.md", "slug: with-blank")
    for path in ("images/other.markdown", "templates/images.md"):
        site.page(path, "catalog: images")
    site.write("docs/images/html.html", "<p>beside the page of the same name</p>")
    site.write("docs/images/.meta.yml", "tier: core\nplatforms: [linux/amd64]\n")
    site.config |= {"exclude_docs": "/images/old/*\n!kept.md\n", "draft_docs": "draft-*"}
    if offline:
        site.config |= {"theme": "material", "plugins": ["meta", "offline", {"catalog-api": site.settings}]}
    published = site.mkdocs()
    assert not published.failed, published.logged()
    slugs = ["both", "folder", "html", "kept", "other", "plain", "readme", "with-blank", "x"]
    assert published.at("images slug") == slugs
    assert published.at("images/with-blank url") == "/catalog/images/a%20b" + (".html" if offline else "/")
    assert published.at("images/plain tier") == ("core" if offline else None)
    result = call("build", "-f", site.folder / "mkdocs.yml", "--site-dir", "other")
    assert result.exit_code == 0, result.output
    assert tree(site.folder / "other/api") == tree(published.api.parent)


def test_values_from_elsewhere(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
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


PLUGIN = "site_name: A\nplugins: [catalog-api]\n"
UNUSABLE = {
    "site_name: A\r\nplugins: @\r\n": "mkdocs.yml:2:10: not valid YAML: ",
    "- a list\n": "mkdocs.yml:1:1: not keys and values",
    "site_name: 1.10\nplugins: [catalog-api]\n": "mkdocs.yml:1:1: site_name: expected text",
    "docs_dir: docs\nplugins: [catalog-api]\n": "mkdocs.yml: site_name: missing required",
    "site_name: A\nplugins: [search]\n": "mkdocs.yml:2:1: plugins: the plugin catalog-api is missing",
    "site_name: A\nplugins: catalog-api\n": "mkdocs.yml:2:1: plugins: expected a list",
    "site_name: A\nplugins:\n- catalog-api:\n  feeds: true\n": "3:3: plugins: options of catalog-api are",
    "site_name: A\nplugins:\n- catalog-api:\n    feeds: true\n  images: {}\n": "are beside it: images",
    "site_name: A\nplugins:\n- catalog-api:\n\tfeeds: true\n": "4:1: not valid YAML: a tab",
    "site_name: A\nplugins:\n- search: 1\n- catalog-api\n": "mkdocs.yml:3:3: plugins: expected a plugin",
    "site_name: A\nplugins:\n- catalog-api\n    feeds: true\n": "the colon of the line above",
    "site_name: A\nplugins: [catalog-api, {catalog-api: {}}]\n": "2:1: plugins: the plugin catalog-api is",
    f"{PLUGIN}docs_dir: no\n": "mkdocs.yml:3:1: docs_dir: expected text",
    f"{PLUGIN}docs_dir: 'no'\n": "mkdocs.yml:3:1: docs_dir: the folder 'no' does not exist",
    f"{PLUGIN}site_url: example.org\n": "mkdocs.yml:3:1: site_url: not a URL; it must begin with https://",
    "INHERIT: gone.yml\n": "MkDocs can't read the site: ",
    "site_name: !!bool maybe\n": "mkdocs.yml:1:12: not valid YAML",
    "site_name: 2026-02-30\n": "mkdocs.yml:1:12: not valid YAML",
    "site_name: caf\0\n": "mkdocs.yml:1:1: the character",
    f"site_name: {'[' * 9_999}": "mkdocs.yml:1:62: nested too deeply",
}


@pytest.mark.parametrize("text", UNUSABLE)
def test_an_unusable_configuration(site: SiteFolder, text: str) -> None:
    site.write("docs/index.md", "")
    result = call("build", "-f", site.write("mkdocs.yml", text))
    assert result.exit_code == 1
    assert re.search(f"error: .*{re.escape(UNUSABLE[text])}", result.stderr), result.stderr


def test_inherited_settings_are_read_by_mkdocs_alone(site: SiteFolder) -> None:
    site.write("docs/index.md", "")
    site.write("base.yml", "site_name: A\nplugins:\n  catalog-api:\n    registri: a\n")
    path = site.write("mkdocs.yml", "INHERIT: base.yml\nplugins:\n  catalog-api:\n    feed: true\n")
    told = call("check", "-f", path).stderr
    assert "mkdocs.yml:4:5: catalog-api.feed: unknown setting" in told
    assert "mkdocs.yml:4:5: catalog-api.registri: unknown setting" in told
    told = call("build", "--web", "-f", path).stderr
    assert "mkdocs.yml:1:1: INHERIT: only MkDocs reads the other file" in told
    told = call("build", "--web", "-f", config(site, "exclude_docs: x.md\n")).stderr
    assert "warning: mkdocs.yml:3:1: exclude_docs: only MkDocs reads these patterns" in told


@pytest.mark.parametrize("folder", ["docs", ".", "file/site"])
def test_a_folder_that_is_none_for_a_site_is_refused_and_stays(site: SiteFolder, folder: str) -> None:
    site.image("one")
    path = config(site)
    site.write("file", "")
    before = tree(site.folder)
    result = call("build", "-f", path, "--site-dir", folder)
    told = "this folder can't be written to" if folder == "file/site" else "docs_dir is in the site folder"
    assert result.exit_code == 1 and told in result.stderr
    assert tree(site.folder) == before


def test_without_memory_the_catalog_is_refused(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("mkdocs_catalog_api.pipeline.load", full)
    for said in (call("build", "-f", config(site)).stderr, "".join(site.mkdocs().logged())):
        assert "the API can't be written: memory ran out" in said


@pytest.mark.parametrize("epoch", ["abc", "-1", "9" * 12])
def test_a_time_that_is_none(site: SiteFolder, monkeypatch: pytest.MonkeyPatch, epoch: str) -> None:
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
    assert (result.exit_code, result.stdout) == (1, "")
    parts = ("docs/images/bad.md:5:1: signatur", "docs/images/bad.md:3:1: tier", "not UTF-8", "3 errors")
    assert [part for part in parts if part not in result.stderr] == []
    assert tree(site.folder) == before


def test_check_opens_no_file_to_write_and_imports_little(site: SiteFolder) -> None:
    """Not in the site, not beside it, not in a folder for temporary files, not even for a moment."""
    site.settings |= {"feeds": True, "headers": "netlify"}
    site.image("alpha", "versions: [1.0]")
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
try:
    main(["check", "-f", {str(config(site))!r}])
finally:
    unneeded = {{"mkdocs", "material", "requests", "urllib3", "http.client", "urllib.request", "ssl"}}
    print(*unneeded & sys.modules.keys())
"""
    before = tree(site.folder)
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "\n"), done.stderr
    assert "checked: " in done.stderr
    assert tree(site.folder) == before


def test_json_has_each_problem_as_an_object(site: SiteFolder) -> None:
    site.image("bad", license="Nothing known")
    path = config(site)
    told = {}
    for options in ((), ("--strict",)):
        result = call("check", "--json", *options, "-f", path)
        told = json.loads(result.stdout)
        assert result.exit_code == told["summary"]["refused"] == bool(options)
        assert (told["summary"]["documents"] > 10) != bool(options)
    assert told["summary"] == {"refused": True, "errors": 0, "warnings": 1, "documents": 0, "bytes": 0}
    warning = next(problem for problem in told["problems"] if problem["level"] == "warning")
    place = {"file", "line", "column", "item", "field"}
    assert warning.keys() == {"level", "code", "message", "hint"} | place
    found = [warning[name] for name in ("code", "file", "line", "field")]
    assert found == ["CAT012", "docs/images/bad.md", 4, "license"]


def test_identical_faults_are_told_once(site: SiteFolder, caplog: pytest.LogCaptureFixture) -> None:
    site.settings["images"] = {"fields": {"tier": {"required": True}}}
    places = [f"docs/images/n{number}.md" for number in range(5)]
    for place in places:
        site.page(place.removeprefix("docs/"), "category: Tools\nlicense: MIT")
    path = site.write_config()
    fault = "tier: missing required field (add `tier: …`)"
    first = ", ".join(f"{place}:2:1" for place in places[:3])
    once = f"{fault}: 5 times, first {first}; --verbose shows all"
    end = "the catalog is not published: 5 errors in 5 files"
    assert call("check", "-q", "-f", path).output.splitlines() == [f"error: {once} [CAT011]", end]
    each = call("check", "-q", "--verbose", "-f", path).output.splitlines()
    assert each == [*(f"error: {place}:2:1: {fault} [CAT011]" for place in places), end]
    assert len(json.loads(call("check", "--json", "-f", path).output)["problems"]) == 5
    assert sum(f"5 times, first {places[0]}" in line for line in site.mkdocs().logged()) == 1
    caplog.set_level(logging.DEBUG, "mkdocs.plugins.catalog-api")
    assert sum(fault in line for line in site.mkdocs().logged()) == 5, "as `mkdocs build --verbose` asks for"
    for place in places[3:]:
        (site.folder / place).unlink()
    assert len(call("check", "-q", "-f", path).output.splitlines()) == 4


ONE_CAUSE = {
    "versions: registry": "CAT021 docs/images/n0.md:3:1, docs/images/n1.md:3:1, docs/images/n2.md:3:1",
    "product: NAME": "CAT021 docs/images/n0.md:3:1, docs/images/n1.md:3:1, docs/images/n2.md:3:1",
    "versions: ['1.0']": "CAT031 scans/n0/1.0.json, scans/n1/1.0.json, scans/n2/1.0.json",
    "moved": "CAT084 registry/images/n0.json, registry/images/n1.json, registry/images/n2.json",
}
"""A line of each page → code and first places of the one line."""


@pytest.mark.parametrize("line", ONE_CAUSE)
def test_one_cause_is_one_line(site: SiteFolder, line: str) -> None:
    """A missing file of `sync`, and another registry in mkdocs.yml than in the reports or files."""
    site.settings["registry"] = "registry.example.org/new"
    for number in range(5):
        name = f"n{number}"
        site.page(
            f"images/{name}.md",
            f"name: {name}\n{line.replace('moved', 'versions: registry').replace('NAME', name)}",
        )
        if line == "moved":
            site.write(f"registry/images/{name}.json", f'{{"image": "{REGISTRY}/{name}", "versions": []}}')
        if line.endswith("['1.0']"):
            site.report(f"{name}/1.0.json", trivy([], tag=f"{REGISTRY}/{name}:1.0"))
    told, *_ = call("check", "-q", "-f", site.write_config()).output.splitlines()
    code, places = ONE_CAUSE[line].split(" ", 1)
    assert told.endswith(f": 5 times, first {places}; --verbose shows all [{code}]")


def test_strict_of_mkdocs_yml_counts(site: SiteFolder) -> None:
    site.image("bad", license="Nothing known")
    assert call("build", "-f", config(site)).exit_code == 0
    assert call("build", "-f", config(site, strict=True)).exit_code == 1


def test_the_file_of_properdocs(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    site.image("nginx")
    config(site).rename(site.folder / "properdocs.yml")
    monkeypatch.chdir(site.folder)
    assert "checked: " in call("check").output
    assert call("build", "-q").output == ""


def test_wrong_usage_ends_with_2(site: SiteFolder) -> None:
    assert call("build", "-f", site.folder / "gone.yml").exit_code == 2
    assert call("build", "--speed").exit_code == 2
    assert call("bild").exit_code == 2


# With hooks and unknown plugins, MkDocs reads the site

HOOK = """
from mkdocs.structure.files import File

print("A hook may print.")

def on_files(files, config):
    text = "---\\ncategory: Tools\\ntier: core\\nlicense: {}\\nversions: [1.0]\\n---\\n{}\\n"
    files.append(File.generated(config, "images/made.md", content=text))
"""


def hooked(site: SiteFolder, license_: str = "MIT", body: str = "") -> Path:
    site.config["hooks"] = ["hook.py"]
    site.write("hook.py", HOOK.format(license_, body))
    site.page("index.md", "title: Home")
    return site.write_config()


def test_list_and_record_see_the_pages_of_hooks(site: SiteFolder) -> None:
    path = hooked(site)
    listed = call("list", "-f", path)
    assert [line.partition("\t")[0] for line in listed.stdout.splitlines()] == [
        "registry.example.org/hardened/made:1.0"
    ], "what a hook prints is not part of it"
    recorded = call("record", "-f", path, "--date", "2026-11-01")
    assert recorded.exit_code == 0, recorded.output
    day = json.loads((site.folder / "history/2026-11-01.json").read_bytes())
    assert [*day["images"]] == ["made"]


@pytest.mark.parametrize(
    ("license_", "body", "told"),
    [
        ("[]", "", "images/made.md:4:1: license: "),
        ("MIT", "<!-- catalog: imags -->", "unknown marker `imags`"),
    ],
)
def test_a_fault_of_a_made_page_is_told(site: SiteFolder, license_: str, body: str, told: str) -> None:
    result = call("check", "-f", hooked(site, license_, body))
    assert told in result.output
    assert result.output.endswith("the catalog is not published: 1 error in 1 file\n")
    assert not (site.folder / "site").exists()


@pytest.mark.parametrize(
    ("hook", "theme", "told"),
    [
        ("raise KeyError('key')", "mkdocs", "MkDocs can't read the site: KeyError('key')"),
        ("def on_nav(nav, **_): raise KeyError('key')", "mkdocs", "hook.py failed: KeyError('key')"),
        ("def on_page_content(html, **_): None + 1", "mkdocs", "hook.py failed: Error reading page"),
        ("", "nowhere", "MkDocs can't read the site: "),
    ],
)
def test_a_site_that_mkdocs_can_not_read_is_one_error(
    site: SiteFolder, hook: str, theme: str, told: str
) -> None:
    site.config["theme"] = {"name": theme}
    path = hooked(site)
    site.write("hook.py", hook)
    result = call("build", "-f", path)
    assert (result.exit_code, result.output.count("error: ")) == (1, 1)
    assert told in result.output


def test_a_plugin_that_is_not_installed_is_one_error_with_its_name(site: SiteFolder) -> None:
    path = config(site, plugins=["search", {"of-our-own": {"x": 1}}, {"catalog-api": site.settings}])
    told = call("build", "-f", path).stderr
    assert "mkdocs.yml: plugins: the plugin 'of-our-own' is not installed" in told
    assert told.count("error: ") == 1
    path = config(site, plugins={"of-our-own": {"enabled": False}, "catalog-api": site.settings})
    assert call("build", "-f", path).exit_code == 0


@pytest.mark.parametrize("hooked", [False, True])
def test_a_strict_check_stops_at_a_key_that_mkdocs_does_not_know(site: SiteFolder, hooked: bool) -> None:
    site.image("nginx")
    site.write("hook.py", "")
    known = [name for name, _ in MkDocsConfig._schema if name not in ("site_name", "plugins", "hooks")]
    assert (
        call("check", "--strict", "-f", config(site, "".join(f"{name}:\n" for name in known))).exit_code == 0
    )
    path = config(site, f"images: {{pages: 'x/*.md'}}\n{'hooks: [hook.py]' * hooked}\n")
    told = call("check", "--strict", "-f", path)
    assert (told.exit_code, told.stderr.count("warning: ")) == (1, 1)
    assert re.search(r"^warning: mkdocs.yml:3:1: images: .* \[CAT020\]$", told.stderr, re.MULTILINE)
    assert call("check", "-f", path).exit_code == 0


def test_wrong_markers_are_found_without_mkdocs(site: SiteFolder) -> None:
    site.image("nginx")
    code = (
        "```html\n<!-- catalog: imagse -->\n```\n\n- item\n\n    ```\n    <!-- catalog: chart -->\n    ```\n"
    )
    site.write("docs/index.md", f"# Home\n\n<!-- catalog: imags -->\n\n{code}")
    site.config["markdown_extensions"] = ["pymdownx.superfences", "pymdownx.not_installed"]
    told = call("check", "-f", site.write_config()).output
    assert "docs/index.md:3: unknown marker `imags` (did you mean `images`?)" in told
    assert told.count("marker") == told.count("imags"), "code is no marker"


def test_wrong_templates_are_found_without_mkdocs(site: SiteFolder) -> None:
    site.image("nginx")
    site.config["theme"] = {"name": "mkdocs", "custom_dir": "overrides"}
    good = '{{ catalog.document("images/nginx/index.json").data.name }}'
    site.write("overrides/catalog/item-images.html", good)
    path = site.write_config()
    assert call("check", "-f", path).exit_code == 0
    site.write("overrides/catalog/item-images.html", good.replace("nginx", "ngin"))
    assert "overrides/catalog/item-images.html" in call("check", "-f", path).output


# `catalog-api list`

FIRST, SECOND = ("sha256:" + hashlib.sha256(name).hexdigest() for name in (b"one", b"two"))
"""Digests that differ in their beginning."""
SCANNED = "2026-11-20T06:00:00Z"


@pytest.fixture
def catalog(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> SiteFolder:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795262400")  # 30 hours after the scan
    site.image(
        "web",
        f"versions: [{{version: '1.0', digest: '{digest(1)}'}}, {{version: '1.1', digest: '{digest(2)}', "
        f"manifests: {{linux/amd64: '{digest(3)}'}}}}, {{version: same, digest: '{digest(2)}', "
        f"manifests: {{linux/amd64: '{digest(3)}'}}}}]",
    )
    site.image("db", "versions: ['17']")
    site.image("two", f"versions: [{{version: '1', digest: ['{FIRST}', '{SECOND}']}}]")
    site.image("later", "lifecycle: planned\nversions: ['1']")
    site.report("web/1.0.json", trivy([], digest=f"{REGISTRY}/web@{digest(1)}", created=SCANNED))
    site.report("by-platform.json", trivy([], digest=f"{REGISTRY}/two@{SECOND}", created=SCANNED))
    site.write_config()
    return site


def listing(site: SiteFolder, *options: str) -> Result:
    return call("list", "-f", site.folder / "mkdocs.yml", *options)


def of(site: SiteFolder, *options: str) -> list[str]:
    """The paths of the reports, without folder and ending."""
    lines = [line.split("\t") for line in listing(site, *options).stdout.splitlines()]
    return [path.removeprefix("scans/").removesuffix(".json") for _, path, *_ in lines]


ALL = ["db/17", f"two/1.{FIRST[7:19]}", f"two/1.{SECOND[7:19]}", "web/1.1", "web/1.0"]
DUE = [ALL[0], ALL[1], ALL[3]]


def test_it_prints_references_reports_versions_and_times(catalog: SiteFolder) -> None:
    assert listing(catalog).stdout.splitlines() == [
        f"{REGISTRY}/db:17\tscans/db/17.json\t17\t-",
        f"{REGISTRY}/two@{FIRST}\tscans/two/1.{FIRST[7:19]}.json\t1\t-",
        f"{REGISTRY}/two@{SECOND}\tscans/two/1.{SECOND[7:19]}.json\t1\t{SCANNED}",
        f"{REGISTRY}/web@{digest(3)}\tscans/web/1.1.json\t1.1\t-",
        f"{REGISTRY}/web@{digest(1)}\tscans/web/1.0.json\t1.0\t{SCANNED}",
    ]


OPTIONS = {
    "--unscanned": DUE,
    "--older-than 30h": DUE,
    "--older-than 29h": ALL,
    "--older-than 1d": ALL,
    "--older-than 2d": DUE,
    "--unscanned --older-than 1d": ALL,
    "--newest": ALL[:4],
    "--newest --unscanned": DUE,
}


def test_options_choose(catalog: SiteFolder) -> None:
    assert {options: of(catalog, *options.split()) for options in OPTIONS} == OPTIONS
    for age in ("24", "h", "1w", "-1h", "1.5h", "٣h"):
        assert listing(catalog, "--older-than", age).exit_code == 2, age


@pytest.mark.parametrize(
    ("seed", "created", "options", "is_due"),
    [
        (9, SCANNED, "--unscanned", True),  # the scan of another digest is none of this one
        (1, "9999-01-01T00:00:00Z", "--older-than 9999d", True),
        (1, "soon", "--older-than 9999d", True),
        (1, "soon", "--unscanned", False),
    ],
)
def test_a_scan_that_is_due(catalog: SiteFolder, seed: int, created: str, options: str, is_due: bool) -> None:
    report = trivy([], digest=f"{REGISTRY}/web@{digest(seed)}", created=created)
    catalog.report("web/1.0.json", report)
    assert ("web/1.0" in of(catalog, *options.split())) == is_due


def test_for_programs_it_is_json(catalog: SiteFolder) -> None:
    catalog.settings["security"] = {"reports": "reports"}  # and they belong there
    catalog.write_config()
    told = json.loads(listing(catalog, "--json", "--newest").stdout)
    assert told["versions"][0] == {
        "slug": "db",
        "version": "17",
        "reference": f"{REGISTRY}/db:17",
        "report": "reports/db/17.json",
        "scanned": False,
        "scannedAt": None,
    }
    assert "problems" in told


def test_it_lists_what_it_can_in_spite_of_a_broken_report(catalog: SiteFolder) -> None:
    catalog.write("scans/web/1.0.json", "")  # as a scanner that was stopped leaves it
    result = listing(catalog, "--unscanned")
    assert result.exit_code == 1
    assert "scans/web/1.0.json" in result.stderr and "scans/web/1.0.json" in result.stdout
