"""Where parsed reports wait until their image is rendered, so that one image's rows are in memory at a time.

An SQLite file: made beside the staging folder for one build, or kept in the user's cache folder, where it
spares the next build the parsing of unchanged reports. Whatever in it does not check out counts as absent.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, Self

_SCHEMA = """
CREATE TABLE IF NOT EXISTS scan (
    key BLOB NOT NULL, position INTEGER NOT NULL, total INTEGER NOT NULL,
    head TEXT NOT NULL, ids TEXT NOT NULL, rows BLOB NOT NULL, findings BLOB NOT NULL, digest BLOB NOT NULL,
    PRIMARY KEY (key, position)
) WITHOUT ROWID;
"""


class Parsed(NamedTuple):
    """What is kept of one scan, as JSON: its head, the distinct ids, the united rows, the raw findings."""

    head: str
    ids: str
    rows: bytes
    findings: bytes

    def digest(self) -> bytes:
        check = hashlib.blake2b(digest_size=16)
        for part in (self.head.encode(), self.ids.encode(), self.rows, self.findings):
            check.update(len(part).to_bytes(8, "big") + part)
        return check.digest()


@cache
def reader_version() -> bytes:
    """A digest of the code that turns reports into what is kept; another version never reads its results."""
    package = Path(__file__).parent.parent
    catalog = [package / f"catalog/{name}.py" for name in ("references", "scans", "vulnerabilities")]
    readers = sorted((package / "sources/reports").glob("*.py"))
    sources = [*readers, package / "sources/scan_index.py", *catalog]
    return hashlib.blake2b(b"\0".join(path.read_bytes() for path in sources), digest_size=16).digest()


def content_key(data: bytes) -> bytes:
    """The key of a report: its content and the version of the readers."""
    return hashlib.blake2b(data, digest_size=24, key=reader_version()).digest()


class Store:
    """One process's connection to the file. Safe for several processes at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = sqlite3.connect(path, timeout=60, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=OFF")  # a lost cache costs a parse, no more
        self._connection.executescript(_SCHEMA)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def heads(self, key: bytes) -> list[str] | None:
        """The heads of a report's scans in order, None when the report is not (wholly) kept."""
        rows = self._connection.execute(
            "SELECT total, head FROM scan WHERE key = ? ORDER BY position", (key,)
        ).fetchall()
        return [head for _, head in rows] if rows and rows[0][0] == len(rows) else None

    def parsed(self, key: bytes, position: int) -> Parsed | None:
        """One scan, None when it is absent or does not check out."""
        row = self._connection.execute(
            "SELECT head, ids, rows, findings, digest FROM scan WHERE key = ? AND position = ?",
            (key, position),
        ).fetchone()
        if row is None:
            return None
        parsed = Parsed(*row[:4])
        return parsed if parsed.digest() == row[4] else None

    def put(self, reports: Iterable[tuple[bytes, Sequence[Parsed]]]) -> None:
        """Keep the scans of some reports, in one transaction."""
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany(
            "INSERT OR REPLACE INTO scan VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (key, position, len(scans), *parsed, parsed.digest())
                for key, scans in reports
                for position, parsed in enumerate(scans)
            ),
        )
        self._connection.execute("COMMIT")


def compact(value: object) -> str:
    """JSON as it is kept and published: compact, non-ASCII text unescaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
