"""What is inside: package lists of reports and SBOMs, and the documents that they make."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from .pages import page, words
from .sites import REGISTRY, Result, SiteFolder, built, cyclonedx, digest, rendered, row, trivy

EVERY = ["digests", "references", "cves", "packages", "sbom"]
PURLS = ["pkg:apk/alpine/libssl3@3.5.4-r0?arch=x86_64&upstream=openssl", "pkg:npm/%40babel/core@7.1"]


def listing(*purls: str, tag: str = "", rows: list[dict[str, Any]] | None = None, **result: Any) -> Any:
    """A report of Trivy that lists these packages."""
    report = trivy(rows or [], tag=tag)
    named = [{"Name": purl.partition("@")[0], "Identifier": {"PURL": purl}} for purl in purls]
    report["Results"][0] |= {"Packages": named} | result
    return report


def has(result: Result, path: str) -> list[str]:
    """Each package version of a document with an image that has it."""
    return [
        f"{entry['name']} {entry['version']} {image['slug']}:{','.join(image['versions'])}"
        for entry in result.json(f"packages/{path}.json")["data"]
        for image in entry["images"]
    ]


def known(result: Result) -> list[int]:
    """The numbers of versions whose contents are known, in part, and unknown."""
    index = result.json("packages/index.json")
    return [index[f"releases{how}"] for how in ("Known", "InPart", "Unknown")]


def test_who_has_a_package_vulnerable_or_not(site: SiteFolder) -> None:
    """A source package leads to all that is made of it, also where only a scan names that."""
    site.settings["lookups"] = EVERY
    site.image("web", "versions: ['1', '2', '3']")
    site.image("old", "versions: ['1']")
    site.report("web/1.json", listing(*PURLS, tag=f"{REGISTRY}/web:1"))
    site.report("web/2.cdx.json", cyclonedx(PURLS[0].replace("3.5.4", "3.5.5"), of=f"{REGISTRY}/web:2"))
    site.report("old/1.json", trivy([row("CVE-2026-0001", pkg="libssl3")], tag=f"{REGISTRY}/old:1"))
    result = built(site)
    versions = ["libssl3 3.5.5-r0 web:2", "libssl3 3.5.4-r0 web:1", "libssl3 3.0.0 old:1"]
    assert has(result, "apk/openssl") == has(result, "apk/libssl3") == versions
    assert has(result, "npm/~babel~core") == ["@babel/core 7.1 web:1"]
    assert known(result) == [2, 0, 2]
    sboms = {version["version"]: version["sbom"] for version in result.at("images/web versions")}
    assert (sboms["3"], sboms["1"]) == (None, "/catalog/api/v1/sbom/web/1.json")


def test_contents_are_known_if_each_part_has_a_whole_list(site: SiteFolder) -> None:
    """Unknown is never an empty list."""
    site.settings["lookups"] = EVERY
    site.image("web", f"versions: {json.dumps([*'1234567'])}")
    site.image("arm", "platforms: [linux/amd64, linux/arm64]\nversions: ['1', '2']")
    arm = {"purl": f"pkg:oci/arm@{digest(3)}?repository_url={REGISTRY}/arm&arch=arm64"}
    without_system = listing(PURLS[1], Class="lang-pkgs")
    without_system["Metadata"]["OS"] = {"Family": "alpine", "Name": "3.23"}
    reports: dict[str, Any] = {
        "web/1.json": listing(*PURLS),
        "web/2.json": without_system,
        "web/3.json": trivy([]),
        "web/4.cdx.json": cyclonedx(),
        "web/5.json": listing(rows=[row("CVE-2026-0001")]),
        "web/6.cdx.json": cyclonedx(*PURLS, type="file"),
        "web/7.cdx.json": cyclonedx(*PURLS) | {"compositions": [{"aggregate": "incomplete"}]},
        "arm/1.json": cyclonedx(*PURLS, of=f"{REGISTRY}/arm:1", **arm),
        "arm/2.json": cyclonedx(*PURLS, of=f"{REGISTRY}/arm:2"),
    }
    for path, report in reports.items():
        site.report(path, report)
    result = built(site)
    sboms = [path.relative_to(result.api).as_posix() for path in (result.api / "sbom").rglob("*.json")]
    assert (sboms, known(result)) == (["sbom/web/1.json"], [1, 4, 4])
    assert "scans/web/6.cdx.json" in [problem.file for problem in result.problems]


@pytest.mark.slow
def test_an_sbom_is_valid_and_the_author_s_address_comes_first(site: SiteFolder) -> None:
    """By the schema of CycloneDX itself, whatever lists write."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    site.settings["lookups"] = EVERY
    versions = [{"version": "1", "digest": digest(1)}, {"version": "2", "sbom": "https://e.org/"}]
    site.image("web", f"versions: {json.dumps(versions)}")
    odd = "pkg:generic/a%20b@1?arch=x&epoch=1#sub"
    for label in "12":
        report = listing(*PURLS, odd, "not a purl", tag=f"{REGISTRY}/web:{label}")
        report["Metadata"]["OS"] = {"Family": "alpine", "Name": "3.23"}
        report["Results"][0]["Packages"][0]["Licenses"] = ["Apache-2.0", "a license with a long name"]
        report["Results"][0]["Packages"] += [{"Name": "alpine", "Version": "3.23"}]
        report["Results"][0]["Packages"] += [{"Name": "a@1", "Version": "2"}, {"Name": "a", "Version": "1@2"}]
        site.report(f"web/{label}.json", report)
    other = cyclonedx(*PURLS, of=f"{REGISTRY}/web:1")
    systems = [{"type": "operating-system", "name": name, "version": "3.23"} for name in ("wolfi", "alpine")]
    site.report("web/1.cdx.json", other | {"components": [*other["components"], *systems]})
    result = built(site)
    for label in "12":
        text = (result.api / f"sbom/web/{label}.json").read_text("utf-8")
        assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    bom = result.json("sbom/web/1.json")
    parts = [bom["metadata"]["component"], *bom["components"]]
    assert len({part["bom-ref"] for part in parts}) == len(parts)
    assert [part["name"] for part in parts[1:3]] == ["alpine", "wolfi"]
    sboms = {version["version"]: version["sbom"] for version in result.at("images/web versions")}
    assert sboms == {"1": "/catalog/api/v1/sbom/web/1.json", "2": "https://e.org/"}
    entry = result.json(f"digests/{digest(1).replace(':', '/')}.json")["data"][0]
    assert entry["sbom"] == sboms["1"]


