"""The recipes of the guide's client page, run as printed."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from .example import EXAMPLE
from .fake_server import FakeServer, answer
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


def changed(document: Any, **values: Any) -> bytes:
    """The document with other values in its entry, or in the entry's figures if it has them."""
    copy = json.loads(json.dumps(document))
    for name, value in values.items():
        entry = copy["data"][0]
        place = entry["security"] if name in entry["security"] else entry
        if value is GONE:
            del place[name]
        else:
            place[name] = value
    return json.dumps(copy).encode()


GONE = object()
YESTERDAY = (datetime.now(UTC) - timedelta(days=1)).isoformat()[:10]
REFUSED: dict[str, dict[str, Any]] = {
    **{
        f"{name} {value!r}": {name: value}
        for name, values in {
            "scanned": (False, None, GONE),
            "complete": (False, None, GONE),
            "osEndOfLife": (True, GONE),
            "critical": (1, None, GONE),
            "exploited": (1, GONE),
            "lifecycle": ("withdrawn", "planned", "gone", None, GONE),
            "endOfLife": (YESTERDAY, 2030, GONE),
        }.items()
        for value in values
    }
}
AGES = (
    ("3", timedelta(days=4), 1),
    ("3", timedelta(days=2), 0),
    ("3", timedelta(hours=-1), 1),
    ("3", None, 1),
    ("", timedelta(days=4000), 0),
    ("", None, 0),
    ("abc", timedelta(days=2), 1),
    ("'\"7\"'", timedelta(days=2), 1),
    ("null", timedelta(days=2), 1),
)


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
        "of another digest": answer(json.dumps(other).encode()),
        "no entries": answer(json.dumps(document | {"data": []}).encode()),
        "no list": answer(json.dumps(document | {"data": {}}).encode()),
        "another document": answer((served.api / "images.json").read_bytes()),
        **{repr(body): answer(body) for body in (b"", b" ", b"{}", b"null", b"[]", b"true", b'"data"')},
        **{name: answer(changed(document, **values)) for name, values in REFUSED.items()},
    }
    server = FakeServer({path_of(fine): lambda: [answer(right)]})
    with server.running():
        site = f"{server.address}/hardened"
        assert gate(shell, site, fine) == 0
        for name, body in answers.items():
            server.scripts[path_of(fine)] = lambda body=body: [body]  # type: ignore[misc]
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
    server = FakeServer({path: list})
    with server.running():
        for reason, body in answers.items():
            server.scripts[path] = lambda body=body: [body]  # type: ignore[misc]
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


PARTS: list[tuple[str, dict[str, Any], int]] = [
    ("", {}, 1),
    ("any", {}, 0),
    ("linux/amd64", {}, 0),
    ("linux/arm64", {}, 1),
    ("amd64", {}, 1),
    ("any", {"limits": ["only-fixed"]}, 1),
    ("any", {"critical": None, "grade": None}, 0),
    ("any", {"critical": 1}, 1),
    ("any", {"scanned": False}, 1),
    ("any", {"critical": GONE}, 1),
    ("any", {"limits": GONE}, 1),
    ("linux/amd64", {"platformsScanned": GONE}, 1),
]
"""The variable, what is changed in a document that is not complete, whether it is refused."""


@SHELLS
def test_the_gate_admits_what_is_scanned_in_part_only_for_who_says_so(shell: str, served: Served) -> None:
    need(shell, "curl", "jq")
    document = fine_document(served.api)
    fine = document["digest"]
    server = FakeServer({path_of(fine): list})
    with server.running():
        for platform, values, code in PARTS:
            parts = {"complete": False, "platformsScanned": ["linux/amd64"], "limits": []} | values
            body = answer(changed(document, **parts))
            server.scripts[path_of(fine)] = lambda body=body: [body]  # type: ignore[misc]
            ended = answered(shell, f"{server.address}/hardened", fine, "", platform)
            assert ended.returncode == code, (platform, values, ended.stderr)
            if not platform:
                assert ended.stderr == f"refused: {fine}: scanned in part (linux/amd64)\n"


FORMER: list[tuple[str, int | None, int]] = [
    ("", 0, 1),
    ("3", 0, 0),
    ("3", 3, 0),
    ("3", 4, 1),
    ("3", -1, 1),
    ("3", None, 1),
]
"""Days for which a former build is allowed, the days since it was replaced, and whether it is refused."""


def former_document(document: Any, age: int | None) -> Any:
    """The document, as that of a digest that was replaced so many days ago."""
    copy = json.loads(json.dumps(document))
    until = None if age is None else (datetime.now(UTC) - timedelta(days=age)).date().isoformat()
    update = {"version": "2.0", "digest": copy["digest"], "href": "", "fixes": 1, "adds": 0}
    for entry in copy["data"]:
        entry |= {"listed": False, "isLatest": False, "until": until, "upgrade": update}
    return copy


