"""Settings, commands and options that no longer exist, with the remedy that replaces each of them.

`{it} no longer exists ({remedy})` is the message. To remove a setting, a command or an option, add a row.
"""

from __future__ import annotations

from collections.abc import Mapping

SETTINGS: Mapping[str, str] = {
    "*.vocabulary": "use `fields: {tier: {values: [core, standard]}}`",
    "*.map": "use `fields: {category: {from: tags}}`",
    "badges": "remove it; `&label=`, `&color=` and `&logo=` in the URL of a badge set its appearance",
    "history": "remove it; the folder is `history`, next to mkdocs.yml",
    "openapi": "remove it; openapi.json has neither a contact nor a license",
    "registry_facts": "remove it; the folder is `registry`, next to mkdocs.yml",
    "security.epss": "remove it; clients can ask the API of EPSS",
    "security.kev": "remove it, and save the list as `advisories/known_exploited_vulnerabilities.json`",
    "signed": "remove it; the guide's page `Hosts and signatures` signs with openssl or cosign",
    "updates.decisions": "remove it, and set `outcome` of each update in `updates.yml`",
}
"""Path of the setting → remedy. `*` is any collection: `*.map`."""

_READS = "remove it: MkDocs reads the site if hooks or plugins can change its pages"
_GIT = "git shows each change of a recorded day; to prove what you published, sign the manifest"
COMMANDS: Mapping[str, str] = {
    "fetch": "run `catalog-api sync`, or `sync hub`, `sync kev` and `sync eol`",
    "diff": "compare the two `openapi.json` with a tool for OpenAPI, such as oasdiff",
    "explain": "the guide's page `Troubleshooting and codes` explains every code",
    "schemas": "copy the folder `schemas` of the package, as on the guide's page `Pages`",
    "check-live": "run `verify.sh` of the guide's page `Hosts and signatures`",
    "sign": "sign `manifest.json` with openssl or cosign, as on the guide's page `Hosts and signatures`",
    "record --verify": _GIT,
    "record --head": _GIT,
    "record --against": _GIT,
    "record --rebuild": "recorded days need no repair after a merge",
    "record --from-git": "record each day with `catalog-api record` from now on",
    "record --since": "record each day with `catalog-api record` from now on",
    **{f"{command} --trust": _READS for command in ("build", "check", "list", "record")},
    "check --with-mkdocs": _READS,
}
"""Command, or command and option such as `record --verify` → remedy."""


def gone_setting(path: tuple[str | int, ...]) -> str | None:
    """Return the remedy for a setting that no longer exists."""
    names = [str(step) for step in path]
    return SETTINGS.get(".".join(names)) or SETTINGS.get(".".join(["*", *names[1:]]))
