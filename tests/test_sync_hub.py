"""`catalog-api sync hub` against a hub on this machine."""

from __future__ import annotations

import email.utils
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.commands.run import REQUIREMENT
from mkdocs_catalog_api.network.client import Limits

from .fake_hub import FakeHub, Reply, Version
from .sites import REGISTRY, SiteFolder, digest, row, trivy

ALPHA = f"{REGISTRY}/alpha:1.0"
BETA = f"{REGISTRY}/beta:2.0@{digest('beta')}"
STACK = "/api/v1/packages/helm/acme/stack"


@dataclass
class Bench:
    """A site whose charts are on a hub, and `sync hub`; waits are only noted."""

    site: SiteFolder
    hub: FakeHub
    waits: list[float] = field(default_factory=list)
    limits: dict[str, Any] = field(default_factory=dict)

    def run(self, *options: str, **env: str) -> Result:
        given = {"sleep": self.waits.append} | self.limits
        arguments = ["sync", "hub", "-f", str(self.site.folder / "mkdocs.yml"), *options]
        env = {"CATALOG_API_HUB": self.hub.address} | env
        return CliRunner().invoke(main, arguments, obj=Limits(**given), env=env)

    def file(self, path: str) -> Path:
        return self.site.folder / "scans/hub" / path

    def files(self) -> dict[str, bytes]:
        """Everything below the reports folder."""
        folder = self.site.folder / "scans"
        files = (path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def bench(site: SiteFolder) -> Iterator[Bench]:
    """Two images, and a chart `acme/stack` with two versions that pins both."""
    site.write("mkdocs.yml", f"site_name: A\nplugins: [{{catalog-api: {{registry: {REGISTRY}}}}}]\n")
    site.write("docs/index.md", "# Home\n")
    site.image("alpha", "versions: ['1.0']")
    site.image("beta", f"versions: [{{version: '2.0', digest: '{digest('beta')}'}}]")
    chart(site, "stack", "[v1.1.0, 1.0.0, 0.9.0]")
    hub = FakeHub()
    hub.charts["acme/stack"] = {
        "1.2.0": Version([ALPHA, BETA], report={ALPHA: trivy([row("CVE-2026-0001")])}),
        "1.1.0": Version([ALPHA], report={ALPHA: trivy([], created="2026-10-01T00:00:00Z")}),
        "1.0.0": Version([ALPHA], created=None),
        "0.1.0": Version([ALPHA]),
    }
    with hub.running():
        yield Bench(site, hub)


def chart(site: SiteFolder, name: str, versions: str = "[]", hub: str = "") -> None:
    address = hub or f"https://artifacthub.io/packages/helm/acme/{name}"
    site.page(
        f"charts/{name}.md",
        f"category: Tools\ntier: core\nlicense: MIT\nhub: {address}\nversions: {versions}",
    )


def test_newest_and_listed_versions_are_saved_as_they_are(bench: Bench) -> None:
    result = bench.run()
    assert result.exit_code == 0, result.output
    assert set(bench.files()) == {
        "hub/acme/stack/1.2.0.json",
        "hub/acme/stack/1.2.0.package",
        "hub/acme/stack/1.1.0.json",
        "hub/acme/stack/1.1.0.package",
        "hub/acme/stack/1.0.0.package",
    }
    for number in ("1.2.0", "1.1.0"):
        assert bench.file(f"acme/stack/{number}.json").read_bytes() == sent(bench, number)
        assert (
            bench.file(f"acme/stack/{number}.package").read_bytes()
            == bench.hub.answer(f"{STACK}/{number}").body
        )
    assert "does not list version 0.9.0" in result.stderr
    assert "5 files changed, 0 unchanged" in result.stderr


def sent(bench: Bench, number: str) -> bytes:
    return bench.hub.answer(bench.hub.report_path("acme/stack", number)).body


def test_a_build_counts_what_was_fetched(bench: Bench) -> None:
    bench.run()
    result = bench.site.build(strict=True)
    assert not result.failed, result.logged()
    summary = result.json("security.json")
    assert (summary["total"], summary["unscanned"]) == (1, [])
    assert result.json("security/beta/2.0.json")["grade"] == "A+"


def test_the_hub_hears_who_asks_and_one_question_at_a_time(bench: Bench) -> None:
    bench.run()
    assert bench.hub.agents == {f"mkdocs-catalog-api/{version('mkdocs-catalog-api')}"}
    assert bench.hub.most_at_once == 1


def test_only_what_changed_is_asked_for_again(bench: Bench) -> None:
    bench.run()
    before = bench.files()
    bench.hub.asked.clear()
    assert "0 files changed, 3 unchanged" in bench.run().stderr
    assert bench.hub.reports_asked() == 0
    assert bench.files() == before
    newest = bench.hub.charts["acme/stack"]["1.2.0"]
    newest.created, newest.report = 1_793_600_000, {ALPHA: trivy([])}
    assert "2 files changed, 2 unchanged" in bench.run().stderr
    assert bench.file("acme/stack/1.2.0.json").read_bytes() == sent(bench, "1.2.0")


def test_a_report_without_the_answer_that_belongs_to_it_is_fetched_again(bench: Bench) -> None:
    bench.run()
    bench.file("acme/stack/1.2.0.package").unlink()
    bench.file("acme/stack/1.1.0.json").unlink()
    assert "2 files changed" in bench.run().stderr


# What the hub does not say


def test_what_was_never_scanned_gets_no_report(bench: Bench) -> None:
    bench.hub.charts["acme/stack"] = {"1.2.0": Version([ALPHA], created=None)}
    assert bench.run().exit_code == 0
    assert set(bench.files()) == {"hub/acme/stack/1.2.0.package"}
    assert bench.site.build().json("security.json")["unscanned"] == ["alpha", "beta"]


def test_an_empty_body_is_no_report_either(bench: Bench) -> None:
    bench.hub.instead[bench.hub.report_path("acme/stack", "1.2.0")] = [Reply()]
    assert bench.run().exit_code == 0
    assert not bench.file("acme/stack/1.2.0.json").exists()


def test_a_report_that_the_hub_no_longer_has_is_kept_and_called_stale(bench: Bench) -> None:
    bench.run()
    before = bench.files()
    bench.hub.charts["acme/stack"]["1.2.0"].created = None
    result = bench.run()
    assert result.exit_code == 0
    assert "scans/hub/acme/stack/1.2.0.json: stale: not updated" in result.stderr
    assert bench.files() == before


def test_an_unknown_chart_is_a_problem_and_the_others_come_all_the_same(bench: Bench) -> None:
    chart(bench.site, "absent")
    result = bench.run()
    assert result.exit_code == 1
    assert "scans/hub/acme/absent: " in result.stderr
    assert "has no chart acme/absent" in result.stderr
    assert bench.file("acme/stack/1.2.0.json").is_file()


# What gets lost on the way does not make anything better


def found_before(bench: Bench, *images: str) -> dict[str, object]:
    """Fetch a report with a critical vulnerability in each of the images, then have the hub scan again."""
    bad: dict[str, object] = {image: trivy([row("CVE-2026-0666", "CRITICAL")], tag=image) for image in images}
    newest = bench.hub.charts["acme/stack"]["1.2.0"]
    newest.report = bad
    assert bench.run().exit_code == 0
    newest.created = 1_793_600_000
    return bad


@pytest.mark.parametrize(
    "report",
    [None, {}, {BETA: trivy([])}, {ALPHA: trivy([]) | {"Results": []}}],
)
def test_a_critical_stays_when_the_hub_no_longer_speaks_of_its_image(
    bench: Bench, report: dict[str, object] | None
) -> None:
    found_before(bench, ALPHA)
    bench.hub.charts["acme/stack"]["1.2.0"].report = report
    for _ in range(2):  # it is told until somebody has looked into it
        result = bench.run()
        assert result.exit_code == 1
        assert f"error: scans/hub/acme/stack/1.2.0.json: the hub has no results for {ALPHA}" in result.stderr
        assert "delete this file and run the command again" in result.stderr
        assert bench.site.build().json("security.json")["bySeverity"]["critical"] == 1
    bench.file("acme/stack/1.2.0.json").unlink()
    assert bench.run().exit_code == 0
    assert bench.site.build().json("security.json")["bySeverity"]["critical"] == 0


def test_what_is_new_of_other_images_is_published_beside_what_is_kept(bench: Bench) -> None:
    found_before(bench, ALPHA)
    bench.hub.charts["acme/stack"]["1.2.0"].report = {BETA: trivy([row("CVE-2026-0777", "CRITICAL")])}
    assert bench.run().exit_code == 1
    summary = bench.site.build().json("security.json")
    assert summary["images"]["alpha"]["critical"] == summary["images"]["beta"]["critical"] == 1


def test_an_image_that_comes_back_clean_is_clean(bench: Bench) -> None:
    found_before(bench, ALPHA)
    bench.hub.charts["acme/stack"]["1.2.0"].report = None
    assert bench.run().exit_code == 1
    bench.hub.charts["acme/stack"]["1.2.0"].report = {ALPHA: trivy([])}
    assert bench.run().exit_code == 0
    assert bench.site.build().json("security.json")["total"] == 0


# When the hub is busy, broken or slow


def test_it_waits_as_long_as_the_hub_asks(bench: Bench) -> None:
    later = email.utils.formatdate(time.time() + 50, usegmt=True)
    bench.hub.instead[STACK] = [
        Reply(status=429, headers={"Retry-After": "45"}),
        Reply(status=429, headers={"Retry-After": later}),
        Reply(status=503, headers={"Retry-After": "soon"}),
        Reply(status=500),
    ]
    result = bench.run()
    assert result.exit_code == 0, result.output
    first, second, *rest = bench.waits
    assert (first, rest) == (45, [8, 16])
    assert 4 < second <= 50
    assert "127.0.0.1 responds with 429; next try in 45 s" in result.stderr


def test_it_gives_up_after_a_while(bench: Bench) -> None:
    bench.run()
    before = bench.files()
    bench.hub.instead[STACK] = [Reply(status=429)] * 7
    result = bench.run()
    assert result.exit_code == 1
    assert sum(bench.waits) > 75, "Artifact Hub blocks clients for that long"
    assert f"{STACK}: the server responds with 429 (earlier reports are kept" in result.stderr
    assert bench.files() == before


def test_it_does_not_wait_for_hours(bench: Bench) -> None:
    bench.hub.instead[STACK] = [Reply(status=429, headers={"Retry-After": "7200"})]
    result = bench.run()
    assert (result.exit_code, bench.waits) == (1, [])
    assert "Retry-After 7200" in result.stderr


def test_it_stops_asking_a_hub_that_is_always_busy(bench: Bench) -> None:
    bench.limits = {"retries": 0}
    for name in ("a", "b", "c"):
        chart(bench.site, name)
        bench.hub.instead[f"/api/v1/packages/helm/acme/{name}"] = [Reply(status=502)] * 9
    assert bench.run().exit_code == 1
    assert [path.rpartition("/")[2] for path in bench.hub.asked] == ["a", "b", "c"]


@pytest.mark.parametrize("limits", [{"silence": 0.05}, {"whole": 0.05, "silence": 10}])
def test_silence_has_an_end(bench: Bench, limits: dict[str, float]) -> None:
    bench.limits = limits
    bench.hub.instead[STACK] = [Reply(silent=True)]
    result = bench.run()
    assert (result.exit_code, bench.waits) == (1, [])
    assert "no complete response (timed out)" in result.stderr


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(b'{"a": '), "the file is cut off"),
        (Reply(b"<!DOCTYPE html>"), "a web page, such as a login or error page, not a report"),
        (Reply(b'{"message": "oops"}'), "`message` is not a report of Trivy"),
        (Reply(b"[]"), "not a security report of a package"),
        (Reply(b" " * 3000), "larger than 0.00195312 MiB"),
        (Reply(b'{"a": ', missing=10), "no complete response"),
        (Reply(b'{"message": "not found"}', 404), "has no report, but lists one"),
        (Reply(status=403), "the server responds with 403"),
        (
            Reply(status=302, headers={"Location": "file:///etc/passwd"}),
            "No connection adapters were found for 'file:///etc/passwd'",
        ),
        (
            Reply(status=301, headers={"Location": "http://127.0.0.1:1/"}),
            "no complete response ([Errno 111] Connection refused)",
        ),
        (
            Reply(status=308, headers={"Location": "//example.org/x"}),
            "http://example.org/x: not requested (use https",
        ),
    ],
)
def test_an_answer_that_is_no_report_changes_nothing(bench: Bench, reply: Reply, message: str) -> None:
    bench.run()
    before = bench.files()
    bench.limits = {"size": 2048}
    bench.hub.charts["acme/stack"]["1.2.0"].created = 1
    bench.hub.instead[bench.hub.report_path("acme/stack", "1.2.0")] = [reply]
    result = bench.run()
    assert result.exit_code == 1
    assert message in result.stderr
    assert "earlier reports are kept" in result.stderr
    assert bench.files() == before


