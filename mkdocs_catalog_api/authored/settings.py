"""The settings in mkdocs.yml under `catalog-api`, for the plugin and the command line."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pathspec import GitIgnoreSpec
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ByteSize,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import ErrorDetails

from ..items import names as references
from ..items.collections import COLLECTIONS, ITEM_MODELS
from ..items.fields import (
    COMPUTED,
    FieldRule,
    ItemFields,
    M,
    Rules,
    built_in_fields,
    type_of_text,
    version_model,
)
from ..items.fields import item_fields as fields_of
from ..items.lines import Lines
from ..items.models import ItemEntry
from ..items.verification import Verification
from ..problems import Level, Problem, Problems, RefusedError
from ..problems.codes import Code
from .config_file import ConfigFile
from .from_registry import FromRegistry, is_from_registry, read_from_registry
from .front_matter import SLUG, Layer
from .messages import location, message_and_hint, not_among, resembling, suggestion

DEFAULT_MAX_AGE = 30
"""Days after which a scan is old; the same as in the pages' script and in the guide's gate."""
_ITS_OWN = ("slug", "name", "image", "versions", "latest", "chart", "images", "product", "replacedBy")
"""Fields that are different for each item, so that they can't have a default."""


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
        raise RefusedError(
            f"{value[:40]!r} is not a name in camelCase", "use letters and digits, such as builtAt"
        )
    if value in COMPUTED or value == "catalog":
        what = "selects the collection of a page" if value == "catalog" else "is computed"
        raise RefusedError(f"`{value}` {what}", "choose another name")
    return value


