"""`catalog-api sync hub` against a hub on this machine, and what a build makes of the reports."""

from __future__ import annotations

import email.utils
import json
import logging
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from hypothesis import given, settings
from hypothesis import strategies as st

from mkdocs_catalog_api.commands.run import REQUIREMENT
from mkdocs_catalog_api.network.client import Answer, Client
from mkdocs_catalog_api.network.hub import Hub, Listing, listed_at
from mkdocs_catalog_api.network.output import Output
from mkdocs_catalog_api.problems import Level, Problems
from mkdocs_catalog_api.sources.reports import read_report
from mkdocs_catalog_api.sources.reports.artifact_hub import read_package

from .fake_hub import FakeHub, Version
from .fake_server import Reply
from .sites import REGISTRY, SiteFolder, built, digest, row, trivy
from .syncing import sync

ID = "8d7f3f3e-4c1b-4b55-9a3a-6f4a2a1f0c11"
ALPHA = f"{REGISTRY}/alpha:1.0"
BETA = f"{REGISTRY}/beta:2.0@{digest('beta')}"
STACK = "/api/v1/packages/helm/acme/stack"
NEWEST, STACKS = "hub/acme/stack/1.2.0.json", "scans/hub/acme/stack"


class Bench:
    """A site with two images, and a chart `acme/stack` that pins both."""

    def __init__(self, site: SiteFolder, hub: FakeHub) -> None:
        self.site, self.hub, self.waits = site, hub, list[float]()
        site.image("alpha", "versions: ['1.0']")
        site.image("beta", f"versions: [{{version: '2.0', digest: '{digest('beta')}'}}]")
        self.chart("stack", "[v1.1.0, 1.0.0, 0.9.0]")
        hub.charts["acme/stack"] = {
            "1.2.0": Version([ALPHA, BETA], report={ALPHA: trivy([row("CVE-2026-0001")])}),
            "1.1.0": Version([ALPHA], report={ALPHA: trivy([], created="2026-10-01T00:00:00Z")}),
            "1.0.0": Version([ALPHA], created=None),
            "0.1.0": Version([ALPHA]),
        }

    def chart(
        self, name: str, versions: str = "[]", hub: str = "https://artifacthub.io", place: str = ""
    ) -> None:
        address = f"{hub}{place or f'/packages/helm/acme/{name}'}"
        self.site.page(f"charts/{name}.md", f"hub: {address}\nversions: {versions}")

    def run(self, *options: str, **limits: Any) -> Result:
        given = {"sleep": self.waits.append, "retries": 6} | limits
        return sync(self.site, "hub", *options, env={"CATALOG_API_HUB": self.hub.address}, **given)

    @property
    def newest(self) -> Version:
        return self.hub.charts["acme/stack"]["1.2.0"]

    def sent(self, number: str) -> bytes:
        return self.hub.answer(self.hub.report_path("acme/stack", number)).body

    def file(self, path: str) -> Path:
        return self.site.folder / "scans" / path

    def files(self) -> dict[str, bytes]:
        folder = self.site.folder / "scans"
        files = (path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}

    def summary(self) -> Any:
        return self.site.build().json("security.json")


@pytest.fixture
def bench(site: SiteFolder) -> Iterator[Bench]:
    with FakeHub().running() as hub:
        yield Bench(site, hub)


def test_newest_and_listed_versions_are_saved_as_they_are(bench: Bench) -> None:
    printed = bench.run("--dry-run")
    assert f"scans/{NEWEST}\n" in printed.stdout and "5 files would change, 0 unchanged" in printed.stderr
    assert bench.files() == {}
    result = bench.run()
    assert result.exit_code == 0, result.output
    reports = {f"hub/acme/stack/{number}.json": bench.sent(number) for number in ("1.2.0", "1.1.0")}
    packages = {
        f"hub/acme/stack/{number}.package": bench.hub.answer(f"{STACK}/{number}").body
        for number in ("1.2.0", "1.1.0", "1.0.0")
    }
    assert bench.files() == reports | packages
    assert "1/1 acme/stack\n" in result.stderr and "does not list version 0.9.0" in result.stderr
    assert "5 files changed, 0 unchanged" in result.stderr
    agent = f"User-Agent: mkdocs-catalog-api/{version('mkdocs-catalog-api')}\r\n"
    assert all(agent in head for head in bench.hub.heads)
    published = bench.site.build()
    (told,) = published.logged()
    assert f"the hub has no results for {BETA}" in told
    assert (published.json("security.json")["total"], bench.summary()["imagesUnscanned"]) == (1, [])
    assert published.json("security/beta/2.0.json")["grade"] is None


