"""Documents of the history: recorded days with their events, figures, time to fix, and images."""

from collections.abc import Iterable
from typing import Annotated, Literal

from ..catalog import addresses
from ..catalog.events import AnyEvent, Slug
from ..catalog.published import ApiVersion, Day, Document, Href
from ..catalog.recorded import (
    Episode,
    FixEntry,
    FixShares,
    History,
    ImageFigures,
    ImageRecord,
    KnownDigest,
    OpenAges,
    PopulationFigures,
    TimeToFix,
    Within,
)
from ..catalog.value import Catalog
from ..items.types import Count
from .kinds import IMAGE_SLUG, Documents, Kind, Parameter

_LIMITS = (7, 30, 90)
"""Limits in days."""
HISTORY = Kind("history", "history", needs=lambda catalog, settings: catalog.history is not None)
_DAY = Parameter("date", "A recorded day, as in `changes.json`.", Day)
Total = Annotated[Count, "Number of entries in `data`."]


class ChangedDay(Document):
    """A recorded day, with or without changes."""

    date: Annotated[Day, "Day of the record, UTC."]
    href: Annotated[Href, "The changes of that day."]
    counts: Annotated[
        dict[str, Count], "Kind of event → number of events; a kind without events is left out."
    ]
    all: Annotated[
        PopulationFigures, "The security summary's counts of that day: all images except planned ones."
    ]
    available: Annotated[PopulationFigures, "The same of the images with the lifecycle `available`."]


@HISTORY.route(
    addresses.CHANGES,
    "listChanges",
    "Every recorded day",
    "The number of changes on each day and its counts, newest first: the trend. Only a catalog with "
    "a history has them.",
    listed="changes",
)
class Changes(Document):
    """Every recorded day, newest first."""

    api_version: ApiVersion
    resource: Annotated[Literal["changes"], "Name of the resource."]
    total: Total
    data: Annotated[list[ChangedDay], "The days, newest first."]


class ChangesLinks(Document):
    """Links of a day."""

    prev: Annotated[Href | None, "The recorded day before; null on the first."]
    collection: Annotated[Href, "All recorded days."]


@HISTORY.route(
    addresses.changes("{date}"),
    "getDayChanges",
    "The changes of one day",
    "The events of the day by image.",
    _DAY,
    listed="dayChanges",
)
class DayChanges(Document):
    """The changes of one day. No later day changes it."""

    api_version: ApiVersion
    resource: Annotated[Literal["changes"], "Name of the resource."]
    date: Annotated[Day, "Day of the record, UTC."]
    links: Annotated[ChangesLinks, "Links of the day."]
    total: Annotated[Count, "Number of events."]
    data: Annotated[list[AnyEvent], "The events by slug; the first day is the `baseline`."]


@HISTORY.route(
    addresses.FIXES,
    "listFixes",
    "Time to fix of critical and high vulnerabilities",
    "Each of them with its first day and its fix, how many were fixed within 7, 30 and 90 days, and "
    "how old the open ones are; the times to fix of every severity.",
    listed="fixes",
)
class Fixes(Document):
    """Every critical and high vulnerability with its first day and its fix.

    Those of the first recorded day are left out. One that comes back after its fix has another entry.
    """

    api_version: ApiVersion
    resource: Annotated[Literal["fixes"], "Name of the resource."]
    total: Total
    within: Annotated[Within, "How many were fixed in time."]
    open: Annotated[OpenAges, "Age of the open ones."]
    time_to_fix: Annotated[TimeToFix, "How long fixes took, of every severity."]
    data: Annotated[list[FixEntry], "An entry for each vulnerability of an image, by slug, id and first day."]


@HISTORY.route(
    addresses.image_history("{slug}"),
    "getImageHistory",
    "The history of one image",
    "Its figures over time, its digests, and each vulnerability with its first day and its fix.",
    IMAGE_SLUG,
    listed="imageHistory",
)
class ImageHistory(Document):
    """The history of one image."""

    api_version: ApiVersion
    resource: Annotated[Literal["history"], "Name of the resource."]
    slug: Slug
    figures: Annotated[list[ImageFigures], "An entry for each day with other figures, oldest first."]
    digests: Annotated[list[KnownDigest], "Every digest that a version has or had, oldest first."]
    vulnerabilities: Annotated[
        list[Episode], "Every vulnerability of a newest version, by first day, newest first."
    ]


def _fixes(history: History) -> Fixes:
    """Every critical and high vulnerability with its fix."""
    entries = [*history.fixes]
    by_severity = [
        [entry for entry in entries if entry.severity == severity] for severity in ("CRITICAL", "HIGH")
    ]
    within = Within(*map(_shares, by_severity))
    return Fixes("v1", "fixes", len(entries), within, history.open, history.time_to_fix, entries)


def _shares(entries: Iterable[FixEntry]) -> FixShares:
    days = [entry.days for entry in entries if entry.days is not None]
    return FixShares(
        len(days), *(_share(sum(number <= limit for number in days), len(days)) for limit in _LIMITS)
    )


def _share(part: int, whole: int) -> float | None:
    """Round down to three decimals; a whole number is an `int`, so that JSON shows the shortest number."""
    if not whole:
        return None
    thousandths = 1000 * part // whole
    return thousandths / 1000 if thousandths % 1000 else thousandths // 1000


def image_history(slug: str, image: ImageRecord) -> ImageHistory:
    """Return the history of an image."""
    return ImageHistory("v1", "history", slug, [*image.figures], [*image.digests], [*image.episodes])


@HISTORY.generator
def _documents(catalog: Catalog) -> Documents:
    history, at = catalog.history, catalog.addresses
    if history is None:
        return
    changed, before, collection = list[ChangedDay](), None, at.api(addresses.CHANGES)
    for day in history.days:
        path, events = addresses.changes(day.date), [*day.events]
        links = ChangesLinks(before, collection)
        yield path, DayChanges("v1", "changes", day.date, links, len(events), events)
        before, figures = at.api(path), day.figures
        changed.append(ChangedDay(day.date, before, {**day.counts}, figures.all, figures.available))
    yield addresses.CHANGES, Changes("v1", "changes", len(changed), changed[::-1])
    yield addresses.FIXES, _fixes(history)
    for slug, image in history.images.items():
        yield addresses.image_history(slug), image_history(slug, image)
