"""The recipes of the guide's client page, run as printed."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from .fake_server import FakeServer, answer
from .guide import block
from .programs import need
from .sites import Result

pytestmark = pytest.mark.slow


class Served(NamedTuple):
    api: Path
    url: str


@pytest.fixture(scope="module")
def served(example: Result, online: str) -> Served:
    return Served(example.api, online)


def digests(api: Path) -> dict[str, Any]:
    """Digest → its document."""
    documents = [json.loads(path.read_bytes()) for path in (api / "digests/sha256").glob("*.json")]
    return {document["digest"]: document for document in documents}


def refuses(document: Any) -> bool:
    """Whether the rules of the gate refuse the document of a digest; no scan is too old."""
    today = datetime.now(UTC).date().isoformat()
    return any(
        not entry["security"]["scanned"]
        or not entry["security"]["complete"]
        or entry["security"]["osEndOfLife"]
        or entry["security"]["critical"]
        or entry["security"]["exploited"]
        or entry["lifecycle"] not in ("available", "deprecated")
        or (entry["endOfLife"] or today) < today
        for entry in document["data"]
    )


def gate(shell: str, url: str, image: str, days: str = "", platform: str = "", former: str = "") -> int:
    """Run the script as printed but for the values of its first five lines, which the reader edits."""
    return answered(shell, url, image, days, platform, former).returncode


def answered(
    shell: str, url: str, image: str, days: str = "", platform: str = "", former: str = "", today: str = ""
) -> subprocess.CompletedProcess[str]:
    """The same with what it prints; `today` takes the place of the machine's day."""
    site, *edited, rest = block("ci-gate", "gate.sh").split("\n", 5)
    assert (site[:5], *edited) == ("SITE=", "IMAGE=$1", "MAX_AGE_DAYS=", "PLATFORM=", "FORMER_DAYS=")
    values = [f"SITE={url}", f"IMAGE={image}", f"MAX_AGE_DAYS={days}", f"PLATFORM={platform}"]
    values.append(f"FORMER_DAYS={former}")
    clock = [f"date() {{ echo {today}; }}"] if today else []
    text = "\n".join([*clock, *values, rest, "true", ""])
    command = [shell, "-e", "-c", text]
    return subprocess.run(command, env=os.environ, capture_output=True, text=True, timeout=60)


SHELLS = pytest.mark.parametrize("shell", ["sh", "bash"])


def fine_document(api: Path) -> Any:
    return next(document for document in digests(api).values() if not refuses(document))


def path_of(digest: str) -> str:
    return f"/hardened/api/v1/digests/{digest.replace(':', '/')}.json"


@SHELLS
def test_the_gate_admits_and_refuses_what_the_example_publishes(shell: str, served: Served) -> None:
    need(shell, "curl", "jq")
    documents = digests(served.api)
    kinds: dict[str, Callable[[Any], Any]] = {
        "unscanned": lambda entry: not entry["security"]["scanned"],
        "critical": lambda entry: entry["security"]["critical"],
        "system": lambda entry: entry["security"]["osEndOfLife"],
        "withdrawn": lambda entry: entry["lifecycle"] == "withdrawn",
    }
    for kind, is_of in kinds.items():
        digest = next(d for d, document in documents.items() if is_of(document["data"][0]))
        assert gate(shell, served.url, digest) == 1, kind
    fine = fine_document(served.api)["digest"]
    assert gate(shell, served.url, fine) == 0
    for digest in ("sha256:" + "0" * 64, "sha512:" + fine[7:], fine[7:], "''", "'$(exit)'"):
        assert gate(shell, served.url, digest) == 1, digest


GONE = object()


class Case(NamedTuple):
    """What is changed in a document that is fine, whether that is refused, and the reader's settings."""

    values: dict[str, Any]
    refused: int
    days: str = ""
    platform: str = ""
    former: str = ""
    reason: str = ""


