"""What an author gets to see, without MkDocs in between: files in, a build or its problems out."""

from __future__ import annotations

from mkdocs_catalog_api.authored.read_site import read_site
from mkdocs_catalog_api.pipeline import Build, prepare
from mkdocs_catalog_api.problems import CatalogError, Level, Problem, Problems

from .sites import REGISTRY, SiteFolder

OWN_SETTINGS = """
registry: registry.example.org/hardened
images:
  fields:
    tier: {values: [core, standard]}
    upstream: {type: url, required: true}
    port: integer
    shells: {values: [bash, "true", none], list: true}
    ratio: number
    fips: boolean
    checked: date
    copy: text
    "on": text
""".strip()
"""Settings with a custom field of every type, and allowed values of a built-in one."""
REQUIRED = "category: Tools\ntier: core\nlicense: MIT\n"


def configure(site: SiteFolder, settings: str = f"registry: {REGISTRY}") -> None:
    """Write a mkdocs.yml whose plugin has these settings, from line 6 on, and a home page."""
    if "security:" not in settings and not settings.startswith("["):
        settings += "\nsecurity: {max_age: false}"  # as no result may depend on today
    lines = "".join(f"      {line}\n" for line in settings.splitlines())
    head = "site_name: Catalog\nsite_url: https://example.org/catalog/\ntheme: {name: mkdocs}\nplugins:\n"
    site.folder.mkdir(parents=True, exist_ok=True)
    (site.folder / "mkdocs.yml").write_text(f"{head}  - catalog-api:\n{lines}", encoding="utf-8")
    site.write("docs/index.md", "# Home\n")


def attempt(site: SiteFolder, *, strict: bool = False) -> Build | Problems:
    """The staged catalog of the folder, or why it is refused. A build's staging is the caller's to remove."""
    problems = Problems()
    try:
        given, settings, _ = read_site(site.folder / "mkdocs.yml", problems)
        return prepare(given, settings, problems, strict=strict)
    except CatalogError as error:
        return error.problems


def problems(
    site: SiteFolder, *, strict: bool = False, level: Level = Level.WARNING
) -> tuple[bool, list[Problem]]:
    """Whether the catalog is refused, and its problems of at least this level."""
    outcome = attempt(site, strict=strict)
    if isinstance(outcome, Build):
        outcome.drop()
    refused = isinstance(outcome, Problems)
    listed = outcome.problems if isinstance(outcome, Build) else outcome
    return refused, [problem for problem in listed if problem.level >= level]


def told(site: SiteFolder, *, strict: bool = False, level: Level = Level.WARNING) -> tuple[bool, list[str]]:
    """The same, each problem as the author reads it."""
    refused, listed = problems(site, strict=strict, level=level)
    return refused, [*map(str, listed)]


def places(site: SiteFolder, *, strict: bool = False, level: Level = Level.WARNING) -> tuple[bool, list[str]]:
    """The same, each problem as code, file, line:column and field; 0 where a line or column is not known."""
    refused, listed = problems(site, strict=strict, level=level)
    return refused, [*map(place, listed)]


def place(problem: Problem) -> str:
    return f"{problem.code} {problem.file} {problem.line}:{problem.column} {problem.field}".rstrip()
