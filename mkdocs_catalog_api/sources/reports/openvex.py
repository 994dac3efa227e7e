"""OpenVEX documents, https://github.com/openvex/spec: whether vulnerabilities affect products.

A value of a wrong type is treated as missing. A key that is unknown or has such a value may restrict the
statement, so it is remembered. Older forms are supported: a vulnerability, product or subcomponent that is
plain text, and subcomponents next to the products instead of in them.

A new edition of a document updates the time of statements that do not suppress, but not of exceptions: an
exception has its own time, else that of the document.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from ...authored import clock
from ...authored.folders import MAX_SIZE, read_file
from ...authored.messages import suggestion
from ...catalog.ids import CVE_ID, usual
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
from ...problems import Level, Problem, Problems, RefusedError, reason
from ...problems.codes import Code
from .envelopes import enclosed
from .json_errors import decode
from .normalise import mapping, rows, second_fraction, text, texts, utc
from .read_reports import usable_files

_GHSA_ID = "GHSA(?:-[0-9a-z]{4}){3}"
_KNOWN_ID = re.compile(rf"(?:https?://[^?#]*/)?({CVE_ID}|{_GHSA_ID})", re.IGNORECASE)
"""An id, or the URL of its page."""
_CVE = re.compile(CVE_ID, re.IGNORECASE)
_NOT_SET = "0001-01-01"
"""The time that means "not set" in programs written in Go."""
_NOTHING = type(None)
_HINT = "create an OpenVEX document, for example with `vexctl create`"
_TIME_HINT = "use the form 2026-01-15T09:00:00Z"

_OF_REPOSITORY = {"index.json": "packages", "vex-repository.json": "versions"}
"""File of a VEX Repository → its list."""

_Keys = Mapping[str, type]
"""The keys of an object with the type of each value; `object` accepts any value."""
_VULNERABILITY: _Keys = {"@id": str, "name": str, "description": object, "aliases": list}
_PART: _Keys = {"@id": str, "identifiers": dict, "hashes": dict, "supplier": object}
_PRODUCT: _Keys = {**_PART, "subcomponents": object}
_STATEMENT: _Keys = {
    **dict.fromkeys(("@id", "version", "vulnerability", "timestamp", "last_updated", "products"), object),
    **dict.fromkeys(("subcomponents", "status", "supplier", "status_notes", "justification"), object),
    **dict.fromkeys(("impact_statement", "impact_statement_timestamp", "action_statement"), object),
    "action_statement_timestamp": object,
} | dict.fromkeys(("status", "justification", "impact_statement"), str)
# Keys that are marked as an extension of OpenVEX, so they are not misspelled.
_EXTENSION = re.compile("@type|[$_].*|x[-_].*|.*:.*")


class VexDocument(Struct, frozen=True):
    id: str
    statements: tuple[Statement, ...]
    problems: tuple[Problem, ...]
    """Why statements or products are left out, and errors without an effect; without the file."""


Repositories = Mapping[str, Sequence[str]]
"""Image name → the repositories in the catalog with this image."""


def read_folder(
    folder: Path,
    label: str,
    problems: Problems,
    repositories: Repositories,
    max_size: int = MAX_SIZE,
) -> list[Statement]:
    """Return the valid statements of all documents in `folder`. Of documents with one `@id` and another
    content, none suppresses, as it is not known which one is valid.

    For `label` and `max_size`, see `usable_files`.
    """
    documents: dict[str, VexDocument] = {}
    kind, code = "VEX document", Code.STATEMENT
    for path in usable_files(folder, label, problems, max_size=max_size, kind=kind, code=code):
        file = f"{label}/{path}"
        try:
            data = read_file(folder / path, None)
            if is_of_repository(path, data):
                continue
            document = read_vex(data, repositories)
        except OSError as error:
            message = f"the document can't be read: {reason(error)}"
            problems.add(
                Problem(file, 0, 0, "", message, "make it readable or remove it", code=Code.NOT_READ)
            )
        except RefusedError as error:
            problems.add(error.problem(file, Code.STATEMENT))
        else:
            problems.extend(replace(problem, file=file) for problem in document.problems)
            documents[file] = document
    files_by_id: dict[str, list[str]] = defaultdict(list)
    for file, document in documents.items():
        files_by_id[document.id or file].append(file)
    statements: dict[Statement, str] = {}
    for id_, files in files_by_id.items():
        contents = {documents[file].statements for file in files}
        for file in files:
            for statement in documents[file].statements:
                if len(contents) == 1 or not statement.suppresses:
                    statements.setdefault(replace(statement, document=id_), file)
        if len(contents) > 1:
            message = (
                f"{', '.join(files[1:])} has the same `@id`, but other content, so their `not_affected` and "
                "`fixed` are not used"
            )
            hint = "remove the outdated document, or set a different `@id` for each"
            problems.add(Problem(files[0], 0, 0, "@id", message, hint, Level.WARNING, code=code))
    return [replace(statement, file=file) for statement, file in statements.items()]


def is_of_repository(path: str, data: bytes) -> bool:
    """Whether a file is one of the two that describe a VEX Repository, in which others' documents are:
    https://github.com/aquasecurity/vex-repo-spec, version 0.1.
    """
    name = path.rpartition("/")[2]
    if name not in _OF_REPOSITORY:
        return False
    try:
        document = mapping(decode(data))
    except RefusedError:
        return False
    return "@context" not in document and isinstance(document.get(_OF_REPOSITORY[name]), list)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(found := dict(pairs)) < len(pairs):
        raise RefusedError("a key stands twice in an object", _HINT)
    return found


def _check_unique(data: bytes) -> None:
    """Raise `RefusedError` if a key stands twice in an object: programs take either value."""
    written = data.decode(json.detect_encoding(data), "replace")
    json.loads(written, object_pairs_hook=_unique, parse_int=str)


def read_vex(data: bytes, repositories: Repositories = MappingProxyType({})) -> VexDocument:
    """Decode an OpenVEX document. Raises `RefusedError` if the bytes are not one.

    Also for damaged lists of products and parts: without its parts, a statement would cover more.
    """
    try:
        first, *_ = enclosed(decode(data))
        _check_unique(data)
        if first.payload is not None:
            _check_unique(first.payload)
    except RefusedError as error:
        raise RefusedError(error.message, _HINT, error.line, error.column) from None
    document = first.document
    latest = _exact(clock.latest().isoformat())
    if "openvex" not in text(document.get("@context")):
        raise RefusedError("not an OpenVEX document: `@context` is not of openvex.dev", _HINT)
    if "statements" not in document:
        raise RefusedError("`statements` is missing", _HINT)
    statements: list[Statement] = []
    faults: list[Problem] = []
    remarks: list[Problem] = []
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
    return VexDocument(text(document.get("@id")).strip(), tuple(statements), (*faults, *remarks))


def _unclear(entry: Mapping[str, object], keys: _Keys) -> tuple[str, ...]:
    """Return the keys that are unknown or have a value of a wrong type."""
    return tuple(
        text(key)
        for key, value in entry.items()
        if not (isinstance(value, (keys[key], _NOTHING)) if key in keys else _EXTENSION.fullmatch(key))
    )


def _statement(document: Mapping[str, object], entry: Mapping[str, object], index: int) -> Statement:
    """Return the statement without its time."""
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
    )


def _warning(field: str, message: str, hint: str) -> Problem:
    return Problem("", 0, 0, field, message, hint, Level.WARNING, code=Code.STATEMENT)


def _fault(statement: Statement) -> Problem | None:
    where = f"statements[{statement.index}]"
    if not statement.ids:
        return _warning(f"{where}.vulnerability", "the statement has no vulnerability", "add its `name`")
    if statement.status not in STATUSES:
        message = f'unknown status "{statement.status[:40]}"'
        return _warning(f"{where}.status", message, suggestion(statement.status, STATUSES, "use one of"))
    reason = statement.justification or statement.impact_statement
    if statement.status == "not_affected" and not reason:
        return _warning(
            where,
            f"the statement on {statement.ids[0][:80]} has no reason why the product is not affected",
            "add a `justification` or an `impact_statement`",
        )
    if statement.status == "not_affected" and statement.justification not in ("", *JUSTIFICATIONS):
        message = f'unknown justification "{statement.justification[:60]}"'
        hint = suggestion(statement.justification, JUSTIFICATIONS, "use one of")
        return _warning(f"{where}.justification", message, hint)
    if not statement.products:
        return _warning(f"{where}.products", "the statement has no product", "add the image or the package")
    return None


def _contradictory(entry: Mapping[str, object], index: int) -> Problem | None:
    """Return a problem if the ids of the vulnerability are of several CVEs."""
    written = "\n".join("".join(each.split()) for each in _written(entry.get("vulnerability")))
    cves = sorted({*map(str.upper, _CVE.findall(written))})
    if len(cves) < 2:
        return None
    message = f"the ids are of {cves[0]} and {cves[1]}, so the statement matches nothing"
    return _warning(f"statements[{index}].vulnerability", message, "write one statement for each of them")


def _time(
    document: Mapping[str, object], entry: Mapping[str, object], statement: Statement, latest: str
) -> tuple[str, list[Problem]]:
    """Return the time of a statement ("" if it is unknown), and the problems with it.

    For a statement that does not suppress, it is the latest of its times.
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
        effect = "the statement is not used"
    else:
        effect = "the statement is treated as the newest"
    times = {field: _exact(time) for field, time in written.items()}
    doubts = [
        _warning(field, f'"{written[field][:40]}" is not a time, so {effect}', _TIME_HINT)
        if not time
        else _warning(field, f"{written[field][:40]} is in the future, so {effect}", _TIME_HINT)
        for field, time in times.items()
        if not time or time > latest
    ]
    return max(times.values(), default="") if all(times.values()) else "", doubts


