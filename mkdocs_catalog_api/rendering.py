"""The documents of one image: serialised, checked and put together, or put together of what is kept of it.

Of an image whose page, scans, statements and settings are the same as in an earlier build, everything but the
rows of its scans has been kept, as they are kept with the reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel
from pydantic_core import from_json, to_json

from .api import (
    addresses,
    badges,
    collections,
    items,
    security,
    security_totals,
)
from .api import (
    structs as models,
)
from .api.addresses import Addresses
from .api.badges import Look
from .api.security import Assessment, Assessor, Record
from .api.verify import Gate
from .catalog.join import Image
from .catalog.vex_matching import Statements
from .documents.serialise import Raw, array, document, encode, members
from .reports.index import Reports
from .sources.store import Kept, Store, content_key


class Known(NamedTuple):
    """What the documents of the whole catalog have to know of an image."""

    releases: tuple[Assessment | None, ...]
    """Newest first, as the image's releases."""
    ids: list[str]
    """Distinct ids of the newest release."""
    matched: list[int]
    """Positions of the VEX statements that speak of a finding in a release."""
    links: dict[str, str]
    """As in `Gate.links`, but only those that lead to other documents than the image's own."""
    stored: list[bool]
    """Of each release, whether its rows are those that are stored with its only report."""


class _Parts(NamedTuple):
    """What the documents of an image are put together of; all of it has passed the gate."""

    known: Known
    envelope: Raw
    """What its security documents begin with."""
    head: Raw
    """What its own document begins with."""
    item: Raw
    """The image as it stands in the collection."""
    badges: list[Raw]
    records: list[Record]


class Rendered(NamedTuple):
    """An image's documents."""

    documents: list[tuple[str, bytes]]
    """Path and body of each."""
    known: Known
    item: Raw
    key: str
    """Of what the image is made of; empty when nothing is kept."""
    kept: Kept[None] | None
    """Where its parts are kept, when they have been made now."""


@dataclass(frozen=True, slots=True)
class Renderer:
    """Renders images; used by the workers."""

    reports: Path
    """The folder of reports that `store` has parsed."""
    store: Store
    statements: Statements
    model: type[BaseModel]
    """Of an image as it is published."""
    at: Addresses
    mount: str
    earlier: Mapping[str, tuple[Kept[None], ...]]
    """Key of an image → what an earlier build has kept of it."""
    surroundings: str
    """A hash of what all images depend on beside what they are; empty to keep nothing."""

    def assessor(self, gate: Gate) -> Assessor:
        return Assessor(Reports(self.reports, self.store, gate.rows), self.statements, gate)

    def render(self, image: Image) -> Rendered:
        """The documents of an image, each checked.

        Raises:
            ContractError: a part breaks the contract (a bug of the plugin).
        """
        gate = Gate(self.mount)
        assessor = self.assessor(gate)
        key = content_key(self.surroundings.encode(), to_json(image)) if self.surroundings else ""
        earlier, kept = self._earlier(key, image, assessor), None
        parts = earlier or self._make(image, assessor, gate)
        documents = list(gate.whole(_documents(image, parts)))
        if earlier is None:
            for path, _ in documents:
                parts.known.links.pop(path, None)
            kept = self._keep(parts) if key else None
        return Rendered(documents, parts.known, parts.item, key, kept)

    def _make(self, image: Image, assessor: Assessor, gate: Gate) -> _Parts:
        slug = image.entry.slug
        records, found = [], []
        for release in image.releases:
            record, assessed = assessor.record(image, release)
            path = addresses.release(slug, release.entry.version)
            gate.record(record.head, assessed.tally if assessed else None, path)
            records.append(record)
            found.append(assessed)
        envelope = security.envelope(image)
        if records:
            gate.check(models.SecurityHead, envelope, addresses.detail(slug))
        assessments = tuple(assessed.assessment if assessed else None for assessed in found)
        newest = assessments[0] if found else None
        payloads = []
        for badge in badges.image_badges(image, newest):
            payload = Raw(encode(badge.payload(Look())))
            gate.check(models.Badge, payload, addresses.image_badge(slug, badge.name))
            payloads.append(payload)
        computed = items.image(image, security_totals.image_security(image, newest, self.at), self.at)
        item, head = collections.item("images", image.entry, image.page, computed, self.model, self.at, gate)
        known = Known(
            assessments,
            from_json(found[0].ids) if found and found[0] else [],
            sorted({position for assessed in found if assessed for position in assessed.matched}),
            gate.links,
            [assessed is not None and assessed.stored for assessed in found],
        )
        return _Parts(known, envelope, head, item, payloads, records)

    def _keep(self, parts: _Parts) -> Kept[None]:
        """Keep the parts for the next build, without the rows that the store has anyway."""
        pieces = [to_json(parts.known), parts.envelope, parts.head, parts.item, *parts.badges]
        for record, stored in zip(parts.records, parts.known.stored, strict=True):
            pieces += [record.before, b"" if stored else record.rows, record.after]
        return self.store.put(pieces, None)

    def _earlier(self, key: str, image: Image, assessor: Assessor) -> _Parts | None:
        """What an earlier build has made of the same image, None when there is nothing, or nothing sound."""
        pieces = self.store.read(self.earlier[key][0]) if key in self.earlier else None
        if pieces is None:
            return None
        data, envelope, head, item, *rest = map(Raw, pieces)
        releases, ids, matched, links, stored = from_json(data)
        assessments = tuple(
            read and Assessment(tuple(read[0]), tuple(read[1]), *read[2:]) for read in releases
        )
        count = len(badges.PER_IMAGE)
        records = []
        for position, release in enumerate(image.releases):
            before, rows, after = rest[count + 3 * position :][:3]
            if stored[position]:
                rows = Raw(assessor.reports.parsed(release.scans[0]).rows)
            records.append(Record(before, rows, after))
        known = Known(assessments, ids, matched, links, stored)
        return _Parts(known, envelope, head, item, rest[:count], records)


def _documents(image: Image, parts: _Parts) -> Iterator[tuple[str, bytes]]:
    """Path and body of each document, put together."""
    slug = image.entry.slug
    records = [record.json for record in parts.records]
    for release, record in zip(image.releases, records, strict=True):
        yield addresses.release(slug, release.entry.version), document(members(parts.envelope, record))
    if records:
        versions = array(records)
        yield addresses.detail(slug), document(parts.envelope, latest=records[0], versions=versions)
    for name, payload in zip(badges.PER_IMAGE, parts.badges, strict=True):
        yield addresses.image_badge(slug, name), document(payload)
    yield addresses.item("images", slug), document(parts.head, data=parts.item)
