"""Results of the recorded days: counts of each day, and how long each vulnerability was open."""

from collections.abc import Mapping, Sequence, Set
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct, field

from ..items.models import Lifecycle
from ..items.types import Count
from .described import open_words
from .events import Aliases, AnyEvent, GoneReason, Id, Package, Slug, Version
from .published import Counters, Day, Document, ExploitedIfKnown, GradeLetter
from .vulnerabilities import SeverityWord

EpisodeEnd = Literal[GoneReason, "suppressed"]
Days = Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]


class PopulationFigures(Document, kw_only=True):
    """Counts for one population of images: the newest versions with a scan."""

    total: Annotated[Count, "Open vulnerabilities."]
    by_severity: Annotated[Counters, "Open vulnerabilities by severity."]
    fixable: Annotated[Count, "How many of them have a fix."]
    exploited: ExploitedIfKnown
    images: Annotated[Count, "Images, with and without a scan."]
    images_scanned: Annotated[Count, "How many of them have a scan of their newest version."]


class RecordedFigures(Document):
    """Counts of the security summary on a recorded day."""

    all: Annotated[PopulationFigures, "All images except planned ones."]
    available: Annotated[PopulationFigures, "Of these, the ones with the lifecycle `available`."]


class FixTimes(Document):
    """Time from the first sight of vulnerabilities to their fix."""

    count: Annotated[Count, "Number of fixed vulnerabilities (each counts once per image)."]
    median: Annotated[Days | None, "Median of the days it took; null when none was fixed."]
    percentile90: Annotated[Days | None, "Days within which 90 % of them were fixed; null when none was."]


class FixPeriods(Document):
    """Times to fix during the time before the last recorded day."""

    days90: Annotated[FixTimes, "Fixed in the 90 days that end with the last record."]
    days365: Annotated[FixTimes, "Fixed in the 365 days that end with the last record."]


class TimeToFix(Document):
    """Times to fix by the worst severity of each id, without those of unknown start."""

    critical: Annotated[FixPeriods, "Of critical severity."]
    high: Annotated[FixPeriods, "Of high severity."]
    medium: Annotated[FixPeriods, "Of medium severity."]
    low: Annotated[FixPeriods, "Of low severity."]
    unknown: Annotated[FixPeriods, "Of unknown severity."]


class FixEntry(Document):
    """A critical or high vulnerability of an image, from the day it was open to its fix."""

    slug: Slug
    id: Id
    aliases: Aliases
    severity: Annotated[SeverityWord, "The worst that it had while it was open."]
    first_seen: Annotated[Day, "The first recorded day on which it was open, as in the image's history."]
    fixed_on: Annotated[
        Day | None, "The first day on which another build, looked at alike, had it in no package."
    ]
    fixed_in: Annotated[str | None, "The version that was the newest that day."]
    days: Annotated[Count | None, "Days from `firstSeen` to `fixedOn`; null without a fix."]
    reason: Annotated[
        Annotated[EpisodeEnd, open_words(EpisodeEnd)] | None,
        "Why it is no longer open; null while it is open. Without `fixedOn`, it is not a fix.",
    ]


class FixShares(Document):
    """How many vulnerabilities were fixed in time, of those with `days`."""

    count: Annotated[Count, "Number of entries with `days`."]
    days7: Annotated[
        Share | None,
        "Share of them that were fixed within 7 days, rounded down to three decimals; "
        "null if there are none.",
    ]
    days30: Annotated[Share | None, "Share fixed within 30 days."]
    days90: Annotated[Share | None, "Share fixed within 90 days."]


class Within(Document):
    """How many vulnerabilities were fixed in time, over all recorded days."""

    critical: Annotated[FixShares, "Of critical severity."]
    high: Annotated[FixShares, "Of high severity."]


Ages = Annotated[
    list[Count],
    "Days from `firstSeen` to the last recorded day: of each entry that is still open, "
    "and of those that were there when the history began, oldest first.",
]


class OpenAges(Document):
    """How old the vulnerabilities are that are still open."""

    critical: Ages
    high: Ages


class ImageFigures(Document):
    """An image from one day on. All counts are null if it is not scanned."""

    date: Annotated[Day, "The first day with these values, UTC."]
    version: Annotated[str | None, "The newest version; null when there is none."]
    scanned: Annotated[bool, "Whether the newest version has a scan."]
    critical: Annotated[Count | None, "Open, of critical severity."]
    high: Annotated[Count | None, "Open, of high severity."]
    medium: Annotated[Count | None, "Open, of medium severity."]
    low: Annotated[Count | None, "Open, of low severity."]
    unknown: Annotated[Count | None, "Open, of unknown severity."]
    total: Annotated[Count | None, "Open vulnerabilities: the sum of the five."]
    suppressed: Annotated[Count | None, "Number of further vulnerabilities suppressed by VEX statements."]
    grade: Annotated[GradeLetter | None, "Grade of the newest version."]


class Episode(Document):
    """A vulnerability of a package, from its first open day to its end."""

    id: Id
    aliases: Aliases
    pkg: Package
    severity: Annotated[SeverityWord, "The last known severity."]
    first_seen: Annotated[
        Day,
        "The first recorded day on which it was open in the image; after a fix, the day "
        "it came back. An end that is not a fix does not change it.",
    ]
    baseline: Annotated[bool, "Whether its start is not known: it was there when the history began."]
    fixed_on: Annotated[
        Day | None,
        "The first day on which another build, looked at alike, had it in no package; null "
        "again if it reappears in a digest that was scanned before.",
    ]
    fixed_in: Annotated[Version | None, "The newest version on that day."]
    days: Annotated[Count | None, "Days from `firstSeen` to `fixedOn`; null if either is unknown."]
    reason: Annotated[
        Annotated[EpisodeEnd, open_words(EpisodeEnd)] | None,
        "Why it ended; null while it is open. `rebuilt` and `superseded` are fixes if "
        "`fixedOn` is set, `withdrawn`, `scanner` and `suppressed` (by a VEX statement) never are.",
    ]


class KnownDigest(Document):
    """A digest of an image, from the day a version had it."""

    digest: Annotated[str, "Digest that the version's page lists or its scan names."]
    version: Version
    from_: Annotated[Day, "The first recorded day on which the version had it."] = field(name="from")
    until: Annotated[
        Day | None, "The first recorded day on which it no longer had it; null if it still has it."
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
