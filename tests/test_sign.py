"""The guide's recipes for a signature and for a published site, as printed."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .guide import blocks, script
from .programs import need
from .servers import serve
from .sites import SiteFolder
from .test_build import small

SITE = "https://example.org/catalog/"


def commands(word: str) -> str:
    (found,) = [text for _, title, text in blocks("hosts", "sh") if text.startswith(word) and not title]
    return found


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site that is built and signed with the commands of the page."""
    need("curl", "jq", "openssl", "sha256sum")
    site = SiteFolder(tmp_path_factory.mktemp("signed"))
    assert not small(site).build().failed
    (build, sign) = commands("mkdocs build").splitlines()
    assert build == "mkdocs build --strict"
    subprocess.run(["sh", "-ec", commands("openssl genpkey") + sign], cwd=site.folder, check=True)
    site.write("verify.sh", script("verify.sh"))
    return site.folder


Online = tuple[Path, Callable[..., tuple[int, str]]]


@pytest.fixture
def online(signed: Path, tmp_path: Path) -> Iterator[Online]:
    """The folder of the API on a host, and a function that verifies it."""
    shutil.copytree(signed, tmp_path / "copy")
    with serve(tmp_path / "copy/site") as port:

        def verify(*key: str) -> tuple[int, str]:
            command = ["sh", "verify.sh", f"http://127.0.0.1:{port}/", *key]
            done = subprocess.run(command, cwd=tmp_path / "copy", capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr

        yield tmp_path / "copy/site/api/v1", verify


def test_a_published_site_is_checked_with_and_without_its_key(online: Online) -> None:
    api, verify = online
    manifest = json.loads((api / "manifest.json").read_bytes())
    last = f"{len(manifest['documents'])} documents as built at "
    last += f"{manifest['generatedAt']} for {manifest['base']}\n"
    assert verify() == (0, last)
    assert verify("public.pem") == (0, f"Signature Verified Successfully\n{last}")


def test_a_document_that_is_changed_or_missing_is_named(online: Online) -> None:
    api, verify = online
    (api / "images.json").write_text("{}", "utf-8")
    (api / "images/1.json").unlink()
    status, said = verify()
    assert status != 0
    assert "images.json: FAILED\n" in said and "images/1.json: FAILED open or read\n" in said


def test_another_manifest_or_key_is_no_signature(online: Online) -> None:
    api, verify = online
    subprocess.run(["sh", "-ec", commands("openssl genpkey")], cwd=api.parents[2], check=True)  # a new pair
    assert verify("public.pem")[0] != 0
    assert verify()[0] == 0
    (api / "manifest.json.sig").unlink()
    assert verify("public.pem")[0] != 0


def test_a_manifest_writes_nothing_outside_the_copy(online: Online) -> None:
    api, verify = online
    manifest = json.loads((api / "manifest.json").read_bytes())
    for path in ("../../../escaped", "/escaped", "a/../escaped", "a\nb", 'a"\noutput = "x'):
        for entry in ({path: {"sha256": "0" * 64}}, {"a": {"sha256": f"{'0' * 64}  {path}\n"}}):
            (api / "manifest.json").write_text(json.dumps(manifest | {"documents": entry}), "utf-8")
            status, said = verify()
            assert status != 0 and "not a document: " in said
