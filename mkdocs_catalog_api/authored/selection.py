"""Which pages are items: the patterns of each collection, and the slug that a page's name gives."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from posixpath import splitext

from pathspec import GitIgnoreSpec

SLUG = "{slug}"
"""What a pattern captures."""
_LANDING = ("index.md", "README.md")
_GLOB = re.compile(r"\*\*/|\*\*|\*|\?|\{slug\}|\[[^\]]+\]|[^*?{\[]+|\[")
_AS_REGEX = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]", SLUG: "(?P<slug>[^/]+)"}


class Selection:
    """Decides which collection a page belongs to; each collection has patterns as in `.gitignore`."""

    def __init__(self, patterns: Mapping[str, Sequence[str]]) -> None:
        self._specs = {
            name: GitIgnoreSpec.from_lines(pattern.replace(SLUG, "*") for pattern in listed)
            for name, listed in patterns.items()
        }
        self._captures = {
            name: [_capture(pattern) for pattern in listed if SLUG in pattern]
            for name, listed in patterns.items()
        }
        self._folders = {
            name: {
                str(PurePosixPath(re.split(r"[*?\[{]", pattern, maxsplit=1)[0] + "x").parent)
                for pattern in listed
            }
            for name, listed in patterns.items()
        }

    def landing(self, collection: str, uri: str) -> bool:
        """Whether the page is the landing page of the collection, and so no item."""
        folder, _, name = uri.rpartition("/")
        return name in _LANDING and (folder or ".") in self._folders[collection]

    def matching(self, uri: str) -> list[str]:
        """The collections of which a pattern matches the page, landing pages aside."""
        return [
            name for name, spec in self._specs.items() if spec.match_file(uri) and not self.landing(name, uri)
        ]

    def finds(self, collection: str, uri: str) -> bool:
        """Whether a pattern of the collection matches the page, its landing page included."""
        return self._specs[collection].match_file(uri)

    def slug(self, collection: str, uri: str) -> str:
        """What a pattern captures, else `nginx` of images/nginx.md, images/nginx/index.md and …/README.md."""
        for capture in self._captures[collection]:
            if found := capture.fullmatch(uri):
                return found["slug"]
        folder, _, name = uri.rpartition("/")
        return folder.rpartition("/")[2] if name in _LANDING else splitext(name)[0]

    def names(self) -> list[str]:
        return list(self._specs)


def _capture(pattern: str) -> re.Pattern[str]:
    anywhere = "" if "/" in pattern else "(?:.*/)?"
    return re.compile(anywhere + "".join(map(_as_regex, _GLOB.findall(pattern))))


def _as_regex(part: str) -> str:
    if part[0] == "[" and part[-1] == "]":  # a set of characters, which `!` negates
        return part.replace("[!", "[^", 1)
    return _AS_REGEX.get(part, re.escape(part))