def test_redirects_within_the_hub_are_followed_but_not_for_ever(bench: Bench) -> None:
    bench.hub.instead[STACK] = [Reply(status=307, headers={"Location": f"{STACK}/1.2.0"})]
    assert bench.run().exit_code == 0
    bench.hub.instead[STACK] = [Reply(status=307, headers={"Location": STACK})] * 9
    result = bench.run()
    assert result.exit_code == 1
    assert "Exceeded 3 redirects" in result.stderr


# Names from outside


@pytest.mark.parametrize(
    "change",
    [
        {"version": "../../../x"},
        {"version": "1.2.0/../../x"},
        {"version": ".."},
        {"package_id": "../x"},
    ],
)
def test_a_hostile_name_never_becomes_a_path(bench: Bench, change: dict[str, str]) -> None:
    answer = json.loads(bench.hub.answer(STACK).body) | change
    bench.hub.instead[STACK] = [Reply(json.dumps(answer).encode())]
    result = bench.run()
    assert result.exit_code == 1
    assert not (bench.site.folder / "scans").exists()


def test_an_answer_about_another_version_is_refused(bench: Bench) -> None:
    bench.hub.instead[f"{STACK}/1.1.0"] = [bench.hub.answer(f"{STACK}/0.1.0")]
    result = bench.run()
    assert "the response is about version 0.1.0" in result.stderr
    assert not bench.file("acme/stack/0.1.0.json").exists()


