"""Release lines and variants: which version is the newest, and which one to update to.

Everything follows from the labels of an image, unless its author sets something else.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple, Protocol

from pydantic import Field

from .base_model import Model
from .types import Positive
from .versions import END, PRE_RELEASE, REVISION, VARIANT, Numbers, Suffix, newest_first, numbers_in, split

_DIGITS = re.compile(r"[0-9]+")
_WORDS = re.compile(r"[a-z]+")
_LEADING_WORD = re.compile(r"[._+-]*(?:(?:v|release|version)[._+-]*(?=[0-9]))?([^0-9._+-]*)")
Lines = Literal["major", "minor", "patch", "none"]
"""How many of the numbers of a version are its line."""
_DEPTHS = {"major": 1, "minor": 2, "patch": 3}
_FOR_DEVELOPERS = frozenset({"dev", "debug"})
_YEAR = 4
"""Number of digits from which on a first number is a year, or the number of a build."""


class Label(NamedTuple):
    """A version label, split."""

    numbers: tuple[str, ...]
    """As written, `("22", "04")`; empty for a channel such as `latest`."""
    marks: tuple[Suffix, ...]
    """Pre-release words, revisions and glued words right after the numbers."""
    words: tuple[str, ...]
    """The rest, in lower case: `("debian13", "dev")`. For a channel, everything."""
    key: tuple[Numbers, tuple[Suffix, ...]]
    """Sort key within a variant; the newest is greatest, equal keys mean the same release."""

    @property
    def pre_release(self) -> bool:
        return any(rank == PRE_RELEASE for rank, *_ in self.marks)


@lru_cache(maxsize=4096)
def parse_label(text: str) -> Label:
    """Split a label that has passed its grammar."""
    digits, segments = split(text)
    numbers = tuple(_DIGITS.findall(digits))
    marks: list[Suffix] = []
    for segment in segments if numbers else ():
        rank, _, _, revision = suffix = segment.suffix
        if rank == PRE_RELEASE and segment.word == "dev" and not segment.digits:
            rank, suffix = VARIANT, (VARIANT, 0, segment.word, ())  # a build for developers: `3.14-dev`
        elif rank == PRE_RELEASE and marks and segment.digits:
            suffix = (REVISION, 0, segment.word, revision)  # `8u502-b07`
        if rank == VARIANT and {*segment.separator} & {*"-_+"}:
            break
        marks.append(suffix)
    words: list[str] = []
    for segment in segments[len(marks) :]:
        spaced = segment.word and segment.digits and not segment.digits[0].isdigit()
        word = f"{segment.word}{'-' if spaced else ''}{segment.digits.lstrip('._+-')}"
        if words and not segment.separator:
            words[-1] += word  # `deb12u4`
        else:
            words.append(word)
    return Label(numbers, tuple(marks), tuple(words), (numbers_in(digits), (*marks, END)))


class Cycle(NamedTuple):
    """A release cycle of a product of endoflife.date."""

    name: str
    end_of_life: str | None
    """Day on which its support ends."""
    ended: bool
    """Whether its support has ended on an unknown day."""


def cycle_of(label: str, cycles: Iterable[Cycle]) -> Cycle | None:
    """The cycle with the longest name that is a prefix of the label from its first digit on."""
    text = label.lower()
    first_digit = _DIGITS.search(text)
    starts = {text, text[first_digit.start() :] if first_digit else text}
    matching = [cycle for cycle in cycles if any(_begins(start, cycle.name.lower()) for start in starts)]
    return max(matching, key=lambda cycle: len(cycle.name), default=None)


def _begins(text: str, name: str) -> bool:
    name = re.sub(r"^v(?=[0-9])", "", name)
    return text.startswith(name) and not text[len(name) : len(name) + 1].isdigit()


class LineRules(NamedTuple):
    """What an author sets for lines and variants, on the page or for the collection."""

    lines: Lines | None = None
    cycles: Sequence[Cycle] = ()
    """Of the page's product."""
    has_variants: bool = True

    def line(self, label: str) -> str:
        """The line of a version without a line of its own; "" for none.

        Without a rule, it is all numbers except the last, one or two of them; of a label without numbers, the
        first word.
        """
        numbers, _, words, _ = parse_label(label)
        if cycle := cycle_of(label, self.cycles):
            return cycle.name
        if self.lines == "none":
            return ""
        if not numbers:
            return words[0] if words else label.lower()
        return ".".join(numbers[: _DEPTHS.get(self.lines or "", min(max(len(numbers) - 1, 1), 2))])

    def variant(self, label: str) -> str:
        """The variant of a version without a variant of its own; "" for none."""
        numbers, _, words, _ = parse_label(label)
        return "-".join(words if numbers else words[1:]) if self.has_variants else ""


