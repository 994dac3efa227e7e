"""MkDocs events → engine. Glue only: no rule of the catalog lives here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files, InclusionLevel

from .documents import addresses, badges
from .documents.gate import ContractError
from .engine import Build, Site, prepare
from .problems import CatalogError, Problems
from .settings import Settings, read_settings
from .sources.config_file import ConfigFile
from .sources.front_matter import Document, YamlError
from .sources.pages import Page, parse_defaults

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from jinja2 import Environment
    from mkdocs.config.base import ConfigErrors, ConfigWarnings
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.pages import Page as MkDocsPage

log = get_plugin_logger("catalog-api")

FIXED = (
    *(addresses.collection(name) for name in ("images", "charts", "roadmap", "updates")),
    *(addresses.SUMMARY, addresses.SECURITY_INDEX),
    *(addresses.INDEX, addresses.OPENAPI, addresses.MANIFEST),
    *(addresses.badge(name) for name in badges.FIXED),
)
"""Documents that every catalog has, so that Markdown may link to them."""


class ApiFile(File):
    """A document that MkDocs knows the address of, so that links to it resolve; the engine writes it."""

    def copy_file(self, dirty: bool = False) -> None:
        """Leave it to `on_post_build`, which publishes all documents at once."""


class CatalogApiPlugin(BasePlugin):  # type: ignore[no-untyped-call,type-arg,unused-ignore]
    """Publishes the catalog's JSON API beside the site."""

    def __init__(self) -> None:
        self._options: dict[str, Any] = {}
        self._serving = self._dirty = False
        self._metas: dict[str, dict[str, Any]] = {}
        self._good: Build | None = None
        self._reset()

    def _reset(self) -> None:
        self._problems = Problems()
        self._settings: Settings | None = None
        self._texts: dict[str, str | None] = {}
        self._taken: dict[str, str] = {}
        self._build: Build | None = None

    def load_config(
        self, options: dict[str, Any], config_file_path: str | None = None
    ) -> tuple[ConfigErrors, ConfigWarnings]:
        """Keep the options as they are; `on_config` validates them, with all problems at once."""
        self._options = options
        return super().load_config({}, config_file_path)

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """`startup`: having this event keeps the plugin alive between the builds of `mkdocs serve`."""
        self._serving, self._dirty = command == "serve", dirty

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """`config`: validate the settings and watch the files that they name."""
        self._reset()
        self._settings = read_settings(self._options, _config_file(config), self._problems)
        if self._settings is None:
            self._refuse(CatalogError(self._problems))
        else:
            config.watch.extend(str(path) for path in _watched(_root(config), self._settings))
        return config

    @event_priority(-200)  # after static-i18n, which can't take generated files before its own event
    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """`files`: register the documents with fixed names, unless the author's own files stand there."""
        if not _builds_here(config):
            return files
        prefix = addresses.PREFIX + "/"
        for file in files:
            if file.dest_uri.startswith(prefix):
                self._taken[file.dest_uri.removeprefix(prefix)] = _name(file, config)
        for path in FIXED:
            if path not in self._taken:
                made = ApiFile(
                    prefix + path,
                    None,
                    config.site_dir,
                    config.use_directory_urls,
                    inclusion=InclusionLevel.INCLUDED,
                )
                made.generated_by, made.content_bytes = "catalog-api", b""
                files.append(made)
        return files

    def on_page_read_source(self, *, page: MkDocsPage, config: MkDocsConfig) -> str | None:
        """`page_read_source`: remember the text as written; answer for a page that MkDocs can't decode."""
        try:
            self._texts[page.file.src_uri] = page.file.content_string
        except UnicodeDecodeError:
            self._texts[page.file.src_uri] = None
            return ""
        return None

    @event_priority(-100)
    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """`env`: every page is final and nothing is written yet, so collect, compose and check."""
        if self._settings is None or not _builds_here(config):
            return env
        try:
            self._build = prepare(
                self._site(config, files), self._settings, self._problems, strict=bool(config.strict)
            )
        except CatalogError as error:
            self._refuse(error)
        except (ContractError, OSError) as error:
            raise PluginError(str(error)) from error
        else:
            _report(self._problems)
            for file in files:
                if isinstance(file, ApiFile):
                    staged = self._build.staging.documents / file.src_uri.removeprefix(addresses.PREFIX + "/")
                    file.content_bytes = staged.read_bytes()
        return env

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """`post_build`: move the documents into the site, in serve the last good ones if there are no new."""
        if not _builds_here(config):
            return
        if self._build is not None:
            self._forget()
            self._good, self._build = self._build, None
        if self._good is None:
            return
        try:
            self._good.publish(keep=self._serving)
        except CatalogError as error:
            self._refuse(error)
        except OSError as error:
            raise PluginError(f"the API can't be published: {error}") from error

    def on_build_error(self, *, error: Exception) -> None:
        """`build_error`: leave nothing of ours behind."""
        if self._build is not None:
            self._build.staging.remove()
            self._build = None

    def on_serve(
        self, server: LiveReloadServer, /, *, config: MkDocsConfig, builder: Callable[..., Any]
    ) -> LiveReloadServer:
        """`serve`: send the headers that browsers need, and none that would show a stale preview."""
        base = addresses.Addresses(addresses.mount_path(config.site_url)).api("")
        if app := server.get_app():
            server.set_app(_with_headers(app, base))
        return server

    def on_shutdown(self) -> None:
        """`shutdown`: remove the documents that `serve` kept."""
        self._forget()

    def _forget(self) -> None:
        if self._good is not None:
            self._good.staging.remove()
            self._good = None

    def _refuse(self, error: CatalogError) -> None:
        """Report the problems; stop the build, or in serve go on with the last good documents."""
        _report(error.problems)
        message = f"the catalog is refused: {error}"
        if not self._serving:
            raise PluginError(message)
        kept = "the last good API is kept" if self._good else "there is no API until this is mended"
        log.error(f"{message}; {kept}")

    def _site(self, config: MkDocsConfig, files: Files) -> Site:
        return Site(
            config=_config_file(config),
            root=_root(config),
            docs_dir=Path(config.docs_dir),
            site_dir=Path(config.site_dir),
            site_url=config.site_url or None,
            title=config.site_name,
            pages=list(self._pages(config, files)),
            taken=self._taken,
        )

    def _pages(self, config: MkDocsConfig, files: Files) -> Iterable[Page]:
        defaults = _defaults(config, files)
        for file in files.documentation_pages():
            meta: dict[str, Any] | None = None
            if file.page is not None and file.page.markdown is not None:
                meta = self._metas[file.src_uri] = dict(file.page.meta)
            elif self._dirty:  # an unmodified page, which MkDocs did not read
                meta = self._metas.get(file.src_uri)
            if file.src_uri not in self._texts:
                self._texts[file.src_uri] = file.content_string
            yield Page(
                uri=file.src_uri,
                file=_name(file, config),
                text=self._texts[file.src_uri],
                url="" if file.url == "./" else file.url,
                meta=meta,
                defaults=tuple(
                    document
                    for folder, document in defaults
                    if folder == PurePosixPath(".") or folder in PurePosixPath(file.src_uri).parents
                ),
            )


