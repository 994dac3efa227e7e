"""The answer on the security page, what to fix first, and the changes of its counts in four weeks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from ..catalog.populations import Population, Populations
from ..catalog.recorded import PopulationFigures
from ..catalog.scans import COUNTERS
from ..catalog.verdict import Concern, concerns
from ..items.collections import COLLECTIONS, PINNING
from .history_graphs import day_number
from .view import CatalogView, Item

SERIOUS = ("critical", "high")
_WORST: Sequence[Concern] = ("exploited", "critical")
_DAYS = 28
_WEEK = 7


_IN_WORDS: Mapping[Concern, str] = {
    "gone": "no longer in the registry",
    "exploited": "known to be exploited",
    "scanned-in-part": "scanned in part",
    "scan-limited": "scan leaves vulnerabilities out",
    "system-end-of-life": "operating system ended",
}
"""Those that neither the counts nor the lifecycle show."""


class Earlier(NamedTuple):
    """Counts of the available images on a recorded day."""

    figures: PopulationFigures
    date: str
    recent: bool
    """Whether the day is four weeks ago, or at most a week more."""

    def count(self, words: Iterable[str] = COUNTERS) -> int:
        """The number of open vulnerabilities of these severities."""
        return sum(getattr(self.figures.by_severity, word) for word in words)


class Headline(NamedTuple):
    """The answer at the top of the page, and the filters of its link."""

    answer: str
    details: Sequence[str]
    """Short items that follow it."""
    worst: str
    """The worst severity that is open; `none` if the scans are complete and found nothing."""
    severities: Sequence[str]
    """Severities of the images that need work first; empty when there are none."""
    affected: int
    """Number of available images with these severities."""


def earlier(view: CatalogView) -> Earlier | None:
    """The recorded day to compare today with; None if no day is old enough.

    Days on which more images were scanned than now are not compared: a missing scan is not a fix.
    """
    history = view.value.history if view.value else None
    population = view.populations.available
    if history is None or not population.scanned:
        return None
    today = max([history.last, *(time[:10] for time in population.times)])
    age = {day.date: day_number(today) - day_number(day.date) for day in history.days}
    old = [day for day in history.days if age[day.date] >= _DAYS]
    if not old or not 0 < old[-1].figures.available.images_scanned <= population.scanned:
        return None
    date = old[-1].date
    return Earlier(old[-1].figures.available, date, age[date] < _DAYS + _WEEK)


def headline(view: CatalogView, earlier: Earlier | None) -> Headline:
    """The sentence on the available images, and the items that follow it."""
    every, available = view.populations
    figures, counters = available.figures, available.figures.counters
    elsewhere = [*_elsewhere(view.populations), *_installing(view)]
    if not available.scanned:
        what = "available image" if every.scanned else "image"
        answer = f"No {what} has been scanned yet, so nothing is known."
        return Headline(answer, elsewhere, "unknown", (), 0)
    severities = SERIOUS if any(counters[word] for word in SERIOUS) else COUNTERS
    affected = sum(any(each.counters[word] for word in severities) for _, _, each in available.newest())
    unscanned = len(available.images) - available.scanned
    ungraded = available.scanned - available.grades.total()
    answer = _answer(available, severities, affected)
    if figures.exploited:
        answer += f" {_are(figures.exploited)} known to be exploited."
    details = [_compared(figures.total, earlier)] if earlier else []
    details += elsewhere
    if unscanned:
        details.append(f"{counted(unscanned, 'image')} {'is' if unscanned == 1 else 'are'} not scanned")
    if ungraded:
        details.append(f"The scans of {counted(ungraded, 'image')} can't show everything")
    worst = next((word for word in COUNTERS if counters[word]), "unknown" if unscanned + ungraded else "none")
    return Headline(answer, details, worst, severities if affected else (), affected)


def _answer(available: Population, severities: Sequence[str], affected: int) -> str:
    if not affected:
        return f"No known vulnerability is open in {counted(available.scanned, 'image')}."
    counters, counts = available.figures.counters, available.figures.counts
    serious = [f"{thousands(counters[word])} {word}" for word in SERIOUS if counters[word]]
    total = sum(counters[word] for word in severities)
    words = " and ".join(serious) or thousands(total)
    noun = "vulnerability is" if total == 1 else "vulnerabilities are"
    answer = f"{words} {noun} open in {thousands(affected)} of {counted(available.scanned, 'image')}"
    if not serious:
        answer += ", none critical or high"
    by_severity = zip(COUNTERS, counts.fixable, strict=True)
    fixable = sum(count for word, count in by_severity if word in severities)
    return f"{answer}. {thousands(fixable or 'None')} of them {'has' if fixable == 1 else 'have'} a fix."


def _compared(total: int, earlier: Earlier) -> str:
    change = total - earlier.count()
    than = f"{thousands(abs(change))} {'more' if change > 0 else 'fewer'} than" if change else "as many as"
    when = "four weeks earlier" if earlier.recent else f"on {earlier.date}"
    return f"{thousands(total)} of any severity, {than} {when}"


def _elsewhere(populations: Populations) -> list[str]:
    """An item on the open vulnerabilities of deprecated and withdrawn images."""
    every, available = populations
    more = every.figures.total - available.figures.total
    critical = every.figures.counters["critical"] - available.figures.counters["critical"]
    if not more:
        return []
    of_them = f", {thousands(critical)} of them critical" if critical else ""
    noun = "more" if available.scanned else "open"
    return [f"Deprecated and withdrawn images have {thousands(more)} {noun}{of_them}"]


def _installing(view: CatalogView) -> Iterator[str]:
    """An item for each collection on its available items that pin an image with a critical vulnerability."""
    for name in PINNING:
        critical = (
            item["lifecycle"] == "available" and bool(cast(Item, item["security"])["critical"])
            for item in getattr(view, name)
        )
        if number := sum(critical):
            one = COLLECTIONS[name].one
            noun = f"{one} installs" if number == 1 else f"{one}s install"
            yield f"{thousands(number)} {noun} a version with a critical vulnerability"


def fix_first(items: Sequence[Item], view: CatalogView) -> list[tuple[Item, Sequence[str]]]:
    """The available images with an open vulnerability, each with its further concerns in words.

    `items` are in order; those with the worst concern, such as an exploited vulnerability, are moved up.
    """
    available = view.populations.available.newest()
    words = {image.entry.slug: concerns(release, image.entry.lifecycle) for image, release, _ in available}
    affected = [item for item in items if item["slug"] in words and cast(Item, item["security"])["total"]]
    affected.sort(key=lambda item: [word not in words[str(item["slug"])] for word in _WORST])
    return [
        (item, [_IN_WORDS[word] for word in words[str(item["slug"])] if word in _IN_WORDS])
        for item in affected
    ]


def _are(count: int) -> str:
    return f"{thousands(count)} {'is' if count == 1 else 'are'}"


def changed(now: int, then: int, earlier: Earlier) -> str:
    """The change of a count: `▼ 26 fewer in 4 weeks`."""
    when = "in 4 weeks" if earlier.recent else f"since {earlier.date}"
    change = now - then
    if not change:
        return f"no change {when}"
    return f"{'▲' if change > 0 else '▼'} {thousands(abs(change))} {'more' if change > 0 else 'fewer'} {when}"


def thousands(figure: int | str) -> str:
    """A number with thousands separators; text is returned unchanged."""
    return f"{figure:,}".replace(",", "\N{NARROW NO-BREAK SPACE}") if isinstance(figure, int) else figure


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 image`, `2 images`, with a thousands separator."""
    several = plural or (noun[:-1] + "ies" if noun.endswith("y") else noun + "s")
    return f"{thousands(number)} {noun if number == 1 else several}"


