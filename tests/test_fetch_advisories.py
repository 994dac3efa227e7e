"""`catalog-api fetch --kev --epss` against servers that are right, and wrong in one way each."""

from __future__ import annotations

import gzip
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
from .feeds_of_advisories import epss, kev, many, packed
from .sites import SiteFolder

ADDED = {f"CVE-2026-{at:04}": "2026-01-02" for at in range(20)}
KEV, EPSS = "advisories/known_exploited_vulnerabilities.json", "advisories/epss_scores.csv.gz"


@dataclass
class Bench:
    """A site without any chart, and a mirror of both files."""

    site: SiteFolder
    mirror: BadServer
    limits: dict[str, float] = field(default_factory=lambda: {"silence": 10.0, "whole": 10.0})

    def run(self, *options: str) -> Result:
        limits = Limits(retry=Retry(1, status_forcelist=(429, 503)), sleep=lambda _: None, **self.limits)  # type: ignore[arg-type]
        env = {
            "CATALOG_API_KEV": f"{self.mirror.address}/kev",
            "CATALOG_API_EPSS": f"{self.mirror.address}/epss",
        }
        arguments = ["fetch", "-f", str(self.site.folder / "mkdocs.yml"), *(options or ("--kev", "--epss"))]
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
        bench.offer("/epss", answer(packed(many(20)), Last_Modified="Fri, 20 Nov 2026 13:00:00 GMT"))
        yield bench


def test_both_files_come_to_their_places_as_they_are(bench: Bench) -> None:
    result = bench.run()
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    assert "2 files of advisories fetched, 0 unchanged" in result.stdout
    assert (bench.site.folder / KEV).read_bytes() == kev(ADDED)
    assert (bench.site.folder / EPSS).read_bytes() == packed(many(20))
    assert "User-Agent: mkdocs-catalog-api/" in bench.mirror.heads[0]


def test_each_comes_when_it_is_asked_for(bench: Bench) -> None:
    assert bench.run("--epss").exit_code == 0
    assert bench.mirror.asked == ["/epss"]


def test_settings_say_where_they_go(bench: Bench) -> None:
    bench.site.settings["security"] = {"kev": "data/kev.json", "epss": "data/epss.csv.gz"}
    bench.site.write_config()
    assert bench.run().exit_code == 0
    assert (bench.site.folder / "data/kev.json").is_file()
    assert (bench.site.folder / "data/epss.csv.gz").is_file()


def test_what_has_not_changed_is_not_sent_again(bench: Bench) -> None:
    bench.run()
    before = bench.files()
    for path in ("/kev", "/epss"):
        bench.offer(path, answer(b"", "304 Not Modified"))
    result = bench.run()
    assert result.exit_code == 0, result.output
    assert "0 files of advisories fetched, 2 unchanged" in result.stdout
    assert 'If-None-Match: "kev-1"' in bench.mirror.heads[-2]
    assert "If-Modified-Since: Fri, 20 Nov 2026 13:00:00 GMT" in bench.mirror.heads[-1]
    assert bench.files() == before


def test_a_file_that_somebody_changed_is_asked_for_as_a_whole(bench: Bench) -> None:
    bench.run()
    (bench.site.folder / KEV).write_bytes(kev({"CVE-2026-0001": "2026-01-02"}))
    assert "1 files of advisories fetched, 1 unchanged" in bench.run().stdout
    assert not any("If-" in head for head in bench.mirror.heads[-2:-1])
    assert (bench.site.folder / KEV).read_bytes() == kev(ADDED)


def test_json_counts_the_files(bench: Bench) -> None:
    told = json.loads(bench.run("--kev", "--json").stdout)
    assert told["summary"]["advisories"] == {"fetched": 1, "unchanged": 0}


BOMB = gzip.compress(epss(many(1)) + b"CVE-2026-0001,0.1,0.2\n" * 500_000)


