"""What a user can set in mkdocs.yml under `catalog-api`; the plugin and the command line share it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated, Literal, Self

from pathspec import GitIgnoreSpec
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from .authored.config_file import ConfigFile
from .authored.messages import field_names, location, message_and_hint, perhaps
from .catalog import names as references
from .catalog.fields import COMPUTED, CustomField
from .catalog.links import web_link
from .catalog.models import ChartEntry, ImageEntry, ItemEntry, RoadmapEntry
from .problems import Level, Problems, RefusedError
from .publish.host_headers import HostName

Resource = Literal["images", "charts", "roadmap", "updates"]
ITEM_MODELS: dict[Resource, type[ItemEntry]] = {
    "images": ImageEntry,
    "charts": ChartEntry,
    "roadmap": RoadmapEntry,
}
SECURITY_FOLDERS = {"reports": "scans", "vex": "vex"}
"""Where vulnerability data lies unless the settings say otherwise, relative to mkdocs.yml."""
CLOSABLE = ("category", "tier", "license", "base", "signature", "priority")
"""Built-in text fields whose words a catalog can close with `vocabulary`."""

_COLOR = re.compile(r"#?(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})|[a-z]+")


def _relative(value: str) -> str:
    path = PurePosixPath(value)
    if "\\" in value or "\0" in value:
        raise RefusedError(f"{value!r} is not a path", "write it with forward slashes")
    if path.is_absolute() or not path.parts:
        raise RefusedError(
            f"{value!r} is not a relative path", "write it as seen from the folder of mkdocs.yml"
        )
    return value


def _pattern(value: str) -> str:
    if "\\" in value or value.startswith("/"):
        hint = "write it as seen from docs_dir, with forward slashes, as in images/**/*.md"
        raise RefusedError(f"{value!r} is not a pattern of pages", hint)
    try:
        GitIgnoreSpec.from_lines([value])
    except (ValueError, re.error):
        raise RefusedError(f"{value!r} is not a pattern of pages", "as in images/**/*.md") from None
    return value


def _field_name(value: str) -> str:
    if not (value.isascii() and value.isidentifier() and value[0].islower() and "_" not in value):
        near = re.sub(r"[^A-Za-z0-9]+(.)?", lambda match: (match[1] or "").upper(), value).lstrip(
            "0123456789"
        )
        near = near[:1].lower() + near[1:]
        hint = f"perhaps you mean {near!r}" if near and near != value else "begin with a lower-case letter"
        raise RefusedError(f"{value[:40]!r} is not a camelCase name of letters and digits", hint)
    if value in COMPUTED or value == "catalog":
        what = "says which collection a page is in" if value == "catalog" else "is computed"
        raise RefusedError(f"`{value}` {what}", "choose another name")
    return value


def _email(value: str) -> str:
    if not re.fullmatch(r"[^@\s]+@[^@\s]+", value):
        raise RefusedError(f"{value[:40]!r} is not an e-mail address", "as in catalog@example.org")
    return value


def _color(value: str) -> str:
    if not _COLOR.fullmatch(value):
        raise RefusedError(
            f"{value!r} is not a colour", "write a name such as blue, or hex digits such as 2f7d32"
        )
    return value


def _once(values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if values.count(value) > 1:
            raise RefusedError(f"{value!r} stands here twice", "keep one of them")
    return values


Word = Annotated[str, StringConstraints(strict=True, min_length=1)]
RelativePath = Annotated[Word, AfterValidator(_relative)]
FieldName = Annotated[Word, AfterValidator(_field_name)]
Pattern = Annotated[Word, AfterValidator(_pattern)]
Color = Annotated[Word, AfterValidator(_color)]
Scanner = Literal["trivy", "grype", "harbor", "osv"]


class Section(BaseModel):
    """No undeclared keys, no value taken for another type than it has."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _or_defaults(value: object) -> object:
    """`images:` without a value means the defaults, as YAML reads it as null."""
    return {} if value is None else value


class CollectionSettings(Section):
    """Where the items of a collection come from, and what is particular about them."""

    pages: Pattern | None = None
    """Pattern of the pages, relative to docs_dir; default `<collection>/**/*.md`."""
    data: RelativePath | None = None
    """Data file, relative to mkdocs.yml; default `<collection>.yml`, if it is there."""
    fields: dict[FieldName, CustomField] = {}
    vocabulary: dict[
        Word, Annotated[tuple[Word, ...], Field(strict=False, min_length=1), AfterValidator(_once)]
    ] = {}


class UpdatesSettings(Section):
    """Where the updates come from."""

    data: RelativePath | None = None
    """`.yml`, `.yaml`, `.json`: a list; `.md`: the list under `updates` in its front matter."""
    decisions: RelativePath | None = None
    """What is held or skipped when `data` is the output of `nvcmp -j`; default `decisions.yml`."""


