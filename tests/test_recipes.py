"""The recipes of the guide's client page, run as printed."""

from __future__ import annotations

import json
import os
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
PRINTED = "https://example.org/catalog"


class Served(NamedTuple):
    api: Path
    url: str


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    www = tmp_path_factory.mktemp("www")
    assert call("build", "-q", "-f", EXAMPLE / "mkdocs.yml", "--site-dir", www / "hardened").exit_code == 0
    with serve(www) as port:
        yield Served(www / "hardened/api/v1", f"http://127.0.0.1:{port}/hardened")


def digests(api: Path) -> dict[str, Any]:
    """Digest → its document."""
    documents = [json.loads(path.read_bytes()) for path in (api / "digests/sha256").glob("*.json")]
    return {document["digest"]: document for document in documents}


def refuses(document: Any) -> bool:
    figures = [entry["security"] for entry in document["data"]]
    return any(not one["scanned"] or one["critical"] for one in figures)


def test_the_gate_lets_only_scanned_digests_without_a_critical_one_pass(served: Served) -> None:
    need("bash", "curl", "jq")
    text = block("clients", "gate").replace(PRINTED, served.url)
    (line,) = [line for line in text.splitlines() if line.startswith("DIGEST=")]
    found = digests(served.api)
    unscanned = [one for one in found if not found[one]["data"][0]["security"]["scanned"]]
    critical = [one for one in found if found[one]["data"][0]["security"]["critical"]]
    fine = [one for one in found if not refuses(found[one])]
    for digest in (unscanned[0], critical[0], fine[0], "sha256:" + "0" * 64):
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", text.replace(line, f"DIGEST={digest}")],
            env=os.environ,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (done.returncode == 0) == (digest == fine[0]), (digest, done.stdout, done.stderr)


def test_the_policy_says_the_same(served: Served) -> None:
    regopy = pytest.importorskip("regopy")
    policy = block("clients", "policy/catalog.rego")
    verdicts = set()
    for document in digests(served.api).values():
        rego = regopy.Interpreter()
        rego.add_module("catalog", policy)
        rego.set_input(document)
        (denied,) = json.loads(str(rego.query("data.main.deny")))["expressions"]
        assert bool(denied) == refuses(document), document
        verdicts.add(bool(denied))
    assert verdicts == {True, False}
