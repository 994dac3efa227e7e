"""`catalog-api sync` against registries that are right, and wrong in one way each."""

from __future__ import annotations

import json
import re
import signal
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mkdocs_catalog_api.catalog.registry_facts import RegistryFacts, VersionFacts, former_after
from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.network import sync as network_sync
from mkdocs_catalog_api.network.client import Limits

from .fake_registry import FakeRegistry, Reply
from .registries import CONFIG, INDEX, MANIFEST, digest_of, encoded
from .sites import SiteFolder, built, digest
from .test_map import item

LOGIN = {"CATALOG_REGISTRY_USER": "tester", "CATALOG_REGISTRY_TOKEN": "geheim"}
BASIC = "Basic dGVzdGVyOmdlaGVpbQ=="


@dataclass
class Bench:
    """A site with the image `nginx` of a registry that does as the test says."""

    site: SiteFolder
    fake: FakeRegistry
    waits: list[float] = field(default_factory=list)
    limits: dict[str, float] = field(default_factory=lambda: {"silence": 10.0, "whole": 10.0})

    def image(self, slug: str, extra: str = "versions: registry") -> None:
        self.site.image(slug, extra, image=f"{self.fake.host}/acme/{slug}")

    def run(self, *options: str, env: dict[str, str] | None = None) -> Result:
        self.site.write_config()
        limits = Limits(retries=1, sleep=self.waits.append, **self.limits)  # type: ignore[arg-type]
        arguments = ["sync", "-f", str(self.site.folder / "mkdocs.yml"), *options]
        nobody = {"DOCKER_CONFIG": str(self.site.folder), **dict.fromkeys(LOGIN, "")}
        return CliRunner().invoke(main, arguments, obj=limits, env=nobody | (env or {}))

    def labels(self, slug: str = "nginx") -> list[str]:
        return [version["version"] for version in self.facts(f"images/{slug}")["versions"]]

    def facts(self, path: str) -> Any:
        return json.loads((self.site.folder / f"registry/{path}.json").read_bytes())

    def refused(self, *words: str, env: dict[str, str] | None = None) -> Result:
        """A run with an error that names the image and the registry."""
        result = self.run(env=env)
        assert result.exit_code == 1, result.output
        assert "error: docs/images/nginx.md" in result.stderr and "[CAT083]" in result.stderr
        for word in (f"{self.fake.host}/acme/nginx", *words):
            assert word in result.stderr
        assert "Traceback" not in result.output
        return result


@pytest.fixture
def bench(site: SiteFolder) -> Iterator[Bench]:
    with FakeRegistry().running() as fake:
        bench = Bench(site, fake)
        bench.image("nginx")
        yield bench


def test_lists_in_pages_are_followed_on_the_same_host(bench: Bench) -> None:
    bench.fake.image("acme/nginx", "1.0", "1.1")
    following = "/v2/acme/nginx/tags/list?last=1.0"
    bench.fake.tags("acme/nginx", "1.0", Link=f'<{following}>; rel="next"')
    bench.fake.put(following, {"tags": ["1.1"]}, "application/json")
    assert bench.run().exit_code == 0
    assert bench.facts("images/nginx")["versions"][0]["tags"] == ["1.0"]
    bench.fake.tags("acme/nginx", "1.0", Link='<http://localhost:1/v2/x>; rel="next"')
    bench.refused("continues its list at 'http://localhost:1/v2/x'")


@pytest.mark.parametrize(("after", "waited"), [("30", [30]), ("61", [])])
def test_a_busy_registry_is_waited_for_as_long_as_it_says_up_to_a_minute(
    bench: Bench, after: str, waited: list[float]
) -> None:
    bench.fake.image("acme/nginx", "1.0")
    bench.fake.first("/v2/acme/nginx/tags/list", Reply(status=429, headers={"Retry-After": after}))
    result = bench.run()
    assert (bench.waits, result.exit_code) == (waited, 0 if waited else 1), result.output


