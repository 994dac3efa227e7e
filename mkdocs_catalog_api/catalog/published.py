"""Types that several documents share. Constraints are those that the check of written documents holds."""

from collections.abc import Callable
from typing import Annotated, Literal, TypeVar

from msgspec import Meta, Struct

from . import grading, names
from .docstrings import Described
from .models import Lifecycle
from .vulnerabilities import vocabulary

PER_PAGE = 24


S = TypeVar("S", bound=type[Struct])


def schema_name(name: str) -> Callable[[S], S]:
    """Give a Struct another name in schemas than in the code, where that name is taken."""

    def renamed(struct: S) -> S:
        struct.__name__ = name
        return struct

    return renamed


class Document(Described, Struct, rename="camel", forbid_unknown_fields=True, gc=False):
    """Base of everything that is published: camelCase, nothing undeclared, every field present."""


Counter = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Positive = Annotated[int, Meta(ge=1, le=2**53 - 1)]
LINK = "link"
"""Marks the address of a document of this API, which has to be there."""
Href = Annotated[str, Meta(pattern="^/", extra_json_schema={"format": "uri-reference"}), LINK]
"""Address of a document of this API, from the root of the host."""
AddressTemplate = Annotated[str, Meta(pattern="^/", extra_json_schema={"format": "uri-template"}), LINK]
"""Address of documents of this API (RFC 6570, level 1)."""
PageLink = Annotated[str, Meta(pattern="^/", extra_json_schema={"format": "uri-reference"})]
"""Address of a web page of the site, from the root of the host."""
Timestamp = Annotated[
    str,
    Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$", extra_json_schema={"format": "date-time"}),
]
Text = Annotated[str, Meta(min_length=1)]
Slug = Annotated[str, Meta(pattern=f"^(?:{names.SLUG.pattern})$", max_length=names.SLUG_MAX)]
VersionLabel = Annotated[str, Meta(pattern=f"^(?:{names.VERSION_LABEL.pattern})$")]
Digest = Annotated[str, Meta(pattern=f"^(?:{names.DIGEST.pattern})$")]
# What row after row repeats of another document, where it is checked: patterns take longer than all else.
HrefAgain = Annotated[str, Meta(extra_json_schema={"pattern": "^/", "format": "uri-reference"}), LINK]
SlugAgain = Annotated[
    str, Meta(extra_json_schema={"pattern": f"^(?:{names.SLUG.pattern})$", "maxLength": names.SLUG_MAX})
]
VersionLabelAgain = Annotated[
    str, Meta(extra_json_schema={"pattern": f"^(?:{names.VERSION_LABEL.pattern})$"})
]
DigestAgain = Annotated[str, Meta(extra_json_schema={"pattern": f"^(?:{names.DIGEST.pattern})$"})]
GradeLetter = Annotated[grading.Grade, vocabulary("Grade", grading.Grade)]
LifecycleWord = Annotated[Lifecycle, vocabulary("Lifecycle", Lifecycle)]
Score = Annotated[float, Meta(ge=0, le=100)]

ApiVersion = Annotated[Literal["v1"], Meta(description="Version of the API.")]
Grade = Annotated[
    GradeLetter | None, Meta(description="Letter for the worst open vulnerability; null if it is not known.")
]
ScoreIfGraded = Annotated[
    Score | None,
    Meta(description="From 0 (worst) to 100, to one decimal; null if it is not known."),
]
Total = Annotated[Counter, Meta(description="Number of items in the collection, whatever their lifecycle.")]

Critical = Annotated[Counter, Meta(description="Open vulnerabilities of critical severity.")]
High = Annotated[Counter, Meta(description="Open vulnerabilities of high severity.")]
Medium = Annotated[Counter, Meta(description="Open vulnerabilities of medium severity.")]
Low = Annotated[Counter, Meta(description="Open vulnerabilities of low severity.")]
Unknown = Annotated[Counter, Meta(description="Open vulnerabilities of unknown severity.")]
OpenTotal = Annotated[Counter, Meta(description="Open vulnerabilities: the sum of the five severities.")]
Fixable = Annotated[Counter, Meta(description="How many of them have a fix.")]
SuppressedTotal = Annotated[
    Counter, Meta(description="Further vulnerabilities that VEX statements suppress.")
]

# The same of what may have no scan; null then.
CriticalIfScanned = Annotated[Counter | None, Meta(description="Open vulnerabilities of critical severity.")]
HighIfScanned = Annotated[Counter | None, Meta(description="Open vulnerabilities of high severity.")]
MediumIfScanned = Annotated[Counter | None, Meta(description="Open vulnerabilities of medium severity.")]
LowIfScanned = Annotated[Counter | None, Meta(description="Open vulnerabilities of low severity.")]
UnknownIfScanned = Annotated[Counter | None, Meta(description="Open vulnerabilities of unknown severity.")]
TotalIfScanned = Annotated[Counter | None, Meta(description="Open vulnerabilities: the sum of the five.")]
FixableIfScanned = Annotated[Counter | None, Meta(description="How many of them have a fix.")]
SuppressedIfScanned = Annotated[
    Counter | None, Meta(description="Further vulnerabilities that VEX statements suppress.")
]
ExploitedIfKnown = Annotated[
    Counter | None,
    Meta(
        description="How many open ones are known to be exploited; null without a scan, or if the catalog "
        "does not look for them."
    ),
]


class Counters(Document):
    """Open vulnerabilities by severity."""

    critical: Critical
    high: High
    medium: Medium
    low: Low
    unknown: Unknown
