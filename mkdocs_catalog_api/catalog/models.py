"""What an author says about each item of the catalog, validated. Keys have the names of the JSON fields.

What is published is derived from these (`api.structs.items`), with what is computed added, so that there is
one definition of each field.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    ValidationInfo,
    model_validator,
)

from ..problems import RefusedError
from .model import Model, short, unique
from .names import DIGEST
from .types import (
    BadgeText,
    Boolean,
    ChartReference,
    ChartVersion,
    Count,
    Digest,
    Hub,
    ImageReference,
    IsoDate,
    Platform,
    Repository,
    Slug,
    Text,
    VersionLabel,
    WebLink,
)
from .verification import Verification

Lifecycle = Literal["available", "deprecated", "withdrawn", "planned"]
Outcome = Literal["shipped", "held", "skipped"]


class VersionEntry(Model):
    """One published release of an image."""

    version: Annotated[VersionLabel, Field(description="Label of the release: its tag.")]
    digest: Annotated[
        Digest | None,
        Field(description="Digest of the release, the first of `digests`."),
    ] = None
    digests: Annotated[
        list[Digest],
        AfterValidator(unique),
        Field(description="Every digest of the release: of its index, or one for each platform."),
    ] = []
    released: Annotated[IsoDate | None, Field(description="Day of the release.")] = None
    end_of_life: Annotated[IsoDate | None, Field(description="Day after which it gets no more updates.")] = (
        None
    )
    size: Annotated[Count | None, Field(description="Compressed size in bytes.")] = None
    tags: Annotated[
        list[VersionLabel], AfterValidator(unique), Field(description="Other tags of the same release.")
    ] = []
    platforms: Annotated[
        list[Platform], AfterValidator(unique), Field(description="`os/arch[/variant]` it is built for.")
    ] = []
    sbom: Annotated[WebLink | None, Field(description="Its bill of materials.")] = None
    provenance: Annotated[WebLink | None, Field(description="Its attestation of how it was built.")] = None

    @property
    def only_digest(self) -> str | None:
        """Its digest, when it has exactly one: of several none stands for the release."""
        return self.digest if len(self.digests) == 1 else None

    @model_validator(mode="before")
    @classmethod
    def _digest_may_be_a_list(cls, value: Any, info: ValidationInfo) -> Any:
        if info.mode == "json" or not isinstance(value, dict):
            return value
        digest, digests = value.get("digest"), value.get("digests")
        if digests is not None or not isinstance(digest, list | str):
            return value
        rest = {key: item for key, item in value.items() if key not in ("digest", "digests")}
        return rest | {"digests": digest if isinstance(digest, list) else [digest]}

    @model_validator(mode="after")
    def _digest_is_the_first(self, info: ValidationInfo) -> Self:
        first = self.digests[0] if self.digests else None
        if self.digest == first:
            return self
        if self.digest is not None or info.mode == "json":
            raise RefusedError("`digest` is not the first of `digests`", "give one of the two")
        object.__setattr__(self, "digest", first)  # frozen once validated; a copy of each would cost more
        return self


class ChartVersionEntry(Model):
    """One published release of a chart."""

    version: Annotated[ChartVersion, Field(description="SemVer version of the chart.")]
    app_version: Annotated[Text | None, Field(description="Version of the application it installs.")] = None
    digest: Annotated[Digest | None, Field(description="Digest of the chart package.")] = None
    released: Annotated[IsoDate | None, Field(description="Day of the release.")] = None


class PinEntry(Model):
    """An image that a chart pins."""

    name: Annotated[Text, Field(description="Name of the image within the chart.")]
    image: Annotated[ImageReference, Field(description="The reference as the chart writes it.")]
    digest: Annotated[Digest | None, Field(description="The digest that is pinned.")] = None

    @model_validator(mode="before")
    @classmethod
    def _fill_from_reference(cls, value: Any, info: ValidationInfo) -> Any:
        """`name` defaults to the last part of the path, `digest` to the digest of the reference."""
        if info.mode == "json" or not (isinstance(value, dict) and isinstance(value.get("image"), str)):
            return value
        name, _, digest = value["image"].partition("@")
        digest = digest if DIGEST.fullmatch(digest) else ""
        last = name.rpartition("/")[2].partition(":")[0]
        return {"name": last} | ({"digest": digest} if digest else {}) | value

    @model_validator(mode="after")
    def _one_digest(self) -> Self:
        digest = self.image.partition("@")[2]
        if digest and digest != self.digest:
            raise RefusedError("`digest` is not the digest in `image`", "give one of the two")
        return self


class ItemEntry(Model):
    """What every kind of item has."""

    slug: Annotated[Slug, Field(description="Identifies the item within its collection.")]
    name: Annotated[Text, Field(description="Name for people.")]
    description: Annotated[Text | None, Field(description="One or two sentences.")] = None
    category: Annotated[Text, Field(description="What kind of software it is: the first of `categories`.")]
    categories: Annotated[
        list[Text],
        Field(min_length=1, description="Every category that it belongs to."),
        AfterValidator(unique),
    ]

    @model_validator(mode="before")
    @classmethod
    def _category_may_be_a_list(cls, value: Any, info: ValidationInfo) -> Any:
        """`categories` is what stands under `category`; pages have a key `categories` for other plugins."""
        if info.mode == "json" or not isinstance(value, dict):
            return value
        rest = {key: item for key, item in value.items() if key != "categories"}
        if "category" not in value:
            return rest
        given = value["category"]
        listed = given if isinstance(given, list) else [given]
        return rest | {"category": next(iter(listed), None), "categories": listed}


class ImageEntry(ItemEntry):
    """A hardened container image."""

    tier: Annotated[Text, Field(description="Level of support.")]
    license: Annotated[Text, Field(description="SPDX licence expression.")]
    lifecycle: Annotated[Lifecycle, Field(description="Where the image stands.")] = "available"
    image: Annotated[Repository, Field(description="Reference without a tag: registry and path.")]
    base: Annotated[BadgeText | None, Field(description="Distribution that the image is built on.")] = None
    platforms: Annotated[
        list[Platform], AfterValidator(unique), Field(description="`os/arch[/variant]` it is built for.")
    ] = []
    signature: Annotated[BadgeText | None, Field(description="Tool that signs it.")] = None
    homepage: Annotated[WebLink | None, Field(description="Home page of the software.")] = None
    source: Annotated[WebLink | None, Field(description="Source code.")] = None
    versions: Annotated[
        list[Annotated[VersionEntry, short("version", VersionLabel | VersionEntry)]],
        Field(description="Releases, newest first."),
    ] = []
    latest: Annotated[VersionLabel | None, Field(description="Label of the newest release.")] = None
    verify: Annotated[Verification | None, Field(exclude=True, description="How it is verified.")] = None


class ChartEntry(ItemEntry):
    """A signed Helm chart."""

    tier: Annotated[Text, Field(description="Level of support.")]
    license: Annotated[Text, Field(description="SPDX licence expression.")]
    lifecycle: Annotated[Lifecycle, Field(description="Where the chart stands.")] = "available"
    chart: Annotated[ChartReference | None, Field(description="OCI or repository reference.")] = None
    app_version: Annotated[Text | None, Field(description="Version of the application it installs.")] = None
    signature: Annotated[BadgeText | None, Field(description="Tool that signs it.")] = None
    homepage: Annotated[WebLink | None, Field(description="Home page of the software.")] = None
    source: Annotated[WebLink | None, Field(description="Source code.")] = None
    hub: Annotated[Hub | None, Field(description="Its listing on a chart hub.")] = None
    versions: Annotated[
        list[Annotated[ChartVersionEntry, short("version", ChartVersion | ChartVersionEntry)]],
        Field(description="Releases, newest first."),
    ] = []
    latest: Annotated[ChartVersion | None, Field(description="Label of the newest release.")] = None
    images: Annotated[
        list[Annotated[PinEntry, short("image", ImageReference | PinEntry)]],
        Field(description="The images that it pins."),
    ] = []
    verify: Annotated[Verification | None, Field(exclude=True, description="How it is verified.")] = None


class RoadmapEntry(ItemEntry):
    """An application that is planned."""

    tier: Annotated[Text | None, Field(description="Intended level of support.")] = None
    license: Annotated[Text | None, Field(description="SPDX licence expression.")] = None
    homepage: Annotated[WebLink | None, Field(description="Home page of the software.")] = None
    priority: Annotated[Text | None, Field(description="How soon it is wanted.")] = None
    blocked: Annotated[Boolean, Field(description="Whether something holds it up.")] = False
    blocked_reason: Annotated[Text | None, Field(description="What holds it up.")] = None


class UpdateEntry(Model):
    """What the latest version check found for one application, and what was done about it."""

    spellings = {"app": "application", "name": "application", "status": "outcome", "result": "outcome"}

    application: Annotated[Text, Field(description="The application that was checked.")]
    from_: Annotated[Text | None, Field(alias="from", description="Version before.")] = None
    to: Annotated[Text, Field(description="Version that the check found.")]
    outcome: Annotated[Outcome, Field(description="What was done about it.")]
    checked: Annotated[IsoDate | None, Field(description="Day of the check.")] = None
    note: Annotated[Text | None, Field(description="Why, in a sentence.")] = None

    @model_validator(mode="before")
    @classmethod
    def _other_spellings(cls, value: Any, info: ValidationInfo) -> Any:
        """`app`, `name` · `status`, `result` · `suspended`; any case of an outcome."""
        if info.mode == "json" or not isinstance(value, dict):
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
