"""Which version is newest: the order of version labels, whatever scheme they follow."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PRE_RELEASES = (
    *("dev", "a", "alpha", "b", "beta", "m", "milestone"),
    *("pre", "preview", "rc", "snapshot", "nightly"),
)
_REVISIONS = frozenset({"", "r", "post"})  # three spellings of one thing: `-2`, `-r2`, `.post2`
_PRE_RELEASE, _VARIANT, _NOTHING, _REVISION = range(4)

_LEAD = re.compile(r"[._+-]*(?:v(?=[0-9]))?")
_SEGMENT = re.compile(r"([._+-]*)([^0-9._+-]*)((?:\.*[0-9]+(?:\.+[0-9]+)*)?)")
_DIGITS = re.compile(r"[0-9]+")

Numbers = tuple[int, ...]
Suffix = tuple[int, int, str, Numbers]
"""Rank among the suffixes, place of a pre-release word, any other word, the numbers behind it."""
VersionKey = tuple[Numbers, tuple[Suffix, ...], str]


def version_key(label: str) -> VersionKey:
    """Sort key of a label that has passed its grammar (so at most 128 characters); the newest is greatest.

    The key is the numbers in front, then what follows them: each word with its numbers, and at the end a
    mark that stands for "nothing more", greater than pre-releases and variants and less than revisions.
    A letter glued to a number (`1.1.1w`, `9.9p1`) is a revision; `a`, `b` and `m` are pre-releases when a
    number follows (`1.0b2`) or a separator precedes (`1.0-b`), so that OpenSSL's `1.1.1a` follows `1.1.1`.
    Without numbers in front they are all missing: `latest` reads as a variant of 0.
    """
    text = _LEAD.sub("", label.lower(), count=1)
    release: Numbers = ()
    suffixes: list[Suffix] = []
    for match in _SEGMENT.finditer(text):
        separator, word, digits = match.groups()
        if not (match.start() or word):
            release = _numbers(digits)
        elif word or digits:
            glued_letter = bool(match.start()) and not separator and len(word) == 1
            suffixes.append(_suffix(word, digits, glued_letter=glued_letter))
    return release, (*suffixes, (_NOTHING, 0, "", ())), label


def newest_first(labels: Iterable[str]) -> list[str]:
    return sorted(labels, key=version_key, reverse=True)


def _suffix(word: str, digits: str, *, glued_letter: bool) -> Suffix:
    numbers = _numbers(digits)
    if glued_letter and not digits:
        return _REVISION, 0, word, numbers
    if word in _PRE_RELEASES:
        return _PRE_RELEASE, _PRE_RELEASES.index(word), "", numbers
    if word in _REVISIONS:
        return _REVISION, 0, "", numbers
    if word == "p" or glued_letter:
        return _REVISION, 0, word, numbers
    return _VARIANT, 0, word, numbers


def _numbers(digits: str) -> Numbers:
    """Without zeros at the end, so that a missing number and a 0 are the same."""
    numbers = [int(number) for number in _DIGITS.findall(digits)]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
