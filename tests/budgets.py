"""Byte budgets: a limit that nothing may pass, and a size above which a run warns."""

from __future__ import annotations

import warnings


def check_size(what: str, size: float, *, usual: int, limit: int) -> None:
    """Fail above `limit` bytes, warn above `usual` bytes."""
    assert size <= limit, f"{what}: {size:.0f} bytes, at most {limit}"
    if size > usual:
        warnings.warn(f"budget: {what} has {size:.0f} bytes, usually at most {usual}", stacklevel=2)
