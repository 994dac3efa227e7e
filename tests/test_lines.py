"""Release lines, variants, the versions to update to, and the order of versions."""

from __future__ import annotations

import itertools
import re
from dataclasses import KW_ONLY, dataclass, replace
from random import Random

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st
from packaging.version import Version

from mkdocs_catalog_api.items.lines import (
    LineRules,
    form,
    newest_label,
    parse_label,
    update_advice,
)
from mkdocs_catalog_api.items.models import VersionEntry
from mkdocs_catalog_api.items.versions import newest_first, undecided, version_key

from .sites import Result, SiteFolder, built, digest


@dataclass(frozen=True)
class Release:
    """A version, and where it is published: what to update to in its line, and in a newer one."""

    version: str
    _: KW_ONLY
    line: str
    variant: str = ""
    upgrade: str | None = None
    new_line: str | None = None
    tag: str = ""
    written: str = ""
    """The line that the page gives it."""
    newest: bool = False


RELEASES: dict[str, list[Release]] = {
    "postgresql": [
        Release("17.5", line="17", upgrade="17.6", new_line="18.0"),
        Release("17.6", line="17", new_line="18.0"),
        Release("16.10", line="16", new_line="18.0"),
        Release("18.0", line="18", newest=True),
    ],
    "nginx-stable": [
        Release("1.28.0", line="1.28", upgrade="1.28.1"),
        Release("1.28.1", line="1.28", newest=True),
        Release("1.29.3", line="1.29"),
    ],
    "node-major": [
        Release("24.18.0", line="24", upgrade="24.18.1", new_line="26.5.1"),
        Release("24.18.1", line="24", new_line="26.5.1"),
        Release("26.4.0", line="26", upgrade="26.5.1"),
        Release("26.5.1", line="26", newest=True),
    ],
    "python": [
        Release("3.14.7", line="3.14", newest=True),
        Release("3.14.6-dev", line="3.14", variant="dev", upgrade="3.14.7-dev"),
        Release("3.14.7-dev", line="3.14", variant="dev"),
        Release("3.13.15-dev", line="3.13", variant="dev", new_line="3.14.7-dev"),
    ],
    "python-debian": [
        Release("3.14.7-debian13", line="3.14", variant="debian13", newest=True),
        Release("3.14.7-0-debian13-sfw-ent-dev", line="3.14", variant="debian13-sfw-ent-dev"),
        Release("3.13.15-debian13", line="3.13", variant="debian13", new_line="3.14.7-debian13"),
    ],
    "openssl": [
        Release("1.1.1v", line="1.1", upgrade="1.1.1w", new_line="3.0.2"),
        Release("1.1.1w", line="1.1", new_line="3.0.2"),
        Release("3.0.2", line="3.0", newest=True),
    ],
    "channels": [
        Release("latest", line="latest", newest=True),
        Release("latest-dev", line="latest", variant="dev"),
        Release("1.29.3", line="1.29"),
    ],
    "named-lines": [
        Release("4.9", line="lts", upgrade="5.0", new_line="5.1", written="lts"),
        Release("5.0", line="lts", new_line="5.1", written="lts"),
        Release("5.1", line="5", newest=True),
    ],
    "latest-and-dates": [
        Release("2.4.1", line="2.4", tag="latest", newest=True),
        Release("2.4.0", line="2.4", upgrade="2.4.1"),
        Release("20231015", line="20231015"),
        Release("web-7", line="7"),
    ],
    "latest-on-a-variant": [
        Release("1.2.4", line="1.2"),
        Release("1.2.2-slim", line="1.2", variant="slim", upgrade="1.2.3-slim"),
        Release("1.2.3-slim", line="1.2", variant="slim", tag="latest", newest=True),
    ],
    "latest-on-an-older-line": [
        Release("2.9.9", line="2.9", new_line="3.0.0", tag="latest"),
        Release("3.0.0", line="3.0", newest=True),
        Release("20231015", line="20231015"),
    ],
    "latest-on-a-candidate": [
        Release("2.0.0-rc1", line="2.0", tag="latest"),
        Release("1.9.4", line="1.9", newest=True),
    ],
    "latest-against-the-page": [
        Release("2.4.1", line="2.4", new_line="20231015", tag="latest"),
        Release("20231015", line="20231015", newest=True),
    ],
    "only-dev": [
        Release("1.30.0-dev", line="1.30", variant="dev", newest=True),
        Release("1.29.0-dev", line="1.29", variant="dev", new_line="1.30.0-dev"),
    ],
}
"""Slug → versions of real images."""
PAGES = {
    "nginx-stable": "latest: 1.28.1",
    "node-major": "lines: major",
    "latest-against-the-page": "latest: 20231015",
}
"""Slug → further front matter."""


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Result:
    site = SiteFolder(tmp_path_factory.mktemp("lines"))
    for slug, releases in RELEASES.items():
        versions = [
            {"version": each.version, "digest": digest(f"{slug} {each.version}")}
            | ({"tags": [each.tag]} if each.tag else {})
            | ({"line": each.written} if each.written else {})
            for each in reversed(releases)
        ]
        site.image(slug, f"{PAGES.get(slug, '')}\n{yaml.safe_dump({'versions': versions})}")
    return built(site)


