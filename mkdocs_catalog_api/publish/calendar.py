"""The ends of life of releases as a calendar (RFC 5545), which calendar programs subscribe to.

The same images give the same bytes: all that the format wants to know of times comes from the dates.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from urllib.parse import urljoin

from ..catalog.models import ImageEntry
from ..catalog.value import Catalog

PATH = "eol.ics"
TYPE = "text/calendar"
PRODUCT = "PRODID:-//mkdocs-catalog-api//EN"
"""The line that tells who made it."""
_IDENTITIES = uuid.UUID("0c6cf3c5-6a0f-5d6e-8a3f-6c1f0b9a7d42")
_LINE = 75
"""Octets that a line may have, https://www.rfc-editor.org/rfc/rfc5545#section-3.1."""
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def calendar(catalog: Catalog, home: str) -> bytes | None:
    """The calendar; None when no release has an end of life.

    `home` is the address of the site, with a slash at its end.
    """
    at = catalog.addresses
    events = [
        event
        for image in catalog.images
        for event in _events(image.entry, urljoin(home, at.web(image.page.url)))
    ]
    if not events:
        return None
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        PRODUCT,
        f"X-WR-CALNAME:{_text(f'End of life: {catalog.title}')}",
        *(line for event in events for line in event),
        "END:VCALENDAR",
    ]
    return b"".join(_folded(line) for line in lines)


def _events(image: ImageEntry, page: str) -> Iterator[list[str]]:
    for version in image.versions:
        if version.end_of_life is None:
            continue
        day = version.end_of_life.replace("-", "")
        reference = f"{image.image}:{version.version}"
        yield [
            "BEGIN:VEVENT",
            f"UID:{uuid.uuid5(_IDENTITIES, reference)}",
            f"DTSTAMP:{day}T000000Z",
            f"DTSTART;VALUE=DATE:{day}",
            f"SUMMARY:{_text(f'{image.name} {version.version}: end of life')}",
            f"DESCRIPTION:{_text(f'{reference} gets no more updates after this day.')}",
            f"URL:{page}",
            "TRANSP:TRANSPARENT",
            "END:VEVENT",
        ]


def _text(value: str) -> str:
    """A text as the format wants it, https://www.rfc-editor.org/rfc/rfc5545#section-3.3.11."""
    value = _CONTROL.sub("\ufffd", value.replace("\r\n", "\n").replace("\r", "\n"))
    return re.sub(r"([\\;,])", r"\\\1", value).replace("\n", "\\n")


def _folded(line: str) -> bytes:
    """A line, broken where it is too long, never within a character."""
    parts: list[bytes] = []
    part = b""
    for char in line:
        octets = char.encode()
        if len(part) + len(octets) > _LINE - bool(parts):  # the space that a continued line begins with
            parts.append(part)
            part = b""
        part += octets
    return b"\r\n ".join([*parts, part]) + b"\r\n"
