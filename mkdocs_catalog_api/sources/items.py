"""From raw values to validated entries: defaults, misspelt keys, and a problem for all that does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TypeVar

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ..catalog.fields import COMPUTED
from ..catalog.models import ImageEntry, Model
from ..catalog.references import slug_from_name
from ..problems import Level, Problem, Problems
from .pages import RawItem, default_slug, heading

M = TypeVar("M", bound=Model)

# Keys that pages carry for the theme, other plugins and this one; they are never misspelt fields.
_FOREIGN = {
    *("title", "template", "hide", "tags", "status", "icon", "search", "subtitle", "social", "authors"),
    *("author", "date", "comments", "boost", "draft", "pin", "links", "readtime", "categories", "hero"),
    *("catalog", "redirect_to", "__extends"),
}


def default_values(raw: RawItem, registry: str | None, model: type[Model]) -> dict[str, object]:
    """The author's values with `slug`, `name` and `image` filled in where a convention gives them."""
    values = {key: value for key, value in raw.values.items() if value is not None}
    if "slug" not in values:
        if raw.page is not None:
            values["slug"] = default_slug(raw.page.uri)
        elif isinstance(name := values.get("name"), str) and (slug := slug_from_name(name)):
            values["slug"] = slug
    if "name" not in values:
        title = values.get("title")
        text = (raw.page.markdown or raw.page.text) if raw.page else None
        first = heading(text) if title is None and text else None
        values["name"] = title or first or values.get("slug")
    if registry and issubclass(model, ImageEntry) and "image" not in values:
        values["image"] = f"{registry}/{values.get('slug')}"
    return values


def read_entry(model: type[M], raw: RawItem, values: Mapping[str, object], problems: Problems) -> M | None:
    """Validate one item. Every fault becomes a problem; None when there is any."""
    names = field_names(model)
    known: dict[str, object] = {}
    faults: list[Problem] = []
    for key, value in values.items():
        if key in names or key in model.spellings:
            known[key] = value
        elif key in COMPUTED:
            faults.append(raw.problem((key,), f"`{key}` is computed", "remove it"))
        elif key not in _FOREIGN and (near := resembling(key, names)):
            faults.append(raw.problem((key,), f"unknown field, much like `{near}`", f"write `{near}`"))
    try:
        entry = model.model_validate(known)
    except ValidationError as error:
        faults += explain(error, raw)
        entry = None
    problems.extend(faults)
    if entry is None or faults:
        return None
    _check_license(entry, raw, problems)
    return entry


def field_names(model: type[BaseModel]) -> list[str]:
    """The names of a model's fields as authors write them."""
    return [info.alias or name for name, info in model.model_fields.items()]


def resembling(word: str, names: Iterable[str]) -> str | None:
    """The name that `word` probably means, None when it resembles none."""
    plain = {_plain(name): name for name in names}
    near = get_close_matches(_plain(word), plain, n=1, cutoff=0.8)
    return plain[near[0]] if near else None


def _plain(word: str) -> str:
    return str(word).lower().replace("_", "").replace("-", "").replace(" ", "")


def explain(error: ValidationError, raw: RawItem) -> list[Problem]:
    """A problem for each fault that pydantic found."""
    return [
        raw.problem(location(details), *message_and_hint(details))
        for details in error.errors(include_url=False, include_context=True)
    ]


def location(details: ErrorDetails) -> tuple[str | int, ...]:
    """The location without the parts that name pydantic's own functions and unions."""
    return tuple(
        step
        for step in details["loc"]
        if isinstance(step, int) or ("[" not in step and step not in _INTERNAL)
    )


_INTERNAL = frozenset({"int", "float", "str", "bool", "constrained-str", "nullable"})


def message_and_hint(details: ErrorDetails) -> tuple[str, str]:
    """What is wrong and how to mend it, in the words of an author rather than of a type checker."""
    kind, value, context = details["type"], details["input"], details.get("ctx", {})
    name = str(details["loc"][-1]) if details["loc"] else ""
    match kind:
        case "missing":
            return "required, but not given", f"add `{name}: …`"
        case "value_error":
            return str(context["error"]), ""
        case "literal_error":
            allowed = str(context["expected"])
            near = resembling(str(value), allowed.replace("'", "").replace(" or ", ", ").split(", "))
            return f"{_shown(value)} is not {allowed}", f"did you mean {near!r}?" if near else ""
        case "extra_forbidden":
            return "unknown field", "remove it"
        case "string_type":
            quotes = isinstance(value, bool | int | float)
            return f"expected a text, got {_shown(value)}", "put the value in quotes" if quotes else ""
        case "string_unicode":
            return "text with characters that are not valid Unicode", "remove them"
        case "list_type" | "tuple_type":
            return f"expected a list, got {_shown(value)}", "write `[a, b]` or one `- a` line for each"
        case "model_type" | "model_attributes_type" | "dict_type":
            return f"expected keys and values, got {_shown(value)}", "write `key: value` pairs"
        case _:
            return f"{_shown(value)}: {details['msg'][0].lower()}{details['msg'][1:]}", ""


def _shown(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case list() | tuple():
            return "a list"
        case dict():
            return "keys and values"
        case _:
            return repr(value)[:80]


def _check_license(entry: Model, raw: RawItem, problems: Problems) -> None:
    text = getattr(entry, "license", None)
    if not isinstance(text, str):
        return
    try:
        canonicalize_license_expression(text)
    except InvalidLicenseExpression:
        line, column = raw.document.place((*raw.path, "license"))
        message = f"{text!r} is no SPDX licence expression"
        hint = "use an identifier of https://spdx.org/licenses/, or LicenseRef-… for another licence"
        problems.add(Problem(raw.file, line, column, "license", message, hint, Level.WARNING))
