from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.items import links, names
from mkdocs_catalog_api.items.names import Reference

HEX = "0123456789abcdef" * 8
SHA256 = f"sha256:{HEX[:64]}"


class Rule(NamedTuple):
    """Texts that a rule returns, those that it refuses with the nearest value, and those without one."""

    valid: list[str]
    offers: dict[str, str]
    refused: list[str]


RULES: dict[Callable[[str], str], Rule] = {
    names.slug: Rule(
        ["nginx", "7zip", "node.js", "a_b", "a__b", "a---b", "a" * 100],
        {"Nginx": "nginx", "My  Image!": "my-image", "a..b": "a-b", "a___b": "a-b", "-a": "a", "a/b": "a-b",
         "../etc": "etc", "nginx\n": "nginx", "b" * 101: "b" * 100, "1.json": "1", "Go.json": "go",
         "con": "con-1", "nul.tar.gz": "nul-1.tar.gz", "com1": "com1-1", "lpt9.x": "lpt9-1.x"},
        ["", "index", "é", "Index", "index.json", "AUX"],
    ),
    names.version_label: Rule(
        ["1.25.3", "latest", "_x", "RELEASE.2024-01-16T16-07-38Z", "1" * 128],
        {"NUL": "NUL-1", "prn.1.0": "prn-1.1.0", "Com7": "Com7-1", "aux.": "aux-1."},
        ["", "1.0 beta", "1.0.0+1", ".1", "-1", "1\n", "a/b", "1" * 129, "..", "١", "con+"],
    ),
    names.chart_version: Rule(
        ["1.2.3", "v1.2.3", "0.0.0", "1.2.3-rc.1", "1.2.3-0a.--+build.007", "1.2.3+20130313144700"],
        {},
        ["", "1.2", "v1", "01.002.3", "1.2.3.4", "1.2.3-", "1.2.3-01", "1.2.3\n", "1.2-rc1", "latest",
         f"1-{'a' * 126}", f"1.0.0-{'a' * 128}"],
    ),
    names.digest: Rule(
        [SHA256, f"sha384:{HEX[:96]}", f"sha512:{HEX}"],
        {},
        ["", HEX[:64], SHA256.upper(), f"nginx@{SHA256}", f"{SHA256}\n", f"sha256:{HEX[:63]}",
         f"sha512:{HEX[:64]}", f"md5:{HEX[:32]}", f"sha256:{'g' * 64}"],
    ),
    names.platform: Rule(
        ["linux/amd64", "linux/arm/v7", "linux/386", "windows/amd64", "linux/arm64/v8.1"],
        {"amd64": "linux/amd64", "Linux/AMD64": "linux/amd64", "linux/x86_64": "linux/amd64",
         "arm64/v8": "linux/arm64/v8", "amd64/linux": "linux/amd64", "linux/amd64\n": "linux/amd64"},
        ["", "linux/arm/v7/x", "linux/"],
    ),
    links.web_link: Rule(
        ["https://example.org", "HTTP://EXAMPLE.org:8080/a?b=c#d", "https://[2001:db8::1]/",
         "http://192.0.2.1/", "http://localhost/", "https://example.org/a%20b",
         "https://bücher.example/Käse", "https://pkg.go.dev/a@v1.2?x[]=(1)"],
        {},
        ["", "example.org/a", "//example.org", "javascript:alert(1)", "ftp://example.org", "https://",
         "https:///a", "https://example.org/ ", "https://example.org/a b", "https://user:secret@example.org/",
         "https://@example.org/", "https://a\\@b/", "https://example.org/\x00", "https://example.org/\u202e",
         "https://example.org/\ud800", "https://example.org:port/", "https://example.org:99999/",
         "https://[::1/", "https://.example.org/", "https://a..b/", "https://a%62/",
         "https://example.org/%zz", "https://example.org/{{ x }}", "/relative", "https:example.org", "nginx"],
    ),
    names.repository: Rule(
        ["nginx", "ghcr.io/acme/nginx", "localhost:5000/a/b__c", "registry.example:443/a--b.c"],
        {"nginx:1.25": "nginx", f"ghcr.io/a/b@{SHA256}": "ghcr.io/a/b", "A:a": "a", "nginx\n": "nginx",
         "ghcr.io/Acme/Nginx:1": "ghcr.io/acme/nginx", "https://ghcr.io/acme/nginx": "ghcr.io/acme/nginx",
         "ghcr.io/acme/nginx/": "ghcr.io/acme/nginx"},
        ["", "docker://nginx", "ghcr.io/", "/nginx", "a//b", "-a.io/b", "a.io:x/b", HEX[:64],
         f"a.io/{'b' * 251}", "a/../b"],
    ),
    names.chart_reference: Rule(
        ["oci://ghcr.io/acme/charts/nginx", "oci://localhost:5000/charts/nginx:1.2.3",
         "https://charts.example.org/stable", "ghcr.io/acme/charts/nginx", "bitnami/nginx"],
        {"A/b": "a/b"},
        ["", "oci://", "oci://nginx", "ftp://example.org/x", "https://"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_a_valid_value_comes_back_and_a_refusal_offers_the_nearest(rule: Callable[[str], str]) -> None:
    valid, offers, refused = RULES[rule]
    assert [rule(value) for value in valid] == valid
    for value, near in (dict.fromkeys(refused) | offers).items():
        with pytest.raises(ValueError, match=r"is (not|the name|reserved)|has a tag") as caught:
            rule(value)
        assert offered(str(caught.value)) == near


def offered(message: str) -> str | None:
    found = re.search(r"; did you mean `(.*)`\?\Z", message)
    return found[1] if found else None


ALPHABET = st.sampled_from(
    [*"aA0_.-/:@+% \n\\é\ud800[]", "http://", "oci://", "sha256:", "linux", "index", HEX[:64]]
)


@given(st.sampled_from(list(RULES)), st.lists(ALPHABET, max_size=10).map("".join) | st.text(max_size=20))
def test_any_text_is_accepted_or_refused_with_an_offer_that_would_do(
    rule: Callable[[str], str], text: str
) -> None:
    try:
        assert rule(text) == text
    except ValueError as refusal:
        near = offered(str(refusal))
        assert str(refusal).isascii() or str(refusal).isprintable()
        assert near is None or (near != text and rule(near) == near)


@pytest.mark.parametrize("rule", RULES)
def test_a_hostile_text_is_refused_at_once_and_shortly(rule: Callable[[str], str]) -> None:
    units = ("a", "0", "a-", "a.", "-", "_", "a/", "0.", "1-", "a:", "@", "[", "a@")
    for unit, head in product(units, ("", "1.2.3-", "https://", "oci://a.b/", "a.b/")):
        with pytest.raises(ValueError) as caught:
            rule(f"{head}{unit * 50_000}\x00")
        assert len(str(caught.value)) < 1200


SLUGS = {"NGINX": "nginx", "Node.js (LTS)": "node-js-lts", "  a -- b  ": "a-b", "C++": "c", "Käse": "k-se"}


def test_a_name_becomes_a_slug_or_is_refused() -> None:
    assert {name: names.slug_from_name(name) for name in SLUGS} == SLUGS
    for name in ("", "日本", "Index", "a" * 101):
        with pytest.raises(ValueError, match="add `slug: …`"):
            names.slug_from_name(name)


@given(st.text(max_size=110))
def test_a_slug_made_of_a_name_is_valid_and_stays(name: str) -> None:
    try:
        made = names.slug_from_name(name)
    except ValueError:
        return
    assert names.slug(made) == names.slug_from_name(made) == made


REPOSITORIES = {
    "nginx": "docker.io/library/nginx",
    "acme/nginx": "docker.io/acme/nginx",
    "docker.io/nginx": "docker.io/library/nginx",
    "index.docker.io/library/nginx": "docker.io/library/nginx",
    "GHCR.io/acme/nginx": "ghcr.io/acme/nginx",
    "localhost/nginx": "localhost/nginx",
    "localhost:5000": "docker.io/library/localhost",
}
BAD = ["nginx:", "nginx:.1", f"nginx:{'1' * 129}", "nginx@", "nginx@sha256:1", "a@b@c", "a:1:2"]


def test_a_repository_has_one_name_and_a_bad_tag_or_digest_is_refused() -> None:
    assert {text: Reference.parse(text).repository for text in REPOSITORIES} == REPOSITORIES
    for text in BAD:
        with pytest.raises(ValueError, match="is not an image reference"):
            Reference.parse(text)


@given(
    st.sampled_from(["docker.io", "ghcr.io", "localhost", "a.b-c:80", "[::1]:5000"]),
    st.lists(
        st.from_regex(r"\A[a-z0-9]{1,5}((\.|_|__|-{1,3})[a-z0-9]{1,5}){0,2}\Z"), min_size=2, max_size=4
    ).map("/".join),
    st.none() | st.from_regex(r"\A[A-Za-z0-9_][A-Za-z0-9_.-]{0,20}\Z"),
    st.none() | st.just(SHA256),
)
def test_a_full_reference_comes_apart_into_what_it_was_made_of(
    domain: str, path: str, tag: str | None, digest: str | None
) -> None:
    text = f"{domain}/{path}" + (f":{tag}" if tag else "") + (f"@{digest}" if digest else "")
    assert Reference.parse(text) == Reference(domain, path, tag, digest)
