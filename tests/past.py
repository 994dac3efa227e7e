"""A site whose catalog is recorded day by day, by the command line and with whole builds."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path

from click.testing import CliRunner, Result

from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.documents.table import LOOKUP_NAMES

from .sites import REGISTRY, SiteFolder, digest, trivy
from .sites import Result as Built

ONE, TWO, THREE = "CVE-2026-0001", "CVE-2026-0002", "CVE-2026-0003"


@dataclass
class Past:
    """A site and its history."""

    site: SiteFolder

    def image(
        self, slug: str = "nginx", *versions: str, lifecycle: str = "available", **digests: str
    ) -> None:
        """Write an image that lists these versions; `digests` (with _ for .) says what each was built to."""
        entries = [
            {"version": version, "digest": digest(digests.get("v" + version.replace(".", "_"), version))}
            for version in versions or ("1.0",)
        ]
        self.site.image(slug, f"lifecycle: {lifecycle}\nversions: {json.dumps(entries)}")

    def scan(
        self,
        slug: str,
        version: str,
        rows: Sequence[Mapping[str, object]],
        build: str = "",
        *,
        made: str = "2026-11-20",
        platform: str = "",
    ) -> None:
        """Write the Trivy report of a version, of what it was built to, with the day it was made."""
        report = trivy(
            [dict(row) for row in rows],
            digest=f"{REGISTRY}/{slug}@{digest(build or version)}",
            created=made and f"{made}T06:00:00Z",
        )
        if platform:
            system, architecture = platform.split("/")
            report["Metadata"] |= {"ImageConfig": {"os": system, "architecture": architecture}}
        self.site.report(f"{slug}/{version}.json", report)

    def unscan(self, slug: str, version: str) -> None:
        (self.site.folder / "scans" / slug / f"{version}.json").unlink()

    def run(self, *options: str, **env: str) -> Result:
        """`catalog-api record`, on 2026-11-20 if not on another day or later."""
        env = {"SOURCE_DATE_EPOCH": "1795154400"} | env
        self.site.write_config()
        arguments = ["record", "-f", str(self.site.folder / "mkdocs.yml"), *options]
        result = CliRunner().invoke(main, arguments, env=env)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    def day(self, date: str, **env: str) -> dict[str, int]:
        """Record a day, which has to go well; returns its number of events by kind."""
        result = self.run("--date", date, "--json", **env)
        assert result.exit_code == 0, result.output
        events: dict[str, int] = json.loads(result.stdout)["summary"]["events"]
        return events

    @classmethod
    def copy(cls, past: Past, site: SiteFolder) -> Past:
        """The same past in another folder."""
        shutil.copytree(past.site.folder, site.folder, dirs_exist_ok=True)
        return cls(replace(deepcopy(past.site), folder=site.folder))

    def file(self, date: str) -> Path:
        return self.site.folder / f"history/{date}.json"

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted((self.site.folder / "history").iterdir())}


def every_path(site: SiteFolder) -> Built:
    """A catalog without items that publishes whatever a catalog can."""
    site.settings |= {"security": {"publish_vex": True}, "lookups": [*LOOKUP_NAMES]}
    Past(site).day("2026-11-01")
    result = site.build()
    assert not result.failed, result.logged()
    return result
