"""One question, one document: the same data again, seen from a digest, a CVE, a version to update to."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote, urljoin

from tests.contract.api import SEVERITIES, Api, Json
from tests.contract.texts import normal, single_versions

VEX = {"vex": "vex/{slug}.json", "vexRepository": "vex/repository.tar.gz"}
SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
NAME = re.compile("(CVE|GHSA|GO|PYSEC|RUSTSEC|MAL|OSV)-")
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
            yield from (
                hexes.get(digits, f"digests/sha256/{digits}….json") for digits in version["digestPrefixes"]
            )


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
            _concerns(api, path, where, entry)
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
                upgrade = newer and _upgrade(api, image["slug"], version, newer, entry[name])
                api.expect(path, f"{where}.{name}", entry[name], upgrade)


def _concerns(api: Api, path: str, where: str, entry: Json) -> None:
    """What speaks against running it, in the order of the contract.

    Which parts are not covered, no document says: without limits it is `scanned-in-part` alone.
    """
    security, listed, limits = entry["security"], entry["listed"], entry["limits"]
    incomplete = security["scanned"] and not security["complete"]
    in_part, limited = (word in entry["concerns"] for word in ("scanned-in-part", "scan-limited"))
    applies = {
        "withdrawn": entry["lifecycle"] == "withdrawn",
        "planned": entry["lifecycle"] == "planned",
        "gone": listed and entry["version"] in api.gone.get(f"images/{entry['slug']}", ()),
        "former": not listed and entry["until"] is not None,
        "not-listed": not listed and entry["until"] is None,
        "not-scanned": not security["scanned"],
        "exploited": security["exploited"],
        "critical": security["critical"],
        "scanned-in-part": incomplete and (in_part or not limits),
        "scan-limited": incomplete and limits and (limited or not in_part),
        "system-end-of-life": security["osEndOfLife"],
        "deprecated": entry["lifecycle"] == "deprecated",
    }
    api.holds(path, where, entry, concerns=[word for word, holds in applies.items() if holds])


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


def _upgrade(api: Api, slug: str, version: Json, newest: Json, said: Json | None) -> Json:
    """Numbers only if the records may be of scans that looked alike: not all that decides is published."""
    old, new = (api.documents[f"security/{slug}/{entry['version']}.json"] for entry in (version, newest))
    upgrade = {"version": newest["version"], "href": newest["href"], "digest": _only_digest(newest)}
    upgrade |= {"fixes": None, "adds": None}
    if said and said["fixes"] is not None and _may_be_alike(new, old):
        before, after = (
            {(_canonical(api, row), named_package(row)) for row in record["cves"]} for record in (old, new)
        )
        upgrade |= {"fixes": _certainly_not_in(before, after), "adds": _certainly_not_in(after, before)}
    return upgrade


def _certainly_not_in(
    some: set[tuple[str, tuple[str, str]]], others: set[tuple[str, tuple[str, str]]]
) -> int:
    """How many are not in the others: a package without a URL may be any of its name."""

    def may_be(one: tuple[str, str], other: tuple[str, str]) -> bool:
        names = [re.sub("[-_.]+", "-", name).lower() for _, name in (one, other)]
        return one == other or (not (one[0] and other[0]) and names[0] == names[1])

    return sum(
        not any(id_ == other_id and may_be(package, other) for other_id, other in others)
        for id_, package in some
    )


def _may_be_alike(new: Json, old: Json) -> bool:
    """Both scanned at known times, by the same scanners, the one without it not on an earlier day."""
    names = [{name.partition(" ")[0] for name in (r["scanner"] or "").split(", ")} for r in (old, new)]
    times = [record["scannedAt"] for record in (old, new)]
    return None not in times and names[0] == names[1] and times[1][:10] >= times[0][:10]


def _canonical(api: Api, row: Json) -> str:
    """The vulnerability that a row is of, as the documents unite them; an advisory is its own."""
    id_: str = row["id"]
    cves = [name for name in (id_, *row["aliases"]) if name.startswith("CVE-")]
    having = [] if cves or not NAME.match(id_) else _having(api).get(id_, [])
    return having[0] if len(having) == 1 else id_


@lru_cache(maxsize=1)
def _having(api: Api) -> dict[str, list[str]]:
    """Id → ids of the entries that have it."""
    having: dict[str, list[str]] = {}
    for entry in api.documents.get("cves/index.json", {"data": []})["data"]:
        for id_ in (entry["id"], *entry["aliases"]):
            having.setdefault(id_, []).append(entry["id"])
    return having


def _reference_names(api: Api) -> dict[str, tuple[list[Json], list[Json]]]:
    """Name of each repository in addresses → its images with a version, and those that replace it."""
    found: dict[str, tuple[list[Json], list[Json]]] = {}
    for image in api.data("images"):
        for at, reference in enumerate([image["image"], *image["replaces"]]):
            if reference and (at or image["versions"]):
                host, _, path = normal(reference)[0].partition("/")
                name = f"{host.replace(':', '_')}~{path.replace('/', '~')}".lower()
                found.setdefault(name, ([], []))[at > 0].append(image)
    return found


def _reference_paths(api: Api) -> Iterator[str]:
    yield from (f"references/{name}.json" for name in _reference_names(api))


def _references(api: Api) -> None:
    for name, (images, others) in _reference_names(api).items():
        path = f"references/{name}.json"
        document, entries = api.documents[path], []
        for image in images:
            for version in image["versions"]:
                for tag in (version["version"], *version["tags"]):
                    entry = {"tag": tag, "slug": image["slug"], "version": version["version"]}
                    entry["digest"] = _only_digest(version)
                    entries.append(entry | {"href": version["href"], "line": version["line"]})
        whole = [entry for entry in document["data"] if entry["platform"] is None]
        kept = [{key: entry[key] for key in entries[0]} for entry in whole] if entries else whole
        api.expect(path, "$.data", kept, entries)
        replacing = [{key: image[key] for key in ("slug", "image", "href")} for image in others]
        slug = images[0]["slug"] if images else None
        api.holds(path, "$", document, slug=slug, total=len(document["data"]), replacements=replacing)
        for position, entry in enumerate(document["data"]):
            _concerns(api, path, f"$.data[{position}]", entry)
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
    ids = {id_ for entry in listed for id_ in (entry["id"], *entry["aliases"])}
    names = [id_.replace(":", "-") for id_ in ids]
    alike = Counter(name.casefold() for name in names)
    fine = (name for name in names if SAFE.fullmatch(name) and not RESERVED.match(name))
    yield from (f"cves/{name}.json" for name in sorted(fine) if alike[name.casefold()] == 1)


def _cves(api: Api) -> None:
    """What the oracle leaves open: each version without it is one that an update leads to, and is without."""
    for path, document in api.documents.items():
        if not path.startswith("cves/") or path == "cves/index.json":
            continue
        ids = {document["id"], *document["aliases"]}
        for image in document["data"]:
            having = {each["version"] for each in (*image["affected"], *image["suppressed"])}
            for affected in image["affected"]:
                said = affected["fixedIn"]
                if said is None:
                    continue
                record = api.documents[said["href"].removeprefix(f"{api.base}/")]
                rows = [*record["cves"], *record["suppressions"]]
                if said["version"] in having or any(ids & {row["id"], *row["aliases"]} for row in rows):
                    api.blame(path, "$.data", f"has {said['version']} as fixed, which has it")
                old = api.documents[affected["href"].removeprefix(f"{api.base}/")]
                if not _may_be_alike(record, old):
                    api.blame(
                        path, "$.data", f"has {said['version']} as fixed, which was not looked at alike"
                    )
                advised = [
                    update["version"]
                    for entry in api.documents.get(digest_path(affected["digest"] or ""), {"data": []})[
                        "data"
                    ]
                    if (entry["slug"], entry["version"]) == (image["slug"], affected["version"])
                    for update in (entry["upgrade"], entry["newLine"])
                    if update
                ]
                if advised and said["version"] not in advised:
                    api.blame(path, "$.data", f"has {said['version']}, which is not advised")


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


def _package_paths(api: Api) -> Iterator[str]:
    """The documents that the index names: several packages may share one."""
    yield "packages/index.json"
    listed = api.documents.get("packages/index.json", {"data": []})["data"]
    hrefs = {entry["href"] for entry in listed} - {None}
    yield from sorted(href.removeprefix(f"{api.base}/") for href in hrefs)


def _package_path(type_: str, name: str) -> str | None:
    parts = [re.sub("[/:@+]", "~", text.lower()) for text in (type_ or "unknown", name)]
    fine = [re.fullmatch("[a-z0-9~][a-z0-9~._-]{0,99}", part) and not RESERVED.match(part) for part in parts]
    return f"packages/{parts[0]}/{parts[1]}.json" if all(fine) else None


def named_package(row: Json) -> tuple[str, str]:
    """The package of a row, however its name is spelled."""
    return identified(*spelled_package(row))


def identified(type_: str, name: str) -> tuple[str, str]:
    """Type and name, the same for all spellings."""
    if type_ in ("bitbucket", "composer", "github", "golang", "npm", "nuget"):
        return type_, name.lower()
    return type_, re.sub("[-_.]+", "-", name).lower() if type_ == "pypi" else name


def spelled_package(row: Json) -> tuple[str, str]:
    """Type and name of the package of a row: npm and others have the namespace in the name."""
    if not (url := row["purl"]):
        return "", row["pkg"]
    type_, _, path = re.sub("@[^/]*$", "", url.removeprefix("pkg:")).partition("/")
    *namespace, name = unquote(path).split("/")
    if type_ in ("apk", "deb", "rpm"):
        namespace = []
    return type_, (":" if type_ == "maven" else "/").join([*namespace, name])


def _plain(version: str) -> str:
    return re.sub(r"^(v|go|0:)(?=\d)", "", version)


def _places_of(part: Json) -> set[tuple[str, str]]:
    return {(image["slug"], label) for image in part["images"] for label in image["versions"]}


def _packages(api: Api) -> None:
    """Who has a package is what rows and SBOMs say, as far as there are any."""
    index = api.documents["packages/index.json"]
    numbers = [index[f"releases{how}"] for how in ("Known", "InPart", "Unknown")]
    images = {image["slug"]: image for image in api.data("images")}
    api.expect(
        "packages/index.json", "$", sum(numbers), sum(len(image["versions"]) for image in images.values())
    )
    having: dict[tuple[str, str, str], set[tuple[str, str]]] = {}
    spelled: dict[tuple[str, str], set[str]] = {}
    rows: dict[tuple[str, str], list[tuple[str, str, Json]]] = {}
    for slug, image in images.items():
        for version in image["versions"]:
            label = version["version"]
            record = api.documents[f"security/{slug}/{label}.json"]
            for row in record["cves"] or ():
                rows.setdefault(named_package(row), []).append((slug, label, row))
            for row in [*(record["cves"] or ()), *(record["suppressions"] or ())]:
                having.setdefault((*named_package(row), _plain(row["installed"])), set()).add((slug, label))
                spelled.setdefault(named_package(row), set()).add(spelled_package(row)[1])
            components = api.documents.get(f"sbom/{slug}/{label}.json", {"components": []})["components"]
            for part in components:
                if part["type"] == "library":
                    written = {"purl": part.get("purl", "").partition("?")[0], "pkg": part["name"]}
                    about = named_package(written)
                    spelled.setdefault(about, set()).add(spelled_package(written)[1])
                    having.setdefault((*about, _plain(part.get("version", ""))), set()).add((slug, label))
    inventory = {(type_, name, *place) for (type_, name, _), places in having.items() for place in places}
    ids: dict[tuple[str, str], set[str]] = {}
    for slug, label, row in (each for found in rows.values() for each in found):
        ids.setdefault((slug, label), set()).add(_canonical(api, row))
    entries = index["data"]
    order = [(entry["type"], entry["name"]) for entry in entries]
    api.expect("packages/index.json", "$.data", order, sorted({*order}))
    missing = {(type_, name) for type_, name, _ in having} - {identified(*about) for about in order}
    if missing:
        api.blame("packages/index.json", "$.data", f"lacks {sorted(missing)[0]}")
    api.holds("packages/index.json", "$", index, total=len(entries))
    for position, entry in enumerate(entries):
        where, path = f"$.data[{position}]", _package_path(entry["type"], entry["name"])
        api.holds("packages/index.json", where, entry, href=path and api.href(path))
        first = min(spelled.get(identified(entry["type"], entry["name"]), {entry["name"]}))
        if entry["name"] > first:
            api.blame("packages/index.json", f"{where}.name", f"is not {first}")
        if path is None:
            continue
        listed = api.documents[path]["data"]
        made = {part["name"] for part in listed if part["source"] == entry["name"]}
        of = [part for part in listed if part["name"] in (entry["name"], *made)]
        places = {place for part in of for place in _places_of(part)}
        newest = {slug for slug, label in places if label == images[slug]["latest"]}
        named = {identified(entry["type"], part["name"]) for part in of}
        still = [
            row
            for package in named
            for slug, label, row in rows.get(package, ())
            if label == images[slug]["latest"] and images[slug]["lifecycle"] == "available"
        ]
        wanted: Json = {"images": len({slug for slug, _ in places}), "releases": len(places)}
        wanted |= {"latestReleases": len(newest), "fixable": sum(row["fixed"] != "" for row in still)}
        wanted["open"] = {word: sum(row["severity"] == word.upper() for row in still) for word in SEVERITIES}
        api.holds("packages/index.json", where, entry, **wanted)
    for path in [*_package_paths(api)][1:]:
        document = api.documents[path]
        counts = dict(zip(("releasesKnown", "releasesInPart", "releasesUnknown"), numbers, strict=True))
        api.holds(path, "$", document, total=len(document["data"]), **counts)
        for position, part in enumerate(document["data"]):
            where, about = f"$.data[{position}]", identified(document["type"], part["name"])
            found = [
                row
                for _, _, row in rows.get(about, ())
                if _plain(row["installed"]) == _plain(part["version"])
            ]
            fixed = {version for row in found for version in single_versions(row["fixed"])}
            api.holds(path, where, part, ids=sorted({_canonical(api, row) for row in found}))
            api.expect(path, f"{where}.fixed", sorted(part["fixed"]), sorted(fixed))
            slugs = [image["slug"] for image in part["images"]]
            api.expect(path, f"{where}.images", slugs, sorted({*slugs}))
            for number, image in enumerate(part["images"]):
                labels = [version["version"] for version in images[image["slug"]]["versions"]]
                inside = [label for label in labels if label in image["versions"]]
                said = {"versions": inside, "isLatest": images[image["slug"]]["latest"] in inside}
                newest = images[image["slug"]]["versions"][0]
                place = image["slug"], newest["version"]
                again = {*part["ids"]} & ids.get(place, set())
                may_stay = bool(part["ids"]) and (*about, *place) in inventory
                if image["update"] and (
                    said["isLatest"] or again or not _tells(api, image, newest["version"], may_stay)
                ):
                    api.blame(path, f"{where}.images[{number}].update", "may have it, too")
                if image["update"]:
                    said["update"] = {"version": newest["version"], "digest": _only_digest(newest)}
                api.holds(path, f"{where}.images[{number}]", image, **said)
            lacking = having.get((*about, _plain(part["version"])), set()) - _places_of(part)
            if lacking:
                api.blame(path, f"{where}.images", f"lacks {sorted(lacking)[0]}")


def _tells(api: Api, image: Json, newer: str, still: bool) -> bool:
    """Whether what the version does not name is not in it: it was looked at alike, or all is known. The
    latter says nothing of vulnerabilities if it still has the package.
    """
    new, *olds = [
        api.documents[f"security/{image['slug']}/{name}.json"] for name in (newer, *image["versions"])
    ]
    sboms = [path for path in api.documents if path.startswith("sbom/")]
    known = not sboms or f"sbom/{image['slug']}/{newer}.json" in sboms
    return (known and not still) or all(_may_be_alike(new, old) for old in olds)


def _sbom_paths(api: Api) -> Iterator[str]:
    """Of each version whose packages are known: those without one have an author's address, or none."""
    for image in api.data("images"):
        for version in image["versions"]:
            path = f"sbom/{image['slug']}/{version['version']}.json"
            if path in api.files or version["sbom"] == api.href(path):
                yield path


