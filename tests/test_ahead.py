"""A build that begins while MkDocs reads the pages: the same in the end, and gone where it was not right."""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import suppress
from multiprocessing import Event
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mkdocs_catalog_api import ahead, engine, plugin
from mkdocs_catalog_api.publish import Staging

from .sites import REGISTRY, Result, SiteFolder, row, trivy

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems work in one process")


@pytest.fixture
def large(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> SiteFolder:
    """As many pages as it takes, on a machine with two processors."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795000000")
    monkeypatch.setattr(ahead, "processes", lambda: 2)
    monkeypatch.setattr(ahead, "_LEAST", 10)
    site.write("docs/index.md", "# Home\n")
    for number in range(10):
        slug = f"app-{number:02}"
        site.image(slug, "versions: ['1']")
        site.report(f"{slug}/1.json", trivy([row(f"CVE-2026-{number:04}")], tag=f"{REGISTRY}/{slug}:1"))
    return site


@pytest.fixture
def made_here(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The builds that this process has made itself."""
    made: list[str] = []

    def prepare(*given: Any, **named: Any) -> engine.Build:
        made.append("build")
        return engine.prepare(*given, **named)

    monkeypatch.setattr(plugin, "prepare", prepare)
    return made


def without(site: SiteFolder) -> Result:
    """The same build with nothing begun."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ahead, "processes", lambda: 1)
        return site.build()


def left(site: SiteFolder) -> list[Path]:
    """Staging folders that are still there."""
    return list(site.folder.glob(".site-catalog-api-*"))


def no_children() -> bool:
    """Whether this process has no child, running or dead; Python's own tracker of semaphores aside."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # ended meanwhile
            parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == os.getpid() and b"resource_tracker" not in (process / "cmdline").read_bytes():
                return False
    return True


def pages(result: Result) -> dict[str, str]:
    return {str(path): path.read_text() for path in sorted((result.folder / "site").rglob("index.html"))}


def hook(site: SiteFolder, code: str) -> None:
    """A hook of the site's own."""
    site.write("hook.py", code)
    site.config["hooks"] = ["hook.py"]


def test_it_publishes_the_same(large: SiteFolder, made_here: list[str]) -> None:
    begun = large.build()
    documents, html = begun.bytes(), pages(begun)
    assert not begun.failed and made_here == []
    alone = without(large)
    assert made_here == ["build"]
    assert alone.bytes() == documents and pages(alone) == html
    assert begun.logged() == alone.logged()
    assert "CVE-2026-0007" in html[str(large.folder / "site/images/app-07/index.html")]


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("page.meta['license'] = 'Apache-2.0'", id="front matter"),
        pytest.param("markdown = markdown + '\\n\\nMore.'", id="text"),
        pytest.param("page.meta.pop('tier', None); page.meta['tier'] = 'core'", id="order"),
    ],
)
@pytest.mark.parametrize("slug", ["app-00", "app-09"])
def test_what_a_plugin_changes_counts(large: SiteFolder, made_here: list[str], code: str, slug: str) -> None:
    hook(
        large,
        f"""
        def on_page_markdown(markdown, page, **_):
            if page.file.src_uri == "images/{slug}.md":
                {code}
            return markdown
        """,
    )
    found = large.build()
    assert not found.failed and made_here == ["build"]
    documents = found.bytes()
    assert documents == without(large).bytes()
    assert left(large) == [] and no_children()


def test_a_page_that_comes_later_counts(large: SiteFolder, made_here: list[str]) -> None:
    hook(
        large,
        """
        from mkdocs.plugins import event_priority
        from mkdocs.structure.files import File

        @event_priority(-1000)
        def on_files(files, config):
            text = "---\\ncategory: Tools\\ntier: core\\nlicense: MIT\\n---\\n\\n# Late\\n"
            files.append(File.generated(config, "images/late.md", content=text))
            return files
        """,
    )
    found = large.build()
    assert not found.failed and made_here == ["build"]
    assert found.json("images/late/index.json")["data"]["name"] == "Late"
    assert left(large) == [] and no_children()


