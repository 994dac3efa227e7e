"""The verdict: what speaks against running a release."""

from __future__ import annotations

from typing import Literal, get_args

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
CONCERNS: tuple[Concern, ...] = get_args(Concern)


def concerns(
    release: Release, lifecycle: str | None, *, listed: bool = True, until: str | None = None
) -> list[Concern]:
    """Return what speaks against running a release, or one of its manifests, of an image with this lifecycle.

    1. `withdrawn`, `planned`, `deprecated`: the image's lifecycle.
    2. `gone`: a page lists it, but it left its registry.
    3. `former`: no page lists it, and `until` is the day on which its label got another digest, or left.
       `not-listed`: no page lists it, and that day is unknown.
    4. `not-scanned`: it has no scan.
    5. `exploited`, `critical`: such a vulnerability is open. Without CISA's list nothing is `exploited`.
    6. `scanned-in-part`: it has a scan, and no scan covers one of its parts.
       `scan-limited`: scans cover one of its parts, and each has a limit.
    7. `system-end-of-life`: its operating system gets no more advisories.

    Nothing depends on the day: the end of support and the scan's age are for the reader to judge.
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
