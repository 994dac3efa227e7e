"""Logos of items: the picture that the author gives, else an icon of the theme, else letters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from markupsafe import escape

from .view import Item

SPRITE = "assets/catalog-api-logos.svg"
"""Path in the site of the icons that the catalog uses: a symbol for each slug."""
_ICONS = ".icons/simple"
"""Folder of the icons of https://simpleicons.org (CC0) in Material's templates."""
_HUES = 8
_ICON = re.compile(
    r'<svg [^<>]*viewBox="0 0 24 24"[^<>]*><path d="([\dMLHVCSQTAZ.,+\-\s]+)"/></svg>\s*', re.IGNORECASE
)
"""A file of simple-icons; only its outline is used."""
_OTHERS = {
    *("box", "buffer", "compass", "make", "meta", "now", "render"),
    *("ring", "shell", "target", "wire", "x", "zoom"),
}
"""Icons of companies whose names are those of common tools."""


class Logos:
    """The logos of all items. `theme` are the theme's folders of templates; the first with an icon counts."""

    def __init__(self, theme: Sequence[Path], items: Iterable[Item]) -> None:
        folders = [folder / _ICONS for folder in theme if (folder / _ICONS).is_dir()]
        self.icons: dict[str, str] = {}
        """Slug → outline of its icon in a square of 24, as path data."""
        for item in items:
            slug = str(item["slug"])
            if slug not in self.icons and self.picture(item) is None:
                outlines = (_outline(folder / name) for name in _names(item) for folder in folders)
                if outline := next(filter(None, outlines), None):
                    self.icons[slug] = outline

    @staticmethod
    def picture(item: Item) -> str | None:
        """The root-relative address of the author's picture; None for one on another host."""
        logo = item.get("logo")
        return logo if isinstance(logo, str) and logo.startswith("/") else None

    @staticmethod
    def letters(item: Item) -> str:
        """Two letters or digits of the name: the first of its first two words, else of its only word.

        One letter could be taken for a grade.
        """
        name = str(item["name"])
        words: list[str] = re.findall(r"[^\W_]+", name) or [name]
        return (words[0][0] + words[1][0] if words[1:] else words[0][:2]).lower()

    @staticmethod
    def hue(item: Item) -> int:
        """Number of the color of the tile; the script computes the same."""
        return sum(map(ord, str(item["slug"]))) % _HUES

    def of(self, slugs: Iterable[str]) -> str:
        """The slugs that have an icon, as in the attribute `data-icons` of a list."""
        return " ".join(slug for slug in dict.fromkeys(slugs) if slug in self.icons)

    @property
    def sprite(self) -> bytes | None:
        """The icons in one file; None without any."""
        if not self.icons:
            return None
        symbols = "".join(
            f'<symbol id="{escape(slug)}" viewBox="0 0 24 24"><path d="{outline}"/></symbol>\n'
            for slug, outline in sorted(self.icons.items())
        )
        return f'<svg xmlns="http://www.w3.org/2000/svg">\n{symbols}</svg>\n'.encode()


def _names(item: Item) -> Iterator[str]:
    """Names of icon files that fit only this item, the most certain first."""
    slug = str(item["slug"])
    # simple-icons names an icon after the brand: "Node.js" is `nodedotjs`.
    brand = str(item["name"]).lower().replace("+", "plus").replace(".", "dot").replace("&", "and")
    name = re.sub(r"[^a-z0-9]", "", brand)
    plain = re.sub(r"[^a-z0-9]", "", slug.removesuffix("-server"))
    for stem in dict.fromkeys((name, plain, f"apache{plain}", f"eclipse{plain}", f"{plain}proxy")):
        if stem and stem not in _OTHERS:
            yield f"{stem}.svg"


def _outline(file: Path) -> str | None:
    """The outline of an icon; None if there is no such file, or if it contains anything else."""
    try:
        icon = _ICON.fullmatch(file.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return icon[1] if icon else None
