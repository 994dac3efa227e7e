"""`catalog-api sync` against Debian's registry: what it learns, and what it keeps when things go away."""

from __future__ import annotations

import base64
import http.server
import json
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import requests
from click.testing import CliRunner, Result

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.network.client import Limits

from .programs import need
from .registries import PASSWORD, USER, Registry, behind_tokens, running, with_password
from .servers import serve
from .sites import SiteFolder, built, digest, trivy
from .test_recipes import answered

pytestmark = pytest.mark.slow

SPDX, SLSA = "https://spdx.dev/Document", "https://slsa.dev/provenance/v1"


@dataclass
class Bench:
    """A site whose images are in a registry."""

    site: SiteFolder
    registry: Registry

    def image(self, slug: str, extra: str = "versions: registry", **changes: str) -> None:
        self.site.image(slug, extra, image=f"{self.registry.host}/acme/{slug}", **changes)

    def run(self, *options: str, env: dict[str, str] | None = None) -> Result:
        return sync(self.site, *options, env=env)

    def synced(self, *options: str) -> Any:
        """What a run without an error prints for programs."""
        result = self.run("--json", *options)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    def facts(self, path: str) -> Any:
        return json.loads((self.site.folder / "registry" / f"{path}.json").read_bytes())

    def versions(self, slug: str) -> dict[str, Any]:
        return {version["version"]: version for version in self.facts(f"images/{slug}")["versions"]}


def sync(site: SiteFolder, *options: str, env: dict[str, str] | None = None) -> Result:
    site.write_config()
    limits = Limits(retries=1, sleep=lambda _: None)
    arguments = ["sync", "-f", str(site.folder / "mkdocs.yml"), *options]
    nothing = {
        "DOCKER_CONFIG": str(site.folder / "none"),
        "CATALOG_REGISTRY_USER": "",
        "CATALOG_REGISTRY_TOKEN": "",
    }
    return CliRunner().invoke(main, arguments, obj=limits, env=nothing | (env or {}))


