"""Settings, commands and options that no longer exist, with the remedy that replaces each of them.

`{it} no longer exists ({remedy})` is the message. To remove a setting, a command or an option, add a row.
"""

from __future__ import annotations

from collections.abc import Mapping

SETTINGS: Mapping[str, str] = {
    "badges": "add `&label=`, `&color=`, `&logo=` and so on to the URL of the badge",
    "history": "the folder is `history`, next to mkdocs.yml",
    "openapi": "openapi.json has no contact and no license; name them on a page",
    "registry_facts": "the folder is `registry`, next to mkdocs.yml",
    "security.epss": "EPSS changes daily; ask its API",
    "security.kev": "the file is advisories/known_exploited_vulnerabilities.json",
    "signed": "sign api/v1/manifest.json with cosign or openssl",
    "updates.decisions": "the file is `decisions.yml`, next to mkdocs.yml",
}
"""Path of the setting → remedy. `*` is any collection: `*.map`."""

COMMANDS: Mapping[str, str] = {}
"""Command, or command and option such as `record --verify` → remedy."""


def gone_setting(path: tuple[str | int, ...]) -> str | None:
    """Return the remedy for a setting that no longer exists."""
    names = [str(step) for step in path]
    return SETTINGS.get(".".join(names)) or SETTINGS.get(".".join(["*", *names[1:]]))
