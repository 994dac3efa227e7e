"""`catalog-api sync` against registries: Debian's, and stand-ins that are right, or wrong in one way each."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from mkdocs_catalog_api.items.registry_facts import RegistryFacts, VersionFacts, former_after
from mkdocs_catalog_api.network import client

from .fake_registry import FakeRegistry
from .fake_server import Reply, Request
from .registries import CONFIG, DOCKER, INDEX, MANIFEST, Registry, encoded, running
from .sites import SiteFolder, built, digest, item
from .syncing import BASIC, LOGIN, facts, labels, sync, synced

FILE = "registry/images/nginx.json"
TAGS = "/v2/acme/nginx/tags/list"


def listed(
    site: SiteFolder,
    registry: Registry | FakeRegistry,
    slug: str = "nginx",
    extra: str = "versions: registry",
    repository: str = "",
) -> None:
    site.page(f"images/{slug}.md", f"image: {registry.host}/acme/{repository or slug}\n{extra}")


@pytest.fixture
def fake(site: SiteFolder) -> Iterator[FakeRegistry]:
    with FakeRegistry().running() as fake:
        listed(site, fake)
        yield fake


# Answers that are wrong in one way


Fault = Callable[[FakeRegistry, str], object]
"""What is wrong with a registry, which has just got an image with this digest."""


def at(path: str, status: int = 200, body: object = b"", length: int | None = None, **headers: str) -> Fault:
    """This answer at a path; {} stands for the new digest."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    content = body if isinstance(body, bytes) else encoded(body)
    reply = Reply(content, status, given, length)
    return lambda fake, new: fake.replies.update({f"/v2/acme/nginx/{path.format(new)}": reply})


def tagged(**document: object) -> Fault:
    return lambda fake, _: fake.manifest("acme/nginx", document, "1.0")


def config(body: object) -> Fault:
    return lambda fake, _: fake.artifact("acme/nginx", body, CONFIG, "1.0")


def nested(fake: FakeRegistry, new: str) -> None:
    entry = {"digest": new, "mediaType": MANIFEST}
    for _ in range(5):
        entry = fake.nest("acme/nginx", entry, tag="1.0")


def token(status: int, body: object = b"") -> Fault:
    """The registry has a token server, which answers this."""

    def spoil(fake: FakeRegistry, _: str) -> None:
        bearer(f'Bearer realm="{fake.address}/token"')(fake, "")
        fake.replies["/token?scope=repository%3Aacme%2Fnginx%3Apull"] = Reply(encoded(body), status)

    return spoil


def following(address: str) -> Fault:
    return at("tags/list", body={"tags": ["1.0"]}, Link=f'<{address}>; rel="next"')


def bearer(challenge: str) -> Fault:
    return at("tags/list", 401, WWW_Authenticate=challenge)


FAULTS: dict[str, tuple[Fault, str]] = {
    "other bytes than those of the digest": (at("manifests/{}", body=b"{}"), "does not match"),
    "half": (at("manifests/{}", body=b"{", length=100), "no complete response"),
    "no manifest": (at("manifests/{}", 404), "not found, 404"),
    "forbidden": (at("manifests/{}", 403), "access denied, 403 (run `docker login"),
    "unknown type": (tagged(mediaType="text/html"), "text/html"),
    "manifests that are no list": (tagged(mediaType=INDEX, manifests="x"), "can't be read"),
    "digest that is a path": (tagged(mediaType=INDEX, manifests=[{"digest": "../../x"}]), "malformed digest"),
    "config that is no object": (config([]), "is not a JSON object"),
    "index of too many manifests": (
        tagged(mediaType=INDEX, manifests=[{"digest": digest(number)} for number in range(1001)]),
        "is an index of more than 1,000 manifests",
    ),
    "too many tags": (
        at("tags/list", body={"tags": [str(number) for number in range(50_001)]}), "more than 50,000 tags"
    ),
    "index within too many others": (nested, "within more than 3 other indexes"),
    "digest of the wrong shape": (at("manifests/1.0", Docker_Content_Digest="x"), "malformed digest"),
    "tags that are no texts": (at("tags/list", body={"tags": [1]}), "the list of tags can't be read"),
    "next page on a host without a name": (following("http://[::1/"), "which is not followed"),
    "next page elsewhere": (following("http://localhost:1/x"), "continues its list at 'http://localhost:1/x'"),
    "next page that is the same": (following(TAGS), "which is not followed"),
    "no login": (at("tags/list", 401), "access denied, 401"),
    "busy for too long": (at("tags/list", 429, Retry_After="61"), "429, Retry-After 61"),
    "no tags": (at("tags/list", body={"tags": []}), "has no tags of"),
    "unknown challenge": (bearer("\xff"), "which is unknown"),
    "challenge without a realm": (bearer("Bearer"), "token server that can't be used"),
    "realm without a name": (bearer('Bearer realm="http://[::1/"'), "token server that can't be used"),
    "no token": (token(403, {"errors": [{"code": "DENIED"}]}), "no token, 403 DENIED (run `docker login"),
    "token of two lines": (token(200, {"token": "a\n"}), "no token in the response"),
    "answer without a token": (token(200, []), "the token can't be read"),
    "realm by http": (bearer('Bearer realm="http://t.example.org/",service="x"'), "use https"),
    "realm by ftp": (bearer('Bearer realm="ftp://127.0.0.1/",service="x"'), "token server"),
}  # fmt: skip


def test_an_answer_that_cannot_be_used_loses_nothing(site: SiteFolder) -> None:
    """All faults in one run, each on a host of its own; later all are mended."""
    with ExitStack() as stack:
        fakes = {name: stack.enter_context(FakeRegistry().running()) for name in FAULTS}
        slugs = {name: f"row-{number}" for number, name in enumerate(FAULTS)}
        for name, fake in fakes.items():
            fake.image("acme/nginx", "1.0")
            listed(site, fake, slugs[name], repository="nginx")
        synced(site)
        before = {name: facts(site, f"images/{slug}") for name, slug in slugs.items()}
        new = {name: fake.image("acme/nginx", "1.0", seed="new") for name, fake in fakes.items()}
        whole = {name: dict(fake.replies) for name, fake in fakes.items()}
        for name, fake in fakes.items():
            FAULTS[name][0](fake, new[name])
        told = sync(site, retries=0).stderr.splitlines()
        for name, slug in slugs.items():
            (line,) = (line for line in told if f"error: docs/images/{slug}.md" in line)
            assert FAULTS[name][1] in line and f"{fakes[name].host}/acme/nginx" in line, name
            assert "[CAT083]" in line and "the existing data is kept" in line, name
            assert facts(site, f"images/{slug}") == before[name], name
            fakes[name].replies = whole[name]
        synced(site)
        assert {name: facts(site, f"images/{slugs[name]}")["versions"][0]["digest"] for name in FAULTS} == new