def test_credentials_reach_no_other_host(bench: Bench) -> None:
    digest_ = bench.fake.image("acme/nginx", "1.0")
    manifest = json.loads(bench.fake.replies[f"/v2/acme/nginx/manifests/{digest_}"].body)
    blob = f"/v2/acme/nginx/blobs/{manifest['config']['digest']}"
    with FakeRegistry().running() as store:
        store.replies["/blob?signature=opensesame"] = bench.fake.replies[blob]
        target = f"http://{store.host}/blob?signature=opensesame"
        bench.fake.replies[blob] = Reply(status=307, headers={"Location": target})
        challenge = {"WWW-Authenticate": 'Basic realm="x"'}
        bench.fake.first("/v2/acme/nginx/tags/list", Reply(status=401, headers=challenge))
        bench.site.settings["registry"] = f"{bench.fake.host}/acme"
        assert bench.run(env=LOGIN).exit_code == 0
        assert store.asked and all("Authorization" not in head for head in store.heads)
        assert bench.fake.heads[-1]["Authorization"] == BASIC
        assert BASIC not in str(store.heads)
        store.replies.clear()
        (bench.site.folder / "registry/images/nginx.json").unlink()
        assert "opensesame" not in bench.refused("404", env=LOGIN).output


def test_a_host_after_a_redirect_names_no_token_server(bench: Bench) -> None:
    digest_ = bench.fake.image("acme/nginx", "1.0")
    manifest = json.loads(bench.fake.replies[f"/v2/acme/nginx/manifests/{digest_}"].body)
    blob = f"/v2/acme/nginx/blobs/{manifest['config']['digest']}"
    with FakeRegistry().running() as store, FakeRegistry().running() as tokens:
        challenge = f'Bearer realm="http://{tokens.host}/token"'
        store.replies["/blob"] = Reply(status=401, headers={"WWW-Authenticate": challenge})
        bench.fake.replies[blob] = Reply(status=307, headers={"Location": f"http://{store.host}/blob"})
        bench.site.settings["registry"] = f"{bench.fake.host}/acme"
        bench.refused("access denied, 401", env=LOGIN)
        assert store.asked == ["GET /blob"]
        assert tokens.asked == []


@pytest.mark.parametrize(
    ("path", "status", "headers", "body"),
    [
        ("tags/list", 401, {"WWW-Authenticate": 'Bearer realm="http://[::1/"'}, {}),
        ("tags/list", 401, {"WWW-Authenticate": "Bearer"}, {}),
        ("tags/list", 401, {"WWW-Authenticate": "\xff"}, {}),
        ("tags/list", 200, {"Link": '<http://[::1/>; rel="next"'}, {"tags": ["1.0"]}),
        ("tags/list", 307, {"Location": "http://[::1/"}, {}),
        ("tags/list", 307, {"Location": "/\xff"}, {}),
        ("tags/list", 200, {"Content-Encoding": "gzip"}, {"tags": ["1.0"]}),
        ("tags/list", 200, {}, {"tags": [1]}),
        ("tags/list", 200, {}, []),
        ("manifests/1.0", 200, {"Docker-Content-Digest": "sha256:x"}, {}),
        ("manifests/1.0", 200, {"Docker-Content-Digest": digest(1), "Content-Length": "x"}, {}),
    ],
)
def test_what_is_malformed_is_a_problem_of_its_repository_alone(
    bench: Bench, path: str, status: int, headers: dict[str, str], body: object
) -> None:
    bench.image("redis")
    bench.fake.image("acme/redis", "8.0")
    bench.fake.image("acme/nginx", "1.0")
    bench.fake.replies[f"/v2/acme/nginx/{path}"] = Reply(encoded(body), status, headers)
    bench.refused()
    assert bench.labels("redis") == ["8.0"]


@pytest.mark.parametrize(
    "realm", ["http://tokens.example.org/token", "ftp://127.0.0.1/", "", "//tokens.example.org/token"]
)
def test_a_token_server_is_asked_by_https_only(bench: Bench, realm: str) -> None:
    challenge = {"WWW-Authenticate": f'Bearer realm="{realm}",service="x"'}
    bench.fake.replies["/v2/acme/nginx/tags/list"] = Reply(status=401, headers=challenge)
    bench.refused("token server")


