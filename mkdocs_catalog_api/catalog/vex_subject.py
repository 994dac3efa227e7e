"""Scanned images, and the patterns by which VEX statements mean them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from .names import Reference
from .scans import Scan


class Subject(Struct, frozen=True):
    """One scanned image as statements may name it."""

    repository: str
    """Normalised, as `Reference.repository` gives it."""
    tags: frozenset[str] = frozenset()
    """All labels of the release."""
    digests: frozenset[str] = frozenset()
    platform: str = ""
    """`os/arch[/variant]`; empty when the scan does not say or is of several."""

    @classmethod
    def scanned(cls, image: str, tags: Iterable[str], digests: Iterable[str], scan: Scan) -> Subject:
        """What `scan` is of: a release known as the reference `image`, with these tags and digests.

        A digest of the release counts only where it is the only one and the scan names none.
        """
        known, listed = frozenset(scan.digests), frozenset(digests)
        if not known and len(listed) == 1:
            known = listed
        repository = Reference.parse(image).repository
        return cls(repository, frozenset(tags), known, plain_platform(scan.platform))


class ImagePattern(NamedTuple):
    """Images that a product names. An empty field leaves it open, but repository or digests are given."""

    repository: str = ""
    digests: tuple[str, ...] = ()
    """Hashes of one image by several algorithms. They decide wherever the image lies."""
    tags: tuple[str, ...] = ()
    """All of them must be the image's."""
    os: str = ""
    architecture: str = ""
    platform: str = ""

    def holds(self, image: Subject) -> bool:
        if not (image.digests.intersection(self.digests) or not self.digests):
            return False
        if not self.digests and self.repository != image.repository:
            return False
        system, architecture, *_ = (*image.platform.split("/"), "")
        return (
            image.tags.issuperset(self.tags)
            and self.os in ("", system)
            and self.architecture in ("", architecture)
            and self.platform in ("", image.platform)
        )


def plain_platform(text: str) -> str:
    """Every arm64 is a v8, and only some say so."""
    return text.replace("/arm64/v8", "/arm64")
