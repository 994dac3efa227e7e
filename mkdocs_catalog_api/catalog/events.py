"""The events of a day: one Struct for each kind."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct, field
from msgspec.json import schema

from ..items import types
from . import published as fields
from .described import Described, open_words
from .published import LifecycleWord
from .vulnerabilities import SeverityWord

# Not checked with each of many events: the file of a day was.
Slug = Annotated[str, "Slug of the image.", Meta(extra_json_schema=schema(types.Slug))]
Version = Annotated[str, "The version."]
Digests = Annotated[tuple[str, ...], "Digests of the version; empty when none is known."]
Id = Annotated[str, "CVE id, else the advisory's id."]
Aliases = Annotated[tuple[str, ...], "Its other ids, sorted."]
Package = Annotated[str, "Package."]
BaselineReason = Literal["baseline"]
Baseline = Annotated[
    Annotated[BaselineReason, open_words(BaselineReason)] | None,
    "`baseline`: it was there before the history began.",
]
GoneReason = Literal["rebuilt", "superseded", "withdrawn", "scanner"]
FoundReason = Literal["baseline", "renamed"]


class Event(
    Described, Struct, frozen=True, rename="camel", forbid_unknown_fields=True, tag_field="kind", gc=False
):
    """One thing that changed between two recorded days."""

    slug: Slug


class ImageAdded(Event, frozen=True, tag="image-added"):
    """The catalog has a new image."""

    lifecycle: Annotated[LifecycleWord, "Lifecycle of the image."]
    reason: Baseline


class ImageRemoved(Event, frozen=True, tag="image-removed"):
    """The image is no longer in the catalog."""


class LifecycleChanged(Event, frozen=True, tag="lifecycle-changed"):
    """The lifecycle of the image has changed."""

    from_: Annotated[LifecycleWord, "Lifecycle before."] = field(name="from")
    to: Annotated[LifecycleWord, "Lifecycle now."]


class ReleaseAdded(Event, frozen=True, tag="release-added"):
    """The image has a new version."""

    version: Version
    digests: Digests
    reason: Baseline


class ReleaseRemoved(Event, frozen=True, tag="release-removed"):
    """The image no longer lists the version."""

    version: Version


class ReleaseRebuilt(Event, frozen=True, tag="release-rebuilt"):
    """The version has other digests."""

    version: Version
    from_: Annotated[tuple[str, ...], "Digests before; empty when none was known."] = field(name="from")
    to: Annotated[tuple[str, ...], "Digests now; empty when none is known."]


class LatestChanged(Event, frozen=True, tag="latest-changed"):
    """Another version is the newest."""

    from_: Annotated[str | None, "The newest version before; null when there was none."] = field(name="from")
    to: Annotated[str | None, "The newest version; null when there is none."]


class ScanChanged(Event, frozen=True, tag="scan-changed"):
    """The newest version has a scan, or no longer has one, or has one of another scanner."""

    scanned: Annotated[bool, "Whether the newest version has a scan."]
    scanner: Annotated[str | None, "Names and versions of the scanners; null without a scan."]


class GradeChanged(Event, frozen=True, tag="grade-changed"):
    """The newest version has another grade."""

    from_: Annotated[fields.GradeLetter | None, "The grade before; null when there was none."] = field(
        name="from"
    )
    to: Annotated[fields.GradeLetter | None, "The grade; null when there is none."]


class VulnerabilityEvent(Event, frozen=True):
    """A change of one vulnerability of a package in the newest version."""

    version: Annotated[str, "The newest version at that time."]
    id: Id
    aliases: Aliases
    pkg: Package
    severity: Annotated[SeverityWord, "Severity."]


class VulnerabilityFound(VulnerabilityEvent, frozen=True, tag="vulnerability-found"):
    """It is open for the first time, or again."""

    reason: Annotated[
        Annotated[FoundReason, open_words(FoundReason)] | None,
        "`baseline`: it was there before the history began; `renamed`: the image had it under another slug.",
    ]


class VulnerabilityGone(VulnerabilityEvent, frozen=True, tag="vulnerability-gone"):
    """It is no longer reported."""

    reason: Annotated[
        Annotated[GoneReason, open_words(GoneReason)],
        "`rebuilt`: the newest version has another digest; `superseded`: another version is "
        "the newest; `withdrawn`: the image left; `scanner`: it may still be there, but the scans no "
        "longer report it.",
    ]


class VulnerabilityChanged(VulnerabilityEvent, frozen=True, tag="vulnerability-changed"):
    """It has another severity."""

    from_: Annotated[SeverityWord, "Severity before."] = field(name="from")
    to: Annotated[SeverityWord, "Severity now."]


class VulnerabilitySuppressed(VulnerabilityEvent, frozen=True, tag="vulnerability-suppressed"):
    """A VEX statement suppresses it."""

    reason: Baseline


class VulnerabilityReopened(VulnerabilityEvent, frozen=True, tag="vulnerability-reopened"):
    """No VEX statement suppresses it any longer."""


AnyEvent: TypeAlias = (
    ImageAdded
    | ImageRemoved
    | LifecycleChanged
    | ReleaseAdded
    | ReleaseRemoved
    | ReleaseRebuilt
    | LatestChanged
    | ScanChanged
    | GradeChanged
    | VulnerabilityFound
    | VulnerabilityGone
    | VulnerabilityChanged
    | VulnerabilitySuppressed
    | VulnerabilityReopened
)


def in_words(event: AnyEvent) -> str:
    """What happened, as it follows the image's name; empty for vulnerabilities and scans."""
    match event:
        case ImageAdded():
            return "is new in the catalog"
        case ImageRemoved():
            return "left the catalog"
        case LifecycleChanged():
            return f"is {event.to}, no longer {event.from_}"
        case ReleaseAdded():
            return f"{event.version} is released"
        case ReleaseRemoved():
            return f"{event.version} is no longer listed"
        case ReleaseRebuilt() if event.from_:
            return f"{event.version} is rebuilt"
        case GradeChanged() if event.from_ and event.to:
            return f"grade {event.to}, before {event.from_}"
    return ""
