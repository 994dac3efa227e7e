"""Release lines, variants, and the versions to update to."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.catalog.lines import derived_line, newest_label, parse_label, update_advice
from mkdocs_catalog_api.catalog.models import VersionEntry

from .sites import Result, SiteFolder, built, digest

NONE = "–"
ROWS = {
    "postgresql": ("", "17.5: 17/ > 17.6 18.0 | 17.6: 17/ > – 18.0 | 16.10: 16/ > – 18.0 | *18.0: 18/ > – –"),
    "old-postgresql": ("", "9.6.24: 9.6/ > – 10.23 | 9.5.25: 9.5/ > – 10.23 | *10.23: 10/ > – –"),
    "nginx": ("", "1.28.0: 1.28/ > 1.28.1 1.29.3 | 1.28.1: 1.28/ > – 1.29.3 | *1.29.3: 1.29/ > – –"),
    "nginx-stable": (
        "latest: 1.28.1",
        "1.28.0: 1.28/ > 1.28.1 – | *1.28.1: 1.28/ > – – | 1.29.3: 1.29/ > – –",
    ),
    "node": (
        "",
        "24.18.0: 24.18/ > 24.18.1 26.5.1 | 24.18.1: 24.18/ > – 26.5.1 | 26.4.0: 26.4/ > – 26.5.1"
        " | *26.5.1: 26.5/ > – –",
    ),
    "node-major": (
        "lines: major",
        "24.18.0: 24/ > 24.18.1 26.5.1 | 24.18.1: 24/ > – 26.5.1 | 26.4.0: 26/ > 26.5.1 – | *26.5.1: 26/ > – –",
    ),
    "node-product": (
        "product: nodejs",
        "26.4.0: 26/ > 26.5.1 – | *26.5.1: 26/ > – – | 24.18.0: 24/ > – 26.5.1",
    ),
    "python": (
        "",
        "*3.14.7: 3.14/ > – – | 3.14.6-dev: 3.14/dev > 3.14.7-dev – | 3.14.7-dev: 3.14/dev > – –"
        " | 3.13.15-dev: 3.13/dev > – 3.14.7-dev",
    ),
    "python-debian": (
        "",
        "*3.14.7-debian13: 3.14/debian13 > – – | 3.14.7-0-debian13-sfw-ent-dev: 3.14/debian13-sfw-ent-dev > – –"
        " | 3.13.15-debian13: 3.13/debian13 > – 3.14.7-debian13",
    ),
    "temurin": (
        "",
        "*26.0.2.10-debian13: 26.0/debian13 > – – | 26.0.2.10-jdk-debian13-dev: 26.0/jdk-debian13-dev > – –",
    ),
    "distributions": (
        "",
        "17.10-alpine3.24: 17/alpine3.24 > 17.11-alpine3.24 – | 17.11-alpine3.24: 17/alpine3.24 > – –"
        " | 17.11-debian13 (17.11): 17/debian13 > – 18.6-debian13 | *18.6-debian13 (18.6): 18/debian13 > – –",
    ),
    "fips": (
        "",
        "1.0.0-fips: 1.0/fips > 1.0.1-fips – | 1.0.1-fips: 1.0/fips > – – | 1.0.0: 1.0/ > – 1.1.0"
        " | *1.1.0: 1.1/ > – –",
    ),
    "candidates": (
        "",
        "2.0.0-rc1: 2.0/ > 2.0.0-rc2 – | 2.0.0-rc2: 2.0/ > – – | *1.9.4: 1.9/ > – –",
    ),
    "only-betas": ("", "1.0.0_beta10: 1.0/ > 1.0.0_beta12 – | *1.0.0_beta12: 1.0/ > – –"),
    "openssl": ("", "1.1.1v: 1.1/ > 1.1.1w 3.0.2 | 1.1.1w: 1.1/ > – 3.0.2 | *3.0.2: 3.0/ > – –"),
    "java8": (
        "",
        "8u492.b09: 8/ > 8u502.b07 – | *8u502.b07: 8/ > – – | 8u502.b06: 8/ > 8u502.b07 –",
    ),
    "ubuntu": ("", "22.04: 22/ > 22.10 24.04 | 22.10: 22/ > – 24.04 | *24.04: 24/ > – –"),
    "ubuntu-minor": ("lines: minor", "22.04: 22.04/ > – 24.04 | 22.10: 22.10/ > – 24.04 | *24.04: 24.04/ > – –"),
    "channels": ("", "*latest: latest/ > – – | latest-dev: latest/dev > – – | 1.29.3: 1.29/ > – –"),
    "develop": ("", "*latest: latest/ > – – | develop: develop/ > – – | v2: 2/ > – –"),
    "mainline": ("", "*stable: stable/ > – – | mainline: mainline/ > – – | mainline-alpine: mainline/alpine > – –"),
    "wordpress": (
        "",
        "6.9.7-php8.4-fpm: 6.9/php8.4-fpm > – 7.0.4-php8.4-fpm | *7.0.4-php8.4-fpm: 7.0/php8.4-fpm > – –"
        " | 7.0.4-php8.5-fpm: 7.0/php8.5-fpm > – –",
    ),
    "revisions": (
        "",
        "1.2.3-r0: 1.2/ > 1.2.3-r1 – | *1.2.3-r1: 1.2/ > – – | 1.2.3-r1-dev: 1.2/dev > – –",
    ),
    "zookeeper": (
        "",
        "3.9.15-jdk25: 3.9/jdk25 > 3.9.16-jdk25 – | *3.9.16-jdk25: 3.9/jdk25 > – –"
        " | 3.9.16-r0-jdk25-dev: 3.9/jdk25-dev > – –",
    ),
    "named-lines": ("", "4.9=lts: lts/ > 5.0 5.1 | 5.0=lts: lts/ > – 5.1 | *5.1: 5/ > – –"),
    "only-dev": ("", "*1.30.0-dev: 1.30/dev > – – | 1.29.0-dev: 1.29/dev > – 1.30.0-dev"),
    "update-builds": ("variants: none", "*8u502-b07: 8/ > – – | 8u502-b06: 8/ > 8u502-b07 –"),
}  # fmt: skip
"""Slug → front matter, and `label[=line] [(tag)]: line/variant > upgrade newLine`; `*` marks the newest."""
NODE = {"result": {"releases": [{"name": name, "eolFrom": f"20{name}-04-30", "isEol": False} for name in "26 24".split()]}}  # fmt: skip
"""Two cycles, as https://endoflife.date/api/v1/products/nodejs/ has them, with other days."""


def parse(text: str) -> list[tuple[str, dict[str, Any], str, list[str | None]]]:
    rows = []
    for row in text.split("|"):
        head, _, rest = row.strip().lstrip("*").partition(": ")
        place, _, advice = rest.partition(" > ")
        label, _, tag = head.partition(" (")
        label, _, line = label.partition("=")
        version = {"version": label, "digest": digest(f"{text} {label}")}
        version |= {"tags": [tag.rstrip(")")]} if tag else {}
        version |= {"line": line} if line else {}
        rows.append((label, version, place, [None if word == NONE else word for word in advice.split()]))
    return rows


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Result:
    site = SiteFolder(tmp_path_factory.mktemp("lines"))
    site.write("advisories/endoflife/nodejs.json", json.dumps(NODE))
    for slug, (extra, text) in ROWS.items():
        versions = [version for _, version, _, _ in parse(text)]
        site.image(slug, f"{extra}\n{yaml.safe_dump({'versions': versions[::-1]})}")
    return built(site)


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
