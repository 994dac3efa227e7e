"""What the oracle knows of a catalog: its pages, scanners' reports and settings, as plain records.

It reads what the example and `random_catalogs` have, without the package. ANY is left open by the contract.
"""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace as Record
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import yaml
from cvss import CVSS3

ANY = "<any>"
SEVERITIES = ["CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN"]
WORDS = {"IMPORTANT": "HIGH", "MODERATE": "MEDIUM", "NEGLIGIBLE": "LOW"} | {word: word for word in SEVERITIES}
OWN_KNOWLEDGE = {"DistroPackageFixed", "Explicit APK NAK", "CPE not vulnerable"}
HEADERS = ("kernel-headers", "linux-libc-dev", "linux(-.*)?-headers", "linux-headers", "linux-kbuild")
NAMES = re.compile("(CVE|GHSA|GO|PYSEC|RUSTSEC|MAL|OSV)-")
"""Ids of these databases name single vulnerabilities; all others are advisories."""
ALL = {"os-pkgs", "lang-pkgs"}
PRE_RELEASES = ["dev", "snapshot", "a", "alpha", "b", "beta", "m", "milestone", "pre", "preview", "rc"]
REVISIONS = ["r", "p", "post", "u", "update", "sp", "hotfix", "patch", "build"]


def finding(
    id_: str, severity: Any, pkg: str, installed: str, fixed: str, others: Sequence[str] = (), **more: Any
) -> Record:
    """A missing or foreign severity is UNKNOWN. Of the other ids those count that name one vulnerability; the
    only CVE among all is the main one.
    """
    id_, *others = (usual(name) for name in (id_, *others))
    ids = {id_, *(name for name in others if NAMES.match(name))}
    cves = sorted(name for name in ids if name.startswith("CVE-"))
    main = cves[0] if len(cves) == 1 else id_
    values = {"title": ANY, "url": ANY} | dict.fromkeys(("target", "purl", "told"), "") | more
    row = (main, package(values["purl"], pkg), plain(installed))
    about = {"id": main, "aliases": sorted(ids - {main}), "cves": cves, "row": row, "pkg": pkg}
    word = WORDS.get(str(severity).upper(), "UNKNOWN")
    return Record(**about, installed=installed, severity=word, fixed=fixed, **values)


def usual(id_: str) -> str:
    """CVE and GHSA ids have one form each."""
    prefix, dash, rest = id_.strip().partition("-")
    known = {"CVE": rest, "GHSA": rest.lower()}
    return f"{prefix.upper()}{dash}{known[prefix.upper()]}" if prefix.upper() in known else id_.strip()


def package(url: str, name: str) -> str:
    """What a package is: its URL without version and distribution, else its name."""
    return purl(url)[0] or name


def plain(version: str) -> str:
    """Scanners write or leave out a leading `v`, `go` or epoch of 0."""
    return re.sub(r"^(v|go|0:)(?=\d)", "", version)


def told_grype(rules: list[Any], configured: list[Any]) -> str:
    """Own knowledge leaves a match out; of the other rules, one that is no VEX status makes it `ignored`."""
    own = OWN_KNOWLEDGE - {rule.get("reason") for rule in configured}
    others = [rule for rule in rules if rule.get("reason") not in own]
    words = {rule.get("vex-status", "ignored") for rule in others if not of_headers(rule)}
    return "ignored" if "ignored" in words else min(words, default="left out" if rules else "")


def of_headers(rule: Any) -> bool:
    name: str = rule.get("package", {}).get("name", "")
    return rule.get("match-type") == "exact-indirect-match" and name.startswith(HEADERS)


def reference(text: str) -> tuple[str, str, str]:
    """Normalized repository, tag, digest."""
    name, _, digest = text.partition("@")
    head, slash, last = name.rpartition("/")
    last, _, tag = last.partition(":")
    on_host = re.match(r"localhost$|.*[.:]", head.split("/")[0]) or not name
    prefix = "" if on_host else "docker.io/" if head else "docker.io/library/"
    return prefix + head + slash + last, tag, digest.lower()


def purl(text: str) -> tuple[str, str, dict[str, str]]:
    """Type and name without a distribution, version, qualifiers of a package URL."""
    path, _, query = text.partition("?")
    name, _, version = path.partition("@")
    name = re.sub("^(pkg:(?:apk|deb|rpm)/)[^/]+/", r"\1", unquote(name))
    if re.match("pkg:(bitbucket|composer|github|golang|npm|nuget)/", name):
        name = name.lower()
    if name.startswith("pkg:pypi/"):
        name = re.sub("[-_.]+", "-", name).lower()
    return name, plain(unquote(version)), dict(parse_qsl(query))


