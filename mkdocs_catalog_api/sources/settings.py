"""The settings, where their words meet the table of report formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..authored.config_file import ConfigFile
from ..authored.settings import Settings, validate_settings
from ..problems import Problems


def read_settings(options: Mapping[str, object], config: ConfigFile, problems: Problems) -> Settings | None:
    """The settings, or None and a problem for each fault."""
    return validate_settings(options, config, problems, scanner_words)


def scanner_words() -> Sequence[str]:
    """The words that the setting `scanners` may hold; also its default."""
    from .reports.formats import SCANNERS  # a catalog without reports starts sooner without this import

    return [*SCANNERS]
