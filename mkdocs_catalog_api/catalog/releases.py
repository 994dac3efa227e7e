"""Every release of the catalog, found by digest, by tag and by repository."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from .models import ImageEntry, VersionEntry
from .names import Reference

NO_REGISTRY = "registry.invalid"
"""Stands for the setting `registry` where it is missing, so that the rest of an image can be checked. Nothing
is compared with it, and no message contains it."""


class Key(NamedTuple):
    """Names a release."""

    slug: str
    version: str

    def __str__(self) -> str:
        return f"{self.slug} {self.version}"


class Releases:
    """The releases of some images. Lists go by slug, then newest first, as the versions of each image do."""

    def __init__(self, images: Iterable[ImageEntry]) -> None:
        self.entries: dict[Key, VersionEntry] = {}
        self.repositories: dict[str, str | None] = {}
        """Slug → repository; None where `registry` is not set, so that it is not known."""
        self._versions: dict[str, list[str]] = {}
        self._by_digest: dict[str, list[Key]] = defaultdict(list)
        self._by_tag: dict[tuple[str | None, str], list[Key]] = defaultdict(list)
        """A release is found by its label and by its other tags alike."""
        self._slugs: dict[str, list[str]] = defaultdict(list)
        for image in images:
            reference = Reference.parse(image.image)
            repository = None if reference.domain == NO_REGISTRY else reference.repository
            self.repositories[image.slug] = repository
            if repository:
                self._slugs[repository].append(image.slug)
            self._versions[image.slug] = [entry.version for entry in image.versions]
            for entry in image.versions:
                key = Key(image.slug, entry.version)
                self.entries[key] = entry
                for tag in (entry.version, *entry.tags):
                    self._by_tag[repository, tag].append(key)
                for digest in entry.digests:
                    self._by_digest[digest].append(key)

    def with_digest(self, digest: str) -> list[Key]:
        return self._by_digest.get(digest, [])

    def with_tag(self, repository: str | None, tag: str) -> list[Key]:
        return self._by_tag.get((repository, tag), [])

    def labelled(self, slug: str, label: str) -> Key | None:
        """The release of an image that goes by this label or other tag."""
        keys = self.with_tag(self.repositories[slug], label)
        return next((key for key in keys if key.slug == slug), None)

    def versions(self, slug: str) -> list[str]:
        """The labels of an image's releases, newest first."""
        return self._versions[slug]

    def slugs(self, repository: str) -> list[str]:
        """Images of a repository: usually one."""
        return self._slugs.get(repository, [])
