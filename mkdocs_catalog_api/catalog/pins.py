"""Which release each pin of a chart is, and which scans speak of a pin that is none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from msgspec import Struct, field
from msgspec.structs import replace

from ..problems import Level, Problem, Problems
from .models import PinEntry
from .names import Reference
from .releases import Releases
from .scan_selection import ScanSelector
from .scans import Scan
from .value import Pin


class PinJoin(Struct):
    """Resolves pins. A pin with a digest is the release with that digest and no other; one without goes by
    normalised reference and tag.
    """

    releases: Releases
    selector: ScanSelector
    problems: Problems
    claimed: set[tuple[str, int]] = field(default_factory=set)
    """Path and position of the scans that speak of a pin outside the catalog."""
    _by_digest: dict[str, list[Scan]] = field(default_factory=lambda: defaultdict(list))
    _by_tag: dict[tuple[str, str], list[Scan]] = field(default_factory=lambda: defaultdict(list))

    def index(self, scans: Iterable[Scan]) -> None:
        """Make scans known."""
        for scan in scans:
            for digest in scan.digests:
                self._by_digest[digest].append(scan)
            for repository, tag in scan.names:
                if tag:
                    self._by_tag[repository, tag].append(scan)

    def resolve(self, pin: PinEntry, at: Callable[[], Problem]) -> Pin:
        """`at` makes a blank problem at the pin's place."""
        reference = Reference.parse(pin.image)
        if pin.digest is None:
            return self._by_reference(pin, reference, at)
        return self._with_digest(pin, pin.digest, reference.repository, at)

    def _by_reference(self, pin: PinEntry, reference: Reference, at: Callable[[], Problem]) -> Pin:
        repository, tag = reference.repository, reference.tag_or_latest
        name = f"{repository}:{tag}"
        for key in self.releases.with_tag(repository, tag):
            return Pin(pin, self.releases.entries[key].digest or name, key.slug, key.version)
        scans = self._scans(self._by_tag.get((repository, tag), []), name, ())
        slug = self._slug(repository)
        if slug and reference.tag and self.releases.versions(slug) and not scans:
            message = f"the page of {slug!r} has no version {tag!r}, and nobody scanned it"
            self._add(at(), message, f"it has {', '.join(self.releases.versions(slug)[:5])}", Level.INFO)
        return Pin(pin, name, slug, None, scans)

    def _with_digest(self, pin: PinEntry, digest: str, repository: str, at: Callable[[], Problem]) -> Pin:
        keys = self.releases.with_digest(digest)
        for key in keys:
            if self.releases.repositories[key.slug] in (repository, None):
                return Pin(pin, digest, key.slug, key.version)
        if keys:
            owner = f"{self.releases.repositories[keys[0].slug]} {keys[0].version}"
            message = f"the digest belongs to {owner}, not to {repository}"
            self._add(at(), message, "pin the digest of the image that the chart uses")
        else:
            self._add(at(), f"the digest {digest} is on no page of the catalog", level=Level.INFO)
        scans = self._scans(self._by_digest.get(digest, []), f"{repository}@{digest}", (digest,))
        return Pin(pin, digest, self._slug(repository), None, scans)

    def _scans(self, scans: list[Scan], name: str, digests: tuple[str, ...]) -> tuple[Scan, ...]:
        self.claimed.update((scan.path, scan.position) for scan in scans)
        return self.selector.select(scans, name, digests)

    def _slug(self, repository: str) -> str | None:
        """The image of the repository; None when several pages share it."""
        slugs = self.releases.slugs(repository)
        return slugs[0] if len(slugs) == 1 else None

    def _add(self, at: Problem, message: str, hint: str = "", level: Level = Level.ERROR) -> None:
        self.problems.add(replace(at, message=message, hint=hint, level=level))
