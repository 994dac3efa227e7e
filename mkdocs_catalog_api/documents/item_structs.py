"""Items of the collections: the fields that authors write (`items.models`), and computed ones.

Names, order, types and descriptions of the fields that authors write are in `items.models` alone; the
Structs are made from there. A declared field is always present, null only where its type allows it.
"""

import types
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

from msgspec import Meta, Struct
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ..catalog.published import Day, Document, Href, PageLink, document_struct
from ..items.base_model import CustomizableModel, Model
from ..items.collections import COLLECTIONS, PINNING
from ..items.fields import ItemFields, OwnFields
from ..items.models import (
    ImageEntry,
    Lifecycle,
    Outcome,
    PinEntry,
    RoadmapEntry,
    UpdateEntry,
    VersionEntry,
)
from ..items.types import Slug, Text, VersionLabel
from .security import SecurityFigures

AUTHORED_EXAMPLE = "x-authored-example"
"""Key in schemas of an author's example, which counts only if `examples.json` has none for the field."""
Fields: TypeAlias = Mapping[str, Any]
"""Name of a field → its type, with its description."""


class Verify(Document):
    """How to verify the newest version: its signer, and a command that checks the signature."""

    tool: Annotated[Text, "Program that verifies it: `cosign`."]
    identity: Annotated[Text | None, "Identity in the certificate."]
    identity_regexp: Annotated[Text | None, "Expression that the identity must match."]
    issuer: Annotated[Text | None, "OIDC issuer of the certificate."]
    key: Annotated[Text | None, "URL of the public key, instead of an identity."]
    command: Annotated[Text, "Command for the newest version, by its digest if it has exactly one."]


def _listed(item: str, security: str) -> Fields:
    """The computed fields of items with versions, as `item` is one; `security` describes their counts."""
    how = "How to verify it; null if no signer is given, or the item is withdrawn."
    return {
        "verify": Annotated[Verify | None, how],
        "url": Annotated[PageLink, "Web page.", Meta(examples=[f"SITE/{item}/"])],
        "href": Annotated[Href, "Item document.", Meta(examples=[f"API/{item}/index.json"])],
        "security": Annotated[SecurityFigures, security],
    }


_COMPUTED: Mapping[type[BaseModel], Fields] = {
    VersionEntry: {
        "sbom": Annotated[
            str | None,
            "URL of its software bill of materials (SBOM); without one of the author, of "
            "the API's own if the packages are known.",
            Meta(extra_json_schema={"format": "uri-reference"}),
        ],
        "href": Annotated[Href, "Document with its vulnerabilities."],
    },
    PinEntry: {
        "slug": Annotated[Slug | None, "Slug of the image; null when it is not of this catalog."],
        "version": Annotated[VersionLabel | None, "The version that is pinned; null when no page lists it."],
        "until": Annotated[
            Day | None,
            "Of a former digest: the day on which the version got another one; null if that "
            "day is unknown, and for other digests.",
        ],
        "href": Annotated[
            Href | None, "Document with its vulnerabilities; of a former digest its digest document."
        ],
    },
    ImageEntry: _listed("images/nginx", "Counts for the newest version."),
    **{
        COLLECTIONS[name].model: _listed(f"{name}/web", "Sums over the images that it pins.")
        for name in PINNING
    },
    RoadmapEntry: {"url": Annotated[PageLink | None, "Web page."]},
    UpdateEntry: {
        "href": Annotated[Href | None, "Item document of the image or chart; null when there is none."],
    },
}
"""Model → further fields of its published form."""

_WORDS: Mapping[Any, str] = {Lifecycle: "Lifecycle", Outcome: "Outcome"}
"""Closed lists of words → the name of their schema."""

_NAMES: Mapping[str, str] = {"RoadmapEntry": "RoadmapItem", "VersionEntry": "ImageVersion"}
"""Model → name of its published form; other models lose `Entry`."""


@cache
def published(
    model: type[BaseModel],
    own: type[OwnFields] = OwnFields,
    own_of_versions: type[OwnFields] = OwnFields,
) -> type[Struct]:
    """The Struct that an entry of this model is published as.

    Its fields are those of the model, then the computed ones, then `custom` with those of `own`.
    """
    # Without the rules of a catalog: those are in a model of the same name, which is based on it.
    built_in = [base for base in model.__mro__ if base.__name__ == model.__name__][-1]
    name = _NAMES.get(model.__name__, model.__name__.removesuffix("Entry"))
    fields = {
        field: _described(info, own_of_versions if field == "versions" else OwnFields)
        for field, info in model.model_fields.items()
        if not info.exclude
    } | {**_COMPUTED.get(built_in, {})}
    if issubclass(model, CustomizableModel):
        fields["custom"] = Annotated[custom(name, own), "Custom fields of this catalog."]
    names = {field: info.alias or field for field, info in model.model_fields.items()}
    return document_struct(name, built_in.__doc__, fields, names)


def item_struct(fields: ItemFields[Model]) -> type[Struct]:
    """The Struct of a collection's items, which have these fields."""
    return published(fields.model, fields.own, fields.own_of_versions)


@cache
def custom(owner: str, own: type[OwnFields], names: Sequence[str] | None = None) -> type[Struct]:
    """The Struct of custom fields in the Struct `owner`: of all of them, or of those in `names`."""
    names_in_json = {f"own_{name}": name for name in (own.rules if names is None else names)}
    fields = {field: _described(own.model_fields[field]) for field in names_in_json}
    return document_struct(f"{owner}Custom", "Custom fields of this catalog.", fields, names_in_json)


def publish(
    entry: Model,
    own: type[OwnFields] = OwnFields,
    own_of_versions: type[OwnFields] = OwnFields,
    **computed: object,
) -> Struct:
    """A validated entry as it is published, with the computed fields; `own` declares its custom fields."""
    struct = published(type(entry), own, own_of_versions)
    values = vars(entry) | computed
    if isinstance(entry, CustomizableModel):
        values["custom"] = custom(struct.__name__, own)(*entry.own.values())
    return struct(*(_published(values[name]) for name in struct.__struct_fields__))


def _published(value: object) -> object:
    if isinstance(value, list):
        return [_published(part) for part in value]
    return publish(value) if isinstance(value, Model) else value


def _described(info: FieldInfo, own: type[OwnFields] = OwnFields) -> Any:
    kind = _plain(Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation, own)
    authored = {AUTHORED_EXAMPLE: info.examples[0]} if info.examples else None
    meta = Meta(description=info.description, extra_json_schema=authored)
    return Annotated[kind, meta] if info.description else kind


def _plain(annotation: Any, own: type[OwnFields]) -> Any:
    """The type of a validated value, with the constraints that a schema can express.

    `own` declares the custom fields of a model in it.
    """
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        shape = [part for part in parts[1:] if isinstance(part, Meta)]
        return Annotated[_plain(parts[0], own), *shape] if shape else _plain(parts[0], own)
    if origin in (Union, types.UnionType):
        return Union[tuple(_plain(part, own) for part in parts)]  # noqa: UP007  # of parts that are not known here
    if origin is list:
        return list[_plain(parts[0], own)]  # type: ignore[misc]
    if origin is Literal:
        # The words of the contract are closed; those that a catalog declares itself may become more.
        named = {"component": _WORDS[annotation]} if annotation in _WORDS else {"open": True}
        return Annotated[annotation, Meta(extra_json_schema={"words": [*parts], **named})]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return published(annotation, own)
    return annotation
