"""`catalog-api sync` and what tools push to a registry: to Debian's, and quicker to a stand-in."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from .fake_registry import FakeRegistry
from .programs import need
from .registries import Registry, running
from .servers import serve
from .sites import SiteFolder, built, trivy
from .syncing import call, facts, sync, synced
from .test_recipes import gate

slow = pytest.mark.slow
SPDX, SLSA = "https://spdx.dev/Document", "https://slsa.dev/provenance/v1"


@dataclass
class Bench:
    """A site whose images are in a registry."""

    site: SiteFolder
    registry: Registry | FakeRegistry

    def image(self, slug: str) -> None:
        self.site.image(slug, "versions: registry", image=f"{self.registry.host}/acme/{slug}")

    def versions(self, slug: str) -> dict[str, Any]:
        return {version["version"]: version for version in facts(self.site, f"images/{slug}")["versions"]}


@pytest.fixture(params=["fake", pytest.param("real", marks=slow)])
def bench(
    site: SiteFolder, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Bench]:
    is_real = request.param == "real"
    with running(tmp_path_factory.mktemp("registry")) if is_real else FakeRegistry().running() as registry:
        yield Bench(site, registry)


real = pytest.mark.parametrize("bench", [pytest.param("real", marks=slow)], indirect=True)


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
    synced(bench.site)
    assert facts(bench.site, "images/nginx") == {
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
    synced(bench.site)
    version = bench.versions("arm")["2.0"]
    assert version["manifests"] == [{"platform": "linux/arm/v7", "digest": pushed["digest"], "size": 101}]
    assert "created" not in version and "signature" not in version


@real
def test_what_skopeo_copies_is_read_in_docker_s_types_too(bench: Bench, tmp_path: Path) -> None:
    need("skopeo")
    bench.image("redis")
    bench.registry.part("acme/source", "x", "linux/amd64", "1.0")
    source, target = (f"docker://{bench.registry.host}/acme/{name}" for name in ("source:1.0", "redis:8.2.1"))
    plain = ["--src-tls-verify=false", "--dest-tls-verify=false"]
    subprocess.run(["skopeo", "copy", "-q", "--format", "v2s2", *plain, source, target], check=True)
    synced(bench.site)
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
    bench.site.page("charts/nginx.md", f"chart: {chart}\nversions: registry")
    synced(bench.site)
    assert facts(bench.site, "charts/nginx") == {
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


@real
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
        assert sync(bench.site, *options, env=env).exit_code == 0
        if recorded:
            known = facts(bench.site, "images/nginx") | {"former": []}
            bench.site.write("registry/images/nginx.json", json.dumps(known))
            assert call(bench.site, "record", "-q", env=env).exit_code == 0
        gone = {
            "images/nginx": {each for each, known in bench.versions("nginx").items() if known.get("gone")}
        }
        published = built(bench.site, gone=gone)
        with serve(published.folder / "site") as port:
            url, today = f"http://127.0.0.1:{port}", datetime.fromtimestamp(int(day), UTC).date().isoformat()
            verdicts.append([])
            for image in (*nights, f"{bench.registry.host}/acme/nginx:1.29.3"):
                for former in ("", "1"):  # days
                    ended = gate(url, image, former=former, today=today)
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
    assert isinstance(bench.registry, Registry)
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
