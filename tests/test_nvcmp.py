"""Updates from the output of `nvcmp -j` and a file of decisions."""

from __future__ import annotations

import json
import logging

import pytest

from .contract import check
from .sites import Result, SiteFolder


def row(name: str, old: str | None, new: str | None, delta: str = "new") -> dict[str, str | None]:
    return {"delta": delta, "name": name, "newver": new, "oldver": old}


def build(site: SiteFolder, *rows: object, decisions: str = "") -> Result:
    site.settings["updates"] = {"data": "nvcmp.json"}
    site.write("nvcmp.json", json.dumps(rows).encode())
    if decisions:
        site.write("decisions.yml", decisions)
    return site.build(strict=True)


def outcomes(result: Result) -> list[tuple[str, str | None, str, str]]:
    assert not result.failed, result.logged()
    data = result.json("updates.json")["data"]
    return [(entry["application"], entry["from"], entry["to"], entry["outcome"]) for entry in data]


@pytest.fixture
def catalog(site: SiteFolder) -> SiteFolder:
    site.image("grafana", "versions: ['12.2.1', '12.2.0']")
    site.image("node", "name: Node.js\nversions: [v24.11.0]")
    site.page("charts/stack.md", "category: Tools\ntier: core\nlicense: MIT\nversions: [2.0.0]")
    return site


def test_what_the_catalog_lists_is_shipped_and_the_rest_is_held(catalog: SiteFolder) -> None:
    result = build(
        catalog,
        row("zlib", "1.3", "1.10"),
        row("grafana", "12.2.0", "12.2.1"),
        row("Node.js", "v24.10.0", "24.11.0"),
        row("stack", "1.0.0", "v2.0.0"),
        row("grafana", "12.2.1", "12.3.0"),
    )
    assert outcomes(result) == [
        ("zlib", "1.3", "1.10", "held"),
        ("grafana", "12.2.0", "12.2.1", "shipped"),
        ("Node.js", "v24.10.0", "24.11.0", "shipped"),
        ("stack", "1.0.0", "v2.0.0", "shipped"),
        ("grafana", "12.2.1", "12.3.0", "held"),
    ]
    assert check(catalog.folder / "site", "/catalog") == []


def test_every_kind_of_difference_is_read_as_nvcmp_means_it(catalog: SiteFolder) -> None:
    result = build(
        catalog,
        row("grafana", None, "12.2.1", "added"),
        row("same", "1", "1", "equal"),
        row("away", "1", None, "gone"),
        row("never", None, None, "added"),
        row("back", "2", "1", "old"),
    )
    assert outcomes(result) == [("grafana", None, "12.2.1", "shipped"), ("back", "2", "1", "held")]


def test_decisions_win_and_say_why(catalog: SiteFolder) -> None:
    decisions = """
        held: {zlib: Waits for the new compiler, grafana: }
        skipped: {redis: Its licence changed}
        """
    rows = [row("grafana", "1", "12.2.1"), row("redis", "7", "8"), row("zlib", "1", "2")]
    result = build(catalog, *rows, decisions=decisions)
    assert [(entry["outcome"], entry["note"]) for entry in result.json("updates.json")["data"]] == [
        ("held", None),
        ("skipped", "Its licence changed"),
        ("held", "Waits for the new compiler"),
    ]


def test_a_decision_may_wait_for_an_application_without_news(catalog: SiteFolder) -> None:
    """nvcmp leaves out what did not change, but the catalog knows the name."""
    assert outcomes(build(catalog, decisions="held: {grafana: Waits}")) == []


@pytest.mark.parametrize(
    ("decisions", "message"),
    [
        (
            "held:\n  grafanna: Waits\n",
            "decisions.yml:2:3: held.grafanna: unknown application 'grafanna'",
        ),
        (
            "held: {zlib: }\nskipped: {zlib: }\n",
            "decisions.yml:2:11: skipped.zlib: the application is both held and skipped",
        ),
        ("hold: {zlib: }\n", "decisions.yml:1:1: hold: unknown"),
        ("held: [zlib]\n", "decisions.yml:1:1: held: expected keys and values"),
        ("[zlib]\n", "decisions.yml:1:1: not keys and values"),
        ("held: {", "decisions.yml:2:1: a value is missing"),
    ],
)
def test_a_wrong_decision_is_named(catalog: SiteFolder, decisions: str, message: str) -> None:
    result = build(catalog, row("zlib", "1", "2"), decisions=decisions)
    assert result.failed
    assert [text for text in result.logged() if text.startswith(message)], result.logged()


def test_a_misspelt_application_gets_the_nearest_name(catalog: SiteFolder) -> None:
    result = build(catalog, decisions="held: {grafanna: Waits}")
    assert any("did you mean `grafana`?" in text for text in result.logged(logging.WARNING))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row("zlib", "1", "2", "newer")], "nvcmp.json:1:3: zlib: [0].delta: 'newer' is not"),
        ([{"delta": "new", "newver": "2", "oldver": "1"}], "nvcmp.json:1:2: [0].name: missing"),
        ([row("zlib", "1", "2"), "zlib"], "nvcmp.json:1:"),
        ([row("zlib", "1", "2"), row("zlib", "1", "2")], "nvcmp.json:1:"),
    ],
)
def test_a_wrong_difference_is_named(catalog: SiteFolder, rows: list[object], message: str) -> None:
    result = build(catalog, *rows)
    assert result.failed
    assert [text for text in result.logged() if text.startswith(message)], result.logged()
