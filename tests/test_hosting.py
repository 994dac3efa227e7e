"""The header files of hosts: written beside the author's rules, never over them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.authored.settings import HostName
from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.problems import CatalogError
from mkdocs_catalog_api.publish.host_headers import HeaderFile

from .sites import SiteFolder

NETLIFY = """\
# BEGIN mkdocs-catalog-api: written by the build, your own rules stay as they are
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
    prepared(site, "netlify").build()
    assert (site.folder / "site/_headers").read_text() == NETLIFY


def test_a_site_at_the_root_of_its_host_has_one_rule(site: SiteFolder) -> None:
    prepared(site, "netlify").config["site_url"] = "https://example.org/"
    site.build()
    assert (site.folder / "site/_headers").read_text().count("/api/v1/*") == 1


def test_nothing_is_written_without_the_setting(site: SiteFolder) -> None:
    prepared(site, "netlify").settings.pop("headers")
    site.build()
    assert not set(FILES.values()) & {path.name for path in (site.folder / "site").iterdir()}


@pytest.mark.parametrize("host", ["vercel", "apache"])
def test_another_build_writes_the_same_bytes(site: SiteFolder, host: HostName) -> None:
    own = '{"cleanUrls": true}' if host == "vercel" else "# mine\n"
    prepared(site, host).write(f"docs/{FILES[host]}", own)
    written = set()
    for dirty in (False, False, True):
        assert not site.build(dirty=dirty).failed
        written.add((site.folder / "site" / FILES[host]).read_bytes())
    assert len(written) == 1


@pytest.mark.parametrize("host", ["netlify", "cloudflare", "apache"])
def test_the_author_s_own_rules_stay_before_ours(site: SiteFolder, host: HostName) -> None:
    own = b"# caf\xe9\r\n/*\r\n  X-Frame-Options: DENY"
    prepared(site, host).write(f"docs/{FILES[host]}", own)
    site.build()
    written = (site.folder / "site" / FILES[host]).read_bytes()
    assert written.startswith(own + b"\n\n# BEGIN mkdocs-catalog-api")
    assert (site.folder / "docs" / FILES[host]).read_bytes() == own


def test_vercel_s_rules_are_added_to_the_author_s(site: SiteFolder) -> None:
    own = {"cleanUrls": True, "headers": [{"source": "/(.*)", "headers": [{"key": "X-A", "value": "é"}]}]}
    prepared(site, "vercel").write("docs/vercel.json", json.dumps(own).encode())
    site.build()
    written = json.loads((site.folder / "site/vercel.json").read_bytes())
    assert list(written) == ["cleanUrls", "headers"]
    assert written["headers"][0] == own["headers"][0]  # type: ignore[index]
    assert [rule["source"] for rule in written["headers"][1:]] == ["/catalog/api/v1/(.*)", "/api/v1/(.*)"]
    assert written["headers"][1]["headers"][1] == {"key": "Cache-Control", "value": "public, max-age=3600"}


HUNDRED = "".join(f"/page{number}\n  X-A: b\n" for number in range(100))
BROKEN = [
    ("vercel", b'{"headers": [],\n x}', "docs/vercel.json:2:2: not JSON"),
    ("vercel", b"[]", "docs/vercel.json: `headers` is not a list in an object"),
    ("vercel", b'{"headers": {}}', "docs/vercel.json: `headers` is not a list in an object"),
    ("vercel", b'{"routes": []}', "docs/vercel.json: beside `routes` Vercel does not apply `headers`"),
    (
        "vercel",
        b'{"a": 1, "a": 2}',
        "docs/vercel.json: not JSON that can be merged: the key 'a' stands twice in one object",
    ),
    ("vercel", b'{"a": "\xff"}', "docs/vercel.json: not JSON that can be merged"),
    ("vercel", b"[" * 100_000, "docs/vercel.json: not JSON that can be merged"),
    ("netlify", b"/*\n  X-A: b\n# BEGIN mkdocs-catalog-api\n", "docs/_headers:3:1: the block of"),
    ("apache", b"# END mkdocs-catalog-api\n", "docs/.htaccess:1:1: the block of"),
    ("cloudflare", HUNDRED.encode(), "docs/_headers: with ours the file has 101 rules"),
]


@pytest.mark.parametrize(("host", "own", "message"), BROKEN)
def test_a_file_that_cannot_be_merged_says_where_and_why(
    host: HostName, own: bytes, message: str, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / FILES[host]).write_bytes(own)
    with pytest.raises(CatalogError) as refused:
        HeaderFile(host, "").merged(docs, tmp_path)
    (problem,) = refused.value.problems
    assert str(problem).startswith(message)
    assert problem.hint


def test_it_is_refused_before_anything_is_written(site: SiteFolder) -> None:
    prepared(site, "vercel").write("docs/vercel.json", "[]")
    result = site.build()
    assert result.failed
    assert result.logged()[0].startswith("docs/vercel.json: `headers` is not a list")
    assert not result.api.exists()
    assert not (site.folder / "site/vercel.json").exists()


def test_a_file_that_is_only_known_once_the_site_is_written_is_checked_then(site: SiteFolder) -> None:
    hook = """
        from pathlib import Path

        def on_post_page(output, page, config):
            Path(config.site_dir, "vercel.json").write_text("{")
    """
    site.write("hook.py", hook)
    prepared(site, "vercel").config["hooks"] = ["hook.py"]
    result = site.build()
    assert result.failed
    assert "site/vercel.json:1:2: not JSON" in result.logged()[0]
    assert (site.folder / "site/vercel.json").read_text() == "{"
    assert not result.api.exists()


@pytest.mark.parametrize("host", ["netlify", "vercel"])
def test_the_command_line_writes_what_the_plugin_writes(site: SiteFolder, host: HostName) -> None:
    own = '{"cleanUrls": true}' if host == "vercel" else "/*\n  X-A: b\n"
    prepared(site, host).write(f"docs/{FILES[host]}", own)
    site.build()
    file = site.folder / "site" / FILES[host]
    written = file.read_bytes()
    for before in (written, own.encode()):  # over an earlier build's, and over what another generator copied
        file.write_bytes(before)
        done = CliRunner().invoke(main, ["build", "-f", str(site.folder / "mkdocs.yml")])
        assert (done.exit_code, done.stderr) == (0, "")
        assert file.read_bytes() == written


def test_a_path_that_no_rule_can_name_is_refused(site: SiteFolder) -> None:
    prepared(site, "netlify").config["site_url"] = "https://example.org/a*b/"
    assert "'/a*b', can't be written as a rule of netlify" in site.build().logged()[0]


def test_an_unknown_host_is_refused_with_those_that_are_known(site: SiteFolder) -> None:
    (problem,) = prepared(site, "github").build().logged()[:1]
    assert "mkdocs.yml" in problem
    assert "netlify" in problem


@given(own=st.text(st.characters(codec="utf-8", exclude_characters="\r")), host=st.sampled_from(list(FILES)))
def test_merging_twice_is_merging_once(
    own: str, host: HostName, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if host == "vercel":
        own = json.dumps({"headers": [{"source": own, "headers": []}]})
    folder: Path = tmp_path_factory.mktemp("own")
    file = HeaderFile(host, "/catalog")
    path = folder / file.name
    path.write_bytes(own.encode())
    once = file.merged(folder, folder)
    path.write_bytes(once)
    assert file.merged(folder, folder) == once
    assert own.rstrip().encode() in once or host == "vercel"
