"""The settings in mkdocs.yml under `catalog-api`, for the plugin and the command line."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pathspec import GitIgnoreSpec
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)
from pydantic_core import ErrorDetails

from ..catalog import names as references
from ..catalog.fields import COMPUTED, CustomField, ItemFields, M, own_fields, with_words
from ..catalog.models import ChartEntry, ImageEntry, ItemEntry, RoadmapEntry, UpdateEntry
from ..catalog.types import LineRule, VariantRule
from ..catalog.verification import Verification
from ..problems import Level, Problem, Problems, RefusedError
from ..problems.codes import Code
from ..problems.gone import gone_setting
from .config_file import ConfigFile
from .from_registry import FromRegistry, is_from_registry, read_from_registry
from .messages import field_names, location, message_and_hint, models_in, not_among, suggestion
from .pages import SLUG

CLOSABLE = ("category", "tier", "license", "base", "signature", "priority")
"""Built-in text fields that a catalog can restrict with `vocabulary`."""
_ITS_OWN = ("slug", "name", "image", "versions", "latest", "chart", "images", "product")
"""Fields that are different for each item, so that they can't have a default."""
_SIZE = re.compile(r"([1-9][0-9]{0,8})(kB|MB|GB|KiB|MiB|GiB)")
_UNITS = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


