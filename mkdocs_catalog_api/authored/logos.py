"""Logos of badges: SVG files of the author, small and self-contained, since every badge carries its own.

A renderer shows the logo as an image inside of an image, where nothing runs and nothing is fetched. What
would need either is refused, so that the text does no harm in other hands, and looks as its author saw it.
"""

from __future__ import annotations

from pathlib import Path
from xml.parsers import expat

LARGEST = 32 * 1024
"""Bytes; a logo of simple-icons has one to three thousand."""
_SVG = "http://www.w3.org/2000/svg"
_FORBIDDEN = ("script", "foreignobject")


def read_logo(path: Path) -> str:
    """The text of an SVG file.

    Raises:
        OSError: the file can't be read.
        ValueError: it is no SVG, too large, or not self-contained, in words that follow its name.
    """
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"is larger than {LARGEST // 1024} KiB, which every view of the badge would load")
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8") from None
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        namespace, _, tag = name.rpartition(" ")
        if depth == 0 and (namespace, tag) != (_SVG, "svg"):
            raise ValueError(f'begins with <{tag}> instead of <svg xmlns="{_SVG}">')
        if tag.lower() in _FORBIDDEN:
            raise ValueError(f"has a <{tag}>, which no badge shows")
        for key, value in attributes.items():
            attribute = key.rpartition(" ")[2].lower()
            if attribute.startswith("on"):
                raise ValueError(f"has the event handler {attribute!r}, which no badge runs")
            if attribute == "href" and not value.startswith(("#", "data:image/")):
                raise ValueError(f"refers to {value[:80]!r}, which no badge loads")
        depth += 1

    def doctype(*_: object) -> None:
        raise ValueError("has a DOCTYPE; save it without")

    parser = expat.ParserCreate("utf-8", namespace_separator=" ")
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise ValueError(f"is no SVG: {error}") from None
    return text
