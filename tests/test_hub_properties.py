"""Whatever a hub sends, `sync hub` ends, writes only where it may, and leaves only what a build can read."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.network.client import Answer, Client
from mkdocs_catalog_api.network.hub import Hub, Listing, listed_at
from mkdocs_catalog_api.network.output import Output
from mkdocs_catalog_api.problems import Problems
from mkdocs_catalog_api.sources.reports import read_report

from .sites import row, trivy

ID = "8d7f3f3e-4c1b-4b55-9a3a-6f4a2a1f0c11"
IMAGE = "registry.example.org/alpha:1.0"
VERSIONS = st.sampled_from(["1.0.0", "2.0.0-rc.1", "3.0.0+b.1", "..", "../1.0.0", "a/b", "1.0.0\0", ""])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8) | VERSIONS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
PROPER: dict[str, st.SearchStrategy[Any]] = {
    "package_id": st.just(ID),
    "version": VERSIONS,
    "security_report_created_at": st.integers(0, 2**31),
    "containers_images": st.lists(st.fixed_dictionaries({"image": st.just(IMAGE) | st.text()}), max_size=2),
    "available_versions": st.just([{"version": "1.0.0"}, {"version": "2.0.0-rc.1"}]),
}
PACKAGES = st.fixed_dictionaries(PROPER)
# One field of any type, or none at all.
ODD_PACKAGES = st.sampled_from([*PROPER]).flatmap(lambda name: st.fixed_dictionaries(PROPER | {name: JSON}))
REPORTS = st.dictionaries(st.just(IMAGE) | st.text(), st.just(trivy([row("CVE-2026-0001")])), max_size=2)
ODD_REPORTS = st.dictionaries(st.text(max_size=8), JSON, max_size=2) | JSON


def bodies(*values: st.SearchStrategy[Any]) -> st.SearchStrategy[bytes | None]:
    told = st.one_of(values).map(lambda value: json.dumps(value).encode())
    return st.one_of(told, told, told, st.binary(max_size=40), st.none())


class Told(Client):
    """Answers what it is told to, without any network."""

    def __init__(self, packages: list[Any], reports: list[Any]) -> None:
        self._packages, self._reports = packages, reports

    def ask(self, address: str, *_: object, **__: object) -> Answer:
        told = self._reports if address.endswith("/security-report") else self._packages
        body = told.pop(0) if told else None
        return Answer(404 if body is None else 200, {}, body or b"", redirected=False)


@given(
    st.lists(bodies(PACKAGES, PACKAGES, ODD_PACKAGES, JSON), min_size=3, max_size=3),
    st.lists(bodies(REPORTS, REPORTS, ODD_REPORTS), min_size=3, max_size=3),
)
def test_whatever_a_hub_sends_stays_in_its_place_and_can_be_read(
    packages: list[Any], reports: list[Any]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        problems = Problems()
        output = Output(root, problems)
        hub = Hub(Told(packages, reports), output, "scans")
        hub.fetch(Listing("https://hub.example.org", "acme", "stack", ("1.0.0", "2.0.0-rc.1")))
        files = {path for path in root.rglob("*") if path.is_file()}
        assert {path.parent for path in files} <= {root / "scans/hub/acme/stack"}
        assert {path.suffix for path in files} <= {".json", ".package"}
        saved = [path for path in files if path.suffix == ".json"]
        for path in saved:
            read_report(path.read_bytes(), path.with_suffix(".package").read_bytes())
        assert output.changes.keys() == {str(path.relative_to(root)) for path in files}
        assert files or problems.refuse(strict=False)


@given(st.lists(st.text(max_size=6), max_size=4))
def test_no_address_makes_a_name_that_is_a_path(parts: list[str]) -> None:
    found = listed_at(f"https://hub.example.org/packages/helm/{'/'.join(parts)}", [], None)
    assert found is None or not {"/", "\\", "..", "."} & {found.repository, found.package}
    assert found is None or found.name.count("/") == 1
