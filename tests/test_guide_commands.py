"""Every command that the guide prints for a shell is run, or there is a reason why it can't be."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from .fake_hub import FakeHub, Version
from .fake_registry import FakeRegistry
from .feeds_of_advisories import kev
from .guide import PAGES, blocks
from .programs import need
from .registries import PASSWORD, USER, with_password
from .servers import serve
from .sites import SiteFolder, row, trivy
from .test_guide import README, code, shell

SITE = "https://example.org/catalog"
FIRST, SECOND, THIRD = "2026-11-02", "2026-11-03", "2026-11-04"
RUN = "below"
BLOCKS = {
    "pages": {
        "catalog-api new image nginx": RUN,
        "catalog-api sync": RUN,
        "catalog-api sync eol": "asks endoflife.date; test_sync_advisories asks a stand-in",
        "python -c 'import shutil": "copies files; test_editor_schema reads them",
    },
    "command-line": {"catalog-api check": RUN, "catalog-api check --strict --quiet": RUN},
    "history": {"catalog-api record": RUN},
    "problems": {"catalog-api check --strict": RUN, "catalog-api check --verbose": RUN},
    "scan": {
        "catalog-api sync hub": RUN,
        "catalog-api sync kev": RUN,
        "catalog-api list --quiet | while": "test_syft, with Syft and a registry",
        "mkdir -p scans/nginx": "pulls an image; test_report_formats reads real reports",
        "curl -fsS https://harbor.example.org": "needs a Harbor",
    },
    "hosts": {
        "sh verify.sh https://example.org/catalog/": "test_sign",
        "sh verify.sh https://example.org/catalog/ public.pem": "test_sign",
        "openssl genpkey": "test_sign",
        "mkdocs build --strict": "test_sign",
        "cosign sign-blob": "needs cosign and the identity of a workflow",
        "IDENTITY=": "needs cosign",
        "curl -sI https://example.org": "prints headers; test_hosts reads those of real servers",
        "aws s3 sync": "needs an account",
    },
    "others": {"zensical build": "test_generators, with the real program"},
    "faq": {"python -c 'import csv": RUN},
    "ask": {
        "curl -sO https://catalog.example.org": "test_ask",
        "pip install 'mcp": "test_ask",
        "python3 catalog.py https://": "test_ask",
        'python3 catalog.py "$SITE"': "test_ask",
    },
}
"""Page → how each of its blocks begins, and where it is run or why it can't be."""
AS_A_WHOLE = {
    "index": "below, in its order",
    "clients": "test_guide and test_recipes: every block with a title",
    "ci-gate": "test_recipes: every block with a title",
    "daily": "test_daily: scripts, workflows, and the commands for a branch of data",
}


def command(page: str, first: str) -> str:
    """The one block of the page that begins with this line."""
    assert BLOCKS[page][first] == RUN
    (found,) = [found.text for found in blocks(page, "sh") if found.text.splitlines()[0] == first]
    return found


def output(page: str, beginning: str) -> str:
    """The one printed output on the page that begins so."""
    (found,) = [found.text for found in blocks(page, "text") if found.text.startswith(beginning)]
    return found


@pytest.mark.parametrize("name", [name for name in PAGES if name not in AS_A_WHOLE])
def test_every_block_for_a_shell_is_run_or_there_is_a_reason(name: str) -> None:
    rows = BLOCKS.get(name, {})
    firsts = [found.text.splitlines()[0] for found in blocks(name, "sh") if not found.title]
    fitting = [first if first in rows else next(filter(first.startswith, rows), "") for first in firsts]
    assert sorted(fitting) == sorted(rows)
    others = {found.language for found in blocks(name)} & {"console", "bash", "shell"}
    assert others == set(), "blocks for a shell are `sh`, what it prints is `text`"


READ = [
    *((name, number, found.text) for name in PAGES for number, found in enumerate(blocks(name, "sh"))
      if not found.title),
    *(("README", number, text) for number, text in enumerate(code(README, "sh"))),
]  # fmt: skip
"""Page, number and text of each block that a reader pastes into a shell."""
STAND_IN = """#!/bin/sh
printf '%s\\n' "${0##*/} $(printf '<%s>' "$@")" >> "$LOG"
"""


