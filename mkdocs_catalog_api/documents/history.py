"""What changed from day to day: documents of each recorded day, and of each image."""

from typing import Annotated, Literal

from msgspec import Meta

from ..catalog import addresses
from ..catalog.events import AnyEvent, Slug
from ..catalog.history import (
    Date,
    DayFigures,
    Episode,
    Head,
    ImageFigures,
    ImageRecord,
    RecordedFigures,
    Sha256,
    TimeToFix,
)
from ..catalog.published import ApiVersion, Counter, Document, Href
from ..catalog.value import Catalog
from .kinds import IMAGE_SLUG, Documents, Kind, Parameter, Route

Total = Annotated[Counter, Meta(description="Number of entries in `data`.")]
EventCounts = Annotated[
    dict[str, Counter], Meta(description="Kind of event → how many; kinds without one are left out.")
]


class ChangedDay(Document):
    """A day on which something changed, or nothing."""

    date: Annotated[Date, Meta(description="Day of the record, UTC.")]
    href: Annotated[Href, Meta(description="What changed on that day.")]
    counts: EventCounts


class Changes(Document):
    """Every recorded day, newest first."""

    api_version: ApiVersion
    resource: Annotated[Literal["changes"], Meta(description="Name of the resource.")]
    total: Total
    data: Annotated[list[ChangedDay], Meta(description="The days, newest first.")]


class ChangesLinks(Document):
    """Addresses around a day."""

    prev: Annotated[Href | None, Meta(description="The recorded day before; null on the first.")]
    collection: Annotated[Href, Meta(description="All recorded days.")]


class DayChanges(Document):
    """What changed on one day, as its file in the history says it. No later day changes this document."""

    api_version: ApiVersion
    resource: Annotated[Literal["changes"], Meta(description="Name of the resource.")]
    date: Annotated[Date, Meta(description="Day of the record, UTC.")]
    previous: Annotated[
        Sha256 | None, Meta(description="SHA-256 of the file of the day before; null on the first.")
    ]
    sha256: Annotated[Sha256, Meta(description="SHA-256 of the file of this day.")]
    figures: Annotated[
        RecordedFigures | None,
        Meta(description="The security summary's counts of that day; null for a day recorded without."),
    ]
    links: Annotated[ChangesLinks, Meta(description="Addresses around the day.")]
    total: Annotated[Counter, Meta(description="Number of events.")]
    counts: EventCounts
    data: Annotated[
        list[AnyEvent],
        Meta(description="The events in the order of the file; the first day is the `baseline`."),
    ]


class HistoryIndex(Document):
    """The figures of every recorded day, oldest first."""

    api_version: ApiVersion
    resource: Annotated[Literal["history"], Meta(description="Name of the resource.")]
    head: Annotated[Head, Meta(description="The last day of the chain.")]
    total: Total
    data: Annotated[list[DayFigures], Meta(description="The days, oldest first.")]
    time_to_fix: Annotated[TimeToFix, Meta(description="How long it took until vulnerabilities were fixed.")]


class ImageHistory(Document):
    """The history of one image."""

    api_version: ApiVersion
    resource: Annotated[Literal["history"], Meta(description="Name of the resource.")]
    slug: Slug
    figures: Annotated[
        list[ImageFigures], Meta(description="An entry for each day that changed them, oldest first.")
    ]
    vulnerabilities: Annotated[
        list[Episode], Meta(description="Every vulnerability of a newest release, those seen last first.")
    ]


def history_index(catalog: Catalog) -> HistoryIndex | None:
    """The figures of the recorded days; None when no day is recorded."""
    history = catalog.history
    if history is None:
        return None
    figures = [*history.figures]
    return HistoryIndex("v1", "history", history.head, len(figures), figures, history.time_to_fix)


def image_history(slug: str, image: ImageRecord) -> ImageHistory:
    """What is recorded of an image."""
    return ImageHistory("v1", "history", slug, [*image.figures], [*image.episodes])


def day_changes(catalog: Catalog) -> list[DayChanges]:
    """What changed on each recorded day, oldest first."""
    days, at = catalog.history.days if catalog.history else (), catalog.addresses
    links = [None, *(at.api(addresses.changes(day.date)) for day in days)]
    collection = at.api(addresses.CHANGES)
    return [
        DayChanges(
            "v1",
            "changes",
            day.date,
            day.previous,
            day.sha256,
            day.figures,
            ChangesLinks(before, collection),
            sum(day.counts.values()),
            {**day.counts},
            [*day.events],
        )
        for day, before in zip(days, links, strict=False)
    ]


def all_changes(catalog: Catalog) -> Changes:
    """Every recorded day, newest first."""
    days, at = catalog.history.days if catalog.history else (), catalog.addresses
    listed = [ChangedDay(day.date, at.api(addresses.changes(day.date)), {**day.counts}) for day in days]
    return Changes("v1", "changes", len(listed), listed[::-1])


def _documents(catalog: Catalog) -> Documents:
    index = history_index(catalog)
    if catalog.history is None or index is None:
        return
    for day in day_changes(catalog):
        yield addresses.changes(day.date), day
    yield addresses.CHANGES, all_changes(catalog)
    yield addresses.HISTORY, index
    for slug, image in catalog.history.images.items():
        yield addresses.image_history(slug), image_history(slug, image)


_DAY = Parameter("date", "A recorded day, as in `changes.json`.", Date)
HISTORY = Kind(
    "history",
    routes=(
        Route(
            addresses.CHANGES,
            "listChanges",
            "history",
            "Every recorded day",
            "How much changed on each day, newest first. A catalog without a history has no such documents.",
            Changes,
        ),
        Route(
            addresses.changes("{date}"),
            "getDayChanges",
            "history",
            "What changed on one day",
            "The events of the day by image, with what it takes to rebuild its file and prove the chain.",
            DayChanges,
            (_DAY,),
            goes_with="contents",
        ),
        Route(
            addresses.HISTORY,
            "getHistory",
            "history",
            "Figures of every recorded day",
            "Open vulnerabilities, images and grades at the end of each day, and how long fixes took.",
            HistoryIndex,
        ),
        Route(
            addresses.image_history("{slug}"),
            "getImageHistory",
            "history",
            "The history of one image",
            "Its figures over time, and since when each vulnerability was open, when it was fixed and in "
            "what.",
            ImageHistory,
            (IMAGE_SLUG,),
            goes_with="image",
        ),
    ),
    templates={"dayChanges": "changes/{date}.json", "imageHistory": "history/{slug}.json"},
    documents=_documents,
    needs=lambda catalog, settings: catalog.history is not None,
)
