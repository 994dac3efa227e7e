"""The lines of an image over time: the days of their versions with grades, and the end of support."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from ..catalog.value import Image, Release

WIDTH = 1000
"""Of the time that is shown, in units that the page stretches."""
_LINES = 8
"""The newest lines are shown; the table of versions has all."""
_LABELS = 6


class Line(NamedTuple):
    """A line of the default variant."""

    newest: Release
    support: tuple[float, float] | None
    """Where its support begins, and how long it is; None if its end is not known."""
    versions: Sequence[tuple[float, Release]]
    """Where each version with a release day is."""


class Timeline(NamedTuple):
    """Lines from January 1 of the first year to January 1 of the last one."""

    lines: Sequence[Line]
    years: Sequence[int]
    """The years with a label; all are equally far from each other."""
    today: float | None
    """Where the newest scan of the catalog is; the script moves it to the reader's day."""

    @property
    def most(self) -> int:
        """The greatest number of open vulnerabilities in a newest version."""
        return max((line.newest.figures.total for line in self.lines if line.newest.figures), default=0)


def timeline(image: Image, as_of: str) -> Timeline | None:
    """The lines of the default variant; None if these are not two, or one whose end of support is known, or
    if fewer than two days are. `as_of` is a time, or empty.

    A line begins with its first release day, or at the left edge if none is known.
    """
    variant = image.releases[0].entry.variant if image.releases else ""
    groups: dict[str, list[Release]] = {}
    for release in image.releases:
        if release.entry.variant == variant and not release.gone:
            groups.setdefault(release.entry.line, []).append(release)
    shown = [*groups.values()][:_LINES]
    days = [
        date.fromisoformat(str(day))
        for releases in shown
        for release in releases
        for day in (release.entry.released, release.entry.end_of_life)
        if day
    ]
    if len({*days}) < 2 or not (shown[1:] or shown[0][0].entry.end_of_life):
        return None
    first, latest = min(days).year, max(days)
    last = latest.year + (latest > date(latest.year, 1, 1))
    step = -(-(last - first) // _LABELS)
    years = [*range(first, last + step, step)]
    start, end = (date(year, 1, 1).toordinal() for year in (years[0], years[-1]))

    def place(day: object) -> float:
        return round(WIDTH * (date.fromisoformat(str(day)[:10]).toordinal() - start) / (end - start), 1)

    lines = []
    for releases in shown:
        versions = [(place(each.entry.released), each) for each in releases if each.entry.released]
        ends = releases[0].entry.end_of_life
        begin = min((where for where, _ in versions), default=0.0)
        length = round(place(ends) - begin, 1) if ends else 0
        support = (begin, length) if length > 0 else None
        lines.append(Line(releases[0], support, versions))
    return Timeline(lines, years, place(as_of) if as_of else None)
