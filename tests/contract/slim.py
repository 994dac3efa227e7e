"""Slim lists and the search document: what they repeat of the collections."""

from collections.abc import Iterable

from tests.contract.api import LISTED, Api, Json

PATHS = (*(f"{name}/index.json" for name in LISTED), "search.json")
COPIED = (
    *("slug", "name", "description", "category", "categories", "tier", "license", "lifecycle", "latest"),
    *("logo", "url", "href", "security"),
)


def check(api: Api) -> None:
    for resource in LISTED:
        path, items = f"{resource}/index.json", api.data(resource)
        document = api.documents[path]
        api.holds(path, "$", document, resource=resource, total=len(items))
        if len(document["data"]) != len(items):
            api.blame(path, "$.data", f"has {len(document['data'])} entries, not {len(items)}")
            continue
        pairs = zip(items, document["data"], strict=True)
        entries = [_entry(resource, item, entry["custom"]) for item, entry in pairs]
        published = [
            {name: entry[name] for name in wanted}
            for entry, wanted in zip(document["data"], entries, strict=True)
        ]
        api.expect(path, "$.data", published, entries)
    found = [
        {
            "slug": image["slug"],
            **{name: image[name] for name in ("name", "base", "license", "replaces", "custom")},
            "versions": [_found_by(version) for version in image["versions"]],
        }
        for image in api.data("images")
    ]
    document = api.documents["search.json"]
    data = [{name: entry[name] for name in entry if name != "former"} for entry in document["data"]]
    api.expect("search.json", "$.data", data, found)
    for position, entry in enumerate(document["data"]):
        labels = [each["version"] for each in entry["former"]]
        if len({*labels}) < len(labels):
            api.blame("search.json", f"$.data[{position}].former", "has a version twice")
    api.holds("search.json", "$", document, total=len(found))


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
