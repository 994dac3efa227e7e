"""Lists words and phrases that make text hard to read: `python -m tests.words [PATH…]` fails on any.

It reads Markdown without its code, the text and comments of templates, strings, docstrings and comments of
Python and JavaScript, and comments of CSS. Without paths, it reads the documentation and the package.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PATHS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "example_site/docs", "mkdocs_catalog_api"]
LONGEST_PARAGRAPH = 60


class Rule(NamedTuple):
    name: str
    pattern: re.Pattern[str]
    better: str
    bad: str
    """A sentence that breaks the rule; a test proves it."""


class Hit(NamedTuple):
    file: Path
    line: int
    rule: str
    words: str
    better: str


def _rule(name: str, pattern: str, better: str, bad: str) -> Rule:
    return Rule(name, re.compile(pattern, re.IGNORECASE), better, bad)


_AFTER_WHAT = "is|are|was|were|has|have|had|it|they|you|a|the|an|its|no|nothing|others|people|your"
_BRITISH = (
    r"licen[c]e[ds]?|catalogu(?:e|es|ed|ing)|(?:colou|behaviou|favou|honou|neighbou|flavou|labou)r\w*|"
    r"cent(?:re|res|red)|defence|grey|whilst|amongst|artefacts?|cancell(?:ed|ing)|label(?:led|ling)|"
    r"(?:un)?modell(?:ed|ing)|travell\w+|analys(?:e[ds]?|ers?|ing)|"
    r"\w*(?:normal|serial|organ|recogn|summar|optim|minim|maxim|initial|categor|custom|author|capital|synchron"
    r"|general|special|visual|emphas|apolog|standard|util)is(?:e[ds]?|ing|ations?)"
)
RULES = [
    _rule("tell", r"\b(?:tells?|told|telling)\b", "report, show, detect", "The content tells the format."),
    _rule("say", r"\b(?:says?|said|saying)\b", "contain, state, set", "The report says nothing."),
    _rule("speak", r"\b(?:speaks?|spoke|spoken)\b", "use, mention", "The page speaks of versions."),
    _rule(
        "noun of what",
        rf"(?:^|[.;:(,]\s+|\b(?:of|for|and|but|with|than|to|in|on|by|from)\s+)what\s+(?:{_AFTER_WHAT})\b(?![^.]*\?)",
        "name the thing",
        "A note lists the names of what was unused.",
    ),
    _rule(
        "stand, lie",
        r"\b(?:stands?|stood|lies?|lay|lain)\b(?!-|\s+(?:for|out)\b)",
        "be, is in",
        "It lies here.",
    ),
    _rule(
        "is no",
        r"(?<!there )\b(?:is|are|was|were|be)\s+no\s+(?!(?:longer|more|less|need|way|such|one)\b)[a-z]\w*",
        "is not a, there is no",
        "This is no expression.",
    ),
    _rule(
        "preposition at the end", r"\b(?:of|for|about|upon|into|at)(?=[.;)])", "turn it around", "Look at."
    ),
    _rule(
        "quaint word",
        r"\b(?:mend(?:s|ed|ing)?|anew|likewise|nobody|somebody|beside|faults?|refus(?:e|es|ed|ing)|whoever"
        r"|hitherto|thereof|therein|wherein|whereof|lest|upon|will do)\b",
        "fix, again, nothing, next to, error, reject, anyone",
        "Mend it anew.",
    ),
    _rule("perhaps", r"\bperhaps (?:you|it|the)\b", "did you mean `x`?", "perhaps you mean x"),
    _rule(
        "something else than",
        r"\belse than\b",
        "not a",
        "It is of something else than an image.",
    ),
    _rule("not a single", r"\bnot a single\b|\bthe like of\b", "no", "It has not a single item."),
    _rule(
        "filler", r"\b(?:simply|just|of course|obviously|needless)\b", "leave it out", "You just build it."
    ),
    _rule("British", rf"\b(?:{_BRITISH})\b", "American spelling", "The licen" + "ce has a colour."),
    _rule("exclamation mark", r"(?<=[a-z])!(?=\s|$)", "a period", "It works!"),
]
"""Each is a habit that makes readers stumble."""

EXCEPTIONS: dict[str, str] = {}
"""Part of a line that may break a rule → the reason."""

_CODE = "\x01"  # between passages, so that no pattern matches across code
_VALUE = "¤"  # in place of a value or of code within a sentence


def hits(paths: Iterable[Path]) -> Iterator[Hit]:
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix in _PROSE:
                yield from hits_in(file, file.read_text("utf-8"))


def hits_in(file: Path, source: str) -> Iterator[Hit]:
    """The hits in the text of one file, in the order of its lines."""
    prose = _PROSE[file.suffix](source)
    lines = source.splitlines()
    matches = [
        (match.end() - len(words), rule, words)
        for rule in RULES
        for match in rule.pattern.finditer(prose)
        if (words := re.sub(r"^\W+(?=\w)", "", match[0]))
    ]
    for start, rule, words in sorted(matches, key=lambda row: row[0]):
        number = prose.count("\n", 0, start) + 1
        if not any(part in lines[number - 1] for part in EXCEPTIONS):
            yield Hit(file, number, rule.name, " ".join(words.split()), rule.better)
    if file.suffix == ".md" and "guide" in file.parts:
        for number, paragraph in _paragraphs(prose):
            if len(paragraph) > LONGEST_PARAGRAPH:
                opening = " ".join(paragraph[:4]).replace(_VALUE, "`…`")
                yield Hit(file, number, "long paragraph", f"{opening} … ({len(paragraph)} words)", "split it")


def _paragraphs(prose: str) -> Iterator[tuple[int, list[str]]]:
    """First line and words of each paragraph and each list item; tables and headings are left out."""
    first, words = 0, list[str]()
    for number, line in enumerate([*prose.split("\n"), ""], 1):
        text = line.strip()
        starts = not text or bool(re.match(r"[-*+] |\d+\. |\||#|[!?]{3}|===|:::", text))
        if starts and words:
            yield first, words
            first, words = 0, []
        if text and not text.startswith(("|", "#")):
            first = first or number
            words += [word for word in text.split() if re.search(r"\w", word) or word == _VALUE]


def _blank(text: str, fill: str = " ") -> str:
    """As many characters and lines, so that what follows keeps its place."""
    return re.sub(r"[^\n]", fill, text)


def _value(match: re.Match[str]) -> str:
    return _VALUE + _blank(match[0])[1:]


def _code(match: re.Match[str]) -> str:
    return _blank(match[0], _CODE)


def _markdown(source: str) -> str:
    source = re.sub(r"\A---\n.*?\n---\n", _code, source, flags=re.DOTALL)
    source = re.sub(r"^( *)(```+|~~~+).*?^\1\2", _code, source, flags=re.DOTALL | re.MULTILINE)
    source = re.sub(r"`[^`]+`", _value, re.sub(r"<!--.*?-->", _code, source, flags=re.DOTALL))
    return re.sub(r"(?<=\])\([^()\s]*\)|<[^>\n]+>|https?:\S+", lambda match: _blank(match[0]), source)


def _template(source: str) -> str:
    source = re.sub(r"\{%.*?%\}|\{\{.*?\}\}", _value, source, flags=re.DOTALL)
    attribute = re.compile(r'\b(?:aria-label|title|placeholder|alt|content)="([^"]*)"')

    def tag(match: re.Match[str]) -> str:
        text = [*_blank(match[0], _CODE)]
        for found in attribute.finditer(match[0]):
            text[found.start(1) : found.end(1)] = found[1]
        return "".join(text)

    return re.sub(r"<[a-z/!][^>]*>", tag, source, flags=re.IGNORECASE)


def _script(source: str) -> str:
    """Comments, and strings that have a space."""
    pattern = re.compile(
        r"/\*.*?\*/|(?<!:)//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`", re.DOTALL
    )
    prose, end = "", 0
    for match in pattern.finditer(source):
        text = match[0]
        if text[0] == "`":
            text = re.sub(r"\$\{[^}]*\}", _value, text)
        elif text[0] == "/":
            text = re.sub(r"`[^`\n]+`", _value, text)
        kept = " " + text[1:-1] + " " if text[0] == "/" or " " in text else _blank(text, _CODE)
        prose += _blank(source[end : match.start()], _CODE) + kept
        end = match.end()
    return prose + _blank(source[end:], _CODE)


def _style(source: str) -> str:
    return re.sub(r"(?:\A|(?<=\*/)).*?(?:(?=/\*)|\Z)", _code, source, flags=re.DOTALL)


def _python(source: str) -> str:
    """Comments, and strings that have a space; neighbors that Python joins to one string stay one text."""
    lines = [list(_blank(line, _CODE)) for line in source.split("\n")]
    previous: tokenize.TokenInfo | None = None
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            continue
        text, row, column = token.string, token.start[0] - 1, token.start[1]
        if token.type == tokenize.STRING:
            text = _string(text)
        elif token.type == tokenize.COMMENT:
            text = re.sub(r"`[^`]+`", _value, " " + text[1:])
        elif token.type != getattr(tokenize, "FSTRING_MIDDLE", -1):
            previous = token
            continue
        if previous and previous.type == token.type and row > previous.end[0] - 1:
            for between in range(
                previous.end[0] - 1, row
            ):  # the space before the second half is in its first
                start = previous.end[1] if between == previous.end[0] - 1 else 0
                lines[between][start:] = " " * len(lines[between][start:])
            lines[row][:column] = " " * column
        for offset, part in enumerate(text.split("\n")):
            start = column if offset == 0 else 0
            lines[row + offset][start : start + len(part)] = part
        previous = token
    return "\n".join("".join(line) for line in lines)


def _string(literal: str) -> str:
    """Text of a literal without its quotes and values; nothing of a pattern or of a word alone."""
    match = re.match(r"""([a-zA-Z]*)("{3}|'{3}|"|')""", literal)
    assert match
    prefix, quotes = match[1].lower(), match[2]
    inner = literal[match.end() : -len(quotes)]
    if "r" in prefix or "b" in prefix or " " not in inner:
        return _blank(literal, _CODE)
    if "f" in prefix:
        inner = re.sub(r"\{[^{}]*\}", _value, inner)
    inner = re.sub(r"`[^`\n]+`", _value, inner).replace("\\n", "  ")
    return " " * match.end() + inner + " " * len(quotes)


_PROSE: dict[str, Callable[[str], str]] = {
    ".md": _markdown,
    ".html": _template,
    ".py": _python,
    ".js": _script,
    ".css": _style,
}
"""Suffix of a file → the function that blanks everything in it except prose."""


def main(arguments: list[str]) -> int:
    count = 0
    for hit in hits([Path(path) for path in arguments] or [ROOT / path for path in PATHS]):
        count += 1
        file = hit.file.relative_to(ROOT) if hit.file.is_relative_to(ROOT) else hit.file
        print(f"{file}:{hit.line}: {hit.rule}: {hit.words} (better: {hit.better})")
    if count:
        print(f"{count} to reword", file=sys.stderr)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
