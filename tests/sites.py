"""Sites in a temporary folder, built in process: the documents alone, or by MkDocs with pages."""

from __future__ import annotations

import json
import logging
import re
import textwrap
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote

import yaml
from mkdocs import utils
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, BuildError, ConfigurationError

from mkdocs_catalog_api.authored.read_site import read_site
from mkdocs_catalog_api.catalog.value import Image, WebPage
from mkdocs_catalog_api.items.models import ImageEntry
from mkdocs_catalog_api.mkdocs_plugin.plugin import CatalogApiPlugin
from mkdocs_catalog_api.pipeline import prepare
from mkdocs_catalog_api.problems import CatalogError, Problem, Problems, lines

from .contract import check

_CODE = re.compile(r" \[(CAT\d{3})\]$")
REGISTRY = "registry.example.org/hardened"


def digest(seed: int | str) -> str:
    """A digest that is valid and differs for each seed."""
    value = 0
    for char in str(seed).encode():
        value = value * 257 + char + 1
    return f"sha256:{value % 16**64:064x}"


def image_value(slug: str, name: str, **fields: Any) -> Image:
    """An image of the catalog's value, without a build."""
    given = {"slug": slug, "name": name, "image": f"registry.example.org/{slug}"} | fields
    return Image(ImageEntry.model_construct(None, **given), WebPage(f"images/{slug}/", own=True), ())


@dataclass
class Result:
    """How a build ended: what it logged, and what it published."""

    folder: Path
    failed: bool
    records: list[tuple[int, str]]
    codes: list[str] = field(default_factory=list)
    """The code of each problem that was logged, in order."""
    problems: list[Problem] = field(default_factory=list)

    @property
    def api(self) -> Path:
        return self.folder / "site/api/v1"

    def logged(self, level: int = logging.WARNING) -> list[str]:
        """Messages of at least this level, in order."""
        return [text for number, text in self.records if number >= level]

    def json(self, path: str) -> Any:
        """A published document."""
        return json.loads((self.api / path).read_bytes())

    def at(self, place: str) -> Any:
        """A value: `images/a versions line` are the lines of the versions in images/a/index.json."""
        path, *keys = place.split(" ")
        files = [name for name in (path, f"{path}.json", f"{path}/index.json") if (self.api / name).is_file()]
        value = self.json(files[0])
        for key in keys if keys and keys[0] in value else ["data", *keys]:
            if isinstance(value, list) and not key.isdigit():
                value = [each[key] for each in value]
            else:
                value = value[int(key) if isinstance(value, list) else key]
        return value

    def bytes(self) -> dict[str, bytes]:
        """Every published document but the manifest, which holds the time of the build."""
        files = sorted(path for path in self.api.rglob("*") if path.is_file())
        return {
            name: path.read_bytes()
            for path in files
            if (name := path.relative_to(self.api).as_posix()) != "manifest.json"
        }


@dataclass
class SiteFolder:
    """A site that a test writes; `settings` are those of the plugin."""

    folder: Path
    settings: dict[str, Any] = field(default_factory=lambda: {"registry": REGISTRY})
    config: dict[str, Any] = field(default_factory=dict)

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file below the folder; text is dedented."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            target.write_bytes(text)
        else:
            target.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8", newline="\n")
        return target

    def page(self, path: str, front_matter: str, body: str = "") -> Path:
        """Write a page below docs/ with front matter."""
        matter = textwrap.dedent(front_matter).strip("\n")
        return self.write(f"docs/{path}", f"---\n{matter}\n---\n\n{textwrap.dedent(body)}\n")

    def image(self, slug: str, extra: str = "", **changes: str) -> Path:
        """Write an image page with all that is required; `changes` replace a key's value."""
        keys = {"category": "Tools", "tier": "core", "license": "MIT"} | changes
        lines = "\n".join(f"{key}: {value}" for key, value in keys.items())
        return self.page(f"images/{slug}.md", f"{lines}\n{textwrap.dedent(extra).strip()}".strip())

    def report(self, path: str, report: object) -> Path:
        """Write a scanner's report below scans/."""
        return self.write(f"scans/{path}", json.dumps(report).encode())

    def build(self, *, strict: bool = False) -> Result:
        """The documents, without MkDocs and its pages."""
        return publish(self.write_config(), strict=strict)

    def mkdocs(self, *, strict: bool = False, dirty: bool = False, **overrides: Any) -> Result:
        """`mkdocs build`: the same documents, and pages."""
        return run(self.write_config(), strict=strict, dirty=dirty, **overrides)

    def write_config(self) -> Path:
        """Write mkdocs.yml, and a home page if there is none."""
        if not (self.folder / "docs").exists():
            self.write("docs/index.md", "# Home\n")
        if isinstance(self.settings.setdefault("security", {}), dict):
            # The scans of most tests have a day, and no result may depend on today.
            self.settings["security"].setdefault("max_age", False)
        config = {
            "site_name": "Catalog",
            "site_url": "https://example.org/catalog/",
            "theme": {"name": "mkdocs"},
            "plugins": [{"catalog-api": self.settings}],
        } | self.config
        return self.write(
            "mkdocs.yml", yaml.dump(config, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True)
        )


