"""Which scan counts for which release, through whole builds."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from .sites import REGISTRY, Result, SiteFolder, built, digest, grype, match, row, trivy

NGINX = f"{REGISTRY}/nginx"
OLD, NEW = "2026-10-01T06:00:00Z", "2026-11-01T06:00:00Z"


def release(result: Result, version: str = "1.27.3", slug: str = "nginx") -> Any:
    return result.json(f"security/{slug}/{version}.json")


def found(record: dict[str, Any]) -> list[str]:
    return [entry["id"] for entry in record["cves"]]


def scan(id_: str, *, platform: str = "", **options: Any) -> dict[str, object]:
    """A report of Trivy with one finding."""
    report: dict[str, Any] = trivy([row(id_)], **options)
    if platform:
        system, architecture = platform.split("/")
        report["Metadata"]["ImageConfig"] = {"os": system, "architecture": architecture}
    return report


def passed_over(result: Result) -> list[str]:
    return [text for text in result.logged(logging.INFO) if "not used for" in text]


@pytest.mark.parametrize("path", ["a.json", "deep/er/a.json", "nginx/latest.json", "nginx/x/y.json"])
def test_a_digest_joins_wherever_the_report_lies(site: SiteFolder, path: str) -> None:
    site.image("nginx", f"versions: [{{version: 1.27.3, digest: '{digest(1)}'}}]")
    site.report(path, scan("CVE-2026-0001", digest=f"quay.io/mirror/x@{digest(1)}"))
    result = built(site)
    assert found(release(result)) == ["CVE-2026-0001"]
    assert result.logged() == []


@pytest.mark.parametrize(
    ("written", "image"),
    [
        (f"{NGINX}:1.27.3", NGINX),
        ("nginx:1.27.3", "docker.io/library/nginx"),
        ("docker.io/library/nginx:1.27.3", "nginx"),
        ("index.docker.io/nginx:1.27.3", "docker.io/nginx"),
        ("REGISTRY.example.org/hardened/nginx:1.27.3", NGINX),
    ],
)
def test_a_tag_joins_by_the_normalised_reference(site: SiteFolder, written: str, image: str) -> None:
    site.image("nginx", "versions: [1.27.3]", image=image)
    site.report("a.json", scan("CVE-2026-0001", tag=written))
    assert found(release(built(site))) == ["CVE-2026-0001"]


@pytest.mark.parametrize(("on_page", "in_report"), [(True, False), (False, True), (False, False)])
def test_a_tag_joins_when_either_side_has_no_digest(site: SiteFolder, on_page: bool, in_report: bool) -> None:
    version = f"{{version: 1.27.3, digest: '{digest(1)}'}}" if on_page else "1.27.3"
    site.image("nginx", f"versions: [{version}]")
    scanned = f"{NGINX}@{digest(2)}" if in_report else ""
    site.report("a.json", scan("CVE-2026-0001", tag=f"{NGINX}:1.27.3", digest=scanned))
    result = built(site)
    record = release(result)
    assert found(record) == ["CVE-2026-0001"]
    assert record["digest"] == (digest(2) if in_report else None)
    assert result.logged() == []


def test_a_reference_with_tag_and_digest_joins_a_release_without_digest(site: SiteFolder) -> None:
    site.image("nginx", "versions: [1.27.3]")
    site.report("a.json", scan("CVE-2026-0001", digest=f"{NGINX}:1.27.3@{digest(1)}"))
    assert found(release(built(site))) == ["CVE-2026-0001"]


def test_a_tag_never_joins_a_release_with_other_digests(site: SiteFolder) -> None:
    site.image("nginx", f"versions: [{{version: 1.27.3, digest: '{digest(1)}'}}]")
    site.report("a.json", scan("CVE-2026-0001", tag=f"{NGINX}:1.27.3", digest=f"{NGINX}@{digest(2)}"))
    result = built(site)
    assert not release(result)["scanned"]
    assert result.json("security.json")["unscanned"] == ["nginx"]
    (warning,) = result.logged()
    assert warning.startswith(
        f"scans/a.json: no version in the catalog matches this report of {NGINX}:1.27.3"
    )


def test_a_path_joins_a_report_that_names_nothing(site: SiteFolder) -> None:
    site.image("nginx", f"versions: [{{version: 1.27.3, digest: '{digest(1)}'}}]")
    site.report("nginx/1.27.3.json", scan("CVE-2026-0001"))
    result = built(site)
    assert (found(release(result)), release(result)["digest"]) == (["CVE-2026-0001"], None)
    assert result.logged() == []


def test_a_path_that_joins_another_digest_warns_and_the_record_says_what_was_scanned(
    site: SiteFolder,
) -> None:
    site.image("nginx", f"versions: [{{version: 1.27.3, digest: '{digest(1)}'}}]")
    site.report("nginx/1.27.3.json", scan("CVE-2026-0001", digest=f"{NGINX}@{digest(2)}"))
    result = built(site)
    assert release(result)["digest"] == digest(2)
    (warning,) = result.logged()
    assert warning.startswith(
        f"scans/nginx/1.27.3.json: the scanned digest {digest(2)} is not a digest of nginx"
    )
    site.report("b.json", scan("CVE-2026-0002", digest=f"{NGINX}@{digest(1)}", created=OLD))
    result = built(site)
    assert found(release(result)) == ["CVE-2026-0002"], "an older scan of the right digest is better"
    assert passed_over(result) == [
        "scans/nginx/1.27.3.json: not used for nginx 1.27.3: scans/b.json takes precedence"
    ]


def test_a_report_in_the_folder_of_another_image_refuses_the_catalog(site: SiteFolder) -> None:
    site.image("nginx", "versions: [1.27.3]")
    site.image("redis", f"versions: [{{version: '8.2', digest: '{digest(8)}'}}]")
    for report in (
        scan("CVE-2026-0001", tag=f"{REGISTRY}/redis:8.2"),
        scan("CVE-2026-0001", tag=f"{REGISTRY}/redis:7.0"),
        scan("CVE-2026-0001", digest=f"elsewhere/x@{digest(8)}"),
    ):
        site.report("nginx/1.27.3.json", report)
        result = site.build()
        assert result.failed
        message = "scans/nginx/1.27.3.json: this report is for redis, but it is in the folder of nginx"
        assert any(text.startswith(message) for text in result.logged())


def test_a_file_name_that_says_another_version_than_the_report_warns(site: SiteFolder) -> None:
    site.image("nginx", "versions: [1.27.3, 1.27.2]")
    site.report("nginx/1.27.3.json", scan("CVE-2026-0001", tag=f"{NGINX}:1.27.2"))
    result = built(site)
    assert not release(result)["scanned"]
    assert found(release(result, "1.27.2")) == ["CVE-2026-0001"]
    (warning,) = result.logged()
    assert "this report is for nginx 1.27.2, but its path is that of version 1.27.3" in warning
    site.report("nginx/1.27.3.json", scan("CVE-2026-0001", tag=f"{NGINX}:1.20"))
    (warning,) = built(site).logged()
    assert "this report is for the tag 1.20, but its path is for 1.27.3" in warning


def test_a_digest_under_several_labels_gives_its_scan_to_each(site: SiteFolder) -> None:
    labels = ("1.27", "1.27.3", "1")
    versions = ", ".join(f"{{version: '{label}', digest: '{digest(1)}'}}" for label in labels)
    site.image("nginx", f"versions: [{versions}]")
    site.report("a.json", scan("CVE-2026-0001", digest=f"{NGINX}@{digest(1)}"))
    result = built(site)
    assert all(found(release(result, label)) == ["CVE-2026-0001"] for label in labels)


def test_digests_and_platforms_of_a_release_unite(site: SiteFolder) -> None:
    site.image("nginx", f"versions: [{{version: 1.27.3, digest: ['{digest(1)}', '{digest(2)}']}}]")
    site.report("a.json", scan("CVE-2026-0001", digest=f"{NGINX}@{digest(1)}", created=NEW))
    site.report("b.json", scan("CVE-2026-0002", digest=f"{NGINX}@{digest(2)}", created=OLD))
    site.image("redis", f"versions: [{{version: '8', digest: '{digest(3)}'}}]")
    for number, platform in enumerate(("linux/amd64", "linux/arm64")):
        reference = f"{REGISTRY}/redis@{digest(3)}"
        site.report(f"{number}.json", scan(f"CVE-2026-000{number}", digest=reference, platform=platform))
    result = built(site)
    record = release(result)
    assert found(record) == ["CVE-2026-0001", "CVE-2026-0002"]
    assert (record["findings"], record["scannedAt"], record["digest"]) == (2, OLD, digest(1))
    assert found(release(result, "8", "redis")) == ["CVE-2026-0000", "CVE-2026-0001"]
    assert passed_over(result) == []


@pytest.mark.parametrize("platform", ["", "linux/amd64"])
def test_the_newest_scan_of_one_digest_and_platform_counts(site: SiteFolder, platform: str) -> None:
    site.image("nginx", f"versions: [{{version: 1.27.3, digest: '{digest(1)}'}}]")
    reference = f"{NGINX}@{digest(1)}"
    site.report("a.json", scan("CVE-2026-0001", digest=reference, created=OLD, platform="linux/amd64"))
    site.report("b.json", scan("CVE-2026-0002", digest=reference, created=NEW, platform=platform))
    result = built(site)
    assert found(release(result)) == ["CVE-2026-0002"]
    assert passed_over(result) == ["scans/a.json: not used for nginx 1.27.3: scans/b.json takes precedence"]


def test_scans_of_a_tag_before_and_after_a_rebuild_do_not_unite(site: SiteFolder) -> None:
    site.image("nginx", "versions: [1.27.3]")
    for name, seed, created in (("a", 1, NEW), ("b", 2, OLD)):
        report = scan(f"CVE-{seed}", tag=f"{NGINX}:1.27.3", digest=f"{NGINX}@{digest(seed)}", created=created)
        site.report(f"{name}.json", report)
    record = release(built(site))
    assert (found(record), record["digest"]) == (["CVE-1"], digest(1))


def test_equally_old_scans_all_count(site: SiteFolder) -> None:
    site.image("nginx", "versions: [1.27.3]")
    for name in ("b", "a", "c"):
        site.report(f"{name}.json", scan(f"CVE-{name}", tag=f"{NGINX}:1.27.3"))
    result = built(site)
    assert found(release(result)) == ["CVE-a", "CVE-b", "CVE-c"]
    assert [text.partition(":")[0] for text in result.logged()] == ["scans/b.json", "scans/c.json"]
    assert result.codes == ["CAT035", "CAT035"]


def test_a_time_in_the_future_warns_and_takes_nothing_away(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1793600000")  # 2026-11-02
    site.image("nginx", "versions: [1.27.3]")
    site.report("a.json", scan("CVE-a", tag=f"{NGINX}:1.27.3", created="2999-01-01T00:00:00Z"))
    result = built(site)
    assert found(release(result)) == ["CVE-a"]
    (warning,) = result.logged()
    assert warning.startswith("scans/a.json: scanned at 2999-01-01T00:00:00Z, which is in the future")
    site.report("b.json", scan("CVE-b", tag=f"{NGINX}:1.27.3", created="2020-01-01T00:00:00Z"))
    result = built(site)
    assert found(release(result)) == ["CVE-a", "CVE-b"]
    assert sorted(result.codes) == ["CAT035", "CAT035"]


def test_a_scan_is_not_in_the_future_because_the_build_claims_an_earlier_time(
    site: SiteFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1500000000")  # 2017: that of the last commit
    site.image("nginx", "versions: [1.27.3]")
    for name, created in (("old", "2016-01-01T00:00:00Z"), ("new", "2018-01-01T00:00:00Z")):
        site.report(f"{name}.json", scan(f"CVE-{name}", tag=f"{NGINX}:1.27.3", created=created))
    result = built(site)
    assert found(release(result)) == ["CVE-new"]
    assert result.logged() == []


def test_scanners_are_never_united(site: SiteFolder) -> None:
    site.image("nginx", "versions: [1.27.3]")
    site.report("a.json", grype(match("CVE-2026-0002", "Low"), created=NEW, userInput=f"{NGINX}:1.27.3"))
    site.report("b.json", scan("CVE-2026-0001", tag=f"{NGINX}:1.27.3", created=OLD))
    result = built(site)
    assert (found(release(result)), release(result)["scanner"]) == (["CVE-2026-0001"], "Trivy")
    assert passed_over(result) == ["scans/a.json: not used for nginx 1.27.3: scans/b.json takes precedence"]
    site.settings["security"] = {"scanners": ["grype", "trivy"]}
    result = built(site)
    assert (found(release(result)), release(result)["scanner"]) == (["CVE-2026-0002"], "Grype 0.80")
    site.settings["security"] = {"scanners": ["harbor"]}
    result = built(site)
    assert not release(result)["scanned"]
    assert [text.rpartition(": ")[2] for text in passed_over(result)] == [
        "the scanner grype is not in `security.scanners` (add grype to it, or remove the report)",
        "the scanner trivy is not in `security.scanners` (add trivy to it, or remove the report)",
    ]


def test_a_map_of_a_hub_joins_entry_by_entry(site: SiteFolder) -> None:
    site.image("nginx", f"versions: [{{version: 1.27.3, digest: '{digest(1)}'}}]")
    site.image("redis", "versions: ['8.2', '8.0']")
    one, two, other = f"{NGINX}:9@{digest(1)}", f"{REGISTRY}/redis:8.2", "docker.io/bitnami/os-shell:12"
    site.report("hub/web.json", {name: scan("CVE-2026-0001") for name in (one, two, other)})
    result = built(site)
    assert result.logged() == []
    assert (release(result)["total"], release(result)["digest"]) == (1, digest(1))
    assert release(result, "8.2", "redis")["total"] == 1
    assert not release(result, "8.0", "redis")["scanned"]
    entry = "the entry of docker.io/bitnami/os-shell:12"
    note = f"scans/hub/web.json: no version and no pin in the catalog matches {entry}"
    assert note in result.logged(logging.INFO)


def test_a_map_of_which_nothing_belongs_anywhere_is_a_warning(site: SiteFolder) -> None:
    site.image("nginx", "versions: [1.27.3]")
    site.report("hub/web.json", {f"docker.io/acme/{n}:1": scan("CVE-2026-0001") for n in "ab"})
    (warning,) = built(site).logged()
    assert warning.startswith("scans/hub/web.json: no version and no pin in the catalog matches an image")


def test_planned_images_are_in_no_overview_and_all_others_are(site: SiteFolder) -> None:
    for lifecycle in ("available", "deprecated", "withdrawn", "planned"):
        site.image(lifecycle, "versions: ['1']", lifecycle=lifecycle)
        site.report(f"{lifecycle}/1.json", scan(f"CVE-{lifecycle}"))
    site.image("later", lifecycle="planned")
    result = built(site)
    summary = result.json("security.json")
    assert list(summary["images"]) == ["available", "deprecated", "withdrawn"]
    assert (summary["total"], summary["unique"], summary["unscanned"]) == (3, 3, [])
    assert [entry["slug"] for entry in result.json("security/index.json")["data"]] == list(summary["images"])
    assert release(result, "1", "planned")["total"] == 1


def test_a_report_of_another_image_is_warned_of_where_only_its_path_joins_it(site: SiteFolder) -> None:
    site.image("nginx", "versions: [1.27.3]")
    site.report("nginx/1.27.3.json", trivy([], tag="docker.io/library/redis:7.2"))
    result = site.build(strict=True)
    assert result.failed
    assert any(
        "this report is for docker.io/library/redis, but its path is that of nginx" in m
        for m in result.logged()
    )


def test_a_report_from_a_mirror_is_joined_by_its_path(site: SiteFolder) -> None:
    site.image("nginx", "versions: [1.27.3]")
    site.report("nginx/1.27.3.json", trivy([], tag="localhost:5000/nginx:1.27.3"))
    result = site.build(strict=True)
    assert result.failed
    assert any(f"is for localhost:5000/nginx, not for {NGINX}" in text for text in result.logged())
    site.settings["security"] = {"accept": ["reference"]}
    result = site.build(strict=True)
    assert not result.failed, result.logged()
    assert release(result)["scanned"]
    site.report("nginx/1.27.3.json", trivy([], tag="localhost:5000/redis:1.27.3"))
    assert site.build(strict=True).failed, "another image is no mirror"


def test_reports_behind_a_linked_folder_and_with_a_capital_ending_are_read(site: SiteFolder) -> None:
    site.image("nginx", f"versions: [{{version: 1.27.3, digest: '{digest(1)}'}}]")
    site.write(
        "elsewhere/1.27.3.JSON", json.dumps(trivy([row("CVE-2026-0001")], digest=f"{NGINX}@{digest(1)}"))
    )
    site.write("scans/README.md", "Reports of the nightly scan.\n")
    (site.folder / "scans/nginx").symlink_to(site.folder / "elsewhere")
    (site.folder / "elsewhere/loop").symlink_to(site.folder / "elsewhere")
    assert found(release(built(site))) == ["CVE-2026-0001"]
