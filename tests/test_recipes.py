"""The recipes of the guide's client page, run as printed."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from .bad_server import BadServer, answer
from .example import EXAMPLE
from .guide import block
from .programs import need
from .servers import serve
from .test_cli import call

pytestmark = pytest.mark.slow


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


def gate(shell: str, url: str, digest: str) -> int:
    """Run the block as printed but for the values of its first two lines, which the reader edits."""
    site, wanted, *rest = block("clients", "gate").splitlines()
    assert site.startswith("SITE=") and wanted.startswith("DIGEST=")
    text = "\n".join([f"SITE={url}", f"DIGEST={digest}", *rest, "true", ""])
    command = [shell, "-e", "-c", text]
    return subprocess.run(command, env=os.environ, capture_output=True, timeout=60).returncode


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_the_gate_lets_only_scanned_digests_without_a_critical_one_pass(shell: str, served: Served) -> None:
    need(shell, "curl", "jq")
    documents = digests(served.api)
    unscanned = next(d for d in documents if not documents[d]["data"][0]["security"]["scanned"])
    critical = next(d for d in documents if documents[d]["data"][0]["security"]["critical"])
    fine = next(d for d in documents if not refuses(documents[d]))
    assert gate(shell, served.url, fine) == 0
    for digest in (unscanned, critical, "sha256:" + "0" * 64, "sha512:" + fine[7:], ""):
        assert gate(shell, served.url, digest) == 1, digest


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_the_gate_refuses_when_the_catalog_does_not_answer(shell: str, served: Served) -> None:
    need(shell, "curl", "jq")
    documents = digests(served.api)
    fine, other = [d for d in documents if not refuses(documents[d])][:2]
    path = f"/hardened/api/v1/digests/sha256/{fine.removeprefix('sha256:')}.json"
    right = json.dumps(documents[fine]).encode()
    answers = {
        "500": answer(right, "500 Internal Server Error"),
        "redirect": answer(b"", "302 Found", Location="/"),
        "cut off": answer(right)[:-1],
        "HTML": answer(b"<!doctype html><title>Home</title>"),
        "of another digest": answer(json.dumps(documents[other]).encode()),
        "another document": answer((served.api / "images.json").read_bytes()),
        **{repr(body): answer(body) for body in (b"", b" ", b"{}", b"null", b"[]", b"true", b'"data"')},
    }
    server = BadServer({path: lambda: [answer(right)]})
    with server.running():
        assert gate(shell, f"{server.address}/hardened", fine) == 0
        for name, body in answers.items():
            server.scripts[path] = lambda body=body: [body]  # type: ignore[misc]
            assert gate(shell, f"{server.address}/hardened", fine) == 1, name
    assert gate(shell, f"{server.address}/hardened", fine) == 1, "the host is down"


def denied(document: Any) -> bool:
    regopy = pytest.importorskip("regopy")
    rego = regopy.Interpreter()
    rego.add_module("catalog", block("clients", "policy/catalog.rego"))
    rego.set_input(document)
    (reasons,) = json.loads(str(rego.query("data.main.deny")))["expressions"]
    return bool(reasons)


def test_the_policy_denies_what_the_gate_refuses(served: Served) -> None:
    verdicts = set()
    for document in digests(served.api).values():
        assert denied(document) == refuses(document), document
        verdicts.add(refuses(document))
    assert verdicts == {True, False}


@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        None,
        "data",
        {"data": []},
        {"data": {}},
        {"data": [{}]},
        {"data": [{"security": {"scanned": True}}]},
    ],
    ids=repr,
)
def test_the_policy_denies_what_is_not_the_document_of_a_digest(document: Any) -> None:
    assert denied(document)
