"""Updates from the output of `nvcmp -j` and a file of decisions: a table of both, and what is published."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

import pytest

from .sites import SiteFolder, built


class Row(NamedTuple):
    """Differences as `name old new`, with what nvcmp calls them if it is not `new`; - is null."""

    differences: str
    published: str = ""
    """The same with the outcome, and the note of a decision."""
    decisions: str = ""


ROWS = {
    "what the catalog lists is shipped, and the rest is held": Row(
        "zlib 1.3 1.10, grafana 12.2.0 12.2.1, Node.js v24.10.0 24.11.0, stack 1 v2.0.0, grafana 12.2.1 12.3",
        "zlib 1.3 1.10 held, grafana 12.2.0 12.2.1 shipped, Node.js v24.10.0 24.11.0 shipped,"
        " stack 1 v2.0.0 shipped, grafana 12.2.1 12.3 held",
    ),
    "every kind of difference is read as nvcmp means it": Row(
        "grafana - 12.2.1 added, same 1 1 equal, away 1 - gone, never - - added, back 2 1 old",
        "grafana - 12.2.1 shipped, back 2 1 held",
    ),
    "decisions win and say why": Row(
        "grafana 1 12.2.1, redis 7 8, zlib 1 2",
        "grafana 1 12.2.1 held, redis 7 8 skipped Its licence changed, zlib 1 2 held Waits for the compiler",
        "{held: {zlib: Waits for the compiler, grafana: }, skipped: {redis: Its licence changed}}",
    ),
    # nvcmp leaves out what did not change, but the catalog knows the name.
    "a decision may wait for an application without news": Row("", "", "held: {grafana: Waits}"),
}
WRONG_DECISIONS = {
    "held:\n  grafanna: Waits\n": "2:3: held.grafanna: unknown application 'grafanna'",
    "held: {grafanna: Waits}": "1:8: held.grafanna: unknown application 'grafanna' (did you mean `grafana`?",
    "held: {zlib: }\nskipped: {zlib: }\n": "2:11: skipped.zlib: the application is both held and skipped",
    "hold: {zlib: }\n": "1:1: hold: unknown",
    "held: [zlib]\n": "1:1: held: expected keys and values",
    "[zlib]\n": "1:1: not keys and values",
    "held: {": "2:1: a value is missing",
}
ZLIB = '{"delta": "new", "name": "zlib", "newver": "2", "oldver": "1"}'
WRONG_DIFFERENCES = {
    f"[{ZLIB.replace('new', 'newer', 1)}]": "1:3: zlib: [0].delta: 'newer' is not",
    '[{"delta": "new", "newver": "2", "oldver": "1"}]': "1:2: [0].name: missing",
    f'[{ZLIB}, "zlib"]': "1:",
    f"[{ZLIB}, {ZLIB}]": "1:",
}


def write(site: SiteFolder, differences: str, decisions: str) -> None:
    site.image("grafana", "versions: ['12.2.1', '12.2.0']")
    site.image("node", "name: Node.js\nversions: [v24.11.0]")
    site.page("charts/stack.md", "category: Tools\ntier: core\nlicense: MIT\nversions: [2.0.0]")
    site.settings["updates"] = {"data": "nvcmp.json"}
    site.write("nvcmp.json", differences)
    if decisions:
        site.write("decisions.yml", decisions)


def read(differences: str) -> Iterable[dict[str, str | None]]:
    for each in filter(None, differences.split(", ")):
        name, *given = each.split()
        old, new = (None if version == "-" else version for version in given[:2])
        yield {"delta": " ".join(given[2:]) or "new", "name": name, "newver": new, "oldver": old}


@pytest.mark.parametrize("name", ROWS)
def test_updates_of_nvcmp(site: SiteFolder, name: str) -> None:
    write(site, json.dumps([*read(ROWS[name].differences)]), ROWS[name].decisions)
    entries = built(site, strict=True).json("updates.json")["data"]
    keys = ("application", "from", "to", "outcome", "note")
    published = [" ".join(entry[key] or "-" for key in keys).removesuffix(" -") for entry in entries]
    assert ", ".join(published) == ROWS[name].published


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [("decisions.yml", *each) for each in WRONG_DECISIONS.items()]
    + [("nvcmp.json", *each) for each in WRONG_DIFFERENCES.items()],
)
def test_what_is_wrong_is_named(site: SiteFolder, file: str, text: str, place: str) -> None:
    differences = text if file == "nvcmp.json" else json.dumps([*read("zlib 1 2")])
    write(site, differences, text if file == "decisions.yml" else "")
    result = site.build(strict=True)
    assert result.failed
    assert [line for line in result.logged() if line.startswith(f"{file}:{place}")], result.logged()
