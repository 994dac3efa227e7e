"""Logos of badges: small, self-contained SVG files of the author. Every badge contains its logo.

They contain no scripts, and every reference points to the same file.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree as ET

LARGEST = 32 * 1024
"""Size limit in bytes; a logo of simple-icons has 1,000 to 3,000."""
_SVG = "http://www.w3.org/2000/svg"
_XHTML = "{http://www.w3.org/1999/xhtml"
_ACTIVE = {"script", "foreignobject", "set", "animate", "animatemotion", "animatetransform"}
"""Elements that run code, contain HTML, or change attributes."""
_HERE = re.compile(r"""url\(\s*(["']?)#[^\s"'()\\]+\1\s*\)""", re.IGNORECASE)
_LOADS = re.compile(r"(?:url|image|image-set|src)\s*\(|@import|\\", re.IGNORECASE)
"""CSS that loads a file, or a backslash that may hide such CSS."""


def read_logo(path: Path) -> str:
    """Return the text of an SVG file.

    Raises:
        OSError: the file can't be read.
        ValueError: not an SVG, too large, or not self-contained. The message continues after the file name.
    """
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"is larger than {LARGEST // 1024} KiB, and every view of the badge loads it")
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8") from None
    try:
        root = ET.fromstring(text, ET.XMLParser(target=_LogoBuilder()))  # noqa: S314  # entities are rejected
    except ET.ParseError as error:
        raise ValueError(f"is not an SVG: {error}") from None
    if root.tag != f"{{{_SVG}}}svg":
        raise ValueError(f'does not begin with <svg xmlns="{_SVG}">')
    for element in root.iter():
        _check(element)
    return text


class _LogoBuilder(ET.TreeBuilder):
    def doctype(self, *_: object) -> NoReturn:
        raise ValueError("has a DOCTYPE; save it without one")

    def pi(self, target: str, text: str | None = None) -> NoReturn:
        raise ValueError(f"has the processing instruction <?{target[:40]}?>; remove it")


def _check(element: ET.Element) -> None:
    namespace, _, tag = element.tag.rpartition("}")
    if tag.lower() in _ACTIVE or namespace == _XHTML:
        raise ValueError(f"has a <{tag[:40]}>, which badges can't show")
    if tag == "style":
        _check_css("".join(element.itertext()))
    for key, value in element.items():
        name = key.rpartition("}")[2].lower()
        if name.startswith("on"):
            raise ValueError(f"has the event handler {name[:40]!r}, which badges can't run")
        if name in ("href", "src", "base") and not value.startswith("#"):
            raise ValueError(f"refers to {value[:80]!r}, which badges can't load")
        _check_css(value)


def _check_css(text: str) -> None:
    if _LOADS.search(_HERE.sub("", text)):
        raise ValueError(f"refers to {text.strip()[:80]!r}, which badges can't load")
