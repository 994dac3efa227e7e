"""Turns raw values into validated entries: adds defaults, reports errors and misspelled keys."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import cache
from typing import TypeVar, get_args

from msgspec.structs import replace
from pydantic_core import ErrorDetails

from ..items.base_model import Model
from ..items.fields import COMPUTED, ItemFields, M, built_in_fields, version_model
from ..items.lines import (
    LineRules,
    Version,
    cycle_of,
    listed,
    newest_label,
    parse_label,
    tagged_latest,
)
from ..items.models import ChartEntry, ImageEntry, Lifecycle, ListedEntry, PinningEntry, VersionEntry
from ..items.names import slug_from_name
from ..items.types import NOASSERTION
from ..items.versions import in_order, undecided
from ..problems import Level, Problem, Problems
from ..problems.codes import Code
from .front_matter import FOREIGN, RawItem, heading
from .messages import code_of, location, message_and_hint, resembling, suggestion

E = TypeVar("E", bound=ListedEntry)
P = TypeVar("P", bound=PinningEntry)
N = TypeVar("N", bound=Model)

# Fields with a default that is derived from another field: only the error of the other field is reported.
_MADE_OF = {"image": "slug", "slug": "name"}
# Fields with an alternative key.
_WRITTEN_AS = {
    "digests": ("digest",),
    "identity_regexp": ("identityRegexp",),
    "application": ("app", "name"),
    "outcome": ("status", "result"),
    "name": ("title",),
}


def with_mapped(raw: RawItem, fields: ItemFields[M]) -> RawItem:
    """Return the item with the fields that are read from another key of the front matter."""
    if not (fields.keys or fields.version_keys):
        return raw
    values: dict[str, object] = {}
    for field, key in fields.keys:
        value = raw.values.get(key)
        if isinstance(value, list) and not fields.holds_list(field):
            value = next(iter(value), None)
        if raw.values.get(field) is None and value is not None:
            values[field] = value
    mapped = {field: key for field, key in fields.keys if field in values}
    versions = raw.values.get("versions")
    if fields.version_keys and isinstance(versions, list):
        values["versions"] = [_with_mapped_version(version, fields.version_keys) for version in versions]
        present = {key for version in versions if isinstance(version, dict) for key in version}
        mapped |= {f"versions.{field}": key for field, key in fields.version_keys if key in present}
    return replace(raw, values={**raw.values, **values}, mapped=mapped)


def _with_mapped_version(version: object, keys: Sequence[tuple[str, str]]) -> object:
    if not isinstance(version, dict):
        return version
    others = {key for _, key in keys}
    values = {field: version[key] for field, key in keys if version.get(key) is not None}
    return values | {key: value for key, value in version.items() if key not in others and value is not None}


def authored_values(raw: RawItem, registry: str | None, model: type[Model]) -> dict[str, object]:
    """Return the values of page and defaults, with `slug`, `name` and `image` by convention.

    Values that are not known are left out.
    """
    layers = [*(layer.values for layer in raw.defaults), raw.values]
    values = {key: value for layer in layers for key, value in layer.items() if value is not None}
    if values.get("license") == NOASSERTION:
        del values["license"]
    if "slug" not in values:
        if raw.page is not None:
            values["slug"] = raw.slug
        elif isinstance(name := values.get("name"), str):
            try:
                values["slug"] = slug_from_name(name)
            except ValueError:
                values["slug"] = name  # which is not a valid slug, so the reason is reported
    if "name" not in values:
        name = values.get("title")
        text = (raw.page.markdown or raw.page.text) if raw.page else None
        if name is None and text:
            name = heading(text)
        if name := name or values.get("slug"):
            values["name"] = name
    if issubclass(model, ImageEntry) and registry and "image" not in values and "slug" in values:
        values["image"] = f"{registry}/{values['slug']}"
    return values


def read_entry(
    fields: ItemFields[N], raw: RawItem, values: Mapping[str, object], problems: Problems
) -> N | None:
    """Validate one item. Each error becomes a problem. Returns None if there is any."""
    names, model = fields.names, fields.model
    known: dict[str, object] = {}
    misspelled: set[str] = set()
    faults: list[Problem] = []
    foreign = FOREIGN.union(dict(fields.keys).values())
    for key, value in values.items():
        if key in names or key in model.spellings:
            known[key] = value
        elif key in COMPUTED:
            faults.append(
                raw.problem(
                    (key,), f"`{key}` is computed and can't be set", "remove it", code=Code.UNKNOWN_FIELD
                )
            )
        elif key not in foreign and (near := resembling(key, names)) and near not in raw.values:
            misspelled.add(near)
            hint = f"did you mean `{near}`?"
            faults.append(raw.problem((key,), "unknown field", hint, code=Code.UNKNOWN_FIELD))
    entry, errors = fields.read(known)
    faults += _explain(errors, fields, raw, known, misspelled)
    problems.extend(faults)
    if entry is None or faults:
        return None
    _check_license(entry, raw, problems)
    problems.extend(_doubts(entry, raw, names))
    for key in undeclared(fields, raw):
        if field := misplaced(fields, key):
            message, hint = f"ignored: `{field}` is a field of a version", "write it under `versions`"
            problems.add(raw.problem((key,), message, hint, Level.WARNING, code=Code.UNKNOWN_FIELD))
    return entry


@cache
def misplaced(fields: ItemFields[Model], key: str) -> str | None:
    """Return the field of a version that an undeclared key of an item is meant for."""
    versions = version_model(fields.model)
    names = built_in_fields(versions) if versions and not resembling(key, fields.names) else ()
    return resembling(key, names)


def undeclared(fields: ItemFields[M], raw: RawItem) -> Iterator[str]:
    """Yield the keys of an item that are neither fields nor known keys of the theme or of plugins."""
    known = _known_keys(fields)
    return (str(key) for key in raw.written() if key not in known)


@cache
def _known_keys(fields: ItemFields[Model]) -> Set[str]:
    return {*fields.names, *fields.model.spellings, *dict(fields.keys).values(), *COMPUTED, *FOREIGN}


def _explain(
    errors: Sequence[ErrorDetails],
    fields: ItemFields[M],
    raw: RawItem,
    values: Mapping[str, object],
    misspelled: set[str],
) -> Iterator[Problem]:
    """Yield a problem for each error of pydantic, unless another problem causes it."""
    faulty = {location(details)[0] for details in errors if details["loc"]} | misspelled
    wrong = [(*_as_written(location(details), values),) for details in errors if details["type"] != "missing"]
    for details in errors:
        path = location(details)
        written = (*_as_written(path, values),)
        is_there = len(written) == len(path) and any(other[: len(written)] == written for other in wrong)
        if details["type"] == "missing" and is_there:
            continue  # in another form, which is not valid
        message, hint = message_and_hint(details, fields.models_at(path[:-1]))
        field = str(path[0]) if path else ""
        if field in misspelled or (field not in raw.values and _MADE_OF.get(field) in faulty):
            continue
        if field == "slug" and "slug" not in raw.values:
            way_out = f"add `slug: …`{' or rename the page' if raw.page else ''}"
            hint = f"{hint} {way_out.capitalize()}" if hint.endswith("?") else way_out
        yield raw.problem(written, message, hint, code=code_of(details))


def _as_written(path: Iterable[str | int], value: object) -> Iterator[str | int]:
    """Yield the path of a value in the author's text, which may use alternative keys and short forms."""
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
    if isinstance(text, str) and not is_spdx(text):
        message = f"{text!r} is not a valid SPDX license expression"
        hint = "use an identifier from https://spdx.org/licenses/, or LicenseRef-… for another license"
        problems.add(raw.problem(("license",), message, hint, Level.WARNING, code=Code.WRONG_VALUE))


