"""A past from the commits of a git repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from mkdocs_catalog_api.history import git

from .past import ONE, TWO, Past
from .sites import SiteFolder, row

GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z",
}


class Repository:
    """A git repository around a site."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, **env: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.top, env=os.environ | GIT | env, check=True, capture_output=True
        )
        return done.stdout.decode()

    def commit(self, time: str, name: str = "main") -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", name, GIT_COMMITTER_DATE=time)
        return self.git("rev-parse", "HEAD").strip()


@pytest.fixture
def past(tmp_path: Path) -> Past:
    """A site in a folder of a repository."""
    past = Past(SiteFolder(tmp_path / "repository/site of ours"))
    past.site.write_config()
    return past


@pytest.fixture
def repository(past: Past) -> Repository:
    """Four days of commits: an empty catalog, one that is refused, a vulnerability, its fix."""
    repository = Repository(past.site.folder.parent)
    past.image("nginx", "1.0")
    past.scan("nginx", "1.0", [])
    repository.commit("2026-11-01T10:00:00Z")
    bad = past.site.image("bad", "versions: ['1 0']")
    repository.commit("2026-11-02T10:00:00Z")
    bad.unlink()
    past.scan("nginx", "1.0", [row(TWO)])
    repository.commit("2026-11-03T08:00:00Z")
    past.scan("nginx", "1.0", [row(ONE)])
    repository.commit("2026-11-04T01:00:00+02:00")  # late on the third in UTC
    past.site.write("notes.txt", "not of the catalog\n")
    repository.commit("2026-11-04T08:00:00Z")
    past.image("nginx", "1.0", v1_0="again")
    past.scan("nginx", "1.0", [], "again")
    repository.commit("2026-11-05T08:00:00Z")
    return repository


def test_the_last_commit_of_each_day_is_recorded(past: Past, repository: Repository) -> None:
    head = repository.git("rev-parse", "HEAD~4").strip()[:12]
    result = past.run("--from-git")
    assert result.exit_code == 0, result.output
    assert "recorded 3 days from git" in result.output
    assert (
        f"commit {head}: 2026-11-02 is left out, because its catalog has errors: docs/images/bad.md"
        in result.output
    )
    assert [*past.files()] == ["2026-11-01.json", "2026-11-03.json", "2026-11-05.json"]
    assert repository.git("status", "--porcelain").splitlines() == ['?? "site of ours/history/"']
    assert past.episodes() == [(ONE, "openssl", "2026-11-03", "2026-11-05", 2, "rebuilt")]


def test_the_same_as_if_it_had_been_recorded_day_by_day(past: Past, repository: Repository) -> None:
    past.run("--from-git")
    made = past.files()
    (past.site.folder / "history").rename(past.site.folder / "made")
    for date, back in (("2026-11-01", 5), ("2026-11-03", 2), ("2026-11-05", 0)):
        repository.git("checkout", "--quiet", f"main~{back}", "--", ".")
        (past.site.folder / "docs/images/bad.md").unlink(missing_ok=True)
        past.day(date)
    assert past.files() == made


def test_since_a_day_and_up_to_a_commit(past: Past, repository: Repository) -> None:
    assert past.run("--from-git", "main~2", "--since", "2026-11-02").exit_code == 0
    assert [*past.files()] == ["2026-11-03.json"]


def test_a_branch_that_was_merged_counts_on_the_day_of_the_merge(past: Past, repository: Repository) -> None:
    repository.git("checkout", "--quiet", "-b", "side", "main~5")
    past.scan("nginx", "1.0", [row("CVE-2026-0009")])
    repository.commit("2026-11-06T08:00:00Z")
    repository.git("checkout", "--quiet", "main")
    repository.git("merge", "--quiet", "--strategy=ours", "side", GIT_COMMITTER_DATE="2026-11-07T08:00:00Z")
    past.run("--from-git")
    assert "2026-11-06.json" not in past.files()


def test_only_into_an_empty_history(past: Past, repository: Repository) -> None:
    past.day("2026-11-10")
    before = past.files()
    result = past.run("--from-git")
    assert result.exit_code == 1
    assert "history: 1 day already recorded, not from these commits" in result.output
    assert past.files() == before


def test_what_was_killed_midway_goes_on_the_next_time(past: Past, repository: Repository) -> None:
    past.run("--from-git")
    made = past.files()
    past.file("2026-11-05").unlink()
    result = past.run("--from-git")
    assert result.exit_code == 0, result.output
    assert past.files() == made


def test_days_of_other_commits_are_no_beginning(past: Past, repository: Repository) -> None:
    past.run("--from-git", "main~2")
    before = past.files()
    result = past.run("--from-git", "--since", "2026-11-02")
    assert result.exit_code == 1
    assert "history: 2 days already recorded, not from these commits" in result.output
    assert past.files() == before


def test_a_reference_that_is_none(past: Past, repository: Repository) -> None:
    result = past.run("--from-git", "nowhere")
    assert result.exit_code == 1
    assert "--from-git: bad revision 'nowhere'" in result.output
    assert not (past.site.folder / "history").exists()


def test_a_reference_is_never_an_option(past: Past, repository: Repository) -> None:
    with pytest.raises(git.GitError, match="--output=x"):
        git.Repository(past.site.folder).last_of_each_day("--output=x", [past.site.folder], None)
    assert not (past.site.folder / "x").exists()


def test_pages_at_an_absolute_path_have_no_past(past: Past, repository: Repository) -> None:
    past.site.config["docs_dir"] = str(past.site.folder / "docs")
    result = past.run("--from-git")
    assert result.exit_code == 1
    assert "--from-git: docs_dir is not a relative path" in result.output
    assert not (past.site.folder / "history").exists()


def test_no_repository(site: SiteFolder) -> None:
    result = Past(site).run("--from-git", GIT_CEILING_DIRECTORIES=str(site.folder.parent))
    assert result.exit_code == 1
    assert "not a git repository" in result.output


def test_without_git(past: Past) -> None:
    result = past.run("--from-git", PATH="")
    assert result.exit_code == 1
    assert "--from-git: git is not installed" in result.output


def test_no_hook_runs_and_no_link_leads_out(past: Past, repository: Repository) -> None:
    secret = repository.top.parent / "secret.md"
    secret.write_text("---\ncategory: x\n---\n")
    try:
        (past.site.folder / "docs/images/secret.md").symlink_to(secret)
    except OSError:
        pytest.skip("no links here")
    repository.commit("2026-11-06T08:00:00Z")
    (past.site.folder / "docs/images/secret.md").unlink()
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        hook = repository.top / ".git/hooks" / name
        hook.write_text("#!/bin/sh\ntouch ran\n")
        hook.chmod(0o755)
    assert past.run("--from-git").exit_code == 0
    assert b"secret" not in b"".join(past.files().values())
    assert not list(repository.top.rglob("ran"))


def test_a_shallow_clone_is_told(past: Past, repository: Repository, tmp_path: Path) -> None:
    repository.git("clone", "--quiet", "--depth=1", repository.top.as_uri(), str(tmp_path / "shallow"))
    shallow = Past(SiteFolder(tmp_path / "shallow/site of ours"))
    result = shallow.run("--from-git")
    assert result.exit_code == 0
    assert "this clone lacks commits" in result.output
