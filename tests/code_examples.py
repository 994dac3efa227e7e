"""An example message for each code, from a catalog with one problem where that is possible."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from mkdocs_catalog_api.problems import Level
from mkdocs_catalog_api.problems.codes import Code

from .authors import configure, problems
from .sites import SiteFolder, digest, row, trivy
from .test_cli import call

FRONT = "---\ncategory: Web servers\ntier: core\nlicense: BSD-2-Clause\n"
PAGE, REPORT = "docs/images/nginx.md", "scans/nginx/1.29.3.json"
REPOSITORY = "ghcr.io/acme/images"
AMD64, ARM64 = digest("amd64"), digest("arm64")


class Broken(NamedTuple):
    """A catalog with one problem: the settings in YAML, and the files."""

    files: Mapping[str, str | bytes]
    settings: str = f"registry: {REPOSITORY}"
    command: tuple[str, ...] = ()
    """The command that reports the problem; `check` without it."""


def _page(lines: str = "versions: [1.29.3]") -> str:
    return f"{FRONT}{lines}\n---\n"


def _report(image: str = f"{REPOSITORY}/nginx:1.29.3", **fields: object) -> bytes:
    report = {**trivy([row("CVE-2026-0001")], created="2025-11-20T06:00:00Z"), "ArtifactName": image}
    return json.dumps(report | {"Metadata": {"RepoTags": [image]}} | fields).encode()


SCANNED: Mapping[str, str | bytes] = {PAGE: _page(), REPORT: _report()}
_VEX = {
    "@context": "https://openvex.dev/ns/v0.2.0",
    "@id": "https://example.org/vex/1",
    "author": "Acme",
    "timestamp": "2025-11-20T06:00:00Z",
    "version": 1,
    "statements": [
        {
            "vulnerability": {"name": "CVE-2026-0001"},
            "products": [{"@id": f"pkg:oci/nginx?repository_url={REPOSITORY}/nginx"}],
            "status": "not_affected",
        }
    ],
}
CATALOGS = {
    Code.SYNTAX: Broken({PAGE: _page("description: Web server: fast")}),
    Code.NOT_READ: Broken({PAGE: b"---\nname: Caf\xe9\n---\n"}),
    Code.UNKNOWN_FIELD: Broken({PAGE: _page("versions: [1.29.3]\nhome-page: https://nginx.org")}),
    Code.MISSING_FIELD: Broken(
        {PAGE: "---\ncategory: Web servers\n---\n"},
        f"registry: {REPOSITORY}\nimages: {{fields: {{license: {{required: true}}}}}}",
    ),
    Code.WRONG_VALUE: Broken({PAGE: _page("homepage: nginx.org")}),
    Code.TWICE: Broken({PAGE: _page("versions: [1.29.3, 1.29.3]")}),
    Code.NEWEST: Broken({PAGE: _page("versions: [1.29.3]\nlatest: 1.30.0")}),
    Code.PAGE: Broken({PAGE: _page("catalog: image")}),
    Code.SETTING: Broken({PAGE: _page()}, "registy: ghcr.io/acme/images"),
    Code.MISSING_PATH: Broken(SCANNED, "registry: a.b/c\nsecurity: {reports: reports}"),
    Code.PLUGINS: Broken(
        {
            PAGE: _page(),
            "mkdocs.yml": "site_name: Catalog\nplugins: [galery, {catalog-api: {registry: a.b/c}}]\n",
        },
        command=("check",),
    ),
    Code.BROKEN_REPORT: Broken({PAGE: _page(), REPORT: _report()[:-20]}),
    Code.UNMATCHED_REPORT: Broken({PAGE: _page("versions: [1.28.0]"), REPORT: _report()}),
    Code.PASSED_OVER: Broken({**SCANNED, "scans/nginx/old.json": _report(CreatedAt="2025-11-01T06:00:00Z")}),
    Code.SCAN_AGE: Broken(SCANNED, f"registry: {REPOSITORY}\nsecurity: {{max_age: 30}}"),
    Code.IN_PART: Broken(
        {
            PAGE: _page(f"versions:\n  - {{version: 1.29.3, digest: ['{AMD64}', '{ARM64}']}}"),
            REPORT: _report(Metadata={"RepoDigests": [f"{REPOSITORY}/nginx@{AMD64}"]}),
        }
    ),
    Code.END_OF_LIFE: Broken(
        {PAGE: _page(), REPORT: _report(Metadata={"OS": {"Family": "debian", "Name": "9", "EOSL": True}})}
    ),
    Code.PIN: Broken(
        {
            PAGE: _page(),
            "docs/charts/web.md": f"{FRONT}versions: [1.0.0]\nimages: ['{REPOSITORY}/nginx:1.28.0']\n---\n",
        }
    ),
    Code.DOUBTFUL_FINDINGS: Broken(
        {PAGE: _page(), REPORT: _report().replace(b'"Severity": "HIGH"', b'"Severity": "SEVERE"')}
    ),
    Code.STATEMENT: Broken({**SCANNED, "vex/nginx.json": json.dumps(_VEX)}),
    Code.HISTORY: Broken({PAGE: _page(), "history/2025-11-20.json": "{}"}),
    Code.MARKER: Broken(
        {PAGE: _page(), "docs/index.md": "# Home\n\n<!-- catalog: image -->\n"},
        command=("check",),
    ),
    Code.IN_THE_WAY: Broken({PAGE: _page(), "site/api/v1/images.json": "{}"}, command=("build",)),
    Code.HEADER_FILE: Broken(
        {PAGE: _page(), "docs/_headers": "/*\n  X-Frame-Options: DENY\n"},
        f"registry: {REPOSITORY}\nheaders: netlify",
        command=("build",),
    ),
}
"""What is wrong → the smallest catalog that shows it."""
PRINTED = {
    Code.NOT_WRITTEN: "error: the API can't be written: site/api/v1: No space left on device",
    Code.NOT_FETCHED: "error: scans/hub/acme/stack/1.2.0.json: the hub has no more results for "
    "ghcr.io/acme/web:1.0, so what it last found there is kept (…)",
    Code.REGISTRY: "error: docs/images/nginx.md:2:1: image: ghcr.io/acme/images/nginx: no whole "
    "answer ([Errno 111] Connection refused), also after 4 more tries",
    Code.MOVED_TAG: "warning: docs/images/nginx.md:7:5: versions[0].digest: "
    "ghcr.io/acme/images/nginx:1.29.3 is sha256:4b1d… in the registry, not sha256:a2ab… (…)",
}
"""Messages that need a registry, a host or a full disk."""


def message(code: Code) -> str:
    """A message with this code, as the command prints it."""
    if code in PRINTED:
        return f"{PRINTED[code]} [{code}]"
    broken = CATALOGS[code]
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as environment:
        environment.setenv("SOURCE_DATE_EPOCH", "1767225600")  # 2026-01-01, so that no age changes
        site = SiteFolder(Path(name).resolve() / "catalog")
        configure(site, broken.settings)
        for path, text in broken.files.items():
            site.write(path, text)
        if broken.command:
            command, *options = broken.command
            result = call(command, "-f", site.folder / "mkdocs.yml", *options)
            printed = (result.output + result.stderr).replace(f"{site.folder}/", "").splitlines()
            lines = [line for line in printed if line.endswith(f"[{code}]")]
        else:
            _, listed = problems(site, level=Level.INFO)
            lines = [f"{each.level.name.lower()}: {each} [{code}]" for each in listed if each.code == code]
    assert lines, f"no message has the code {code}"
    return lines[0]
