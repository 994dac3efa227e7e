"""The items of the catalog as their authors write them, validated. Keys have the names of the JSON fields.

Each field is declared once, here: its type, its description, an example unless its type has one, and its
place on pages (`Shown`). Published documents, schemas, the guide's tables, pages, lists
and filters are derived from that.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeAlias, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    model_validator,
)

from ..problems import RefusedError
from .base_model import CustomizableModel, Model, short, unique
from .lines import Lines
from .names import DIGEST, Reference
from .shown import Shown
from .types import (
    Argument,
    BadgeText,
    Boolean,
    ChartReference,
    ChartVersion,
    Count,
    Digest,
    Hub,
    ImageReference,
    IsoDate,
    Logo,
    ManifestPlatform,
    Name,
    NormalizedRepository,
    Platform,
    Product,
    Repository,
    Slug,
    Text,
    VersionLabel,
    WebLink,
)
from .verification import Verification

Lifecycle = Literal["available", "deprecated", "withdrawn", "planned"]
Outcome = Literal["shipped", "held", "skipped"]
Accepted = Literal["filesystem", "nothing-recognized", "reference"]
ACCEPTED: Mapping[Accepted, str] = {
    "filesystem": "a scan of a folder, a virtual machine or an SBOM",
    "nothing-recognized": "a scan that recognizes nothing, as the image is built from nothing",
    "reference": "a scan of the same image in another registry, such as a mirror",
}
"""Word of `accept` → what reports of an image may be."""

_LIFECYCLE = Shown(
    page="Lifecycle",
    filter="lifecycle",
    order=get_args(Lifecycle),
    first=True,
    elsewhere="mark next to the name",
)
_IN_RELEASES = Shown(elsewhere="table of versions")
_RULE = Shown(hidden="rule for the lines and variants on pages")
_IN_PINS = Shown(elsewhere="table of images")
_IN_UPDATES = Shown(elsewhere="table of updates")
_INSTEAD = Shown(elsewhere="answer on its page")
_BLOCKED = Shown(elsewhere="mark that it is blocked")

# Fields of several models.
_Logo = Annotated[
    Logo | None,
    Field(description="Picture: a path in docs_dir, published as its URL, or an https URL."),
    Shown(elsewhere="next to the name"),
]
_Signature = Annotated[
    BadgeText | None,
    Field(description="Signing tool.", examples=["cosign"]),
    Shown(page="Signed with", essential=True),
]
_Homepage = Annotated[
    WebLink | None, Field(description="Home page of the software."), Shown(page="Home page")
]
_Source = Annotated[WebLink | None, Field(description="Source code."), Shown(page="Source")]
_Verify = Annotated[
    Verification | None,
    Field(
        exclude=True,
        description="How to verify it.",
        examples=[{"key": "https://example.org/cosign.pub"}],
    ),
    Shown(elsewhere="command to verify it"),
]
_Released = Annotated[
    IsoDate | None, Field(description="Release day."), Shown(column="Released", style="catalog-date")
]


class PlatformManifest(Model):
    """The manifest of a version for one platform."""

    platform: Annotated[
        ManifestPlatform,
        Field(
            description="Platform, `os/arch[/variant]`. Several manifests for one platform have the system's "
            "version or features in brackets."
        ),
    ]
    digest: Annotated[Digest, Field(description="Digest of the platform's manifest.")]
    size: Annotated[Count | None, Field(description="Compressed size in bytes.")] = None


class ImageConfig(Model):
    """How a container of the version runs, unless its user changes it."""

    user: Annotated[
        Text | None, Field(description="User, perhaps with a group; null for root.", examples=["65532"])
    ] = None
    entrypoint: Annotated[
        list[Argument],
        Field(description="Program, with its first arguments.", examples=[["/usr/sbin/nginx"]]),
    ] = []
    cmd: Annotated[
        list[Argument], Field(description="Further arguments.", examples=[["-g", "daemon off;"]])
    ] = []
    working_dir: Annotated[Text | None, Field(description="Working directory.", examples=["/srv"])] = None
    ports: Annotated[
        list[Text], Field(description="Ports that it listens on: `8080`, or `53/udp`.", examples=[["8080"]])
    ] = []


def _by_platform(value: Any) -> Any:
    """`{linux/amd64: sha256:…}` is short for a list."""
    if not isinstance(value, dict):
        return value
    return [
        {"platform": platform, **(manifest if isinstance(manifest, dict) else {"digest": manifest})}
        for platform, manifest in value.items()
    ]


def _digests_once(manifests: list[PlatformManifest]) -> list[PlatformManifest]:
    unique([manifest.digest for manifest in manifests])
    return manifests


class VersionEntry(CustomizableModel):
    """One published version of an image."""

    version: Annotated[VersionLabel, Field(description="The version: its tag."), _IN_RELEASES]
    line: Annotated[
        Name,
        Field(description="Line, `17` of `17.6`; empty for none.", examples=["1.0"]),
        _IN_RELEASES,
    ] = ""
    variant: Annotated[
        Name,
        Field(description="Variant, `alpine3.24` of `17.6-alpine3.24`; empty for none.", examples=["alpine"]),
        _IN_RELEASES,
    ] = ""
    digest: Annotated[
        Digest | None,
        Field(description="Digest of the version, the first of `digests`."),
        _IN_RELEASES,
    ] = None
    digests: Annotated[
        list[Digest],
        AfterValidator(unique),
        Field(description="All digests of the version: that of its index, or one for each platform."),
        _IN_RELEASES,
    ] = []
    manifests: Annotated[
        list[PlatformManifest],
        BeforeValidator(_by_platform, json_schema_input_type=list[PlatformManifest] | dict[str, Digest]),
        AfterValidator(_digests_once),
        Field(description="Manifests of the index `digest`: a digest for each platform."),
        _IN_RELEASES,
    ] = []
    released: _Released = None
    end_of_life: Annotated[
        IsoDate | None,
        Field(description="Day after which it gets no more updates."),
        Shown(column="Supported until", style="catalog-date"),
    ] = None
    size: Annotated[
        Count | None,
        Field(description="Compressed size in bytes."),
        Shown(column="Size", style="catalog-date"),
    ] = None
    tags: Annotated[
        list[VersionLabel],
        AfterValidator(unique),
        Field(description="Other tags of the same version."),
        Shown(hidden="for machines"),
    ] = []
    platforms: Annotated[
        list[Platform],
        AfterValidator(unique),
        Field(description="Platforms, `os/arch[/variant]` each."),
        Shown(hidden="shown once, for the image"),
    ] = []
    sbom: Annotated[
        WebLink | None,
        Field(
            description="URL of its software bill of materials (SBOM); without one of the author, of the "
            "API's own if the packages are known."
        ),
        Shown(hidden="for machines"),
    ] = None
    provenance: Annotated[
        WebLink | None,
        Field(description="URL of its build provenance attestation."),
        Shown(hidden="for machines"),
    ] = None
    attestations: Annotated[
        list[Text],
        AfterValidator(unique),
        Field(
            description="What is attached to it in the registry: `sbom`, `provenance`, `vulnerabilities`, "
            "`vex`, or the type of another attestation.",
            examples=[["provenance", "sbom"]],
        ),
        Shown(elsewhere="facts of the item, for the newest version"),
    ] = []
    config: Annotated[
        ImageConfig | None,
        Field(description="How its containers run.", examples=[{"user": "65532", "ports": ["8080"]}]),
        Shown(elsewhere="facts of the item, for the newest version"),
    ] = None

    @property
    def only_digest(self) -> str | None:
        """Its digest if it has exactly one; none of several digests represents the whole version."""
        return self.digest if len(self.digests) == 1 else None

    @property
    def every_digest(self) -> list[str]:
        """Its digests and those of its manifests."""
        return list(dict.fromkeys([*self.digests, *(manifest.digest for manifest in self.manifests)]))

    @model_validator(mode="before")
    @classmethod
    def _digest_may_be_a_list(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        digest, digests = value.get("digest"), value.get("digests")
        if digests is None and isinstance(digest, list | str):
            digest, digests = None, digest if isinstance(digest, list) else [digest]
        if digest is not None or not isinstance(digests, list):
            return value
        rest = {key: item for key, item in value.items() if key not in ("digest", "digests")}
        is_valid = bool(digests) and isinstance(digests[0], str) and bool(DIGEST.fullmatch(digests[0]))
        return rest | {"digests": digests} | ({"digest": digests[0]} if is_valid else {})

    @model_validator(mode="after")
    def _digest_is_the_first(self) -> Self:
        if self.manifests and len(self.digests) > 1:
            raise RefusedError(
                "`digest` is a list although there are `manifests`", "keep only the index's digest"
            )
        if self.manifests and not self.digests:
            object.__setattr__(self, "digests", [manifest.digest for manifest in self.manifests])
        first = self.digests[0] if self.digests else None
        if self.digest == first:
            return self
        if self.digest is not None:
            raise RefusedError("`digest` is not the first of `digests`", "keep one of them")
        object.__setattr__(self, "digest", first)  # frozen once validated; a copy of each would cost more
        return self


class ChartVersionEntry(CustomizableModel):
    """One published version of a chart."""

    version: Annotated[ChartVersion, Field(description="SemVer version of the chart."), _IN_RELEASES]
    app_version: Annotated[
        Text | None,
        Field(description="Version of the application it installs.", examples=["1.0.0"]),
        Shown(column="Application"),
    ] = None
    digest: Annotated[Digest | None, Field(description="Digest of the chart package."), _IN_RELEASES] = None
    released: _Released = None


class PinEntry(Model):
    """An image that a chart pins."""

    name: Annotated[Text, Field(description="Name of the image in the chart.", examples=["app"]), _IN_PINS]
    image: Annotated[ImageReference, Field(description="The reference as written in the chart."), _IN_PINS]
    digest: Annotated[Digest | None, Field(description="The pinned digest."), _IN_PINS] = None

    @model_validator(mode="before")
    @classmethod
    def _fill_from_reference(cls, value: Any) -> Any:
        """`name` defaults to the last part of the path, `digest` to the digest of the reference."""
        if not (isinstance(value, dict) and isinstance(value.get("image"), str)):
            return value
        name, _, digest = value["image"].partition("@")
        digest = digest if DIGEST.fullmatch(digest) else ""
        last = name.rpartition("/")[2].partition(":")[0]
        return {"name": last} | ({"digest": digest} if digest else {}) | value

    @model_validator(mode="after")
    def _one_digest(self) -> Self:
        digest = self.image.partition("@")[2]
        if digest and digest != self.digest:
            raise RefusedError("`digest` is not the digest in `image`", "keep one of them")
        return self


class ItemEntry(CustomizableModel):
    """Fields of every kind of item."""

    slug: Annotated[
        Slug,
        Field(description="Identifier of the item within its collection."),
        Shown(hidden="part of its address"),
    ]
    name: Annotated[
        Text,
        Field(description="Display name.", examples=["Tools"]),
        Shown(elsewhere="heading of the page and of its row"),
    ]
    description: Annotated[
        Text | None,
        Field(description="One or two sentences.", examples=["Tools for every day."]),
        Shown(elsewhere="under the name"),
    ] = None
    category: Annotated[
        Text | None,
        Field(description="Kind of software: the first of `categories`.", examples=["Tools"]),
        Shown(page="Category", card="Category", first=True),
    ] = None
    categories: Annotated[
        list[Text],
        Field(description="All its categories.", examples=[["Tools"]]),
        Shown(filter="category", first=True),
        AfterValidator(unique),
    ] = []
    tier: Annotated[
        Text | None,
        Field(description="Level of support.", examples=["standard"]),
        Shown(page="Tier", card="Tier", filter="tier", first=True),
    ] = None
    license: Annotated[
        Text | None,
        Field(description="SPDX license expression.", examples=["MIT"]),
        Shown(page="License", filter="license", essential=True),
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _category_may_be_a_list(cls, value: Any) -> Any:
        """Read `categories` from the key `category`; on pages, `categories` is a key of other plugins."""
        if not isinstance(value, dict):
            return value
        rest = {key: item for key, item in value.items() if key not in ("category", "categories")}
        given = value.get("category")
        if given is None or given == []:
            return rest
        listed = given if isinstance(given, list) else [given]
        return rest | {"category": next(iter(listed), None), "categories": listed}


class ImageEntry(ItemEntry):
    """A container image."""

    lifecycle: Annotated[Lifecycle, Field(description="Lifecycle of the image."), _LIFECYCLE] = "available"
    image: Annotated[
        Repository | None,
        Field(description="Reference without a tag: registry and path."),
        Shown(elsewhere="command to pull it"),
    ] = None
    replaces: Annotated[
        list[NormalizedRepository],
        AfterValidator(unique),
        Field(
            description="Upstream images that it replaces: references without a tag.",
            examples=[["docker.io/library/nginx"]],
        ),
        Shown(page="Replaces"),
    ] = []
    replaced_by: Annotated[
        Slug | None,
        Field(description="Slug of the image to use instead.", examples=["tools"]),
        _INSTEAD,
    ] = None
    logo: _Logo = None
    base: Annotated[
        BadgeText | None,
        Field(description="Base distribution of the image.", examples=["Debian 12"]),
        Shown(page="Base", essential=True),
    ] = None
    platforms: Annotated[
        list[Platform],
        AfterValidator(unique),
        Field(description="Platforms, `os/arch[/variant]` each."),
        Shown(page="Platforms", filter="platform", essential=True),
    ] = []
    signature: _Signature = None
    homepage: _Homepage = None
    source: _Source = None
    versions: Annotated[
        list[Annotated[VersionEntry, short("version", VersionLabel | VersionEntry)]],
        Field(description="Versions, newest first."),
        _IN_RELEASES,
    ] = []
    latest: Annotated[
        VersionLabel | None,
        Field(description="The newest version."),
        Shown(elsewhere="under the name"),
    ] = None
    lines: Annotated[
        Lines | None,
        Field(
            exclude=True,
            description="How many of the numbers of a version are its line: `major`, `minor`, `patch` or "
            "`none`.",
            examples=["major"],
        ),
        _RULE,
    ] = None
    variants: Annotated[
        Literal["none"] | None,
        Field(
            exclude=True,
            description="`none` if the words after the numbers of a version are no variant.",
            examples=["none"],
        ),
        _RULE,
    ] = None
    default_variant: Annotated[
        Name | None,
        Field(
            exclude=True,
            description="The variant whose counts cards show; empty for versions without a variant.",
            examples=[""],
        ),
        _RULE,
    ] = None
    accept: Annotated[
        list[Accepted],
        AfterValidator(unique),
        Field(
            exclude=True,
            description="What its reports may be: "
            + "; ".join(f"`{word}`, {meaning}" for word, meaning in ACCEPTED.items())
            + ".",
        ),
        Shown(hidden="about its scan reports"),
    ] = []
    product: Annotated[
        Product | None,
        Field(
            exclude=True,
            description="Product of endoflife.date; its cycles define lines and ends of life.",
        ),
        _RULE,
    ] = None
    verify: _Verify = None

    @property
    def reference(self) -> str | None:
        """Where it is, without a version."""
        return self.image

    @property
    def repository(self) -> str | None:
        """Its normalized reference; None if neither the page nor the setting `registry` gives it."""
        return Reference.parse(self.image).repository if self.image else None


class ChartEntry(ItemEntry):
    """A Helm chart."""

    lifecycle: Annotated[Lifecycle, Field(description="Lifecycle of the chart."), _LIFECYCLE] = "available"
    logo: _Logo = None
    chart: Annotated[
        ChartReference | None,
        Field(description="OCI or repository reference."),
        Shown(elsewhere="command to install it"),
    ] = None
    app_version: Annotated[
        Text | None,
        Field(description="Version of the application it installs.", examples=["1.0.0"]),
        Shown(page="Application", essential=True),
    ] = None
    signature: _Signature = None
    homepage: _Homepage = None
    source: _Source = None
    hub: Annotated[
        Hub | None, Field(description="URL of its listing on a chart hub."), Shown(page="Listed on")
    ] = None
    versions: Annotated[
        list[Annotated[ChartVersionEntry, short("version", ChartVersion | ChartVersionEntry)]],
        Field(description="Versions, newest first."),
        _IN_RELEASES,
    ] = []
    latest: Annotated[
        ChartVersion | None,
        Field(description="The newest version."),
        Shown(elsewhere="under the name"),
    ] = None
    replaced_by: Annotated[
        Slug | None,
        Field(description="Slug of the chart to use instead.", examples=["tools"]),
        _INSTEAD,
    ] = None
    images: Annotated[
        list[Annotated[PinEntry, short("image", ImageReference | PinEntry)]],
        Field(description="Its pinned images."),
        _IN_PINS,
    ] = []
    verify: _Verify = None

    @property
    def reference(self) -> str | None:
        """Where it is, without a version."""
        return self.chart


PinningEntry: TypeAlias = ChartEntry
"""An item that pins images."""
PinningVersionEntry: TypeAlias = ChartVersionEntry
ListedEntry: TypeAlias = ImageEntry | PinningEntry
"""An item with versions."""


class RoadmapEntry(ItemEntry):
    """An application that is planned."""

    homepage: _Homepage = None
    priority: Annotated[
        Text | None,
        Field(description="Priority.", examples=["high"]),
        Shown(
            page="Priority",
            card="Priority",
            caption="priority",
            filter="priority",
            order=("high", "medium", "low"),
            first=True,
        ),
    ] = None
    blocked: Annotated[Boolean, Field(description="Whether it is blocked."), _BLOCKED] = False
    blocked_reason: Annotated[
        Text | None,
        Field(description="Reason why it is blocked.", examples=["an upstream version that is not out yet"]),
        _BLOCKED,
    ] = None


class UpdateEntry(Model):
    """The latest version check of one application, and its outcome."""

    spellings = {"app": "application", "name": "application", "status": "outcome", "result": "outcome"}

    application: Annotated[
        Text, Field(description="Name of the checked application.", examples=["nginx"]), _IN_UPDATES
    ]
    from_: Annotated[
        Text | None, Field(alias="from", description="Version before.", examples=["1.0.0"]), _IN_UPDATES
    ] = None
    to: Annotated[Text, Field(description="Version found by the check.", examples=["1.1.0"]), _IN_UPDATES]
    outcome: Annotated[
        Outcome,
        Field(description="Outcome of the check."),
        Shown(filter="outcome", elsewhere="table of updates"),
    ]
    checked: Annotated[IsoDate | None, Field(description="Day of the check."), _IN_UPDATES] = None
    note: Annotated[
        Text | None, Field(description="Reason, in a sentence.", examples=["waiting for a fix"]), _IN_UPDATES
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _other_spellings(cls, value: Any) -> Any:
        """`app`, `name` · `status`, `result` · `suspended`; any case of an outcome."""
        if not isinstance(value, dict):
            return value
        renamed: dict[Any, Any] = {}
        for key, item in value.items():
            name = cls.spellings.get(key, key)
            if name in renamed:
                raise RefusedError(f"`{name}` is given twice, once as `{key}`", "keep one of them")
            renamed[name] = item
        outcome = renamed.get("outcome")
        if isinstance(outcome, str):
            word = outcome.lower()
            renamed["outcome"] = "held" if word == "suspended" else word
        return renamed
