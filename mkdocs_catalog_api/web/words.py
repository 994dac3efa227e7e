"""The words on pages that an author has replaced, for example by their translation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape

from markupsafe import escape

from ..authored.site import Site
from ..authored.yaml_text import parse
from ..problems import CatalogError, Problems, RefusedError
from ..problems.codes import Code

# Text between tags, and the attributes that readers see or hear
_TEXT = re.compile(r'(>|\b(?:aria-label|data-chip|data-label|placeholder)=")(\s*)([^<"]*[^<"\s])')
_NUMBER = re.compile(r"\d+(?:[,.]\d+)*")


def read_words(site: Site) -> Mapping[str, str]:
    """Return text → its replacement from `catalog/words.yml` in the templates of the site.

    Pages in another language have their own file, as in `catalog/words.de.yml`.

    Raises:
        CatalogError: the file is invalid.
    """
    ending = f".{site.language.rstrip('/')}" if site.language else ""
    path = site.custom_dir / "catalog" / f"words{ending}.yml" if site.custom_dir else None
    if path is None or not path.is_file():
        return {}
    try:
        data = parse(path.read_text("utf-8", errors="replace")).data or {}
        if not (isinstance(data, dict) and all(isinstance(text, str) for text in data.values())):
            hint = "write `Vulnerabilities: …` lines"
            raise RefusedError("expected texts and their replacements", hint, 1, 1)
    except RefusedError as error:
        name = f"{path.parent.name}/{path.name}"
        raise CatalogError(Problems([error.problem(name, Code.SYNTAX)])) from None
    return {str(key): str(text) for key, text in data.items()}


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