def test_only_what_changed_is_asked_for_again(bench: Bench) -> None:
    assert bench.run("--quiet").output == ""
    before = bench.files()
    bench.hub.asked.clear()
    assert "0 files changed, 3 unchanged" in bench.run().stderr
    assert not any(path.endswith("/security-report") for path in bench.hub.asked)
    assert bench.files() == before
    bench.newest.created, bench.newest.report = 1_793_600_000, {ALPHA: trivy([])}
    assert "2 files changed, 2 unchanged" in bench.run().stderr
    assert bench.file(NEWEST).read_bytes() == bench.sent("1.2.0")
    bench.file("hub/acme/stack/1.2.0.package").unlink()
    bench.file("hub/acme/stack/1.1.0.json").unlink()
    result = json.loads(bench.run("--json").stdout)
    assert {*result["summary"]["changed"]} == {f"{STACKS}/1.2.0.package", f"{STACKS}/1.1.0.json"}
    assert [result["summary"][key] for key in ("unchanged", "requests", "written")] == [3, 5, True]
    assert [problem["level"] for problem in result["problems"]] == ["info"]


# What the hub does not say


def test_an_empty_answer_is_no_report(bench: Bench) -> None:
    bench.hub.charts["acme/stack"] = {"1.2.0": Version([ALPHA])}
    bench.hub.instead[bench.hub.report_path("acme/stack", "1.2.0")] = [Reply()]
    assert bench.run().exit_code == 0
    assert [*bench.files()] == ["hub/acme/stack/1.2.0.package"]


def test_a_report_that_the_hub_no_longer_has_is_kept_and_called_stale(bench: Bench) -> None:
    bench.run()
    before = bench.files()
    bench.newest.created = None
    result = bench.run()
    assert result.exit_code == 0 and f"scans/{NEWEST}: stale: not updated" in result.stderr
    assert bench.files() == before


# What gets lost on the way does not make anything better


@pytest.mark.parametrize("report", [None, {BETA: trivy([])}, {ALPHA: trivy([]) | {"Results": []}}])
def test_a_critical_stays_when_the_hub_no_longer_speaks_of_its_image(bench: Bench, report: object) -> None:
    bench.newest.report = {ALPHA: trivy([row("CVE-2026-0666", "CRITICAL")], tag=ALPHA)}
    assert bench.run().exit_code == 0
    bench.newest.created, bench.newest.report = 1_793_600_000, report
    for _ in range(2):  # it is told until somebody has looked into it
        result = bench.run()
        assert result.exit_code == 1
        assert f"error: scans/{NEWEST}: the hub has no results for {ALPHA}" in result.stderr
        assert "delete this file and run the command again" in result.stderr
    assert bench.summary()["bySeverity"]["critical"] == 1
    if report is None:  # new results of other images are published, and the image may come back
        bench.newest.report = {BETA: trivy([row("CVE-2026-0777", "CRITICAL")])}
        assert bench.run().exit_code == 1
        assert [each["critical"] for each in bench.summary()["images"].values()] == [1, 1]
        bench.newest.report = {ALPHA: trivy([]), BETA: trivy([])}
    else:
        bench.file(NEWEST).unlink()
    assert bench.run().exit_code == 0
    assert bench.summary()["bySeverity"]["critical"] == 0


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
    assert (first, rest) == (45, [8, 16]) and 4 <= second <= 50
    assert "127.0.0.1 responds with 429; next try in 45 s" in result.stderr


def test_it_gives_up_after_a_while(bench: Bench) -> None:
    bench.hub.instead[STACK] = [Reply(status=429)] * 7
    assert f"{STACK}: the server responds with 429 (earlier reports are kept" in bench.run().stderr
    assert sum(bench.waits) > 75, "Artifact Hub blocks clients for that long"
    bench.waits.clear()
    bench.hub.instead[STACK] = [Reply(status=429, headers={"Retry-After": "7200"})]  # but not for hours
    assert "Retry-After 7200" in bench.run().stderr
    assert bench.waits == []


