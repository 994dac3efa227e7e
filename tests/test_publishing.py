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
from .fake_hub import FakeHub, Version
from .guide import block, blocks, requirements
from .sites import row, trivy
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
SCANNED = 1_762_000_000
"""2025-11-01: after the scans of the example."""


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


def test_github_publishes_on_push_and_once_a_day_and_may_do_no_more_than_that() -> None:
    workflow = github()
    triggers = workflow[True]  # `on`, as YAML 1.1 reads it
    assert triggers["push"] == {"branches": ["main"]}
    (schedule,) = triggers["schedule"]
    assert re.fullmatch(r"[0-5]?\d (1?\d|2[0-3]) \* \* \*", schedule["cron"])
    build, keep, publish = workflow["jobs"].values()
    assert workflow["permissions"] == {"contents": "read"}
    assert "permissions" not in build
    assert publish["permissions"] == {"pages": "write", "id-token": "write"}
    assert publish["environment"]["name"] == "github-pages"
    assert (keep["needs"], publish["needs"]) == ("build", ["build", "keep"])
    assert workflow["concurrency"] == {"group": "pages"}


def test_where_github_lets_the_repository_be_written_nothing_runs_but_git() -> None:
    keep = github()["jobs"]["keep"]
    assert keep["permissions"] == {"contents": "write"}
    lines = [line for step in keep["steps"] for line in step.get("run", "").splitlines()]
    assert lines
    assert all(line.startswith("git ") for line in lines)
    used = [step["uses"].partition("@")[0] for step in keep["steps"] if "uses" in step]
    assert used == ["actions/checkout", "actions/download-artifact"]


def test_github_uses_known_actions_in_one_major_version_each() -> None:
    used = dict(step["uses"].split("@") for step in steps() if "uses" in step)
    assert used == {name: f"v{major}" for name, major in ACTIONS.items()}


def test_github_deploys_the_folder_that_it_built() -> None:
    uploaded = next(step for step in steps() if "upload-pages-artifact" in step.get("uses", ""))
    assert f"mkdocs build --strict --site-dir {uploaded['with']['path']}" in COMMANDS["github"]
    assert steps()[-1] == {"uses": "actions/deploy-pages@v5", "id": "deploy"}


def test_gitlab_deploys_the_folder_that_it_built_on_the_default_branch_only() -> None:
    job = gitlab()
    assert job["rules"] == [{"if": "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"}]
    assert job["artifacts"] == {"paths": ["public"]}
    assert "mkdocs build --strict --site-dir public" in COMMANDS["gitlab"]


def test_what_a_run_fetched_is_kept_for_the_next() -> None:
    cache = next(step for step in steps() if "cache" in step.get("uses", ""))
    assert cache["with"]["path"] == "scans/hub"
    assert cache["with"]["restore-keys"] == "hub-"
    assert gitlab()["cache"]["paths"] == ["scans/hub"]


def test_a_hub_out_of_reach_holds_up_no_publishing() -> None:
    (fetch,) = [step for step in steps() if step.get("run", "").startswith("catalog-api sync hub")]
    assert fetch["continue-on-error"] is True
    assert any(command.startswith("catalog-api sync hub || ") for command in COMMANDS["gitlab"])


@pytest.mark.parametrize("host", COMMANDS)
def test_the_requirements_of_the_site_are_installed_first(host: str) -> None:
    commands = [command for command in COMMANDS[host] if command != "git pull"]
    assert commands[0] == "pip install -r requirements.txt"


