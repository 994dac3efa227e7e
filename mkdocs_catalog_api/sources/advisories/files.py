"""What both readers do with a file: read it within its limit, and say where it is wrong."""

from __future__ import annotations

from pathlib import Path

from ...problems import Problem, Problems, reason
from ...problems.codes import Code

AGAIN = "fetch it again"


def read_bounded(file: Path, name: str, most: int, problems: Problems) -> bytes | None:
    """The bytes of a file, None and a problem when it can't be read or has more than `most`."""
    try:
        with file.open("rb") as stream:
            data = stream.read(most + 1)
    except OSError as error:
        problems.add(Problem(name, 0, 0, "", f"can't be read: {reason(error)}", code=Code.NOT_READ))
        return None
    if len(data) > most:
        problems.add(too_large(name, most))
        return None
    return data


def too_large(name: str, most: int) -> Problem:
    """The problem of a file that has more than `most` bytes, unpacked."""
    hint = f"{AGAIN}, or raise `security.max_report_size`"
    return Problem(
        name, 0, 0, "", f"larger than {most:,} bytes, so it was not read", hint, code=Code.NOT_READ
    )
