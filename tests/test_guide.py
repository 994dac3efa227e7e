"""The guide and the README: what they print is what one gets."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path, PurePath
from typing import Any, get_args

import click
import pytest
import yaml
from markdown.extensions.toc import slugify
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from mkdocs_catalog_api.authored.settings import ACCEPTED, Accepted, Settings, item_fields
from mkdocs_catalog_api.catalog.scans import LIMITS, Limit
from mkdocs_catalog_api.catalog.verdict import CONCERNS, Concern
from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.commands.run import REQUIREMENT
from mkdocs_catalog_api.documents.table import KINDS
from mkdocs_catalog_api.items import models
from mkdocs_catalog_api.items.collections import COLLECTIONS

from .example import EXAMPLE
from .field_tables import OTHER_TABLES, TABLES, table
from .guide import GUIDE, PAGES, block, blocks, page, requirements
from .programs import need
from .setting_examples import EXAMPLES, NOTES
from .sites import Result, SiteFolder, digest
from .test_cli import call

ROOT = EXAMPLE.parent
README = (ROOT / "README.md").read_text("utf-8")
_LINES = Path(__file__).with_name("constraints.txt").read_text("utf-8").splitlines()
CONSTRAINTS = [Requirement(line) for line in _LINES if line[0] != "#"]
FROM_GIT = "mkdocs-catalog-api[sync] @ git+https://git.example.org/YOU/mkdocs-catalog-api@COMMIT"
NOT_RUN = (
    "pip install ",
    "npm install ",
    "python3 -m venv ",
    "mkdir -p scans/nginx && trivy ",
    "mkdocs serve",
)
"""Commands of pages that other tests need not, or can't, run: installing, a scanner, a server without end."""


def shell(folder: Path, text: str, *, code: int = 0, **env: str) -> str:
    """What the commands of a block print, run as printed in the environment of the tests, and `env`."""
    need("bash")
    lines = [line for line in text.splitlines() if not line.startswith(NOT_RUN)]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(lines)],
        cwd=folder,
        env=os.environ | {"PATH": path} | env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    assert done.returncode == code, f"{text}\n{done.stdout}"
    return done.stdout


def commands(name: str) -> list[list[str]]:
    """Every command of the page's blocks for a shell."""
    # Blocks with a title are whole scripts, which other tests run but for what they install.
    every = [(found.title, line) for found in blocks(name, "sh") for line in found.text.splitlines()]
    lines = [line for title, line in every if title == "" or line.startswith(NOT_RUN)]
    words = [shlex.split(part) for line in lines for part in re.split(r"&&|\|\|", line)]
    return [found for found in words if found]


def test_every_table_of_fields_is_shown_once() -> None:
    shown = [name for text in map(page, PAGES) for name in re.findall(r"<!-- fields: (.+) -->", text)]
    assert sorted(shown) == sorted({*TABLES, *OTHER_TABLES}), "each has `<!-- fields: NAME -->` on one page"
    rows = [line for name in shown for line in table(name).splitlines()]
    empty = [row for row in rows if "|  |" in row or "| |" in row]
    assert empty == [], f"nothing says what these are: {empty}"


@pytest.mark.parametrize(
    ("words", "meanings"),
    [(Concern, CONCERNS), (Limit, LIMITS), (models.Accepted, models.ACCEPTED), (Accepted, ACCEPTED)],
)
def test_each_word_has_its_meaning(words: Any, meanings: Mapping[str, str]) -> None:
    lacking = {*get_args(words)} ^ {*meanings}
    assert not lacking, f"in the Literal or in the table of meanings below it, but not in both: {lacking}"


def test_each_lookup_answers_a_question() -> None:
    text = page("clients").partition("## One question, one document\n")[2].partition("\n## ")[0]
    every = {kind.name: route.path for kind in KINDS if kind.optional for route in kind.routes[:1]}
    lacking = [name for name, path in every.items() if path.partition("{")[0] not in text]
    assert not lacking, f"guide/clients.md, One question, one document: no question for {lacking}"


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_listed(name: str) -> None:
    assert f"- guide/{name}.md\n" in (EXAMPLE / "mkdocs.yml").read_text("utf-8")
    assert name == "index" or f"]({name}.md)" in page("index")


