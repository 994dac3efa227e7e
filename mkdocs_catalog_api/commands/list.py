"""`catalog-api list`: list the images to scan, and the path of each report."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import click
from msgspec import Struct, to_builtins

from ..authored import clock
from ..authored.settings import SECURITY_FOLDERS
from ..catalog.covers import Part
from ..catalog.value import Catalog, Image, Release
from ..problems import CatalogError
from ..sources.assemble import assemble
from ..sources.load import load
from .run import Run, as_objects, count_problems, options, print_object

_AGE = re.compile(r"([0-9]{1,6})([hd])")


def _age(_context: object, _option: object, value: str | None) -> timedelta | None:
    if value is None:
        return None
    if not (match := _AGE.fullmatch(value)):
        raise click.BadParameter(f"{value!r} is not an age (use hours or days, such as 24h or 7d)")
    return timedelta(hours=int(match[1])) if match[2] == "h" else timedelta(days=int(match[1]))


@click.command("list", short_help="List the images to scan, and the path of each report.")
@click.option("--unscanned", is_flag=True, help="Only versions without a scan.")
@click.option(
    "--older-than",
    metavar="AGE",
    callback=_age,
    help="Only versions with an older scan or none. Use hours or days, such as 24h or 7d.",
)
@click.option("--newest", is_flag=True, help="Only the newest version of each image.")
@options
def command(run: Run, unscanned: bool, older_than: timedelta | None, newest: bool) -> None:
    """List what to scan, one line each: reference, report path, version, time of the last scan.

    Tabs separate the fields. A version with several manifests or digests has a line for each. The reference
    contains the digest if it is known, else the tag. The path is relative to the folder of mkdocs.yml.
    Without a scan, the time is `-`.
    """
    targets: list[ScanTarget] = []
    try:
        site, settings = run.read()
        clock.check(run.problems)
        catalog = assemble(load(site, settings, run.problems), site, settings, run.problems)
        folder = settings.security.reports or SECURITY_FOLDERS["reports"]
        targets = [*_targets(catalog, folder, newest=newest)]
    except CatalogError as error:
        run.problems.extend(error.problems)
    if unscanned or older_than is not None:
        before = clock.now() - older_than if older_than is not None else None
        targets = [target for target in targets if target.is_due(before)]
    if run.as_json:
        print_object({"problems": as_objects(run.problems), "versions": to_builtins(targets)})
    else:
        count_problems(run)
        for target in targets:
            time = target.scanned_at or "-"
            click.echo("\t".join((target.reference, target.report, target.version, time)))
    if run.problems.refuse(strict=run.strict):
        sys.exit(1)


class ScanTarget(Struct, rename="camel"):
    """An image reference to scan."""

    slug: str
    version: str
    reference: str
    """Reference with the digest, else with the tag."""
    report: str
    """Path of its report, relative to the folder of mkdocs.yml."""
    scanned: bool
    scanned_at: str | None
    """Time of the last scan. None without a scan, or if the report has no time."""

    def is_due(self, before: datetime | None) -> bool:
        """Whether it has no scan since `before`. A scan with a time in the future is not counted."""
        if not self.scanned:
            return True
        if before is None:
            return False
        if self.scanned_at is None:
            return True
        time = datetime.strptime(self.scanned_at[:19], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=UTC)
        return not before <= time <= clock.latest()


def _targets(catalog: Catalog, folder: str, *, newest: bool) -> Iterator[ScanTarget]:
    """Yield the targets by slug, newest version first. Versions with the same digest share a target.

    Planned images, images without a reference, and versions that were removed from their registry are left
    out: they can't be pulled.
    """
    listed: set[str] = set()
    for image in catalog.images:
        if image.entry.lifecycle == "planned" or image.entry.image is None:
            continue
        for release in image.releases[: 1 if newest else None]:
            if release.gone:
                continue
            for target in _of_release(image, release, folder):
                if target.reference not in listed:
                    listed.add(target.reference)
                    yield target


def _of_release(image: Image, release: Release, folder: str) -> Iterator[ScanTarget]:
    """Yield one target for each part of a release that is a digest, else one for the release."""
    entry, selection = release.entry, release.selection
    parts = [part for part in selection.parts if part.digest] or [Part(entry.only_digest or "")]
    for part in parts:
        scans = [
            part_scan.scan
            for part_scan in selection.part_scans
            if (part in part_scan.covered if len(parts) > 1 else part_scan.parts)
        ]
        digest = part.digest
        name = f"{entry.version}.{digest.partition(':')[2][:12]}" if len(parts) > 1 else entry.version
        yield ScanTarget(
            image.entry.slug,
            entry.version,
            f"{image.entry.image}@{digest}" if digest else f"{image.entry.image}:{entry.version}",
            f"{folder}/{image.entry.slug}/{name}.json",
            bool(scans),
            max((scan.scanned_at for scan in scans if scan.scanned_at), default=None),
        )
