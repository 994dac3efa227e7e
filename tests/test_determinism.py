"""The same catalog gives the same bytes: whatever the machine, its language, its clock and its disk."""

from __future__ import annotations

from pathlib import Path

from .example import build_as_process, copy_example, use_plain_theme


def test_the_bytes_depend_on_the_sources_alone(tmp_path: Path, example_bytes: dict[str, bytes]) -> None:
    copy_example(tmp_path / "elsewhere", backwards=True)
    use_plain_theme(tmp_path / "elsewhere")
    environment = {"PYTHONHASHSEED": "12345", "TZ": "Asia/Kathmandu", "LC_ALL": "C"}
    # Without these Python would read and write UTF-8 under the C locale, too.
    environment |= {"PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    assert build_as_process("mkdocs", tmp_path / "elsewhere", **environment) == example_bytes


def test_the_manifest_holds_the_time_that_is_set(example_bytes: dict[str, bytes]) -> None:
    assert b'"generatedAt":"2026-11-20T06:00:00Z"' in example_bytes["manifest.json"]