def instant(text: Any) -> Fraction | None:
    """Seconds, to the last digit of the fraction; None when it can't be read."""
    parts = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)", str(text))
    return parts and int(datetime.fromisoformat(parts[1] + parts[3]).timestamp()) + Fraction(parts[2] or 0)


def scan(scanner: str, names: list[str], time: Any, findings: list[Record], **more: Any) -> Record:
    references = [reference(name) for name in names if name and not name.endswith(".tar")]
    values: dict[str, Any] = {"platform": "", "packages": ALL, "limits": set(), "manifest": ""}
    values |= {"listed": [], "list_is_whole": True, "hub": False, "more_digests": []}
    values |= {"named_kinds": set()}
    values |= more
    values["names"] = [name for name in names if name and name[0] != "@" and not name.endswith(".tar")]
    values |= {"digests": {digest for *_, digest in references if digest} | {*values.pop("more_digests")}}
    values |= {"images": {repository for repository, *_ in references if repository}}
    values |= {"tags": {(image, tag or "latest") for image, tag, digest in references if tag or not digest}}
    return Record(scanner=scanner, time=instant(time), findings=findings, **values)


def kind_of(type_: str) -> str:
    """The kind of packages of a scanner's type."""
    return "os-pkgs" if type_ in ("deb", "apk", "rpm", "alpm") else "lang-pkgs"


def has_system(listed: list[Any]) -> bool:
    """Whether a package of an operating system is among these."""
    types = {entry.get("purl", "").partition("/")[0] for entry in listed}
    return bool(types & {"pkg:deb", "pkg:apk", "pkg:rpm", "pkg:alpm"})


def trivy(report: Any, names: list[str], time: str) -> Record:
    meta, results, findings = report.get("Metadata", {}), report.get("Results") or [], []
    named_kinds: set[str] = set()
    for result in results:
        listed = [(row, "") for row in result.get("Vulnerabilities") or []]
        for entry in result.get("ExperimentalModifiedFindings", []):
            told = entry["Status"] if entry["Status"] in ("not_affected", "fixed") else "ignored"
            listed += [(entry["Finding"], told)] if entry["Type"] == "vulnerability" else []
        for row, told in [(row, told) for row, told in listed if row.get("Status") != "not_affected"]:
            about = [row.get(key, "") for key in ("PkgName", "InstalledVersion", "FixedVersion")]
            more = {"title": row.get("Title", ""), "url": row.get("PrimaryURL", ANY), "told": told}
            more |= {"target": result["Target"], "purl": row.get("PkgIdentifier", {}).get("PURL", "")}
            more["others"] = row.get("VendorIDs", [])
            findings.append(finding(row["VulnerabilityID"], row.get("Severity"), *about, **more))
            named_kinds.add(result["Class"])
        named_kinds |= {result["Class"]} if result.get("Packages") else set()
    names = [*names, report.get("ArtifactName", ""), *meta.get("RepoTags", []), *meta.get("RepoDigests", [])]
    packages = {result["Class"] for result in results}
    system, config = meta.get("OS", {}), meta.get("ImageConfig", {})
    limits = {"no-system-packages"} if system.get("Family") and "os-pkgs" not in packages else set()
    limits |= {"os-end-of-life"} if system.get("EOSL") else set()
    limits |= set() if system.get("Family") or results else {"nothing-recognized"}
    platform = "/".join([config["os"], config["architecture"]]) if config else ""
    more = {"platform": platform, "packages": packages if report else ALL, "limits": limits}
    more["named_kinds"] = named_kinds
    more["listed"] = [component(listed) for result in results for listed in result.get("Packages", [])]
    all_list = all(result.get("Packages") for result in results)
    more["list_is_whole"] = all_list and bool(not system.get("Family") or has_system(more["listed"]))
    if more["listed"] and (name := system.get("Family")):
        of_system = {"name": name, "version": system["Name"], "bom-ref": f"{name}@{system['Name']}"}
        more["listed"].append(of_system | {"type": "operating-system"})
    return scan("trivy", names, time or report.get("CreatedAt"), findings, **more)


