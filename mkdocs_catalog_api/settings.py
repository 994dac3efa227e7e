"""What a user can set in mkdocs.yml under `catalog-api`; the plugin and the command line share it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Annotated, Literal, Self, get_args

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

from .catalog import references
from .catalog.fields import COMPUTED, CustomField
from .catalog.models import ChartEntry, ImageEntry, ItemEntry, RoadmapEntry
from .hosting import HostName
from .problems import Problems
from .sources.config_file import ConfigFile
from .sources.items import field_names, location, message_and_hint, resembling

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


def _relative(value: str) -> str:
    path = PurePosixPath(value)
    if "\\" in value or "\0" in value:
        raise ValueError("write the path with forward slashes")
    if path.is_absolute() or not path.parts:
        raise ValueError("write a path relative to the folder of mkdocs.yml")
    return value


def _field_name(value: str) -> str:
    if not (value.isascii() and value.isidentifier() and value[0].islower() and "_" not in value):
        raise ValueError(f"{value[:40]!r} is not a camelCase name of letters and digits")
    if value in COMPUTED:
        raise ValueError(f"`{value}` is computed; choose another name")
    return value


Word = Annotated[str, StringConstraints(strict=True, min_length=1)]
RelativePath = Annotated[Word, AfterValidator(_relative)]
FieldName = Annotated[Word, AfterValidator(_field_name)]
Pattern = Annotated[Word, AfterValidator(_relative)]
Color = Annotated[
    str,
    StringConstraints(
        strict=True, pattern=r"^(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|#[0-9A-Fa-f]{3}|#[0-9A-Fa-f]{6}|[a-z]+)$"
    ),
]
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
    vocabulary: dict[Word, Annotated[tuple[Word, ...], Field(strict=False, min_length=1)]] = {}

    @model_validator(mode="after")
    def _known_names(self) -> Self:
        for name in self.vocabulary:
            if name not in CLOSABLE:
                raise ValueError(f"vocabulary: {name!r} is not one of {', '.join(CLOSABLE)}")
        return self


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
    scanners: Annotated[tuple[Scanner, ...], Field(strict=False, min_length=1)] = (
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
    headers: HostName | None = None
    """Host whose header file is written; none by default."""

    @model_validator(mode="after")
    def _fields_exist(self) -> Self:
        for resource, model in ITEM_MODELS.items():
            collection: CollectionSettings = getattr(self, resource)
            names = {info.alias or name for name, info in model.model_fields.items()}
            for name in collection.fields:
                if name in names:
                    raise ValueError(
                        f"{resource}.fields: `{name}` is built in; close its words with `vocabulary` instead"
                    )
            for name in collection.vocabulary:
                if name not in names:
                    raise ValueError(f"{resource}.vocabulary: {resource} have no field `{name}`")
        return self


def read_settings(options: Mapping[str, object], config: ConfigFile, problems: Problems) -> Settings | None:
    """The settings, or None and a problem for each fault."""
    try:
        return Settings.model_validate(options)
    except ValidationError as error:
        for details in error.errors(include_url=False):
            path = location(details)
            message, hint = message_and_hint(details)
            if details["type"] == "extra_forbidden":
                near = resembling(str(path[-1]), _names_at(path[:-1]))
                message, hint = "unknown setting", f"did you mean `{near}`?" if near else "remove it"
            problems.add(config.problem(path, message, hint))
        return None


def _names_at(path: Sequence[str | int]) -> list[str]:
    """The settings that may stand at `path`."""
    model: type[BaseModel] = Settings
    for step in path:
        info = model.model_fields.get(str(step))
        inner = _models(info.annotation if info else model)
        if not inner:
            return []
        model = inner[0]
    return field_names(model)


def _models(annotation: object) -> list[type[BaseModel]]:
    """The models inside of a type."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models(part)]
