"""The folder of a history: what may happen to its files, and what is said about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .past import ONE, THREE, TWO, Past
from .sites import REGISTRY, SiteFolder, built, digest, row, trivy

FIRST, SECOND, THIRD, FOURTH = "2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04"


@pytest.fixture(scope="module")
def three_days(tmp_path_factory: pytest.TempPathFactory) -> Past:
    """A vulnerability comes on the second day; on the third another, and the image ages."""
    past = Past(SiteFolder(tmp_path_factory.mktemp("past")))
    past.image("nginx", "1.0")
    past.scan("nginx", "1.0", [])
    past.day(FIRST)
    past.scan("nginx", "1.0", [row(ONE)])
    past.day(SECOND)
    past.scan("nginx", "1.0", [row(ONE), row(TWO)])
    past.image("nginx", "1.0", lifecycle="deprecated")
    past.day(THIRD)
    return past


@pytest.fixture
def past(three_days: Past, site: SiteFolder) -> Past:
    return Past.copy(three_days, site)


def refusal(past: Past, *options: str) -> str:
    """What is said when it is refused; then nothing has changed."""
    before = past.files()
    result = past.run(*options)
    assert result.exit_code == 1, result.output
    assert past.files() == before
    return result.output


DAMAGES = [
    (b'"HIGH"', b'"WORSE"', ":2: not a recorded day: "),
    (b'"counts":{', b'"scannedAt":"2026-13-01T00:00:00Z","counts":{', ":2: not a recorded day: "),
    (b'"HIGH"', b'"\xff"', ":2: not a recorded day: "),
    (b"\n}}\n", b",\n}}\n", ":3: not a recorded day: not valid JSON"),
    (b'{"date":"2026-11-03"', b'{"date":"2026-11-05"', ":1: the file contains the day '2026-11-05'"),
    (b'{"date"', b'{"events":[],"date"', ":1: not a recorded day: unknown field `events`"),
    # The counts of the day.
    (b'"total":2', b'"total":-2', ":1: "),
    (b'"fixable":0,', b"", ":1: "),
    # As Git leaves it if it can't merge.
    (b'{"date"', b'<<<<<<< HEAD\n{"date"', "unresolved merge conflict (keep one side"),
]


@pytest.mark.parametrize(("old", "new", "said"), DAMAGES)
def test_a_file_that_is_not_in_order_is_named(past: Past, old: bytes, new: bytes, said: str) -> None:
    body = past.file(THIRD).read_bytes()
    assert old in body
    past.file(THIRD).write_bytes(body.replace(old, new, 1))
    output = refusal(past, "--date", FOURTH)
    assert (f"history/{THIRD}.json{said}" if said[0] == ":" else said) in output


def test_other_files(past: Past) -> None:
    past.site.write("history/README.md", "The past.\n")
    past.site.write("history/.gitattributes", "*.json -text\n")
    assert past.run("--date", FOURTH).exit_code == 0
    for name in ("2026-02-30", "0001-01-01", "9999-12-31"):
        past.site.write(f"history/{name}.json", "")
        assert f"history/{name}.json: the name is not a date" in refusal(past, "--date", FOURTH)
        past.file(name).unlink()


def test_an_image_that_stands_twice_in_a_day_is_refused(past: Past) -> None:
    body = past.file(THIRD).read_bytes()
    past.file(THIRD).write_bytes(
        body.replace(b"\n}}\n", b",\n" + body.splitlines()[1].rstrip(b",") + b"\n}}\n")
    )
    last = body.count(b"\n")
    assert f'history/{THIRD}.json:{last}: "nginx" stands twice' in refusal(past, "--date", FOURTH)


def test_line_ends_of_windows_change_nothing(past: Past) -> None:
    for name, body in past.files().items():
        (past.site.folder / "history" / name).write_bytes(body.replace(b"\n", b"\r\n"))
    past.day(FOURTH)
    past.day(FOURTH)


def test_two_machines_that_recorded_different_days(past: Past) -> None:
    """Git merges their histories without a conflict, since they are different files."""
    both = past.files()
    past.file(THIRD).unlink()
    past.image("nginx", "1.0")
    past.day(FOURTH)  # on another machine, which has the same second vulnerability, and no third day
    past.file(THIRD).write_bytes(both[f"{THIRD}.json"])
    result = past.site.build()
    assert not result.failed, result.logged()
    assert [*result.problems] == []
    assert [day["date"] for day in result.json("changes.json")["data"]] == [FOURTH, THIRD, SECOND, FIRST]
    assert result.json(f"changes/{FOURTH}.json")["data"] == []
    assert result.at("history/nginx vulnerabilities id") == [TWO, ONE]
    assert result.at("history/nginx vulnerabilities firstSeen") == [THIRD, SECOND]
    # The next day says what the catalog is, whatever the merge made of the days before.
    assert past.day("2026-11-05") == {"lifecycle-changed": 1}
    assert past.day("2026-11-06") == {}


def test_a_missing_and_a_repeated_day_are_no_fault(past: Past) -> None:
    past.file(SECOND).unlink()
    past.file(FOURTH).write_bytes(past.file(THIRD).read_bytes().replace(THIRD.encode(), FOURTH.encode()))
    result = built(past.site)
    assert [*result.problems] == []
    assert result.json(f"changes/{FOURTH}.json")["data"] == []
    assert result.at("history/nginx vulnerabilities id") == [TWO], "the day with the other one is not there"
    assert past.day("2026-11-05")["vulnerability-found"] == 1


def test_what_a_killed_run_left_goes_away(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> None:
        raise OSError(28, "No space left on device")

    before = past.files()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        result = past.run("--date", FOURTH)
    assert result.exit_code == 1
    assert "No space left on device" in result.output
    assert past.files() == before


def test_a_link_is_replaced_and_never_written_through(past: Past) -> None:
    elsewhere = past.site.write("elsewhere.json", "mine")
    past.file(FOURTH).symlink_to(elsewhere)
    past.day(FOURTH)
    assert elsewhere.read_text() == "mine"
    assert not past.file(FOURTH).is_symlink()
    (past.site.folder / "history").rename(past.site.folder / "other")
    (past.site.folder / "history").symlink_to("other", target_is_directory=True)
    assert "history: not a folder" in refusal(past, "--date", FOURTH)


def test_a_refused_catalog_records_nothing(past: Past) -> None:
    past.site.image("bad", "versions: ['1 0']")
    assert "docs/images/bad.md" in refusal(past, "--date", FOURTH)


def test_a_day_in_the_future_is_refused(past: Past) -> None:
    assert "error: history: --date: 2999-01-01 is in the future" in refusal(past, "--date", "2999-01-01")
    past.day("2027-01-01", SOURCE_DATE_EPOCH="1798761600")  # of the commit, ahead of the clock


def test_a_day_as_json(past: Past) -> None:
    printed = json.loads(past.run("--date", FOURTH, "--json").stdout)
    assert printed == {"problems": [], "summary": {"refused": False, "date": FOURTH, "events": {}}}
    assert f"recorded {FOURTH}: nothing changed; no problems" in past.run("--date", FOURTH).output


def test_what_changed_is_told(past: Past) -> None:
    past.image("nginx", "1.0", v1_0="again")
    past.image("other", "2.0")
    past.scan("nginx", "1.0", [row(TWO), row(THREE)], "again")
    output = past.run("--date", FOURTH).output
    said = "2 images changed: 1 new, 1 released, 1 rebuilt, 1 found, 1 gone"
    assert f"recorded {FOURTH}: {said}; no problems" in output


@pytest.fixture
def begun(site: SiteFolder) -> Past:
    """A day without vulnerabilities."""
    past = Past(site)
    past.image()
    past.scan("nginx", "1.0", [])
    past.day(FIRST)
    return past


def test_an_earlier_day_is_refused(begun: Past) -> None:
    begun.day(THIRD)
    assert f"history: {SECOND} is before {THIRD}" in refusal(begun, "--date", SECOND)


def test_fixes_within_7_30_and_90_days_and_the_age_of_the_open_ones(
    begun: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The contract's check knows all of them."""
    urgent = [row(f"CVE-2026-000{number}", "CRITICAL") for number in range(1, 6)]
    env = {"SOURCE_DATE_EPOCH": "1816000000"}  # 2027-07-19
    monkeypatch.setenv("SOURCE_DATE_EPOCH", env["SOURCE_DATE_EPOCH"])
    for number, date in enumerate(("2026-11-02", "2026-11-09", "2026-12-02", "2027-02-01", "2027-02-02")):
        begun.image(v1_0=f"{number}")
        begun.scan("nginx", "1.0", urgent[number:], f"{number}", made=date)  # after 7, 30, 91 and 92 days
        begun.day(date, **env)
    document = built(begun.site).json("fixes.json")
    assert document["within"]["critical"] == {"count": 4, "days7": 0.25, "days30": 0.5, "days90": 0.5}
    assert document["open"] == {"critical": [92], "high": []}


