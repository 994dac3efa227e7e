"""Why a statement matches no finding of the catalog."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..problems import RefusedError
from .ids import id_key
from .package_urls import Purl, plain_version
from .scans import Finding
from .statements import PartMeaning, Statement, Subject, part_meaning, product_meaning
from .value import Image


def why_idle(statement: Statement, images: Iterable[Image]) -> str:
    """Return which part of a statement fits nothing: the vulnerability, the product or the package."""
    found = [*_found(statement, images)]
    if not found:
        return f"no scan has found {statement.name[:80]}"
    subject, _ = found[0]
    for product in statement.products:
        meaning = product_meaning(product.component)
        if isinstance(meaning, RefusedError):
            continue
        here = [each for each in found if all(pattern.holds(each[0]) for pattern in meaning.images)]
        parts = [part for part in map(part_meaning, product.parts) if isinstance(part, PartMeaning)]
        purls = [purl for part in parts for purl in part.purls] + [*meaning.packages]
        if here:
            return _of_packages(here[0][1], purls, [part.name for part in parts])
    label = statement.products[0].component.label if statement.products else ""
    return f"it was found in {subject.repository}, which is not the product {label!r}"


def _found(statement: Statement, images: Iterable[Image]) -> Iterator[tuple[Subject, Finding]]:
    """Yield the findings of the vulnerability, each with its image."""
    keys = {*statement.keys}
    for image in images:
        for release in image.releases:
            tags, selection = (release.entry.version, *release.entry.tags), release.selection
            for report in selection.part_scans:
                findings = [
                    finding
                    for finding in report.scan.findings
                    if not keys.isdisjoint(map(id_key, (finding.id, *finding.aliases)))
                ]
                digests, platform = selection.digests_of(report), report.scan.coverage.platform
                for finding in findings:
                    yield Subject.scanned(image.entry.image, tags, digests, platform), finding


def _of_packages(finding: Finding, purls: Iterable[Purl], names: Iterable[str]) -> str:
    package = Purl.parse(finding.purl)
    where = f"it was found in the package {finding.purl or finding.pkg}"
    for purl in purls:
        of_version = package and plain_version(purl.version) in ("", plain_version(package.version))
        if package and purl.package == package.package and of_version:
            missing = sorted(key for key, _ in purl.qualifiers - package.qualifiers)
            if missing:
                return f"{where}, and the scanner does not report `{missing[0]}` as the statement does"
    return f"{where}, not in {', '.join(filter(None, names)) or 'the one of the statement'}"
