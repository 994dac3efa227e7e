"""Support for `mkdocs serve`: headers for browsers, and watching files outside docs_dir."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from mkdocs.livereload import LiveReloadServer

_HEADERS = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-cache"}


def with_headers(app: WSGIApplication, base: str) -> WSGIApplication:
    """Add headers to responses under `base`: any origin may read them, and no cache stores them."""
    ours = {name.lower() for name in _HEADERS}
    path = re.compile(re.escape(base) + r".*\.json")

    def serve(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:
            asked = environ.get("PATH_INFO", "").encode("latin-1").decode(errors="replace")  # PEP 3333
            if path.fullmatch(asked):
                headers = [pair for pair in headers if pair[0].lower() not in ours] + [*_HEADERS.items()]
            return start_response(status, headers, *exc_info)

        return app(environ, start)

    return serve


class Watch:
    """Makes the server rebuild when a file of the catalog changes."""

    def __init__(self, server: LiveReloadServer) -> None:
        self._server = server
        self._paths: list[str] = []

    def renew(self, paths: Iterable[Path]) -> None:
        """Watch only those paths that exist.

        Each path is registered again, as the server silently stops watching a file that is removed.
        """
        for path in self._paths:
            self._server.unwatch(path)
        self._paths = [str(path) for path in paths if path.exists()]
        for path in self._paths:
            self._server.watch(path)
