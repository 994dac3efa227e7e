"""The two documents that lead to all others: discovery and the manifest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from . import addresses
from .addresses import Addresses
from .collections import total_pages


def discovery(
    title: str, totals: Mapping[str, int], badges: Iterable[str], at: Addresses
) -> dict[str, object]:
    """Where everything is; `totals` has the number of items of each collection."""
    resources = {
        name: {
            "href": at.api(addresses.collection(name)),
            "total": total,
            "totalPages": total_pages(total),
        }
        for name, total in totals.items()
    }
    return {
        "apiVersion": "v1",
        "title": title,
        "resources": resources,
        "security": {
            "summary": at.api(addresses.SUMMARY),
            "index": at.api(addresses.SECURITY_INDEX),
        },
        "badges": {name: at.api(addresses.badge(name)) for name in badges},
        "openapi": at.api(addresses.OPENAPI),
        "manifest": at.api(addresses.MANIFEST),
    }


def manifest(
    documents: Iterable[tuple[str, str, int]], generated_at: str, generator: Mapping[str, str]
) -> dict[str, object]:
    """Path, SHA-256 and size of documents."""
    return {
        "apiVersion": "v1",
        "generatedAt": generated_at,
        "generator": dict(generator),
        "documents": {path: {"sha256": sha256, "bytes": size} for path, sha256, size in documents},
    }
