"""How Structs say in their annotations what schemas show of their fields."""

from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from msgspec import Meta


class Described:
    """Base of Structs with schemas: a text in the annotation of a field is its description.

    Its annotations are evaluated, so a module with such Structs has no `from __future__ import annotations`.
    """

    __slots__ = ()

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        cls.__annotations__ = {name: _described(kind) for name, kind in cls.__annotations__.items()}


def _described(kind: Any) -> Any:
    """The type, with each text in it as msgspec has it: `Annotated[int, "Its size."] | None` and the like."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        options = tuple(map(_described, parts))
        return kind if options == parts else Union[options]  # noqa: UP007
    if origin is not Annotated or not any(isinstance(note, str) for note in parts[1:]):
        return kind
    notes = (Meta(description=note) if isinstance(note, str) else note for note in parts[1:])
    return Annotated[(_described(parts[0]), *notes)]


def vocabulary(component: str, words: Any) -> Meta:
    """Make schemas list the words of a Literal under a name and in its order, since msgspec sorts them."""
    return Meta(extra_json_schema={"words": [*get_args(words)], "component": component})


def open_words(words: Any) -> Meta:
    """Has schemas list the words of a Literal as a hint only: later versions add words."""
    return Meta(extra_json_schema={"words": [*get_args(words)], "open": True})