@pytest.mark.parametrize(
    ("name", "number", "text"), READ, ids=[f"{name} {number}" for name, number, _ in READ]
)
def test_zsh_runs_the_same_commands_as_bash(tmp_path: Path, name: str, number: int, text: str) -> None:
    """As typed: to zsh, the shell of macOS, `#` is an argument. Stand-ins note what they are called with."""
    need("bash", "zsh")
    programs = tmp_path / "programs"
    programs.mkdir()
    for word in {*re.findall(r"[A-Za-z][\w.-]*", text)} - {
        "cd",
        "case",
        "do",
        "done",
        "echo",
        "esac",
        "read",
    }:
        (programs / word).write_text(STAND_IN)
        (programs / word).chmod(0o755)
    logs = {}
    for shell_name, arguments in {"bash": ["--norc", "-i"], "zsh": ["-f", "-i"]}.items():
        here = tmp_path / shell_name
        here.mkdir()
        subprocess.run(
            [shutil.which(shell_name) or shell_name, *arguments],
            input=text,
            cwd=here,
            env={
                "PATH": str(programs),
                "LOG": str(tmp_path / f"{shell_name}.log"),
                "HOME": str(here),
                "TERM": "dumb",
            },
            capture_output=True,
            text=True,
            timeout=30,
            start_new_session=True,
        )
        logs[shell_name] = (tmp_path / f"{shell_name}.log").read_text("utf-8").splitlines()
    assert sorted(logs["zsh"]) == sorted(logs["bash"]) != []


@pytest.fixture
def folder(site: SiteFolder) -> Path:
    """A site with an image, its scan and the settings that the commands need."""
    site.image("nginx", "versions: [1.29.3]")
    site.report("nginx/1.29.3.json", trivy([row("CVE-2026-0001")]))
    site.write_config()
    return site.folder


@pytest.mark.slow
def test_a_page_is_begun_checked_and_built(folder: Path, site: SiteFolder) -> None:
    (folder / "docs/images/nginx.md").unlink()
    shell(folder, command("pages", "catalog-api new image nginx"))
    site.image("nginx", "versions: [1.29.3]")
    shutil.copytree(folder, folder / "example_site", ignore=shutil.ignore_patterns("example_site"))
    shell(folder, command("command-line", "catalog-api check"))
    assert (folder / "site/api/v1/index.json").is_file()
    assert shell(folder, command("command-line", "catalog-api check --strict --quiet")) == ""
    assert "no problems" in shell(folder, command("problems", "catalog-api check --strict"))
    assert "1 scanned" in shell(folder, command("problems", "catalog-api check --verbose"))
    site.write("images.csv", "name,category,image\nRedis,Databases,docker.io/library/redis\nCaddy,,\n")
    shell(folder, blocks("faq", "sh")[0].text)
    assert "3 images" in shell(folder, "catalog-api check")


@pytest.mark.slow
def test_a_history_is_begun_and_shown(folder: Path) -> None:
    need("git")
    identity = "git config user.name a && git config user.email a@example.org"
    shell(folder, f"git init -q && {identity} && git add . && git commit -qm First")
    said = shell(folder, command("history", "catalog-api record"))
    assert re.search(r"^recorded \d{4}-\d\d-\d\d: 1 image changed: 1 new, 1 released", said, re.MULTILINE)
    assert "history/" in shell(folder, "git show --stat --format=%s")
    shell(folder, "catalog-api build -q")
    assert (folder / "site/api/v1/changes.json").is_file()


@pytest.mark.slow
def test_registries_are_asked(folder: Path, site: SiteFolder) -> None:
    file = folder / "registry/images/nginx.json"
    with FakeRegistry().running() as registry:
        site.settings["registry"] = f"{registry.host}/acme"
        site.write_config()
        for tag in ("1.28.0", "1.29.3"):
            registry.image("acme/nginx", tag)
        site.image("nginx", "versions: registry")
        registry.tags("acme/nginx", "1.28.0", "1.29.3")
        ask = partial(shell, folder, DOCKER_CONFIG=str(folder))
        printed = re.sub(r"[0-9]+ requests", "", output("pages", "registry/images/nginx.json: "))
        assert re.sub(r"[0-9]+ requests", "", ask(command("pages", "catalog-api sync"))).endswith(printed)
        registry.tags("acme/nginx", "1.29.3")
        site.image("nginx", "versions: [1.28.0, 1.29.3]")
        ask("catalog-api sync --dry-run")
        assert '"gone": true' not in file.read_text("utf-8")
        ask("catalog-api sync")
        assert '"gone": true' in file.read_text("utf-8")
        ask("catalog-api sync --prune")
    pruned = json.loads(file.read_bytes())
    assert [each["version"] for each in pruned["versions"]] == ["1.29.3"]
    assert [each["version"] for each in pruned["former"]] == ["1.28.0"]


