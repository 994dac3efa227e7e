"""Data of `catalog-api sync` from registries, which fills in missing values of items.

A version is matched by its name or one of its tags. If the page has another digest than the registry, nothing
is filled in, as the data belongs to another image.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Annotated, Any, NamedTuple, TypeVar, cast

import msgspec
from msgspec.structs import replace
from pydantic import TypeAdapter, ValidationError

from ..catalog.lines import LineRules, newest_label
from ..catalog.model import CustomizableModel, Model
from ..catalog.models import (
    ChartEntry,
    ChartVersionEntry,
    ImageConfig,
    ImageEntry,
    PlatformManifest,
    VersionEntry,
)
from ..catalog.names import Reference, without_details
from ..catalog.names import slug as checked_slug
from ..catalog.registry_facts import (
    FACTS_FOLDER,
    UNKNOWN_PLATFORM,
    FormerFacts,
    RegistryFacts,
    VersionFacts,
    attestation_word,
)
from ..catalog.types import NOASSERTION, camel
from ..catalog.version_tags import label_first
from ..catalog.versions import in_order
from ..problems import Level, Problem, Problems, RefusedError
from ..problems.codes import Code
from .folders import project_of, read_synced
from .from_registry import (
    FromRegistry,
    is_from_registry,
    note_unlisted,
    read_from_registry,
    some,
)
from .messages import code_of, location, message_and_hint
from .pages import Filled, RawItem
from .settings import Settings
from .site import Site
from .validate import in_line
from .yaml_text import parse

M = TypeVar("M", bound=Model)
AnyVersion = VersionEntry | ChartVersionEntry

_DECODE = msgspec.json.Decoder(RegistryFacts).decode
_MOST = 64 * 2**20
_AGAIN = "restore it from git, or delete it and run `catalog-api sync`"
_OCI = "org.opencontainers.image."
_HUB = "artifacthub.io/"


class _Known(NamedTuple):
    """A listed version with the same digest in the registry."""

    facts: VersionFacts
    position: int
    """Position in the file."""


class FactsFolder:
    """Reads the files of `sync` for one collection. Problems are added, not raised."""

    def __init__(self, site: Site, settings: Settings, collection: str, problems: Problems) -> None:
        folder = site.root / FACTS_FOLDER
        self._folder, self._label = folder / collection, f"{FACTS_FOLDER}/{collection}"
        self._project = project_of(site.root, folder)
        self._variants = settings.images.variants
        self._problems = problems
        self._unlisted: list[str] = []
        self._present = folder.is_dir()
        if not self._present and os.path.lexists(folder):
            message, hint = "not a folder", "remove it, and run `catalog-api sync`"
            problems.add(Problem(FACTS_FOLDER, 0, 0, "", message, hint, code=Code.NOT_READ))

    def find(
        self, raw: RawItem, values: dict[str, object], model: type[Model]
    ) -> tuple[RawItem, dict[str, object]]:
        """Return the item with its file, and its values with the versions that `versions: registry` lists."""
        if not issubclass(model, ImageEntry | ChartEntry):
            return raw, values
        choice = None
        if is_from_registry(values.get("versions")):
            choice = read_choice(raw, values["versions"], self._problems)
            values = {**values, "versions": []}
        if not (choice or self._present):
            return raw, values
        slug = values.get("slug")
        with suppress(ValueError, TypeError):
            name = f"{self._label}/{checked_slug(slug)}.json"  # type: ignore[arg-type]
            facts = self._read(name, f"{slug}.json", raw if choice else None)
            if not (facts and self._is_of(values, facts, name, wanted=choice is not None)):
                return raw, values
            if choice is None:
                return replace(raw, filled=Filled(name, facts)), values
            labels = self._labels(raw, facts, choice)
            filled = Filled(name, facts, choice.kept, frozenset({("versions",)}))
            return replace(raw, filled=filled), values | {"versions": labels}
        return raw, values

    def _labels(self, raw: RawItem, facts: RegistryFacts, choice: FromRegistry) -> list[str]:
        """Return the label of each version that an item with `versions: registry` lists."""
        reference = facts.image or facts.chart
        names = [(each.version, *(each.tags if facts.image else ())) for each in facts.versions]
        tags = {*choice.versions((tag for group in names for tag in group), reference.rpartition("/")[2])}
        listed = [label_first(tags.intersection(group)) for group in names]
        unlisted = [
            tag
            for group, names_chosen in zip(names, listed, strict=True)
            if not names_chosen
            for tag in group
        ]
        if not any(listed):
            found = f": {some(unlisted)}" if unlisted else ""
            message = f"no version is listed, as no tag in the registry is one{found}"
            hint = "`catalog-api sync` gives the reason; to list other tags, set `tags` under `versions`"
            group = f"no version is listed, as no tag in the registry is one ({hint})"
            problem = raw.problem(
                ("versions",), message, hint, Level.WARNING, code=Code.REGISTRY, group=group
            )
            self._problems.add(problem)
        else:
            self._unlisted += [f"{tag} of {reference}" for tag in unlisted]
        return [label for label, *_ in filter(None, listed)]

    def unlisted(self) -> Iterator[Problem]:
        """Yield one note on the tags that `versions: registry` does not list."""
        return note_unlisted(self._label, self._unlisted)

    def others(self, slugs: Collection[str]) -> Iterator[tuple[str, RegistryFacts]]:
        """Yield slug and facts of the images that left the catalog; `slugs` are those that it has."""
        for path in sorted(self._folder.glob("*.json")):
            with suppress(ValueError):
                name = f"{self._label}/{path.name}"
                if checked_slug(path.stem) not in slugs and (facts := self._read(name, path.name)):
                    yield path.stem, facts

    def _read(self, name: str, file: str, wanted_by: RawItem | None = None) -> RegistryFacts | None:
        path = self._folder / file
        if not os.path.lexists(path):
            if wanted_by:
                message, hint = f"the file {name} does not exist", "run `catalog-api sync` to create it"
                group = f"files of `catalog-api sync` do not exist ({hint.replace(' it', ' them')})"
                problem = wanted_by.problem(("versions",), message, hint, code=Code.MISSING_PATH, group=group)
                self._problems.add(problem)
            return None
        return read_synced(path, name, _DECODE, _MOST, self._project, _AGAIN, self._problems)

    def _is_of(self, values: Mapping[str, object], facts: RegistryFacts, name: str, *, wanted: bool) -> bool:
        """Whether the file belongs to the current image or chart of the page."""
        field, present = ("chart", facts.chart) if facts.chart else ("image", facts.image)
        if _plain(values.get(field)) == _plain(present):
            return True
        message = f"not used: this file belongs to {present}, but the page has {values.get(field) or 'none'}"
        level = Level.ERROR if wanted else Level.WARNING
        hint = "run `catalog-api sync` again"
        group = (
            f"not used: files of `catalog-api sync` belong to other references than the pages have ({hint})"
        )
        problem = Problem(name, 0, 0, field, message, hint, level, code=Code.MOVED_TAG, group=group)
        self._problems.add(problem)
        return False

    def fill(self, raw: RawItem, entry: M) -> tuple[RawItem, M]:
        """Return the item and its entry, with missing values filled in from its file."""
        values: dict[str, object] = {}
        if raw.filled and isinstance(entry, ImageEntry | ChartEntry):
            raw, values = self._filled(raw, raw.filled, entry)
        return raw, entry.model_copy(update=values)

    def _filled(
        self, raw: RawItem, filled: Filled, entry: ImageEntry | ChartEntry
    ) -> tuple[RawItem, dict[str, object]]:
        """Return the item and the values of its fields that change."""
        known = dict(self._known(raw, entry, filled.facts))
        present = {label: each for label, each in known.items() if not each.facts.gone}
        self._warn_of_gone(raw, known.keys() - present.keys())
        tags = _further_tags(entry, known)
        paths, versions = {*filled.paths}, list[AnyVersion]()
        listed: Sequence[AnyVersion] = entry.versions
        for position, version in enumerate(listed):
            values = _former_manifests(version, filled.facts.former)
            if version.version in known:
                values = _of_version(version, known[version.version].facts, tags.get(version.version, []))
            update = _left_out(version, values)
            paths |= {("versions", position, camel(name)) for name in update}
            versions.append(version.model_copy(update=update))
        entry = entry.model_copy(update={"versions": versions})
        update = self._of_newest(entry, present or known, filled.file)
        paths |= {(camel(name),) for name in update}
        gone = frozenset(known.keys() - present.keys())
        return replace(raw, filled=replace(filled, paths=frozenset(paths), gone=gone)), update | {
            "versions": versions
        }

    def _known(
        self, raw: RawItem, entry: ImageEntry | ChartEntry, facts: RegistryFacts
    ) -> Iterator[tuple[str, _Known]]:
        """Yield the versions on the page with the same digest in the registry."""
        by_tag: dict[str, _Known] = {}
        for position, version in enumerate(facts.versions):
            for tag in (version.version, *(() if facts.chart else version.tags)):
                by_tag[_bare(tag, facts)] = _Known(version, position)
        versions: Sequence[AnyVersion] = entry.versions
        for index, listed in enumerate(versions):
            known = by_tag.get(_bare(listed.version, facts))
            if known is None:
                continue
            digests = {known.facts.digest, *(manifest.digest for manifest in known.facts.manifests)}
            if digests.issuperset(_digests(listed)):
                yield listed.version, known
            else:
                message = f"the digest of {listed.version} in the registry is {known.facts.digest}"
                hint = "no values are filled in; correct the digest, or run `catalog-api sync`"
                path = ("versions", index, "digest")
                self._problems.add(raw.problem(path, message, hint, Level.INFO, code=Code.MOVED_TAG))

    def _warn_of_gone(self, raw: RawItem, labels: Iterable[str]) -> None:
        hint = "remove it from the page"
        if raw.filled and raw.filled.has("versions"):
            hint = "run `catalog-api sync`, which turns it into a former one"
        group = "versions that were removed from their registry"
        for label in labels:
            message = f"{label} was removed from the registry, so it is never the newest version"
            problem = raw.problem(
                ("versions",), message, hint, Level.WARNING, code=Code.REGISTRY, group=group
            )
            self._problems.add(problem)

    def _of_newest(
        self, entry: ImageEntry | ChartEntry, known: Mapping[str, _Known], file: str
    ) -> dict[str, object]:
        """Return the values of the newest of these versions for the fields that are not on the page."""
        if not known:
            return {}
        facts, position = known[self._newest(entry, [*known])]
        filled: dict[str, object] = {}
        for name, key, value in (_of_image if isinstance(entry, ImageEntry) else _of_chart)(facts):
            if name in filled or not value or not _left_out(entry, {name: value}):
                continue
            try:
                filled[name] = _type_of(type(entry), name).validate_python(value)
            except ValidationError as error:
                message, hint = message_and_hint(error.errors(include_url=False)[0])
                hint = f"not used: set `{camel(name)}` on the page" + (f"; {hint}" if hint else "")
                place = file, 0, 0, f"versions[{position}].{key}"
                self._problems.add(Problem(*place, message, hint, Level.WARNING, code=Code.WRONG_VALUE))
        return filled

    def _newest(self, entry: ImageEntry | ChartEntry, labels: Sequence[str]) -> str:
        """Return the newest of some versions."""
        latest = entry.latest if entry.latest in labels else None
        if isinstance(entry, ChartEntry):
            return in_order(labels, latest)[0]
        rules = LineRules(variants=self._variants if entry.variants is None else entry.variants)
        versions = [in_line(version, rules) for version in entry.versions if version.version in labels]
        return latest or newest_label(versions, entry.default_variant)


def read_choice(raw: RawItem, value: object, problems: Problems) -> FromRegistry | None:
    """Return the choice in a value of `versions`; None, with problems, if it is invalid."""
    choice, errors = read_from_registry(value)
    for details in errors:
        path = ("versions", *(location(details) if isinstance(value, dict) else ()))
        message, hint = message_and_hint(details, (FromRegistry,))
        problems.add(raw.problem(path, message, hint, code=code_of(details)))
    return choice


_PLACING = ("lines", "variants", "product", "latest", "default_variant")
"""Fields that decide which versions are listed."""


def placing(model: type[M], values: Mapping[str, object]) -> M:
    """Return an item with only these fields, as far as they are valid."""
    valid: dict[str, Any] = {}
    for name in _PLACING:
        if name in model.model_fields and (value := values.get(camel(name))) is not None:
            with suppress(ValidationError):
                valid[name] = _type_of(model, name).validate_python(value)
    entry: Any = model.model_construct(**valid)
    return cast("M", entry)


def _left_out(entry: CustomizableModel, values: Mapping[str, object]) -> dict[str, object]:
    """Return the values of fields that the author has left out."""
    given = {name for name in entry.model_fields_set if getattr(entry, name) is not None}
    return {name: value for name, value in values.items() if value is not None and name not in given}


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


def _bare(label: str, facts: RegistryFacts) -> str:
    """Return the name of a version; for a chart without `v`, and with `+` as in its tags."""
    return label if facts.image else label.removeprefix("v").replace("+", "_")


def _digests(version: AnyVersion) -> list[str]:
    """Return the digests of a version on the page, in any form."""
    if isinstance(version, VersionEntry):
        return version.every_digest
    return [version.digest] if version.digest else []


def _further_tags(entry: ImageEntry | ChartEntry, known: Mapping[str, _Known]) -> dict[str, list[str]]:
    """Return version → its other tags in the registry.

    A tag belongs to one version: the one with the name in the file that was not removed.
    """
    if isinstance(entry, ChartEntry):
        return {}
    taken = {tag for version in entry.versions for tag in (version.version, *version.tags)}
    tags: dict[str, list[str]] = {}
    for label, (facts, _) in sorted(
        known.items(), key=lambda pair: (pair[1].facts.gone, pair[0] != pair[1].facts.version)
    ):
        every = {facts.version, *facts.tags}
        tags[label] = sorted(every - taken)
        taken |= every
    return tags


def _former_manifests(version: AnyVersion, former: Iterable[FormerFacts]) -> dict[str, object]:
    """Return the manifests of a version with a former digest, and nothing else."""
    builds = (_manifests(build) for build in former if [build.digest] == _digests(version))
    manifests = next(filter(None, builds), None)
    return {"manifests": manifests} if manifests and isinstance(version, VersionEntry) else {}


def _of_version(version: AnyVersion, facts: VersionFacts, tags: Sequence[str]) -> dict[str, object]:
    """Return the registry's values of a version; few if the page has digests of some platforms only."""
    fields: dict[str, object] = {"released": facts.created and facts.created[:10]}
    if isinstance(version, ChartVersionEntry):
        return fields | {"app_version": facts.app_version, "digest": facts.digest or None}
    digests = _digests(version)
    fields["tags"] = tags
    if "digests" not in version.model_fields_set:
        fields |= {"digest": facts.digest, "digests": [facts.digest]}
    if facts.digest in digests or "digests" in fields:
        fields["platforms"] = _platforms(facts)
        fields["size"] = facts.manifests[0].size if facts.manifests else None
        fields["attestations"] = sorted({*map(attestation_word, facts.attestations)})
        fields["config"] = _config(facts)
    if {*digests} <= {facts.digest}:
        fields["manifests"] = _manifests(facts)
    return fields


