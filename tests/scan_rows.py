"""Rows on scans: an image, its reports, and what a user sees of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from .sites import REGISTRY, Result, SiteFolder, built, grype, match, row, trivy

WEB, DB = f"{REGISTRY}/web", f"{REGISTRY}/db"
A, B, C, D = (f"sha256:{letter * 64}" for letter in "abcd")
OLD, NEW, FUTURE = "2026-10-01T06:00:00Z", "2026-11-01T06:00:00Z", "2999-01-01T00:00:00Z"
NOW = "1793600000"
"""2026-11-02T06:13:20Z"""
PLAIN = "versions: [{version: '1', tags: [stable]}]"
Json = dict[str, Any]


def _platform(platform: str) -> Json:
    return dict(zip(("os", "architecture", "variant"), platform.split("/"), strict=False)) if platform else {}


def scan(
    *ids: str,
    lang: Sequence[str] | None = None,
    tag: str = "",
    digest: str = "",
    names: Sequence[str] = (),
    platform: str = "",
    at: str = NEW,
    severity: str = "HIGH",
) -> Json:
    """A report of Trivy, with ids in packages of the system unless only those of a language are given.

    `tag` and `digest` are those of `web`; further `names` are written in full.
    """
    tags = [f"{WEB}:{tag}"] * bool(tag) + [name for name in names if "@" not in name]
    digests = [f"{WEB}@{digest}"] * bool(digest) + [name for name in names if "@" in name]
    report: Json = trivy([], tag=(tags or digests or [""])[0], created=at)
    report["Metadata"] = {"RepoTags": tags, "RepoDigests": digests, "ImageConfig": _platform(platform)}
    classes = {"os-pkgs": ids} if ids or lang is None else {}
    classes |= {} if lang is None else {"lang-pkgs": (*lang,)}
    report["Results"] = [
        {"Target": kind, "Class": kind, "Vulnerabilities": [row(id_, severity) for id_ in found]}
        for kind, found in classes.items()
    ]
    return report


def by_grype(
    *ids: str, tag: str = "", digest: str = "", at: str = NEW, severity: str = "High", **target: object
) -> Json:
    """A report of Grype."""
    found = [match(id_, severity, type="deb") for id_ in ids]
    named: Json = {"userInput": f"{WEB}:{tag}" if tag else f"{WEB}@{digest}"}
    named |= {"repoDigests": [f"{WEB}@{digest}"]} if digest else {}
    return grype(*found, created=at, **named | target)


class Told(NamedTuple):
    """A problem of a file, that of a report as in `reports`, and a part of what it says."""

    level: str
    code: str
    file: str
    says: str = ""


warning, note, error = partial(Told, "WARNING"), partial(Told, "INFO"), partial(Told, "ERROR")


@dataclass(frozen=True, kw_only=True)
class Row:
    """A catalog, and what a user sees of it."""

    page: str = PLAIN
    """Front matter of the image `web`."""
    db: str = ""
    """Front matter of the image `db`; empty without it."""
    app: str | None = None
    """Front matter of the chart `app`; None without it."""
    reports: Mapping[str, object] = field(default_factory=dict)
    """By path below the folder of reports, without .json."""
    security: Mapping[str, object] = field(default_factory=dict)
    """The setting."""
    ids: Sequence[str] | None = None
    """Vulnerabilities that count for version 1 of `web`; None if it is not scanned."""
    others: Mapping[str, Sequence[str] | None] = field(default_factory=dict)
    """The same of other versions: `web/2`."""
    told: Sequence[Told] = ()
    record: Mapping[str, object] = field(default_factory=dict)
    """Values in the record of version 1 of `web`; `badge` is the text of its grade's badge, `suppressed` are
    status, justification and statement of each id.
    """
    chart: Mapping[str, object] = field(default_factory=dict)
    """Values of the chart's `security`; `joined` are slug and version of its pins."""


def compare(site: SiteFolder, row: Row) -> None:
    """Fail, with what is found and what is wanted, if the catalog is not as the row says."""
    site.settings["security"] = {**row.security}
    site.image("web", row.page)
    if row.db:
        site.image("db", row.db)
    if row.app is not None:
        site.page("charts/app.md", f"category: Web\ntier: core\nlicense: MIT\n{row.app}")
    for path, report in row.reports.items():
        site.report(f"{path}.json", report)
    refused = any(told.level == "ERROR" for told in row.told)
    result = site.build() if refused else built(site)
    told = [problem for problem in result.problems if problem.file]
    found = sorted(Told(each.level.name, each.code, _report(each.file), str(each)) for each in told)
    wanted = sorted(row.told)
    pairs = [*zip(found, wanted, strict=False)]
    fits = all(one[:3] == other[:3] and other.says in one.says for one, other in pairs)
    assert fits and len(found) == len(wanted), _differ("problems", found, wanted)
    if refused:
        return
    of_web = {"web/1": row.ids} if "'1'" in row.page else {}
    for version, ids in {**of_web, **row.others}.items():
        seen = result.json(f"security/{version}.json")
        shown = [entry["id"] for entry in seen["cves"]] if seen["scanned"] else None
        assert shown == (None if ids is None else [*ids]), _differ(f"ids of {version}", shown, ids)
    for what, values, by in (("security/web/1.json", row.record, _record), ("the chart", row.chart, _chart)):
        given = by(result) if values else {}
        found_values = {name: given[name] for name in values}
        assert found_values == values, _differ(what, found_values, values)


def _report(file: str) -> str:
    return file.removeprefix("scans/").removesuffix(".json")


def _differ(what: str, found: object, wanted: object) -> str:
    return f"{what}:\nfound:  {found}\nwanted: {wanted}"


def _record(result: Result) -> Json:
    record = result.json("security/web/1.json")
    suppressed = [
        f"{each['id']}: {each['status']} | {each['justification']} | {each['statement']}"
        for each in record["suppressions"] or ()
    ]
    badge = result.json("badge/web/grade.json")["message"]
    return {**record, "suppressed": suppressed, "badge": badge}


def _chart(result: Result) -> Json:
    (chart,) = result.json("charts.json")["data"]
    joined = [f"{pin['slug'] or '-'} {pin['version'] or '-'}" for pin in chart["images"]]
    return {**chart["security"], "joined": joined}
