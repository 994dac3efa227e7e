"""`catalog-api check-live` against servers that are right, and wrong in one way each."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.network.client import Limits
from mkdocs_catalog_api.network.live_check import api_root

from .live_host import RIGHT, Host, serving
from .servers import free_port
from .sites import REGISTRY, SiteFolder, digest, row, trivy


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The API of a small site at /catalog."""
    site = SiteFolder(tmp_path_factory.mktemp("live"))
    site.image("alpha", f'versions: [{{version: 1.0, digest: "{digest(1)}"}}]')
    site.report("alpha/1.0.json", trivy([row("CVE-2026-0001")], digest=f"{REGISTRY}/alpha@{digest(1)}"))
    return site.build().api


@pytest.fixture
def host(api: Path, tmp_path: Path) -> Iterator[Host]:
    """A host of its own for each test."""
    shutil.copytree(api, tmp_path / "api")
    with serving(tmp_path / "api") as host:
        yield host


def check(url: str, *options: str, limits: Limits | None = None) -> Result:
    return CliRunner().invoke(main, ["check-live", url, *options], obj=limits)


def wrong(host: Host, *options: str, limits: Limits | None = None) -> list[str]:
    """The problems of a host that is not right, without the address in front."""
    result = check(host.url, *options, limits=limits)
    assert result.exit_code == 1, result.output
    return [
        line.removeprefix(f"error: {host.url}api/v1/")
        for line in result.stderr.splitlines()
        if line.startswith("error")
    ]


def test_a_site_that_is_right_is_fine(host: Host, api: Path) -> None:
    result = check(host.url)
    assert (result.exit_code, result.stderr) == (0, "")
    files = sorted(path.relative_to(api).as_posix() for path in api.rglob("*.json"))
    assert sorted(set(host.asked) & set(files)) == files
    assert f"{len(files)} of {len(files)} documents" in result.stdout
    assert len(host.asked) == len(files) + 2
    assert host.headers["User-Agent"].startswith("mkdocs-catalog-api/")
    assert host.headers["Origin"]


def test_any_address_of_the_api_will_do(host: Host) -> None:
    for end in ("", "api/v1", "api/v1/", "api/v1/index.json"):
        assert check(host.url + end, "--limit", "1").exit_code == 0
    assert check(host.url.rstrip("/"), "--limit", "1").exit_code == 0


@pytest.mark.parametrize(
    "url",
    ["ftp://example.org/", "example.org", "http://", "file:///etc", "http://a:b@c/", "http://a:99999/"],
)
def test_what_is_no_address_of_a_site_is_wrong_usage(url: str) -> None:
    assert check(url).exit_code == 2


@pytest.mark.parametrize(
    ("header", "value", "words"),
    [
        ("Access-Control-Allow-Origin", None, "Access-Control-Allow-Origin is missing"),
        ("Access-Control-Allow-Origin", "https://a.example", "is 'https://a.example'; it must be '*'"),
        ("Cache-Control", None, "Cache-Control is missing"),
        ("Cache-Control", "no-cache", "Cache-Control is 'no-cache'"),
        ("Cache-Control", "no-cache, public, max-age=3600", "Cache-Control is 'no-cache, public"),
        ("Content-Type", "text/plain", "Content-Type is 'text/plain'; it must be 'application/json'"),
        ("Content-Type", "application/json; charset=latin-1", "Content-Type is"),
    ],
)
def test_a_wrong_header_is_told_once_with_how_often(
    host: Host, header: str, value: str | None, words: str
) -> None:
    headers = {name: text for name, text in (RIGHT | {header: value}).items() if text is not None}
    host.spoil("*", headers=headers)
    (problem,) = wrong(host)
    assert words in problem
    assert problem.startswith("index.json: ")
    assert "more)" in problem


def test_ten_minutes_are_a_note(host: Host) -> None:
    host.spoil("*", headers=RIGHT | {"Cache-Control": "max-age=600"})
    result = check(host.url)
    assert result.exit_code == 0
    assert "info: " in result.stderr
    assert "kept for 600 seconds instead of an hour" in result.stderr


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"body": b"{}\n"}, "does not match its hash in the manifest"),
        ({"body": b" " * 10_000_000}, "too large"),
        ({"status": 404}, "the host responds with 404"),
        ({"status": 500}, "the host responds with 500"),
        ({"status": 301, "headers": {"Location": "https://evil.example/"}}, "redirected to 'https://evil.ex"),
        ({"body": b"{", "length": 50}, "no complete response"),
        ({"headers": RIGHT | {"Content-Encoding": "gzip"}}, "no complete response"),
        ({"status": 429}, "the host is busy (429)"),
    ],
)
def test_a_document_that_is_not_the_one_that_was_built(
    host: Host, changes: dict[str, Any], words: str
) -> None:
    host.spoil("images/alpha/index.json", **changes)
    (problem,) = wrong(host)
    assert problem.startswith(f"images/alpha/index.json: {words}")


