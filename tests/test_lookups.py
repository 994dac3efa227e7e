"""Documents that answer one question each, and what a build says about them."""

from __future__ import annotations

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


def test_too_many_documents_for_some_hosts_are_noted(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "_MOST", 10)
    result = built(small(site))
    assert any("Cloudflare Pages accepts 20,000" in line for line in result.logged(logging.INFO))
    assert result.logged() == []