@pytest.mark.parametrize("name", PAGES)
def test_markdown_works_where_it_is_shown_as_it_is(name: str) -> None:
    """No anchors, admonitions or lists that only some renderers know; links lead to files and headings."""
    text = re.sub(r"^```.*?^```$", "", page(name), flags=re.DOTALL | re.MULTILINE)
    assert re.findall(r"^(?:#.*\{ ?#.*|(?:\?\?\?|!!!) .*|: {3}.*)$", text, re.MULTILINE) == []
    for link in re.findall(r"\]\(([^)]+)\)", text):
        path, _, anchor = link.partition("#")
        if "://" not in link:
            target = GUIDE / (path or f"{name}.md")
            assert target.exists(), link
            assert not anchor or anchor in anchors(target.read_text("utf-8")), link


def anchors(text: str) -> set[str]:
    """The anchors of the headings, as renderers make them."""
    return {slugify(heading, "-") for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


def test_each_promise_is_on_its_page_and_has_its_test() -> None:
    tests = Path(__file__).parent
    *_, table = (tests / "promises.md").read_text("utf-8").split("|---|\n")
    for row in table.splitlines():
        _, name, sentence, module, test, _ = re.split(r" ?\| |\.(?=test_)| \|$", row)
        assert sentence in (README if name == "README" else page(name)), row
        assert f"\ndef {test}(" in (tests / f"{module}.py").read_text("utf-8"), row


@pytest.mark.parametrize("name", PAGES)
def test_commands_exist_with_their_options(name: str) -> None:
    for program, *arguments in commands(name):
        if program == "catalog-api":
            context = main.make_context("catalog-api", ["check"], resilient_parsing=True)
            command = main.get_command(context, arguments[0])
            assert command, arguments
            command.make_context(arguments[0], arguments[1:], parent=context, resilient_parsing=True)


def test_the_reference_of_commands_has_every_command_and_its_help() -> None:
    text, every = page("command-line"), sorted(main.list_commands(click.Context(main)))
    assert sorted(re.findall(r"^<!-- help: ([\w-]+) -->$", text, re.MULTILINE)) == every


def test_every_setting_has_an_example_that_is_accepted() -> None:
    named = re.findall(r"^\| `(.+?)`", table("settings"), re.MULTILINE)
    assert sorted(named) == sorted(EXAMPLES | NOTES)
    for text in EXAMPLES.values():
        item_fields(Settings.model_validate_json(json.dumps(yaml.safe_load(text))))


@pytest.mark.parametrize("name", PAGES)
def test_what_is_to_be_installed_is_what_the_tests_have(name: str) -> None:
    packages = json.loads((Path(__file__).parent / "node/package.json").read_bytes())["dependencies"]
    for program, *arguments in commands(name):
        if program == "pip" and arguments != ["install", "-r", "requirements.txt"]:
            names: set[str] = {canonicalize_name(Requirement(word).name) for word in arguments[1:]}
            lacking = names - {known.name for known in CONSTRAINTS} - {"mkdocs-catalog-api"}
            assert not lacking, f"{name}.md installs what no test has (add it to an extra): {lacking}"
        if program == "npm":
            names = {re.sub("(?<=.)@.*", "", word) for word in arguments[1:] if word[:2] != "--"}
            assert names <= packages.keys()


def test_the_package_is_installed_from_a_commit_or_a_folder() -> None:
    """After a release, FROM_GIT, REQUIREMENT and the lines that repeat them change."""
    assert f"pip install '{FROM_GIT}' mkdocs-material" in (EXAMPLE / "docs/index.md").read_text("utf-8")
    assert f"`{REQUIREMENT}`" in page("index") and f"`{REQUIREMENT}`" in README
    assert f"pip install '{FROM_GIT}'" in README
    assert [name for name in PAGES if "mkdocs-catalog-api[" in page(name)] == ["index"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extra = project["optional-dependencies"]["example"]
    assert requirements() == [FROM_GIT, *(requirement.partition(">")[0] for requirement in extra)]
    for requirement in requirements():
        assert version(Requirement(requirement).name)


def test_every_sample_of_settings_is_accepted(site: SiteFolder) -> None:
    samples = [(name, found.text) for name in PAGES for found in blocks(name, "yaml")]
    samples.append(("README", code(README, "yaml")[0]))
    samples = [(name, text) for name, text in samples if "  - catalog-api:" in text]
    assert {"index", "settings", "README"} <= {name for name, _ in samples}
    site.write("docs/index.md", "# Home\n")
    hugo = "---\ncategory: Web servers\ntier: core\nlicense: MIT\nimage: a.b/c\n---\n"
    site.write("content/images/nginx.md", hugo)
    known = {"image": "a.b/c", "versions": [{"version": "1.29.3", "digest": digest("a")}]}
    site.write("registry/images/nginx.json", json.dumps(known))
    site.page("images/nginx.md", "category: Web servers\ntier: core\nlicense: MIT\nimage: a.b/c\ntags: [Web]")
    for name, text in samples:
        config = yaml.safe_load(text)
        path = site.write("mkdocs.yml", yaml.safe_dump({"site_name": "Catalog"} | config, sort_keys=False))
        result = call("check", "-f", path, "--strict")
        assert result.exit_code == 0, f"{name}:\n{text}\n{result.stderr}"


def test_the_samples_of_authors_make_a_catalog(site: SiteFolder) -> None:
    site.write("docs/index.md", "# Home\n")
    for name in ("pages", "scan"):
        for found in blocks(name):
            if found.title.startswith(("docs/", "vex/", "roadmap", "updates")):
                site.write(found.title, found.text)
    settings = {"catalog-api": {"registry": "ghcr.io/acme/images"}}
    path = site.write("mkdocs.yml", yaml.safe_dump({"site_name": "Catalog", "plugins": [settings]}))
    result = call("build", "-f", path, "--strict")
    assert result.exit_code == 0, result.stderr
    api = site.folder / "site/api/v1"
    totals = {name: json.loads((api / f"{name}.json").read_bytes())["total"] for name in COLLECTIONS}
    assert totals == dict.fromkeys(COLLECTIONS, 1)
    (chart,) = json.loads((api / "charts.json").read_bytes())["data"]
    assert chart["images"][0]["version"] == "18.0"


def test_what_is_told_of_a_catalog_with_faults(site: SiteFolder) -> None:
    told = block("problems", "told")
    short = re.findall(r"'(sha256:\w+)' is not a digest", told)[0]
    tiers = {"tier": {"values": ["core", "standard"]}}
    site.settings = {"registry": "ghcr.io/acme/images", "images": {"fields": tiers}}
    matter = "category: Web servers\ntier: cor\nlicence: BSD-2-Clause\nhomepage: nginx.org\nversions:\n"
    site.page("images/nginx.md", f"{matter}  - version: 1.29.3\n  - version: 1.28.0\n    digest: {short}")
    site.page("images/redis.md", "description: Cache: fast\ncategory: Databases")
    site.write("docs/index.md", "# Home\n")
    printed = shell(site.folder, f"mkdocs build --quiet -f {site.write_config()}", code=1)
    assert [line for line in printed.splitlines() if line.startswith("ERROR")] == told.splitlines()


def test_the_documents_that_the_guide_shows_are_those_of_the_example(example_bytes: dict[str, bytes]) -> None:
    def document(path: str) -> Any:
        return json.loads(example_bytes[path])

    shown = {found.title.removeprefix("api/v1/"): found.text for found in blocks("clients", "json")}
    item, release = shown
    assert json.loads(f"{{{shown[item]}}}")["security"] == document(item)["data"]["security"]
    assert json.loads(shown[release]) in document(release)["cves"]


def test_the_hook_before_a_commit_is_the_one_of_the_repository() -> None:
    (own,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    (shown,) = yaml.safe_load(block("command-line", ".pre-commit-config.yaml"))["repos"]
    (hook,) = shown["hooks"]
    assert {key: hook[key] for key in ("id", "entry")} == {key: own[key] for key in ("id", "entry")}


def test_the_readme_is_short_begins_as_the_first_page_and_its_links_lead_somewhere() -> None:
    assert len(README.encode()) <= 6000
    (walk,) = [text for text in code(README, "sh") if "catalog-api new" in text]
    shown = [line for found in blocks("index", "sh") for line in found.text.splitlines()]
    assert [line for line in walk.splitlines() if line not in shown and line[:2] != "# "] == []
    assert code(README, "yaml") == [block("index", "mkdocs.yml")]
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    for path, _, anchor in (link.partition("#") for link in links):
        text = (ROOT / (path or "README.md")).read_bytes()
        assert not anchor or anchor in anchors(text.decode()), path
    assert {f"example_site/docs/guide/{name}.md" for name in ("index", "pages", "clients")} <= {*links}


def test_the_readme_installs_releases_that_are_known_to_work() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for line in sum(project["optional-dependencies"].values(), project["dependencies"]):
        needed = Requirement(line)
        releases = [each.specifier for each in CONSTRAINTS if canonicalize_name(needed.name) == each.name]
        accepted = [needed.specifier.contains(str(release)[2:]) for release in releases]
        assert needed.name == project["name"] or (accepted and all(accepted)), (
            f"{line}: update the constraints"
        )
    installs = [line for line in code(README, "sh") if "/pip install" in line]
    assert len(installs) == 2 and all(" -c tests/constraints.txt " in line for line in installs)


def test_the_readme_prints_the_json_of_the_example(example_bytes: dict[str, bytes], tmp_path: Path) -> None:
    need("jq")
    document = tmp_path / "site/api/v1/images/caddy/index.json"
    document.parent.mkdir(parents=True)
    document.write_bytes(example_bytes["images/caddy/index.json"])
    (console,) = code(README, "console")
    command, *printed = console.splitlines()
    assert shell(tmp_path, command.removeprefix("$ ")).splitlines() == printed


def code(text: str, language: str) -> list[str]:
    """The blocks in this language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_the_map_for_contributors_has_every_room_and_names_what_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    picture, table = text.split("```text\n")[2].split("```\n")[:2]
    code = ROOT / "mkdocs_catalog_api"
    rooms = {f"{path.parent.name}/" for path in code.glob("*/__init__.py")} - {
        "schemas/"
    }  # made from the code
    modules = {path.name for path in code.glob("*.py")} - {"__init__.py"}
    lacking = [name for name in rooms if name not in picture]
    lacking += [name for name in rooms | modules if f"`{name}`" not in table]
    assert not lacking, f"CONTRIBUTING.md, The map: draw and describe {lacking}"
    named = {path for path in re.findall(r"`([\w./-]+?)/?`", text) if re.search(r"/|\.(py|md|toml)$", path)}
    gone = [path for path in named if not ((ROOT / path).exists() or (code / path).exists())]
    assert not gone, f"CONTRIBUTING.md names what does not exist: {gone}"
    for row in re.findall(r"^\| .*\.py` \| `.*$", text, re.MULTILINE):  # the walks: step, files, functions
        *_, files, functions = (re.findall(r"`([\w./]+)`", cell) for cell in row.strip(" |").split(" | "))
        source = "".join((code / file).read_text("utf-8") for file in files)
        parts = [part for function in functions for part in function.split(".")]
        gone = [part for part in parts if not re.search(rf"(def|class) {part}\b", source)]
        assert not gone, f"CONTRIBUTING.md: {gone} is not in {files}"


@pytest.mark.slow
def test_the_recipes_for_clients(example: Result, online: str, tmp_path: Path, node: Path) -> None:
    need("curl", "jq")
    (tmp_path / "node_modules").symlink_to(node / "node_modules")
    critical = [image for image in example.json("images.json")["data"] if image["security"]["critical"]]
    texts = {}
    for found in blocks("clients"):
        text = texts[found.title] = found.text.replace("https://example.org/catalog", online)
        if found.title in ("list.mts", "critical.py"):
            (tmp_path / found.title).write_text(text, "utf-8")
    printed = {
        title: shell(tmp_path, texts[title]).splitlines()
        for title in ("critical", "worst first", "fixable", "licenses", "TypeScript", "Python")
    }
    assert printed["critical"] == [image["slug"] for image in critical]
    worst = [line.split()[0] for line in printed["worst first"]]
    assert worst[0] == "F" and worst[-1] in ("A+", "null")
    assert printed["fixable"] and all(re.fullmatch(r"\S+ \S+ \S+ -> .+", line) for line in printed["fixable"])
    assert "bash 5.2.15-2+b9 httpd" in printed["licenses"]
    expected = [f"{i['slug']} {i['security']['version']} {i['security']['critical']}" for i in critical]
    for title in ("TypeScript", "Python"):
        assert printed[title][-len(expected) :] == expected


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        (r"an entry of some ([\d,]+) bytes for each item", "images/index.json"),
        (r"`digests/\{algorithm\}/\{hex\}.json`, some ([\d,]+) bytes", "digests/*/*.json"),
    ],
)
def test_sizes_in_the_guide_are_those_of_the_example(
    words: str, pattern: str, example_bytes: dict[str, bytes]
) -> None:
    """The mean, within a tenth; of a list, that of an entry."""
    (said,) = re.findall(words, page("clients"))
    bodies = [body for path, body in example_bytes.items() if PurePath(path).match(pattern)]
    parts = len(bodies) if "*" in pattern else json.loads(bodies[0])["total"]
    mean = sum(map(len, bodies)) / parts
    assert abs(mean - int(said.replace(",", ""))) < mean / 10, mean


def test_commands_open_no_connection_but_those_that_the_guide_names(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Only `sync` opens a network connection" in page("hosts")

    def connect(*_: object) -> None:
        raise AssertionError("a connection is opened")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, connect)
    monkeypatch.setattr(socket, "getaddrinfo", connect)
    site.image("nginx", "versions: [1.29.3]")
    assert not site.build().failed
    config = site.folder / "mkdocs.yml"
    for command in ("check", "build --web", "new image redis", "record"):
        assert call(*command.split(), "-f", config).exit_code == 0, command