def test_without_a_digest_in_the_head_the_bytes_are_hashed(bench: Bench) -> None:
    digest_ = bench.fake.image("acme/nginx", "1.0")
    bench.fake.replies["/v2/acme/nginx/manifests/1.0"].headers.pop("Docker-Content-Digest")
    assert bench.run().exit_code == 0
    assert bench.facts("images/nginx")["versions"][0]["digest"] == digest_


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        pytest.param(Reply(b"{}"), "does not match", id="other bytes than those of the digest"),
        pytest.param(Reply(bytes(5 * 2**20)), "larger than 4 MiB", id="huge"),
        pytest.param(Reply(b"{", length=100), "no complete response", id="half"),
        pytest.param(Reply(wait=threading.Event(), length=10), "no complete response", id="slow"),
        pytest.param(Reply(status=404), "not found, 404", id="missing"),
        pytest.param(Reply(status=500), "500", id="broken"),
        pytest.param(Reply(status=403), "access denied, 403", id="forbidden"),
    ],
)
def test_an_answer_that_cannot_be_used_loses_nothing(bench: Bench, reply: Reply, words: str) -> None:
    bench.fake.image("acme/nginx", "1.0")
    assert bench.run().exit_code == 0
    newer = bench.fake.image("acme/nginx", "1.1", "1.0")
    path = f"/v2/acme/nginx/manifests/{newer}"
    whole = bench.fake.replies[path]
    bench.fake.replies[path] = reply
    bench.limits["whole"] = 1 if reply.wait else 10
    before = bench.facts("images/nginx")
    bench.refused(words)
    if reply.wait:
        reply.wait.set()
    assert bench.facts("images/nginx") == before
    bench.fake.replies[path] = whole
    assert bench.run().exit_code == 0
    assert bench.labels() == ["1.1"]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        pytest.param({"mediaType": "text/html"}, "text/html", id="type"),
        pytest.param({"mediaType": INDEX, "manifests": "x"}, "can't be read", id="list"),
        pytest.param(
            {"mediaType": INDEX, "manifests": [{"digest": "sha256:0"}]}, "malformed digest", id="digest"
        ),
        pytest.param(
            {"mediaType": INDEX, "manifests": [{"digest": "../../x"}]}, "malformed digest", id="path"
        ),
    ],
)
def test_a_malformed_manifest_is_refused(bench: Bench, document: dict[str, Any], words: str) -> None:
    bench.fake.tags("acme/nginx", "1.0")
    bench.fake.manifest("acme/nginx", document, "1.0")
    bench.refused(words)
    assert not (bench.site.folder / "registry").exists()


def test_a_digest_of_the_wrong_shape_in_a_head_is_refused(bench: Bench) -> None:
    bench.fake.image("acme/nginx", "1.0")
    bench.fake.replies["/v2/acme/nginx/manifests/1.0"].headers["Docker-Content-Digest"] = "x"
    bench.refused("malformed digest")


def test_a_tag_that_is_no_image_is_a_note(bench: Bench) -> None:
    bench.fake.image("acme/nginx", "1.0")
    chart = {"mediaType": "application/vnd.cncf.helm.config.v1+json", "digest": digest(1), "size": 1}
    manifest = {"mediaType": "application/vnd.oci.image.manifest.v1+json", "config": chart, "layers": []}
    bench.fake.manifest("acme/nginx", manifest, "0.1.0")
    bench.fake.tags("acme/nginx", "0.1.0", "1.0")
    result = bench.run()
    assert result.exit_code == 0 and "info: docs/images/nginx.md" in result.stderr
    assert bench.labels() == ["1.0"]


