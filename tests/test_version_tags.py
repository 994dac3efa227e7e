"""Which tags of a registry are versions, by default."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.items.version_tags import is_of_build, label_first, version_tags

ROWS = {
    "metadata-action": ("1.2.3 1.2", "latest main edge pr-12 sha-1a2b3c4 sha-5040113 1.2.3-5-g3f2a91c"),
    "v and other words": ("v1.2.3 V2 release-1.2 version_3 web-1.0 Web2.0", "jdk-21 web-app-1.0 beta-3"),
    "of dates": ("20231015 2024-01-05 20240105093000 1.2-20240105", "1.2-5521234 5521234 1.2.3-deadbeef0"),
    "of a leading word": ("jdk-17 jdk-21.0.2_13", "jdk-21-3f2a91c latest PR-7 pull-7-merge"),
    "of times": ("RELEASE.2025-09-07T16-13-09Z", "latest edge"),
    "of daily builds": ("nightly-20240101 nightly-20240102", "sha-1a2b3c4 nightly latest"),
    "of builds": ("1.2.3-3f2a91c 1.2.4-1a2b3c4 5521234", "latest main pr-7"),
    "of commits": ("latest", "3f2a91c 1a2b3c4 5040113 main-3f2a91c 0123456789abcdef0123456789abcdef01234567"),
    "latest": ("latest", "main edge pr-12 feature-login-2"),
    "none": ("", "main stable pr-12"),
}  # fmt: skip
"""The tags that are versions, and the others of the repository."""
WORDS = ["", "v", "release-", "web-", "jdk-", "RELEASE.", "pr-", "sha-", "main", "edge", "latest", "nightly-"]
ENDS = ["", "-alpine", "-3f2a91c", ".5040113", "-20240105", "-rc1", "_5521234"]
TAGS = st.builds(
    lambda word, number, end: f"{word}{number}{end}" or "0",
    st.sampled_from(WORDS), st.sampled_from(["", "1", "1.2", "1.2.3", "2024"]), st.sampled_from(ENDS),
)  # fmt: skip
LISTS = st.lists(TAGS, unique=True, max_size=10)


@pytest.mark.parametrize("name", ROWS)
def test_the_first_row_that_has_any_tag(name: str) -> None:
    versions, others = (text.split() for text in ROWS[name])
    assert version_tags([*others, *versions], "web") == versions


@pytest.mark.parametrize(
    ("image", "tags", "versions"),
    [
        ("php8", "php8-1.3 php8-1.2 main-12", "php8-1.3 php8-1.2"),
        ("k8s-sidecar", "k8s-sidecar-1.2 k8s-sidecar-v1.3 main-12", "k8s-sidecar-1.2 k8s-sidecar-v1.3"),
        ("Web2", "web2.1.0 latest", "web2.1.0"),
        ("a+b", "a+b-1.0 main-2", "a+b-1.0"),
    ],
)
def test_the_image_s_own_name_may_stand_before_the_number(image: str, tags: str, versions: str) -> None:
    assert version_tags(tags.split(), image) == versions.split()


@given(LISTS, st.randoms(use_true_random=False))
def test_the_order_changes_nothing(tags: list[str], random: Random) -> None:
    shuffled = random.sample(tags, len(tags))
    assert {*version_tags(tags, "web")} == {*version_tags(shuffled, "web")} <= {*tags}
    assert label_first(tags) == label_first(shuffled)


@given(LISTS, TAGS)
def test_a_pull_request_commit_or_branch_changes_nothing(tags: list[str], tag: str) -> None:
    versions = version_tags(tags, "web")
    for other in (f"pr-{tag}", f"sha-{tag}", "main", "sha-504ed11", "feature-login-2"):
        assert version_tags([*tags, other], "web") == versions


@given(LISTS, st.from_regex(r"v?[0-9]{1,4}(\.[0-9]{1,4}){0,2}", fullmatch=True))
def test_a_number_is_always_a_version_and_the_only_kind(tags: list[str], number: str) -> None:
    versions = version_tags([*tags, number], "web")
    assert number in versions
    assert not any(map(is_of_build, versions))
    assert all(re.match(r"(v|release|version|web)?[._+-]*[0-9]", tag, re.IGNORECASE) for tag in versions)


@pytest.mark.parametrize(
    "tags",
    ["17.6-r2 17 17.6 17.6-alpine latest", "1.2.3 v1.2.3 1.2.3-rc1 1.2 sha-3f2a91c", "1.2.3 20240105 main",
     "8u502-b07 8 8u502-jdk", "main latest", "1.2-a 1.2-b"],
)  # fmt: skip
def test_the_label_of_a_digest_is_its_most_exact_tag(tags: str) -> None:
    label, *others = tags.split()
    assert label_first([*others, label]) == [label, *sorted(others)]
