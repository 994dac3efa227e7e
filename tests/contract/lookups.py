"""One question, one document: the same data again, seen from a digest, a CVE, a version to update to."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from tests.contract.api import PINNING, Api, Json
from tests.contract.security import Releases, figures, shown, to_scan
from tests.contract.versions import compare

VEX = {"vex": "vex/{slug}.json", "vexRepository": "vex/repository.tar.gz"}
DEVICES = re.compile(r"(con|prn|aux|nul|com[1-9]|lpt[1-9])(\.|$)", re.IGNORECASE)


class Lookup(NamedTuple):
    """One kind of lookup."""

    addresses: Mapping[str, str]
    """Name in discovery → path with parameters in braces: all of them, or none."""
    wanted: Callable[[Api], Iterator[str]]
    """The documents that it has."""
    check: Callable[[Api, Releases], None]


LOOKUPS: list[Lookup] = []
"""Each is added after its functions, in the order of discovery."""


def addresses(api: Api) -> dict[str, str]:
    """What discovery says of the lookups that it has: one that is there is there whole, as are statements."""
    vex = VEX if VEX["vexRepository"] in api.files else {}
    parts = [*(lookup.addresses for lookup in _published(api)), vex]
    return {name: api.href(path) for part in parts for name, path in part.items()}


def wanted(api: Api) -> Iterator[str]:
    """Every document that the lookups of discovery call for."""
    for lookup in _published(api):
        yield from lookup.wanted(api)


def check(api: Api, releases: Releases) -> None:
    for lookup in _published(api):
        lookup.check(api, releases)


def _published(api: Api) -> list[Lookup]:
    index = api.documents["index.json"]
    listed = index["documents"].keys() | index["templates"].keys()
    return [lookup for lookup in LOOKUPS if listed & lookup.addresses.keys()]


def _digest_paths(api: Api) -> Iterator[str]:
    for image in api.data("images"):
        for version in image["versions"]:
            yield from (f"digests/{digest.replace(':', '/')}.json" for digest in every_digest(version))
    yield from former(api)
    if former(api):
        yield from _former_paths(api)


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


def _digests(api: Api, releases: Releases) -> None:
    found: dict[str, list[Json]] = {}
    for image in api.data("images"):
        slug, versions = image["slug"], image["versions"]
        gone = api.gone.get(f"images/{slug}", ())
        present = [version for version in versions if version["version"] not in gone]
        for digest in dict.fromkeys(digest for version in versions for digest in every_digest(version)):
            having = [version for version in versions if digest in every_digest(version)]
            first, label = having[0], having[0]["version"]
            record = api.documents[f"security/{slug}/{label}.json"]
            known = releases.get((slug, label))
            published = _published_entry(api, digest, slug)
            security = {"scanned": known is not None, **shown(figures([known] if known else []))}
            security |= {name: record[name] for name in ("complete", "scannedAt", "osEndOfLife")}
            looked_at = {name: record[name] for name in ("platformsScanned", "limits")}
            platforms = [each["platform"] for each in first["manifests"] if each["digest"] == digest]
            if len(first["manifests"]) > 1 and platforms:
                security = _of_part(api, digest, published["security"], record)
                if record["complete"] and not security["complete"] and digest in to_scan(image, first):
                    api.blame(f"security/{slug}/{label}.json", "$.complete", f"is true, but {digest} is not")
                looked_at = {name: published[name] for name in looked_at}
            security |= {"version": label, "href": api.href(f"security/{slug}.json")}
            entry = {name: image[name] for name in ("slug", "name", "image", "latest", "lifecycle")}
            copied = ("version", "line", "variant", "released", "endOfLife", "sbom", "provenance", "href")
            entry |= {name: first[name] for name in copied}
            entry |= {"versions": [version["version"] for version in having], "security": security}
            entry["isLatest"], entry["digest"] = label == image["latest"], _only_digest(first)
            entry |= looked_at | {"platform": platforms[0] if platforms else None}
            entry |= {"tag": None, "listed": True, "until": None}
            for name, same_line in (("upgrade", True), ("newLine", False)):
                newer = _newer(first, present, published.get(name), same_line=same_line)
                entry[name] = newer and _upgrade(api, slug, first, newer)
            found.setdefault(digest, []).append(entry)
    for digest, entries in found.items():
        path = f"digests/{digest.replace(':', '/')}.json"
        api.holds(path, "$", api.documents[path], digest=digest, total=len(entries), data=entries)
    images = {image["slug"]: image for image in api.data("images")}
    for path, entries in former(api).items():
        if path in (f"digests/{digest.replace(':', '/')}.json" for digest in found):
            continue
        slugs = [entry["slug"] for entry in entries]
        api.holds(path, "$", api.documents[path], total=len(entries))
        if slugs != sorted({*slugs}):
            api.blame(path, "$.data", "is out of order")
        for position, entry in enumerate(entries):
            _former(api, path, f"$.data[{position}]", entry, images.get(entry["slug"]))


def _former(api: Api, path: str, where: str, entry: Json, image: Json | None) -> None:
    """An entry of a former digest: what is there now is the present version of the same label."""
    labels = (
        [
            version
            for version in image["versions"]
            if entry["version"] in (version["version"], *version["tags"])
        ]
        if image
        else []
    )
    present = labels[0] if labels else None
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
    least = present["version"] if present and present["version"] not in gone else None
    if least and (upgrade is None or compare(upgrade["version"], least) < 0):
        api.blame(path, f"{where}.upgrade", f"is not at least {least}")
    for update in filter(None, (upgrade, entry["newLine"])):
        [newer] = (
            [each for each in image["versions"] if each["version"] == update["version"]] if image else [None]
        )
        if newer:
            api.holds(path, where, update, digest=_only_digest(newer), href=newer["href"])
    counts = [security[name] for name in ("critical", "high", "medium", "low", "unknown")]
    total = sum(filter(None, counts)) if security["scanned"] else None
    if security["total"] != total and (security["total"] or total):
        api.blame(path, f"{where}.security.total", f"is {security['total']}, not {total}")


def _only_digest(version: Json) -> str | None:
    return version["digest"] if len(version["digests"]) == 1 else None


def _published_entry(api: Api, digest: str, slug: str) -> Json:
    """The entry of an image in the document of a digest, where the build has one."""
    document = api.documents[f"digests/{digest.replace(':', '/')}.json"]
    entries = [entry for entry in document["data"] if entry["slug"] == slug]
    return entries[0] if entries else {"security": {"complete": None}}


def _of_part(api: Api, digest: str, security: Json, record: Json) -> Json:
    """The figures of a manifest alone: nowhere more than those of its release."""
    path, counts = (
        f"digests/{digest.replace(':', '/')}.json",
        ("critical", "high", "medium", "low", "unknown"),
    )
    total = sum(security[name] or 0 for name in counts)
    if (security["total"] or 0) != total or total > (record["total"] or 0):
        api.blame(path, "$.data", f"has {total} vulnerabilities, its release {record['total']}")
    if not security["grade"] and 0 in [security[name] for name in (*counts, "total", "fixable")]:
        api.blame(path, "$.data", "has a count of zero without a grade")
    return {**security}


def _newer(version: Json, versions: list[Json], said: Json | None, *, same_line: bool) -> Json | None:
    """The version to update to: what is published, where the rules allow it; else one that they call for."""
    others = [
        other
        for other in versions
        if other["variant"] == version["variant"] and (other["line"] == version["line"]) == same_line
    ]
    chosen = next((other for other in others if said and other["version"] == said["version"]), None)
    if chosen is not None:
        return chosen if compare(chosen["version"], version["version"]) >= 0 else None
    plain = [other for other in others if same_line and _numbers(version) and _numbers(other)]
    return next((other for other in plain if _numbers(other) > _numbers(version)), None)


def _numbers(version: Json) -> list[int]:
    """The numbers of a label without anything else, else none."""
    label = version["version"]
    return (
        [*map(int, label.split(".")), *[0] * 128][:128]
        if re.fullmatch(r"\d+(\.\d+)*", label, re.ASCII)
        else []
    )


def _upgrade(api: Api, slug: str, version: Json, newest: Json) -> Json:
    old, new = (api.documents[f"security/{slug}/{entry['version']}.json"] for entry in (version, newest))
    upgrade = {name: newest[name] for name in ("version", "href")}
    upgrade["digest"] = _only_digest(newest)
    upgrade["fixes"] = upgrade["adds"] = None
    scanners = [
        {name.partition(" ")[0] for name in (record["scanner"] or "").split(", ")} for record in (old, new)
    ]
    if old["grade"] and new["grade"] and scanners[0] == scanners[1]:
        before, after = ({(row["id"], row["pkg"]) for row in record["cves"]} for record in (old, new))
        upgrade |= {"fixes": len(before - after), "adds": len(after - before)}
    return upgrade


LOOKUPS.append(Lookup({"digest": "digests/{algorithm}/{hex}.json"}, _digest_paths, _digests))


def _reference_names(api: Api) -> dict[str, list[Json]]:
    """Name of each repository in addresses → its images with a version."""
    found: dict[str, list[Json]] = {}
    for image in api.data("images"):
        host, _, path = image["image"].partition("/")
        if not path or not ("." in host or ":" in host or host == "localhost"):
            host, path = "docker.io", image["image"]
        host = "docker.io" if host == "index.docker.io" else host
        path = f"library/{path}" if host == "docker.io" and "/" not in path else path
        if image["versions"]:
            found.setdefault(f"{host.replace(':', '_')}~{path.replace('/', '~')}".lower(), []).append(image)
    return found


def _reference_paths(api: Api) -> Iterator[str]:
    yield from (f"references/{name}.json" for name in _reference_names(api))


def _references(api: Api, _: Releases) -> None:
    for name, images in _reference_names(api).items():
        path = f"references/{name}.json"
        document, entries = api.documents[path], []
        for image in images:
            for version in image["versions"]:
                for tag in (version["version"], *version["tags"]):
                    entry = {"tag": tag, "slug": image["slug"], "version": version["version"]}
                    entry["digest"] = _only_digest(version)
                    entries.append(entry | {"href": version["href"], "line": version["line"]})
        kept = [{key: entry[key] for key in entries[0]} for entry in document["data"]]
        api.expect(path, "$.data", kept, entries)
        api.holds(path, "$", document, slug=images[0]["slug"], total=len(entries))
        for position, entry in enumerate(document["data"]):
            for digest in _own_digests(api, entry):
                listed = api.documents.get(f"digests/{digest.replace(':', '/')}.json", {"data": []})["data"]
                for each in listed:
                    if (each["slug"], each["version"]) == (entry["slug"], entry["version"]):
                        api.expect(path, f"$.data[{position}]", {**entry, "tag": None}, each)


def _own_digests(api: Api, entry: Json) -> list[str]:
    """The digests of an entry's version that no other version of its image has."""
    [image] = [image for image in api.data("images") if image["slug"] == entry["slug"]]
    listed = [digest for version in image["versions"] for digest in every_digest(version)]
    [version] = [version for version in image["versions"] if version["version"] == entry["version"]]
    manifests = {manifest["digest"] for manifest in version["manifests"]}
    return [digest for digest in version["digests"] if listed.count(digest) == 1 and digest not in manifests]