def test_referrers_tell_of_signatures_and_attestations_and_are_asked_for_again(bench: Bench) -> None:
    digest_ = bench.fake.image("acme/nginx", "1.0")
    bundle = {"digest": digest(1), "artifactType": "application/vnd.dev.sigstore.bundle.v0.3+json"}
    sbom = {"digest": digest(2), "artifactType": "application/spdx+json"}
    bench.fake.referrers("acme/nginx", digest_, sbom)
    assert bench.run().exit_code == 0
    (version,) = bench.facts("images/nginx")["versions"]
    assert (version["attestations"], version.get("signature")) == (["application/spdx+json"], None)
    predicate = {"dev.sigstore.bundle.predicateType": "https://slsa.dev/provenance/v1"}
    bench.fake.referrers("acme/nginx", digest_, sbom, bundle, bundle | {"annotations": predicate})
    assert bench.run().exit_code == 0
    (version,) = bench.facts("images/nginx")["versions"]
    assert version["signature"] == "cosign"
    assert version["attestations"] == ["application/spdx+json", "https://slsa.dev/provenance/v1"]
    bench.fake.asked.clear()
    assert bench.run().exit_code == 0
    assert bench.fake.asked == ["GET /v2/acme/nginx/tags/list", "HEAD /v2/acme/nginx/manifests/1.0"]


def test_a_repository_that_always_fails_does_not_stop_the_others(bench: Bench) -> None:
    bench.image("redis")
    bench.fake.image("acme/redis", "8.0")
    bench.fake.replies["/v2/acme/nginx/tags/list"] = Reply(status=500)
    bench.refused("500")
    assert bench.labels("redis") == ["8.0"]


@pytest.mark.parametrize("status", [401, 403, 404])
def test_refusals_of_a_whole_repository_lose_nothing(bench: Bench, status: int) -> None:
    bench.fake.image("acme/nginx", "1.0")
    assert bench.run().exit_code == 0
    bench.fake.replies["/v2/acme/nginx/tags/list"] = Reply(status=status)
    bench.refused(f"{status}", "the existing data is kept")
    assert bench.labels() == ["1.0"]
    pruned = bench.run("--prune")
    assert (pruned.exit_code, bench.labels()) == ((0, []) if status == 404 else (1, ["1.0"]))


def test_a_page_needs_no_more_than_its_image(bench: Bench) -> None:
    bench.site.page(
        "images/nginx.md", f"image: {bench.fake.host}/acme/nginx\nversions: {{from: registry, keep: 5}}"
    )
    bench.fake.image("acme/nginx", "1.0")
    assert bench.run().exit_code == 0
    assert bench.labels() == ["1.0"]


def test_a_damaged_file_is_refused_and_stays(bench: Bench) -> None:
    bench.fake.image("acme/nginx", "1.0")
    bench.site.write("registry/images/nginx.json", "{")
    result = bench.run()
    assert result.exit_code == 1 and "error: registry/images/nginx.json" in result.stderr
    assert (bench.site.folder / "registry/images/nginx.json").read_text("utf-8") == "{"


def test_nothing_is_written_through_a_link_out_of_the_project(bench: Bench, tmp_path_factory: Any) -> None:
    outside: Path = tmp_path_factory.mktemp("outside")
    (bench.site.folder / "registry").symlink_to(outside)
    bench.fake.image("acme/nginx", "1.0")
    result = bench.run()
    assert result.exit_code == 1 and "CAT070" in result.stderr
    assert not [*outside.iterdir()]


def test_a_dry_run(bench: Bench) -> None:
    bench.fake.image("acme/nginx", "1.0")
    result = bench.run("--dry-run")
    assert (result.exit_code, result.stdout) == (0, "registry/images/nginx.json: + 1.0\n")
    assert not (bench.site.folder / "registry").exists()
    assert bench.run().exit_code == 0
    assert (bench.site.folder / "registry/images/nginx.json").is_file()


