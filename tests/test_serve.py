"""A real `mkdocs serve`, asked by a real HTTP client while the catalog breaks and mends."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .servers import free_port
from .sites import REGISTRY, SiteFolder, digest, row, trivy
from .test_build import small

DEADLINE = 60.0
OTHERS = ("openapi.json", "index.json", "llms.txt", "renovate")


def until(ask: Callable[[], object], what: str) -> None:
    """Wait for `ask` to be true; the deadline is for a machine that is stuck."""
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
    command = [sys.executable, "-m", "mkdocs", "serve", *arguments]
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