def test_other_hubs_are_left_alone(bench: Bench) -> None:
    chart(bench.site, "stack", hub="https://hub.example.org/charts/stack")
    result = bench.run()
    assert result.exit_code == 0
    assert (
        "docs/charts/stack.md:5:1: hub: skipped, because this is not the URL of a chart on Artifact Hub"
        in result.stderr
    )


def test_two_hubs_do_not_share_a_file(bench: Bench) -> None:
    chart(bench.site, "copy", hub="https://hub.example.org/packages/helm/acme/stack")
    result = bench.run(CATALOG_API_HUB="")
    assert result.exit_code == 1
    assert "acme/stack is also the name of a chart on" in result.stderr


def test_a_chart_that_is_refused_is_told_and_the_others_are_asked(bench: Bench) -> None:
    chart(bench.site, "bad", "['1 0']")
    result = bench.run()
    assert result.exit_code == 1 and "docs/charts/bad.md:6:" in result.stderr
    assert bench.file("acme/stack/1.2.0.json").is_file()


def test_a_dry_run_writes_nothing(bench: Bench) -> None:
    result = bench.run("--dry-run")
    assert (result.exit_code, bench.files()) == (0, {})
    assert "scans/hub/acme/stack/1.2.0.json\n" in result.stdout
    assert "5 files would change, 0 unchanged" in result.stderr


