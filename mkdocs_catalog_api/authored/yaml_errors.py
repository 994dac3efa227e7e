"""What is wrong with a YAML text, in words that a person who does not know its grammar can act on."""

from __future__ import annotations

import yaml

from ..problems import Problem
from ..problems.codes import Code


class YamlError(ValueError):
    """The text is not YAML that can be used; `line` and `column` count from 1."""

    def __init__(self, line: int, column: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.line, self.column, self.message, self.hint = line, column, message, hint

    def problem(self, file: str) -> Problem:
        return Problem(file, self.line, self.column, "", self.message, self.hint, code=Code.SYNTAX)


# What libyaml says, in its problem or its context → a message (… is the character there) and a hint.
_SAID = (
    ("tab character", "a tab, which YAML does not allow here", "indent with spaces"),
    ("mapping values are not allowed", "a second `: ` in one line", 'put the value in quotes: key: "A: B"'),
    ("undefined alias", "an alias that nothing is called by", "a value that begins with * needs quotes"),
    ("cannot start any token", "a value can't begin with …", "put the value in quotes"),
    ("did not find expected ',' or ']'", "a list that is not closed", "close it with ]"),
    ("did not find expected ',' or '}'", "a mapping that is not closed", "close it with }"),
    ("found unexpected end of stream", "a quote that is not closed", "close it with the same quote"),
    ("did not find expected '-' indicator", "no entry of the list begins here", "check the indentation"),
    (
        "did not find expected key",
        "what stands here belongs to no key",
        "check indentation, quotes and brackets",
    ),
    ("could not find expected ':'", "a line without `key: `", "check the line above too"),
    (
        "did not find expected node content",
        "a value is missing before …",
        "write it, or close the bracket before it",
    ),
    (
        "block sequence entries are not allowed",
        "a list can't begin in this line",
        "begin it in the next line",
    ),
    ("expected a single document", "a second document begins here", "remove the line"),
    ("parsing a quoted scalar", "an unknown escape in a quoted text", "write \\\\ for a backslash"),
)
_BEGINS = ("a flow ", "a quoted scalar")
"""Contexts of which the beginning is what an author looks for, rather than the place where hope was lost."""


def mark(error: yaml.MarkedYAMLError) -> yaml.Mark:
    """Where an author has to look."""
    if error.context_mark and any(begin in (error.context or "") for begin in _BEGINS):
        return error.context_mark
    return error.problem_mark or error.context_mark or yaml.Mark("", 0, 0, 0, None, 0)


def explain(error: yaml.MarkedYAMLError, text: str) -> tuple[str, str]:
    """A message and a hint that a person who does not know YAML's grammar can act on."""
    where = error.problem_mark or mark(error)
    lines = text.split("\n")
    content = lines[where.line] if where.line < len(lines) else ""
    before, at = content[: where.column], content[where.column : where.column + 1]
    problem, context = error.problem or "it can't be read", error.context or ""
    if "cannot start any token" in problem and at == "\t":
        return "a tab, which YAML does not allow here", "indent with spaces"
    if "mapping values are not allowed" in problem and ": " not in before:
        return f"the key `{before.strip()}` can't stand here", "check its indentation, and the line above"
    for found, message, hint in _SAID:
        if found in problem or found in context:
            return message.replace("…", at or "the end of the line"), hint
    return (
        f"not valid YAML: {' '.join(filter(None, (problem, context)))}",
        "check the indentation, quotes and brackets around this line",
    )
