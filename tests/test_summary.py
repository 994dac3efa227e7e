"""The line that tells of a published catalog."""

from __future__ import annotations

from mkdocs_catalog_api.catalog.join import Catalog
from mkdocs_catalog_api.catalog.models import UpdateEntry
from mkdocs_catalog_api.summary import summary


def test_it_counts_what_there_is() -> None:
    update = UpdateEntry.model_validate({"application": "a", "to": "1", "outcome": "held"})
    assert summary(Catalog(updates=(update,)), 1416, 0.44) == "1 update: 1,416 documents in api/v1, 0.4 s"
    assert summary(Catalog(updates=(update,) * 2), 9, 1) == "2 updates: 9 documents in api/v1, 1.0 s"
    assert summary(Catalog(), 9, 0) == "no items: 9 documents in api/v1, 0.0 s"