def test_packages_are_written_by_default_and_sboms_are_not(site: SiteFolder) -> None:
    site.image("web", "versions: ['1']")
    site.report("web/1.json", listing(*PURLS))
    result = built(site)
    assert (result.api / "packages/npm/~babel~core.json").exists()
    assert not (result.api / "sbom").exists()
    assert result.at("images/web versions")[0]["sbom"] is None


@pytest.mark.parametrize(
    ("fixes", "best"),
    [
        (["1.24.9, 1.25.3", "1.24.8, 1.25.2"], ["1.25.3", "1.24.9"]),
        (["2.3.1, 2.12.2, 2.15.0", "2.12.2, 2.16.0", "2.3.2, 2.12.4, 2.17.1"], ["2.17.1", "2.12.4"]),
        (["3.5.1-r0", "3.5.3-r0", "3.5.2-r0", ""], ["3.5.3-r0"]),
        (["1:1.0", "2.0"], ["1:1.0"]),
        # The lowest that covers most: not a later one that covers as many.
        (["1.2.3", "1.2.5, 1.2.3"], ["1.2.3"]),
        (["1.0.1", "1.0.2", "1.0.2, 1.0.9"], ["1.0.2"]),
        # A scanner's ranges are no versions.
        (["~> 2.2.6, >= 2.2.6.2, >= 3.0.4.1"], ["3.0.4.1", "2.2.6.2"]),
        (["< 2.0 || >=2.1", "will not fix"], ["2.1"]),
        # A pre-release only where nothing else fixes.
        (["1.26.6, 1.27.0-rc.3"], ["1.26.6"]),
        (["1.27.0-rc.3"], ["1.27.0-rc.3"]),
        # Each release of a distribution has fixes of its own, by what versions say.
        (["2.34-2.el9", "2.28-2.el8"], ["2.34-2.el9", "2.28-2.el8"]),
        ([""], []),
    ],
)
def test_a_cause_names_what_fixes_most(site: SiteFolder, fixes: list[str], best: list[str]) -> None:
    site.image("web", "versions: ['1']")
    installed = [f"1-1{found[0]}" if (found := re.search(r"\.el\d", fixed)) else "1" for fixed in fixes]
    rows = [
        row(f"CVE-2026-000{number}", fixed=fixed, installed=installed[number])
        for number, fixed in enumerate(fixes)
    ]
    site.report("web/1.json", trivy(rows, tag=f"{REGISTRY}/web:1"))
    (cause,) = built(site).json("security.json")["causes"]
    assert (cause["total"], cause["images"], cause["fixed"]) == (len(fixes), 1, best)
    assert cause["href"] == "/catalog/api/v1/packages/apk/openssl.json"