def cases() -> list[Case]:
    """Those of now."""
    now = datetime.now(UTC)
    yesterday = (now - timedelta(days=1)).isoformat()[:10]

    def scanned(age: timedelta | None) -> dict[str, Any]:
        return {"scannedAt": None if age is None else f"{(now - age).isoformat()[:19]}.25Z"}

    def in_part(**values: Any) -> dict[str, Any]:
        return {"complete": False, "platformsScanned": ["linux/amd64"], "limits": []} | values

    def former(age: int | None, **upgrade: Any) -> dict[str, Any]:
        """The values of a digest that was replaced so many days ago."""
        until = None if age is None else (now - timedelta(days=age)).date().isoformat()
        update = {"version": "2.0", "digest": "sha256:" + "2" * 64, "href": "", "fixes": 1, "adds": 0}
        return {"listed": False, "isLatest": False, "until": until, "upgrade": update} | upgrade

    def rebuilt(age: int) -> str:
        return f"rebuilt on {(now - timedelta(days=age)).date().isoformat()}: update to"

    return [
        Case({}, 0),
        *(
            Case({name: value}, 1)
            for name, values in {
                "scanned": (False, None, GONE),
                "complete": (False, None, GONE),
                "osEndOfLife": (True, GONE),
                "critical": (1, None, GONE),
                "exploited": (1, GONE),
                "lifecycle": ("withdrawn", "planned", "gone", None, GONE),
                "endOfLife": (yesterday, 2030, GONE),
            }.items()
            for value in values
        ),
        # What is scanned in part is admitted only for who says so.
        Case(in_part(), 1, reason="scanned in part (linux/amd64)"),
        Case(in_part(), 0, platform="any"),
        Case(in_part(), 0, platform="linux/amd64"),
        Case(in_part(), 1, platform="linux/arm64"),
        Case(in_part(), 1, platform="amd64"),
        Case(in_part(limits=["only-fixed"]), 1, platform="any"),
        Case(in_part(critical=None, grade=None), 0, platform="any"),
        Case(in_part(critical=1), 1, platform="any"),
        Case(in_part(scanned=False), 1, platform="any"),
        Case(in_part(critical=GONE), 1, platform="any"),
        Case(in_part(limits=GONE), 1, platform="any"),
        Case(in_part(platformsScanned=GONE), 1, platform="linux/amd64"),
        # A scan may have an age.
        Case(scanned(timedelta(days=4)), 1, days="3"),
        Case(scanned(timedelta(days=2)), 0, days="3"),
        Case(scanned(timedelta(hours=-1)), 1, days="3"),
        Case(scanned(None), 1, days="3"),
        Case(scanned(timedelta(days=4000)), 0),
        Case(scanned(None), 0),
        *(Case(scanned(timedelta(days=2)), 1, days=wrong) for wrong in ("abc", "'\"7\"'", "null")),
        # A former build is admitted for some days, and its update is named.
        Case(former(0), 1, reason=f"{rebuilt(0)} 2.0"),
        Case(former(0), 0, former="3"),
        Case(former(3), 0, former="3"),
        Case(former(4), 1, former="3", reason=f"{rebuilt(4)} 2.0"),
        Case(former(-1), 1, former="3", reason=f"{rebuilt(-1)} 2.0"),
        Case(former(None), 1, former="3", reason="a former build"),
        Case(former(1, upgrade=None, newLine={"version": "3.0"}), 1, reason=f"{rebuilt(1)} 3.0"),
    ]


def changed(document: Any, **values: Any) -> Any:
    """The document with other values in its entry, or in the entry's figures if it has them."""
    copy = json.loads(json.dumps(document))
    for name, value in values.items():
        entry = copy["data"][0]
        place = entry["security"] if name in entry["security"] else entry
        if value is GONE:
            del place[name]
        else:
            place[name] = value
    return copy


def encoded(document: Any) -> bytes:
    return answer(json.dumps(document).encode())


@contextmanager
def answering(path: str) -> Iterator[tuple[FakeServer, Callable[[bytes], None]]]:
    """A server, and how it answers at this path from now on."""
    server = FakeServer({path: list})

    def say(body: bytes) -> None:
        server.scripts[path] = lambda: [body]

    with server.running():
        yield server, say


@SHELLS
def test_the_gate_decides_by_the_document_and_the_reader_s_settings(shell: str, served: Served) -> None:
    need(shell, "curl", "jq")
    document = fine_document(served.api)
    fine = document["digest"]
    with answering(path_of(fine)) as (server, say):
        for case in cases():
            say(encoded(changed(document, **case.values)))
            site = f"{server.address}/hardened"
            ended = answered(shell, site, fine, case.days, case.platform, case.former)
            assert ended.returncode == case.refused, (case, ended.stderr)
            if case.reason:
                assert ended.stderr.startswith(f"refused: {fine}: {case.reason}"), case


