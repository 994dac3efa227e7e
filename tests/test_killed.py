"""What is left when a build is interrupted or killed, and when two build at once."""

from __future__ import annotations

import signal
from contextlib import AbstractContextManager
from pathlib import Path
from subprocess import Popen

import pytest
from click.testing import Result

from mkdocs_catalog_api.publish.staging import Staging

from .contract import check
from .interrupt import stopped
from .sites import SiteFolder
from .test_build import small
from .test_cli import call

pytestmark = pytest.mark.slow

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


def beside(site: SiteFolder) -> list[str]:
    return sorted(path.name for path in site.folder.iterdir() if path.name.startswith("."))


def stopped_at(
    site: SiteFolder, point: str, command: str = "catalog-api", *options: str
) -> AbstractContextManager[Popen[str]]:
    return stopped(site.folder, *POINTS[point], command, "build", "--quiet", *options)


def build(site: SiteFolder, *options: str) -> Result:
    return call("build", "-f", site.folder / "mkdocs.yml", *options)


def sound(site: SiteFolder, title: str = "") -> bool:
    """Whether the API is the old one or the new one, and whole; with a title, which of them."""
    assert check(site.folder / "site", "/catalog") == []
    return f'"{title}"' in (site.folder / "site/api/v1/index.json").read_text() if title else True


@pytest.fixture
def published(site: SiteFolder) -> SiteFolder:
    assert not small(site).build().failed
    site.config["site_name"] = "Another"
    site.write_config()
    return site


@pytest.mark.parametrize(
    ("point", "number", "command"),
    [
        *((point, signal.SIGTERM, ["catalog-api"]) for point in POINTS),
        (SOME[0], signal.SIGINT, ["catalog-api"]),
        *(zip(SOME, (signal.SIGINT, signal.SIGTERM), [["mkdocs", "--dirty"]] * 2, strict=True)),
    ],
)
def test_an_interrupted_build_leaves_nothing(
    published: SiteFolder, point: str, number: signal.Signals, command: list[str]
) -> None:
    with stopped_at(published, point, *command) as process:
        process.send_signal(number)
        _, err = process.communicate()
    assert process.returncode != 0
    assert "Traceback" not in err
    assert beside(published) == [] and sound(published)


@pytest.mark.parametrize("point", POINTS)
def test_an_api_that_a_killed_build_took_away_is_put_back(published: SiteFolder, point: str) -> None:
    """And what else it left is swept by the next build, also if that is refused."""
    with stopped_at(published, point) as process:
        process.kill()
        process.communicate()
    assert beside(published) != []
    assert (published.folder / "site/api/v1").exists() == (point != SOME[1])
    broken = published.page("images/broken.md", "platforms: none")
    assert build(published).exit_code == 1
    assert beside(published) == []
    assert sound(published, "Another" if [*POINTS].index(point) > 4 else "Catalog")
    broken.unlink()
    assert build(published).exit_code == 0
    assert beside(published) == [] and sound(published, "Another")


def test_of_two_builds_at_once_the_second_says_so_and_ends(published: SiteFolder) -> None:
    with stopped_at(published, "while documents are written") as process:
        published.config["site_name"] = "A third"
        published.write_config()
        assert "another build is writing the API of this site" in build(published).stderr
        assert len(beside(published)) == 2, "the staging folder and the lock of the first"
        assert call("check", "-f", published.folder / "mkdocs.yml").exit_code == 0
        assert build(published, "--site-dir", "site2").exit_code == 0
        assert sound(published, "Catalog")
        process.communicate("go on\n")
    assert sound(published, "Another")
    assert build(published).exit_code == 0
    assert sound(published, "A third")


def test_folders_of_the_author_are_not_swept(published: SiteFolder) -> None:
    notes = published.write(".site-catalog-api-notes/notes.txt", "the author's")
    other = published.write(".other-catalog-api-01234567/documents/a.json", "another site's")
    assert build(published).exit_code == 0
    assert notes.exists() and other.exists()


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
