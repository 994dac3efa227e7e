"""From raw values to validated entries: defaults, misspelt keys, and a problem for all that does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache

from pydantic_core import ErrorDetails

from ..catalog.fields import COMPUTED, ItemFields, M
from ..catalog.model import Model
from ..catalog.models import ImageEntry
from ..catalog.names import slug_from_name
from ..problems import Level, Problem, Problems
from ..problems.codes import Code
from .messages import code_of, location, message_and_hint, resembling
from .pages import RawItem, heading

FOREIGN = frozenset(
    {
        *("title", "template", "hide", "tags", "status", "icon", "search", "subtitle", "social", "authors"),
        *("author", "date", "comments", "boost", "draft", "pin", "links", "readtime", "categories", "hero"),
        *("catalog", "redirect_to", "__extends", "exclude", "robots", "image_alt", "render_macros", "nav"),
        *("ignore_macros", "disable_toc", "language", "lang", "translations", "revision_date", "keywords"),
        *("hide_title", "toc_depth", "edit_url", "new_tab", "level", "weight", "order", "layout"),
        "pagetitle",
    }
)
"""Keys that pages carry for the theme, other plugins and this one; they are never misspelt fields."""

# Fields that default to something made of another one: a fault of that one is enough.
_MADE_OF = {"image": "slug", "slug": "name"}
# Fields that an author may have given under another key.
_WRITTEN_AS = {
    "digests": ("digest",),
    "identity_regexp": ("identityRegexp",),
    "application": ("app", "name"),
    "outcome": ("status", "result"),
    "name": ("title",),
}


def default_values(
    raw: RawItem, registry: str, model: type[Model], defaults: Mapping[str, object]
) -> dict[str, object]:
    """The author's values above `defaults`, with `slug`, `name` and `image` as conventions give them."""
    values = {**defaults, **{key: value for key, value in raw.values.items() if value is not None}}
    if "slug" not in values:
        if raw.page is not None:
            values["slug"] = raw.slug
        elif isinstance(name := values.get("name"), str):
            try:
                values["slug"] = slug_from_name(name)
            except ValueError:
                values["slug"] = name  # which is refused as a slug, with the reason
    if "name" not in values:
        name = values.get("title")
        text = (raw.page.markdown or raw.page.text) if raw.page else None
        if name is None and text:
            name = heading(text)
        if name := name or values.get("slug"):
            values["name"] = name
    if issubclass(model, ImageEntry) and "image" not in values and "slug" in values:
        values["image"] = f"{registry}/{values['slug']}"
    return values


def read_entry(
    fields: ItemFields[M], raw: RawItem, values: Mapping[str, object], problems: Problems
) -> M | None:
    """Validate one item. Every fault becomes a problem; None when there is any."""
    names, model = fields.names, fields.model
    known: dict[str, object] = {}
    misspelt: set[str] = set()
    faults: list[Problem] = []
    for key, value in values.items():
        if key in names or key in model.spellings:
            known[key] = value
        elif key in COMPUTED:
            faults.append(raw.problem((key,), f"`{key}` is computed", "remove it", code=Code.UNKNOWN_FIELD))
        elif near := _misspelt(key, names):
            misspelt.add(near)
            hint = f"perhaps you mean {near!r}"
            faults.append(raw.problem((key,), "unknown field", hint, code=Code.UNKNOWN_FIELD))
    entry, errors = fields.read(known)
    faults += _explain(errors, fields, raw, misspelt)
    problems.extend(faults)
    if entry is None or faults:
        return None
    _check_license(entry, raw, problems)
    return entry


def undeclared(fields: ItemFields[M], raws: Iterable[RawItem]) -> Iterator[str]:
    """The keys which the author gave items that are no fields, and that nothing known gives a meaning."""
    names = {*fields.names, *fields.model.spellings, *COMPUTED, *FOREIGN}
    return (str(key) for raw in raws for key in raw.written() if key not in names)


def _misspelt(key: str, names: Iterable[str]) -> str | None:
    """The field that an unknown key was meant to be, if it resembles one."""
    return None if key in FOREIGN else resembling(key, names)


def _explain(
    errors: Sequence[ErrorDetails], fields: ItemFields[M], raw: RawItem, misspelt: set[str]
) -> Iterator[Problem]:
    """A problem for each fault that pydantic found, unless another problem is its cause."""
    faulty = {location(details)[0] for details in errors if details["loc"]} | misspelt
    foreign = fields.own.others(raw.values)
    for details in errors:
        path = location(details)
        message, hint = message_and_hint(details, fields)
        field = str(path[0]) if path else ""
        if field in misspelt or (field not in raw.values and _MADE_OF.get(field) in faulty):
            continue
        if field == "category" and "categories" in foreign and details["type"] == "missing":
            hint = "write the list under `category`"
        if field == "slug" and "slug" not in raw.values:
            way_out = f"add `slug: …`{' or rename the page' if raw.page else ''}"
            hint = f"{hint}; {way_out}" if hint else way_out
        yield raw.problem(tuple(_as_written(path, raw.values)), message, hint, code=code_of(details))


def _as_written(path: Iterable[str | int], value: object) -> Iterator[str | int]:
    """The way to a value through what the author wrote: other spellings, and bare values short for more."""
    for step in path:
        if isinstance(value, Mapping):
            if step not in value:
                step = next((key for key in _WRITTEN_AS.get(str(step), ()) if key in value), step)
            value = value.get(step, {})
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return
        yield step


def _check_license(entry: Model, raw: RawItem, problems: Problems) -> None:
    text = getattr(entry, "license", None)
    if isinstance(text, str) and not _is_spdx(text):
        message = f"{text!r} is no SPDX licence expression"
        hint = "use an identifier of https://spdx.org/licenses/, or LicenseRef-… for another licence"
        problems.add(raw.problem(("license",), message, hint, Level.WARNING, code=Code.WRONG_VALUE))


@cache
def _is_spdx(expression: str) -> bool:
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    with suppress(InvalidLicenseExpression):
        canonicalize_license_expression(expression)
        return True
    return False
