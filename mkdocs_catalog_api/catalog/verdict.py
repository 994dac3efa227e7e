"""The verdict: what speaks against running a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from .assessment import os_end_of_life
from .value import Release

Concern = Literal[
    "withdrawn",
    "planned",
    "gone",
    "former",
    "not-listed",
    "not-scanned",
    "exploited",
    "critical",
    "scanned-in-part",
    "scan-limited",
    "system-end-of-life",
    "deprecated",
]
CONCERNS: Mapping[Concern, str] = {
    "withdrawn": "its lifecycle",
    "planned": "its lifecycle",
    "gone": "its page lists it, but it left its registry",
    "former": "no page lists it, because its tag has another digest now, or is gone",
    "not-listed": "no page lists it, and nobody knows since when",
    "not-scanned": "nobody looked for vulnerabilities",
    "exploited": "a vulnerability that CISA knows to be exploited is open; never without CISA's list",
    "critical": "a critical vulnerability is open",
    "scanned-in-part": "it has a scan, but no scan covers one of its parts",
    "scan-limited": "scans cover one of its parts, and each has a limit",
    "system-end-of-life": "its operating system gets no more advisories",
    "deprecated": "its lifecycle",
}
"""Word → what it means of a release, in the order in which they are published."""


def concerns(
    release: Release, lifecycle: str | None, *, listed: bool = True, until: str | None = None
) -> list[Concern]:
    """Return what speaks against running a release, or one of its manifests, of an image with this lifecycle.

    `until` is the day on which the label of one that no page lists got another digest, or left. Nothing
    depends on today: the end of support and the scan's age are for the reader to judge.
    """
    selection, figures = release.selection, release.figures
    covered = frozenset(selection.parts).difference(selection.uncovered)
    applies: dict[Concern, object] = {
        "withdrawn": lifecycle == "withdrawn",
        "planned": lifecycle == "planned",
        "gone": listed and release.gone,
        "former": not listed and until,
        "not-listed": not listed and not until,
        "not-scanned": figures is None,
        "exploited": figures and figures.exploited,
        "critical": figures and figures.counters["critical"],
        "scanned-in-part": figures and selection.uncovered,
        "scan-limited": covered - selection.whole,
        "system-end-of-life": os_end_of_life(selection.scans),
        "deprecated": lifecycle == "deprecated",
    }
    return [word for word in CONCERNS if applies[word]]
