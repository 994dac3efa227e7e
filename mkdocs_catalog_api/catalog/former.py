"""Former digests: the builds that versions had before, from facts of registries and from recorded days."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from ..items.lines import Advice, LineRules, update_advice
from ..items.models import ImageEntry, PlatformManifest, VersionEntry
from ..items.registry_facts import FORGOTTEN_AFTER, MOST_FORMER, ManifestFacts, RegistryFacts
from ..items.versions import newest_first
from .recorded import History
from .value import FormerDigest, Release


class ListedImage(NamedTuple):
    """An image of the catalog, and what its advice depends on."""

    entry: ImageEntry
    rules: LineRules = LineRules()
    latest: str | None = None
    """The version in `latest` on the page."""
    gone: frozenset[str] = frozenset()
    """The versions that were removed from its registry."""


class _Build(NamedTuple):
    """A digest that a version had, with what is known of it."""

    manifests: Sequence[ManifestFacts] = ()
    until: str | None = None


_Builds = dict[tuple[str, str], _Build]
"""Version and digest → the build."""


def former_digests(
    images: Sequence[ListedImage], facts: Mapping[str, RegistryFacts], history: History | None
) -> Iterator[FormerDigest]:
    """Yield the former digests by slug, those of the newest version first, then the last ones first.

    `facts` are by slug, also of images that left the catalog. A digest that any page lists is not former.
    """
    listed = {image.entry.slug: image for image in images}
    present = {
        digest for image in images for version in image.entry.versions for digest in version.every_digest
    }
    recorded = history.images if history else {}
    newest_day = max(
        [build.until for file in facts.values() for build in file.former]
        + ([history.days[-1].date] if history else []),
        default="",
    )
    for slug in sorted({*listed, *facts, *recorded}):
        image, builds = listed.get(slug), _Builds()
        labels = [tag for each in image.entry.versions for tag in (each.version, *each.tags)] if image else []
        if slug in facts:
            builds |= _of_registry(facts[slug], {*labels})
        for known in recorded[slug].digests if slug in recorded else ():
            key = known.version, known.digest
            manifests = [ManifestFacts(*manifest) for manifest in recorded[slug].manifests.get(key, ())]
            build = builds.get(key, _Build(manifests))
            builds[key] = build._replace(until=min(filter(None, (build.until, known.until)), default=None))
        parts = {
            manifest.digest
            for (_, digest), build in builds.items()
            for manifest in build.manifests
            if manifest.digest != digest
        }
        builds = {key: build for key, build in builds.items() if key[1] not in present | parts}
        builds = _within_bounds(builds, newest_day)
        if builds:
            yield from _former(slug, image, builds, facts[slug].image if slug in facts else None)


def _within_bounds(builds: _Builds, newest_day: str) -> _Builds:
    """The builds that are kept: of each label the 20 newest, and none that ended more than a year before the
    newest date in files and recorded days. One without such a day is as good as new.
    """
    oldest = ""
    if newest_day:
        oldest = (date.fromisoformat(newest_day) - FORGOTTEN_AFTER).isoformat()
    kept: _Builds = {}
    counts = Counter[str]()
    for (label, digest), build in sorted(
        builds.items(), key=lambda pair: pair[1].until or "9999", reverse=True
    ):
        if build.until is not None and build.until < oldest:
            continue
        counts[label] += 1
        if counts[label] <= MOST_FORMER:
            kept[label, digest] = build
    return kept


def _of_registry(facts: RegistryFacts, labels: set[str]) -> _Builds:
    """The former builds in a file, and its versions that the catalog does not list; `labels` are listed."""
    builds = {
        (version.version, version.digest): _Build(version.manifests)
        for version in (*facts.versions, *facts.unlisted)
        if labels.isdisjoint((version.version, *version.tags))
    }
    return builds | {
        (build.version, build.digest): _Build(build.manifests, build.until) for build in facts.former
    }


def _former(
    slug: str, image: ListedImage | None, builds: _Builds, reference: str | None
) -> Iterator[FormerDigest]:
    versions = image.entry.versions if image else []
    by_tag = {tag: version for version in versions for tag in (*version.tags, version.version)}
    rules = image.rules if image else LineRules()
    unlisted = [
        VersionEntry.model_construct(version=label, line=rules.line(label), variant=rules.variant(label))
        for label in {label: None for label, _ in builds}
        if label not in by_tag
    ]
    gone = image.gone if image else frozenset()
    never_newer = gone | {version.version for version in unlisted}
    latest = image.latest if image and image.latest not in gone else None
    advice = update_advice([*versions, *unlisted], latest, never_newer)
    by_tag |= {version.version: version for version in unlisted}
    order = {label: position for position, label in enumerate(newest_first({label for label, _ in builds}))}
    last_first = sorted(builds.items(), key=lambda each: each[1].until or "9999", reverse=True)
    for (label, digest), build in sorted(last_first, key=lambda each: order[each[0][0]]):
        like = by_tag[label]
        is_listed = like.version not in never_newer
        upgrade, new_line = advice[like.version]
        yield FormerDigest(
            slug=slug,
            image=image.entry.image if image else reference,
            digest=digest,
            until=build.until,
            label=like.version if any(like is version for version in versions) else None,
            release=Release(
                VersionEntry.model_construct(
                    version=label,
                    line=like.line,
                    variant=like.variant,
                    digest=digest,
                    digests=[digest],
                    manifests=[
                        PlatformManifest.model_construct(platform=manifest.platform, digest=manifest.digest)
                        for manifest in build.manifests
                        if manifest.digest != digest
                    ],
                    platforms=like.platforms,
                    end_of_life=like.end_of_life,
                ),
                advice=Advice(upgrade or (like.version if is_listed else None), new_line),
            ),
        )
