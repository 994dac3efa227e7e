"""A setting, a command or an option that no longer exists is refused with its remedy."""

from __future__ import annotations

from typing import Any

import pytest

from mkdocs_catalog_api.problems import gone

from .sites import SiteFolder
from .test_cli import call


@pytest.fixture(autouse=True)
def _rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of each form, also while the table lacks one."""
    monkeypatch.setattr(gone, "SETTINGS", {**gone.SETTINGS, "old": "use `new`", "*.old": "use `new`"})
    monkeypatch.setattr(
        gone, "COMMANDS", {**gone.COMMANDS, "old": "use `new`", "list --old": "use `list --new`"}
    )


@pytest.mark.parametrize("path", [*gone.SETTINGS, "old", "charts.old"])
def test_a_setting(site: SiteFolder, path: str) -> None:
    value: Any = True
    for name in reversed(path.replace("*", "images").split(".")):
        value = {name: value}
    site.settings = value
    result = site.build()
    remedy = gone.SETTINGS.get(path, "use `new`")
    assert result.failed
    assert any(line.endswith(f"this setting no longer exists ({remedy})") for line in result.logged())


@pytest.mark.parametrize("words", [*gone.COMMANDS, "old", "list --old"])
def test_a_command_or_an_option(words: str) -> None:
    name = words.split()[-1]
    result = call(*words.split())
    assert result.exit_code == 2
    assert f"Error: `{name}` no longer exists ({gone.COMMANDS[words]})" in result.stderr.replace("\n", " ")