@pytest.mark.parametrize("status", [401, 404])
def test_what_a_registry_refuses_for_every_repository_is_one_line(
    site: SiteFolder, fake: FakeRegistry, status: int
) -> None:
    slugs = ["nginx", *(f"n{number}" for number in range(4))]
    for slug in slugs:
        listed(site, fake, slug)
        fake.replies[f"/v2/acme/{slug}/tags/list"] = Reply(status=status)
    (line,) = (line for line in sync(site).stderr.splitlines() if "error: " in line)
    first = ", ".join(f"docs/images/n{number}.md:2:1" for number in range(3))
    assert f"error: {fake.host}: " in line and f": 5 times, first {first};" in line


def test_what_was_learned_is_written_though_another_fails(site: SiteFolder, fake: FakeRegistry) -> None:
    first, second = (fake.image("acme/nginx", tag) for tag in ("1.0", "2.0"))
    fake.tags("acme/nginx", "1.0", "2.0")
    broken = f"/v2/acme/nginx/manifests/{second}"
    whole = fake.replies.pop(broken)
    refused = sync(site)
    assert refused.exit_code == 1 and second in refused.stderr and "404 NAME_UNKNOWN" in refused.stderr
    assert labels(site) == ["1.0"]
    fake.replies[broken] = whole
    fake.asked.clear()
    assert sync(site).exit_code == 0
    assert labels(site) == ["1.0", "2.0"]
    assert f"/v2/acme/nginx/manifests/{first}" not in fake.asked


def test_a_tag_without_a_manifest_is_a_warning(site: SiteFolder, fake: FakeRegistry) -> None:
    """Also one with a manifest of Docker's schema 1."""
    fake.image("acme/nginx", "2.0")
    fake.tags("acme/nginx", "0.9", "1.0", "2.0")
    old = "application/vnd.docker.distribution.manifest.v1+prettyjws"
    fake.put("/v2/acme/nginx/manifests/0.9", {}, old, Docker_Content_Digest=digest(1))
    for _ in range(2):
        result = sync(site, "--json")
        assert (result.exit_code, labels(site)) == (0, ["2.0"])
        warnings = [each["message"] for each in json.loads(result.stdout)["problems"]]
        assert [label for label in ("0.9", "1.0") if any(f" {label} " in each for each in warnings)] == [
            "0.9",
            "1.0",
        ]


class OnlyGet(FakeRegistry):
    """A registry that has no answer to HEAD, as Nexus and old ones."""

    def script(self, request: Request) -> Iterable[bytes]:
        return Reply(status=405) if request.method == "HEAD" else super().script(request)


class WithTokens(FakeRegistry):
    """A registry with two challenges, as Gitea: a public image needs no login, but a token."""

    def script(self, request: Request) -> Iterable[bytes]:
        if request.path.startswith("/token"):
            return Reply(b'{"token": "abc"}')
        if "authorization: bearer abc" in request.head.lower():
            return super().script(request)
        realm = f'Basic realm="a, Bearer b", Bearer realm="{self.address}/token",service="x",scope="*"'
        return Reply(status=401, headers={"WWW-Authenticate": realm})


@pytest.mark.parametrize("kind", [OnlyGet, WithTokens])
def test_a_registry_that_is_read_another_way(site: SiteFolder, kind: type[FakeRegistry]) -> None:
    with kind().running() as fake:
        listed(site, fake)
        fake.image("acme/nginx", "1.0")
        synced(site)
    assert labels(site) == ["1.0"]


def test_of_the_next_page_only_the_query_is_used(site: SiteFolder, fake: FakeRegistry) -> None:
    """A proxy may have another name and path than the registry behind it. A page without news is the last."""
    for tag in ("1.0", "2.0"):
        fake.image("acme/nginx", tag)
    link = '<http://inside:1/prefix/v2/x?last=1.0>; rel="next"'
    fake.tags("acme/nginx", "1.0", Link=link)
    fake.put(f"{TAGS}?last=1.0", {"tags": ["2.0"]}, "application/json", Link=link)
    synced(site)
    assert labels(site) == ["1.0", "2.0"]
    assert fake.asked.count(f"{TAGS}?last=1.0") == 2


