"""What the plugin says through MkDocs's log."""

from __future__ import annotations

import logging

from mkdocs.plugins import get_plugin_logger
from mkdocs.utils import CountHandler

from ..problems import Problems, lines

log = get_plugin_logger("catalog-api")


def report(problems: Problems) -> None:
    """Say all problems, each at its level; with `--verbose` no identical ones are put together."""
    for level, text in lines(problems, every=log.isEnabledFor(logging.DEBUG)):
        log.log(level, text)


def keep_out_of_strict() -> None:
    """Keep our problems from being counted for `strict`: it aborts, and in serve every request then hangs."""
    name = log.logger.name
    for handler in logging.getLogger(name.partition(".")[0]).handlers:
        if isinstance(handler, CountHandler):
            handler.addFilter(lambda record: record.name != name)
