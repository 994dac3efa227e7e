"""`catalog-api sync` in process: with short limits, without any login, and with waits that are only noted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from click.testing import CliRunner, Result

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.network.client import Limits
from mkdocs_catalog_api.network.credentials import TOKEN, USER

from .sites import SiteFolder

LOGIN = {USER: "tester", TOKEN: "geheim"}
BASIC = "Basic dGVzdGVyOmdlaGVpbQ=="
NOBODY = {"DOCKER_CONFIG": "/none", USER: "", TOKEN: ""}


def sync(site: SiteFolder, *options: str, env: Mapping[str, str] | None = None, **limits: Any) -> Result:
    return call(site, "sync", *options, env=env, **limits)


def call(site: SiteFolder, *arguments: str, env: Mapping[str, str] | None = None, **limits: Any) -> Result:
    site.write_config()
    return invoke(site, *arguments, env=env, **limits)


def invoke(site: SiteFolder, *arguments: str, env: Mapping[str, str] | None = None, **limits: Any) -> Result:
    """How any command ends for the mkdocs.yml that is there."""
    given: dict[str, Any] = {"silence": 10, "whole": 10, "retries": 1, "sleep": lambda _: None} | limits
    options = ["-f", str(site.folder / "mkdocs.yml")]
    return CliRunner().invoke(
        main, [arguments[0], *options, *arguments[1:]], obj=Limits(**given), env={**NOBODY, **(env or {})}
    )


def synced(site: SiteFolder, *options: str, **env: str) -> Any:
    """What a run without an error prints for programs."""
    result = sync(site, "--json", *options, env=env)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def problems(result: Result, *least: str) -> list[tuple[Any, ...]]:
    """Code, file, line and field of each problem that was printed as JSON, by default of all levels."""
    keys = ("code", "file", "line", "field")
    told = json.loads(result.stdout)["problems"]
    return [tuple(each[key] for key in keys) for each in told if not least or each["level"] in least]


def facts(site: SiteFolder, path: str = "images/nginx") -> Any:
    return json.loads((site.folder / f"registry/{path}.json").read_bytes())


def labels(site: SiteFolder, slug: str = "nginx") -> list[str]:
    return [version["version"] for version in facts(site, f"images/{slug}")["versions"]]
