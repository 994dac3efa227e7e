"""The API from the outside: clients that other people's tools generate from its OpenAPI document."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import schemathesis

from .programs import need
from .sites import Result

pytestmark = pytest.mark.slow
CLIENTS = Path(__file__).parent / "clients"


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the TypeScript client with the packages that it names."""
    need("node", "npm")
    folder = tmp_path_factory.mktemp("node") / "client"
    shutil.copytree(CLIENTS, folder, ignore=shutil.ignore_patterns("node_modules"))
    run(folder, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
    return folder


def run(folder: Path, *command: str | Path) -> str:
    """What a program prints; the test fails with its words when it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_document_is_clean_under_the_recommended_rules_of_redocly(example: Result, node: Path) -> None:
    shutil.copy(example.api / "openapi.json", node)
    command = [
        "node_modules/.bin/redocly",
        "lint",
        "openapi.json",
        "--format=json",
        "--skip-rule=info-license",
    ]
    report = json.loads(run(node, *command))
    assert report["problems"] == []
    assert report["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}


def test_a_strict_typescript_client(example: Result, online: str, node: Path) -> None:
    openapi = f"{online}/api/v1/openapi.json"
    run(node, "node_modules/.bin/openapi-typescript", openapi, "-o", "catalog.d.ts")
    run(node, "node_modules/.bin/tsc")
    said = json.loads(run(node, "node", "client.js", online))
    images = example.json("images.json")["data"]
    critical = {image["slug"]: image["security"]["critical"] for image in images}
    assert {slug: len(ids) for slug, ids in said["found"].items()} == {
        slug: count for slug, count in critical.items() if count
    }
    assert said["found"]
    assert said["missing"] == 404


def test_schemathesis_accepts_every_document(example: Result, online: str) -> None:
    schema = schemathesis.openapi.from_url(f"{online}/api/v1/openapi.json")
    schema.config.update(base_url=online)
    patterns = [
        (re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path))), path)
        for path in sorted(schema, key=lambda path: path.count("{"))
    ]
    tried = set()
    for file in sorted(file for file in example.api.rglob("*") if file.is_file()):
        address = f"/api/v1/{file.relative_to(example.api).as_posix()}"
        match, path = next(
            (match, path) for pattern, path in patterns if (match := pattern.fullmatch(address))
        )
        response = schema[path]["GET"].Case(path_parameters=match.groupdict()).call_and_validate()
        assert response.status_code == 200
        tried.add(path)
    assert "/api/v1/vex/repository.tar.gz" in tried and not schema.keys() - tried