def test_the_guide_names_every_requirement_of_the_example() -> None:
    project = tomllib.loads((EXAMPLE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    extra = project["project"]["optional-dependencies"]["example"]
    assert requirements() == [REQUIREMENT, *(requirement.partition(">")[0] for requirement in extra)]


@pytest.mark.parametrize("host", COMMANDS)
def test_what_changed_is_recorded_before_the_build_and_kept(host: str) -> None:
    commands = "\n".join(COMMANDS[host])
    places = [
        commands.index(f"\n{each}") for each in ("catalog-api record", "mkdocs build", "git add history")
    ]
    assert places == sorted(places)
    assert commands.index("git push") > places[-1]


@pytest.mark.slow
@pytest.mark.parametrize("host", COMMANDS)
def test_the_commands_publish_the_example(host: str, tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    shutil.copytree(EXAMPLE, folder)
    shutil.rmtree(folder / "scans/hub")  # nothing has been fetched yet
    hub = listed(folder)
    origin = tmp_path / "origin.git"
    git("init", "--quiet", "--bare", "--initial-branch=main", str(origin))
    git("init", "--quiet", "--initial-branch=main", folder=folder)
    git("remote", "add", "origin", str(origin), folder=folder)
    git("add", "--all", folder=folder)
    git("commit", "--quiet", "--message=All", folder=folder)
    git("push", "--quiet", "--set-upstream", "origin", "main", folder=folder)
    address = "https://gitlab-ci-token:secret@gitlab.example.org/acme/catalog.git"
    with hub.running():
        env = (
            os.environ
            | AUTHOR
            | {
                "CI_COMMIT_BRANCH": "main",
                "CI_JOB_TOKEN": "secret",
                "CI_PROJECT_PATH": "acme/catalog",
                "CI_SERVER_HOST": "gitlab.example.org",
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": f"url.{origin}.insteadOf",
                "GIT_CONFIG_VALUE_0": address,
                "CATALOG_API_HUB": hub.address,
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                "NO_MKDOCS_2_WARNING": "1",
                "DISABLE_MKDOCS_2_WARNING": "true",
            }
        )
        for command in COMMANDS[host]:
            if command.startswith("pip install"):
                continue  # this environment has everything
            done = subprocess.run(
                ["bash", "-eo", "pipefail", "-c", command],
                cwd=folder,
                env=env,
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    days = git("ls-tree", "--name-only", "main", "history/", folder=origin).split()
    assert len(days) == len(list((EXAMPLE / "history").iterdir())) + 1
    fetched = list((folder / "scans/hub").rglob("*.json"))
    assert len(fetched) == sum(map(len, hub.charts.values())) > len(hub.charts)
    site = folder / ("public" if host == "gitlab" else "site")
    assert check(site, "/hardened", CUSTOM, NAMED_LATEST) == []
    assert '"scannedAt":"2025-11-01T12:26:40Z"' in (site / "api/v1/security/index.json").read_text("utf-8")


def git(*arguments: str, folder: Path | None = None) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=os.environ | AUTHOR, check=True, capture_output=True, text=True
    )
    return done.stdout


def whole(report: dict[str, Any]) -> dict[str, Any]:
    """The report with a result for each class of packages, as it covers the whole image."""
    report["Results"].append({"Target": "app", "Class": "lang-pkgs", "Type": "gobinary"})
    return report


def listed(folder: Path) -> FakeHub:
    """A hub that lists the example's charts; older versions contain what the catalog no longer lists."""
    hub = FakeHub()
    for page in sorted((folder / "docs/charts").glob("*.md")):
        matter = re.match(r"---\n(.*?)^---$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        chart = yaml.safe_load(matter[1]) if matter else {}
        if address := chart.get("hub"):
            images = [pin if isinstance(pin, str) else pin["image"] for pin in chart.get("images", [])]
            report = {image: whole(trivy([row("CVE-2025-0001", "LOW")], created="")) for image in images[:1]}
            name = address.removeprefix("https://artifacthub.io/packages/helm/")
            newest, *older = [version["version"] for version in chart["versions"]]
            hub.charts[name] = {newest: Version(images, SCANNED, report or None)}
            past = f"{images[0].partition(':')[0]}:0.0.1" if images else "docker.io/acme/past:1"
            before = Version([past], SCANNED, {past: trivy([row("CVE-2025-0002")], created="")})
            hub.charts[name] |= dict.fromkeys(older, before)
    return hub


def test_actions_of_the_workflows_are_pinned_by_their_commits() -> None:
    workflows = [path.read_text("utf-8") for path in (EXAMPLE.parent / ".github/workflows").glob("*.yml")]
    lines = [line for text in workflows for line in text.splitlines()]
    used = [line.partition("uses: ")[2] for line in lines if "uses:" in line]
    assert len(used) > 5
    assert [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each)] == []
