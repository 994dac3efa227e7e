"""Rows on scans: pages and reports, and what a user sees of them.

Many rows are one catalog, as each gets names of its own in place of `web`, `db`, `app` and of the digests.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mkdocs_catalog_api.problems import Level, Problem

from .sites import REGISTRY, Result, SiteFolder, built, grype, match, row, trivy

WEB, DB = f"{REGISTRY}/web", f"{REGISTRY}/db"
A, B, C, D = (f"sha256:{letter * 64}" for letter in "abcd")
OLD, NEW = "2026-10-01T06:00:00Z", "2026-11-01T06:00:00Z"
TIMES = {"old": OLD, "newer": "2026-11-01T07:00:00Z", "undated": "", "future": "2999-01-01T00:00:00Z"}
SEVERITIES = ("CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN")
NOW = "1793600000"
"""2026-11-02T06:13:20Z"""
PLAIN = "versions: [{version: '1', tags: [stable]}]"
ONE = f"versions: [{{version: '1', digest: '{A}'}}]"
TWO = f"versions: [{{version: '1', digest: ['{A}', '{B}']}}]"
_DIGEST = re.compile(r"sha256:([a-f])\1{63}", re.IGNORECASE)
_DIGITS = re.compile(r"\b([a-f])\1{11}\b")
_LEVELS = {Level.ERROR: "error ", Level.WARNING: "", Level.INFO: "note "}


def scan(words: str) -> dict[str, Any]:
    """A report of Trivy, or of `grype`: ids, after the class of their packages, and what tells the image.

    `@A` is the digest A of `web` and `:1` its tag; others are written in full.
    """
    tags, digests, platform, time, severity = [""], list[str](), "", NEW, "HIGH"
    classes: dict[str, list[str]] = {}
    for word in words.split():
        if word in TIMES or word[:2] == "20":
            time = TIMES.get(word, word)
        elif word in SEVERITIES:
            severity = word
        elif word in ("os", "lang"):
            classes[word] = []
        elif word.startswith("linux/"):
            platform = word
        elif "@" in word:
            name, _, letter = word.rpartition("@")
            digests.append(f"{name or WEB}@sha256:{letter * 64}")
        elif ":" in word:
            tags.insert(0, WEB + word if word[0] == ":" else word)
        elif word != "grype":
            classes = classes or {"os": []}
            classes[[*classes][-1]].append(word)
    name = tags[0] or " ".join(digests[:1])
    config = dict(
        zip(("os", "architecture", "variant"), platform.split("/") if platform else (), strict=False)
    )
    if "grype" in words.split():
        matches = [match(id_, severity.title(), type="deb") for id_ in classes.get("os", ())]
        return grype(*matches, created=time, userInput=name, repoDigests=digests, **config)
    report: dict[str, Any] = trivy([], tag=name, created=time)
    report["Metadata"] = {"RepoTags": tags[:-1], "RepoDigests": digests, "ImageConfig": config}
    report["Results"] = [
        {"Target": each, "Class": f"{each}-pkgs", "Vulnerabilities": [row(id_, severity) for id_ in ids]}
        for each, ids in (classes or {"os": []}).items()
    ]
    return report


@dataclass(frozen=True)
class Row:
    """A story."""

    pages: str | Mapping[str, str]
    """Front matter of the image `web`, or of each image by its slug; that of a chart is its pins."""
    reports: str | Mapping[str, object]
    """By path below the folder of reports, without .json; a text is `path: words for scan`, and so on."""
    found: str | Mapping[str, str | None] | None = None
    """Ids that count for version 1 of `web`, or for each of these; None if it is not scanned."""
    told: str = ""
    """Problems between ` | `: level, unless it is a warning; code, file:line, and a part of what it says."""
    record: Mapping[str, object] = field(default_factory=dict)
    """Further values in the record of version 1 of `web`; `badge` is the text of its grade's badge, `why` the
    status, justification and statement of what is suppressed.
    """
    chart: Mapping[str, object] = field(default_factory=dict)
    """Values of the chart's `security`; `joined` are slug and version of its pins."""
    security: Mapping[str, object] = field(default_factory=dict)
    """The setting."""

    @property
    def problems(self) -> list[str]:
        return self.told.split(" | ") if self.told else []

    @property
    def refused(self) -> bool:
        return any(each.startswith("error ") for each in self.problems)

    @property
    def files(self) -> dict[str, str]:
        """Content of each report."""
        reports = self.reports
        if isinstance(reports, str):
            reports = dict(each.split(": ") for each in reports.split(", ") if each)
        return {
            f"{path}.json": json.dumps(scan(content) if isinstance(content, str) else content)
            for path, content in reports.items()
        }


