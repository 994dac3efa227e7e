"""The files of a published API, and the rules that hold for the bytes of each."""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

# Whatever a file holds: nothing is trusted before `Shapes` has looked at it.
Json = Any

SCORE = re.compile(rb'"score":(-?\d[0-9.eE+-]*)')
SURROGATE = re.compile("[\ud800-\udfff]")
FLOAT = re.compile(r'"\\u0000([^"]*)"')


class Flaw(NamedTuple):
    """One fault at a JSON path; `fatal` when nothing else can be said of the document until it is mended."""

    where: str
    text: str
    fatal: bool = False


class Api:
    """The documents below api/v1 of a site, by their path there, and the violations found in them."""

    def __init__(self, site: Path, mount: str) -> None:
        self.site = site
        self.mount = mount
        self.base = f"{mount}/api/v1"
        self.root = site / "api" / "v1"
        self.files = {p.relative_to(self.root).as_posix() for p in self.root.rglob("*") if p.is_file()}
        self.violations: list[str] = []
        self.read = lru_cache(maxsize=256)(self._read)

    def _read(self, path: str) -> Json:
        return json.loads((self.root / path).read_bytes())

    def blame(self, document: str, where: str, text: str) -> None:
        self.violations.append(f"{document} {where}: {text}")

    def expect(self, document: str, where: str, actual: Json, wanted: Json) -> None:
        """Blame every place where `actual` is not what the contract makes of the other documents."""
        for flaw in differences(actual, wanted, where):
            self.blame(document, flaw.where, flaw.text)

    def href(self, path: str) -> str:
        return f"{self.base}/{path}"

    def well_formed(self, path: str) -> bool:
        """UTF-8, strict JSON, compact, one trailing newline, shortest scores. False: it cannot be read."""
        raw = (self.root / path).read_bytes()
        try:
            text = raw.decode("utf-8")
            json.loads(text, object_pairs_hook=_no_key_twice, parse_constant=_refuse)
            # Floats become marked text, so that the way a number is written plays no part in the comparison.
            marked = json.loads(text, parse_float=lambda digits: f"\0{digits}")
        except (ValueError, RecursionError) as error:
            self.blame(path, "$", f"is not UTF-8 JSON: {error}")
            return False
        again = FLOAT.sub(r"\1", json.dumps(marked, separators=(",", ":"), ensure_ascii=False))
        if not text.endswith("\n") or text.endswith("\n\n"):
            self.blame(path, "$", "does not end with exactly one newline")
        if text.rstrip("\n") != again:
            self.blame(path, "$", "is not compact JSON with its text unescaped")
        if SURROGATE.search(again):
            self.blame(path, "$", "holds half a surrogate pair")
        for written in SCORE.findall(raw):
            shortest = json.dumps(json.loads(written)).removesuffix(".0").encode()
            if written != shortest:
                self.blame(path, "$..score", f"is written {written.decode()}, not {shortest.decode()}")
        return True


def differences(actual: Json, wanted: Json, where: str) -> Iterator[Flaw]:
    """Every place where two JSON values differ; 1, 1.0 and true are three different values."""
    if isinstance(actual, dict) and isinstance(wanted, dict):
        for key in [*actual, *(key for key in wanted if key not in actual)]:
            if key not in wanted:
                yield Flaw(f"{where}.{key}", "should not be there")
            elif key not in actual:
                yield Flaw(f"{where}.{key}", "is missing")
            else:
                yield from differences(actual[key], wanted[key], f"{where}.{key}")
    elif isinstance(actual, list) and isinstance(wanted, list) and len(actual) == len(wanted):
        for position, (mine, theirs) in enumerate(zip(actual, wanted, strict=True)):
            yield from differences(mine, theirs, f"{where}[{position}]")
    elif isinstance(actual, list) and isinstance(wanted, list):
        yield Flaw(where, f"has {len(actual)} entries, not {len(wanted)}: {show(actual)}, not {show(wanted)}")
    elif type(actual) is not type(wanted) or actual != wanted:
        yield Flaw(where, f"is {show(actual)}, not {show(wanted)}")


def show(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 120 else f"{text[:117]}..."


def _no_key_twice(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    if len(keys := dict(pairs)) < len(pairs):
        raise ValueError(f"a key stands twice among {', '.join(keys)}")
    return keys


def _refuse(constant: str) -> Json:
    raise ValueError(f"{constant} is not JSON")
