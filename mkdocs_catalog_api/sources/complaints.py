"""What authors have to know about the catalog: everything that a build complains about after reading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from operator import itemgetter

from ..authored.clock import now
from ..authored.front_matter import RawItem
from ..authored.settings import Settings
from ..catalog.badge_contents import CATALOG_BADGES, badge_values
from ..catalog.counts import CountRules
from ..catalog.covers import ReleaseParts
from ..catalog.doubts import (
    doubtful_belongings,
    doubtful_reports,
    doubtful_scans,
    doubtful_selections,
    limited,
)
from ..catalog.exceptions import unpublished
from ..catalog.idle_statements import why_idle
from ..catalog.join import Joined
from ..catalog.statements import Statement
from ..catalog.value import Catalog, Image
from ..items.models import ImageEntry, ListedEntry, VersionEntry
from ..items.names import badge_name
from ..problems import Level, Problem
from ..problems.codes import Code
from .load import Sources


def complaints(
    catalog: Catalog, joined: Joined, rules: CountRules, sources: Sources, settings: Settings
) -> Iterator[Problem]:
    """Yield the problems of a catalog; nothing in it depends on them."""
    security = settings.security
    scans = [scan for selection in joined.subjects.values() for scan in selection.scans]
    images = [*zip(catalog.images, (raw for _, raw in sources.images), strict=True)]
    items: list[tuple[ListedEntry, RawItem]] = [*sources.images, *(item[1:] for item in sources.pinning)]
    return chain(
        doubtful_belongings(
            joined,
            rules,
            complete=sources.complete,
            slugs=[image.entry.slug for image in catalog.images],
            left_out=sources.left_out,
        ),
        doubtful_selections(joined, rules),
        limited(joined.subjects.values()),
        doubtful_reports([*scans, *joined.sboms], security.accept),
        doubtful_scans(catalog.images, security.max_age, now()),
        _pins(catalog, sources),
        _scanned_platforms(catalog.images),
        *(_platforms_without_manifest(image, raw) for image, raw in images),
        _unscanned(images) if security.max_age is not None else (),
        _idle_statements(catalog),
        _contested_statements(catalog),
        _unpublished_exceptions(catalog) if security.publish_vex else (),
        _same_badge_names(items),
        _tags_of_two_digests(sources.images),
    )


def _pins(catalog: Catalog, sources: Sources) -> Iterator[Problem]:
    for item, (_, _, raw) in zip(catalog.pinning, sources.pinning, strict=True):
        for position, pin in enumerate(item.pins):
            if pin.problem:
                yield raw.placed(pin.problem, "images", position)


def _has_scans(images: Iterable[Image]) -> bool:
    return any(release.scans for image in images for release in image.releases)


def _unscanned(images: Sequence[tuple[Image, RawItem]]) -> Iterator[Problem]:
    """A warning for each newest version without a scan, in a catalog that has scans."""
    if _has_scans(image for image, _ in images):
        for image, raw in images:
            if image.entry.lifecycle != "planned" and image.newest and not image.newest.scans:
                message = f"the newest version, {image.newest.entry.version}, has no scan"
                hint = "scan it, or set `security: {max_age: false}`"
                yield raw.problem(("versions",), message, hint, Level.WARNING, code=Code.SCAN_AGE)


def _scanned_platforms(images: Sequence[Image]) -> Iterator[Problem]:
    """One note that counts the images of which only some platforms are scanned, and graded for these."""
    newest = (image.newest.selection for image in images if image.newest)
    partial = [scans for scans in newest if scans.part_scans and scans.uncovered and not scans.missing]
    if partial:
        number = "1 image" if len(partial) == 1 else f"{len(partial)} images"
        message = f"{number} graded without a scan of each platform, so `complete` is false"
        hint = (
            "run `catalog-api sync` and scan what `catalog-api list` prints, or set `platforms` to the ones "
            "that you publish"
        )
        yield Problem("", 0, 0, "", message, hint, Level.INFO, code=Code.IN_PART)


def _platforms_without_manifest(image: Image, raw: RawItem) -> Iterator[Problem]:
    """A warning if `platforms` choose none of a version's manifests, so that all of them are parts."""
    synced = raw.is_from_registry("platforms")
    for version in image.entry.versions:
        platforms = version.platforms or ([] if synced else image.entry.platforms)
        parts = ReleaseParts.of([], version.manifests, []).parts
        if parts and platforms and not any(part.may_be(platform) for part in parts for platform in platforms):
            there = ", ".join(manifest.platform for manifest in version.manifests)
            message = f"{version.version} has manifests of {there}, but of none of these platforms"
            hint = "correct `platforms`; until then, all manifests are expected to be scanned"
            yield raw.problem(("platforms",), message, hint, Level.WARNING, code=Code.IN_PART)


