"""Web links of authors, and the errors of invalid values."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from ..problems import RefusedError

SHOWN_MAX = 120
"""Length to which a message cuts an invalid value."""
SCHEME = re.compile(r"\A[A-Za-z][A-Za-z0-9+.-]*://")

# Characters that a link never contains: spaces, controls, lone surrogates, and those excluded by RFC 3986
_NOT_IN_LINK = re.compile(
    r"[\x00-\x20\x7f-\xa0\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ud800-\udfff"
    r'<>"\\^`{|}]|%(?![0-9A-Fa-f]{2})'
)
# Lower case, digits, `-`, `_` and all from U+00A1 on; compiled ten times as fast as if these were listed
_HOST_LABEL = r"[^\x00-,./:-^`{-\xa0]+"
# With a colon it is an IPv6 address, which `urlsplit` finds between brackets only
_HOST = re.compile(rf"{_HOST_LABEL}(?:\.{_HOST_LABEL})*\.?|[0-9a-f.]*:[0-9a-f:.]*")


def web_link(text: str) -> str:
    if fault := _link_fault(text):
        raise refusal(text, "is not a web link", fault)
    return text


def is_web_link(text: str) -> bool:
    return not _link_fault(text)


def site_address_fault(text: str) -> str:
    """How to correct the address of a site; empty for a valid one.

    All root-relative links begin with its path. If that began with two slashes, they would lead to another
    host; with a segment of dots, to another folder.
    """
    if fault := _link_fault(text):
        return fault
    parts = urlsplit(text)
    if parts.query or parts.fragment:
        return "remove what follows `?` or `#`"
    segments = parts.path.split("/")[1:]
    if segments and not segments[-1]:
        segments.pop()  # the slash at the end
    for segment in map(unquote, segments):
        if not segment:
            return "remove one of two slashes in a row"
        if segment in (".", "..") or "/" in segment or "\\" in segment:
            return "remove the segments of dots and the encoded slashes from its path"
    return ""


def _link_fault(text: str) -> str:
    """How to correct a link; empty for a valid one."""
    if not text.lower().startswith(("http://", "https://")):
        return "write it with http:// or https://"
    if bad := _NOT_IN_LINK.search(text):
        return f"percent-encode {bad[0]!r}"
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "correct its host or port"
    if "@" in parts.netloc:
        return "remove the user name and password"
    if not host or not _HOST.fullmatch(host):
        return "give it a host, as in https://example.org/"
    return ""


def refusal(text: str, why: str, fix: str, near: str = "") -> RefusedError:
    """`why` follows the value: `is not a slug`. `near`, the value that is probably meant, replaces `fix`."""
    shown = f"{text[:SHOWN_MAX]}…" if len(text) > SHOWN_MAX else text
    return RefusedError(f"{shown!r} {why}", f"did you mean `{near}`?" if near else fix)