def _sboms(api: Api) -> None:
    paths = [*_sbom_paths(api)]
    if "packages/index.json" in api.documents:
        known = api.documents["packages/index.json"]["releasesKnown"]
        api.expect("packages/index.json", "$.releasesKnown", known, len(paths))
    for image in api.data("images"):
        for version in image["versions"]:
            path = f"sbom/{image['slug']}/{version['version']}.json"
            if path not in api.documents:
                continue
            if version["sbom"] is None:
                api.blame("images.json", "$.data", f"does not name {path}")
            parts = api.documents[path]["components"]
            refs = [part["bom-ref"] for part in (api.documents[path]["metadata"]["component"], *parts)]
            packages = [
                part.get("purl") or f"{part['name']}@{part.get('version', '')}"
                for part in parts
                if part["type"] == "library"
            ]
            if len({*refs}) != len(refs) or packages != sorted(packages):
                api.blame(path, "$.components", "are out of order, or two have one reference")
            for position, part in enumerate(parts):
                url = part.get("purl", "").partition("?")[0]
                written = unquote(url.rpartition("@")[2]) if "@" in url[5:] else ""
                if written and part["version"].partition(":")[2] != written and part["version"] != written:
                    api.blame(path, f"$.components[{position}].version", f"is not that of {url}")


LOOKUPS = [
    Lookup({"digest": "digests/{algorithm}/{hex}.json"}, _digest_paths, _digests),
    Lookup({"reference": "references/{reference}.json"}, _reference_paths, _references),
    Lookup({"cves": "cves/index.json", "cve": "cves/{id}.json"}, _cve_paths, _cves),
    Lookup(
        {"packages": "packages/index.json", "package": "packages/{type}/{name}.json"},
        _package_paths,
        _packages,
    ),
    Lookup({"sbom": "sbom/{slug}/{version}.json"}, _sbom_paths, _sboms),
    Lookup({"renovate": "renovate/{slug}.json"}, _renovate_paths, _renovate),
]
"""In the order of discovery."""