def _idle_statements(catalog: Catalog) -> Iterator[Problem]:
    """A warning with the number of VEX statements that match no finding: their author expects an effect."""
    matched = {rank for assessment in catalog.assessments() for rank in assessment.applied.matched}
    idle = [statement for rank, statement in enumerate(catalog.statements) if rank not in matched]
    if idle:
        first = min(idle, key=_place)
        hint = f"the first, statements[{first.index}] in {first.file}: {why_idle(first, catalog.images)}"
        message = f"{len(idle)} of {len(catalog.statements)} VEX statements match no finding in the catalog"
        # Where nothing was scanned yet, none can.
        level = Level.WARNING if _has_scans(catalog.images) else Level.INFO
        yield Problem("", 0, 0, "security.vex", message, hint, level, code=Code.STATEMENT)


def _contested_statements(catalog: Catalog) -> Iterator[Problem]:
    """Warn about exceptions that are not used because another statement may be newer.

    There is one warning for each pair of files.
    """
    contested = {ranks for assessment in catalog.assessments() for ranks in assessment.applied.contested}
    pairs = sorted(
        ([catalog.statements[rank] for rank in ranks] for ranks in contested),
        key=lambda pair: (pair[0].file, pair[1].file, [*map(_place, pair)]),
    )
    for (file, other_file), group in groupby(pairs, lambda pair: (pair[0].file, pair[1].file)):
        (first, second), *others = group
        same = first.timestamp and first.timestamp == second.timestamp
        why = "has the same time" if same else "may be newer, because a time is missing or unreadable"
        more = f" (and {len(others)} more)" if others else ""
        message = (
            f"not used, so {first.name[:80]} is still counted: statements[{second.index}] in {other_file} "
            f"(`{second.status}`) {why}{more}"
        )
        hint = "set a later `timestamp` in the statement that takes precedence"
        field = f"statements[{first.index}]"
        yield Problem(file, 0, 0, field, message, hint, Level.WARNING, code=Code.STATEMENT)


def _place(statement: Statement) -> tuple[str, int]:
    return statement.file, statement.index


def _unpublished_exceptions(catalog: Catalog) -> Iterator[Problem]:
    """A note with the number of suppressed vulnerabilities that other scanners can't be told of exactly."""
    if number := unpublished(catalog):
        what = "1 suppressed vulnerability is" if number == 1 else f"{number} suppressed vulnerabilities are"
        message = f"{what} not published: its digest, its platform or its package URL is unknown"
        hint = "list the digest, and scan with Trivy or Grype, whose reports have platform and package URL"
        yield Problem("", 0, 0, "security.publish_vex", message, hint, Level.INFO, code=Code.STATEMENT)


def _same_badge_names(items: Sequence[tuple[ListedEntry, RawItem]]) -> Iterator[Problem]:
    """Yield an error for each value whose badge would have the name of another one."""
    names = {*CATALOG_BADGES}
    first = {value: raw for entry, raw in reversed(items) for value in badge_values(entry)}
    for (field, value), raw in sorted(first.items(), key=itemgetter(0)):
        name = badge_name(value)
        if name in names:
            message = f"{value!r} can't be used, because badge/{name}.json is the badge of another value"
            hint = "use one spelling for both values, or another name"
            yield raw.problem((field,), message, hint, code=Code.TWICE)
        names.add(name)


def _tags_of_two_digests(images: Sequence[tuple[ImageEntry, RawItem]]) -> Iterator[Problem]:
    """Yield an error for each version with a tag that has another digest on another page of its repository.

    Pages agree if a digest of one is a digest of the other, or of one of its manifests.
    """
    first: dict[tuple[str, str], tuple[VersionEntry, RawItem]] = {}
    for entry, raw in images:
        for position, version in enumerate(entry.versions if entry.repository else ()):
            for tag in (version.version, *version.tags) if version.digests else ():
                other, other_raw = first.setdefault((entry.repository or "", tag), (version, raw))
                known, other_known = {*version.every_digest}, {*other.every_digest}
                if known.isdisjoint(other.digests) and other_known.isdisjoint(version.digests):
                    message = f"{entry.image}:{tag} has another digest on {other_raw.place}: {other.digest}"
                    path, hint = ("versions", position, "digest"), "correct or remove one of them"
                    yield raw.problem(path, message, hint, code=Code.TWICE)
                    break
