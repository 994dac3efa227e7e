"""The JSON of OpenVEX documents, https://github.com/openvex/spec/blob/main/openvex_json_schema.json.

Sound documents are decoded straight into these Structs. Whatever is wrong with another, it is then read
once more with patience: a text of a wrong type counts as missing, and unknown keys are remembered.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from msgspec import DecodeError, Struct, field
from msgspec.json import Decoder
from msgspec.structs import fields

from ...authored.messages import suggestion
from .json_errors import decode
from .normalise import ReportError, mapping, rows, text, texts

HINT = "write an OpenVEX document, for example with `vexctl create`"


class _Node(Struct, gc=False, forbid_unknown_fields=True, kw_only=True):
    unclear: tuple[str, ...] = field(default=(), name=" ")
    """Keys that are not known or have a value of a wrong type; filled by the patient reading alone."""


class Vulnerability(_Node):
    id: str = field(default="", name="@id")
    name: str = ""
    description: Any = None
    aliases: list[str] = []


class Part(_Node):
    id: str = field(default="", name="@id")
    identifiers: dict[str, str] | None = None
    hashes: dict[str, str] | None = None
    supplier: Any = None


class Product(Part):
    subcomponents: list[str | Part] = []


class Statement(_Node):
    id: Any = field(default=None, name="@id")
    version: Any = None
    vulnerability: str | Vulnerability = ""
    timestamp: str = ""
    last_updated: Any = None
    products: list[str | Product] = []
    subcomponents: list[str | Part] = []
    """Where they stood until 2023."""
    status: str = ""
    supplier: Any = None
    status_notes: Any = None
    justification: str = ""
    impact_statement: str = ""
    impact_statement_timestamp: Any = None
    action_statement: Any = None
    action_statement_timestamp: Any = None


class Document(_Node, kw_only=True):
    context: Any = field(default=None, name="@context")
    id: str = field(default="", name="@id")
    author: str = ""
    role: Any = None
    timestamp: str = ""
    last_updated: Any = None
    version: Any = None
    tooling: Any = None
    supplier: Any = None
    statements: list[Statement]


_KEYS: dict[type[_Node], dict[str, tuple[str, Any]]] = {
    cls: {one.encode_name: (one.name, one.type) for one in fields(cls) if one.name != "unclear"}
    for cls in (Vulnerability, Part, Product, Statement, Document)
}
"""Key in JSON → name and type of the field."""
_decoder = Decoder(Document)
_Kind = TypeVar("_Kind", bound=_Node)
# Keys that say of themselves that they are not OpenVEX's, and so no misspelt ones.
_EXTENSION = re.compile("@type|[$_].*|x[-_].*|.*:.*")


def no_key(key: str, cls: type[_Node]) -> tuple[str, str]:
    """What is wrong with an unclear key of an object of this kind, and how to mend it."""
    if key in _KEYS[cls]:
        return f"the value of `{key}` is of a wrong type", "write it as OpenVEX has it"
    return f"`{key[:40]}` is no key of OpenVEX", suggestion(key, list(_KEYS[cls]), "known are")


def read_document(data: bytes) -> Document:
    """Raises `ReportError` when the bytes are no OpenVEX document.

    Also for damaged lists of products and parts: without its parts, a statement would say more than it does.
    """
    try:
        document = _decoder.decode(data)
    except (DecodeError, ValueError, RecursionError):
        return _patiently(data)
    _check(document.context)
    return document


def _check(context: object) -> None:
    if "openvex" not in text(context):
        raise ReportError("not an OpenVEX document: no `@context` of openvex.dev", HINT)


def _patiently(data: bytes) -> Document:
    try:
        document = decode(data)
    except ReportError as error:
        raise ReportError(str(error), HINT, error.line, error.column) from None
    _check(mapping(document).get("@context"))
    found = mapping(document)
    if "statements" not in found:
        raise ReportError("`statements` is missing", HINT)
    statements = [
        _statement(entry, f"statements[{index}]")
        for index, entry in enumerate(rows(found["statements"], "statements", HINT))
    ]
    return _node(Document, found, statements=statements)


def _statement(entry: dict[str, object], where: str) -> Statement:
    value = entry.get("vulnerability")
    vulnerability = value if isinstance(value, str) else _node(Vulnerability, mapping(value))
    products = [
        _node(Product, one, subcomponents=_components(one, f"{where}.products[{index}].subcomponents"))
        for index, one in enumerate(_objects(entry.get("products"), f"{where}.products"))
    ]
    parts = _components(entry, f"{where}.subcomponents")
    return _node(Statement, entry, vulnerability=vulnerability, products=products, subcomponents=parts)


def _components(entry: Mapping[str, object], where: str) -> list[Part]:
    return [_node(Part, one) for one in _objects(entry.get("subcomponents"), where)]


def _objects(value: object, where: str) -> list[dict[str, object]]:
    """Those of a list; a plain text stands for an object with that id."""
    if isinstance(value, list):
        value = [{"@id": item} if isinstance(item, str) else item for item in value]
    return rows(value, where, HINT)


def _node(cls: type[_Kind], entry: Mapping[str, object], **children: object) -> _Kind:
    """The object, but for the `children` that are built already."""
    values: dict[str, object] = {}
    known = _KEYS[cls]
    unclear = [key for key in entry if key not in known and not _EXTENSION.fullmatch(key)]
    for key, (name, type_) in known.items():
        value = entry.get(key)
        if name in children or value is None:
            continue
        if name == "timestamp" and not isinstance(value, str):
            value = f"{value}"  # a time that can't be read is not the same as none
        kind, clean = _CLEAN.get(type_, (object, lambda whatever: whatever))
        if isinstance(value, kind):
            values[name] = clean(value)
        else:
            unclear.append(key)
    return cls(**values, **children, unclear=tuple(map(text, unclear)))


def _texts_of(value: dict[str, object]) -> dict[str, str]:
    return {text(key): text(part) for key, part in value.items()}


_CLEAN: dict[object, tuple[type, Callable[[Any], object]]] = {
    str: (str, text),
    list[str]: (list, texts),
    dict[str, str] | None: (dict, _texts_of),
}
"""Type of a field → what the JSON must hold, and what is made of it; anything goes in a field of another."""
