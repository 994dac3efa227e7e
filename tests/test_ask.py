"""catalog.py, the program of the guide that asks a published catalog."""

from __future__ import annotations

import ast
import asyncio
import calendar
import io
import json
import os
import re
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from time import struct_time
from typing import Any, NamedTuple

import pytest

from .example import EXAMPLE
from .fake_server import FakeServer, answer, endless
from .guide import block, blocks
from .servers import serve
from .sites import REGISTRY, Result, SiteFolder, digest, row, trivy

PROGRAM = EXAMPLE / "docs/guide/catalog.py"
LOG4SHELL = "CVE-2021-44228"
INDEX = "/api/v1/index.json"


_SPEC = spec_from_file_location("catalog_program", PROGRAM)
assert _SPEC and _SPEC.loader
_MODULE = module_from_spec(_SPEC)
_SPEC.loader.exec_module(_MODULE)


class Asked(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


class Clock(NamedTuple):
    """What the program asks of the module `time`, at a fixed time."""

    now: float

    def time(self) -> float:
        return self.now

    def gmtime(self, seconds: float | None = None) -> struct_time:
        return time.gmtime(self.now if seconds is None else seconds)

    def strftime(self, form: str, moment: struct_time) -> str:
        return time.strftime(form, moment)


def ask(site: str, *question: str, now: float | None = None) -> Asked:
    """Run the program in process, today or at another time."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "200")
        patch.setattr(_MODULE, "time", time if now is None else Clock(now))
        patch.setattr(sys, "argv", [str(PROGRAM), site, *question])
        for name, stream in zip(("stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        code = _MODULE.main()
    texts = []
    for stream in streams:
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    return Asked(code, *texts)


NGINX = "registry.example.org/hardened/nginx"
QUESTIONS = [
    # question, exit status, words of the answer
    ("summary", 0, "Hardened Images|51 images|known to be exploited|not scanned: external-dns"),
    ("search postgres", 0, "postgresql"),
    ("search fips nginx", 1, "nothing found"),
    ("search s390x coredns", 0, "coredns"),
    ("search", 0, "alertmanager|more: --json prints all"),
    ("image nginx", 0, f"NGINX (image nginx)|{NGINX}|BSD-2-Clause"),
    ("image cert-manager", 0, "cert-manager (image cert-manager)|cosign verify "),
    ("image charts/gitea", 0, "Gitea (chart gitea)|images:|postgresql  16.10"),
    ("image ../../index", 1, "../../index is not listed"),
    ("image \udc9b", 1, "is not listed"),
    ("image ngnix", 1, "not listed|did you mean nginx?"),
    ("vulnerabilities solr", 0, f"grade F|{LOG4SHELL}|2.14.1 → 2.15.0"),
    ("vulnerabilities nginx 1.28.0", 0, "nginx 1.28.0|CVE-2025-9230"),
    ("vulnerabilities redis", 0, "suppressed by a VEX statement|vulnerable_code_not_in_execute_path"),
    ("vulnerabilities charts/gitea", 1, "is a chart|postgresql  16.10"),
    ("vulnerabilities nginx 9.9", 1, "nginx 9.9 is not listed|1.29.3"),
    ("vulnerabilities grafana", 1, "not scanned"),
    (f"who-has {LOG4SHELL}", 0, "solr 8.11.0|versions with a scan"),
    ("who-has CVE-1999-0001", 1, "no scanned version has CVE-1999-0001"),
    (
        f"check {NGINX}:1.28.0",
        1,
        "end-of-life, scan-too-old: nginx 1.28.0|sha256:a2ab7dc1e601|newer line: 1.29.3",
    ),
    (
        f"check {NGINX}:1.28.0 --allow critical,end-of-life,scan-too-old",
        0,
        "end-of-life, scan-too-old: nginx",
    ),
    (f"check {NGINX}:1.28.0 --allow critical,scan-too-old", 1, "end-of-life, scan-too-old: nginx 1.28.0"),
    ("changes", 0, "55 changes on 1 recorded day|2025-10-31  image-added          external-dns"),
    ("changes 2025-10-24", 0, "108 changes on 2 recorded days"),
    ("changes 2999-01-01", 1, "0 changes on 0 recorded days, the last is 2025-10-31"),
    (
        f"check {NGINX.upper()[:20]}{NGINX[20:]}:1.29.3 --max-age any",
        0,
        "listed: nginx 1.29.3, the newest version",
    ),
    ("check nginx:1.27", 1, "not listed|in its place the catalog has: nginx"),
    (f"check {NGINX.replace('nginx', 'ngnix')}:1.29.3", 1, f"not listed|did you mean {NGINX}:1.29.3?"),
    (f"check {NGINX.partition('/')[2]}", 1, f"did you mean {NGINX}?"),
    ("search not-scanned", 0, "external-dns"),
    ("image postgresql", 0, "charts       gitea"),
    (f"check {NGINX}:0.1", 1, "no version 0.1|1.29.3"),
    (f"check sha256:{'0' * 64}", 1, "not listed"),
    ("compare nginx 1.28.0 1.29.3", 0, "1.29.3 fixes 4: 1 high, 2 medium, 1 low|1.29.3 adds 0"),
    ("compare grafana 12.2.1 12.2.0", 1, "both versions need a scan"),
]


@pytest.mark.parametrize(("question", "status", "words"), QUESTIONS, ids=[row[0] for row in QUESTIONS])
def test_a_question_is_answered(online: str, question: str, status: int, words: str) -> None:
    asked = ask(online, *question.split())
    assert (asked.returncode, asked.stderr) == (status, "")
    assert [word for word in words.split("|") if word not in asked.stdout] == []
    no_table = ("  ", "scan ", "verify ")
    rows = [line for line in asked.stdout.splitlines() if "  " in line and not line.startswith(no_table)]
    assert [row for row in rows if len(row) > 80] == []
    as_json = ask(online, *question.split(), "--json")
    assert as_json.returncode == status
    assert json.loads(as_json.stdout)


def test_a_site_at_another_path_than_its_site_url_gives_no_answer(site: SiteFolder) -> None:
    site.image("web", "versions: ['1']")
    with serve(site.build().folder / "site") as port:
        asked = ask(f"http://127.0.0.1:{port}", "check", f"{REGISTRY}/web:1")
    assert asked.returncode == 2
    assert "site_url" in asked.stdout + asked.stderr


def test_a_search_finds_by_each_field_and_the_best_match_first(site: SiteFolder, tmp_path: Path) -> None:
    digest = f"sha256:{'ab12cd34' * 8}"
    site.settings["images"] = {
        "fields": {"port": "integer", "fips": "boolean", "tested": {"type": "text", "list": True}}
    }
    fields = "name: PostgreSQL\ndescription: Relational database\nbase: wolfi\nport: 5432\nfips: true\n"
    fields += "replaces: [docker.io/library/elephant]\ntested: [kind, k3s]\n"
    fields += f"versions: [{{version: '18.1', tags: [stable], digest: '{digest}'}}]"
    site.image("postgresql", fields, category="Databases", license="PostgreSQL")
    site.image("backup", "description: Backs up postgres\nfips: false")
    site.image("postgres-exporter")
    (tmp_path / "catalog").symlink_to(site.build().folder / "site", target_is_directory=True)
    both = ["postgresql", "postgres-exporter", "backup"]
    words = "Relational databases wolfi 5432 fips elephant docker.io/library/elephant 18.1 18 stable"
    words = f"{words} {digest} {digest[:20]} {digest[7:15]}"
    found = dict.fromkeys(words.split(), both[:1]) | {"postgres": both, "MIT": ["backup", both[1]]}
    with serve(tmp_path) as port:
        catalog = f"http://127.0.0.1:{port}/catalog"
        for word, slugs in (found | {"postgres MIT": both[1:]}).items():
            answers = json.loads(ask(catalog, "search", word, "--json").stdout)["data"]
            assert [each["slug"] for each in answers] == slugs, word
        told = ask(catalog, "check", "elephant:1").stdout
        assert "in its place the catalog has: postgresql" in told
        assert "tested       kind, k3s\n" in ask(catalog, "image", "postgresql").stdout


def odd_site(answers: dict[str, bytes]) -> AbstractContextManager[FakeServer]:
    whole = {path: each if each.startswith(b"HTTP/") else answer(each) for path, each in answers.items()}
    return FakeServer({path: partial(list, [each]) for path, each in whole.items()}).running()


DISCOVERY: dict[str, Any] = {
    "apiVersion": "v1",
    "title": "T",
    "resources": {},
    "documents": {"search": "/s.json", "imagesIndex": "/i.json", "chartsIndex": "/c.json"},
    "templates": {"cve": "/cves/{id}.json"},
}


def with_index(**changes: object) -> dict[str, bytes]:
    """A catalog that publishes three empty lists, and a discovery document with these changes."""
    empty = dict.fromkeys(("/s.json", "/i.json", "/c.json"), b'{"data": []}')
    return empty | {INDEX: json.dumps(DISCOVERY | changes).encode()}


def redirect(address: str) -> dict[str, bytes]:
    return {INDEX: answer(b"", "302 Found", Location=address)}


def test_a_check_says_yes_if_nothing_speaks_against_it(site: SiteFolder, tmp_path: Path) -> None:
    images = {
        "safe": ("LOW", "listed"),
        "old": ("LOW", "end-of-life"),
        "unknown": ("", "not-scanned"),
        "flawed": ("CRITICAL", "critical"),
        "gone": ("CRITICAL", "withdrawn, critical"),
    }
    an_hour_ago = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    for number, (slug, (severity, _)) in enumerate(images.items()):
        pinned, end = digest(number), "1999-12-31" if slug == "old" else "2999-12-31"
        lifecycle = "withdrawn" if slug == "gone" else "available"
        version = f"{{version: '1', digest: '{pinned}', endOfLife: {end}}}"
        site.image(slug, f"versions: [{version}]", lifecycle=lifecycle)
        if severity:
            rows = [row("RHSA-2024:1234" if severity == "LOW" else "CVE-2025-1", severity)]
            report = trivy(rows, digest=f"{REGISTRY}/{slug}@{pinned}", created=an_hour_ago)
            site.report(f"{slug}.json", report)
    (tmp_path / "catalog").symlink_to(site.build().folder / "site", target_is_directory=True)
    with serve(tmp_path) as port:
        catalog = f"HTTP://LOCALHOST:{port}/catalog"
        for number, (slug, (_, words)) in enumerate(images.items()):
            for question in (f"{REGISTRY}/{slug}:1", digest(number)):
                asked = ask(catalog, "check", question)
                assert asked.stdout.startswith(f"{words}: {slug} 1, "), question
                assert (asked.returncode, asked.stderr) == (int(words != "listed"), ""), question
        for id_ in ("RHSA-2024:1234", "rhsa-2024:1234", "RHSA-2024-1234", "rhsa-2024-1234"):
            asked = ask(catalog, "who-has", id_)
            assert (asked.returncode, asked.stderr) == (0, "")
            assert {"old 1", "safe 1"} <= {*re.findall(r"\w+ 1\b", asked.stdout)}
            assert "4 versions with a scan, 1 without" in asked.stdout
        for question in ("who-has log4shell", "check sha256:12", "check ???", "changes ever"):
            no_answer(ask(catalog, *question.split()))
        assert "has no recorded days yet" in ask(catalog, "changes").stderr


NONSENSE: dict[str, dict[str, bytes]] = {
    "nothing there": {INDEX: answer(b"", "404 Not Found")},
    "a page": {INDEX: b"<html>Log in</html>"},
    "not HTTP": {INDEX: b"HTTP/9 \x1b[2J\r\n"},
    "an endless header": {INDEX: b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000},
    "an answer that ends early": {INDEX: b'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"apiVersion": "v'},
    "a chunk that ends early": {INDEX: b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n99\r\n{"},
    "a huge document": {INDEX: answer(zlib.compress(bytes(70 << 20), wbits=31), Content_Encoding="gzip")},
    "an index of something else": {INDEX: b'{"apiVersion": "v2"}'},
    "a list": {INDEX: b"[]"},
    "no compressed data": {INDEX: answer(b"{}", Content_Encoding="gzip")},
    "nested too deep": {INDEX: b"[" * 200_000},
    "a redirect to itself": redirect(INDEX),
    "a redirect to another kind of address": redirect("file:///etc/passwd"),
    "a redirect to plain http elsewhere": redirect("http://localhost:1/"),
    "a redirect to a port that is none": redirect("https://127.0.0.1:99999/"),
    "a list of addresses": with_index(documents=[]),
    "an address that is a number": with_index(documents={"search": 1}),
    "documents of another shape": with_index() | {"/s.json": b'{"data": [1]}'},
    "a name that is a number": with_index() | {"/i.json": b'{"data": [{"slug": "nginx", "name": 1}]}'},
    "a number that is none": with_index() | {"/i.json": b'{"data": NaN}'},
    "an address on another host": with_index(documents={"search": "//evil.example/s.json"}),
    "an address with another request": with_index(documents={"search": "/s HTTP/1.1\r\nX: y"}),
}


@pytest.mark.parametrize("answers", NONSENSE.values(), ids=NONSENSE)
def test_what_is_no_catalog_gives_no_answer(answers: dict[str, bytes]) -> None:
    with odd_site(answers) as server:
        no_answer(ask(server.address, "search", "nginx"))


OK = b"HTTP/1.1 200 OK\r\n"
DRIPS = {
    "interim answers": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a header": endless(OK, b"X"),
    "sizes of chunks": endless(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
    "a body": endless(OK + b"\r\n", b" "),
    "a redirect": endless(b"HTTP/1.1 302 Found\r\nLocation: /next\r\n\r\n", b" "),
    "an error": endless(b"HTTP/1.1 500 Error\r\n\r\n", b" "),
}


@pytest.mark.parametrize("script", DRIPS.values(), ids=DRIPS)
def test_an_answer_without_an_end_is_no_answer(
    script: Callable[[], Iterable[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_MODULE, "MAX_SECONDS", 0.5)
    with FakeServer({INDEX: script}, pause=0.01).running() as server:
        no_answer(ask(server.address, "summary"))


@pytest.mark.parametrize(
    ("question", "document"),
    [
        (f"sha256:{'1' * 64}", {"digest": f"sha256:{'2' * 64}", "data": [{}]}),
        ("ghcr.io/acme/nginx:1", {"image": "ghcr.io/acme/redis", "data": [{"tag": "1"}]}),
    ],
)
def test_an_answer_about_something_else_is_no_answer(question: str, document: dict[str, Any]) -> None:
    templates = {"digest": "/answer", "reference": "/answer"}
    with odd_site(with_index(templates=templates) | {"/answer": json.dumps(document).encode()}) as server:
        asked = ask(server.address, "check", question)
    no_answer(asked)
    assert "another format" not in asked.stderr


PACKAGES = {"releasesKnown": 3, "releasesInPart": 1, "releasesUnknown": 2}
PACKAGE = {
    "name": "libssl3", "version": "3.0.17", "purl": "pkg:deb/debian/libssl3@3.0.17", "licenses": [],
    "source": "openssl", "ids": ["CVE-2025-9230"], "fixed": ["3.0.18"],
    "images": [{"slug": "nginx", "versions": ["1.29.3"], "isLatest": True}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("question", "code"),
    {
        "openssl": 0,
        "OpenSSL 3.0.17": 0,
        "openssl 3.0.18": 1,
        "openssl 3.0": 0,
        "openssl 3.0.1": 1,
        "openssl go3.0.17": 0,
        "openssl 0:3.0.17": 0,
        "pkg:DEB/debian/openssl": 0,
        "pkg:pypi/typing_extensions": 0,
        "pkg:npm/only-a-name": 0,
        "pkg:deb/debian/openssl": 0,
        "pkg:deb/debian/openssl@3.0.17?arch=amd64": 0,
        "pkg:apk/alpine/openssl": 1,
        "ssl": 1,
        "log4j": 0,
        "pkg:maven/org.apache/log4j": 0,
        "@babel/core": 0,
        "pkg:npm/%40babel/core@3.0.17": 0,
    }.items(),
)
def test_a_package_is_found_by_name_or_url(question: str, code: int) -> None:
    names = (
        ("deb", "openssl"),
        ("maven", "org.apache:log4j"),
        ("npm", "@babel/core"),
        ("pypi", "typing-extensions"),
        ("", "only-a-name"),
    )
    entries = [{"type": kind, "name": name, "href": "/p.json"} for kind, name in names]
    documents = {"/packages.json": PACKAGES | {"data": entries}, "/p.json": {"data": [PACKAGE]}}
    given = {path: json.dumps(body).encode() for path, body in documents.items()}
    with odd_site(with_index(documents={"packages": "/packages.json"}) | given) as server:
        asked = ask(server.address, "contains", *question.split())
    assert (asked.returncode, asked.stderr) == (code, "")
    known = "contents of 3 versions known, of 1 in part, of 2 unknown"
    assert known in asked.stdout and ("nginx 1.29.3" in asked.stdout) == (not code)
    if code:
        hint = " (did you mean openssl?)" if " " not in question else ""
        versions = "\nlisted are:\n3.0.17\n" if " " in question else "\n"
        assert asked.stdout == f"no version is known to contain {question}: {known}{hint}{versions}"


def test_a_package_without_a_document_is_not_missing() -> None:
    entries = [{"type": "nuget", "name": "a b", "href": None, "images": 2}]
    documents = {"/packages.json": json.dumps(PACKAGES | {"data": entries}).encode()}
    with odd_site(with_index(documents={"packages": "/packages.json"}) | documents) as server:
        no_answer(ask(server.address, "contains", "a b"))


def no_answer(asked: Asked) -> None:
    assert (asked.returncode, asked.stdout) == (2, "")
    assert asked.stderr.startswith("no answer: ") and asked.stderr.count("\n") == 1
    assert "\x1b" not in asked.stderr


def test_an_address_without_a_catalog_gives_no_answer() -> None:
    hosts = (
        "127.0.0.1:9",
        "127.0.0.1:99999",
        "127.0.0.1:http",
        "[",
        "user:word@127.0.0.1:9",
        "127.0.0.1:9?p=1",
    )
    for site in (*(f"http://{host}" for host in hosts), "file:///etc", "catalog", "", "https://\x1b[2J"):
        asked = ask(site, "summary")
        no_answer(asked)
        assert "another format" not in asked.stderr


def test_a_template_is_not_a_format_of_python() -> None:
    """A width would fill the memory."""
    with odd_site(with_index(templates={"image": "/{slug:>9999999999}.json"})) as server:
        asked = ask(server.address, "image", "nginx")
    assert asked.returncode == 2 and "the server answered 403" in asked.stderr


@pytest.mark.parametrize("title", ["\x1b[2J", "\x9b2J", "\u202e", "\r\n", "\ud800", "\x00"])
def test_no_control_character_of_a_catalog_reaches_the_terminal(title: str) -> None:
    document: dict[str, Any] = {"id": "CVE-1", "severity": "HIGH", "title": f"{title}!"}
    document |= {"aliases": [], "data": [], "charts": []}
    document |= {"releasesScanned": 1, "releasesInPart": 0, "releasesUnscanned": 0}
    with odd_site(with_index() | {"/cves/CVE-1.json": json.dumps(document).encode()}) as server:
        asked = ask(server.address, "who-has", "CVE-1")
        as_json = ask(server.address, "who-has", "CVE-1", "--json")
    assert (asked.returncode, asked.stderr) == (1, "")
    assert asked.stdout.startswith("CVE-1 high:  ") and title not in asked.stdout
    assert as_json.stdout.isascii() and json.loads(as_json.stdout)["title"] == f"{title}!"


def test_a_terminal_with_few_characters_gets_the_answer(online: str) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    command = [sys.executable, str(PROGRAM), online, "vulnerabilities", "solr"]
    asked = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert (asked.returncode, asked.stderr) == (0, b"") and LOG4SHELL.encode() in asked.stdout


def test_the_program_is_written_for_python_3_9() -> None:
    ast.parse(PROGRAM.read_text("utf-8"), feature_version=(3, 9))


def test_a_document_is_asked_for_once_and_without_credentials() -> None:
    with odd_site(with_index()) as server:
        assert ask(server.address, "search", "x").returncode == 1
    assert server.asked == [INDEX, "/s.json", "/i.json", "/c.json"]
    assert not any("Authorization:" in head or "Cookie:" in head for head in server.heads)
    assert all("User-Agent: catalog.py/1 (mkdocs-catalog-api)" in head for head in server.heads)


def read(example: Result, path: str) -> Any:
    return json.loads((example.api / path).read_bytes())


def test_an_assistant_is_not_misled(example: Result, online: str) -> None:
    def told(question: str, **given: str) -> Any:
        _, text = _MODULE.ask(online, _MODULE.QUESTIONS[question], given, _MODULE.small)
        assert len(text.encode()) <= 8000
        return json.loads(text)

    images = read(example, "images/index.json")["data"]
    unscanned = read(example, "security.json")["imagesUnscanned"]
    contents = [read(example, f"packages/{kind}/openssl.json") for kind in ("apk", "deb")]
    # Names of all, however long the entries are.
    with_openssl = {image["slug"] for each in contents for row in each["data"] for image in row["images"]}
    assert {*told("contains", package="openssl")["slugs"]} == with_openssl
    on_arm = {each["slug"] for each in images if "linux/arm64" in each["platforms"]}
    assert {*told("search", words="linux/arm64")["slugs"]} == on_arm
    assert len(told("who-has", vulnerability="CVE-2025-9230")["data"]) == 12
    # By the names and words of people.
    assert "solr" in told("contains", package="log4j-core")["slugs"]
    assert told("search", words="not-scanned")["slugs"] == unscanned
    # What is known in place of a no.
    assert told("contains", package="openssl", version="3.5.4")["yes"]
    assert "3.5.4-r0" in told("contains", package="openssl", version="9")["known"]
    week = told("changes", since="2999-01-01")
    assert (week["yes"], week["lastRecordedDay"]) == (False, "2025-10-31")
    assert told("image", name="postgresql")["charts"] == ["gitea", "keycloak", "postgresql"]
    refused = told("check", reference="registry.example.org/hardened/solr:8.11.0")
    assert refused["reason"].startswith("withdrawn, exploited, critical")
    assert told("compare", name="grafana", a="12.2.1", b="12.2.0")["reason"] == "both versions need a scan"


@pytest.mark.slow
def test_an_assistant_gets_the_same_answers(online: str) -> None:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def talk(site: str, calls: list[tuple[str, dict[str, str]]]) -> tuple[list[Any], list[Any]]:
        server = StdioServerParameters(command=sys.executable, args=[str(PROGRAM), site, "mcp"])
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            instructions = (await session.initialize()).instructions or ""
            assert [word for word in ("null", "concerns", "complete") if word not in instructions] == []
            tools = (await session.list_tools()).tools
            results = [await session.call_tool(name, given) for name, given in calls]
            contents: list[Any] = [result.content[0] for result in results]
            texts = [content.text for content in contents]
            assert [json.loads(text) for text in texts] == [each.structured_content for each in results]
            assert max(len(text.encode()) for text in texts) <= 8_000
            return tools, [json.loads(text) for text in texts]

    calls = [
        ("search_images", {}),
        ("list_vulnerabilities", {"name": "php-fpm", "version": "8.2.8"}),
        ("list_vulnerabilities", {"name": "grafana"}),
        ("get_image", {"name": "php-fpm"}),
        ("check_reference", {"reference": f"{NGINX}:1.29.3", "max_age": "any"}),
    ]
    tools, (everything, rows, grafana, image, fine) = asyncio.run(talk(online, calls))
    assert len(tools) == 9
    assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)
    assert sum(len(tool.name) + len(tool.description or "") for tool in tools) < 3_000
    assert everything["total"] == len(everything["data"]) + everything["dataLeftOut"] > 51
    assert rows["total"] == len(rows["cves"]) + rows["cvesLeftOut"] > 200
    assert (grafana["answered"], grafana["yes"], grafana["total"]) == (True, False, None)
    assert len(image["versions"]) + image["versionsLeftOut"] == 30
    assert fine["yes"] is True and fine["data"][0]["concerns"] == []
    for tool in tools:
        assert {"answered", "yes", "data"} <= tool.output_schema["properties"].keys()
        assert all(each["description"] for each in tool.input_schema["properties"].values())
    with odd_site({INDEX: b"[" * 200_000}) as server:
        _, (answer,) = asyncio.run(talk(server.address, [("catalog_summary", {})]))
    assert answer["answered"] is False


def test_the_guide_s_script_tells_no_from_no_answer(site: SiteFolder, tmp_path: Path) -> None:
    script = next(each.text for each in blocks("ask", "sh") if "case $?" in each.text)
    (tmp_path / "catalog.py").write_bytes(PROGRAM.read_bytes())
    today = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60))
    for slug, created in (("web", today), ("old", "2026-01-01T00:00:00Z")):
        site.image(slug, "versions: ['1']")
        site.report(f"{slug}/1.json", trivy([], tag=f"{REGISTRY}/{slug}:1", created=created))
    (tmp_path / "www").mkdir()
    (tmp_path / "www/catalog").symlink_to(site.build().folder / "site", target_is_directory=True)
    with serve(tmp_path / "www") as port:
        here = f"http://127.0.0.1:{port}/catalog"
        for address, image, said in (
            (here, f"{REGISTRY}/web:1", "listed"),
            (here, f"{REGISTRY}/old:1", "refused: scan-too-old: old 1, "),
            (here, f"{REGISTRY}/web:0.1", "refused: "),
            ("http://127.0.0.1:9", f"{REGISTRY}/web:1", "no answer, try again later"),
        ):
            environment = os.environ | {"SITE": address, "IMAGE": image}
            run = subprocess.run(
                ["sh", "-c", script],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            assert run.stdout.startswith(said), run


@pytest.mark.parametrize(
    ("days", "options", "said"),
    [
        (29, "", "listed"),
        (31, "", "scan-too-old"),
        (31, "--max-age 40", "listed"),
        (31, "--max-age any", "listed"),
        (31, "--allow scan-too-old", "scan-too-old"),
        (3, "--max-age 2", "scan-too-old"),
        (3, "--max-age two", "no answer"),
        (None, "", "scan-too-old"),
        (None, "--max-age any", "listed"),
    ],
)
def test_a_scan_has_an_age(
    site: SiteFolder, tmp_path: Path, days: int | None, options: str, said: str
) -> None:
    site.image("web", "versions: ['1']")
    created = "" if days is None else "2026-11-01T06:00:00Z"
    site.report("web/1.json", trivy([], tag=f"{REGISTRY}/web:1", created=created))
    (tmp_path / "catalog").symlink_to(site.build().folder / "site", target_is_directory=True)
    now = calendar.timegm((2026, 11, 1, 7, 0, 0)) + (days or 0) * 86400
    with serve(tmp_path) as port:
        asked = ask(
            f"http://127.0.0.1:{port}/catalog", "check", f"{REGISTRY}/web:1", *options.split(), now=now
        )
    assert (asked.stdout or asked.stderr).startswith(said)
    status = {"listed": 0, "scan-too-old": int("allow" not in options), "no answer": 2}
    assert asked.returncode == status[said]


def test_the_guide_shows_what_a_check_prints(online: str) -> None:
    command, *shown = block("ask", "check").splitlines()
    assert ask(online, *command.split()[4:]).stdout.splitlines() == shown


def test_assistants_find_the_catalog_by_a_file_in_the_api(site: SiteFolder) -> None:
    site.image("nginx")
    site.settings["lookups"] = ["cves"]
    result = site.mkdocs()
    text = (result.api / "llms.txt").read_text("utf-8")
    assert text.startswith("# ") and "container images (1)" in text
    assert "cves/{id}.json" in text and "digests/" not in text
    assert result.json("index.json")["documents"]["llms"] == "/catalog/api/v1/llms.txt"
    assert not (result.folder / "site/llms.txt").exists()
