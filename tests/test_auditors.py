"""The script of the guide for auditors, as printed: it proves a site, and refuses each kind of forgery."""

from __future__ import annotations

import hashlib
import json
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from mkdocs_catalog_api.history.days import Folder
from mkdocs_catalog_api.history.state import Seen

from .example import EXAMPLE, copy_example
from .guide import block, blocks
from .past import BASE, documents
from .servers import serve
from .test_cli import call
from .test_history_rules import recorded, snapshots
from .test_sign import KEY, private_pem, public_pem

SITE = "https://catalog.example.org/hardened"


class Online(NamedTuple):
    """A signed site below the root of a host, the script and the key."""

    folder: Path
    www: Path

    @property
    def api(self) -> Path:
        return self.www / "hardened/api/v1"

    def read(self, path: str) -> Any:
        return json.loads((self.api / path).read_bytes())

    def write(self, path: str, document: Any) -> None:
        body = json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"
        (self.api / path).write_text(body, "utf-8")

    def sign(self) -> None:
        """List the documents as they are now in the manifest, and sign it."""
        manifest = self.read("manifest.json")
        for path in manifest["documents"]:
            body = (self.api / path).read_bytes()
            manifest["documents"][path] = {"sha256": hashlib.sha256(body).hexdigest(), "bytes": len(body)}
        self.sign_manifest(manifest)

    def sign_manifest(self, manifest: Any) -> None:
        self.write("manifest.json", manifest)
        body = (self.api / "manifest.json").read_bytes()
        signed = b".".join(map(base64, (b'{"alg":"EdDSA"}', body)))
        signature = signed.partition(b".")[0] + b".." + base64(KEY.sign(signed))
        (self.api / "manifest.json.jws").write_bytes(signature)

    def audit(self, *arguments: str, site: str = "", key: str = "public.pem") -> tuple[int, str]:
        """Exit code and output of the script, over HTTP if no other `site` is given."""
        with serve(self.www) as port:
            done = subprocess.run(
                [sys.executable, "audit.py", site or f"http://127.0.0.1:{port}/hardened", key, *arguments],
                cwd=self.folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        return done.returncode, done.stdout


def base64(data: bytes) -> bytes:
    return urlsafe_b64encode(data).rstrip(b"=")


def online(folder: Path, example: Path) -> Online:
    """The example that is built from these sources, signed."""
    built = folder / "www/hardened"
    assert call("build", "-q", "-f", example / "mkdocs.yml", "--site-dir", built).exit_code == 0
    (folder / "audit.py").write_text(block("auditors", "audit.py"), "utf-8")
    (folder / "key.pem").write_bytes(private_pem())
    (folder / "public.pem").write_bytes(public_pem())
    (folder / "other.pem").write_bytes(public_pem(Ed25519PrivateKey.generate()))
    signing = call("sign", "-f", example / "mkdocs.yml", "--site-dir", built, "--key", folder / "key.pem")
    assert signing.exit_code == 0
    return Online(folder, folder / "www")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Online:
    return online(tmp_path_factory.mktemp("audit"), EXAMPLE)


@pytest.fixture
def site(built: Online, tmp_path: Path) -> Online:
    shutil.copytree(built.folder, tmp_path, dirs_exist_ok=True)
    return Online(tmp_path, tmp_path / "www")


def head(site: Online) -> str:
    sha256: str = site.read("history/index.json")["head"]["sha256"]
    return sha256


def last_day(site: Online) -> str:
    return f"changes/{site.read('changes.json')['data'][0]['date']}.json"


@pytest.mark.slow
def test_the_example_is_proved_with_the_output_of_the_guide(built: Online) -> None:
    printed = next(found.text for found in blocks("auditors", "text"))
    commands = [found.text.split() for found in blocks("auditors", "sh")][1:]
    assert [command[:4] for command in commands] == [["python", "audit.py", SITE, "public.pem"]] * 2
    assert [command[4:] for command in commands] == [[], [head(built)]]
    for command in commands:
        assert dateless(built.audit(*command[4:])) == (0, dateless((0, printed))[1])
    folder = built.audit(site="www/hardened")
    assert dateless(folder) == (0, dateless((0, printed))[1])


def dateless(output: tuple[int, str]) -> tuple[int, str]:
    return output[0], re.sub(r"built at \S+", "built at", output[1])


@pytest.mark.slow
def test_the_answer_is_that_of_the_time_to_fix(built: Online) -> None:
    times = built.read("history/index.json")["timeToFix"]
    answer = built.audit()[1]
    for severity in ("critical", "high"):
        assert re.search(rf"^{severity}: \d+ of {times[severity]['days365']['fixed']} fixes ", answer, re.M)


def edit_event(site: Online, path: str) -> Any:
    """A day whose first vulnerability that is gone has another id."""
    day = site.read(path)
    event = next(event for event in day["data"] if event["kind"] == "vulnerability-gone")
    event["id"] = "CVE-2025-0001"
    return day


def sha256_of(day: Any) -> str:
    """The hash of the day's file."""
    head = {name: day[name] for name in ("date", "previous", "figures") if day[name] or name != "figures"}
    lines = [json.dumps(event, ensure_ascii=False, separators=(",", ":")) for event in day["data"]]
    first = json.dumps(head, ensure_ascii=False, separators=(",", ":"))[:-1] + ',"events":['
    return hashlib.sha256("\n".join([first, ",\n".join(lines), "]}\n"]).encode()).hexdigest()


FORGED = "changes/2025-10-10.json"


def replaced_document(site: Online) -> None:
    site.write("security.json", site.read("security.json") | {"total": 0})


def forged_day(site: Online) -> None:
    site.write(FORGED, edit_event(site, FORGED))


def forged_and_signed_day(site: Online) -> None:
    forged_day(site)
    site.sign()


def forged_day_with_its_hash(site: Online) -> None:
    day = edit_event(site, FORGED)
    site.write(FORGED, day | {"sha256": sha256_of(day)})
    site.sign()


def forged_last_day(site: Online) -> None:
    day = site.read(last_day(site))
    day["data"].pop()
    site.write(last_day(site), day | {"sha256": sha256_of(day)})
    site.sign()


def removed_last_day(site: Online) -> None:
    """Of the documents alone."""
    changes = site.read("changes.json")
    manifest = site.read("manifest.json")
    del manifest["documents"][last_day(site)]
    changes["data"].pop(0)
    site.write("changes.json", changes)
    site.write("manifest.json", manifest)
    site.sign()


def hidden_day(site: Online) -> None:
    changes = site.read("changes.json")
    changes["data"].pop(0)
    site.write("changes.json", changes)
    site.sign()


def lacking(path: str) -> Callable[[Online], None]:
    def lack(site: Online) -> None:
        manifest = site.read("manifest.json")
        del manifest["documents"][path]
        site.sign_manifest(manifest)

    return lack


def missing_document(site: Online) -> None:
    (site.api / "images.json").unlink()


def missing_signature(site: Online) -> None:
    (site.api / "manifest.json.jws").unlink()


def other_algorithm(site: Online) -> None:
    signature = (site.api / "manifest.json.jws").read_bytes().partition(b"..")[2]
    (site.api / "manifest.json.jws").write_bytes(base64(b'{"alg":"none"}') + b".." + signature)


def hidden_vulnerability(site: Online) -> None:
    fixes = site.read("fixes.json")
    entry = next(
        entry for entry in fixes["data"] if entry["reason"] is None and entry["severity"] == "CRITICAL"
    )
    fixes["data"].remove(entry)
    site.write("fixes.json", fixes)
    site.sign()


def fix_entry(**changes: Any) -> Callable[[Online], None]:
    def change(site: Online) -> None:
        fixes = site.read("fixes.json")
        fixes["data"][0] |= changes
        site.write("fixes.json", fixes)
        site.sign()

    return change


NEXT = "changes/2025-10-17.json"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("forge", "line"),
    [
        (replaced_document, "security.json: not the document in the manifest"),
        (forged_day, f"{FORGED}: not the document in the manifest"),
        (forged_and_signed_day, f"{FORGED}: the day was edited"),
        (forged_day_with_its_hash, f"{NEXT}: does not follow the day with the hash"),
        (forged_last_day, "history/index.json: `head` is not the last day of the chain"),
        (removed_last_day, "history/index.json: `head` is not the last day of the chain"),
        (hidden_day, "changes/2025-10-31.json: a day that changes.json does not list"),
        (lacking("images/nginx/index.json"), "images/nginx/index.json: not in the manifest, but "),
        (lacking("fixes.json"), "fixes.json: not in the manifest, but index.json links to it"),
        (lacking(FORGED), f"{FORGED}: not in the manifest, but changes"),
        (missing_document, "images.json: can't be read: "),
        (missing_signature, "manifest.json.jws: can't be read: "),
        (other_algorithm, "manifest.json.jws: not a signature of manifest.json with public.pem"),
        (hidden_vulnerability, "fixes.json: CVE-"),
        (fix_entry(fixed="2025-08-15"), "fixes.json: CVE-2025-22874 in caddy: not fixed on 2025-08-15"),
        (fix_entry(reason="rebuilt"), "fixes.json: CVE-2025-22874 in caddy: not fixed on 2025-08-29"),
        (fix_entry(firstSeen="2025-08-22"), "fixes.json: CVE-2025-22874 in caddy: not found on 2025-08-22"),
    ],
)
def test_a_forgery_is_refused_with_one_line(site: Online, forge: Callable[[Online], None], line: str) -> None:
    forge(site)
    code, output = site.audit()
    last = output.splitlines()[-1]
    assert code == 1
    assert last.startswith(f"error: {line}"), output
    assert output.count("error: ") == 1


