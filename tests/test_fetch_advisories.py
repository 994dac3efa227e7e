"""`catalog-api fetch --kev` against servers that are right, and wrong in one way each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from urllib3.util import Retry

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.network.client import Limits

from .bad_server import BadServer, answer, drops, endless
from .feeds_of_advisories import kev
from .sites import SiteFolder

ADDED = {f"CVE-2026-{at:04}": "2026-01-02" for at in range(20)}
KEV = "advisories/known_exploited_vulnerabilities.json"


@dataclass
class Bench:
    """A site without any chart, and a mirror."""

    site: SiteFolder
    mirror: BadServer
    limits: dict[str, float] = field(default_factory=lambda: {"silence": 10.0, "whole": 10.0})

    def run(self, *options: str) -> Result:
        limits = Limits(retry=Retry(1, status_forcelist=(429, 503)), sleep=lambda _: None, **self.limits)  # type: ignore[arg-type]
        env = {"CATALOG_API_KEV": f"{self.mirror.address}/kev"}
        arguments = ["fetch", "-f", str(self.site.folder / "mkdocs.yml"), *(options or ("--kev",))]
        return CliRunner().invoke(main, arguments, obj=limits, env=env)

    def offer(self, path: str, *pieces: bytes) -> None:
        self.mirror.scripts[path] = lambda: pieces

    def files(self) -> dict[str, bytes]:
        folder = self.site.folder / "advisories"
        return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def bench(site: SiteFolder) -> Iterator[Bench]:
    site.write_config()
    with BadServer().running() as mirror:
        bench = Bench(site, mirror)
        bench.offer("/kev", answer(kev(ADDED), ETag='"kev-1"'))
        yield bench


def test_the_file_comes_to_its_place_as_it_is(bench: Bench) -> None:
    result = bench.run()
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    assert "1 files of advisories fetched, 0 unchanged" in result.stdout
    assert (bench.site.folder / KEV).read_bytes() == kev(ADDED)
    assert "User-Agent: mkdocs-catalog-api/" in bench.mirror.heads[0]


def test_what_has_not_changed_is_not_sent_again(bench: Bench) -> None:
    bench.run()
    before = bench.files()
    bench.offer("/kev", answer(b"", "304 Not Modified"))
    result = bench.run()
    assert result.exit_code == 0, result.output
    assert "0 files of advisories fetched, 1 unchanged" in result.stdout
    assert 'If-None-Match: "kev-1"' in bench.mirror.heads[-1]
    assert bench.files() == before


def test_a_file_that_somebody_changed_is_asked_for_as_a_whole(bench: Bench) -> None:
    bench.run()
    (bench.site.folder / KEV).write_bytes(kev({"CVE-2026-0001": "2026-01-02"}))
    assert "1 files of advisories fetched, 0 unchanged" in bench.run().stdout
    assert not any("If-" in head for head in bench.mirror.heads[-1:])
    assert (bench.site.folder / KEV).read_bytes() == kev(ADDED)


def test_json_counts_the_files(bench: Bench) -> None:
    told = json.loads(bench.run("--kev", "--json").stdout)
    assert told["summary"]["advisories"] == {"fetched": 1, "unchanged": 0}


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ([answer(b"")], "the file is empty"),
        ([answer(b"null")], "not a catalog of exploited vulnerabilities"),
        ([answer(b"<html>Just a moment</html>")], "not a catalog of exploited vulnerabilities"),
        ([answer(kev({}))], "vulnerabilities"),
        ([answer(kev(ADDED)[:-100])], "the file is cut off"),
        ([answer(kev(ADDED))[:-100]], "no complete response"),
        ([b"HTTP/1.1 200 OK\r\n\r\n" + kev(ADDED)[:-100]], "the file is cut off"),
        ([answer(kev(ADDED, count=1404))], "1,404, but the file has 20 entries"),
        ([answer(kev(dict(list(ADDED.items())[:9])))], "has 9 entries, but the earlier file has 20"),
        ([answer(b"", "404 Not Found")], "not found (404)"),
        ([answer(b"", "403 Forbidden")], "the server responds with 403"),
        ([answer(b"", "429 Busy")], "the server responds with 429, also after 1 retries"),
        ([answer(b"", "302 Found", Location="http://127.0.0.2/kev")], "redirects to"),
        ([], "no complete response"),
    ],
)
def test_an_answer_that_is_broken_keeps_the_earlier_file(
    bench: Bench, pieces: list[bytes], words: str
) -> None:
    bench.site.settings["security"] = {"max_report_size": "1MB"}
    bench.site.write_config()
    bench.run()
    before = bench.files()
    bench.offer("/kev", *pieces)
    result = bench.run()
    assert result.exit_code == 1
    assert words in result.stderr
    assert "the earlier file is kept" in result.stderr
    assert "0 files of advisories fetched, 0 unchanged" in result.stdout
    assert bench.files() == before


def test_without_an_earlier_file_there_is_none_after_a_broken_answer_either(bench: Bench) -> None:
    bench.offer("/kev", answer(kev(ADDED)[:-100]))
    result = bench.run("--kev")
    assert result.exit_code == 1
    assert "is kept" not in result.stderr
    assert bench.files() == {}


def test_an_older_answer_does_not_replace_a_newer_one(bench: Bench) -> None:
    bench.run()
    before = bench.files()
    bench.offer("/kev", answer(kev(ADDED, day="2026-11-19")))
    result = bench.run()
    assert result.exit_code == 0
    assert result.stderr.count("has an older file, of 2026-11-19 (the earlier file is kept)") == 1
    assert bench.files() == before


def test_a_broken_file_from_before_is_replaced(bench: Bench) -> None:
    bench.site.write(KEV, "<html>")
    assert bench.run("--kev").exit_code == 0
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
    bench.offer("/kev", answer(kev(ADDED, day="2026-11-21")))
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
    "address", ["http://example.org/kev.json", "ftp://example.org/", "https://a:b@example.org/", "kev.json"]
)
def test_an_address_has_to_be_https(bench: Bench, address: str) -> None:
    assert bench.run("--kev", "--kev-url", address).exit_code == 2
    assert bench.mirror.asked == []
