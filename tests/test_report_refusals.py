"""Files that are no report: each is refused with what it is and what to do instead."""

from __future__ import annotations

import json

import pytest

from mkdocs_catalog_api.sources.reports import read_report
from tests.report_files import refusal, row, trivy

REPORT = json.dumps(trivy(row())).encode()
PRETTY = json.dumps(trivy(row()), indent=2).encode()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty (the scan failed or has not been run; run it again)"),
        (b" \n", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (
            b"[0000]  WARN no name given\n" + REPORT,
            '1: no JSON: "[0000]  WARN no name given" (log lines stand before the report; '
            "send them elsewhere with `2>/dev/null`, or write the report with `-o file`)",
        ),
        (b"\n2026-11-20T06:00:00Z\tINFO\x1b[34mVulnerability\n" + PRETTY, '2: no JSON: "2026-11-20'),
        (b"log\n[\n  {}\n]", '1: no JSON: "log"'),
        (PRETTY + b"\n2026 INFO done\n", '17:1: something else after the report: "2026 INFO done"'),
        (REPORT + b"\n" + REPORT, '2:1: something else after the report: "{'),
        (REPORT[:-20], "the file is cut off: EOF while parsing"),
        (PRETTY[:60], "the file is cut off: EOF while parsing"),
        (b"<!DOCTYPE html><title>Sign in</title>", "a web page or XML, not JSON"),
        (b"apiVersion: v2\n", 'not JSON: "apiVersion: v2" (write the report with `--format json`)'),
        ("Größe ".encode() * 20, 'not JSON: "Größe Größe'),
        (b"\x1f\x8b\x08\x00", "a binary file, not JSON (unpack it first"),
        (
            REPORT.decode().encode("utf-16-le"),
            "a binary file, not JSON (unpack it first, or write the report as UTF-8",
        ),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "a binary file"),
        (b'"clean"', "no report of a known scanner: a single value"),
        (b"17", "no report of a known scanner: a single value"),
        (b"[]", "no report of a known scanner: an empty list"),
        (b"[1, 2]", "no report of a known scanner: a list of something else"),
        (b" {}\n", "the report is an empty object, which does not say what was scanned (look whether the"),
        (b"null\n", "the report is `null`, which does not say what was scanned (look whether the scan ended"),
        (
            b'{"a": 1}',
            "with `a` (reports in JSON are read of Trivy, Grype, Harbor, OSV-Scanner, Artifact Hub)",
        ),
        (b'{"results": [{"status": "passed"}]}', "no report of a known scanner: an object with `results`"),
        (
            b'{"a\\u001b": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}',
            "an object with `a`, `b`, `c`, `d`, `e` …",
        ),
        (
            b'{"version": "2.1.0", "runs": []}',
            "a SARIF file, not a scanner's own report (write the report with",
        ),
        (b'{"bomFormat": "CycloneDX", "components": []}', "a CycloneDX bill of materials"),
        (b'{"spdxVersion": "SPDX-2.3"}', "an SPDX bill of materials"),
        (b'{"@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld"}', "an SPDX bill of materials"),
        (b'{"@context": "https://openvex.dev/ns/v0.2.0"}', "an OpenVEX document"),
        (b'{"Results": NaN}', "1:13: not valid JSON"),
        ('{\n  "a": "äöü€", "b": NaN}'.encode(), "2:21: not valid JSON"),
        ('{\n  "a": "äöü€", "b": NaN}'.encode("utf-16"), "2:21: not valid JSON"),
        (b'{\n "a": "\xff\xff\xff", "b": NaN}', "2:19: not valid JSON"),
        (b'{"a": "x\ny"}', "1:9: not valid JSON: control character"),
        (b'{"Results": -Infinity}', "not valid JSON"),
        (b'{"Results": [], "Metadata": ' + b"7" * 5000 + b"}", "not valid JSON: number out of range"),
        (b"[" * 10_000 + b"]" * 10_000, "not valid JSON: recursion limit exceeded"),
        (b'{"Results": ' + b"[" * 10_000, "not valid JSON: recursion limit exceeded"),
        (b'{"Results": "\x01"}', "not valid JSON: control character"),
    ],
)
def test_what_is_no_report_is_refused(data: bytes, reason: str) -> None:
    assert reason in refusal(data)


@pytest.mark.parametrize("long", [b"x" * 500, "é".encode() * 500])
def test_a_long_line_is_quoted_in_part(long: bytes) -> None:
    assert len(refusal(long)) < 200


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + REPORT,
        REPORT.decode().encode("utf-16"),
        b"\xfe\xff" + REPORT.decode().encode("utf-16-be"),
        b"\n\t" + PRETTY + b"\r\n",
    ],
)
def test_marks_of_encoding_are_no_matter(data: bytes) -> None:
    assert read_report(data) == read_report(REPORT)


def test_bytes_that_are_not_utf_8_become_replacement_characters() -> None:
    (scan,) = read_report(REPORT.replace(b"zlib", b"z\xfflib \\ud800\\u0041"))
    assert scan.findings[0].pkg == "z\ufffdlib \ufffdA"


def test_the_last_of_repeated_keys_counts() -> None:
    (scan,) = read_report(
        b'{"Results": 5, "Results": [{"Target": "a", "Target": "b", "Vulnerabilities": []}]}'
    )
    assert scan.findings == ()