@SHELLS
def test_the_age_of_a_scan_is_right_in_summer_time(
    shell: str, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """jq 1.6 misreads times by an hour where summer time is in force, here all year round."""
    need(shell, "curl", "jq")
    monkeypatch.setenv("TZ", "EST5EDT,0/0,J365/25")
    document = fine_document(served.api)
    with answering(path_of(document["digest"])) as (server, say):
        recent = (datetime.now(UTC) - timedelta(minutes=5)).isoformat()[:19] + "Z"
        say(encoded(changed(document, scannedAt=recent)))
        assert gate(shell, f"{server.address}/hardened", document["digest"], "1") == 0


def test_the_policy_denies_each_reason(served: Served) -> None:
    document, policy = fine_document(served.api), block("ci-gate", "policy/catalog.rego")
    assert denials(answer_of(document, "sha256:" + "0" * 64)) == ["the answer is about something else"]
    for case in cases():
        if case.days in ("", "3"):
            text = policy.replace("max_age_days := 0", f"max_age_days := {case.days or 0}")
            text = text.replace('platform := ""', f'platform := "{case.platform}"')
            text = text.replace("former_days := 0", f"former_days := {case.former or 0}")
            reasons = denials(answer_of(changed(document, **case.values)), text)
            assert bool(reasons) == case.refused, case
            if "rebuilt" in case.reason or "former" in case.reason:
                assert reasons == [case.reason]


@SHELLS
def test_the_gate_refuses_when_the_catalog_does_not_answer_for_the_digest(shell: str, served: Served) -> None:
    need(shell, "curl", "jq")
    document = fine_document(served.api)
    fine, right = document["digest"], json.dumps(document).encode()
    other = next(d for d in digests(served.api).values() if d["digest"] != fine and not refuses(d))
    answers = {
        "500": answer(right, "500 Internal Server Error"),
        "redirect": answer(b"", "302 Found", Location="/"),
        "cut off": answer(right)[:-1],
        "HTML": answer(b"<!doctype html><title>Home</title>"),
        "of another digest": encoded(other),
        "no entries": encoded(document | {"data": []}),
        "no list": encoded(document | {"data": {}}),
        "another document": answer((served.api / "images.json").read_bytes()),
        **{repr(body): answer(body) for body in (b"", b" ", b"{}", b"null", b"[]", b"true", b'"data"')},
    }
    with answering(path_of(fine)) as (server, say):
        site = f"{server.address}/hardened"
        for name, body in answers.items():
            say(body)
            assert gate(shell, site, fine) == 1, name
    assert gate(shell, site, fine) == 1, "the host is down"


@SHELLS
@pytest.mark.parametrize("image", ["sha256:" + "0" * 64, "registry.example.org/a:1"])
def test_the_gate_tells_an_unknown_image_from_a_failure(shell: str, image: str) -> None:
    need(shell, "curl", "jq")
    name = "references/registry.example.org~a" if image.startswith("r") else f"digests/{image}"
    path, page = f"/api/v1/{name.replace(':', '/')}.json", b"<!doctype html><title>Error</title>"
    answers = {
        "not in the catalog": answer(page, "404 Not Found"),
        "no answer from SITE (HTTP status 503)": answer(page, "503 Service Unavailable"),
        "no answer from SITE (HTTP status 302)": answer(b"", "302 Found", Location="/"),
        "no answer from SITE": answer(page)[:-1],
        "no valid answer from SITE": answer(page),
    }
    with answering(path) as (server, say):
        for reason, body in answers.items():
            say(body)
            ended = answered(shell, server.address, image)
            wanted = f"refused: {image}: {reason.replace('SITE', server.address)}"
            assert (ended.returncode, ended.stderr.splitlines()[-1]) == (1, wanted)
            assert len(ended.stderr.splitlines()) == (1 if "status" in reason or "not in" in reason else 2)
    ended = answered(shell, server.address, image)
    assert ended.stderr.endswith(f"\nrefused: {image}: no answer from {server.address}\n"), "the host is down"


def test_the_gate_prints_what_the_guide_shows(served: Served, tmp_path: Path) -> None:
    need("sh", "curl", "jq")
    example = "https://example.org/catalog"
    (tmp_path / "gate.sh").write_text(block("ci-gate", "gate.sh").replace(example, served.url, 1))
    shown = block("ci-gate", "reasons").splitlines()
    for command, reason in zip(shown[::2], shown[1::2], strict=True):
        ended = subprocess.run(command[2:].split(), cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert (ended.returncode, ended.stderr) == (1, f"{reason}\n")
    command, reason = block("ci-gate", "no answer").splitlines()
    path = "/api/v1/references/registry.example.org~hardened~nginx.json"
    with FakeServer({path: lambda: [answer(b"", "503 Service Unavailable")]}).running() as server:
        (tmp_path / "gate.sh").write_text(block("ci-gate", "gate.sh").replace(example, server.address, 1))
        ended = subprocess.run(command[2:].split(), cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert (ended.returncode, ended.stderr.replace(server.address, example)) == (1, f"{reason}\n")


@SHELLS
def test_the_gate_for_a_reference_asks_for_its_tag(shell: str, served: Served) -> None:
    need(shell, "curl", "jq")
    images = json.loads((served.api / "images.json").read_bytes())["data"]
    documents = {
        path.name: json.loads(path.read_bytes()) for path in (served.api / "references").glob("*.json")
    }
    assert len(documents) == sum(bool(image["versions"]) for image in images)
    seen = set()
    for document in documents.values():
        for entry in document["data"][:2]:
            refused = refuses({"data": [entry]})
            if (refused, entry["isLatest"]) not in seen:
                seen.add((refused, entry["isLatest"]))
                reference = f"{document['image']}:{entry['tag']}"
                assert gate(shell, served.url, reference) == refused, reference
                assert gate(shell, served.url, f"{reference}.0.0") == 1
    assert {refused for refused, _ in seen} == {True, False}
    for reference in ("nginx", "localhost:5000/a:1", f"{images[0]['image']}@{'sha256:' + '0' * 64}", "''"):
        assert gate(shell, served.url, reference) == 1, reference


@SHELLS
def test_the_gate_for_a_reference_reads_hundreds_of_tags(shell: str, served: Served) -> None:
    need(shell, "curl", "jq")
    entry = {**fine_document(served.api)["data"][0], "name": "x" * 1000}
    path = "/hardened/api/v1/references/registry.example.org~a.json"
    document = {
        "image": "registry.example.org/a",
        "data": [entry | {"tag": f"1.{number}"} for number in range(500)],
    }
    with FakeServer({path: lambda: [answer(json.dumps(document).encode())]}).running() as server:
        for tag, code in (("1.499", 0), ("1.500", 1)):
            reference = f"registry.example.org/a:{tag}"
            assert gate(shell, f"{server.address}/hardened", reference) == code


@SHELLS
@pytest.mark.parametrize("arguments", [[], [""]])
def test_the_gate_refuses_without_an_argument(
    shell: str, arguments: list[str], served: Served, tmp_path: Path
) -> None:
    need(shell, "curl", "jq")
    script = tmp_path / "gate.sh"
    script.write_text(block("ci-gate", "gate.sh").replace("https://example.org/catalog", served.url, 1))
    assert subprocess.run([shell, script, *arguments], capture_output=True, timeout=60).returncode == 1


@SHELLS
@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("nginx:1.2", "docker.io~library~nginx"),
        ("docker.io/nginx:1.2", "docker.io~library~nginx"),
        ("bitnami/nginx:1.2", "docker.io~bitnami~nginx"),
        ("bitnami/a.b/nginx:1.2", "docker.io~bitnami~a.b~nginx"),
        ("localhost/nginx:1.2", "localhost~nginx"),
        ("localhost:5000/a/nginx:1.2", "localhost_5000~a~nginx"),
        ("registry.example.org/a/nginx:1.2", "registry.example.org~a~nginx"),
    ],
)
def test_the_gate_for_a_reference_finds_its_document(
    shell: str, reference: str, name: str, served: Served
) -> None:
    need(shell, "curl", "jq")
    found = next((served.api / "references").glob("*.json")).read_bytes()
    entry = changed(json.loads(found), tag="1.2", scanned=True, complete=True, critical=0, osEndOfLife=None,
                    exploited=None, lifecycle="available", endOfLife=None)  # fmt: skip
    repository = name.replace("~", "/").replace("_", ":")
    path = f"/hardened/api/v1/references/{name}.json"
    with answering(path) as (server, say):
        for document, code in (
            (entry | {"image": repository}, 0),
            (entry | {"image": "docker.io/library/other"}, 1),
            (changed(entry, critical=1) | {"image": repository}, 1),
            ({"image": repository, "data": []}, 1),
            ({}, 1),
        ):
            say(encoded(document))
            assert gate(shell, f"{server.address}/hardened", reference) == code, document


@pytest.mark.parametrize("title", [".github/workflows/gate.yml", ".gitlab-ci.yml"])
def test_the_steps_of_a_pipeline_run_the_gate(title: str, served: Served, tmp_path: Path) -> None:
    need("sh", "curl", "jq")
    pipeline = yaml.safe_load(block("ci-gate", title))
    if "gate" in pipeline:
        [step] = pipeline["gate"]["script"]
    else:
        [step] = [step["run"] for step in pipeline["jobs"]["gate"]["steps"] if "run" in step]
    text = block("ci-gate", "gate.sh").replace("SITE=https://example.org/catalog", f"SITE={served.url}", 1)
    (tmp_path / "gate.sh").write_text(text)
    documents = digests(served.api)
    printed = step.split()[-1]
    command = ["sh", "-e", "-c", step]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60)
    assert ended.returncode == refuses(documents[printed])
    command[-1] = step.replace(printed, "sha256:" + "0" * 64)
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60).returncode == 1


