"""Data of `catalog-api sync` from registries, which fills in missing values of items.

A version is matched by its name or one of its tags. If the page has another digest than the registry, nothing
is filled in, as the data belongs to another image.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace
from pydantic import TypeAdapter, ValidationError

from ..authored.folders import project_of, read_synced
from ..authored.from_registry import FromRegistry, is_from_registry, read_from_registry
from ..authored.messages import code_of, location, message_and_hint
from ..authored.pages import Filled, RawItem
from ..authored.settings import Settings
from ..authored.site import Site
from ..authored.yaml_text import parse
from ..catalog.fields import ItemFields
from ..catalog.lines import LineRules, derived_line, newest_label
from ..catalog.model import Model
from ..catalog.models import ChartEntry, ImageEntry, VersionEntry
from ..catalog.names import Reference, without_details
from ..catalog.names import slug as checked_slug
from ..catalog.registry_facts import (
    FACTS_FOLDER,
    UNKNOWN_PLATFORM,
    ChartFacts,
    ChartVersionFacts,
    FormerFacts,
    ImageFacts,
    ImageVersionFacts,
    VersionFacts,
)
from ..catalog.versions import in_order
from ..problems import Level, Problem, Problems, RefusedError
from ..problems.codes import Code

M = TypeVar("M", bound=Model)

_MOST = 64 * 2**20
_AGAIN = "restore it from git, or delete it and run `catalog-api sync`"
_OCI = "org.opencontainers.image."
_HUB = "artifacthub.io/"


class _Known(NamedTuple):
    """A listed version with the same digest in the registry."""

    label: str
    facts: VersionFacts
    position: int
    """Position in the file."""
    value: dict[str, Any]
    """The value on the page."""


class FactsFolder:
    """Reads the files of `sync` for one collection. Problems are added, not raised."""

    def __init__(self, site: Site, settings: Settings, collection: str, problems: Problems) -> None:
        folder = site.root / FACTS_FOLDER
        self._folder, self._label = folder / collection, f"{FACTS_FOLDER}/{collection}"
        self._project = project_of(site.root, folder)
        self._variants = settings.images.variants
        self._problems = problems
        self._present = folder.is_dir()
        if not self._present and os.path.lexists(folder):
            message, hint = "not a folder", "remove it, and run `catalog-api sync`"
            problems.add(Problem(FACTS_FOLDER, 0, 0, "", message, hint, code=Code.NOT_READ))

    def fill(
        self, raw: RawItem, values: dict[str, object], fields: ItemFields[M]
    ) -> tuple[RawItem, dict[str, object]]:
        """Return the item and its values, with missing values filled in from the registry."""
        if not issubclass(fields.model, ImageEntry | ChartEntry):
            return raw, values
        is_image, choice = issubclass(fields.model, ImageEntry), None
        from_registry = is_from_registry(values.get("versions"))
        if from_registry:
            choice = self._choice(raw, values["versions"])
            values = {**values, "versions": []}
        if not (choice or self._present):
            return raw, values
        slug = values.get("slug")
        with suppress(ValueError, TypeError):
            name = f"{self._label}/{checked_slug(slug)}.json"  # type: ignore[arg-type]
            kind: type[ImageFacts | ChartFacts] = ImageFacts if is_image else ChartFacts
            facts = self._read(name, f"{slug}.json", kind, raw if choice else None)
            if facts and self._is_of(values, facts, name, wanted=choice is not None):
                return self._filled(raw, values, fields, facts, choice, name)
        return raw, values

    def others(self, slugs: Collection[str]) -> Iterator[tuple[str, ImageFacts]]:
        """Yield slug and facts of the images that left the catalog; `slugs` are those that it has."""
        for path in sorted(self._folder.glob("*.json")):
            with suppress(ValueError):
                if checked_slug(path.stem) not in slugs:
                    facts = self._read(f"{self._label}/{path.name}", path.name, ImageFacts)
                    if isinstance(facts, ImageFacts):
                        yield path.stem, facts

    def _choice(self, raw: RawItem, value: object) -> FromRegistry | None:
        choice, errors = read_from_registry(value)
        for details in errors:
            path = ("versions", *(location(details) if isinstance(value, dict) else ()))
            message, hint = message_and_hint(details, (FromRegistry,))
            self._problems.add(raw.problem(path, message, hint, code=code_of(details)))
        return choice

    def _read(
        self, name: str, file: str, kind: type[ImageFacts | ChartFacts], wanted_by: RawItem | None = None
    ) -> ImageFacts | ChartFacts | None:
        path = self._folder / file
        if not os.path.lexists(path):
            if wanted_by:
                message, hint = f"the file {name} does not exist", "run `catalog-api sync` to create it"
                self._problems.add(wanted_by.problem(("versions",), message, hint, code=Code.MISSING_PATH))
            return None
        decode = msgspec.json.Decoder(kind).decode
        return read_synced(path, name, decode, _MOST, self._project, _AGAIN, self._problems)

    def _is_of(
        self, values: Mapping[str, object], facts: ImageFacts | ChartFacts, name: str, *, wanted: bool
    ) -> bool:
        """Whether the file belongs to the current image or chart of the page."""
        field = "image" if isinstance(facts, ImageFacts) else "chart"
        present: str = getattr(facts, field)
        if _plain(values.get(field)) == _plain(present):
            return True
        message = f"not used: this file belongs to {present}, but the page has {values.get(field) or 'none'}"
        level = Level.ERROR if wanted else Level.WARNING
        hint = "run `catalog-api sync` again"
        self._problems.add(Problem(name, 0, 0, field, message, hint, level, code=Code.MOVED_TAG))
        return False

    def _filled(
        self,
        raw: RawItem,
        values: dict[str, object],
        fields: ItemFields[M],
        facts: ImageFacts | ChartFacts,
        choice: FromRegistry | None,
        name: str,
    ) -> tuple[RawItem, dict[str, object]]:
        values = dict(values)
        if choice:
            versions = [*_chosen(facts, choice)]
            if not versions:
                message = f"`tags` matches none of the {len(facts.versions)} versions in {name}"
                hint = "set `tags` under `versions` to another regular expression or list"
                problem = raw.problem(("versions",), message, hint, Level.WARNING, code=Code.REGISTRY)
                self._problems.add(problem)
            raw = replace(raw, filled=Filled(name, frozenset({"versions"}), frozenset(), choice.keep, facts))
        else:
            versions = [*self._listed(raw, values.get("versions"), facts)]
        gone = frozenset(known.label for known in versions if known.facts.gone)
        if choice or isinstance(values.get("versions"), list):
            values["versions"] = _with_facts(values.get("versions"), versions, facts.former)
        self._warn_of_gone(raw, versions, from_registry=choice is not None)
        filled = self._fill_item(values, fields, versions, name)
        names = frozenset({*filled, *(("versions",) if choice else ())})
        keep = choice.keep if choice else None
        return replace(raw, filled=Filled(name, names, gone, keep, facts)), values | filled

    def _listed(self, raw: RawItem, versions: object, facts: ImageFacts | ChartFacts) -> Iterator[_Known]:
        """Yield the versions on the page with the same digest in the registry."""
        by_tag: dict[str, tuple[int, VersionFacts]] = {}
        known: Sequence[VersionFacts] = facts.versions
        for position, version in enumerate(known):
            for tag in (version.version, *(version.tags if isinstance(version, ImageVersionFacts) else ())):
                by_tag[_bare(tag, facts)] = position, version
        for index, value in enumerate(versions if isinstance(versions, list) else ()):
            value = {"version": value} if isinstance(value, str) else value
            label = value.get("version") if isinstance(value, dict) else None
            if not isinstance(label, str) or _bare(label, facts) not in by_tag:
                continue
            position, version = by_tag[_bare(label, facts)]
            manifests = version.manifests if isinstance(version, ImageVersionFacts) else ()
            if {*_digests(value)} <= {version.digest, *(manifest.digest for manifest in manifests)}:
                yield _Known(label, version, position, value)
            else:
                message = f"the digest of {label} in the registry is {version.digest}"
                hint = "no values are filled in; correct the digest, or run `catalog-api sync`"
                path = ("versions", index, "digest")
                self._problems.add(raw.problem(path, message, hint, Level.INFO, code=Code.MOVED_TAG))

    def _warn_of_gone(self, raw: RawItem, versions: Iterable[_Known], *, from_registry: bool) -> None:
        for known in versions:
            if known.facts.gone:
                message = f"{known.label} was removed from the registry, so it is never the newest version"
                hint = (
                    "run `catalog-api sync --prune` to remove it"
                    if from_registry
                    else "remove it from the page"
                )
                group = "versions that were removed from their registry"
                path = ("versions",)
                self._problems.add(
                    raw.problem(path, message, hint, Level.WARNING, code=Code.REGISTRY, group=group)
                )

    def _fill_item(
        self, values: Mapping[str, object], fields: ItemFields[M], versions: Sequence[_Known], name: str
    ) -> dict[str, object]:
        """Return field → the value from the newest version, for the fields that are not on the page."""
        present = [known for known in versions if not known.facts.gone] or versions
        if not present:
            return {}
        label = self._newest(values, present)
        known = next(known for known in present if known.label == label)
        facts = known.facts
        filled: dict[str, object] = {}
        facts_of_item = _of_image(facts) if isinstance(facts, ImageVersionFacts) else _of_chart(facts)
        for field, key, value in facts_of_item:
            if field in filled or values.get(field) is not None or not value:
                continue
            path = f"versions[{known.position}].{key}"
            if field == "images":
                value = _pins(str(value))
            try:
                _type_of(fields.model, field).validate_python(value)
            except ValidationError as error:
                message, hint = message_and_hint(error.errors(include_url=False)[0])
                hint = f"not used: set `{field}` on the page" + (f"; {hint}" if hint else "")
                self._problems.add(
                    Problem(name, 0, 0, path, message, hint, Level.WARNING, code=Code.WRONG_VALUE)
                )
            else:
                filled[field] = value
        return filled

    def _newest(self, values: Mapping[str, object], present: Sequence[_Known]) -> str:
        labels = [known.label for known in present]
        latest = values.get("latest")
        latest = latest if isinstance(latest, str) and latest in labels else None
        if isinstance(present[0].facts, ChartVersionFacts):
            return in_order(labels, latest)[0]
        rule = None
        with suppress(ValidationError):  # reported later
            rule = _type_of(ImageEntry, "variants").validate_python(values.get("variants"))
        rules = LineRules(variants=rule or self._variants)
        versions = []
        for known in present:
            label, variant = known.label, known.value.get("variant")
            variant = variant if isinstance(variant, str) else rules.variant(label)
            line, tags = derived_line(label), [*known.facts.tags]
            versions.append(
                VersionEntry.model_construct(version=label, line=line, variant=variant, tags=tags)
            )
        default = values.get("defaultVariant")
        variants = {version.variant for version in versions}
        return latest or newest_label(
            versions, default if isinstance(default, str) and default in variants else None
        )


def _pins(text: str) -> object:
    """Return the pins in the YAML text of `artifacthub.io/images`; other text as it is."""
    with suppress(RefusedError):
        data = parse(text).data
        if isinstance(data, list):
            return [
                {key: pin[key] for key in ("name", "image") if pin.get(key)} if isinstance(pin, dict) else pin
                for pin in data
            ]
    return text


def _plain(reference: object) -> str | None:
    """Return the normalized reference of an image or chart, for comparison."""
    if not isinstance(reference, str):
        return None
    with suppress(ValueError):
        return Reference.parse(reference).repository
    return reference.rstrip("/")


def _bare(label: str, facts: ImageFacts | ChartFacts) -> str:
    """Return the name of a version; for a chart without `v`, and with `+` as in its tags."""
    return label if isinstance(facts, ImageFacts) else label.removeprefix("v").replace("+", "_")


def _chosen(facts: ImageFacts | ChartFacts, choice: FromRegistry) -> Iterator[_Known]:
    known: Sequence[VersionFacts] = facts.versions
    for position, version in enumerate(known):
        if isinstance(version, ImageVersionFacts):
            label = next(choice.labels((version.version, *version.tags)), None)
        else:
            label = version.version if choice.chooses(version.version) else None
        if label:
            yield _Known(label, version, position, {"version": label})


def _digests(value: Mapping[str, Any]) -> Iterator[str]:
    """Yield the digests of a version on the page, in any form."""
    for key in ("digest", "digests", "manifests"):
        given = value.get(key)
        listed = (
            [*given.values()] if isinstance(given, dict) else given if isinstance(given, list) else [given]
        )
        for digest in listed:
            digest = digest.get("digest") if isinstance(digest, dict) else digest
            if isinstance(digest, str):
                yield digest


def _with_facts(written: object, versions: Sequence[_Known], former: Sequence[FormerFacts]) -> list[object]:
    """Return the versions with filled-in values, in the order of the page or of the file. One with a former
    digest gets the manifests of that digest and nothing else.
    """
    by_label = {known.label: known for known in versions}
    listed = written if isinstance(written, list) and written else [known.value for known in versions]
    labels = {label for value in listed if (label := _label(value))}
    taken = labels | {tag for value in listed if isinstance(value, dict) for tag in _texts(value.get("tags"))}
    tags: dict[str, list[str]] = {}
    # A tag belongs to one version: the one with the name in the file that was not removed.
    for known in sorted(versions, key=lambda known: (known.facts.gone, known.label != known.facts.version)):
        if isinstance(known.facts, ImageVersionFacts):
            every = {known.facts.version, *known.facts.tags}
            tags[known.label] = sorted(every - taken)
            taken |= every
    filled: list[object] = []
    for value in listed:
        known_version = by_label.get(_label(value) or "")
        if known_version is None:
            digests = [*_digests(value)] if isinstance(value, dict) else []
            builds = (_manifests(build) for build in former if [build.digest] == digests)
            manifests = next(filter(None, builds), None)
            filled.append(
                {"manifests": manifests} | value if isinstance(value, dict) and manifests else value
            )
            continue
        facts = known_version.facts
        given = {key: item for key, item in known_version.value.items() if item is not None}
        if isinstance(facts, ImageVersionFacts):
            fields = _of_version(given, facts) | {"tags": tags[known_version.label]}
        else:
            fields = {"appVersion": facts.app_version, "digest": facts.digest}
        fields["released"] = facts.created and facts.created[:10]
        filled.append({key: item for key, item in fields.items() if item is not None} | given)
    return filled


def _label(value: object) -> str | None:
    label = value.get("version") if isinstance(value, dict) else value
    return label if isinstance(label, str) else None


def _texts(value: object) -> Iterable[str]:
    return (text for text in value if isinstance(text, str)) if isinstance(value, list) else ()


def _of_version(given: Mapping[str, Any], facts: ImageVersionFacts) -> dict[str, Any]:
    """Return the registry's fields of a version; none if the page has digests of some platforms only."""
    digests = [*_digests(given)]
    fields: dict[str, Any] = {}
    if not digests or "manifests" in given:
        fields["digest"] = facts.digest
    if not digests or facts.digest in digests or "manifests" in given:
        fields["platforms"] = _platforms(facts)
        fields["size"] = facts.manifests[0].size if facts.manifests else None
    if set(digests) <= {facts.digest}:
        fields["manifests"] = _manifests(facts)
    return fields


