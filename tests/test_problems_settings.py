"""Whatever stands wrong in mkdocs.yml is named with its line, its dotted setting and what would do."""

from __future__ import annotations

from mkdocs_catalog_api.problems import Level

from .authors import REQUIRED, configure, places, told
from .sites import REGISTRY, SiteFolder


def test_settings_that_are_no_mapping_at_all(site: SiteFolder) -> None:
    configure(site, "[registry]")
    refused, problems = places(site)
    assert refused
    assert len(problems) == 1


def test_own_fields_may_have_any_name_and_yaml_words(site: SiteFolder) -> None:
    site.settings = {
        "registry": REGISTRY,
        "images": {
            "fields": {"on": "text", "copy": "text", "json": "text", "no": {"values": ["true", "off"]}}
        },
    }
    site.page("images/nginx.md", REQUIRED + "on: yes\ncopy: 1.10\njson: 010\nno: true")
    result = site.build(strict=True)
    assert not result.failed, result.logged()
    image = result.json("images/nginx/index.json")["data"]
    assert image["custom"] == {"on": "yes", "copy": "1.10", "json": "010", "no": "true"}
    assert [*image["custom"]] == ["on", "copy", "json", "no"]


def test_undeclared_keys_are_noted_once_for_the_collection(site: SiteFolder) -> None:
    configure(site)
    for name in ("a", "b"):
        site.page(f"images/{name}.md", f"{REQUIRED}upstream: x\nhide: [toc]\ntags: [web]")
    site.page("images/c.md", f"{REQUIRED}port: 80")
    said = "undeclared keys are not in the API (with the number of images)"
    hint = "to publish them, declare them under `fields`"
    assert told(site, strict=True, level=Level.INFO) == (
        False,
        [f"mkdocs.yml:6:7: catalog-api.images.fields: {said}: port (1), upstream (2) ({hint})"],
    )
