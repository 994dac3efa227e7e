"""Work that is spread over processes ends like work that is done in order."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import chain
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mkdocs_catalog_api import engine, parallel
from mkdocs_catalog_api.problems import Problems
from mkdocs_catalog_api.publish import Written, write
from mkdocs_catalog_api.standalone import read_site

from .sites import SiteFolder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems work in one process")


def spread(
    monkeypatch: pytest.MonkeyPatch, work: Callable[[Sequence[int]], list[int]], count: int
) -> list[int]:
    monkeypatch.setattr(parallel, "processes", lambda: 3)
    return list(chain.from_iterable(parallel.in_chunks(work, range(count), least=1)))


@settings(max_examples=20, deadline=None)
@given(count=st.integers(0, 500), processes=st.integers(1, 4), least=st.integers(1, 500))
def test_results_come_in_the_order_of_the_items(count: int, processes: int, least: int) -> None:
    def squares(part: Sequence[int]) -> list[int]:
        return [number * number for number in part]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel, "processes", lambda: processes)
        results = list(parallel.in_chunks(squares, range(count), least=least))
    assert list(chain.from_iterable(results)) == squares(range(count))


def test_all_processes_take_part(monkeypatch: pytest.MonkeyPatch) -> None:
    here, met = os.getpid(), multiprocessing.get_context("fork").Barrier(3)

    def work(part: Sequence[int]) -> list[int]:
        if part[0] < 3 * len(part):
            met.wait(60)  # breaks unless three processes have come this far
        return [os.getpid()] * len(part)

    found = set(spread(monkeypatch, work, 400))
    assert here in found and len(found) == 3


@pytest.mark.parametrize("wrong", [{3}, {390}, {3, 390}, {200, 399}])
def test_the_first_failure_is_the_one_that_is_told(monkeypatch: pytest.MonkeyPatch, wrong: set[int]) -> None:
    def work(part: Sequence[int]) -> list[int]:
        for number in part:
            if number in wrong:
                raise ValueError(number)
        return list(part)

    with pytest.raises(ValueError, match=f"^{min(wrong)}$"):
        spread(monkeypatch, work, 400)


def test_a_killed_worker_is_an_error_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    # A pipe, as a worker that dies within an event's `set` would keep the lock of the event.
    here, (died, dying) = os.getpid(), os.pipe()

    def work(part: Sequence[int]) -> list[int]:
        if os.getpid() != here and part[0] > 100:
            os.write(dying, b".")
            os.kill(os.getpid(), signal.SIGKILL)
        if os.getpid() == here and part[0] > 0:
            os.write(dying, os.read(died, 1))  # one has died, or is about to
        return list(part)

    try:
        with pytest.raises(OSError, match="killed"):
            spread(monkeypatch, work, 400)
    finally:
        os.close(died)
        os.close(dying)


def test_killing_workers_at_any_moment_ends_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """With results that are larger than a pipe, so that some die while they send one."""
    here = os.getpid()

    def work(part: Sequence[int]) -> list[bytes]:
        if os.getpid() != here:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, part[0] / 100_000)
        return [bytes(1_000_000)] * len(part)

    monkeypatch.setattr(parallel, "processes", lambda: 3)
    for _ in range(20):
        with suppress(OSError):
            assert sum(map(len, parallel.in_chunks(work, range(1, 100), least=1))) == 99
    assert not multiprocessing.active_children()


def test_work_that_nobody_wants_any_more_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(part: Sequence[int]) -> Sequence[int]:
        return part

    monkeypatch.setattr(parallel, "processes", lambda: 3)
    results = parallel.in_chunks(work, range(400), least=1)
    assert next(results)[0] == 0
    results.close()  # type: ignore[attr-defined]
    assert not multiprocessing.active_children() and threading.active_count() == 1


def test_ctrl_c_waits_until_the_workers_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyboardInterrupt):  # where it comes is what counts
        with parallel.uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            known = True
        known = False
    assert known
    here = os.getpid()

    def work(part: Sequence[int]) -> list[int]:
        blocked = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
        assert blocked == (os.getpid() != here)
        return list(part)

    assert len(spread(monkeypatch, work, 400)) == 400


def test_work_that_nobody_has_asked_for_yet_is_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(part: Sequence[int]) -> bytes:
        return bytes(1_000_000)

    monkeypatch.setattr(parallel, "processes", lambda: 3)
    results = parallel.in_chunks(work, range(100_000), least=1)
    parallel.drop_all()
    assert not multiprocessing.active_children() and threading.active_count() == 1
    del results


def test_an_interrupt_between_leaves_nothing(site: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(100):
        site.image(f"app-{number}")
    begun, beginning = os.pipe()

    def tell_and_write(folder: Path, documents: Iterable[tuple[str, bytes]]) -> list[Written]:
        os.write(beginning, b".")
        return write(folder, documents)

    def interrupt(_: object) -> None:
        os.read(begun, 1)
        raise KeyboardInterrupt

    monkeypatch.setattr(parallel, "processes", lambda: 3)
    monkeypatch.setattr("mkdocs_catalog_api.compose.write", tell_and_write)
    monkeypatch.setattr("mkdocs_catalog_api.documents.openapi.describe", interrupt)
    problems = Problems()
    read, settings, _ = read_site(site.write_config(), problems)
    with pytest.raises(KeyboardInterrupt):
        engine.prepare(read, settings, problems, strict=False)
    assert not multiprocessing.active_children()
    assert [path.name for path in site.folder.iterdir() if path.name.startswith(".")] == []
    os.close(begun)
    os.close(beginning)


def test_without_memory_for_a_result_the_work_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object) -> bytes:
        raise MemoryError

    with monkeypatch.context() as patch, pytest.raises(OSError, match="memory"):
        patch.setattr(Connection, "recv_bytes", full)
        spread(patch, lambda part: list(part), 400)


@pytest.mark.parametrize("what", ["mkdocs_catalog_api.parallel.Thread.start", "os.fork"])
def test_where_nothing_can_be_started_one_process_does_it_all(
    monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    def refuse(*_: object) -> None:
        raise (RuntimeError if "Thread" in what else BlockingIOError)("no more")

    with monkeypatch.context() as patch:
        patch.setattr(what, refuse)
        found = spread(patch, lambda part: list(part) * 1000, 400)
    assert sorted(set(found)) == list(range(400)) and len(found) == 400_000
    assert not multiprocessing.active_children()


def test_a_process_that_may_have_no_children_works_alone() -> None:
    def work() -> None:
        os._exit(int(parallel.processes() != 1))

    process = multiprocessing.get_context("fork").Process(target=work, daemon=True)
    process.start()
    process.join(60)
    assert process.exitcode == 0
