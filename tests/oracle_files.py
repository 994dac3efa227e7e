"""The published counts, computed a second time from a catalog's sources, by the contract of the API alone.

It reads what the example and `random_catalogs` use, imports nothing from the package, and writes ANY for what the
contract leaves open.
"""

import json
import re
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace as Record
from typing import Any
from urllib.parse import urlsplit

import yaml
from cvss import CVSS3

ANY = "<any>"
SEVERITIES = ["CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN"]
WORDS = {"IMPORTANT": "HIGH", "MODERATE": "MEDIUM", "NEGLIGIBLE": "LOW"} | {word: word for word in SEVERITIES}
PRE_RELEASES = ["dev", "snapshot", "a", "alpha", "b", "beta", "m", "milestone", "pre", "preview", "rc"]
REVISIONS = ["r", "p", "post", "u", "update", "sp", "hotfix", "patch", "build"]
OWN_KNOWLEDGE = ("DistroPackageFixed", "Explicit APK NAK", "CPE not vulnerable")


def finding(id_: str, severity: Any, pkg: str, installed: str, fixed: str = "", **more: Any) -> Record:
    cves = sorted({name for name in [id_, *more.get("aliases", [])] if name.startswith("CVE-")})
    canonical = cves[0] if len(cves) == 1 else id_
    word = WORDS.get(str(severity).upper(), "UNKNOWN")
    values = {"aliases": [], "title": ANY, "url": ANY, "target": "", "purl": "", "told": ""} | more
    return Record(id=id_, cves=cves, row=(canonical, pkg, installed), severity=word, fixed=fixed, **values)


def scan(scanner: str, names: list[str], time: Any, findings: list[Record], **more: Any) -> Record:
    references = [reference(name) for name in names]
    values = {"platform": "", "classes": set(), "ended": False, "narrowed": False, "silent": False} | more
    digests, tags = (
        {digest for *_, digest in references if digest},
        {name[:2] for name in references if name[1]},
    )
    return Record(
        scanner=scanner, time=instant(time), findings=findings, digests=digests, tags=tags, **values
    )


def trivy(report: Any, names: list[str], time: str) -> Record:
    meta, results, findings = report.get("Metadata", {}), report.get("Results") or [], []
    for result in results:
        rows = [
            (row, "") for row in result.get("Vulnerabilities") or [] if row.get("Status") != "not_affected"
        ]
        for entry in result.get("ExperimentalModifiedFindings", []):
            told = entry["Status"] if entry["Status"] in ("not_affected", "fixed") else "ignored"
            rows += [(entry["Finding"], told)] if entry["Type"] == "vulnerability" else []
        for row, told in rows:
            given = (
                row["VulnerabilityID"],
                row.get("Severity"),
                row["PkgName"],
                row.get("InstalledVersion", ""),
            )
            more = {
                "title": row.get("Title", ""),
                "url": row.get("PrimaryURL", ANY),
                "target": result["Target"],
            }
            purl = row.get("PkgIdentifier", {}).get("PURL", "")
            findings.append(finding(*given, row.get("FixedVersion", ""), **more, purl=purl, told=told))
    names = [*names, report.get("ArtifactName", ""), *meta.get("RepoTags", []), *meta.get("RepoDigests", [])]
    kinds = {
        "classes": {result["Class"] for result in results},
        "ended": meta.get("OS", {}).get("EOSL", False),
    }
    platform = meta.get("ImageConfig", {}).get("architecture", "")
    return scan(
        "trivy",
        names,
        time or report.get("CreatedAt"),
        findings,
        platform=platform,
        silent=report.get("silent", False),
        **kinds,
    )


