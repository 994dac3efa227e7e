"""Graphs of the history: their geometry and words, which the templates draw as SVG."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence, Set
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from ..catalog.scans import COUNTERS
from .view import Item

_SERIOUS = ("CRITICAL", "HIGH")
WIDTH, HEIGHT = 1000, 100
"""Of a graph, in units that the page stretches."""


class Trend(NamedTuple):
    """Open vulnerabilities over time, as stacked steps: what a day found holds until the next one."""

    rows: Sequence[tuple[str, Item | None]]
    """Day and counters, oldest first; None where nothing was scanned."""
    areas: Sequence[tuple[str, str]]
    """Severity and path of each area that is not empty."""
    gaps: str
    """Path over the days without a scan."""
    most: int
    """Count at the upper edge."""
    label: str
    """The graph in words, for screen readers."""
    caption: str
    """Which images it counts, and how many vulnerabilities are open in which; empty for a single image."""


class Bar(NamedTuple):
    """A release on the timeline."""

    version: str
    released: str | None
    end_of_life: str | None
    start: str
    width: str


def trend(entries: Sequence[Any], until: str) -> Trend | None:
    """The graph of days of `history/index.json` or of figures of an image; None when there is nothing to see.

    `until` is the last recorded day, up to which the last entry holds.
    """
    rows = [(entry["date"], _counters(entry)) for entry in entries]
    totals = [sum(counters.values()) for _, counters in rows if counters]
    if not totals or rows[0][0] == until:
        return None
    first = _day(rows[0][0])
    span = _day(until) - first
    # The last day has a width of its own, or nobody would see it.
    end = span + max(1, span // 30)
    most = _ceiling(max(totals))
    starts = [_day(date) - first for date, _ in rows]
    paths = dict.fromkeys((*COUNTERS, ""), "")
    for start, stop, (_, counters) in zip(starts, [*starts[1:], end], rows, strict=True):
        sides = _number(WIDTH * start / end), _number(WIDTH * stop / end)
        low = 0
        for word, count in counters.items() if counters else ():
            if count:
                paths[word] += _box(*sides, low / most, (low + count) / most)
                low += count
        if counters is None:
            paths[""] += _box(*sides, 0, 1)
    last = rows[-1][1]
    label = f"Open vulnerabilities from {rows[0][0]} to {until}: at most {max(totals)}; at the end "
    label += "not scanned" if last is None else _in_words(last)
    areas = [(word, paths[word]) for word in COUNTERS if paths[word]]
    return Trend(rows, areas, paths[""], most, label, _populations(entries[-1]))


def _populations(entry: Any) -> str:
    """The counts of a day of `history/index.json`, supported images first; empty for those of one image."""
    if entry.get("supported"):
        supported, every = entry["supported"], entry["all"]
        return f"{supported['total']} open in supported images, {every['total']} in all images, as drawn"
    return "All images" if "bySeverity" in entry else ""


def _counters(entry: Any) -> dict[str, int] | None:
    every = entry.get("all")
    if every and every["images"] and not every["scanned"]:
        return None
    counts = (every or entry).get("bySeverity", entry)
    return None if counts["critical"] is None else {word: counts[word] for word in COUNTERS}


def _in_words(counters: dict[str, int]) -> str:
    parts = [f"{count} {word}" for word, count in counters.items() if count]
    return f"{sum(counters.values())} ({', '.join(parts)})" if parts else "none"


def _ceiling(most: int) -> int:
    """The next even number that is easy to read."""
    size = 1
    while True:
        for step in (2, 4, 6, 8, 10, 12, 16):
            if most <= step * size:
                return step * size
        size *= 10


def _box(left: str, right: str, low: float, high: float) -> str:
    return f"M{left} {_number(HEIGHT * (1 - low))}H{right}V{_number(HEIGHT * (1 - high))}H{left}Z"


def _number(value: float) -> str:
    return f"{value:.5g}"


def _day(date: str) -> int:
    return datetime.date.fromisoformat(date).toordinal()


def timeline(versions: Sequence[Any]) -> Sequence[Bar]:
    """The releases that have a day, newest first, from the day of the first to the last day that is known."""
    dated = [version for version in versions if version["released"] or version["endOfLife"]]
    days = [_day(date) for version in dated for date in (version["released"], version["endOfLife"]) if date]
    if not days:
        return []
    first, span = min(days), max(max(days) - min(days), 1)
    bars = []
    for version in dated:
        released, end_of_life = version["released"], version["endOfLife"]
        start = _day(released or end_of_life) - first
        stop = _day(end_of_life) - first if end_of_life else span
        width = max(WIDTH * (stop - start) / span, 8)
        x = min(WIDTH * start / span, WIDTH - width)
        bars.append(Bar(version["version"], released, end_of_life, _number(x), _number(width)))
    return bars


def sentences_of_day(
    events: Sequence[Any], fixes: Set[tuple[str, str, str]]
) -> Iterator[tuple[str, Sequence[str]]]:
    """The events of a day that people look for, in words: slug of an image and its sentences.

    `fixes`: slug, id and package of each fix.
    """
    for slug, group in groupby(events, itemgetter("slug")):
        sentences = [*_sentences([*group], fixes)]
        if sentences:
            yield slug, sentences


def _sentences(events: Sequence[Any], fixes: Set[tuple[str, str, str]]) -> Iterator[str]:
    security: dict[str, dict[str, None]] = {}
    for event in events:
        match event["kind"]:
            case "image-added":
                yield "is new in the catalog"
            case "image-removed":
                yield "left the catalog"
            case "lifecycle-changed":
                yield f"is {event['to']}, no longer {event['from']}"
            case "release-added":
                yield f"{event['version']} is released"
            case "release-removed":
                yield f"{event['version']} is no longer listed"
            case "release-rebuilt" if event["from"]:
                yield f"{event['version']} is rebuilt"
            case "grade-changed" if event["from"] and event["to"]:
                yield f"grade {event['to']}, before {event['from']}"
        if change := _security(event, fixes):
            security.setdefault(change, {})[f"{event['id']} ({event['severity'].lower()})"] = None
    for change, ids in security.items():
        yield f"{change}: {', '.join(ids)}"


def _security(event: Any, fixes: Set[tuple[str, str, str]]) -> str | None:
    if event.get("severity") not in _SERIOUS:
        return None
    match event["kind"]:
        case "vulnerability-found":
            return "found"
        case "vulnerability-reopened":
            return "applies again"
        case "vulnerability-suppressed":
            return "does not apply"
        case "vulnerability-gone" if (event["slug"], event["id"], event["pkg"]) in fixes:
            return "fixed"
    return None


FILTERS = {"trend": trend, "timeline": timeline, "told": sentences_of_day}