@pytest.mark.parametrize("slug", RELEASES)
def test_lines_variants_and_advice_of_real_labels(rows: Result, slug: str) -> None:
    image = rows.json(f"images/{slug}/index.json")["data"]
    published = {version["version"]: version for version in image["versions"]}
    newest = [each.version for each in RELEASES[slug] if each.newest]
    assert [image["latest"]] == [image["versions"][0]["version"]] == newest
    for wanted in RELEASES[slug]:
        place = digest(f"{slug} {wanted.version}").replace(":", "/")
        entry = rows.json(f"digests/{place}.json")["data"][0]
        upgrade, new_line = (entry[name] and entry[name]["version"] for name in ("upgrade", "newLine"))
        of_version = published[wanted.version]
        found = replace(
            wanted,
            line=of_version["line"],
            variant=of_version["variant"],
            upgrade=upgrade,
            new_line=new_line,
        )
        assert found == wanted


def test_a_tag_latest_on_an_older_version_is_told(rows: Result) -> None:
    about = [(problem.code, problem.file) for problem in rows.problems if "`latest`" in problem.message]
    assert about == [("CAT014", "docs/images/latest-on-an-older-line.md")]


NUMBERS = st.lists(st.sampled_from(["0", "1", "2", "04", "10", "17", "2024"]), min_size=1, max_size=4).map(
    ".".join
)
MARKS = st.sampled_from(["", "", "", "-rc1", "-rc2", "-r1", "_p2", "w", "-beta"])
VARIANTS = st.sampled_from(["", "", "-alpine3.24", "-debian13", "-debian13-dev", "-dev", "-fips"])
LABELS = st.builds(
    lambda *parts: "".join(parts), st.sampled_from(["", "v", "web-"]), NUMBERS, MARKS, VARIANTS
)
LISTS = st.lists(
    LABELS | st.sampled_from(["stable", "latest-dev", "edge"]), min_size=1, max_size=8, unique_by=str.casefold
)


def entries(labels: list[str], tagged: str = "") -> list[VersionEntry]:
    """Versions with these labels, one of which may have the tag `latest`."""
    rules = LineRules()
    return [
        VersionEntry.model_construct(
            version=label,
            line=rules.line(label),
            variant=rules.variant(label),
            tags=["latest"] * (label == tagged),
        )
        for label in labels
    ]


@given(LISTS, st.randoms(use_true_random=False))
def test_the_order_of_the_list_changes_nothing(labels: list[str], random: Random) -> None:
    shuffled = random.sample(labels, len(labels))
    assert newest_label(entries(labels)) == newest_label(entries(shuffled))
    assert update_advice(entries(labels), None) == update_advice(entries(shuffled), None)


@given(LISTS, st.data())
def test_the_tag_latest_decides_about_variant_and_form(labels: list[str], data: st.DataObject) -> None:
    tagged = data.draw(st.sampled_from(labels))
    own, versions = parse_label(tagged), entries(labels, tagged)
    assume(own.numbers)
    newest = newest_label(versions)
    advised = {label for advice in update_advice(versions, None).values() for label in advice if label}
    assert LineRules().variant(newest) == LineRules().variant(tagged)
    assert {form(label) for label in (newest, *advised)} == {form(tagged)}
    assert own.pre_release or parse_label(newest).key >= own.key


