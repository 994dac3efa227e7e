"""What a user can set in mkdocs.yml under `catalog-api`; the plugin and the command line share it."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, Self

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
from pydantic_core import ErrorDetails

from ..catalog import names as references
from ..catalog.fields import COMPUTED, CustomField, ItemFields, M, own_fields, with_words
from ..catalog.links import web_link
from ..catalog.models import ChartEntry, ImageEntry, ItemEntry, RoadmapEntry, UpdateEntry
from ..catalog.registry_facts import FACTS_FOLDER
from ..catalog.types import LineRule, VariantRule
from ..catalog.verification import Verification
from ..problems import Level, Problem, Problems, RefusedError
from ..problems.codes import Code
from .config_file import ConfigFile
from .from_registry import FromRegistry, is_from_registry, read_from_registry
from .messages import field_names, location, message_and_hint, models_in, not_among, suggestion
from .pages import SLUG

CLOSABLE = ("category", "tier", "license", "base", "signature", "priority")
"""Built-in text fields whose words a catalog can close with `vocabulary`."""
_ITS_OWN = ("slug", "name", "image", "versions", "latest", "chart", "images", "product")
"""Fields that no two items can share, so that a default would make no sense."""
_COLOR = re.compile(r"#?(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})|[a-z]+")
_SIZE = re.compile(r"([1-9][0-9]{0,8})(kB|MB|GB|KiB|MiB|GiB)")
_UNITS = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


class Section(BaseModel):
    """No undeclared keys, no value taken for another type than it has."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


def or_defaults(value: object) -> object:
    """`images:` without a value means the defaults, as YAML reads it as null."""
    return {} if value is None else value


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
    if value.count(SLUG) > 1 or re.search(r"[{}]", value.replace(SLUG, "")):
        hint = "as in images/docker-{slug}.md"
        raise RefusedError(f"{value!r} may capture {SLUG}, once, and nothing else", hint)
    try:
        GitIgnoreSpec.from_lines([value.replace(SLUG, "*")])
    except (ValueError, re.error):
        raise RefusedError(f"{value!r} is not a pattern of pages", "as in images/**/*.md") from None
    return value


def _patterns(value: object) -> object:
    """One pattern is short for a list of one, and `false` for none."""
    if value is False:
        return ()
    return (value,) if isinstance(value, str) else value


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


def _size(value: object) -> object:
    if isinstance(value, str) and (match := _SIZE.fullmatch(value)):
        return int(match[1]) * _UNITS[match[2]]
    shown = repr(value[:40]) if isinstance(value, str) else str(value)[:40]
    raise RefusedError(f"{shown} is not a size", f"write a whole number and {' or '.join(_UNITS)}: 512MB")


