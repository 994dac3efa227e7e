"""`versions: registry`: which versions of a registry an item lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_core import ErrorDetails

from ..catalog.lines import parse_label
from ..catalog.model import Model
from ..catalog.registry_facts import label_first
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
            "neither a regular expression nor a list of tags", 'write `tags: "^[0-9.]+$"` or `tags: [1.*]`'
        )
    try:
        re.compile(value)
    except (re.error, OverflowError, RecursionError) as error:
        hint = 'as in "^[0-9.]+$"'
        raise RefusedError(f"{value[:80]!r} is not a regular expression: {error}", hint) from None
    return value


class FromRegistry(Model):
    """Lists the versions that `catalog-api sync` found."""

    from_: Annotated[Literal["registry"], Field(alias="from", description="Where the versions come from.")]
    tags: Annotated[
        str | list[str] | None,
        BeforeValidator(_tags),
        Field(
            description="Which tags are versions: a regular expression that matches in the tag, or a list "
            "of tags and patterns with `*`; by default those with a number.",
            examples=["^[0-9.]+$"],
        ),
    ] = None
    keep: Annotated[
        Positive | None,
        Field(description="How many versions are listed of each line and variant: the newest."),
    ] = None

    @classmethod
    def names(cls) -> list[str]:
        """The keys that it has."""
        return [info.alias or name for name, info in cls.model_fields.items()]

    def labels(self, tags: Iterable[str]) -> Iterator[str]:
        """Those of the tags of one digest that are versions, the most exact one first."""
        return (tag for tag in label_first(tag for tag in tags if self.chooses(tag)))

    def chooses(self, tag: str) -> bool:
        """Whether the tag is a version."""
        if self.tags is None:
            return bool(parse_label(tag).numbers)
        if isinstance(self.tags, str):
            return re.search(self.tags, tag) is not None
        return any(fnmatchcase(tag, pattern) for pattern in self.tags)


def is_from_registry(value: object) -> bool:
    """Whether a value of `versions` stands for those of the registry, spelled correctly or not."""
    if isinstance(value, str):
        return resembling(value, [REGISTRY]) is not None
    return isinstance(value, dict) and not value.keys().isdisjoint(FromRegistry.names())


def read_from_registry(value: Any) -> tuple[FromRegistry | None, list[ErrorDetails]]:
    """The choice that a value of `versions` makes, or everything that is wrong with it."""
    try:
        return FromRegistry.model_validate({"from": value} if isinstance(value, str) else value), []
    except ValidationError as error:
        return None, error.errors(include_url=False)
