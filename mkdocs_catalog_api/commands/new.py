"""`catalog-api new`: begin the page of an item, with every field that it may have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import yaml

from ..authored.config_file import PLUGIN, ConfigFile, read_mkdocs_yml
from ..authored.schemas import schemas
from ..authored.settings import Resource, Settings, read_settings
from ..catalog.names import slug_from_name
from ..problems import Problem, Problems, RefusedError, reason
from ..problems.codes import Code
from .run import config_file_option, print_problems

_KINDS: Mapping[str, Resource] = {"image": "images", "chart": "charts", "roadmap": "roadmap"}


@click.command("new", short_help="Begin the page of an image, a chart or a plan.")
@click.argument("kind", type=click.Choice(list(_KINDS)))
@click.argument("name")
@config_file_option
def command(kind: str, name: str, config_file: Path) -> None:
    """Begin the page of an image, a chart or a planned application.

    The page passes as it is. What the catalog requires is filled in, all else stands there as comments. Only
    `image` is yours to write if mkdocs.yml has no `registry`.
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
            if kind == "image" and settings.registry is None:
                click.echo("no `registry` is set: set it in mkdocs.yml, or write `image` there", err=True)
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
    schema = schemas(settings)[f"{resource}.json"]
    definitions = schema["$defs"]
    required = {"name", *schema["else"]["allOf"][1]["required"]}
    image = f"{settings.registry or 'registry.example.org'}/{slug}"
    given = {"name": name, "image": image}
    lines = ["---", f"catalog: {resource}"]
    for field, described in definitions["Item"]["properties"].items():
        if described is not False and field not in ("slug", "catalog"):
            words = _words(described)
            value = words[0] if words else given.get(field, _example(field, described, definitions))
            comment = " ".join([*described.get("description", "").split(), *_choice(words)])
            lines.append(f"{'' if field in required else '# '}{field}: {_written(value)}  # {comment}")
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


def _example(field: str, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> object:
    """An example of what a field may hold; of a text without one, such as an author's own, its name."""
    if "examples" in schema:
        return schema["examples"][0]
    choice = next(_choices(schema))
    if "$ref" in choice:
        choice = definitions[choice["$ref"].rpartition("/")[2]]
    if "properties" in choice:
        parts = choice["properties"].items()
        return {name: _example(name, part, definitions) for name, part in parts if name in choice["required"]}
    if "items" in choice:
        return [_example(field, choice["items"], definitions)]
    words = choice.get("enum", [field])
    return choice.get("examples", words)[0]
