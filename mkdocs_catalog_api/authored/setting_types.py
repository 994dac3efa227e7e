"""The types of values in mkdocs.yml, each refused with what to write instead, and a collection's settings."""

import re
from pathlib import PurePosixPath
from typing import Annotated, Any

from pathspec import GitIgnoreSpec
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from ..catalog.fields import COMPUTED, CustomField, ItemFields, M, own_fields, with_words
from ..catalog.verification import Verification
from ..problems import RefusedError
from .pages import SLUG

_COLOR = re.compile(r"#?(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})|[a-z]+")
_SIZE = re.compile(r"([1-9][0-9]{0,8})(kB|MB|GB|KiB|MiB|GiB)")
_UNITS = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


class Section(BaseModel):
    """No undeclared keys, no value taken for another type than it has."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


def or_defaults(value: object) -> object:
    """`images:` without a value means the defaults, as YAML reads it as null."""
    return {} if value is None else value


def _relative(value: str) -> str:
    path = PurePosixPath(value)
    if "\\" in value or "\0" in value:
        raise RefusedError(f"{value!r} is not a path", "write it with forward slashes")
    if path.is_absolute() or not path.parts:
        raise RefusedError(
            f"{value!r} is not a relative path", "write it as seen from the folder of mkdocs.yml"
        )
    return value


def _pattern(value: str) -> str:
    if "\\" in value or value.startswith("/"):
        hint = "write it as seen from docs_dir, with forward slashes, as in images/**/*.md"
        raise RefusedError(f"{value!r} is not a pattern of pages", hint)
    if value.count(SLUG) > 1 or re.search(r"[{}]", value.replace(SLUG, "")):
        hint = "as in images/docker-{slug}.md"
        raise RefusedError(f"{value!r} may capture {SLUG}, once, and nothing else", hint)
    try:
        GitIgnoreSpec.from_lines([value.replace(SLUG, "*")])
    except (ValueError, re.error):
        raise RefusedError(f"{value!r} is not a pattern of pages", "as in images/**/*.md") from None
    return value


def _patterns(value: object) -> object:
    """One pattern is short for a list of one, and `false` for none."""
    if value is False:
        return ()
    return (value,) if isinstance(value, str) else value


def _field_name(value: str) -> str:
    if not (value.isascii() and value.isidentifier() and value[0].islower() and "_" not in value):
        near = re.sub(r"[^A-Za-z0-9]+(.)?", lambda match: (match[1] or "").upper(), value).lstrip(
            "0123456789"
        )
        near = near[:1].lower() + near[1:]
        hint = f"perhaps you mean {near!r}" if near and near != value else "begin with a lower-case letter"
        raise RefusedError(f"{value[:40]!r} is not a camelCase name of letters and digits", hint)
    if value in COMPUTED or value == "catalog":
        what = "says which collection a page is in" if value == "catalog" else "is computed"
        raise RefusedError(f"`{value}` {what}", "choose another name")
    return value


def _email(value: str) -> str:
    if not re.fullmatch(r"[^@\s]+@[^@\s]+", value):
        raise RefusedError(f"{value[:40]!r} is not an e-mail address", "as in catalog@example.org")
    return value


def _color(value: str) -> str:
    if not _COLOR.fullmatch(value):
        raise RefusedError(
            f"{value!r} is not a colour", "write a name such as blue, or hex digits such as 2f7d32"
        )
    return value


def _size(value: object) -> object:
    if isinstance(value, str) and (match := _SIZE.fullmatch(value)):
        return int(match[1]) * _UNITS[match[2]]
    shown = repr(value[:40]) if isinstance(value, str) else str(value)[:40]
    raise RefusedError(f"{shown} is not a size", f"write a whole number and {' or '.join(_UNITS)}: 512MB")


def _once(values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if values.count(value) > 1:
            raise RefusedError(f"{value!r} stands here twice", "keep one of them")
    return values


Word = Annotated[str, StringConstraints(strict=True, min_length=1)]
RelativePath = Annotated[Word, AfterValidator(_relative)]
FieldName = Annotated[Word, AfterValidator(_field_name)]
Patterns = Annotated[
    tuple[Annotated[Word, AfterValidator(_pattern)], ...],
    Field(strict=False),
    BeforeValidator(_patterns, json_schema_input_type=str | list[str] | bool),
]
Color = Annotated[Word, AfterValidator(_color)]
Email = Annotated[Word, AfterValidator(_email)]
Size = Annotated[
    int, BeforeValidator(_size, json_schema_input_type=Annotated[str, Field(pattern=f"^{_SIZE.pattern}$")])
]
"""Bytes, written as a whole number with its unit."""
Once = AfterValidator(_once)
"""No word twice."""


class CollectionSettings(Section):
    """Where the items of a collection come from, and what is particular about them."""

    pages: Patterns | None = Field(
        None,
        description="Pattern of the pages, relative to docs_dir, or a list of them; default "
        "`<collection>/**/*.md`. `{slug}` takes the slug from the name, as in `images/docker-{slug}.md`; "
        "`false` means none.",
    )
    data: RelativePath | None = Field(
        None,
        description="Data file, relative to mkdocs.yml; default `<collection>.yml` (`.yaml`, `.json`), "
        "if it is there.",
    )
    defaults: dict[Word, Any] = Field(
        {}, description="Values of items that give none themselves; a `.meta.yml` and the page come before."
    )
    fields: dict[FieldName, CustomField] = Field({}, description="Custom fields of the items.")
    version_fields: dict[FieldName, CustomField] = Field({}, description="Custom fields of each version.")
    vocabulary: dict[Word, Annotated[tuple[Word, ...], Field(strict=False, min_length=1), Once]] = Field(
        {}, description="Words that a built-in field may have."
    )
    verify: Verification | None = Field(
        None, description="How the items are verified, unless a page has a `verify` of its own."
    )

    def item_fields(self, model: type[M]) -> ItemFields[M]:
        """The fields of its items, with the words that the catalog allows and the fields of its own."""
        return ItemFields(with_words(model, self.vocabulary), own_fields(self.fields, self.version_fields))