def test_backstage_reads_an_entity_for_each_image(served: Served, tmp_path: Path) -> None:
    need("sh", "curl", "jq")
    text = block("clients", "backstage")
    assert text.splitlines()[0] == "SITE=https://example.org/catalog"
    text = text.replace("https://example.org/catalog", served.url, 1)
    subprocess.run(["sh", "-e", "-c", text], cwd=tmp_path, check=True, timeout=60)
    entities = [*yaml.safe_load_all((tmp_path / "catalog-info.yaml").read_text("utf-8"))]
    images = json.loads((served.api / "images/index.json").read_bytes())["data"]
    assert [entity["metadata"]["name"] for entity in entities] == [image["slug"] for image in images]
    for entity in entities:
        # https://backstage.io/docs/features/software-catalog/descriptor-format/
        assert re.fullmatch(r"[a-zA-Z0-9]([-_.a-zA-Z0-9]{0,61}[a-zA-Z0-9])?", entity["metadata"]["name"])
        assert all(re.fullmatch(r"[a-z0-9:+#]+(-[a-z0-9:+#]+)*", tag) for tag in entity["metadata"]["tags"])
        assert {*entity["spec"]} == {"type", "owner", "lifecycle"}
    host = served.url.removesuffix("/hardened")
    links = [entity["metadata"]["annotations"]["backstage.io/view-url"] for entity in entities]
    assert links == [host + image["url"] for image in images]