def test_what_was_learned_is_written_although_another_digest_fails(bench: Bench) -> None:
    first, second = (bench.fake.image("acme/nginx", tag) for tag in ("1.0", "2.0"))
    bench.fake.tags("acme/nginx", "1.0", "2.0")
    broken = f"/v2/acme/nginx/manifests/{second}"
    whole = bench.fake.replies.pop(broken)
    bench.refused(second)
    assert bench.labels() == ["1.0"]
    bench.fake.replies[broken] = whole
    bench.fake.asked.clear()
    assert bench.run().exit_code == 0
    assert bench.labels() == ["1.0", "2.0"]
    assert f"GET /v2/acme/nginx/manifests/{first}" not in bench.fake.asked


class CtrlC(threading.Event):
    """The first who waits for it presses Ctrl-C."""

    pressed = False

    def wait(self, timeout: float | None = None) -> bool:
        if not self.pressed:
            self.pressed = True
            signal.raise_signal(signal.SIGINT)
        return super().wait(timeout)


def test_a_run_that_is_stopped_keeps_what_it_has_learned(bench: Bench) -> None:
    digests = [bench.fake.image("acme/nginx", label) for label in ("1.0", "2.0", "3.0")]
    bench.fake.tags("acme/nginx", "1.0", "2.0", "3.0")
    last = bench.fake.replies[f"/v2/acme/nginx/manifests/{digests[-1]}"]
    last.wait = CtrlC()
    bench.limits["whole"] = 1
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        result = bench.run()
    finally:
        signal.signal(signal.SIGINT, handler)
        last.wait.set()
    assert result.exit_code == 1 and "interrupted" in result.stderr
    assert bench.labels() == ["1.0", "2.0"]


def test_a_run_has_an_end(bench: Bench) -> None:
    bench.limits["run"] = -1
    bench.refused("skipped")
    assert bench.fake.asked == []


def test_a_registry_that_is_always_busy_is_left_alone(bench: Bench) -> None:
    for number in range(20):
        bench.image(f"image-{number}")
        bench.fake.replies[f"/v2/acme/image-{number}/tags/list"] = Reply(status=503)
    bench.fake.replies["/v2/acme/nginx/tags/list"] = Reply(status=503)
    result = bench.run("--verbose")
    assert result.exit_code == 1 and "skipped for the same reason: " in result.stderr
    assert len(bench.fake.asked) < 2 * 21


@pytest.mark.parametrize("listening", [True, False])
def test_a_host_that_is_down_is_one_problem_and_the_others_are_asked(bench: Bench, listening: bool) -> None:
    bench.limits["silence"] = 0.2
    bench.fake.image("acme/nginx", "1.0")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        host = f"127.0.0.1:{silent.getsockname()[1] if listening else 1}"
        for number in range(20):
            bench.site.image(f"image-{number}", "versions: registry", image=f"{host}/acme/image-{number}")
        result = bench.run()
    assert result.exit_code == 1
    (line,) = (line for line in result.stderr.splitlines() if line.startswith("error: "))
    assert re.search(
        rf"http://{host}/v2/acme/image-\d+/tags/list: no complete response", line
    )  # whichever was first
    assert "skipped for the same reason: 19 more" in line and "set HTTPS_PROXY" in line
    assert bench.labels() == ["1.0"]


class Turn(threading.Event):
    """Whoever waits for it was let go by somebody else, or not."""

    let_go = False

    def wait(self, timeout: float | None = None) -> bool:
        self.let_go = super().wait(timeout)
        return self.let_go


@pytest.mark.parametrize("path", ["tags/list", "referrers/"])
def test_a_slow_host_does_not_delay_another(bench: Bench, path: str) -> None:
    """The slow host answers when the other one has been asked for everything."""
    turn = Turn()

    class Asked(list[str]):
        def append(self, path: str) -> None:
            super().append(path)
            if "/referrers/" in path:
                turn.set()

    bench.fake.image("acme/nginx", "1.0")
    bench.fake.asked = Asked()
    bench.limits["silence"] = 40
    with FakeRegistry().running() as slow:
        path += slow.image("acme/a", "1.0") if path.endswith("/") else ""
        slow.replies.setdefault(f"/v2/acme/a/{path}", Reply(status=404)).wait = turn
        bench.site.image("a", "versions: registry", image=f"{slow.host}/acme/a")
        if path == "tags/list":
            slow.image("acme/a", "1.0")
            slow.replies[f"/v2/acme/a/{path}"].wait = turn
        bench.run()
    assert turn.let_go
    assert bench.labels("nginx") == ["1.0"]


