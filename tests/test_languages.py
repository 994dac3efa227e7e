"""Sites in several languages: items from the default language, pages of every language with the catalog."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from .sites import SiteFolder
from .test_cli import call
from .test_plays_well import build

LANGUAGES = [
    {"locale": "en", "name": "English", "default": True, "build": True},
    {"locale": "de", "name": "Deutsch", "build": True},
]
LIST = "[JSON]({}api/v1/images.json)\n\n<!-- catalog: images -->\n"


def translated(site: SiteFolder, structure: str, **options: Any) -> dict[str, Any]:
    """A site in two languages: of two images one is translated, a third is in a data file."""

    def page(path: str, language: str, text: str) -> None:
        stem, _, ending = path.rpartition(".")
        inner = f"{language}/{path}" if structure == "folder" else f"{stem}.{language}.{ending}"
        site.write(f"docs/{inner}", text)

    matter = "---\ncategory: Tools\ntier: core\nlicense: MIT\nversions: ['1.10']\n---\n\n"
    page("index.md", "en", f"# Home\n\n{LIST.format('')}")
    page("index.md", "de", f"# Start\n\n{LIST.format('')}")
    page("images/alpha.md", "en", matter)
    page("images/alpha.md", "de", matter.replace("1.10", "9") + "# Alpha auf Deutsch\n")
    page("images/beta.md", "en", matter)
    site.write("images.yml", "- {name: Gamma, category: Tools, tier: core, license: MIT, versions: ['1']}\n")
    return {"i18n": {"docs_structure": structure, "languages": LANGUAGES, **options}}


def html(site: SiteFolder, path: str) -> str:
    return (site.folder / "site" / path / "index.html").read_text("utf-8")


def links(text: str) -> set[str]:
    return set(re.findall(r'href="([^"]*images/[a-z]+/)"', text))


@pytest.mark.parametrize("structure", ["suffix", "folder"])
def test_items_are_those_of_the_default_language_and_pages_of_every_language_show_them(
    site: SiteFolder, structure: str
) -> None:
    result = build(site, "search", translated(site, structure))
    images = [
        [image[key] for key in ("name", "latest", "url")] for image in result.json("images.json")["data"]
    ]
    assert images == [
        ["alpha", "1.10", "/catalog/images/alpha/"],
        ["beta", "1.10", "/catalog/images/beta/"],
        ["Gamma", "1", "/catalog/images/gamma/"],
    ]
    assert not (site.folder / "site/de/api").exists()
    start, alpha, gamma = (html(site, path) for path in ("de", "de/images/alpha", "de/images/gamma"))
    assert "<!-- catalog" not in start + alpha + gamma
    assert links(start) >= {"../de/images/alpha/", "../de/images/beta/", "../de/images/gamma/"}
    assert "../images/alpha/" not in links(start), "links stay in the language"
    assert 'href="../api/v1/images.json"' in start
    assert 'data-language="de/" data-only=""' in start
    assert "Alpha auf Deutsch" in alpha and "1.10" in alpha, "own text, and the facts of the item"
    assert "<h1>Gamma</h1>" in gamma
    assert links(html(site, "")) >= {"images/alpha/", "images/beta/", "images/gamma/"}
    index = json.loads((site.folder / "site/search/search_index.json").read_bytes())
    assert {"images/gamma/", "de/images/alpha/"} <= {entry["location"] for entry in index["docs"]}


def test_words_can_be_replaced_and_links_lead_to_the_default_language_without_a_translation(
    site: SiteFolder,
) -> None:
    words = "Not scanned: Nicht gescannt\n'{} image': '{} Abbild & mehr'\n"
    site.write("overrides/catalog/words.de.yml", words)
    site.write("overrides/catalog/words.yml", "Not scanned: No scan\n")
    plugin = translated(site, "suffix", fallback_to_default=False)
    build(site, "search", plugin, theme={"name": "mkdocs", "custom_dir": "overrides"})
    start = html(site, "de")
    assert links(start) >= {"../de/images/alpha/", "../images/beta/"}
    assert 'data-only="images/beta/"' in start
    assert "Nicht gescannt" in start and "Not scanned" not in start.split("<script")[0]
    assert "No scan" in html(site, "")


def test_wrong_words_and_markers_of_a_translation_refuse_the_build(site: SiteFolder) -> None:
    site.config |= {
        "plugins": [translated(site, "suffix"), {"catalog-api": site.settings}],
        "theme": {"name": "mkdocs", "custom_dir": "overrides"},
    }
    (site.folder / "overrides").mkdir()
    site.write("docs/index.de.md", "# Start\n\n<!-- catalog: imags -->\n")
    marker = "docs/index.de.md:3: unknown marker `imags` (did you mean `images`?)"
    result = site.mkdocs()
    assert result.failed and marker in result.logged()
    checked = call("check", "-f", site.folder / "mkdocs.yml")
    assert (checked.exit_code, marker in checked.output) == (1, True)
    site.write("docs/index.de.md", "# Start\n")
    site.write("overrides/catalog/words.yml", "- Not scanned\n")
    result = site.mkdocs()
    assert result.failed
    assert [text for text in result.logged() if "words.yml" in text] == [
        "catalog/words.yml:1:1: expected texts and their replacements (write `Vulnerabilities: …` lines)"
    ]