def redirect(address: str) -> Reply:
    return Reply(status=301, headers={"Location": address})


REPLIES: dict[str, tuple[Iterable[bytes], str]] = {
    "cut off": (Reply(b'{"a": '), "the report is incomplete"),
    "web page": (Reply(b"<!DOCTYPE html>"), "a web page, such as a login or error page, not a report"),
    "message": (Reply(b'{"message": "oops"}'), "`message` is not a report of Trivy"),
    "list": (Reply(b"[]"), "not a security report of a package"),
    "huge": (Reply(b" " * 3000), "larger than 0.00195312 MiB"),
    "missing": (Reply(b'{"message": "not found"}', 404), "has no report, but lists one"),
    "nobody there": (redirect("http://127.0.0.1:1/"), "([Errno 111] Connection refused)"),
}  # fmt: skip


def test_an_answer_that_is_no_report_changes_nothing(bench: Bench) -> None:
    for number in range(len(REPLIES)):
        bench.chart(f"r{number}")
        bench.hub.charts[f"acme/r{number}"] = {"1.0.0": Version([ALPHA], report={ALPHA: trivy([])})}
    assert bench.run().exit_code == 0
    before = bench.files()
    bench.hub.instead[STACK] = [redirect(STACK)] * 9
    for number, (reply, _) in enumerate(REPLIES.values()):
        bench.hub.charts[f"acme/r{number}"]["1.0.0"].created = 1
        bench.hub.instead[bench.hub.report_path(f"acme/r{number}", "1.0.0")] = [reply]
    lines = [line for line in bench.run(size=2048).stderr.splitlines() if line.startswith("error: ")]
    for number, (_, message) in enumerate(REPLIES.values()):
        (line,) = [line for line in lines if line.startswith(f"error: scans/hub/acme/r{number}: ")]
        assert message in line and "earlier reports are kept" in line
    assert any("Exceeded 3 redirects" in line for line in lines)
    assert bench.files() == before
    bench.hub.instead[STACK] = [redirect(f"{STACK}/1.2.0")]
    assert STACK not in bench.run().stderr


def test_charts_that_are_not_asked_for(bench: Bench) -> None:
    here = bench.hub.address
    bench.chart("absent", hub=here)
    bench.chart("bad", "['1 0']", hub=here)
    bench.chart("copy", "[1.1.0]", hub=here, place="/packages/helm/acme/stack")
    bench.chart("elsewhere", place="/charts/stack")
    bench.chart("stack", hub="https://hub.example.org")
    bench.hub.instead[f"{STACK}/1.1.0"] = [bench.hub.answer(f"{STACK}/0.1.0")]
    result = sync(bench.site, "hub", env={"CATALOG_API_HUB": ""})
    assert result.exit_code == 1
    for words in (
        f"scans/hub/acme/absent: {bench.hub.address} has no chart acme/absent",
        "docs/charts/bad.md:3:",
        "docs/charts/elsewhere.md:2:1: hub: skipped, because this is not the URL of a chart on Artifact Hub",
        "docs/charts/stack.md:2:1: hub: acme/stack is also the name of a chart on",
        "the response is about version 0.1.0",
    ):
        assert words in result.stderr
    assert {*bench.files()} == {NEWEST, "hub/acme/stack/1.2.0.package"}
    for page in (bench.site.folder / "docs/charts").iterdir():
        page.unlink()
    assert "no page has a `hub`, so nothing is requested" in bench.run().stderr


@pytest.mark.parametrize("nth", [1, 2, 5])
def test_an_interruption_leaves_files_whole(bench: Bench, monkeypatch: pytest.MonkeyPatch, nth: int) -> None:
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
    assert "interrupted (run the command again to continue)" in result.stderr
    after = bench.files()
    assert after.keys() <= before.keys() | {"hub/acme/stack/1.0.0.json"}
    for number in ("1.2.0", "1.1.0"):
        name = f"hub/acme/stack/{number}.json"
        assert after[name] in (before[name], bench.sent(number))
    assert bench.run().exit_code == 0
    assert bench.file("hub/acme/stack/1.1.0.json").read_bytes() == bench.sent("1.1.0")


