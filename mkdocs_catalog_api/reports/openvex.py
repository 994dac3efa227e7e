"""OpenVEX documents, https://github.com/openvex/spec: which vulnerabilities concern which products.

Also read are the older forms that stand in real documents: a vulnerability, product or subcomponent that
is plain text, and subcomponents beside the products instead of in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ..authored.messages import perhaps
from ..catalog.purl import Purl
from ..catalog.statements import JUSTIFICATIONS, STATUSES, Component, Statement
from ..catalog.vulnerabilities import CVE_ID
from ..problems import Level, Problem, Problems
from .folders import json_files
from .json_errors import decode
from .normalise import ReportError, mapping, rows, text, texts, utc

_HINT = "write an OpenVEX document, for example with `vexctl create`"
_ADVISORY_PAGE = re.compile(rf"https?://[^?#]*/({CVE_ID}|GHSA(?:-[0-9a-z]{{4}}){{3}})", re.IGNORECASE)
_NOT_SET = "0001-01-01"
"""How programs written in Go say that there is no time."""
_ONLY_ID = {"@id"}
_HASHES = {"sha-256": "sha256", "sha-384": "sha384", "sha-512": "sha512"}


class Fault(NamedTuple):
    """Why a statement is left out."""

    field: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class VexDocument:
    id: str
    statements: tuple[Statement, ...]
    faults: tuple[Fault, ...]


def read_vex(data: bytes) -> VexDocument:
    """Raises `ReportError` when the bytes are no OpenVEX document."""
    try:
        document = decode(data)
    except ReportError as error:
        raise ReportError(str(error), _HINT, error.line, error.column) from None
    if not isinstance(document, dict) or "openvex" not in text(document.get("@context")):
        raise ReportError("not an OpenVEX document: no `@context` of openvex.dev", _HINT)
    if "statements" not in document:
        raise ReportError("`statements` is missing", _HINT)
    statements: list[Statement] = []
    faults: list[Fault] = []
    for index, entry in enumerate(rows(document["statements"], "statements", _HINT)):
        statement = _statement(document, entry, index)
        if fault := _fault(statement) or _untimely(document, entry, index):
            faults.append(fault)
        else:
            statements.append(statement)
    return VexDocument(text(document.get("@id")), tuple(statements), tuple(faults))


def read_folder(folder: Path, label: str, problems: Problems) -> list[Statement]:
    """The statements of all documents below `folder`; `label` is how problems name the folder."""
    statements: list[Statement] = []
    for path in json_files(folder):
        file = f"{label}/{path}"
        try:
            found = read_vex((folder / path).read_bytes())
        except OSError as error:
            message = f"the document can't be read: {error.strerror}"
            problems.add(Problem(file, 0, 0, "", message, "make it readable or remove it"))
        except ReportError as error:
            problems.add(Problem(file, error.line, error.column, "", str(error), error.hint))
        else:
            problems.extend(Problem(file, 0, 0, *fault, Level.WARNING) for fault in found.faults)
            named = found.statements if found.id else [replace(s, document=file) for s in found.statements]
            statements += named
    return statements


def _statement(document: dict[str, object], entry: dict[str, object], index: int) -> Statement:
    where = f"statements[{index}]"
    # Until 2023 subcomponents stood beside the products; to pass over them would widen the statement.
    beside = tuple(_components(entry.get("subcomponents"), f"{where}.subcomponents"))
    return Statement(
        ids=tuple(sorted({*_ids(entry.get("vulnerability"))})),
        products=tuple(_components(entry.get("products"), f"{where}.products", beside)),
        status=text(entry.get("status")),
        justification=text(entry.get("justification")),
        impact_statement=text(entry.get("impact_statement")),
        timestamp=utc(entry.get("timestamp")) or utc(document.get("timestamp")),
        document=text(document.get("@id")),
        index=index,
    )


def _fault(statement: Statement) -> Fault | None:
    where = f"statements[{statement.index}]"
    if not statement.ids:
        return Fault(f"{where}.vulnerability", "the statement names no vulnerability", "give its `name`")
    if statement.status not in STATUSES:
        message = f'no status "{statement.status[:40]}" is known'
        return Fault(f"{where}.status", message, perhaps(statement.status, STATUSES, "one of"))
    reason = statement.justification or statement.impact_statement
    if statement.status == "not_affected" and not reason:
        return Fault(
            where,
            f"the statement on {statement.ids[0][:80]} does not say why the product is not affected",
            "add a `justification` or an `impact_statement`",
        )
    if statement.status == "not_affected" and statement.justification not in ("", *JUSTIFICATIONS):
        message = f'no justification "{statement.justification[:60]}" is known'
        hint = perhaps(statement.justification, JUSTIFICATIONS, "one of")
        return Fault(f"{where}.justification", message, hint)
    if not statement.products:
        return Fault(f"{where}.products", "the statement names no product", "name the image or the package")
    return None


def _untimely(document: dict[str, object], entry: dict[str, object], index: int) -> Fault | None:
    """A time that can't be read: which of several statements is the newest could not be told."""
    field, given = f"statements[{index}].timestamp", entry.get("timestamp")
    if given is None:
        field, given = "timestamp", document.get("timestamp")
    if given in (None, "") or text(given).startswith(_NOT_SET) or utc(given):
        return None
    hint = "write it as in 2026-01-15T09:00:00Z"
    return Fault(field, f'"{text(given)[:40]}" is no time, so what it is of is left out', hint)


def _ids(vulnerability: object) -> Iterator[str]:
    """The ids as written and, of addresses of an advisory's page, the id in them."""
    fields = mapping(vulnerability)
    written = [vulnerability, fields.get("@id"), fields.get("name"), *texts(fields.get("aliases"))]
    for name in filter(None, map(text, written)):
        page = _ADVISORY_PAGE.fullmatch(name)
        yield page[1] if page else name


def _components(value: object, where: str, beside: tuple[Component, ...] = ()) -> Iterator[Component]:
    """Raises `ReportError` for damaged lists: without its parts, a statement would say more than it does."""
    listed = (
        [{"@id": item} if isinstance(item, str) else item for item in value]
        if isinstance(value, list)
        else value
    )
    for index, entry in enumerate(rows(listed, where, _HINT)):
        if entry.keys() == _ONLY_ID and not beside:
            yield _plain(text(entry.get("@id")))
            continue
        identifiers = mapping(entry.get("identifiers")).values()
        hashes = mapping(entry.get("hashes")).items()
        digests = (f"{_HASHES[kind]}:{text(value).lower()}" for kind, value in hashes if kind in _HASHES)
        parts = tuple(_components(entry.get("subcomponents"), f"{where}[{index}].subcomponents")) or beside
        yield _component(
            text(entry.get("@id")), tuple(map(text, identifiers)), tuple(sorted({*digests})), parts
        )


# A document names the same components in one statement after another.
@lru_cache(maxsize=65_536)
def _plain(id_: str) -> Component:
    return _component(id_, (), (), ())


def _component(
    id_: str, identifiers: tuple[str, ...], digests: tuple[str, ...], parts: tuple[Component, ...]
) -> Component:
    written = list(filter(None, (id_, *identifiers)))
    purls = {name: purl for name in written if (purl := Purl.parse(name))}
    names = tuple(name for name in written if name not in purls)
    return Component(names, tuple(purls.values()), digests, parts)
