"""What holds for any scans and VEX documents, through the whole engine."""

from __future__ import annotations

import json
import random
import tempfile
from copy import deepcopy
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from mkdocs_catalog_api.build import prepare
from mkdocs_catalog_api.problems import CatalogError, Level, Problems
from mkdocs_catalog_api.sources.read_site import read_site

from .contract import check
from .report_files import damaged
from .sites import REGISTRY, SiteFolder, digest

IDS = ("CVE-2024-9999", "CVE-2024-10000", "CVE-2019-20001", "GHSA-aaaa-bbbb-cccc", "TEMP-1")
SEVERITIES = ("CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN")
NGINX = f"{REGISTRY}/nginx"
VEX = {"@context": "https://openvex.dev/ns/v0.2.0", "@id": "https://example.org/vex"}

Report = dict[str, Any]
Documents = dict[str, Any]

rows = st.fixed_dictionaries(
    {
        "VulnerabilityID": st.sampled_from(IDS),
        "PkgName": st.sampled_from(["curl", "openssl"]),
        "InstalledVersion": st.sampled_from(["", "1.0", "1.1"]),
        "FixedVersion": st.sampled_from(["", "", "2.0", "2.1"]),
        "Severity": st.sampled_from(SEVERITIES),
        "Title": st.sampled_from(["", "one", "two"]),
    }
)
results = st.fixed_dictionaries(
    {
        "Target": st.sampled_from(["usr/bin/a", "usr/bin/b", "os"]),
        "Class": st.sampled_from(["os-pkgs", "lang-pkgs"]),
        "Vulnerabilities": st.lists(rows, max_size=5),
    }
)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """Of Trivy, for one of the two digests of nginx, for its tag, or for something that a chart pins."""
    names = [f"{NGINX}@{digest(1)}", f"{NGINX}@{digest(2)}", f"{NGINX}:2", f"quay.io/acme/proxy@{digest(3)}"]
    return {
        "SchemaVersion": 2,
        "ArtifactName": draw(st.sampled_from(names)),
        "CreatedAt": draw(st.sampled_from(["2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z", ""])),
        "Metadata": {
            "OS": {"EOSL": draw(st.booleans())},
            "ImageConfig": {"os": "linux", "architecture": draw(st.sampled_from(["amd64", "arm64"]))},
        },
        "Results": draw(st.lists(results, min_size=1, max_size=3)),
    }


statements = st.fixed_dictionaries(
    {
        "vulnerability": st.sampled_from(IDS),
        "products": st.lists(st.sampled_from([NGINX, f"{NGINX}:2", digest(1), digest(3)]), max_size=2),
        "status": st.sampled_from(["not_affected", "affected", "fixed", "under_investigation"]),
        "justification": st.just("component_not_present"),
        "timestamp": st.sampled_from(["2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"]),
    }
)
scans = st.lists(reports(), min_size=1, max_size=4)
vex = st.lists(statements, max_size=4)
# Each example is a build or two, so there are few, and none is made smaller.
quick = settings(
    max_examples=8,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)


def build(files: list[tuple[str, object]], *, checked: bool = False) -> Documents:
    """The documents of a small catalog with these reports and VEX documents, written in this order.

    Raises `CatalogError` when the catalog is refused.
    """
    with tempfile.TemporaryDirectory() as folder:
        site = SiteFolder(Path(folder))
        site.write("docs/index.md", "# Home\n")
        digests = f"['{digest(1)}', '{digest(2)}']"
        manifests = f"{{linux/amd64: '{digest(6)}', linux/arm64: '{digest(7)}'}}"
        indexed = f"{{version: '3', digest: '{digest(5)}', manifests: {manifests}}}"
        versions = f"[{{version: '2', tags: [stable]}}, {{version: '1', digest: {digests}}}, {indexed}]"
        site.image("nginx", f"latest: '2'\nversions: {versions}")
        pins = f"images: ['{NGINX}@{digest(1)}', '{NGINX}:2', 'quay.io/acme/proxy@{digest(3)}']"
        site.page("charts/web.md", f"category: Web\ntier: core\nlicense: MIT\n{pins}")
        for path, content in files:
            site.write(path, content if isinstance(content, bytes) else json.dumps(content).encode())
        config = {"site_name": "Catalog", "plugins": [{"catalog-api": {"registry": REGISTRY}}]}
        problems = Problems()
        found, given_settings, _ = read_site(site.write("mkdocs.yml", json.dumps(config)), problems)
        prepare(found, given_settings, problems, strict=False).publish()
        api = site.folder / "site/api/v1"
        if checked:
            for page in ("images/nginx", "charts/web"):
                site.write(f"site/{page}/index.html", "")
            assert check(site.folder / "site", "") == []
        return {
            file.relative_to(api).as_posix(): json.loads(file.read_bytes())
            for file in api.rglob("*.json")
            if file.name not in ("manifest.json", "openapi.json")
        }