def _given_time(entry: Mapping[str, object], key: str) -> str:
    """Return a time as written, or "" if it is missing."""
    time = "" if (value := entry.get(key)) is None else text(f"{value}").strip()
    return "" if time.startswith(_NOT_SET) else time


def _exact(time: str) -> str:
    """Return the time as in `Statement.timestamp`, or "" if it is unreadable."""
    if (moment := utc(time)) is None:
        return ""
    digits = second_fraction(time)
    return moment.replace(tzinfo=None, microsecond=0).isoformat() + (f".{digits}" if digits else "")


def _remarks(statement: Statement, unclear: Iterable[str], repositories: Repositories) -> Iterator[Problem]:
    """Yield the parts that are not supported. If they would suppress findings, the statement is not used."""
    where = f"statements[{statement.index}]"
    for key in unclear:
        message = f"`{key[:40]}` is unknown or has a wrong type"
        end = ", so the statement is not used" if statement.suppresses else ""
        yield _warning(where, f"{message}{end}", "use the keys and types of the OpenVEX specification")
    for number, product in enumerate(statement.products):
        place, meaning = f"{where}.products[{number}]", product_meaning(product.component)
        yield from _without_effect(place, product.component, meaning)
        if isinstance(meaning, ProductMeaning):
            yield from _elsewhere(place, product.component, meaning, repositories)
        for position, part in enumerate(product.parts):
            yield from _without_effect(f"{place}.subcomponents[{position}]", part, part_meaning(part))


