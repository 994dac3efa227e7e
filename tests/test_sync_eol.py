"""`catalog-api sync eol`: release cycles for the products that pages name."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.network.client import Limits

from . import feeds_of_advisories
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


def sync(site: SiteFolder, mirror: BadServer, *options: str) -> Result:
    limits = Limits(retries=1, silence=10, whole=10)
    arguments = ["sync", "eol", "-f", str(site.folder / "mkdocs.yml"), *options]
    return CliRunner().invoke(main, arguments, obj=limits, env={"CATALOG_API_EOL": f"{mirror.address}/eol/"})


def problems(result: Result) -> list[tuple[Any, ...]]:
    """Code, file, line and field of each problem that is printed as JSON."""
    keys = ("code", "file", "line", "field")
    return [tuple(map(problem.get, keys)) for problem in json.loads(result.stdout)["problems"]]


def test_cycles_come_for_a_page_whose_build_is_refused_without_them(
    site: SiteFolder, mirror: BadServer
) -> None:
    assert site.build().failed
    result = sync(site, mirror)
    assert (result.exit_code, mirror.asked) == (0, ["/eol/nginx/"]), result.output
    assert "1 file changed, 0 unchanged" in result.stderr
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
    assert sync(site, mirror).exit_code == 0
    assert (site.folder / NGINX).is_file()


def test_unchanged_content_is_not_written_again(site: SiteFolder, mirror: BadServer) -> None:
    sync(site, mirror)
    file = site.folder / NGINX
    os.utime(file, (1, 1))
    before = file.read_bytes()
    mirror.scripts["/eol/nginx/"] = lambda: [answer(api(label="Nginx!"))]
    assert "0 files changed, 1 unchanged" in sync(site, mirror).stderr
    assert (file.read_bytes(), file.stat().st_mtime) == (before, 1)


def test_a_product_that_is_not_there_is_named_with_its_page(site: SiteFolder, mirror: BadServer) -> None:
    site.image("app", "product: other")
    result = sync(site, mirror, "--json")
    assert result.exit_code == 1
    assert problems(result) == [("CAT080", "docs/images/app.md", 5, "product")]
    assert "'other'" in json.loads(result.stdout)["problems"][0]["message"]
    assert (site.folder / NGINX).is_file(), "the other product is there"


def test_a_product_that_cannot_be_one_is_refused_unasked(site: SiteFolder, mirror: BadServer) -> None:
    site.image("app", "product: ../../secret")
    assert problems(sync(site, mirror, "--json")) == [("CAT012", "docs/images/app.md", 5, "product")]
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
        sync(site, mirror)
    file = site.folder / NGINX
    before = file.read_bytes() if earlier else None
    mirror.scripts["/eol/nginx/"] = lambda: [answer(body)]
    result = sync(site, mirror, "--json")
    assert (result.exit_code, problems(result)) == (1, [("CAT080", NGINX, 0, "")])
    assert (file.read_bytes() if file.exists() else None) == before


def test_a_server_that_does_not_answer_is_named(site: SiteFolder, mirror: BadServer) -> None:
    mirror.scripts["/eol/nginx/"] = lambda: [answer(b"", "503 Service Unavailable")]
    assert problems(sync(site, mirror, "--json")) == [("CAT080", NGINX, 0, "")]


def test_an_alias_is_the_product(site: SiteFolder, mirror: BadServer) -> None:
    site.image("web", "product: nginx-oss\nversions: ['1.29.1']")
    mirror.scripts["/eol/nginx-oss/"] = lambda: [answer(api())]
    assert sync(site, mirror).exit_code == 0
    assert not site.build().failed


def test_nothing_is_written_through_a_link_out_of_the_project(
    site: SiteFolder, mirror: BadServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside: Path = tmp_path_factory.mktemp("outside")
    (site.folder / "advisories").mkdir()
    (site.folder / "advisories/endoflife").symlink_to(outside)
    result = sync(site, mirror, "--json")
    assert (result.exit_code, problems(result)) == (1, [("CAT070", NGINX, 0, "")])
    assert [*outside.iterdir()] == []


def test_without_a_product_there_is_nothing_to_do(site: SiteFolder, mirror: BadServer) -> None:
    site.image("web")
    result = sync(site, mirror)
    assert (result.exit_code, mirror.asked) == (0, []), result.output


@pytest.mark.parametrize("address", ["http://example.org/eol", "ftp://127.0.0.1/x"])
def test_the_address_is_https_or_of_this_machine(site: SiteFolder, mirror: BadServer, address: str) -> None:
    mirror.address = address
    assert problems(sync(site, mirror, "--json")) == [("CAT080", NGINX, 0, "")]
    assert mirror.asked == []


def test_sync_asks_for_all_that_the_catalog_names(site: SiteFolder, mirror: BadServer) -> None:
    site.image("web", "product: nginx")  # without versions, a registry is not asked
    config = str(site.folder / "mkdocs.yml")
    kev = site.folder / "advisories/known_exploited_vulnerabilities.json"
    env = {"CATALOG_API_EOL": f"{mirror.address}/eol", "CATALOG_API_KEV": f"{mirror.address}/kev"}
    mirror.scripts["/kev"] = lambda: [answer(feeds_of_advisories.kev({"CVE-2026-0001": "2026-01-02"}))]
    for arguments, asked in (
        ([], ["/eol/nginx/"]),
        (["kev"], ["/kev"]),
        ([], ["/kev", "/eol/nginx/"]),
        (["hub", "eol"], ["/eol/nginx/"]),
    ):
        mirror.asked.clear()
        result = CliRunner().invoke(main, ["sync", *arguments, "-f", config], env=env)
        assert (result.exit_code, mirror.asked) == (0, asked), result.output
    assert kev.is_file() and (site.folder / NGINX).is_file()
    assert CliRunner().invoke(main, ["sync", "epss", "-f", config]).exit_code == 2
