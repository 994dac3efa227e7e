"""Release lines, variants, and the versions to update to."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.lines import (
    LineRules,
    newest_label,
    parse_label,
    update_advice,
)
from mkdocs_catalog_api.catalog.models import VersionEntry

from .contract import check
from .sites import REGISTRY, Result, SiteFolder, built, digest, row, trivy

NONE = "–"
ROWS = {
    "postgresql": ("", "17.5: 17/ > 17.6 18.0 | 17.6: 17/ > – 18.0 | 16.10: 16/ > – 18.0 | *18.0: 18/ > – –"),
    "nginx-stable": (
        "latest: 1.28.1", "1.28.0: 1.28/ > 1.28.1 – | *1.28.1: 1.28/ > – – | 1.29.3: 1.29/ > – –"),
    "node": (
        "",
        "24.18.0: 24.18/ > 24.18.1 26.5.1 | 24.18.1: 24.18/ > – 26.5.1 | 26.4.0: 26.4/ > – 26.5.1"
        " | *26.5.1: 26.5/ > – –"),
    "node-major": (
        "lines: major",
        "24.18.0: 24/ > 24.18.1 26.5.1 | 24.18.1: 24/ > – 26.5.1 | 26.4.0: 26/ > 26.5.1 –"
        " | *26.5.1: 26/ > – –"),
    "node-product": (
        "product: nodejs", "26.4.0: 26/ > 26.5.1 – | *26.5.1: 26/ > – – | 24.18.0: 24/ > – 26.5.1"),
    "python": (
        "",
        "*3.14.7: 3.14/ > – – | 3.14.6-dev: 3.14/dev > 3.14.7-dev – | 3.14.7-dev: 3.14/dev > – –"
        " | 3.13.15-dev: 3.13/dev > – 3.14.7-dev"),
    "python-debian": (
        "",
        "*3.14.7-debian13: 3.14/debian13 > – –"
        " | 3.14.7-0-debian13-sfw-ent-dev: 3.14/debian13-sfw-ent-dev > – –"
        " | 3.13.15-debian13: 3.13/debian13 > – 3.14.7-debian13"),
    "distributions": (
        "",
        "17.10-alpine3.24: 17/alpine3.24 > 17.11-alpine3.24 – | 17.11-alpine3.24: 17/alpine3.24 > – –"
        " | 17.11-debian13 (17.11): 17/debian13 > – 18.6-debian13 | *18.6-debian13 (18.6): 18/debian13 > – –"),
    "fips": (
        "",
        "1.0.0-fips: 1.0/fips > 1.0.1-fips – | 1.0.1-fips: 1.0/fips > – – | 1.0.0: 1.0/ > – 1.1.0"
        " | *1.1.0: 1.1/ > – –"),
    "candidates": ("", "2.0.0-rc1: 2.0/ > 2.0.0-rc2 – | 2.0.0-rc2: 2.0/ > – – | *1.9.4: 1.9/ > – –"),
    "openssl": ("", "1.1.1v: 1.1/ > 1.1.1w 3.0.2 | 1.1.1w: 1.1/ > – 3.0.2 | *3.0.2: 3.0/ > – –"),
    "java8": ("", "8u492.b09: 8/ > 8u502.b07 – | *8u502.b07: 8/ > – – | 8u502.b06: 8/ > 8u502.b07 –"),
    "ubuntu": ("", "22.04: 22/ > 22.10 24.04 | 22.10: 22/ > – 24.04 | *24.04: 24/ > – –"),
    "channels": ("", "*latest: latest/ > – – | latest-dev: latest/dev > – – | 1.29.3: 1.29/ > – –"),
    "wordpress": (
        "",
        "6.9.7-php8.4-fpm: 6.9/php8.4-fpm > – 7.0.4-php8.4-fpm | *7.0.4-php8.4-fpm: 7.0/php8.4-fpm > – –"
        " | 7.0.4-php8.5-fpm: 7.0/php8.5-fpm > – –"),
    "revisions": ("", "1.2.3-r0: 1.2/ > 1.2.3-r1 – | *1.2.3-r1: 1.2/ > – – | 1.2.3-r1-dev: 1.2/dev > – –"),
    "named-lines": ("", "4.9=lts: lts/ > 5.0 5.1 | 5.0=lts: lts/ > – 5.1 | *5.1: 5/ > – –"),
    "only-dev": ("", "*1.30.0-dev: 1.30/dev > – – | 1.29.0-dev: 1.29/dev > – 1.30.0-dev"),
}  # fmt: skip
"""Slug → front matter, and `label[=line] [(tag)]: line/variant > upgrade newLine`; `*` marks the newest."""
NODE_CYCLES = [{"name": name, "eolFrom": f"20{name}-04-30", "isEol": False} for name in ("26", "24")]
NODE = {"result": {"releases": NODE_CYCLES}}
"""Two cycles, as https://endoflife.date/api/v1/products/nodejs/ has them, with other days."""


