"""Which tags of a repository are versions, and which of a digest's tags is its label.

Without a choice of the author, the first row that has any tag decides:

1. tags that begin with a number, also behind `v`, `release`, `version` or the name of the image
2. tags with one other word before the number, such as `jdk-21`, but not `pr-12`: see `UNRELEASED`
3. tags of builds that begin with a number, such as `1.2.3-3f2a91c`, but not commits, such as `3f2a91c`
4. `latest`

Tags of builds are not in rows 1 and 2. They end, after a separator or as a whole, in a commit: 7 to 40 hex
digits, also with `g` before them, at least one of them a letter; or in a number of 7 digits or more that is
no date, behind `-` or `_` or as a whole. Case is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .lines import parse_label
from .versions import REVISION

UNRELEASED = frozenset(
    {
        *("pr", "pull", "mr", "sha", "commit", "git", "build", "ci"),
        *("branch", "feature", "dependabot", "renovate"),
    }
)
"""Words before the number of a pull request, commit, build or branch."""
_WORDS_OF_RELEASES = ("", "v", "release", "version")
_NUMBERED = re.compile(r"([^0-9._+-]*)[._+-]*[0-9]")
"""A tag with at most one word before its first number."""
_NAME = re.compile(r"[a-z]+|(?:latest|stable|lts)[._-].*")
_COMMIT = re.compile(r"(?:^|[._+-])g?(?=[0-9]*[a-f])[0-9a-f]{7,40}$")
_LONG_NUMBER = re.compile(r"(?:^|[_-])([0-9]{7,})$")
_DATE = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:[0-9]{2}){0,3}")


def version_tags(tags: Iterable[str], image: str) -> list[str]:
    """Return the tags that are versions, in their order. `image` is the last part of the repository."""
    own_name = re.compile(rf"{re.escape(image.lower())}[._+-]*(?=v?[0-9])")
    names = {tag: own_name.sub("", tag.lower(), count=1) for tag in tags}
    words = {tag: match[1] for tag, name in names.items() if (match := _NUMBERED.match(name))}
    numbers = [tag for tag, word in words.items() if word in _WORDS_OF_RELEASES]
    releases = [tag for tag in numbers if not is_of_build(tag)]
    named = [tag for tag, word in words.items() if word not in UNRELEASED and not is_of_build(tag)]
    commits = any(_COMMIT.match(name) for name in names.values())
    builds = [tag for tag in numbers if not _is_whole_build(tag, beside_commits=commits)]
    return releases or named or builds or [tag for tag, name in names.items() if name == "latest"]


def other_names(tags: Iterable[str], versions: Iterable[str]) -> list[str]:
    """Return the tags that may be other names of these versions: words such as `latest`, `main` and
    `stable-alpine`, and numbers with which a version begins, `1` of `1.2.3`.
    """
    beginnings = {
        version[: match.start()] for version in versions for match in re.finditer(r"[._+-]", version)
    }
    return [tag for tag in tags if tag in beginnings or _NAME.fullmatch(tag.lower())]


def is_of_build(tag: str) -> bool:
    """Whether the tag ends in a commit or in the number of a build."""
    tag = tag.lower()
    number = _LONG_NUMBER.search(tag)
    return bool(_COMMIT.search(tag) or (number and not _DATE.fullmatch(number[1])))


def _is_whole_build(tag: str, *, beside_commits: bool) -> bool:
    """Whether the whole tag is a commit; one in 27 short ones has no letter."""
    tag = tag.lower()
    return bool(_COMMIT.match(tag) or (beside_commits and _LONG_NUMBER.match(tag)))


def label_first(tags: Iterable[str]) -> list[str]:
    """Return the tags of one digest: the label, then the others, sorted.

    The label has the most numbers, then the most revisions, then the fewest other words, then the fewest
    characters, then the first code points: `17.6-r2` of `17`, `17.6`, `17.6-r2`, `17.6-alpine`, `latest`.
    """
    ordered = sorted(tags)
    label = min(ordered, key=_inexactness, default=None)
    return [] if label is None else [label, *(tag for tag in ordered if tag != label)]


def _inexactness(tag: str) -> tuple[int, ...]:
    label = parse_label(tag)
    revisions = sum(rank == REVISION for rank, *_ in label.marks)
    words = len(label.words) + len(label.marks) - revisions
    return -len(label.numbers), -revisions, words, len(tag)