class Version(Protocol):
    """The properties that decide about a version."""

    @property
    def version(self) -> str: ...
    @property
    def line(self) -> str: ...
    @property
    def variant(self) -> str: ...
    @property
    def tags(self) -> Sequence[str]: ...


def tagged_latest(versions: Iterable[Version]) -> Version | None:
    """The version with the tag `latest`, if it has numbers. It decides about all versions of an image:

    - Its variant is the default one.
    - Versions of another form are neither the newest nor an update: `20231015` and `pr-12` beside 2.4.1. The
      form is the word before the first number (`v`, `release` and `version` are none), and whether that
      number has four digits or more.
    - It does not decide more: in many workflows, a build of an older line moves the tag. So a final version
      above it is the newest nevertheless, if it has the same form and variant.
    """
    tagged = (version for version in versions if any(tag.lower() == "latest" for tag in version.tags))
    return next((version for version in tagged if parse_label(version.version).numbers), None)


def form(label: str) -> tuple[str, bool]:
    """The word before the first number of a label, and whether that number is a year or greater."""
    numbers, leading = parse_label(label).numbers, _LEADING_WORD.match(label.lower())
    return leading[1] if leading else "", bool(numbers) and len(numbers[0]) >= _YEAR


def default_variant(versions: Collection[Version]) -> str:
    """The variant that most users want: that of the tag `latest`, else the one of plain labels, without tools
    for developers.
    """
    by_variant: dict[str, list[Version]] = defaultdict(list)
    for version in versions:
        by_variant[version.variant].append(version)
    if len(by_variant) == 1:
        return next(iter(by_variant))
    if tagged := tagged_latest(versions):
        return tagged.variant

    def rank(variant: str) -> tuple[bool, bool, int, int, object, str]:
        members = by_variant[variant]
        words = _WORDS.findall(variant.lower())
        plain = any(_is_plain(text) for member in members for text in (member.version, *member.tags))
        return (
            plain,
            _FOR_DEVELOPERS.isdisjoint(words),
            -len(words),
            len({member.line for member in members}),
            max(parse_label(member.version).key for member in members),
            variant,
        )

    return max(by_variant, key=rank)


def _is_plain(text: str) -> bool:
    """Whether a label or tag is `latest`, or only numbers and marks of a final version."""
    label = parse_label(text)
    return text.lower() == "latest" or bool(label.numbers and not label.words and not label.pre_release)


def newest_label(versions: Sequence[Version], variant: str | None = None) -> str:
    """The newest version: `latest`, else the greatest final one of the variant if a version has it, else of
    the default variant.

    A version of another form than the one with the tag `latest` is only newest if there is no other.
    """
    if latest := next((version.version for version in versions if version.version.lower() == "latest"), None):
        return latest
    if not any(version.variant == variant for version in versions):
        variant = default_variant(versions)
    labels = [version.version for version in versions if version.variant == variant]
    numbered = [label for label in labels if parse_label(label).numbers]
    if tagged := tagged_latest(versions):
        numbered = [label for label in numbered if form(label) == form(tagged.version)] or numbered
    final = [label for label in numbered if not parse_label(label).pre_release]
    ordered = newest_first(final or numbered or labels)
    if not numbered:
        return ordered[0]
    return max(ordered, key=lambda label: parse_label(label).key)


