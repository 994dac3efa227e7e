"""Security documents: release records, details, the summary and the index."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, RootModel, model_validator

from ...catalog.models import Model
from ...catalog.types import Digest, Slug, Text, VersionLabel
from .fields import (
    GRADE,
    SCORE,
    ApiVersion,
    Counter,
    Counters,
    CountersIfScanned,
    Grade,
    Href,
    Score,
    Severity,
    Timestamp,
)


class Vulnerability(Model):
    """One vulnerability of one package. A text that is not known is empty."""

    id: Annotated[str, Field(min_length=1, description="CVE id, else the advisory's id.")]
    severity: Annotated[Severity, Field(description="The highest that a source gives it.")]
    pkg: Annotated[str, Field(description="Package.")]
    installed: Annotated[str, Field(description="Version that is installed.")]
    fixed: Annotated[str, Field(description="Version that has the fix; empty when there is none.")]
    title: Annotated[str, Field(description="What it is about, as the scanner says it.")]
    url: Annotated[str, Field(description="Advisory.")]
    targets: Annotated[list[str], Field(description="Parts of the image where it was found.")]


class Suppressed(Vulnerability):
    """A vulnerability that a VEX statement took out."""

    status: Annotated[Literal["not_affected", "fixed"], Field(description="What the statement says.")]
    justification: Annotated[str, Field(description="Why it is not affected; empty when it is not said.")]
    statement: Annotated[str, Field(description="Id of the VEX document that says so.")]


class Rows(RootModel[list[Vulnerability]]):
    """The vulnerabilities of a release by themselves."""


class _RecordCounts(Model):
    version: Annotated[VersionLabel, Field(description="Label of the release.")]
    scanned: Annotated[bool, Field(description="Whether the release has a scan.")]
    total: Annotated[Counter | None, Field(description="Open vulnerabilities, deduplicated.")]
    fixable: Annotated[Counter | None, Field(description="How many of them have a fix.")]
    grade: Annotated[Grade | None, GRADE]
    score: Annotated[Score | None, SCORE]


class _RecordRows(_RecordCounts):
    cves: Annotated[list[Vulnerability] | None, Field(description="The vulnerabilities, worst first.")]


class _RecordScan(Model):
    findings: Annotated[Counter | None, Field(description="Raw findings, before deduplication.")]
    unique: Annotated[Counter | None, Field(description="Distinct ids of the vulnerabilities.")]
    digest: Annotated[Digest | None, Field(description="What was scanned.")]
    scanned_at: Annotated[Timestamp | None, Field(description="UTC time of the scan.")]
    scanner: Annotated[Text | None, Field(description="Name and version of the scanner.")]
    os_end_of_life: Annotated[
        bool | None,
        Field(description="The operating system gets no more advisories: finding nothing then means little."),
    ]
    suppressed: Annotated[
        list[Suppressed] | None, Field(description="Vulnerabilities that VEX statements took out.")
    ]


class ReleaseHead(_RecordScan, CountersIfScanned, _RecordCounts):
    """A release without its rows."""

    @model_validator(mode="after")
    def _scanned_or_null(self) -> Self:
        missing = {name for name, value in self.__dict__.items() if value is None}
        if self.scanned and not missing <= {"grade", "score", "digest", "scanned_at", "os_end_of_life"}:
            raise ValueError("scanned, but without figures")
        if not self.scanned and missing | {"version", "scanned"} != self.__dict__.keys():
            raise ValueError("not scanned, but with figures")
        return self


class ReleaseFields(_RecordScan, CountersIfScanned, _RecordRows):
    """Vulnerability data of one release. Not scanned: all but `version` and `scanned` is null."""


class Release(ReleaseFields):
    """Vulnerability data of one release. Not scanned: all but `version` and `scanned` is null."""


class SecurityHead(Model):
    """What the documents of one image begin with."""

    api_version: ApiVersion
    resource: Annotated[Literal["security"], Field(description="Name of the resource.")]
    slug: Annotated[Slug, Field(description="Slug of the image.")]
    image: Annotated[str, Field(min_length=1, description="Reference of the image without a tag.")]


class ReleaseDocument(ReleaseFields, SecurityHead):
    """Vulnerability data of one release of one image. Not scanned: every figure is null."""


class SecurityDetail(SecurityHead):
    """Vulnerability data of every release of one image."""

    latest: Annotated[Release, Field(description="Record of the newest version.")]
    versions: Annotated[
        list[Release], Field(min_length=1, description="A record for each version, newest first.")
    ]


class SummaryEntry(Counters):
    """Figures of one scanned image: those of its newest version."""

    total: Annotated[Counter, Field(description="Open vulnerabilities: the sum of the five severities.")]
    fixable: Annotated[Counter, Field(description="How many of them have a fix.")]
    suppressed: Annotated[Counter, Field(description="How many more VEX statements took out.")]
    grade: Annotated[Grade | None, GRADE]
    score: Annotated[Score | None, SCORE]
    version: Annotated[VersionLabel, Field(description="The newest version.")]
    href: Annotated[Href, Field(description="Security detail of the image.")]

    @model_validator(mode="after")
    def _sums_hold(self) -> Self:
        if self.total != self.counted():
            raise ValueError(f"total is {self.total}, but the severities add up to {self.counted()}")
        return self


class SecuritySummary(Model):
    """Open vulnerabilities across the catalog: those of the newest version of each image."""

    api_version: ApiVersion
    resource: Annotated[Literal["security"], Field(description="Name of the resource.")]
    total: Annotated[Counter, Field(description="Open vulnerabilities: the sum over the images.")]
    by_severity: Annotated[Counters, Field(description="The same by severity.")]
    images_with_cves: Annotated[Counter, Field(description="Images with at least one.")]
    images: Annotated[dict[str, SummaryEntry], Field(description="Slug of each scanned image → figures.")]
    scanned: Annotated[Counter, Field(description="Images whose newest version has a scan.")]
    unscanned: Annotated[list[Slug], Field(description="Slugs of the images without one.")]
    fixable: Annotated[Counter, Field(description="How many of all vulnerabilities have a fix.")]
    suppressed: Annotated[Counter, Field(description="How many more VEX statements took out.")]
    unique: Annotated[Counter, Field(description="Distinct ids of all vulnerabilities.")]

    @model_validator(mode="after")
    def _sums_hold(self) -> Self:
        images = self.images.values()
        for name, said, found in (
            ("total", self.total, sum(image.total for image in images)),
            ("bySeverity", self.by_severity.counted(), self.total),
            *(
                (f"bySeverity.{word}", count, sum(getattr(image, word) for image in images))
                for word, count in self.by_severity
            ),
            ("imagesWithCves", self.images_with_cves, sum(image.total > 0 for image in images)),
            ("scanned", self.scanned, len(images)),
            ("fixable", self.fixable, sum(image.fixable for image in images)),
            ("suppressed", self.suppressed, sum(image.suppressed for image in images)),
        ):
            if said != found:
                raise ValueError(f"{name} is {said}, but the images give {found}")
        return self


class SecurityIndexEntry(Model):
    """One scanned image: figures of its newest version."""

    slug: Annotated[Slug, Field(description="Slug of the image.")]
    name: Annotated[Text, Field(description="Name for people.")]
    image: Annotated[str, Field(min_length=1, description="Reference of the image without a tag.")]
    version: Annotated[VersionLabel, Field(description="The newest version.")]
    grade: Annotated[Grade | None, GRADE]
    score: Annotated[Score | None, SCORE]
    critical: Annotated[Counter, Field(description="Open vulnerabilities of critical severity.")]
    high: Annotated[Counter, Field(description="Open vulnerabilities of high severity.")]
    medium: Annotated[Counter, Field(description="Open vulnerabilities of medium severity.")]
    low: Annotated[Counter, Field(description="Open vulnerabilities of low severity.")]
    unknown: Annotated[Counter, Field(description="Open vulnerabilities whose severity nobody knows.")]
    total: Annotated[Counter, Field(description="Open vulnerabilities: the sum of the five severities.")]
    fixable: Annotated[Counter, Field(description="How many of them have a fix.")]
    scanned_at: Annotated[Timestamp | None, Field(description="UTC time of the scan.")]
    href: Annotated[Href, Field(description="Security detail of the image.")]

    @model_validator(mode="after")
    def _sums_hold(self) -> Self:
        counted = self.critical + self.high + self.medium + self.low + self.unknown
        if self.total != counted:
            raise ValueError(f"total is {self.total}, but the severities add up to {counted}")
        return self
