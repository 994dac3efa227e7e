"""Whatever is done to a report, reading it gives scans with safe texts, or a reason why not."""

from __future__ import annotations

import json
import random
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from mkdocs_catalog_api.problems import RefusedError
from mkdocs_catalog_api.sources.reports import FORMATS, Scan, read_report

from .random_catalogs import RandomCatalog, Version
from .report_files import damaged, nodes, row, trivy
from .sites import SiteFolder

CHANCE, WEB = RandomCatalog(SiteFolder(Path()), 1), Version("", "acme/web", "1", [], platform="amd64")
REPORTS: list[Any] = [
    *(json.loads(report_format.sample) for report_format in FORMATS),
    *(
        getattr(CHANCE, scanner)(WEB, "acme/web:1", "sha256:" + "a" * 64)
        for scanner in ("trivy", "grype", "harbor", "osv") * 5
    ),
    [{"Target": "a", "Vulnerabilities": [row()]}],
    {"acme/web:1": trivy(row()), "acme/job:1": {"Results": None}},
]


def outcome(data: bytes) -> list[Scan] | str:
    try:
        return read_report(data)
    except RefusedError as error:
        return str(error)


def check(data: bytes) -> None:
    found = outcome(data)
    for text in texts(found if isinstance(found, str) else to_builtins(found, str_keys=True)):
        assert not {"Cc", "Cs"}.intersection(map(unicodedata.category, text))


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


@given(report=st.sampled_from(REPORTS), seed=st.randoms(use_true_random=False))
def test_damaged_values(report: Any, seed: random.Random) -> None:
    check(damaged(report, seed))


@given(report=st.sampled_from(REPORTS), seed=st.randoms(use_true_random=False))
def test_damaged_bytes(report: Any, seed: random.Random) -> None:
    data = bytearray(json.dumps(report).encode())
    for _ in range(seed.randint(0, 3)):
        data[seed.randrange(len(data))] = seed.randrange(256)
    check(bytes(data[: seed.randrange(len(data) + 1)]))


@given(st.binary())
def test_any_bytes(data: bytes) -> None:
    check(data)


@given(report=st.sampled_from(REPORTS), seed=st.randoms(use_true_random=False))
def test_the_order_in_a_report_does_not_matter(report: Any, seed: random.Random) -> None:
    shuffled = json.loads(json.dumps(report))
    for container, key in nodes({"": shuffled}):
        value = container[key]
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            seed.shuffle(value)
        elif isinstance(value, dict):
            pairs = list(value.items())
            seed.shuffle(pairs)
            value.clear()
            value.update(pairs)
    assert counted(shuffled) == counted(report)


def counted(report: Any) -> Counter[tuple[tuple[str, ...], str]]:
    scans = read_report(json.dumps(report).encode())
    return Counter((scan.references, repr(finding)) for scan in scans for finding in scan.findings)
