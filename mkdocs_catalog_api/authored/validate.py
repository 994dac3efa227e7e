"""From raw values to validated entries: defaults, misspelt keys, a problem for all that does not fit, and the
order of versions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import TypeVar, get_args

from msgspec.structs import replace
from pydantic_core import ErrorDetails

from ..catalog.fields import COMPUTED, ItemFields, M
from ..catalog.lines import (
    LineRules,
    cycle_of,
    derived_line,
    line_by,
    mixed_variants,
    newest_label,
    parse_label,
)
from ..catalog.model import Model
from ..catalog.models import ChartEntry, ChartVersionEntry, ImageEntry, Lifecycle, VersionEntry
from ..catalog.names import slug_from_name
from ..catalog.versions import in_order, newest_first, undecided
from ..problems import Level, Problem, Problems
from ..problems.codes import Code
from .messages import code_of, location, message_and_hint, resembling, suggestion
from .pages import RawItem, heading

E = TypeVar("E", ImageEntry, ChartEntry)
V = TypeVar("V", VersionEntry, ChartVersionEntry)

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


def with_mapped(raw: RawItem, fields: ItemFields[M]) -> RawItem:
    """The item with the fields that it has under another key, which `map` names."""
    values: dict[str, object] = {}
    for field, key in fields.keys:
        value = raw.values.get(key)
        if isinstance(value, list) and not fields.holds_list(field):
            value = next(iter(value), None)
        if raw.values.get(field) is None and value is not None:
            values[field] = value
    mapped = {field: key for field, key in fields.keys if field in values}
    return replace(raw, values={**raw.values, **values}, mapped=mapped)


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
        elif key not in dict(fields.keys).values() and (near := _misspelt(key, names)):
            misspelt.add(near)
            hint = f"perhaps you mean {near!r}"
            faults.append(raw.problem((key,), "unknown field", hint, code=Code.UNKNOWN_FIELD))
    entry, errors = fields.read(known)
    faults += _explain(errors, fields, raw, misspelt)
    problems.extend(faults)
    if entry is None or faults:
        return None
    _check_license(entry, raw, problems)
    problems.extend(_doubts(entry, raw, names))
    return entry


def undeclared(fields: ItemFields[M], raws: Iterable[RawItem]) -> Iterator[str]:
    """The keys which the author gave items that are no fields, and that nothing known gives a meaning."""
    names = {*fields.names, *fields.model.spellings, *dict(fields.keys).values(), *COMPUTED, *FOREIGN}
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
        message, hint = message_and_hint(details, fields[:2])
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


def _doubts(entry: Model, raw: RawItem, names: Collection[str]) -> Iterator[Problem]:
    """Warn of values that are valid alone, but hardly what the author means."""
    if isinstance(entry, ImageEntry):
        for position, version in enumerate(entry.versions):
            if version.released and version.end_of_life and version.end_of_life < version.released:
                message = f"{version.end_of_life} is before the release, {version.released}"
                path, hint = ("versions", position, "endOfLife"), "correct one of the two dates"
                yield raw.problem(path, message, hint, Level.WARNING, code=Code.WRONG_VALUE)
    status = raw.values.get("status")
    if isinstance(entry, ImageEntry | ChartEntry) and isinstance(status, str) and "status" not in names:
        word = status.lower()
        if "lifecycle" not in raw.values and word in get_args(Lifecycle) and word != entry.lifecycle:
            message = f"`status` is a key of the theme, so the item is shown as {entry.lifecycle}"
            hint = f"add `lifecycle: {word}`"
            yield raw.problem(("status",), message, hint, Level.WARNING, code=Code.IGNORED)
    if not isinstance(entry, ChartEntry) or entry.chart is None:
        return
    folder, _, last = entry.chart.rpartition("/")
    if last == "index.yaml" or last.endswith(".tgz"):
        message, hint = (
            f"{entry.chart!r} is a file, not a repository, so Helm refuses it",
            f"write {folder!r}",
        )
        yield raw.problem(("chart",), message, hint, Level.WARNING, code=Code.WRONG_VALUE)
    if "://" not in entry.chart:
        message = f"{entry.chart!r} has no scheme, so its page shows no command to install it"
        registry = entry.chart if "/" in entry.chart else f"{entry.chart}/{entry.slug}"
        hint = f"write 'oci://{registry}', or 'https://{entry.chart}' for a repository with an index.yaml"
        if not _has_host(entry.chart):
            hint = "write oci://REGISTRY/PATH, or the https address of the repository"
        group = "chart: addresses have no scheme, so their pages show no command (write oci://… or https://…)"
        yield raw.problem(("chart",), message, hint, Level.WARNING, code=Code.WRONG_VALUE, group=group)


def _has_host(reference: str) -> bool:
    """Whether the first part of a reference is a host rather than a path."""
    return any(mark in reference.partition("/")[0] for mark in ".:") or reference.startswith("localhost/")


@cache
def _is_spdx(expression: str) -> bool:
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    with suppress(InvalidLicenseExpression):
        canonicalize_license_expression(expression)
        return True
    return False


def chart_versions(entry: ChartEntry, raw: RawItem, problems: Problems) -> ChartEntry:
    """The chart with its versions newest first and `latest` filled in."""
    entry = _of_registry(entry, raw, problems)
    kept = _kept(raw, [(v, derived_line(v.version), LineRules().variant(v.version)) for v in entry.versions])
    entry = entry.model_copy(update={"versions": kept})
    positions = _positions(entry, raw, problems)
    if not _has_latest(entry, raw, problems):
        return entry
    present = [label for label in positions if label not in raw.gone] or [*positions]
    newest = next(iter(in_order(present, entry.latest)), None)
    labels = in_order(positions, newest)
    _warn_if_undecided(labels, entry, raw, problems)
    versions = [entry.versions[positions[label]] for label in labels]
    return entry.model_copy(update={"versions": versions, "latest": newest})


def image_versions(entry: ImageEntry, raw: RawItem, rules: LineRules, problems: Problems) -> ImageEntry:
    """The image with the line and variant of each version, its versions newest first, and `latest`."""
    entry = _of_registry(entry, raw, problems)
    versions = [_in_line(version, rules) for version in entry.versions]
    versions = _kept(raw, [(version, version.line, version.variant) for version in versions])
    if len(versions) < len(entry.versions):
        kept = {version.version for version in versions}
        listed = [version for version in entry.versions if version.version in kept]
        entry = entry.model_copy(update={"versions": listed})
    positions = _positions(entry, raw, problems)
    _check_tags(entry, raw, problems)
    variants = {version.variant for version in versions}
    _check_lines(entry, raw, rules, problems)
    if versions and entry.default_variant is not None and entry.default_variant not in variants:
        message = f"no version is of the variant {entry.default_variant!r}"
        hint = suggestion(entry.default_variant, sorted(variants), "its variants are")
        problems.add(raw.problem(("defaultVariant",), message, hint, code=Code.LINES))
        return entry
    if not _has_latest(entry, raw, problems):
        return entry
    if mixed := mixed_variants(variant for variant in variants if variant):
        message = f"{mixed[0]!r} and {mixed[1]!r} count as two variants, so neither is advised to the other"
        hint = "if they are one, spell them alike or set `variants` on the page"
        problems.add(raw.problem(("versions",), message, hint, Level.WARNING, code=Code.LINES))
    newest = entry.latest
    if newest is None and versions:
        present = [version for version in versions if version.version not in raw.gone] or versions
        variant = entry.default_variant
        newest = newest_label(present, variant if any(v.variant == variant for v in present) else None)
    labels = in_order(positions, newest)
    _warn_if_undecided(labels, entry, raw, problems)
    return entry.model_copy(
        update={"versions": [versions[positions[label]] for label in labels], "latest": newest}
    )


def _of_registry(entry: E, raw: RawItem, problems: Problems) -> E:
    """The entry without a `latest` that its registry no longer has, if there is another version."""
    labels = {version.version for version in entry.versions}
    if entry.latest is None or entry.latest not in raw.gone or labels <= raw.gone:
        return entry
    message = f"the registry no longer has {entry.latest!r}, so it is not the newest version"
    hint = "name another one, or remove the line"
    problems.add(raw.problem(("latest",), message, hint, Level.WARNING, code=Code.NEWEST))
    return entry.model_copy(update={"latest": None})


def _kept(raw: RawItem, versions: Sequence[tuple[V, str, str]]) -> list[V]:
    """The versions, each with its line and variant, without older ones than the page wants to keep.

    Those that are gone are listed beside the ones that are kept.
    """
    most = raw.filled.keep if raw.filled else None
    if most is None:
        return [version for version, *_ in versions]
    order = {label: at for at, label in enumerate(newest_first([v.version for v, *_ in versions]))}
    kept: set[str] = set()
    counts: Counter[tuple[str, str]] = Counter()
    for version, line, variant in sorted(versions, key=lambda each: order[each[0].version]):
        if counts[line, variant] < most:
            kept.add(version.version)
            counts[line, variant] += version.version not in raw.gone
    return [version for version, *_ in versions if version.version in kept]


def _in_line(version: VersionEntry, rules: LineRules) -> VersionEntry:
    """The version with what its label says, unless its author does: line, variant and end of life."""
    label, given = version.version, version.model_fields_set
    update: dict[str, object] = {}
    if "line" not in given:
        update["line"] = rules.line(label)
    if "variant" not in given:
        update["variant"] = rules.variant(label)
    if version.end_of_life is None and (cycle := cycle_of(label, rules.cycles)):
        update["end_of_life"] = cycle.end_of_life
    return version.model_copy(update=update)


def _check_lines(entry: ImageEntry, raw: RawItem, rules: LineRules, problems: Problems) -> None:
    """A rule or a product that says nothing of some versions is a slip, or worth knowing."""
    labels = [version.version for version in entry.versions if "line" not in version.model_fields_set]
    if entry.lines is not None:
        missed = [
            label for label in labels if parse_label(label).numbers and line_by(entry.lines, label) is None
        ]
        if missed:
            message = f"{entry.lines!r} matches {'none' if missed == labels else 'not all'} of the versions"
            hint = f"not {', '.join(missed[:3])}: their lines follow from the label"
            problems.add(raw.problem(("lines",), message, hint, Level.WARNING, code=Code.LINES))
    if not rules.cycles:
        return
    without = [label for label in labels if cycle_of(label, rules.cycles) is None]
    if without:
        message = f"{entry.product} has no release cycle for {', '.join(without[:3])}"
        hint = "the line of these versions follows from the label"
        problems.add(raw.problem(("product",), message, hint, Level.INFO, code=Code.LINES))
    ended = {cycle.name for label in labels if (cycle := cycle_of(label, rules.cycles)) and cycle.ended}
    if ended:
        message = f"the support of {entry.product} {', '.join(sorted(ended))} has ended on an unknown day"
        hint = "set `endOfLife` of these versions if you know it"
        problems.add(raw.problem(("product",), message, hint, Level.INFO, code=Code.LINES))


def _positions(entry: ImageEntry | ChartEntry, raw: RawItem, problems: Problems) -> dict[str, int]:
    """Label → position in the list of versions. A label that is there twice is a problem."""
    positions: dict[str, int] = {}
    folded: dict[str, str] = {}
    labels = [version.version for version in entry.versions]
    for position, label in enumerate(labels):
        if label.casefold() in folded:
            message = f"the version {label!r} is listed twice"
            if folded[label.casefold()] != label:
                message = f"{label!r} and {folded[label.casefold()]!r} differ only in case"
            problems.add(raw.problem(("versions", position), message, "keep one of them", code=Code.TWICE))
        folded[label.casefold()] = label
        positions[label] = position
    return positions


def _has_latest(entry: ImageEntry | ChartEntry, raw: RawItem, problems: Problems) -> bool:
    """Whether the version that the page sets as its newest is listed, if it sets one."""
    labels = [version.version for version in entry.versions]
    if entry.latest is None or entry.latest in labels:
        return True
    hint = suggestion(entry.latest, labels, "it has") if labels else "list it under `versions`"
    message = f"no version is called {entry.latest!r}"
    problems.add(raw.problem(("latest",), message, hint, code=Code.NEWEST))
    return False


def _warn_if_undecided(
    labels: Sequence[str], entry: ImageEntry | ChartEntry, raw: RawItem, problems: Problems
) -> None:
    if entry.latest is None and undecided(labels):
        message = f"nothing says which version is the newest, so {labels[0]!r} stands for it"
        hint = "name the newest with `latest: …`"
        problems.add(raw.problem(("versions",), message, hint, Level.WARNING, code=Code.NEWEST))


def _check_tags(entry: ImageEntry, raw: RawItem, problems: Problems) -> None:
    """A tag names one release, whether it is a label or another tag."""
    labels = {version.version for version in entry.versions}
    named: dict[str, str] = {}
    for position, version in enumerate(entry.versions):
        for place, tag in enumerate(version.tags):
            if tag in labels:
                message = f"{tag!r} is the label of a version"
            elif (other := named.setdefault(tag, version.version)) != version.version:
                message = f"the tag {tag!r} is one of version {other!r}"
            else:
                continue
            path, hint = (
                ("versions", position, "tags", place),
                "a tag belongs to one release: keep one of them",
            )
            problems.add(raw.problem(path, message, hint, code=Code.TWICE))
