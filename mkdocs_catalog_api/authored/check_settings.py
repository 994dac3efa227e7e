"""Faults of settings: told in an author's words, and all at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from ..catalog import names as references
from ..catalog.fields import COMPUTED, CustomField, ItemFields, own_fields, with_words
from ..catalog.models import ItemEntry
from ..problems import Problem, RefusedError
from ..problems.codes import Code
from .config_file import ConfigFile
from .messages import field_names, location, message_and_hint, models_in, not_among, suggestion

if TYPE_CHECKING:
    from .setting_types import CollectionSettings

CLOSABLE = ("category", "tier", "license", "base", "signature", "priority")
"""Built-in text fields whose words a catalog can close with `vocabulary`."""
_ITS_OWN = ("slug", "name", "image", "versions", "latest", "chart", "images")
"""Fields that no two items can share, so that a default would make no sense."""


def explain_settings(
    found: Sequence[ErrorDetails], model: type[BaseModel], config: ConfigFile
) -> Iterator[Problem]:
    """A problem for each fault that pydantic found."""
    for details in found:
        path = location(details)
        if details["type"] == "too_short" and any(other["loc"][:-1] == path for other in found):
            continue  # the list is empty only because all its entries were refused
        if path and isinstance(path[-1], int) and config.written(path[:-1]):
            path = path[:-1]  # one value, which may stand for a list of one
        written = config.written(path, key="[key]" in details["loc"] or details["type"] == "invalid_key")
        message, hint = message_and_hint(details, (model,), written)
        yield config.problem(path, message.replace("unknown key", "unknown setting"), hint, code=Code.SETTING)


def without(options: Mapping[str, object], faults: Iterable[Sequence[str | int]]) -> dict[str, object]:
    """The options without the values at these places, or around them where nothing stands there."""
    left = dict(options)
    for path in faults:
        _drop(left, path)
    return left


def _drop(values: dict[Any, Any], path: Sequence[str | int]) -> None:
    """A mapping below the first key is copied, never changed; a fault in a list takes the whole list."""
    first, *rest = path or ("",)
    if rest and isinstance(values.get(first), dict) and rest[0] in values[first]:
        values[first] = dict(values[first])
        _drop(values[first], rest)
    elif first in values:
        del values[first]
    else:
        values.clear()


def check_lookups(lookups: Iterable[str], known: Sequence[str], config: ConfigFile) -> Iterator[Problem]:
    """A problem for each word of the setting that is not among the known ones."""
    for position, word in enumerate(lookups):
        if word not in known:
            yield config.problem(("lookups", position), *not_among(word, known), code=Code.SETTING)


def check_collection(
    resource: str, model: type[ItemEntry], section: CollectionSettings, written: object, config: ConfigFile
) -> Iterator[Problem]:
    """Check names and defaults against the fields that the collection has.

    `written` is the section as it was written, of which `section` may lack what is faulty.
    """
    names = ItemFields(model).names
    closable = [name for name in CLOSABLE if name in names]
    # Of the others, `categories` and `verify`, the JSON has computed values.
    published = {*names} & {info.alias for info in model.model_fields.values() if not info.exclude}
    yield from _names(resource, "fields", section.fields, published, closable, config)
    yield from _version_fields(resource, model, section, config)
    if section.verify is not None and "verify" not in names:
        message = f"there is nothing to verify in {resource}"
        yield config.problem((resource, "verify"), message, "remove it", code=Code.SETTING)
    for name in section.vocabulary.keys() - closable:
        message = f"`{name}` is no field of {resource} whose words can be closed"
        hint = suggestion(name, closable, "these can:")
        if name in section.fields:
            hint = f"give the words of a field of your own as `values` under `fields.{name}`"
        yield config.problem((resource, "vocabulary", name), message, hint, code=Code.SETTING)
    for name in ("base", "signature"):
        for position, word in enumerate(section.vocabulary.get(name, ())):
            try:
                references.badge_name(word)
            except RefusedError as error:
                path = (resource, "vocabulary", name, position)
                yield config.problem(path, error.message, error.hint, code=Code.SETTING)
    yield from _defaults(resource, model, section, written, config)


def _names(
    resource: str,
    setting: str,
    fields: Mapping[str, CustomField],
    names: Collection[str],
    closable: Sequence[str],
    config: ConfigFile,
) -> Iterator[Problem]:
    for name in fields:
        if name in names:
            hint = "close its words with `vocabulary`" if name in closable else "remove it"
            message = f"the field `{name}` is built in"
            yield config.problem((resource, setting, name), message, hint, code=Code.SETTING)


def _version_fields(
    resource: str, model: type[ItemEntry], section: CollectionSettings, config: ConfigFile
) -> Iterator[Problem]:
    versions = model.model_fields.get("versions")
    if versions is not None:
        names = field_names(models_in(versions.annotation)[0])
        yield from _names(resource, "version_fields", section.version_fields, names, (), config)
    elif section.version_fields:
        message = f"{resource} has no versions"
        yield config.problem((resource, "version_fields"), message, "remove it", code=Code.SETTING)


def _defaults(
    resource: str, model: type[ItemEntry], section: CollectionSettings, written: object, config: ConfigFile
) -> Iterator[Problem]:
    """Each default against the field that it is for."""
    if not section.defaults:
        return  # so that a model of which the catalog has no item need not be built
    closable = {*CLOSABLE} & {*field_names(model)}
    closed = {name: words for name, words in section.vocabulary.items() if name in closable}
    fields = ItemFields(with_words(model, closed), own_fields(section.fields))
    known = [name for name in fields.names if name not in _ITS_OWN or name in section.fields]
    declared = written.get("fields") if isinstance(written, dict) else None
    for name in section.defaults:
        path = (resource, "defaults", name)
        if name in COMPUTED or name in _ITS_OWN:
            yield config.problem(path, f"`{name}` is of each item alone", "remove it", code=Code.SETTING)
        elif name not in known and not (isinstance(declared, dict) and name in declared):
            hint = suggestion(name, known, f"{resource} have")
            yield config.problem(path, "unknown field", hint, code=Code.SETTING)
    values = {name: value for name, value in section.defaults.items() if name in known}
    _, errors = fields.read(values)
    for details in errors:
        place = location(details)
        if place and place[0] in values:
            written = config.written((resource, "defaults", *place))
            message, hint = message_and_hint(details, fields, written)
            yield config.problem((resource, "defaults", *place), message, hint, code=Code.SETTING)