class Section(BaseModel):
    """Rejects unknown keys, and does not convert types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


def or_defaults(value: object) -> object:
    """Replace null with defaults: YAML reads `images:` without a value as null."""
    return {} if value is None else value


def _relative(value: str) -> str:
    path = PurePosixPath(value)
    if "\\" in value or "\0" in value:
        raise RefusedError(f"{value!r} is not a path", "use forward slashes")
    if path.is_absolute() or not path.parts:
        raise RefusedError(
            f"{value!r} is not a relative path", "use a path relative to the folder of mkdocs.yml"
        )
    return value


def _pattern(value: str) -> str:
    if "\\" in value or value.startswith("/"):
        hint = "use a path relative to docs_dir with forward slashes, such as images/**/*.md"
        raise RefusedError(f"{value!r} is not a pattern of pages", hint)
    if value.count(SLUG) > 1 or re.search(r"[{}]", value.replace(SLUG, "")):
        hint = "for example images/docker-{slug}.md"
        raise RefusedError(f"{value!r} may contain {SLUG} once, and no other capture", hint)
    try:
        GitIgnoreSpec.from_lines([value.replace(SLUG, "*")])
    except (ValueError, re.error):
        raise RefusedError(f"{value!r} is not a pattern of pages", "for example images/**/*.md") from None
    return value


def _patterns(value: object) -> object:
    """Replace one pattern with a list of one, and `false` with an empty list."""
    if value is False:
        return ()
    return (value,) if isinstance(value, str) else value


def _field_name(value: str) -> str:
    if not (value.isascii() and value.isidentifier() and value[0].islower() and "_" not in value):
        near = re.sub(r"[^A-Za-z0-9]+(.)?", lambda match: (match[1] or "").upper(), value).lstrip(
            "0123456789"
        )
        near = near[:1].lower() + near[1:]
        hint = f"did you mean `{near}`?" if near and near != value else "begin with a lower-case letter"
        raise RefusedError(f"{value[:40]!r} is not a camelCase name of letters and digits", hint)
    if value in COMPUTED or value == "catalog":
        what = "selects the collection of a page" if value == "catalog" else "is computed"
        raise RefusedError(f"`{value}` {what}", "choose another name")
    return value


def _size(value: object) -> object:
    if isinstance(value, str) and (match := _SIZE.fullmatch(value)):
        return int(match[1]) * _UNITS[match[2]]
    shown = repr(value[:40]) if isinstance(value, str) else str(value)[:40]
    raise RefusedError(
        f"{shown} is not a size", f"use a whole number and {' or '.join(_UNITS)}, such as 512MB"
    )


def _once(values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if values.count(value) > 1:
            raise RefusedError(f"{value!r} is listed twice", "remove one of them")
    return values


Word = Annotated[str, StringConstraints(strict=True, min_length=1)]
RelativePath = Annotated[Word, AfterValidator(_relative)]
FieldName = Annotated[Word, AfterValidator(_field_name)]
Patterns = Annotated[
    tuple[Annotated[Word, AfterValidator(_pattern)], ...],
    Field(strict=False),
    BeforeValidator(_patterns, json_schema_input_type=str | list[str] | bool),
]
Size = Annotated[
    int, BeforeValidator(_size, json_schema_input_type=Annotated[str, Field(pattern=f"^{_SIZE.pattern}$")])
]
"""Size in bytes, written as a whole number with a unit."""
Once = AfterValidator(_once)
"""A list without duplicates."""


class CollectionSettings(Section):
    """The sources, fields and rules of a collection."""

    pages: Patterns | None = Field(
        None,
        description="Pattern of the pages, relative to docs_dir, or a list of patterns. The default is "
        "`<collection>/**/*.md`. `{slug}` takes the slug from the path, as in `images/docker-{slug}.md`. "
        "`false` selects no page.",
    )
    data: RelativePath | None = Field(
        None,
        description="Data file, relative to mkdocs.yml. The default is `<collection>.yml` (`.yaml`, `.json`) "
        "if it exists.",
    )
    item_pages: bool = Field(
        True,
        description="Whether MkDocs makes a page for an item of the data file that has none, at "
        "`<collection>/<slug>/`. Otherwise its `url` is the page of the collection.",
    )
    defaults: dict[Word, Any] = Field(
        {},
        description="Default values of fields; a `.meta.yml` and the page take precedence.",
    )
    fields: dict[FieldName, CustomField] = Field({}, description="Custom fields of the items.")
    version_fields: dict[FieldName, CustomField] = Field({}, description="Custom fields of each version.")
    vocabulary: dict[Word, Annotated[tuple[Word, ...], Field(strict=False, min_length=1), Once]] = Field(
        {}, description="Allowed values of built-in fields."
    )
    map: dict[Word, Word] = Field(
        {},
        description="Fields to read from another key of the front matter, as in `{category: tags}`, unless "
        "an item has the field itself. For a field with one value, the first entry of a list is used.",
    )
    lines: LineRule | None = Field(
        None,
        description="Rule for the release line of a version, unless it is set on the page: `major`, "
        "`minor`, `patch`, `none`, or a regular expression with one group. By default all numbers except "
        "the last, at least one and at most two.",
    )
    variants: VariantRule | None = Field(
        None,
        description="Rule for the variant of a version, unless it is set on the page: `none`, a regular "
        'expression with one group, or names with patterns, as in `{dev: "*-dev"}`. By default the words '
        "after the numbers.",
    )
    verify: Verification | None = Field(
        None, description="Identity that signs the items, unless a page has `verify`."
    )

    def item_fields(self, model: type[M]) -> ItemFields[M]:
        """Return the fields of its items, with allowed values and custom fields."""
        own = own_fields(self.fields, self.version_fields)
        if model is ImageEntry and "variant" in own.of_versions.names:
            # It is checked where it is declared; the built-in field is used.
            own.of_versions.names = [name for name in own.of_versions.names if name != "variant"]
        return ItemFields(with_words(model, self.vocabulary), own, (*self.map.items(),))


Resource = Literal["images", "charts", "roadmap", "updates"]
ITEM_MODELS: dict[Resource, type[ItemEntry]] = {
    "images": ImageEntry,
    "charts": ChartEntry,
    "roadmap": RoadmapEntry,
}
DATA_ENDINGS = (".yml", ".yaml", ".json")
"""Suffixes of the default data file."""
SECURITY_FOLDERS = {"reports": "scans", "vex": "vex"}
"""Default folders of vulnerability data, relative to mkdocs.yml."""
KEV = "advisories/known_exploited_vulnerabilities.json"
"""CISA's catalog of known exploited vulnerabilities (KEV), relative to mkdocs.yml."""
HISTORY_FOLDER = "history"
"""Folder of the recorded days, relative to mkdocs.yml."""
DECISIONS = "decisions"
"""Held and skipped updates of a data file that nvcmp wrote: the name without its ending."""
Accepted = Literal[
    "filesystem",
    "repository",
    "vm",
    "cyclonedx",
    "spdx",
    "directory",
    "file",
    "ignored",
    "partial",
    "reference",
]
HostName = Literal["netlify", "cloudflare", "vercel", "apache"]


