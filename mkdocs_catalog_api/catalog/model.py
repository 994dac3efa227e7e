"""What the models of all that authors write have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, PrivateAttr

from ..problems import RefusedError
from .docstrings import Described
from .types import camel


class Model(Described, BaseModel):
    """Frozen, camelCase outside, nothing undeclared."""

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
    """Other keys that authors may write → the field that they mean."""

    _own: dict[str, object] = PrivateAttr(default_factory=dict)

    @property
    def own(self) -> dict[str, object]:
        """The values of the fields that the catalog declares itself, by name."""
        return self._own


def short(key: str, either: Any) -> BeforeValidator:
    """A bare text is short for `{key: text}`; `either` is what may be written."""
    return BeforeValidator(
        lambda value: {key: value} if isinstance(value, str) else value, json_schema_input_type=either
    )


def unique(values: list[str]) -> list[str]:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise RefusedError(f"{value!r} stands here twice", "keep one of them")
        seen.add(value)
    return values
