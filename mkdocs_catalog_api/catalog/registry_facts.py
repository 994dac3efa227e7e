"""Facts from registries: the files `registry/images/{slug}.json` and `registry/charts/{slug}.json`.

`catalog-api sync` writes them, the build reads them. Tags of one digest are one version, so a label on a
page may be the `version` of an entry or one of its `tags`. No tag occurs twice in the versions of a file; an
entry that is `gone` may have the digest of another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated

import msgspec
from msgspec import Meta, Struct, field

from .lines import parse_label
from .names import CHART_VERSION, DIGEST, MANIFEST_PLATFORM, VERSION_LABEL

FACTS_FOLDER = "registry"
"""Folder of what registries know, relative to mkdocs.yml."""
ANNOTATIONS = ("org.opencontainers.image.", "artifacthub.io/")
"""Prefixes of the names of stored annotations."""

UNKNOWN_PLATFORM = "unknown/unknown"
_MOST_FORMER = 20
"""Number of former digests that are kept of a version."""

_Digest = Annotated[str, Meta(pattern=rf"\A(?:{DIGEST.pattern})\Z")]
_Tag = Annotated[str, Meta(pattern=rf"\A(?:{VERSION_LABEL.pattern})\Z")]
_Platform = Annotated[str, Meta(pattern=rf"\A(?:{MANIFEST_PLATFORM.pattern})\Z")]
_Time = Annotated[str, Meta(pattern=r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\Z")]
_Day = Annotated[str, Meta(pattern=r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")]
_Size = Annotated[int, Meta(ge=0, le=2**53 - 1)]


class ManifestFacts(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A manifest of an image."""

    platform: _Platform
    """Several manifests for one platform have the version or features of the system in brackets."""
    digest: _Digest
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
    manifests: tuple[ManifestFacts, ...] = ()
    """All, in the order of the index and of the indexes in it; not attestations."""
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


class FormerFacts(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A digest that a version had before."""

    version: Annotated[
        str, Meta(pattern=rf"\A(?:{VERSION_LABEL.pattern}|{CHART_VERSION.pattern})\Z", max_length=128)
    ]
    digest: _Digest
    manifests: tuple[ManifestFacts, ...] = ()
    until: _Day
    """Day of the run that saw the change."""


class ImageFacts(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The file of an image."""

    image: str
    """Reference without a tag, as on the page when the file was written."""
    versions: tuple[ImageVersionFacts, ...]
    """Sorted by label."""
    former: tuple[FormerFacts, ...] = ()
    """Newest first, at most 20 of a version."""


class ChartFacts(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The file of a chart."""

    chart: str
    """`oci://…`, or the https address of a classic repository."""
    versions: tuple[ChartVersionFacts, ...]
    former: tuple[FormerFacts, ...] = ()


def former_after(
    before: ImageFacts | ChartFacts, versions: Iterable[VersionFacts], day: str, forgotten_before: str = ""
) -> tuple[FormerFacts, ...]:
    """The former digests of a file that gets these versions on a day, without those that ended earlier than
    the day `forgotten_before`.
    """
    present = {(label, facts.digest) for facts in versions for label in (facts.version, *facts.tags)}
    known: Iterable[VersionFacts] = before.versions
    changed = [
        FormerFacts(
            version=facts.version,
            digest=facts.digest,
            manifests=facts.manifests if isinstance(facts, ImageVersionFacts) else (),
            until=day,
        )
        for facts in known
        if facts.digest
    ]
    former: dict[tuple[str, str | None], FormerFacts] = {}
    counts = Counter[str]()
    for each in sorted([*changed, *before.former], key=lambda each: each.until, reverse=True):
        key = each.version, each.digest
        if key not in present and key not in former and each.until >= forgotten_before:
            counts[each.version] += 1
            if counts[each.version] <= _MOST_FORMER:
                former[key] = each
    return tuple(former.values())


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
