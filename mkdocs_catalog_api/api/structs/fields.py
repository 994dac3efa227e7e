"""Types and fields that several documents share."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Protocol, TypeVar

from pydantic import AfterValidator, BaseModel, Field, ValidationInfo, WithJsonSchema, create_model

from ...catalog.models import Model

PER_PAGE = 24


class Links(Protocol):
    """Judges the addresses of a document; given as the context of its validation."""

    def api_link(self, address: str) -> None:
        """Raise ValueError when this can't be the address of a document of the API."""

    def page_link(self, address: str) -> None:
        """Raise ValueError when this can't be the address of a page of the site."""


def _api_link(value: str, info: ValidationInfo) -> str:
    links: Links | None = info.context
    if links is not None:
        links.api_link(value)
    return value


def _page_link(value: str, info: ValidationInfo) -> str:
    links: Links | None = info.context
    if links is not None:
        links.page_link(value)
    return value


# Not the types of `catalog.types`: those begin with reading what an author wrote, once per number.
Counter = Annotated[int, Field(ge=0, le=2**53 - 1, strict=True)]
Positive = Annotated[int, Field(ge=1, le=2**53 - 1, strict=True)]
_ROOTED = Field(pattern="^/", json_schema_extra={"format": "uri-reference"})
Href = Annotated[str, _ROOTED, AfterValidator(_api_link)]
"""Address of a document of this API, from the root of the host."""
PageLink = Annotated[str, _ROOTED, AfterValidator(_page_link)]
"""Address of a web page of the site, from the root of the host."""
Timestamp = Annotated[
    str,
    Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$", json_schema_extra={"format": "date-time"}),
]
Severity = Literal["CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN"]
Grade = Literal["A+", "A", "B", "C", "D", "F"]
Score = Annotated[
    int | float, Field(ge=0, le=100), WithJsonSchema({"type": "number", "minimum": 0, "maximum": 100})
]
Resource = Literal["images", "charts", "roadmap", "updates"]

GRADE = Field(description="Letter for the worst that is open; null when it can't be told.")
SCORE = Field(description="From 0 (worst) to 100, to one decimal; null when it can't be told.")

ApiVersion = Annotated[Literal["v1"], Field(description="Version of the API.")]
Critical = Annotated[Counter, Field(description="Open vulnerabilities of critical severity.")]
High = Annotated[Counter, Field(description="Open vulnerabilities of high severity.")]
Medium = Annotated[Counter, Field(description="Open vulnerabilities of medium severity.")]
Low = Annotated[Counter, Field(description="Open vulnerabilities of low severity.")]
Unknown = Annotated[Counter, Field(description="Open vulnerabilities whose severity nobody knows.")]


class Counters(Model):
    """Open vulnerabilities by severity."""

    critical: Critical
    high: High
    medium: Medium
    low: Low
    unknown: Unknown

    def counted(self) -> int:
        return self.critical + self.high + self.medium + self.low + self.unknown


class CountersIfScanned(Model):
    """Open vulnerabilities by severity; all null without a scan."""

    critical: Annotated[Counter | None, Field(description="Open vulnerabilities of critical severity.")]
    high: Annotated[Counter | None, Field(description="Open vulnerabilities of high severity.")]
    medium: Annotated[Counter | None, Field(description="Open vulnerabilities of medium severity.")]
    low: Annotated[Counter | None, Field(description="Open vulnerabilities of low severity.")]
    unknown: Annotated[Counter | None, Field(description="Open vulnerabilities whose severity nobody knows.")]


M = TypeVar("M", bound=BaseModel)


def always_present(model: type[M]) -> type[M]:
    """The model without defaults: whatever authors may leave out, a published document has every field."""
    definitions: dict[str, Any] = {
        name: (
            info.rebuild_annotation(),
            Field(alias=info.alias, description=info.description, json_schema_extra=info.json_schema_extra),
        )
        for name, info in model.model_fields.items()
        if not (info.is_required() or info.exclude)
    }
    return create_model(
        model.__name__, __base__=model, __module__=model.__module__, __doc__=model.__doc__, **definitions
    )