# The order of versions.

MOVING = ["dev", "develop", "devel", "unstable", "testing", "edge", "canary", "main", "master", "nightly",
          "snapshot"]  # fmt: skip
WORDS = ["dev", "a", "alpha", "b", "beta", "m", "milestone", "pre", "preview", "rc"]
REVISIONS = ["r", "p", "post", "u", "update", "h", "hotfix", "sp", "patch", "build"]
PIECES = [*WORDS, *REVISIONS, "w", "v", "alpine", "jdk", "RELEASE", "latest", "main",
          "0", "00", "1", "2", "10", "2024"]  # fmt: skip
PIECED = st.lists(st.sampled_from([*PIECES, ".", "-", "_", "+"]), min_size=1, max_size=8).map("".join)


@pytest.mark.parametrize(
    "chain",
    [
        "1.0.0-alpha 1.0.0_beta2 1.0.0_beta12 1.0.0-rc1 1.0.0 1.0.0-r1 1.0.0-r2 1.0.1",
        "17-rc1 17-alpine 17 17.1",
        "1.9.0 v1.10.0 1.11.0 V1.12.0",
        "1.1.1 1.1.1-r3 1.1.1a 1.1.1b 1.1.1m 1.1.1p 1.1.1p-r1 1.1.1q 1.1.1r 1.1.1w 1.1.2",
        "9.9 9.9-r2 9.9p1 9.9p1-r2 9.9p2 9.10",
        "3.0.0-beta.2 3.0.0-beta.12 3.0.0-rc 3.0.0-RC.1 3.0.0-rc.2 3.0.0",
        "1.0-SNAPSHOT 1.0 1.0-1 1.0+2 1.0-r3 1.0_p1 1.0.1",
        "0-alpha latest 0 0.1",
        "8-jdk11 8-jdk17-alpine 8-jdk17 8-jre17 8 8u392 11",
        "1.25.3-rc1-alpine 1.25.3-rc1 1.25.3-alpine 1.25.3-alpine3.9 1.25.3-alpine3.18 1.25.3 1.25.10",
        "RELEASE.2023-12-31T23-59-59Z RELEASE.2024-01-16T16-07-38Z RELEASE.2024-01-16T16-07-39Z",
        "2024-01-05 2024-01-16 2024-10-01",
        "1.28.3 1.28.3+1 1.29.0-alpha.0 1.29.0",
        "pc.7.5.0.6 pc.7.6 pc.2024.1",
        "jdk8u402-b06 jdk8u412-b08 jdk-11.0.22_7 jdk-17.0.9_9 openjdk21 jdk-21.0.2_13",
        "10.2.3 10.2.3-h4 10.2.3-h12 10.2.4",
        "2019 2019-SP1 2019-sp2 2019-sp10 2022",
        "5.1 5.1-Update-1 5.1-Update-3 5.1_update_10 5.2",
        "2.36-9+deb12u4 2.36-9+deb12u13 2.36-10 2.37-1",
        "1.0-rc-2 1.0-rc.3 1.0_rc10 1.0",
        "1.1.1a 1.1.1a-2 1.1.1a-10 1.1.1b",
        "nightly-20240101 nightly-20240102 beta-3 0.1",
        "develop foo previous lts-slim lts stable-slim stable latest-alpine latest",
        "latest-amd64 latest 0.1 1.0",
        f"{'9' * 60} 1{'0' * 60}.1-rc1 1{'0' * 60}.1",
        *(f"1.0{sign}{old}9 1.0{sign}{new}" for old, new in itertools.pairwise(WORDS) for sign in "-_."),
    ],
)  # fmt: skip
def test_each_is_older_than_the_next(chain: str) -> None:
    oldest_first = chain.split()
    assert newest_first(oldest_first) == oldest_first[::-1]
    assert newest_first(oldest_first[::-1]) == oldest_first[::-1]