@SHELLS
def test_the_gate_refuses_a_former_build_and_names_its_update(shell: str, served: Served) -> None:
    need(shell, "curl", "jq")
    document = fine_document(served.api)
    fine = document["digest"]
    server = FakeServer({path_of(fine): list})
    with server.running():
        for days, age, code in FORMER:
            former = former_document(document, age)
            body = answer(json.dumps(former).encode())
            server.scripts[path_of(fine)] = lambda body=body: [body]  # type: ignore[misc]
            ended = answered(shell, f"{server.address}/hardened", fine, former=days)
            assert ended.returncode == code, (days, age, ended.stderr)
            until = former["data"][0]["until"]
            reason = f"rebuilt on {until}" if until else "a former build"
            assert code == 0 or ended.stderr == f"refused: {fine}: {reason}: update to 2.0@{fine}\n"


def test_the_policy_denies_a_former_build_and_names_its_update(served: Served) -> None:
    document, policy = fine_document(served.api), block("ci-gate", "policy/catalog.rego")
    for days, age, code in FORMER:
        former = former_document(document, age)
        reasons = denials(
            answer_of(former), policy.replace("former_days := 0", f"former_days := {days or 0}")
        )
        until = former["data"][0]["until"]
        reason = f"rebuilt on {until}: update to 2.0" if until else "a former build"
        assert reasons == [reason] * code, (days, age)
    left = former_document(document, 1)
    for entry in left["data"]:
        entry |= {"upgrade": None, "newLine": {"version": "3.0"}}
    until = left["data"][0]["until"]
    assert denials(answer_of(left)) == [f"rebuilt on {until}: update to 3.0"]


@SHELLS
def test_the_gate_knows_a_limit_for_the_age_of_scans(
    shell: str, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    need(shell, "curl", "jq")
    document = fine_document(served.api)
    fine = document["digest"]
    server = FakeServer({path_of(fine): list})
    with server.running():
        for days, age, code in AGES:
            time = None if age is None else f"{(datetime.now(UTC) - age).isoformat()[:19]}.25Z"
            body = answer(changed(document, scannedAt=time))
            server.scripts[path_of(fine)] = lambda body=body: [body]  # type: ignore[misc]
            assert gate(shell, f"{server.address}/hardened", fine, days) == code, (days, age)
        # jq 1.6 misreads times by an hour where summer time is in force, here all year round.
        monkeypatch.setenv("TZ", "EST5EDT,0/0,J365/25")
        recent = (datetime.now(UTC) - timedelta(minutes=5)).isoformat()[:19] + "Z"
        body = answer(changed(document, scannedAt=recent))
        server.scripts[path_of(fine)] = lambda body=body: [body]  # type: ignore[misc]
        assert gate(shell, f"{server.address}/hardened", fine, "1") == 0


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
    server = FakeServer({path: list})
    with server.running():
        for document, code in (
            (json.loads(entry) | {"image": repository}, 0),
            (json.loads(entry) | {"image": "docker.io/library/other"}, 1),
            (json.loads(changed(json.loads(entry), critical=1)) | {"image": repository}, 1),
            ({"image": repository, "data": []}, 1),
            ({}, 1),
        ):
            body = answer(json.dumps(document).encode())
            server.scripts[path] = lambda body=body: [body]  # type: ignore[misc]
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


def test_the_policy_denies_each_reason_and_old_scans(served: Served) -> None:
    document = fine_document(served.api)
    assert not denials(answer_of(document))
    assert denials(answer_of(document, "sha256:" + "0" * 64)) == ["the answer is about something else"]
    for name, values in REFUSED.items():
        assert denials(answer_of(json.loads(changed(document, **values)))), name
    policy = block("ci-gate", "policy/catalog.rego")
    for platform, values, code in PARTS:
        parts = {"complete": False, "platformsScanned": ["linux/amd64"], "limits": []} | values
        of = policy.replace('platform := ""', f'platform := "{platform}"')
        given = answer_of(json.loads(changed(document, **parts)))
        assert bool(denials(given, of)) == code, (platform, values)
    for days, age, code in AGES:
        if not days or days.isdigit():
            limited = policy.replace("max_age_days := 0", f"max_age_days := {days or 0}")
            time = None if age is None else f"{(datetime.now(UTC) - age).isoformat()[:19]}.25Z"
            given = answer_of(json.loads(changed(document, scannedAt=time)))
            assert bool(denials(given, limited)) == code, (days, age)


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