def component(listed: Any) -> dict[str, Any]:
    """A package as the document of a version has it, of a list of Trivy with package URLs."""
    path, mark, qualifiers = listed["Identifier"]["PURL"].partition("?")
    version = unquote(path.rpartition("@")[2])
    names = [quote(unquote(name), safe="") for name in path.rpartition("@")[0].split("/")[1:]]
    url = "/".join([path.partition("/")[0], *names])
    url = f"{url}@{quote(version, safe=':~')}{mark}{qualifiers}"
    if epoch := dict(parse_qsl(qualifiers)).get("epoch"):
        version = f"{epoch}:{version.removeprefix(f'{epoch}:')}"
    found = {"type": "library", "name": listed["Name"], "version": version, "purl": url}
    found |= {"licenses": [{"license": {"name": name}} for name in sorted(listed.get("Licenses", []))]}
    source = listed.get("SrcName", listed["Name"])
    if source != listed["Name"]:
        found["purl"] += f"{'&' if '?' in url else '?'}upstream={source}"
        found["properties"] = [{"name": "aquasecurity:trivy:SrcName", "value": source}]
    return {key: value for key, value in found.items() if value} | {"bom-ref": found["purl"]}


def sbom(report: Any) -> Record:
    """Only a list, in CycloneDX; of Syft, the version of its subject is a digest, or the tag of the name."""
    about, listed, systems = report["metadata"]["component"], [], []
    for part in report["components"]:
        if part["type"] == "operating-system":
            about_it = {key: part[key] for key in ("type", "name", "version")}
            listed.append(about_it | {"bom-ref": f"{part['name']}@{part['version']}"})
            systems.append(part["name"])
        if part["type"] == "library":
            url, _, source = part["purl"].partition("&upstream=")
            name = "/".join(part[key] for key in ("group", "name") if key in part)
            names = [name for each in part.get("licenses", []) for name in each["license"].values()]
            package = {"Name": name, "Version": part["version"], "Identifier": {"PURL": url}}
            listed.append(component(package | {"SrcName": source or name, "Licenses": names}))
    url = purl(about.get("purl", ""))
    digest = f"{url[2].get('repository_url', '')}@{url[1]}" if url[1] else ""
    names = [about["name"], digest] if digest else [about["name"]]
    platform = f"linux/{url[2]['arch']}" if "arch" in url[2] else ""
    version = about.get("version", "")
    if version and not version.startswith("sha256:") and not reference(about["name"])[1]:
        names[0] += f":{version}"
    stated = {entry["aggregate"] for entry in report.get("compositions", [])}
    whole = (
        (has_system(listed) or not systems)
        and stated <= {"complete"}
        and (bool(report["components"]) or stated)
    )
    more = {"platform": platform, "listed": listed, "list_is_whole": whole}
    more["more_digests"] = [version] if version.startswith("sha256:") else []
    return scan("sbom", names, report["metadata"].get("timestamp"), [], **more)


def grype(report: Any) -> Record:
    findings, target, descriptor = [], report["source"]["target"], report["descriptor"]
    named_kinds: set[str] = set()
    configuration = descriptor.get("configuration", {})
    for match in [*report["matches"], *report.get("ignoredMatches", [])]:
        told = told_grype(match.get("appliedIgnoreRules", []), configuration.get("ignore", []))
        row, artifact = match["vulnerability"], match["artifact"]
        more = {"target": min([place["path"] for place in artifact["locations"]]), "purl": artifact["purl"]}
        more |= {"others": [related["id"] for related in match["relatedVulnerabilities"]], "told": told}
        about = (artifact["name"], artifact["version"], ", ".join(row.get("fix", {}).get("versions", [])))
        if told != "left out":
            findings.append(finding(row["id"], row.get("severity"), *about, **more))
            named_kinds.add(kind_of(artifact["type"]))
    options = ("only-fixed", "only-notfixed", "ignore-wontfix", "exclude")
    limits = {key for key in options if configuration.get(key)}
    for alert in [alert["type"] for entry in report.get("alertsByPackage", []) for alert in entry["alerts"]]:
        limits |= {"os-end-of-life" if alert == "distro-eol" else "unknown-distribution"}
    system = report.get("distro", {}).get("name", "")
    matched = report["matches"] or report.get("ignoredMatches") or system
    limits |= set() if matched else {"nothing-recognized"}
    names = [target["userInput"], *target["tags"], *target["repoDigests"]]
    platform = "linux/" + target["architecture"] if "architecture" in target else ""
    more = {"platform": platform, "limits": limits, "manifest": target.get("manifestDigest", "")}
    more["named_kinds"] = named_kinds
    return scan("grype", names, descriptor.get("timestamp"), findings, **more)


