"""`versions: registry`: selects the versions of a registry that an item lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_core import ErrorDetails

from ..items.base_model import Model
from ..items.lines import Keep
from ..items.types import Positive, expression
from ..items.version_tags import version_tags
from ..problems import Level, Problem, RefusedError
from ..problems.codes import Code
from .messages import resembling, shown

_SHOWN = 10
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
    if value.startswith("!"):
        raise RefusedError("a pattern with `!` is not a regular expression", f'use a list: ["{value[:80]}"]')
    return expression(value, 'for example "^[0-9.]+$"')


def _keep(value: object) -> object:
    if isinstance(value, dict):
        return value
    if not re.fullmatch("[0-9]*[1-9][0-9]*", str(value)):
        hint = "for example `keep: 5` or `keep: {lines: 5, each: 2}`"
        raise RefusedError(f"{shown(value)} is not a number of lines", hint)
    return {"lines": value}


class FromRegistry(Model):
    """Lists the versions from `catalog-api sync`."""

    from_: Annotated[Literal["registry"], Field(alias="from", description="Source of the versions.")]
    tags: Annotated[
        str | list[str] | None,
        BeforeValidator(_tags),
        Field(
            description="Tags that are versions: a regular expression for the beginning of the tag, or "
            "a list of tags and patterns with `*`; `!…` leaves out. By default, and in a list of `!…` "
            "alone: tags of releases, not of pull requests, commits and branches.",
            examples=["^[0-9.]+$"],
        ),
    ] = None
    keep: Annotated[
        Keep | None,
        BeforeValidator(_keep, json_schema_input_type=Positive | Keep),
        Field(
            description="Number of lines of each variant, of which the newest version is listed: `5`, or "
            "`{lines: 5, each: 2}` for the two newest versions of each line.",
            examples=[5],
        ),
    ] = None

    @classmethod
    def names(cls) -> list[str]:
        return [info.alias or name for name, info in cls.model_fields.items()]

    def versions(self, tags: Iterable[str], image: str) -> list[str]:
        """Return the tags that are versions. `image` is the last part of the repository."""
        if isinstance(self.tags, str):
            return [tag for tag in tags if re.match(self.tags, tag)]
        wanted = [pattern for pattern in self.tags or () if not pattern.startswith("!")]
        unwanted = [pattern[1:] for pattern in self.tags or () if pattern.startswith("!")]
        allowed = [tag for tag in tags if not _matches(tag, unwanted)]
        return [tag for tag in allowed if _matches(tag, wanted)] if wanted else version_tags(allowed, image)


def _matches(tag: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(tag, pattern) for pattern in patterns)


def some(tags: Sequence[str]) -> str:
    """Return up to ten tags, and their number if there are more."""
    return ", ".join(tags[:_SHOWN]) + (f", … ({len(tags)} tags)" if len(tags) > _SHOWN else "")


def note_unlisted(folder: str, names: Sequence[str]) -> Iterator[Problem]:
    """Yield one note that counts the tags that are not listed, each as `edge of ghcr.io/acme/web`."""
    if names:
        number = f"{len(names):,} tags are" if len(names) > 1 else "1 tag is"
        message = f"{number} not listed, such as {min(names)}"
        hint = "to list others, set `versions: {from: registry, tags: …}` on the image's page"
        yield Problem(folder, 0, 0, "", message, hint, Level.INFO, code=Code.REGISTRY)


def is_from_registry(value: object) -> bool:
    """Whether a value of `versions` selects those of the registry, valid or not."""
    if isinstance(value, str):
        return resembling(value, [REGISTRY]) is not None
    # A list has one version, or a mapping of them none: keys of any spelling are meant for the registry.
    return isinstance(value, dict) and any(resembling(key, FromRegistry.names()) for key in map(str, value))


def read_from_registry(value: Any) -> tuple[FromRegistry | None, list[ErrorDetails]]:
    """Return the selection in a value of `versions`, or all its errors."""
    try:
        return FromRegistry.model_validate({"from": value} if isinstance(value, str) else value), []
    except ValidationError as error:
        return None, error.errors(include_url=False)
