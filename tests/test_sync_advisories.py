"""`catalog-api sync kev` and `sync eol` against servers that are right, and wrong in one way each."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.sources.advisories import read_kev

from .fake_server import FakeServer, answer
from .feeds_of_advisories import kev
from .sites import SiteFolder, built
from .syncing import call, problems, sync

REAL = Path(__file__).parent / "advisories/known_exploited_vulnerabilities.json"
"""CISA's own file of 2025-08-25, in the public domain (CC0), cut to five of its 1,404 entries."""
ADDED = {f"CVE-2026-{at:04}": "2026-01-02" for at in range(20)}
KEV, NGINX = "advisories/known_exploited_vulnerabilities.json", "advisories/endoflife/nginx.json"
RELEASE = {"name": "1.29", "codename": None, "isLts": False, "isEol": False, "eolFrom": "2027-04-01"}


def cycles(name: str = "nginx", releases: object = (RELEASE,), **more: object) -> bytes:
    """An answer as endoflife.date gives it: with more than what is kept."""
    links = {"icon": None, "html": f"https://endoflife.date/{name}"}
    result = {"name": name, "aliases": ["nginx-oss"], "label": name, "links": links, "releases": releases}
    return json.dumps({"schema_version": "1.2.0", "result": result | more}).encode()