LOOKUPS.append(Lookup({"reference": "references/{reference}.json"}, _reference_paths, _references))


def _cve_paths(api: Api) -> Iterator[str]:
    yield "cves/index.json"
    listed = api.documents.get("cves/index.json", {"data": []})["data"]
    ids = _files([entry["id"] for entry in listed])
    yield from (f"cves/{entry['id']}.json" for entry in listed if entry["id"] in ids)


def _files(ids: list[str]) -> set[str]:
    fine = [
        id_
        for id_ in ids
        if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", id_)
        and not DEVICES.match(id_)
        and id_.casefold() != "index"
    ]
    alike = Counter(id_.casefold() for id_ in fine)
    return {id_ for id_ in fine if alike[id_.casefold()] == 1}


def _further(api: Api) -> dict[tuple[str, ...], list[str]]:
    """The ids that a row stands for besides its own: their documents alone tell."""
    further: dict[tuple[str, ...], list[str]] = {}
    for path, document in api.documents.items():
        if path.startswith("cves/") and "id" in document:
            for row in [*document["data"], *document["suppressed"]]:
                if row["reportedAs"] is not None:
                    place = (row["slug"], row["version"], row["reportedAs"], row["pkg"], row["installed"])
                    further.setdefault(place, []).append(document["id"])
    return further