@pytest.fixture
def bench(site: SiteFolder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with running(tmp_path_factory.mktemp("registry")) as registry:
        yield Bench(site, registry)


def test_an_image_with_all_that_a_registry_knows(bench: Bench) -> None:
    bench.image("nginx")
    pushed = bench.registry.index(
        "acme/nginx",
        "a",
        *("1", "1.29", "1.29.3", "latest"),
        predicates=(SPDX, SLSA),
        annotations={"org.opencontainers.image.licenses": "BSD-2-Clause", "other": "x"},
        labels={
            "org.opencontainers.image.licenses": "MIT",
            "org.opencontainers.image.url": "https://nginx.org",
        },
    )
    bench.registry.sign("acme/nginx", pushed["digest"])
    bench.registry.refer("acme/nginx", pushed["digest"], "application/vnd.cyclonedx+json")
    bench.synced()
    assert bench.facts("images/nginx") == {
        "image": f"{bench.registry.host}/acme/nginx",
        "versions": [
            {
                "version": "1.29.3",
                "digest": pushed["digest"],
                "tags": ["1", "1.29", "latest"],
                "manifests": [
                    {"platform": "linux/amd64", "digest": pushed["parts"][0]["digest"], "size": 101},
                    {"platform": "linux/arm64", "digest": pushed["parts"][1]["digest"], "size": 101},
                ],
                "created": "2026-11-01T06:00:00Z",
                "annotations": {
                    "org.opencontainers.image.licenses": "BSD-2-Clause",
                    "org.opencontainers.image.url": "https://nginx.org",
                },
                "attestations": ["application/vnd.cyclonedx+json", SLSA, SPDX],
                "signature": "cosign",
            }
        ],
    }


def test_an_image_for_one_platform_and_a_reproducible_build(bench: Bench) -> None:
    bench.image("arm")
    pushed = bench.registry.part("acme/arm", "x", "linux/arm/v7", "2.0", created="1970-01-01T00:00:00Z")
    bench.synced()
    version = bench.versions("arm")["2.0"]
    assert version["manifests"] == [{"platform": "linux/arm/v7", "digest": pushed["digest"], "size": 101}]
    assert "created" not in version and "signature" not in version


def test_what_skopeo_copies_is_read_in_docker_s_types_too(bench: Bench, tmp_path: Path) -> None:
    need("skopeo")
    bench.image("redis")
    bench.registry.part("acme/source", "x", "linux/amd64", "1.0")
    source, target = (f"docker://{bench.registry.host}/acme/{name}" for name in ("source:1.0", "redis:8.2.1"))
    plain = ["--src-tls-verify=false", "--dest-tls-verify=false"]
    subprocess.run(["skopeo", "copy", "-q", "--format", "v2s2", *plain, source, target], check=True)
    bench.synced()
    version = bench.versions("redis")["8.2.1"]
    assert [part["platform"] for part in version["manifests"]] == ["linux/amd64"]
    assert version["created"] == "2026-11-01T06:00:00Z"


def test_a_chart_says_all_by_its_config(bench: Bench) -> None:
    images = "- name: nginx\n  image: ghcr.io/acme/nginx:1.29.3\n"
    annotations = {"artifacthub.io/images": images, "artifacthub.io/license": "MIT", "other": "x"}
    more = {"home": "https://example.org", "sources": ["https://example.org/git"], "description": "Serves."}
    pushed = bench.registry.chart(
        "charts/nginx", "1.2.0+7", appVersion="1.29.3", annotations=annotations, **more
    )
    chart = f"oci://{bench.registry.host}/charts/nginx"
    bench.site.page(
        "charts/nginx.md", f"category: Web\ntier: core\nlicense: MIT\nchart: {chart}\nversions: registry"
    )
    bench.synced()
    assert bench.facts("charts/nginx") == {
        "chart": chart,
        "versions": [
            {
                "version": "1.2.0+7",
                "digest": pushed["digest"],
                "tags": ["1.2.0_7"],
                "created": "2026-10-31T10:00:00Z",
                "appVersion": "1.29.3",
                "description": "Serves.",
                "home": "https://example.org",
                "sources": ["https://example.org/git"],
                "annotations": {
                    "artifacthub.io/images": images,
                    "artifacthub.io/license": "MIT",
                    "org.opencontainers.image.created": "2026-10-31T10:00:00Z",
                },
            }
        ],
    }


def test_a_run_that_changes_nothing_writes_and_reads_nothing(bench: Bench) -> None:
    bench.image("nginx")
    for number in range(3):
        bench.registry.index("acme/nginx", str(number), f"1.{number}")
    assert bench.synced()["summary"]["changed"] == {"registry/images/nginx.json": ["+ 1.0", "+ 1.1", "+ 1.2"]}
    file = bench.site.folder / "registry/images/nginx.json"
    before = file.read_bytes(), file.stat().st_mtime_ns
    # A list, a digest for each tag, and the question whether there is an API for referrers.
    summary = bench.synced()["summary"]
    assert (summary["changed"], summary["unchanged"], summary["requests"] <= 1 + 3 + 3) == ({}, 1, True)
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


def test_a_tag_that_moved_and_one_that_is_new(bench: Bench) -> None:
    bench.image("nginx")
    first = bench.registry.index("acme/nginx", "a", "1.29", "1.29.3")
    bench.synced()
    second = bench.registry.index("acme/nginx", "b", "1.29", "1.29.4")
    bench.synced()
    versions = bench.versions("nginx")
    assert {label: (version["digest"], version.get("tags")) for label, version in versions.items()} == {
        "1.29.3": (first["digest"], None),
        "1.29.4": (second["digest"], ["1.29"]),
    }


def test_the_same_tag_with_another_digest(bench: Bench) -> None:
    bench.image("nginx")
    first = bench.registry.index("acme/nginx", "a", "1.29")
    bench.synced()
    second = bench.registry.index("acme/nginx", "b", "1.29")
    change = f"~ 1.29, {first['digest']} to {second['digest']}"
    assert bench.synced("--dry-run")["summary"]["changed"] == {"registry/images/nginx.json": [change]}
    assert bench.versions("nginx")["1.29"]["digest"] == first["digest"]
    bench.synced()
    assert bench.versions("nginx")["1.29"]["digest"] == second["digest"]


def test_a_signature_that_came_later(bench: Bench) -> None:
    bench.image("nginx")
    pushed = bench.registry.index("acme/nginx", "a", "1.29.3")
    bench.synced()
    assert "signature" not in bench.versions("nginx")["1.29.3"]
    bench.registry.sign("acme/nginx", pushed["digest"])
    bench.synced()
    assert bench.versions("nginx")["1.29.3"]["signature"] == "cosign"
    assert [*bench.versions("nginx")] == ["1.29.3"]


def test_a_deleted_tag_is_kept_as_gone_until_it_is_pruned(bench: Bench) -> None:
    bench.image("nginx")
    old, _ = (bench.registry.index("acme/nginx", label, label)["digest"] for label in ("1.28.0", "1.29.3"))
    bench.synced()
    bench.registry.delete("acme/nginx", old)
    result = bench.synced()
    assert [(problem["level"], problem["code"]) for problem in result["problems"]] == [("warning", "CAT083")]
    assert "1.28.0" in result["problems"][0]["message"]
    versions = bench.versions("nginx")
    assert (versions["1.28.0"]["gone"], versions["1.28.0"]["digest"]) == (True, old)
    assert "gone" not in versions["1.29.3"]
    bench.registry.index("acme/nginx", "1.28.0", "1.28.0")
    bench.synced()
    assert "gone" not in bench.versions("nginx")["1.28.0"]
    bench.registry.delete("acme/nginx", old)
    assert bench.synced("--prune")["summary"]["changed"] == {"registry/images/nginx.json": ["- 1.28.0"]}
    assert [*bench.versions("nginx")] == ["1.29.3"]


@pytest.mark.parametrize("recorded", [False, True])
def test_three_nights_rebuild_rebuild_and_delete(bench: Bench, recorded: bool) -> None:
    """After each night, what the catalog and the guide's gate answer for each digest: `recorded` days alone
    are enough, too.
    """
    need("curl", "jq")
    bench.image("nginx")
    bench.registry.index("acme/nginx", "d", "1.30.0")
    nights: list[str] = []
    parts: list[list[str]] = []
    answers: list[list[tuple[Any, ...]]] = []
    verdicts: list[list[str]] = []

    def ask(day: str, *options: str) -> None:
        env = {"SOURCE_DATE_EPOCH": day}
        assert bench.run(*options, env=env).exit_code == 0
        config = str(bench.site.folder / "mkdocs.yml")
        if recorded:
            facts = bench.facts("images/nginx")
            bench.site.write("registry/images/nginx.json", json.dumps(facts | {"former": []}))
            result = CliRunner().invoke(main, ["record", "-q", "-f", config], env=env)
            assert result.exit_code == 0, result.output
        gone = {
            "images/nginx": {each for each, facts in bench.versions("nginx").items() if facts.get("gone")}
        }
        published = built(bench.site, gone=gone)
        with serve(published.folder / "site") as port:
            url, today = f"http://127.0.0.1:{port}", datetime.fromtimestamp(int(day), UTC).date().isoformat()
            verdicts.append([])
            for image in (*nights, f"{bench.registry.host}/acme/nginx:1.29.3"):
                for former in ("", "1"):  # days
                    ended = answered("sh", url, image, former=former, today=today)
                    reason = ended.stderr.strip().removeprefix(f"refused: {image}: ")
                    assert ended.returncode == bool(reason)
                    verdicts[-1].append(reason or "allowed")
        answers.append([])
        for night, parts_of in zip(nights, parts, strict=True):
            [entry] = published.json(f"digests/{night.replace(':', '/')}.json")["data"]
            update = entry["upgrade"] or entry["newLine"]
            answers[-1].append((entry["listed"], entry["until"], update["version"], update["digest"]))
            for part in parts_of if not recorded or entry["listed"] else ():
                [of_part] = published.json(f"digests/{part.replace(':', '/')}.json")["data"]
                assert (of_part["listed"], of_part["until"]) == (entry["listed"], entry["until"])

    for day, seed in (("1795262400", "a"), ("1795348800", "b"), ("1795435200", "c")):
        pushed = bench.registry.index("acme/nginx", seed, "1.29", "1.29.3")
        nights.append(pushed["digest"])
        parts.append([part["digest"] for part in pushed["parts"]])
        for part in parts[-1]:
            report = trivy([], digest=f"{bench.registry.host}/acme/nginx@{part}")
            bench.site.report(f"{part[7:]}.json", report)
        ask(day)
    bench.registry.delete("acme/nginx", nights[2])
    ask("1795521600")
    ask("1795608000", "--prune")
    newest = ("1.30.0", bench.versions("nginx")["1.30.0"]["digest"])
    listed = (True, None, *newest)
    a, b = (False, "2026-11-22"), (False, "2026-11-23")
    assert answers == [
        [listed],
        [(*a, "1.29.3", nights[1]), listed],
        [(*a, "1.29.3", nights[2]), (*b, "1.29.3", nights[2]), listed],
        [(*a, *newest), (*b, *newest), listed],
        [(*a, *newest), (*b, *newest), (False, "2026-11-25", *newest)],
    ]
    # A recorded day does not know the parts, and the reports are of these.
    scanned = "not scanned, " if recorded else ""
    first, second, third = (
        [f"{scanned}rebuilt on 2026-11-{day}: update to {{}}", scanned.rstrip(", ") or "allowed"]
        for day in (22, 23, 25)
    )

    def reasons(*told: Sequence[str], update: tuple[str, str] = newest) -> list[str]:
        return [reason.format("@".join(update)) for pair in told for reason in pair]

    allowed, past = ["allowed"] * 2, [first[0]] * 2
    assert verdicts == [
        reasons(allowed, allowed),
        reasons(first, allowed, allowed, update=("1.29.3", nights[1])),
        reasons(first, second, allowed, allowed, update=("1.29.3", nights[2])),
        reasons(past, second, allowed, allowed),
        reasons(past, [second[0]] * 2, third, ["no version has this tag"] * 2),
    ]


def test_an_emptied_repository_loses_nothing(bench: Bench) -> None:
    bench.image("nginx")
    pushed = bench.registry.index("acme/nginx", "a", "1.29.3")["digest"]
    bench.synced()
    before = bench.facts("images/nginx")
    bench.registry.delete("acme/nginx", pushed)
    result = bench.run()
    assert result.exit_code == 1
    assert "CAT083" in result.stderr and f"{bench.registry.host}/acme/nginx" in result.stderr
    assert bench.facts("images/nginx") == before
    bench.synced("--prune")
    assert bench.facts("images/nginx")["versions"] == []


def test_one_unknown_repository_does_not_stop_the_others(bench: Bench) -> None:
    bench.image("nginx")
    bench.image("nothing")
    bench.registry.index("acme/nginx", "a", "1.29.3")
    result = bench.run()
    assert result.exit_code == 1
    assert f"{bench.registry.host}/acme/nothing" in result.stderr and "404 NAME_UNKNOWN" in result.stderr
    assert [*bench.versions("nginx")] == ["1.29.3"]
    assert not (bench.site.folder / "registry/images/nothing.json").exists()


def test_a_registry_that_is_down_loses_nothing(site: SiteFolder, tmp_path: Path) -> None:
    with running(tmp_path) as registry:
        bench = Bench(site, registry)
        bench.image("nginx")
        registry.index("acme/nginx", "a", "1.29.3")
        bench.synced()
    before = bench.facts("images/nginx")
    for option in ("--quiet", "--prune"):
        result = bench.run(option)
        assert result.exit_code == 1 and f"{registry.host}/acme/nginx" in result.stderr
        assert bench.facts("images/nginx") == before


def test_a_part_that_was_deleted_leaves_the_other(bench: Bench) -> None:
    bench.image("nginx")
    pushed = bench.registry.index("acme/nginx", "a", "1.29.3")
    bench.registry.delete("acme/nginx", pushed["parts"][1]["digest"])
    for _ in range(2):
        (problem,) = bench.synced()["problems"]
        assert (problem["level"], problem["code"]) == ("warning", "CAT083")
        assert "linux/arm64" in problem["message"]
    assert [part.get("size") for part in bench.versions("nginx")["1.29.3"]["manifests"]] == [101, None]


def test_only_the_versions_that_a_page_lists(bench: Bench) -> None:
    bench.image("nginx", "versions:\n  - version: 1.29.3\n  - version: 1.27.0")
    for label in ("1.29.3", "1.28.0"):
        bench.registry.index("acme/nginx", label, label)
    problems = bench.synced()["problems"]
    assert [(problem["level"], problem["field"], problem["line"]) for problem in problems] == [
        ("warning", "versions[1]", 8)
    ]
    assert [*bench.versions("nginx")] == ["1.29.3"]


def test_a_page_with_another_digest_is_warned_of(bench: Bench) -> None:
    pushed = bench.registry.index("acme/nginx", "a", "1.29.3", "1.29.2")
    part = pushed["parts"][0]["digest"]
    versions = f"{{version: 1.29.3, digest: '{digest(1)}'}}, {{version: 1.29.2, digest: '{part}'}}"
    bench.image("nginx", f"versions: [{versions}]")
    (problem,) = bench.synced()["problems"]
    assert (problem["code"], problem["field"], problem["file"]) == (
        "CAT084",
        "versions[0].digest",
        "docs/images/nginx.md",
    )
    for word in (digest(1), pushed["digest"], "2026-11-01"):
        assert word in problem["message"]


def test_a_proxy_of_the_environment_is_asked(bench: Bench) -> None:
    """The name of the registry is known to the proxy alone."""
    asked: list[str] = []

    class Proxy(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            path = self.path.removeprefix("http://registry.test")
            with requests.Session() as session:
                session.trust_env = False
                answer = session.request(
                    self.command,
                    f"http://{bench.registry.host}{path}",
                    headers=dict(self.headers),
                    timeout=30,
                )
            self.send_response(answer.status_code)
            for name in {"Content-Type", "Content-Length", "Docker-Content-Digest"} & {*answer.headers}:
                self.send_header(name, answer.headers[name])
            self.end_headers()
            self.wfile.write(answer.content)

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None: ...

    pushed = bench.registry.index("acme/nginx", "a", "1.29.3")
    bench.site.image("nginx", "versions: registry", image="registry.test/acme/nginx")
    bench.site.settings["insecure_registries"] = ["registry.test"]
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        result = bench.run(env={"HTTP_PROXY": address, "http_proxy": address, "NO_PROXY": "", "no_proxy": ""})
        server.shutdown()
    assert result.exit_code == 0, result.output
    assert asked, result.output
    assert all(path.startswith("http://registry.test/v2/acme/nginx/") for path in asked)
    assert bench.versions("nginx")["1.29.3"]["digest"] == pushed["digest"]


def config_file(folder: Path, host: str) -> dict[str, str]:
    folder.mkdir(exist_ok=True)
    auth = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    (folder / "config.json").write_text(json.dumps({"auths": {host: {"auth": auth}}}), "utf-8")
    return {"DOCKER_CONFIG": str(folder)}


def test_a_password_from_docker_s_config_or_the_environment(site: SiteFolder, tmp_path: Path) -> None:
    with with_password(tmp_path) as registry:
        bench = Bench(site, registry)
        bench.image("nginx")
        registry.index("acme/nginx", "a", "1.29.3")
        refused = bench.run()
        assert refused.exit_code == 1 and "access denied, 401" in refused.stderr
        assert not (site.folder / "registry").exists()
        login = {"CATALOG_REGISTRY_USER": USER, "CATALOG_REGISTRY_TOKEN": PASSWORD}
        assert bench.run(env=login).exit_code == 1, "the setting `registry` names another host"
        site.settings["registry"] = f"{registry.host}/acme"
        wrong = bench.run(env=login | {"CATALOG_REGISTRY_TOKEN": "false-secret"})
        assert wrong.exit_code == 1 and "false-secret" not in wrong.output
        for env in (login, config_file(tmp_path / "docker", registry.host)):
            result = bench.run("--verbose", env=env)
            assert result.exit_code == 0, result.output
            facts = (site.folder / "registry/images/nginx.json").read_text("utf-8")
            assert PASSWORD not in result.output + facts
            (site.folder / "registry/images/nginx.json").unlink()


def test_a_token_for_each_repository(site: SiteFolder, tmp_path: Path) -> None:
    scopes: list[str] = []
    with behind_tokens(tmp_path, scopes) as registry:
        bench = Bench(site, registry)
        for slug in ("nginx", "redis"):
            bench.image(slug)
            registry.index(f"acme/{slug}", slug, "1.0")
        refused = bench.run()
        assert refused.exit_code == 1 and "no token, 401" in refused.stderr
        result = bench.run(env=config_file(tmp_path / "docker", registry.host))
        assert result.exit_code == 0, result.output
        assert {*scopes} == {"repository:acme/nginx:pull", "repository:acme/redis:pull"}
        assert [*bench.versions("nginx")] == [*bench.versions("redis")] == ["1.0"]


def test_credentials_of_a_helper(site: SiteFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with with_password(tmp_path) as registry:
        bench = Bench(site, registry)
        bench.image("nginx")
        registry.index("acme/nginx", "a", "1.29.3")
        helper = tmp_path / "docker-credential-test"
        secret = json.dumps({"ServerURL": "x", "Username": USER, "Secret": PASSWORD})
        helper.write_text(f"#!/bin/sh\nread host\n[ $host = {registry.host} ] && echo '{secret}'\n", "utf-8")
        helper.chmod(0o700)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
        (tmp_path / "config.json").write_text(json.dumps({"credHelpers": {registry.host: "test"}}), "utf-8")
        env = {"DOCKER_CONFIG": str(tmp_path)}
        result = bench.run(env=env)
        assert result.exit_code == 0, result.output
        assert [*bench.versions("nginx")] == ["1.29.3"]
        helper.write_text(f"#!/bin/sh\necho {PASSWORD} >&2; exit 3\n", "utf-8")
        broken = bench.run(env=env)
        assert broken.exit_code == 1 and "docker-credential-test failed" in broken.stderr
        assert PASSWORD not in broken.output