@pytest.mark.parametrize(
    ("reply", "media_type"),
    [(b"<html>", "text/html"), (b"[]", INDEX), (b"{}", "application/json"), (b"{", INDEX)],
)
def test_referrers_that_are_no_index_mean_that_there_is_no_such_api(
    bench: Bench, reply: bytes, media_type: str
) -> None:
    digest_ = bench.fake.image("acme/nginx", "1.0")
    bench.fake.put(f"/v2/acme/nginx/referrers/{digest_}", reply, media_type)
    result = bench.run()
    assert (result.exit_code, "no problems" in result.stderr) == (0, True), result.output
    assert bench.labels() == ["1.0"]


def part(bench: Bench, os: str = "linux", architecture: str = "amd64", **platform: Any) -> dict[str, Any]:
    """Serve the image of one platform; its entry in an index."""
    values = {"os": os, "architecture": architecture} | platform
    config = digest_of(encoded(values))
    bench.fake.put(f"/v2/acme/nginx/blobs/{config}", values, CONFIG)
    document = {"mediaType": MANIFEST, "config": {"mediaType": CONFIG, "digest": config}, "layers": []}
    described = {"digest": bench.fake.manifest("acme/nginx", document), "mediaType": MANIFEST}
    return described | {"platform": values}


def index(bench: Bench, *entries: dict[str, Any], tag: str = "") -> dict[str, Any]:
    """Serve an index; its entry in another one."""
    document = {"mediaType": INDEX, "manifests": [*entries]}
    return {"digest": bench.fake.manifest("acme/nginx", document, tag), "mediaType": INDEX}


def test_every_manifest_is_kept_by_digest(bench: Bench) -> None:
    old, new = (part(bench, "windows", **{"os.version": f"10.0.{number}"}) for number in (17763, 20348))
    plain, features = part(bench), part(bench, "linux", "amd64", **{"os.features": ["a", "b"]})
    nested = part(bench, architecture="s390x")
    unnamed = part(bench, "unknown", "unknown")
    inner = index(bench, index(bench, index(bench, nested), features))
    index(bench, old, new, plain, inner, unnamed, old, tag="1.0")
    bench.fake.tags("acme/nginx", "1.0")
    result = bench.run()
    assert result.exit_code == 0, result.output
    manifests = [
        ("windows/amd64[10.0.17763]", old["digest"]),
        ("windows/amd64[10.0.20348]", new["digest"]),
        ("linux/amd64", plain["digest"]),
        ("linux/s390x", nested["digest"]),
        ("linux/amd64[a,b]", features["digest"]),
        ("unknown/unknown", unnamed["digest"]),
    ]
    (version,) = bench.facts("images/nginx")["versions"]
    assert [(each["platform"], each["digest"]) for each in version["manifests"]] == manifests
    (published,) = item(built(bench.site), "nginx")["versions"]
    assert [(each["platform"], each["digest"]) for each in published["manifests"]] == manifests
    assert published["platforms"] == ["windows/amd64", "linux/amd64", "linux/s390x"]


def test_an_index_within_too_many_others_is_refused(bench: Bench) -> None:
    entry = part(bench)
    for _ in range(4):
        entry = index(bench, entry)
    index(bench, entry, tag="1.0")
    bench.fake.tags("acme/nginx", "1.0")
    bench.refused("within more than 3 other indexes")


