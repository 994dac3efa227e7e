"""Inline Markdown in the description of an item: links, emphasis and code, as plain text and as HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import overload

from ..items.links import is_web_link

# The lengths are limited, because descriptions also come from registries.
_INLINE = re.compile(
    r"""
    \\(?P<escaped>[!-/:-@\[-`{-~])
    | (?P<ticks>`{1,3})(?!`)(?P<code>(?:(?!(?P=ticks)).){1,500})(?P=ticks)(?!`)
    | (?P<image>!?)\[(?P<label>(?:\\.|[^\[\]\\]){0,500})\]
      \(\s*<?(?P<target>[^\s<>()]{0,2000}(?:\([^\s<>()]{0,500}\))?[^\s<>()]{0,500})>?(?:\s+"[^"]{0,500}")?\s*\)
    | <(?P<address>https?://[^\s<>]{1,2000})>
    | (?<!\*)(?P<mark>\*\*?|(?<!\w)__?)(?=[^\s*_])(?P<marked>.{1,300}?)(?<!\s)(?<!\*)(?P=mark)(?![\w*])
    """,
    re.VERBOSE | re.DOTALL,
)

_Tag = Callable[[str, str, str], str]
"""Name of an element, its content, the address of a link → its HTML."""


def _converted(text: str, escape: Callable[[str], str], tag: _Tag) -> str:
    parts, end = [], 0
    for match in _INLINE.finditer(text):
        parts.append(escape(text[end : match.start()]))
        end = match.end()
        if match["escaped"]:
            parts.append(escape(match["escaped"]))
        elif match["code"]:
            parts.append(tag("code", escape(match["code"].strip()), ""))
        elif match["address"]:
            parts.append(tag("a", escape(match["address"]), match["address"]))
        elif match["mark"]:
            element = "strong" if len(match["mark"]) == 2 else "em"
            parts.append(tag(element, _converted(match["marked"], escape, tag), ""))
        else:
            content = _converted(match["label"], escape, tag)
            parts.append(content if match["image"] else tag("a", content, match["target"]))
    return "".join((*parts, escape(text[end:])))


def _element(name: str, content: str, address: str) -> str:
    if name != "a":
        return f"<{name}>{content}</{name}>"
    return (
        f'<a href="{html.escape(address)}" rel="noopener">{content}</a>' if is_web_link(address) else content
    )


@overload
def plain_text(text: str) -> str: ...
@overload
def plain_text(text: None) -> None: ...
def plain_text(text: str | None) -> str | None:
    """A description without its Markdown."""
    return text and _converted(text, str, lambda name, content, address: content)


def safe_html(text: str) -> str:
    """A description as HTML: everything else is escaped, and only http(s) addresses are links."""
    return _converted(text, html.escape, _element)
