"""Documents that answer one question, and those of the history: each fault in one of them is refused.

The second reading of the contract has all documents before it. The gate of the build sees one at a time, and
what it has to find in it is marked.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from mkdocs_catalog_api.documents.lookups.table import lookup_routes
from mkdocs_catalog_api.documents.routes import routes
from mkdocs_catalog_api.documents.verify import ContractError, Verifier

from .contract import check
from .feeds_of_advisories import kev, packed
from .past import Past
from .sites import REGISTRY, SiteFolder, digest, row, trivy
from .test_build import small
from .test_contract_check import GONE
from .test_lookups import EPSS, KEV
from .test_vex_build import vex

NEW = f"digests/{digest(2).replace(':', '/')}.json"
OLD = f"digests/{digest(1).replace(':', '/')}.json"
ONE, TWO = "cves/CVE-2026-0001.json", "cves/CVE-2026-0002.json"
DAY = "changes/2026-11-02.json"

# Where (a document, then keys), what is put there, and whether the gate of the build refuses it already.
FAULTS: list[tuple[str, Any, bool]] = [
    ("index.json lookups vex", GONE, False),
    ("index.json lookups cve", "/catalog/api/v1/cve/{id}.json", False),
    ("index.json lookups epss", GONE, False),
    ("index.json history", None, False),
    (f"{OLD} digest", digest(2), False),
    (f"{OLD} total", -1, True),
    (f"{OLD} total", 2, True),
    (f"{OLD} data", list.clear, True),
    (f"{OLD} data 0 upgrade", None, True),
    (f"{OLD} data 0 upgrade fixes", 2, False),
    (f"{OLD} data 0 upgrade adds", None, True),
    (f"{OLD} data 0 upgrade href", "/catalog/api/v1/security/alpha/1.9.json", False),
    (f"{OLD} data 0 isLatest", True, True),
    (f"{OLD} data 0 lifecycle", "gone", True),
    (f"{OLD} data 0 released", GONE, True),
    (f"{OLD} data 0 versions", list.clear, True),
    (f"{OLD} data 0 href", "/catalog/api/v1/security/alpha/9.json", False),
    (f"{NEW} data 0 security total", 7, True),
    (f"{NEW} data 0 security critical", -1, True),
    (f"{NEW} data 0 security scannedAt", None, False),
    ("cves/index.json total", 9, True),
    ("cves/index.json data", list.reverse, True),
    ("cves/index.json data 0 severity", "WORST", True),
    ("cves/index.json data 0 href", "/catalog/api/v1/cves/none.json", False),
    ("cves/index.json data 0 exploited", GONE, True),
    ("cves/index.json data 0 images", -1, True),
    ("cves/index.json data 0 latest", 5, True),
    ("cves/index.json data 0 images", 5, True),
    ("cves/index.json data 1 fixable", 5, False),
    ("cves/index.json data 0 charts", 5, False),
    ("cves/index.json data", lambda rows: rows.pop(), True),
    (f"{ONE} total", 3, True),
    (f"{ONE} data", list.reverse, False),
    (f"{ONE} data 0 installed", "9", False),
    (f"{ONE} data 0 href", "/catalog/api/v1/security/alpha/9.json", False),
    (f"{ONE} charts", list.clear, False),
    (f"{ONE} charts 0 href", "/catalog/api/v1/charts/none/index.json", False),
    (f"{TWO} suppressed", list.clear, False),
    (f"{TWO} suppressed 0 status", "fixd", True),
    (f"{TWO} suppressed 0 justification", GONE, True),
    (f"{TWO} id", "CVE-2026-0003", False),
    ("renovate/alpha.json tags latest", "1.9", True),
    ("renovate/alpha.json releases", list.reverse, True),
    ("renovate/alpha.json releases 0 digest", None, True),
    ("renovate/alpha.json releases 0 digest", digest(1), False),
    ("renovate/alpha.json releases 1 isDeprecated", True, False),
    ("renovate/alpha.json releases 0 changelogUrl", "https://example.org/none/", False),
    ("renovate/alpha.json releases", list.clear, True),
    ("vex/alpha.json statements", list.clear, True),
    ("vex/alpha.json statements 0 status", "silenced", True),
    ("vex/alpha.json statements 0 timestamp", "yesterday", True),
    ("vex/alpha.json statements 0 products", list.clear, True),
    ("vex/alpha.json statements 0 products 0 @id", "pkg:oci/alpha@sha256%3A0", False),
    ("vex/alpha.json @id", "https://example.org/catalog/api/v1/vex/beta.json", False),
    ("vex/alpha.json statements 0 justification", "component_not_present", False),
    ("epss.json total", 3, True),
    ("epss.json data", list.reverse, True),
    ("epss.json data 0 epss", 1.5, True),
    ("epss.json data 0 percentile", -0.1, True),
    ("epss.json data 0 id", "CVE-1999-0001", False),
    ("epss.json scoreDate", GONE, True),
    ("changes.json data", list.reverse, True),
    ("changes.json total", 1, True),
    ("changes.json data 0 counts release-added", 7, False),
    ("changes.json data 0 counts release-added", -1, True),
    ("changes.json data 0 href", "/catalog/api/v1/changes/none.json", False),
    (f"{DAY} total", 9, True),
    (f"{DAY} links next", "/catalog/api/v1/changes/2026-11-09.json", False),
    (f"{DAY} links prev", None, True),
    (f"{DAY} data 0 kind", "release-lost", True),
    (f"{DAY} data", lambda events: events.pop(), True),
    ("history/index.json head date", "2026-11-01", True),
    ("history/index.json data 0 total", 9, True),
    ("history/index.json data 0 images", -1, True),
    ("history/index.json data 0 scanned", 99, True),
    ("history/index.json data 1 images", 9, False),
    ("history/index.json data", list.reverse, True),
    ("history/index.json timeToFix high days365 fixed", 9, False),
    ("history/alpha.json figures", list.reverse, True),
    ("history/alpha.json figures 0 low", 9, True),
    ("history/alpha.json figures 0 scanned", False, True),
    ("history/alpha.json slug", "beta", False),
    ("history/alpha.json vulnerabilities 0 firstSeen", "2026-10-01", False),
    ("history/alpha.json vulnerabilities 0 days", 4, True),
    ("history/alpha.json vulnerabilities 0 reason", "lost", True),
    ("history/alpha.json vulnerabilities 0 reason", "rebuilt", True),
]
AT_ONCE = [fault[:2] for fault in FAULTS if fault[2]]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A catalog that publishes every kind of document, on the second of two recorded days."""
    folder = SiteFolder(tmp_path_factory.mktemp("site"))
    small(folder)
    past = Past(folder)
    past.day("2026-11-01")
    old = [row("CVE-2026-0007", "CRITICAL"), row("CVE-2026-0001", "LOW")]
    folder.report("alpha/1.9.json", trivy(old, digest=f"{REGISTRY}/alpha@{digest(1)}"))
    folder.write(KEV, kev({"CVE-2026-0007": "2026-03-04"}))
    scores = {"CVE-2026-0001": ("0.1", "0.2"), "CVE-2026-0007": ("0.3", "0.4")}
    folder.write(EPSS, packed(scores))
    folder.settings["security"] = {"publish_vex": True}
    product = {"@id": f"pkg:oci/alpha?repository_url={REGISTRY}/alpha"}
    vex(folder, {"vulnerability": {"name": "CVE-2026-0002"}, "products": [product]})
    folder.image("gamma", "versions: [1]")
    past.day("2026-11-02")
    built = folder.build()
    assert not built.failed, built.logged()
    return folder.folder / "site"


