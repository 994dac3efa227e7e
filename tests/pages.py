"""What a built page shows."""

from __future__ import annotations

import lxml.html
from click.testing import CliRunner

from mkdocs_catalog_api.commands.main import main as program

from .sites import Result, SiteFolder


def document(result: Result, path: str) -> lxml.html.HtmlElement:
    """A page of the built site, with its head and what the theme puts around it."""
    return lxml.html.document_fromstring((result.folder / "site" / path).read_bytes().decode())


def page(result: Result, path: str) -> lxml.html.HtmlElement:
    """The main part of a page of the built site."""
    return document(result, path).xpath("//*[@role='main'] | //article")[0]


_BUILT = "<html><head></head><body><main><article><h1>Home</h1>{}</article></main></body></html>"


def filled(site: SiteFolder, marker: str) -> lxml.html.HtmlElement:
    """The home page with a marker as `catalog-api build --web` fills it, which is faster than MkDocs."""
    site.write("docs/index.md", f"# Home\n\n<!-- catalog: {marker} -->\n")
    for path in (site.folder / "docs").rglob("index.md"):
        name = path.relative_to(site.folder / "docs").with_suffix(".html")
        site.write(f"site/{name.as_posix()}", _BUILT.format(path.read_text("utf-8")).encode())
    arguments = ["build", "--web", "-f", str(site.write_config())]
    result = CliRunner().invoke(program, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return page(Result(site.folder, failed=False, records=[]), "index.html")


def words(part: lxml.html.HtmlElement | str) -> str:
    """The text of an element, or of an attribute, with single spaces."""
    return " ".join((part if isinstance(part, str) else part.text_content()).split())


def shown(main: lxml.html.HtmlElement, xpath: str) -> list[str]:
    """The texts of all that an XPath finds."""
    return [words(part) for part in main.xpath(xpath)]


def cells(table: lxml.html.HtmlElement) -> list[list[str]]:
    """The texts of a table's body."""
    return [shown(line, "./td | ./th") for line in table.xpath("./tbody/tr")]


def names(main: lxml.html.HtmlElement) -> list[str]:
    """The names in the rows of all lists."""
    return shown(main, ".//tr[@data-item]/th//a")


def tiles(main: lxml.html.HtmlElement) -> dict[str, str]:
    """The figures of the security page."""
    return {words(tile.find("dt")): words(tile.find("dd")) for tile in main.xpath(".//dl/div")}