def grype(report: Any) -> Record:
    findings = []
    for match in [*report["matches"], *report.get("ignoredMatches", [])]:
        told = grype_told(match.get("appliedIgnoreRules", []))
        row, artifact = match["vulnerability"], match["artifact"]
        more = {"target": min([place["path"] for place in artifact["locations"]]), "purl": artifact["purl"]}
        aliases = [related["id"] for related in match["relatedVulnerabilities"]]
        fixed = ", ".join(row.get("fix", {}).get("versions", []))
        given = (row["id"], row.get("severity"), artifact["name"], artifact["version"], fixed)
        findings += [finding(*given, aliases=aliases, told=told, **more)] if told != "left out" else []
    target, descriptor = report["source"]["target"], report["descriptor"]
    switches = descriptor.get("configuration", {})
    narrowed = bool(switches.get("only-fixed") or switches.get("only-notfixed"))
    more = {"platform": target.get("architecture", ""), "narrowed": narrowed}
    names = [target["userInput"], *target["tags"], *target["repoDigests"]]
    return scan("grype", names, descriptor.get("timestamp"), findings, **more)


def grype_told(rules: list[Any]) -> str:
    """One rule that has to count makes it count, as if it were the only one."""
    indirect = [
        r.get("match-type") == "exact-indirect-match" and "upstream-name" in r["package"] for r in rules
    ]
    own = [r.get("reason") in OWN_KNOWLEDGE or known for r, known in zip(rules, indirect, strict=True)]
    others = {r.get("vex-status", "ignored") for r, known in zip(rules, own, strict=True) if not known}
    return "ignored" if "ignored" in others else min(others, default="left out" if rules else "")


def harbor(report: Any) -> Record:
    rows = report["vulnerabilities"]
    names = ["@" + digest for row in rows for digest in row.get("artifact_digests", [])]
    given = [(r["id"], r.get("severity"), r["package"], r["version"], r.get("fix_version", "")) for r in rows]
    return scan("harbor", names, report.get("generated_at"), [finding(*row) for row in given])


def osv(report: Any) -> Record:
    findings = []
    for found in [package for result in report["results"] for package in result["packages"]]:
        for group in found["groups"]:
            records = [record for record in found["vulnerabilities"] if record["id"] in group["ids"]]
            aliases = [
                *group["ids"],
                *(i for r in records for k in ("aliases", "upstream") for i in r.get(k, [])),
            ]
            events = [
                e for r in records for a in r.get("affected", []) for g in a["ranges"] for e in g["events"]
            ]
            fixed = ", ".join(event["fixed"] for event in events if "fixed" in event)
            vectors = [
                CVSS3(severity["score"]).base_score for r in records for severity in r.get("severity", [])
            ]
            score = float(group["max_severity"] or max(vectors, default=0))
            limits = {"CRITICAL": 9, "HIGH": 7, "MEDIUM": 4, "LOW": 0.1}
            word = records[0].get("database_specific", {}).get("severity")
            word = next((name for name, limit in limits.items() if score >= limit), word)
            package = (found["package"]["name"], found["package"]["version"])
            findings.append(finding(group["ids"][0], word, *package, fixed, aliases=aliases))
    return scan("osv", [], None, findings)


def reports(folder: Path) -> list[Record]:
    scans = []
    for path in sorted(folder.rglob("*.json")):
        report, place = json.loads(path.read_bytes()), path.relative_to(folder).as_posix()
        if place.startswith("hub/"):
            package = json.loads(path.with_suffix(".package").read_bytes())
            time = datetime.fromtimestamp(package["security_report_created_at"], UTC).isoformat()
            names = [image["image"] for image in package["containers_images"]]
            read = [trivy(report.get(name, {"silent": True}), [name], time) for name in names]
        elif "SchemaVersion" in report:
            read = [trivy(report, [], "")]
        elif "matches" in report:
            read = [grype(report)]
        else:
            read = [osv(report)] if "results" in report else [harbor(body) for body in report.values()]
        scans += [Record(**vars(scan) | {"path": place}) for scan in read]
    return scans


def reference(text: str) -> tuple[str, str, str]:
    name, _, digest = text.partition("@")
    if not name:
        return "", "", digest.lower()
    head, slash, last = name.rpartition("/")
    last, _, tag = last.partition(":")
    first = head.split("/")[0]
    domain = (
        ""
        if "." in first or ":" in first or first == "localhost"
        else "docker.io/"
        if head
        else "docker.io/library/"
    )
    return domain + head + slash + last, tag, digest.lower()