def test_of_tags_that_differ_only_in_case_one_is_listed(bench: Bench) -> None:
    for tag in ("1.0-ALPINE", "1.0-Alpine", "1.0-alpine"):
        bench.fake.image("acme/nginx", tag)
    bench.fake.tags("acme/nginx", "1.0-ALPINE", "1.0-Alpine", "1.0-alpine")
    for _ in range(2):
        result = bench.run()
        assert result.exit_code == 0 and result.stderr.count("warning: ") == 2
        assert "the tag 1.0-Alpine, which differs from 1.0-alpine only in case" in result.stderr
        assert bench.labels() == ["1.0-alpine"]
    bench.image("nginx", "versions: ['1.0-Alpine']")
    assert bench.run().exit_code == 0
    assert bench.labels() == ["1.0-Alpine"]
    assert not bench.site.build().failed


# Digests that a version had before


def night(bench: Bench, day: int, *options: str, content: str = "", tags: tuple[str, ...] = ("1.0",)) -> str:
    """A run on a day of November 2026, after a new build; its digest."""
    digest_ = bench.fake.image("acme/nginx", *tags, labels={"build": content}) if content else ""
    time = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(days=day - 1)
    result = bench.run(*options, env={"SOURCE_DATE_EPOCH": str(int(time.timestamp()))})
    assert result.exit_code == 0, result.output
    return digest_


def former(bench: Bench) -> list[tuple[str, str, str]]:
    entries = bench.facts("images/nginx").get("former", [])
    return [(entry["version"], entry["digest"], entry["until"]) for entry in entries]


def test_each_digest_that_a_version_had_is_kept_with_the_day_of_the_change(bench: Bench) -> None:
    first = night(bench, 1, content="a")
    assert former(bench) == []
    second = night(bench, 2, content="b")
    third = night(bench, 3, content="c")
    assert former(bench) == [("1.0", second, "2026-11-03"), ("1.0", first, "2026-11-02")]
    manifests = [{"platform": "linux/amd64", "digest": second, "size": 5}]
    assert bench.facts("images/nginx")["former"][0]["manifests"] == manifests
    before = bench.facts("images/nginx")
    night(bench, 4)
    assert bench.facts("images/nginx") == before
    assert not bench.site.build().failed
    night(bench, 5, content="b")
    assert former(bench) == [("1.0", third, "2026-11-05"), ("1.0", first, "2026-11-02")], "b is listed again"


def test_a_digest_that_keeps_one_of_its_tags_as_a_version_is_not_former(bench: Bench) -> None:
    first = night(bench, 1, content="a", tags=("1.0", "latest"))
    bench.fake.image("acme/nginx", "1.1", "latest")
    bench.fake.tags("acme/nginx", "1.0", "1.1", "latest")
    night(bench, 2)
    assert (bench.labels(), former(bench)) == (["1.0", "1.1"], [])
    bench.fake.image("acme/nginx", "1.0", "1.0.1")
    bench.fake.tags("acme/nginx", "1.0", "1.0.1", "1.1", "latest")
    night(bench, 3)
    assert (bench.labels(), former(bench)) == (["1.0.1", "1.1"], [("1.0", first, "2026-11-03")])


def test_prune_makes_removed_versions_former_and_forgets_those_of_last_year(bench: Bench) -> None:
    first = night(bench, 1, content="a")
    bench.fake.image("acme/nginx", "2.0")
    night(bench, 2)
    assert former(bench) == [] and bench.facts("images/nginx")["versions"][0]["gone"]
    night(bench, 3, "--prune")
    assert (bench.labels(), former(bench)) == (["2.0"], [("1.0", first, "2026-11-03")])
    night(bench, 3 + 365, "--prune")
    assert len(former(bench)) == 1
    night(bench, 3 + 366)
    assert len(former(bench)) == 1
    change = f"registry/images/nginx.json: - 1.0 of {first}, former since 2026-11-03\n"
    time = datetime(2026, 11, 3, tzinfo=UTC) + timedelta(days=366)
    env = {"SOURCE_DATE_EPOCH": str(int(time.timestamp()))}
    assert bench.run("--prune", "--dry-run", env=env).stdout == change
    assert bench.run("--prune", env=env).exit_code == 0
    assert former(bench) == []
    bench.fake.replies.clear()
    night(bench, 3 + 367, "--prune")
    assert bench.labels() == [] and [version for version, _, _ in former(bench)] == ["2.0"]


