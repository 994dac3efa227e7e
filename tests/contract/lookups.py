"""One question, one document: the same data again, seen from a digest, a CVE, a version to update to."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple
from urllib.parse import urljoin

from tests.contract.api import SEVERITIES, Api, Json
from tests.contract.texts import normal

VEX = {"vex": "vex/{slug}.json", "vexRepository": "vex/repository.tar.gz"}
SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
RESERVED = re.compile(r"(con|prn|aux|nul|com[1-9]|lpt[1-9])(\.|$)|index$", re.IGNORECASE)


class Lookup(NamedTuple):
    """One kind of lookup."""

    addresses: Mapping[str, str]
    """Name in discovery → path with parameters in braces: all of them, or none."""
    wanted: Callable[[Api], Iterator[str]]
    """The documents that it has."""
    check: Callable[[Api], None] = lambda _: None
    """What the oracle does not prove."""


def addresses(api: Api) -> dict[str, str]:
    """What discovery says of the lookups that it has: one that is there is there whole, as are statements."""
    vex = VEX if VEX["vexRepository"] in api.files else {}
    parts = [*(lookup.addresses for lookup in _published(api)), vex]
    return {name: api.href(path) for part in parts for name, path in part.items()}


def wanted(api: Api) -> Iterator[str]:
    """Every document that the lookups of discovery call for."""
    for lookup in _published(api):
        yield from lookup.wanted(api)


def check(api: Api) -> None:
    for lookup in _published(api):
        lookup.check(api)


def _published(api: Api) -> list[Lookup]:
    index = api.documents["index.json"]
    listed = index["documents"].keys() | index["templates"].keys()
    return [lookup for lookup in LOOKUPS if listed & lookup.addresses.keys()]


def _digest_paths(api: Api) -> Iterator[str]:
    for image in api.data("images"):
        for version in image["versions"]:
            yield from (digest_path(digest) for digest in every_digest(version))
    yield from former(api)
    if former(api):
        yield from _former_paths(api)


def digest_path(digest: str) -> str:
    return f"digests/{digest.replace(':', '/')}.json"


def former(api: Api) -> dict[str, list[Json]]:
    """Path of each published document of a former digest → its entries."""
    digests = {path: doc["data"] for path, doc in api.documents.items() if path.startswith("digests/")}
    return {path: data for path, data in digests.items() if not any(entry["listed"] for entry in data)}


def _former_paths(api: Api) -> Iterator[str]:
    """A document for each former digest in the search index, which has its first digits."""
    hexes = {path.rpartition("/")[2][:12]: path for path in former(api)}
    for entry in api.documents["search.json"]["data"]:
        for version in entry["former"]:
            yield from (hexes.get(digits, f"digests/sha256/{digits}….json") for digits in version["digests"])


def every_digest(version: Json) -> list[str]:
    return [*version["digests"], *(manifest["digest"] for manifest in version["manifests"])]


def _digests(api: Api) -> None:
    """What the oracle leaves out of a digest's documents: former digests, updates, and what versions have."""
    images = {image["slug"]: image for image in api.data("images")}
    for path, document in api.documents.items():
        if not path.startswith("digests/"):
            continue
        entries = document["data"]
        api.holds(path, "$", document, total=len(entries))
        if [entry["slug"] for entry in entries] != sorted({entry["slug"] for entry in entries}):
            api.blame(path, "$.data", "is out of order")
        for position, entry in enumerate(entries):
            where, image = f"$.data[{position}]", images.get(entry["slug"])
            if image is None or not entry["listed"]:
                _former(api, path, where, entry, image)
                continue
            version = _version(image, entry["version"])
            assert version, "the oracle has seen it"
            api.holds(path, where, entry, line=version["line"], variant=version["variant"])
            if entry["platform"] is None:
                ended = api.documents[f"security/{image['slug']}/{version['version']}.json"]["osEndOfLife"]
                api.holds(path, f"{where}.security", entry["security"], osEndOfLife=ended)
            for name, same_line in (("upgrade", True), ("newLine", False)):
                newer = _newer(api, image, version, entry[name], same_line=same_line)
                upgrade = newer and _upgrade(api, image["slug"], version, newer)
                api.expect(path, f"{where}.{name}", entry[name], upgrade)


def _version(image: Json, label: str) -> Json | None:
    return next((each for each in image["versions"] if label in (each["version"], *each["tags"])), None)


