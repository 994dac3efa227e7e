"""What is kept between builds: never wrong, never in the way, and gone without harm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from mkdocs_catalog_api.cli import main
from mkdocs_catalog_api.sources import cache
from mkdocs_catalog_api.sources.reports import read_report

from .sites import REGISTRY, SiteFolder, row, trivy


@pytest.fixture
def catalog(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> SiteFolder:
    """Three images with a release and a report each; two of one scanner for one of them."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795000000")
    for number, slug in enumerate(("alpha", "beta", "gamma")):
        site.image(slug, "versions: ['1']")
        rows = [row(f"CVE-2026-000{k}", fixed="2" if k % 2 else "") for k in range(number, number + 3)]
        site.report(f"{slug}/1.json", trivy(rows, tag=f"{REGISTRY}/{slug}:1"))
    site.write("docs/index.md", "# Home\n")
    options = {"site_name": "Catalog", "plugins": [{"catalog-api": site.settings}]}
    site.write("mkdocs.yml", json.dumps(options))
    return site


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The reports that were parsed, not taken from the cache."""
    seen: list[bytes] = []

    def read(data: bytes, *more: bytes) -> object:
        seen.append(data)
        return read_report(data, *more)

    monkeypatch.setattr("mkdocs_catalog_api.sources.scan_index.read_report", read)
    return seen


def build(site: SiteFolder, *options: str) -> dict[str, bytes]:
    """Build with the command line; what was published."""
    result = CliRunner().invoke(main, ["build", "-f", str(site.folder / "mkdocs.yml"), *options])
    assert result.exit_code == 0, result.output
    api = site.folder / "site/api/v1"
    return {path.relative_to(api).as_posix(): path.read_bytes() for path in api.rglob("*.json")}


def kept() -> list[Path]:
    """The files in the cache folder."""
    return sorted(Path(os.environ["XDG_CACHE_HOME"]).rglob("*.*"))


def test_an_unchanged_report_is_not_parsed_again(catalog: SiteFolder, parsed: list[bytes]) -> None:
    cold = build(catalog)
    assert len(parsed) == 3
    parsed.clear()
    assert build(catalog) == cold
    assert parsed == []
    assert len(kept()) == 1


def test_mkdocs_and_the_command_line_share_it(catalog: SiteFolder, parsed: list[bytes]) -> None:
    build(catalog)
    parsed.clear()
    assert not catalog.build().failed
    assert parsed == []


def test_a_report_that_changed_is_parsed_and_the_old_one_forgotten(
    catalog: SiteFolder, parsed: list[bytes]
) -> None:
    build(catalog)
    size = kept()[0].stat().st_size
    parsed.clear()
    catalog.report("beta/1.json", trivy([], tag=f"{REGISTRY}/beta:1"))
    assert json.loads(build(catalog)["security/beta.json"])["latest"]["total"] == 0
    assert len(parsed) == 1
    assert len(kept()) == 1 and kept()[0].stat().st_size < size


def test_a_refused_catalog_is_parsed_only_once_too(catalog: SiteFolder, parsed: list[bytes]) -> None:
    catalog.page("images/bad.md", "tier: 1")
    assert CliRunner().invoke(main, ["check", "-f", str(catalog.folder / "mkdocs.yml")]).exit_code == 1
    parsed.clear()
    (catalog.folder / "docs/images/bad.md").unlink()
    build(catalog)
    assert parsed == []


def test_other_code_never_reads_what_this_one_kept(
    catalog: SiteFolder, parsed: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    build(catalog)
    parsed.clear()
    monkeypatch.setattr(cache, "reader_version", lambda: "another")
    build(catalog)
    assert len(parsed) == 3


def _flip(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]


DAMAGES: list[Callable[[bytes, int], bytes]] = [
    _flip,
    lambda data, place: data[:place],
    lambda data, place: data[place:],
    lambda data, place: data[:place] + b"}" + data[place:],
    lambda data, place: data[place:] + data[:place],
]


def test_a_damaged_file_changes_nothing(catalog: SiteFolder) -> None:
    cold = build(catalog)
    (file,) = kept()
    whole = file.read_bytes()

    @settings(max_examples=25, deadline=None)
    @given(damage=st.sampled_from(DAMAGES), place=st.integers(0, len(whole) - 1))
    def damaged(damage: Callable[[bytes, int], bytes], place: int) -> None:
        file.write_bytes(damage(whole, place))
        assert build(catalog) == cold

    damaged()


def test_deleting_it_does_no_harm(catalog: SiteFolder, parsed: list[bytes]) -> None:
    cold = build(catalog)
    kept()[0].unlink()
    kept_folder = Path(os.environ["XDG_CACHE_HOME"]) / "mkdocs-catalog-api"
    kept_folder.rmdir()
    parsed.clear()
    assert build(catalog) == cold
    assert len(parsed) == 3 and len(kept()) == 1


def test_a_folder_that_cannot_be_written_is_one_note(catalog: SiteFolder, tmp_path: Path) -> None:
    cold = build(catalog)
    blocked = catalog.write("blocked", "a file where the folder would be")
    for _ in range(2):
        environment = {"XDG_CACHE_HOME": str(blocked)}
        result = CliRunner(env=environment).invoke(main, ["build", "-f", str(catalog.folder / "mkdocs.yml")])
        assert result.exit_code == 0
        notes = [line for line in result.stderr.splitlines() if "cache" in line]
        assert len(notes) == 1 and notes[0].startswith("info: ") and str(blocked) in notes[0]
    assert build(catalog) == cold


def test_without_cache_nothing_is_read_or_kept(catalog: SiteFolder, parsed: list[bytes]) -> None:
    build(catalog, "--no-cache")
    assert kept() == []
    build(catalog)
    parsed.clear()
    build(catalog, "--no-cache")
    assert len(parsed) == 3


def test_it_takes_no_more_than_its_limit(catalog: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    build(catalog)
    (first,) = kept()
    os.utime(first, (1, 1))
    monkeypatch.setattr(cache, "LIMIT", first.stat().st_size * 3 // 2)
    (catalog.folder / "scans").rename(catalog.folder / "others")
    catalog.settings["security"] = {"reports": "others"}
    catalog.write(
        "mkdocs.yml",
        json.dumps({"site_name": "Catalog", "plugins": [{"catalog-api": catalog.settings}]}),
    )
    cold = build(catalog)
    assert len(kept()) == 1 and kept()[0] != first
    monkeypatch.setattr(cache, "LIMIT", 10)
    catalog.write("others/beta/1.json", json.dumps(trivy([], tag=f"{REGISTRY}/beta:1")))
    assert build(catalog).keys() == cold.keys()
    assert kept() == []


def test_builds_at_the_same_time(catalog: SiteFolder) -> None:
    """Enough reports for several processes in each build."""
    for number in range(80):
        slug = f"more-{number}"
        catalog.image(slug, "versions: ['1']")
        catalog.report(f"{slug}/1.json", trivy([row(f"CVE-2026-{number:04}")], tag=f"{REGISTRY}/{slug}:1"))
    program = "from mkdocs_catalog_api.cli import main; main()"
    running = [
        subprocess.Popen(
            [
                *(sys.executable, "-c", program, "build", "-q"),
                *("-f", str(catalog.folder / "mkdocs.yml"), "--site-dir", f"site-{number}"),
            ]
        )
        for number in range(3)
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    cold = build(catalog, "--no-cache")
    assert build(catalog) == cold
    assert len(kept()) == 1
    for number in range(3):
        api = catalog.folder / f"site-{number}/api/v1"
        assert {path: (api / path).read_bytes() for path in cold} == cold
