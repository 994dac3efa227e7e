"""The line that tells of a published catalog."""

from __future__ import annotations

import logging
import re

from mkdocs_catalog_api.mkdocs_plugin.builds import summary

from .sites import SiteFolder


def test_it_counts_what_there_is() -> None:
    assert summary({"updates": 1}, 1416, 0.44) == "1 update: 1,416 documents in api/v1, 0.4 s"
    both = {"images": 1, "updates": 2}
    assert summary(both, 9, 1) == "1 image, 2 updates: 9 documents in api/v1, 1.0 s"
    assert summary({}, 9, 0) == "no items: 9 documents in api/v1, 0.0 s"


def test_a_build_ends_with_it(site: SiteFolder) -> None:
    site.image("nginx")
    site.image("redis")
    built = site.build()
    lines = [text for text in built.logged(logging.INFO) if "documents in" in text]
    assert len(lines) == 1
    found = re.fullmatch(r"2 images: (\d+) documents in api/v1, \d+\.\d s", lines[0])
    assert found
    assert int(found[1]) == len(list(built.api.rglob("*.json")))


def test_a_refused_build_does_not(site: SiteFolder) -> None:
    site.image("nginx", license="")
    assert [text for text in site.build().logged(logging.INFO) if "documents in" in text] == []
