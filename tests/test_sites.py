"""What tests build without MkDocs is what MkDocs builds: documents, problems and their words."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle

import pytest

from .broken import catalogs
from .sites import Result, SiteFolder, publish, run
from .test_build import small
from .test_contract_check import write_every_kind

CATALOGS: dict[str, Callable[[SiteFolder], object]] = {
    "small": small,
    "every kind": write_every_kind,
    **{broken.name: broken.write for broken in [*catalogs()][::29] if broken.name != "too deep"},
}
"""A catalog is small, has everything, or is broken in one of many ways."""


def outcome(result: Result) -> tuple[object, ...]:
    documents = None if result.failed else result.bytes()
    return result.failed, result.problems, result.codes, result.logged(), documents


@pytest.mark.parametrize(("name", "strict"), [*zip(CATALOGS, cycle([False, True]))])
def test_mkdocs_publishes_and_reports_the_same(site: SiteFolder, name: str, strict: bool) -> None:
    CATALOGS[name](site)
    config_file = site.folder / "mkdocs.yml"
    config_file = config_file if config_file.exists() else site.write_config()
    assert outcome(publish(config_file, strict=strict)) == outcome(run(config_file, strict=strict))
