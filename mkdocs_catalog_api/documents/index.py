"""The two documents that lead to all others: discovery and the manifest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..catalog import addresses
from ..catalog.addresses import Addresses
from .collections import total_pages
from .structs.discovery import (
    Discovery,
    GeneratedBy,
    HistoryLinks,
    Manifest,
    ManifestEntry,
    ResourceLink,
    Resources,
    SecurityLinks,
)


def discovery(
    title: str,
    totals: Mapping[str, int],
    badges: Iterable[str],
    lookups: Mapping[str, str],
    at: Addresses,
    *,
    history: bool,
) -> Discovery:
    """Where everything is; `totals` has the sizes of the collections, `lookups` their paths."""
    return Discovery(
        "v1",
        title,
        Resources(
            **{
                name: ResourceLink(at.api(addresses.collection(name)), total, total_pages(total))
                for name, total in totals.items()
            }
        ),
        SecurityLinks(at.api(addresses.SUMMARY), at.api(addresses.SECURITY_INDEX)),
        HistoryLinks(at.api(addresses.CHANGES), at.api(addresses.HISTORY)) if history else None,
        {name: at.api(addresses.badge(name)) for name in badges},
        {name: at.template(path) if "{" in path else at.api(path) for name, path in lookups.items()},
        at.api(addresses.OPENAPI),
        at.api(addresses.MANIFEST),
    )


def manifest(written: Mapping[str, ManifestEntry], generated_at: str, generator: GeneratedBy) -> Manifest:
    """Path, SHA-256 and size of documents."""
    return Manifest("v1", generated_at, generator, {path: written[path] for path in sorted(written)})
