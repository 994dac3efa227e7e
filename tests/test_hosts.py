"""What the hosts of the guide really send: their programs, with our files and the guide's own lines."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

from mkdocs_catalog_api.authored.settings import HostName
from mkdocs_catalog_api.publish.hosts import HeaderFile

from .guide import blocks
from .programs import need
from .servers import free_port, running
from .sites import SiteFolder, row, trivy

pytestmark = pytest.mark.slow
DOCUMENTS = (
    *("images.json", "images/1.json", "images/alpha/index.json", "security.json", "manifest.json"),
    *("security/alpha/1.0.json", "badge/cves.json", "badge/alpha/grade.json"),
)
OURS = {"access-control-allow-origin": "*", "cache-control": "public, max-age=3600"}
VALUES = [{"key": "Cache-Control", "value": "no-cache"}, {"key": "X-Frame-Options", "value": "DENY"}]
# Host → the author's file, and the rules in it.
OWN: dict[HostName, tuple[str, str]] = {
    "apache": (
        ".htaccess",
        '<FilesMatch "\\.json$">\n  Header set Cache-Control no-store\n</FilesMatch>\n'
        "Header always set Cache-Control no-cache\n",
    ),
    "cloudflare": ("_headers", "/*\n  Cache-Control: no-cache\n"),
    "netlify": ("_headers", "/*\n  Cache-Control: no-cache\n  X-Frame-Options: DENY\n"),
    "vercel": ("vercel.json", json.dumps({"headers": [{"source": "/(.*)", "headers": VALUES}]})),
}


class Host(NamedTuple):
    """A running server of a site at /catalog."""

    name: str
    port: int
    www: Path

    def get(
        self, path: str, headers: Mapping[str, str] = MappingProxyType({})
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body as a page of another site gets them; no header comes twice."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", path, headers={"Origin": "https://client.example", **headers})
        response = connection.getresponse()
        received = {name.lower(): value for name, value in response.getheaders()}
        assert len(received) == len(response.getheaders()), response.getheaders()
        body = response.read()
        connection.close()
        return response.status, received, body


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that servers under another user can read, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o755)
        yield path


def published(folder: Path, host: HostName | None) -> Path:
    """A site at /catalog, in the folder that its host serves."""
    site = SiteFolder(folder / "source")
    site.write("docs/index.md", "# Home\n")
    site.image("alpha", "versions: [1.0]")
    site.report("alpha/1.0.json", trivy([row("CVE-2026-0001")]))
    if host:  # the author's rules, with ours added as the guide says
        site.settings["headers"] = host
        site.config["exclude_docs"] = "!.htaccess"
        file, own = OWN[host]
        body = HeaderFile(host, "/catalog").body().decode()
        if host == "vercel":
            own, body = json.dumps({"headers": json.loads(own)["headers"] + json.loads(body)["headers"]}), ""
        site.write(f"docs/{file}", f"{own}{body}")
    assert not site.mkdocs().failed
    www = folder / "www"
    www.mkdir()
    shutil.move(folder / "source/site", www / "catalog")
    for name in ("_headers", "404.html"):  # as the guide says
        if (www / "catalog" / name).exists():
            shutil.copy(www / "catalog" / name, www)
    return www


def command(name: str, port: int, www: Path, folder: Path, node: Path) -> list[str]:
    """How a host's program is started: with the guide's lines for it, or with what the guide asks for."""
    config = folder / "config"
    if name == "cloudflare":  # Cloudflare's own code for Pages
        return ["node", str(node / "cloudflare.mjs"), str(www), str(port)]
    if name == "apache":
        need("apache2")
        modules = "".join(
            f"LoadModule {module}_module /usr/lib/apache2/modules/mod_{module}.so\n"
            for module in ("mpm_event", "authz_core", "mime", "dir", "headers")
        )
        user = "User nobody\nGroup nogroup\n" if os.geteuid() == 0 else ""
        config.write_text(
            f"{modules}{user}ServerRoot {folder}\nServerName localhost\nListen 127.0.0.1:{port}\n"
            f"PidFile {folder}/pid\nErrorLog /dev/stderr\nTypesConfig /etc/mime.types\nDocumentRoot {www}\n"
            f"<Directory {www}>\n  AllowOverride FileInfo\n  Require all granted\n</Directory>\n"
        )
        return ["apache2", "-f", str(config), "-D", "FOREGROUND"]
    need(name)
    (shown,) = blocks("hosts", name)
    text = shown.text.replace("/srv/www", str(www))
    if name == "caddy":
        text = text.replace("example.org {", f"http://127.0.0.1:{port} {{")
        config.write_text(f"{{\n  admin off\n  auto_https off\n}}\n{text}")
        return ["caddy", "run", "--adapter", "caddyfile", "--config", str(config)]
    text = text.replace("listen 80;", f"listen 127.0.0.1:{port};")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"  {kind}_temp_path {folder};\n" for kind in kinds)
    config.write_text(
        f"pid {folder}/pid;\ndaemon off;\nmaster_process off;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\n  include /etc/nginx/mime.types;\n  access_log off;\n{paths}{text}}}\n"
    )
    return ["nginx", "-p", str(folder), "-e", "stderr", "-c", str(config)]


@pytest.fixture(scope="module", params=["nginx", "caddy", "apache", "cloudflare"])
def host(request: pytest.FixtureRequest, folder: Path, node: Path) -> Iterator[Host]:
    """Each host that can run here."""
    own, port = folder / request.param, free_port()
    own.mkdir()
    www = published(own, request.param if request.param in OWN else None)
    with running(command(request.param, port, www, own, node), port, own / "log"):
        yield Host(request.param, port, www)


def test_documents_are_served_as_the_contract_says(host: Host) -> None:
    for path in DOCUMENTS:
        status, headers, body = host.get(f"/catalog/api/v1/{path}?ignored=1")
        assert (status, headers["content-type"]) == (200, "application/json")
        assert body == (host.www / "catalog/api/v1" / path).read_bytes()
        assert headers.items() >= OURS.items()
    if host.name in ("nginx", "caddy"):  # the other hosts are told nothing about compression and folders
        _, headers, _ = host.get("/catalog/api/v1/images.json", {"Accept-Encoding": "gzip"})
        assert (headers["content-encoding"], headers["vary"]) == ("gzip", "Accept-Encoding")
        for folder in ("", "images/", "images/alpha/"):
            status, headers, body = host.get(f"/catalog/api/v1/{folder}")
            assert (status, headers["content-type"]) == (200, "application/json")
            assert body == (host.www / f"catalog/api/v1/{folder}index.json").read_bytes()
            assert headers.items() >= OURS.items()


def test_what_is_not_there_is_a_404_that_nobody_caches(host: Host) -> None:
    folders = ("badge/", "badge/alpha/") if host.name in ("nginx", "caddy") else ()
    for path in ("images/2.json", "images/nobody/index.json", "nothing.json", *folders):
        status, headers, _ = host.get(f"/catalog/api/v1/{path}")
        assert (status, headers["access-control-allow-origin"]) == (404, "*")
        assert "max-age" not in headers.get("cache-control", "")
        assert "json" not in headers["content-type"]


def test_pages_keep_their_own_headers(host: Host) -> None:
    for path in ("/catalog/", "/catalog/images/alpha/"):
        status, headers, _ = host.get(path)
        assert (status, headers["content-type"][:9]) == (200, "text/html")
        assert headers.get("cache-control") == ("no-cache" if host.name in OWN else None)
        if host.name != "cloudflare":  # it allows every origin by itself
            assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("name", ["netlify", "vercel"])
def test_files_for_hosts_that_cannot_run_here(node: Path, folder: Path, name: HostName) -> None:
    (folder / name).mkdir()
    www = published(folder / name, name)
    paths = ["/catalog/api/v1/images/1.json", "/api/v1/images/1.json", "/catalog/images/alpha/"]
    command = ["node", f"{name}.mjs", str(www / "catalog" / OWN[name][0]), *paths]
    found = json.loads(subprocess.run(command, cwd=node, check=True, capture_output=True, timeout=60).stdout)
    values = [{name.lower(): value for name, value in headers.items()} for headers in found]
    assert values[0] == values[1] == OURS | {"x-frame-options": "DENY"}
    assert values[2] == {"cache-control": "no-cache", "x-frame-options": "DENY"}
