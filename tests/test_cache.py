"""What is kept between builds: never wrong, never in the way, and gone without harm."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.join import Image
from mkdocs_catalog_api.cli import main
from mkdocs_catalog_api.documents import security
from mkdocs_catalog_api.documents.serialise import Raw
from mkdocs_catalog_api.sources import cache
from mkdocs_catalog_api.sources.reports import read_report
from mkdocs_catalog_api.sources.store import content_key
from mkdocs_catalog_api.web import render
from mkdocs_catalog_api.web.parts import ItemPage, Parts

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
    _configure(site)
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


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Slugs of the images whose documents were made, not put together of what the cache has."""
    seen: list[str] = []
    envelope = security.envelope

    def begin(image: Image) -> Raw:
        seen.append(image.entry.slug)
        return envelope(image)

    monkeypatch.setattr("mkdocs_catalog_api.rendering.security.envelope", begin)
    return seen


def build(site: SiteFolder, *options: str) -> dict[str, bytes]:
    """Build with the command line; what was published."""
    result = CliRunner().invoke(main, ["build", "-f", str(site.folder / "mkdocs.yml"), *options])
    assert result.exit_code == 0, result.output
    api = site.folder / "site/api/v1"
    return {path.relative_to(api).as_posix(): path.read_bytes() for path in api.rglob("*.json")}


def kept(kind: str = "*") -> list[Path]:
    """The files in the cache folder."""
    return sorted(Path(os.environ["XDG_CACHE_HOME"]).rglob(f"*.{kind}"))


def test_what_is_unchanged_is_not_made_again(
    catalog: SiteFolder, parsed: list[bytes], made: list[str]
) -> None:
    cold = build(catalog)
    assert len(parsed) == 3 and made == ["alpha", "beta", "gamma"]
    parsed.clear()
    made.clear()
    assert build(catalog) == cold
    assert parsed == [] and made == []
    assert sorted(path.suffix for path in kept()) == [".images", ".pages", ".reports"]


def test_an_image_that_changed_is_made_again_alone(
    catalog: SiteFolder, parsed: list[bytes], made: list[str]
) -> None:
    build(catalog)
    parsed.clear()
    made.clear()
    catalog.image("beta", "versions: ['1']", description="Another one")
    assert json.loads(build(catalog)["images/beta/index.json"])["data"]["description"] == "Another one"
    assert parsed == [] and made == ["beta"]


def _statement(name: str, status: str) -> str:
    """A VEX document on one vulnerability in one image."""
    said = {"status": status, "vulnerability": {"name": name}, "products": [{"@id": f"{REGISTRY}/beta:1"}]}
    if status == "not_affected":
        said["justification"] = "component_not_present"
    document = {"@context": "https://openvex.dev/ns/v0.2.0", "@id": "https://example.org/vex/1"}
    return json.dumps(document | {"timestamp": "2026-02-01T00:00:00Z", "statements": [said]})


def _configure(site: SiteFolder, **more: object) -> None:
    options = {"site_name": "Catalog", "plugins": [{"catalog-api": site.settings}], **more}
    site.write("mkdocs.yml", json.dumps(options))


EDITS: list[Callable[[SiteFolder], object]] = [
    lambda site: site.image("beta", "versions: ['1', '2']"),
    lambda site: site.image("beta", "versions: ['1']", tier="core"),
    lambda site: site.report("beta/1.json", trivy([row("CVE-2026-0009")], tag=f"{REGISTRY}/beta:1")),
    lambda site: site.report("beta/2.json", trivy([], tag=f"{REGISTRY}/beta:2")),
    lambda site: site.report("gamma/new.json", trivy([row("CVE-2026-0007")], tag=f"{REGISTRY}/gamma:1")),
    lambda site: site.write("vex/one.json", _statement("CVE-2026-0002", "not_affected")),
    lambda site: site.write("vex/one.json", _statement("CVE-2026-0002", "affected")),
    lambda site: site.write("vex/one.json", _statement("CVE-2026-0003", "not_affected")),
    lambda site: _configure(site, site_url="https://example.org/catalog/"),
    lambda site: _configure(site, site_url="https://example.org/"),
    lambda site: (site.folder / "docs/images/alpha.md").unlink(missing_ok=True),
    lambda site: site.image("alpha", "versions: ['1']"),
]


def test_after_any_edits_it_is_as_if_there_were_none(catalog: SiteFolder) -> None:
    (catalog.folder / "vex").mkdir()

    @settings(max_examples=8, deadline=None)
    @given(st.lists(st.sampled_from(EDITS), min_size=1, max_size=4))
    def edited(edits: list[Callable[[SiteFolder], object]]) -> None:
        for edit in edits:
            edit(catalog)
            found = build(catalog)
        assert found == build(catalog, "--no-cache")

    edited()