def _cves(api: Api, releases: Releases) -> None:
    found: dict[str, dict[str, list[Json]]] = {}
    further = _further(api)
    for image in api.data("images"):
        for version in image["versions"]:
            record = api.documents[f"security/{image['slug']}/{version['version']}.json"]
            head = {"slug": image["slug"], "isLatest": version["version"] == image["latest"]}
            head |= {"lifecycle": image["lifecycle"]} | {n: version[n] for n in ("version", "digest", "href")}
            for name, fields in (("cves", ()), ("suppressed", ("status", "justification", "statement"))):
                for row in record[name] or ():
                    place = (image["slug"], version["version"], row["id"], row["pkg"], row["installed"])
                    for id_ in (row["id"], *further.get(place, ())):
                        as_ = {"reportedAs": None if id_ == row["id"] else row["id"]}
                        kept = found.setdefault(id_, {"rows": [], "cves": [], "suppressed": []})
                        kept["rows"].append(row | as_)
                        kept[name].append(
                            head | {n: row[n] for n in ("pkg", "installed", "fixed", *fields)} | as_
                        )
    index = api.documents["cves/index.json"]
    listed = {entry["id"]: entry for entry in index["data"]}
    files, severities = _files(list(listed)), ["CRITICAL", "HIGH", "MEDIUM", "LOW", "UNKNOWN"]
    number = sum(len(image["versions"]) for image in api.data("images"))
    looked_at = {"scanned": len(releases), "unscanned": number - len(releases)}
    api.holds("cves/index.json", "$", index, total=len(listed), **looked_at)
    if list(listed) != sorted(listed, key=lambda id_: _place(severities, listed[id_])):
        api.blame("cves/index.json", "$.data", "is out of order")
    for id_ in found.keys() - listed.keys():
        api.blame("cves/index.json", "$.data", f"lacks {id_}")
    outside = any(
        pin["version"] is None for name in PINNING for item in api.data(name) for pin in item["images"]
    )
    for id_, entry in listed.items():
        where, kept = f"$.data[?{id_}]", found.get(id_, {"rows": [], "cves": [], "suppressed": []})
        rows = {(row["slug"], row["version"]): row["isLatest"] for row in kept["cves"]}
        worst = min((severities.index(row["severity"]) for row in kept["rows"]), default=4)
        if severities.index(entry["severity"]) > worst or not (kept["rows"] or outside):
            api.blame("cves/index.json", where, "is not as bad as its rows, or has none")
        days = [row["exploited"] for row in kept["rows"] if row["exploited"]]
        if not outside:
            api.holds("cves/index.json", where, entry, severity=severities[worst])
            if not any(row["reportedAs"] for row in kept["rows"]):  # else the row may be for another's sake
                api.holds("cves/index.json", where, entry, exploited=min(days, default=None))
        href = api.href(f"cves/{id_}.json") if id_ in files else None
        api.holds(
            "cves/index.json",
            where,
            entry,
            images=len({slug for slug, _ in rows}),
            releases=len(rows),
            latest=sum(rows.values()),
            suppressed=len({(row["slug"], row["version"]) for row in kept["suppressed"]}),
            fixable=sum(row["fixed"] != "" for row in kept["cves"]),
            href=href,
        )
        if href:
            document = api.documents[f"cves/{id_}.json"]
            same = {name: entry[name] for name in ("id", "severity", "title", "url", "exploited")}
            data = [{name: row[name] for name in row} for row in kept["cves"]]
            api.holds(f"cves/{id_}.json", "$", document, **same, **looked_at, total=len(data), data=data)
            api.holds(f"cves/{id_}.json", "$", document, suppressed=kept["suppressed"])
            for name in PINNING:
                _pinned_by(api, f"cves/{id_}.json", name, document, entry, set(rows))


