"""A fault of the plugin stops the build, with the document and the place, and nothing is published."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import UNSET, to_builtins
from msgspec.structs import replace

from mkdocs_catalog_api.documents import items, publication, security

from .sites import SiteFolder
from .test_build import small
from .test_cli import call, config

Change = Callable[[Any], Any]


def plant(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, change: Change) -> None:
    """Let a function return another value than it should."""
    right = getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda *given, **named: change(right(*given, **named)))


def set_(**values: Any) -> Change:
    """Fields that get another value."""
    return lambda document: replace(document, **values)


ITEM = "images.json: "
DATA = "$.data[0]"
FAULTS = (
    ("null", items, "_listed", set_(name=None), f"{ITEM}Expected `str`, got `null` - at `{DATA}.name`"),
    ("a missing field", items, "_listed", set_(homepage=UNSET), f"{ITEM}Object missing required field"),
    ("an undeclared field", items, "_listed", lambda item: to_builtins(item) | {"extra": 1}, "`extra`"),
    ("a page off the site", items, "_listed", set_(url="images/alpha/"), f"{DATA}.url"),
    ("a score above 100", security, "security_figures", set_(score=101.0), f"{DATA}.security.score"),
    ("half a document", publication, "encode", lambda body: body[:-9], f"{ITEM}Input data was truncated"),
    ("no UTF-8", publication, "encode", lambda body: body.replace(b"alpha", b"\xff"), ITEM),
    ("a link to nothing", items, "_listed", set_(href="/catalog/api/v1/none.json"), "/api/v1/none.json: "),
    ("a link off the site", items, "_listed", set_(href="https://example.org/"), f"{DATA}.href"),
)


@pytest.mark.parametrize(
    ("owner", "name", "change", "where"), [pytest.param(*fault[1:], id=fault[0]) for fault in FAULTS]
)
def test_a_fault_of_ours_stops_the_build(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, change: Change, where: str
) -> None:
    plant(monkeypatch, owner, name, change)
    file = config(small(site), site_url="https://example.org/catalog/")
    for command in ("build", "check"):
        result = call(command, "-f", file)
        assert result.exit_code == 1
        assert where in result.output
        assert "a bug of mkdocs-catalog-api" in result.output
        assert not (site.folder / "site").exists()


def test_mkdocs_reports_it_in_one_line(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, items, "_listed", set_(name=None))
    result = small(site).mkdocs()
    assert result.failed and not result.api.exists()
    assert any(f"{ITEM}Expected `str`, got `null`" in line for line in result.logged())


def test_texts_of_authors_are_never_taken_for_links(site: SiteFolder) -> None:
    small(site)
    site.image("gamma", 'name: "/catalog/api/v1/x.json"\ndescription: "href\\":\\"/catalog/api/v1/x.json"')
    result = call("build", "-f", config(site, site_url="https://example.org/catalog/"))
    assert result.exit_code == 0, result.output