def _manifests(facts: ImageVersionFacts | FormerFacts) -> list[dict[str, Any]] | None:
    """Return the manifests of an index; None for a digest that is a manifest."""
    if [manifest.digest for manifest in facts.manifests] == [facts.digest]:
        return None
    return [
        {key: item for key, item in msgspec.structs.asdict(manifest).items() if item is not None}
        for manifest in facts.manifests
    ]


def _platforms(facts: ImageVersionFacts) -> list[str]:
    platforms = dict.fromkeys(without_details(manifest.platform) for manifest in facts.manifests)
    return [platform for platform in platforms if platform != UNKNOWN_PLATFORM]


Found = Iterator[tuple[str, str, object]]
"""Field of the item, path of its value in the version of the file, and the value."""


def _of_image(facts: ImageVersionFacts) -> Found:
    for field, name in (("license", "licenses"), ("description", "description"), ("homepage", "url")):
        yield from _annotation(field, _OCI + name, facts.annotations)
    yield from _annotation("source", f"{_OCI}source", facts.annotations)
    base = f"{_OCI}base.name"
    # `docker.io/library/debian:12-slim` is Debian: the badge of a base counts all of its images.
    name = facts.annotations.get(base, "").partition("@")[0].rpartition("/")[2].partition(":")[0]
    yield "base", f"annotations.{base}", name
    yield "platforms", "manifests", _platforms(facts)
    yield "signature", "signature", facts.signature


def _of_chart(facts: ChartVersionFacts) -> Found:
    yield "appVersion", "appVersion", facts.app_version
    yield "description", "description", facts.description
    yield "homepage", "home", facts.home
    yield "source", "sources[0]", next(iter(facts.sources), None)
    yield from _annotation("source", f"{_OCI}source", facts.annotations)
    yield from _annotation("license", f"{_HUB}license", facts.annotations)
    yield from _annotation("license", f"{_OCI}licenses", facts.annotations)
    yield "images", f"annotations.{_HUB}images", facts.annotations.get(f"{_HUB}images")
    yield "signature", "signature", facts.signature


def _annotation(field: str, name: str, annotations: Mapping[str, str]) -> Found:
    yield field, f"annotations.{name}", " ".join(annotations.get(name, "").split())


@cache
def _type_of(model: type[Model], field: str) -> TypeAdapter[Any]:
    """Return the type of a model's field."""
    info = next(info for name, info in model.model_fields.items() if (info.alias or name) == field)
    annotated: Any = Annotated[(info.annotation, *info.metadata)]
    return TypeAdapter(annotated)
