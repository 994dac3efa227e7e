"""Programs that stop where a test wants them to, so that it can end them there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STOPPING = """
import runpy, signal, sys
_, event, number, part, program, *arguments = sys.argv
left = int(number)
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell in the background ignores

def stop(name, given):
    global left
    if name == event and part in str(given):
        left -= 1
        if left == 0:
            print("here", flush=True)
            sys.stdin.readline()

sys.addaudithook(stop)
sys.argv = [program, *arguments]
if program == "catalog-api":
    from mkdocs_catalog_api.commands.main import main
    main()
else:
    runpy.run_module(program, run_name="__main__")
"""


@contextmanager
def stopped(
    folder: Path, event: str, number: int, part: str, *command: str
) -> Iterator[subprocess.Popen[str]]:
    """Run `catalog-api …` or a module in `folder` until something is about to happen for the n-th time.

    `event` is one of https://docs.python.org/3/library/audit_events.html, `part` is in its arguments. The
    program goes on when a line is written to it.
    """
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent)}
    arguments = [sys.executable, "-c", _STOPPING, event, str(number), part, *command]
    with subprocess.Popen(
        arguments,
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout
            line = process.stdout.readline()
            if line != "here\n":
                out, err = process.communicate()
                raise AssertionError(f"the program ended before it came there: {line}{out}{err}")
            yield process
        finally:
            process.kill()