def denials(given: Any, policy: str = "") -> list[str]:
    """The reasons for which the policy denies this input."""
    regopy = pytest.importorskip("regopy")
    rego = regopy.Interpreter()
    rego.add_module("catalog", policy or block("ci-gate", "policy/catalog.rego"))
    rego.set_input(given)
    (reasons,) = json.loads(str(rego.query("data.main.deny")))["expressions"]
    return [*reasons]


def answer_of(document: Any, digest: str = "") -> dict[str, Any]:
    """The input of the policy for this answer."""
    return {"digest": digest or document["digest"], "status": 200, "document": document}


def test_the_policy_denies_what_the_gate_refuses(served: Served) -> None:
    verdicts = set()
    for document in digests(served.api).values():
        assert bool(denials(answer_of(document))) == refuses(document), document
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
        {"resource": "digests"},
    ],
    ids=repr,
)
def test_the_policy_denies_what_is_not_the_document_of_a_digest(document: Any) -> None:
    digest = "sha256:" + "0" * 64
    assert denials(document), "the input as a whole"
    assert denials(answer_of(document, digest))
    assert denials(
        answer_of(document | {"digest": digest} if isinstance(document, dict) else document, digest)
    )


def test_the_input_of_the_policy_tells_an_unknown_digest_from_a_failure(
    served: Served, tmp_path: Path
) -> None:
    need("sh", "curl", "jq")
    conftest = tmp_path / "bin/conftest"
    conftest.parent.mkdir()
    conftest.write_text("#!/bin/sh\n[ \"$*\" = 'test input.json' ]\n")
    conftest.chmod(0o755)
    environment = os.environ | {"PATH": f"{conftest.parent}:{os.environ['PATH']}"}

    def run(site: str, digest: str) -> int:
        text = block("ci-gate", "policy.sh").replace("https://example.org/catalog", site, 1)
        command = ["sh", "-c", text, "policy.sh", digest]
        ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=60)
        return ended.returncode

    def given() -> Any:
        return json.loads((tmp_path / "input.json").read_bytes())

    document = fine_document(served.api)
    assert run(served.url, document["digest"]) == 0 and given() == answer_of(document)
    unknown = "sha256:" + "0" * 64
    assert run(served.url, unknown) == 0 and denials(given()) == ["not in the catalog"]
    server = FakeServer({path_of(unknown): lambda: [answer(b"{}", "500 Internal Server Error")]})
    with server.running():
        assert run(f"{server.address}/hardened", unknown) == 0
        assert denials(given()) == ["no answer from the catalog"]
        server.scripts[path_of(unknown)] = lambda: [answer(b"<!doctype html>")]
        assert run(f"{server.address}/hardened", unknown) != 0, "jq can't read it"
    assert run(f"{server.address}/hardened", unknown) == 0
    assert denials(given()) == ["no answer from the catalog"], "the host is down"