def by_source(causes: Sequence[Any], view: CatalogView) -> list[dict[str, Any]]:
    """The packages behind the counts, most first; those of one source package are `parts` of one."""
    if view.value is None:
        return []
    name_of = view.value.name_of
    sources: dict[tuple[str, str], str] = {}
    images: dict[tuple[str, str], set[str]] = defaultdict(set)
    for image, release, _ in view.populations.available.newest():
        for entry in release.contents.packages if release.contents else ():
            if entry.source:
                sources[entry.package.type, name_of(entry.package)] = entry.source
        for row in release.assessment.rows if release.assessment else ():
            images[row.package.type, name_of(row.package)].add(image.entry.slug)
    groups = defaultdict(list)
    for cause in causes:
        groups[cause["type"], sources.get((cause["type"], cause["name"]), cause["name"])].append(cause)
    joined = [
        {
            "parts": parts,
            "open": {word: sum(part["open"][word] for part in parts) for word in COUNTERS},
            **{key: sum(part[key] for part in parts) for key in ("total", "fixable")},
            "images": len(set().union(*(images[part["type"], part["name"]] for part in parts))),
            "fixed": list(dict.fromkeys(version for part in parts for version in part["fixed"])),
        }
        for parts in groups.values()
    ]
    return sorted(joined, key=lambda each: -each["total"])


FILTERS = {
    "by_source": by_source,
    "earlier": earlier,
    "headline": headline,
    "fix_first": fix_first,
    "changed": changed,
    "thousands": thousands,
    "counted": counted,
}
