"""The check of the contract finds each fault, and names the document that has it."""

import itertools
import json
from pathlib import Path

import pytest

from tests.contract import check, sample
from tests.contract.api import Json
from tests.contract.badges import grey
from tests.contract.charts import normal
from tests.contract.faults import FAULTS, GONE, address, change
from tests.contract.grading import grade, load
from tests.contract.sample_items import MOUNT
from tests.contract.versions import compare, misplaced


def published(site: Path, docs: dict[str, Json]) -> list[str]:
    sample.write(site, docs)
    sample.seal(site)
    return check(site, MOUNT)


def test_a_small_api_holds(tmp_path: Path) -> None:
    assert published(tmp_path, sample.documents()) == []


def test_an_empty_catalog_holds(tmp_path: Path) -> None:
    assert published(tmp_path, sample.empty()) == []


@pytest.mark.parametrize(
    ("document", "path", "value", "found"),
    FAULTS,
    ids=[f"{number}-{f[0]}-{f[1]}" for number, f in enumerate(FAULTS)],
)
def test_a_fault_is_found_where_it_is(
    tmp_path: Path, document: str, path: str, value: object, found: str
) -> None:
    docs = sample.documents()
    change(docs, document, path, value)
    violations = published(tmp_path, docs)
    where = found or address(document, path)
    assert any(violation.startswith(where) for violation in violations), violations or "nothing was found"


@pytest.mark.parametrize(
    "document",
    [
        "images.json",
        "updates/2.json",
        "images/tool/index.json",
        "security.json",
        "security/index.json",
        "security/nginx.json",
        "security/nginx/1.9.0.json",
        "badge/multiarch.json",
        "badge/wolfi.json",
        "badge/tool/grade.json",
        "openapi.json",
        "index.json",
    ],
)
def test_a_missing_document_is_named(tmp_path: Path, document: str) -> None:
    docs = sample.documents()
    del docs[document]
    assert [v for v in published(tmp_path, docs) if v.startswith(f"{document} $: is missing")]


@pytest.mark.parametrize(
    "stale",
    [
        "images/2.json",
        "images/old/index.json",
        "roadmap/valkey.json",
        "security/tool.json",
        "security/nginx/1.8.json",
        "badge/alpine.json",
        "badge/old/cves.json",
        "feed.xml",
    ],
)
def test_a_file_too_many_is_named(tmp_path: Path, stale: str) -> None:
    docs = sample.documents()
    like = {"images": "images/1.json", "security": "security/nginx.json", "badge": "badge/wolfi.json"}
    docs[stale] = docs[like.get(stale.partition("/")[0], "images.json")]
    assert [v for v in published(tmp_path, docs) if v.startswith(f"{stale} $")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"total":3', b'"total": 3'),
        (b"}\n", b"}"),
        (b"}\n", b"}\n\n"),
        (b"\xc3\x9c", b"\\u00dc"),
        (b"\xc3\x9c", b"\xdc"),
        (b"\xc3\x9c", b"\\ud800"),
        (b'"score":50.5', b'"score":50.50'),
        (b'"score":50.5', b'"score":NaN'),
        (b'"scanned":true', b'"scanned":true,"scanned":true'),
        (b'{"api', b'\xef\xbb\xbf{"api'),
    ],
)
def test_bytes_that_are_not_the_agreed_json_are_found(tmp_path: Path, old: bytes, new: bytes) -> None:
    published(tmp_path, sample.documents())
    file = tmp_path / "api/v1/security/nginx/1.10.0.json"
    file.write_bytes(file.read_bytes().replace(old, new))
    sample.seal(tmp_path)
    violations = check(tmp_path, MOUNT)
    assert violations
    assert all(violation.startswith("security/nginx/1.10.0.json ") for violation in violations)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("documents images.json sha256", "0" * 64),
        ("documents images.json bytes", 1),
        ("documents badge/wolfi.json", GONE),
        ("documents old.json", {"sha256": "0" * 64, "bytes": 1}),
        ("generatedAt", "2026-11-20T07:00:00+01:00"),
        ("generator name", None),
    ],
)
def test_a_wrong_manifest_is_found(tmp_path: Path, path: str, value: object) -> None:
    published(tmp_path, sample.documents())
    manifest = {"manifest.json": json.loads((tmp_path / "api/v1/manifest.json").read_text())}
    change(manifest, "manifest.json", path, value)
    sample.write(tmp_path, manifest)
    assert [v for v in check(tmp_path, MOUNT) if v.startswith(address("manifest.json", path))]


def test_another_mount_path_is_found(tmp_path: Path) -> None:
    published(tmp_path, sample.documents())
    assert check(tmp_path, "")


def test_a_page_that_is_not_in_the_site_is_found(tmp_path: Path) -> None:
    published(tmp_path, sample.documents())
    (tmp_path / "images/nginx/index.html").unlink()
    assert [v for v in check(tmp_path, MOUNT) if v.startswith("images.json $.data[0].url")]


def test_fields_of_their_own_stand_last_and_in_the_order_declared(tmp_path: Path) -> None:
    docs = sample.documents()
    for image in docs["images.json"]["data"]:
        image |= {"port": 80, "upstream": None}
    sample.write(tmp_path, docs)
    sample.seal(tmp_path)
    assert check(tmp_path, MOUNT, {"images": ["port", "upstream"]}) == []
    for wrong in (["upstream", "port"], ["port"], ["port", "upstream", "caution"]):
        assert check(tmp_path, MOUNT, {"images": wrong})