def planted(site: Path, place: str, value: Any) -> tuple[str, bytes]:
    """The path of a document and its bytes with the fault."""
    path, *words = place.split()
    document = json.loads((site / "api/v1" / path).read_bytes())
    *steps, last = (int(step) if step.isdigit() else step for step in words)
    at: Any = document
    for step in steps:
        at = at[step]
    before = json.dumps(document)
    if value is GONE:
        del at[last]
    elif callable(value):
        value(at[last])
    else:
        assert last in at if isinstance(at, dict) else True, "the field is not there"
        at[last] = value
    assert json.dumps(document) != before, "no fault"
    return path, json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


@pytest.mark.parametrize(("place", "value"), [fault[:2] for fault in FAULTS], ids=range(len(FAULTS)))
def test_the_second_reading_refuses_a_fault(site: Path, place: str, value: Any) -> None:
    path, body = planted(site, place, value)
    document, manifest = site / "api/v1" / path, site / "api/v1/manifest.json"
    before = {file: file.read_bytes() for file in (document, manifest)}
    listed = json.loads(before[manifest])
    listed["documents"][path] = {"sha256": hashlib.sha256(body).hexdigest(), "bytes": len(body)}
    try:
        document.write_bytes(body)
        manifest.write_text(json.dumps(listed, separators=(",", ":")) + "\n", "utf-8")
        assert check(site, "/catalog")
    finally:
        for file, good in before.items():
            file.write_bytes(good)


@pytest.mark.parametrize(("place", "value"), AT_ONCE, ids=range(len(AT_ONCE)))
def test_the_gate_refuses_a_fault(site: Path, place: str, value: Any) -> None:
    path, body = planted(site, place, value)
    with pytest.raises(ContractError, match=re.escape(path)):
        gate(path, body)


def gate(path: str, body: bytes) -> None:
    """Look at a document as the build does."""
    for route in (*routes({}), *lookup_routes()):
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", route.path), path) and route.struct:
            return Verifier().check(path, body, route.struct)
    raise AssertionError(path)


def test_without_a_fault_nothing_is_refused(site: Path) -> None:
    assert check(site, "/catalog") == []
    api = site / "api/v1"
    for path in {place.partition(" ")[0] for place, _, _ in FAULTS}:
        gate(path, (api / path).read_bytes())
