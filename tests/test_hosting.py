"""The header files of hosts: written where the author has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from mkdocs_catalog_api.authored.settings import HostName
from mkdocs_catalog_api.publish.hosts import HeaderFile

from .sites import Result, SiteFolder
from .test_cli import call

GUIDE = Path(__file__).parent.parent / "example_site/docs/guide"
FILES: dict[HostName, str] = {
    "netlify": "_headers",
    "cloudflare": "_headers",
    "vercel": "vercel.json",
    "apache": ".htaccess",
}
AUTHORS: dict[str, str] = {
    "_headers": "# café\r\n/*\r\n  X-Frame-Options: DENY",
    "vercel.json": '{"cleanUrls": true, "headers": [{"source": "/(.*)", "headers": []}]}',
    ".htaccess": "# mine\n",
}
HOSTS = pytest.mark.parametrize("host", list(FILES))


@pytest.fixture
def site(tmp_path: Path) -> SiteFolder:
    """A site with one image."""
    site = SiteFolder(tmp_path)
    site.image("alpha", "versions: [1.0]")
    site.config["exclude_docs"] = "!.htaccess"
    return site


def build(site: SiteFolder, host: str, *codes: str, dirty: bool = False) -> Result:
    """Build with the setting `headers`; the codes are those of all problems."""
    site.settings["headers"] = host
    result = site.mkdocs(dirty=dirty)
    assert (result.failed, result.codes) == (False, [*codes])
    return result


def test_at_the_root_of_its_host_a_site_has_one_rule(site: SiteFolder) -> None:
    for address, count in (("https://example.org/catalog/", 2), ("https://example.org/", 1)):
        site.config["site_url"] = address
        build(site, "netlify")
        assert (site.folder / "site/_headers").read_text().count("/api/v1/*") == count


@HOSTS
def test_a_file_is_written_again_for_another_address_alone(site: SiteFolder, host: HostName) -> None:
    """By the command line as by the plugin."""
    file = site.folder / "site" / FILES[host]
    build(site, host)
    before = file.read_bytes()
    build(site, host, dirty=True)
    assert file.read_bytes() == before
    for _ in range(2):
        done = call("build", "-f", site.folder / "mkdocs.yml")
        assert (done.exit_code, done.stderr.count("\n")) == (0, 1), "only the closing line"
        assert file.read_bytes() == before
        file.unlink()
    site.config["site_url"] = "https://example.org/elsewhere/"
    build(site, host, dirty=True)
    assert "/elsewhere/" in file.read_text()


@HOSTS
def test_a_file_of_the_author_stays_and_the_guide_has_the_lines(site: SiteFolder, host: HostName) -> None:
    name, file = FILES[host], site.folder / "site" / FILES[host]
    own = AUTHORS[name].encode()
    site.write(f"docs/{name}", own)
    (told,) = map(str, build(site, host, "CAT073").problems)
    assert file.read_bytes() == own
    assert told.startswith(f"docs/{name}: ") and "Header files in the guide" in told
    (site.folder / f"docs/{name}").unlink()  # as another generator has copied it
    done = call("build", "-f", site.folder / "mkdocs.yml")
    assert (done.exit_code, done.stderr.count("[CAT073]")) == (0, 1)
    assert file.read_bytes() == own
    body = HeaderFile(host, "/catalog").body().decode()
    lines = "".join(f"{line}\n" for line in body.splitlines() if not line.startswith("# "))
    assert lines in (GUIDE / "hosts.md").read_text("utf-8")


@pytest.mark.parametrize("own", ["[]", "{", '{"headers": {}}', '{"a": "\udcff"}', "[" * 100_000])
def test_a_vercel_json_of_any_kind_stays(site: SiteFolder, own: str) -> None:
    data = own.encode(errors="surrogateescape")
    site.write("docs/vercel.json", data)
    build(site, "vercel", "CAT073")
    assert (site.folder / "site/vercel.json").read_bytes() == data


def test_a_path_that_no_rule_can_name_is_refused(site: SiteFolder) -> None:
    site.settings["headers"] = "netlify"
    site.config["site_url"] = "https://example.org/a*b/"
    assert "'/a*b', can't be written as a rule of netlify" in "".join(site.build().logged())
