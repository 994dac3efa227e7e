"""Who has this CVE? Every affected release, where statements silence it, and the charts that carry it."""

from __future__ import annotations

import re
from array import array
from collections import Counter as Counted
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, TypeVar

from msgspec import Meta, Struct

from ...catalog import addresses
from ...catalog.join import Image
from ...catalog.names import reserved
from ...catalog.pins import Pin
from ...catalog.scans import SEVERITIES, Severity
from ...catalog.vulnerabilities import Suppressed, Vulnerability, cve_order
from ..routes import Parameter, Route
from ..security import Assessed
from ..structs.security import Release
from .cve_structs import AffectedChart, AffectedRelease, CveDocument, CveEntry, CveIndex, SilencedRelease
from .lookup import Documents, Lookup, Source

_INDEX, _PATH = "cves/index.json", "cves/{id}.json"
_Row = TypeVar("_Row")
_FILE_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class _Id(Struct, gc=False):
    """What is kept of an id: the texts of its worst row, and positions, as rows would not fit into memory."""

    said: tuple[Severity, str, str, str | None]
    """Severity, title, address, since when it is exploited: what most rows say alike."""
    open: array[int]
    """Release and package of each row, by turns."""
    silenced: array[int]


class Cves(Lookup):
    """A document for each id, and the list of them."""

    addresses = {"cves": _INDEX, "cve": _PATH}
    routes = (
        Route(
            _INDEX,
            "listCves",
            "lookups",
            "Every vulnerability of the catalog",
            "Every id that scans have found, with the number of images and releases that have it.",
            CveIndex,
        ),
        Route(
            _PATH,
            "getCve",
            "lookups",
            "Who has a vulnerability",
            "The releases that have it open, those in which a VEX statement takes it out, and the charts "
            "that carry it. An id that nothing has, or that can't be the name of a file, has no document.",
            CveDocument,
            (Parameter("id", "CVE id, else the advisory's id.", Annotated[str, Meta(max_length=100)]),),
        ),
    )

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._ids: dict[str, _Id] = {}
        self._releases: list[tuple[Any, ...]] = []
        """Slug, version, whether it is the newest, lifecycle, digest, address."""
        self._packages: dict[tuple[str, ...], int] = {}
        """What rows say of a package → its position; most say the same as others."""
        self._pinning: dict[object, set[str]] = defaultdict(set)
        """What is pinned → slugs of the charts that do."""
        self._charts: dict[int | str, set[str]] = defaultdict(set)
        """Position of a release, or id that a pin outside of the catalog has → slugs of charts."""
        for chart in source.catalog.charts:
            for pin in chart.pins:
                self._pinning[_pinned(pin)].add(chart.entry.slug)

    def image(self, image: Image, records: Sequence[Release]) -> Documents:
        entry, ids, packages = image.entry, self._ids, self._packages
        for version, found in zip(entry.versions, records, strict=True):
            if not (found.cves or found.suppressed):
                continue
            label, number = version.version, len(self._releases)
            href = self._at.api(addresses.release(entry.slug, label))
            latest = label == entry.latest
            self._releases.append((entry.slug, label, latest, entry.lifecycle, version.digest, href))
            if charts := self._pinning.get((entry.slug, label)):
                self._charts[number] = charts
            for row in found.cves or ():
                kept = ids.get(row.id)
                if kept is None or kept.said != (row.severity, row.title, row.url, row.exploited):
                    kept = self._see(row)
                package: tuple[str, ...] = (row.pkg, row.installed, row.fixed)
                kept.open.extend((number, packages.setdefault(package, len(packages))))
            for out in found.suppressed or ():
                package = (out.pkg, out.installed, out.fixed, out.status, out.justification, out.statement)
                self._see(out).silenced.extend((number, packages.setdefault(package, len(packages))))
        return ()

    def outside(self, pin: Pin, found: Assessed) -> None:
        for row in found.rows:
            self._see(row)
            self._charts[row.id] |= self._pinning[_pinned(pin)]

    def _see(self, row: Vulnerability | Suppressed) -> _Id:
        """What is kept of the row's id, of which this may be the worst."""
        one = (row.severity, row.title, row.url, row.exploited)
        kept = self._ids.get(row.id)
        if kept is None:
            kept = self._ids[row.id] = _Id(one, array("I"), array("I"))
        elif one != kept.said:
            worse, less = kept.said, one
            if SEVERITIES.index(one[0]) < SEVERITIES.index(worse[0]):
                worse, less = less, worse
            since = min([day for day in (one[3], kept.said[3]) if day is not None], default=None)
            kept.said = worse[0], worse[1] or less[1], worse[2] or less[2], since
        return kept

    def end(self) -> Documents:
        packages = [*self._packages]
        named = _file_names(self._ids)
        listed = []
        order = sorted(
            self._ids, key=lambda id_: (SEVERITIES.index(self._ids[id_].said[0]), cve_order(id_), id_)
        )
        for id_ in order:
            kept = self._ids[id_]
            severity, title, url, exploited = kept.said
            numbers = {*kept.open[::2]}
            affected = [self._releases[number] for number in numbers]
            charts = self._charts.get(id_, set()).union(
                *(self._charts[number] for number in numbers & self._charts.keys())
            )
            path = _PATH.format(id=id_) if id_ in named else None
            entry = CveEntry(
                id=id_,
                severity=severity,
                title=title,
                url=url,
                images=len({release[0] for release in affected}),
                releases=len(affected),
                latest=sum([release[2] for release in affected]),
                suppressed=len({*kept.silenced[::2]}),
                fixable=sum([packages[at][2] != "" for at in kept.open[1::2]]),
                charts=len(charts),
                exploited=exploited,
                href=self._at.api(path) if path else None,
            )
            listed.append(entry)
            if path:
                data = self._rows(AffectedRelease, kept.open, packages)
                suppressed = self._rows(SilencedRelease, kept.silenced, packages)
                pinning = [
                    AffectedChart(slug, self._at.api(addresses.item("charts", slug)))
                    for slug in sorted(charts)
                ]
                yield (
                    path,
                    CveDocument(
                        api_version="v1",
                        resource="cves",
                        id=id_,
                        severity=severity,
                        title=title,
                        url=url,
                        total=len(data),
                        data=data,
                        suppressed=suppressed,
                        charts=pinning,
                        exploited=exploited,
                    ),
                )
        yield _INDEX, CveIndex("v1", "cves", len(listed), listed)

    def _rows(
        self, struct: Callable[..., _Row], positions: array[int], packages: Sequence[tuple[str, ...]]
    ) -> list[_Row]:
        pairs = [
            (self._releases[number], packages[at])
            for number, at in zip(positions[::2], positions[1::2], strict=True)
        ]
        return [struct(*release[:5], *of[:3], release[5], *of[3:]) for release, of in pairs]


def _pinned(pin: Pin) -> object:
    """What tells one release from another: slug and version, or what a pin outside of the catalog names."""
    return (pin.slug, pin.version) if pin.slug and pin.version else pin.key


def _file_names(ids: Iterable[str]) -> set[str]:
    """The ids that can name a file on every system, and no other's file where case is ignored."""
    safe = [id_ for id_ in ids if _FILE_SAFE.fullmatch(id_) and not reserved(id_) and id_.lower() != "index"]
    alike = Counted(id_.lower() for id_ in safe)
    return {id_ for id_ in safe if alike[id_.lower()] == 1}
