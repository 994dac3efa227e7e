"""Custom fields of a catalog, and the values that it allows in built-in fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple, TypeVar, get_origin

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic_core import ErrorDetails

from ..problems import RefusedError
from .model import Model
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

COMPUTED = frozenset({"url", "href", "security"})
"""Computed keys, which front matter and data files may not contain."""


class CustomField(BaseModel):
    """The declaration of one custom field; in settings a bare word is short for `{type: word}`."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    type: FieldType = Field(
        "text",
        description="Type of a value; `port: integer` is short for `port: {type: integer}`.",
    )
    values: Annotated[tuple[str, ...], Field(strict=False)] = Field(
        (), description="Allowed values of a text field; empty allows any."
    )
    list: bool = Field(False, description="Whether the field contains a list of such values.")
    required: bool = Field(False, description="Whether every item requires it.")
    description: str = Field(
        "", description="Meaning of the field, for the OpenAPI document and for editors."
    )
    label: str = Field("", description="Label on web pages; by default its name in words.")

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: object) -> object:
        return {"type": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _values_are_for_text(self) -> CustomField:
        if self.values and self.type != "text":
            raise RefusedError(
                "only a field of type text can have `values`", "remove them, or write `type: text`"
            )
        if len({*self.values}) < len(self.values):
            raise RefusedError("a value occurs twice in `values`", "keep one of them")
        return self

    def annotation(self) -> Any:
        """The type of the field in a model."""
        base = _closed(self.values) if self.values else _TYPES[self.type]
        if self.list:
            return list[base]  # type: ignore[valid-type]
        return base if self.required else base | None


def _closed(words: tuple[str, ...]) -> Any:
    """A text that is one of `words`. Null never reaches it: an empty value is an absent one."""

    def text(value: object) -> object:
        # `true` is a word of its own in YAML; in a closed list of words it can only mean the word.
        return str(value).lower() if isinstance(value, bool) and str(value).lower() in words else value

    return Annotated[Literal[words], BeforeValidator(text)]


M = TypeVar("M", bound=Model, covariant=True)


class OwnFields(BaseModel):
    """The values of a catalog's custom fields; each catalog gets a model based on this one."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    names: ClassVar[Sequence[str]] = ()
    of_versions: ClassVar[type[OwnFields]]
    """The own fields of each version."""

    def values(self) -> dict[str, object]:
        """Name → value, in the order declared."""
        return {name: vars(self)[f"own_{name}"] for name in self.names}

    @classmethod
    def others(cls, values: Mapping[str, object]) -> dict[str, object]:
        """Values without a custom field."""
        return {name: value for name, value in values.items() if name not in cls.names}


OwnFields.of_versions = OwnFields


def own_fields(
    fields: Mapping[str, CustomField], version_fields: Mapping[str, CustomField] | None = None
) -> type[OwnFields]:
    """The model of the declared fields; `version_fields` are those of each version."""
    definitions: dict[str, Any] = {}
    for name, custom in fields.items():
        default: Any = ... if custom.required else ([] if custom.list else None)
        info = Field(default, description=custom.description or "Field of this catalog.", alias=name)
        # Under another name, since pydantic's models already have `copy`, `json` and `schema`.
        definitions[f"own_{name}"] = custom.annotation(), info
    of_versions = own_fields(version_fields) if version_fields else OwnFields
    if version_fields:
        definitions["versions"] = Annotated[list[of_versions], BeforeValidator(_mappings)], []  # type: ignore[valid-type]
    if not definitions:
        return OwnFields
    own = create_model("OwnFields", __base__=OwnFields, **definitions)
    own.names, own.of_versions = tuple(fields), of_versions
    return own


def _mappings(versions: object) -> object:
    """The versions that are mappings; the built-in fields validate bare labels and other types."""
    listed = versions if isinstance(versions, list) else ()
    return [version if isinstance(version, dict) else {} for version in listed]


class ItemFields(NamedTuple, Generic[M]):
    """The fields of a collection's items."""

    model: type[M]
    """The built-in fields, with the values that the catalog allows."""
    own: type[OwnFields] = OwnFields
    """The custom fields. A key of one is never read as a built-in field."""
    keys: tuple[tuple[str, str], ...] = ()
    """Field → the other front matter key that it is read from."""

    def holds_list(self, name: str) -> bool:
        """Whether the field with this name can contain a list, as `category` can."""
        own = self.own.model_fields.get(f"own_{name}")
        built_in = {info.alias or field: info for field, info in self.model.model_fields.items()}
        return name == "category" or get_origin((own or built_in[name]).annotation) is list

    @property
    def names(self) -> Sequence[str]:
        """The names that authors can use. A built-in `categories` is written as a list under `category`."""
        taken = {"categories", *self.own.names}
        built_in = (info.alias or name for name, info in self.model.model_fields.items())
        return [*(name for name in built_in if name not in taken), *self.own.names]

    def read(self, values: Mapping[str, object]) -> tuple[M | None, list[ErrorDetails]]:
        """The entry with these values, or all their errors."""
        built_in, of_versions = self.own.others(values), self.own.of_versions
        if of_versions.names and isinstance(versions := values.get("versions"), list):
            built_in["versions"] = [
                of_versions.others(version) if isinstance(version, dict) else version for version in versions
            ]
        entry = own = None
        errors: list[ErrorDetails] = []
        try:
            entry = self.model.model_validate(built_in)
        except ValidationError as error:
            errors += _category_once(error.errors(include_url=False), values)
        if self.own is OwnFields:  # most catalogs declare none
            return entry, errors
        try:
            own = self.own.model_validate(values)
        except ValidationError as error:
            errors += error.errors(include_url=False)
        if entry is None or own is None:
            return None, errors
        entry.own.update(own.values())
        versions = getattr(entry, "versions", ()), getattr(own, "versions", ())
        for version, own_of_version in zip(*versions, strict=False):
            version.own.update(own_of_version.values())
        return entry, errors


def _category_once(errors: Sequence[ErrorDetails], values: Mapping[str, object]) -> Iterator[ErrorDetails]:
    """The errors, each once and at `category`: `categories` comes from the same value."""
    repeated = "category" if isinstance(values.get("category"), list) else "categories"
    for details in errors:
        first, rest = details["loc"][:1], details["loc"][1:]
        if first != (repeated,):
            yield {**details, "loc": ("category", *rest)} if first == ("categories",) else details


def with_words(model: type[M], vocabulary: Mapping[str, tuple[str, ...]]) -> type[M]:
    """The model with the values of `vocabulary` as the only allowed ones."""
    definitions: dict[str, Any] = {}
    for name, words in vocabulary.items():
        closed: Any = _closed(words)
        info = model.model_fields[name]
        kind = closed if info.is_required() else closed | None
        definitions[name] = kind, Field(info.default, description=info.description)
        if name == "category":
            listed = model.model_fields["categories"]
            kinds = Annotated[(list[closed], *listed.metadata)]
            definitions["categories"] = kinds, Field(description=listed.description)
    if not definitions:
        return model
    return create_model(
        model.__name__, __base__=model, __module__=model.__module__, __doc__=model.__doc__, **definitions
    )
