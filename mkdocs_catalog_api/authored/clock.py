"""The time of a build."""

from __future__ import annotations

import datetime
import os
import re

from ..problems import Problem, Problems
from ..problems.codes import Code

_VARIABLE = "SOURCE_DATE_EPOCH"
_SECONDS = re.compile("[0-9]{1,11}")


def now() -> datetime.datetime:
    """Return the time of the build: SOURCE_DATE_EPOCH (https://reproducible-builds.org) or the clock."""
    epoch = os.environ.get(_VARIABLE, "").strip()
    if _SECONDS.fullmatch(epoch):
        return datetime.datetime.fromtimestamp(int(epoch), datetime.UTC)
    return datetime.datetime.now(datetime.UTC)


def latest() -> datetime.datetime:
    """Return the latest time that is not in the future, even if the time of the build is that of a commit."""
    return max(now(), datetime.datetime.now(datetime.UTC))


def check(problems: Problems) -> None:
    """Add a problem if SOURCE_DATE_EPOCH is not a valid time."""
    epoch = os.environ.get(_VARIABLE, "").strip()
    if epoch and not _SECONDS.fullmatch(epoch):
        message = f"{epoch[:40]!r} is not a number of seconds since 1970"
        hint = "set it to the output of `git log -1 --format=%ct`"
        problems.add(Problem("", 0, 0, _VARIABLE, message, hint, code=Code.SETTING))


def timestamp(time: datetime.datetime) -> str:
    """Format a time in UTC to the second, as in `2026-11-20T06:00:00Z`."""
    return time.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