@pytest.mark.parametrize("how", ["purl", "target"])
def test_a_fix_of_one_debian_does_not_cover_another(site: SiteFolder, how: str) -> None:
    """Images of two releases: the cause names the fix of each."""
    for slug, release, fixed in (("old", "11.9", "1.2-2"), ("web", "12.8", "1.4-2")):
        site.image(slug, "versions: ['1']")
        found = row("CVE-2026-0001", pkg="zlib1g", installed=fixed.replace("-2", "-1"), fixed=fixed)
        purl = f"pkg:deb/debian/zlib1g@{found['InstalledVersion']}"
        found["PkgIdentifier"] = {"PURL": f"{purl}?distro=debian-{release}" if how == "purl" else purl}
        target = f"{slug}:1 (debian {release})" if how == "target" else slug
        site.report(f"{slug}/1.json", trivy([found], tag=f"{REGISTRY}/{slug}:1", target=target))
    (cause,) = built(site).json("security.json")["causes"]
    assert cause["fixed"] == ["1.4-2", "1.2-2"]


def test_a_page_shows_the_packages_of_the_newest_version(site: SiteFolder) -> None:
    """From the SBOM if it is published, else all of them: the vulnerable ones first, and a table has 30."""
    site.image("web", "versions: ['1']")
    site.image("bare", "versions: ['1']")
    rows = [row("CVE-2026-0001", pkg="zlib", installed="1.2")]
    many = [f"pkg:apk/wolfi/of{number:02}@1" for number in range(30)]
    report = listing("pkg:apk/wolfi/curl@8", "pkg:apk/wolfi/zlib@1.2", *many, rows=rows)
    report["Results"][0]["Packages"][0]["Licenses"] = ["<b>MIT</b>"]
    site.report("web/1.json", report)
    result = rendered(site)
    (details,) = page(result, "images/web/index.html").xpath(
        "//*[@id='catalog-packages']/following::details[1]"
    )
    lines = [" | ".join(words(cell) for cell in line.xpath("./th | ./td")) for line in details.iter("tr")]
    assert lines[1:3] == ["zlib | 1.2 | – | CVE-2026-0001", "curl | 8 | <b>MIT</b> | –"]
    assert (len(lines), words(details).rpartition("And ")[2]) == (31, "of28 1, of29 1.")
    assert "catalog-packages" not in (result.folder / "site/images/bare/index.html").read_text("utf-8")
    site.settings["lookups"] = EVERY
    (link,) = page(rendered(site), "images/web/index.html").xpath("//a[.='SBOM']/@href")
    assert link == "../../api/v1/sbom/web/1.json"