@pytest.mark.parametrize(
    ("one", "other"),
    [("1.0", "1.0.0"), ("1", "v1.0"), ("1.0-rc", "1.0-RC0"), ("20.04", "20.4"), ("1.0-r2", "1.0-2")],
)
def test_labels_that_mean_the_same_stand_in_the_order_of_code_points(one: str, other: str) -> None:
    assert version_key(one)[:-1] == version_key(other)[:-1]
    assert newest_first([one, other]) == sorted([one, other], reverse=True)


@given(st.lists(PIECED, max_size=8).flatmap(lambda found: st.tuples(st.just(found), st.permutations(found))))
def test_only_equal_labels_are_equally_new(lists: tuple[list[str], list[str]]) -> None:
    """So the order written does not matter."""
    assert newest_first(lists[0]) == newest_first(lists[1])
    assert len({*map(version_key, lists[0])}) == len({*lists[0]})


@given(st.text(max_size=40))
def test_any_text_has_a_place(label: str) -> None:
    assert newest_first([label, "1.0"]) in ([label, "1.0"], ["1.0", label])


NUMBER = st.integers(0, 12).map(str)
PYTHON = st.tuples(
    st.sampled_from(["", "v"]),
    st.lists(NUMBER, min_size=1, max_size=3).map(".".join),
    st.just("") | st.tuples(st.sampled_from(["a", "b", "rc"]), NUMBER).map("".join),
    st.just("") | NUMBER.map(".post{}".format),
    st.just("") | NUMBER.map(".dev{}".format),
).map("".join)


@given(PYTHON, PYTHON)
def test_versions_of_python_packages_stand_as_python_orders_them(one: str, other: str) -> None:
    keys = [version_key(label)[:-1] for label in (one, other)]
    versions = [Version(label) for label in (one, other)]
    assert (keys[0] < keys[1], keys[0] == keys[1]) == (versions[0] < versions[1], versions[0] == versions[1])


@given(PIECED.filter(lambda label: re.match("[0-9]", label)))
def test_neither_case_nor_a_leading_v_changes_what_a_label_means(label: str) -> None:
    assert version_key(f"v{label}")[:-1] == version_key(label.upper())[:-1] == version_key(label)[:-1]


@given(
    st.text("abcdefghijklmnopqrstuvwxyz", min_size=1).filter(lambda word: word not in [*WORDS, *MOVING]),
    st.sampled_from(["", "-", ".", "_"]),
    PIECED.filter(lambda label: re.match("[0-9]", label)),
)
def test_a_leading_word_is_left_aside(word: str, separator: str, label: str) -> None:
    assert version_key(f"{word}{separator}{label}")[:-1] == version_key(label)[:-1]


@given(st.sampled_from([*WORDS, *MOVING]), st.sampled_from(["", "-", "."]), st.integers(1, 10**9))
def test_but_a_pre_release_word_is_older_than_any_number(word: str, separator: str, number: int) -> None:
    assert newest_first([f"{word}{separator}{number}", "0"])[0] == "0"


@given(st.sampled_from(MOVING), st.sampled_from(MOVING), st.integers(0, 99), st.integers(0, 99))
def test_what_moves_every_day_is_all_one(word: str, other: str, number: int, lower: int) -> None:
    one, two = f"1.0-{word}{number}", f"1.0-{other}{lower}"
    assert (version_key(one)[:-1] == version_key(two)[:-1]) == (number == lower)
    assert newest_first([one, "1.0-a0"])[0] == "1.0-a0"


NO_NUMBER = st.lists(st.text("abcdefghij", min_size=1, max_size=4), unique=True, max_size=5)


@given(NO_NUMBER.flatmap(lambda words: st.permutations([*words, "latest", "stable", "lts", "main"])))
def test_of_versions_without_a_number_latest_is_first_then_stable_then_lts(words: list[str]) -> None:
    assert newest_first(words)[:3] == ["latest", "stable", "lts"]
    assert not undecided(words)
    for taken in ("latest", "stable", "lts"):
        words.remove(taken)
        assert undecided(words) == (taken == "lts" and len(words) > 1)


@pytest.mark.parametrize(
    ("labels_", "expected"),
    [("main", False), ("main edge", True), ("main edge 1", False), ("main Latest", False), ("", False)],
)
def test_several_versions_that_say_nothing_of_their_order(labels_: str, expected: bool) -> None:
    assert undecided(labels_.split()) == expected