def _config(facts: VersionFacts) -> ImageConfig | None:
    if (config := facts.config) is None:
        return None
    return ImageConfig.model_construct(
        user=config.user,
        entrypoint=[*config.entrypoint],
        cmd=[*config.cmd],
        working_dir=config.working_dir,
        ports=[*config.ports],
    )


def _manifests(facts: VersionFacts | FormerFacts) -> list[PlatformManifest] | None:
    """Return the manifests of an index; None for a digest that is a manifest."""
    if [manifest.digest for manifest in facts.manifests] == [facts.digest]:
        return None
    return [
        PlatformManifest.model_construct(
            platform=manifest.platform, digest=manifest.digest, size=manifest.size
        )
        for manifest in facts.manifests
    ]


def _platforms(facts: VersionFacts) -> list[str]:
    platforms = dict.fromkeys(without_details(manifest.platform) for manifest in facts.manifests)
    return [platform for platform in platforms if platform != UNKNOWN_PLATFORM]


Found = Iterator[tuple[str, str, object]]
"""Attribute of the item, path of its value in the version of the file, and the value."""


def _of_image(facts: VersionFacts) -> Found:
    for field, name in (("license", "licenses"), ("description", "description"), ("homepage", "url")):
        yield from _annotation(field, _OCI + name, facts.annotations)
    yield from _annotation("source", f"{_OCI}source", facts.annotations)
    base = f"{_OCI}base.name"
    # `docker.io/library/debian:12-slim` is Debian: the badge of a base counts all of its images.
    name = facts.annotations.get(base, "").partition("@")[0].rpartition("/")[2].partition(":")[0]
    yield "base", f"annotations.{base}", name
    yield "platforms", "manifests", _platforms(facts)
    yield "signature", "signature", facts.signature


def _of_chart(facts: VersionFacts) -> Found:
    yield "app_version", "appVersion", facts.app_version
    yield "description", "description", facts.description
    yield "homepage", "home", facts.home
    yield "source", "sources[0]", next(iter(facts.sources), None)
    yield from _annotation("source", f"{_OCI}source", facts.annotations)
    yield from _annotation("license", f"{_HUB}license", facts.annotations)
    yield from _annotation("license", f"{_OCI}licenses", facts.annotations)
    yield "images", f"annotations.{_HUB}images", _pins(facts.annotations.get(f"{_HUB}images", ""))
    yield "signature", "signature", facts.signature


def _annotation(field: str, name: str, annotations: Mapping[str, str]) -> Found:
    text = " ".join(annotations.get(name, "").split())
    yield field, f"annotations.{name}", "" if text == NOASSERTION else text


@cache
def _type_of(model: type[Model], field: str) -> TypeAdapter[Any]:
    """Return the type of a model's field."""
    info = model.model_fields[field]
    annotated: Any = Annotated[(info.annotation, *info.metadata)]
    return TypeAdapter(annotated)
