"""Real web servers on a free port of this machine, each in a folder of its own."""

from __future__ import annotations

import functools
import http.client
import http.server
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

from .guide import blocks
from .programs import need

NODE = Path(__file__).parent / "node"


class Answer(NamedTuple):
    """What a server said; names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


def get(port: int, path: str, headers: Mapping[str, str] = MappingProxyType({})) -> Answer:
    """GET as a page of another site does, with further headers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", path, headers={"Origin": "https://client.example", **headers})
        response = connection.getresponse()
        names = [name.lower() for name, _ in response.getheaders()]
        assert len(names) == len(set(names)), f"{path}: a header twice: {names}"
        received = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, received, response.read())
    finally:
        connection.close()


def snippet(language: str) -> str:
    """The guide's block in this language."""
    (found,) = blocks("hosts", language)
    return found.text


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(command: Sequence[str], port: int, log: Path) -> Iterator[int]:
    """The server of this command, from when it answers until it is stopped."""
    home = str(log.parent)
    environment = os.environ | dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), home)
    with log.open("wb") as out:
        server = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=environment)
        try:
            deadline = time.monotonic() + 180
            while True:
                if server.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"{command[0]} does not start: {log.read_text(errors='replace')}")
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.02)
            yield port
        finally:
            server.terminate()
            server.wait(30)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing of each request."""


@contextmanager
def serve(www: Path, certificate: Path | None = None) -> Iterator[int]:
    """Python's own static server, which knows nothing of the API; by https when it has a certificate."""
    handler = functools.partial(_Quiet, directory=str(www))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        if certificate:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(certificate)
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def nginx(www: Path, folder: Path, server: str) -> Iterator[int]:
    """nginx with this `server` block, which may speak of port 80 and /srv/www."""
    need("nginx")
    port = free_port()
    server = server.replace("listen 80;", f"listen 127.0.0.1:{port};").replace("/srv/www", str(www))
    paths = "".join(
        f"  {name}_temp_path {folder};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = folder / "nginx.conf"
    config.write_text(
        f"pid {folder}/nginx.pid;\ndaemon off;\nmaster_process off;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\n  include /etc/nginx/mime.types;\n  access_log off;\n{paths}{server}}}\n"
    )
    with running(["nginx", "-p", str(folder), "-e", "stderr", "-c", str(config)], port, folder / "log"):
        yield port


@contextmanager
def caddy(www: Path, folder: Path, site: str) -> Iterator[int]:
    """Caddy with this site block, which may speak of example.org and /srv/www."""
    need("caddy")
    port = free_port()
    site = site.replace("example.org {", f"http://127.0.0.1:{port} {{").replace("/srv/www", str(www))
    config = folder / "Caddyfile"
    config.write_text(f"{{\n  admin off\n  auto_https off\n}}\n{site}")
    with running(["caddy", "run", "--adapter", "caddyfile", "--config", str(config)], port, folder / "log"):
        yield port


@contextmanager
def apache(www: Path, folder: Path) -> Iterator[int]:
    """Apache with nothing but what the guide asks for; the rest stands in the .htaccess of the site."""
    need("apache2")
    port = free_port()
    modules = ["mpm_event", "authz_core", "mime", "dir", "headers"]
    loaded = "".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n" for name in modules)
    user = "User nobody\nGroup nogroup\n" if os.geteuid() == 0 else ""
    config = folder / "apache.conf"
    config.write_text(
        f"{loaded}{user}ServerRoot {folder}\nServerName localhost\nListen 127.0.0.1:{port}\n"
        f"PidFile {folder}/apache.pid\nErrorLog /dev/stderr\nTypesConfig /etc/mime.types\n"
        f"DocumentRoot {www}\n<Directory {www}>\n  AllowOverride FileInfo\n  Require all granted\n"
        "</Directory>\n"
    )
    with running(["apache2", "-f", str(config), "-D", "FOREGROUND"], port, folder / "log"):
        yield port


def node_folder(folder: Path) -> Path:
    """A copy of tests/node with the packages that it names."""
    need("node", "npm")
    shutil.copytree(NODE, folder, ignore=shutil.ignore_patterns("node_modules"))
    # Not the optional packages: they are binaries of a browser engine that nothing here runs.
    command = ["npm", "install", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    subprocess.run(command, cwd=folder, check=True, timeout=600)
    return folder


@contextmanager
def cloudflare(www: Path, folder: Path, node: Path) -> Iterator[int]:
    """Cloudflare's own code for Pages, around a small server of Node."""
    port = free_port()
    with running(["node", str(node / "cloudflare.mjs"), str(www), str(port)], port, folder / "log"):
        yield port
