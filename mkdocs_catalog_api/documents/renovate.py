"""Possible updates. Documents that Renovate's custom datasource takes as they are
(https://docs.renovatebot.com/modules/datasource/custom/): unknown fields are absent, as it accepts
no null.
"""

from typing import Annotated
from urllib.parse import urljoin

from msgspec import UNSET, Meta, UnsetType

from ..catalog.addresses import web_address
from ..catalog.published import Document, Timestamp
from ..catalog.value import Catalog, Image
from ..items.models import VersionEntry
from ..items.types import Digest, VersionLabel
from .kinds import SLUG, Documents, Kind

_PATH = "renovate/{slug}.json"
RENOVATE = Kind("renovate", "lookups", optional=True)
WebAddress = Annotated[str, Meta(pattern="^[Hh][Tt][Tt][Pp][Ss]?://", extra_json_schema={"format": "uri"})]


class RenovateRelease(Document, kw_only=True):
    """One version; unknown fields are absent."""

    version: Annotated[VersionLabel, "The version: its tag."]
    release_timestamp: Annotated[Timestamp | UnsetType, "Beginning of the release day (UTC)."] = UNSET
    digest: Annotated[Digest | UnsetType, "Its digest, if it has only one."] = UNSET
    is_deprecated: Annotated[bool, "Whether the image is deprecated or withdrawn."]
    changelog_url: Annotated[
        WebAddress | UnsetType, "Web page of the image; absent without a `site_url`."
    ] = UNSET


class RenovateTags(Document):
    """Tags that move."""

    latest: Annotated[VersionLabel, "The newest version."]


@RENOVATE.route(
    _PATH,
    "getRenovateImage",
    "The versions of an image, for Renovate",
    "Renovate's custom datasource takes it without a transform. Unknown fields are absent.",
    SLUG,
    listed="renovate",
)
class RenovateImage(Document, kw_only=True):
    """Every version of one image, as Renovate's custom datasource takes it."""

    releases: Annotated[list[RenovateRelease], "Versions, newest first.", Meta(min_length=1)]
    source_url: Annotated[WebAddress | UnsetType, "Source code."] = UNSET
    homepage: Annotated[WebAddress | UnsetType, "Home page of the software."] = UNSET
    tags: Annotated[RenovateTags, "Tags that move."]


@RENOVATE.generator
def _documents(catalog: Catalog) -> Documents:
    for image in catalog.images:
        if image.releases:
            yield _PATH.format(slug=image.entry.slug), _document(catalog, image)


def _document(catalog: Catalog, image: Image) -> RenovateImage:
    entry = image.entry
    page: str | UnsetType = UNSET
    if catalog.site_url:
        page = web_address(urljoin(catalog.site_url, catalog.addresses.web(image.page.url)))
    deprecated = entry.lifecycle in ("deprecated", "withdrawn")
    return RenovateImage(
        releases=[_release(version, page, deprecated=deprecated) for version in entry.versions],
        source_url=entry.source or UNSET,
        homepage=entry.homepage or UNSET,
        tags=RenovateTags(entry.versions[0].version),
    )


def _release(version: VersionEntry, page: str | UnsetType, *, deprecated: bool) -> RenovateRelease:
    return RenovateRelease(
        version=version.version,
        release_timestamp=f"{version.released}T00:00:00Z" if version.released else UNSET,
        digest=version.only_digest or UNSET,
        is_deprecated=deprecated,
        changelog_url=page,
    )