def test_a_missing_library(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "mkdocs_catalog_api.network.client")
    monkeypatch.setitem(sys.modules, "requests", None)
    told = bench.run().stderr
    assert "requires the package requests" in told and REQUIREMENT in told


# What a build makes of the reports

ONE = [row("CVE-2026-0001")]
OLD, SOME_DAY = "2026-01-01T00:00:00Z", "2026-10-31T01:02:03Z"
SAVED: dict[str, tuple[list[tuple[object, list[Any], int | None]], dict[str, object]]] = {
    # For each version of a chart the reports of A and B, its images and the scan's time; and for A and B the
    # number of vulnerabilities, the grade and the time, or nothing without a scan.
    "an image that is absent from the map may not have been read": (
        [({"A": trivy(ONE)}, ["A", "B"], 1_793_512_800)],
        {"A": (1, "D", "2026-11-01T06:00:00Z"), "B": (0, None, "2026-11-01T06:00:00Z")},
    ),
    "null with a time means that it may have read none": (
        [(None, ["A", "B"], 1_793_512_800)],
        {"A": (0, None, "2026-11-01T06:00:00Z"), "B": (0, None, "2026-11-01T06:00:00Z")},
    ),
    "null without a time says nothing": ([(None, ["A", "B"], None)], {"A": None, "B": None}),
    "a whitelisted image is not scanned": (
        [(None, ["A", {"name": "b", "image": "B", "whitelisted": True}], 1_793_512_800)],
        {"A": (0, None, "2026-11-01T06:00:00Z"), "B": None},
    ),
    "silence never displaces a report, however old": (
        [({"A": trivy(ONE, created=OLD)}, ["A"], 1_793_512_800), (None, ["A"], 1_793_512_800)],
        {"A": (1, "D", OLD), "B": None},
    ),
    "the time of the scan is the report's own if it has one": (
        [({"A": {"Results": []}, "B": trivy([], created=SOME_DAY)}, ["A", "B"], 1_793_512_800)],
        {"A": (0, None, "2026-11-01T06:00:00Z"), "B": (0, "A+", SOME_DAY)},
    ),
    "what is not in the catalog is no reason to refuse": (
        [({f"{REGISTRY}/alpha:0.9": trivy(ONE)}, [f"{REGISTRY}/alpha:0.9"], 1)],
        {"A": None, "B": None},
    ),
}  # fmt: skip


def package(images: list[Any], created: int | None = 1, **more: Any) -> bytes:
    listed = [{"name": "main", "image": each} if isinstance(each, str) else each for each in images]
    answer = {"package_id": ID, "name": "stack", "version": "1.0.0", "containers_images": listed}
    time = {} if created is None else {"security_report_created_at": created}
    return json.dumps(answer | time | more).encode()


def test_what_a_build_makes_of_saved_reports(site: SiteFolder) -> None:
    site.image("hub", "versions: ['9.0']")  # the folder of charts is not its own
    for number, (charts, _) in enumerate(SAVED.values()):
        site.image(f"a{number}", "versions: ['1.0']")
        site.image(f"b{number}", f"versions: [{{version: '2.0', digest: '{digest(number)}'}}]")
        names = {"A": f"{REGISTRY}/a{number}:1.0", "B": f"{REGISTRY}/b{number}:2.0@{digest(number)}"}
        for patch, (report, images, created) in enumerate(charts):
            path = f"scans/hub/acme/s{number}/1.0.{patch}"
            texts = (json.dumps(report), package(images, created).decode())
            for text, suffix in zip(texts, (".json", ".package"), strict=True):
                for letter, name in names.items():
                    text = text.replace(f'"{letter}"', f'"{name}"')
                site.write(f"{path}{suffix}", text)
    result = built(site)
    assert {*(str(each.code) for each in result.problems if each.level == Level.WARNING)} == {"CAT036"}
    for number, (name, (_, wanted)) in enumerate(SAVED.items()):
        for letter, label in (("A", "1.0"), ("B", "2.0")):
            record = result.json(f"security/{letter.lower()}{number}/{label}.json")
            seen = (record["total"], record["grade"], record["scannedAt"]) if record["scanned"] else None
            assert seen == wanted[letter], name
    notes = result.logged(logging.INFO)
    assert any("s1/1.0.0" in text and "may not have read" in text for text in notes)
    assert any("s6/1.0.0" in text and "no pin in the catalog matches an image" in text for text in notes)


