"""The parts of the example's images, as if `sync` had run, and a scan of all that `list` prints.

`python -m tests.example_parts`, for a version that was added with one report of the whole, writes its
manifests to registry/images/{slug}.json, and replaces the report by one of each of them: the first as it is,
the others with the same findings for their platform, without what the catalog does not read. What it has
written it leaves as it is. Digests and sizes are computed from names, so that the same pages give the
same files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from .example import EXAMPLE

REGISTRY = "registry.example.org/hardened"
OF_A_HUB = ("alertmanager", "node-exporter", "prometheus")
"""Images that a hub has scanned, whose report names no platform: they stay scanned in part."""
FORMER = {"nginx": {"1.29.3": "2025-10-30"}}
"""Image → version → day on which it was rebuilt. The former build was scanned, too."""
SIZES = {"amd64": 100, "arm64": 96, "arm/v7": 91, "ppc64le": 107, "s390x": 98}
"""Percent of the size of amd64, which is that of the version."""
PURL = {"amd64": "x86_64", "arm64": "aarch64", "arm/v7": "armv7"}
"""Architectures as packages of apk have them, where they differ from those of platforms."""
UNREAD = {"Description", "References", "CweIDs", "DataSource", "SeveritySource", "description", "advisories"}
"""Keys of findings that the catalog does not read."""


def digest(*names: str) -> str:
    return f"sha256:{hashlib.sha256(' '.join(names).encode()).hexdigest()}"


def pages() -> Iterator[tuple[str, dict[str, Any]]]:
    """Slug and front matter of each image with versions."""
    for path in sorted((EXAMPLE / "docs/images").rglob("*.md")):
        slug = path.parent.name if path.name == "index.md" else path.stem
        _, front_matter, *_ = (*path.read_text("utf-8").split("---\n", 2), "")
        # A loader that leaves every value as text.
        values = yaml.load(front_matter, yaml.BaseLoader)  # noqa: S506
        if isinstance(values, dict) and values.get("versions") and slug not in OF_A_HUB:
            yield slug, values


def manifests(slug: str, label: str, index: str, size: int, platforms: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "platform": platform,
            "digest": digest(slug, label, index, platform),
            "size": size * SIZES[platform.removeprefix("linux/")] // 100,
        }
        for platform in platforms
    ]


def facts(slug: str, page: dict[str, Any]) -> dict[str, Any]:
    """The file of an image, as `sync` writes it."""
    versions, former = [], []
    for version in page["versions"]:
        if isinstance(version, dict) and (index := version.get("digest")):
            label, size = version["version"], int(version["size"])
            built = {"version": label, "digest": index}
            versions.append(built | {"manifests": manifests(slug, label, index, size, page["platforms"])})
            if until := FORMER.get(slug, {}).get(label):
                index = digest(slug, label, until)
                built = {"version": label, "digest": index}
                built |= {"manifests": manifests(slug, label, index, size, page["platforms"])}
                former.append(built | {"until": until})
    return {"image": f"{REGISTRY}/{slug}", "versions": sorted(versions, key=lambda each: each["version"])} | (
        {"former": former} if former else {}
    )


def split(folder: Path, build: dict[str, Any], report: Any) -> None:
    """Write the report or SBOM of each manifest of a build, from that of the whole."""
    suffix = ".cdx.json" if "bomFormat" in report else ".json"
    for position, manifest in enumerate(build["manifests"]):
        hexdigits = manifest["digest"].partition(":")[2]
        of_part = changed(report, build["digest"], manifest["digest"], manifest["platform"].partition("/")[2])
        text = json.dumps(of_part, indent=2) if not position else json.dumps(of_part, separators=(",", ":"))
        path = folder / f"{build['version']}.{hexdigits[:12]}{suffix}"
        path.write_text(f"{text}\n", "utf-8", newline="\n")


def changed(value: Any, index: str, manifest: str, architecture: str, key: str = "") -> Any:
    """A report of an index for amd64 as one of its manifest for an architecture."""
    of_amd64 = architecture == "amd64"
    if isinstance(value, list):
        return [changed(each, index, manifest, architecture, key) for each in value]
    if isinstance(value, dict):
        return {
            name: changed(each, index, manifest, architecture, name)
            for name, each in value.items()
            if of_amd64 or name not in UNREAD
        }
    if key == "architecture":
        return architecture.partition("/")[0]
    if isinstance(value, str) and key.lower() == "purl":
        for old, new in (("x86_64", PURL.get(architecture, architecture)), ("amd64", architecture)):
            value = value.replace(f"arch={old}", f"arch={new.replace('/v7', '')}")
    return value.replace(index, manifest) if isinstance(value, str) else value


def main() -> None:
    for slug, page in pages():
        scans = EXAMPLE / "scans" / slug
        file = EXAMPLE / f"registry/images/{slug}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        known = facts(slug, page)
        file.write_text(json.dumps(known, indent=2) + "\n", "utf-8", newline="\n")
        for build in known["versions"]:
            for path in [*scans.glob("*.json")]:
                text = path.read_text("utf-8")
                if build["digest"] in text:
                    path.unlink()
                    split(scans, build, json.loads(text))
                    for former in known.get("former", ()):
                        if former["version"] == build["version"]:
                            split(scans, former, json.loads(text.replace(build["digest"], former["digest"])))


if __name__ == "__main__":
    main()
