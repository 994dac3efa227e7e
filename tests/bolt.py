"""A database of vulnerabilities as Trivy has it: a small file of bbolt (https://github.com/etcd-io/bbolt)."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_PAGE = 4096
_META, _LEAF, _FREE = 4, 2, 16
_BUCKET = 1


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Save buckets: those of strings are buckets, whatever else is in them is JSON."""
    pages: list[bytes] = []
    root = _bucket(content, pages)
    head = struct.pack("<IIIIQQQQ", 0xED0CDAED, 2, _PAGE, 0, root, 0, 2, 3 + len(pages))
    first = [_page(number, _META, 0, _sealed(head + struct.pack("<Q", number))) for number in (0, 1)]
    path.write_bytes(b"".join([*first, _page(2, _FREE, 0, b""), *pages]))


def _bucket(content: Mapping[str, Any], pages: list[bytes]) -> int:
    """The number of the page with all that is in a bucket."""
    entries = []
    for name, value in sorted(content.items()):
        nested = isinstance(value, dict) and all(isinstance(one, dict) for one in value.values())
        body = struct.pack("<QQ", _bucket(value, pages), 0) if nested else json.dumps(value).encode()
        entries.append((_BUCKET if nested else 0, name.encode(), body))
    heads, bodies = b"", b""
    for number, (flags, key, body) in enumerate(entries):
        heads += struct.pack("<IIII", flags, 16 * (len(entries) - number) + len(bodies), len(key), len(body))
        bodies += key + body
    pages.append(_page(3 + len(pages), _LEAF, len(entries), heads + bodies))
    return 2 + len(pages)


def _page(number: int, flags: int, count: int, body: bytes) -> bytes:
    assert len(body) <= _PAGE - 16, "one page has to do"
    return (struct.pack("<QHHI", number, flags, count, 0) + body).ljust(_PAGE, b"\0")


def _sealed(meta: bytes) -> bytes:
    sum_ = 0xCBF29CE484222325
    for byte in meta:
        sum_ = (sum_ ^ byte) * 0x100000001B3 % 2**64
    return meta + struct.pack("<Q", sum_)