@dataclass
class Seen:
    """What a row's catalog says of it, with the names of the row."""

    number: int
    result: Result

    def plain(self, text: str) -> str:
        """The text with the names of the row."""
        for letter in "abcdef":
            text = text.replace(_digest(self.number, letter), f"sha256:{letter * 64}")
            text = text.replace(_digest(self.number, letter)[7:19], letter * 12)
        return text.replace(f"0-r{self.number:03}/", "").replace(f"r{self.number:03}-", "")

    def own(self, text: str) -> str:
        """The other way round."""
        text = re.sub(r"\b(web|db|app)\b", rf"r{self.number:03}-\1", text)
        text = _DIGITS.sub(lambda found: _digest(self.number, found[1])[7:19], text)
        return _DIGEST.sub(lambda found: _digest(self.number, found[1]), text)

    def file(self, path: str) -> str:
        """Where a report of the row lies."""
        path = self.own(path)
        return path if path.startswith(("hub/", f"r{self.number:03}-")) else f"0-r{self.number:03}/{path}"

    def write(self, site: SiteFolder, row: Row) -> None:
        pages = {"web": row.pages} if isinstance(row.pages, str) else row.pages
        for slug, text in pages.items():
            if slug == "app":
                head = "category: Web\ntier: core\nlicense: MIT"
                site.page(f"charts/{self.own(slug)}.md", f"{head}\n{self.own(text)}")
            else:
                site.image(self.own(slug), self.own(text))
        for path, content in row.files.items():
            site.write(f"scans/{self.file(path)}", self.own(content))

    def json(self, path: str) -> Any:
        return json.loads(self.plain(json.dumps(self.result.json(self.own(path)))))

    def found(self, release: str) -> str | None:
        record = self.json(f"security/{release.replace(' ', '/')}.json")
        return " ".join(each["id"] for each in record["cves"]) if record["scanned"] else None

    def record(self) -> Any:
        badge = {"badge": self.json("badge/web/grade.json")["message"]}
        record = self.json("security/web/1.json") | badge
        suppressed = record["suppressions"] or ()
        why = ("status", "justification", "statement")
        return record | {
            "suppressed": " ".join(each["id"] for each in suppressed),
            "why": ", ".join(" | ".join(each[name] for name in why) for each in suppressed),
        }

    def chart(self) -> Any:
        """The chart's `security`, and its pins."""
        (chart,) = [each for each in self.json("charts.json")["data"] if each["slug"] == "app"]
        joined = [f"{pin['slug'] or '-'} {pin['version'] or '-'}" for pin in chart["images"]]
        return chart["security"] | {"joined": joined}

    def compare(self, row: Row) -> None:
        """Fail if it is not as the row says."""
        told = [each for each in self.result.problems if f"r{self.number:03}" in f"{each.file} {each}"]
        said = [(self._head(each), self.plain(str(each))) for each in told]
        wanted = [each.partition(": ") for each in sorted(row.problems)]
        assert [head for head, _ in sorted(said)] == [head for head, *_ in wanted], said
        for (_, text), (_, _, part) in zip(sorted(said), wanted, strict=True):
            assert part in text
        if row.refused:
            return
        found = {"web 1": row.found} if isinstance(row.found, str | None) else row.found
        if "web" in row.pages or isinstance(row.pages, str):
            assert {release: self.found(release) for release in found} == found
        for wanted_values, values in ((row.record, self.record), (row.chart, self.chart)):
            if wanted_values:
                given = values()
                assert {name: given[name] for name in wanted_values} == wanted_values

    def _head(self, problem: Problem) -> str:
        file = self.plain(problem.file).removeprefix("scans/").removesuffix(".json")
        line = f":{problem.line}" if problem.line else ""
        return f"{_LEVELS[problem.level]}{problem.code} {file}{line}"


def _digest(number: int, letter: str) -> str:
    digest = f"sha256:{letter.lower()}{hashlib.sha256(f'{number}'.encode()).hexdigest()[1:]}"
    return digest.upper() if letter.isupper() else digest


@contextmanager
def catalogs(rows: Mapping[str, Row], folder: Callable[[str], Path]) -> Iterator[dict[str, Seen]]:
    """What is seen of each row: one catalog for rows of the same setting, one for those that are refused."""
    together: dict[str, list[int]] = defaultdict(list)
    for number, each in enumerate(rows.values()):
        together[json.dumps([each.refused, each.security])].append(number)
    seen: dict[str, Seen] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", NOW)
        for numbers in together.values():
            site = SiteFolder(folder("rows"))
            for number in numbers:
                name, each = [*rows.items()][number]
                site.settings["security"] = {**each.security}
                seen[name] = Seen(number, Result(site.folder, failed=False, records=[]))
                seen[name].write(site, each)
            result = site.build() if each.refused else built(site)
            assert result.failed == each.refused
            for number in numbers:
                seen[[*rows][number]].result = result
        yield seen
