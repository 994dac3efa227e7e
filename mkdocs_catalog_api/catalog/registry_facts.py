"""Facts from registries: the files `registry/images/{slug}.json` and `registry/charts/{slug}.json`.

`catalog-api sync` writes them, the build reads them. Tags of one digest are one version, so a label on a
page may be the `version` of an entry or one of its `tags`. No tag occurs twice in a file; an entry that is
`gone` may have the digest of another one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import msgspec
from msgspec import Meta, Struct, field

from .lines import parse_label
from .names import CHART_VERSION, DIGEST, PLATFORM, VERSION_LABEL

FACTS_FOLDER = "registry"
"""Folder of what registries know, relative to mkdocs.yml."""
ANNOTATIONS = ("org.opencontainers.image.", "artifacthub.io/")
"""Prefixes of the names of stored annotations."""

_Digest = Annotated[str, Meta(pattern=rf"\A(?:{DIGEST.pattern})\Z")]
_Tag = Annotated[str, Meta(pattern=rf"\A(?:{VERSION_LABEL.pattern})\Z")]
_Platform = Annotated[str, Meta(pattern=rf"\A(?:{PLATFORM.pattern})\Z")]
_Time = Annotated[str, Meta(pattern=r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\Z")]
_Size = Annotated[int, Meta(ge=0, le=2**53 - 1)]


class PlatformFacts(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The manifest of an image for one platform."""

    platform: _Platform
    digest: _Digest
    """Of the platform's manifest."""
    size: _Size | None = None
    """Sum of the compressed layers in bytes; None if the registry does not have the manifest."""


class ImageVersionFacts(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A digest of an image and its tags."""

    version: _Tag
    """The most exact of its tags, as `label_first` decides."""
    digest: _Digest
    """Of the index, else of the only manifest."""
    tags: tuple[_Tag, ...] = ()
    """Its other tags, sorted."""
    manifests: tuple[PlatformFacts, ...] = ()
    """One for each platform, in the order of the index; attestations are not platforms."""
    created: _Time | None = None
    """UTC; None if unknown, as for the years 1 and 1970 of reproducible builds."""
    annotations: dict[str, str] = field(default_factory=dict)
    """Of the index, else of the manifest, else labels; only names that begin as in `ANNOTATIONS`, sorted."""
    attestations: tuple[str, ...] = ()
    """Predicate and artifact types found, attached or as referrers, sorted."""
    signature: str | None = None
    """`cosign` if a signature was found; it is not verified."""
    gone: bool = False
    """Whether the registry no longer has a tag `version`."""


class ChartVersionFacts(Struct, frozen=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True):
    """A version of a chart."""

    version: Annotated[str, Meta(pattern=rf"\A(?:{CHART_VERSION.pattern})\Z", max_length=128)]
    """As in Chart.yaml; a `+` is `_` in the tag."""
    digest: _Digest | None = None
    """Of the manifest in a registry, or of the package in a classic repository, where it is optional."""
    tags: tuple[_Tag, ...] = ()
    """All tags of the manifest, sorted; none in a classic repository."""
    created: _Time | None = None
    app_version: str | None = None
    description: str | None = None
    home: str | None = None
    sources: tuple[str, ...] = ()
    annotations: dict[str, str] = field(default_factory=dict)
    """Of the manifest and of Chart.yaml, which wins; only names that begin as in `ANNOTATIONS`, sorted."""
    attestations: tuple[str, ...] = ()
    signature: str | None = None
    gone: bool = False


VersionFacts = ImageVersionFacts | ChartVersionFacts


class ImageFacts(Struct, frozen=True, forbid_unknown_fields=True):
    """The file of an image."""

    image: str
    """Reference without a tag, as on the page when the file was written."""
    versions: tuple[ImageVersionFacts, ...]
    """Sorted by label."""


class ChartFacts(Struct, frozen=True, forbid_unknown_fields=True):
    """The file of a chart."""

    chart: str
    """`oci://…`, or the https address of a classic repository."""
    versions: tuple[ChartVersionFacts, ...]


def encode(facts: ImageFacts | ChartFacts) -> bytes:
    """The file, with one value per line, so that its changes can be reviewed."""
    return msgspec.json.format(msgspec.json.encode(facts)) + b"\n"


def label_first(tags: Iterable[str]) -> list[str]:
    """The tags of one digest: the most exact one, then the others, sorted.

    The most exact one has the most numbers, then the most revisions and the fewest other words: `17.6-r2` of
    `17`, `17.6`, `17.6-r2`, `17.6-alpine` and `latest`. Among equals it is the newest.
    """
    ordered = sorted(tags)
    label = max(ordered, key=_exactness, default=None)
    return [] if label is None else [label, *(tag for tag in ordered if tag != label)]


def _exactness(tag: str) -> tuple[object, ...]:
    label = parse_label(tag)
    return len(label.numbers), len(label.marks), -len(label.words), label.key, -len(tag)