LATE = {
    "a page on disk": ("docs/images/app-03.md", "tier: core", "tier: other"),
    "a report": ("scans/app-03/1.json", "CVE-2026-0003", "CVE-2026-1234"),
    "a data file": ("updates.yml", "1.1", "1.2"),
    "a statement": ("vex/one.json", "not_affected", "affected"),
}


@pytest.mark.parametrize(("file", "old", "new"), LATE.values(), ids=LATE)
@pytest.mark.parametrize("processors", [1, 2])
def test_what_changes_before_mkdocs_reads_it_counts(
    large: SiteFolder, monkeypatch: pytest.MonkeyPatch, file: str, old: str, new: str, processors: int
) -> None:
    monkeypatch.setattr(ahead, "processes", lambda: processors)
    large.write("updates.yml", "- {application: app-03, from: '1', to: '1.1', outcome: shipped}\n")
    said = {
        "status": "not_affected",
        "justification": "component_not_present",
        "vulnerability": {"name": "CVE-2026-0004"},
        "products": [{"@id": f"{REGISTRY}/app-04:1"}],
    }
    document: dict[str, Any] = {"@context": "https://openvex.dev/ns/v0.2.0", "@id": "https://example.org/1"}
    document |= {"timestamp": "2026-02-01T00:00:00Z", "statements": [said]}
    large.write("vex/one.json", json.dumps(document))
    hook(
        large,
        f"""
        from pathlib import Path
        import plan

        def on_nav(nav, config, **_):
            plan.wait()
            path = Path(config.config_file_path).parent / {file!r}
            path.write_text(path.read_text().replace({old!r}, {new!r}))
        """,
    )
    begun = Event()
    plan = ModuleType("plan")
    vars(plan)["wait"] = lambda: processors == 1 or begun.wait(60)
    monkeypatch.setitem(sys.modules, "plan", plan)

    def prepare(*given: Any, **named: Any) -> engine.Build:
        build = engine.prepare(*given, **named)
        begun.set()
        return build

    monkeypatch.setattr(ahead, "prepare", prepare)
    found = large.build()
    assert not found.failed, found.records
    large.config.pop("hooks")
    assert found.bytes() == without(large).bytes()
    assert left(large) == [] and no_children()


def test_a_refused_catalog_is_told_as_ever(large: SiteFolder) -> None:
    large.image("app-03", "versions: ['1', '1']", tier="1.5")
    (large.folder / "scans/app-09/1.json").write_text("{")
    begun = large.build()
    assert begun.failed and left(large) == [] and no_children()
    assert begun.logged() == without(large).logged()
    assert any("images/app-03.md" in line for line in begun.logged())


@pytest.mark.parametrize("event", ["on_nav(nav, **_)", "on_page_markdown(markdown, **_)", "on_env(env, **_)"])
def test_nothing_is_left_when_the_build_fails_elsewhere(large: SiteFolder, event: str) -> None:
    hook(
        large,
        f"""
        from mkdocs.exceptions import BuildError

        def {event}:
            raise BuildError("elsewhere")
        """,
    )
    found = large.build()
    assert found.failed and "elsewhere" in found.logged()
    assert left(large) == [] and no_children()


@pytest.mark.parametrize("code", ["signal.signal(signal.SIGCHLD, signal.SIG_IGN)", "os.waitpid(-1, 0)"])
def test_others_may_wait_for_it(large: SiteFolder, made_here: list[str], code: str) -> None:
    hook(large, f"import os, signal\n\ndef on_nav(nav, **_):\n    {code}\n")
    before = signal.getsignal(signal.SIGCHLD)
    try:
        found = large.build()
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert not found.failed and made_here == []
    assert left(large) == [] and no_children()


