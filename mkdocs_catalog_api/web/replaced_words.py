"""The words on pages that an author has replaced, for example by their translation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape

from markupsafe import escape

from ..authored.folders import name_of, read_file
from ..authored.site import Site
from ..authored.yaml_text import parse
from ..problems import CatalogError, Level, Problem, Problems, RefusedError
from ..problems.codes import Code

# Text between tags, and the attributes that readers see or hear
_TEXT = re.compile(r'(>|\b(?:aria-label|data-chip|data-label|placeholder)=")(\s*)([^<"]*[^<"\s])')
_NUMBER = re.compile(r"\d+(?:[,.]\d+)*")


def read_words(site: Site) -> Mapping[str, str]:
    """Return text → its replacement, from `catalog/words.de.yml` in the site's templates for pages in German.

    Pages in the default language without this file have `catalog/words.yml`. Raises `CatalogError` if the
    file is invalid.
    """
    language = site.language.rstrip("/") or site.languages[0]
    names = [f"words.{language}.yml", *([] if site.language else ["words.yml"])]
    files = [site.custom_dir / "catalog" / name for name in names] if site.custom_dir else []
    path = next((file for file in files if file.is_file()), None)
    if path is None:
        return {}
    try:
        if path.is_symlink():
            raise RefusedError("this link is not followed", "replace it with a copy of what it leads to")
        data = parse(read_file(path).decode("utf-8", "replace")).data or {}
        if not (isinstance(data, dict) and all(isinstance(text, str) for text in data.values())):
            hint = "write `Vulnerabilities: …` lines"
            raise RefusedError("expected texts and their replacements", hint, 1, 1)
    except RefusedError as error:
        name = f"{path.parent.name}/{path.name}"
        raise CatalogError(Problems([error.problem(name, Code.SYNTAX)])) from None
    return {str(key): str(text) for key, text in data.items()}


def unused_words(site: Site) -> Iterator[Problem]:
    """Warn of files for languages that the site does not have."""
    folder = site.custom_dir / "catalog" if site.custom_dir and not site.language else None
    for path in sorted(folder.glob("words.*.yml")) if folder else ():
        if path.name.split(".")[1] not in site.languages:
            message = f"not used: no page is in this language, but in {', '.join(site.languages)}"
            hint = f"rename it to words.{site.languages[0]}.yml, or set the theme's language"
            name = name_of(path, site.root)
            yield Problem(name, 0, 0, "", message, hint, Level.WARNING, code=Code.MARKER)


def replace_words(html: str, words: Mapping[str, str]) -> str:
    """Replace whole texts of some HTML. `{}` stands for each number in a text and in its replacement."""

    def replace(match: re.Match[str]) -> str:
        text = unescape(match[3])
        replacement = words.get(text) or words.get(_NUMBER.sub("{}", text))
        if replacement is None:
            return match[0]
        for number in _NUMBER.findall(text):
            replacement = replacement.replace("{}", number, 1)
        return f"{match[1]}{match[2]}{escape(replacement)}"

    return _TEXT.sub(replace, html) if words else html
