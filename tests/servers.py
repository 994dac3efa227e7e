"""Real web servers on a free port of this machine."""

from __future__ import annotations

import functools
import http.server
import os
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(command: Sequence[str], port: int, log: Path) -> Iterator[int]:
    """The server of this command, from when it answers until it is stopped."""
    environment = os.environ | dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), str(log.parent))
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