@pytest.mark.parametrize("name", ["os.fork", "os.pipe", "tempfile.TemporaryFile"])
def test_where_it_cannot_begin_the_build_goes_on(large: SiteFolder, made_here: list[str], name: str) -> None:
    def refuse() -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"mkdocs_catalog_api.ahead.{name}", refuse)
        found = large.build()
    assert not found.failed and made_here == ["build"]
    assert left(large) == [] and no_children()


def test_an_interrupt_while_it_is_waited_for_ends_it(
    large: SiteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = os.getpid()

    def prepare(*_: Any, **__: Any) -> None:
        while True:
            os.kill(here, signal.SIGINT)
            signal.sigtimedwait([signal.SIGUSR1], 0.05)

    monkeypatch.setattr(ahead, "prepare", prepare)
    hook(
        large,
        """
        import signal
        from mkdocs.plugins import event_priority

        @event_priority(100)
        def on_env(env, **_):
            signal.signal(signal.SIGINT, signal.default_int_handler)
        """,
    )
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(KeyboardInterrupt):
            large.build()
    finally:
        signal.signal(signal.SIGINT, before)
    assert left(large) == [] and no_children()


def test_what_a_killed_process_has_forked_leaves_nothing(
    large: SiteFolder, made_here: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepare(*_: Any, staging: Staging, **__: Any) -> None:
        begun, beginning = os.pipe()
        if os.fork() == 0:  # a worker that goes on writing
            os.write(beginning, b".")
            number = 0
            while True:
                number += 1
                with suppress(FileNotFoundError):
                    (staging.documents / str(number)).touch()
        os.read(begun, 1)
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(ahead, "prepare", prepare)
    assert not large.build().failed and made_here == ["build"]
    assert left(large) == [] and no_children()


def test_ctrl_c_is_for_who_began_it(large: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    told = large.folder / "told"

    def prepare(*_: Any, **__: Any) -> None:
        told.write_text(str(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])))

    monkeypatch.setattr(ahead, "prepare", prepare)
    assert not large.build().failed
    assert told.read_text() == "True"
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_what_is_not_wanted_any_more_may_tidy_up(large: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the cache does, which has a file that is not whole yet."""
    begun, untidy = large.folder / "begun", large.folder / "untidy"

    def prepare(*_: Any, **__: Any) -> None:
        untidy.touch()
        try:
            begun.touch()
            signal.pause()
        finally:
            untidy.unlink()

    monkeypatch.setattr(ahead, "prepare", prepare)
    hook(
        large,
        """
        from pathlib import Path

        def on_nav(nav, config, **_):
            while not (Path(config.config_file_path).parent / "begun").exists():
                pass
            raise SystemExit("enough")
        """,
    )
    with pytest.raises(SystemExit, match="enough"):
        large.build()
    assert not untidy.exists() and left(large) == [] and no_children()


def test_it_holds_nothing_of_other_plugins_open(large: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits for the end of a pipe, as a program does that a hook talks to, would wait for the build."""
    monkeypatch.setattr(ahead, "prepare", lambda *_, **__: signal.pause())
    hook(
        large,
        """
        import os
        from mkdocs.plugins import event_priority

        def on_config(config):
            config.extra["pipe"] = os.pipe()

        def on_nav(nav, config, **_):
            end, pipe = config.extra["pipe"]
            os.close(pipe)
            assert os.read(end, 1) == b""
            os.close(end)
            raise SystemExit("fine")
        """,
    )
    with pytest.raises(SystemExit, match="fine"):
        large.build()
    assert left(large) == [] and no_children()


def test_a_process_that_is_killed_is_no_loss(large: SiteFolder, made_here: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ahead, "prepare", lambda *_, **__: os._exit(3))
        found = large.build()
    assert not found.failed and made_here == ["build"]
    assert left(large) == [] and no_children()
    assert found.bytes() == without(large).bytes()


def test_a_small_site_is_built_by_one_process(
    site: SiteFolder, made_here: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "processes", lambda: 2)
    site.image("alpha", "versions: ['1']")
    assert not site.build().failed
    assert made_here == ["build"]
