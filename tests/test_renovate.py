"""Renovate's own code, as npm has it, reads the documents that are made for it."""

from __future__ import annotations

import datetime
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
from .programs import need
from .servers import serve
from .test_cli import call

pytestmark = pytest.mark.slow
PROGRAM = Path(__file__).parent / "clients/renovate.cjs"
UNSTABLE = re.compile("rc|alpha|beta|dev")


class Renovate(NamedTuple):
    """Renovate with the example below an address."""

    folder: Path
    site: str
    images: list[Any]

    def updates(self, asked: list[dict[str, Any]]) -> dict[str, list[Any]]:
        """Slug → updates; each of `asked` has `slug` and `version`, and may have `digest` and `age`."""
        done = subprocess.run(
            ["node", PROGRAM.name, self.site],
            cwd=self.folder,
            input=json.dumps(asked),
            env=os.environ | {"LOG_LEVEL": "fatal"},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert [one["warnings"] for one in found] == [[]] * len(asked)
        return {one["slug"]: one["updates"] for one in found}


@pytest.fixture(scope="module")
def renovate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Renovate]:
    need("node", "npm")
    folder, www = tmp_path_factory.mktemp("renovate"), tmp_path_factory.mktemp("www")
    shutil.copy(PROGRAM, folder)
    install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    subprocess.run([*install, "renovate@39.264.0"], cwd=folder, check=True, timeout=600)
    assert call("build", "-q", "-f", EXAMPLE / "mkdocs.yml", "--site-dir", www / "hardened").exit_code == 0
    data = json.loads((www / "hardened/api/v1/images.json").read_bytes())["data"]
    images = [image for image in data if image["versions"]]
    with serve(www) as port:
        yield Renovate(
            folder, f"http://127.0.0.1:{port}/hardened", [one for one in images if one["versions"]]
        )


def stable(image: Any) -> list[Any]:
    """Versions that are not to be tested only, the newest first."""
    return [one for one in image["versions"] if not UNSTABLE.search(one["version"])]


def comparable(image: Any) -> bool:
    """Whether all versions have as many numbers: Renovate leaves `3` alone when it may become `3.1`."""
    return len({re.sub("[0-9]+", "0", one["version"]) for one in stable(image)}) == 1


def test_the_newest_release_is_found_for_every_image(renovate: Renovate) -> None:
    images = [image for image in renovate.images if comparable(image)]
    assert len(images) >= 40
    asked = []
    for image in images:
        one = {"slug": image["slug"], "version": stable(image)[-1]["version"]}
        # A release with a digest for each platform has none that an update could write.
        pinned = all(len(version["digests"]) == 1 for version in image["versions"])
        asked.append(one | ({"digest": "sha256:" + "0" * 64} if pinned else {}))
    found = renovate.updates(asked)
    several = 0
    for image in images:
        oldest, newest = stable(image)[-1], stable(image)[0]
        updates = {update["newValue"]: update for update in found[image["slug"]]}
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


def test_a_release_that_is_too_young_is_passed_over(renovate: Renovate) -> None:
    today = datetime.datetime.now(datetime.UTC).date()
    asked, wanted = [], {}
    for image in filter(comparable, renovate.images):
        releases = [one for one in stable(image) if one["released"]]
        if len(releases) < 3 or len(releases) < len(stable(image)):
            continue
        ages = [(today - datetime.date.fromisoformat(one["released"])).days for one in releases]
        # Older than the newest release by a day.
        old_enough = [one for one, age in zip(releases[:-1], ages, strict=False) if age > ages[0] + 1]
        if old_enough:
            version = releases[-1]["version"]
            asked.append({"slug": image["slug"], "version": version, "age": f"{ages[0] + 1} days"})
            wanted[image["slug"]] = old_enough[0]["version"]
    assert wanted
    found = renovate.updates(asked)
    settled = {
        slug: [update["newValue"] for update in updates if not update.get("pendingChecks")]
        for slug, updates in found.items()
    }
    for slug, version in wanted.items():
        assert version in settled[slug], (slug, found[slug])
