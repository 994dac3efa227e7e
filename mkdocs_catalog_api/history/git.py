"""Reads the catalog of earlier days from the commits of a git repository; the working tree never changes."""

from __future__ import annotations

import datetime
import os
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ..authored.folders import leads_out
from ..problems import reason

_SAFE = ("-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false")
_ENVIRONMENT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_LITERAL_PATHSPECS": "1", "LC_ALL": "C"}


class GitError(Exception):
    """A git command failed; the text is the reason."""


class Commit(NamedTuple):
    """The last commit of a day, by the committer's date in UTC."""

    date: str
    sha: str


class Repository:
    """The git repository around a folder."""

    def __init__(self, folder: Path) -> None:
        """Raises GitError if git is not installed, or if the folder is not in a repository."""
        self._folder = folder
        self.top = Path(self._git("rev-parse", "--show-toplevel").rstrip("\n"))
        self.shallow = self._git("rev-parse", "--is-shallow-repository").strip() == "true"

    def last_of_each_day(self, ref: str, paths: Sequence[Path], since: str | None) -> list[Commit]:
        """Return the last commit of each day that changed one of the paths, oldest first, by first parents.

        Raises:
            GitError: the commit `ref` does not exist.
        """
        wanted = [os.path.relpath(path, self._folder) for path in paths if self._inside(path)]
        command = ("log", "--first-parent", "--no-decorate", "--no-color", "--format=%H %ct")
        commits: dict[str, str] = {}
        for line in self._git(*command, "--end-of-options", ref, "--", *wanted).splitlines():
            sha, seconds = line.split()
            date = datetime.datetime.fromtimestamp(int(seconds), datetime.UTC).date().isoformat()
            if since is None or date >= since:
                commits.setdefault(date, sha)
        return sorted(Commit(date, sha) for date, sha in commits.items())

    def extract(self, commit: Commit, paths: Sequence[Path], to: Path) -> None:
        """Copy the files of a commit that are in these paths to `to`, which takes the place of `top`.

        Raises:
            GitError: git or the archive failed.
        """
        wanted = [PurePosixPath(self._place(path)) for path in paths if self._inside(path)]

        def chosen(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
            path = PurePosixPath(member.name)
            if not any(path.is_relative_to(place) for place in wanted):
                return None
            try:
                return tarfile.data_filter(member, folder)
            except tarfile.FilterError:  # a link that leads out of the repository, a device …
                return None

        command = self._command("archive", "--format=tar", commit.sha)
        try:
            with subprocess.Popen(  # noqa: S603
                command, cwd=self.top, env=os.environ | _ENVIRONMENT, stdout=subprocess.PIPE
            ) as process:
                assert process.stdout is not None  # noqa: S101
                with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
                    archive.extractall(to, filter=chosen)  # noqa: S202
        except (OSError, tarfile.TarError) as error:
            raise GitError(
                f"the files of {commit.sha[:12]} can't be read: {reason(error, with_path=True)}"
            ) from None
        if process.returncode:
            raise GitError(f"git archive failed on {commit.sha[:12]}")

    def _inside(self, path: Path) -> bool:
        return not leads_out(path, [self.top])

    def _place(self, path: Path) -> str:
        return Path(os.path.realpath(path)).relative_to(os.path.realpath(self.top)).as_posix()

    def place(self, path: Path, to: Path) -> Path:
        """Return the place of a path of the repository in `to`."""
        return to / self._place(path)

    def _command(self, *arguments: str) -> list[str]:
        return ["git", "--no-pager", *_SAFE, *arguments]

    def _git(self, *arguments: str) -> str:
        try:
            done = subprocess.run(  # noqa: S603
                self._command(*arguments),
                cwd=self._folder,
                env=os.environ | _ENVIRONMENT,
                capture_output=True,
                check=True,
            )
        except FileNotFoundError:
            raise GitError("git is not installed") from None
        except subprocess.CalledProcessError as error:
            why = os.fsdecode(error.stderr).strip().splitlines() or [f"exit {error.returncode}"]
            raise GitError(why[0].removeprefix("fatal: ")) from None
        return os.fsdecode(done.stdout)
