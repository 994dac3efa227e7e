"""Clients that generators make of the API: they check, and read a catalog that has grown since."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .example import EXAMPLE, copy_example
from .test_cli import call

pytestmark = pytest.mark.slow
BIN = Path(sys.executable).parent


def run(folder: Path, *command: str | Path) -> str:
    """What a program prints; the test fails with its words when it fails."""
    # Generators tidy up with programs that stand beside them.
    environment = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's documents."""
    folder = tmp_path_factory.mktemp("example")
    assert call("build", "-q", "-f", EXAMPLE / "mkdocs.yml", "--site-dir", folder).exit_code == 0
    return folder / "api/v1"


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents of the example with one more word in its vocabulary, which an image has."""
    folder = tmp_path_factory.mktemp("grown")
    copy_example(folder)
    settings = folder / "mkdocs.yml"
    text = settings.read_text("utf-8")
    assert "[core, standard, community]" in text
    settings.write_text(text.replace("[core, standard,", "[core, premium, standard,"), "utf-8")
    page = folder / "docs/images/nginx.md"
    lines = [line for line in page.read_text("utf-8").splitlines() if not line.startswith("tier:")]
    page.write_text("\n".join([lines[0], "tier: premium", *lines[1:], ""]), "utf-8")
    assert call("build", "-q", "-f", settings, "--site-dir", folder / "site").exit_code == 0
    return folder / "site/api/v1"


def tiers(api: Path) -> dict[str, Any]:
    return {image["slug"]: image["tier"] for image in json.loads((api / "images.json").read_bytes())["data"]}


def test_openapi_python_client(api: Path, grown: Path, tmp_path: Path) -> None:
    command = (
        "generate",
        "--path",
        api / "openapi.json",
        "--output-path",
        "catalog_client",
        "--meta",
        "none",
    )
    run(tmp_path, BIN / "openapi-python-client", *command)
    client = """\
import json, sys
from catalog_client.models.grade import Grade
from catalog_client.models.image_collection import ImageCollection
from catalog_client.models.security_detail import SecurityDetail

assert {grade.name for grade in Grade} == {"A_PLUS", "A", "B", "C", "D", "F"}
images = ImageCollection.from_dict(json.loads(open(sys.argv[1] + "/images.json").read()))
detail = SecurityDetail.from_dict(json.loads(open(sys.argv[1] + "/security/solr.json").read()))
assert detail.latest.grade is Grade.F, detail.latest.grade
print(json.dumps({image.slug: image.tier for image in images.data}))
"""
    (tmp_path / "read.py").write_text(client, "utf-8")
    # Of the client itself no types are asked for: what its templates write is not free of faults.
    run(tmp_path, sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "read.py")
    for one in (api, grown):
        assert json.loads(run(tmp_path, sys.executable, "read.py", one)) == tiers(one)
    assert tiers(grown)["nginx"] == "premium"


def test_datamodel_codegen(api: Path, grown: Path, tmp_path: Path) -> None:
    run(
        tmp_path,
        *(BIN / "datamodel-codegen", "--input", api / "openapi.json", "--input-file-type", "openapi"),
        *("--output-model-type", "pydantic_v2.BaseModel", "--target-python-version", "3.11"),
        *("--use-annotated", "--output", "catalog.py"),
    )
    client = """\
import json, sys
import catalog

images = catalog.ImageCollection.model_validate_json(open(sys.argv[1] + "/images.json").read())
assert [grade.value for grade in catalog.Grade] == ["A+", "A", "B", "C", "D", "F"]
print(json.dumps({image.slug: image.tier for image in images.data}))
"""
    (tmp_path / "read.py").write_text(client, "utf-8")
    for one in (api, grown):
        assert json.loads(run(tmp_path, sys.executable, "read.py", one)) == tiers(one)
