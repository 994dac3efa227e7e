"""The daily run of the guide and its loop as printed, against a real registry and a stand-in for Trivy."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from .contract import check
from .example import EXAMPLE
from .feeds_of_advisories import kev
from .guide import block, blocks, script
from .programs import need
from .registries import Registry, running
from .servers import serve
from .sites import REGISTRY, SiteFolder, built, digest, row, trivy

SCRIPTS = ("daily.sh", "keep.sh", "live.sh")
AUTHOR = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}
INSTALLS = ("pip install -r requirements.txt", "curl -fsSL ", "apt-get ", 'echo "$TOKEN" | docker login')
"""Commands that are not run here."""
TRIVY = f"""#!{sys.executable}
import json, os, sys
*options, reference = sys.argv[1:]
assert options[0] == "image" and options[-4:-1] == ["--format", "json", "--output"], options
sys.stdin.read()  # as scanners do that ask for something
with open(os.environ["ASKED"], "a") as asked:
    print(reference, file=asked)
with open(options[-1], "w") as file:
    if os.environ["FAILS"] in reference.split("@")[0]:
        file.write("{{")
        sys.exit(1)
    json.dump(json.loads(os.environ["REPORT"]) | {{
        "ArtifactName": reference,
        "Metadata": {{"RepoDigests" if "@" in reference else "RepoTags": [reference]}},
    }}, file)
