"""Types that several documents share, with the constraints that every written document is checked against."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

from msgspec import Meta, Struct, defstruct
from msgspec.json import schema

from ..items.models import Lifecycle
from ..items.types import Count, Digest, Slug, VersionLabel
from . import grading
from .described import Described, vocabulary

PER_PAGE = 24


S = TypeVar("S", bound=type[Struct])


def schema_name(name: str) -> Callable[[S], S]:
    """Give a Struct another name in schemas than in the code, if the name is taken."""

    def renamed(struct: S) -> S:
        struct.__name__ = name
        return struct

    return renamed


class Document(Described, Struct, rename="camel", forbid_unknown_fields=True, gc=False):
    """Base of all published objects: camelCase, no undeclared fields, every field present."""


def fields_of(struct: type[Struct]) -> dict[str, Any]:
    """Name → type of each field, for another Struct that has them."""
    return get_type_hints(struct, include_extras=True)


def document_struct(
    name: str, doc: str | None, fields: Mapping[str, Any], names: Mapping[str, str] | None = None
) -> type[Struct]:
    """A Struct with these fields, name → type; `names` are those in the JSON that differ from camelCase."""
    options: dict[str, Any] = {"rename": names} if names is not None else {}
    return defstruct(
        name, [*fields.items()], bases=(Document,), module=__name__, namespace={"__doc__": doc}, **options
    )


class Link:
    """Marks the address of a document of this API, which must exist."""


Href = Annotated[str, Meta(pattern="^/", extra_json_schema={"format": "uri-reference"}), Link]
"""Address of a document of this API, from the root of the host."""
AddressTemplate = Annotated[str, Meta(pattern="^/", extra_json_schema={"format": "uri-template"}), Link]
"""Address of documents of this API (RFC 6570, level 1)."""
PageLink = Annotated[str, Meta(pattern="^/", extra_json_schema={"format": "uri-reference"})]
"""Address of a web page of the site, from the root of the host."""
Timestamp = Annotated[
    str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$", extra_json_schema={"format": "date-time"})
]
Day = Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$", extra_json_schema={"format": "date"})]


def _unchecked(kind: Any) -> Meta:
    """The shape of a text, for schemas alone."""
    shape = schema(kind)
    return Meta(
        extra_json_schema={key: shape[key] for key in ("pattern", "maxLength", "format") if key in shape}
    )


# Values copied into every row; their own document has already validated them, and patterns are slow.
UncheckedHref = Annotated[str, _unchecked(Href), Link]
UncheckedSlug = Annotated[str, _unchecked(Slug)]
UncheckedVersionLabel = Annotated[str, _unchecked(VersionLabel)]
UncheckedDigest = Annotated[str, _unchecked(Digest)]
GradeLetter = Annotated[grading.Grade, vocabulary("Grade", grading.Grade)]
LifecycleWord = Annotated[Lifecycle, vocabulary("Lifecycle", Lifecycle)]
Score = Annotated[float, Meta(ge=0, le=100)]

ApiVersion = Annotated[Literal["v1"], "Version of the API."]
Grade = Annotated[GradeLetter | None, "Grade for the worst open vulnerability; null if unknown."]
ScoreIfGraded = Annotated[Score | None, "From 0 (worst) to 100, to one decimal; null if unknown."]
Total = Annotated[Count, "Number of items in the collection, whatever their lifecycle."]

Critical = Annotated[Count, "Open vulnerabilities of critical severity."]
High = Annotated[Count, "Open vulnerabilities of high severity."]
Medium = Annotated[Count, "Open vulnerabilities of medium severity."]
Low = Annotated[Count, "Open vulnerabilities of low severity."]
Unknown = Annotated[Count, "Open vulnerabilities of unknown severity."]
OpenTotal = Annotated[Count, "Open vulnerabilities: the sum of the five severities."]
Fixable = Annotated[Count, "Number of open vulnerabilities with a fix."]
SuppressedTotal = Annotated[Count, "Number of further vulnerabilities suppressed by VEX statements."]

TotalIfScanned = Annotated[Count | None, "Open vulnerabilities: the sum of the five."]
ExploitedIfKnown = Annotated[
    Count | None,
    "Number of open vulnerabilities known to be exploited; null without a scan or without "
    "the list of exploited ones.",
]


class Counters(Document):
    """Open vulnerabilities by severity."""

    critical: Critical
    high: High
    medium: Medium
    low: Low
    unknown: Unknown


def envelope(resource: str, kind: str = "collection") -> dict[str, Any]:
    """The first fields of documents of a resource: name → type."""
    word: Any = Literal.__getitem__(resource)
    name = Annotated[word, f"Name of the {kind}."]
    return {"api_version": ApiVersion, "resource": name}