class Keep(Model):
    """The versions to list of each variant."""

    lines: Annotated[Positive, Field(description="Number of newest lines.")]
    each: Annotated[Positive, Field(description="Number of newest versions of each line.")] = 1


def listed(versions: Sequence[Version], keep: Keep | None, newest: str | None) -> set[str]:
    """The labels that are listed: those that `keep` counts, the newest and the one with the tag `latest`."""
    if keep is None:
        return {version.version for version in versions}
    tagged = tagged_latest(versions)
    always = {newest, tagged.version if tagged else None}
    return _kept(versions, keep) | {version.version for version in versions if version.version in always}


def _kept(versions: Iterable[Version], keep: Keep) -> set[str]:
    """The newest labels of the newest lines. In each line, pre-releases come after all final versions."""
    places = {version.version: (version.variant, version.line) for version in versions}
    order = {label: position for position, label in enumerate(newest_first(places))}
    in_line: dict[tuple[str, str], list[str]] = defaultdict(list)
    for label in sorted(order, key=lambda label: (parse_label(label).pre_release, order[label])):
        in_line[places[label]].append(label)
    newest_lines: dict[str, list[list[str]]] = defaultdict(list)
    for labels in sorted(in_line.values(), key=lambda labels: order[labels[0]]):
        newest_lines[places[labels[0]][0]].append(labels)
    return {
        label
        for lines in newest_lines.values()
        for labels in lines[: keep.lines]
        for label in labels[: keep.each]
    }


class Advice(NamedTuple):
    """The versions to update to; None if there is none."""

    upgrade: str | None = None
    """The greatest newer version of the same line and variant."""
    new_line: str | None = None
    """The greatest newer version of the variant, if its line is another one."""


def update_advice(
    versions: Sequence[Version], latest: str | None, gone: Collection[str] = ()
) -> dict[str, Advice]:
    """Label → advice; never a version that is `gone` from its registry, or of a line above that of `latest`,
    if the page sets it, or else of another form than the version with the tag `latest`.
    """
    tagged = None if latest else tagged_latest(version for version in versions if version.version not in gone)
    by_label = {version.version: version for version in versions}
    numbered = [label for label in newest_first(by_label) if parse_label(label).numbers]
    numbered.sort(key=lambda label: parse_label(label).key, reverse=True)
    in_line: dict[tuple[str, str], list[str]] = defaultdict(list)
    in_variant: dict[str, list[str]] = defaultdict(list)
    for label in numbered:
        version = by_label[label]
        if label in gone or (tagged and form(label) != form(tagged.version)):
            continue
        in_line[version.variant, version.line].append(label)
        if not _above(version, by_label.get(latest or "")):
            in_variant[version.variant].append(label)
    advice = dict.fromkeys(by_label, Advice())
    for label in numbered:
        version = by_label[label]
        new_line = _greatest(in_variant[version.variant], label)
        if new_line and by_label[new_line].line == version.line:
            new_line = None
        advice[label] = Advice(_greatest(in_line[version.variant, version.line], label), new_line)
    return advice


def _above(version: Version, latest: Version | None) -> bool:
    """Whether a version is of a line above that of the page's `latest`."""
    if latest is None or version.line == latest.line or not parse_label(latest.version).numbers:
        return False
    return parse_label(version.version).key > parse_label(latest.version).key


def _greatest(candidates: Iterable[str], label: str) -> str | None:
    """The first newer one of the candidates (newest first); a pre-release only for pre-releases."""
    own = parse_label(label)
    for candidate in candidates:
        other = parse_label(candidate)
        if other.key <= own.key:
            return None
        if not other.pre_release or (own.pre_release and other.key[0] == own.key[0]):
            return candidate
    return None