def _chart(site: SiteFolder, name: str, *pins: str) -> None:
    images = "\n".join(f"  - {REGISTRY}/{pin}" for pin in pins)
    site.page(
        "charts/stack.md",
        f"name: {name}\ncategory: Tools\ntier: core\nlicense: MIT\nversions: ['1.0.0']\nimages:\n{images}",
    )


def _move(site: SiteFolder, old: str, new: str) -> None:
    """Move an image's page, which keeps its slug."""
    before, after = site.folder / "docs/images" / old, site.folder / "docs/images" / new
    if before.exists():
        after.parent.mkdir(exist_ok=True)
        before.rename(after)


_DELTA = "- {slug: delta, name: Delta, category: Tools, tier: core, license: MIT, versions: ['1']}\n"


def _settings(site: SiteFolder, **values: object) -> None:
    site.settings |= values


PAGE_EDITS: list[Callable[[SiteFolder], object]] = [
    *EDITS[:8],
    lambda site: _chart(site, "Stack", "alpha:1", "beta:1"),
    lambda site: _chart(site, "Another stack", "gamma:1"),
    lambda site: _settings(site, images={"fields": {"team": {"type": "text"}}}),
    lambda site: _settings(site, images={"fields": {"team": {"type": "text", "label": "Crew"}}}),
    lambda site: site.image("gamma", "versions: ['1']\nteam: blue"),
    lambda site: site.write("overrides/catalog/item-images.html", "<p>{{ catalog.images | length }}</p>"),
    lambda site: (site.folder / "overrides/catalog/item-images.html").unlink(missing_ok=True),
    lambda site: site.config.update(site_url="https://example.org/"),
    lambda site: site.config.update(use_directory_urls=False),
    lambda site: _move(site, "alpha.md", "deep/alpha.md"),
    lambda site: _move(site, "deep/alpha.md", "alpha.md"),
    lambda site: site.write("docs/images/index.md", "# Images\n"),
    lambda site: site.write("images.yml", _DELTA),
    lambda site: _chart(site, "Stack", "alpha:1", "delta:1"),
    lambda site: site.page("images/beta.md", "category: Tools\ntier: core\nlicense: MIT", "{{ catalog }}"),
]


def _published(site: SiteFolder) -> dict[str, bytes]:
    result = site.build()
    assert not result.failed, result.records
    folder = site.folder / "site"
    found = [
        *folder.rglob("images/**/*.html"),
        *folder.rglob("charts/**/*.html"),
        *folder.rglob("v1/**/*.json"),
    ]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_after_any_edits_pages_are_as_if_there_were_none(
    catalog: SiteFolder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (catalog.folder / "overrides").mkdir()
    catalog.config["theme"] = {"name": "mkdocs", "custom_dir": "overrides"}

    @settings(max_examples=5, deadline=None)
    @given(st.lists(st.sampled_from(PAGE_EDITS), min_size=1, max_size=4))
    def edited(edits: list[Callable[[SiteFolder], object]]) -> None:
        for edit in edits:
            edit(catalog)
            found = _published(catalog)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("empty")))
            assert found == _published(catalog)

    edited()


