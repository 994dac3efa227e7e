"""Reads a site from mkdocs.yml and docs_dir, without MkDocs. Also for sites of other generators."""

from __future__ import annotations

from pathlib import Path

from ..catalog.addresses import PREFIX, web_address
from ..problems import CatalogError, Level, Problem, Problems
from ..problems.codes import Code
from .config_file import PAGE_PATTERNS, PLUGIN, ConfigFile, MkDocsYml, inherits, read_mkdocs_yml
from .docs_dir import DocsDir
from .folders import has_links, is_within
from .messages import resembling
from .settings import Settings, read_settings
from .site import Site


def needs_mkdocs(config_file: Path, problems: Problems) -> bool:
    """Whether MkDocs must read the site, as it has what `read_site` does not know: a key or plugin that may
    change its pages, or a link. False if the configuration is invalid.

    Adds the problems of the configuration, as `read_site` does.
    """
    if config_file.suffix == ".toml":
        return False
    if inherits(config_file):
        return True
    yml = read_mkdocs_yml(config_file, problems)
    if yml is None or PLUGIN not in dict(yml.plugins):
        return False
    return yml.needs_mkdocs or has_links(config_file.parent / yml.docs_dir)


def read_site(
    config_file: Path,
    problems: Problems,
    *,
    site_dir: str | None = None,
    web: bool = False,
) -> tuple[Site, Settings, bool]:
    """Return the site, the settings of the plugin, and `strict` of mkdocs.yml.

    `site_dir` is relative to the folder of mkdocs.yml, as in mkdocs.yml. `web` is whether another generator
    makes the pages.

    Raises:
        CatalogError: mkdocs.yml is invalid.
    """
    config = ConfigFile(config_file)
    yml = read_mkdocs_yml(config_file, problems)
    if yml is None:
        raise CatalogError(problems)
    _check_plugins(yml, config, problems)
    root = config_file.absolute().parent
    docs_dir = root / yml.docs_dir
    if not docs_dir.is_dir():
        message = f"the folder {yml.docs_dir!r} does not exist"
        hint = "create it or correct the path"
        problems.add(Problem(*config.key("docs_dir"), message, hint, code=Code.MISSING_PATH))
    if is_within(docs_dir, root / (site_dir or yml.site_dir)):
        message = f"docs_dir is in the site folder, {str(site_dir or yml.site_dir)!r}"
        hint = "use another folder for the site"
        problems.add(Problem(*config.key("site_dir"), message, hint, code=Code.MISSING_PATH))
    for key in sorted(PAGE_PATTERNS & (yml.model_extra or {}).keys()):
        message, hint = "only MkDocs reads these patterns", "set `catalog: false` on these pages"
        problems.add(Problem(*config.key(key), message, hint, Level.WARNING, code=Code.SETTING))
    settings = read_settings(yml.options(PLUGIN) or {}, config, problems)
    if settings is None or problems.refuse(strict=False):
        raise CatalogError(problems)
    docs = DocsDir(docs_dir, root, yml, problems)
    site = Site(
        config=config,
        root=root,
        docs_dir=docs_dir,
        site_dir=root / (site_dir or yml.site_dir),
        site_url=web_address(yml.site_url) if yml.site_url else None,
        title=yml.site_name,
        pages=docs.pages(),
        occupied_paths=docs.below(PREFIX + "/"),
        other_files=docs.number,
        custom_dir=root / yml.theme.custom_dir if yml.theme.custom_dir else None,
        languages=(yml.theme.language or yml.theme.locale or "en",),
        directory_urls=None if web or config.generator == "Zensical" else yml.directory_urls,
    )
    return site, settings, yml.strict


def _check_plugins(yml: MkDocsYml, config: ConfigFile, problems: Problems) -> None:
    names = [name for name, _ in yml.plugins]
    if PLUGIN not in names:
        message = f"the plugin {PLUGIN} is missing"
        table = f"the table [project.plugins.{PLUGIN}]"
        hint = f"add {table if config.generator == 'Zensical' else f'`- {PLUGIN}` to `plugins`'}"
        if near := resembling(PLUGIN, names):
            hint = f"did you mean `{PLUGIN}` instead of `{near}`?"
        problems.add(Problem(*config.key("plugins"), message, hint, code=Code.PLUGINS))
    elif names.count(PLUGIN) > 1:
        message = f"the plugin {PLUGIN} is listed twice"
        hint = "merge the settings, and remove one of them"
        problems.add(Problem(*config.key("plugins"), message, hint, code=Code.PLUGINS))
