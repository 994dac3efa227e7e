"""Small reports, and what reading them gives."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from typing import Any

import pytest

from mkdocs_catalog_api.problems import RefusedError
from mkdocs_catalog_api.problems.codes import Code
from mkdocs_catalog_api.sources.reports import Finding, Scan, read_report

DIGEST = "sha256:" + "a" * 64
STRANGE: list[Any] = [
    None,
    True,
    -1,
    1.5,
    "",
    "text",
    "\ud800\x00",
    [],
    {},
    [[]],
    [{}],
    {"a": {}},
    [None, "x"],
]


def trivy(*vulnerabilities: dict[str, Any], **fields: Any) -> dict[str, Any]:
    result = {"Target": "acme/web (wolfi 1)", "Class": "os-pkgs", "Vulnerabilities": list(vulnerabilities)}
    return {"SchemaVersion": 2, "Results": [result], **fields}


def row(**fields: Any) -> dict[str, Any]:
    return {"VulnerabilityID": "CVE-2026-0001", "PkgName": "zlib", "Severity": "HIGH", **fields}


def read(document: object) -> Scan:
    (scan,) = read_report(json.dumps(document).encode())
    return scan


def finding(**fields: Any) -> Finding:
    (found,) = read(trivy(row(**fields))).findings
    return found


def refusal(data: bytes | dict[str, Any] | list[Any]) -> str:
    with pytest.raises(RefusedError) as caught:
        read_report(data if isinstance(data, bytes) else json.dumps(data).encode())
    return str(caught.value.problem("", Code.BROKEN_REPORT))


def nodes(document: Any) -> list[tuple[Any, Any]]:
    """Each (container, key) of a document, from the top to the leaves."""
    keys = list(document) if isinstance(document, dict) else range(len(document))
    found: list[tuple[Any, Any]] = [(document, key) for key in keys]
    for key in keys:
        if isinstance(document[key], dict | list):
            found += nodes(document[key])
    return found


def damaged(document: Any, seed: random.Random) -> bytes:
    """JSON of the document with up to three values taken out or replaced by strange ones."""
    document = json.loads(json.dumps(document))
    for _ in range(seed.randint(1, 3)):
        container, key = seed.choice(nodes(document) or [([None], 0)])
        if seed.random() < 0.3:
            del container[key]
        else:
            container[key] = deepcopy(seed.choice(STRANGE))
    return json.dumps(document).encode()