def files(scanned: list[Report], said: list[dict[str, Any]]) -> list[tuple[str, object]]:
    half = len(said) // 2
    documents: list[Report] = [
        VEX | {"statements": said[:half]},
        VEX | {"@id": "https://a.example", "statements": said[half:]},
    ]
    return [
        *((f"scans/{number}.json", report) for number, report in enumerate(scanned)),
        *((f"vex/{number}.json", document) for number, document in enumerate(documents)),
    ]


def scores(documents: Documents) -> list[float]:
    """Of each release and of the chart; without a score it counts as the best."""
    records = [documents[f"security/nginx/{label}.json"] for label in "12"]
    graded = [*records, documents["charts.json"]["data"][0]["security"]]
    return [100 if found["score"] is None else found["score"] for found in graded]


@quick
@given(scans, vex, st.randoms(use_true_random=False))
def test_no_order_changes_a_byte(
    scanned: list[Report], said: list[dict[str, Any]], chance: random.Random
) -> None:
    before = files(scanned, said)
    after = deepcopy(before)
    chance.shuffle(after)
    for path, document in after:
        listed = document["Results" if path.startswith("scans") else "statements"]  # type: ignore[index]
        if path.startswith("scans"):
            chance.shuffle(listed)
            for result in listed:
                chance.shuffle(result["Vulnerabilities"])
        for entry in listed:
            keys = list(entry.items())
            chance.shuffle(keys)
            entry.clear()
            entry.update(keys)
    assert json.dumps(build(before), sort_keys=True) == json.dumps(build(after), sort_keys=True)


@quick
@given(scans, vex, rows, st.data())
def test_what_gets_worse_never_raises_a_score(
    scanned: list[Report], said: list[dict[str, Any]], new: dict[str, str], data: st.DataObject
) -> None:
    before = scores(build(files(scanned, said)))
    worse = deepcopy(scanned)
    result = data.draw(st.sampled_from([result for report in worse for result in report["Results"]]))
    listed = result["Vulnerabilities"]
    if listed and data.draw(st.booleans()):
        row = data.draw(st.sampled_from(listed))
        place = SEVERITIES.index(row["Severity"])
        row["Severity"] = SEVERITIES[data.draw(st.integers(0, place))]
        row["FixedVersion"] = row["FixedVersion"] or new["FixedVersion"]
    else:
        listed.append(new)
    assert all(after <= old for after, old in zip(scores(build(files(worse, said))), before, strict=True))


@quick
@given(scans, vex)
def test_the_same_again_changes_nothing_but_the_raw_findings(
    scanned: list[Report], said: list[dict[str, Any]]
) -> None:
    def forget(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: forget(part) for key, part in value.items() if key != "findings"}
        return [forget(part) for part in value] if isinstance(value, list) else value

    doubled = deepcopy(scanned)
    for report in doubled:
        report["Results"] += deepcopy(report["Results"])
    once = forget(build(files(scanned, said)))
    assert forget(build(files(doubled, said))) == once
    copies: list[tuple[str, object]] = [
        (f"scans/x/{number}.json", report) for number, report in enumerate(scanned)
    ]
    assert forget(build(files(scanned, said) + copies)) == once


@quick
@given(scans, vex, st.randoms(use_true_random=False))
def test_damaged_files_are_refused_or_the_contract_holds(
    scanned: list[Report], said: list[dict[str, Any]], chance: random.Random
) -> None:
    whole = files(scanned, said)
    path, document = chance.choice(whole)
    try:
        others = [entry for entry in whole if entry[0] != path]
        build([*others, (path, damaged(document, chance))], checked=True)
    except CatalogError as error:
        assert {problem.file for problem in error.problems if problem.level is Level.ERROR} == {path}
