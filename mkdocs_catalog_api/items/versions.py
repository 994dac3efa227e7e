"""The order of version labels of any scheme, and so the newest version."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

_OLDEST = ("dev", "develop", "devel", "unstable", "testing", "edge", "canary", "main", "master", "nightly")
_PRE_RELEASES = {
    **dict.fromkeys((*_OLDEST, "snapshot"), 0),
    **{
        word: place
        for place, word in enumerate(("a", "alpha", "b", "beta", "m", "milestone", "pre", "preview", "rc"), 1)
    },
}
"""Word → position; all daily builds are one, the oldest."""
_REVISIONS = {
    **dict.fromkeys(("", "r", "post", "build"), ""),  # spellings of the same: `-2`, `-r2`, `.post2`
    **dict.fromkeys(("p", "patch"), "p"),
    **dict.fromkeys(("u", "update"), "u"),
    **dict.fromkeys(("h", "hotfix"), "h"),
    "sp": "sp",
}
_NEWEST = {"latest": 3, "stable": 2, "lts": 1}
"""Of labels without a number."""
PRE_RELEASE, VARIANT, _NOTHING, REVISION = range(4)

_LEAD = re.compile(r"[._+-]*(?:([^0-9._+-]+)[._+-]*(?=[0-9]))?")
# A separator, a word, its numbers, perhaps after another separator (`-update-3`), unless the word is
# a single letter: `1.1.1a-2` is the second revision of `1.1.1a`.
_SEGMENT = re.compile(r"([._+-]*)([^0-9._+-]*)((?:(?:(?<=[^0-9._+-]{2})[._+-]*|\.*)[0-9]+(?:\.+[0-9]+)*)?)")
_DIGITS = re.compile(r"[0-9]+")
_ONLY_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)*")

Numbers = tuple[int, ...]
Suffix = tuple[int, int, str, Numbers]
"""Rank among the suffixes, position of a known word, any other word, its numbers."""
VersionKey = tuple[Numbers, tuple[Suffix, ...], str]
END: Suffix = (_NOTHING, 0, "", ())


def version_key(label: str) -> VersionKey:
    """Sort key of a label that has passed its grammar (so at most 128 characters); the newest is greatest.

    The key contains the leading numbers, then each following word with its numbers, and at the end a mark
    for "nothing more", which is greater than pre-releases and variants and less than revisions.
    A word before the first number is ignored (`v1.2`, `jdk-21`), unless it is a pre-release word.
    A letter glued to a number (`1.1.1w`, `9.9p1`) is a revision; `a`, `b` and `m` are pre-releases when a
    number follows (`1.0b2`) or a separator precedes (`1.0-b`), so that OpenSSL's `1.1.1a` follows `1.1.1`.
    A label without leading numbers sorts like 0: `latest` is a variant of 0.
    """
    if _ONLY_NUMBERS.fullmatch(label):  # the usual case
        return numbers_in(label), (END,), label
    digits, segments = split(label)
    return numbers_in(digits), (*(segment.suffix for segment in segments), END), label


class Segment(NamedTuple):
    """A word of a label after its numbers, with its digits: `-alpine3.24`."""

    separator: str
    word: str
    digits: str
    """As written, with the separators before and between them."""
    suffix: Suffix


def split(label: str) -> tuple[str, list[Segment]]:
    """The leading numbers as written, `17.6`, and the rest; a leading word is left out."""
    text = label.lower()
    lead = _LEAD.match(text)
    if lead and lead[1] not in _PRE_RELEASES:
        text = text[lead.end() :]
    release = ""
    segments: list[Segment] = []
    for match in _SEGMENT.finditer(text):
        separator, word, digits = match.groups()
        if not (match.start() or word or separator):
            release = digits
        elif word or digits:
            glued_letter = bool(match.start()) and not separator and len(word) == 1
            suffix = _suffix(word, digits, glued_letter=glued_letter, whole=not match.start())
            segments.append(Segment(separator, word, digits, suffix))
    return release, segments


def newest_first(labels: Iterable[str]) -> list[str]:
    return sorted(labels, key=version_key, reverse=True)


def undecided(labels: Collection[str]) -> bool:
    """Whether the newest is unknown: no label has a number or is `latest`, `stable` or `lts`."""
    return len(labels) > 1 and not any(_DIGITS.search(label) or label.lower() in _NEWEST for label in labels)


def _suffix(word: str, digits: str, *, glued_letter: bool, whole: bool) -> Suffix:
    """`whole` if no number precedes it."""
    numbers = numbers_in(digits)
    if glued_letter and not digits:
        return REVISION, 0, word, numbers
    if word in _PRE_RELEASES:
        return PRE_RELEASE, _PRE_RELEASES[word], "", numbers
    if digits and word in _REVISIONS:
        return REVISION, 0, _REVISIONS[word], numbers
    if glued_letter:
        return REVISION, 0, word, numbers
    return VARIANT, _NEWEST.get(word, 0) if whole and not digits else 0, word, numbers


def numbers_in(digits: str) -> Numbers:
    """Remove zeros at the end, so that a missing number equals a 0."""
    numbers = [int(number) for number in _DIGITS.findall(digits)]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def in_order(labels: Iterable[str], latest: str | None) -> list[str]:
    """Version labels, newest first; the page's `latest` comes before all others."""
    ordered = newest_first(labels)
    return ordered if latest is None else [latest, *(label for label in ordered if label != latest)]
