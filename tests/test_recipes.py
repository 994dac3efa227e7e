"""The recipes of the guide's client page, run as printed."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import regopy
import yaml

from mkdocs_catalog_api.catalog.verdict import CONCERNS

from .fake_server import FakeServer, Request, answer
from .guide import block, blocks, script
from .programs import need
from .servers import serve
from .sites import REGISTRY, Result, SiteFolder, built, digest, row, trivy

pytestmark = pytest.mark.slow
SITE = "https://example.org/catalog"
NOTHING = "sha256:" + "0" * 64


class Served(NamedTuple):
    api: Path
    url: str
    digests: dict[str, Any]
    """Digest → its document."""
    fine: Any
    """The document of a digest that the gate admits."""


@pytest.fixture(scope="module")
def served(example: Result, online: str) -> Served:
    need("curl", "jq")
    documents = [json.loads(path.read_bytes()) for path in example.api.glob("digests/sha256/*.json")]
    fine = next(each for each in documents if not refuses(each) and not each["data"][0]["concerns"])
    return Served(example.api, online, {document["digest"]: document for document in documents}, fine)


@dataclass
class OneAnswer(FakeServer):
    """A catalog that has one answer, whatever it is asked."""

    body: bytes = b""

    def script(self, request: Request) -> list[bytes]:
        return [self.body]


def refuses(document: Any, platform: str = "linux/amd64") -> bool:
    """Whether the gate as printed refuses the document of a digest, by what its other fields say."""
    today = datetime.now(UTC).date().isoformat()
    return any(
        not entry["listed"]
        or "gone" in entry["concerns"]
        or not entry["security"]["scanned"]
        or entry["limits"]
        or entry["security"]["osEndOfLife"]
        or entry["security"]["critical"]
        or entry["security"]["exploited"]
        or entry["lifecycle"] not in ("available", "deprecated")
        or (entry["endOfLife"] or today) < today
        or (platform not in entry["platformsScanned"] and not entry["security"]["complete"])
        or platform not in (entry["platformsScanned"] or [platform])
        for entry in document["data"]
    )


def run(
    command: str, *arguments: str, folder: Path | None = None, env: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """How a command of a shell ends, and its errors; `env` is added to the environment."""
    ended = subprocess.run(
        ["sh", "-e", "-c", command, "sh", *arguments],
        cwd=folder,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return ended.returncode, ended.stderr


class Edited(NamedTuple):
    """The reader's settings, as printed unless a test changes them."""

    days: str | None = ""
    """`MAX_AGE_DAYS` in the environment, as most of the example is older than the script's own limit."""
    platform: str = "linux/amd64"
    former: str | None = None
    tolerated: str = "deprecated"


PRINTED = Edited()


def gate(url: str, image: str, edited: Edited = PRINTED) -> tuple[int, str]:
    """Run the script as printed but for the values of its first lines, which the reader edits."""
    first, site, *lines, rest = block("ci-gate", "gate.sh").split("\n", 5)
    values = [f"PLATFORM={edited.platform}", f'TOLERATED="{edited.tolerated}"', lines[-1]]
    assert (site[:5], lines == values) == ("SITE=", edited[1::2] == PRINTED[1::2])
    limits = {"MAX_AGE_DAYS": edited.days, "FORMER_DAYS": edited.former}
    given = {name: value for name, value in limits.items() if value is not None}
    return run("\n".join([first, f"SITE={url}", *values, rest, "true", ""]), image, env=given)


def test_the_gate_can_be_read_at_a_glance() -> None:
    assert len(block("ci-gate", "gate.sh").splitlines()) <= 25
    assert len(script("catalog.rego").splitlines()) <= 30


def test_the_gate_admits_and_refuses_what_the_example_publishes(served: Served) -> None:
    digests, fine = served.digests, served.fine["digest"]
    words = {word: digest for digest in digests for word in digests[digest]["data"][0]["concerns"]}
    assert len(words) > 5
    asked = {digest: int(refuses(digests[digest])) for digest in words.values()}
    asked |= dict.fromkeys((NOTHING, "sha512:" + fine[7:], fine[7:], "''", "'$(exit)'"), 1) | {fine: 0}
    seen = {}
    for path in (served.api / "references").glob("*.json"):
        document = json.loads(path.read_bytes())
        for entry in document["data"][:2]:
            seen[refuses({"data": [entry]}), entry["isLatest"]] = f"{document['image']}:{entry['tag']}"
    asked |= {reference: int(refused) for (refused, _), reference in seen.items()}
    asked |= dict.fromkeys((f"{reference}.0.0" for reference in seen.values()), 1)
    asked |= dict.fromkeys(("nginx", "localhost:5000/a:1", f"{seen[False, True]}@{NOTHING}"), 1)
    assert {image: gate(served.url, image)[0] for image in asked} == asked


