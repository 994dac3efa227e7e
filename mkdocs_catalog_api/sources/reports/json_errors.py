"""Decodes the JSON of reports, and explains errors to the person who ran the scan."""

from __future__ import annotations

import codecs
import re
from math import isfinite

import msgspec
from pydantic_core import from_json, to_json

from ...problems import RefusedError
from ...problems.decoding import explain_decoding, is_incomplete, malformed
from .normalise import DAMAGED, text
from .others import binary, other_sbom

_JSON_LINE = re.compile(rb"^[ \t]*(?:\{|\[\s*(?:[\[{]|$))", re.MULTILINE)
_ESCAPE = re.compile(rb"(?is)\\(ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(?P<half>ud[89a-f][0-9a-f]{2})|.)")
"""An escape sequence, or both of a surrogate pair; half of one is not valid."""
_PLACE = re.compile(r" at line (\d+) column (\d+)$")


def decode(data: bytes) -> object:
    """Decode JSON in UTF-8 (or, with a byte order mark, UTF-16).

    The last one of duplicate keys is used, as in the programs that write reports, and U+FFFD for half of a
    surrogate pair. Raises `RefusedError`.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        data = data.decode("utf-16", "replace").encode()
    data = data.removeprefix(codecs.BOM_UTF8)
    data = _ESCAPE.sub(lambda escape: rb"\ufffd" if escape["half"] else escape[0], data)
    if not data.strip():
        raise RefusedError("the file is empty", "the scan failed or was not run; run it again")
    try:
        document = from_json(data, cache_strings="keys", allow_inf_nan=False)
    except ValueError as error:
        raise _reason(data, str(error)) from None
    if not _is_finite(document):
        raise RefusedError("a number in it is too large, such as 1e400", DAMAGED)
    return document


def _is_finite(value: object) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return all(map(_is_finite, parts))


def repaired(data: bytes) -> bytes:
    """Return the document as JSON that every parser accepts. Raises `RefusedError`, like `decode`."""
    return to_json(decode(data))


def damages(error: msgspec.ValidationError) -> bool:
    """Whether a document has the expected structure, but an invalid value inside."""
    return "." in str(error).partition(" - at `$")[2]


def explain(error: msgspec.ValidationError, prefix: str = "") -> RefusedError:
    """Return the error of a strict decoder in a report's lists, rows or ids, as ignoring them would hide
    findings. `prefix` is the path of the decoded value.
    """
    reason, path = explain_decoding(error)
    place = prefix + (path if not prefix or path.startswith("[") or not path else f".{path}")
    return RefusedError(f"`{place}`: {reason}" if place else reason, DAMAGED)


def _reason(data: bytes, error: str) -> RefusedError:
    start = data.lstrip()
    if re.match(rb"<(!doctype\s+)?html", start, re.IGNORECASE):
        message = "a web page, such as a login or error page, not a report"
        return RefusedError(
            message, "download the report again, with credentials if the server requires them"
        )
    json_line = _JSON_LINE.search(data)
    if json_line and (before := data[: json_line.start()].strip()):
        return RefusedError(
            f"not JSON: {_quote(before)}",
            "the file has log lines before the report; remove them with `2>/dev/null`, "
            "or write the report with `-o file`",
            data.count(b"\n", 0, data.index(before)) + 1,
        )
    if sbom := other_sbom(data):
        return RefusedError(f"this is {sbom[0]}", sbom[1])
    if what := binary(data):
        return RefusedError(f"this is {what}, not a report", "remove it")
    if not json_line:
        return RefusedError(f"not JSON: {_quote(start)}", "scan with `--format json`")
    position = _PLACE.search(error)
    place = (int(position[1]), int(position[2])) if position else (0, 0)
    if is_incomplete(error):
        return RefusedError("the report is incomplete", "the scan was interrupted; run it again", *place)
    hint = "run the scan again; save one report in each file, without log lines"
    return RefusedError(malformed(error), hint, *place)


def _quote(part: bytes) -> str:
    """Return the first line, shortened, in quotes."""
    line = part.split(b"\n", 1)[0].strip()
    shown = text(line[:400].decode("utf-8", "replace"))
    return f'"{shown[:80]}…"' if len(shown) > 80 else f'"{shown}"'
