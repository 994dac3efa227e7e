"""Small reports, and what damages them."""

from __future__ import annotations

import json
import random
import re
from copy import deepcopy
from typing import Any

# fmt: off
STRANGE: list[Any] = [
    None, True, -1, 1.5, "", "text", "\ud800\x00", [], {}, [[]], [{}], {"a": {}}, [None, "x"],
    "1e400", "-1E999", "9" * 5000, "[" * 2000 + "]" * 2000,
]
# fmt: on
_BARE = re.compile(rb'"(-?[0-9]+(?:[eE][0-9]+)?|\[{2000}\]{2000})"')
"""What `damaged` writes without quotes, as Python can't."""


def trivy(*vulnerabilities: dict[str, Any], **fields: Any) -> dict[str, Any]:
    result = {"Target": "acme/web (wolfi 1)", "Class": "os-pkgs", "Vulnerabilities": list(vulnerabilities)}
    return {"SchemaVersion": 2, "Results": [result], **fields}


def row(**fields: Any) -> dict[str, Any]:
    return {"VulnerabilityID": "CVE-2026-0001", "PkgName": "zlib", "Severity": "HIGH", **fields}


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
    return _BARE.sub(rb"\1", json.dumps(document).encode())


def shuffled(document: Any, seed: random.Random) -> Any:
    """The document with its lists of objects, and the keys of all objects, in another order."""
    document = json.loads(json.dumps(document))
    for container, key in nodes({"": document}):
        value = container[key]
        if isinstance(value, list) and all(isinstance(each, dict) for each in value):
            seed.shuffle(value)
        elif isinstance(value, dict):
            pairs = [*value.items()]
            seed.shuffle(pairs)
            value.clear()
            value.update(pairs)
    return document
