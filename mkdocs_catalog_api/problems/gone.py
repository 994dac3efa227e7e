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
    "signed": "remove it; the guide's page `Sign and verify the API` signs with openssl or cosign",
    "updates.decisions": "the file is `decisions.yml`, next to mkdocs.yml",
}
"""Path of the setting → remedy. `*` is any collection: `*.map`."""

_GIT = "git shows each change of a recorded day; to prove what you published, sign the manifest"
COMMANDS: Mapping[str, str] = {
    "diff": "compare the two `openapi.json` with a tool for OpenAPI, such as oasdiff",
    "explain": "the guide's page `Messages and codes` explains every code",
    "schemas": "copy the folder `schemas` of the package, as on the guide's page `Your editor`",
    "check-live": "run `verify.sh` of the guide's page `Sign and verify the API`",
    "sign": "sign `manifest.json` with openssl or cosign, as on the guide's page `Sign and verify the API`",
    "record --verify": _GIT,
    "record --head": _GIT,
    "record --against": _GIT,
    "record --rebuild": "recorded days need no repair after a merge",
    "record --from-git": "record each day with `catalog-api record` from now on",
    "record --since": "record each day with `catalog-api record` from now on",
}
"""Command, or command and option such as `record --verify` → remedy."""


def gone_setting(path: tuple[str | int, ...]) -> str | None:
    """Return the remedy for a setting that no longer exists."""
    names = [str(step) for step in path]
    return SETTINGS.get(".".join(names)) or SETTINGS.get(".".join(["*", *names[1:]]))
