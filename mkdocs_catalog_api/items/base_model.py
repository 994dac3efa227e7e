"""Base of the models of everything that authors write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, PrivateAttr

from ..problems import RefusedError
from .types import camel


class Model(BaseModel):
    """Frozen, camelCase in documents, no undeclared fields."""

    model_config = ConfigDict(
        defer_build=True,
        extra="forbid",
        frozen=True,
        alias_generator=camel,
        validate_by_alias=True,
        serialize_by_alias=True,
        loc_by_alias=True,
    )

    spellings: ClassVar[Mapping[str, str]] = {}
    """Other key that authors can use → field."""


class CustomizableModel(Model):
    """An item or version, which can have custom fields."""

    _own: dict[str, object] = PrivateAttr(default_factory=dict)

    @property
    def own(self) -> dict[str, object]:
        """The values of the catalog's custom fields, by name."""
        return self._own


def short(key: str, either: Any) -> BeforeValidator:
    """A bare text is short for `{key: text}`; `either` describes the allowed forms."""
    return BeforeValidator(
        lambda value: {key: value} if isinstance(value, str) else value, json_schema_input_type=either
    )


def unique(values: list[str]) -> list[str]:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise RefusedError(f"{value!r} occurs twice", "keep one of them")
        seen.add(value)
    return values
