"""OpenVEX documents, https://github.com/openvex/spec: which vulnerabilities concern which products.

Also read are the older forms that stand in real documents: a vulnerability, product or subcomponent that
is plain text, and subcomponents beside the products instead of in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ...authored import clock
from ...authored.folders import MAX_SIZE
from ...authored.messages import suggestion
from ...catalog.statements import JUSTIFICATIONS, STATUSES, Component, Product, Statement
from ...catalog.vex_products import NotUnderstood, part_meaning, product_meaning
from ...catalog.vulnerabilities import CVE_ID
from ...problems import Level, Problem, Problems, reason
from ...problems.codes import Code
from . import openvex_json as written
from .folders import usable_files
from .normalise import ReportError, text, utc

_ADVISORY_PAGE = re.compile(rf"https?://[^?#]*/({CVE_ID}|GHSA(?:-[0-9a-z]{{4}}){{3}})", re.IGNORECASE)
_NOT_SET = "0001-01-01"
"""How programs written in Go say that there is no time."""
_TIME_HINT = "write it as in 2026-01-15T09:00:00Z"


class Fault(NamedTuple):
    """Why a statement, or what it says of one product, is left out; or what is wrong with it all the same."""

    field: str
    message: str
    hint: str


class VexDocument(Struct, frozen=True):
    id: str
    statements: tuple[Statement, ...]
    faults: tuple[Fault, ...]


def read_vex(data: bytes) -> VexDocument:
    """Raises `ReportError` when the bytes are no OpenVEX document."""
    document, latest = written.read_document(data), clock.latest()
    statements: list[Statement] = []
    faults: list[Fault] = []
    remarks = [Fault("", *written.no_key(key, written.Document)) for key in document.unclear]
    for index, entry in enumerate(document.statements):
        statement = _statement(document, entry, index, latest)
        if fault := _fault(statement) or _time_fault(document, entry, index):
            faults.append(fault)
            continue
        remarks += _remarks(document, entry, statement)
        if not (statement.suppresses and _unclear(entry)):
            statements.append(statement)
    return VexDocument(text(document.id), tuple(statements), (*faults, *_once_each(remarks)))


def _once_each(remarks: Iterable[Fault]) -> Iterator[Fault]:
    """A document says the same of one product after another."""
    places: dict[tuple[str, str], list[str]] = {}
    for field, message, hint in remarks:
        places.setdefault((message, hint), []).append(field)
    for (message, hint), fields in places.items():
        more = f", here and in {len(fields) - 1} more" if len(fields) > 1 else ""
        yield Fault(fields[0], message + more, hint)


def read_folder(
    folder: Path, label: str, root: Path, problems: Problems, max_size: int = MAX_SIZE
) -> list[Statement]:
    """The statements of all documents below `folder`; `label`, `root` and `max_size` as in `usable_files`."""
    statements: list[Statement] = []
    for path in usable_files(folder, label, root, problems, max_size=max_size):
        file = f"{label}/{path}"
        try:
            found = read_vex((folder / path).read_bytes())
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
                Problem(file, 0, 0, *fault, Level.WARNING, code=Code.STATEMENT) for fault in found.faults
            )
            named = found.statements if found.id else [replace(s, document=file) for s in found.statements]
            statements += named
    return statements


def _statement(
    document: written.Document, entry: written.Statement, index: int, latest: datetime
) -> Statement:
    # Until 2023 subcomponents stood beside the products; to pass over them would widen the statement.
    beside = tuple(map(_component, entry.subcomponents))
    ids = list(_ids(entry.vulnerability))
    time = utc(entry.timestamp) or utc(document.timestamp)
    return Statement(
        ids=tuple(sorted({*ids})),
        name=ids[0] if ids else "",
        products=tuple(_product(product, beside) for product in entry.products),
        status=text(entry.status),
        justification=text(entry.justification),
        impact_statement=text(entry.impact_statement),
        timestamp=time,
        document=text(document.id),
        author=text(document.author),
        index=index,
        in_future=time is not None and time > latest,
        action_statement=text(entry.action_statement) if isinstance(entry.action_statement, str) else "",
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


def _time_fault(document: written.Document, entry: written.Statement, index: int) -> Fault | None:
    """A time that can't be read: which of several statements is the newest could not be told."""
    field, value = _time(document, entry, index)
    if not value or value.startswith(_NOT_SET) or utc(value):
        return None
    return Fault(field, f'"{value[:40]}" is no time, so what it is of is left out', _TIME_HINT)


def _time(document: written.Document, entry: written.Statement, index: int) -> tuple[str, str]:
    """Where the time of a statement stands, and what it is."""
    if entry.timestamp and not entry.timestamp.startswith(_NOT_SET):
        return f"statements[{index}].timestamp", text(entry.timestamp)
    return "timestamp", text(document.timestamp)


def _remarks(document: written.Document, entry: written.Statement, said: Statement) -> Iterator[Fault]:
    """What is not understood: it counts for nothing where it would take findings out."""
    where = f"statements[{said.index}]"
    for key in _unclear(entry):
        message, hint = written.no_key(key, written.Statement)
        yield Fault(where, f"{message}, so the statement is left out" if said.suppresses else message, hint)
    if said.in_future:
        field, value = _time(document, entry, said.index)
        message = f"{value[:40]} lies in the future"
        yield Fault(
            field, f"{message}, so it counts as the oldest" if said.suppresses else message, _TIME_HINT
        )
    for number, product in enumerate(said.products):
        if isinstance(meaning := product_meaning(product.component), NotUnderstood):
            yield _without_effect(f"{where}.products[{number}]", product.component, meaning)
        for at, part in enumerate(product.parts):
            if isinstance(means := part_meaning(part), NotUnderstood):
                yield _without_effect(f"{where}.products[{number}].subcomponents[{at}]", part, means)


def _without_effect(place: str, component: Component, meaning: NotUnderstood) -> Fault:
    named = (component.id, *(value for _, value in (*component.identifiers, *component.hashes)))
    shown = next(filter(None, named), "")[:120]
    return Fault(place, f'"{shown}" matches nothing: {meaning.message}', meaning.hint)


def _unclear(entry: written.Statement) -> tuple[str, ...]:
    vulnerability = entry.vulnerability
    return entry.unclear + (() if isinstance(vulnerability, str) else vulnerability.unclear)


def _ids(vulnerability: str | written.Vulnerability) -> Iterator[str]:
    """The ids as written and, of addresses of an advisory's page, the id in them; the usual one first."""
    if isinstance(vulnerability, str):
        named = [vulnerability]
    else:
        named = [vulnerability.name, vulnerability.id, *vulnerability.aliases]
    for name in filter(None, map(text, named)):
        page = _ADVISORY_PAGE.fullmatch(name)
        yield page[1] if page else name


def _product(value: str | written.Product, beside: tuple[Component, ...]) -> Product:
    if isinstance(value, str):
        return Product(_plain(value), beside)
    return Product(_component(value), tuple(map(_component, value.subcomponents)) or beside)


def _component(value: str | written.Part) -> Component:
    if isinstance(value, str):
        return _plain(value)
    if not (value.identifiers or value.hashes or value.unclear):
        return _plain(value.id)
    return Component(text(value.id), _pairs(value.identifiers), _pairs(value.hashes), value.unclear)


# A document names the same components in one statement after another.
@lru_cache(maxsize=65_536)
def _plain(id_: str) -> Component:
    return Component(text(id_))


def _pairs(values: dict[str, str] | None) -> tuple[tuple[str, str], ...]:
    return tuple((text(key), text(value)) for key, value in (values or {}).items())