def _former(api: Api, path: str, where: str, entry: Json, image: Json | None) -> None:
    """An entry of a former digest: what is there now is the present version of the same label."""
    present = _version(image, entry["version"]) if image else None
    wanted: Json = {"tag": None, "isLatest": False, "released": None, "sbom": None, "provenance": None}
    wanted |= {"digest": present and _only_digest(present), "href": present and present["href"]}
    wanted |= (
        {name: image[name] for name in ("name", "image", "latest", "lifecycle")}
        if image
        else {"name": entry["slug"], "image": None, "upgrade": None, "newLine": None}
    )
    api.holds(path, where, entry, **wanted)
    if entry["versions"][0] != entry["version"]:
        api.blame(path, f"{where}.versions", "do not begin with the version")
    gone = api.gone.get(f"images/{entry['slug']}", ())
    upgrade, security = entry["upgrade"], entry["security"]
    if image and present and present["version"] not in gone:
        labels = [each["version"] for each in image["versions"]]
        if upgrade is None or upgrade["version"] not in labels[: labels.index(present["version"]) + 1]:
            api.blame(path, f"{where}.upgrade", f"is not at least {present['version']}")
    for update in filter(None, (upgrade, entry["newLine"])):
        if newer := _version(image, update["version"]) if image else None:
            api.holds(path, where, update, digest=_only_digest(newer), href=newer["href"])
    counts = [security[name] for name in SEVERITIES]
    total = sum(filter(None, counts)) if security["scanned"] else None
    if security["total"] != total and (security["total"] or total):
        api.blame(path, f"{where}.security.total", f"is {security['total']}, not {total}")


def _only_digest(version: Json) -> str | None:
    return version["digest"] if len(version["digests"]) == 1 else None


def _newer(api: Api, image: Json, version: Json, said: Json | None, *, same_line: bool) -> Json | None:
    """The version to update to: the published one, unless its numbers are lower; else one with higher."""
    gone, numbers = api.gone.get(f"images/{image['slug']}", ()), _numbers(version)
    fitting = [
        other
        for other in image["versions"]
        if other is not version
        and other["version"] not in gone
        and other["variant"] == version["variant"]
        and (other["line"] == version["line"]) == same_line
    ]
    if said is not None:
        [chosen] = [other for other in fitting if other["version"] == said["version"]] or [None]
        return chosen if chosen and (_numbers(chosen) or numbers) >= numbers else None
    higher = [other for other in fitting if same_line and numbers and _numbers(other) > numbers]
    return higher[0] if higher else None


def _numbers(version: Json) -> list[int]:
    """The numbers of a label without anything else, else none; 1.0 is 1."""
    plain = re.fullmatch(r"(\d+(?:\.\d+)*?)(?:\.0+)*", version["version"], re.ASCII)
    return [*map(int, plain[1].split("."))] if plain else []


def _upgrade(api: Api, slug: str, version: Json, newest: Json) -> Json:
    old, new = (api.documents[f"security/{slug}/{entry['version']}.json"] for entry in (version, newest))
    upgrade = {"version": newest["version"], "href": newest["href"], "digest": _only_digest(newest)}
    upgrade |= {"fixes": None, "adds": None}
    scanners = [
        {name.partition(" ")[0] for name in (record["scanner"] or "").split(", ")} for record in (old, new)
    ]
    if old["grade"] and new["grade"] and scanners[0] == scanners[1]:
        before, after = ({(row["id"], row["pkg"]) for row in record["cves"]} for record in (old, new))
        upgrade |= {"fixes": len(before - after), "adds": len(after - before)}
    return upgrade


def _reference_names(api: Api) -> dict[str, list[Json]]:
    """Name of each repository in addresses → its images with a version."""
    found: dict[str, list[Json]] = {}
    for image in api.data("images"):
        host, _, path = normal(image["image"])[0].partition("/")
        if image["versions"]:
            found.setdefault(f"{host.replace(':', '_')}~{path.replace('/', '~')}".lower(), []).append(image)
    return found


def _reference_paths(api: Api) -> Iterator[str]:
    yield from (f"references/{name}.json" for name in _reference_names(api))