def instant(text: Any) -> Fraction | None:
    parts = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)", str(text))
    return parts and Fraction(int(datetime.fromisoformat(parts[1] + parts[3]).timestamp())) + Fraction(
        parts[2] or 0
    )


def pages(folder: Path, kind: str) -> list[Any]:
    """The front matter of each page, with the slug and name that it has by default."""
    read = []
    for path in sorted((folder / "docs" / kind).rglob("*.md")):
        is_index = path.stem in ("index", "README")
        if is_index and path.parent.name == kind:
            continue
        _, head, body = re.split("^---$", path.read_text("utf-8"), maxsplit=2, flags=re.M)
        page = yaml.load(head, yaml.BaseLoader)  # noqa: S506 - makes only strings, lists and dicts
        slug, heading = path.parent.name if is_index else path.stem, re.search(r"^# (.+)$", body, re.M)
        name = page.get("title") or (heading[1] if heading else slug)
        read += (
            [{"slug": slug, "name": name, "lifecycle": "available"} | page]
            if page.get("catalog") != "false"
            else []
        )
    return read


def releases(page: Any, registry: str) -> list[Record]:
    """The versions of an image, the newest first."""
    image = reference(page.get("image", f"{registry}/{page['slug']}"))[0]
    read = []
    for given in page.get("versions", []):
        entry = {"version": given} if isinstance(given, str) else given
        labels, digests = [entry["version"], *entry.get("tags", [])], entry.get("digest", [])
        joins = {
            "tags": {(image, label) for label in labels},
            "paths": {f"{page['slug']}/{label}.json" for label in labels},
        }
        digests = [digests] if isinstance(digests, str) else digests
        read.append(
            Record(
                page=page,
                slug=page["slug"],
                image=image,
                shown_image=page.get("image", f"{registry}/{page['slug']}"),
                entry=entry,
                version=labels[0],
                labels=labels,
                digests=digests,
                scans=[],
                **joins,
            )
        )
    read.sort(key=lambda release: (version_key(release.version), release.version), reverse=True)
    finals = [release for release in read if not is_pre_release(release.version)]
    newest = page.get("latest") or (finals or read or [Record(version="")])[0].version
    for release in read:
        release.is_latest = release.version == newest
    return sorted(read, key=lambda release: not release.is_latest)


def version_key(label: str) -> Any:
    """Numbers, then what follows: a pre-release, another word, nothing, a revision."""
    parts = re.fullmatch(r"[A-Za-z]*[-.]?(\d+(?:\.\d+)*)(.*)", label)
    assert parts, label
    numbers = [int(number) for number in parts[1].split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    key: list[Any] = []
    for word, number, revision in re.findall(r"([a-z]+)[-._+]?(\d*)|(\d+)", parts[2].lower()):
        if word in PRE_RELEASES:
            key.append((-2, PRE_RELEASES.index(word), int(number or 0)))
        else:
            is_revision = revision or word in REVISIONS or len(word) == 1
            key.append((1, int(number or revision or 0), word) if is_revision else (-1, word, number))
    return numbers, [*key, (0,)]


def is_pre_release(label: str) -> bool:
    return any(part[0] == -2 for part in version_key(label)[1])


def settings(folder: Path) -> Record:
    """The plugin's settings that change a count, and where the API is."""
    config = yaml.load((folder / "mkdocs.yml").read_text("utf-8"), yaml.BaseLoader)  # noqa: S506
    plugin = next(entry["catalog-api"] for entry in config["plugins"] if "catalog-api" in entry)
    security = {"scanners": ["trivy", "grype", "harbor", "osv"], "accept": []} | plugin.get("security", {})
    base = urlsplit(config.get("site_url", "")).path.rstrip("/") + "/api/v1"
    kev = folder / "advisories/known_exploited_vulnerabilities.json"
    entries = json.loads(kev.read_bytes())["vulnerabilities"] if kev.exists() else None
    dates = None if entries is None else {entry["cveID"]: entry["dateAdded"] for entry in entries}
    return Record(
        registry=plugin["registry"],
        scanners=security["scanners"],
        accept=security["accept"],
        base=base,
        kev=dates,
    )