class Bench:
    """A site with a product, and a mirror of both services."""

    def __init__(self, site: SiteFolder, mirror: FakeServer) -> None:
        self.site, self.mirror = site, mirror
        site.image("web", "product: nginx\nversions: ['1.29.1']")
        self.offer("/kev", answer(kev(ADDED)))
        self.offer("/eol/nginx/", answer(cycles()))
        self.offer("/eol/other/", answer(b"", "404 Not Found"))

    def offer(self, path: str, *pieces: bytes) -> None:
        self.mirror.scripts[path] = lambda: pieces

    def run(self, *options: str, address: str = "", **limits: float) -> Result:
        base = address or self.mirror.address
        env = {"CATALOG_API_KEV": f"{base}/kev", "CATALOG_API_EOL": f"{base}/eol/"}
        return sync(self.site, *options, env=env, **limits)

    def files(self) -> dict[str, bytes]:
        folder = self.site.folder / "advisories"
        files = (path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(self.site.folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def bench(site: SiteFolder) -> Iterator[Bench]:
    with FakeServer().running() as mirror:
        yield Bench(site, mirror)


def test_the_list_comes_to_its_place_as_it_is(bench: Bench) -> None:
    printed = bench.run("kev", "--dry-run")
    assert (printed.exit_code, printed.stdout, bench.files()) == (0, f"{KEV}\n", {})
    result = bench.run("kev")
    assert (result.exit_code, result.stdout) == (0, f"{KEV}\n"), result.output
    assert "1 file changed, 0 unchanged; 1 request; no problems" in result.stderr
    assert bench.files() == {KEV: kev(ADDED)}
    assert "User-Agent: mkdocs-catalog-api/" in bench.mirror.heads[0]
    summary = json.loads(bench.run("kev", "--json").stdout)["summary"]
    assert summary == {"changed": {}, "unchanged": 1, "requests": 1, "written": True}


def test_cycles_come_for_a_page_whose_build_is_refused_without_them(bench: Bench) -> None:
    assert bench.site.build().failed
    result = bench.run("eol")
    assert (result.exit_code, bench.mirror.asked) == (0, ["/eol/nginx/"]), result.output
    assert "1 file changed, 0 unchanged" in result.stderr
    releases = [{"name": "1.29", "eolFrom": "2027-04-01", "isEol": False}]
    links = {"html": "https://endoflife.date/nginx"}
    kept = {"name": "nginx", "links": links, "releases": releases}
    assert json.loads(bench.files()[NGINX]) == {"result": kept}
    (version,) = built(bench.site).json("images/web/index.json")["data"]["versions"]
    assert (version["line"], version["endOfLife"]) == ("1.29", "2027-04-01")
    os.utime(bench.site.folder / NGINX, (1, 1))
    bench.offer("/eol/nginx/", answer(cycles(label="Nginx!")))  # not a part that is kept
    assert "0 files changed, 1 unchanged" in bench.run("eol").stderr
    assert (bench.site.folder / NGINX).stat().st_mtime == 1


def test_a_page_that_is_incomplete_otherwise_gets_its_cycles(bench: Bench) -> None:
    bench.site.settings["images"] = {"fields": {"tier": {"required": True}}}
    bench.site.page("images/web.md", "product: nginx-oss\nversions: registry")
    bench.offer("/eol/nginx-oss/", answer(cycles()))  # an alias is the product
    assert bench.run("eol").exit_code == 0
    assert [*bench.files()] == [NGINX.replace("nginx", "nginx-oss")]


CUT = answer(kev(ADDED))[:-100]
LIST = {
    "no list": (b"", "ends too early"),
    "no JSON": (b"<html>Just a moment</html>", "not valid JSON"),
    "no key": (b"{}", "`count` is missing"),
    "an empty list": (kev({}), ": vulnerabilities: "),
    "an id in lower case": (kev({"cve-2026-1": "2026-01-02"}), "vulnerabilities[0].cveID: "),
    "no day": (kev({"CVE-2026-0001": "2026-02-30"}), "vulnerabilities[0].dateAdded: "),
    "another count": (kev(ADDED, count=1404), "1,404, but the file has 20 entries"),
}
"""Files that are none."""
BROKEN = {
    **{name: ("kev", [answer(body)], words) for name, (body, words) in LIST.items()},
    "half an answer": ("kev", [CUT], "no complete response"),
    "without a length": ("kev", [b"HTTP/1.1 200 OK\r\n\r\n" + CUT[-99:]], "not valid JSON"),
    "deep": ("eol", [answer(b"[" * 100_000)], "invalid response"),
    "none": ("eol", [answer(cycles(releases=[]))], "invalid response"),
    "another product": ("eol", [answer(cycles("caddy", aliases=[]))], "it belongs to 'caddy'"),
    "huge": ("eol", [answer(cycles(label="x" * 5_000_000))], "larger than"),
    "an error": ("eol", [answer(b"", "503 Service Unavailable")], "the server responds with 503"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_an_answer_that_is_broken_keeps_the_earlier_file(bench: Bench, name: str) -> None:
    source, pieces, words = BROKEN[name]
    path, file = {"kev": ("/kev", KEV), "eol": ("/eol/nginx/", NGINX)}[source]
    bench.offer(path, *pieces)
    for earlier in ({}, {file: b"{}"}):
        for name, body in earlier.items():
            bench.site.write(name, body)
        result = bench.run(source, retries=0)
        assert result.exit_code == 1
        (line,) = [line for line in result.stderr.splitlines() if line.startswith(f"error: {file}: ")]
        assert words in line and "[CAT080]" in line
        assert ("the earlier file is kept" in line) == bool(earlier)
        assert bench.files() == earlier


def test_a_list_that_lost_many_entries_is_not_taken(bench: Bench) -> None:
    bench.site.write(KEV, "<html>")  # which is replaced
    bench.run("kev")
    for count, taken in ((17, False), (18, True)):
        bench.offer("/kev", answer(kev(dict([*ADDED.items()][:count]))))
        result = bench.run("kev", "--json")
        assert problems(result) == ([] if taken else [("CAT080", KEV, 0, "")])
        assert (bench.files() == {KEV: kev(ADDED)}) != taken


def test_products_that_are_not_there_are_named_with_their_pages(bench: Bench) -> None:
    bench.site.image("app", "product: other")
    bench.site.image("bad", "product: ../../secret")
    result = bench.run("eol", "--json")
    assert result.exit_code == 1
    assert sorted(problems(result)) == [
        ("CAT012", "docs/images/bad.md", 5, "product"),
        ("CAT080", "docs/images/app.md", 5, "product"),
    ]
    assert "'other'" in result.stdout
    assert bench.mirror.asked == ["/eol/nginx/", "/eol/other/"]
    assert [*bench.files()] == [NGINX], "the other product is there"


def test_an_address_has_to_be_https_or_of_this_machine(bench: Bench) -> None:
    for address in ("http://example.org", "ftp://127.0.0.1", "https://a:b@example.org", "http://[::1", "x"):
        result = bench.run("kev", "eol", "--json", address=address)
        assert {*problems(result)} == {("CAT080", KEV, 0, ""), ("CAT080", NGINX, 0, "")}
    assert bench.files() == {}


def test_sync_asks_for_all_that_the_catalog_names(bench: Bench) -> None:
    bench.site.image("web", "product: nginx")  # without versions, a registry is not asked
    both = ["/eol/nginx/", "/kev"]
    for sources, asked in (([], both[:1]), (["kev"], both[1:]), ([], both), (["hub", "eol"], both[:1])):
        bench.mirror.asked.clear()
        result = bench.run(*sources)
        assert (result.exit_code, bench.mirror.asked) == (0, asked), result.output
    bench.site.image("web")
    bench.mirror.asked.clear()
    assert (bench.run("eol").exit_code, bench.mirror.asked) == (0, []), "no page has a product"
    assert call(bench.site, "sync", "epss").exit_code == 2


def test_the_real_list_is_read() -> None:
    found = read_kev(REAL.read_bytes())
    assert (len(found), found["CVE-2025-48384"], found["CVE-2021-44228"]) == (5, "2025-08-25", "2021-12-10")


def test_of_an_id_that_is_listed_twice_the_first_day_counts() -> None:
    catalog = json.loads(kev({"CVE-2026-0001": "2026-01-02"}))
    catalog["vulnerabilities"].append({"cveID": "CVE-2026-0001", "dateAdded": "2025-01-01"})
    catalog["count"] = 2
    assert read_kev(json.dumps(catalog).encode()) == {"CVE-2026-0001": "2025-01-01"}


@given(st.binary() | st.binary().map(lambda tail: kev(ADDED)[:-5] + tail))
def test_any_bytes_are_a_list_or_an_error(data: bytes) -> None:
    with suppress(ValueError, RecursionError):
        read_kev(data)