def _doubts(entry: Model, raw: RawItem, names: Collection[str]) -> Iterator[Problem]:
    """Warn about values that are valid, but probably a mistake."""
    if isinstance(entry, ImageEntry):
        for position, version in enumerate(entry.versions):
            if version.released and version.end_of_life and version.end_of_life < version.released:
                message = f"{version.end_of_life} is before {version.released}, the release day"
                path, hint = ("versions", position, "endOfLife"), "correct one of the dates"
                yield raw.problem(path, message, hint, Level.WARNING, code=Code.WRONG_VALUE)
    status = raw.values.get("status")
    if isinstance(entry, ListedEntry) and isinstance(status, str) and "status" not in names:
        word = status.lower()
        if "lifecycle" not in raw.values and word in get_args(Lifecycle) and word != entry.lifecycle:
            message = f"ignored: `status` is a key of the theme, so the item is shown as {entry.lifecycle}"
            hint = f"add `lifecycle: {word}`"
            yield raw.problem(("status",), message, hint, Level.WARNING, code=Code.UNKNOWN_FIELD)
    if not isinstance(entry, ChartEntry) or entry.chart is None:
        return
    if "://" not in entry.chart:
        message = f"{entry.chart!r} has no scheme, so its page shows no command to install it"
        registry = entry.chart if "/" in entry.chart else f"{entry.chart}/{entry.slug}"
        hint = f"use `oci://{registry}`, or `https://{entry.chart}` for a repository with an index.yaml"
        group = "chart: URLs without a scheme, so their pages show no command (use oci://… or https://…)"
        yield raw.problem(("chart",), message, hint, Level.WARNING, code=Code.WRONG_VALUE, group=group)