"""


def git(*arguments: str, folder: Path | None = None) -> str:
    return subprocess.check_output(["git", *arguments], cwd=folder, env=os.environ | AUTHOR, text=True)


def github() -> Any:
    return yaml.safe_load(script("daily.yml"))


class Job(NamedTuple):
    """What a job runs, in a clone of its own, and the files that it hands to later jobs."""

    name: str
    commands: list[tuple[str, dict[str, str]]]
    hands_over: list[str]


def jobs(host: str) -> Iterator[Job]:
    if host == "gitlab":
        for name, job in yaml.safe_load(script("gitlab-ci.yml")).items():
            if "script" in job:
                paths = job.get("artifacts", {}).get("paths", [])
                yield Job(name, [(line, {}) for line in job["script"]], paths)
        return
    for name, job in github()["jobs"].items():
        steps = [{"with": {}} | step for step in job["steps"]]
        runs = [(step["run"], job.get("env", {}) | step.get("env", {})) for step in steps if "run" in step]
        data = [step["with"].get("path", "") for step in steps if step["with"].get("name") == "data"]
        yield Job(name, runs, " ".join(data).split())


@dataclass
class Bench:
    """An origin with a site of three images, which are in a registry, and the hosts that a run asks."""

    folder: Path
    registry: Registry
    env: dict[str, str]

    @property
    def origin(self) -> Path:
        return self.folder / "origin.git"

    def run(
        self, host: str, *, data: str = "main", fails: str = "/none", code: int = 0
    ) -> tuple[Path, list[str]]:
        """Run all jobs, each in a fresh clone; the folder of the build, and what was scanned."""
        asked, handed = self.folder / "asked", self.folder / "handed"
        built, clone = self.folder / "build", self.folder / "clone"
        asked.write_text("", "utf-8")
        shutil.rmtree(handed, ignore_errors=True)
        handed.mkdir()
        *_, last = (command for job in jobs(host) for command, _ in job.commands)
        for job in jobs(host):
            shutil.rmtree(clone, ignore_errors=True)
            git("clone", "--quiet", "--branch=main", str(self.origin), str(clone))
            shutil.copytree(handed, clone, dirs_exist_ok=True)
            for command, env in job.commands:
                if not command.startswith(INSTALLS):
                    env = {key: self.value(value) for key, value in env.items()}
                    ends = code if command == last else 0
                    self.shell(clone, command, ends, DATA=data, FAILS=fails, **env)
            for path in job.hands_over:
                copy = shutil.copytree if (clone / path).is_dir() else shutil.copy
                if (clone / path).exists():
                    copy(clone / path, handed / path)
            if job.name in ("build", "pages"):
                shutil.rmtree(built, ignore_errors=True)
                clone.rename(built)
                site = built / ("public" if host == "gitlab" else "site")
                self.publish(site)
        return site, asked.read_text("utf-8").split()

    def publish(self, site: Path) -> None:
        live = self.folder / "www/catalog"
        live.unlink(missing_ok=True)
        live.symlink_to(site)

    def value(self, text: str) -> str:
        values = {
            "secrets.SIGNING_KEY": self.env["KEY"],
            "needs.publish.outputs.url": self.env["CI_PAGES_URL"] + "/",
        }
        return re.sub(r"\$\{\{ (.+?) \}\}", lambda match: values.get(match[1], ""), text)

    def shell(self, folder: Path, command: str, code: int = 0, **env: str) -> str:
        done = subprocess.run(
            ["sh", "-e", "-c", command], cwd=folder, env=self.env | env, capture_output=True, text=True
        )
        assert done.returncode == code, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def tree(self, branch: str = "main") -> list[str]:
        return git("ls-tree", "-r", "--name-only", branch, folder=self.origin).split()

    def changed(self, before: str, branch: str = "main") -> list[str]:
        return git("diff", "--name-only", before, branch, folder=self.origin).split()

    def head(self, branch: str = "main") -> str:
        return git("rev-parse", branch, folder=self.origin).strip()


def stand_in(folder: Path) -> dict[str, str]:
    (folder / "bin").mkdir()
    (folder / "bin/trivy").write_text(TRIVY, "utf-8")
    (folder / "bin/trivy").chmod(0o755)
    return {
        "ASKED": str(folder / "asked"),
        "FAILS": "/none",
        "PATH": f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "REPORT": json.dumps(trivy([row("CVE-2026-0001")], created="2026-11-21T11:00:00Z")),
        "SOURCE_DATE_EPOCH": "1795262400",  # 2026-11-21T12:00:00Z
    }


@pytest.fixture
def bench(site: SiteFolder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    need("git", "curl", "cmp", "jq", "sha256sum", "openssl", "docker-registry")
    folder = tmp_path_factory.mktemp("daily")
    origin, www = folder / "origin.git", folder / "www"
    (www / "eol").mkdir(parents=True)
    (www / "kev").write_bytes(kev({"CVE-2026-0001": "2026-11-10"}))
    site.write("advisories/known_exploited_vulnerabilities.json", kev({"CVE-2026-0002": "2026-11-10"}))
    key = subprocess.check_output(["openssl", "genpkey", "-algorithm", "ed25519"], text=True)
    with running(folder) as registry, serve(www) as port:
        for slug in SLUGS:
            registry.index(f"acme/{slug}", slug, "1.0", "latest")
            site.image(slug, "versions: registry")
        site.settings["registry"] = f"{registry.host}/acme"
        site.write_config()
        for name in (*SCRIPTS, "verify.sh"):
            site.write(name, script(name))
        site.write(".gitignore", block("daily", ".gitignore"))
        git("init", "--quiet", "--bare", "--initial-branch=main", str(origin))
        git("init", "--quiet", "--initial-branch=main", folder=site.folder)
        git("add", "--all", folder=site.folder)
        git("commit", "--quiet", "--message=Begin", folder=site.folder)
        git("push", "--quiet", str(origin), "main", folder=site.folder)
        env = {
            "CATALOG_API_EOL": f"http://127.0.0.1:{port}/eol",
            "CATALOG_API_KEV": f"http://127.0.0.1:{port}/kev",
            "CI_COMMIT_BRANCH": "main",
            "CI_JOB_TOKEN": "secret",
            "CI_PAGES_URL": f"http://127.0.0.1:{port}/catalog",
            "CI_PROJECT_PATH": "acme/catalog",
            "CI_SERVER_HOST": "gitlab.example.org",
            "DOCKER_CONFIG": str(folder / "none"),
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"url.{origin}.insteadOf",
            "GIT_CONFIG_VALUE_0": "https://gitlab-ci-token:secret@gitlab.example.org/acme/catalog.git",
            "KEY": key,
            "SIGNING_KEY": key,
        }
        yield Bench(folder, registry, os.environ | AUTHOR | env | stand_in(folder))


def faults(bench: Bench, site: Path) -> list[str]:
    """What is wrong with a site that is signed."""
    verify = 'printf %s "$KEY" | openssl pkeyutl -verify -inkey /dev/stdin -rawin -in manifest.json -sigfile'
    bench.shell(site / "api/v1", f"{verify} manifest.json.sig")
    (site / "api/v1/manifest.json.sig").unlink()
    return check(site, "/catalog")


def read(site: Path, path: str) -> Any:
    return json.loads((site / "api/v1" / path).read_bytes())


def path_of(slug: str, manifest: Any, label: str = "1.0") -> str:
    return f"scans/{slug}/{label}.{manifest['digest'][7:19]}.json"


SLUGS = ("caddy", "nginx", "redis")
HOSTS = pytest.mark.parametrize(("host", "data"), [("github", "main"), ("gitlab", "data")])


@pytest.mark.slow
@HOSTS
def test_what_was_not_done_stops_no_publishing_and_fails_the_run(bench: Bench, host: str, data: str) -> None:
    """Three days, on the main branch or with a branch for the data."""
    mine = bench.folder / "mine"
    git("clone", "--quiet", str(bench.origin), str(mine))
    (begin,) = [text for _, _, text in blocks("daily", "sh") if "--orphan" in text]
    bench.shell(mine, begin)
    main = bench.head()

    site, scanned = bench.run(host, data=data)
    assert sorted(reference.partition("@")[0][-5:] for reference in scanned) == sorted(SLUGS * 2)
    assert faults(bench, site) == []
    summary = read(site, "security.json")
    assert (summary["imagesScanned"], summary["imagesUnscanned"], summary["exploited"]) == (3, [], 3)
    kept = {"advisories/known_exploited_vulnerabilities.json", "history/2026-11-21.json"}
    for slug in SLUGS:
        record = read(site, f"security/{slug}.json")["latest"]
        assert (record["complete"], record["platformsScanned"]) == (True, ["linux/amd64", "linux/arm64"])
        version = read(site, f"images/{slug}/index.json")["data"]["versions"][0]
        kept |= {f"registry/images/{slug}.json"} | {path_of(slug, each) for each in version["manifests"]}
    assert {*bench.tree(data)} >= kept
    others = {"not-done.txt", "manifest.json", "to-scan.txt"} | ({"mkdocs.yml"} if data == "data" else set())
    assert not others & {*bench.tree(data)}
    first = bench.head(data)

    _, scanned = bench.run(host, data=data)
    assert (scanned, bench.head(data)) == ([], first), "nothing is new"

    pushed = bench.registry.index("acme/nginx", "new", "1.1", "latest")["parts"]
    bench.registry.index("acme/redis", "new", "1.1")
    accept = {"Accept": "*/*, application/vnd.oci.image.index.v1+json"}
    gone = bench.registry.request("GET", "acme/caddy", "manifests/1.0", headers=accept)
    bench.registry.delete("acme/caddy", gone.headers["Docker-Content-Digest"])
    site, scanned = bench.run(host, data=data, fails="/redis", code=1)
    lines = (bench.folder / "build/not-done.txt").read_text("utf-8").splitlines()
    assert [line.partition("@")[0] for line in lines] == [
        "sync", *[f"scan of {bench.registry.host}/acme/redis"] * 2
    ]  # fmt: skip
    assert faults(bench, site) == []
    assert bench.changed(first, data) == [
        "history/2026-11-21.json",
        *(f"registry/images/{slug}.json" for slug in ("nginx", "redis")),
        *sorted(path_of("nginx", part, "1.1") for part in pushed),
    ], "what was known stays"
    versions = read(site, "images/nginx/index.json")["data"]["versions"]
    assert [version["version"] for version in versions] == ["1.1", "1.0"]
    assert bench.head() == main or data == "main", "a protected branch gets no commit"


@pytest.mark.slow
def test_elsewhere_the_same_folder_is_used_each_day(bench: Bench) -> None:
    clone = bench.folder / "clone"
    git("clone", "--quiet", "--branch=main", str(bench.origin), str(clone))
    (text,) = [text for _, title, text in blocks("daily", "sh") if text.startswith("git fetch") and not title]
    commands = [line for line in text.splitlines() if not line.startswith(INSTALLS)]
    for slug in ("nginx", "redis"):
        for command in commands:
            bench.shell(clone, command)
        bench.publish(clone / "site")
        bench.shell(clone, f"sh live.sh {bench.env['CI_PAGES_URL']}/")
        bench.registry.index(f"acme/{slug}", f"{slug} new", "2.0")
    assert sum(path.startswith("scans/nginx/2.0.") for path in bench.tree()) == 2


def test_the_loop_scans_all_that_is_listed(
    site: SiteFolder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = next(text for _, _, text in blocks("index", "sh") if text.startswith("catalog-api list "))
    site.image("db", "versions: ['17']")
    site.image("web", f"versions: [{{version: '1.0', digest: '{digest(1)}'}}]")
    site.write_config()
    env = os.environ | stand_in(tmp_path_factory.mktemp("loop"))
    subprocess.run(["sh", "-eu", "-c", text], cwd=site.folder, env=env, check=True)
    scanned = Path(env["ASKED"]).read_text("utf-8").split()
    assert scanned == [f"{REGISTRY}/db:17", f"{REGISTRY}/web@{digest(1)}"]
    summary = built(site).json("security.json")
    assert (summary["imagesScanned"], summary["total"]) == (2, 2)
    command = text.partition("|")[0].split()
    assert subprocess.check_output(command, cwd=site.folder, env=env) == b"", "all scans are new"


def test_a_site_that_is_not_the_one_that_was_built_fails(tmp_path: Path) -> None:
    need("curl", "cmp")
    (tmp_path / "www/api/v1").mkdir(parents=True)
    (tmp_path / "www/api/v1/manifest.json").write_text("{}", "utf-8")
    (tmp_path / "manifest.json").write_text("{} ", "utf-8")
    (tmp_path / "sleep").write_text("#!/bin/sh\necho $1 >> slept\n", "utf-8")
    (tmp_path / "sleep").chmod(0o755)
    with serve(tmp_path / "www") as port:
        done = subprocess.run(
            ["sh", "-c", script("live.sh"), "live.sh", f"http://127.0.0.1:{port}/"],
            cwd=tmp_path,
            env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
            check=False,
        )
    assert done.returncode == 1
    assert (tmp_path / "slept").read_text("utf-8").split() == ["0", "60", "300", "600"]


def test_the_data_is_kept_by_the_run_after_one_whose_push_failed(tmp_path: Path) -> None:
    need("git")
    origin, clone = tmp_path / "origin.git", tmp_path / "clone"
    git("init", "--quiet", "--bare", "--initial-branch=main", str(origin))
    git("clone", "--quiet", str(origin), str(clone))
    git("commit", "--quiet", "--allow-empty", "--message=Begin", folder=clone)
    git("push", "--quiet", "origin", "HEAD:main", folder=clone)
    (clone / "scans").mkdir()
    (clone / "scans/web.json").write_text("{}", "utf-8")

    def keep(*arguments: str) -> int:
        command = ["sh", "-c", script("keep.sh"), "keep.sh", "main", *arguments]
        return subprocess.run(command, cwd=clone, env=os.environ | AUTHOR, capture_output=True).returncode

    assert keep(str(tmp_path / "none.git")) != 0
    assert keep() == 0
    assert git("ls-tree", "-r", "--name-only", "main", folder=origin).split() == ["scans/web.json"]
    (clone / "scans/web.json").write_text("[]", "utf-8")
    assert keep("../origin.git") == 0, "a relative remote"
    assert git("show", "main:scans/web.json", folder=origin) == "[]"


def test_github_runs_daily_and_only_one_job_may_write() -> None:
    workflow = github()
    triggers = workflow[True]  # `on`, as YAML 1.1 reads it
    assert triggers["push"] == {"branches": ["main"]} and "workflow_dispatch" in triggers
    (schedule,) = triggers["schedule"]
    assert re.fullmatch(r"[1-5]?\d (1?\d|2[0-3]) \* \* \*", schedule["cron"])
    assert (workflow["permissions"], workflow["concurrency"]) == ({"contents": "read"}, {"group": "pages"})
    assert {name: job.get("permissions") for name, job in workflow["jobs"].items()} == {
        "build": {"contents": "read", "packages": "read"},
        "keep": {"contents": "write"},
        "publish": {"pages": "write", "id-token": "write"},
        "live": None,
    }
    needs = [job.get("needs") for job in workflow["jobs"].values()]
    assert needs == [None, "build", ["build", "keep"], "publish"]


def test_where_the_repository_may_be_written_only_git_runs() -> None:
    keep = github()["jobs"]["keep"]
    assert [step["run"] for step in keep["steps"] if "run" in step] == ['sh keep.sh "$DATA"']
    words = re.findall(r"^ *([\w.-]+)", script("keep.sh"), re.MULTILINE)
    assert {*words} <= {"set", "git", "for", "if", "rm", "cp", "fi", "done", "cd"}


def test_actions_of_the_repository_are_pinned_by_their_commits() -> None:
    workflows = [path.read_text("utf-8") for path in (EXAMPLE.parent / ".github/workflows").glob("*.yml")]
    lines = [line for text in workflows for line in text.splitlines()]
    used = [line.partition("uses: ")[2] for line in lines if "uses:" in line]
    assert len(used) > 5
    assert [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each)] == []


@pytest.mark.parametrize("host", ["github", "gitlab"])
def test_every_command_is_installing_or_run_by_the_tests(host: str) -> None:
    commands = [command for job in jobs(host) for command, _ in job.commands]
    assert [name for name in SCRIPTS if not any(f"sh {name}" in command for command in commands)] == []
    assert sum(command.startswith(INSTALLS) for command in commands) == 3, "package, scanner, login or jq"