def test_packages_of_one_source_package_are_one_cause_on_pages(site: SiteFolder) -> None:
    site.write("docs/security.md", "# Security\n\n<!-- catalog: security -->\n")
    purls = {name: PURLS[0].replace("libssl3", name) for name in ("libssl3", "libcrypto3")}
    for slug, names in {"web": ("libcrypto3", "libssl3"), "db": ("libcrypto3",)}.items():
        site.image(slug, "versions: ['1']")
        rows = [
            row("CVE-2026-0001", pkg=name, installed="3.5.4-r0") | {"PkgIdentifier": {"PURL": purls[name]}}
            for name in names
        ]
        purl = [purls[name] for name in names]
        site.report(f"{slug}/1.json", listing(*purl, tag=f"{REGISTRY}/{slug}:1", rows=rows))
    causes = page(rendered(site), "security/index.html").xpath(".//ol[@class='catalog-causes']/li")
    assert [words(each) for each in causes] == ["libcrypto3, libssl3 apk 3 high 2 of 2 images no fix yet"]


def test_characters_that_a_package_url_hides_are_not_published(site: SiteFolder) -> None:
    found = row("CVE-2026-0001", pkg="a") | {"PkgIdentifier": {"PURL": "pkg:npm/a%00b%1B%E2%80%AEc@1"}}
    site.image("web", "versions: ['1']")
    site.report("web/1.json", trivy([found], tag=f"{REGISTRY}/web:1"))
    for document in built(site).api.rglob("*.json"):
        assert not {"\x00", "\x1b", "\u202e"} & {*str(json.loads(document.read_bytes()))}


def test_an_update_is_certainly_without_the_vulnerabilities(site: SiteFolder) -> None:
    """Another version of the package may have them, too, until it was looked at alike."""
    site.settings["lookups"] = EVERY
    site.image("web", f"versions: {json.dumps([*'12'])}")
    old, newer = "pkg:npm/a@1", "pkg:npm/a@2"
    tags = [f"{REGISTRY}/web:{label}" for label in "12"]
    rows = [row("CVE-2026-0001", pkg="a", installed="1") | {"PkgIdentifier": {"PURL": old}}]
    site.report("web/1.json", listing(old, tag=tags[0], rows=rows))
    told = {}
    for name, report in {
        "not scanned": cyclonedx(newer, of=tags[1]),
        "of another case": cyclonedx("pkg:npm/A@2", of=tags[1]),
        "without the package": cyclonedx("pkg:npm/b@1", of=tags[1]),
        "scanned alike": listing(newer, tag=tags[1]),
        "in another package": listing("pkg:npm/b@1", tag=tags[1], rows=[row("CVE-2026-0001", pkg="b")]),
    }.items():
        site.report("web/2.json", report)
        entries = built(site).json("packages/npm/a.json")["data"]
        told[name] = next(entry["images"][0]["update"] is not None for entry in entries if entry["ids"])
    assert told == {
        "not scanned": False,
        "of another case": False,
        "without the package": True,
        "scanned alike": True,
        "in another package": False,
    }


def test_a_package_without_a_name_counts_like_any_other(site: SiteFolder) -> None:
    site.settings["lookups"] = EVERY
    site.image("web", "versions: ['1', '2']")
    site.report("web/1.json", trivy([row("CVE-2026-0001", pkg="")]))
    listed = listing(*PURLS)
    listed["Results"][0]["Packages"] += [{"Name": ""}]
    site.report("web/2.json", listed)
    result = rendered(site)
    entry = result.json("packages/index.json")["data"][0]
    assert (entry["name"], entry["releases"], entry["href"]) == ("", 2, None)
    assert result.at("security/web/1 total") == 1