def data_names(stem: str) -> list[str]:
    """Return the default names of a data file."""
    return [stem + ending for ending in DATA_ENDINGS]


class UpdatesSettings(Section):
    """The source of the updates."""

    data: RelativePath | None = Field(
        None,
        description="`.yml`, `.yaml`, `.json`: a list; `.md`: the list under `updates` in its front matter.",
    )


class SecuritySettings(Section):
    """The sources of vulnerability data."""

    reports: RelativePath | None = Field(
        None,
        description="Folder of scan reports, relative to mkdocs.yml. The default is `scans`, if it exists.",
    )
    vex: RelativePath | None = Field(
        None,
        description="Folder of OpenVEX documents, relative to mkdocs.yml. The default is `vex`, if it "
        "exists.",
    )
    max_age: Annotated[int, Field(ge=1)] | None = Field(
        None,
        description="Age in days above which you get a warning about the scan of a newest version. If the "
        "catalog has any scan, you also get a warning about each newest version without one.",
    )
    scanners: Annotated[tuple[Word, ...], Field(strict=False, min_length=1), Once] = Field(
        (),
        description="Scanners by precedence: for each digest, the first of them with a report is used.",
    )
    """Empty by default: all scanners, in the order of the table of report formats."""
    accept: Annotated[tuple[Accepted, ...], Field(strict=False), Once] = Field(
        (),
        description="Reports to accept without a warning: those that are not of an image (`filesystem`, "
        "`repository`, `vm`, `cyclonedx`, `spdx`, `directory`, `file`), scans of some digests of a version "
        "(`partial`), and reports of an image in another registry (`reference`). `ignored` suppresses "
        "the findings that the scanner is configured to ignore; without it, they are counted.",
    )
    max_report_size: Size = Field(
        512_000_000, description="Maximum size of a report or VEX document, such as `512MB`."
    )
    publish_vex: bool = Field(
        False,
        description="Whether to publish the statements as OpenVEX documents. This requires an https "
        "`site_url`.",
    )


_DEFAULTS: Any = Field(default={}, validate_default=True)
"""Defaults of a section. They are created with the settings, as the first use of a model is slow."""


class Settings(Section):
    """All settings; each has a default."""

    registry: Annotated[Word, AfterValidator(references.repository)] | None = Field(
        None, description="Default registry: a page without `image` gets `registry/slug`."
    )
    insecure_registries: tuple[Word, ...] = Field(
        (),
        strict=False,
        description="Hosts (with the port, if any) for which `catalog-api sync` uses http instead of https.",
    )
    images: Annotated[CollectionSettings, BeforeValidator(or_defaults)] = _DEFAULTS
    charts: Annotated[CollectionSettings, BeforeValidator(or_defaults)] = _DEFAULTS
    roadmap: Annotated[CollectionSettings, BeforeValidator(or_defaults)] = _DEFAULTS
    updates: Annotated[UpdatesSettings, BeforeValidator(or_defaults)] = _DEFAULTS
    security: Annotated[SecuritySettings, BeforeValidator(or_defaults)] = _DEFAULTS
    lookups: Annotated[tuple[Word, ...], Field(strict=False), Once] = Field(
        (), description="Lookup documents to write; `[]` for none."
    )
    headers: HostName | None = Field(None, description="Host that gets a header file; none by default.")
    feeds: bool = Field(
        False,
        description="Whether to publish feeds and a calendar of end-of-life dates. Requires `site_url`.",
    )
    web: bool = Field(
        True,
        description="Whether to show the catalog on web pages: fill markers and complete the pages of items.",
    )

    def has_lookup(self, name: str) -> bool:
        """Whether the lookup documents of this name are written; the default is all of them."""
        return name in self.lookups or "lookups" not in self.model_fields_set


def item_fields(settings: Settings) -> dict[str, ItemFields[Any]]:
    """Return collection → the fields of its items."""
    fields: dict[str, ItemFields[Any]] = {"updates": ItemFields(UpdateEntry)}
    for name, model in ITEM_MODELS.items():
        fields[name] = getattr(settings, name).item_fields(model)
    return fields


