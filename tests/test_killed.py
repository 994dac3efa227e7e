"""What is left when a build is interrupted or killed, and when two build at once."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.publish.staging import Staging

from .contract import check
from .interrupt import stopped
from .sites import SiteFolder
from .test_build import small

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows ends programs without asking them"),
]

POINTS = {
    "before staging is made": ("os.mkdir", 1, "-catalog-api-"),
    "when staging is made": ("os.mkdir", 2, "-catalog-api-"),
    "while documents are written": ("open", 9, "-catalog-api-"),
    "before the first rename": ("os.rename", 1, "previous"),
    "between the two renames": ("os.rename", 2, "api/v1"),
    "after the second rename": ("os.rename", 1, "replaced"),
    "while the old API is removed": ("shutil.rmtree", 1, "replaced"),
    "while staging is removed": ("shutil.rmtree", 2, "-catalog-api-"),
}
SOME = "while documents are written", "between the two renames"
COMMANDS = {
    "catalog-api": ("catalog-api", "build", "--quiet"),
    "mkdocs": ("mkdocs", "build", "--quiet", "--dirty"),
}


def beside(site: SiteFolder) -> list[str]:
    """What lies beside the site and is not its source."""
    return sorted(path.name for path in site.folder.iterdir() if path.name.startswith("."))


def build(site: SiteFolder, *options: str) -> Result:
    """`catalog-api build`, in this process."""
    return CliRunner().invoke(main, ["build", "-f", str(site.folder / "mkdocs.yml"), *options])


def titles(site: SiteFolder) -> str:
    return (site.folder / "site/api/v1/index.json").read_text()


def published(site: SiteFolder) -> SiteFolder:
    """A site that is published, and has got another name since."""
    assert not small(site).mkdocs().failed
    site.config["site_name"] = "Another"
    site.write_config()
    return site


@pytest.mark.parametrize(
    ("command", "point", "number"),
    [
        *(("catalog-api", point, signal.SIGTERM) for point in POINTS),
        *(("catalog-api", point, signal.SIGINT) for point in SOME),
        *(("mkdocs", point, signal.SIGTERM) for point in SOME),
        ("mkdocs", SOME[0], signal.SIGINT),
    ],
)
def test_an_interrupted_build_leaves_nothing(
    site: SiteFolder, command: str, point: str, number: signal.Signals
) -> None:
    published(site)
    with stopped(site.folder, *POINTS[point], *COMMANDS[command]) as process:
        process.send_signal(number)
        _, err = process.communicate()
    assert process.returncode != 0
    assert "Traceback" not in err
    assert beside(site) == []
    assert check(site.folder / "site", "/catalog") == [], "the old API or the new one, and whole"


@pytest.mark.parametrize("point", POINTS)
def test_what_a_killed_build_left_is_swept_by_the_next(site: SiteFolder, point: str) -> None:
    published(site)
    with stopped(site.folder, *POINTS[point], *COMMANDS["catalog-api"]) as process:
        process.kill()
        process.communicate()
    assert beside(site) != []
    assert build(site).exit_code == 0
    assert beside(site) == []
    assert "Another" in titles(site)
    assert check(site.folder / "site", "/catalog") == []


def test_an_api_that_a_killed_build_took_away_is_put_back(site: SiteFolder) -> None:
    published(site)
    with stopped(site.folder, *POINTS["between the two renames"], *COMMANDS["catalog-api"]) as process:
        process.kill()
        process.communicate()
    assert not (site.folder / "site/api/v1").exists()
    site.page("images/broken.md", "platforms: none")
    assert build(site).exit_code == 1
    assert "Catalog" in titles(site)
    assert beside(site) == []
    (site.folder / "docs/images/broken.md").unlink()
    assert check(site.folder / "site", "/catalog") == []


def test_of_two_builds_at_once_the_second_says_so_and_ends(site: SiteFolder) -> None:
    published(site)
    with stopped(site.folder, *POINTS["while documents are written"], *COMMANDS["catalog-api"]) as process:
        site.config["site_name"] = "A third"
        site.write_config()
        second = build(site)
        assert second.exit_code == 1
        assert "another build is writing the API of this site" in second.stderr
        assert '"Catalog"' in titles(site)
        assert len(beside(site)) == 2, "the staging folder and the lock of the first"
        process.communicate("go on\n")
        assert process.returncode == 0
    assert '"Another"' in titles(site)
    assert check(site.folder / "site", "/catalog") == []
    assert build(site).exit_code == 0
    assert '"A third"' in titles(site)


def test_two_builds_of_two_sites_side_by_side_do_not_mind_each_other(site: SiteFolder) -> None:
    published(site)
    with stopped(site.folder, *POINTS["while documents are written"], *COMMANDS["catalog-api"]) as process:
        assert build(site, "--site-dir", "site2").exit_code == 0
        process.communicate("go on\n")
        assert process.returncode == 0


def test_a_check_runs_beside_a_build(site: SiteFolder) -> None:
    published(site)
    with stopped(site.folder, *POINTS["while documents are written"], *COMMANDS["catalog-api"]):
        found = CliRunner().invoke(main, ["check", "-f", str(site.folder / "mkdocs.yml")])
        assert found.exit_code == 0


def test_folders_of_the_author_are_not_swept(site: SiteFolder) -> None:
    published(site)
    notes = site.write(".site-catalog-api-notes/notes.txt", "the author's")
    other = site.write(".other-catalog-api-01234567/documents/a.json", "another site's")
    assert build(site).exit_code == 0
    assert notes.exists()
    assert other.exists()


def test_previews_that_were_killed_are_swept_and_those_that_run_are_not(tmp_path: Path) -> None:
    """`mkdocs serve` builds into another folder each time."""
    killed = tmp_path / ".mkdocs_0123old_-catalog-api-0123abcd/previous"
    killed.mkdir(parents=True)
    (tmp_path / ".mkdocs_0123old_-catalog-api.lock").write_text("1")
    notes = tmp_path / ".mkdocs_notes"
    notes.mkdir()
    running = Staging(tmp_path / "mkdocs_0123run_")
    now = Staging(tmp_path / "mkdocs_0123new_")
    assert not killed.exists()
    assert not (tmp_path / "mkdocs_0123old_").exists()
    assert running.documents.is_dir()
    running.remove()
    now.remove()
    assert list(tmp_path.iterdir()) == [notes]


def test_one_process_may_stage_twice_for_one_site(tmp_path: Path) -> None:
    """As `mkdocs serve` does, which keeps the last good API."""
    first, second = Staging(tmp_path / "site"), Staging(tmp_path / "site")
    assert first.documents.is_dir()
    first.remove()
    first.remove()
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".lock"] == [".site-catalog-api.lock"]
    second.remove()
    assert list(tmp_path.iterdir()) == []