def _references(api: Api) -> None:
    for name, images in _reference_names(api).items():
        path = f"references/{name}.json"
        document, entries = api.documents[path], []
        for image in images:
            for version in image["versions"]:
                for tag in (version["version"], *version["tags"]):
                    entry = {"tag": tag, "slug": image["slug"], "version": version["version"]}
                    entry["digest"] = _only_digest(version)
                    entries.append(entry | {"href": version["href"], "line": version["line"]})
        whole = [entry for entry in document["data"] if entry["platform"] is None]
        kept = [{key: entry[key] for key in entries[0]} for entry in whole]
        api.expect(path, "$.data", kept, entries)
        api.holds(path, "$", document, slug=images[0]["slug"], total=len(document["data"]))
        for position, entry in enumerate(document["data"]):
            if entry["platform"] is not None:  # a tag of one manifest
                about = {**entry, "tag": None}
                if not any(about in api.documents[part]["data"] for part in _manifest_paths(api, entry)):
                    api.blame(path, f"$.data[{position}]", "is not the entry of a manifest")
                continue
            for digest in _own_digests(api, entry):
                listed = api.documents.get(digest_path(digest), {"data": []})["data"]
                for each in listed:
                    if (each["slug"], each["version"]) == (entry["slug"], entry["version"]):
                        api.expect(path, f"$.data[{position}]", {**entry, "tag": None}, each)


def _manifest_paths(api: Api, entry: Json) -> Iterator[str]:
    """The documents of an entry's manifests for its platform."""
    [image] = [image for image in api.data("images") if image["slug"] == entry["slug"]]
    [version] = [version for version in image["versions"] if version["version"] == entry["version"]]
    for manifest in version["manifests"]:
        if manifest["platform"] == entry["platform"] and digest_path(manifest["digest"]) in api.documents:
            yield digest_path(manifest["digest"])


def _own_digests(api: Api, entry: Json) -> list[str]:
    """The digests of an entry's version that no other version of its image has."""
    [image] = [image for image in api.data("images") if image["slug"] == entry["slug"]]
    listed = [digest for version in image["versions"] for digest in every_digest(version)]
    [version] = [version for version in image["versions"] if version["version"] == entry["version"]]
    manifests = {manifest["digest"] for manifest in version["manifests"]}
    return [digest for digest in version["digests"] if listed.count(digest) == 1 and digest not in manifests]


def _cve_paths(api: Api) -> Iterator[str]:
    yield "cves/index.json"
    listed = api.documents.get("cves/index.json", {"data": []})["data"]
    ids = _files([entry["id"] for entry in listed])
    yield from (f"cves/{entry['id']}.json" for entry in listed if entry["id"] in ids)


def _files(ids: list[str]) -> set[str]:
    fine = [id_ for id_ in ids if SAFE.fullmatch(id_) and not RESERVED.match(id_)]
    alike = Counter(id_.casefold() for id_ in fine)
    return {id_ for id_ in fine if alike[id_.casefold()] == 1}


def _renovate_paths(api: Api) -> Iterator[str]:
    yield from (f"renovate/{image['slug']}.json" for image in api.data("images") if image["versions"])


def _renovate(api: Api) -> None:
    for image in api.data("images"):
        if not image["versions"]:
            continue
        page = {"changelogUrl": urljoin(api.site_url, image["url"])} if api.site_url else {}
        releases = []
        for version in image["versions"]:
            time = {"releaseTimestamp": f"{version['released']}T00:00:00Z"} if version["released"] else {}
            pinned = {"digest": digest} if (digest := _only_digest(version)) else {}
            deprecated = image["lifecycle"] in ("deprecated", "withdrawn")
            about = {"version": version["version"], "isDeprecated": deprecated}
            releases.append(about | time | pinned | page)
        whole = {"releases": releases, "tags": {"latest": image["latest"]}}
        names = {"sourceUrl": image["source"], "homepage": image["homepage"]}
        whole |= {name: address for name, address in names.items() if address}
        path = f"renovate/{image['slug']}.json"
        api.expect(path, "$", api.documents[path], whole)


LOOKUPS = [
    Lookup({"digest": "digests/{algorithm}/{hex}.json"}, _digest_paths, _digests),
    Lookup({"reference": "references/{reference}.json"}, _reference_paths, _references),
    Lookup({"cves": "cves/index.json", "cve": "cves/{id}.json"}, _cve_paths),
    Lookup({"renovate": "renovate/{slug}.json"}, _renovate_paths, _renovate),
]
"""In the order of discovery."""
