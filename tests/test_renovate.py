"""Renovate's own code, as npm has it, reads the documents that are made for it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from .example import EXAMPLE
from .guide import block
from .programs import need
from .servers import serve
from .test_cli import call

pytestmark = pytest.mark.slow
PROGRAM = Path(__file__).parent / "clients/renovate.cjs"
VERSION = re.compile(r"v?[0-9]+(\.[0-9]+)*(-.*)?")
"""The labels that Renovate takes for versions, and not for previews."""
UNSTABLE = re.compile("rc|alpha|beta|dev")


class Renovate(NamedTuple):
    folder: Path
    site: str
    images: list[Any]

    def repository(self, folder: Path, pins: list[str], config: str) -> dict[str, Any]:
        """Slug → what a run of Renovate over a repository says of each image that a Dockerfile pins."""
        subprocess.run(["git", "init", "--quiet", folder], check=True)
        (folder / "Dockerfile").write_text("".join(f"FROM {pin}\n" for pin in pins))
        (folder / "renovate.json5").write_text(config)
        subprocess.run(["git", "-C", folder, "add", "."], check=True)
        report = self.folder / "report.json"
        env = {"PLATFORM": "local", "BASE_DIR": str(self.folder / "base"), "REPORT_TYPE": "file"}
        env = {f"RENOVATE_{key}": value for key, value in (env | {"REPORT_PATH": str(report)}).items()}
        self.run(str(self.folder / "node_modules/renovate/dist/renovate.js"), folder=folder, **env)
        (files,) = json.loads(report.read_bytes())["repositories"]["local"]["packageFiles"]["dockerfile"]
        return {one["depName"].rpartition("/")[2]: one for one in files["deps"]}

    def run(self, *arguments: str, asked: str = "", folder: Path | None = None, **env: str) -> str:
        environment = os.environ | {"LOG_LEVEL": "fatal"} | env
        place = folder or self.folder
        return subprocess.check_output(
            ["node", *arguments], cwd=place, input=asked, env=environment, text=True, timeout=300
        )


@pytest.fixture(scope="module")
def renovate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Renovate]:
    need("node", "npm", "git")
    folder, www = tmp_path_factory.mktemp("renovate"), tmp_path_factory.mktemp("www")
    shutil.copy(PROGRAM, folder)
    install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    subprocess.run([*install, "renovate@39.264.0"], cwd=folder, check=True, timeout=600)
    assert call("build", "-q", "-f", EXAMPLE / "mkdocs.yml", "--site-dir", www / "hardened").exit_code == 0
    data = json.loads((www / "hardened/api/v1/images.json").read_bytes())["data"]
    with serve(www) as port:
        images = [image for image in data if image["versions"]]
        yield Renovate(folder, f"http://127.0.0.1:{port}/hardened", images)


def stable(image: Any) -> list[Any]:
    """Versions that are not to be tested only, the newest first."""
    return [one for one in image["versions"] if not UNSTABLE.search(one["version"])]


def comparable(image: Any) -> bool:
    """Whether all are versions of as many numbers: Renovate leaves `3` alone when it may be `3.1`."""
    labels = [one["version"] for one in stable(image)]
    shapes = {re.sub("[0-9]+", "0", label) for label in labels}
    return all(map(VERSION.fullmatch, labels)) and len(shapes) == 1


def test_the_newest_release_is_found_for_every_image(renovate: Renovate) -> None:
    images = [image for image in renovate.images if comparable(image)]
    assert len(images) >= 40
    asked = []
    for image in images:
        one = {"slug": image["slug"], "version": stable(image)[-1]["version"]}
        # A release with a digest for each platform has none that an update could write.
        pinned = all(len(version["digests"]) == 1 for version in image["versions"])
        asked.append(one | ({"digest": "sha256:" + "0" * 64} if pinned else {}))
    answers = json.loads(renovate.run(PROGRAM.name, renovate.site, asked=json.dumps(asked)))
    assert [one["warnings"] for one in answers] == [[]] * len(asked)
    found = {one["slug"]: {update["newValue"]: update for update in one["updates"]} for one in answers}
    several = 0
    for image in images:
        oldest, newest = stable(image)[-1], stable(image)[0]
        updates = found[image["slug"]]
        if newest is oldest and not updates:
            continue
        wanted = max(updates, key=[one["version"] for one in reversed(stable(image))].index)
        assert wanted == newest["version"], image["slug"]
        if all(len(version["digests"]) == 1 for version in image["versions"]):
            for version in (oldest, newest):
                assert updates[version["version"]]["newDigest"] == version["digest"]
        if newest is not oldest and newest["released"]:
            several += 1
            assert updates[wanted]["releaseTimestamp"] == f"{newest['released']}T00:00:00.000Z"
    assert several > 20


def test_the_recipe_updates_what_is_pinned(renovate: Renovate, tmp_path: Path) -> None:
    images = {image["slug"]: image for image in renovate.images}
    chosen = {slug: images[slug]["versions"] for slug in ("nginx", "minio", "haproxy", "grafana")}
    pins = [f"{images[slug]['image']}:{versions[-1]['version']}" for slug, versions in chosen.items()]
    digests = [f"@{versions[-1]['digest']}" for versions in chosen.values()]
    digests[-1] = ""
    config = block("clients", "renovate.json5").replace("https://example.org/catalog", renovate.site)
    everywhere = config.replace(', "!registry.example.org/hardened/haproxy"', "")
    assert config != everywhere != block("clients", "renovate.json5")
    pinned = [pin + digest for pin, digest in zip(pins, digests, strict=True)]
    found = renovate.repository(tmp_path / "recipe", pinned, config)
    for slug in ("nginx", "minio", "grafana"):
        newest = chosen[slug][0]
        (update,) = found[slug]["updates"]
        assert found[slug]["warnings"] == []
        assert update["newValue"] == newest["version"]
        assert update.get("newDigest") == (None if slug == "grafana" else newest["digest"])
        assert update["releaseTimestamp"] == f"{newest['released']}T00:00:00.000Z"
    said = [warning["message"] for warning in found["haproxy"]["warnings"]]
    assert said == [f"Failed to look up docker package {images['haproxy']['image']}"]

    found = renovate.repository(tmp_path / "everywhere", pinned, everywhere)
    (warning,) = found["haproxy"]["warnings"]
    assert warning["message"].startswith("Could not determine new digest for update")
    assert found["haproxy"]["updates"] == []
    found = renovate.repository(tmp_path / "unpinned", pins, everywhere)
    assert [one["newValue"] for one in found["haproxy"]["updates"]] == [chosen["haproxy"][0]["version"]]


def test_the_guide_names_the_images_that_are_left_to_the_registry(renovate: Renovate) -> None:
    need("jq", "curl")
    command = block("clients", "not to pin").replace("https://example.org/catalog", renovate.site)
    done = subprocess.run(["bash", "-c", command], check=True, capture_output=True, text=True)
    several = {one["slug"] for one in renovate.images if {len(v["digests"]) for v in one["versions"]} != {1}}
    assert "haproxy" in several
    assert set(done.stdout.split()) == several
