"""The guide's reference of commands, from `--help`.

The help of a command is between `<!-- help: check -->` and `<!-- /help -->`.
"""

from __future__ import annotations

import re

from click.testing import CliRunner

from mkdocs_catalog_api.commands.main import main

_BLOCK = re.compile(r"(<!-- help: ([a-z-]+) -->\n).*?(<!-- /help -->)", re.DOTALL)


def help_text(command: str) -> str:
    """What `catalog-api COMMAND --help` prints on a terminal of 80 columns."""
    result = CliRunner().invoke(main, [command, "--help"], prog_name="catalog-api", terminal_width=80)
    assert result.exit_code == 0, result.output
    return result.output


def refreshed(text: str) -> str:
    """The text of the page with the help of each command as it is now."""
    return _BLOCK.sub(lambda found: f"{found[1]}\n```text\n{help_text(found[2])}```\n\n{found[3]}", text)