@cache
def is_spdx(expression: str) -> bool:
    """Whether this is an SPDX license expression."""
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    with suppress(InvalidLicenseExpression):
        canonicalize_license_expression(expression)
        return True
    return False


def pinning_versions(entry: P, raw: RawItem, problems: Problems) -> P:
    """Return the item with its newest version first and with `latest`."""
    entry = _of_registry(entry, raw, problems)
    positions = _positions(entry, raw, problems)
    if not _has_latest(entry, raw, problems):
        return entry
    present = [label for label in positions if label not in raw.gone] or [*positions]
    newest = next(iter(in_order(present, entry.latest)), None)
    placed = [_chart_version(label) for label in present]
    kept = listed(placed, raw.keep, newest) | raw.gone
    labels = [label for label in in_order(positions, newest) if label in kept]
    _warn_if_undecided(labels, entry, raw, problems)
    versions = [entry.versions[positions[label]] for label in labels]
    return _with(entry, versions=versions, latest=newest)


def _chart_version(label: str) -> VersionEntry:
    """Return a chart's version with line and variant, which decide only what `keep` lists."""
    rules = LineRules()
    return VersionEntry.model_construct(version=label, line=rules.line(label), variant=rules.variant(label))


def image_versions(entry: ImageEntry, raw: RawItem, rules: LineRules, problems: Problems) -> ImageEntry:
    """Return the image with line and variant of each version, its newest version first, and `latest`."""
    entry = _of_registry(entry, raw, problems)
    versions = [in_line(version, rules) for version in entry.versions]
    present = [version for version in versions if version.version not in raw.gone] or versions
    newest = entry.latest
    if newest is None and present:
        newest = newest_label(present, entry.default_variant)
    _positions(entry, raw, problems)
    _check_tags(entry, raw, problems)
    kept = listed(present, raw.keep, newest) | raw.gone
    versions = [version for version in versions if version.version in kept]
    positions = {version.version: position for position, version in enumerate(versions)}
    entry = _with(entry, versions=[version for version in entry.versions if version.version in kept])
    _check_cycles(entry, raw, rules, problems)
    if not (_has_default_variant(entry, versions, raw, problems) and _has_latest(entry, raw, problems)):
        return entry
    labels = in_order(positions, newest)
    _warn_if_undecided(labels, entry, raw, problems)
    if newest and entry.latest is None and (tagged := tagged_latest(present)):
        _warn_if_older(tagged, versions[positions[newest]], raw, problems)
    return _with(entry, versions=[versions[positions[label]] for label in labels], latest=newest)


def _warn_if_older(tagged: Version, newest: Version, raw: RawItem, problems: Problems) -> None:
    """Add a problem if the version with the tag `latest` is older than the newest one of its variant."""
    keys = [parse_label(version.version).key for version in (tagged, newest)]
    if tagged.variant == newest.variant and keys[0] < keys[1]:
        message = f"{newest.version} is the newest version, although {tagged.version} has the tag `latest`"
        hint = f"move the tag, or set `latest: {tagged.version}`"
        group = (
            "versions that are newer than the one with the tag `latest` (move the tag, or set `latest: …`)"
        )
        problem = raw.problem(("versions",), message, hint, Level.WARNING, code=Code.NEWEST, group=group)
        problems.add(problem)


def _has_default_variant(
    entry: ImageEntry, versions: Sequence[VersionEntry], raw: RawItem, problems: Problems
) -> bool:
    """Whether the page's default variant, if it names one, is that of a version. Adds a problem if not."""
    variants = {version.variant for version in versions}
    if not versions or entry.default_variant is None or entry.default_variant in variants:
        return True
    hint = suggestion(entry.default_variant, sorted(variants), "use one of")
    message = f"no version has the variant {entry.default_variant!r}"
    problems.add(raw.problem(("defaultVariant",), message, hint, code=Code.NEWEST))
    return False


def _with(entry: N, **values: object) -> N:
    return entry.model_copy(update=values)


