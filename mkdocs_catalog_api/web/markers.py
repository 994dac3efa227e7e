"""Markers in Markdown: `<!-- catalog: images view=table category="Web servers" -->`.

Markdown keeps a comment and escapes one in code, so the rendered page distinguishes them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from html import unescape

from msgspec import Struct

from ..authored.messages import resembling
from ..problems import RefusedError

MARKER = re.compile(r"<!--\s*catalog(?!-?\w)(.*?)-->", re.IGNORECASE | re.DOTALL)
"""A comment that begins with the word `catalog`, and the text after that word."""
_NAME = re.compile(r"\s*([^\s=\"']+)(?=\s|\Z)")
_ARGUMENT = re.compile(r"\s*([A-Za-z]\w*)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=]+))(?=\s|\Z)")
_LIKELY = re.compile(r"(?:<|&lt;)(?:!-{0,3}|-{1,3})\s*([a-z]{6,10})\s*([:;=]?)\s*([a-z-]*)", re.IGNORECASE)
_CODE = re.compile(r"<(pre|code|script|style)\b.*?</\1>", re.IGNORECASE | re.DOTALL)
_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?^ {0,3}\1", re.MULTILINE | re.DOTALL)


class Marker(Struct, frozen=True):
    """A marker's name and arguments."""

    name: str
    arguments: Mapping[str, str]


def parse(inside: str) -> Marker:
    """Parse the text between `catalog` and the end of the comment.

    Raises `RefusedError` if it has no colon or no name, an argument that is not `name=value`, or one given
    twice.
    """
    if not inside.startswith(":"):
        raise RefusedError(
            "a comment that begins with `catalog` is not a marker",
            "write `<!-- catalog: NAME -->`, or begin the comment with another word",
        )
    inside = inside.removeprefix(":")
    found = _NAME.match(inside)
    if found is None:
        raise RefusedError("the marker has no name", "write `<!-- catalog: images -->`, for example")
    arguments: dict[str, str] = {}
    position = found.end()
    while rest := inside[position:].strip():
        argument = _ARGUMENT.match(inside, position)
        if argument is None:
            hint = "write name=value, with quotes around a value with spaces"
            raise RefusedError(f"{rest[:60]!r} is not an argument", hint)
        name, *values = argument.groups()
        if name in arguments:
            raise RefusedError(f"the argument `{name}` is given twice", "keep one of them")
        arguments[name] = next(value for value in values if value is not None)
        position = argument.end()
    return Marker(found[1], arguments)


def well_formed(html: str) -> Iterator[Marker]:
    for match in MARKER.finditer(html):
        with suppress(RefusedError):
            yield parse(match[1])


def in_text(text: str) -> bool:
    """Whether a page, as Markdown or HTML, may have a marker, or a comment that looks like one."""
    return any(resembling(match[1], ["catalog"]) for match in _LIKELY.finditer(text))


def near_misses(html: str, names: Collection[str]) -> Iterator[str]:
    """The beginnings of comments that look like a marker with one of these names."""
    if not _LIKELY.search(html):
        return
    for match in _LIKELY.finditer(_CODE.sub("", html)):
        word, colon, name = match.groups()
        rest = match.string[match.start() :]
        if not MARKER.match(rest) and resembling(word, ["catalog"]) and (colon or name.lower() in names):
            yield unescape(match[0])


def line_of(marker: str, text: str | None) -> int:
    """The line of the marker in the page's source; 0 if something else added it."""
    blanked = _FENCED.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text or "")
    position = blanked.find(marker)
    return blanked.count("\n", 0, position) + 1 if position >= 0 else 0
