"""What the three headers of a published document are worth to those who read it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from ..problems import Level
from ..publish.host_headers import HEADERS
from ..sources.reports.normalise import text

_HOUR = 3600

_Verdict = tuple[Level, str] | None


def _open_cors(value: str | None) -> _Verdict:
    wanted = HEADERS["Access-Control-Allow-Origin"]
    if value == wanted:
        return None
    return Level.ERROR, f"; it has to be {wanted!r}, so that every script can read"


def _json_type(value: str | None) -> _Verdict:
    kind, _, parameter = (value or "").lower().partition(";")
    if kind.strip() == "application/json" and parameter.strip() in ("", "charset=utf-8"):
        return None
    return Level.ERROR, "; it has to be 'application/json'"


def _an_hour(value: str | None) -> _Verdict:
    """Shorter or longer than an hour is worth a note: some hosts, GitHub Pages for one, leave no choice."""
    parts = [part.strip().lower() for part in (value or "").split(",")]
    ages = [int(found[1]) for part in parts if (found := re.fullmatch(r"max-age=(\d{1,9})", part, re.ASCII))]
    if len(ages) != 1 or not ages[0] or {"no-store", "no-cache", "private"} & set(parts):
        wanted = HEADERS["Cache-Control"]
        return Level.ERROR, f"; it has to be {wanted!r}, so that copies are kept for an hour"
    if ages[0] == _HOUR:
        return None
    return Level.INFO, f": copies are kept for {ages[0]} seconds instead of an hour"


_CHECKS: Mapping[str, Callable[[str | None], _Verdict]] = {
    "Access-Control-Allow-Origin": _open_cors,
    "Cache-Control": _an_hour,
    "Content-Type": _json_type,
}


def header_faults(headers: Mapping[str, str], path: str) -> Iterator[tuple[Level, str]]:
    """What is wrong (or, as a note, unusual) with the headers of the document at `path`, in words."""
    for name, check in _CHECKS.items():
        if check is _json_type and not path.endswith(".json"):
            continue
        value = headers.get(name)
        if verdict := check(value):
            shown = "is missing" if value is None else f"is {text(value)[:100]!r}"
            yield verdict[0], f"{name} {shown}{verdict[1]}"
