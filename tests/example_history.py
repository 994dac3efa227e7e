"""The history of the example.

Its days are recorded by `catalog-api record` from what the committed pages, scans and statements say of each
Friday: a release is there from the day it was released, with its manifests, a vulnerability from the day it
was published, a statement from the day it was made. What has no date counts as there from the beginning.
"""

from __future__ import annotations

import datetime
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from click.testing import CliRunner

from mkdocs_catalog_api.commands.main import main

from .example import EXAMPLE

FIRST, LAST = datetime.date(2025, 8, 1), datetime.date(2025, 10, 31)


def days() -> Iterator[str]:
    for week in range((LAST - FIRST).days // 7 + 1):
        yield (FIRST + datetime.timedelta(weeks=week)).isoformat()


def write_example(folder: Path, day: str) -> None:
    """The images of the example as they were on a day."""
    config: dict[str, Any] = yaml.safe_load((EXAMPLE / "mkdocs.yml").read_text("utf-8").replace("!!", "# "))
    settings = next(each["catalog-api"] for each in config["plugins"] if "catalog-api" in each)
    kept = {key: settings[key] for key in ("registry", "images")}
    site = {"site_name": config["site_name"], "plugins": ["meta", {"catalog-api": kept}]}
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(site), "utf-8")
    for path in sorted((EXAMPLE / "docs/images").rglob("*")):
        if path.is_file():
            _write_page(path, folder / path.relative_to(EXAMPLE), day)
    for path in sorted((EXAMPLE / "registry/images").iterdir()):
        _write_facts(path, folder / path.relative_to(EXAMPLE), day)
    shutil.copytree(EXAMPLE / "advisories/endoflife", folder / "advisories/endoflife", dirs_exist_ok=True)
    exploited = "advisories/known_exploited_vulnerabilities.json"
    if json.loads((EXAMPLE / exploited).read_bytes())["dateReleased"][:10] <= day:
        shutil.copy(EXAMPLE / exploited, folder / exploited)
    for path in sorted((EXAMPLE / "scans").rglob("*")):
        if path.is_file():
            text = path.read_text("utf-8")
            filtered = json.dumps(_scan(json.loads(text), day)) if path.suffix == ".json" else text
            _write(folder / path.relative_to(EXAMPLE), filtered)
    for path in sorted((EXAMPLE / "vex").iterdir()):
        document = json.loads(path.read_bytes())
        made = document["timestamp"]
        document["statements"] = [
            each for each in document["statements"] if each.get("timestamp", made)[:10] <= day
        ]
        if document["statements"]:
            _write(folder / path.relative_to(EXAMPLE), json.dumps(document))


def _write_page(path: Path, target: Path, day: str) -> None:
    """A page with the releases of that day; none when there was no release yet."""
    text = path.read_text("utf-8")
    # A loader that leaves every value as text.
    page = yaml.load(text.split("---")[1], yaml.BaseLoader) if text.startswith("---") else {}  # noqa: S506
    if "versions" not in page:
        _write(target, text)
        return
    versions = [each if isinstance(each, dict) else {"version": each} for each in page["versions"]]
    page["versions"] = [each for each in versions if each.get("released", day) <= day]
    labels = {each["version"] for each in page["versions"]}
    if not labels:
        return
    if page.get("latest") not in labels:
        page.pop("latest", None)
    _write(target, f"---\n{yaml.safe_dump(page)}---\n")


def _write_facts(path: Path, target: Path, day: str) -> None:
    """The manifests of the builds of that day: of the releases on the page then, or of what they were."""
    facts = json.loads(path.read_text("utf-8"))
    page = target.parents[2] / f"docs/images/{path.stem}.md"
    page = page if page.exists() else page.with_suffix("") / "index.md"
    text = page.read_text("utf-8") if page.exists() else ""
    facts["versions"] = [each for each in facts["versions"] if each["digest"] in text]
    facts["former"] = [each for each in facts.pop("former", ()) if each["until"] <= day]
    if facts["versions"]:
        _write(target, json.dumps(facts))


def _scan(report: Any, day: str) -> Any:
    """A report as the scanner would have written it on that day."""
    if isinstance(report, list):
        return [_scan(each, day) for each in report if not isinstance(each, dict) or _published(each) <= day]
    if isinstance(report, dict):
        found = {key: _scan(value, day) for key, value in report.items()}
        return found | {key: f"{day}T02:00:00Z" for key in ("CreatedAt", "timestamp") if key in found}
    return report


def _published(row: dict[str, Any]) -> str:
    return str(row.get("PublishedDate", ""))[:10]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def recorded(history: Mapping[str, str]) -> dict[str, str]:
    """File name → text of every day, of which these are recorded already."""
    files = dict(history)
    for day in days():
        if f"{day}.json" in files:
            continue
        with tempfile.TemporaryDirectory() as made:
            site = Path(made)
            write_example(site, day)
            for name, text in files.items():
                _write(site / "history" / name, text)
            arguments = ["record", "--date", day, "-f", str(site / "mkdocs.yml")]
            result = CliRunner().invoke(main, arguments, env={"SOURCE_DATE_EPOCH": "1795154400"})
            if result.exit_code:
                raise SystemExit(result.output)
            files = {path.name: path.read_text("utf-8") for path in sorted((site / "history").iterdir())}
    return files