def test_the_day_is_that_of_the_source_in_utc(begun: Past) -> None:
    assert begun.run(SOURCE_DATE_EPOCH="1793663999").exit_code == 0  # 2026-11-02T23:59:59Z
    assert begun.run(SOURCE_DATE_EPOCH="1793664000").exit_code == 0
    assert [*begun.files()] == ["2026-11-01.json", "2026-11-02.json", "2026-11-03.json"]


def test_several_records_on_one_day_are_one(begun: Past) -> None:
    begun.scan("nginx", "1.0", [row(ONE)])
    begun.day(SECOND)
    once = begun.files()
    begun.day(SECOND)
    assert begun.files() == once
    for rows, found in (([row(TWO)], 1), ([], 0)):
        begun.scan("nginx", "1.0", rows)
        assert begun.day(SECOND).get("vulnerability-found", 0) == found


def test_a_day_stores_facts_and_which_scans_show_a_vulnerability(begun: Past) -> None:
    digests = [digest("a"), digest("b")]
    begun.site.image("nginx", f"versions: [{{version: '1.0', digests: {json.dumps(digests)}}}]")
    begun.unscan("nginx", "1.0")
    for name, rows in (("a", [row(ONE)]), ("b", [row(ONE), row(TWO)])):
        of = f"{REGISTRY}/nginx@{digest(name)}"
        begun.site.report(f"nginx/{name}.json", trivy(rows, digest=of, created=f"{SECOND}T06:00:00Z"))
    begun.day(SECOND)
    facts = json.loads(begun.file(SECOND).read_bytes())["images"]["nginx"]
    assert [scan["digests"] for scan in facts["scans"]] == [[each] for each in digests]
    assert facts["rows"] == {
        "pkg:apk/openssl": {
            ONE: {"pkg": "openssl", "severity": "HIGH"},
            TWO: {"pkg": "openssl", "severity": "HIGH", "scans": [1]},
        }
    }
    assert facts["versions"] == {"1.0": {"digests": digests}}
    assert "lifecycle" not in facts and "image" not in facts, "only what differs"
