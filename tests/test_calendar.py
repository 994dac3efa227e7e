"""The calendar of ends of life, read by a real parser."""

from __future__ import annotations

import datetime
from types import SimpleNamespace
from typing import Any

import icalendar
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.publish.feeds import calendar

from .sites import SiteFolder

HOME = "https://example.org/catalog/"


def image(name: str = "NGINX", slug: str = "nginx", **versions: str | None) -> Any:
    listed = [SimpleNamespace(version=label, end_of_life=end) for label, end in versions.items()]
    reference, url = f"registry.example.org/{slug}", f"/catalog/images/{slug}/"
    return SimpleNamespace(slug=slug, name=name, image=reference, url=url, versions=listed)


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
    assert calendar([image(a=None)], "Catalog", HOME) is None
    assert calendar([], "Catalog", HOME) is None


def test_identities_last_and_differ() -> None:
    first = read(
        calendar([image(a="2026-01-01", b="2026-01-01"), image(slug="x", a="2026-01-01")], "C", HOME)
    )
    moved = read(calendar([image("Renamed", a="2027-02-03")], "D", "https://elsewhere.example/"))
    assert len({event["UID"] for event in first}) == 3
    assert moved[0]["UID"] == first[0]["UID"]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_any_name_comes_through_and_no_line_is_too_long(name: str) -> None:
    body = calendar([image(name, a="2028-02-29")], name, HOME)
    (event,) = read(body)
    assert event["SUMMARY"] == f"{name} a: end of life"
    assert body is not None
    assert body.endswith(b"END:VCALENDAR\r\n")
    for line in body.split(b"\r\n"):
        assert len(line) <= 75
        line.decode()


def test_line_ends_and_control_characters() -> None:
    (event,) = read(calendar([image("a\r\nb\x00c", a="2026-01-01")], "C", HOME))
    assert event["SUMMARY"] == "a\nb\ufffdc a: end of life"
