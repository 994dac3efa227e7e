"""Files that are no report: each is refused with what it is and what to do instead."""

from __future__ import annotations

import json

import pytest

from mkdocs_catalog_api.sources.reports import read_report
from tests.report_files import refusal, row, trivy

REPORT = json.dumps(trivy(row())).encode()
PRETTY = json.dumps(trivy(row()), indent=2).encode()


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


@pytest.mark.parametrize("text", [b"z\xfflib", b"zlib \\ud800"])
def test_text_that_is_not_unicode_is_refused_with_its_place(text: bytes) -> None:
    assert "not valid JSON" in refusal(REPORT.replace(b"zlib", text))


def test_the_last_of_repeated_keys_counts() -> None:
    (scan,) = read_report(
        b'{"Results": 5, "Results": [{"Target": "a", "Target": "b", "Vulnerabilities": []}]}'
    )
    assert scan.findings == ()