@pytest.mark.parametrize(
    ("path", "pieces", "words"),
    [
        ("/kev", [answer(b"")], "the file is empty"),
        ("/kev", [answer(b"null")], "not a catalog of exploited vulnerabilities"),
        ("/kev", [answer(b"<html>Just a moment</html>")], "not a catalog of exploited vulnerabilities"),
        ("/kev", [answer(kev({}))], "vulnerabilities"),
        ("/kev", [answer(kev(ADDED)[:-100])], "the file is cut off"),
        ("/kev", [answer(kev(ADDED))[:-100]], "no complete response"),
        ("/kev", [b"HTTP/1.1 200 OK\r\n\r\n" + kev(ADDED)[:-100]], "the file is cut off"),
        ("/kev", [answer(kev(ADDED, count=1404))], "1,404, but the file has 20 entries"),
        ("/kev", [answer(kev(dict(list(ADDED.items())[:9])))], "has 9 entries, but the earlier file has 20"),
        ("/kev", [answer(b"", "404 Not Found")], "not found (404)"),
        ("/kev", [answer(b"", "403 Forbidden")], "the server responds with 403"),
        ("/kev", [answer(b"", "429 Busy")], "the server responds with 429, also after 1 retries"),
        ("/kev", [answer(b"", "302 Found", Location="http://127.0.0.2/kev")], "redirects to"),
        ("/kev", [], "no complete response"),
        ("/epss", [answer(packed(many(20))[:-9])], "the compressed file is cut off or damaged"),
        ("/epss", [answer(epss(many(20))[:-7])], "this row is not a CVE id"),
        ("/epss", [answer(epss(many(10)))], "has 10 entries, but the earlier file has 20"),
        ("/epss", [answer(b"<html>")], "not an EPSS file"),
        ("/epss", [answer(BOMB)], "larger than 1,000,000 bytes"),
        ("/epss", [answer(gzip.compress(bytes(10**7), mtime=0), Content_Encoding="gzip")], "larger than"),
    ],
)
def test_an_answer_that_is_broken_keeps_the_earlier_file(
    bench: Bench, path: str, pieces: list[bytes], words: str
) -> None:
    bench.site.settings["security"] = {"max_report_size": "1MB"}
    bench.site.write_config()
    bench.run()
    before = bench.files()
    bench.offer(path, *pieces)
    result = bench.run()
    assert result.exit_code == 1
    assert words in result.stderr
    assert "the earlier file is kept" in result.stderr
    assert "0 files of advisories fetched, 1 unchanged" in result.stdout
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
    bench.offer("/epss", answer(packed(many(20), day="2026-11-19")))
    result = bench.run()
    assert result.exit_code == 0
    assert result.stderr.count("has an older file, of 2026-11-19 (the earlier file is kept)") == 2
    assert bench.files() == before


def test_a_broken_file_from_before_is_replaced(bench: Bench) -> None:
    bench.site.write(KEV, "<html>")
    assert bench.run("--kev").exit_code == 0
    assert (bench.site.folder / KEV).read_bytes() == kev(ADDED)


@pytest.mark.parametrize("path", ["/kev", "/epss"])
def test_an_answer_in_drops_or_without_an_end_keeps_the_earlier_file(bench: Bench, path: str) -> None:
    bench.run()
    before = bench.files()
    bench.limits = {"silence": 10, "whole": 0.3, "size": 10_000_000}
    bench.mirror.scripts[path] = endless(b"HTTP/1.1 200 OK\r\n\r\n", b" " * 100_000)
    assert bench.run().exit_code == 1
    bench.mirror.pause = 0.01
    bench.mirror.scripts[path] = drops(answer(kev(ADDED)))
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
    for option in ("--kev-url", "--epss-url"):
        assert bench.run("--kev", option, address).exit_code == 2
    assert bench.mirror.asked == []


def test_a_mirror_that_is_down_does_not_keep_the_other_file_away(bench: Bench) -> None:
    bench.offer("/kev", answer(b"", "503 Busy"))
    result = bench.run()
    assert result.exit_code == 1
    assert [*bench.files()] == ["epss_scores.csv.gz", "epss_scores.csv.gz.etag"]
