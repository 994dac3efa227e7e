"""The header files of hosts: written where the author has none."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from mkdocs_catalog_api.authored.settings import HostName
from mkdocs_catalog_api.commands.main import main

from .sites import SiteFolder

NETLIFY = """\
# BEGIN mkdocs-catalog-api: written by the build
/catalog/api/v1/*
  Access-Control-Allow-Origin: *
  Cache-Control: public, max-age=3600
/api/v1/*
  Access-Control-Allow-Origin: *
  Cache-Control: public, max-age=3600
# END mkdocs-catalog-api
"""
FILES: dict[HostName, str] = {
    "netlify": "_headers",
    "cloudflare": "_headers",
    "vercel": "vercel.json",
    "apache": ".htaccess",
}


def prepared(site: SiteFolder, host: str) -> SiteFolder:
    """A site with one image and the setting `headers`."""
    site.image("alpha", "versions: [1.0]")
    site.settings["headers"] = host
    site.config["exclude_docs"] = "!.htaccess"
    return site


def test_netlify_is_told_in_its_own_words(site: SiteFolder) -> None:
    prepared(site, "netlify").mkdocs()
    assert (site.folder / "site/_headers").read_text() == NETLIFY


def test_a_site_at_the_root_of_its_host_has_one_rule(site: SiteFolder) -> None:
    prepared(site, "netlify").config["site_url"] = "https://example.org/"
    site.mkdocs()
    assert (site.folder / "site/_headers").read_text().count("/api/v1/*") == 1


def test_nothing_is_written_without_the_setting(site: SiteFolder) -> None:
    prepared(site, "netlify").settings.pop("headers")
    site.mkdocs()
    assert not set(FILES.values()) & {path.name for path in (site.folder / "site").iterdir()}


HOSTS = pytest.mark.parametrize("host", list(FILES))
AUTHORS: dict[str, str] = {
    "_headers": "# café\r\n/*\r\n  X-Frame-Options: DENY",
    "vercel.json": '{"cleanUrls": true, "headers": [{"source": "/(.*)", "headers": []}]}',
    ".htaccess": "# mine\n",
}


@HOSTS
def test_another_build_writes_the_same_bytes(site: SiteFolder, host: HostName) -> None:
    prepared(site, host)
    written = set()
    for dirty in (False, False, True):
        assert not site.mkdocs(dirty=dirty).failed
        written.add((site.folder / "site" / FILES[host]).read_bytes())
    assert len(written) == 1


@HOSTS
def test_our_file_for_another_address_is_replaced(site: SiteFolder, host: HostName) -> None:
    prepared(site, host).mkdocs()
    site.config["site_url"] = "https://example.org/elsewhere/"
    result = site.mkdocs(dirty=True)
    assert (result.failed, result.codes) == (False, [])
    assert "/elsewhere/" in (site.folder / "site" / FILES[host]).read_text()


@HOSTS
def test_a_file_of_the_author_stays_and_the_missing_lines_are_named(site: SiteFolder, host: HostName) -> None:
    name = FILES[host]
    own = AUTHORS[name].encode()
    prepared(site, host).write(f"docs/{name}", own)
    result = site.mkdocs()
    assert (result.failed, result.codes) == (False, ["CAT073"])
    assert (site.folder / "site" / name).read_bytes() == own
    assert result.logged()[0].startswith(f"docs/{name}: ")
    for word in ("/catalog/api/v1/", "Access-Control-Allow-Origin", "public, max-age=3600"):
        assert word in result.logged()[0].replace("\\", "")


@HOSTS
def test_a_file_of_the_author_that_has_the_lines_is_fine(site: SiteFolder, host: HostName) -> None:
    prepared(site, host).mkdocs()
    written = (site.folder / "site" / FILES[host]).read_text()
    if host == "vercel":
        rules = json.loads(written)["headers"]
        own = json.dumps(json.loads(AUTHORS["vercel.json"]) | {"headers": [{"source": "/a"}, *rules]})
    else:
        lines = [line.strip() for line in written.splitlines() if not line.startswith("#")]
        own = AUTHORS[FILES[host]] + "\n\n" + "\n\n\t".join(lines)
    site.write(f"docs/{FILES[host]}", own.encode())
    result = site.mkdocs()
    assert (result.failed, result.codes) == (False, [])
    assert (site.folder / "site" / FILES[host]).read_bytes() == own.encode()


@pytest.mark.parametrize("own", ["", "[]", "{", '{"headers": {}}', '{"a": "\udcff"}', "[" * 100_000])
def test_a_vercel_json_of_any_kind_stays(site: SiteFolder, own: str) -> None:
    data = own.encode(errors="surrogateescape")
    prepared(site, "vercel").write("docs/vercel.json", data)
    result = site.mkdocs()
    assert (result.failed, result.codes) == (False, ["CAT073"])
    assert (site.folder / "site/vercel.json").read_bytes() == data


def test_a_file_that_is_only_known_once_the_site_is_written_stays_and_is_named(site: SiteFolder) -> None:
    hook = """
        from pathlib import Path

        def on_post_page(output, page, config):
            Path(config.site_dir, "vercel.json").write_text("{}")
    """
    site.write("hook.py", hook)
    prepared(site, "vercel").config["hooks"] = ["hook.py"]
    result = site.mkdocs()
    assert (result.failed, result.codes) == (False, ["CAT073"])
    assert result.logged()[0].startswith("site/vercel.json: ")
    assert (site.folder / "site/vercel.json").read_text() == "{}"
    assert result.api.exists()


@HOSTS
def test_the_command_line_writes_what_the_plugin_writes(site: SiteFolder, host: HostName) -> None:
    prepared(site, host).mkdocs()
    file, command = site.folder / "site" / FILES[host], ["build", "-f", str(site.folder / "mkdocs.yml")]
    written = file.read_bytes()
    for _ in range(2):
        done = CliRunner().invoke(main, command)
        assert (done.exit_code, done.stderr.count("\n")) == (0, 1), "only the closing line"
        assert file.read_bytes() == written
        file.unlink()
    own = AUTHORS[FILES[host]].encode()  # as another generator has copied it
    file.write_bytes(own)
    done = CliRunner().invoke(main, command)
    assert (done.exit_code, done.stderr.count("[CAT073]")) == (0, 1)
    assert file.read_bytes() == own


def test_a_path_that_no_rule_can_name_is_refused(site: SiteFolder) -> None:
    prepared(site, "netlify").config["site_url"] = "https://example.org/a*b/"
    assert "'/a*b', can't be written as a rule of netlify" in site.mkdocs().logged()[0]


def test_an_unknown_host_is_refused_with_those_that_are_known(site: SiteFolder) -> None:
    (problem,) = prepared(site, "github").mkdocs().logged()[:1]
    assert "mkdocs.yml" in problem
    assert "netlify" in problem