def test_which_addresses_are_public() -> None:
    hosts = ("127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "8.8.8.8")
    assert [host for host in hosts if client.is_public(host)] == ["8.8.8.8"]


@pytest.mark.parametrize("way", ["redirect", "token"])
def test_a_public_registry_leads_to_no_private_address(
    site: SiteFolder, fake: FakeRegistry, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "is_public", lambda host: host == "127.0.0.1")
    inside = f"http://localhost:{fake.host.partition(':')[2]}/inside"
    fake.image("acme/nginx", "1.0")
    headers = {"Location": inside} if way == "redirect" else {"WWW-Authenticate": f'Bearer realm="{inside}"'}
    fake.replies[TAGS] = Reply(status=307 if way == "redirect" else 401, headers=headers)
    result = sync(site)
    assert result.exit_code == 1 and "error: docs/images/nginx.md" in result.stderr
    assert fake.asked == [TAGS]


def test_a_moved_tag_whose_new_digest_can_not_be_read(site: SiteFolder, fake: FakeRegistry) -> None:
    fake.image("acme/nginx", "1.0", "latest")
    synced(site)
    new = fake.image("acme/nginx", "1.1", "latest", seed="new")
    fake.replies.pop(f"/v2/acme/nginx/manifests/{new}")
    assert sync(site).exit_code == 1
    assert [entry["version"] for entry in facts(site)["former"]] == ["1.0"]


def test_a_damaged_file_is_refused_and_stays(site: SiteFolder, fake: FakeRegistry) -> None:
    fake.image("acme/nginx", "1.0")
    file = site.write(FILE, "{")
    assert f"error: {FILE}" in sync(site).stderr
    assert file.read_text("utf-8") == "{"


# What becomes known night after night


@dataclass(frozen=True, kw_only=True)
class Story:
    """An image night after night: what its registry has, and what is known then."""

    nights: Sequence[Mapping[str, str] | int | None]
    """Tags and their builds; None is as the night before, a number the status of the list."""
    known: Sequence[str]
    """Of each night, as `in_words` says it."""
    changes: str | None = None
    """What is printed of the last change."""
    warnings: Sequence[str] = ()
    """A part of each warning of the last night."""
    prune: bool = False
    """Whether the last night is with --prune."""
    page: str = "versions: registry"


STORIES = {
    "a tag that moved and one that is new": Story(
        nights=[{"1.29": "a", "1.29.3": "a"}, {"1.29": "b", "1.29.3": "a", "1.29.4": "b"}],
        known=["1.29.3:a+1.29", "1.29.3:a 1.29.4:b+1.29"], changes="~ 1.29.3 + 1.29.4"),
    "the same tag with another digest": Story(
        nights=[{"1.29": "a"}, {"1.29": "b"}], known=["1.29:a", "1.29:b, 1.29:a until 2"],
        changes="~ 1.29, a to b"),
    "each digest is kept, and no longer when it is back": Story(
        nights=[{"1": "a"}, {"1": "b"}, {"1": "c"}, None, {"1": "b"}],
        known=[
            "1:a", "1:b, 1:a until 2", "1:c, 1:b until 3, 1:a until 2", "1:c, 1:b until 3, 1:a until 2",
            "1:b, 1:c until 5, 1:a until 2"]),
    "a digest that keeps one of its tags as a version is not former": Story(
        nights=[
            {"1.0": "a", "latest": "a"}, {"1.0": "a", "1.1": "b", "latest": "b"},
            {"1.0": "c", "1.0.1": "c", "1.1": "b", "latest": "b"}],
        known=["1.0:a+latest", "1.0:a 1.1:b+latest", "1.0.1:c+1.0 1.1:b+latest, 1.0:a until 3"]),
    "a tag that the page lists is gone when it is deleted, and comes back": Story(
        nights=[{"1.28": "a", "1.29": "b"}, {"1.29": "b"}, {"1.28": "a", "1.29": "b"}, {"1.29": "b"}],
        known=["1.28:a 1.29:b", "1.28:a? 1.29:b", "1.28:a 1.29:b", "1.28:a? 1.29:b"],
        changes="~ 1.28, gone", warnings=["1.28 was removed", "has no tag 1.28"],
        page="versions: ['1.28', '1.29']"),
    "a tag of what is gone is another version's": Story(
        nights=[{"1.0": "a", "edge": "a"}, {"1.1": "b", "edge": "b"}],
        known=["1.0:a+edge", "1.0:a? 1.1:b+edge"], changes="~ 1.0, gone + 1.1",
        warnings=["1.0 was removed"], page="versions: [{version: '1.0', tags: [edge]}, '1.1']"),
    "a deleted tag that the page lists is former when it is pruned": Story(
        nights=[{"1.28": "a", "1.29": "b"}, {"1.29": "b"}, None],
        known=["1.28:a 1.29:b", "1.28:a? 1.29:b", "1.29:b, 1.28:a until 3"], changes="- 1.28",
        warnings=["has no tag 1.28"], prune=True, page="versions: ['1.28', '1.29']"),
    "a deleted tag is former if the page does not list it": Story(
        nights=[
            {"nightly-1": "a", "nightly-2": "b"}, {"nightly-2": "b", "nightly-3": "c"}, {"nightly-1": "a"}],
        known=[
            "nightly-1:a nightly-2:b", "nightly-2:b nightly-3:c, nightly-1:a until 2",
            "nightly-1:a, nightly-2:b until 3, nightly-3:c until 3"],
        changes="+ nightly-1 - nightly-2 - nightly-3"),
    "only tags that may be versions are requested": Story(
        nights=[
            {"1.0": "a", "pr-1": "a", "latest": "a", "main": "b", "feature-x": "d"}
            | dict.fromkeys(("sha-504ed11", "1.1-504ed11"), "c")
        ],
        known=["1.0:a+latest"], changes="+ 1.0"),
    "without a version": Story(
        nights=[{"main": "a", "pr-1": "b"}], known=[""], changes="",
        warnings=["no tag is a version: main, pr-1"]),
    "without a version any more": Story(
        nights=[{"1.0": "a"}, {"main": "a"}], known=["1.0:a", "1.0:a"], changes="",
        warnings=["no tag is a version: main"]),
    "what keep leaves out is known by its digest": Story(
        nights=[
            {"1.0": "a", "1.1": "b", "1.1.1": "c", "2.0": "d"}, {"2.0": "d", "3.0": "e", "1.1": "b"},
            {"3.0": "f", "2.0": "d"}],
        known=[
            "1.1.1:c 2.0:d, 1.0:a unlisted, 1.1:b unlisted",
            "2.0:d 3.0:e, 1.1:b unlisted, 1.1.1:c until 2, 1.0:a until 2",
            "2.0:d 3.0:f, 3.0:e until 3, 1.1:b until 3, 1.1.1:c until 2, 1.0:a until 2"],
        page="versions: {from: registry, keep: 2}"),
    "an emptied repository loses nothing": Story(
        nights=[{"1.0": "a"}, {}], known=["1.0:a", "1.0:a"], changes="", warnings=["has no tags of"]),
    "unless it is pruned": Story(
        nights=[{"1.0": "a"}, {}], known=["1.0:a", ", 1.0:a until 2"], changes="- 1.0", prune=True),
    "if not pruned, either": Story(
        nights=[{"1.0": "a"}, 404], known=["1.0:a", ", 1.0:a until 2"], changes="- 1.0", prune=True),
    "without access nothing is pruned": Story(
        nights=[{"1.0": "a"}, 403], known=["1.0:a", "1.0:a"], changes="", warnings=["access denied, 403"],
        prune=True),
    "only versions that the page lists": Story(
        nights=[{"1.29.3": "a", "1.28.0": "b"}], known=["1.29.3:a"], changes="+ 1.29.3",
        warnings=["has no tag 1.27.0"], page="versions: [1.29.3, {version: 1.27.0}]"),
    "the tags of a page are asked for, too": Story(
        nights=[{"1.29": "a", "main": "b"}], known=["1.29:a main:b"], changes="+ 1.29 + main",
        page="versions: [{version: '1.29', tags: [main]}]"),
    "the tag latest is another name of a version on the page, or none": Story(
        nights=[{"1.29": "a", "latest": "a"}, {"1.29": "a", "latest": "b"}],
        known=["1.29:a+latest", "1.29:a"], page="versions: ['1.29']"),
    "a page with another digest": Story(
        nights=[{"1.29.3": "a"}], known=["1.29.3:a"], changes="+ 1.29.3",
        warnings=["1.29.3 is a in the registry, released 2026-11-01, not"],
        page=f"versions: [{{version: 1.29.3, digest: '{digest(1)}'}}]"),
    "of tags that differ only in case one is listed": Story(
        nights=[{"1-ALPINE": "a", "1-Alpine": "b", "1-alpine": "c"}, None],
        known=["1-ALPINE:a", "1-ALPINE:a"], changes="",
        warnings=["the tag 1-Alpine, which differs from 1-ALPINE only in case", "the tag 1-alpine, which"]),
    "it is that of the page": Story(
        nights=[{"1-Alpine": "b", "1-alpine": "c"}], known=["1-Alpine:b"], page="versions: [1-Alpine]"),
    "attachments are no versions": Story(
        nights=[{"1.0": "a", f"sha256-{'0' * 64}.sig": "b", f"sha256-{'0' * 64}": "c"}], known=["1.0:a"],
        changes="+ 1.0"),
}  # fmt: skip


@pytest.mark.parametrize("prune", [False, True])
def test_nights(site: SiteFolder, fake: FakeRegistry, prune: bool) -> None:
    """All stories in one catalog; each night is one run, and the last one is the same for all."""
    stories = {name: story for name, story in STORIES.items() if story.prune == prune}
    slugs = {name: f"s{number}" for number, name in enumerate(stories)}
    last = max(len(story.nights) for story in stories.values()) - 1
    began = {name: last + 1 - len(story.nights) for name, story in stories.items()}
    known: dict[str, list[str]] = {name: [] for name in stories}
    letters: dict[str, str] = {}
    (site.folder / "docs/images/nginx.md").unlink()
    for night in range(last + 1):
        going = [name for name in stories if night >= began[name]]
        for name in going:
            pushed = stories[name].nights[night - began[name]]
            letters |= push(fake, f"acme/{slugs[name]}", pushed)
            listed(site, fake, slugs[name], stories[name].page)
        options = ["--prune"] if prune and night == last else []
        printed = json.loads(sync(site, "--json", *options, env=on_day(night + 1)).stdout)
        for name in going:
            text = in_words(facts(site, f"images/{slugs[name]}"), began[name])
            known[name].append(with_letters(text, letters))
    for name, story in stories.items():
        assert known[name] == [*story.known], name
        changes, told = told_of(slugs[name], printed)
        if story.changes is not None:
            assert with_letters(changes, letters) == story.changes, name
            told = [with_letters(each, letters) for each in told]
            fits = [part in each for part, each in zip(story.warnings, told, strict=False)]
            assert all(fits) and len(told) == len(story.warnings), f"{name}: {told}, not {story.warnings}"


def push(fake: FakeRegistry, name: str, night: Mapping[str, str] | int | None) -> dict[str, str]:
    build = {"os": "linux", "architecture": "amd64", "created": "2026-11-01T06:00:00Z"}
    tags = night if isinstance(night, Mapping) else {}
    letters = {fake.artifact(name, build | {"build": each}, CONFIG, tag): each for tag, each in tags.items()}
    if isinstance(night, int):
        fake.replies[f"/v2/{name}/tags/list"] = Reply(status=night)
    elif night is not None:
        fake.tags(name, *tags)
    return letters


def in_words(known: Any, began: int) -> str:
    """Versions with their further tags, as `1.0:a+latest`, with ? if they are gone, then former ones.

    The story began after this day.
    """
    versions = [
        "+".join((f"{each['version']}:{each['digest']}", *each.get("tags", ()))) + "?" * each.get("gone", 0)
        for each in known["versions"]
    ]
    unlisted = [f"{each['version']}:{each['digest']} unlisted" for each in known.get("unlisted", ())]
    former = [
        f"{each['version']}:{each['digest']} until {int(each['until'][8:]) - began}"
        for each in known.get("former", ())
    ]
    return ", ".join((" ".join(versions), *unlisted, *former))


def told_of(slug: str, told: Any) -> tuple[str, list[str]]:
    """What is printed of changes, and the warnings."""
    changes = told["summary"]["changed"].get(f"registry/images/{slug}.json", ())
    page = (each for each in told["problems"] if each["file"] == f"docs/images/{slug}.md")
    return " ".join(changes), [each["message"] for each in page if each["level"] != "info"]


def with_letters(text: str, letters: Mapping[str, str]) -> str:
    return re.sub(r"sha256:\w+", lambda found: letters.get(found[0], found[0]), text)


def on_day(day: int) -> dict[str, str]:
    """An environment on this day, counted from 1 November 2026."""
    time = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(days=day - 1)
    return {"SOURCE_DATE_EPOCH": str(int(time.timestamp()))}


def test_pruning_forgets_what_was_former_for_more_than_a_year(site: SiteFolder, fake: FakeRegistry) -> None:
    first = fake.image("acme/nginx", "1.0")
    sync(site, env=on_day(1))
    fake.image("acme/nginx", "2.0")
    for day, option, former in ((3, "--prune", 1), (3 + 365, "--prune", 1), (3 + 366, "--quiet", 1)):
        assert sync(site, option, env=on_day(day)).exit_code == 0
        assert len(facts(site)["former"]) == former
    change = f"{FILE}: - 1.0 of {first}, former since 2026-11-03\n"
    assert sync(site, "--prune", "--dry-run", env=on_day(3 + 366)).stdout == change
    assert sync(site, "--prune", env=on_day(3 + 366)).exit_code == 0
    assert "former" not in facts(site)


def test_at_most_20_former_digests_of_a_version_are_kept() -> None:
    file = RegistryFacts(image="a", versions=())
    for day in range(1, 31):
        versions = tuple(VersionFacts(label, digest(f"{label}-{day}")) for label in ("1.0", "2.0"))
        former = former_after(file, versions, f"2026-11-{day:02}")
        file = RegistryFacts(image="a", versions=versions, former=former)
    wanted = [f"2026-11-{day:02}" for day in range(30, 10, -1)]
    assert [entry.until for entry in file.former if entry.version == "1.0"] == wanted
    assert len(file.former) == 40


# What a registry knows


def test_a_run_that_changes_nothing_writes_and_reads_nothing(site: SiteFolder, fake: FakeRegistry) -> None:
    fake.image("acme/nginx", "1.0")
    printed = sync(site, "--dry-run")
    assert (printed.exit_code, printed.stdout) == (0, f"{FILE}: + 1.0\n")
    assert not (site.folder / "registry").exists()
    assert "1 file changed, 0 unchanged; 5 requests; no problems" in sync(site).stderr
    before = (site.folder / FILE).stat().st_mtime_ns
    fake.asked.clear()
    assert synced(site)["summary"] == {"changed": {}, "unchanged": 1, "requests": 3, "written": True}
    # A list, the digest of the tag, and the question whether there is an API for referrers.
    assert [path.split("/")[-2] for path in fake.asked] == ["tags", "manifests", "referrers"]
    assert (site.folder / FILE).stat().st_mtime_ns == before


def test_a_digest_in_several_repositories_is_requested_once(site: SiteFolder, fake: FakeRegistry) -> None:
    """Its content is the same wherever it is; that of a repository that lacks it is that one's problem."""
    digests = {fake.image(f"acme/{name}", "1.0", seed="same") for name in ("nginx", "web", "app")}
    assert len(digests) == 1
    for name in ("web", "app"):
        listed(site, fake, name)
    synced(site)
    (manifest,) = digests
    requested = [path for path in fake.asked if path.endswith(manifest) and "/manifests/" in path]
    assert len(requested) == 1
    assert len([path for path in fake.asked if "/blobs/" in path]) == 1
    assert [labels(site, name) for name in ("nginx", "web", "app")] == [["1.0"]] * 3


def test_referrers_are_asked_for_again(site: SiteFolder, fake: FakeRegistry) -> None:
    new = fake.image("acme/nginx", "1.0")
    bundle = {"digest": digest(1), "artifactType": "application/vnd.dev.sigstore.bundle.v0.3+json"}
    sbom = {"digest": digest(2), "artifactType": "application/spdx+json"}
    fake.referrers("acme/nginx", new, sbom)
    synced(site)
    (version,) = facts(site)["versions"]
    assert (version["attestations"], version.get("signature")) == (["sbom"], None)
    predicate = {"dev.sigstore.bundle.predicateType": "https://slsa.dev/provenance/v1"}
    fake.referrers("acme/nginx", new, sbom, bundle, bundle | {"annotations": predicate})
    synced(site)
    (version,) = facts(site)["versions"]
    assert version["signature"] == "cosign"
    assert version["attestations"] == ["provenance", "sbom"]
    fake.asked.clear()
    synced(site)
    assert fake.asked == [TAGS, "HEAD /v2/acme/nginx/manifests/1.0"]


def test_referrers_that_are_no_index(site: SiteFolder, fake: FakeRegistry) -> None:
    path = f"/v2/acme/nginx/referrers/{fake.image('acme/nginx', '1.0')}"
    for reply, media_type in ((b"[]", INDEX), (b"{}", "application/json"), (b"{", INDEX)):
        fake.put(path, reply, media_type)
        assert synced(site)["problems"] == [] and labels(site) == ["1.0"]


LINUX: dict[str, Any] = {"os": "linux", "architecture": "amd64"}
WINDOWS = {"os": "windows", "architecture": "amd64"}
PLATFORMS = {
    "windows/amd64[10.0.17763]": WINDOWS | {"os.version": "10.0.17763"},
    "windows/amd64[10.0.20348]": WINDOWS | {"os.version": "10.0.20348"},
    "linux/amd64": LINUX,
    "linux/s390x": LINUX | {"architecture": "s390x"},
    "linux/amd64[a,b]": LINUX | {"os.features": ["a", "b"]},
    "unknown/unknown": {"os": "unknown", "architecture": "unknown"},
}


def test_every_manifest_is_kept_by_digest(site: SiteFolder, fake: FakeRegistry) -> None:
    """One of them deep within other indexes, one twice, and the last no longer there."""
    entries: dict[str, dict[str, Any]] = {
        name: {"digest": fake.artifact("acme/nginx", platform, CONFIG), "mediaType": MANIFEST}
        for name, platform in PLATFORMS.items()
    }
    old, new, plain, deep, features, unnamed = (
        entry | {"platform": PLATFORMS[name]} for name, entry in entries.items()
    )
    inner = fake.nest("acme/nginx", fake.nest("acme/nginx", fake.nest("acme/nginx", deep)), features)
    deleted = {"digest": digest(1), "platform": LINUX | {"architecture": "arm64"}}
    fake.nest("acme/nginx", old, new, plain, inner, unnamed, old, deleted, tag="1.0")
    fake.tags("acme/nginx", "1.0")
    (problem,) = synced(site)["problems"]
    assert (problem["level"], problem["code"]) == ("warning", "CAT083")
    assert "no manifest for linux/arm64 any more" in problem["message"]
    manifests = [(name, entry["digest"]) for name, entry in entries.items()] + [("linux/arm64", digest(1))]
    (version,) = facts(site)["versions"]
    assert [(each["platform"], each["digest"]) for each in version["manifests"]] == manifests
    (published,) = item(built(site), "nginx")["versions"]
    assert published["platforms"] == ["windows/amd64", "linux/amd64", "linux/s390x", "linux/arm64"]


def test_tags_of_one_platform_name_their_manifest(site: SiteFolder, fake: FakeRegistry) -> None:
    """As goreleaser pushes them."""
    amd64, arm64 = (
        fake.part("acme/nginx", "x", f"linux/{name}", f"1.2.3-{name}") for name in ("amd64", "arm64")
    )
    index = fake.nest("acme/nginx", amd64, arm64, tag="1.2.3")["digest"]
    fake.tags("acme/nginx", "1.2.3", "1.2.3-amd64", "1.2.3-arm64")
    synced(site)
    assert labels(site) == ["1.2.3"]
    path = f"references/{fake.host.replace(':', '_')}~acme~nginx.json"
    entries = built(site).json(path)["data"]
    assert [(entry["tag"], entry["version"], entry["digest"], entry["platform"]) for entry in entries] == [
        ("1.2.3", "1.2.3", index, None),
        ("1.2.3-amd64", "1.2.3", index, "linux/amd64"),
        ("1.2.3-arm64", "1.2.3", index, "linux/arm64"),
    ]
    fake.asked.clear()
    assert synced(site)["summary"]["changed"] == {}
    assert not any("sha256" in path for path in fake.asked if "referrers" not in path)


def test_a_tag_that_is_no_image_is_a_note(site: SiteFolder, fake: FakeRegistry) -> None:
    new = fake.image("acme/nginx", "1.0")
    fake.replies["/v2/acme/nginx/manifests/1.0"].headers.pop("Docker-Content-Digest")
    fake.artifact("acme/nginx", {}, "application/vnd.cncf.helm.config.v1+json", "0.1.0")
    following = f"{TAGS}?last=0.1.0"
    fake.tags("acme/nginx", "0.1.0", Link=f'<{following}>; rel="next"')
    fake.put(following, {"tags": ["1.0"]}, "application/json")  # the list has two pages
    (problem,) = synced(site)["problems"]
    assert (problem["level"], problem["file"]) == ("info", "docs/images/nginx.md")
    assert [(each["version"], each["digest"]) for each in facts(site)["versions"]] == [("1.0", new)]


CLASSIC = """\
apiVersion: v1
entries:
  nginx:
    - {name: nginx, version: 1.10.0, appVersion: 1.20, digest: %s, created: "2026-11-01T06:00:00.5+01:00",
       annotations: {artifacthub.io/license: MIT}, home: https://nginx.org, sources: [https://nginx.org/git]}
    - {name: nginx, version: 1.9.0}
  other: []
"""


def test_a_classic_chart_repository(site: SiteFolder, fake: FakeRegistry) -> None:
    site.page("charts/nginx.md", f"versions: registry\nchart: http://{fake.host}/charts/")
    fake.image("acme/nginx", "1.0")
    fake.put("/charts/index.yaml", (CLASSIC % digest(1)[7:]).encode())
    synced(site)
    newest = f"""
        {{version: 1.10.0, digest: '{digest(1)}', released: '2026-11-01', appVersion: '1.20'}}
    """
    known = facts(site, "charts/nginx")
    assert known["versions"] == [yaml.safe_load(newest), {"version": "1.9.0"}]
    words = ("1.10.0", "MIT", "https://nginx.org", "https://nginx.org/git")
    assert (known["newest"], known["license"], known["homepage"], known["source"]) == words
    fake.put("/charts/index.yaml", b"entries: {nginx: [{version: 1.10.0}]}")
    assert "- 1.9.0" in synced(site)["summary"]["changed"]["registry/charts/nginx.json"]
    for body in (b"\xff: [", b"entries: {}", b"[" * 100_000, b"entries: {nginx: [{version: x}]}"):
        fake.put("/charts/index.yaml", body)
        refused = sync(site)
        assert refused.exit_code == 1 and "error: docs/charts/nginx.md" in refused.stderr
    assert len(facts(site, "charts/nginx")["versions"]) == 1


# What tools push


OPEN, HUB = "org.opencontainers.image.", "artifacthub.io/"
SPDX, SLSA = "https://spdx.dev/Document", "https://slsa.dev/provenance/v1"
RUNS: dict[str, Any] = {"User": "65532", "ExposedPorts": {"8080/tcp": {}, "53/udp": {}, "x": {}}, "Cmd": None}


@pytest.fixture(params=["fake", pytest.param("real", marks=pytest.mark.slow)])
def registry(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Registry | FakeRegistry]:
    is_real = request.param == "real"
    with running(tmp_path_factory.mktemp("registry")) if is_real else FakeRegistry().running() as registry:
        yield registry


def test_an_image_with_all_that_a_registry_knows(site: SiteFolder, registry: Registry | FakeRegistry) -> None:
    listed(site, registry)
    labels = {f"{OPEN}licenses": "MIT", f"{OPEN}url": "https://nginx.org"}
    own = {f"{OPEN}licenses": "BSD-2-Clause", "other": "x"}
    tags = ("1", "1.29", "1.29.3", "latest")
    pushed = registry.index(
        "acme/nginx", "a", *tags, predicates=(SPDX, SLSA), annotations=own, labels=labels, runs=RUNS
    )
    registry.sign("acme/nginx", pushed["digest"])
    registry.refer("acme/nginx", pushed["digest"], "application/vnd.cyclonedx+json")
    synced(site)
    amd64, arm64 = (part["digest"] for part in pushed["parts"][:2])
    known = f"""
        image: {registry.host}/acme/nginx
        newest: 1.29.3
        license: BSD-2-Clause
        homepage: https://nginx.org
        versions:
          - version: 1.29.3
            digest: {pushed["digest"]}
            tags: ['1', '1.29', latest]
            manifests:
              - {{platform: linux/amd64, digest: '{amd64}', size: 101}}
              - {{platform: linux/arm64, digest: '{arm64}', size: 101}}
            size: 101
            released: '2026-11-01'
            attestations: [provenance, sbom]
            config: {{user: '65532', ports: [53/udp, '8080']}}
            signature: cosign
    """
    assert facts(site) == yaml.safe_load(known)


@pytest.mark.parametrize(
    ("created", "released"),
    [
        ("1980-01-01T00:00:01Z", None),
        ("1980-01-02T00:00:00Z", "1980-01-02"),
        ("1970-12-31T00:00:00Z", None),
        ("0001-01-01T00:00:00Z", None),
        ("2026-11-20T23:30:00-02:00", "2026-11-21"),
    ],
)
def test_days_that_mean_not_set_are_no_release_days(
    site: SiteFolder, fake: FakeRegistry, created: str, released: str | None
) -> None:
    """Cloud Native Buildpacks write the first day of 1980."""
    fake.part("acme/nginx", "x", "linux/amd64", "2.0", created=created)
    synced(site)
    assert facts(site)["versions"][0].get("released") == released


def test_a_platform_that_no_page_could_have_stops_no_build(site: SiteFolder, fake: FakeRegistry) -> None:
    """Its manifest is known, so that it has to be scanned, too; the warning names the repository."""
    parts = [fake.part("acme/nginx", platform, platform) for platform in ("linux/amd64", "arm/v7")]
    fake.nest("acme/nginx", *parts, tag="1.0")
    done = sync(site)
    assert done.exit_code == 0
    (warning,) = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    assert "acme/nginx" in warning and "arm/v7" in warning and "CAT012" in warning
    result = built(site)
    manifests = result.at("images/nginx versions 0 manifests")
    assert [manifest["platform"] for manifest in manifests] == ["linux/amd64", "unknown/unknown"]


def test_an_image_for_one_platform(site: SiteFolder, fake: FakeRegistry) -> None:
    pushed = fake.part("acme/nginx", "x", "linux/arm/v7", "2.0", created="1970-01-01T00:00:00Z")
    synced(site)
    (version,) = facts(site)["versions"]
    assert version["manifests"] == [{"platform": "linux/arm/v7", "digest": pushed["digest"], "size": 101}]
    assert "released" not in version and "signature" not in version


def test_docker_s_own_types(site: SiteFolder, fake: FakeRegistry) -> None:
    config = fake.blob(
        "acme/nginx", encoded(PLATFORMS["linux/s390x"]), "application/vnd.docker.container.image.v1+json"
    )
    part = fake.pushed("acme/nginx", config, [], mediaType=f"{DOCKER}manifest.v2+json")
    several = {"mediaType": f"{DOCKER}manifest.list.v2+json", "manifests": [part]}
    fake.manifest("acme/nginx", several, "1.0")
    synced(site)
    (version,) = facts(site)["versions"]
    assert [part["platform"] for part in version["manifests"]] == ["linux/s390x"]


def test_a_chart_says_all_by_its_config(site: SiteFolder, registry: Registry | FakeRegistry) -> None:
    home = "https://example.org"
    metadata = {"home": home, "sources": [f"{home}/git"], "description": "Serves."}
    notes = {
        f"{HUB}images": "- image: ghcr.io/acme/nginx:1.29.3\n- image: redis:8\n  name: db\n",
        f"{HUB}license": "MIT",
    }
    more = metadata | {"annotations": notes | {"other": "x"}}
    pushed = registry.chart("charts/nginx", "1.2.0+7", appVersion="1.29.3", **more)
    chart = f"oci://{registry.host}/charts/nginx"
    site.page("charts/nginx.md", f"chart: {chart}\nversions: registry")
    synced(site)
    version = {"version": "1.2.0+7", "digest": pushed["digest"], "tags": ["1.2.0_7"]}
    version |= {"released": "2026-10-31", "appVersion": "1.29.3"}
    words: dict[str, Any] = {
        "license": "MIT",
        "description": "Serves.",
        "homepage": home,
        "source": f"{home}/git",
    }
    words |= {
        "newest": "1.2.0+7",
        "images": [{"image": "ghcr.io/acme/nginx:1.29.3"}, {"image": "redis:8", "name": "db"}],
    }
    assert facts(site, "charts/nginx") == {"chart": chart, "versions": [version], **words}


ANNOTATIONS: dict[str, tuple[dict[str, str], str]] = {
    "license": ({f"{OPEN}licenses": "do what you want"}, ""),
    "license that nobody knows": ({f"{OPEN}licenses": "NOASSERTION"}, ""),
    "homepage": ({f"{OPEN}url": "see the wiki"}, ""),
    "description of two lines": ({f"{OPEN}description": "  A web\nserver "}, "description: A web server"),
    "base": ({f"{OPEN}base.name": "docker.io/library/debian:12-slim"}, "base: debian"),
}


@pytest.mark.parametrize(("deprecated", "lifecycle"), [(True, "deprecated"), (False, "available")])
def test_a_deprecated_chart(site: SiteFolder, fake: FakeRegistry, deprecated: bool, lifecycle: str) -> None:
    """By its newest version, unless its page says otherwise."""
    for number, given in (("1.0.0", not deprecated), ("1.1.0", deprecated)):
        fake.chart("acme/charts/web", number, appVersion="1", deprecated=given)
    (site.folder / "docs/images/nginx.md").unlink()
    matter = f"versions: registry\nchart: oci://{fake.host}/acme/charts/web"
    site.page("charts/web.md", matter)
    synced(site)
    assert built(site).at("charts/web lifecycle") == lifecycle
    site.page("charts/web.md", f"{matter}\nlifecycle: withdrawn")
    assert built(site).at("charts/web lifecycle") == "withdrawn"


def test_an_annotation_that_no_page_could_have_is_not_used(site: SiteFolder, fake: FakeRegistry) -> None:
    for number, (notes, _) in enumerate(ANNOTATIONS.values()):
        fake.index(f"acme/s{number}", "a", "1.0", labels=notes)
        listed(site, fake, f"s{number}")
    fake.image("acme/nginx", "1.0")
    told = {each["field"] for each in synced(site)["problems"] if each["code"] == "CAT012"}
    assert told == {"license", "homepage"}
    for number, (name, (_, words)) in enumerate(ANNOTATIONS.items()):
        known = facts(site, f"images/s{number}")
        given = {key: known[key] for key in known.keys() - {"image", "newest", "versions"}}
        assert given == (yaml.safe_load(words) or {}), name


@pytest.mark.parametrize(
    "pins", ["[", "text", "- {name: x}\n- image: a/b:1\n", "- image: 'A B'\n- image: a/b:1\n"]
)
def test_some_of_a_chart_s_pins_are_none(site: SiteFolder, fake: FakeRegistry, pins: str) -> None:
    """Counts of some of its images would be too low."""
    fake.image("acme/nginx", "1.0")
    fake.chart("charts/nginx", "1.0.0", annotations={f"{HUB}images": pins})
    site.page("charts/nginx.md", f"chart: oci://{fake.host}/charts/nginx\nversions: registry")
    assert [each["code"] for each in synced(site)["problems"]] == ["CAT012"]
    assert "images" not in facts(site, "charts/nginx")


def test_the_item_is_as_its_newest_version_says(site: SiteFolder, fake: FakeRegistry) -> None:
    """Also if that was known as another version's before; it is read again once."""
    for tag in ("1.0", "2.0"):
        fake.index("acme/nginx", tag, tag, labels={f"{OPEN}url": f"https://example.org/{tag}"})
    known = []
    for latest in ("", "latest: '1.0'", "latest: '1.0'"):
        listed(site, fake, extra=f"versions: registry\n{latest}")
        fake.asked.clear()
        synced(site)
        known.append((facts(site)["homepage"][-3:], sum("/blobs/" in path for path in fake.asked)))
    assert known == [("2.0", 2), ("1.0", 1), ("1.0", 0)]


# Hosts, their logins and their limits


def asks(challenge: str = 'Basic realm="x"') -> Reply:
    return Reply(status=401, headers={"WWW-Authenticate": challenge})


def test_credentials_reach_no_other_host(site: SiteFolder, fake: FakeRegistry) -> None:
    """The registry redirects to a store for an image's config; the store names no token server, either."""
    manifest = json.loads(fake.replies[f"/v2/acme/nginx/manifests/{fake.image('acme/nginx', '1.0')}"].body)
    blob, secret = f"/v2/acme/nginx/blobs/{manifest['config']['digest']}", "/blob?signature=opensesame"
    site.settings["registry"] = f"{fake.host}/acme"
    with FakeRegistry().running() as store, FakeRegistry().running() as tokens:
        store.replies[secret] = fake.replies[blob]
        fake.replies[blob] = Reply(status=307, headers={"Location": f"{store.address}{secret}"})
        fake.first(TAGS, asks())
        assert sync(site, env=LOGIN).exit_code == 0
        assert store.asked and "Authorization" not in "".join(store.heads)
        assert f"Authorization: {BASIC}\r\n" in fake.heads[-1]
        store.replies[secret] = asks(f'Bearer realm="{tokens.address}/token"')
        (site.folder / FILE).unlink()
        refused = sync(site, env=LOGIN)
        denied = (
            "access denied, 401 (as user 'tester': check CATALOG_REGISTRY_USER and CATALOG_REGISTRY_TOKEN"
        )
        assert denied in refused.stderr and "opensesame" not in refused.output
        assert (len(store.asked), tokens.asked) == (2, [])


def test_a_token_for_each_repository(site: SiteFolder, fake: FakeRegistry) -> None:
    listed(site, fake, "redis")
    site.settings["registry"] = fake.host  # with its port, and without a namespace
    challenge = f'Bearer realm="{fake.address}/token",service="x"'
    for slug, kind in (("nginx", "token"), ("redis", "access_token")):
        fake.image(f"acme/{slug}", "1.0")
        fake.first(f"/v2/acme/{slug}/tags/list", asks(challenge))
        scope = f"repository%3Aacme%2F{slug}%3Apull"
        fake.put(f"/token?service=x&scope={scope}", {kind: f"for-{slug}"})
    assert sync(site, env=LOGIN).exit_code == 0
    heads = [(head.partition(" HTTP")[0], re.findall("Authorization: (.*)\r", head)) for head in fake.heads]
    for path, sent in heads:
        slug = "nginx" if "nginx" in path else "redis"
        assert sent == ([BASIC] if "/token" in path else [f"Bearer for-{slug}"] if sent else [])
    assert sum(not sent for _, sent in heads) == 2, "each was asked once without"


AUTH = {"auth": BASIC.removeprefix("Basic ")}
HELPERS: dict[str, tuple[object, str, str]] = {
    "a login": ({"auths": {"HOST": AUTH}}, "", ""),
    "a login for its address": ({"auths": {"https://HOST": AUTH}}, "", ""),
    "another host's login": ({"auths": {"ghcr.io": AUTH}}, "", "access denied, 401"),
    "not base64": ({"auths": {"HOST": {"auth": "?"}}}, "", "has an `auth` that is not base64"),
    "an identity token": ({"auths": {"HOST": AUTH | {"identitytoken": "x"}}}, "", "is an identity token"),
    "not JSON": (b"{", "", "can't be read"),
    "a helper of the host": ({"credHelpers": {"HOST": "test"}}, "cat $0.json", ""),
    "a helper of all hosts": ({"credsStore": "test"}, "cat $0.json", ""),
    "a helper without this login": (
        {"auths": {"HOST": AUTH}, "credsStore": "test"}, "echo credentials not found in store; exit 1", ""
    ),
    "a helper that fails": ({"credsStore": "test"}, "echo geheim >&2; exit 3", "failed for HOST (exit"),
    "a helper that prints something else": ({"credsStore": "test"}, "echo geheim", "printed invalid output"),
    "a helper that is not installed": ({"credsStore": "absent"}, "", "is not installed"),
    "a helper that is a path": ({"credsStore": "../test"}, "", "credential helper"),
}  # fmt: skip


@pytest.mark.parametrize("name", HELPERS)
def test_a_login_from_docker_s_configuration(
    site: SiteFolder, fake: FakeRegistry, tmp_path_factory: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    config, script, words = HELPERS[name]
    folder: Path = tmp_path_factory.mktemp("docker")
    text = config if isinstance(config, bytes) else encoded(config)
    (folder / "config.json").write_bytes(text.replace(b"HOST", fake.host.encode()))
    (folder / "docker-credential-test").write_text(f"#!/bin/sh\nread host\n{script}\n")
    (folder / "docker-credential-test").chmod(0o700)
    login = {"ServerURL": "x", "Username": "tester", "Secret": "geheim"}
    (folder / "docker-credential-test.json").write_bytes(encoded(login))
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    fake.image("acme/nginx", "1.0")
    fake.first(TAGS, asks())
    result = sync(site, env={"DOCKER_CONFIG": str(folder)})
    assert result.exit_code == bool(words) and words.replace("HOST", fake.host) in result.stderr
    assert (f"Authorization: {BASIC}\r\n" in fake.heads[-1]) != bool(words)
    assert "geheim" not in result.output


def test_https_and_proxies(site: SiteFolder, fake: FakeRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, fake.address)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("NO_PROXY", "")
    images = ("nginx", "registry.example.org/redis", "plain.example.org:5000/caddy")
    for image in images:
        site.image(image.rpartition("/")[2], "versions: registry", image=image)
    site.settings["insecure_registries"] = ["plain.example.org:5000"]
    for address in ("http://charts.example.org/stable", "https://secure.example.org/stable"):
        site.page(f"charts/{address[:5].strip(':')}.md", f"versions: registry\nchart: {address}")
    result = sync(site)
    assert result.exit_code == 1
    assert "http://charts.example.org/stable/index.yaml: not requested (use https" in result.stderr
    assert {*fake.asked} == {
        "CONNECT registry-1.docker.io:443",
        "CONNECT registry.example.org:443",
        "CONNECT secure.example.org:443",
        "http://plain.example.org:5000/v2/caddy/tags/list",
    }


def test_a_run_has_an_end(site: SiteFolder, fake: FakeRegistry) -> None:
    fake.image("acme/nginx", "1.0")
    assert "skipped" in sync(site, run=-1).stderr and fake.asked == []


class CtrlC(threading.Event):
    """The first who waits for it presses Ctrl-C."""

    pressed = False

    def wait(self, timeout: float | None = None) -> bool:
        if not self.pressed:
            self.pressed = True
            signal.raise_signal(signal.SIGINT)
        return super().wait(timeout)


def test_a_run_that_is_stopped_keeps_what_it_has_learned(site: SiteFolder, fake: FakeRegistry) -> None:
    digests = [fake.image("acme/nginx", label) for label in ("1.0", "2.0", "3.0")]
    fake.tags("acme/nginx", "1.0", "2.0", "3.0")
    last = fake.replies[f"/v2/acme/nginx/manifests/{digests[-1]}"]
    last.wait = CtrlC()
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        result = sync(site, whole=1)
    finally:
        signal.signal(signal.SIGINT, handler)
        last.wait.set()
    assert result.exit_code == 1 and "interrupted" in result.stderr
    assert labels(site) == ["1.0", "2.0"]


@pytest.mark.parametrize("down", ["busy", "silent", "closed"])
def test_a_host_that_is_down_is_one_problem(site: SiteFolder, fake: FakeRegistry, down: str) -> None:
    fake.image("acme/nginx", "1.0")
    with FakeRegistry().running() as busy, socket.create_server(("127.0.0.1", 0)) as silent:
        hosts = {"busy": busy.host, "silent": f"127.0.0.1:{silent.getsockname()[1]}", "closed": "127.0.0.1:1"}
        for number in range(20):
            name = f"acme/image-{number}"
            busy.replies[f"/v2/{name}/tags/list"] = Reply(status=503)
            site.image(f"image-{number}", "versions: registry", image=f"{hosts[down]}/{name}")
        result = sync(site, silence=0.2)
    assert result.exit_code == 1 and len(busy.asked) < 2 * 20
    (line,) = (line for line in result.stderr.splitlines() if "skipped for the same reason: " in line)
    if down != "busy":
        assert re.search(rf": {hosts[down]}: no complete response", line), "one image, and no other's address"
        assert ": 19 more" in line and line.count("set HTTPS_PROXY") == 1 and "/v2/" not in line
    assert labels(site) == ["1.0"]


class Turn(threading.Event):
    """Whoever waits for it was let go by somebody else, or not."""

    let_go = False

    def wait(self, timeout: float | None = None) -> bool:
        self.let_go = super().wait(timeout)
        return self.let_go


@pytest.mark.parametrize("path", ["tags/list", "referrers/"])
def test_a_slow_host_does_not_delay_another(site: SiteFolder, fake: FakeRegistry, path: str) -> None:
    """The slow host answers when the other one has been asked for everything."""
    turn = Turn()

    class Asked(list[str]):
        def append(self, path: str) -> None:
            super().append(path)
            if "/referrers/" in path:
                turn.set()

    fake.image("acme/nginx", "1.0")
    fake.asked = Asked()
    with FakeRegistry().running() as slow:
        image = slow.image("acme/a", "1.0")
        path += image if path.endswith("/") else ""
        slow.replies.setdefault(f"/v2/acme/a/{path}", Reply(status=404)).wait = turn
        listed(site, slow, "a")
        sync(site, silence=40, whole=40)
    assert turn.let_go
    assert labels(site) == ["1.0"]


def test_the_first_answers_may_come_at_once() -> None:
    """Several threads that are the first to decode a type must not crash the process."""
    program = """
import importlib, sys, threading
from mkdocs_catalog_api.network import registry

sys.setswitchinterval(1e-6)
body = b'{"manifests": [{"digest": "a"}], "config": {"digest": "b"}}'
for _ in range(25):
    fresh = importlib.reload(registry)
    barrier = threading.Barrier(8)
    def decode():
        barrier.wait()
        fresh._decode(body, fresh.RegistryManifest, "")
    threads = [threading.Thread(target=decode) for _ in range(8)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