def parse(text: str) -> list[tuple[str, dict[str, Any], str, list[str | None]]]:
    parsed = []
    for part in text.split("|"):
        head, _, rest = part.strip().lstrip("*").partition(": ")
        place, _, advice = rest.partition(" > ")
        label, _, tag = head.partition(" (")
        label, _, line = label.partition("=")
        version: dict[str, Any] = {"version": label, "digest": digest(f"{text} {label}")}
        version |= {"tags": [tag.rstrip(")")]} if tag else {}
        version |= {"line": line} if line else {}
        parsed.append((label, version, place, [None if word == NONE else word for word in advice.split()]))
    return parsed


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Result:
    site = SiteFolder(tmp_path_factory.mktemp("lines"))
    site.write("advisories/endoflife/nodejs.json", json.dumps(NODE))
    for slug, (extra, text) in ROWS.items():
        versions = [version for _, version, _, _ in parse(text)]
        site.image(slug, f"{extra}\n{yaml.safe_dump({'versions': versions[::-1]})}")
    result = site.build()
    assert not result.failed
    assert check(result.folder / "site", "/catalog") == []
    return result


@pytest.mark.parametrize("slug", ROWS)
def test_lines_variants_and_advice_of_real_labels(rows: Result, slug: str) -> None:
    text = ROWS[slug][1]
    image = rows.json(f"images/{slug}/index.json")["data"]
    published = {version["version"]: version for version in image["versions"]}
    assert (
        image["latest"]
        == image["versions"][0]["version"]
        == text.partition("*")[2].partition(":")[0].split(" ")[0]
    )
    for label, version, place, advice in parse(text):
        assert f"{published[label]['line']}/{published[label]['variant']}" == place, label
        entry = rows.json(f"digests/{version['digest'].replace(':', '/')}.json")["data"][0]
        newer = [entry[name] and entry[name]["version"] for name in ("upgrade", "newLine")]
        assert newer == advice, label


NUMBERS = st.lists(st.sampled_from(["0", "1", "2", "04", "10", "17"]), min_size=1, max_size=4).map(".".join)
MARKS = st.sampled_from(["", "", "", "-rc1", "-rc2", "-r1", "_p2", "w", "-beta"])
VARIANTS = st.sampled_from(["", "", "-alpine3.24", "-debian13", "-debian13-dev", "-dev", "-fips"])
LABELS = st.builds(lambda *parts: "".join(parts), st.sampled_from(["", "v"]), NUMBERS, MARKS, VARIANTS)
LISTS = st.lists(
    LABELS | st.sampled_from(["stable", "latest-dev", "edge"]), min_size=1, max_size=8, unique_by=str.casefold
)


def entries(labels: list[str]) -> list[VersionEntry]:
    rules = LineRules()
    return [
        VersionEntry.model_construct(version=label, line=rules.line(label), variant=rules.variant(label))
        for label in labels
    ]


@given(LISTS, st.randoms(use_true_random=False))
def test_the_order_of_the_list_changes_nothing(labels: list[str], random: Random) -> None:
    shuffled = random.sample(labels, len(labels))
    assert newest_label(entries(labels)) == newest_label(entries(shuffled))
    assert update_advice(entries(labels), None) == update_advice(entries(shuffled), None)


@given(LISTS, st.booleans())
def test_advice_is_newer_and_of_the_same_variant(labels: list[str], pinned: bool) -> None:
    by_label = {version.version: version for version in entries(labels)}
    advice = update_advice([*by_label.values()], labels[0] if pinned else None)
    for label, (upgrade, new_line) in advice.items():
        version, own = by_label[label], parse_label(label)
        if upgrade is not None:
            newer = parse_label(upgrade)
            assert (by_label[upgrade].line, by_label[upgrade].variant) == (version.line, version.variant)
            assert newer.key > own.key
            assert not newer.pre_release or (own.pre_release and newer.key[0] == own.key[0])
            if not own.pre_release:
                assert advice[upgrade].upgrade is None
        if new_line is not None:
            assert by_label[new_line].line != version.line
            assert by_label[new_line].variant == version.variant
            assert parse_label(new_line).key > own.key
            if (
                pinned
                and by_label[new_line].line != by_label[labels[0]].line
                and parse_label(labels[0]).numbers
            ):
                assert parse_label(new_line).key <= parse_label(labels[0]).key
        if not own.numbers:
            assert (upgrade, new_line) == (None, None)


def test_advice_counts_what_it_fixes(site: SiteFolder) -> None:
    found = {"17.5": 3, "17.6": 1, "18.0": 2}
    site.image("a", yaml.safe_dump({"versions": [{"version": v, "digest": digest(v)} for v in found]}))
    for version, count in found.items():
        rows = [row(f"CVE-2026-{number:04}") for number in range(count)]
        site.report(f"a/{version}.json", trivy(rows, digest=f"{REGISTRY}/a@{digest(version)}"))
    entry = built(site).at(f"digests/{digest('17.5').replace(':', '/')} 0")
    for advice, version, fixes in (("upgrade", "17.6", 2), ("newLine", "18.0", 1)):
        expected = {"version": version, "digest": digest(version), "fixes": fixes, "adds": 0}
        assert {key: entry[advice][key] for key in expected} == expected
