"""OpenVEX documents, https://github.com/openvex/spec: which vulnerabilities affect which products.

A value of a wrong type counts as missing. A key that is unknown or has such a value may have narrowed the
statement, so it is remembered. Older forms are read, too: a vulnerability, product or subcomponent that is
plain text, and subcomponents next to the products instead of in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ...authored import clock
from ...authored.folders import MAX_SIZE
from ...authored.messages import suggestion
from ...catalog.statements import (
    JUSTIFICATIONS,
    STATUSES,
    Component,
    Product,
    Statement,
    part_meaning,
    product_meaning,
)
from ...catalog.vulnerabilities import CVE_ID
from ...problems import Level, Problem, Problems, RefusedError, reason
from ...problems.codes import Code
from .folders import usable_files
from .json_errors import decode
from .normalise import ReportError, mapping, rows, text, texts, utc

_ADVISORY_PAGE = re.compile(rf"https?://[^?#]*/({CVE_ID}|GHSA(?:-[0-9a-z]{{4}}){{3}})", re.IGNORECASE)
_NOT_SET = "0001-01-01"
"""How programs written in Go write that there is no time."""
_NOTHING = type(None)
_HINT = "write an OpenVEX document, for example with `vexctl create`"
_TIME_HINT = "write it as in 2026-01-15T09:00:00Z"

_Keys = Mapping[str, type]
"""The keys of an object with the type of each value; `object` where anything is accepted."""
_VULNERABILITY: _Keys = {"@id": str, "name": str, "description": object, "aliases": list}
_PART: _Keys = {"@id": str, "identifiers": dict, "hashes": dict, "supplier": object}
_PRODUCT: _Keys = {**_PART, "subcomponents": object}
_STATEMENT: _Keys = {
    **dict.fromkeys(("@id", "version", "vulnerability", "timestamp", "last_updated", "products"), object),
    **dict.fromkeys(("subcomponents", "status", "supplier", "status_notes", "justification"), object),
    **dict.fromkeys(("impact_statement", "impact_statement_timestamp", "action_statement"), object),
    "action_statement_timestamp": object,
} | dict.fromkeys(("status", "justification", "impact_statement"), str)
_DOCUMENT: _Keys = {
    **dict.fromkeys(("@context", "@id", "author", "role", "timestamp", "last_updated", "version"), object),
    **dict.fromkeys(("tooling", "supplier", "statements"), object),
} | dict.fromkeys(("@id", "author"), str)
# Keys that are marked as an extension of OpenVEX, and so are not misspelled.
_EXTENSION = re.compile("@type|[$_].*|x[-_].*|.*:.*")


class Fault(NamedTuple):
    """Why a statement, or one product of it, is left out; or a defect that does not change its effect."""

    field: str
    message: str
    hint: str


class VexDocument(Struct, frozen=True):
    id: str
    statements: tuple[Statement, ...]
    faults: tuple[Fault, ...]


def read_folder(
    folder: Path, label: str, root: Path, problems: Problems, max_size: int = MAX_SIZE
) -> list[Statement]:
    """The statements of all documents below `folder`; `label`, `root` and `max_size` as in `usable_files`."""
    statements: list[Statement] = []
    for path in usable_files(folder, label, root, problems, max_size=max_size):
        file = f"{label}/{path}"
        try:
            document = read_vex((folder / path).read_bytes())
        except OSError as error:
            message = f"the document can't be read: {reason(error)}"
            problems.add(
                Problem(file, 0, 0, "", message, "make it readable or remove it", code=Code.NOT_READ)
            )
        except ReportError as error:
            problems.add(
                Problem(file, error.line, error.column, "", str(error), error.hint, code=Code.BROKEN_VEX)
            )
        else:
            problems.extend(
                Problem(file, 0, 0, *fault, Level.WARNING, code=Code.STATEMENT) for fault in document.faults
            )
            statements += [replace(each, document=document.id or file) for each in document.statements]
    return statements


def read_vex(data: bytes) -> VexDocument:
    """Raises `ReportError` when the bytes are not an OpenVEX document.

    Also for damaged lists of products and parts: without its parts, a statement would cover more.
    """
    try:
        document, latest = mapping(decode(data)), clock.latest()
    except ReportError as error:
        raise ReportError(str(error), _HINT, error.line, error.column) from None
    if "openvex" not in text(document.get("@context")):
        raise ReportError("not an OpenVEX document: no `@context` of openvex.dev", _HINT)
    if "statements" not in document:
        raise ReportError("`statements` is missing", _HINT)
    statements: list[Statement] = []
    faults: list[Fault] = []
    remarks = [Fault("", *_no_key(key, _DOCUMENT)) for key in _unclear(document, _DOCUMENT)]
    for index, entry in enumerate(rows(document["statements"], "statements", _HINT)):
        field, time = _time(document, entry, index)
        statement = _statement(document, entry, index, utc(time), latest)
        if fault := _fault(statement) or _time_fault(field, time):
            faults.append(fault)
            continue
        unclear = _unclear(entry, _STATEMENT)
        if not isinstance(vulnerability := entry.get("vulnerability"), str):
            unclear += _unclear(mapping(vulnerability), _VULNERABILITY)
        remarks += _remarks(statement, unclear, Fault(field, f"{time[:40]} lies in the future", _TIME_HINT))
        if not (statement.suppresses and unclear):
            statements.append(statement)
    return VexDocument(text(document.get("@id")), tuple(statements), (*faults, *_once_each(remarks)))


def _once_each(remarks: Iterable[Fault]) -> Iterator[Fault]:
    """One fault for all places with the same message, as a document repeats its products."""
    places: dict[tuple[str, str], list[str]] = {}
    for field, message, hint in remarks:
        places.setdefault((message, hint), []).append(field)
    for (message, hint), fields in places.items():
        more = f", here and in {len(fields) - 1} more" if len(fields) > 1 else ""
        yield Fault(fields[0], message + more, hint)


def _unclear(entry: Mapping[str, object], keys: _Keys) -> tuple[str, ...]:
    """The keys that are unknown or have a value of a wrong type."""
    return tuple(
        text(key)
        for key, value in entry.items()
        if not (isinstance(value, (keys[key], _NOTHING)) if key in keys else _EXTENSION.fullmatch(key))
    )


def _no_key(key: str, keys: _Keys) -> tuple[str, str]:
    """Message and hint for an unclear key."""
    if key in keys:
        return f"the value of `{key}` is of a wrong type", "write it as OpenVEX has it"
    return f"`{key[:40]}` is no key of OpenVEX", suggestion(key, list(keys), "known are")


def _statement(
    document: Mapping[str, object],
    entry: Mapping[str, object],
    index: int,
    time: datetime | None,
    latest: datetime,
) -> Statement:
    where = f"statements[{index}]"
    # Until 2023 subcomponents were next to the products; to ignore them would widen the statement.
    beside = _parts(entry, where)
    products = tuple(
        Product(_component(product, _PRODUCT), _parts(product, f"{where}.products[{number}]") or beside)
        for number, product in enumerate(_objects(entry.get("products"), f"{where}.products"))
    )
    ids = list(_ids(entry.get("vulnerability")))
    return Statement(
        ids=tuple(sorted({*ids})),
        name=ids[0] if ids else "",
        products=products,
        status=text(entry.get("status")),
        justification=text(entry.get("justification")),
        impact_statement=text(entry.get("impact_statement")),
        timestamp=time,
        document=text(document.get("@id")),
        author=text(document.get("author")),
        index=index,
        in_future=time is not None and time > latest,
        action_statement=text(entry.get("action_statement")),
    )


def _fault(statement: Statement) -> Fault | None:
    where = f"statements[{statement.index}]"
    if not statement.ids:
        return Fault(f"{where}.vulnerability", "the statement names no vulnerability", "give its `name`")
    if statement.status not in STATUSES:
        message = f'no status "{statement.status[:40]}" is known'
        return Fault(f"{where}.status", message, suggestion(statement.status, STATUSES, "one of"))
    reason = statement.justification or statement.impact_statement
    if statement.status == "not_affected" and not reason:
        return Fault(
            where,
            f"the statement on {statement.ids[0][:80]} does not say why the product is not affected",
            "add a `justification` or an `impact_statement`",
        )
    if statement.status == "not_affected" and statement.justification not in ("", *JUSTIFICATIONS):
        message = f'no justification "{statement.justification[:60]}" is known'
        hint = suggestion(statement.justification, JUSTIFICATIONS, "one of")
        return Fault(f"{where}.justification", message, hint)
    if not statement.products:
        return Fault(f"{where}.products", "the statement names no product", "name the image or the package")
    return None


def _time(document: Mapping[str, object], entry: Mapping[str, object], index: int) -> tuple[str, str]:
    """The field with the time of a statement, and its value: the statement's own, else the document's."""
    own, shared = (
        "" if (time := each.get("timestamp")) is None else text(f"{time}") for each in (entry, document)
    )
    if own and not own.startswith(_NOT_SET):
        return f"statements[{index}].timestamp", own
    return "timestamp", shared


def _time_fault(field: str, time: str) -> Fault | None:
    """A time that can't be read: which of several statements is the newest could not be told."""
    if not time or time.startswith(_NOT_SET) or utc(time):
        return None
    return Fault(field, f'"{time[:40]}" is no time, so what it is of is left out', _TIME_HINT)


