"""The time of a build."""

from __future__ import annotations

import datetime
import os


def now() -> datetime.datetime:
    """The time of the build: SOURCE_DATE_EPOCH (https://reproducible-builds.org) or the clock."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if epoch.isascii() and epoch.isdigit() and len(epoch) < 12:
        return datetime.datetime.fromtimestamp(int(epoch), datetime.UTC)
    return datetime.datetime.now(datetime.UTC)


def timestamp(time: datetime.datetime) -> str:
    """UTC to the second, as in `2026-11-20T06:00:00Z`."""
    return time.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
