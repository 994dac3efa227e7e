"""Clean up when a signal ends the program."""

from __future__ import annotations

import signal
import sys
import threading
from typing import NoReturn

_NAMES = "SIGTERM", "SIGHUP", "SIGBREAK"


def exit_on_signals() -> None:
    """Make SIGTERM (a closed terminal, Ctrl-Break) end the program like Ctrl-C, so that `finally` runs.

    Existing signal handlers are kept.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for name in _NAMES:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _exit)


def _exit(number: int, _frame: object) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # the same signal again does not interrupt the cleanup
    sys.exit(128 + number)