def test_at_most_20_former_digests_of_a_version_are_kept() -> None:
    file = RegistryFacts(image="a", versions=())
    for day in range(1, 31):
        versions = tuple(VersionFacts(label, digest(f"{label}-{day}")) for label in ("1.0", "2.0"))
        file = RegistryFacts(
            image="a", versions=versions, former=former_after(file, versions, f"2026-11-{day:02}")
        )
    days = [entry.until for entry in file.former if entry.version == "1.0"]
    assert days == [f"2026-11-{day:02}" for day in range(30, 10, -1)]
    assert len(file.former) == 40


def test_a_long_run_is_announced(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_sync, "_MANY", 5)
    bench.fake.image("acme/nginx", "1.0")
    assert "about 7 requests at most" in bench.run().stderr
    assert "requests at most" not in bench.run().stderr


def test_registries_are_asked_by_https_and_through_proxies(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, f"http://{bench.fake.host}")
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("NO_PROXY", "")
    bench.site.image("nginx", "versions: registry", image="nginx")
    bench.site.image("redis", "versions: registry", image="registry.example.org/redis")
    bench.site.image("caddy", "versions: registry", image="plain.example.org:5000/caddy")
    bench.site.settings["insecure_registries"] = ["plain.example.org:5000"]
    for host in ("charts", "secure.charts"):
        address = f"{'https' if host != 'charts' else 'http'}://{host}.example.org/stable"
        page = f"category: Web\ntier: core\nlicense: MIT\nversions: registry\nchart: {address}"
        bench.site.page(f"charts/{host.replace('.', '-')}.md", page)
    result = bench.run()
    assert (
        result.exit_code == 1
        and "http://charts.example.org/stable/index.yaml: not requested (use https" in result.stderr
    )
    assert {*bench.fake.asked} == {
        "CONNECT registry-1.docker.io:443",
        "CONNECT registry.example.org:443",
        "CONNECT secure.charts.example.org:443",
        "GET http://plain.example.org:5000/v2/caddy/tags/list",
    }


INDEX_YAML = """\
apiVersion: v1
entries:
  nginx:
    - {name: nginx, version: 1.10.0, appVersion: 1.20, digest: %s, created: "2026-11-01T06:00:00.5+01:00",
       annotations: {artifacthub.io/license: MIT}, home: https://nginx.org, sources: [https://nginx.org/git]}
    - {name: nginx, version: 1.9.0}
  other: []
"""


def test_a_classic_chart_repository(bench: Bench) -> None:
    page = f"category: Web\ntier: core\nlicense: MIT\nversions: registry\nchart: http://{bench.fake.host}/charts/"
    bench.site.page("charts/nginx.md", page)
    bench.fake.image("acme/nginx", "1.0")
    sha256 = digest_of(b"").removeprefix("sha256:")
    bench.fake.put("/charts/index.yaml", (INDEX_YAML % sha256).encode())
    assert bench.run().exit_code == 0
    assert bench.facts("charts/nginx")["versions"] == [
        {
            "version": "1.10.0",
            "digest": f"sha256:{sha256}",
            "created": "2026-11-01T05:00:00Z",
            "appVersion": "1.20",
            "home": "https://nginx.org",
            "sources": ["https://nginx.org/git"],
            "annotations": {"artifacthub.io/license": "MIT"},
        },
        {"version": "1.9.0"},
    ]
    bench.fake.put("/charts/index.yaml", b"entries: {nginx: [{version: 1.10.0}]}")
    result = bench.run()
    assert result.exit_code == 0 and "1.9.0" in result.stderr
    assert [version.get("gone") for version in bench.facts("charts/nginx")["versions"]] == [None, True]
    for body in (b"\xff: [", b"entries: {}", b"[" * 100_000):
        bench.fake.put("/charts/index.yaml", body)
        refused = bench.run()
        assert refused.exit_code == 1 and "error: docs/charts/nginx.md" in refused.stderr
    assert len(bench.facts("charts/nginx")["versions"]) == 2
