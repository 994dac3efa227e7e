"""Reads a site with MkDocs, for sites with hooks or plugins that may make or change pages."""

from __future__ import annotations

import logging
import os
import re
import sys
from contextlib import redirect_stdout
from logging.handlers import BufferingHandler
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import ConfigurationError
from mkdocs.plugins import PluginCollection
from msgspec.structs import replace

from ..authored.settings import Settings
from ..authored.site import Site
from ..problems import CatalogError, Problem, Problems
from ..problems.codes import Code
from .plugin import CatalogApiPlugin, SiteRead

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

_NOT_INSTALLED = re.compile(r'The "(.+)" plugin is not installed')


def read_with_mkdocs(
    config_file: Path, problems: Problems, *, site_dir: str | None = None, translations: bool = False
) -> tuple[Site, Settings, bool]:
    """Return the site, the settings of the plugin, and `strict` of mkdocs.yml, as a build sees them.

    MkDocs runs its events until all pages are rendered, and writes nothing. With `translations`, it does this
    for each language of static-i18n.

    Raises:
        CatalogError: the settings are invalid, or MkDocs can't read the site.
    """
    errors, log = BufferingHandler(sys.maxsize), logging.getLogger("mkdocs")
    errors.setLevel(logging.ERROR)
    log.addHandler(errors)
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "true")  # a banner of Material that is not about the catalog
    try:
        with redirect_stdout(sys.stderr):  # hooks may print; the output of a command is for programs
            return _read(config_file, problems, site_dir, translations)
    except CatalogError:
        raise
    except (Exception, SystemExit) as error:  # hooks and plugins raise anything
        if not problems.refuse(strict=False):
            messages = [record.getMessage() for record in errors.buffer]
            message = messages[-1] if messages else f"{error!r}"
            problems.add(_problem(config_file.name, message, _failed_plugin(error)))
        raise CatalogError(problems) from error
    finally:
        log.removeHandler(errors)


def _read(
    config_file: Path, problems: Problems, site_dir: str | None, translations: bool
) -> tuple[Site, Settings, bool]:
    config = load_config(str(config_file), site_dir=site_dir)
    ours = (plugin for plugin in config.plugins.values() if isinstance(plugin, CatalogApiPlugin))
    plugin = next(ours, None)
    if plugin is None:
        raise ConfigurationError("the plugin catalog-api is not in `plugins`")
    plugin.read_only = True
    config.plugins.on_startup(command="build", dirty=False)
    try:
        site, settings, strict = _build(config, plugin, problems)
        i18n: Any = config.plugins.get("i18n") if translations else None
        translated = []
        for locale in i18n.build_languages if i18n else ():
            if locale != i18n.default_language:
                i18n.current_language = locale  # as static-i18n does before each nested build
                translated.append(_build(config, plugin, problems)[0])
        return replace(site, translations=translated), settings, strict
    finally:
        plugin.read_only = False  # MkDocs keeps the plugin for the next build of this process
        config.plugins.on_shutdown()


def _build(config: MkDocsConfig, plugin: CatalogApiPlugin, problems: Problems) -> tuple[Site, Settings, bool]:
    try:
        build(config)
    except SiteRead as site:
        return site.result
    finally:
        problems.extend(plugin.problems)
    raise ConfigurationError("no page was built")


def _failed_plugin(error: BaseException | None) -> str:
    """Return the plugin or hook in whose event the error was raised; empty if it was raised elsewhere."""
    name = ""
    while error and not name:
        for frame, _ in walk_tb(error.__traceback__):
            plugins, method = frame.f_locals.get("self"), frame.f_locals.get("method")
            if isinstance(plugins, PluginCollection) and method:
                name = plugins._event_origins.get(method, "")
        error = error.__context__
    return name


def _problem(file: str, message: str, plugin: str) -> Problem:
    if match := _NOT_INSTALLED.search(message):
        message, hint = f"the plugin {match[1]!r} is not installed", "install its package, or remove it"
    elif plugin:
        message, hint = f"{plugin} failed: {message}", "run `mkdocs build` for details"
    else:
        message, hint = f"MkDocs can't read the site: {message}", "run `mkdocs build` for details"
    return Problem(file, 0, 0, "plugins", message, hint, code=Code.PLUGINS)
