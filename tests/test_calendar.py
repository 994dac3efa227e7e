"""The calendar of ends of life, read by a real parser."""

from __future__ import annotations

import datetime
from typing import Any

import icalendar
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.models import VersionEntry
from mkdocs_catalog_api.catalog.value import Catalog, Image
from mkdocs_catalog_api.publish.feeds import calendar

from .sites import SiteFolder, image_value

HOME = "https://example.org/catalog/"


def image(name: str = "NGINX", slug: str = "nginx", **versions: str | None) -> Image:
    """An image with versions that end on a day."""
    listed = [VersionEntry.model_construct(version=label, end_of_life=end) for label, end in versions.items()]
    return image_value(slug, name, versions=listed)


def ends(*images: Image, title: str = "Catalog", home: str = HOME) -> bytes | None:
    """The calendar of a catalog with these images."""
    return calendar(Catalog(title=title, site_url=home, images=images), home)


def read(body: bytes | None) -> list[Any]:
    assert body is not None
    parsed = icalendar.Calendar.from_ical(body)
    assert parsed["VERSION"] == "2.0"
    assert parsed["PRODID"]
    events = parsed.walk("VEVENT")
    assert all(not event.errors for event in (parsed, *events))
    return events


def test_a_built_catalog(site: SiteFolder) -> None:
    site.image(
        "nginx", "name: 'NGINX, the server'\nversions: [{version: '1.27', endOfLife: 2026-12-01}, '1.28']"
    )
    site.settings["feeds"] = True
    assert not site.build(strict=True).failed
    (event,) = read((site.folder / "site/eol.ics").read_bytes())
    assert event["SUMMARY"] == "NGINX, the server 1.27: end of life"
    assert event["DTSTART"].dt == datetime.date(2026, 12, 1)
    assert event["DTSTAMP"].dt == datetime.datetime(2026, 12, 1, tzinfo=datetime.UTC)
    assert event["URL"] == "https://example.org/catalog/images/nginx/"
    assert (
        event["DESCRIPTION"]
        == "registry.example.org/hardened/nginx:1.27 gets no more updates after this day."
    )


def test_nothing_ends() -> None:
    assert ends(image(a=None)) is None
    assert ends() is None


def test_identities_last_and_differ() -> None:
    first = read(ends(image(a="2026-01-01", b="2026-01-01"), image(slug="x", a="2026-01-01")))
    moved = read(ends(image("Renamed", a="2027-02-03"), title="D", home="https://elsewhere.example/"))
    assert len({event["UID"] for event in first}) == 3
    assert moved[0]["UID"] == first[0]["UID"]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_any_name_comes_through_and_no_line_is_too_long(name: str) -> None:
    body = ends(image(name, a="2028-02-29"), title=name)
    (event,) = read(body)
    assert event["SUMMARY"] == f"{name} a: end of life"
    assert body is not None
    assert body.endswith(b"END:VCALENDAR\r\n")
    for line in body.split(b"\r\n"):
        assert len(line) <= 75
        line.decode()


def test_line_ends_and_control_characters() -> None:
    (event,) = read(ends(image("a\r\nb\x00c", a="2026-01-01")))
    assert event["SUMMARY"] == "a\nb\ufffdc a: end of life"
