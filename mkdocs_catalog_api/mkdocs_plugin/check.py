"""Check a site with pages that only MkDocs can determine: MkDocs runs until all pages are rendered."""

from __future__ import annotations

import logging
import sys
import tempfile
from logging.handlers import BufferingHandler
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, ConfigurationError, MkDocsException

from ..build import Build
from ..problems import CatalogError, Problem, Problems
from ..problems.codes import Code
from .plugin import CatalogApiPlugin, CheckedError


def check(config_file: Path, problems: Problems, *, strict: bool) -> Build:
    """Find the problems that `mkdocs build` finds, with hooks and plugins. Writes nothing to the site.

    Raises:
        CatalogError: the catalog has errors, or MkDocs can't read the site.
    """
    errors, log = BufferingHandler(sys.maxsize), logging.getLogger("mkdocs")
    errors.setLevel(logging.ERROR)
    log.addHandler(errors)
    try:
        with tempfile.TemporaryDirectory(prefix="catalog-api-") as folder:
            return _check(config_file, folder, problems, strict)
    except (Abort, MkDocsException) as error:
        if not problems.refuse(strict=strict):
            reason = errors.buffer[-1].getMessage() if errors.buffer else error
            message = f"MkDocs can't read the site: {reason}"
            problems.add(
                Problem(
                    config_file.name, 0, 0, "", message, "run `mkdocs build` for details", code=Code.PLUGINS
                )
            )
        raise CatalogError(problems) from error
    finally:
        log.removeHandler(errors)


def _check(config_file: Path, folder: str, problems: Problems, strict: bool) -> Build:
    config = load_config(str(config_file), site_dir=str(Path(folder) / "site"), strict=strict or None)
    plugin = next((each for each in config.plugins.values() if isinstance(each, CatalogApiPlugin)), None)
    if plugin is None:
        raise ConfigurationError("the plugin catalog-api is not in `plugins`")
    plugin.check_only = True
    config.plugins.on_startup(command="build", dirty=False)
    try:
        build(config)
    except CheckedError as done:
        return done.build
    finally:
        plugin.check_only = False  # MkDocs keeps the plugin for the next build of this process
        problems.extend(plugin.problems)
        config.plugins.on_shutdown()
    raise ConfigurationError("no page was built")
