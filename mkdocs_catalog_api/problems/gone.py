"""Settings, commands and options that no longer exist, with the remedy that replaces each of them.

`{it} no longer exists ({remedy})` is the message. To remove a setting, a command or an option, add a row.
"""

from __future__ import annotations

from collections.abc import Mapping

SETTINGS: Mapping[str, str] = {
    "*.vocabulary": "use `fields: {tier: {values: [core, standard]}}`",
    "*.map": "use `fields: {category: {from: tags}}`",
}
"""Path of the setting → remedy. `*` is any collection: `*.map`."""

COMMANDS: Mapping[str, str] = {}
"""Command, or command and option such as `record --verify` → remedy."""


def gone_setting(path: tuple[str | int, ...]) -> str | None:
    """Return the remedy for a setting that no longer exists."""
    names = [str(step) for step in path]
    return SETTINGS.get(".".join(names)) or SETTINGS.get(".".join(["*", *names[1:]]))
