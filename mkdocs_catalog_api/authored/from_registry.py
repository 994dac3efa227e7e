"""`versions: registry`: selects the versions of a registry that an item lists."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_core import ErrorDetails

from ..catalog.lines import parse_label
from ..catalog.model import Model
from ..catalog.types import Positive
from ..problems import RefusedError
from .messages import resembling

REGISTRY = "registry"
"""Short for `{from: registry}`."""


def _tags(value: object) -> object:
    if isinstance(value, list) and value and all(isinstance(tag, str) and tag for tag in value):
        return value
    if not isinstance(value, str):
        raise RefusedError(
            "neither a regular expression nor a list of tags",
            'for example `tags: "^[0-9.]+$"` or `tags: [1.*]`',
        )
    try:
        re.compile(value)
    except (re.error, OverflowError, RecursionError):
        hint = 'for example "^[0-9.]+$"'
        raise RefusedError(f"{value[:80]!r} is not a regular expression", hint) from None
    return value


class FromRegistry(Model):
    """Lists the versions from `catalog-api sync`."""

    from_: Annotated[Literal["registry"], Field(alias="from", description="Source of the versions.")]
    tags: Annotated[
        str | list[str] | None,
        BeforeValidator(_tags),
        Field(
            description="Tags that are versions: a regular expression that matches a part of the tag, or a "
            "list of tags and patterns with `*`. By default, all tags with a number.",
            examples=["^[0-9.]+$"],
        ),
    ] = None
    keep: Annotated[
        Positive | None,
        Field(description="Number of newest versions to list for each line and variant."),
    ] = None

    @classmethod
    def names(cls) -> list[str]:
        """Return its keys."""
        return [info.alias or name for name, info in cls.model_fields.items()]

    def chooses(self, tag: str) -> bool:
        """Whether the tag is a version."""
        if self.tags is None:
            return bool(parse_label(tag).numbers)
        if isinstance(self.tags, str):
            return re.search(self.tags, tag) is not None
        return any(fnmatchcase(tag, pattern) for pattern in self.tags)


def is_from_registry(value: object) -> bool:
    """Whether a value of `versions` selects those of the registry, valid or not."""
    if isinstance(value, str):
        return resembling(value, [REGISTRY]) is not None
    return isinstance(value, dict) and not value.keys().isdisjoint(FromRegistry.names())


def read_from_registry(value: Any) -> tuple[FromRegistry | None, list[ErrorDetails]]:
    """Return the selection in a value of `versions`, or all its errors."""
    try:
        return FromRegistry.model_validate({"from": value} if isinstance(value, str) else value), []
    except ValidationError as error:
        return None, error.errors(include_url=False)