def _without_effect(place: str, component: Component, meaning: object) -> Iterator[Problem]:
    if isinstance(meaning, RefusedError):
        yield _warning(place, f'"{component.label}" matches nothing: {meaning.message}', meaning.hint)


def _elsewhere(
    place: str, component: Component, meaning: ProductMeaning, repositories: Repositories
) -> Iterator[Problem]:
    """Yield a problem for a product whose registry is missing, or is not that of the image in the catalog."""
    for pattern in meaning.images:
        registry, _, _ = pattern.repository.partition("/")
        known = repositories.get(pattern.repository.rpartition("/")[2], ())
        if not pattern.repository or pattern.repository in known or (registry and not known):
            continue
        what = f"its repository is {pattern.repository[:80]}" if registry else "it has no registry"
        prefix = (
            "" if component.label.startswith("pkg:") else f"pkg:oci/{pattern.repository.rpartition('/')[2]}?"
        )
        wanted = " or ".join(f"`{prefix}repository_url={repository}`" for repository in known[:3])
        hint = f"use {wanted}" if wanted else "add `?repository_url=REGISTRY/NAME`"
        yield _warning(place, f'"{component.label}" matches nothing: {what}', hint)


def _ids(vulnerability: object) -> Iterator[str]:
    """Yield the ids as written, and the ids in URLs of advisories, in the order of `_written`."""
    for name in _written(vulnerability):
        if known := _KNOWN_ID.fullmatch("".join(name.split())):
            yield usual(known[1])
        elif name.strip():
            yield usual(name)


def _written(vulnerability: object) -> Iterable[str]:
    """Return the texts that may be ids; the usual one comes first."""
    entry = {"name": vulnerability} if isinstance(vulnerability, str) else mapping(vulnerability)
    return text(entry.get("name")), text(entry.get("@id")), *texts(entry.get("aliases"))


def _parts(entry: Mapping[str, object], where: str) -> tuple[Component, ...]:
    parts = _objects(entry.get("subcomponents"), f"{where}.subcomponents")
    return tuple(_component(part, _PART) for part in parts)


def _objects(value: object, where: str) -> list[dict[str, object]]:
    """Return the objects of a list; plain text is an object with that id."""
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
