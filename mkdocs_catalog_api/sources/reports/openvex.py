"""OpenVEX documents, https://github.com/openvex/spec: which vulnerabilities affect which products.

A value of a wrong type counts as missing. A key that is unknown or has such a value may have narrowed the
statement, so it is remembered. Older forms are read, too: a vulnerability, product or subcomponent that is
plain text, and subcomponents next to the products instead of in them.

A document that is issued again refreshes statements that do not suppress, but no exception: an exception has
its own time, else that of the document.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
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
    ProductMeaning,
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

_GHSA_ID = "GHSA(?:-[0-9a-z]{4}){3}"
_KNOWN_ID = re.compile(rf"(?:https?://[^?#]*/)?({CVE_ID}|{_GHSA_ID})", re.IGNORECASE)
"""An id, or the address of its page."""
_CVE = re.compile(CVE_ID, re.IGNORECASE)
_FRACTION = re.compile("[.,]([0-9]+)")
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
    version: float | None
    """None if it is missing or not a number."""
    statements: tuple[Statement, ...]
    faults: tuple[Fault, ...]


Repositories = Mapping[str, Sequence[str]]
"""Name of an image → the repositories of the catalog with such an image."""


def read_folder(
    folder: Path,
    label: str,
    root: Path,
    problems: Problems,
    repositories: Repositories,
    max_size: int = MAX_SIZE,
) -> list[Statement]:
    """The statements that count of all documents below `folder`.

    `label`, `root` and `max_size` as in `usable_files`.
    """
    documents: dict[str, VexDocument] = {}
    for path in usable_files(folder, label, root, problems, max_size=max_size):
        file = f"{label}/{path}"
        try:
            document = read_vex((folder / path).read_bytes(), repositories)
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
            documents[file] = document
    return [
        replace(statement, document=document.id or file, file=file)
        for file, document in _that_count(documents, problems)
        for statement in document.statements
    ]


def _that_count(
    documents: Mapping[str, VexDocument], problems: Problems
) -> Iterator[tuple[str, VexDocument]]:
    """File and document: of those with the same `@id` only the highest version, of equal ones only the first.

    Where the highest version is not known, no exception counts. Where it has several contents, exceptions
    have no time, so that every other statement wins.
    """
    files_by_id: dict[str, dict[VexDocument, str]] = defaultdict(dict)
    for file, document in documents.items():
        files_by_id[document.id or file].setdefault(document, file)

    def add(file: str, message: str, hint: str, level: Level = Level.WARNING) -> None:
        problems.add(Problem(file, 0, 0, "version", message, hint, level, code=Code.STATEMENT))

    for files in files_by_id.values():
        highest = max((each.version for each in files if each.version is not None), default=None)
        candidates = {each: file for each, file in files.items() if each.version in (None, highest)}
        newest = next(iter(candidates.values()))
        for file in [file for each, file in files.items() if each not in candidates]:
            message = f"not used: {newest} has a higher version of the document"
            add(file, message, "remove the older file", Level.INFO)
        unknown = [file for each, file in candidates.items() if each.version is None]
        for document, file in candidates.items():
            if len(candidates) == 1:
                yield file, document
                continue
            other = next(each for each in candidates.values() if each != file)
            hint = "give each document an `@id` of its own, or the newer one a higher `version`"
            if unknown:
                message = (
                    f"{other} has the same `@id`, and the version of {unknown[0]} is missing or not a "
                    "number, so `not_affected` and `fixed` do not count"
                )
                statements = [each for each in document.statements if not each.suppresses]
            else:
                message = (
                    f"{other} has the same `@id` and version, but other content, so statements that do not "
                    "suppress take precedence"
                )
                statements = [
                    replace(each, timestamp="") if each.suppresses else each for each in document.statements
                ]
            add(file, message, hint)
            yield file, replace(document, statements=tuple(statements))


def read_vex(data: bytes, repositories: Repositories = MappingProxyType({})) -> VexDocument:
    """Raises `ReportError` when the bytes are not an OpenVEX document.

    Also for damaged lists of products and parts: without its parts, a statement would cover more.
    """
    try:
        document, latest = mapping(decode(data)), _exact(clock.latest().isoformat())
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
        statement = _statement(document, entry, index)
        time, doubts = _time(document, entry, statement, latest)
        if fault := _fault(statement) or _contradictory(entry, index):
            faults.append(fault)
            continue
        unclear = _unclear(entry, _STATEMENT)
        if not isinstance(vulnerability := entry.get("vulnerability"), str):
            unclear += _unclear(mapping(vulnerability), _VULNERABILITY)
        remarks += [*doubts, *_remarks(statement, unclear, repositories)]
        if not (statement.suppresses and (unclear or doubts)):
            statements.append(replace(statement, timestamp=time))
    version = document.get("version")
    return VexDocument(
        text(document.get("@id")).strip(),
        None if isinstance(version, bool) or not isinstance(version, int | float) else version,
        tuple(statements),
        (*faults, *_once_each(remarks)),
    )


def _once_each(remarks: Iterable[Fault]) -> Iterator[Fault]:
    """One fault for all places with the same message, as a document repeats its products."""
    places: dict[tuple[str, str], dict[str, None]] = {}
    for field, message, hint in remarks:
        places.setdefault((message, hint), {})[field] = None
    for (message, hint), fields in places.items():
        more = f", here and in {len(fields) - 1} more" if len(fields) > 1 else ""
        yield Fault(next(iter(fields)), message + more, hint)


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


def _statement(document: Mapping[str, object], entry: Mapping[str, object], index: int) -> Statement:
    """The statement, without its time."""
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
        timestamp="",
        document=text(document.get("@id")),
        author=text(document.get("author")),
        index=index,
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


def _contradictory(entry: Mapping[str, object], index: int) -> Fault | None:
    """The `@id` and the `name` of the vulnerability are different CVEs."""
    vulnerability = mapping(entry.get("vulnerability"))
    name, id_ = (
        {*map(str.upper, _CVE.findall("".join(text(vulnerability.get(key)).split())))}
        for key in ("name", "@id")
    )
    if not (name and id_) or name & id_:
        return None
    message = f"the `@id` is {min(id_)}, but the `name` is {min(name)}, so the statement matches nothing"
    return Fault(f"statements[{index}].vulnerability", message, "write a statement for each")


def _time(
    document: Mapping[str, object], entry: Mapping[str, object], statement: Statement, latest: str
) -> tuple[str, list[Fault]]:
    """The time of a statement, empty when it is not known, and why it can't be relied on.

    Of a statement that does not suppress it is the latest of all that are given.
    """
    where = f"statements[{statement.index}]."
    written = {
        f"{prefix}{key}": time
        for prefix, each in ((where, entry), ("", document))
        for key in ("timestamp", "last_updated")
        if (time := _given_time(each, key)) and not (statement.suppresses and key == "last_updated")
    }
    if statement.suppresses:
        written = dict([*written.items()][:1])
        effect = "the statement is left out"
    else:
        effect = "the statement counts as the newest"
    times = {field: _exact(time) for field, time in written.items()}
    doubts = [
        Fault(field, f'"{written[field][:40]}" is not a time, so {effect}', _TIME_HINT)
        if not time
        else Fault(field, f"{written[field][:40]} is in the future, so {effect}", _TIME_HINT)
        for field, time in times.items()
        if not time or time > latest
    ]
    return max(times.values(), default="") if all(times.values()) else "", doubts


def _given_time(entry: Mapping[str, object], key: str) -> str:
    """A time as it is written; empty when it is not given."""
    time = "" if (value := entry.get(key)) is None else text(f"{value}").strip()
    return "" if time.startswith(_NOT_SET) else time


def _exact(time: str) -> str:
    """The time as in `Statement.timestamp`; empty when it can't be read."""
    if (moment := utc(time)) is None:
        return ""
    fraction = _FRACTION.search(time)
    digits = fraction[1].rstrip("0") if fraction else ""
    return moment.replace(tzinfo=None, microsecond=0).isoformat() + (f".{digits}" if digits else "")


