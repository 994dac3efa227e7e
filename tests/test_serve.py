"""A real `mkdocs serve`, asked by a real HTTP client while the catalog breaks and mends."""

from __future__ import annotations

import datetime
import http.client
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from mkdocs_catalog_api.authored.kept import KEPT, Kept
from mkdocs_catalog_api.catalog.scans import Scan
from mkdocs_catalog_api.sources import assemble
from mkdocs_catalog_api.sources.reports import read_report, read_reports

from .servers import free_port
from .sites import REGISTRY, SiteFolder, digest, row, run, trivy
from .test_build import small

DEADLINE = 300.0
"""Seconds, for a machine that does much else; only one that is stuck takes as long."""
SERVE = """
import signal
from mkdocs.__main__ import cli

signal.signal(signal.SIGINT, signal.default_int_handler)
cli()
"""
"""MkDocs, which ends by Ctrl-C even if a shell runs the tests in the background, where that is ignored."""
OTHERS = ("openapi.json", "index.json", "llms.txt", "renovate")


def until(ask: Callable[[], object], what: str) -> None:
    """Wait for `ask` to be true."""
    end = time.monotonic() + DEADLINE
    while not ask():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.05)


@dataclass
class Server:
    """A running `mkdocs serve`."""

    port: int
    log: Path
    mount: str = "/catalog"

    def get(self, path: str) -> http.client.HTTPResponse:
        """The answer for a path below the site to another site; one that takes too long fails the test."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        connection.request("GET", f"{self.mount}/{path}", headers={"Origin": "https://elsewhere.example"})
        return connection.getresponse()

    def json(self, path: str) -> Any:
        """A document, None when there is none."""
        response = self.get(f"api/v1/{path}")
        return json.loads(response.read()) if response.status == 200 else None

    def slugs(self) -> list[str]:
        return [image["slug"] for image in (self.json("images.json") or {"data": []})["data"]]

    def logged(self, text: str) -> bool:
        return text in self.log.read_text("utf-8")


@contextmanager
def serving(site: SiteFolder, *arguments: str) -> Iterator[Server]:
    """Serve a site on a free port until the block ends, then see it end well."""
    port = free_port()
    site.config["dev_addr"] = f"127.0.0.1:{port}"
    site.write_config()
    log = site.folder.parent / f"{site.folder.name}.log"
    command = [sys.executable, "-c", SERVE, "serve", *arguments]
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=site.folder, stdout=output, stderr=subprocess.STDOUT)
    server = Server(port, log)
    try:
        until(lambda: server.logged("Serving on") or process.poll() is not None, "the server")
        assert process.poll() is None, log.read_text("utf-8")
        yield server
        process.send_signal(signal.SIGINT)
        assert process.wait(DEADLINE) == 0
    except AssertionError:
        print(log.read_text("utf-8"))
        raise
    finally:
        process.kill()
        process.wait()


def test_serve_lives_through_everything(site: SiteFolder) -> None:
    small(site)
    site.config |= {"strict": True, "site_url": "https://example.org/my café/"}
    built = site.mkdocs().bytes()
    # These have the address of the site in full, which is another one in a preview, or the hash of those.
    built = {path: built[path] for path in built if path.split("/")[0] not in OTHERS}
    with serving(site) as server:
        server.mount = "/my%20caf%C3%A9"
        headers = server.get("api/v1/images.json").headers
        assert (headers["Access-Control-Allow-Origin"], headers["Cache-Control"]) == ("*", "no-cache")
        assert {path: server.get(f"api/v1/{path}").read() for path in built} == built
        assert server.get("").headers["Access-Control-Allow-Origin"] is None
        assert server.get("api/v1/none.json").status == 404

        site.image("beta", "versions: [2.0]\ncategroy: Tools", tier="[")
        until(lambda: server.logged("docs/images/beta.md:"), "the problem in the log")
        until(lambda: server.logged("the last good API is kept"), "what becomes of the API")
        assert server.slugs() == ["alpha", "beta"]
        assert server.get("images/beta/").status == 200

        site.image("beta", "versions: [2.0, 2.1]")
        until(lambda: server.json("images/beta/index.json")["data"]["latest"] == "2.1", "the mended page")

        (site.folder / "docs/images/beta.md").unlink()
        site.page("charts/stack.md", "catalog: false")
        until(lambda: server.slugs() == ["alpha"], "the page to go")
        assert server.json("images/beta/index.json") is None

        site.settings["registri"] = REGISTRY
        site.write_config()
        until(lambda: server.logged("registri: unknown setting"), "the setting in the log")
        assert server.slugs() == ["alpha"]
        del site.settings["registri"]
        site.settings["updates"] = {"data": "checks.yml"}
        site.write("checks.yml", "- {app: alpha, from: 1.9, to: 1.10, outcome: held}\n")
        site.write_config()
        until(lambda: server.json("updates.json")["data"][0]["outcome"] == "held", "the mended settings")

        site.write("checks.yml", "- {app: alpha, from: 1.9, to: 1.10, outcome: skipped}\n")
        until(lambda: server.json("updates.json")["data"][0]["outcome"] == "skipped", "the new data file")
        site.report("alpha/1.9.json", trivy([row("CVE-2026-0009")], digest=f"{REGISTRY}/alpha@{digest(1)}"))
        until(lambda: server.json("security/alpha/1.9.json")["scanned"], "the new report")
        assert not server.logged("Traceback")
    assert [path.name for path in site.folder.iterdir() if path.name.startswith(".")] == []


def test_a_save_gives_the_bytes_of_a_fresh_build(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty files are edited, touched, renamed and removed; what stays the same is read once."""
    reads: list[bytes] = []

    def counted(data: bytes) -> list[Scan]:
        reads.append(data)
        return read_report(data)

    monkeypatch.setattr(read_reports, "read_report", counted)
    monkeypatch.setattr(KEPT, "keeps", False)

    def report(number: int, id_: str) -> None:
        site.report(f"i{number}/1.json", trivy([row(id_)], digest=f"{REGISTRY}/i{number}@{digest(number)}"))

    def page(number: int, description: str) -> None:
        versions = f"versions: [{{version: '1', digest: '{digest(number)}'}}, 0.9]"
        site.image(f"i{number}", versions, description=description)

    def data(outcome: str) -> None:
        site.write("updates.yml", f"- {{app: i1, from: 0.9, to: 1, outcome: {outcome}}}\n")
        site.write("roadmap.yml", f"- {{name: {outcome}, category: Tools}}\n")

    def written(command: Literal["build", "serve"]) -> dict[str, bytes]:
        result = run(site.write_config(), command=command, site_dir=str(site.folder / command))
        assert not (result.failed or result.logged(logging.ERROR))
        files = (path for path in (site.folder / command).rglob("*") if path.is_file())
        all_bytes = {path.relative_to(site.folder / command).as_posix(): path.read_bytes() for path in files}
        return {
            name: all_bytes[name] for name in all_bytes.keys() - {"api/v1/manifest.json", "sitemap.xml.gz"}
        }

    def changes() -> Iterator[None]:
        yield
        yield
        for number in range(3):
            page(number, "Other")
            file = site.folder / f"scans/i{number}/1.json"
            before = file.stat()
            report(number, "CVE-2026-0009")  # as long as before
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        data("held")
        yield
        for number in range(3, 6):
            os.utime(site.folder / f"docs/images/i{number}.md", (1.7e9, 1.7e9))
            os.utime(site.folder / f"scans/i{number}/1.json", (1.7e9, 1.7e9))
        yield
        with (site.folder / "docs/images/i9.md").open("a", encoding="utf-8") as prose:
            prose.write("\nA word about it.\n")
        yield
        (site.folder / "docs/images/i6.md").rename(site.folder / "docs/images/other.md")
        (site.folder / "scans/i7/1.json").replace(site.folder / "scans/i8/1.json")
        (site.folder / "scans/i6").rename(site.folder / "scans/other")
        yield
        for name in ("docs/images/i0.md", "scans/i1/1.json", "updates.yml"):
            (site.folder / name).unlink()
        yield

    for number in range(10):
        page(number, "One")
        report(number, "CVE-2026-0001")
    data("shipped")
    for path in (path for path in site.folder.rglob("*") if path.is_file()):
        os.utime(path, (1.6e9, 1.6e9))
    counts = []
    for _ in changes():
        served, count = written("serve"), len(reads)
        counts.append(count)
        assert served == written("build")
        reads.clear()
    assert counts == [10, 0, 3, 3, 0, 2, 0]