def _remarks(statement: Statement, unclear: Iterable[str], future: Fault) -> Iterator[Fault]:
    """What is not understood: it counts for nothing where it would take findings out."""
    where = f"statements[{statement.index}]"
    for key in unclear:
        message, hint = _no_key(key, _STATEMENT)
        end = ", so the statement is left out" if statement.suppresses else ""
        yield Fault(where, f"{message}{end}", hint)
    if statement.in_future:
        end = ", so it counts as the oldest" if statement.suppresses else ""
        yield future._replace(message=f"{future.message}{end}")
    for number, product in enumerate(statement.products):
        place = f"{where}.products[{number}]"
        yield from _without_effect(place, product.component, product_meaning(product.component))
        for position, part in enumerate(product.parts):
            yield from _without_effect(f"{place}.subcomponents[{position}]", part, part_meaning(part))


def _without_effect(place: str, component: Component, meaning: object) -> Iterator[Fault]:
    if isinstance(meaning, RefusedError):
        named = (component.id, *(value for _, value in (*component.identifiers, *component.hashes)))
        shown = next(filter(None, named), "")[:120]
        yield Fault(place, f'"{shown}" matches nothing: {meaning.message}', meaning.hint)


def _ids(vulnerability: object) -> Iterator[str]:
    """The ids as written and, of addresses of an advisory's page, the id in them; the usual one first."""
    entry = {"name": vulnerability} if isinstance(vulnerability, str) else mapping(vulnerability)
    for name in filter(None, (text(entry.get("name")), text(entry.get("@id")), *texts(entry.get("aliases")))):
        page = _ADVISORY_PAGE.fullmatch(name)
        yield page[1] if page else name


def _parts(entry: Mapping[str, object], where: str) -> tuple[Component, ...]:
    parts = _objects(entry.get("subcomponents"), f"{where}.subcomponents")
    return tuple(_component(part, _PART) for part in parts)


def _objects(value: object, where: str) -> list[dict[str, object]]:
    """The objects of a list; a plain text is an object with that id."""
    if isinstance(value, list):
        value = [{"@id": item} if isinstance(item, str) else item for item in value]
    return rows(value, where, _HINT)


def _component(entry: Mapping[str, object], keys: _Keys) -> Component:
    identifiers, hashes = _pairs(entry.get("identifiers")), _pairs(entry.get("hashes"))
    return Component(text(entry.get("@id")), identifiers, hashes, _unclear(entry, keys))


def _pairs(value: object) -> tuple[tuple[str, str], ...]:
    return tuple((text(key), text(part)) for key, part in mapping(value).items()) if value else ()