def _once(values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if values.count(value) > 1:
            raise RefusedError(f"{value!r} is listed twice", "remove one of them")
    return values


def _days(value: object) -> object:
    """Replace `false` with None, for no limit, and null with the default."""
    if value is None:
        return DEFAULT_MAX_AGE
    if value is False:
        return None
    if isinstance(value, str):
        raise RefusedError(
            f"{value[:40]!r} is not a number of days", f"write {DEFAULT_MAX_AGE}, without a unit"
        )
    return value


Word = Annotated[str, StringConstraints(strict=True, min_length=1)]
RelativePath = Annotated[Word, AfterValidator(_relative)]
FieldName = Annotated[Word, AfterValidator(_field_name)]
Patterns = Annotated[
    tuple[Annotated[Word, AfterValidator(_pattern)], ...],
    Field(strict=False),
    BeforeValidator(_patterns, json_schema_input_type=str | list[str] | bool),
]
Once = AfterValidator(_once)
"""A list without duplicates."""


class DefaultsOfPages(Section):
    """Default values of the items on some pages."""

    pages: Patterns = Field(
        (),
        description="Pattern of the pages, relative to docs_dir, or a list of patterns. The default is all "
        "items, also those of a data file.",
    )
    values: dict[Word, Any] = Field({}, description="Default values of fields.")

    def are_of(self, uri: str | None) -> bool:
        """Whether they are of an item; `uri` is the path of its page in docs_dir, if it has one."""
        return not self.pages or (uri is not None and _spec(self.pages).match_file(uri))


class CollectionSettings(Section):
    """The sources, fields and rules of a collection."""

    pages: Patterns | None = Field(
        None,
        description="Pattern of the pages, relative to docs_dir, or a list of patterns. The default is "
        "`<collection>/**/*.md`, where only pages with a field of the catalog are items. `{slug}` takes "
        "the slug from the path, as in `images/docker-{slug}.md`. "
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
    defaults: Annotated[
        Annotated[dict[Word, Any], Tag("[for all]")]
        | Annotated[tuple[DefaultsOfPages, ...], Field(strict=False), Tag("[for some]")],
        Discriminator(lambda value: "[for some]" if isinstance(value, list | tuple) else "[for all]"),
    ] = Field(
        {},
        description="Default values of fields; a `.meta.yml` and the page take precedence. To set them for "
        "some pages only, use a list; later entries take precedence.",
    )
    fields: dict[FieldName, FieldRule] = Field(
        {},
        description="Custom fields of the items, and rules for built-in ones: allowed values, whether they "
        "are required, and another key to read them from.",
    )
    version_fields: dict[FieldName, FieldRule] = Field({}, description="The same for each version.")
    lines: Lines | None = Field(
        None,
        description="How many of the numbers of a version are its line, unless the page sets it: `major`, "
        "`minor`, `patch` or `none`. By default all except the last, at least one and at most two.",
    )
    variants: Literal["none"] | None = Field(
        None,
        description="`none` if the words after the numbers of a version are no variant.",
    )
    verify: Verification | None = Field(
        None, description="Identity that signs the items, unless a page has `verify`."
    )

    def item_fields(self, model: type[M]) -> ItemFields[M]:
        """Return the fields of its items, with the rules of the catalog and its custom fields."""
        return fields_of(model, self.fields, self.version_fields)

    def all_defaults(self) -> Sequence[DefaultsOfPages]:
        """Return the defaults as a list; later entries take precedence."""
        if isinstance(self.defaults, tuple):
            return self.defaults
        return [DefaultsOfPages(values=self.defaults)]

    def defaults_for(self, uri: str | None) -> dict[str, Any]:
        """Return the default values of an item; `uri` is the path of its page in docs_dir, if it has one."""
        every = (some.values for some in self.all_defaults() if some.are_of(uri))
        return {name: value for values in every for name, value in values.items()}

    def default_layers(self, collection: str, config: ConfigFile) -> list[tuple[DefaultsOfPages, Layer]]:
        """Return the defaults, the lowest first, each with the layer of its items."""
        layers = []
        for position, some in enumerate(self.all_defaults()):
            within = (position, "values") if isinstance(self.defaults, tuple) else ()
            place = partial(_place_of_default, config, (collection, "defaults", *within))
            layers.append((some, Layer(some.values, place)))
        return layers


def _place_of_default(
    config: ConfigFile, within: tuple[str | int, ...], path: tuple[str | int, ...]
) -> tuple[str, int, int, str]:
    return config.place((*within, *path))


@cache
def _spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(patterns)


DATA_ENDINGS = (".yml", ".yaml", ".json")
"""Suffixes of the default data file."""
SECURITY_FOLDERS = {"reports": "scans", "vex": "vex"}
"""Default folders of vulnerability data, relative to mkdocs.yml."""
KEV = "advisories/known_exploited_vulnerabilities.json"
"""CISA's catalog of known exploited vulnerabilities (KEV), relative to mkdocs.yml."""
HISTORY_FOLDER = "history"
"""Folder of the recorded days, relative to mkdocs.yml."""
Accepted = Literal["ignored", "partial"]
ACCEPTED: Mapping[Accepted, str] = {
    "ignored": "suppresses the findings that the scanner is configured to ignore, which otherwise count",
    "partial": "grades versions although a digest has no scan",
}
"""Word of `security.accept` → its effect."""
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
    max_age: Annotated[
        Annotated[int, Field(ge=1)] | None,
        BeforeValidator(_days, json_schema_input_type=Annotated[int, Field(ge=1)] | Literal[False]),
    ] = Field(
        DEFAULT_MAX_AGE,
        description="Age in days above which you get a warning about the scan of a newest version; `false` "
        "for no warning. If the catalog has any scan, you also get a warning about each newest version "
        "without one.",
    )
    """None: no scan is too old."""
    scanners: Annotated[tuple[Word, ...], Field(strict=False, min_length=1), Once] = Field(
        (),
        description="Scanners whose reports count, the preferred one first.",
    )
    """Empty by default: all scanners, in the order of the table of report formats."""
    accept: Annotated[tuple[Accepted, ...], Field(strict=False), Once] = Field(
        (),
        description="; ".join(f"`{word}` {effect}" for word, effect in ACCEPTED.items()) + ".",
    )
    max_report_size: ByteSize = Field(
        ByteSize(512_000_000), description="Maximum size of a report or VEX document, such as `512MB`."
    )
    publish_vex: bool = Field(
        False,
        description="Whether to publish the statements as OpenVEX documents. This requires an https "
        "`site_url`.",
    )

    @property
    def own_max_age(self) -> int | None:
        """The age in days from which pages call a scan stale; None for the usual one."""
        return None if self.max_age == DEFAULT_MAX_AGE else self.max_age


_DEFAULTS: Any = Field(default={}, validate_default=True)
"""Defaults of a section. They are created with the settings, as the first use of a model is slow."""


LARGE_LOOKUPS = frozenset({"sbom"})
"""Words of `lookups` that are not in its default."""


class Settings(Section):
    """All settings; each has a default."""

    registry: Annotated[Word, AfterValidator(references.registry)] | None = Field(
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
        """Whether the lookup documents of this name are written; the default is all but large ones."""
        return name in self.lookups or ("lookups" not in self.model_fields_set and name not in LARGE_LOOKUPS)


def item_fields(settings: Settings) -> dict[str, ItemFields[Any]]:
    """Return collection → the fields of its items."""
    fields: dict[str, ItemFields[Any]] = {name: ItemFields(kind.model) for name, kind in COLLECTIONS.items()}
    return fields | {name: getattr(settings, name).item_fields(model) for name, model in ITEM_MODELS.items()}


def explain_settings(
    errors: Sequence[ErrorDetails], model: type[BaseModel], config: ConfigFile
) -> Iterator[Problem]:
    for details in errors:
        path = location(details)
        if details["type"] == "too_short" and any(other["loc"][:-1] == path for other in errors):
            continue  # the list is only empty because all its entries are invalid
        if path and isinstance(path[-1], int) and config.is_scalar(path[:-1]):
            path = path[:-1]  # one value is the short form of a list of one
        message, hint = message_and_hint(details, (model,))
        message = message.replace("unknown key", "unknown setting")
        if details["type"] == "extra_forbidden" and len(path) == 2 and _is_field(*path):
            hint = f"write it on pages, or below `{path[0]}: defaults:`" if path[1] not in _ITS_OWN else hint
            if path[1] == "versions":
                hint = f"write it below `{path[0]}: defaults:`"
        yield config.problem(path, message, hint, code=Code.SETTING)


def _is_field(resource: str | int, name: str | int) -> bool:
    """Whether a key of a collection's settings is a field of its items."""
    return resource in ITEM_MODELS and name in built_in_fields(ITEM_MODELS[str(resource)])


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
    """Check rules and defaults against the fields of the collection; `written` is the section as written."""
    names = built_in_fields(model)
    for name, noun in (("verify", "signatures"), ("lines", "release lines"), ("variants", "release lines")):
        if getattr(section, name) is not None and name not in names:
            yield config.problem(
                (resource, name), f"`{resource}` has no {noun}", "remove it", code=Code.SETTING
            )
    declared = written if isinstance(written, dict) else {}
    valid: dict[str, dict[str, FieldRule]] = {"fields": {}, "version_fields": {}}
    for setting, of in (("fields", model), ("version_fields", version_model(model))):
        rules: Rules = getattr(section, setting)
        if of is None:
            if rules:
                message = f"`{resource}` has no versions"
                yield config.problem((resource, setting), message, "remove it", code=Code.SETTING)
            continue
        for name, rule in rules.items():
            wrong = [*_wrong_rule(name, rule, declared[setting].get(name), of)]
            for path, message, hint in wrong:
                yield config.problem((resource, setting, name, *path), message, hint, code=Code.SETTING)
            if not wrong:  # what every item requires, defaults alone need not have
                valid[setting][name] = rule.model_copy(update={"required": False})
    fields = fields_of(model, valid["fields"], valid["version_fields"])
    invalid = {*(declared.get("fields") or ())} - valid["fields"].keys()
    for position, defaults in enumerate(section.all_defaults()):
        within = (position, "values") if isinstance(section.defaults, tuple) else ()
        place = (resource, "defaults", *within)
        yield from _defaults(defaults.values, place, fields, invalid, config)


def _wrong_rule(
    name: str, rule: FieldRule, declared: object, model: type[BaseModel]
) -> Iterator[tuple[Sequence[str | int], str, str]]:
    """Yield path, message and hint for each error in the settings of a field; `declared` is as written."""
    declared = declared if isinstance(declared, dict) else ["type"]
    info = built_in_fields(model).get(name)
    if info is None:
        near = resembling(name, built_in_fields(model)) if "type" not in declared else None
        if near:
            hint = f"did you mean `{near}`? For a custom field, add `type: {rule.type}`"
            yield (), f"`{name}` is not a built-in field", hint
        return
    if name == "categories":
        yield (), "`categories` is a list under `category`", "use `category`"
        return
    if not {*declared} & {"values", "required", "from"}:
        yield (), f"the field `{name}` is built in", "remove it, or set `values`, `required` or `from`"
        return
    for option in sorted(rule.model_fields_set & {"type", "list", "description", "card"}):
        yield (option,), f"`{option}` is for custom fields, and `{name}` is built in", "remove it"
    kind = type_of_text(info)
    if rule.values and kind is None:
        yield ("values",), f"`{name}` is not a field of text, so it can't have `values`", "remove them"
        return
    for position, word in enumerate(rule.values):
        try:
            TypeAdapter(kind).validate_python(word)
        except ValidationError as error:
            message, hint = message_and_hint(error.errors(include_url=False)[0])
            yield ("values", position), message, hint


def _defaults(
    defaults: Mapping[str, object],
    place: Sequence[str | int],
    fields: ItemFields[ItemEntry],
    invalid: Iterable[str],
    config: ConfigFile,
) -> Iterator[Problem]:
    """Check each default against its field; `invalid` are the fields whose settings have an error."""
    if not defaults:
        return  # avoids building a model without items
    known = [name for name in fields.names if name not in _ITS_OWN]
    for name, value in defaults.items():
        path = (*place, name)
        if name == "versions" and name in fields.names and is_from_registry(value):
            _, wrong = read_from_registry(value)
            for details in wrong:
                message, hint = message_and_hint(details, (FromRegistry,))
                within = location(details) if isinstance(value, dict) else ()
                yield config.problem((*path, *within), message, hint, code=Code.SETTING)
        elif name in COMPUTED or name in _ITS_OWN:
            message = f"`{name}` is different for each item, so it can't have a default"
            yield config.problem(path, message, "remove it", code=Code.SETTING)
        elif name not in known and name not in invalid:
            hint = suggestion(name, [*known, *{"versions"}.intersection(fields.names)], "use one of")
            yield config.problem(path, "unknown field", hint, code=Code.SETTING)
    values = {name: value for name, value in defaults.items() if name in known}
    _, errors = fields.read(values)
    for details in errors:
        path = location(details)
        if path and path[0] in values and details["type"] != "missing":
            message, hint = message_and_hint(details, fields.models_at(path[:-1]))
            yield config.problem((*place, *path), message, hint, code=Code.SETTING)


def read_settings(options: Mapping[str, object], config: ConfigFile, problems: Problems) -> Settings | None:
    """Return the settings. If they are invalid, return None and add a problem for each error."""
    before = problems.count(Level.ERROR)
    problems.extend(config.duplicates())
    try:
        settings = Settings.model_validate(options)
    except ValidationError as error:
        problems.extend(explain_settings(error.errors(include_url=False), Settings, config))
        return None
    for resource, model in ITEM_MODELS.items():
        section: CollectionSettings = getattr(settings, resource)
        written = options.get(resource)
        problems.extend(check_collection(resource, model, section, written, config))
    return settings if problems.count(Level.ERROR) == before else None