BROKEN: list[tuple[bytes, str]] = [
    (b"<html>", "a web page"),
    (b"[]", "not a response on a package"),
    (package([ALPHA], package_id="../../etc"), "`package_id`"),
    (package([{"name": "a", "image": 1}]), "`containers_images[0].image`"),
    (package([ALPHA], created=10**20), "`security_report_created_at`"),
]


def test_a_broken_answer_about_a_package_is_refused_by_name(site: SiteFolder) -> None:
    for number, (answer, _) in enumerate(BROKEN):
        site.report(f"hub/acme/s{number}/1.0.0.json", None)
        site.write(f"scans/hub/acme/s{number}/1.0.0.package", answer)
    site.report("hub/acme/error/1.0.0.json", {"message": "internal error"})
    site.write("scans/hub/acme/error/1.0.0.package", package([ALPHA]))
    result = site.build()
    assert result.failed and any("hub/acme/error/1.0.0.json" in text for text in result.logged())
    for number, (_, words) in enumerate(BROKEN):
        (message,) = [text for text in result.logged() if f"scans/hub/acme/s{number}/1.0.0.package" in text]
        assert words in message


# Whatever a hub sends

VERSIONS = st.sampled_from(["1.0.0", "2.0.0-rc.1", "..", "../1.0.0", "a/b", "1.0.0\0", ""])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8) | VERSIONS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
PROPER: dict[str, st.SearchStrategy[Any]] = {
    "package_id": st.just(ID),
    "version": VERSIONS,
    "security_report_created_at": st.integers(0, 2**31),
    "containers_images": st.lists(st.fixed_dictionaries({"image": st.just(ALPHA) | st.text()}), max_size=2),
    "available_versions": st.just([{"version": "1.0.0"}, {"version": "2.0.0-rc.1"}]),
}
# As it should be, with one field of any type, or anything.
PACKAGES = st.sampled_from([*PROPER]).flatmap(lambda name: st.fixed_dictionaries(PROPER | {name: JSON}))
REPORTS = st.dictionaries(st.just(ALPHA) | st.text(), st.just(trivy(ONE)) | JSON, max_size=2)


def bodies(*values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[bytes | None]]:
    told = st.one_of(values).map(lambda value: json.dumps(value).encode())
    return st.lists(st.one_of(told, told, st.binary(max_size=40), st.none()), min_size=3, max_size=3)


@settings(max_examples=60)
@given(bodies(st.fixed_dictionaries(PROPER), PACKAGES, JSON), bodies(REPORTS, JSON))
def test_whatever_a_hub_sends_can_be_read(packages: list[Any], reports: list[Any]) -> None:
    class Told(Client):
        def __init__(self) -> None:
            """Need no network."""

        def ask(self, address: str, *_: object, **__: object) -> Answer:
            told = reports if address.endswith("/security-report") else packages
            body = told.pop(0) if told else None
            return Answer(404 if body is None else 200, {}, body or b"", redirected=False)

    with tempfile.TemporaryDirectory() as folder:
        root, problems = Path(folder), Problems()
        output = Output(root, problems)
        hub = Hub(Told(), output, "scans")
        hub.fetch(Listing("https://hub.example.org", "acme", "stack", ("1.0.0", "2.0.0-rc.1")))
        files = {path for path in root.rglob("*") if path.is_file()}
        assert {path.parent for path in files} <= {root / "scans/hub/acme/stack"}
        assert {path.suffix for path in files} <= {".json", ".package"}
        for path in files:
            if path.suffix == ".json":
                read_report(path.read_bytes(), read_package(path.with_suffix(".package").read_bytes()))
        assert output.changes.keys() == {str(path.relative_to(root)) for path in files}
        assert files or problems.refuse(strict=False)


@given(st.lists(st.text(max_size=6), max_size=4))
def test_no_address_makes_a_name_that_is_a_path(parts: list[str]) -> None:
    found = listed_at(f"https://hub.example.org/packages/helm/{'/'.join(parts)}", [], None)
    assert found is None or not {"/", "\\", "..", "."} & {found.repository, found.package}
    assert found is None or found.name.count("/") == 1
