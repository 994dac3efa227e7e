"""Assembles the sources into one value, the catalog, with all rows and grades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from ..authored.clock import latest, timestamp
from ..authored.front_matter import RawItem
from ..authored.settings import Settings
from ..authored.site import Site
from ..authored.validate import image_versions, pinning_versions
from ..catalog.assessment import Assessment, Knowledge, assess
from ..catalog.counts import CountRules
from ..catalog.covers import ScanSelection
from ..catalog.former import ListedImage, former_digests
from ..catalog.ids import identities
from ..catalog.join import join
from ..catalog.spellings import spellings
from ..catalog.value import Catalog, FormerDigest, Image, Pin, PinningItem, Release, RoadmapItem
from ..catalog.vex_matching import Statements
from ..items.lines import Cycle, LineRules, update_advice
from ..items.models import ImageEntry
from ..items.names import Reference
from ..problems import Problems
from .complaints import complaints
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
    listed = [
        ListedImage(image_versions(entry, raw, rules, problems), rules, entry.latest, raw.gone)
        for entry, raw in sources.images
        for rules in [line_rules(entry, settings, sources.cycles)]
    ]
    pages = [sources.pages.of(raw, problems) for _, raw in sources.images]
    pinning = [
        PinningItem(name, pinning_versions(entry, raw, problems), sources.pages.of(raw, problems))
        for name, entry, raw in sources.pinning
    ]
    synced = {entry.slug for entry, raw in sources.images if raw.is_from_registry("platforms")}
    rules = CountRules(settings.security.scanners, timestamp(latest()), settings.security.accept, synced)
    joined = join(
        [(image.entry, page) for image, page in zip(listed, pages, strict=True)],
        pinning,
        [*sources.scans, *sources.sboms],
        rules,
        [*former_digests(listed, sources.facts, sources.history)],
    )
    images = tuple(
        _completed(image, entry.latest, raw, known)
        for image, (entry, raw) in zip(joined.images, sources.images, strict=True)
    )
    former = {
        (build.slug, build.version, build.digest): _assessed_former(build, known) for build in joined.former
    }
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
        now=rules.now,
    )
    rows = [row for assessed in catalog.assessed() for row in (*assessed.rows, *assessed.suppressed)]
    names = spellings(rows, catalog.images)
    catalog = replace(catalog, identities=identities(rows), package_names=names)
    problems.extend(complaints(catalog, joined, rules, sources, settings))
    return catalog


def line_rules(entry: ImageEntry, settings: Settings, cycles: Mapping[str, Sequence[Cycle]]) -> LineRules:
    """Return the rules for lines and variants of an image; `cycles` are by product."""
    section = settings.images
    has_variants = (entry.variants or section.variants) is None
    return LineRules(entry.lines or section.lines, cycles.get(entry.product or "", ()), has_variants)


def _manifest_tags(raw: RawItem) -> dict[str, Sequence[str]]:
    versions = raw.registry.facts.versions if raw.registry else ()
    return {part.digest: part.tags for facts in versions for part in facts.manifests if part.tags}


def _completed(image: Image, latest: str | None, raw: RawItem, known: Knowledge) -> Image:
    """Return the image with the update and the assessment of each release, and with its manifests' tags.

    `latest` is the version in `latest` on the page.
    """
    gone, reference = raw.gone, image.entry.image
    advice = update_advice(image.entry.versions, None if latest in gone else latest, gone)
    releases = (
        replace(release, advice=advice[release.entry.version], gone=release.entry.version in gone)
        for release in image.releases
    )
    assessed = tuple(_assessed_release(reference, release, known) for release in releases)
    return replace(image, releases=assessed, manifest_tags=_manifest_tags(raw))


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
    of_each = {manifest.digest: assessed(release.selection.of(manifest.digest)) for manifest in manifests}
    return replace(whole, manifests=of_each)


def _assessed_pins(
    items: Sequence[PinningItem],
    images: Sequence[Image],
    formers: Mapping[tuple[str, str, str], FormerDigest],
    known: Knowledge,
) -> tuple[PinningItem, ...]:
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
