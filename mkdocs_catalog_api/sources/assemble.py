"""Assembles the sources into one value, the catalog, with all rows and grades."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter

from msgspec.structs import replace

from ..authored.clock import latest, now, timestamp
from ..authored.front_matter import RawItem
from ..authored.settings import Settings
from ..authored.site import Site
from ..authored.validate import image_versions, pinning_versions
from ..catalog.assessment import Assessment, Knowledge, assess
from ..catalog.badge_contents import CATALOG_BADGES, badge_values
from ..catalog.counts import CountRules
from ..catalog.covers import ReleaseParts, ScanSelection
from ..catalog.doubts import doubtful_reports, doubtful_scans, limited, unscanned
from ..catalog.exceptions import unpublished
from ..catalog.former import ListedImage, former_digests
from ..catalog.idle_statements import why_idle
from ..catalog.ids import identities
from ..catalog.join import join
from ..catalog.statements import Statement
from ..catalog.value import Catalog, FormerDigest, Image, Pin, PinningItem, Release, RoadmapItem
from ..catalog.vex_matching import Statements
from ..catalog.vulnerabilities import Vulnerability
from ..items.lines import Cycle, LineRules, update_advice
from ..items.models import ImageEntry, ListedEntry, VersionEntry
from ..items.names import Reference, badge_name
from ..problems import Level, Problem, Problems
from ..problems.codes import Code
from .load import Sources


def assemble(sources: Sources, site: Site, settings: Settings, problems: Problems) -> Catalog:
    """Return the catalog: sort versions, join scans and pins, apply statements, compute grades.

    Problems are added, not raised; do not publish the catalog if there are errors.
    """
    known = Knowledge(
        Statements(sources.statements),
        sources.exploited,
        accept_ignored="ignored" in settings.security.accept,
        accept_partial="partial" in settings.security.accept,
    )
    time, latest_time, security = now(), timestamp(latest()), settings.security
    listed = [
        ListedImage(image_versions(entry, raw, rules, problems), rules, entry.latest, raw.gone)
        for entry, raw in sources.images
        for rules in [line_rules(entry, settings, sources.cycles)]
    ]
    synced = {entry.slug for entry, raw in sources.images if raw.is_from_registry("platforms")}
    pinning = [
        (PinningItem(name, pinning_versions(entry, raw, problems), sources.pages.of(raw, problems)), raw)
        for name, entry, raw in sources.pinning
    ]
    joined = join(
        [
            (image.entry, sources.pages.of(raw, problems))
            for image, (_, raw) in zip(listed, sources.images, strict=True)
        ],
        [item for item, _ in pinning],
        sources.scans,
        CountRules(security.scanners, latest_time, security.accept, synced),
        problems,
        [*former_digests(listed, sources.facts, sources.history)],
        sboms=sources.sboms,
        complete=sources.complete,
    )
    problems.extend(pinning[item][1].placed(note, "images", at) for item, at, note in joined.pin_problems)
    problems.extend(limited(joined.selections()))
    counted = {scan.place for selection in joined.selections() for scan in selection.scans}
    used = (scan for scan in sources.scans if scan.place in counted)
    problems.extend(doubtful_reports([*used, *joined.sboms], security.accept))
    problems.extend(doubtful_scans(joined.images, security.max_age, time))
    problems.extend(_scanned_platforms(joined.images))
    for image, (_, raw) in zip(joined.images, sources.images, strict=True):
        problems.extend(_platforms_without_manifest(image, raw))
    if security.max_age is not None:
        raws = {entry.slug: raw for entry, raw in sources.images}
        for image in unscanned(joined.images):
            message = f"the newest version, {image.releases[0].entry.version}, has no scan"
            problem = raws[image.entry.slug].problem
            hint = "scan it; `security.max_age` requires scans"
            problems.add(problem(("versions",), message, hint, Level.WARNING, code=Code.SCAN_AGE))
    images = tuple(
        _assessed_image(
            replace(_with_advice(image, entry.latest, raw.gone), manifest_tags=_manifest_tags(raw)), known
        )
        for image, (entry, raw) in zip(joined.images, sources.images, strict=True)
    )
    former = {(each.slug, each.version, each.digest): _assessed_former(each, known) for each in joined.former}
    pinning_items = _assessed_pins(joined.pinning, images, former, known)
    catalog = Catalog(
        title=site.title,
        site_url=site.site_url,
        images=images,
        pinning=pinning_items,
        roadmap=tuple(
            RoadmapItem(entry, sources.pages.of(raw, problems) if raw.own_page else None)
            for entry, raw in sources.roadmap
        ),
        updates=sources.updates,
        fields=sources.fields,
        statements=known.statements,
        exploited=known.exploited,
        history=sources.history,
        former=tuple(former.values()),
        publishes_former=settings.has_lookup("digests") and settings.has_lookup("former"),
        publishes_packages=settings.has_lookup("packages"),
        publishes_sboms=settings.has_lookup("sbom"),
        now=latest_time,
        identities=identities(_rows(images, pinning_items)),
    )
    _note_idle_statements(catalog, problems)
    problems.extend(_contested_statements(catalog))
    if settings.security.publish_vex:
        problems.extend(_unpublished_exceptions(catalog))
    items: list[tuple[ListedEntry, RawItem]] = [*sources.images, *(item[1:] for item in sources.pinning)]
    problems.extend(_same_badge_names(items))
    problems.extend(_tags_of_two_digests(sources.images))
    return catalog


def _rows(images: Iterable[Image], items: Iterable[PinningItem]) -> Iterator[Vulnerability]:
    """Yield every row that is published, suppressed ones, too."""
    assessments = [
        *(release.assessment for image in images for release in image.releases),
        *(pin.assessment for item in items for pin in item.pins if pin.outside),
    ]
    for assessment in filter(None, assessments):
        yield from assessment.rows
        yield from assessment.suppressed


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


def line_rules(entry: ImageEntry, settings: Settings, cycles: Mapping[str, Sequence[Cycle]]) -> LineRules:
    """Return the rules for lines and variants of an image; `cycles` are by product."""
    section = settings.images
    variants = section.variants if entry.variants is None else entry.variants
    return LineRules(entry.lines, cycles.get(entry.product or "", ()), section.lines, variants)


def _manifest_tags(raw: RawItem) -> dict[str, Sequence[str]]:
    versions = raw.registry.facts.versions if raw.registry else ()
    return {part.digest: part.tags for facts in versions for part in facts.manifests if part.tags}


def _with_advice(image: Image, latest: str | None, gone: frozenset[str]) -> Image:
    """Return the image with the update of each release.

    `latest` is the version in `latest` on the page, `gone` has the versions removed from its registry.
    """
    advice = update_advice(image.entry.versions, None if latest in gone else latest, gone)
    return replace(
        image,
        releases=tuple(
            replace(release, advice=advice[release.entry.version], gone=release.entry.version in gone)
            for release in image.releases
        ),
    )


def _assessed_image(image: Image, known: Knowledge) -> Image:
    reference = image.entry.image
    return replace(
        image, releases=tuple(_assessed_release(reference, release, known) for release in image.releases)
    )


def _assessed_former(former: FormerDigest, known: Knowledge) -> FormerDigest:
    if not former.release.scans:
        return former
    return replace(former, release=_assessed_release(former.image, former.release, known))


def _assessed_release(image: str | None, release: Release, known: Knowledge) -> Release:
    tags = [release.entry.version, *release.entry.tags]

    def assessed(selection: ScanSelection) -> Release:
        assessment = assess(selection, image, tags, known)
        return replace(release, selection=selection, assessment=assessment)

    whole, manifests = assessed(release.selection), release.entry.manifests
    if len(manifests) < 2:
        return whole
    of_each = {each.digest: assessed(release.selection.of(each.digest)) for each in manifests}
    return replace(whole, manifests=of_each)


def _assessed_pins(
    items: Sequence[PinningItem],
    images: Sequence[Image],
    formers: Mapping[tuple[str, str, str], FormerDigest],
    known: Knowledge,
) -> tuple[PinningItem, ...]:
    """Return the items with the vulnerabilities of each pin."""
    releases = {
        (image.entry.slug, release.entry.version): release for image in images for release in image.releases
    }
    outside: dict[str, Assessment | None] = {}

    def assessed(pin: Pin) -> Pin:
        if pin.former is not None:
            former = formers[pin.former.slug, pin.former.version, pin.former.digest]
            build = former.release.of(pin.entry.digest)
            return replace(pin, former=former, selection=build.selection, assessment=build.assessment)
        if pin.slug is not None and pin.version is not None:
            release = releases[pin.slug, pin.version].of(pin.entry.digest)
            return replace(pin, selection=release.selection, assessment=release.assessment)
        if pin.key not in outside:  # pins of the same image under other names get the statements of the first
            tag = Reference.parse(pin.entry.image).tag_or_latest
            outside[pin.key] = assess(pin.selection, pin.entry.image, [tag], known)
        return replace(pin, assessment=outside[pin.key])

    return tuple(replace(item, pins=tuple(map(assessed, item.pins))) for item in items)


def _scanned_platforms(images: Sequence[Image]) -> Iterator[Problem]:
    """One note that counts the images of which only some platforms are scanned, and graded for these."""
    selections = (image.newest.selection for image in images if image.newest)
    partial = [each for each in selections if each.part_scans and each.uncovered and not each.missing]
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
        if parts and platforms and not any(part.may_be(each) for part in parts for each in platforms):
            there = ", ".join(manifest.platform for manifest in version.manifests)
            message = f"{version.version} has manifests of {there}, but of none of these platforms"
            hint = "correct `platforms`; until then, all manifests are expected to be scanned"
            yield raw.problem(("platforms",), message, hint, Level.WARNING, code=Code.IN_PART)


def _contested_statements(catalog: Catalog) -> Iterator[Problem]:
    """Warn about exceptions that are not used because another statement may be newer.

    There is one warning for each pair of files.
    """
    statements, pairs = [*catalog.statements], dict[tuple[str, str], list[tuple[Statement, Statement]]]()
    for position, other in sorted({pair for each in catalog.assessments() for pair in each.contested}):
        first, second = statements[position], statements[other]
        pairs.setdefault((first.file, second.file), []).append((first, second))
    for (file, other_file), contested in pairs.items():
        first, second = contested[0]
        same = first.timestamp and first.timestamp == second.timestamp
        why = "has the same time" if same else "may be newer, because a time is missing or unreadable"
        more = f" (and {len(contested) - 1} more)" if len(contested) > 1 else ""
        message = (
            f"not used, so {first.name[:80]} is still counted: statements[{second.index}] in {other_file} "
            f"(`{second.status}`) {why}{more}"
        )
        hint = "set a later `timestamp` in the statement that takes precedence"
        field = f"statements[{first.index}]"
        yield Problem(file, 0, 0, field, message, hint, Level.WARNING, code=Code.STATEMENT)


def _unpublished_exceptions(catalog: Catalog) -> Iterator[Problem]:
    """A note with the number of suppressed vulnerabilities that other scanners can't be told of exactly."""
    if number := unpublished(catalog):
        what = "1 suppressed vulnerability is" if number == 1 else f"{number} suppressed vulnerabilities are"
        message = f"{what} not published: its digest, its platform or its package URL is unknown"
        hint = "list the digest, and scan with Trivy or Grype, whose reports have platform and package URL"
        yield Problem("", 0, 0, "security.publish_vex", message, hint, Level.INFO, code=Code.STATEMENT)


def _note_idle_statements(catalog: Catalog, problems: Problems) -> None:
    """Add a note with the number of VEX statements that match no finding."""
    matched = {position for assessment in catalog.assessments() for position in assessment.matched}
    idle = [statement for position, statement in enumerate(catalog.statements) if position not in matched]
    if idle:
        first = idle[0]
        hint = f"the first, statements[{first.index}] in {first.file}: {why_idle(first, catalog.images)}"
        message = f"{len(idle)} of {len(catalog.statements)} VEX statements match no finding in the catalog"
        problems.add(Problem("", 0, 0, "security.vex", message, hint, Level.INFO, code=Code.STATEMENT))