def test_without_a_chart_on_a_hub_there_is_nothing_to_do(bench: Bench) -> None:
    (bench.site.folder / "docs/charts/stack.md").unlink()
    result = bench.run()
    assert (result.exit_code, bench.hub.asked) == (0, [])
    assert "no page has a `hub`, so nothing is requested" in result.stderr


# Interruptions


@pytest.mark.parametrize("nth", range(1, 6))
def test_an_interruption_leaves_every_file_whole(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    """Ctrl-C in the middle of the nth write: half of the bytes are out."""
    bench.run()
    before = bench.files()
    for each in bench.hub.charts["acme/stack"].values():
        each.created, each.report = 1, {ALPHA: trivy([row("CVE-2026-0009")])}
    write, calls = Path.write_bytes, iter(range(1, 100))

    def interrupted(path: Path, data: bytes) -> int:
        if next(calls) == nth:
            write(path, data[: len(data) // 2])
            raise KeyboardInterrupt
        return write(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", interrupted)
        result = bench.run()
    assert result.exit_code == 1
    assert "interrupted (run the command again to continue)" in result.stderr
    after = bench.files()
    assert after.keys() <= before.keys() | {"hub/acme/stack/1.0.0.json"}
    now = {path.rpartition("/")[2]: data for path, data in after.items()}
    for number in ("1.2.0", "1.1.0"):
        assert now[f"{number}.json"] in (before[f"hub/acme/stack/{number}.json"], sent(bench, number))
    assert not bench.site.build().failed
    assert bench.run().exit_code == 0
    assert bench.file("acme/stack/1.1.0.json").read_bytes() == sent(bench, "1.1.0")


def test_a_folder_that_cannot_be_written_is_said(bench: Bench) -> None:
    bench.site.write("scans", "a file")
    result = bench.run()
    assert result.exit_code == 1
    assert "can't be written" in result.stderr


# What it prints


def test_json_is_one_object(bench: Bench) -> None:
    result = json.loads(bench.run("--json").stdout)
    assert len(result["summary"]["changed"]) == 5
    assert {key: result["summary"][key] for key in ("unchanged", "requests", "written")} == {
        "unchanged": 0,
        "requests": 5,
        "written": True,
    }
    assert [problem["level"] for problem in result["problems"]] == ["info"]


def test_quiet_prints_problems_only(bench: Bench) -> None:
    assert bench.run("--quiet").output == ""


def test_each_chart_is_a_line(bench: Bench) -> None:
    assert "1/1 acme/stack\n" in bench.run().stderr


def test_a_missing_library_is_said_with_the_command_that_brings_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "mkdocs_catalog_api.network.client")
    monkeypatch.setitem(sys.modules, "requests", None)
    result = bench.run()
    assert result.exit_code == 1
    assert "requires the package requests" in result.stderr
    assert REQUIREMENT in result.stderr


def test_a_build_has_nothing_that_could_ask_anyone(bench: Bench) -> None:
    bench.run()
    program = """
import sys
from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.commands.run import REQUIREMENT
main(sys.argv[1:], standalone_mode=False)
print([*{"requests", "urllib3", "http.client", "urllib.request", "ssl"} & sys.modules.keys()])
"""
    arguments = ["build", "-f", str(bench.site.folder / "mkdocs.yml")]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], check=True, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