PROGRAMS = {
    "gh": f"""
match arguments:
    case ["auth", "login", "--scopes", "read:packages"]: pass
    case ["auth", "token"]: print("{PASSWORD}")
    case ["api", "--paginate", "/orgs/acme/packages?package_type=container", "--jq", ".[].name"]:
        print(os.environ["NAMES"])
    case _: sys.exit(str(arguments))
""",
    "docker": f"""
match arguments:
    case ["login", host, "--username", "{USER}", "--password-stdin"]:
        auth = base64.b64encode(("{USER}:" + sys.stdin.read().strip()).encode()).decode()
        with open(os.environ["DOCKER_CONFIG"] + "/config.json", "w") as file:
            json.dump({{"auths": {{host: {{"auth": auth}}}}}}, file)
    case _: sys.exit(str(arguments))
""",
    "trivy": """
match arguments:
    case ["image", "--format", "json", "--output", report, reference]:
        names = {"ArtifactName": reference, "Metadata": {"RepoDigests": [reference]}}
        with open(report, "w") as file:
            json.dump(json.loads(os.environ["REPORT"]) | names, file)
    case _: sys.exit(str(arguments))
""",
}
"""Stand-ins for programs of the first page: they fail if they are called in another way."""


@pytest.mark.slow
def test_a_dozen_private_images_become_a_site(tmp_path: Path) -> None:
    site, programs = SiteFolder(tmp_path / "empty"), tmp_path / "programs"
    site.folder.mkdir()
    programs.mkdir()
    for name, text in PROGRAMS.items():
        beginning = f"#!{sys.executable} -S\nimport base64, json, os, sys\narguments = sys.argv[1:]\n"
        (programs / name).write_text(beginning + text, "utf-8")
        (programs / name).chmod(0o755)
    names = ["nginx", "redis", *(f"app-{number}" for number in range(10))]
    given: dict[str, Any] = {
        "PATH": f"{Path(sys.executable).parent}:{programs}:{os.environ['PATH']}",
        "DOCKER_CONFIG": str(site.folder),
        "NAMES": "\n".join(names),
        "REPORT": json.dumps(trivy([row("CVE-2026-0001", severity="MEDIUM")])),
    }
    printed = []
    with with_password(tmp_path) as registry:
        for name in names:
            registry.index(f"acme/{name}", name, "1.29.3")
        for found in blocks("index"):
            text = found.text.replace("ghcr.io", registry.host).replace("YOU", USER)
            if "." in found.title:
                site.write(found.title, text)
            elif found.language == "sh":
                printed.append(shell(site.folder, text, **given))
    everything = "\n".join(printed)
    assert output("index", "wrote ") in everything + "\n"
    assert re.search(
        r"^checked: .* 12 images, 12 scanned; no problems in the catalog$", everything, re.MULTILINE
    )
    assert printed[-2].splitlines() == [f"{name} 1.29.3 C" for name in sorted(names)]
    home = (site.folder / "site/index.html").read_text("utf-8")
    assert [name for name in names if f"images/{name}/" not in home] == []


@pytest.mark.slow
def test_reports_and_advisories_are_fetched(folder: Path, site: SiteFolder) -> None:
    hub = FakeHub()
    hub.charts["acme/stack"] = {"1.2.0": Version(["acme/web:1.0"], report={"acme/web:1.0": trivy([])})}
    site.page(
        "charts/stack.md",
        "category: Tools\ntier: core\nlicense: MIT\nhub: https://artifacthub.io/packages/helm/acme/stack",
    )
    www = folder / "mirror"
    www.mkdir()
    (www / "kev").write_bytes(kev({"CVE-2026-0001": "2026-01-02"}))
    reports = command("scan", "catalog-api sync hub")
    advisories = command("scan", "catalog-api sync kev")
    with hub.running(), serve(www) as port:
        mirror = f"http://127.0.0.1:{port}"
        ask = partial(shell, folder, CATALOG_API_HUB=hub.address, CATALOG_API_KEV=f"{mirror}/kev")
        ask(reports)
        assert (folder / "scans/hub/acme/stack/1.2.0.json").is_file()
        said = ask(advisories)
    assert said == output("scan", "advisories/known_exploited")
