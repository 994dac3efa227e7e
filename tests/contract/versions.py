"""Version order as the contract words it, written from its text alone."""

import re
from itertools import zip_longest
from typing import NamedTuple

MOVING = [
    "dev",
    "develop",
    "devel",
    "unstable",
    "testing",
    "edge",
    "canary",
    "main",
    "master",
    "nightly",
    "snapshot",
]
PRE = ["a", "alpha", "b", "beta", "m", "milestone", "pre", "preview", "rc"]
REVISION_WORDS = ("", "r", "p", "post", "u", "update", "h", "hotfix", "sp", "patch", "build")
CHANNELS = ["lts", "stable", "latest"]


class Part(NamedTuple):
    """One word of a label with its numbers: "-rc.2", "-alpine3.19", "-r1", "w"."""

    place: int  # -2 a pre-release, -1 a variant, +1 a revision; nothing at all is 0
    word: str
    numbers: tuple[int, ...]


def compare(one: str, other: str) -> int:
    """Below 0 when `one` is older, above 0 when it is newer, 0 where no order is fixed."""
    if not re.search(r"\d", one + other) and {one, other} & {*CHANNELS}:
        places = [CHANNELS.index(label) if label in CHANNELS else -1 for label in (one, other)]
        return _sign(*places)
    (mine, my_parts), (theirs, their_parts) = _split(one), _split(other)
    if order := _numbers(mine, theirs):
        return order
    for a, b in zip_longest(my_parts, their_parts, fillvalue=Part(0, "", ())):
        if a.place == b.place == 1 and a.word != b.word:
            return 0  # "-r1" or "p1" after the same numbers: the contract does not say which is newer
        order = _sign(a.place, b.place) or _words(a, b) or _numbers(a.numbers, b.numbers)
        if order:
            return order
    return _sign(one, other)


def _split(label: str) -> tuple[tuple[int, ...], list[Part]]:
    lead = re.match(r"([A-Za-z]+)[.\-_+]*(?=\d)", label)
    label = label[lead.end() :] if lead and lead[1].lower() not in MOVING + PRE else label
    head = re.match(r"\d+(\.\d+)*", label)
    numbers = tuple(map(int, head[0].split("."))) if head else ()
    rest = label[head.end() :] if head else label
    found = re.finditer(r"([.\-_+]*)(?:([A-Za-z]+)((?:\.?\d+)*)|(\d+(?:\.\d+)*))", rest)
    return numbers, [
        _part(separator, word or "", tail or bare) for separator, word, tail, bare in map(_groups, found)
    ]


def _groups(found: re.Match[str]) -> tuple[str, str, str, str]:
    separator, word, tail, bare = found.groups(default="")
    return separator, word, tail, bare


def _part(separator: str, word: str, digits: str) -> Part:
    word, numbers = word.lower(), tuple(map(int, re.findall(r"\d+", digits)))
    if word in REVISION_WORDS and numbers:
        return Part(1, word or "-", numbers)
    if len(word) == 1 and not separator and not numbers:
        return Part(1, word, ())
    if word in MOVING + PRE:
        return Part(-2, word, numbers)
    return Part(-1, word, numbers)


def _place(word: str) -> int:
    return 1 + PRE.index(word) if word in PRE else 0


def _words(one: Part, other: Part) -> int:
    if one.place == -2:
        return _sign(_place(one.word), _place(other.word))
    return _sign(one.word, other.word)


def _numbers(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    for mine, theirs in zip_longest(one, other, fillvalue=0):
        if mine != theirs:
            return _sign(mine, theirs)
    return 0


def _sign(one: int | str, other: int | str) -> int:
    if isinstance(one, str) or isinstance(other, str):
        return (str(one) > str(other)) - (str(one) < str(other))
    return (one > other) - (one < other)
