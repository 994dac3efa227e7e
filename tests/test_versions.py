from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from mkdocs_catalog_api.catalog.versions import newest_first, undecided, version_key

MOVING = ["dev", "develop", "devel", "unstable", "testing", "edge", "canary", "main", "master", "nightly",
          "snapshot"]  # fmt: skip
WORDS = ["dev", "a", "alpha", "b", "beta", "m", "milestone", "pre", "preview", "rc"]
REVISIONS = ["r", "p", "post", "u", "update", "h", "hotfix", "sp", "patch", "build"]
PIECES = [*WORDS, *REVISIONS, "w", "v", "alpine", "jdk", "RELEASE", "latest", "main",
          "0", "00", "1", "2", "10", "2024"]  # fmt: skip
labels = st.lists(st.sampled_from([*PIECES, ".", "-", "_", "+"]), min_size=1, max_size=8).map("".join)


@pytest.mark.parametrize(
    "chain",
    [
        "1.0.0-alpha 1.0.0_beta2 1.0.0_beta12 1.0.0-rc1 1.0.0 1.0.0-r1 1.0.0-r2 1.0.1",
        "1.9 1.10",
        "22.04 22.10",
        "1.1.1 1.1.1w",
        "9.9 9.9p1",
        "17-rc1 17-alpine 17 17.1",
        "1.9.0 v1.10.0 1.11.0 V1.12.0",
        "1.1.1 1.1.1-r3 1.1.1a 1.1.1b 1.1.1m 1.1.1p 1.1.1p-r1 1.1.1q 1.1.1r 1.1.1w 1.1.2",
        "9.9 9.9-r2 9.9p1 9.9p1-r2 9.9p2 9.10",
        "1.0.dev1 1.0a1 1.0b1 1.0b2 1.0rc1 1.0 1.0.post1 1.0.post2 1.1",
        "3.0.0-beta.2 3.0.0-beta.12 3.0.0-rc 3.0.0-RC.1 3.0.0-rc.2 3.0.0",
        "1.0-SNAPSHOT 1.0 1.0-1 1.0+2 1.0-r3 1.0_p1 1.0.1",
        "0-alpha latest 0 0.1",
        "8-jdk11 8-jdk17-alpine 8-jdk17 8-jre17 8 8u392 11",
        "1.25.3-rc1-alpine 1.25.3-rc1 1.25.3-alpine 1.25.3-alpine3.9 1.25.3-alpine3.18 1.25.3 1.25.10",
        "RELEASE.2023-12-31T23-59-59Z RELEASE.2024-01-16T16-07-38Z RELEASE.2024-01-16T16-07-39Z",
        "2024.01.05 2024.01.16 2024.10.01",
        "2024-01-05 2024-01-16 2024-10-01",
        "1.28.3 1.28.3+1 1.29.0-alpha.0 1.29.0",
        "pc.7.5.0.6 pc.7.6 pc.2024.1",
        "jdk8u402-b06 jdk8u412-b08 jdk-11.0.22_7 jdk-17.0.9_9 openjdk21 jdk-21.0.2_13",
        "10.2.3 10.2.3-h4 10.2.3-h12 10.2.4",
        "2019 2019-SP1 2019-sp2 2019-sp10 2022",
        "5.1 5.1-Update-1 5.1-Update-3 5.1_update_10 5.2",
        "2.36-9+deb12u4 2.36-9+deb12u13 2.36-10 2.37-1",
        "1.0.0-alpha 1.0.0-alpha.1 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0",
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


@given(st.lists(labels, max_size=8).flatmap(lambda found: st.tuples(st.just(found), st.permutations(found))))
def test_only_equal_labels_are_equally_new(lists: tuple[list[str], list[str]]) -> None:
    """So the order written does not matter."""
    assert newest_first(lists[0]) == newest_first(lists[1])
    assert len({*map(version_key, lists[0])}) == len({*lists[0]})


@given(st.text(max_size=128))
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


@given(labels.filter(lambda label: re.match("[0-9]", label)))
def test_neither_case_nor_a_leading_v_changes_what_a_label_means(label: str) -> None:
    assert version_key(f"v{label}")[:-1] == version_key(label.upper())[:-1] == version_key(label)[:-1]


@given(
    st.text("abcdefghijklmnopqrstuvwxyz", min_size=1).filter(lambda word: word not in [*WORDS, *MOVING]),
    st.sampled_from(["", "-", ".", "_"]),
    labels.filter(lambda label: re.match("[0-9]", label)),
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
