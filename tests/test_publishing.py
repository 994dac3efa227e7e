"""The workflow files that the guide shows: their shape, and their commands as written."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from mkdocs_catalog_api.commands.run import REQUIREMENT

from .contract import check
from .guide import block, blocks, requirements
from .test_example import CUSTOM, EXAMPLE, NAMED_LATEST

ACTIONS = {
    "actions/cache": 6,
    "actions/checkout": 7,
    "actions/deploy-pages": 5,
    "actions/download-artifact": 6,
    "actions/setup-python": 7,
    "actions/upload-artifact": 5,
    "actions/upload-pages-artifact": 5,
}
"""The first-party actions that are used, in the major versions that are current."""
AUTHOR = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def github() -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.safe_load(block("publish", ".github/workflows/publish.yml"))
    return found


def gitlab() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(block("publish", ".gitlab-ci.yml"))["pages"]
    return found


def steps() -> list[dict[str, Any]]:
    """Those of all jobs, which run one after the other."""
    return [step for job in github()["jobs"].values() for step in job["steps"]]


COMMANDS = {
    "github": [step["run"] for step in steps() if "run" in step],
    "gitlab": gitlab()["script"],
    "elsewhere": blocks("publish", "sh")[-1].text.splitlines(),
}


def test_github_publishes_on_push_and_may_do_no_more_than_that() -> None:
    workflow = github()
    triggers = workflow[True]  # `on`, as YAML 1.1 reads it
    assert triggers == {"push": {"branches": ["main"]}, "workflow_dispatch": None}, (
        "the guide has one schedule"
    )
    build, publish = workflow["jobs"].values()
    assert workflow["permissions"] == {"contents": "read"}
    assert "permissions" not in build
    assert publish["permissions"] == {"pages": "write", "id-token": "write"}
    assert publish["environment"]["name"] == "github-pages"
    assert publish["needs"] == "build"
    assert workflow["concurrency"] == {"group": "pages"}


def test_github_uses_known_actions_in_one_major_version_each() -> None:
    used = dict(step["uses"].split("@") for step in steps() if "uses" in step)
    assert used.items() <= {name: f"v{major}" for name, major in ACTIONS.items()}.items()


def test_github_deploys_the_folder_that_it_built() -> None:
    uploaded = next(step for step in steps() if "upload-pages-artifact" in step.get("uses", ""))
    assert f"mkdocs build --strict --site-dir {uploaded['with']['path']}" in COMMANDS["github"]
    assert steps()[-1] == {"uses": "actions/deploy-pages@v5", "id": "deploy"}


def test_gitlab_deploys_the_folder_that_it_built_on_the_default_branch_only() -> None:
    job = gitlab()
    assert job["rules"] == [{"if": "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"}]
    assert job["artifacts"] == {"paths": ["public"]}
    assert "mkdocs build --strict --site-dir public" in COMMANDS["gitlab"]


@pytest.mark.parametrize("host", COMMANDS)
def test_the_requirements_of_the_site_are_installed_first(host: str) -> None:
    commands = [command for command in COMMANDS[host] if command != "git pull"]
    assert commands[0] == "pip install -r requirements.txt"


def test_the_guide_names_every_requirement_of_the_example() -> None:
    project = tomllib.loads((EXAMPLE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    extra = project["project"]["optional-dependencies"]["example"]
    assert requirements() == [REQUIREMENT, *(requirement.partition(">")[0] for requirement in extra)]


@pytest.mark.slow
@pytest.mark.parametrize("host", COMMANDS)
def test_the_commands_publish_the_example(host: str, tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    shutil.copytree(EXAMPLE, folder)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    quiet = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
    for command in COMMANDS[host]:
        if command in ("git pull", "pip install -r requirements.txt"):
            continue  # this environment has everything
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", command],
            cwd=folder,
            env=os.environ | quiet | {"PATH": path},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    assert check(folder / ("public" if host == "gitlab" else "site"), "/hardened", CUSTOM, NAMED_LATEST) == []


def git(*arguments: str, folder: Path | None = None) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=os.environ | AUTHOR, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_actions_of_the_workflows_are_pinned_by_their_commits() -> None:
    workflows = [path.read_text("utf-8") for path in (EXAMPLE.parent / ".github/workflows").glob("*.yml")]
    lines = [line for text in workflows for line in text.splitlines()]
    used = [line.partition("uses: ")[2] for line in lines if "uses:" in line]
    assert len(used) > 5
    assert [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each)] == []
