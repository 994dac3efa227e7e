"""What recorded days show: figures of each day, and since when each vulnerability was open."""

from collections.abc import Mapping, Sequence, Set
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct

from .events import AnyEvent, GoneReason, Id, Package, Version
from .grading import GRADES, Grade
from .published import Counter, Counters, Document, GradeLetter
from .vulnerabilities import SeverityWord, open_words

Date = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", extra_json_schema={"format": "date"})]
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
EpisodeEnd = Literal[GoneReason, "suppressed"]
Days = Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)]


class Head(Document):
    """The last day of the chain."""

    date: Annotated[Date, Meta(description="Its date.")]
    sha256: Annotated[Sha256, Meta(description="SHA-256 of its file, which names that of the day before.")]


class PopulationFigures(Document):
    """What the security summary counted for one population: the newest releases that had a scan."""

    total: Annotated[Counter, Meta(description="Open vulnerabilities.")]
    by_severity: Annotated[Counters, Meta(description="The same by severity.")]
    fixable: Annotated[Counter, Meta(description="How many of them have a fix.")]
    images: Annotated[Counter, Meta(description="Images, with and without a scan.")]
    scanned: Annotated[Counter, Meta(description="How many of them had a scan of their newest release.")]


class RecordedFigures(Document):
    """What the security summary counted on a recorded day."""

    all: Annotated[PopulationFigures, Meta(description="All images but planned ones.")]
    supported: Annotated[PopulationFigures, Meta(description="Those whose lifecycle was `available`.")]


class DayFigures(Document):
    """The catalog at the end of a recorded day.

    Of an image whose newest release has no scan that day, what its last scan found still counts.
    """

    date: Annotated[Date, Meta(description="Day of the record, UTC.")]
    total: Annotated[
        Counter, Meta(description="Open vulnerabilities: distinct ids and packages of each image.")
    ]
    by_severity: Annotated[Counters, Meta(description="The same by severity.")]
    suppressed: Annotated[Counter, Meta(description="How many more VEX statements took out.")]
    images: Annotated[Counter, Meta(description="Images in the catalog.")]
    releases: Annotated[Counter, Meta(description="Releases that they list.")]
    scanned: Annotated[Counter, Meta(description="Images whose newest release had a scan.")]
    by_grade: Annotated[
        dict[Grade, Counter],
        Meta(
            description="Grade → how many images had it.",
            extra_json_schema={"propertyNames": {"enum": [*GRADES], "type": "string"}},
        ),
    ]
    all: Annotated[
        PopulationFigures | None,
        Meta(description="The security summary's counts of that day; null for a day recorded without."),
    ]
    supported: Annotated[
        PopulationFigures | None,
        Meta(description="The same of supported images alone; null for a day recorded without."),
    ]


class DayCounts(NamedTuple):
    """Open vulnerabilities at the end of a recorded day; None where there were images and no scan.

    They are the figures that the day recorded; for a day recorded without, what its replay gives.
    """

    date: str
    supported: Counters | None
    all: Counters | None


class FixTimes(Document):
    """How long it took until vulnerabilities were fixed."""

    fixed: Annotated[Counter, Meta(description="How many were fixed (an id of an image counts once).")]
    median: Annotated[Days | None, Meta(description="Median of the days it took; null when none was fixed.")]
    percentile90: Annotated[
        Days | None, Meta(description="Days within which 90 % of them were fixed; null when none was.")
    ]


class FixWindows(Document):
    """Times to fix over the time before the last record."""

    days90: Annotated[FixTimes, Meta(description="Fixed in the 90 days that end with the last record.")]
    days365: Annotated[FixTimes, Meta(description="Fixed in the 365 days that end with the last record.")]


class TimeToFix(Document):
    """Times to fix by the worst severity that an id had, without those whose beginning nobody knows."""

    critical: Annotated[FixWindows, Meta(description="Of critical severity.")]
    high: Annotated[FixWindows, Meta(description="Of high severity.")]
    medium: Annotated[FixWindows, Meta(description="Of medium severity.")]
    low: Annotated[FixWindows, Meta(description="Of low severity.")]
    unknown: Annotated[FixWindows, Meta(description="Of a severity that nobody knows.")]


class ImageFigures(Document):
    """An image from one day on. Not scanned: every figure is null."""

    date: Annotated[Date, Meta(description="The first day of which this is known, UTC.")]
    version: Annotated[str | None, Meta(description="The newest release; null when there is none.")]
    scanned: Annotated[bool, Meta(description="Whether the newest release has a scan.")]
    critical: Annotated[Counter | None, Meta(description="Open, of critical severity.")]
    high: Annotated[Counter | None, Meta(description="Open, of high severity.")]
    medium: Annotated[Counter | None, Meta(description="Open, of medium severity.")]
    low: Annotated[Counter | None, Meta(description="Open, of low severity.")]
    unknown: Annotated[Counter | None, Meta(description="Open, of a severity that nobody knows.")]
    total: Annotated[Counter | None, Meta(description="Open vulnerabilities: the sum of the five.")]
    suppressed: Annotated[Counter | None, Meta(description="How many more VEX statements took out.")]
    grade: Annotated[GradeLetter | None, Meta(description="Grade of the newest release.")]


class Episode(Document):
    """A vulnerability of a package, from the day it was open to the day it was not."""

    id: Id
    pkg: Package
    severity: Annotated[SeverityWord, Meta(description="The last that was known.")]
    first_seen: Annotated[
        Date,
        Meta(
            description="The first recorded day on which the id was open in the image; after a fix, the day "
            "it came back. An end that is not a fix does not change it."
        ),
    ]
    baseline: Annotated[
        bool,
        Meta(
            description="Nobody knows since when it was there: it was when the history began, or another "
            "slug listed the image before."
        ),
    ]
    fixed: Annotated[
        Date | None,
        Meta(
            description="The first day on which a fixed release was scanned; null again if the id reappears "
            "in a digest that was scanned before."
        ),
    ]
    fixed_in: Annotated[Version | None, Meta(description="The release that was the newest then.")]
    days: Annotated[
        Counter | None,
        Meta(description="Days from `firstSeen` to `fixed`; null when one of them is not known."),
    ]
    reason: Annotated[
        Annotated[EpisodeEnd, open_words(EpisodeEnd)] | None,
        Meta(
            description="Why it ended; null while it is open. `rebuilt` and `superseded` are fixes if "
            "`fixed` is set, `withdrawn`, `scanner` and `suppressed` (by a VEX statement) never are."
        ),
    ]


class RecordedDay(NamedTuple):
    """What changed on a recorded day."""

    date: str
    previous: str | None
    """SHA-256 of the day before."""
    sha256: str
    figures: RecordedFigures | None
    counts: Mapping[str, int]
    """Kind of event → how many, by kind."""
    events: Sequence[AnyEvent]
    fixes: Set[tuple[str, str, str]]
    """Slug, id and package of what was gone by a fix."""


class ImageRecord(NamedTuple):
    """What is recorded of an image."""

    figures: Sequence[ImageFigures]
    """Oldest first."""
    episodes: Sequence[Episode]
    """Newest first."""


class History(Struct, frozen=True):
    """The recorded days, replayed."""

    days: Sequence[RecordedDay]
    """Oldest first, at least one."""
    head: Head
    figures: Sequence[DayFigures]
    """Of each day."""
    trend: Sequence[DayCounts]
    """Of each day."""
    time_to_fix: TimeToFix
    images: Mapping[str, ImageRecord]
    """Slug → record of every image that ever was, by slug."""
