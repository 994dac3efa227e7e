"""The folder of a history: what may happen to its files, and what is said about it."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .live_host import Host, serving
from .past import ONE, TWO, Past
from .sites import SiteFolder, row

FIRST, SECOND, THIRD, FOURTH = "2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04"


@pytest.fixture
def past(site: SiteFolder) -> Past:
    """Three recorded days: a vulnerability comes on the second; on the third another, and the image ages."""
    past = Past(site)
    past.image("nginx", "1.0")
    past.scan("nginx", "1.0", [])
    past.day(FIRST)
    past.scan("nginx", "1.0", [row(ONE)])
    past.day(SECOND)
    past.scan("nginx", "1.0", [row(ONE), row(TWO)])
    past.image("nginx", "1.0", lifecycle="deprecated")
    past.day(THIRD)
    return past


def refusal(past: Past, *options: str) -> str:
    """What is said when it is refused; then nothing has changed."""
    before = past.files()
    result = past.run(*options)
    assert result.exit_code == 1, result.output
    assert past.files() == before
    return result.output


def test_a_whole_history_is_proved(past: Past) -> None:
    result = past.run("--verify")
    assert (result.exit_code, result.output) == (0, "verified: 3 days in an unbroken chain; no problems\n")
    assert "0 of 3 days changed, 0 events left out" in past.run("--rebuild").output


def test_a_history_of_one_day_is_proved(site: SiteFolder) -> None:
    past = Past(site)
    past.image("nginx", "1.0")
    past.day(FIRST)
    assert past.run("--verify").output == "verified: 1 day in an unbroken chain; no problems\n"


def test_an_empty_history_is_proved(site: SiteFolder) -> None:
    assert Past(site).run("--verify").exit_code == 0
    assert not (site.folder / "history").exists()


def test_a_changed_day_breaks_the_chain(past: Past) -> None:
    past.file(SECOND).write_bytes(past.file(SECOND).read_bytes().replace(b"HIGH", b"LOW"))
    said = refusal(past, "--verify")
    assert f"history/{THIRD}.json:1: the chain is broken between {SECOND}.json and this day" in said
    assert "`catalog-api record --rebuild`" in said
    assert said.endswith("not verified: 1 error in 1 file\n")
    assert "chain is broken" in refusal(past, "--date", FOURTH)


def test_a_missing_day_breaks_the_chain(past: Past) -> None:
    past.file(FIRST).unlink()
    assert f"history/{SECOND}.json:1: the day before the first one is missing" in refusal(past, "--verify")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b'"vulnerability-found"', b'"vulnerability-lost"', ":3: not a valid event"),
        (b'"HIGH"', b'"high"', ":3: not a valid event"),
        (b'"HIGH"', b'"\xff"', ":3: not a valid event"),
        (b'"available"', b'"', ":2: not a valid event"),
        (b"\n]}\n", b"\n", ":3: the file is cut off"),
        (b"\n]}\n", b",\n]}\n", ":4: a day ends with"),
        (b"\n]}\n", b"\n]}\n{}\n", ":5: a day ends with"),
        (b",\n", b"\n", ":3: missing comma"),
        (b'{"date":"2026-11-03"', b'{"date":"2026-11-05"', ":1: not a valid first line"),
        (b'{"date"', b"{date", ":1: not a valid first line"),
        (b'{"date"', b'<<<<<<< HEAD\n{"date"', ":1: unresolved merge conflict"),
        (TWO.encode(), ONE.encode(), ":3: contradicts the days before: the vulnerability is known already"),
        (b'"available"', b'"planned"', ":2: contradicts the days before: the lifecycle was available"),
    ],
)
def test_a_file_that_is_not_in_order_is_named(past: Past, old: bytes, new: bytes, said: str) -> None:
    body = past.file(THIRD).read_bytes()
    assert old in body
    past.file(THIRD).write_bytes(body.replace(old, new, 1))
    assert f"history/{THIRD}.json{said}" in refusal(past, "--verify")


def test_a_second_beginning_is_refused(past: Past) -> None:
    body = past.file(SECOND).read_bytes()
    past.file(SECOND).write_bytes(re.sub(b'"previous":"[0-9a-f]*"', b'"previous":null', body))
    said = f"history/{SECOND}.json:1: `previous` is null as on the first day, but {FIRST}.json is before it"
    assert said in refusal(past, "--verify")


def test_other_files(past: Past) -> None:
    past.site.write("history/README.md", "The past.\n")
    past.site.write("history/.gitattributes", "*.json -text\n")
    assert past.run("--verify").exit_code == 0
    past.site.write("history/2026-02-30.json", "")
    assert "history/2026-02-30.json: the name is not a date" in refusal(past, "--verify")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_a_day_that_is_a_pipe_is_refused_and_not_waited_for(past: Past) -> None:
    past.file(SECOND).unlink()
    os.mkfifo(past.file(SECOND))
    result = past.run("--verify")
    assert result.exit_code == 1
    assert f"history/{SECOND}.json: not a regular file" in result.output


def test_line_ends_of_windows_change_nothing(past: Past) -> None:
    for name, body in past.files().items():
        (past.site.folder / "history" / name).write_bytes(body.replace(b"\n", b"\r\n"))
    assert past.run("--verify").exit_code == 0
    past.day(FOURTH)
    assert past.run("--verify").exit_code == 0


def test_two_machines_that_recorded_different_days(past: Past) -> None:
    """Git merges their histories without a word, since they are different files."""
    both = past.files()
    past.scan("nginx", "1.0", [row(ONE)])
    past.day(FOURTH)
    past.file(THIRD).unlink()
    past.file(FOURTH).unlink()
    past.scan("nginx", "1.0", [row(ONE), row(TWO)])
    past.day(FOURTH)  # on another machine, which knows nothing of the third day
    past.file(THIRD).write_bytes(both[f"{THIRD}.json"])
    said = refusal(past, "--verify")
    assert f"history/{FOURTH}.json:1: the chain is broken between {THIRD}.json" in said
    assert "1 of 4 days changed, 2 events left out" in past.run("--rebuild").output
    assert past.run("--verify").exit_code == 0
    assert past.episodes() == [
        (TWO, "openssl", THIRD, None, None, None),
        (ONE, "openssl", SECOND, None, None, None),
    ]
    assert past.vulnerabilities("2026-11-05") == []


def test_a_day_that_git_could_not_merge_is_mended_first(past: Past) -> None:
    whole = past.file(THIRD).read_bytes()
    past.file(SECOND).write_bytes(past.file(SECOND).read_bytes().replace(b"HIGH", b"LOW"))
    past.file(THIRD).write_bytes(b"<<<<<<< HEAD\n" + whole + b"=======\n" + whole + b">>>>>>> theirs\n")
    assert "unresolved merge conflict" in refusal(past, "--rebuild")
    past.file(THIRD).write_bytes(whole)
    assert past.run("--rebuild").exit_code == 0
    assert past.run("--verify").exit_code == 0


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
    left, fresh = (
        past.site.write(f"history/.{FOURTH}.json.{name}", "{") for name in ("0badcafe", "deadbeef")
    )
    os.utime(left, (0, 0))
    past.day(FOURTH)
    assert not left.exists()
    assert fresh.exists(), "it may belong to a run that goes on"


def test_a_link_is_replaced_and_never_written_through(past: Past) -> None:
    elsewhere = past.site.write("elsewhere.json", "mine")
    try:
        past.file(FOURTH).symlink_to(elsewhere)
    except OSError:
        pytest.skip("no links here")
    past.day(FOURTH)
    assert elsewhere.read_text() == "mine"
    assert not past.file(FOURTH).is_symlink()
    (past.site.folder / "history").rename(past.site.folder / "other")
    (past.site.folder / "history").symlink_to("other", target_is_directory=True)
    assert "history: not a folder" in refusal(past, "--verify")


def test_a_refused_catalog_records_nothing(past: Past) -> None:
    past.site.image("bad", "versions: ['1 0']")
    assert "docs/images/bad.md" in refusal(past, "--date", FOURTH)


def test_a_day_in_the_future_is_refused(past: Past) -> None:
    assert "error: history: --date: 2999-01-01 is in the future" in refusal(past, "--date", "2999-01-01")
    past.day("2027-01-01", SOURCE_DATE_EPOCH="1798761600")  # of the commit, ahead of the clock


def heads(past: Past) -> list[str]:
    return [hashlib.sha256(body).hexdigest() for body in past.files().values()]


def test_a_history_that_goes_on_from_a_published_head_is_proved(past: Past) -> None:
    for head in heads(past):
        assert past.run("--verify", "--head", head.upper()).exit_code == 0


@pytest.mark.parametrize("fault", ["edited", "removed", "rebuilt"])
def test_a_history_without_the_published_head_is_refused(past: Past, fault: str) -> None:
    """The chain alone shows neither that its last day was edited nor that it was removed."""
    head = heads(past)[-1]
    if fault == "edited":
        past.file(THIRD).write_bytes(past.file(THIRD).read_bytes().replace(TWO.encode(), b"CVE-2026-9999"))
    elif fault == "removed":
        past.file(THIRD).unlink()
    else:
        past.file(SECOND).unlink()
        assert past.run("--rebuild").exit_code == 0
    assert past.run("--verify").exit_code == 0
    assert head in refusal(past, "--verify", "--head", head)


@pytest.fixture
def published(past: Past) -> Iterator[Host]:
    """The API of the three days, on a host."""
    past.documents()
    with serving(past.site.folder / "site/api/v1") as host:
        yield host


def test_a_history_is_compared_with_the_published_one(past: Past, published: Host) -> None:
    for address in (published.url, f"{published.url}api/v1/"):
        assert past.run("--verify", "--against", address).exit_code == 0
    assert set(published.asked) == {"history/index.json"}
    past.day(FOURTH)
    result = past.run("--verify", "--against", published.url)
    assert (result.exit_code, THIRD in result.output) == (0, True)
    past.file(FOURTH).unlink()
    past.file(THIRD).unlink()
    output = refusal(past, "--verify", "--against", published.url)
    assert "error: history: " in output
    assert THIRD in output


@pytest.mark.parametrize(
    ("status", "body"), [(404, b""), (200, b"<html>"), (200, b'{"head": {"date": "x", "sha256": "y"}}')]
)
def test_a_site_without_a_history_proves_nothing(
    past: Past, published: Host, status: int, body: bytes
) -> None:
    published.change = lambda path, answer: answer._replace(status=status, body=body)
    output = refusal(past, "--verify", "--against", published.url)
    assert "history/index.json" in output
    assert "[CAT" in output


@pytest.mark.parametrize(
    "options",
    [
        ("--since", FIRST),
        ("--verify", "--rebuild"),
        ("--date", "1.1.2026"),
        ("--date", FIRST, "--verify"),
        ("--head", "0" * 64),
        ("--verify", "--head", "abc"),
        ("--against", "https://example.org/"),
        ("--verify", "--against", "http://example.org/"),
        ("--verify", "--against", "example.org"),
    ],
)
def test_wrong_usage(past: Past, options: tuple[str, ...]) -> None:
    assert past.run(*options).exit_code == 2


def test_for_programs(past: Past) -> None:
    result = past.run("--date", FOURTH, "--json")
    assert '"events": 0' in result.output
    assert '"refused": false' in result.output


def test_the_same_on_two_machines(past: Past) -> None:
    """Nothing of the machine's hash seed is in the bytes."""
    program = "from mkdocs_catalog_api.commands.main import main; main()"
    before = past.file(THIRD).read_bytes()
    for seed in ("1", "2"):
        past.file(THIRD).unlink()
        arguments = ["record", "-f", str(past.site.folder / "mkdocs.yml"), "--date", THIRD]
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", program, *arguments], check=True, env=environment)
        assert past.file(THIRD).read_bytes() == before
