"""Documents that say who has a vulnerability."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Literal

from msgspec import Meta

from ...catalog.published import (
    ApiVersion,
    Counter,
    DigestAgain,
    Document,
    Href,
    HrefAgain,
    LifecycleWord,
    Slug,
    SlugAgain,
    Text,
    VersionLabelAgain,
)
from ...catalog.scans import SEVERITIES
from ...catalog.vulnerabilities import (
    ExploitedSince,
    Justification,
    SeverityWord,
    Statement,
    Status,
    cve_order,
)

Resource = Annotated[Literal["cves"], Meta(description="Name of the resource.")]
Id = Annotated[Text, Meta(description="CVE id, else the advisory's id.")]
Severity = Annotated[SeverityWord, Meta(description="The highest that it has in any release.")]
Title = Annotated[str, Meta(description="What it is about; empty when it is not known.")]
Url = Annotated[str, Meta(description="Advisory; empty when it is not known.")]


class CveEntry(Document):
    """One id, and how far it is spread."""

    id: Id
    severity: Severity
    title: Title
    url: Url
    images: Annotated[Counter, Meta(description="Images with an affected release.")]
    releases: Annotated[Counter, Meta(description="Affected releases.")]
    latest: Annotated[Counter, Meta(description="Images whose newest release is affected.")]
    suppressed: Annotated[Counter, Meta(description="Releases in which a VEX statement takes it out.")]
    fixable: Annotated[Counter, Meta(description="Affected packages in releases that have a fix.")]
    charts: Annotated[Counter, Meta(description="Charts that pin something affected.")]
    exploited: ExploitedSince
    href: Annotated[
        Href | None, Meta(description="Where it is found; null when its name can't be that of a file.")
    ]


class CveIndex(Document):
    """Every id that a scan of a listed release, or of what a chart pins, has found."""

    api_version: ApiVersion
    resource: Resource
    total: Annotated[Counter, Meta(description="Number of ids.")]
    data: Annotated[list[CveEntry], Meta(description="One entry for each, the worst first.")]

    def faults(self) -> Iterator[str]:
        if self.total != len(self.data):
            yield f"data: {len(self.data)} entries, where total says {self.total}"
        keys = [(SEVERITIES.index(entry.severity), cve_order(entry.id), entry.id) for entry in self.data]
        if any(after <= before for before, after in pairwise(keys)):
            yield "data is not in the order of severity and id"
        for entry in self.data:
            if not entry.latest <= entry.images <= entry.releases:
                yield f"{entry.id}: {entry.latest} of {entry.images} images and {entry.releases} releases"


class AffectedRelease(Document):
    """A release that has it open, in one package."""

    slug: Annotated[SlugAgain, Meta(description="Slug of the image.")]
    version: Annotated[VersionLabelAgain, Meta(description="Label of the release.")]
    is_latest: Annotated[bool, Meta(description="Whether it is the newest.")]
    lifecycle: Annotated[LifecycleWord, Meta(description="Where the image stands.")]
    digest: Annotated[DigestAgain | None, Meta(description="Digest of the release, the first of them.")]
    pkg: Annotated[str, Meta(description="Package.")]
    installed: Annotated[str, Meta(description="Version that is installed.")]
    fixed: Annotated[str, Meta(description="Version that has the fix; empty when there is none.")]
    href: Annotated[HrefAgain, Meta(description="Release document.")]


class SilencedRelease(AffectedRelease):
    """A release in which a VEX statement takes it out, in one package."""

    status: Status
    justification: Justification
    statement: Statement


class AffectedChart(Document):
    """A chart with a pin that has it open."""

    slug: Annotated[Slug, Meta(description="Slug of the chart.")]
    href: Annotated[Href, Meta(description="Item document.")]


class CveDocument(Document):
    """Where one vulnerability is found."""

    api_version: ApiVersion
    resource: Resource
    id: Id
    severity: Severity
    title: Title
    url: Url
    total: Annotated[Counter, Meta(description="Number of affected packages in releases.")]
    data: Annotated[
        list[AffectedRelease], Meta(description="An entry for each, by slug, newest release first.")
    ]
    suppressed: Annotated[list[SilencedRelease], Meta(description="Where a VEX statement takes it out.")]
    charts: Annotated[
        list[AffectedChart],
        Meta(description="Charts with a pin that has it open, also one that is on no page; by slug."),
    ]
    exploited: ExploitedSince

    def faults(self) -> Iterator[str]:
        if self.total != len(self.data):
            yield f"data: {len(self.data)} entries, where total says {self.total}"