def _once(values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if values.count(value) > 1:
            raise RefusedError(f"{value!r} stands here twice", "keep one of them")
    return values


Word = Annotated[str, StringConstraints(strict=True, min_length=1)]
RelativePath = Annotated[Word, AfterValidator(_relative)]
FieldName = Annotated[Word, AfterValidator(_field_name)]
Patterns = Annotated[
    tuple[Annotated[Word, AfterValidator(_pattern)], ...],
    Field(strict=False),
    BeforeValidator(_patterns, json_schema_input_type=str | list[str] | bool),
]
Color = Annotated[Word, AfterValidator(_color)]
Email = Annotated[Word, AfterValidator(_email)]
Size = Annotated[
    int, BeforeValidator(_size, json_schema_input_type=Annotated[str, Field(pattern=f"^{_SIZE.pattern}$")])
]
"""Bytes, written as a whole number with its unit."""
Once = AfterValidator(_once)
"""No word twice."""


class CollectionSettings(Section):
    """Where the items of a collection come from, and what is particular about them."""

    pages: Patterns | None = Field(
        None,
        description="Pattern of the pages, relative to docs_dir, or a list of them; default "
        "`<collection>/**/*.md`. `{slug}` takes the slug from the name, as in `images/docker-{slug}.md`; "
        "`false` means none.",
    )
    data: RelativePath | None = Field(
        None,
        description="Data file, relative to mkdocs.yml; default `<collection>.yml` (`.yaml`, `.json`), "
        "if it is there.",
    )
    defaults: dict[Word, Any] = Field(
        {}, description="Values of items that give none themselves; a `.meta.yml` and the page come before."
    )
    fields: dict[FieldName, CustomField] = Field({}, description="Custom fields of the items.")
    version_fields: dict[FieldName, CustomField] = Field({}, description="Custom fields of each version.")
    vocabulary: dict[Word, Annotated[tuple[Word, ...], Field(strict=False, min_length=1), Once]] = Field(
        {}, description="Words that a built-in field may have."
    )
    map: dict[Word, Word] = Field(
        {},
        description="Fields that are read from another key of the front matter, as in `{category: tags}`, "
        "unless an item has the field itself. A list gives its first entry to a field of one value.",
    )
    lines: LineRule | None = Field(
        None,
        description="How the line of a version is derived from its label, unless its page sets it: `major`, "
        "`minor`, `patch`, `none`, or a regular expression with one group. By default all numbers but the "
        "last, at least one, at most two.",
    )
    variants: VariantRule | None = Field(
        None,
        description="How the variant of a version is derived from its label, unless its page sets it: "
        "`none`, a regular expression with one group, or names with patterns, as in "
        '`{dev: "*-dev"}`. By default the words after the numbers.',
    )
    verify: Verification | None = Field(
        None, description="How the items are verified, unless a page has a `verify` of its own."
    )

    def item_fields(self, model: type[M]) -> ItemFields[M]:
        """The fields of its items, with the words that the catalog allows and the fields of its own."""
        own = own_fields(self.fields, self.version_fields)
        if model is ImageEntry and "variant" in own.of_versions.names:
            # It is checked as it is declared, and is the built-in field.
            own.of_versions.names = [name for name in own.of_versions.names if name != "variant"]
        return ItemFields(with_words(model, self.vocabulary), own, (*self.map.items(),))


Resource = Literal["images", "charts", "roadmap", "updates"]
ITEM_MODELS: dict[Resource, type[ItemEntry]] = {
    "images": ImageEntry,
    "charts": ChartEntry,
    "roadmap": RoadmapEntry,
}
DATA_ENDINGS = (".yml", ".yaml", ".json")
"""Of a data file that the settings do not name."""
SECURITY_FOLDERS = {"reports": "scans", "vex": "vex"}
"""Where vulnerability data lies unless the settings say otherwise, relative to mkdocs.yml."""
ADVISORIES = {
    "kev": "advisories/known_exploited_vulnerabilities.json",
    "epss": "advisories/epss_scores.csv.gz",
}
"""Which files say what is exploited, and how likely, unless the settings do; relative to mkdocs.yml."""
DEFAULT_HISTORY = "history"
"""Where the recorded days lie unless the settings say otherwise, relative to mkdocs.yml."""
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
    """What a data file may be called that the settings do not name."""
    return [stem + ending for ending in DATA_ENDINGS]


class UpdatesSettings(Section):
    """Where the updates come from."""

    data: RelativePath | None = Field(
        None,
        description="`.yml`, `.yaml`, `.json`: a list; `.md`: the list under `updates` in its front matter.",
    )
    decisions: RelativePath | None = Field(
        None,
        description="Held and skipped updates if `data` is the output of `nvcmp -j`; default "
        "`decisions.yml`.",
    )


class SecuritySettings(Section):
    """Where vulnerability data comes from."""

    reports: RelativePath | None = Field(
        None,
        description="Folder of scanners' reports, relative to mkdocs.yml; default `scans`, if it is there.",
    )
    vex: RelativePath | None = Field(
        None,
        description="Folder of OpenVEX documents, relative to mkdocs.yml; default `vex`, if it is there.",
    )
    kev: RelativePath | None = Field(
        None,
        description="CISA's catalog of known exploited vulnerabilities, relative to mkdocs.yml; "
        "default `advisories/known_exploited_vulnerabilities.json`, if it is there.",
    )
    epss: RelativePath | None = Field(
        None,
        description="The daily scores of EPSS, relative to mkdocs.yml; default "
        "`advisories/epss_scores.csv.gz`, if it is there.",
    )
    max_age: Annotated[int, Field(ge=1)] | None = Field(
        None,
        description="Age in days above which the scan of a newest version causes a warning. Where other "
        "versions have scans, so does a newest version without any.",
    )
    scanners: Annotated[tuple[Word, ...], Field(strict=False, min_length=1), Once] = Field(
        (),
        description="Which scanners count: for each digest the first of these that has scanned it.",
    )
    """By default empty: all, in the order of the table of report formats."""
    accept: Annotated[tuple[Accepted, ...], Field(strict=False), Once] = Field(
        (),
        description="Reports that are accepted without a warning: of something other than an image "
        "(`filesystem`, `repository`, `vm`, `cyclonedx`, `spdx`, `directory`, `file`), scans of some "
        "digests of a release (`partial`), reports that name another registry's image (`reference`). "
        "`ignored` suppresses findings that a rule of the scanner ignores; without it, they count.",
    )
    max_report_size: Size = Field(
        512_000_000,
        description="Largest size of a report or VEX document, such as `512MB`. Larger ones are rejected.",
    )
    publish_vex: bool = Field(
        False,
        description="Whether the statements are published as OpenVEX documents, which takes an https "
        "`site_url`.",
    )


class BadgeSettings(Section):
    """The looks of one badge."""

    label: Word | None = Field(
        None, description="Text of the left half, in place of the one that the badge has."
    )
    color: Color | None = Field(
        None,
        description="Color of the right half, which shows the value; by default it depends on the value.",
    )
    label_color: Annotated[Color | None, Field(alias="labelColor")] = Field(
        None, description="Color of the left half; by default dark gray."
    )
    logo: Word | None = Field(
        None, description="A simple-icons slug, or the path of an SVG file below docs_dir."
    )
    logo_color: Annotated[Color | None, Field(alias="logoColor")] = Field(
        None, description="Color of a simple-icons logo, by default white; an SVG file has its own."
    )


class ContactSettings(Section):
    """Who answers questions about the API."""

    name: Word | None = Field(
        None, description="Who answers questions about the API: a person, a team or an organization."
    )
    url: Annotated[Word, AfterValidator(web_link)] | None = Field(
        None, description="Page on which they can be reached."
    )
    email: Email | None = Field(None, description="Their e-mail address, as in `catalog@example.org`.")


class LicenseSettings(Section):
    """On what terms the documents may be used: the licence's name, and its SPDX id or its address."""

    name: Word = Field(
        description="Name of the license under which the documents may be used; every `license` needs it."
    )
    identifier: Word | None = Field(
        None, description="SPDX identifier of that license, as in `CC-BY-4.0`; it or `url`, not both."
    )
    url: Annotated[Word, AfterValidator(web_link)] | None = Field(
        None, description="Address of its text, for a license without an SPDX identifier."
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.identifier and self.url:
            raise RefusedError("OpenAPI takes `identifier` or `url`, not both", "keep one of them")
        return self


class OpenApiSettings(Section):
    """Contact and license in `openapi.json`."""

    contact: ContactSettings | None = None
    license: LicenseSettings | None = None


_DEFAULTS: Any = Field(default={}, validate_default=True)
"""Of a section; made with the settings, as a model takes its time the first time that it makes anything."""


class Settings(Section):
    """All settings; every one has a default."""

    registry: Annotated[Word, AfterValidator(references.repository)] | None = Field(
        None, description="`image` of a page that gives none is registry/slug."
    )
    registry_facts: RelativePath = Field(
        FACTS_FOLDER, description="Folder of what `catalog-api sync` learns, relative to mkdocs.yml."
    )
    insecure_registries: tuple[Word, ...] = Field(
        (),
        strict=False,
        description="Hosts (with the port, if any) that `catalog-api sync` asks by http instead of https.",
    )
    images: Annotated[CollectionSettings, BeforeValidator(or_defaults)] = _DEFAULTS
    charts: Annotated[CollectionSettings, BeforeValidator(or_defaults)] = _DEFAULTS
    roadmap: Annotated[CollectionSettings, BeforeValidator(or_defaults)] = _DEFAULTS
    updates: Annotated[UpdatesSettings, BeforeValidator(or_defaults)] = _DEFAULTS
    security: Annotated[SecuritySettings, BeforeValidator(or_defaults)] = _DEFAULTS
    badges: dict[Word, Annotated[BadgeSettings, BeforeValidator(or_defaults)]] = {}
    openapi: Annotated[OpenApiSettings, BeforeValidator(or_defaults)] = _DEFAULTS
    lookups: Annotated[tuple[Word, ...], Field(strict=False), Once] = Field(
        (), description="Which lookup documents are written; `[]` for none."
    )
    history: RelativePath | None = Field(
        None,
        description="Folder of the recorded days, relative to mkdocs.yml; default `history`, if it is there.",
    )
    signed: bool = Field(
        False,
        description="Whether `catalog-api sign` signs the manifest after each build: discovery then names "
        "the signature.",
    )
    headers: HostName | None = Field(None, description="Host whose header file is written; none by default.")
    feeds: bool = Field(
        False,
        description="Whether feeds and a calendar of ends of life are published, which takes a `site_url`.",
    )
    web: bool = Field(
        True, description="Whether the pages show the catalog: markers are filled and item pages completed."
    )

    def has_lookup(self, name: str) -> bool:
        """Whether the lookup documents of this name are written: by default all are."""
        return name in self.lookups or "lookups" not in self.model_fields_set


def item_fields(settings: Settings) -> dict[str, ItemFields[Any]]:
    """Collection → the fields of its items."""
    fields: dict[str, ItemFields[Any]] = {"updates": ItemFields(UpdateEntry)}
    for name, model in ITEM_MODELS.items():
        fields[name] = getattr(settings, name).item_fields(model)
    return fields


def explain_settings(
    found: Sequence[ErrorDetails], model: type[BaseModel], config: ConfigFile
) -> Iterator[Problem]:
    """A problem for each fault that pydantic found."""
    for details in found:
        path = location(details)
        if details["type"] == "too_short" and any(other["loc"][:-1] == path for other in found):
            continue  # the list is empty only because all its entries were refused
        if path and isinstance(path[-1], int) and config.written(path[:-1]):
            path = path[:-1]  # one value, which may stand for a list of one
        written = config.written(path, key="[key]" in details["loc"] or details["type"] == "invalid_key")
        message, hint = message_and_hint(details, (model,), written)
        yield config.problem(path, message.replace("unknown key", "unknown setting"), hint, code=Code.SETTING)


def without(options: Mapping[str, object], faults: Iterable[Sequence[str | int]]) -> dict[str, object]:
    """The options without the values at these places, or around them where nothing stands there."""
    left = dict(options)
    for path in faults:
        _drop(left, path)
    return left


def _drop(values: dict[Any, Any], path: Sequence[str | int]) -> None:
    """A mapping below the first key is copied, never changed; a fault in a list takes the whole list."""
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
    """A problem for each word of a setting that is not among those of the table that it is about."""
    for position, word in enumerate(words):
        if word not in known:
            yield config.problem((*setting, position), *not_among(word, known), code=Code.SETTING)


def check_collection(
    resource: str, model: type[ItemEntry], section: CollectionSettings, written: object, config: ConfigFile
) -> Iterator[Problem]:
    """Check names and defaults against the fields that the collection has.

    `written` is the section as it was written, of which `section` may lack what is faulty.
    """
    names = ItemFields(model).names
    closable = [name for name in CLOSABLE if name in names]
    # Of the others, `categories` and `verify`, the JSON has computed values.
    published = {*names} & {info.alias for info in model.model_fields.values() if not info.exclude}
    yield from _names(resource, "fields", section.fields, published, closable, config)
    yield from _version_fields(resource, model, section, config)
    if section.verify is not None and "verify" not in names:
        message = f"there is nothing to verify in {resource}"
        yield config.problem((resource, "verify"), message, "remove it", code=Code.SETTING)
    for name in ("lines", "variants"):
        if getattr(section, name) is not None and name not in names:
            message = f"{resource} have no release lines"
            yield config.problem((resource, name), message, "remove it", code=Code.SETTING)
    for name in section.vocabulary.keys() - closable:
        message = f"`{name}` is no field of {resource} whose words can be closed"
        hint = suggestion(name, closable, "these can:")
        if name in section.fields:
            hint = f"give the words of a field of your own as `values` under `fields.{name}`"
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
    """Each entry of `map` that is not for a field."""
    declared = written.get("fields") if isinstance(written, dict) else None
    known = [*ItemFields(model, own_fields(section.fields)).names]
    for name in section.map:
        if name in COMPUTED:
            message, hint = f"`{name}` is computed", "remove it"
        elif name not in known and not (isinstance(declared, dict) and name in declared):
            message, hint = "unknown field", suggestion(name, known, f"{resource} have")
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
            hint = "close its words with `vocabulary`" if name in closable else "remove it"
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
            message = "the field `variant` is the variant of a version, a text"
            yield config.problem(path, message, "write `variant: text`", code=Code.SETTING)
    elif section.version_fields:
        message = f"{resource} has no versions"
        yield config.problem((resource, "version_fields"), message, "remove it", code=Code.SETTING)


def _defaults(
    resource: str, model: type[ItemEntry], section: CollectionSettings, written: object, config: ConfigFile
) -> Iterator[Problem]:
    """Each default against the field that it is for."""
    if not section.defaults:
        return  # so that a model of which the catalog has no item need not be built
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
            yield config.problem(path, f"`{name}` is of each item alone", "remove it", code=Code.SETTING)
        elif name not in known and not (isinstance(declared, dict) and name in declared):
            hint = suggestion(name, known, f"{resource} have")
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
    """The settings, or None and a problem for each fault."""
    before = problems.count(Level.ERROR)
    usable: Mapping[str, object] = options
    settings = None
    while settings is None:
        try:
            settings = Settings.model_validate(usable)
        except ValidationError as error:
            found = error.errors(include_url=False)
            if usable is options:
                problems.extend(explain_settings(found, Settings, config))
            # Without what is faulty the rest can be looked at, too.
            usable = without(usable, [location(details) for details in found])
    for resource, model in ITEM_MODELS.items():
        section: CollectionSettings = getattr(settings, resource)
        written = options.get(resource)
        problems.extend(check_collection(resource, model, section, written, config))
    return settings if problems.count(Level.ERROR) == before else None
