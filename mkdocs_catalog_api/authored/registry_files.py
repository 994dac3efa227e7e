"""What registries know of items, from the files of `catalog-api sync`: the lowest layer of each item.

A version is matched by its name or one of its tags. If the page has another digest than the registry, nothing
is filled in, as the data belongs to another image.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar, cast

import msgspec
from msgspec.structs import fields, replace
from pydantic import ValidationError

from ..catalog.scans import plain_platform
from ..items.base_model import Model
from ..items.fields import built_in_fields, field_type, version_model
from ..items.models import ChartEntry, ImageEntry
from ..items.names import Reference, without_details
from ..items.names import slug as checked_slug
from ..items.registry_facts import (
    FACTS_FOLDER,
    UNKNOWN_PLATFORM,
    FormerFacts,
    ItemFacts,
    RegistryFacts,
    VersionFacts,
    decode,
)
from ..items.types import camel
from ..items.version_tags import label_first
from ..problems import Level, Problem, Problems
from ..problems.codes import Code
from .folders import read_synced
from .from_registry import (
    FromRegistry,
    is_from_registry,
    note_unlisted,
    read_from_registry,
    some,
)
from .front_matter import RawItem, RegistryLayer, dotted
from .messages import code_of, location, message_and_hint
from .settings import Settings
from .site import Site

M = TypeVar("M", bound=Model)
Values = dict[str, object]
"""Values in the words of front matter."""

_MOST = 64 * 2**20
_AGAIN = "restore it from git, or delete it and run `catalog-api sync`"


class FactsFolder:
    """Reads the files of `sync` for one collection. Problems are added, not raised."""

    def __init__(self, site: Site, settings: Settings, collection: str, problems: Problems) -> None:
        folder = site.root / FACTS_FOLDER
        self._folder, self._label = folder / collection, f"{FACTS_FOLDER}/{collection}"
        self._root = site.root
        self._problems = problems
        self._unlisted: list[str] = []
        self._present = folder.is_dir()
        if not self._present and os.path.lexists(folder):
            message, hint = "not a folder", "remove it, and run `catalog-api sync`"
            problems.add(Problem(FACTS_FOLDER, 0, 0, "", message, hint, code=Code.NOT_READ))

    def merged(self, raw: RawItem, values: Values, model: type[Model]) -> tuple[RawItem, Values]:
        """Return the item with what its registry knows as its lowest layer, and the values of all layers."""
        if not issubclass(model, ImageEntry | ChartEntry):
            return raw, values
        choice = None
        if is_from_registry(values.get("versions")):
            choice = read_choice(raw, values["versions"], self._problems)
            values = {**values, "versions": []}
        if not (choice or self._present):
            return raw, values
        try:
            file = f"{checked_slug(str(values.get('slug')))}.json"
        except ValueError:
            return raw, values
        name = f"{self._label}/{file}"
        facts = self._read(name, file, raw if choice else None)
        if facts is None or not self._is_of(values, facts, name, wanted=choice is not None):
            return raw, values
        if choice:
            values["versions"] = self._labels(raw, facts, choice)
        return self._over(facts, name, raw, values, model, choice)

    def _over(
        self,
        facts: RegistryFacts,
        file: str,
        raw: RawItem,
        values: Values,
        model: type[ImageEntry | ChartEntry],
        choice: FromRegistry | None,
    ) -> tuple[RawItem, Values]:
        """Return the item and its values over those of a file."""
        given = values.get("versions")
        listed = given if isinstance(given, list) else []
        versions = [_fields(version) for version in listed]
        known = dict(self._known(versions, facts))
        of_listed = {position: facts.versions[other] for position, other in known.items()}
        tags, names = _further_tags(versions, of_listed), filled(version_model(model) or model)
        below: list[Values] = []
        for position, version in enumerate(versions):
            words = _former_manifests(version, facts.former)
            if position in known:
                words = _of_version(version, of_listed[position], tags[position], values.get("platforms"))
            below.append(_left_out(version, words, names))
        words = _left_out(values, _of_item(facts, of_listed.values()), filled(model))
        if listed:
            merged = [{**own, **version} for own, version in zip(below, versions, strict=True)]
            rows = zip(listed, below, merged, strict=True)
            values = {**values, "versions": [both if own else written for written, own, both in rows]}
            words["versions"] = merged if choice else below
        labels = {position: str(versions[position]["version"]) for position in known}
        gone = {position: label for position, label in labels.items() if of_listed[position].gone}
        layer = RegistryLayer(
            words,
            partial(_place, file, known),
            facts=facts,
            gone=frozenset(gone.values()),
            lists=choice is not None,
            keep=choice.keep if choice else None,
        )
        raw = replace(raw, registry=layer)
        self._warn_of_gone(raw, gone)
        return raw, words | values

    def _labels(self, raw: RawItem, facts: RegistryFacts, choice: FromRegistry) -> list[str]:
        """Return the label of each version that an item with `versions: registry` lists."""
        reference = facts.image or facts.chart
        names = [(known.version, *(known.tags if facts.image else ())) for known in facts.versions]
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
            message = f"no tag in the registry is listed as a version{found}"
            hint = (
                "`catalog-api sync` gives the reason; to list other tags, set "
                "`versions: {from: registry, tags: …}` on its page"
            )
            group = f"no tag in the registry is listed as a version ({hint})"
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
                message = f"no versions yet: {name} does not exist"
                hint = "run `catalog-api sync`; if it reports an error for this item, fix or delete the page"
                group = "no versions yet: files of `catalog-api sync` do not exist (run it)"
                problem = wanted_by.problem(("versions",), message, hint, code=Code.MISSING_PATH, group=group)
                self._problems.add(problem)
            return None
        return read_synced(path, self._root, decode, _MOST, _AGAIN, self._problems)

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

    def _known(self, versions: Sequence[Values], facts: RegistryFacts) -> Iterator[tuple[int, int]]:
        """Yield the position of each version with the same digest in the registry, and that in the file."""
        by_tag: dict[str, int] = {}
        for position, version in enumerate(facts.versions):
            for tag in (version.version, *(() if facts.chart else version.tags)):
                by_tag[_bare(tag, facts)] = position
        for index, listed in enumerate(versions):
            known = by_tag.get(_bare(str(listed.get("version", "")), facts))
            if known is not None:
                present = facts.versions[known]
                digests = {present.digest, *(part.digest for part in present.manifests)}
                if digests.issuperset(_digests(listed)):
                    yield index, known

    def _warn_of_gone(self, raw: RawItem, labels: Mapping[int, str]) -> None:
        hint = "remove it from the page"
        if raw.registry and raw.registry.lists:
            hint = "run `catalog-api sync`, which turns it into a former one"
        group = "versions that were removed from their registry"
        for position, label in labels.items():
            message = f"{label} was removed from the registry, so it is never the newest version"
            path = ("versions", position)
            problem = raw.problem(path, message, hint, Level.WARNING, code=Code.REGISTRY, group=group)
            self._problems.add(problem)


def read_choice(raw: RawItem, value: object, problems: Problems) -> FromRegistry | None:
    """Return the choice in a value of `versions`; None, with problems, if it is invalid."""
    choice, errors = read_from_registry(value)
    misspelled = any(details["type"] == "extra_forbidden" for details in errors)
    for details in errors:
        if misspelled and details["type"] == "missing":
            continue  # `form` instead of `from`
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
                valid[name] = field_type(model, name).validate_python(value)
    entry: Any = model.model_construct(**valid)
    return cast("M", entry)


def _fields(version: object) -> Values:
    """Return what the author wrote of a version; nothing of an invalid one."""
    if isinstance(version, str):
        return {"version": version}
    given = version.items() if isinstance(version, dict) else ()
    return {key: value for key, value in given if value is not None}


def _left_out(values: Values, words: Values, names: Collection[str]) -> Values:
    """Return the words for fields that `values` leave out; `names` are those of the fields."""
    return {
        name: word
        for name, word in words.items()
        if name in names and values.get(name) is None and word not in (None, "", [], ())
    }


_OF_VERSION = {*(field.encode_name for field in fields(VersionFacts)), "platforms"}
_OF_NEWEST = ("signature", "platforms", "appVersion")
_OF_ITEM = {*(field.encode_name for field in fields(ItemFacts)), *_OF_NEWEST} - {"image", "chart"}


def filled(model: type[Model]) -> list[str]:
    """Return the fields of an item or a version that these files fill in."""
    known = _OF_VERSION - {"version"}
    if issubclass(model, ImageEntry):
        known = _OF_ITEM - {"lifecycle"}  # no registry says of an image that it is deprecated
    elif issubclass(model, ChartEntry):
        known = _OF_ITEM
    return [name for name in built_in_fields(model) if name in known]


def _place(file: str, known: Mapping[int, int], path: tuple[str | int, ...]) -> tuple[str, int, int, str]:
    """Return the place of a value in a file, which has the versions at positions of its own."""
    if path[:1] == ("versions",) and len(path) > 1 and isinstance(position := path[1], int):
        path = ("versions", known.get(position, position), *path[2:])
    return file, 0, 0, dotted(path)


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


def _digests(version: Values) -> list[str]:
    """Return the digests of a version and of its manifests, in any form that authors write."""
    given = version.get("digests", version.get("digest"))
    manifests = version.get("manifests")
    parts = [*manifests.values()] if isinstance(manifests, dict) else manifests
    parts = [part.get("digest") if isinstance(part, dict) else part for part in _listed(parts)]
    return [digest for digest in (*_listed(given), *parts) if isinstance(digest, str)]


def _listed(value: object) -> list[Any]:
    """Return a list of values, which may be a single one."""
    return [value] if isinstance(value, str) else value if isinstance(value, list) else []


def _further_tags(versions: Sequence[Values], known: Mapping[int, VersionFacts]) -> dict[int, list[str]]:
    """Return position of a version → its other tags in the registry.

    A tag belongs to one version: the one with the name in the file that was not removed.
    """
    given = (tag for version in versions for tag in (version.get("version"), *_listed(version.get("tags"))))
    taken = {tag for tag in given if isinstance(tag, str)}
    tags: dict[int, list[str]] = {}
    for position, facts in sorted(
        known.items(),
        key=lambda pair: (pair[1].gone, versions[pair[0]]["version"] != pair[1].version),
    ):
        every = {facts.version, *facts.tags}
        tags[position] = sorted(every - taken)
        taken |= every
    return tags


def _former_manifests(version: Values, former: Iterable[FormerFacts]) -> Values:
    """Return the manifests of a version with a former digest, and nothing else."""
    builds = (_manifests(build) for build in former if [build.digest] == _digests(version))
    return {"manifests": next(filter(None, builds), None)}


def _of_version(version: Values, facts: VersionFacts, tags: Sequence[str], chosen: object) -> Values:
    """Return what the registry says of a version; little if the page has digests of some platforms only.

    `chosen` are the platforms of the item, which leave out others.
    """
    words: Values = msgspec.to_builtins(facts)
    every = _platforms(facts)
    wanted = [*map(plain_platform, map(str, chosen))] if isinstance(chosen, list) else []
    platforms = [platform for platform in every if plain_platform(platform) in wanted] or every
    words |= {"tags": tags, "platforms": platforms, "manifests": _manifests(facts)}
    digests = _digests(version)
    if "digest" in version or "digests" in version:
        words.pop("digest", None)
        if facts.digest not in digests:
            words = {name: words.get(name) for name in ("released", "appVersion", "tags")}
    if not {*digests} <= {facts.digest}:
        words["manifests"] = None
    return words


def _manifests(facts: VersionFacts | FormerFacts) -> list[Values] | None:
    """Return the manifests of an index; None for a digest that is a manifest."""
    if [manifest.digest for manifest in facts.manifests] == [facts.digest]:
        return None
    return [{"platform": part.platform, "digest": part.digest, "size": part.size} for part in facts.manifests]


def _platforms(facts: VersionFacts) -> list[str]:
    platforms = dict.fromkeys(without_details(manifest.platform) for manifest in facts.manifests)
    return [platform for platform in platforms if platform != UNKNOWN_PLATFORM]


def _of_item(facts: RegistryFacts, known: Collection[VersionFacts]) -> Values:
    """Return what the registry says of an item with these versions; nothing without one."""
    if not known:
        return {}
    words: Values = {
        field.encode_name: msgspec.to_builtins(getattr(facts, field.name)) for field in fields(ItemFacts)
    }
    if newest := next((version for version in known if version.version == facts.newest), None):
        words |= {"signature": newest.signature, "platforms": _platforms(newest)}
        words["appVersion"] = newest.app_version
    return words
