"""A build that another process begins while MkDocs reads the pages, trusting that they stay as they are."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import tempfile
from contextlib import suppress
from dataclasses import replace

from .engine import Build, Site, prepare
from .parallel import processes
from .problems import Problems
from .publish import Staging
from .settings import Settings

LEAST = 64
"""With fewer pages there is nothing to gain."""


def worth_it(site: Site) -> bool:
    """Whether there is another processor, forking is safe, and the site is large enough."""
    return processes() > 1 and len(site.pages) >= LEAST


class Ahead:
    """`prepare` in a process of its own, forked now. End it by `build` or `drop`."""

    def __init__(self, site: Site, settings: Settings, problems: Problems, *, strict: bool) -> None:
        self._site, self._staging = site, Staging(site.site_dir)
        self._parent = os.getpid()
        self._settings, self._problems, self._strict = settings, problems, strict
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # both processes have it until they end
        self._process = multiprocessing.get_context("fork").Process(target=self._work)
        self._process.start()
        self._lead()

    def _work(self) -> None:
        self._lead()
        # Whatever goes wrong here, the build that is then made instead meets and tells.
        with suppress(BaseException):
            build = prepare(
                self._site, self._settings, self._problems, strict=self._strict, staging=self._staging
            )
            pickle.dump(replace(build, site=replace(self._site, pages=())), self._file)
            self._file.flush()
            if os.getppid() != self._parent:  # killed before it could drop this
                self._staging.remove()
            os._exit(0)
        os._exit(1)

    def _lead(self) -> None:
        """Make the process the leader of a group, so that its own workers end with it.

        Both processes say it, as either may come first.
        """
        with suppress(OSError):
            os.setpgid(self._process.pid or 0, self._process.pid or 0)

    def build(self, site: Site) -> Build | None:
        """The build if the site has become what it was thought to be, and nothing went wrong."""
        if site != self._site:
            self.drop()
            return None
        self._process.join()
        if self._process.exitcode != 0:
            self.drop()
            return None
        self._file.seek(0)
        found: Build = pickle.load(self._file)  # noqa: S301  # our own process wrote it
        self._close()
        return replace(found, site=site)

    def drop(self) -> None:
        """Stop the work, and leave nothing of it."""
        if self._process.pid is not None:
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.join()
        self._close()
        self._staging.remove()

    def _close(self) -> None:
        self._process.close()
        self._file.close()