def test_a_scan_is_dated_in_the_future_until_its_time(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(KEPT, "keeps", False)
    site.image("web", "versions: ['1', '2']")
    site.report(
        "web/1.json", trivy([row("CVE-2026-0001")], tag=f"{REGISTRY}/web:1", created="2026-11-01T01:00:00Z")
    )
    site.report("web/2.json", trivy([], tag=f"{REGISTRY}/web:2", created="2026-11-01T02:00:00Z"))
    status = []
    for hour in (1, 3):
        moment = datetime.datetime(2026, 11, 1, hour, tzinfo=datetime.UTC)
        monkeypatch.setattr(assemble, "latest", lambda moment=moment: moment)
        result = run(site.write_config(), command="serve")
        status += [image["status"] for image in result.json("cves/CVE-2026-0001.json")["data"]]
    assert status == ["unknown", "fixed"]


def test_a_file_changed_just_now_is_read_again(tmp_path: Path) -> None:
    """Its next change could have the same size and time."""
    file, kept, reads = tmp_path / "file", Kept(), list[bytes]()
    file.write_bytes(b"content")
    kept.keeps = True
    for changed, count in ((time.time() + 60, 2), (1.6e9, 3)):
        os.utime(file, (changed, changed))
        for _ in range(2):
            kept.of_file(file, reads.append)
        assert len(reads) == count


@pytest.mark.slow
@pytest.mark.parametrize("argument", ["--strict", "--dirty", "--clean"])
def test_serve_starts_with_a_broken_catalog_and_builds_in_its_other_ways(
    site: SiteFolder, argument: str
) -> None:
    hook = "def on_page_markdown(markdown, page, **_):\n    page.meta['tier'] = 'from the hook'\n"
    small(site).write("hooks.py", hook)
    site.config["hooks"] = ["hooks.py"]
    if broken := argument != "--clean":  # which MkDocs builds as for publication
        site.image("gamma", "versions: 1")
    with serving(site, argument) as server:
        if broken:
            assert server.logged("no API is served until this is fixed")
            assert server.get("images/gamma/").status == 200
            assert server.get("api/v1/images.json").status == 404
        site.image("gamma", "versions: [1]")
        until(lambda: server.slugs() == ["alpha", "beta", "gamma"], "the mended page")
        assert {image["tier"] for image in server.json("images.json")["data"]} == {"from the hook"}