def test_a_page_may_name_its_newest_version(tmp_path: Path) -> None:
    docs = sample.documents()
    for chart in docs["charts.json"]["data"]:
        chart |= {"versions": chart["versions"][::-1], "latest": "1.0.0-rc.1"}
    assert published(tmp_path, docs)
    assert check(tmp_path, MOUNT, named_latest={"charts/solo", "charts/web"}) == []


def test_a_pin_on_no_page_may_have_been_scanned(tmp_path: Path) -> None:
    """Its rows are in no document then: the sums may be higher than what the documents show, never lower."""
    docs = sample.documents()
    chart = docs["charts.json"]["data"][1]
    chart["images"][1]["digest"] = "sha256:" + "c" * 64
    chart["security"] |= {"scanned": True, "pinsScanned": 2, "grade": "D", "score": 45, "low": 5, "total": 7}
    assert published(tmp_path, docs) == []
    for wrong in ({"high": 1}, {"total": 8}, {"pinsScanned": 3}, {"scanned": False}, {"critical": None}):
        before = dict(chart["security"])
        chart["security"] |= wrong
        assert [v for v in published(tmp_path, docs) if v.startswith("charts.json $.data[1].security")]
        chart["security"] = before


def test_an_image_that_was_never_scanned_shows_no_figures(tmp_path: Path) -> None:
    docs = sample.documents()
    record = docs["security/nginx.json"]["versions"][1]
    nothing = dict.fromkeys(key for key in record if key not in ("version", "scanned"))
    docs["security/nginx/1.9.0.json"] |= nothing | {"scanned": False}
    record |= nothing | {"scanned": False}
    solo = docs["charts.json"]["data"][0]["security"]
    solo |= dict.fromkeys(solo) | {"scanned": False, "pins": 1, "pinsScanned": 0}
    assert published(tmp_path, docs) == []
    solo["total"] = 0
    assert [v for v in published(tmp_path, docs) if v.startswith("charts.json $.data[0].security.total")]


@pytest.mark.parametrize(
    "labels",
    [
        "1.0.0-alpha 1.0.0_beta2 1.0.0_beta12 1.0.0-rc1 1.0.0 1.0.0-r1 1.0.0-r2 1.0.1",
        "1.9 1.10",
        "22.04 22.10",
        "1.1.1 1.1.1w",
        "9.9 9.9p1",
        "17-rc1 17-alpine 17 17.1",
        "v1.0.0-dev v1.0.0-nightly 1.0.0 v1.0.0 v1.0.0.post1",
    ],
)
def test_versions_stand_in_the_order_the_contract_gives(labels: str) -> None:
    oldest_first = labels.split()
    assert misplaced(oldest_first[::-1]) is None
    assert all(compare(a, b) < 0 < compare(b, a) for a, b in itertools.combinations(oldest_first, 2))


def test_no_order_is_asked_for_that_the_contract_leaves_open() -> None:
    assert compare("1.0-r2", "1.0p1") == 0
    assert misplaced(["1.0p1", "1.0-r2", "1.0"]) is misplaced(["1.0-r2", "1.0p1", "1.0"]) is None


def test_a_pin_by_tag_and_one_by_digest_may_be_one_image(tmp_path: Path) -> None:
    docs = sample.documents()
    solo = docs["charts.json"]["data"][0]
    digest = docs["images.json"]["data"][0]["versions"][1]["digest"]
    solo["images"].append(solo["images"][0] | {"digest": digest})
    assert published(tmp_path, docs) == []
    solo["images"].append(solo["images"][0] | {"digest": "sha256:" + "c" * 64, "version": None, "href": None})
    assert [v for v in published(tmp_path, docs) if v.startswith("charts.json $.data[0].security.pins")]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], ("A+", 100)),
        ([("LOW", "")], ("A", 98.9)),
        ([("LOW", "2")], ("B", 93.3)),
        ([("MEDIUM", "2")], ("C", 75.8)),
        ([("HIGH", "2")], ("D", 52.6)),
        ([("CRITICAL", "2")], ("F", 13)),
        ([("HIGH", "2")] * 10, ("D", 43.1)),
    ],
)
def test_grades_are_those_of_the_contract(rows: list[tuple[str, str]], expected: tuple[str, float]) -> None:
    found = load({"severity": severity, "fixed": fixed} for severity, fixed in rows)
    assert grade(found, False) == expected
    assert grade(found, True) == ((None, None) if expected[0] in ("A+", "A") else expected)


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("nginx", ("docker.io/library/nginx", "latest")),
        ("index.docker.io/acme/nginx:1", ("docker.io/acme/nginx", "1")),
        ("localhost:5000/nginx@sha256:" + "a" * 64, ("localhost:5000/nginx", "latest")),
    ],
)
def test_references_are_normalised(reference: str, expected: tuple[str, str]) -> None:
    assert normal(reference) == expected


def test_grey_is_a_colour_without_colour() -> None:
    assert all(map(grey, ("lightgrey", "inactive", "#9f9f9f", "555", "6b7280")))
    assert not any(map(grey, ("brightgreen", "#0a7", "red", "e05d44")))
