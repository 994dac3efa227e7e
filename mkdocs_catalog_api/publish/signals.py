"""A program that is told to end cleans up first."""

from __future__ import annotations

import signal
import sys
import threading
from typing import NoReturn

_NAMES = "SIGTERM", "SIGHUP", "SIGBREAK"


def exit_on_signals() -> None:
    """Have SIGTERM (a closed terminal, Ctrl-Break) end the program as Ctrl-C does, so that `finally` is run.

    What the program or its user has set for a signal stays.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for name in _NAMES:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _exit)


def _exit(number: int, _frame: object) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # the cleaning up is not interrupted by the same again
    sys.exit(128 + number)
