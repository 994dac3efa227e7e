"""Published statements, read again as the only ones, never suppress more than the catalog shows."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from .sites import REGISTRY, SiteFolder, digest, grype, publish
from .test_vex_publish import Repository

IDS = ("CVE-2026-0001", "cve-2026-0002", "GHSA-aaaa-bbbb-cccc", "DSA-1")
NGINX = f"pkg:oci/nginx?repository_url={REGISTRY}/nginx"
OPENSSL, ZLIB = "pkg:deb/debian/openssl@3?arch=amd64", "pkg:npm/zlib@1"
TIMES = ("", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00.5+01:00", "2026-02-01T00:00:00Z", "soon")
Rows = set[tuple[str, ...]]

products = st.fixed_dictionaries(
    {
        "@id": st.sampled_from(
            [
                *(NGINX, NGINX, f"{NGINX}&tag=1", f"{NGINX}&arch=amd64", f"{NGINX}&platform=linux/arm64"),
                *(f"{REGISTRY}/nginx:2", f"{REGISTRY}/nginx:two", digest(1), digest(2), digest(4)),
                *(f"pkg:oci/nginx@{digest(3)}?repository_url={REGISTRY}/nginx", f"{NGINX}&colour=red"),
                *("pkg:deb/debian/openssl", OPENSSL, "pkg:npm/zlib", "pkg:npm/zlib@9"),
            ]
        )
    },
    optional={
        "subcomponents": st.lists(
            st.sampled_from(["pkg:deb/debian/openssl", OPENSSL, "pkg:npm/zlib", "zlib", "openssl", "pkg:x"]),
            max_size=2,
        ).map(lambda parts: [{"@id": part} for part in parts]),
    },
)
statements = st.fixed_dictionaries(
    {
        "vulnerability": st.fixed_dictionaries(
            {"name": st.sampled_from(IDS)},
            optional={"aliases": st.lists(st.sampled_from(IDS), max_size=2)},
        ),
        "products": st.lists(products, min_size=1, max_size=2),
        "status": st.sampled_from(["not_affected", "not_affected", "fixed", "affected"]),
        "justification": st.just("component_not_present"),
    },
    optional={"timestamp": st.sampled_from(TIMES), "last_updated": st.sampled_from(TIMES)},
)
documents = st.lists(
    st.fixed_dictionaries(
        {
            "@context": st.just("https://openvex.dev/ns/v0.2.0"),
            "@id": st.sampled_from(["https://example.org/a", "https://example.org/b"]),
            "timestamp": st.sampled_from(TIMES[:4]),
            "version": st.sampled_from([1, 1, 2, 2, "2"]),
            "statements": st.lists(statements, min_size=1, max_size=4),
        }
    ),
    min_size=1,
    max_size=3,
)


@st.composite
def findings(draw: st.DrawFn) -> dict[str, Any]:
    """A match of Grype, which may have several ids."""
    first, *others = draw(st.lists(st.sampled_from(IDS), min_size=1, unique=True))
    purl = draw(st.sampled_from([OPENSSL, ZLIB, ""]))
    name = "zlib" if purl == ZLIB else "openssl"
    return {
        "vulnerability": {"id": first.replace("cve", "CVE"), "severity": "High"},
        "relatedVulnerabilities": [{"id": id_.replace("cve", "CVE")} for id_ in others],
        "artifact": {"name": name, "version": "1" if name == "zlib" else "3", "purl": purl, "type": "deb"},
    }


scans = st.fixed_dictionaries(
    {
        name: st.tuples(
            st.sampled_from([name, name, ""]),
            st.sampled_from(["amd64", "arm64"]),
            st.lists(findings(), min_size=1, max_size=3),
        )
        for name in ("1", "2", "3")
    }
)


def write(folder: Path, found: dict[str, tuple[str, str, list[Any]]], vex: dict[str, Any]) -> Path:
    """A catalog with two items of one image, labels that share a digest, and a release of two digests."""
    site = SiteFolder(folder)
    site.settings["security"] = {"publish_vex": True}
    site.image(
        "nginx",
        f"versions: [{{version: '2', digest: '{digest(2)}', tags: [two]}}, {{version: b2, digest: "
        f"'{digest(2)}'}}, {{version: '1', digest: ['{digest(1)}', '{digest(4)}']}}]",
    )
    site.image("again", f"image: {REGISTRY}/nginx\nversions: [{{version: '3', digest: '{digest(3)}'}}]")
    for label, (seed, architecture, matches) in found.items():
        image: dict[str, Any] = {"userInput": "x", "architecture": architecture, "os": "linux"}
        digests = {"repoDigests": [f"{REGISTRY}/nginx@{digest(seed)}"]} if seed else {}
        report = grype(*matches, **(image | digests))
        site.report(f"{'again' if label == '3' else 'nginx'}/{label}.json", report)
    for name, document in vex.items():
        site.write(f"vex/{name}", json.dumps(document).encode())
    return site.write_config()


def rows(folder: Path, name: str) -> Rows:
    """Slug, version, id and package of every row of the releases that is open or suppressed."""
    return {
        (record["slug"], record["version"], row["id"], row["pkg"], row["installed"])
        for path in (folder / "site/api/v1/security").glob("*/*.json")
        for record in [json.loads(path.read_bytes())]
        if record["scanned"]
        for row in record[name]
    }


def build(
    found: dict[str, tuple[str, str, list[Any]]], vex: dict[str, Any]
) -> tuple[Rows, Rows, dict[str, Any], dict[str, Any]]:
    """Open and suppressed rows, the published documents, and those of the archive."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = publish(write(folder, found, vex))
        assert not result.failed, result.logged()
        published = folder / "site/api/v1/vex"
        return (
            rows(folder, "cves"),
            rows(folder, "suppressed"),
            {path.name: json.loads(path.read_bytes()) for path in published.glob("*.json")},
            Repository((published / "repository.tar.gz").read_bytes()).files,
        )


@settings(
    max_examples=8,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(scans, documents)
def test_published_statements_suppress_no_more_than_the_catalog_shows(
    found: dict[str, tuple[str, str, list[Any]]], written: list[Any]
) -> None:
    still_open, suppressed, published, archive = build(
        found, {f"{number}.json": document for number, document in enumerate(written)}
    )
    for vex in (published, archive):
        open_again, suppressed_again, *_ = build(found, vex)
        assert suppressed_again <= suppressed
        assert open_again >= still_open