def _root(config: MkDocsConfig) -> Path:
    path = config.config_file_path
    return Path(path).parent if path else Path.cwd()


def _config_file(config: MkDocsConfig) -> ConfigFile:
    return ConfigFile(Path(config.config_file_path) if config.config_file_path else None)


def _builds_here(config: MkDocsConfig) -> bool:
    """False in the nested builds that static-i18n makes for other languages than the default."""
    i18n = config.plugins.get("i18n")
    return i18n is None or bool(getattr(i18n, "is_default_language_build", True))


def _watched(root: Path, settings: Settings) -> Iterable[Path]:
    """What `mkdocs serve` has to watch beside docs_dir: data files, reports and statements that exist."""
    names = [
        getattr(settings, name).data or f"{name}.yml" for name in ("images", "charts", "roadmap", "updates")
    ]
    names += [settings.security.reports or "scans", settings.security.vex or "vex"]
    return (root / name for name in names if (root / name).exists())


def _name(file: File, config: MkDocsConfig) -> str:
    """The file as problems name it: relative to the folder of mkdocs.yml."""
    if file.abs_src_path is None:
        return file.src_uri
    path = Path(file.abs_src_path)
    root = _root(config)
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else file.src_uri


def _defaults(config: MkDocsConfig, files: Files) -> list[tuple[PurePosixPath, Document]]:
    """The documents of Material's meta plugin, outermost folder first; it reports unreadable ones itself."""
    meta = config.plugins.get("material/meta")
    if meta is None:
        return []
    found = []
    for file in files:
        path = PurePosixPath(file.src_uri)
        if path.name == meta.config.meta_file and file.abs_src_path:
            try:
                found.append((path.parent, parse_defaults(file.content_string)))
            except YamlError:
                continue
    return sorted(found, key=lambda pair: len(pair[0].parts))


def _report(problems: Problems) -> None:
    for problem in problems:
        log.log(problem.level, str(problem))


def _with_headers(app: WSGIApplication, base: str) -> WSGIApplication:
    pattern = re.compile(re.escape(base) + r".*\.json\Z")

    def serve(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            if pattern.match(environ.get("PATH_INFO", "")):
                ours = {"access-control-allow-origin": "*", "cache-control": "no-cache"}
                headers = [pair for pair in headers if pair[0].lower() not in ours]
                headers += [(name.title(), value) for name, value in ours.items()]
            return start_response(status, headers, exc_info) if exc_info else start_response(status, headers)

        return app(environ, start)

    return serve
