"""What the hosts of the guide really send: their programs, with our files and the guide's own lines."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mkdocs_catalog_api.authored.settings import HostName
from mkdocs_catalog_api.publish.hosts import HeaderFile

from . import servers
from .servers import get, snippet
from .sites import REGISTRY, SiteFolder, digest, row, trivy

pytestmark = pytest.mark.slow

DOCUMENTS = [
    "images.json",
    "images/1.json",
    "images/alpha/index.json",
    "security.json",
    "security/alpha.json",
    "security/alpha/1.0.json",
    "badge/cves.json",
    "badge/alpha/grade.json",
    "manifest.json",
]
OWN = [{"key": "Cache-Control", "value": "no-cache"}, {"key": "X-Frame-Options", "value": "DENY"}]
OURS = {"access-control-allow-origin": "*", "cache-control": "public, max-age=3600"}


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that servers under another user can read, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o755)
        yield path


def published(folder: Path, host: HostName | None, own: str = "", file: str = "_headers") -> Path:
    """A site at /catalog, in the folder that its host serves."""
    site = SiteFolder(folder / "source")
    site.write("docs/index.md", "# Home\n")
    site.image("alpha", f'versions: [{{version: 1.0, digest: "{digest(1)}"}}]')
    site.report("alpha/1.0.json", trivy([row("CVE-2026-0001")], digest=f"{REGISTRY}/alpha@{digest(1)}"))
    if host:
        site.settings["headers"] = host
    site.config["exclude_docs"] = "!.htaccess"
    if host and own:  # the author's rules, with ours added as the guide says
        body = HeaderFile(host, "/catalog").body().decode()
        if host == "vercel":
            rules = json.loads(own)["headers"] + json.loads(body)["headers"]
            own, body = json.dumps({"headers": rules}), ""
        site.write(f"docs/{file}", f"{own}{body}")
    assert not site.mkdocs().failed
    www = folder / "www"
    www.mkdir()
    shutil.move(folder / "source/site", www / "catalog")
    if (www / "catalog/_headers").exists():  # as the guide says
        shutil.copy(www / "catalog/_headers", www)
    return www


@pytest.fixture(scope="module", params=["nginx", "caddy", "apache", "cloudflare"])
def host(request: pytest.FixtureRequest, folder: Path) -> Iterator[tuple[str, int, Path]]:
    """(name, port, what it serves) of each host that can run here."""
    name = request.param
    own = folder / name
    own.mkdir()
    if name == "apache":
        rules = '<FilesMatch "\\.json$">\n  Header set Cache-Control no-store\n</FilesMatch>\n'
        www = published(own, "apache", f"{rules}Header always set Cache-Control no-cache\n", ".htaccess")
        server = servers.apache(www, own)
    elif name == "cloudflare":
        www = published(own, "cloudflare", "/*\n  Cache-Control: no-cache\n")
        shutil.copy(www / "catalog/404.html", www)
        server = servers.cloudflare(www, own, request.getfixturevalue("node"))
    else:
        www = published(own, None)
        server = {"nginx": servers.nginx, "caddy": servers.caddy}[name](www, own, snippet(name))
    with server as port:
        yield name, port, www


def test_documents_are_served_as_the_contract_says(host: tuple[str, int, Path]) -> None:
    name, port, www = host
    for path in DOCUMENTS:
        answer = get(port, f"/catalog/api/v1/{path}?ignored=1")
        assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
        assert answer.body == (www / "catalog/api/v1" / path).read_bytes()
        assert answer.headers.items() >= OURS.items()
    if name in ("nginx", "caddy"):  # the other hosts are told nothing about compression
        answer = get(port, "/catalog/api/v1/images.json", {"Accept-Encoding": "gzip"})
        assert answer.headers["content-encoding"] == "gzip"


def test_what_is_not_there_is_a_404_that_nobody_caches(host: tuple[str, int, Path]) -> None:
    for path in ("images/2.json", "images/nobody/index.json", "nothing.json"):
        answer = get(host[1], f"/catalog/api/v1/{path}")
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (404, "*")
        assert "max-age" not in answer.headers.get("cache-control", "")
        assert "json" not in answer.headers["content-type"]


def test_pages_keep_their_own_headers(host: tuple[str, int, Path]) -> None:
    name, port, _ = host
    own = {"apache": "no-cache", "cloudflare": "no-cache"}
    for path in ("/catalog/", "/catalog/images/alpha/"):
        answer = get(port, path)
        assert answer.status == 200
        assert answer.headers["content-type"].startswith("text/html")
        assert answer.headers.get("cache-control") == own.get(name)
        if name != "cloudflare":  # it allows every origin by itself
            assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("name", ["netlify", "vercel"])
def test_files_for_hosts_that_cannot_run_here(node: Path, folder: Path, name: HostName) -> None:
    own = {
        "netlify": "/*\n  Cache-Control: no-cache\n  X-Frame-Options: DENY\n",
        "vercel": json.dumps({"headers": [{"source": "/(.*)", "headers": OWN}]}),
    }
    file = {"netlify": "_headers", "vercel": "vercel.json"}[name]
    (folder / name).mkdir()
    www = published(folder / name, name, own[name], file)
    paths = ["/catalog/api/v1/images/1.json", "/api/v1/images/1.json", "/catalog/images/alpha/"]
    command = ["node", f"{name}.mjs", str(www / "catalog" / file), *paths]
    found = json.loads(subprocess.run(command, cwd=node, check=True, capture_output=True, timeout=60).stdout)
    values = [{name.lower(): value for name, value in headers.items()} for headers in found]
    assert values[0] == values[1] == OURS | {"x-frame-options": "DENY"}
    assert values[2] == {"cache-control": "no-cache", "x-frame-options": "DENY"}