def explain_settings(
    errors: Sequence[ErrorDetails], model: type[BaseModel], config: ConfigFile
) -> Iterator[Problem]:
    """Yield a problem for each error of pydantic."""
    for details in errors:
        path = location(details)
        if details["type"] == "too_short" and any(other["loc"][:-1] == path for other in errors):
            continue  # the list is only empty because all its entries are invalid
        if path and isinstance(path[-1], int) and config.written(path[:-1]):
            path = path[:-1]  # one value is the short form of a list of one
        written = config.written(path, key="[key]" in details["loc"] or details["type"] == "invalid_key")
        message, hint = message_and_hint(details, (model,), written)
        message = message.replace("unknown key", "unknown setting")
        if details["type"] == "extra_forbidden" and (remedy := gone_setting(path)):
            message, hint = "this setting no longer exists", remedy
        yield config.problem(path, message, hint, code=Code.SETTING)


def without(options: Mapping[str, object], faults: Iterable[Sequence[str | int]]) -> dict[str, object]:
    """Return the options without the values at these paths, or their nearest existing parents."""
    usable = dict(options)
    for path in faults:
        _drop(usable, path)
    return usable


def _drop(values: dict[Any, Any], path: Sequence[str | int]) -> None:
    """Remove the value at `path`. Nested mappings are copied; an error in a list removes the whole list."""
    first, *rest = path or ("",)
    if rest and isinstance(values.get(first), dict) and rest[0] in values[first]:
        values[first] = dict(values[first])
        _drop(values[first], rest)
    elif first in values:
        del values[first]
    else:
        values.clear()


def check_words(
    setting: tuple[str, ...], words: Iterable[str], known: Sequence[str], config: ConfigFile
) -> Iterator[Problem]:
    """Yield a problem for each value of a setting that is not in its table."""
    for position, word in enumerate(words):
        if word not in known:
            yield config.problem((*setting, position), *not_among(word, known), code=Code.SETTING)


def check_collection(
    resource: str, model: type[ItemEntry], section: CollectionSettings, written: object, config: ConfigFile
) -> Iterator[Problem]:
    """Check names and defaults against the fields of the collection.

    `written` is the section as written; `section` may lack its invalid values.
    """
    names = ItemFields(model).names
    closable = [name for name in CLOSABLE if name in names]
    # In the JSON, the others (`categories` and `verify`) have computed values.
    published = {*names} & {info.alias for info in model.model_fields.values() if not info.exclude}
    yield from _names(resource, "fields", section.fields, published, closable, config)
    yield from _version_fields(resource, model, section, config)
    if section.verify is not None and "verify" not in names:
        message = f"`{resource}` has no signatures"
        yield config.problem((resource, "verify"), message, "remove it", code=Code.SETTING)
    for name in ("lines", "variants"):
        if getattr(section, name) is not None and name not in names:
            message = f"`{resource}` has no release lines"
            yield config.problem((resource, name), message, "remove it", code=Code.SETTING)
    for name in section.vocabulary.keys() - closable:
        message = f"`{name}` is not a field of {resource} with a vocabulary"
        hint = suggestion(name, closable, "use one of")
        if name in section.fields:
            hint = f"for a custom field, add `values` to `fields.{name}`"
        yield config.problem((resource, "vocabulary", name), message, hint, code=Code.SETTING)
    for name in ("base", "signature"):
        for position, word in enumerate(section.vocabulary.get(name, ())):
            try:
                references.badge_name(word)
            except RefusedError as error:
                path = (resource, "vocabulary", name, position)
                yield config.problem(path, error.message, error.hint, code=Code.SETTING)
    yield from _map(resource, model, section, written, config)
    yield from _defaults(resource, model, section, written, config)


def _map(
    resource: str, model: type[ItemEntry], section: CollectionSettings, written: object, config: ConfigFile
) -> Iterator[Problem]:
    """Yield a problem for each invalid entry of `map`."""
    declared = written.get("fields") if isinstance(written, dict) else None
    known = [*ItemFields(model, own_fields(section.fields)).names]
    for name in section.map:
        if name in COMPUTED:
            message, hint = f"`{name}` is computed and can't be set", "remove it"
        elif name not in known and not (isinstance(declared, dict) and name in declared):
            message, hint = "unknown field", suggestion(name, known, "use one of")
        else:
            continue
        yield config.problem((resource, "map", name), message, hint, code=Code.SETTING)


