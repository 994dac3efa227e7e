"""Documents that answer one question each, and what a build says about them."""

from __future__ import annotations

import itertools
import logging

import pytest

from mkdocs_catalog_api.publish import hosts

from .contract.lookups import LOOKUPS
from .sites import SiteFolder, built
from .test_build import small

KEV = "advisories/known_exploited_vulnerabilities.json"


def test_lookups_can_be_left_out(site: SiteFolder) -> None:
    site.settings["lookups"] = []
    result = built(small(site))
    index = result.json("index.json")
    names = {name for lookup in LOOKUPS for name in lookup.addresses}
    assert not names & {*index["documents"], *index["templates"]}
    assert not (result.api / "cves").exists()


def test_a_catalog_without_digests_scans_or_files_answers_without_noise(site: SiteFolder) -> None:
    site.image("alpha", "versions: [1, 2]")
    site.image("beta")
    site.page("charts/stack.md", "name: Stack")
    result = built(site)
    (told,) = result.logged(logging.INFO)
    assert told.startswith("built: ")
    assert result.at("cves/index data") == []


def test_too_many_files_for_some_hosts_are_noted(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in ("a.bin", "b/c.bin"):
        site.write(f"docs/{path}", b"1")
    documents = len(built(small(site)).bytes())
    for most, build in itertools.product((documents, documents + 100), (site.build, site.mkdocs)):
        monkeypatch.setattr(hosts, "_MOST", most)
        result = build()
        noted = [line for line in result.logged(logging.INFO) if "Cloudflare Pages accepts 20,000" in line]
        assert (len(noted), result.logged()) == (int(most == documents), [])
