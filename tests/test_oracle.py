"""What is published is what the oracle makes of the same sources."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mkdocs_catalog_api.authored.read_site import read_site
from mkdocs_catalog_api.pipeline import prepare
from mkdocs_catalog_api.problems import Problems

from .example import EXAMPLE
from .oracle_documents import expected
from .oracle_files import ANY
from .random_catalogs import NOW, TODAY, RandomCatalog
from .sites import SiteFolder

LEFT_OUT = {"line", "variant", "upgrade", "newLine"}
"""Fields of digests that the oracle does not know, but the check of the contract."""


def differences(wanted: Any, published: Any, place: str) -> Iterator[str]:
    if isinstance(wanted, dict) and isinstance(published, dict):
        for key in sorted((wanted.keys() | published.keys()) - LEFT_OUT):
            one, other = wanted.get(key, "nothing"), published.get(key, "nothing")
            yield from differences(one, other, f"{place} {key}")
    elif isinstance(wanted, list) and isinstance(published, list) and len(wanted) == len(published):
        for index, (one, other) in enumerate(zip(wanted, published, strict=True)):
            yield from differences(one, other, f"{place}[{index}]")
    elif wanted not in (ANY, published):
        yield f"{place}: expected is {wanted!r}, published is {published!r}"


def compare(sources: Path, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build the catalog in this folder on a fixed day; the first difference is the message."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", NOW)
    problems = Problems()
    found, settings, _ = read_site(sources / "mkdocs.yml", problems, site_dir=str(site))
    prepare(found, settings, problems, strict=False).publish()
    api = site / "api/v1"
    files = [
        api / "security.json",
        api / "security/index.json",
        *api.rglob("cves/*.json"),
        *api.rglob("digests/*/*"),
    ]
    published = {file.relative_to(api).as_posix(): json.loads(file.read_bytes()) for file in files}
    former = [
        path for path, body in published.items() if path[:8] == "digests/" and not body["data"][0]["listed"]
    ]
    for path in former:  # the check of the contract knows these
        del published[path]
    wanted = expected(sources, TODAY)
    for name in wanted.keys() - published.keys() if wanted else ():  # of records only what the oracle knows
        record = json.loads((api / name).read_bytes())
        item = record.get("data")
        record = item if isinstance(item, dict) else record
        published[name] = {key: record[key] for key in wanted[name]}
    first = next(differences(wanted, published, sources.name), "")
    assert first == "", first


def test_the_example_is_what_the_oracle_expects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(EXAMPLE, tmp_path, monkeypatch)


@pytest.mark.parametrize("seeds", [range(50), pytest.param(range(50, 250), marks=pytest.mark.slow)])
def test_random_catalogs_are_what_the_oracle_expects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seeds: range
) -> None:
    for seed in seeds:
        site = SiteFolder(tmp_path / f"seed {seed}")
        RandomCatalog(site, seed).write()
        compare(site.folder, site.folder / "site", monkeypatch)