def _names(
    resource: str,
    setting: str,
    fields: Mapping[str, CustomField],
    names: Collection[str],
    closable: Sequence[str],
    config: ConfigFile,
) -> Iterator[Problem]:
    for name in fields:
        if name in names:
            hint = "restrict its values with `vocabulary`" if name in closable else "remove it"
            message = f"the field `{name}` is built in"
            yield config.problem((resource, setting, name), message, hint, code=Code.SETTING)


def _version_fields(
    resource: str, model: type[ItemEntry], section: CollectionSettings, config: ConfigFile
) -> Iterator[Problem]:
    versions = model.model_fields.get("versions")
    if versions is not None:
        names = field_names(models_in(versions.annotation)[0])
        own = {name: field for name, field in section.version_fields.items() if name != "variant"}
        yield from _names(resource, "version_fields", own, names, (), config)
        variant = section.version_fields.get("variant") if "variant" in names else None
        if variant and (variant.type != "text" or variant.list):
            path = (resource, "version_fields", "variant")
            message = "the field `variant` must be text, as it is the variant of a version"
            yield config.problem(path, message, "write `variant: text`", code=Code.SETTING)
    elif section.version_fields:
        message = f"`{resource}` has no versions"
        yield config.problem((resource, "version_fields"), message, "remove it", code=Code.SETTING)


def _defaults(
    resource: str, model: type[ItemEntry], section: CollectionSettings, written: object, config: ConfigFile
) -> Iterator[Problem]:
    """Check each default against its field."""
    if not section.defaults:
        return  # avoids building a model without items
    closable = {*CLOSABLE} & {*field_names(model)}
    closed = {name: words for name, words in section.vocabulary.items() if name in closable}
    fields = ItemFields(with_words(model, closed), own_fields(section.fields))
    known = [name for name in fields.names if name not in _ITS_OWN or name in section.fields]
    declared = written.get("fields") if isinstance(written, dict) else None
    for name in section.defaults:
        path = (resource, "defaults", name)
        if name == "versions" and name in fields.names and is_from_registry(section.defaults[name]):
            _, wrong = read_from_registry(section.defaults[name])
            for details in wrong:
                message, hint = message_and_hint(details, (FromRegistry,))
                place = location(details) if isinstance(section.defaults[name], dict) else ()
                yield config.problem((*path, *place), message, hint, code=Code.SETTING)
        elif name in COMPUTED or name in _ITS_OWN:
            yield config.problem(
                path,
                f"`{name}` is different for each item, so it can't have a default",
                "remove it",
                code=Code.SETTING,
            )
        elif name not in known and not (isinstance(declared, dict) and name in declared):
            hint = suggestion(name, known, "use one of")
            yield config.problem(path, "unknown field", hint, code=Code.SETTING)
    values = {name: value for name, value in section.defaults.items() if name in known}
    _, errors = fields.read(values)
    for details in errors:
        place = location(details)
        if place and place[0] in values:
            written = config.written((resource, "defaults", *place))
            message, hint = message_and_hint(details, fields[:2], written)
            yield config.problem((resource, "defaults", *place), message, hint, code=Code.SETTING)


def read_settings(options: Mapping[str, object], config: ConfigFile, problems: Problems) -> Settings | None:
    """Return the settings. If they are invalid, return None and add a problem for each error."""
    before = problems.count(Level.ERROR)
    usable: Mapping[str, object] = options
    settings = None
    while settings is None:
        try:
            settings = Settings.model_validate(usable)
        except ValidationError as error:
            errors = error.errors(include_url=False)
            if usable is options:
                problems.extend(explain_settings(errors, Settings, config))
            # Without the invalid values, the other settings can be checked.
            usable = without(usable, [location(details) for details in errors])
    for resource, model in ITEM_MODELS.items():
        section: CollectionSettings = getattr(settings, resource)
        written = options.get(resource)
        problems.extend(check_collection(resource, model, section, written, config))
    return settings if problems.count(Level.ERROR) == before else None