def _pinned_by(
    api: Api, path: str, name: str, document: Json, entry: Json, rows: set[tuple[str, str]]
) -> None:
    """The items that pin an affected release; one with a pin on no page may be there as well."""
    sure, possible = set(), set()
    for item in api.data(name):
        pins = {(pin["slug"], pin["version"]) for pin in item["images"]}
        sure |= {item["slug"]} if pins & rows else set()
        possible |= {item["slug"]} if any(version is None for _, version in pins) else set()
    slugs = [item["slug"] for item in document[name]]
    if slugs != sorted({*slugs}) or not sure <= {*slugs} <= sure | possible:
        api.blame(path, f"$.{name}", f"are {slugs}, not {sorted(sure)}")
    hrefs = [api.href(f"{name}/{slug}/index.json") for slug in slugs]
    api.expect(path, f"$.{name}", [item["href"] for item in document[name]], hrefs)
    api.expect("cves/index.json", f"$.data[?{entry['id']}].{name}", entry[name], len(slugs))


def _place(severities: list[str], entry: Json) -> tuple[Json, ...]:
    cve = re.fullmatch(r"CVE-(\d{4})-(\d+)", entry["id"], re.ASCII)
    numbers = (0, int(cve[1]), int(cve[2])) if cve else (1, 0, 0)
    return severities.index(entry["severity"]), *numbers, entry["id"]


