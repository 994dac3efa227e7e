"""Small reports, and what reading them gives."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mkdocs_catalog_api.sources.reports import Finding, ReportError, Scan, read_report

DIGEST = "sha256:" + "a" * 64


def trivy(*vulnerabilities: dict[str, Any], **fields: Any) -> dict[str, Any]:
    result = {"Target": "acme/web (wolfi 1)", "Class": "os-pkgs", "Vulnerabilities": list(vulnerabilities)}
    return {"SchemaVersion": 2, "Results": [result], **fields}


def row(**fields: Any) -> dict[str, Any]:
    return {"VulnerabilityID": "CVE-2026-0001", "PkgName": "zlib", "Severity": "HIGH", **fields}


def read(document: object) -> Scan:
    (scan,) = read_report(json.dumps(document).encode())
    return scan


def finding(**fields: Any) -> Finding:
    (found,) = read(trivy(row(**fields))).findings
    return found


def refusal(data: bytes | dict[str, Any] | list[Any]) -> str:
    with pytest.raises(ReportError) as caught:
        read_report(data if isinstance(data, bytes) else json.dumps(data).encode())
    return f"{caught.value} ({caught.value.hint})"