def _of_registry(entry: E, raw: RawItem, problems: Problems) -> E:
    """Return the entry without a `latest` that was removed from its registry, if there is another version."""
    labels = {version.version for version in entry.versions}
    if entry.latest is None or entry.latest not in raw.gone or labels <= raw.gone:
        return entry
    message = f"ignored: {entry.latest!r} was removed from the registry, so it is not the newest version"
    hint = "use another version, or remove the line"
    problems.add(raw.problem(("latest",), message, hint, Level.WARNING, code=Code.NEWEST))
    return _with(entry, latest=None)


def in_line(version: VersionEntry, rules: LineRules) -> VersionEntry:
    """Return the version with line, variant and end of life. Values of the author take precedence."""
    label, given = version.version, version.model_fields_set
    update: dict[str, object] = {}
    if "line" not in given:
        update["line"] = rules.line(label)
    if "variant" not in given:
        update["variant"] = rules.variant(label)
    if version.end_of_life is None and (cycle := cycle_of(label, rules.cycles)):
        update["end_of_life"] = cycle.end_of_life
    return version.model_copy(update=update)


def _check_cycles(entry: ImageEntry, raw: RawItem, rules: LineRules, problems: Problems) -> None:
    """Add a note if the product has no cycle for a version, or no day on which a cycle ended."""
    if not rules.cycles:
        return
    labels = [version.version for version in entry.versions if "line" not in version.model_fields_set]
    without = [label for label in labels if cycle_of(label, rules.cycles) is None]
    if without:
        message = f"{entry.product} has no release cycle for {', '.join(without[:3])}"
        hint = "they get the default line"
        problems.add(raw.problem(("product",), message, hint, Level.INFO, code=Code.NEWEST))
    ended = {cycle.name for label in labels if (cycle := cycle_of(label, rules.cycles)) and cycle.ended}
    if ended:
        message = f"support of {entry.product} {', '.join(sorted(ended))} has ended, but the date is unknown"
        hint = "set `endOfLife` of these versions if you know the date"
        problems.add(raw.problem(("product",), message, hint, Level.INFO, code=Code.NEWEST))


def _positions(entry: ListedEntry, raw: RawItem, problems: Problems) -> dict[str, int]:
    """Return version → position in the list. A duplicate is a problem."""
    positions: dict[str, int] = {}
    folded: dict[str, str] = {}
    labels = [version.version for version in entry.versions]
    for position, label in enumerate(labels):
        if label.casefold() in folded:
            message = f"the version {label!r} is listed twice"
            if folded[label.casefold()] != label:
                message = f"{label!r} and {folded[label.casefold()]!r} differ only in case"
            problems.add(raw.problem(("versions", position), message, "remove one of them", code=Code.TWICE))
        folded[label.casefold()] = label
        positions[label] = position
    return positions


def _has_latest(entry: ListedEntry, raw: RawItem, problems: Problems) -> bool:
    """Whether the page has a valid `latest`. Adds a problem if that version is not listed."""
    labels = [version.version for version in entry.versions]
    if entry.latest is None or entry.latest in labels:
        return True
    hint = suggestion(entry.latest, labels, "use one of") if labels else "add it to `versions`"
    message = f"unknown version {entry.latest!r}"
    problems.add(raw.problem(("latest",), message, hint, code=Code.NEWEST))
    return False


def _warn_if_undecided(labels: Sequence[str], entry: ListedEntry, raw: RawItem, problems: Problems) -> None:
    if entry.latest is None and undecided(labels):
        message = f"the newest version is unknown, so the first one is used: {labels[0]!r}"
        hint = "set the newest with `latest: …`"
        problems.add(raw.problem(("versions",), message, hint, Level.WARNING, code=Code.NEWEST))


def _check_tags(entry: ImageEntry, raw: RawItem, problems: Problems) -> None:
    """Add a problem for each tag that belongs to two versions."""
    labels = {version.version for version in entry.versions}
    named: dict[str, str] = {}
    for position, version in enumerate(entry.versions):
        for place, tag in enumerate(version.tags):
            if tag in labels:
                message = f"the tag {tag!r} is already a version"
            elif (other := named.setdefault(tag, version.version)) != version.version:
                message = f"the tag {tag!r} already belongs to version {other!r}"
            else:
                continue
            path, hint = (
                ("versions", position, "tags", place),
                "remove one of them; a tag belongs to one version",
            )
            problems.add(raw.problem(path, message, hint, code=Code.TWICE))
