"""Fields that a catalog declares itself, and the words that it allows in built-in ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model, model_validator

from ..problems import RefusedError
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

SHADOWED = frozenset({"categories", "verify"})
"""Built-in fields that came after 1.0: a catalog that has declared such a name before keeps its own."""
COMPUTED = frozenset({"url", "href", "security"})
"""Keys that are computed and therefore refused in front matter and data files."""


class CustomField(BaseModel):
    """The declaration of one custom field; in settings a bare word is short for `{type: word}`."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    type: FieldType = Field(
        "text",
        description="What a value has to be; a declaration that is one word, as `port: integer`, is this.",
    )
    values: Annotated[tuple[str, ...], Field(strict=False)] = Field(
        (), description="The words that a text field may hold; empty leaves it open."
    )
    list: bool = Field(False, description="Whether the field holds a list of such values.")
    required: bool = Field(False, description="Whether every item has to have it.")
    description: str = Field(
        "", description="What it means, for readers of the OpenAPI document and for editors."
    )
    label: str = Field("", description="What web pages call it; by default its name in words.")

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: object) -> object:
        return {"type": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _values_are_for_text(self) -> CustomField:
        if self.values and self.type != "text":
            raise RefusedError("only a field of type text has `values`", "remove them, or write `type: text`")
        if len({*self.values}) < len(self.values):
            raise RefusedError("a word stands twice in `values`", "keep one of them")
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


M = TypeVar("M", bound=BaseModel)


def extend(
    model: type[M],
    fields: Mapping[str, CustomField],
    vocabulary: Mapping[str, tuple[str, ...]],
    version_fields: Mapping[str, CustomField] | None = None,
) -> type[M]:
    """The model with custom fields after its own, in the order declared, and closed vocabularies.

    `version_fields` are those of each of its versions. A declared field takes the place of one that a later
    version of the plugin adds under the same name.
    """
    if not (fields or vocabulary or version_fields):
        return model
    definitions: dict[str, Any] = {}
    for name, words in vocabulary.items():
        info = model.model_fields[name]
        closed: Any = _closed(words)
        optional = not info.is_required()
        definitions[name] = (
            closed | None if optional else closed,
            Field(default=None if optional else ..., description=info.description),
        )
        if name == "category" and "categories" not in fields:
            listed = model.model_fields["categories"]
            kept = Annotated[(list[closed], *listed.metadata)]
            definitions["categories"] = (kept, Field(description=listed.description))
    if version_fields:
        versions = model.model_fields["versions"]
        default: Any = ... if versions.is_required() else []
        definitions["versions"] = (
            list[_versions(get_args(versions.annotation)[0], version_fields)],  # type: ignore[misc]
            Field(default=default, description=versions.description),
        )
    return _declare(model, fields, definitions)


def _declare(model: type[M], fields: Mapping[str, CustomField], definitions: dict[str, Any]) -> type[M]:
    built_in = {info.alias: key for key, info in model.model_fields.items()}
    for name, custom in fields.items():
        default: Any = ... if custom.required else ([] if custom.list else None)
        # Under a name of its own, since pydantic's models have a `copy`, a `json` and a `schema` already.
        definitions[built_in.get(name, f"own_{name}")] = (
            custom.annotation(),
            Field(default=default, description=custom.description or "Field of this catalog.", alias=name),
        )
    extended: type[M] = create_model(
        model.__name__, __base__=model, __module__=model.__module__, __doc__=model.__doc__, **definitions
    )
    extended.own = frozenset(fields)  # type: ignore[attr-defined]
    return extended


def _versions(entry: Any, fields: Mapping[str, CustomField]) -> Any:
    """The type of a version with custom fields, with what may stand for it in short."""
    model, *validators = get_args(entry) or (entry,)
    extended = _declare(model, fields, {})
    for validator in validators:
        types = [extended if kind is model else kind for kind in get_args(validator.json_schema_input_type)]
        entry = Annotated[extended, replace(validator, json_schema_input_type=reduce(or_, types))]
    return entry if validators else extended
