"""The guide's tables: fields, settings, documents, report formats, grades, markers, words.

They are made from the package's own tables, between `<!-- fields: NAME -->` and `<!-- /fields -->`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import yaml

from mkdocs_catalog_api.authored import settings
from mkdocs_catalog_api.authored.registry_files import filled
from mkdocs_catalog_api.authored.settings import LARGE_LOOKUPS, Settings, item_fields
from mkdocs_catalog_api.catalog.addresses import OPENAPI
from mkdocs_catalog_api.catalog.grading import CLEAN, GRADES, WITH_FIX, WITHOUT_FIX
from mkdocs_catalog_api.catalog.scans import COUNTERS, LIMITS
from mkdocs_catalog_api.catalog.verdict import CONCERNS
from mkdocs_catalog_api.documents.table import LOOKUP_NAMES, kinds
from mkdocs_catalog_api.items import models
from mkdocs_catalog_api.items.collections import COLLECTIONS, ITEM_MODELS, WITH_DOCUMENTS
from mkdocs_catalog_api.items.fields import version_model
from mkdocs_catalog_api.problems.codes import Code
from mkdocs_catalog_api.sources.reports import FORMATS, SCANNERS
from mkdocs_catalog_api.web.parts import MARKERS, SECTIONS

from .editor_schemas import schemas
from .guide import page
from .setting_examples import EXAMPLES, NOTES

Schema = dict[str, Any]
TABLES = {
    "images": ("images", "Item"),
    "image versions": ("images", "VersionEntry"),
    "charts": ("charts", "Item"),
    "chart versions": ("charts", "ChartVersionEntry"),
    "pins": ("charts", "PinEntry"),
    "roadmap": ("roadmap", "Item"),
    "updates": ("updates", "Update"),
    "own fields": ("mkdocs", "FieldRule"),
    "settings": ("mkdocs", "Settings"),
    "documents": ("mkdocs", ""),
}
"""Name of a table → the schema and the definition in it that describe the fields."""
_COLLECTIONS = tuple(ITEM_MODELS)
_NOT_OF_PLANS = ("version_fields", "verify")
"""Settings of images and charts alone: what is planned has no versions yet."""
_GROUPS = {
    "registry": "Registry",
    "images": "Collections",
    "updates": "Updates",
    "security": "Vulnerability data",
    "lookups": "Output",
}
"""First settings of the groups, and their headings."""
_BLOCK = re.compile(r"(<!-- fields: ([a-z ]+) -->\n).*?(<!-- /fields -->)", re.DOTALL)


def table(name: str) -> str:
    """The Markdown of one table; of the settings, one for each group."""
    if name in OTHER_TABLES:
        rows = [*OTHER_TABLES[name]()]
    elif name == "documents":
        rows = [["path", "contents"], *_documents()]
    else:
        file, definition = TABLES[name]
        schema = schemas(lookups=LOOKUP_NAMES, scanners=[*SCANNERS])[f"{file}.json"]
        if name == "settings":
            return "".join(f"{line}\n" for line in _settings(schema))
        rows = [["field", "meaning", "type"], *_fields(schema, definition)]
    rows.insert(1, ["---"] * len(rows[0]))
    return "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in rows)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "&#124;")


def refreshed(text: str) -> str:
    """The text of a page with its tables as the models have them now."""
    return _BLOCK.sub(lambda found: f"{found[1]}\n{table(found[2])}\n{found[3]}", text)


def _documents() -> Iterator[list[str]]:
    """A row for each path."""
    for kind in kinds(item_fields(Settings())):
        for route in kind.routes:
            what = "This API in OpenAPI 3.1" if route.path == OPENAPI else route.summary  # "This document"
            yield [f"`{route.path}`", what]


def _fields(schema: Schema, definition: str) -> Iterator[list[str]]:
    fields = schema["$defs"][definition]
    required = {*fields.get("required", ())}
    others: set[str] = set()
    """Other spellings of fields, of which the text tells."""
    match definition:
        case "Item":
            required |= {*schema["else"]["allOf"][1]["required"]}
            others.add("catalog")
        case "Update":
            for spellings in fields["allOf"]:
                field, *more = (choice["required"][0] for choice in spellings["anyOf"])
                required.add(field)
                others |= {*more}
    for name, field in fields["properties"].items():
        if field is not False and name not in others:
            mark = ", required" if name in required else ""
            yield [f"`{name}`{mark}", field.get("description", ""), _written(field, schema["$defs"])]


def _settings(schema: Schema) -> Iterator[str]:
    """A heading for each group, and below it a table with a row for each setting."""
    group = ""
    for path, field in _paths(schema, schema["$defs"]["Settings"]):
        default: Any = Settings(
            lookups=tuple(word for word in LOOKUP_NAMES if word not in LARGE_LOOKUPS)
        ).model_dump(mode="json", by_alias=True)
        for key in path:
            default = default.get(key) if isinstance(default, dict) else None
        if path == ("security", "scanners"):
            default = [*SCANNERS]
        elif path == ("security", "max_report_size"):
            default = f"{default // 10**6}MB"
        written = _written(field, schema["$defs"])
        if default not in (None, {}):
            written += f"; default `{yaml.safe_dump(default, default_flow_style=True).splitlines()[0]}`"
        if (heading := _GROUPS.get(path[0], group)) != group:
            yield f"{chr(10) if group else ''}## {heading}\n"
            yield "| setting | meaning | example |"
            yield "| --- | --- | --- |"
            group = heading
        name = ".".join(path)
        head, *rest = path
        others = _COLLECTIONS[1:2] if rest and rest[0] in _NOT_OF_PLANS else _COLLECTIONS[1:]
        also = f" (also {', '.join(f'`{other}`' for other in others)})" if head == _COLLECTIONS[0] else ""
        if name not in EXAMPLES:
            raise LookupError(f"{name} has no example: add one to EXAMPLES in tests/setting_examples.py")
        meaning = f"{field.get('description', '')} {NOTES.get(name, '')}"
        cells = [f"`{name}`{also}", f"{meaning} *{written[0].upper()}{written[1:]}.*", f"`{EXAMPLES[name]}`"]
        yield f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _paths(schema: Schema, model: Schema, *above: str) -> Iterator[tuple[tuple[str, ...], Schema]]:
    """Every setting by its path; of the three collections, which are alike, the first."""
    for name, field in model["properties"].items():
        path = (*above, name)
        sections = [part["$ref"] for part in field.get("anyOf", ()) if "$ref" in part]
        if not above and name in _COLLECTIONS[1:]:
            continue
        if sections:
            yield from _paths(schema, schema["$defs"][sections[0].rpartition("/")[2]], *path)
        else:
            yield path, field


def _written(field: Schema, definitions: Schema) -> str:
    """What a field may hold, in words; a definition of `definitions` by its keys."""
    either: list[Schema] = field.get("anyOf") or field.get("oneOf") or [field]
    choices = [field["then"], *field["else"]["anyOf"]] if "then" in field else either
    choices = [choice for choice in choices if choice.get("type") != "null"]
    closed = [choice for choice in choices if "enum" in choice]
    return " or ".join(dict.fromkeys(_word(choice, definitions) for choice in closed or choices))


def _word(schema: Schema, definitions: Schema) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name not in {definition for _, definition in TABLES.values()}:  # those have tables of their own
            return f"keys {', '.join(f'`{key}`' for key in definitions[name]['properties'])}"
    if "const" in schema:
        return f"`{schema['const']}`"
    if True in schema.get("enum", ()):
        return "true or false"
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"] if word is not None)
    if "format" in schema:
        return "web link" if schema["format"] == "uri" else str(schema["format"])
    kinds = schema.get("type", "object")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    if kind == "array":
        return f"list of {_written(schema['items'], definitions)}"
    words = {
        "integer": "whole number",
        "boolean": "true or false",
        "object": "keys and values",
        "string": "text",
    }
    return words.get(str(kind), str(kind))


def _formats() -> Iterator[list[str]]:
    yield ["scanner", "input"]
    yield from ([f"[{each.name}]({each.page})", each.what] for each in FORMATS)


def _grades() -> Iterator[list[str]]:
    """By the letters of the bands: the severities that lead to them."""
    yield ["grade", "worst vulnerability", "score"]
    yield [CLEAN.letter, "none", str(CLEAN.high)]
    for letter in GRADES[1:]:
        ways: dict[str, list[str]] = {}
        for word, with_fix, without in zip(COUNTERS, WITH_FIX, WITHOUT_FIX, strict=True):
            if letter == with_fix.letter == without.letter:
                ways.setdefault("", []).append(word)
            elif letter == with_fix.letter:
                ways.setdefault(", and at least one vulnerability has a fix", []).append(word)
            elif letter == without.letter:
                ways.setdefault(", and none has a fix", []).append(word)
        (band,) = {band for band in (*WITH_FIX, *WITHOUT_FIX) if band.letter == letter}
        worst = "; ".join(" or ".join(words) + condition for condition, words in ways.items())
        yield [letter, worst, f"{band.low} to {band.high}"]


def _grouped(rows: Iterable[tuple[str, *tuple[str, ...]]]) -> Iterator[list[str]]:
    """A row for each text, with all words that have it."""
    words: dict[tuple[str, ...], list[str]] = {}
    for word, *cells in rows:
        words.setdefault(tuple(cells), []).append(f"`{word}`")
    yield from ([" ".join(listed), *cells] for cells, listed in words.items())


def _markers() -> Iterator[list[str]]:
    yield ["marker", "shows", "`view`"]
    rows = (
        (name, kind.shows, ", ".join(f"`{view}`" for view in kind.views) or "–")
        for name, kind in MARKERS.items()
    )
    yield from _grouped(rows)


def _sections() -> Iterator[list[str]]:
    yield ["sections of an item's page"]
    yield [" ".join(f"`{name}`" for name in SECTIONS)]


def _concerns() -> Iterator[list[str]]:
    yield ["word", "meaning"]
    yield from _grouped(CONCERNS.items())


def _limits() -> Iterator[list[str]]:
    yield ["`limits`", "reason"]
    yield from _grouped(LIMITS.items())


def _accept() -> Iterator[list[str]]:
    yield ["`accept`", "where", "effect"]
    for word, meaning in models.ACCEPTED.items():
        yield [f"`{word}`", "on the image's page", f"uses {meaning}"]
    for setting, effect in settings.ACCEPTED.items():
        yield [f"`{setting}`", "in the setting `security`", effect]


def _filled() -> Iterator[list[str]]:
    yield ["for", "filled in"]
    for name in WITH_DOCUMENTS:
        model, one = COLLECTIONS[name].model, COLLECTIONS[name].one
        versions = version_model(model)
        assert versions
        for of, fields in ((f"{one}", filled(model)), (f"{one}: each version", filled(versions))):
            yield [of, " ".join(f"`{field}`" for field in fields)]


def _codes() -> Iterator[list[str]]:
    """Each code, with a link to its section if it has one."""
    yield ["code", "problem"]
    sections = re.findall(r"^### (CAT\d+)$", page("problems"), re.MULTILINE)
    yield from ([f"[{code}](#{code.lower()})" if code in sections else code, code.meaning] for code in Code)


OTHER_TABLES = {
    "codes": _codes,
    "report formats": _formats,
    "grades": _grades,
    "markers": _markers,
    "sections": _sections,
    "concerns": _concerns,
    "limits": _limits,
    "accept": _accept,
    "filled": _filled,
}
"""Name of a table → its rows, of what no schema describes."""