def test_nearly_all_of_the_example_passes_as_printed(served: Served) -> None:
    """Whatever day it is."""
    newest = [
        digest
        for digest, document in served.digests.items()
        for entry in document["data"]
        if entry["isLatest"] and entry["digest"] == digest and entry["lifecycle"] == "available"
    ]
    passed = [digest for digest in newest if not gate(served.url, digest, Edited(tolerated="end-of-life"))[0]]
    assert len(passed) >= 40


GONE = object()


class Case(NamedTuple):
    """What is changed in a document that is fine, whether that is refused, and the reader's settings."""

    values: dict[str, Any]
    refused: int
    edited: Edited = PRINTED
    reason: str = ""


def cases() -> list[Case]:
    """Those of now."""
    now = datetime.now(UTC)
    yesterday, tomorrow = ((now + timedelta(days=days)).isoformat()[:10] for days in (-1, 1))

    def scanned(age: timedelta | None, days: str | None = "", refused: int = 1) -> Case:
        time = None if age is None else f"{(now - age).isoformat()[:19]}.25Z"
        return Case({"scannedAt": time}, refused, Edited(days=days))

    def in_part(refused: int, platform: str = "linux/amd64", **values: Any) -> Case:
        part = {"concerns": ["scanned-in-part"], "platformsScanned": ["linux/amd64"], "limits": []} | values
        return Case(part, refused, Edited(platform=platform))

    def former(
        age: int | None, days: str | None = None, refused: int = 1, update: str = " 2.0", **more: Any
    ) -> Case:
        """The values of a digest that was replaced so many days ago."""
        until = None if age is None else (now - timedelta(days=age)).date().isoformat()
        upgrade = {"version": "2.0", "digest": "sha256:" + "2" * 64, "href": "", "fixes": 1, "adds": 0}
        values = {
            "concerns": ["former"],
            "listed": False,
            "until": until,
            "upgrade": upgrade,
            "newLine": None,
        }
        return Case(values | more, refused, Edited(former=days), f"former: update to{update}" * refused)

    words = {word: {"concerns": [word], "limits": ["only-fixed"]} for word in (*CONCERNS, "recalled")}
    return [
        Case({}, 0),
        # Each word is refused unless it is tolerated, also one that a later version adds.
        *(Case(values, word != "deprecated", reason=word) for word, values in words.items()),
        *(Case(values, 0, Edited(tolerated=f"x {word}")) for word, values in words.items()),
        Case({"concerns": ["deprecated"]}, 1, Edited(tolerated="")),
        Case({"concerns": ["gone", "critical"]}, 1, Edited(tolerated="critical"), reason="gone"),
        Case({"concerns": ["critical"]}, 1, Edited(tolerated="system-critical critica")),
        *(
            Case({name: value}, 1)
            for name, values in {
                "concerns": (None, GONE, {}, {"a": "deprecated"}, "", "deprecated", [None], [1], [""], [[]]),
                "endOfLife": (yesterday, 2030, GONE, ["9999-01-01"], {}, "", "never", "20270-01-01"),
                "platformsScanned": (["linux/arm64"], ["amd64"], None, GONE, "linux/amd64"),
            }.items()
            for value in values
        ),
        Case({"endOfLife": yesterday}, 0, Edited(tolerated="end-of-life")),
        *(Case({"endOfLife": end}, 0) for end in (None, tomorrow, now.date().isoformat())),
        # The reader's platform is scanned; of others is asked only without one.
        Case({"platformsScanned": []}, 0),
        Case({"platformsScanned": ["linux/arm64"]}, 0, Edited(platform="")),
        in_part(0),
        in_part(1, ""),
        in_part(1, "linux/arm64"),
        in_part(1, "amd64"),
        in_part(1, limits=["only-fixed"]),
        in_part(1, limits=GONE),
        in_part(1, platformsScanned=GONE),
        in_part(1, platformsScanned=[]),
        in_part(1, concerns=["critical", "scanned-in-part"]),
        # A scan may have an age.
        scanned(timedelta(days=4), "3"),
        scanned(timedelta(days=2), "3", 0),
        # In summer time jq 1.6 misreads times by an hour.
        scanned(timedelta(minutes=5), "1", 0),
        scanned(timedelta(hours=-1), "3"),
        scanned(None, "3"),
        scanned(timedelta(days=29), None, 0),
        scanned(timedelta(days=31), None),
        scanned(None, None),
        scanned(timedelta(days=4000), refused=0),
        scanned(None, refused=0),
        *(scanned(timedelta(days=2), wrong) for wrong in ("abc", "'\"7\"'", "null")),
        *(Case({"scannedAt": time}, 1, Edited(days="3")) for time in (GONE, 9e9, "", "now", ["9"], {})),
        # A former build is admitted for some days, and its update is named.
        former(0),
        former(0, "3", 0),
        former(3, "3", 0),
        former(4, "3"),
        former(-1, "3"),
        former(None, "3"),
        former(0, "3", until=GONE),
        former(0, "3", until=["9"]),
        former(1, upgrade=None, newLine={"version": "3.0", "digest": None}, update=" 3.0"),
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


def test_the_gate_decides_by_the_document_and_the_reader_s_settings(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "EST5EDT,0/0,J365/25")  # summer time all year round
    document = served.fine
    with OneAnswer().running() as server:
        for case in cases():
            server.body = encoded(changed(document, **case.values))
            code, told = gate(server.address, document["digest"], case.edited)
            assert code == case.refused, (case, told)
            assert not case.refused or f"refused: {document['digest']}: {case.reason}" in told, case


def test_the_policy_denies_each_reason(served: Served) -> None:
    document, policy = served.fine, script("catalog.rego")
    assert denials(answer_of(document, NOTHING)) == ["the answer is about something else"]
    for case in cases():
        days, platform, former, tolerated = case.edited
        if days in (None, "", "1", "3"):
            limit = 30 if days is None else days or 0
            text = policy.replace("max_age_days := 30", f"max_age_days := {limit}")
            text = text.replace('platform := "linux/amd64"', f'platform := "{platform}"')
            text = text.replace("former_days := 0", f"former_days := {former or 0}")
            text = text.replace(
                '{"deprecated"}', json.dumps(tolerated.split() or "").replace("[", "{").replace("]", "}")
            )
            reasons = denials(answer_of(changed(document, **case.values)), text)
            assert bool(reasons) == case.refused, case
            if case.reason:
                assert not case.refused or reasons == [case.reason.partition(":")[0]]


def test_the_gate_tells_an_unknown_image_from_a_failure(served: Served) -> None:
    document, page = served.fine, b"<!doctype html><title>Home</title>"
    fine, right = document["digest"], json.dumps(document).encode()
    other = next(d for d in served.digests.values() if d["digest"] != fine and not refuses(d))
    invalid = (page, (served.api / "images.json").read_bytes(), b"", b"{}", b"null", b"[]", b'"data"')
    answers = [
        (answer(page, "404 Not Found"), "not in the catalog"),
        (answer(right, "500 Internal Server Error"), "no answer from SITE (HTTP status 500)"),
        (answer(b"", "302 Found", Location="/"), "no answer from SITE (HTTP status 302)"),
        (answer(right)[:-1], "no valid answer from SITE"),
        (answer(page), "no valid answer from SITE"),
        (encoded(other), ""),
        (encoded(document | {"data": []}), ""),
        (encoded(document | {"data": {}}), ""),
        (encoded(document | {"data": {"0": document["data"][0]}}), ""),
        (answer(right + right), "no valid answer from SITE"),
        *((answer(body), "") for body in invalid),
    ]
    with OneAnswer().running() as server:
        for server.body, reason in answers:
            for image in (fine, "registry.example.org/a:1"):
                code, told = gate(server.address, image)
                wanted = f"refused: {image}: {reason.replace('SITE', server.address)}"
                assert (code, wanted in told) == (1, True), (image, server.body)
    _, told = gate(server.address, fine)
    assert f"\nrefused: {fine}: no answer from {server.address} " in told, "the host is down"


def write_gate(folder: Path, site: str) -> None:
    (folder / "gate.sh").write_text(block("ci-gate", "gate.sh").replace(SITE, site, 1))


def test_the_gate_prints_what_the_guide_shows(served: Served, tmp_path: Path) -> None:
    def printed(site: str, command: str) -> str:
        write_gate(tmp_path, site)
        code, told = run(command.removeprefix("$ "), folder=tmp_path)
        assert code == 1
        return told.replace(site, SITE)

    shown = block("ci-gate", "reasons").splitlines()
    for command, reason in zip(shown[::2], shown[1::2], strict=True):
        assert printed(served.url, command) == f"{reason}\n"
    command, reason = block("ci-gate", "no answer").splitlines()
    with OneAnswer(body=answer(b"", "503 Service Unavailable")).running() as server:
        assert printed(server.address, command) == f"{reason}\n"
    for number, images in {0: "", 2: f"{served.fine['digest']} {NOTHING}"}.items():
        assert printed(served.url, f"sh gate.sh {images}") == f"refused: not one image, but {number}\n"


def test_the_gate_for_a_reference_finds_its_document_and_tag(served: Served) -> None:
    entry = changed(served.fine)["data"][0] | {"name": "x" * 1000, "tag": "1.2"}
    worse = changed({"data": [entry]}, concerns=["critical"])["data"]
    with OneAnswer().running() as server:

        def refused(reference: str, image: str, data: Any) -> int:
            server.body = encoded({"image": image, "data": data})
            return gate(server.address, reference)[0]

        for reference, name in {
            "nginx": "docker.io~library~nginx",
            "docker.io/nginx": "docker.io~library~nginx",
            "bitnami/nginx": "docker.io~bitnami~nginx",
            "bitnami/a.b/nginx": "docker.io~bitnami~a.b~nginx",
            "localhost/nginx": "localhost~nginx",
            "localhost:5000/a/nginx": "localhost_5000~a~nginx",
            "registry.example.org/a/nginx": "registry.example.org~a~nginx",
        }.items():
            image = name.replace("~", "/").replace("_", ":")
            assert refused(f"{reference}:1.2", image, [entry]) == 0
            assert server.asked[-1] == f"/api/v1/references/{name}.json"
        assert refused("nginx:1.2", "docker.io/library/other", [entry]) == 1
        assert refused("a.org/b:1.2", "a.org/b", worse) == 1
        assert refused("a.org/b:1.2", "a.org/b", []) == 1
        many = [entry | {"tag": f"1.{number}"} for number in range(500)]
        assert [refused(f"a.org/b:1.{tag}", "a.org/b", many) for tag in (499, 500)] == [0, 1]


@pytest.mark.parametrize("title", [".github/workflows/gate.yml", ".gitlab-ci.yml"])
def test_the_steps_of_a_pipeline_run_the_gate(title: str, served: Served, tmp_path: Path) -> None:
    pipeline = yaml.safe_load(block("ci-gate", title))
    if "gate" in pipeline:
        [step] = pipeline["gate"]["script"]
    else:
        [step] = [step["run"] for step in pipeline["jobs"]["gate"]["steps"] if "run" in step]
    write_gate(tmp_path, served.url)
    printed = step.split()[-1]
    any_age = {"MAX_AGE_DAYS": ""}
    assert run(step, folder=tmp_path, env=any_age)[0] == refuses(served.digests[printed])
    assert run(step, folder=tmp_path)[0] == 1, "the example's scans are old"
    assert run(step.replace(printed, NOTHING), folder=tmp_path, env=any_age)[0] == 1


def own_gate(folder: Path) -> int:
    """How the gate for one's own catalog ends, below the folder of a built site."""
    (text,) = [found.text for found in blocks("ci-gate", "sh") if not found.title]
    return run(text, folder=folder)[0]


UNSCANNED, CLEAN, FLAWED = "nobody scanned", "clean", "critical"


@pytest.mark.parametrize(
    ("images", "passes"),
    [
        ([], False),
        ([UNSCANNED], False),
        ([CLEAN, UNSCANNED], False),
        ([CLEAN, FLAWED], False),
        ([CLEAN], True),
    ],
)
def test_the_gate_for_one_s_own_catalog(site: SiteFolder, images: list[str], passes: bool) -> None:
    need("jq")
    site.page("charts/app.md", "category: Tools")
    for number, state in enumerate(images):
        site.image(f"web{number}", "versions: ['1']")
        rows = [row("CVE-2026-0001", "CRITICAL")] if state == FLAWED else []
        if state != UNSCANNED:
            site.report(f"web{number}/1.json", trivy(rows, tag=f"{REGISTRY}/web{number}:1"))
    built(site)
    assert (own_gate(site.folder) == 0) == passes


def test_scripts_against_a_catalog_that_nobody_scanned(site: SiteFolder, tmp_path: Path) -> None:
    """Nothing is admitted, and every document can be verified."""
    need("curl", "jq", "sha256sum")
    pinned = digest(1)
    site.image("web", f"versions: [{{version: '1', digest: '{pinned}'}}]")
    built(site)
    (tmp_path / "www").mkdir()
    (tmp_path / "www/catalog").symlink_to(site.folder / "site", target_is_directory=True)
    with serve(tmp_path / "www") as port:
        url = f"http://127.0.0.1:{port}/catalog"
        for image in (pinned, f"{REGISTRY}/web:1"):
            assert gate(url, image) == (1, f"refused: {image}: not-scanned\n")
        (tmp_path / "verify.sh").write_text(script("verify.sh"), "utf-8")
        assert run(f"sh verify.sh {url}", folder=tmp_path)[0] == 0
    document = json.loads((site.folder / f"site/api/v1/digests/{pinned.replace(':', '/')}.json").read_bytes())
    assert "not-scanned" in denials(answer_of(document))


def test_the_example_can_be_verified(served: Served, tmp_path: Path) -> None:
    """Names of packages begin with `~` where they have a scope."""
    need("sha256sum")
    assert [*(served.api / "packages/npm").glob("~*")]
    (tmp_path / "verify.sh").write_text(script("verify.sh"), "utf-8")
    assert run(f"sh verify.sh {served.url}", folder=tmp_path) == (0, "")
    assert own_gate(served.api.parents[2]) != 0, "some of its images are not scanned"


def test_backstage_reads_an_entity_for_each_image(served: Served, tmp_path: Path) -> None:
    assert run(block("clients", "backstage").replace(SITE, served.url, 1), folder=tmp_path)[0] == 0
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
    rego = regopy.Interpreter()
    # The example's scans are older than the policy's own limit.
    rego.add_module("catalog", policy or script("catalog.rego").replace(":= 30", ":= 0"))
    rego.set_input(given)
    (reasons,) = json.loads(str(rego.query("data.main.deny")))["expressions"]
    return [*reasons]


def answer_of(document: Any, digest: str = "") -> dict[str, Any]:
    """The input of the policy for this answer."""
    return {"digest": digest or document["digest"], "status": 200, "document": document}


def test_the_policy_denies_what_the_gate_refuses(served: Served) -> None:
    for document in served.digests.values():
        assert bool(denials(answer_of(document))) == refuses(document), document


FINE: dict[str, Any] = {"data": [{"concerns": []}]}
BROKEN: tuple[Any, ...] = ({}, [], None, "data", {"data": []}, {"data": {}}, {"data": [{}]}, FINE)


@pytest.mark.parametrize("document", BROKEN, ids=repr)
def test_the_policy_denies_what_is_not_the_document_of_a_digest(document: Any) -> None:
    assert denials(document), "the input as a whole"
    assert denials(answer_of(document, NOTHING))
    if isinstance(document, dict):
        assert denials(answer_of(document | {"digest": NOTHING}))


def test_the_input_of_the_policy_tells_an_unknown_digest_from_a_failure(
    served: Served, tmp_path: Path
) -> None:
    (tmp_path / "conftest").write_text("#!/bin/sh\n[ \"$*\" = 'test input.json' ]\n")
    (tmp_path / "conftest").chmod(0o755)

    def ended(site: str, digest: str) -> int:
        text = script("policy.sh").replace(SITE, site, 1)
        return run(f"PATH=.:$PATH; set +e; {text}", digest, folder=tmp_path)[0]

    def given() -> Any:
        return json.loads((tmp_path / "input.json").read_bytes())

    document = served.fine
    assert ended(served.url, document["digest"]) == 0 and given() == answer_of(document)
    assert ended(served.url, NOTHING) == 0 and denials(given()) == ["not in the catalog"]
    with OneAnswer(body=answer(b"{}", "500 Internal Server Error")).running() as server:
        assert ended(server.address, NOTHING) == 0
        assert denials(given()) == ["no answer from the catalog"]
        server.body = answer(b"<!doctype html>")
        assert ended(server.address, NOTHING) != 0, "jq can't read it"
        for body in (b"", json.dumps(document).encode() * 2):
            server.body = answer(body)
            assert ended(server.address, document["digest"]) == 0
            assert "the answer is about something else" in denials(given())
    assert ended(server.address, NOTHING) == 0
    assert denials(given()) == ["no answer from the catalog"], "the host is down"
