"""Work that is spread over processes ends like work that is done in order."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Sequence
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mkdocs_catalog_api import parallel

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
    here, begun = os.getpid(), multiprocessing.get_context("fork").Event()

    def work(part: Sequence[int]) -> list[int]:
        if os.getpid() != here:
            begun.set()
            os.kill(os.getpid(), signal.SIGKILL)
        assert begun.wait(60)
        return list(part)

    with pytest.raises(OSError, match="killed"):
        spread(monkeypatch, work, 400)