LOOKUPS.append(Lookup({"cves": "cves/index.json", "cve": "cves/{id}.json"}, _cve_paths, _cves))


def _renovate_paths(api: Api) -> Iterator[str]:
    yield from (f"renovate/{image['slug']}.json" for image in api.data("images") if image["versions"])


def _renovate(api: Api, _: Releases) -> None:
    for image in api.data("images"):
        if not image["versions"]:
            continue
        path = f"renovate/{image['slug']}.json"
        document = api.documents[path]
        releases = []
        for version, said in zip(image["versions"], document["releases"], strict=False):
            release = {"version": version["version"]}
            if version["released"]:
                release["releaseTimestamp"] = f"{version['released']}T00:00:00Z"
            if len(version["digests"]) == 1:
                release["digest"] = version["digest"]
            release["isDeprecated"] = image["lifecycle"] in ("deprecated", "withdrawn")
            if "changelogUrl" in said:
                release["changelogUrl"] = said["changelogUrl"]
                if not said["changelogUrl"].endswith(image["url"]):
                    api.blame(path, "$.releases", f"lead to {said['changelogUrl']}, not to {image['url']}")
            releases.append(release)
        whole = {"releases": releases, "tags": {"latest": image["latest"]}}
        whole |= {
            name: image[key]
            for name, key in (("sourceUrl", "source"), ("homepage", "homepage"))
            if image[key]
        }
        api.expect(path, "$", document, whole)


LOOKUPS.append(Lookup({"renovate": "renovate/{slug}.json"}, _renovate_paths, _renovate))
