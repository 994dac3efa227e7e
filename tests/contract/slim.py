"""Slim lists and the search document: what they repeat of the collections."""

from collections.abc import Iterable, Iterator

from tests.contract.api import LISTED, Api, Json

PATHS = (*(f"{name}/index.json" for name in LISTED), "search.json")
COPIED = (
    *("slug", "name", "description", "category", "categories", "tier", "license", "lifecycle", "latest"),
    *("logo", "url", "href", "security"),
)


def check(api: Api) -> None:
    for resource in LISTED:
        path, items = f"{resource}/index.json", api.data(resource)
        api.holds(path, "$", api.documents[path], resource=resource, total=len(items))
        for where, item, entry in _pairs(api, path, items):
            api.holds(path, where, entry, **_entry(resource, item, entry["custom"]))
    path, images = "search.json", api.data("images")
    api.holds(path, "$", api.documents[path], total=len(images))
    for where, image, entry in _pairs(api, path, images):
        same = {name: image[name] for name in ("slug", "name", "base", "license", "replaces", "custom")}
        api.holds(path, where, entry, **same, versions=[_found_by(each) for each in image["versions"]])
        labels = [each["version"] for each in entry["former"]]
        if len({*labels}) < len(labels):
            api.blame(path, f"{where}.former", "has a version twice")


def _pairs(api: Api, path: str, items: list[Json]) -> Iterator[tuple[str, Json, Json]]:
    """Place, item and entry of each item that a document lists."""
    entries = api.documents[path]["data"]
    slugs = [[each["slug"] for each in listed] for listed in (entries, items)]
    api.expect(path, "$.data", *slugs)
    for number, (item, entry) in enumerate(zip(items, entries, strict=False)):
        yield f"$.data[{number}]", item, entry


def _entry(resource: str, item: Json, listed: Iterable[str]) -> Json:
    """What a slim list repeats of an item; `listed` are the custom fields that it has."""
    entry = {name: item[name] for name in COPIED}
    entry["custom"] = {name: item["custom"][name] for name in listed}
    if resource != "images":
        return entry
    newest = item["versions"][0] if item["versions"] else {"size": None, "endOfLife": None}
    return entry | {"platforms": item["platforms"], "size": newest["size"], "endOfLife": newest["endOfLife"]}


def _found_by(version: Json) -> Json:
    digests = [*version["digests"], *(manifest["digest"] for manifest in version["manifests"])]
    first_digits = dict.fromkeys(digest.split(":")[1][:12] for digest in digests)
    return {"version": version["version"], "tags": version["tags"], "digests": [*first_digits]}
