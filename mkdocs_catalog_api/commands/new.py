"""`catalog-api new`: begin the page of an item, with every field that it may have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import yaml

from ..authored.config_file import PLUGIN, ConfigFile
from ..authored.mkdocs_yml import read_mkdocs_yml
from ..authored.schemas import schemas
from ..authored.settings import Resource, Settings
from ..catalog.names import slug_from_name
from ..problems import Problem, Problems, RefusedError, reason
from ..problems.codes import Code
from ..sources.settings import read_settings, scanner_words
from .run import config_file_option, print_problems

_KINDS: Mapping[str, Resource] = {"image": "images", "chart": "charts", "roadmap": "roadmap"}
_BEGINNINGS: Mapping[str, object] = {
    "category": "Tools",
    "tier": "standard",
    "license": "LicenseRef-Unknown",
    "platforms": ["linux/amd64"],
    "versions": ["1.0.0"],
    "latest": "1.0.0",
}
"""What a page begins with where the catalog closes no words; it passes, and is seen to be a beginning."""
_EXAMPLES = {
    "uri": "https://example.org/",
    "date": "2026-01-31",
    "integer": 1,
    "number": 1,
    "array": [],
    "object": None,
}
"""What a field of a type or format may hold; text of an author's own field is its name."""


@click.command("new", short_help="Begin the page of an image, a chart or a plan.")
@click.argument("kind", type=click.Choice(list(_KINDS)))
@click.argument("name")
@config_file_option
def command(kind: str, name: str, config_file: Path) -> None:
    """Begin the page of an image, a chart or a planned application.

    The page passes as it is. What the catalog requires is filled in, all else stands there as comments.
    """
    problems = Problems()
    site = read_mkdocs_yml(config_file, problems)
    options = (site and site.options(PLUGIN)) or {}
    settings = read_settings(options, ConfigFile(config_file), problems)
    if site and settings:
        file = ""
        try:
            slug = slug_from_name(name)
            file = f"{site.docs_dir}/{_KINDS[kind]}/{slug}.md"
            path = config_file.parent / file
            text = _page(_KINDS[kind], name, slug, settings)
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as page:
                page.write(text)
            click.echo(f"wrote {path}")
            return
        except RefusedError as error:
            problems.add(Problem(file, 0, 0, "", error.message, error.hint, code=Code.WRONG_VALUE))
        except FileExistsError:
            hint = "choose another name"
            problems.add(Problem(file, 0, 0, "", "is there already", hint, code=Code.IN_THE_WAY))
        except OSError as error:
            message = f"can't be written: {reason(error)}"
            problems.add(Problem(file, 0, 0, "", message, code=Code.NOT_WRITTEN))
    print_problems(problems, quiet=True)
    raise SystemExit(1)


def _page(resource: Resource, name: str, slug: str, settings: Settings) -> str:
    schema = schemas(scanner_words(), settings)[f"{resource}.json"]
    required = {"name", *schema["else"]["allOf"][1]["required"]}
    image = f"{settings.registry or 'registry.example.org'}/{slug}"
    beginnings = {**_BEGINNINGS, "name": name, "image": image}
    if resource == "images" and settings.registry is None:
        required.add("image")
    lines = ["---", f"catalog: {resource}"]
    for field, described in schema["$defs"]["Item"]["properties"].items():
        if described is not False and field not in ("slug", "catalog"):
            words = _words(described)
            value = words[0] if words else beginnings.get(field, _example(field, described))
            says = " ".join([*described.get("description", "").split(), *_choice(words)])
            lines.append(f"{'' if field in required else '# '}{field}: {_written(value)}  # {says}")
    return "\n".join([*lines, "---", ""])


def _written(value: object) -> str:
    if value is None:
        return ""
    return yaml.safe_dump([value], default_flow_style=True, allow_unicode=True, width=10**6).strip()[1:-1]


def _choices(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return (choice for choice in schema.get("anyOf", [schema]) if choice.get("type") != "null")


def _words(schema: Mapping[str, Any]) -> list[Any]:
    """The words that a field may have, when they are closed."""
    return [word for choice in _choices(schema) for word in choice.get("enum", ()) if word is not None]


def _choice(words: list[Any]) -> list[str]:
    return [f"({', '.join(map(str, words))})"] if words and True not in words else []


def _example(field: str, schema: Mapping[str, Any]) -> object:
    choice = next(_choices(schema))
    kinds = choice.get("type", "object")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    return _EXAMPLES.get(choice.get("format", kind), field)