@pytest.mark.slow
def test_a_wrong_key_is_refused(built: Online) -> None:
    line = "error: manifest.json.jws: not a signature of manifest.json with {}\n"
    for key in ("other.pem", "key.pem", "audit.py", "missing.pem"):
        assert built.audit(key=key) == (1, line.format(key))


@pytest.mark.slow
def test_a_past_that_was_rewritten_is_found_by_a_known_head(built: Online, tmp_path: Path) -> None:
    """The publisher removes the last day, builds and signs: the site alone is in order."""
    copy_example(tmp_path / "example")
    max((tmp_path / "example/history").iterdir()).unlink()
    site = online(tmp_path, tmp_path / "example")
    assert site.audit()[0] == 0
    code, output = site.audit(head(built))
    assert code == 1
    assert f"error: changes.json: no day has the hash {head(built)}" in output
    assert built.audit(head(site))[0] == 0, "a head of an earlier day"


@settings(max_examples=40, deadline=None)
@given(st.lists(snapshots(), min_size=1, max_size=5))
def test_any_history_is_proved(days: list[list[Seen]]) -> None:
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        site = Online(folder, folder / "www")
        recorded(Folder(folder / "history", "history"), days)
        made = dict(documents(Folder(folder / "history", "history")))
        for name, body in made.items():
            (site.api / name).parent.mkdir(parents=True, exist_ok=True)
            (site.api / name).write_bytes(body)
        site.write("manifest.json", {"generatedAt": "", "base": BASE, "documents": dict.fromkeys(made)})
        site.sign()
        (folder / "public.pem").write_bytes(public_pem())
        (folder / "audit.py").write_text(block("auditors", "audit.py"), "utf-8")
        arguments = ["audit.py", f"{folder}/www/hardened", f"{folder}/public.pem"]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", arguments)
            runpy.run_path(f"{folder}/audit.py")
