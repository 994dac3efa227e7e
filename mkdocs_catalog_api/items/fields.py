"""What a catalog sets for the fields of its items: rules for built-in ones, and custom fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple, TypeVar, get_args, get_origin

from annotated_types import MinLen
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from ..problems import RefusedError
from .base_model import CustomizableModel, Model, short
from .shown import Shown
from .types import Boolean, Integer, IsoDate, Number, Text, WebLink

FieldType = Literal["text", "integer", "number", "boolean", "date", "url"]

# The type of each word is the type that built-in fields of that kind have.
_TYPES: Mapping[str, Any] = {
    "text": Text,
    "integer": Integer,
    "number": Number,
    "boolean": Boolean,
    "date": IsoDate,
    "url": WebLink,
}

COMPUTED = frozenset({"url", "href", "security", "custom"})
"""Computed keys, which front matter and data files may not contain."""


class FieldRule(BaseModel):
    """The settings of one field, built-in or custom; a bare word is short for `{type: word}`."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    type: FieldType = Field(
        "text",
        description="Type of a custom field; `port: integer` is short for `port: {type: integer}`.",
    )
    values: Annotated[tuple[str, ...], Field(strict=False)] = Field(
        (), description="Allowed values of a text field, built-in or custom; empty allows any."
    )
    list: bool = Field(False, description="Whether a custom field contains a list of such values.")
    required: bool = Field(False, description="Whether every item requires the field.")
    description: str = Field(
        "", description="Meaning of a custom field, for the OpenAPI document and for editors."
    )
    card: bool = Field(False, description="Whether cards show the custom field.")
    from_: Annotated[str, Field(min_length=1)] | None = Field(
        None,
        alias="from",
        description="Other key of the front matter to read the field from, unless an item has the field "
        "itself. For a field with one value, the first entry of a list is used.",
    )

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: object) -> object:
        return {"type": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _values_are_for_text(self) -> FieldRule:
        if self.values and self.type != "text":
            raise RefusedError(
                "only a field of type text can have `values`", "remove them, or write `type: text`"
            )
        if len({*self.values}) < len(self.values):
            raise RefusedError("a value occurs twice in `values`", "keep one of them")
        return self

    @property
    def has_filter(self) -> bool:
        """Whether lists have a filter for the field: its values are few."""
        return self.type == "boolean" or bool(self.values)

    def closed(self) -> Any:
        """The type of a text that is one of `values`."""

        def text(value: object) -> object:
            # Another plugin may have read a word as true or false.
            word = str(value).lower()
            return word if isinstance(value, bool) and word in self.values else value

        return Annotated[Literal[self.values], BeforeValidator(text)]

    def annotation(self) -> Any:
        """The type of a custom field in a model."""
        base: Any = self.closed() if self.values else _TYPES[self.type]
        if self.list:
            return list[base]
        return base if self.required else base | None


Rules = Mapping[str, FieldRule]
"""Name of a field → its settings."""


class OwnFields(BaseModel):
    """The custom fields of items or versions; each catalog with such fields gets a model based on this."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    rules: ClassVar[Rules] = MappingProxyType({})
    """The settings of each, in the order declared."""

    @classmethod
    def read(
        cls, values: Mapping[str, object], *path: str | int
    ) -> tuple[dict[str, object], list[ErrorDetails]]:
        """Name → value, in the order declared, and the errors in `values`, which are at `path`."""
        if not cls.rules:
            return {}, []
        try:
            own = vars(cls.model_validate(values))
        except ValidationError as error:
            details = error.errors(include_url=False)
            return {}, [{**fault, "loc": (*path, *fault["loc"])} for fault in details]
        return {name: own[f"own_{name}"] for name in cls.rules}, []


def _own_fields(rules: Rules, built_in: Sequence[str]) -> type[OwnFields]:
    """The model of the custom fields among `rules`."""
    custom = {name: rule for name, rule in rules.items() if name not in built_in}
    if not custom:
        return OwnFields
    definitions: dict[str, Any] = {}
    for name, rule in custom.items():
        default: Any = ... if rule.required else ([] if rule.list else None)
        info = Field(default, description=rule.description or "Field of this catalog.", alias=name)
        # Under another name, since pydantic's models already have `copy`, `json` and `schema`.
        definitions[f"own_{name}"] = rule.annotation(), info
    own = create_model("OwnFields", __base__=OwnFields, **definitions)
    own.rules = custom
    return own


M = TypeVar("M", bound=Model, covariant=True)


class ItemFields(NamedTuple, Generic[M]):
    """The fields of a collection's items."""

    model: type[M]
    """The built-in fields, with the values and requirements of the catalog."""
    own: type[OwnFields] = OwnFields
    """The custom fields of items."""
    own_of_versions: type[OwnFields] = OwnFields
    keys: tuple[tuple[str, str], ...] = ()
    """Field → the other front matter key that it is read from."""
    version_keys: tuple[tuple[str, str], ...] = ()
    """The same for the fields of each version."""

    def infos(self) -> Mapping[str, FieldInfo]:
        """Name of each field → its type, built-in fields first."""
        own = {name: self.own.model_fields[f"own_{name}"] for name in self.own.rules}
        return {**built_in_fields(self.model), **own}

    def holds_list(self, name: str) -> bool:
        """Whether the field with this name can contain a list, as `category` can."""
        info = self.own.model_fields.get(f"own_{name}") or built_in_fields(self.model)[name]
        return name == "category" or get_origin(info.annotation) is list

    @property
    def names(self) -> Sequence[str]:
        """The names that authors can use. `categories` is written as a list under `category`."""
        built_in = (name for name in built_in_fields(self.model) if name != "categories")
        return [*built_in, *self.own.rules]

    def models_at(self, path: Sequence[str | int]) -> list[type[BaseModel]]:
        """The models with the names that the mapping at `path` can have."""
        own = {(): self.own, ("versions",): self.own_of_versions}.get(
            tuple(step for step in path if isinstance(step, str))
        )
        return [self.model, *([own] if own else [])]

    def read(self, values: Mapping[str, object]) -> tuple[M | None, list[ErrorDetails]]:
        """The entry with these values, or all their errors."""
        built_in = {name: value for name, value in values.items() if name not in self.own.rules}
        own, errors = self.own.read(values)
        versions = values.get("versions")
        listed = versions if isinstance(versions, list) and self.own_of_versions.rules else []
        own_of_versions = []
        for position, version in enumerate(listed):
            given = version if isinstance(version, dict) else {}
            own_of_version, more = self.own_of_versions.read(given, "versions", position)
            own_of_versions.append(own_of_version)
            errors += more
        if listed:
            names = self.own_of_versions.rules
            built_in["versions"] = [
                {name: value for name, value in version.items() if name not in names}
                if isinstance(version, dict)
                else version
                for version in listed
            ]
        try:
            entry = self.model.model_validate(built_in)
        except ValidationError as error:
            return None, [*_category_once(error.errors(include_url=False), values), *errors]
        if errors:
            return None, errors
        if isinstance(entry, CustomizableModel):
            entry.own.update(own)
        for version, own_of_version in zip(getattr(entry, "versions", ()), own_of_versions, strict=False):
            version.own.update(own_of_version)
        return entry, []


def item_fields(model: type[M], rules: Rules, version_rules: Rules) -> ItemFields[M]:
    """The fields of items with this model; `version_rules` are those of each version."""
    versions = version_model(model)
    return ItemFields(
        _with_rules(model, rules, version_rules),
        _own_fields(rules, [*built_in_fields(model)]),
        _own_fields(version_rules, [*built_in_fields(versions)]) if versions else OwnFields,
        tuple((name, rule.from_) for name, rule in rules.items() if rule.from_),
        tuple((name, rule.from_) for name, rule in version_rules.items() if rule.from_),
    )


@cache
def built_in_fields(model: type[BaseModel]) -> Mapping[str, FieldInfo]:
    """Name in front matter → field of a model."""
    return {info.alias or name: info for name, info in model.model_fields.items()}


@cache
def field_type(model: type[BaseModel], attribute: str) -> TypeAdapter[Any]:
    """The type of one field of a model, to validate its value alone."""
    info = model.model_fields[attribute]
    annotated: Any = Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
    return TypeAdapter(annotated)


@cache
def version_model(model: type[BaseModel]) -> type[Model] | None:
    """The model of each version of an item; None if such items have no versions."""
    versions = model.model_fields.get("versions")
    return get_args(get_args(versions.annotation)[0])[0] if versions else None


def closed_words(annotation: Any) -> list[str]:
    """The words of a type that allows no others, as a marker and an address write them; else none."""
    if annotation is bool:
        return ["true", "false"]
    parts = get_args(annotation)
    if get_origin(annotation) is Literal:
        return [str(part) for part in parts]
    return [word for part in parts for word in closed_words(part)]


def type_of_text(info: FieldInfo) -> Any:
    """The type of each text in a built-in field; None if it holds something else or has fixed words."""
    annotation = info.annotation
    if get_origin(annotation) is list:
        annotation = get_args(annotation)[0]
    elif type(None) in get_args(annotation):
        (annotation, *others) = (part for part in get_args(annotation) if part is not type(None))
        if others:
            return None
    elif annotation is str:
        return Annotated[str, *info.metadata]
    return annotation if get_origin(annotation) is Annotated and get_args(annotation)[0] is str else None


def _category_once(errors: Sequence[ErrorDetails], values: Mapping[str, object]) -> Iterator[ErrorDetails]:
    """The errors, each once and at `category`: `categories` comes from the same value."""
    written, repeated = "category", "categories"
    if isinstance(values.get("category"), list):
        written, repeated = repeated, written
    both = any(details["loc"][:1] == (written,) for details in errors)
    for details in errors:
        first, rest = details["loc"][:1], details["loc"][1:]
        if not (both and first == (repeated,)):
            yield {**details, "loc": ("category", *rest)} if first == ("categories",) else details


def _with_rules(model: type[M], rules: Rules, version_rules: Rules = MappingProxyType({})) -> type[M]:
    """The model with the values and requirements in `rules`."""
    if "category" in rules:  # `categories` comes from the same value
        rules = {"categories": rules["category"].model_copy(update={"required": False}), **rules}
    definitions: dict[str, Any] = {}
    for name, info in model.model_fields.items():
        rule = rules.get(info.alias or name)
        if rule and (rule.values or rule.required):
            definitions[name] = _ruled(info, rule)
    versions = version_model(model)
    if versions and (ruled := _with_rules(versions, version_rules)) is not versions:
        info = model.model_fields["versions"]
        label = ruled.model_fields["version"]
        bare: Any = Annotated[label.annotation, *label.metadata]
        kind: Any = list[Annotated[ruled, short("version", bare | ruled)]]  # type: ignore[valid-type]
        definitions["versions"] = Annotated[(kind, *info.metadata)], _copied(info, info.default)
    if not definitions:
        return model
    return create_model(
        model.__name__, __base__=model, __module__=model.__module__, __doc__=model.__doc__, **definitions
    )


def _ruled(info: FieldInfo, rule: FieldRule) -> tuple[Any, FieldInfo]:
    """Type and default of a built-in field under a rule."""
    default = ... if rule.required or info.is_required() else info.default
    kind: Any = info.annotation
    is_list, nullable = get_origin(kind) is list, type(None) in get_args(kind)
    metadata: Sequence[Any] = info.metadata
    if rule.values:
        closed: Any = rule.closed()
        kind = list[closed] if is_list else closed
        metadata = metadata if is_list else [part for part in metadata if isinstance(part, Shown)]
        kind = kind | None if nullable and not rule.required else kind
    elif is_list and rule.required:
        metadata = [*metadata, MinLen(1)]
    elif nullable and rule.required:
        (kind,) = (part for part in get_args(kind) if part is not type(None))
    return Annotated[(kind, *metadata)], _copied(info, default)


def _copied(info: FieldInfo, default: Any) -> FieldInfo:
    copied: FieldInfo = Field(
        default, alias=info.alias, description=info.description, examples=info.examples, exclude=info.exclude
    )
    return copied