def harbor(report: Any) -> Record:
    rows = report["vulnerabilities"]
    names = ["@" + digest for row in rows for digest in row.get("artifact_digests", [])]
    given = [(r["id"], r.get("severity"), r["package"], r["version"], r.get("fix_version", "")) for r in rows]
    return scan("harbor", names, report.get("generated_at"), [finding(*row) for row in given])


def osv(report: Any) -> Record:
    findings, system = [], report.get("image_metadata", {}).get("os", "")
    groups = [(p, g) for result in report["results"] for p in result["packages"] for g in p["groups"]]
    for package, group in groups:
        records = [record for record in package["vulnerabilities"] if record["id"] in group["ids"]]
        installed = {key: package["package"][key] for key in ("name", "ecosystem")}
        aliases = [id_ for r in records for key in ("aliases", "upstream") for id_ in r.get(key, [])]
        own = [part for r in records for part in r.get("affected", []) if part["package"] == installed]
        ranges = [each for part in own for each in part["ranges"]]
        fixed = ", ".join(event["fixed"] for each in ranges for event in each["events"] if "fixed" in event)
        vectors = [given["score"] for part in (*records, *own) for given in part.get("severity", [])]
        score = group["max_severity"] or max([CVSS3(vector).base_score for vector in vectors], default=0)
        word = records[0].get("database_specific", {}).get("severity")
        bounds = {"CRITICAL": 9, "HIGH": 7, "MEDIUM": 4, "LOW": 0.1}
        word = next((severity for severity, bound in bounds.items() if float(score) >= bound), word)
        about = (package["package"]["name"], package["package"]["version"], fixed)
        url = f"pkg:deb/debian/{about[0]}@{about[1]}"
        others = [*group["ids"], *aliases]
        findings.append(finding(group["ids"][0], word, *about, others, purl=url))
    limits = set() if report["results"] or system else {"nothing-recognized"}
    sources = [result.get("source", {}) for result in report["results"]]
    names = [source["path"] for source in sources if source.get("type") == "docker"]
    named_kinds = {"os-pkgs"} if findings else set()  # they are of Debian
    return scan("osv", names, None, findings, limits=limits, named_kinds=named_kinds)


def hub(report: Any, package: Any) -> list[Record]:
    """An image that is missing was scanned, and nothing found."""
    time = datetime.fromtimestamp(package["security_report_created_at"], UTC).isoformat()
    listed = [image for image in package["containers_images"] if not image.get("whitelisted")]
    names = [image["image"] for image in listed]
    return [trivy(report.get(name, {}), [name], time) for name in names]


def reports(folder: Path) -> list[Record]:
    scans = []
    for path in sorted(folder.rglob("*.json")):
        report = json.loads(path.read_bytes())
        if path.with_suffix(".package").exists():
            read = hub(report, json.loads(path.with_suffix(".package").read_bytes()))
            for each in read:
                each.hub = True
        elif "SchemaVersion" in report:
            read = [trivy(report, [], "")]
        elif "matches" in report:
            read = [grype(report)]
        elif "bomFormat" in report:
            read = [sbom(report)]
        else:
            read = [osv(report)] if "results" in report else [harbor(body) for body in report.values()]
        name = path.relative_to(folder).as_posix()
        if "bomFormat" in report:
            name = name.replace(".cdx.json", ".json")
        scans += [Record(**vars(each), path=name) for each in read]
    return scans


def pages(folder: Path, kind: str) -> list[Any]:
    """The front matter of each page by slug, with what it has by default."""
    read = []
    for path in sorted((folder / "docs" / kind).rglob("*.md")):
        is_index = path.stem in ("index", "README")
        if is_index and path.parent.name == kind:
            continue
        _, head, body = re.split("^---$", path.read_text("utf-8"), maxsplit=2, flags=re.M)
        page = yaml.load(head, yaml.CBaseLoader)  # noqa: S506 - makes only strings, lists and dicts
        slug, heading = path.parent.name if is_index else path.stem, re.search(r"^# (.+)$", body, re.M)
        name = page.get("title") or (heading[1] if heading else slug)
        if page.get("catalog") != "false":
            cycles = folder / f"advisories/endoflife/{page.get('product')}.json"
            known = json.loads(cycles.read_bytes())["result"]["releases"] if cycles.exists() else []
            facts = folder / f"registry/{kind}/{slug}.json"
            synced = json.loads(facts.read_bytes())["versions"] if facts.exists() else []
            more = {"cycles": known, "manifests": {each["digest"]: each["manifests"] for each in synced}}
            read.append({"slug": slug, "name": name, "lifecycle": "available"} | more | page)
    return sorted(read, key=lambda page: page["slug"])