class SecuritySettings(Section):
    """Where vulnerability data comes from."""

    reports: RelativePath | None = None
    """Folder of scanners' reports, relative to mkdocs.yml; default `scans`, if it is there."""
    vex: RelativePath | None = None
    """Folder of OpenVEX documents, relative to mkdocs.yml; default `vex`, if it is there."""
    max_age: Annotated[int, Field(ge=1)] | None = None
    """Days after which a scan of a newest release is warned about."""
    scanners: Annotated[tuple[Scanner, ...], Field(strict=False, min_length=1), AfterValidator(_once)] = (
        "trivy",
        "grype",
        "harbor",
        "osv",
    )
    """Which scanner counts when several have scanned a release: the first that has."""


class BadgeSettings(Section):
    """The looks of one badge."""

    label: Word | None = None
    color: Color | None = None
    label_color: Annotated[Color | None, Field(alias="labelColor")] = None
    logo: Word | None = None
    """A simple-icons slug, or the path of an SVG file below docs_dir."""
    logo_color: Annotated[Color | None, Field(alias="logoColor")] = None


class ContactSettings(Section):
    """Who answers questions about the API."""

    name: Word | None = None
    url: Annotated[Word, AfterValidator(web_link)] | None = None
    email: Annotated[Word, AfterValidator(_email)] | None = None


class LicenseSettings(Section):
    """On what terms the documents may be used: the licence's name, and its SPDX id or its address."""

    name: Word
    identifier: Word | None = None
    url: Annotated[Word, AfterValidator(web_link)] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.identifier and self.url:
            raise RefusedError("OpenAPI takes `identifier` or `url`, not both", "keep one of them")
        return self


class OpenApiSettings(Section):
    """What `openapi.json` says of the API beside its paths."""

    contact: ContactSettings | None = None
    license: LicenseSettings | None = None


class Settings(Section):
    """All settings; every one has a default."""

    registry: Annotated[Word, AfterValidator(references.repository)] | None = None
    """`image` of a page that gives none is registry/slug."""
    images: Annotated[CollectionSettings, BeforeValidator(_or_defaults)] = CollectionSettings()
    charts: Annotated[CollectionSettings, BeforeValidator(_or_defaults)] = CollectionSettings()
    roadmap: Annotated[CollectionSettings, BeforeValidator(_or_defaults)] = CollectionSettings()
    updates: Annotated[UpdatesSettings, BeforeValidator(_or_defaults)] = UpdatesSettings()
    security: Annotated[SecuritySettings, BeforeValidator(_or_defaults)] = SecuritySettings()
    badges: dict[Word, Annotated[BadgeSettings, BeforeValidator(_or_defaults)]] = {}
    openapi: Annotated[OpenApiSettings, BeforeValidator(_or_defaults)] = OpenApiSettings()
    headers: HostName | None = None
    """Host whose header file is written; none by default."""
    feeds: bool = False
    """Whether the updates are published as feeds, which takes a `site_url`."""
    web: bool = True
    """Whether the pages show the catalog: markers are filled and item pages completed."""


def read_settings(options: Mapping[str, object], config: ConfigFile, problems: Problems) -> Settings | None:
    """The settings, or None and a problem for each fault."""
    try:
        settings = Settings.model_validate(options)
    except ValidationError as error:
        found = error.errors(include_url=False)
        for details in found:
            path = location(details)
            if details["type"] == "too_short" and len(
                [other for other in found if other["loc"][:-1] == path]
            ):
                continue  # the list is empty only because all its entries were refused
            written = config.written(path, key="[key]" in details["loc"] or details["type"] == "invalid_key")
            message, hint = message_and_hint(details, Settings, written)
            problems.add(config.problem(path, message.replace("unknown key", "unknown setting"), hint))
        return None
    return settings if _names_are_free(settings, config, problems) else None


def _names_are_free(settings: Settings, config: ConfigFile, problems: Problems) -> bool:
    """Check the names of custom fields and vocabularies against those that a collection has."""
    before = problems.count(Level.ERROR)
    for resource, model in ITEM_MODELS.items():
        collection: CollectionSettings = getattr(settings, resource)
        names = [name for name in field_names(model) if name not in model.later]
        closable = [name for name in CLOSABLE if name in names]
        for name in collection.fields.keys() & names:
            hint = "close its words with `vocabulary`" if name in closable else "remove it"
            problems.add(config.problem((resource, "fields", name), f"the field `{name}` is built in", hint))
        for name in collection.vocabulary.keys() - closable:
            message = f"`{name}` is no field of {resource} whose words can be closed"
            hint = perhaps(name, closable, "these can:")
            if name in collection.fields:
                hint = f"give the words of a field of your own as `values` under `fields.{name}`"
            problems.add(config.problem((resource, "vocabulary", name), message, hint))
        for name in ("base", "signature"):
            for position, word in enumerate(collection.vocabulary.get(name, ())):
                try:
                    references.badge_name(word)
                except RefusedError as error:
                    path = (resource, "vocabulary", name, position)
                    problems.add(config.problem(path, error.message, error.hint))
    return problems.count(Level.ERROR) == before