def test_parts_of_pages_are_not_rendered_again(catalog: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    _chart(catalog, "Stack", "alpha:1")
    found = _published(catalog)
    rendered: list[str] = []
    item = Parts.item

    def seen(self: Parts, own: ItemPage, *more: Any) -> str:
        rendered.append(own.slug)
        return item(self, own, *more)

    monkeypatch.setattr(Parts, "item", seen)
    assert _published(catalog) == found and rendered == []
    _chart(catalog, "Stack", "alpha:1", "gamma:1")
    _published(catalog)
    assert sorted(rendered) == ["gamma", "stack"]


def test_templates_of_item_pages_show_nothing_that_their_key_leaves_out() -> None:
    """What else they asked of the catalog would stay as it was when it changes."""
    templates = Path(render.__file__).parent.parent / "templates/catalog"
    asked = {
        word
        for path in [*templates.glob("item-*.html"), templates / "parts.html"]
        for word in re.findall(r"\b(?:catalog\.\w+(?:\([^)]*\)\.\w+)?|settings\.\w+)", path.read_text())
    }
    assert asked == {"catalog.users", "catalog.image(pin.slug).url"}


def test_statements_are_heard_only_once_too(catalog: SiteFolder, made: list[str]) -> None:
    catalog.write("vex/one.json", _statement("CVE-2026-0002", "not_affected"))
    cold = build(catalog)
    assert json.loads(cold["security/beta.json"])["latest"]["suppressed"]
    made.clear()
    assert build(catalog) == cold
    assert made == []


def test_mkdocs_and_the_command_line_share_it(catalog: SiteFolder, parsed: list[bytes]) -> None:
    build(catalog)
    parsed.clear()
    assert not catalog.build().failed
    assert parsed == []


def test_a_report_that_changed_is_parsed_and_the_old_one_forgotten(
    catalog: SiteFolder, parsed: list[bytes]
) -> None:
    build(catalog)
    size = kept("reports")[0].stat().st_size
    parsed.clear()
    catalog.report("beta/1.json", trivy([], tag=f"{REGISTRY}/beta:1"))
    assert json.loads(build(catalog)["security/beta.json"])["latest"]["total"] == 0
    assert len(parsed) == 1
    assert len(kept()) == 3 and kept("reports")[0].stat().st_size < size


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


@pytest.mark.parametrize("kind", ["reports", "images", "pages"])
def test_a_damaged_file_changes_nothing(catalog: SiteFolder, kind: str) -> None:
    cold = build(catalog)
    (file,) = kept(kind)
    whole = file.read_bytes()

    @settings(max_examples=10, deadline=None)
    @given(damage=st.sampled_from(DAMAGES), place=st.integers(0, len(whole) - 1))
    def damaged(damage: Callable[[bytes, int], bytes], place: int) -> None:
        file.write_bytes(damage(whole, place))
        assert build(catalog) == cold

    damaged()


def test_a_damaged_file_is_mended(catalog: SiteFolder, parsed: list[bytes]) -> None:
    catalog.write("vex/one.json", _statement("CVE-2026-0002", "not_affected"))
    cold = build(catalog)
    (file,) = kept("reports")
    file.write_bytes(file.read_bytes().replace(b"CVE-2026-0001", b"CVE-2026-9999"))
    catalog.image("beta", "versions: ['1']", description="Read its report again")
    assert build(catalog).keys() == cold.keys()
    parsed.clear()
    build(catalog)
    assert len(parsed) == 3, "the file was removed"
    parsed.clear()
    build(catalog)
    assert parsed == []


@pytest.mark.parametrize("other", ["reports", "images", "pages"])
@pytest.mark.parametrize("kind", ["reports", "images", "pages"])
def test_a_file_in_another_place_is_not_used(catalog: SiteFolder, kind: str, other: str) -> None:
    cold = build(catalog)
    (file,), (whole,) = kept(kind), kept(other)
    elsewhere = file.with_name(f"{'0' * 32}.{kind}")
    elsewhere.write_bytes(whole.read_bytes())
    elsewhere.replace(file)
    assert build(catalog) == cold


@given(*[st.lists(st.sampled_from([b"", b"a", b"b", b"ab", b"\0"]), max_size=3)] * 2)
def test_only_the_same_parts_have_the_same_key(one: list[bytes], other: list[bytes]) -> None:
    """A hub's report and what belongs to it are not the report that both would be in one file."""
    assert (content_key(*one) == content_key(*other)) == (one == other)


def test_what_killed_builds_left_is_removed_after_a_day(catalog: SiteFolder) -> None:
    build(catalog)
    folder = kept()[0].parent
    for name, age in (("unfinished-old", 2), ("unfinished-new", 0)):
        (folder / name).write_text("half")
        os.utime(folder / name, (time.time() - age * 86400,) * 2)
    catalog.image("beta", "versions: ['1']", description="So that something is kept")
    build(catalog)
    assert not (folder / "unfinished-old").exists() and (folder / "unfinished-new").exists()


def test_deleting_it_does_no_harm(catalog: SiteFolder, parsed: list[bytes]) -> None:
    cold = build(catalog)
    for file in kept():
        file.unlink()
    kept_folder = Path(os.environ["XDG_CACHE_HOME"]) / "mkdocs-catalog-api"
    kept_folder.rmdir()
    parsed.clear()
    assert build(catalog) == cold
    assert len(parsed) == 3 and len(kept()) == 3


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


def test_a_user_without_a_home_gets_one_note(catalog: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    cold = build(catalog)

    def nobody(*_: object, **__: object) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("mkdocs_catalog_api.sources.cache.user_cache_path", nobody)
    result = CliRunner().invoke(main, ["build", "-f", str(catalog.folder / "mkdocs.yml")])
    assert result.exit_code == 0
    assert len([line for line in result.stderr.splitlines() if "there is no home folder" in line]) == 1
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
    (first,) = kept("reports")
    os.utime(first, (1, 1))
    monkeypatch.setattr(cache, "LIMIT", sum(path.stat().st_size for path in kept()) + 10)
    (catalog.folder / "scans").rename(catalog.folder / "others")
    catalog.settings["security"] = {"reports": "others"}
    _configure(catalog)
    cold = build(catalog)
    assert len(kept("reports")) == 1 and first not in kept()
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
    assert len(kept("reports")) == len(kept("images")) == 1
    for number in range(3):
        api = catalog.folder / f"site-{number}/api/v1"
        assert {path: (api / path).read_bytes() for path in cold} == cold