class _Recorder(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[tuple[int, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.name.endswith("catalog-api") and record.levelno >= logging.WARNING:
            assert _CODE.search(text) or "the catalog is not published: " in text, "every problem has a code"
        self.records.append((record.levelno, text))


def run(
    config_file: Path,
    *,
    strict: bool = False,
    dirty: bool = False,
    command: Literal["build", "serve"] = "build",
    **overrides: Any,
) -> Result:
    """Build the site of a configuration file; messages come without the plugin's name and the code."""
    recorder = _Recorder()
    logger = logging.getLogger("mkdocs")
    before = logger.level
    logger.addHandler(recorder)
    logger.setLevel(logging.INFO)
    clean_directory = utils.clean_directory  # plugins for projects and languages replace it, and leave it so
    failed, problems = False, Problems()
    try:
        config = load_config(config_file=str(config_file), strict=strict or None, **overrides)
        config.plugins.on_startup(command=command, dirty=dirty)
        try:
            build(config, dirty=dirty)
        finally:
            config.plugins.on_shutdown()
            for plugin in config.plugins.values():
                if isinstance(plugin, CatalogApiPlugin):
                    problems.extend(plugin.problems)
    except Abort:  # the reason has been logged
        failed = True
    except (BuildError, ConfigurationError) as error:
        failed = True
        recorder.records.append((logging.ERROR, str(error)))
    finally:
        utils.clean_directory = clean_directory
        logger.removeHandler(recorder)
        logger.setLevel(before)
    return _result(config_file.parent, failed, recorder.records, problems)


def publish(config_file: Path, *, strict: bool = False) -> Result:
    """Publish the documents as `catalog-api build` does, with the words of `mkdocs build`.

    An empty file takes the place of each page.
    """
    failed, problems = False, Problems()
    try:
        site, settings, strict_site = read_site(config_file, problems)
        build = prepare(site, settings, problems, strict=strict or strict_site)
        items = (item for listed in build.catalog.items.values() for item in listed)
        urls = [*(page.url for page in site.pages), *(item.page.url for item in items if item.page)]
        for address in map(unquote, urls):
            file = site.site_dir / (
                f"{address}index.html" if address.endswith("/") or not address else address
            )
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
        build.publish()
        end = (logging.INFO, f"built: {build.summary}")
    except CatalogError as error:
        failed = True
        problems.extend(error.problems)
        end = (logging.ERROR, f"the catalog is not published: {problems.summary()}")
    return _result(config_file.parent, failed, [*lines(problems), end], problems)


def _result(folder: Path, failed: bool, records: Iterable[tuple[int, str]], problems: Problems) -> Result:
    records = [(level, text.removeprefix("catalog-api: ")) for level, text in records]
    codes = [found[1] for _, text in records if (found := _CODE.search(text))]
    return Result(
        folder, failed, [(level, _CODE.sub("", text)) for level, text in records], codes, [*problems]
    )


def built(site: SiteFolder, *, gone: Mapping[str, Set[str]] | None = None, **options: bool) -> Result:
    """The documents, published without an error and by the contract; `gone` as in `check`."""
    return _sound(site.build(**options), gone)


def rendered(site: SiteFolder, *, gone: Mapping[str, Set[str]] | None = None, **options: bool) -> Result:
    """The same by MkDocs, with pages."""
    return _sound(site.mkdocs(**options), gone)


def _sound(result: Result, gone: Mapping[str, Set[str]] | None) -> Result:
    assert not result.failed, result.logged()
    faults = check(result.folder / "site", "/catalog", gone=gone or {})
    assert faults == [], faults
    return result


def item(result: Result, slug: str) -> Any:
    """A published image."""
    return result.json(f"images/{slug}/index.json")["data"]


def trivy(
    rows: list[dict[str, object]],
    *,
    tag: str = "",
    digest: str = "",
    created: str = "2026-11-01T06:00:00Z",
    target: str = "app (wolfi 1)",
) -> dict[str, Any]:
    """A small Trivy report (schema 2); `tag` is a reference, `digest` one with a digest."""
    return {
        "SchemaVersion": 2,
        "CreatedAt": created,
        "ArtifactName": tag or digest,
        "Metadata": {"RepoTags": [tag] if tag else [], "RepoDigests": [digest] if digest else []},
        "Results": [{"Target": target, "Class": "os-pkgs", "Type": "wolfi", "Vulnerabilities": rows}],
    }


def row(
    id_: str, severity: str = "HIGH", *, pkg: str = "openssl", installed: str = "3.0.0", fixed: str = ""
) -> dict[str, object]:
    """One vulnerability as Trivy writes it."""
    found: dict[str, object] = {
        "VulnerabilityID": id_,
        "PkgName": pkg,
        "InstalledVersion": installed,
        "Severity": severity,
        "Title": f"{pkg}: flaw",
    }
    return found | ({"FixedVersion": fixed} if fixed else {})


def match(
    id_: str, severity: str = "High", *related: str, pkg: str = "lib", version: str = "1", **artifact: object
) -> dict[str, Any]:
    """One vulnerability as Grype writes it; `related` are its other ids."""
    return {
        "vulnerability": {"id": id_, "severity": severity},
        "relatedVulnerabilities": [{"id": each} for each in related],
        "artifact": {"name": pkg, "version": version} | artifact,
    }


def grype(*matches: object, created: str = "", **target: object) -> dict[str, Any]:
    """A small report of Grype; `target` describes the image, for example by `userInput` or `repoDigests`."""
    descriptor = {"name": "grype", "version": "0.80"} | ({"timestamp": created} if created else {})
    source = {"type": "image", "target": target}
    distro = {"name": "wolfi", "version": "20230201"}
    return {"matches": [*matches], "source": source, "distro": distro, "descriptor": descriptor}


def osv(
    records: list[dict[str, Any]], groups: list[dict[str, Any]] | None, *, pkg: str = "lib", of: str = ""
) -> dict[str, Any]:
    """A small report of OSV-Scanner on one package; `of` is the reference of an image."""
    package = {"package": {"name": pkg, "version": "1"}, "vulnerabilities": records}
    package |= {} if groups is None else {"groups": groups}
    return {"results": [{"source": {"path": of, "type": "docker"}, "packages": [package]}]}


def cyclonedx(*purls: str, of: str = "", **component: object) -> dict[str, Any]:
    """A small SBOM with these packages; `of` is the reference of an image."""
    subject = {"type": "container", "name": of} | component
    parts = [
        {"type": "library", "name": purl.rpartition("/")[2].partition("@")[0], "purl": purl} for purl in purls
    ]
    head = {"bomFormat": "CycloneDX", "specVersion": "1.6", "metadata": {"component": subject}}
    return head | {"components": parts}


def harbor(*rows: dict[str, Any], created: str = "") -> dict[str, Any]:
    """A small report of Harbor."""
    body = {"vulnerabilities": [*rows]} | ({"generated_at": created} if created else {})
    return {"application/vnd.security.vulnerability.report; version=1.1": body}


def openvex(*statements: object, **fields: object) -> dict[str, Any]:
    """An OpenVEX document with these statements."""
    head = {"@context": "https://openvex.dev/ns/v0.2.0", "@id": "https://example.org/vex/1"}
    return head | {"timestamp": "2026-01-01T00:00:00Z", "statements": [*statements]} | fields


def not_affected(id_: str, *products: object) -> dict[str, Any]:
    """A statement that the vulnerability does not affect these products."""
    return {
        "vulnerability": {"name": id_},
        "products": [*products],
        "status": "not_affected",
        "justification": "vulnerable_code_not_present",
    }


def vex(site: SiteFolder, *statements: dict[str, Any], name: str = "a", **fields: Any) -> None:
    """Write a document below vex/ with an `@id` of its own.

    Each statement says that CVE-2026-0001 does not affect `nginx` unless it says something else.
    """
    nginx = {"@id": f"pkg:oci/nginx?repository_url={REGISTRY}/nginx"}
    usual = not_affected("CVE-2026-0001", nginx)
    head = {"@id": f"https://example.org/vex/{name}"} | fields
    site.write(f"vex/{name}.json", json.dumps(openvex(*(usual | each for each in statements), **head)))
