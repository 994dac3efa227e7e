"""Results of the recorded days: counts of each day, and how long each vulnerability was open."""

from collections.abc import Mapping, Sequence, Set
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct, field

from ..items.models import Lifecycle
from ..items.types import Count
from .events import Aliases, AnyEvent, GoneReason, Id, Package, Slug, Version
from .published import Counters, Day, Document, ExploitedIfKnown, GradeLetter
from .vulnerabilities import SeverityWord, open_words

EpisodeEnd = Literal[GoneReason, "suppressed"]
Days = Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]


class PopulationFigures(Document, kw_only=True):
    """Counts for one population of images: the newest versions with a scan."""

    total: Annotated[Count, Meta(description="Open vulnerabilities.")]
    by_severity: Annotated[Counters, Meta(description="Open vulnerabilities by severity.")]
    fixable: Annotated[Count, Meta(description="How many of them have a fix.")]
    exploited: ExploitedIfKnown
    images: Annotated[Count, Meta(description="Images, with and without a scan.")]
    images_scanned: Annotated[
        Count, Meta(description="How many of them have a scan of their newest version.")
    ]


class RecordedFigures(Document):
    """Counts of the security summary on a recorded day."""

    all: Annotated[PopulationFigures, Meta(description="All images except planned ones.")]
    available: Annotated[
        PopulationFigures, Meta(description="Of these, the ones with the lifecycle `available`.")
    ]


class FixTimes(Document):
    """Time from the first sight of vulnerabilities to their fix."""

    count: Annotated[Count, Meta(description="Number of fixed vulnerabilities (each counts once per image).")]
    median: Annotated[Days | None, Meta(description="Median of the days it took; null when none was fixed.")]
    percentile90: Annotated[
        Days | None, Meta(description="Days within which 90 % of them were fixed; null when none was.")
    ]


class FixPeriods(Document):
    """Times to fix during the time before the last recorded day."""

    days90: Annotated[FixTimes, Meta(description="Fixed in the 90 days that end with the last record.")]
    days365: Annotated[FixTimes, Meta(description="Fixed in the 365 days that end with the last record.")]


class TimeToFix(Document):
    """Times to fix by the worst severity of each id, without those of unknown start."""

    critical: Annotated[FixPeriods, Meta(description="Of critical severity.")]
    high: Annotated[FixPeriods, Meta(description="Of high severity.")]
    medium: Annotated[FixPeriods, Meta(description="Of medium severity.")]
    low: Annotated[FixPeriods, Meta(description="Of low severity.")]
    unknown: Annotated[FixPeriods, Meta(description="Of unknown severity.")]


class FixEntry(Document):
    """A critical or high vulnerability of an image, from the day it was open to its fix."""

    slug: Slug
    id: Id
    aliases: Aliases
    severity: Annotated[SeverityWord, Meta(description="The worst that it had while it was open.")]
    first_seen: Annotated[
        Day, Meta(description="The first recorded day on which it was open, as in the image's history.")
    ]
    fixed_on: Annotated[
        Day | None,
        Meta(description="The first day on which another build, looked at alike, had it in no package."),
    ]
    fixed_in: Annotated[str | None, Meta(description="The version that was the newest that day.")]
    days: Annotated[
        Count | None,
        Meta(description="Days from `firstSeen` to `fixedOn`; null without a fix."),
    ]
    reason: Annotated[
        Annotated[EpisodeEnd, open_words(EpisodeEnd)] | None,
        Meta(
            description="Why it is no longer open; null while it is open. Without `fixedOn`, it is not a fix."
        ),
    ]


class FixShares(Document):
    """How many vulnerabilities were fixed in time, of those with `days`."""

    count: Annotated[Count, Meta(description="Number of entries with `days`.")]
    days7: Annotated[
        Share | None,
        Meta(
            description="Share of them that were fixed within 7 days, rounded down to three decimals; "
            "null if there are none."
        ),
    ]
    days30: Annotated[Share | None, Meta(description="Share fixed within 30 days.")]
    days90: Annotated[Share | None, Meta(description="Share fixed within 90 days.")]


class Within(Document):
    """How many vulnerabilities were fixed in time, over all recorded days."""

    critical: Annotated[FixShares, Meta(description="Of critical severity.")]
    high: Annotated[FixShares, Meta(description="Of high severity.")]