def test_a_redirect_is_not_followed(host: Host) -> None:
    host.spoil("images.json", status=302, headers={"Location": f"{host.url}secret"})
    assert "redirected to" in wrong(host)[0]
    assert "/catalog/secret" not in host.asked


def test_an_answer_that_takes_too_long_is_interrupted(host: Host) -> None:
    (*_, problem) = wrong(host, limits=Limits(whole=0))
    assert "no complete response" in problem


def test_a_host_that_is_silent_three_times_is_left_alone(host: Host) -> None:
    whole = ("index.json", "manifest.json")
    host.change = lambda path, answer: answer if path in whole else answer._replace(body=b"", length=9)
    problems = wrong(host)
    assert "no response 3 times in a row, so the other documents are not checked" in problems[-1]
    assert len(host.asked) <= 2 + 3 + 3


def test_a_host_that_is_not_there() -> None:
    result = check(f"http://127.0.0.1:{free_port()}/")
    assert result.exit_code == 1
    assert "api/v1/index.json: no complete response (" in result.stderr
    assert "no documents" in result.stdout


def test_an_unknown_document_has_to_be_a_404(host: Host) -> None:
    host.change = lambda path, answer: answer._replace(status=200) if answer.status == 404 else answer
    (problem,) = wrong(host)
    assert problem.startswith("images/0.json: the host responds with 200 instead of 404 for a missing file")


def test_a_site_built_for_another_path(host: Host) -> None:
    index = host.folder / "index.json"
    index.write_bytes(index.read_bytes().replace(b'"/catalog/', b'"/other/'))
    problems = wrong(host)
    assert any(
        "its links point to '/other/', but the API is at '/catalog/api/v1/'" in each for each in problems
    )


@pytest.mark.parametrize(
    "path", ["../secret", "/etc/passwd", "a?b", "a/../b", "", ".hidden", "a\nb", "\x1b[2J", "\x9b2J"]
)
def test_a_manifest_cannot_lead_elsewhere(host: Host, path: str) -> None:
    file = host.folder / "manifest.json"
    manifest = json.loads(file.read_bytes())
    manifest["documents"][path] = {"sha256": "0" * 64, "bytes": 1}
    file.write_text(json.dumps(manifest))
    (problem,) = wrong(host)
    assert problem.startswith("manifest.json: not a valid document: ")
    assert problem.isprintable()
    assert not any("secret" in asked or "passwd" in asked for asked in host.asked)


@pytest.mark.parametrize("size", [2**33, 2**63, 10**30, -1, 1.5, "1", None])
def test_a_manifest_cannot_claim_any_size(host: Host, size: object) -> None:
    file = host.folder / "manifest.json"
    manifest = json.loads(file.read_bytes())
    manifest["documents"]["images.json"]["bytes"] = size
    file.write_text(json.dumps(manifest))
    (problem,) = wrong(host)
    assert problem.startswith("manifest.json: not a valid document: Expected `int`")
    assert host.asked == ["index.json", "manifest.json"]


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"\xff", b'{"a":' * 100_000])
def test_something_else_in_place_of_the_overview(host: Host, body: bytes) -> None:
    host.spoil("manifest.json", body=body)
    (problem,) = wrong(host)
    assert problem.startswith("manifest.json: no")


def test_a_dead_link_of_the_overview(host: Host) -> None:
    file = host.folder / "manifest.json"
    manifest = json.loads(file.read_bytes())
    del manifest["documents"]["security.json"]
    file.write_text(json.dumps(manifest))
    (problem,) = wrong(host)
    assert "a link points to 'security.json', which is not in the manifest" in problem


def test_a_limit_is_spread_over_all_kinds(host: Host) -> None:
    result = check(host.url, "--limit", "4")
    assert result.exit_code == 0
    assert len(host.asked) == 2 + 4 + 2
    assert len({path.partition("/")[0] for path in host.asked[2:6]}) >= 3
    assert "documents" in result.stdout


def test_programs_are_told_every_document(host: Host) -> None:
    host.spoil("images.json", status=404)
    result = check(host.url, "--json")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    (problem,) = told["problems"]
    assert problem["documents"] == ["images.json"]
    assert told["url"] == f"{host.url}api/v1/"
    assert told["summary"]["checked"] == told["summary"]["documents"] - 1


def test_the_root_of_an_api() -> None:
    assert api_root("https://example.org") == "https://example.org/api/v1/"
    assert api_root("https://example.org/a/api/v1/index.json") == "https://example.org/a/api/v1/"
