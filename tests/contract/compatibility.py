"""Whether a new shape of the documents breaks clients of an old one: a comparison of OpenAPI documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

Json = Mapping[str, Any]
Level = Literal["breaking", "compatible"]


class Change(Struct, frozen=True, order=True):
    """One difference that clients can notice; `where` is a document, a path or a field of a schema."""

    level: Level
    kind: str
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.level}: {self.where}: {self.message}"


def compare_shapes(old: Json, new: Json) -> list[Change]:
    """Differences that a client of the API that `old` describes notices in the one that `new` describes."""
    comparison = _Comparison(old, new)
    return sorted(set(comparison.paths()))


class _Shape(Struct, frozen=True):
    """A schema, its reference followed and null taken out of its types."""

    types: frozenset[str]
    nullable: bool
    words: frozenset[Any] | None
    schema: Json


class _Comparison:
    def __init__(self, old: Json, new: Json) -> None:
        self.old, self.new = old, new
        self.seen: set[tuple[str, str]] = set()

    def paths(self) -> Iterator[Change]:
        for path, item in self.old["paths"].items():
            other = self.new["paths"].get(path)
            if other is None:
                yield Change("breaking", "removed-path", path, "removed")
                continue
            before, after = item["get"], other["get"]
            yield from self._parameters(path, before, after)
            yield from self._schemas(path, _body(before), _body(after))
        for path in self.new["paths"].keys() - self.old["paths"].keys():
            yield Change("compatible", "added-path", path, "new documents")

    def _parameters(self, path: str, before: Json, after: Json) -> Iterator[Change]:
        now = {entry["name"]: entry["schema"] for entry in after.get("parameters", ())}
        for entry in before.get("parameters", ()):
            # Clients send these words, so it is a removed word that breaks them.
            was = _shape(self.old, entry["schema"])
            schema = _shape(self.new, now.get(entry["name"], {}))
            where = f"{path} {{{entry['name']}}}"
            if was.types != schema.types:
                yield Change("breaking", "retyped-parameter", where, _retyped(was, schema))
            for word in sorted((was.words or frozenset()) - (schema.words or was.words or frozenset())):
                yield Change("breaking", "removed-word", where, f"{word!r} is no longer taken")

    def _schemas(self, where: str, old: Json, new: Json) -> Iterator[Change]:
        """`where` names what holds the schemas; a named schema is compared once, under its name."""
        kinds, others = _kinds(self.old, old), _kinds(self.new, new)
        if kinds and others:
            where = _named_or_null(new).rpartition("/")[2] or where
            for kind in sorted(kinds.keys() & others.keys()):
                yield from self._schemas(where, {"$ref": kinds[kind]}, {"$ref": others[kind]})
            for kind in sorted(others.keys() - kinds.keys()):
                yield Change("compatible", "new-word", where, f"new word {kind!r}")
            return
        named = _named_or_null(old), _named_or_null(new)
        if all(named):
            if _shape(self.new, new).nullable and not _shape(self.old, old).nullable:
                yield Change("breaking", "nullable-field", where, "may be null now")
            old, new = ({"$ref": name} for name in named)
        names = old.get("$ref", ""), new.get("$ref", "")
        if all(names):
            if names in self.seen:
                return
            self.seen.add(names)
            where = names[0].rpartition("/")[2]
        before, after = _shape(self.old, old), _shape(self.new, new)
        if not after.types <= before.types | ({"integer"} if "number" in before.types else set()):
            yield Change("breaking", "retyped-field", where, _retyped(before, after))
            return
        if after.nullable and not before.nullable:
            yield Change("breaking", "nullable-field", where, "may be null now")
        yield from _words(where, before, after)
        was, now = before.schema.get("format"), after.schema.get("format")
        if was and was != now:
            yield Change("breaking", "retyped-field", where, f"format {was} became {now or 'any'}")
        yield from self._fields(where, before.schema, after.schema)
        for key in ("items", "additionalProperties"):
            if isinstance(before.schema.get(key), dict) and isinstance(after.schema.get(key), dict):
                yield from self._schemas(f"{where}[]", before.schema[key], after.schema[key])

    def _fields(self, where: str, old: Json, new: Json) -> Iterator[Change]:
        before, after = old.get("properties", {}), new.get("properties", {})
        for name, schema in before.items():
            field = f"{where}.{name}"
            if name not in after:
                yield Change("breaking", "removed-field", field, "removed")
                continue
            if name in old.get("required", ()) and name not in new.get("required", ()):
                yield Change("breaking", "optional-field", field, "may be missing now")
            yield from self._schemas(field, schema, after[name])
        for name in after:
            if name not in before:
                yield Change("compatible", "new-field", f"{where}.{name}", "new field")


def _kinds(document: Json, schema: Json) -> Mapping[str, str]:
    """Kind → reference of its schema; empty unless the schema is one of several kinds."""
    kinds: Mapping[str, str] = _followed(document, schema).get("discriminator", {}).get("mapping", {})
    return kinds


def _named_or_null(schema: Json) -> str:
    """The schema that a field refers to, with null or without; empty when it is none or one of several."""
    references = [option["$ref"] for option in (schema, *schema.get("anyOf", ())) if "$ref" in option]
    return references[0] if len(references) == 1 else ""


def _words(where: str, before: _Shape, after: _Shape) -> Iterator[Change]:
    if before.words is None:
        return
    if after.words is None:
        yield Change("compatible", "new-word", where, "any word may come now")
        return
    if before.words.isdisjoint(after.words):
        yield Change("breaking", "retyped-field", where, f"{_listed(before)} became {_listed(after)}")
        return
    for word in sorted(after.words - before.words, key=str):
        yield Change("compatible", "new-word", where, f"new word {word!r}")
    for word in sorted(before.words - after.words, key=str):
        yield Change("compatible", "removed-word", where, f"{word!r} comes no more")


def _body(operation: Json) -> Json:
    (content,) = operation["responses"]["200"]["content"].values()
    body: Json = content["schema"]
    return body


def _followed(document: Json, schema: Json) -> Json:
    name = schema.get("$ref", "").rpartition("/")[2]
    followed: Json = document["components"]["schemas"][name] if name else schema
    return followed


def _shape(document: Json, schema: Json) -> _Shape:
    options = _followed(document, schema).get("anyOf", [schema])
    meant = [_followed(document, option) for option in options if option.get("type") != "null"]
    types = frozenset(name for option in meant for name in _types(option))
    # Only the first of several options is compared; the API has none but "something or null".
    first: Json = meant[0] if meant else {}
    words = first.get("enum", first.get("x-extensible-enum", [first["const"]] if "const" in first else None))
    nullable = len(meant) < len(options) or "null" in types
    return _Shape(types - {"null"}, nullable, words and frozenset(words), first)


def _types(schema: Json) -> list[str]:
    types = schema.get("type", "any")
    return types if isinstance(types, list) else [types]


def _retyped(before: _Shape, after: _Shape) -> str:
    return f"{' or '.join(sorted(before.types))} became {' or '.join(sorted(after.types)) or 'nothing'}"


def _listed(shape: _Shape) -> str:
    return ", ".join(sorted(map(repr, shape.words or ())))