Ages = Annotated[
    list[Count],
    Meta(
        description="Days from `firstSeen` to the last recorded day: of each entry that is still open, "
        "and of those that were there when the history began, oldest first."
    ),
]


class OpenAges(Document):
    """How old the vulnerabilities are that are still open."""

    critical: Ages
    high: Ages


class ImageFigures(Document):
    """An image from one day on. All counts are null if it is not scanned."""

    date: Annotated[Day, Meta(description="The first day with these values, UTC.")]
    version: Annotated[str | None, Meta(description="The newest version; null when there is none.")]
    scanned: Annotated[bool, Meta(description="Whether the newest version has a scan.")]
    critical: Annotated[Count | None, Meta(description="Open, of critical severity.")]
    high: Annotated[Count | None, Meta(description="Open, of high severity.")]
    medium: Annotated[Count | None, Meta(description="Open, of medium severity.")]
    low: Annotated[Count | None, Meta(description="Open, of low severity.")]
    unknown: Annotated[Count | None, Meta(description="Open, of unknown severity.")]
    total: Annotated[Count | None, Meta(description="Open vulnerabilities: the sum of the five.")]
    suppressed: Annotated[
        Count | None, Meta(description="Number of further vulnerabilities suppressed by VEX statements.")
    ]
    grade: Annotated[GradeLetter | None, Meta(description="Grade of the newest version.")]


class Episode(Document):
    """A vulnerability of a package, from its first open day to its end."""

    id: Id
    aliases: Aliases
    pkg: Package
    severity: Annotated[SeverityWord, Meta(description="The last known severity.")]
    first_seen: Annotated[
        Day,
        Meta(
            description="The first recorded day on which it was open in the image; after a fix, the day "
            "it came back. An end that is not a fix does not change it."
        ),
    ]
    baseline: Annotated[
        bool,
        Meta(description="Whether its start is not known: it was there when the history began."),
    ]
    fixed_on: Annotated[
        Day | None,
        Meta(
            description="The first day on which another build, looked at alike, had it in no package; null "
            "again if it reappears in a digest that was scanned before."
        ),
    ]
    fixed_in: Annotated[Version | None, Meta(description="The newest version on that day.")]
    days: Annotated[
        Count | None,
        Meta(description="Days from `firstSeen` to `fixedOn`; null if either is unknown."),
    ]
    reason: Annotated[
        Annotated[EpisodeEnd, open_words(EpisodeEnd)] | None,
        Meta(
            description="Why it ended; null while it is open. `rebuilt` and `superseded` are fixes if "
            "`fixedOn` is set, `withdrawn`, `scanner` and `suppressed` (by a VEX statement) never are."
        ),
    ]


class KnownDigest(Document):
    """A digest of an image, from the day a version had it."""

    digest: Annotated[str, Meta(description="Digest that the version's page lists or its scan names.")]
    version: Version
    from_: Annotated[Day, Meta(description="The first recorded day on which the version had it.")] = field(
        name="from"
    )
    until: Annotated[
        Day | None,
        Meta(description="The first recorded day on which it no longer had it; null if it still has it."),
    ]


class RecordedDay(NamedTuple):
    """The changes of a recorded day."""

    date: str
    figures: RecordedFigures
    counts: Mapping[str, int]
    """Kind of event → how many, by kind."""
    events: Sequence[AnyEvent]
    fixes: Set[tuple[str, str, str]]
    """Slug, id and package of each fixed vulnerability."""


class ImageRecord(NamedTuple):
    """The record of an image."""

    figures: Sequence[ImageFigures]
    """Oldest first."""
    digests: Sequence[KnownDigest]
    """Oldest first."""
    episodes: Sequence[Episode]
    """Newest first."""
    manifests: Mapping[tuple[str, str], Sequence[tuple[str, str]]]
    """Version and digest → plain platform and digest of each known manifest."""
    lifecycle: Lifecycle
    """On the last day with the image, as is `latest`."""
    latest: str | None


class History(Struct, frozen=True):
    """What the recorded days show."""

    days: Sequence[RecordedDay]
    """Oldest first, at least one."""
    time_to_fix: TimeToFix
    fixes: Sequence[FixEntry]
    """Of critical and high severity, by slug, id and first day; without those of the first day."""
    open: OpenAges
    images: Mapping[str, ImageRecord]
    """Slug → record of every image, former ones included, sorted by slug."""

    @property
    def last(self) -> str:
        """Day of the last recorded day."""
        return self.days[-1].date
