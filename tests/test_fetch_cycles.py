"""`catalog-api fetch --eol`: release cycles for the products that pages name."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from urllib3.util import Retry

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.network.client import Limits

from .bad_server import BadServer, answer
from .sites import SiteFolder, built

NGINX = "advisories/endoflife/nginx.json"
RELEASE = {"name": "1.29", "codename": None, "isLts": False, "isEol": False, "eolFrom": "2027-04-01"}


def api(name: str = "nginx", releases: object = (RELEASE,), **more: object) -> bytes:
    """An answer as endoflife.date gives it: with more than what is kept."""
    links = {"icon": None, "html": f"https://endoflife.date/{name}"}
    result = {"name": name, "aliases": ["nginx-oss"], "label": name, "links": links, "releases": releases}
    return json.dumps({"schema_version": "1.2.0", "result": result | more}).encode()


@pytest.fixture
def mirror(site: SiteFolder) -> Iterator[BadServer]:
    site.image("web", "product: nginx\nversions: ['1.29.1']")
    site.write_config()
    with BadServer().running() as mirror:
        mirror.scripts["/eol/nginx/"] = lambda: [answer(api())]
        mirror.scripts["/eol/other/"] = lambda: [answer(b"", "404 Not Found")]
        yield mirror


def fetch(site: SiteFolder, mirror: BadServer, *options: str) -> Result:
    limits = Limits(retry=Retry(1, status_forcelist=(429, 503)), sleep=lambda _: None, silence=10, whole=10)
    arguments = ["fetch", "-f", str(site.folder / "mkdocs.yml"), "--eol", *options]
    return CliRunner().invoke(main, arguments, obj=limits, env={"CATALOG_API_EOL": f"{mirror.address}/eol/"})


def problems(result: Result) -> list[tuple[Any, ...]]:
    """Code, file, line and field of each problem that is printed as JSON."""
    keys = ("code", "file", "line", "field")
    return [tuple(map(problem.get, keys)) for problem in json.loads(result.stdout)["problems"]]


def test_cycles_come_for_a_page_whose_build_is_refused_without_them(
    site: SiteFolder, mirror: BadServer
) -> None:
    assert site.build().failed
    result = fetch(site, mirror)
    assert (result.exit_code, mirror.asked) == (0, ["/eol/nginx/"]), result.output
    assert "1 files of advisories fetched, 0 unchanged" in result.stdout
    assert json.loads((site.folder / NGINX).read_bytes()) == {
        "result": {
            "name": "nginx",
            "links": {"html": "https://endoflife.date/nginx"},
            "releases": [{"name": "1.29", "eolFrom": "2027-04-01", "isEol": False}],
        }
    }
    (version,) = built(site).json("images/web/index.json")["data"]["versions"]
    assert (version["line"], version["endOfLife"]) == ("1.29", "2027-04-01")


def test_a_page_that_is_incomplete_otherwise_gets_its_cycles(site: SiteFolder, mirror: BadServer) -> None:
    site.settings["images"] = {"map": {"product": "eol"}}
    site.write_config()
    site.page("images/web.md", "eol: [nginx]\nversions: registry")
    assert fetch(site, mirror).exit_code == 0
    assert (site.folder / NGINX).is_file()


def test_unchanged_content_is_not_written_again(site: SiteFolder, mirror: BadServer) -> None:
    fetch(site, mirror)
    file = site.folder / NGINX
    file.write_bytes(json.dumps(json.loads(file.read_bytes())).encode())  # other blanks, the same content
    os.utime(file, (1, 1))
    before = file.read_bytes()
    mirror.scripts["/eol/nginx/"] = lambda: [answer(api(label="Nginx!"))]
    assert "0 files of advisories fetched, 1 unchanged" in fetch(site, mirror).stdout
    assert (file.read_bytes(), file.stat().st_mtime) == (before, 1)


def test_a_product_that_is_not_there_is_named_with_its_page(site: SiteFolder, mirror: BadServer) -> None:
    site.image("app", "product: other")
    result = fetch(site, mirror, "--json")
    assert result.exit_code == 1
    assert problems(result) == [("CAT080", "docs/images/app.md", 5, "product")]
    assert "'other'" in json.loads(result.stdout)["problems"][0]["message"]
    assert (site.folder / NGINX).is_file(), "the other product is there"


def test_a_product_that_cannot_be_one_is_refused_unasked(site: SiteFolder, mirror: BadServer) -> None:
    site.image("app", "product: ../../secret")
    assert problems(fetch(site, mirror, "--json")) == [("CAT012", "docs/images/app.md", 5, "product")]
    assert mirror.asked == ["/eol/nginx/"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"<html>Just a moment</html>",
        b"[" * 100_000,
        api()[:-10],
        api(releases=[]),
        api(releases=[{"name": 1}]),
        api(releases=[{"name": "1", "eolFrom": "soon"}]),
        api("caddy", aliases=[]),
        api(label="x" * 5_000_000),
    ],
)
@pytest.mark.parametrize("earlier", [True, False])
def test_an_answer_that_cannot_be_used_overwrites_nothing(
    site: SiteFolder, mirror: BadServer, body: bytes, earlier: bool
) -> None:
    if earlier:
        fetch(site, mirror)
    file = site.folder / NGINX
    before = file.read_bytes() if earlier else None
    mirror.scripts["/eol/nginx/"] = lambda: [answer(body)]
    result = fetch(site, mirror, "--json")
    assert (result.exit_code, problems(result)) == (1, [("CAT080", NGINX, 0, "")])
    assert (file.read_bytes() if file.exists() else None) == before


def test_a_server_that_does_not_answer_is_named(site: SiteFolder, mirror: BadServer) -> None:
    mirror.scripts["/eol/nginx/"] = lambda: [answer(b"", "503 Service Unavailable")]
    assert problems(fetch(site, mirror, "--json")) == [("CAT080", NGINX, 0, "")]


def test_an_alias_is_the_product(site: SiteFolder, mirror: BadServer) -> None:
    site.image("web", "product: nginx-oss\nversions: ['1.29.1']")
    mirror.scripts["/eol/nginx-oss/"] = lambda: [answer(api())]
    assert fetch(site, mirror).exit_code == 0
    assert not site.build().failed


def test_nothing_is_written_through_a_link_out_of_the_project(
    site: SiteFolder, mirror: BadServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside: Path = tmp_path_factory.mktemp("outside")
    (site.folder / "advisories").mkdir()
    (site.folder / "advisories/endoflife").symlink_to(outside)
    result = fetch(site, mirror, "--json")
    assert (result.exit_code, problems(result)) == (1, [("CAT070", NGINX, 0, "")])
    assert [*outside.iterdir()] == []


def test_without_a_product_there_is_nothing_to_do(site: SiteFolder, mirror: BadServer) -> None:
    site.image("web")
    result = fetch(site, mirror)
    assert (result.exit_code, mirror.asked) == (0, []), result.output


def test_the_address_is_https_or_of_this_machine(site: SiteFolder, mirror: BadServer) -> None:
    options: Mapping[str, int] = {"http://example.org/eol": 2, "ftp://127.0.0.1/x": 2}
    for address, code in options.items():
        assert fetch(site, mirror, "--eol-url", address).exit_code == code
