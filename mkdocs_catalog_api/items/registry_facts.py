"""Facts from registries: the files `registry/images/{slug}.json` and `registry/charts/{slug}.json`.

`catalog-api sync` writes them in the words of front matter, and the build reads them as the lowest layer of
an item. Tags of one digest are one version, so a label on a page may be the `version` of an entry or one of
its `tags`. No tag occurs twice in the versions of a file; an entry that is `gone` may have the digest of
another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from .names import CHART_VERSION, DIGEST, MANIFEST_PLATFORM, VERSION_LABEL

FACTS_FOLDER = "registry"
"""Folder of what registries know, relative to mkdocs.yml."""
UNKNOWN_PLATFORM = "unknown/unknown"
MOST_FORMER = 20
"""Number of former digests that are kept of a version."""
FORGOTTEN_AFTER = timedelta(days=365)
"""How long a former digest is kept after it ended."""

_Digest = Annotated[str, Meta(pattern=rf"\A(?:{DIGEST.pattern})\Z")]
_DigestIfKnown = Annotated[str, Meta(pattern=rf"\A(?:{DIGEST.pattern})?\Z")]
_Version = Annotated[
    str, Meta(pattern=rf"\A(?:{VERSION_LABEL.pattern}|{CHART_VERSION.pattern})\Z", max_length=128)
]
_Tag = Annotated[str, Meta(pattern=rf"\A(?:{VERSION_LABEL.pattern})\Z")]
_Platform = Annotated[str, Meta(pattern=rf"\A(?:{MANIFEST_PLATFORM.pattern})\Z")]
_Day = Annotated[str, Meta(pattern=r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")]
_Size = Annotated[int, Meta(ge=0, le=2**53 - 1)]


class ManifestFacts(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A manifest of an image."""

    platform: _Platform
    """Several manifests for one platform have the version or features of the system in brackets."""
    digest: _Digest
    size: _Size | None = None
    """Sum of the compressed layers in bytes; None if the registry does not have the manifest."""
    tags: tuple[_Tag, ...] = ()
    """Tags of this manifest alone, such as `1.2.3-arm64`, sorted."""


class ConfigFacts(Struct, frozen=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True):
    """How containers of an image run; of an index, those of its first platform."""

    user: str | None = None
    entrypoint: tuple[str, ...] = ()
    cmd: tuple[str, ...] = ()
    working_dir: str | None = None
    ports: tuple[str, ...] = ()
    """`8080`, or `53/udp`."""


class VersionFacts(Struct, frozen=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True):
    """A digest of an image and its tags, or a version of a chart."""

    version: _Version
    """The most exact of an image's tags, as `label_first` decides; a chart's as in Chart.yaml (`+` is `_` in
    the tag).
    """
    digest: _DigestIfKnown = ""
    """Of the index, else of the only manifest; of the package in a classic repository, where it may be empty.
    """
    tags: tuple[_Tag, ...] = ()
    """The other tags of an image, or all tags of a chart, sorted; none in a classic repository."""
    manifests: tuple[ManifestFacts, ...] = ()
    """All of an image, in the order of the index and of the indexes in it; not attestations."""
    size: _Size | None = None
    """Of its first manifest."""
    released: _Day | None = None
    """In UTC; None if unknown, as for the days that reproducible builds write."""
    app_version: str | None = None
    """Of a chart."""
    attestations: tuple[str, ...] = ()
    """What is attached, or refers to it, in words, sorted."""
    config: ConfigFacts | None = None
    """Of an image; None if it has not been read."""
    signature: str | None = None
    """`cosign` if a signature was found; it is not verified."""
    gone: bool = False
    """Whether the registry no longer has this version."""


class FormerFacts(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A digest that a version had before."""

    version: _Version
    digest: _Digest
    manifests: tuple[ManifestFacts, ...] = ()
    until: _Day
    """Day of the run that saw the change."""


class PinFacts(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """An image that a chart pins."""

    image: str
    name: str | None = None


class ItemFacts(
    Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True
):
    """What a file says of the item itself."""

    image: str = ""
    """Reference without a tag, as on the page when the file was written; empty for a chart."""
    chart: str = ""
    """`oci://…`, or the https address of a classic repository; empty for an image."""
    newest: _Version | None = None
    """The version that has the values below."""
    license: str | None = None
    description: str | None = None
    homepage: str | None = None
    source: str | None = None
    base: str | None = None
    lifecycle: Literal["deprecated"] | None = None
    """Of a chart whose newest version is deprecated."""
    images: tuple[PinFacts, ...] = ()


class RegistryFacts(ItemFacts, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of an image or a chart."""

    versions: tuple[VersionFacts, ...]
    """Sorted by label."""
    unlisted: tuple[VersionFacts, ...] = ()
    """Versions that `keep` leaves out, sorted by label: digest, tags, and manifests if they are known."""
    former: tuple[FormerFacts, ...] = ()
    """Newest first, at most 20 of a version."""

    def __post_init__(self) -> None:
        if bool(self.image) is bool(self.chart):
            raise ValueError("neither an image nor a chart")
        if self.image and not all(version.digest for version in (*self.versions, *self.unlisted)):
            raise ValueError("a version of an image without a digest")


def former_after(
    before: RegistryFacts, versions: Iterable[VersionFacts], day: str, forgotten_before: str = ""
) -> tuple[FormerFacts, ...]:
    """The former digests of a file that gets these versions on a day, listed or not, without those that ended
    earlier than the day `forgotten_before`.
    """
    present = {(label, facts.digest) for facts in versions for label in (facts.version, *facts.tags)}
    changed = [
        FormerFacts(version=facts.version, digest=facts.digest, manifests=facts.manifests, until=day)
        for facts in (*before.versions, *before.unlisted)
        if facts.digest
    ]
    former: dict[tuple[str, str], FormerFacts] = {}
    counts = Counter[str]()
    for build in sorted([*changed, *before.former], key=lambda build: build.until, reverse=True):
        key = build.version, build.digest
        if key not in present and key not in former and build.until >= forgotten_before:
            counts[build.version] += 1
            if counts[build.version] <= MOST_FORMER:
                former[key] = build
    return tuple(former.values())


_DECODER = msgspec.json.Decoder(RegistryFacts)
"""Created in one thread: msgspec crashes if several threads are the first to decode a type."""


def decode(body: bytes) -> RegistryFacts:
    """The content of a file. Raises `ValueError` in the words of msgspec if it is not valid."""
    return _DECODER.decode(body)


def encode(facts: RegistryFacts) -> bytes:
    """The file, with one value per line, so that its changes can be reviewed."""
    return msgspec.json.format(msgspec.json.encode(facts)) + b"\n"
