"""Where web pages show a field: on the page of an item, in lists, among the filters of a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, WithJsonSchema


class Shown(NamedTuple):
    """Marks a field of an entry: `Annotated[Text, Field(…), Shown(page="Tier", card="Tier")]`."""

    page: str = ""
    """Label of the fact on the item's page. Links come last."""
    card: str = ""
    """Heading of its column in lists."""
    caption: str = ""
    """Text next to the value on a card, if it needs one: `priority`."""
    style: str = ""
    """Class of the value in lists and tables, if it needs one."""
    filter: str = ""
    """Name of its filter in an address: `?tier=core`."""
    order: Sequence[str] = ()
    """Values of the filter in their order; all others follow."""
    first: bool = False
    """Whether it comes before other fields (on its page as a mark), and its filter before those of counts."""
    column: str = ""
    """Heading of its column in the table of versions."""
    essential: bool = False
    """Whether it is in the row below the answer on its page, instead of the facts."""
    elsewhere: str = ""
    """Place of the template that shows it, if it has its own."""
    hidden: str = ""
    """Reason why no page shows it."""


class ShownField(NamedTuple):
    """A field of an entry with its marker."""

    name: str
    """As in the JSON."""
    shown: Shown
    kind: str
    """`link`, `person` (an object with `name` and `url`) or `text`, which may be a list."""
    custom: bool = False
    """Whether it is one of the catalog's custom fields."""

    @property
    def path(self) -> str:
        """Its place in the JSON object of an item."""
        return f"custom.{self.name}" if self.custom else self.name

    def of(self, item: Mapping[str, Any]) -> Any:
        """Its value in the JSON object of an item."""
        return item["custom"][self.name] if self.custom else item[self.name]


@cache
def shown_fields(model: type[BaseModel]) -> Sequence[ShownField]:
    """The fields of a model that have a marker, in the order in which pages show them."""
    fields = [
        ShownField(info.alias or name, shown, _kind([info.annotation, *info.metadata]))
        for name, info in model.model_fields.items()
        for shown in info.metadata
        if isinstance(shown, Shown)
    ]
    return sorted(fields, key=lambda field: not field.shown.first)


def _kind(annotations: Sequence[Any]) -> str:
    for part in _parts(annotations):
        if isinstance(part, type) and issubclass(part, BaseModel):
            return "person"
        if isinstance(part, WithJsonSchema) and (part.json_schema or {}).get("format") == "uri":
            return "link"
    return "text"


def _parts(annotations: Sequence[Any]) -> Iterator[Any]:
    """The types that annotations are made of, with their metadata."""
    for annotation in annotations:
        yield annotation
        yield from _parts(get_args(annotation))
