"""`catalog-api build --web`: pages that any generator has built are filled where they stand."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.web.html_site import split_page, without_fillings

from .interrupt import stopped
from .sites import SiteFolder
from .test_cli import call, tree

PAGE = """<!doctype html>
<html><head><title>A <!-- catalog: counts --> page</title>
<script>"</head><!-- catalog: images -->"</script></head>
<body><nav><h2>Menu</h2></nav><main><article>{}</article></main><footer>End</footer></body></html>
"""


@pytest.fixture(scope="module", autouse=True)
def at_one_time() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1795000000")
        yield


@pytest.fixture
def built(site: SiteFolder) -> SiteFolder:
    """Two images, and their pages and a home page as a generator would write them."""
    site.image("nginx", "versions: [1.10]")
    site.image("redis", "versions: [7.2]")
    site.page("index.md", "title: Home", "<!-- catalog: images view=table -->")
    site.write_config()
    html(site, "images/nginx/index.html", "<h1>nginx</h1><p>Hello</p>")
    html(site, "images/redis/index.html", "<h1>redis</h1><!-- catalog: item --><p>After</p>")
    html(site, "index.html", "<h1>Home</h1>\n<!-- catalog: images view=table -->\n")
    html(site, "about/index.html", "<h1>About</h1>")
    return site


def html(site: SiteFolder, path: str, article: str) -> None:
    site.write(f"site/{path}", PAGE.format(article).encode())


def build(site: SiteFolder) -> str:
    result = call("build", "--web", "-f", site.folder / "mkdocs.yml")
    assert result.exit_code == 0, result.output
    return result.output


def refused(site: SiteFolder, *arguments: str) -> str:
    result = call("build", "--web", "-f", site.folder / "mkdocs.yml", *arguments)
    assert result.exit_code == 1
    assert not (site.folder / "site/api").exists()
    return result.output


def shown(site: SiteFolder, path: str) -> lxml.html.HtmlElement:
    return lxml.html.fromstring((site.folder / "site" / path).read_bytes())


def test_pages_are_filled_where_they_are(built: SiteFolder) -> None:
    proof = built.write("site/proof.html", "site-verification: 1\n")
    assert "no problems" in build(built)
    home, about = shown(built, "index.html"), shown(built, "about/index.html")
    assert {"images/nginx/", "images/redis/"} <= set(home.xpath("//article//table//a/@href"))
    nginx, redis = shown(built, "images/nginx/index.html"), shown(built, "images/redis/index.html")
    assert nginx.xpath("//article/*[last()]/@class") == ["catalog catalog-item"]
    assert redis.xpath("//article/*[last()]/text()") == ["After"]
    parts = [f"catalog catalog-{name}" for name in ("head", "start", "item")]
    assert redis.xpath("//article/div/@class") == parts
    assert [each.text for each in nginx.xpath("//h1")] == ["nginx"]
    # Assets and documents are linked from where the page is.
    found = nginx.xpath("//head/link/@href | //head/script/@src")
    assert found == [
        *("../../assets/catalog-api.css", "../../assets/catalog-api.js"),
        "../../api/v1/images/nginx/index.json",
    ]
    assert all((built.folder / "site/images/nginx" / path).is_file() for path in found)
    # From another page one may come to a page of the catalog without loading anew.
    assert about.xpath("//head/script/@src") == ["../assets/catalog-api.js"]
    assert about.xpath("//article//text()") == ["About"]
    assert proof.read_text() == "site-verification: 1\n", "it has no head"
    # What only looks like a marker stays.
    text = (built.folder / "site/index.html").read_text()
    assert "A <!-- catalog: counts --> page" in text
    assert '"</head><!-- catalog: images -->"' in text


def test_running_twice_changes_nothing_and_a_later_run_fills_anew(built: SiteFolder) -> None:
    build(built)
    before = tree(built.folder / "site")
    build(built)
    assert tree(built.folder / "site") == before
    built.image("nginx", "versions: [1.11]")
    build(built)
    text = (built.folder / "site/images/nginx/index.html").read_text()
    assert "1.11" in text
    assert "1.10" not in text


def listed(site: SiteFolder, count: int) -> SiteFolder:
    """The catalog has this many images, of which the generator has written 60 pages."""
    shutil.rmtree(site.folder / "docs/images", ignore_errors=True)
    for number in range(count):
        site.image(f"many-{number}")
    if not (site.folder / "site").exists():
        html(site, "index.html", "<h1>Home</h1>\n<!-- catalog: images -->\n")
        for number in range(60):
            html(site, f"images/many-{number}/index.html", "<h1>Many</h1>")
    site.page("index.md", "title: Home", "<!-- catalog: images -->")
    site.write_config()
    return site


@pytest.fixture(scope="module")
def of_sixty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the filled site of 60 images, and its sources."""
    site = listed(SiteFolder(tmp_path_factory.mktemp("sixty")), 60)
    build(site)
    return site.folder