def _remarks(statement: Statement, unclear: Iterable[str], repositories: Repositories) -> Iterator[Fault]:
    """What is not understood: it counts for nothing where it would take findings out."""
    where = f"statements[{statement.index}]"
    for key in unclear:
        message, hint = _no_key(key, _STATEMENT)
        end = ", so the statement is left out" if statement.suppresses else ""
        yield Fault(where, f"{message}{end}", hint)
    for number, product in enumerate(statement.products):
        place, meaning = f"{where}.products[{number}]", product_meaning(product.component)
        yield from _without_effect(place, product.component, meaning)
        if isinstance(meaning, ProductMeaning):
            yield from _elsewhere(place, product.component, meaning, repositories)
        for position, part in enumerate(product.parts):
            yield from _without_effect(f"{place}.subcomponents[{position}]", part, part_meaning(part))


def _without_effect(place: str, component: Component, meaning: object) -> Iterator[Fault]:
    if isinstance(meaning, RefusedError):
        yield Fault(place, f'"{component.label}" matches nothing: {meaning.message}', meaning.hint)


def _elsewhere(
    place: str, component: Component, meaning: ProductMeaning, repositories: Repositories
) -> Iterator[Fault]:
    """A product in no registry, or in another one than the image of that name in the catalog."""
    for pattern in meaning.images:
        registry, _, _ = pattern.repository.partition("/")
        known = repositories.get(pattern.repository.rpartition("/")[2], ())
        if not pattern.repository or pattern.repository in known or (registry and not known):
            continue
        what = f"it names {pattern.repository[:80]}" if registry else "it names no registry"
        wanted = " or ".join(f"`repository_url={repository}`" for repository in known[:3])
        hint = f"write {wanted}" if wanted else "add `?repository_url=REGISTRY/NAME`"
        yield Fault(place, f'"{component.label}" matches nothing: {what}', hint)


def _ids(vulnerability: object) -> Iterator[str]:
    """The ids as written and, of addresses of an advisory's page, the id in them; the usual one first."""
    entry = {"name": vulnerability} if isinstance(vulnerability, str) else mapping(vulnerability)
    for name in (text(entry.get("name")), text(entry.get("@id")), *texts(entry.get("aliases"))):
        if known := _KNOWN_ID.fullmatch("".join(name.split())):
            id_ = known[1].upper()
            yield id_ if id_.startswith("CVE") else f"GHSA{id_[4:].lower()}"
        elif name.strip():
            yield name.strip()


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
    id_, unclear = text(entry.get("@id")).strip(), _unclear(entry, keys)
    if "@id" in entry and not id_:
        unclear = ("@id", *unclear)
    return Component(id_, identifiers, hashes, unclear)


def _pairs(value: object) -> tuple[tuple[str, str], ...]:
    return tuple((text(key), text(part).strip()) for key, part in mapping(value).items()) if value else ()
