"""Random catalogs as real source folders, for the oracle: small, and full of what decides a count."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from random import Random
from typing import Any

from mkdocs_catalog_api.documents.table import LOOKUP_NAMES

from .feeds_of_advisories import kev
from .oracle_files import component
from .sites import REGISTRY, SiteFolder, cyclonedx, digest, grype, harbor, match, openvex, row, trivy

Json = dict[str, Any]
TODAY, NOW = "2026-11-22T00:00:00Z", "1795305600"
"""The same moment, the latter as `SOURCE_DATE_EPOCH`."""
CVES = ["CVE-2024-9999", "CVE-2024-10000", "CVE-2019-20001"]
ADVISORIES = ["GHSA-aaaa-bbbb-cccc", "DSA-1234-1", "RHSA-2024:1", "TEMP-1"]
PLATFORMS = ["linux/amd64", "linux/arm64", "linux/arm/v7", "linux/arm/v6"]
LOCAL = digest("of an image that was loaded from an archive")
KINDS = ["os-pkgs", "lang-pkgs"]
LABELS = ["1.0", "1.1", "1.1-r1", "1.10", "2.0.0", "2.0.1", "20231015"]
TIMES = [f"2026-11-01T{time}" for time in ("06:00:00Z", "06:00:00.1Z", "06:00:00.12Z")]
TIMES += ["2026-11-01T08:00:00.100000001+02:00"]
STRANGE_TIMES = ["", "yesterday", "9999-01-01T00:00:00Z"]
DATES = [f"2026-01-0{time}" for time in ("1T00:00:00Z", "2T00:00:00Z", "2T00:00:00.5Z", "3T00:00:00+01:00")]
VECTORS = [
    "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
    "CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N",
    "CVSS:3.0/AV:L/AC:L/PR:L/UI:N/S:U/C:L/I:N/A:N",
]
SHOUTED = ["CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN", "bogus", None]
WORDS = ["Critical", "High", "Medium", "Low", "Negligible", "Unknown", None]
HEADERS = {"name": "linux(-.*)?-headers-.*", "upstream-name": "linux.*", "type": "deb"}
SILENCED = [
    {"vulnerability": "CVE-2024-9999"},
    {"namespace": "vex", "vex-status": "not_affected"},
    {"namespace": "vex", "vex-status": "fixed"},
    {"reason": "DistroPackageFixed"},
    {"reason": "Explicit APK NAK"},
    {"match-type": "exact-indirect-match", "package": {"name": "linux-.*", "upstream-name": "linux"}},
    {"match-type": "exact-indirect-match", "package": HEADERS},
]
"""Rules by which Grype left a match out."""


@dataclass
class Version:
    """A version of an image, and what its reports say of themselves."""

    slug: str
    image: str
    label: str
    digests: list[str]
    tags: list[str] = field(default_factory=list)
    platform: str = ""
    manifests: dict[str, str] = field(default_factory=dict)


class RandomCatalog:
    """Everything that is random about one catalog; each part is written where it belongs."""

    def __init__(self, site: SiteFolder, seed: int) -> None:
        self.site, self.chance, self.reports = site, Random(seed), 0  # noqa: S311 - the same in every run
        self.versions: list[Version] = []
        self.lists = Random(f"lists of {seed}")  # noqa: S311 - apart, so that nothing else depends on them

    def one(self, values: Sequence[Any]) -> Any:
        return self.chance.choice(values)

    def maybe(self, probability: float) -> bool:
        return self.chance.random() < probability

    def write(self) -> None:
        for slug in ("nginx", "redis", "node")[: self.one([1, 1, 2, 3])]:
            self.image(slug)
        for version in self.versions:
            for _ in range(self.one([0, 1, 2, 2, 3, 4])):
                self.report(version)
        for number, version in enumerate(self.versions * 2):
            if self.lists.random() < 0.4:
                self.site.report(*self.sbom(number, version))
        outside = Version("", "quay.io/acme/proxy", "7", [digest("outside")], platform="amd64")
        for _ in range(self.one([0, 0, 1, 2])):
            self.report(outside)
        if self.versions and self.maybe(0.3):
            self.report_by("digest", replace(self.versions[0], digests=[digest("on no page")]))
        for number in range(self.chance.randint(0, 2)):
            self.chart(f"web{number}", outside)
        for number in range(self.one([0, 1, 2, 3])):
            self.site.write(f"vex/{number}.json", json.dumps(self.vex()))
        if self.maybe(0.7):
            known = {CVES[day]: f"2026-02-0{day + 1}" for day in range(self.chance.randint(1, 2))}
            self.site.write("advisories/known_exploited_vulnerabilities.json", kev(known))
        security: Json = {"accept": [word for word in ("ignored", "partial") if self.maybe(0.3)]}
        if self.maybe(0.3):
            security["scanners"] = ["osv", "harbor", "grype", "trivy"]
        self.site.settings = {"security": security, "lookups": [*LOOKUP_NAMES]}
        self.site.settings |= {} if self.maybe(0.1) else {"registry": REGISTRY}
        self.site.write("docs/index.md", "# Home\n")
        self.site.write_config()

    def image(self, slug: str) -> None:
        image = f"{REGISTRY}/{slug}" if self.maybe(0.8) else f"docker.io/library/{slug}"
        lifecycle = self.one(["available"] * 3 + ["deprecated", "withdrawn", "planned"])
        labels = self.chance.sample(LABELS, self.one([0, 1, 1, 2, 2, 3]))
        entries: list[Json] = []
        before: list[str] = []
        for label in labels:
            digests = [digest(f"{slug} {label} {number}") for number in range(self.one([0, 1, 1, 1, 2]))]
            if before and self.maybe(0.15):
                digests = before
            if self.versions and self.maybe(0.05):
                digests = self.versions[0].digests
            before = digests
            tags = [f"t{label}"] if self.maybe(0.3) else []
            entry: Json = {"version": label, "digest": digests, "tags": tags, "released": "2026-10-01"}
            manifests: dict[str, str] = {}
            if len(digests) == 1 and self.maybe(0.5):
                for name in self.chance.sample(PLATFORMS, self.one([1, 2, 2, 3])):
                    manifests[name] = f"sha256:{sha256((digests[0] + name).encode()).hexdigest()}"
                entry["manifests"] = manifests
            if self.maybe(0.2):
                entry["platforms"] = self.chance.sample(PLATFORMS, self.one([1, 2]))
            entries.append(entry)
            platform = "amd64" if self.maybe(0.7) else ""
            self.versions.append(Version(slug, image, label, digests, tags, platform, manifests))
        if (known := [entry for entry in entries if entry["digest"]]) and self.maybe(0.4):
            self.one(known)["tags"].append("latest")
        written = image.removeprefix("docker.io/library/")
        page: Json = {"lifecycle": lifecycle, "versions": entries}
        if image != f"{REGISTRY}/{slug}":  # else it is that of the setting `registry`, if it is there
            page["image"] = written
        if self.maybe(0.3):
            page["platforms"] = self.chance.sample(PLATFORMS, self.one([1, 2, 3]))
        page["accept"] = [word for word in ("nothing-recognized", "reference") if self.maybe(0.2)]
        if labels and self.maybe(0.2):
            page["latest"] = self.one(labels)
        self.site.image(slug, "\n".join(f"{key}: {json.dumps(value)}" for key, value in page.items()))

    def chart(self, slug: str, outside: Version) -> None:
        pins: list[str] = []
        for version in [*self.versions, outside]:
            if self.maybe(0.4):
                by_digest = version.digests and self.maybe(0.6)
                pinned = f"@{self.one(version.digests)}" if by_digest else ""
                pins.append(f"{version.image}:{version.label}{pinned}")
        if self.versions and self.maybe(0.2):
            pins.append(f"{self.versions[0].image}@{digest('on no page')}")
        self.site.page(f"charts/{slug}.md", f"images: {json.dumps(pins)}")

    def time(self) -> str:
        return str(self.one(STRANGE_TIMES if self.maybe(0.1) else TIMES))

    def report(self, version: Version) -> None:
        """One report of a release, joined by digest, by tag or by its path."""
        ways = ["digest"] * 2 * bool(version.digests) + ["tag"] + ["path"] * bool(version.slug)
        self.report_by(self.one(ways), version)

    def report_by(self, way: str, version: Version) -> None:
        self.reports += 1
        scanners = ["trivy"] * 5 + ["grype"] * 3 + ["harbor"] * (way != "tag") + ["osv"] * (way == "path")
        scanner, tag, sha, hexes = self.one(scanners), "", "", ""
        if way == "digest":
            sha = self.one(version.digests)
            sha = sha.upper().replace("SHA", "sha") if self.maybe(0.1) else sha
        if way in ("tag", "path") and not version.digests and self.maybe(0.3):
            sha = digest(f"{version.label} {self.chance.randint(1, 2)}")
        if way == "tag" or (way == "digest" and self.maybe(0.5)):
            tag = f"{version.image}:{self.one([version.label, *version.tags])}"
        by_chance = self.maybe(0.6 if version.manifests else 0.15)
        platform = self.one(["amd64", "arm64", "arm", ""]) if by_chance else version.platform
        if version.manifests and self.maybe(0.5):
            name, manifest = self.one([*version.manifests.items()])
            if way == "digest":
                sha = manifest
            if way == "path" and scanner != "harbor":
                hexes, platform = f".{manifest[7:19]}", "" if scanner == "osv" else name.split("/")[1]
        if way == "path" and not hexes and scanner == "trivy" and self.maybe(0.1):
            sha = digest("of another build")
        if way == "path" and self.maybe(0.05):
            hexes = ".0123456789ab"
        made = getattr(self, scanner)(replace(version, platform=platform), tag, sha)
        by_path = f"{version.slug}/{self.one([version.label, *version.tags])}{hexes}.json"
        at_path = way == "path" or (way == "tag" and version.slug and self.maybe(0.8))
        self.site.report(by_path if at_path else f"any/{self.reports}.json", made)

    def listed(self) -> list[Json]:
        """Packages as Trivy lists them."""
        version = self.lists.choice(["1.0", "1.1"])
        every: list[Json] = [
            {"Name": name, "SrcName": source, "Licenses": ["MIT", "Apache-2.0"][: len(name) % 3]}
            | {"Version": version, "Identifier": {"PURL": f"{url}@{version}{qualifiers}"}}
            for name, source, url, qualifiers in (
                ("curl", "curl", "pkg:deb/debian/curl", "?arch=amd64&distro=debian-12"),
                ("libssl3", "openssl", "pkg:deb/debian/libssl3", "?arch=amd64"),
                ("openssl", "openssl", "pkg:npm/openssl", ""),
                ("@babel/core", "@babel/core", "pkg:npm/%40babel/core", ""),
            )
        ]
        return self.lists.sample(every, self.lists.randint(0, 3))

    def sbom(self, number: int, version: Version) -> tuple[str, Json]:
        """An SBOM of one part, and its path."""
        digests = [*version.manifests.values()] or version.digests
        url = f"pkg:oci/{version.slug}@{self.lists.choice(digests)}?repository_url=" if digests else ""
        components = [component(listed) for listed in self.listed()]
        report = cyclonedx(
            of=f"{version.image}:{version.label}", purl=url and f"{url}{version.image}&arch=amd64"
        )
        report["components"] = [part for part in components if part.pop("bom-ref")]
        times = self.lists.choice([TIMES, TIMES, STRANGE_TIMES])
        report["metadata"]["timestamp"] = self.lists.choice(times)
        path = "any/{0}.json" if digests or self.lists.random() < 0.5 else "{1}/{2}.cdx.json"
        return path.format(f"sbom-{number}", version.slug, version.label), report

    def package(self) -> tuple[str, str, str]:
        """Name, installed version, version with a fix."""
        installed = self.one(["1.0"] * 3 + ["1.1"] * 3 + ["v1.0", "0:1.0"])
        return self.one(["curl", "openssl"]), installed, self.one(["", "", "2.0", "2.1"])

    def purl(self, pkg: str, installed: str) -> str:
        """Mostly of one distribution, which scanners name in two ways, sometimes of another type."""
        kind = self.one(["deb/debian"] * 5 + ["deb/ubuntu", "npm"])
        return f"pkg:{kind}/{pkg}@{installed}{self.one(['', '?arch=amd64'])}"

    def related(self, probability: float) -> list[str]:
        """Up to two CVEs that an advisory stands for."""
        return self.chance.sample(CVES, self.chance.randint(0, 2)) if self.maybe(probability) else []

    def trivy(self, version: Version, tag: str, digest: str) -> Json:
        def found() -> Json:
            pkg, installed, fixed = self.package()
            id_ = self.one([CVES[0]] * 3 + CVES + ADVISORIES)
            found: Json = row(id_, self.one(SHOUTED), pkg=pkg, installed=installed, fixed=fixed)
            found |= {"PkgIdentifier": {"PURL": self.purl(pkg, installed)}}
            if self.maybe(0.4):
                found["VendorIDs"] = self.chance.sample([*ADVISORIES, *CVES], self.one([1, 1, 2]))
            found |= {"Title": self.one(["", "one", "two"]), "PrimaryURL": f"https://example.org/{id_}"}
            found |= {"Status": "not_affected"} if self.maybe(0.05) else {}
            return {key: value for key, value in found.items() if value}

        def result(kind: str) -> Json:
            rows = [found() for _ in range(self.chance.randint(0, 3))] or None
            result: Json = {"Target": f"usr/{self.one('ab')}", "Class": kind, "Vulnerabilities": rows}
            if self.lists.random() < 0.5:
                result["Packages"] = self.listed()
            if self.maybe(0.2):
                type_ = "vulnerability" if self.maybe(0.9) else "secret"
                status = self.one(["ignored", "not_affected", "fixed", "affected"])
                modified = {"Type": type_, "Status": status, "Source": ".trivyignore", "Finding": found()}
                result["ExperimentalModifiedFindings"] = [modified]
            return result

        report = trivy([], tag=tag, digest=digest and f"{version.image}@{digest}", created=self.time())
        report["ArtifactName"] = tag
        if self.maybe(0.9):
            report["Metadata"]["OS"] = {"Family": "debian", "Name": "12", "EOSL": self.maybe(0.1)}
        if version.platform:
            report["Metadata"]["ImageConfig"] = {"os": "linux", "architecture": version.platform}
        kinds = self.one([*[KINDS[:1], KINDS[1:], KINDS, KINDS] * 3, []])
        report["Results"] = [result(kind) for kind in kinds]
        return report

    def grype(self, version: Version, tag: str, digest: str) -> Json:
        def found() -> Json:
            pkg, installed, fixed = self.package()
            ids = self.one([ADVISORIES, CVES])
            about = {"type": self.one(["deb", "deb", "npm"]), "purl": self.purl(pkg, installed)}
            about |= {"locations": [{"path": f"/usr/{self.one('ab')}"}]}
            related = self.related(1 if ids is ADVISORIES else 0.1)
            found = match(self.one(ids), self.one(WORDS), *related, pkg=pkg, version=installed, **about)
            found["vulnerability"]["fix"] = {"versions": [fixed] * bool(fixed)}
            return found

        names = [f"{version.image}:{version.label}"] * 3 + [version.image, "web.tar", "quay.io/acme/proxy:7"]
        names += [f"mirror.example.org/{version.slug}:{label}" for label in (version.label, "7")]
        target: Json = {"userInput": tag or self.one(names), "tags": [tag] * bool(tag)}
        target |= {"repoDigests": [f"{version.image}@{digest}"] * bool(digest)}
        if version.platform:
            target |= {"os": "linux", "architecture": version.platform}
        if version.manifests and self.maybe(0.5):
            target["manifestDigest"] = version.manifests.get(f"linux/{version.platform}", LOCAL)
        report = grype(*(found() for _ in range(self.chance.randint(0, 3))), created=self.time(), **target)
        ignored = [found() | {"appliedIgnoreRules": [self.one(SILENCED)]} for _ in range(self.one([0, 0, 1]))]
        report["ignoredMatches"] = ignored
        alerts = ["distro-eol", "distro-unknown", "distro-disabled", "of a later Grype"]
        report["alertsByPackage"] = [{"alerts": [{"type": self.one(alerts)}]}] * self.maybe(0.1)
        configuration: Json = {"only-fixed": self.maybe(0.1), "only-notfixed": self.maybe(0.05)}
        configuration |= {
            "ignore-wontfix": "wont-fix" * self.maybe(0.05),
            "exclude": ["/a"] * self.maybe(0.05),
        }
        report["distro"] |= {"name": ""} if self.maybe(0.3) else {}
        if self.maybe(0.1):
            configuration["ignore"] = [{"reason": "Explicit APK NAK"}]
        report["descriptor"]["configuration"] = configuration
        return report

    def harbor(self, version: Version, tag: str, digest: str) -> Json:
        rows = []
        for _ in range(self.chance.randint(1, 3)):
            pkg, installed, fixed = self.package()
            found: Json = {"id": self.one([*CVES, "TEMP-1"]), "package": pkg, "version": installed}
            found |= {"artifact_digests": [digest] * bool(digest), "fix_version": fixed}
            rows.append(found | ({"severity": word} if (word := self.one(WORDS)) else {}))
        return harbor(*rows, created=self.time())

    def osv(self, version: Version, tag: str, digest: str) -> Json:
        packages = []
        for _ in range(self.one([0, 1, 1, 2, 2, 3, 3])):
            pkg, installed, fixed = self.package()
            advisory = self.maybe(0.6)
            id_ = self.one(ADVISORIES if advisory else CVES)
            record: Json = {"id": id_, "summary": "text"}
            record[self.one(["aliases", "upstream"])] = self.related(advisory)
            named = {"name": pkg, "version": installed, "ecosystem": "Debian:12"}
            ranges = [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": fixed}]}] * bool(fixed)
            of = {"name": pkg, "ecosystem": self.one(["Debian:12"] * 3 + ["Debian:13", "Debian", "npm"])}
            record["affected"] = [{"package": of, "ranges": ranges}]
            severity = self.one(["9.8", "5.0", "vector", "word", ""])
            if severity == "vector":
                holder = self.one([record, record["affected"][0]])
                holder["severity"] = [{"type": "CVSS_V3", "score": self.one(VECTORS)}]
            if severity == "word":
                record["database_specific"] = {"severity": self.one(["MODERATE", "HIGH", "LOW"])}
            group: Json = {"ids": [id_], "aliases": [id_, *record.get("aliases", [])]}
            group["max_severity"] = severity if severity[:1].isdigit() else ""
            packages.append({"package": named, "vulnerabilities": [record], "groups": [group]})
        source = {"path": f"{version.image}:{version.label}", "type": "docker"}
        report: Json = {"image_metadata": {"os": "Debian 12"}} if self.maybe(0.2) else {}
        return report | {"results": [{"source": source, "packages": packages}] if packages else []}

    def vex(self) -> Json:
        head: Json = {"@id": self.one([f"https://{name}.example" for name in "abcde"])}
        head |= {"version": self.chance.randint(1, 2), "timestamp": self.one(DATES)}
        if self.maybe(0.05):
            head["timestamp"] = "soon"
        if self.maybe(0.3):
            head["last_updated"] = self.one(DATES)
        made = openvex(*(self.statement() for _ in range(self.chance.randint(1, 6))), **head)
        return {"predicateType": "https://openvex.dev/ns", "predicate": made} if self.maybe(0.2) else made

    def statement(self) -> Json:
        id_ = self.one([CVES[0]] * 8 + CVES + ADVISORIES)
        forms: list[Any] = [id_, {"name": id_}, {"name": f" {id_.lower()} "}]
        forms += [{"@id": f"https://example.org/{each}", "name": id_} for each in (id_, CVES[0])]
        forms += [{"name": "X-1", "aliases": [id_]}, {"name": id_, "aliases": [CVES[0]]}]
        status = self.one(["not_affected"] * 3 + ["fixed", "affected", "under_investigation"])
        statement: Json = {"vulnerability": self.one(forms), "status": status}
        statement["products"] = [self.product() for _ in range(self.chance.randint(1, 3))]
        if status == "not_affected":
            statement["justification"] = "component_not_present"
        if status == "affected":
            statement["action_statement"] = "Upgrade."
        if self.maybe(0.6):
            times = ["9999-01-01T00:00:00Z", "soon"] if self.maybe(0.1) else DATES
            statement["timestamp"] = self.one(times)
        if self.maybe(0.3):
            statement["last_updated"] = self.one(DATES)
        return statement

    def product(self) -> Json:
        version = self.one(self.versions or [Version("", "quay.io/acme/proxy", "7", [digest("outside")])])
        name, sha = version.image.rpartition("/")[2], (version.digests or [digest("none")])[-1]
        bare, cpe = f"pkg:oci/{name}", "cpe:2.3:a:haxx:curl:*:*:*:*:*:*:*:*"
        purl = f"{bare}?repository_url={version.image}"
        forms = [*[version.image] * 6, f"{version.image}:{version.label}", f"{version.image}@{sha}", sha]
        forms += [*[purl] * 4, f"{bare}@{sha.replace(':', '%3A')}?repository_url={version.image}"]
        forms += [f"{purl}&{more}" for more in (f"tag={version.label}", "arch=amd64", "distro=wolfi")]
        forms += [f"{bare}?repository_url=other.example.org/{name}", bare, "pkg:deb/debian/curl", cpe]
        product: Json = {"@id": self.one(forms)}
        if self.maybe(0.2):
            identifiers = [{"purl": purl}, {"purl": purl, "cpe23": cpe}, {"purl": 5}, {"purl": ""}]
            product["identifiers"] = self.one(identifiers)
        if self.maybe(0.3):
            curl = "pkg:deb/debian/curl"
            names = ["curl", "openssl", curl, f"{curl}@1.0", f"{curl}?arch=amd64", "pkg:apk/wolfi/curl"]
            product["subcomponents"] = [{"@id": self.one(names)} for _ in range(self.chance.randint(1, 2))]
        return product