@pytest.fixture(scope="module")
def of_five(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of the site of 5 images."""
    site = listed(SiteFolder(tmp_path_factory.mktemp("five")), 5)
    build(site)
    return tree(site.folder / "site")


def test_further_pages_of_a_list_are_replaced_and_removed(
    site: SiteFolder, of_five: dict[str, bytes], of_sixty: Path
) -> None:
    shutil.copytree(of_sixty, site.folder, dirs_exist_ok=True)
    assert [*(site.folder / "site").glob("index-*")]
    build(listed(site, 5))
    assert tree(site.folder / "site") == of_five


def test_a_further_page_of_a_list_never_replaces_a_page_of_the_generator(site: SiteFolder) -> None:
    html(listed(site, 60), "index-images-2.html", "<h1>My own</h1>")
    assert "site/index-images-2.html: a further page of a list would replace this page" in refused(site)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("event", "part"),
    [
        ("os.rename", ".html"),
        ("os.rename", "assets-catalog-api.css"),
        ("os.remove", "index-images-2.html"),
        ("shutil.rmtree", "-catalog-api-"),
    ],
)
def test_what_a_kill_leaves_the_next_run_replaces(
    site: SiteFolder, of_five: dict[str, bytes], of_sixty: Path, event: str, part: str
) -> None:
    """The first run fills 60 images, the one that is killed before the event 10, the next one 5."""
    if part != "assets-catalog-api.css":  # which only the first run writes
        shutil.copytree(of_sixty, site.folder, dirs_exist_ok=True)
    listed(site, 10)
    with stopped(site.folder, event, 1, part, "catalog-api", "build", "--web") as process:
        process.kill()
        process.communicate(timeout=60)
    killed = tree(site.folder / "site")
    build(listed(site, 5))
    assert tree(site.folder / "site") == of_five != killed
    assert [path.name for path in site.folder.iterdir() if path.name.startswith(".")] == []


def test_the_page_of_an_item_that_is_gone_shows_what_the_generator_wrote(built: SiteFolder) -> None:
    build(built)
    (built.folder / "docs/images/nginx.md").unlink()
    build(built)
    assert shown(built, "images/nginx/index.html").xpath("//article//text()") == ["nginx", "Hello"]


def test_a_page_that_the_generator_did_not_publish_is_a_warning(built: SiteFolder) -> None:
    (built.folder / "site/images/nginx/index.html").unlink()
    assert "warning: docs/images/nginx.md: the site has no page of this file" in refused(built, "--strict")
    assert "warning: docs/images/nginx.md: the site has no page of this file" in build(built)


def wrong_marker(site: SiteFolder) -> None:
    site.page("index.md", "title: Home", "<!-- catalog: imags -->")
    html(site, "index.html", "<!-- catalog: imags -->")


REFUSED: dict[str, Callable[[SiteFolder], object]] = {
    "docs/index.md:5: unknown marker `imags` (did you mean `images`?)": wrong_marker,
    "--web: the folder 'site' has no pages (": lambda site: shutil.rmtree(site.folder / "site"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_nothing_is_written_after_an_error(built: SiteFolder, message: str) -> None:
    REFUSED[message](built)
    before = sorted((built.folder / "site").rglob("*"))
    assert message in refused(built)
    assert sorted((built.folder / "site").rglob("*")) == before
    assert not any("catalog-head" in path.read_text() for path in before if path.is_file())


@pytest.mark.parametrize(
    ("page", "why"),
    [
        (b"<h1>nginx</h1><script>", "the page ends inside a script"),
        ("<h1>Käfer</h1>".encode("latin-1"), "the page is not UTF-8"),
    ],
)
def test_a_page_that_can_t_be_read_is_left_alone(built: SiteFolder, page: bytes, why: str) -> None:
    path = built.write("site/images/nginx/index.html", page)
    assert f"warning: site/images/nginx/index.html: ignored: {why}" in build(built)
    assert path.read_bytes() == page


def test_templates_of_the_site_are_used_and_pages_without_folders_found(built: SiteFolder) -> None:
    built.config |= {"use_directory_urls": False, "theme": {"name": "mkdocs", "custom_dir": "overrides"}}
    built.write("overrides/catalog/item-images.html", "<b>{{ item.slug }} is ours</b>")
    built.write_config()
    for path in ("nginx", "redis"):
        old = built.folder / f"site/images/{path}/index.html"
        old.rename(old.parent.with_suffix(".html"))
    assert "no problems" in build(built)
    page = shown(built, "images/nginx.html")
    assert "nginx is ours" in page.xpath("//b/text()")
    found = ["../assets/catalog-api.css", "../api/v1/images/nginx/index.json"]
    assert page.xpath("//head/link/@href") == found


PIECES = """<!--•catalog:•images•--> <!--catalog:item--> <!--x--> <p> </p> <article> </article> <head> </head>
<body•class='a>b'> </body> <main> </main> <title> </title> <script> </script>
<img•alt='<!--•catalog:item•-->'> text
 <!-- --> é <textarea> </textarea> <!doctype•html> <html> < > " """


@given(
    st.lists(st.sampled_from(PIECES.split()).map(lambda piece: piece.replace("•", " "))).map("".join),
    st.booleans(),
)
def test_a_filled_page_can_be_led_back(page: str, item: bool) -> None:
    """Whatever the page is; one that can't is left alone."""
    before = without_fillings(page)
    assert without_fillings(before) == before
    if parts := split_page(before, item=item):
        content = parts.content.replace("<!--catalog:item-->", "<b>filled</b>")
        assert without_fillings(parts.whole(content, "<link>")) == before
