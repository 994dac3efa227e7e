"""A small language for the shape of JSON: a kind looks at a value and tells what is wrong with it."""

import datetime
import re
from collections.abc import Callable, Iterator, Set
from urllib.parse import urlsplit

from tests.contract.api import Flaw, Json, show

Kind = Callable[[Json, str], Iterator[Flaw]]


def kind(name: str, holds: Callable[[Json], bool]) -> Kind:
    def look(value: Json, where: str) -> Iterator[Flaw]:
        if not holds(value):
            yield Flaw(where, f"is {show(value)}, not {name}", fatal=True)

    return look


def text(name: str, holds: Callable[[str], bool]) -> Kind:
    """A string; the wrong words in it (a link that leads nowhere, say) still let the rest be judged."""

    def look(value: Json, where: str) -> Iterator[Flaw]:
        if not isinstance(value, str) or not holds(value):
            yield Flaw(where, f"is {show(value)}, not {name}", fatal=not isinstance(value, str))

    return look


def pattern(name: str, regex: str) -> Kind:
    return text(name, lambda value: re.fullmatch(regex, value) is not None)


def constant(wanted: Json) -> Kind:
    return kind(show(wanted), lambda value: type(value) is type(wanted) and value == wanted)


def one_of(*words: str) -> Kind:
    return kind(f"one of {', '.join(words)}", lambda value: value in words)


def maybe(inner: Kind) -> Kind:
    def look(value: Json, where: str) -> Iterator[Flaw]:
        if value is not None:
            yield from inner(value, where)

    return look


def either(first: Kind, second: Kind) -> Kind:
    def look(value: Json, where: str) -> Iterator[Flaw]:
        if all(any(True for _ in option(value, where)) for option in (first, second)):
            yield from first(value, where)

    return look


def listing(inner: Kind) -> Kind:
    def look(value: Json, where: str) -> Iterator[Flaw]:
        if not isinstance(value, list):
            yield Flaw(where, f"is {show(value)}, not an array", fatal=True)
            return
        for position, entry in enumerate(value):
            yield from inner(entry, f"{where}[{position}]")

    return look


def mapping(key: Kind, inner: Kind) -> Kind:
    def look(value: Json, where: str) -> Iterator[Flaw]:
        if not isinstance(value, dict):
            yield Flaw(where, f"is {show(value)}, not an object", fatal=True)
            return
        for name, entry in value.items():
            yield from key(name, f"{where}.{name}")
            yield from inner(entry, f"{where}.{name}")

    return look


def record(fields: dict[str, Kind], anywhere: Set[str] = frozenset()) -> Kind:
    """An object with exactly these keys in this order; the place of the keys in `anywhere` is not fixed."""
    order = [name for name in fields if name not in anywhere]

    def look(value: Json, where: str) -> Iterator[Flaw]:
        if not isinstance(value, dict):
            yield Flaw(where, f"is {show(value)}, not an object", fatal=True)
            return
        for name in value:
            if name not in fields:
                yield Flaw(f"{where}.{name}", "is no field of the contract")
        for name, inner in fields.items():
            if name not in value:
                yield Flaw(f"{where}.{name}", "is missing", fatal=True)
            else:
                yield from inner(value[name], f"{where}.{name}")
        stands = [name for name in value if name in order]
        if len(stands) == len(order) and stands != order:
            yield Flaw(where, f"has its keys in the order {' '.join(stands)}, not {' '.join(order)}")

    return look


def _day(value: str) -> bool:
    try:
        return datetime.date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _time(value: str) -> bool:
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", value, re.ASCII):
        return False
    return _day(value[:10]) and value[11:19] <= "23:59:60"


def web(value: str) -> bool:
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    # Not `isprintable`, which knows other characters in every version of Python.
    bad = re.search(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff]", value)
    return not bad and parts.scheme in ("http", "https") and bool(parts.hostname)


COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_DOMAIN = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
HOST = rf"(?:{_DOMAIN}(?:\.{_DOMAIN})*|\[[0-9a-fA-F:]+\])"
NAME = rf"(?:{HOST}(?::[0-9]+)?/)?{COMPONENT}(?:/{COMPONENT})*"
LABEL_GRAMMAR = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
DIGEST_GRAMMAR = r"sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128}|blake3:[0-9a-f]{64}"
_IDENTIFIER = r"(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)"

TEXT = text("a string", lambda _: True)
FILLED = text("a string with something in it", lambda value: bool(value.strip()))
BOOL = kind("true or false", lambda value: isinstance(value, bool))
COUNT = kind("a whole number from 0", lambda value: type(value) is int and value >= 0)
POSITIVE = kind("a whole number from 1", lambda value: type(value) is int and value >= 1)
SCORE = kind("a number from 0 to 100", lambda value: type(value) in (int, float) and 0 <= value <= 100)
DATE = text("a date", _day)
TIME = text("a time with its zone", _time)
UTC = text("a time in UTC", lambda value: _time(value) and value.endswith(("Z", "+00:00")))
WEB = kind("an http(s) address", lambda value: isinstance(value, str) and web(value))
SLUG = text("a slug", lambda v: len(v) <= 100 and v != "index" and re.fullmatch(COMPONENT, v) is not None)
LABEL = pattern("a version label", LABEL_GRAMMAR)
SEMVER = pattern(
    "a SemVer version",
    rf"v?(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-{_IDENTIFIER}(?:\.{_IDENTIFIER})*)?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?",
)
DIGEST = pattern("a digest", DIGEST_GRAMMAR)
REPOSITORY = pattern("an image reference without tag", NAME)
REFERENCE = pattern("an image reference", rf"{NAME}(?::{LABEL_GRAMMAR})?(?:@(?:{DIGEST_GRAMMAR}))?")
PLATFORM = pattern("os/arch[/variant]", r"[a-z0-9]+/[a-z0-9_]+(?:/[a-z0-9.]+)?")
ANYTHING = kind("a value", lambda _: True)
