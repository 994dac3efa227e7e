"""Who has this CVE? Every affected release, where statements silence it, and the charts that carry it."""

from __future__ import annotations

import re
from array import array
from collections import Counter as Counted
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, NamedTuple

from msgspec import Meta, Struct

from ...catalog.join import Image
from ...catalog.names import reserved
from ...catalog.pins import Pin
from ...catalog.scans import SEVERITIES
from ...catalog.vulnerabilities import Suppressed, Vulnerability, cve_order
from .. import addresses
from ..routes import Parameter, Route
from ..security import Assessed
from .cve_structs import AffectedChart, AffectedRelease, CveDocument, CveEntry, CveIndex, SilencedRelease
from .lookup import Documents, Lookup, Source

_INDEX, _PATH = "cves/index.json", "cves/{id}.json"
_FILE_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class _Release(NamedTuple):
    """What every row of a release says alike."""

    head: tuple[Any, ...]
    """Slug, version, whether it is the newest, lifecycle, digest."""
    href: str
    charts: Sequence[str]


class _Id(Struct, gc=False):
    """What is kept of an id: the texts of its worst row, and positions, as rows would not fit into memory."""

    severity: int
    title: str
    url: str
    exploited: str | None
    open: array[int]
    """Release and package of each row, by turns."""
    silenced: array[int]
    charts: set[str]
    """Those of pins that are no release of the catalog."""


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
        self._releases: list[_Release] = []
        self._facts: dict[tuple[Any, ...], int] = {}
        """What rows say of a package → its position; most say the same as others."""
        self._pinning: dict[object, dict[str, None]] = defaultdict(dict)
        """What is pinned → the charts that do, by slug."""
        for chart in source.catalog.charts:
            for pin in chart.pins:
                self._pinning[_pinned(pin)][chart.entry.slug] = None

    def image(self, image: Image, releases: Sequence[Assessed | None]) -> Documents:
        entry = image.entry
        for version, found in zip(entry.versions, releases, strict=True):
            if found is None or not (found.rows or found.suppressed):
                continue
            latest = version.version == entry.latest
            number = len(self._releases)
            self._releases.append(
                _Release(
                    (entry.slug, version.version, latest, entry.lifecycle, version.digest),
                    self._at.api(addresses.release(entry.slug, version.version)),
                    [*self._pinning.get((entry.slug, version.version), ())],
                )
            )
            for row in found.rows:
                facts: tuple[str, ...] = (row.pkg, row.installed, row.fixed)
                self._see(row).open.extend((number, self._facts.setdefault(facts, len(self._facts))))
            for silenced in found.suppressed:
                facts = (silenced.pkg, silenced.installed, silenced.fixed, *_said(silenced))
                self._see(silenced).silenced.extend((number, self._facts.setdefault(facts, len(self._facts))))
        return ()

    def outside(self, pin: Pin, found: Assessed) -> None:
        for row in found.rows:
            self._see(row).charts.update(self._pinning[_pinned(pin)])

    def _see(self, row: Vulnerability | Suppressed) -> _Id:
        """What is kept of the row's id, of which this may be the worst."""
        kept, severity = self._ids.get(row.id), SEVERITIES.index(row.severity)
        if kept is None:
            kept = self._ids[row.id] = _Id(
                severity, row.title, row.url, row.exploited, array("I"), array("I"), set()
            )
        elif severity < kept.severity:
            kept.severity, kept.title, kept.url = severity, row.title or kept.title, row.url or kept.url
        else:
            kept.title, kept.url = kept.title or row.title, kept.url or row.url
        if row.exploited is not None:
            kept.exploited = min(row.exploited, kept.exploited or row.exploited)
        return kept

    def end(self) -> Documents:
        facts = [*self._facts]
        named = _file_names(self._ids)
        listed = []
        for id_, kept in sorted(
            self._ids.items(), key=lambda item: (item[1].severity, cve_order(item[0]), item[0])
        ):
            document = self._document(id_, kept, facts)
            path = _PATH.format(id=id_) if id_ in named else None
            listed.append(_entry(document, self._at.api(path) if path else None))
            if path:
                yield path, document
        yield _INDEX, CveIndex("v1", "cves", len(listed), listed)

    def _document(self, id_: str, kept: _Id, facts: Sequence[tuple[Any, ...]]) -> CveDocument:
        open_ = [*zip(kept.open[::2], kept.open[1::2], strict=True)]
        silenced = zip(kept.silenced[::2], kept.silenced[1::2], strict=True)
        releases = self._releases
        charts = kept.charts.union(*(releases[number].charts for number, _ in open_))
        data = [AffectedRelease(*(*releases[n].head, *facts[at], releases[n].href)) for n, at in open_]
        return CveDocument(
            api_version="v1",
            resource="cves",
            id=id_,
            severity=SEVERITIES[kept.severity],
            title=kept.title,
            url=kept.url,
            total=len(data),
            data=data,
            suppressed=[
                SilencedRelease(*(*releases[n].head, *facts[at][:3], releases[n].href, *facts[at][3:]))
                for n, at in silenced
            ],
            charts=[
                AffectedChart(slug, self._at.api(addresses.item("charts", slug))) for slug in sorted(charts)
            ],
            exploited=kept.exploited,
        )


def _pinned(pin: Pin) -> object:
    """What tells one release from another: slug and version, or what a pin outside of the catalog names."""
    return (pin.slug, pin.version) if pin.slug and pin.version else pin.key


def _said(row: Suppressed) -> tuple[str, str, str]:
    return row.status, row.justification, row.statement


def _entry(document: CveDocument, href: str | None) -> CveEntry:
    releases = {(row.slug, row.version): row.is_latest for row in document.data}
    return CveEntry(
        id=document.id,
        severity=document.severity,
        title=document.title,
        url=document.url,
        images=len({slug for slug, _ in releases}),
        releases=len(releases),
        latest=sum(releases.values()),
        suppressed=len({(row.slug, row.version) for row in document.suppressed}),
        fixable=sum(row.fixed != "" for row in document.data),
        charts=len(document.charts),
        exploited=document.exploited,
        href=href,
    )


def _file_names(ids: Iterable[str]) -> set[str]:
    """The ids that can name a file on every system, and no other's file where case is ignored."""
    safe = [id_ for id_ in ids if _FILE_SAFE.fullmatch(id_) and not reserved(id_) and id_.lower() != "index"]
    alike = Counted(id_.lower() for id_ in safe)
    return {id_ for id_ in safe if alike[id_.lower()] == 1}
