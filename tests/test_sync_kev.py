"""`catalog-api sync kev` against servers that are right, and wrong in one way each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.network.client import Limits

from .bad_server import BadServer, answer, drops, endless
from .feeds_of_advisories import kev
from .sites import SiteFolder

ADDED = {f"CVE-2026-{at:04}": "2026-01-02" for at in range(20)}
KEV = "advisories/known_exploited_vulnerabilities.json"


@dataclass
class Bench:
    """A site without any chart, and a mirror of the file."""

    site: SiteFolder
    mirror: BadServer
    limits: dict[str, float] = field(default_factory=lambda: {"silence": 10.0, "whole": 10.0})

    def run(self, *options: str) -> Result:
        limits = Limits(retries=1, sleep=lambda _: None, **self.limits)  # type: ignore[arg-type]
        arguments = ["sync", "kev", "-f", str(self.site.folder / "mkdocs.yml"), *options]
        env = {"CATALOG_API_KEV": f"{self.mirror.address}/kev"}
        return CliRunner().invoke(main, arguments, obj=limits, env=env)

    def offer(self, *pieces: bytes) -> None:
        self.mirror.scripts["/kev"] = lambda: pieces

    def files(self) -> dict[str, bytes]:
        folder = self.site.folder / "advisories"
        return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def bench(site: SiteFolder) -> Iterator[Bench]:
    site.write_config()
    with BadServer().running() as mirror:
        bench = Bench(site, mirror)
        bench.offer(answer(kev(ADDED)))
        yield bench


def test_the_file_comes_to_its_place_as_it_is(bench: Bench) -> None:
    result = bench.run()
    assert (result.exit_code, result.stdout) == (0, f"{KEV}\n"), result.output
    assert "1 file changed, 0 unchanged; 1 request; no problems" in result.stderr
    assert bench.files() == {Path(KEV).name: kev(ADDED)}
    assert "User-Agent: mkdocs-catalog-api/" in bench.mirror.heads[0]
    assert "0 files changed, 1 unchanged" in bench.run().stderr
    summary = json.loads(bench.run("--json").stdout)["summary"]
    assert summary == {"changed": {}, "unchanged": 1, "requests": 1, "written": True}


def test_a_dry_run_writes_nothing(bench: Bench) -> None:
    result = bench.run("--dry-run")
    assert (result.exit_code, result.stdout, bench.files()) == (0, f"{KEV}\n", {})


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ([answer(b"")], "Input data was truncated"),
        ([answer(b"null")], "Expected `object`, got `null`"),
        ([answer(b"<html>Just a moment</html>")], "JSON is malformed"),
        ([answer(kev({}))], "vulnerabilities"),
        ([answer(kev(ADDED)[:-100])], "Input data was truncated"),
        ([answer(kev(ADDED))[:-100]], "no complete response"),
        ([b"HTTP/1.1 200 OK\r\n\r\n" + kev(ADDED)[:-100]], "Input data was truncated"),
        ([answer(kev(ADDED, count=1404))], "1,404, but the file has 20 entries"),
        ([answer(b"", "404 Not Found")], "the server responds with 404"),
        ([answer(b"", "403 Forbidden")], "the server responds with 403"),
        ([answer(b"", "429 Busy")], "the server responds with 429"),
        ([answer(b"", "302 Found", Location="http://127.0.0.2/kev")], "not requested (use https"),
        ([], "no complete response"),
    ],
)
def test_an_answer_that_is_broken_keeps_the_earlier_file(
    bench: Bench, pieces: list[bytes], words: str
) -> None:
    bench.run()
    before = bench.files()
    bench.offer(*pieces)
    result = bench.run()
    assert result.exit_code == 1
    assert words in result.stderr
    assert "the earlier file is kept" in result.stderr
    assert bench.files() == before


def test_without_an_earlier_file_there_is_none_after_a_broken_answer_either(bench: Bench) -> None:
    bench.offer(answer(kev(ADDED)[:-100]))
    result = bench.run()
    assert result.exit_code == 1
    assert "is kept" not in result.stderr
    assert bench.files() == {}


def test_a_broken_file_from_before_is_replaced(bench: Bench) -> None:
    bench.site.write(KEV, "<html>")
    assert bench.run().exit_code == 0
    assert (bench.site.folder / KEV).read_bytes() == kev(ADDED)


def test_an_answer_in_drops_or_without_an_end_keeps_the_earlier_file(bench: Bench) -> None:
    bench.run()
    before = bench.files()
    bench.limits = {"silence": 10, "whole": 0.3, "size": 10_000_000}
    bench.mirror.scripts["/kev"] = endless(b"HTTP/1.1 200 OK\r\n\r\n", b" " * 100_000)
    assert bench.run().exit_code == 1
    bench.mirror.pause = 0.01
    bench.mirror.scripts["/kev"] = drops(answer(kev(ADDED)))
    assert "no complete response" in bench.run().stderr
    assert bench.files() == before


def test_an_interruption_leaves_every_file_whole(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.run()
    before = bench.files()
    bench.offer(answer(kev(ADDED, day="2026-11-21")))
    write = Path.write_bytes

    def interrupted(path: Path, data: bytes) -> int:
        write(path, data[: len(data) // 2])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", interrupted)
        result = bench.run()
    assert result.exit_code == 1
    assert "interrupted (run the command again to continue)" in result.stderr
    assert bench.files() == before


@pytest.mark.parametrize(
    "address",
    ["http://example.org/kev", "ftp://example.org/", "https://a:b@example.org/", "http://[::1/", "x"],
)
def test_an_address_has_to_be_https(bench: Bench, address: str) -> None:
    bench.mirror.address = address
    assert bench.run().exit_code == 1
    assert (bench.mirror.asked, bench.files()) == ([], {})