def releases(page: Any, registry: str | None) -> list[Record]:
    """The versions of an image, the newest first."""
    slug, written = page["slug"], page.get("image") or (f"{registry}/{page['slug']}" if registry else None)
    image, read = reference(written)[0] if written else None, []
    for given in page.get("versions", []):
        entry = {"version": given} if isinstance(given, str) else given
        entry = {"endOfLife": end_of_life(entry["version"], page["cycles"])} | entry
        labels, digests = [entry["version"], *entry.get("tags", [])], entry.get("digest", [])
        synced = page["manifests"].get(digests, []) if isinstance(digests, str) else []
        manifests = entry.get("manifests", {each["platform"]: each["digest"] for each in synced})
        digests = digests or list(manifests.values())
        platforms = entry.get("platforms") or page.get("platforms", [])
        about = {"page": page, "slug": slug, "image": image, "written": written, "entry": entry, "scans": []}
        about |= {"version": labels[0], "labels": labels, "accept": page.get("accept", [])}
        about |= {"digests": [digests] if isinstance(digests, str) else digests}
        about |= {"manifests": manifests, "platforms": [name.replace("/v8", "") for name in platforms]}
        joins = {
            "tags": {(image, tag) for tag in labels if image},
            "paths": {f"{slug}/{labels[0]}.json"},
        }
        read.append(Record(**about, **joins))
    read.sort(key=lambda release: (version_key(release.version), release.version), reverse=True)
    tagged = [form(release.version) for release in read if "latest" in release.labels]
    fitting = [release for release in read if tagged in ([], [form(release.version)])]
    finals = [
        release for release in fitting if all(part[0] != -2 for part in version_key(release.version)[1])
    ]
    newest = page.get("latest") or next((release.version for release in finals or fitting), "")
    for release in read:
        release.is_latest = release.version == newest
    return sorted(read, key=lambda release: not release.is_latest)


def form(label: str) -> tuple[str, bool]:
    """The word before the number, but `v`, and whether the first number has four digits or more."""
    word, number = re.match(r"(?:v(?=\d))?(\D*)(\d*)", label).groups()  # type: ignore[union-attr]
    return word.strip("-._"), len(number) > 3


def end_of_life(label: str, cycles: list[Any]) -> str | None:
    """That of the longest cycle with which the label begins, from its first digit on."""
    number = re.sub(r"^\D*", "", label)
    fits = [cycle for cycle in cycles if re.match(re.escape(cycle["name"]) + r"(?!\d)", number)]
    longest = max(fits, key=lambda cycle: len(cycle["name"]), default={"eolFrom": None})
    return longest["eolFrom"]


def version_key(label: str) -> Any:
    """Numbers, then what follows: a pre-release, another word, nothing, a revision."""
    _, numbers, rest = re.split(r"(\d+(?:\.\d+)*)", label, maxsplit=1)
    key: list[Any] = []
    for word, number, revision in re.findall(r"([a-z]+)[-._+]?(\d*)|(\d+)", rest.lower()):
        if word in PRE_RELEASES:
            key.append((-2, PRE_RELEASES.index(word), int(number or 0)))
        else:
            is_revision = revision or word in REVISIONS or len(word) == 1
            key.append((1, int(number or revision or 0), word) if is_revision else (-1, word, number))
    return [int(number) for number in re.sub(r"(\.0)+$", "", numbers).split(".")], [*key, (0,)]


def settings(folder: Path) -> Record:
    """Those of the plugin that change a count, where the API is, and what is known to be exploited."""
    config = yaml.load((folder / "mkdocs.yml").read_text("utf-8"), yaml.CBaseLoader)  # noqa: S506
    plugin = next(entry["catalog-api"] for entry in config["plugins"] if "catalog-api" in entry)
    security = {"scanners": ["trivy", "grype", "harbor", "osv"], "accept": []} | plugin.get("security", {})
    base = urlsplit(config.get("site_url", "")).path.rstrip("/") + "/api/v1"
    path = folder / "advisories/known_exploited_vulnerabilities.json"
    entries = json.loads(path.read_bytes())["vulnerabilities"] if path.exists() else None
    kev = None if entries is None else {entry["cveID"]: entry["dateAdded"] for entry in entries}
    more = {"scanners": security["scanners"], "accept": security["accept"]}
    return Record(registry=plugin.get("registry"), base=base, kev=kev, **more)
