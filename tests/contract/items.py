"""Collections, their pages, items and slim lists: one body of data in several places; and what items pin."""

from collections.abc import Iterable, Iterator

from tests.contract import lookups
from tests.contract.api import COLLECTIONS, LISTED, PINNING, Api, Json, last_page
from tests.contract.badges import OF_IMAGE
from tests.contract.texts import normal

COPIED = (
    *("slug", "name", "description", "category", "categories", "tier", "license", "lifecycle", "latest"),
    *("logo", "url", "href", "security"),
)


def check(api: Api) -> None:
    _slim(api)
    for name in PINNING:
        for position, item in enumerate(api.data(name)):
            for number, pin in enumerate(item["images"]):
                _pin(api, f"{name}.json", f"$.data[{position}].images[{number}]", pin)
    for name in COLLECTIONS:
        data = api.data(name)
        api.holds(f"{name}.json", "$", api.documents[f"{name}.json"], total=len(data))
        _pages(api, name, data)
        if name == "updates":
            _updates(api, data)
            continue
        slugs = [item["slug"] for item in data]
        if slugs != sorted(set(slugs)):
            api.blame(
                f"{name}.json", "$.data", f"is not in the order of the slugs, or has one twice: {slugs}"
            )
        for position, item in enumerate(data):
            if item.get("replacedBy") is not None and item["replacedBy"] not in {*slugs} - {item["slug"]}:
                where = f"$.data[{position}].replacedBy"
                api.blame(f"{name}.json", where, f"names no other item: {item['replacedBy']}")
            if item["category"] != next(iter(item["categories"]), None):
                where = f"$.data[{position}].category"
                api.blame(f"{name}.json", where, "is not the first of the categories")
            if "versions" in item:
                _item(api, name, item, f"$.data[{position}]")
                labels = [version["version"] for version in item["versions"]]
                where, latest = f"$.data[{position}]", labels[0] if labels else None
                api.expect(f"{name}.json", f"{where}.latest", item["latest"], latest)
                if len({label.casefold() for label in labels}) < len(labels):
                    api.blame(f"{name}.json", f"{where}.versions", f"hold a label twice: {labels}")


def _pages(api: Api, name: str, data: list[Json]) -> None:
    """The pages, at least one, are the collection one after the other, and each leads to its neighbours."""
    total_pages = last_page(len(data))
    last = max(total_pages, 1)
    for number in range(1, last + 1):
        near = {"self": number, "first": 1, "last": last, "prev": number - 1, "next": number + 1}
        links = {
            key: api.href(f"{name}/{page}.json") if 1 <= page <= last else None for key, page in near.items()
        }
        path = f"{name}/{number}.json"
        api.holds(
            path,
            "$",
            api.documents[path],
            page=number,
            total=len(data),
            totalPages=total_pages,
            links=links | {"collection": api.href(f"{name}.json")},
            data=data[(number - 1) * 24 : number * 24],
        )


def _item(api: Api, name: str, item: Json, where: str) -> None:
    path = f"{name}/{item['slug']}/index.json"
    found = api.documents[path]
    api.expect(f"{name}.json", f"{where}.href", item["href"], api.href(path))
    html = found["links"]["html"]
    if html != item["url"] and html is not None:
        # Without a page of its own an item has no page link, and its url is the landing or the home page.
        api.blame(path, "$.links.html", f"is {html}, while the url is {item['url']}")
    links = {"self": api.href(path), "collection": api.href(f"{name}.json"), "html": html}
    api.holds(path, "$", found, slug=item["slug"], links=links, data=item)
    if name == "images":
        pictures = {badge: api.href(f"badge/{item['slug']}/{badge}.json") for badge in OF_IMAGE}
        api.holds(path, "$", found, badges=pictures)


def _updates(api: Api, data: list[Json]) -> None:
    keys = [(update["application"], update["from"], update["to"]) for update in data]
    for position, update in enumerate(data):
        where = f"$.data[{position}]"
        if keys[position] in keys[:position]:
            api.blame("updates.json", where, "stands twice: the same application, from and to")
        allowed = _homes(api, update["application"])
        if update["href"] not in allowed:
            api.blame("updates.json", f"{where}.href", f"is {update['href']}, which is not in {allowed}")


def _homes(api: Api, application: str) -> list[str | None]:
    """The item of the first collection with that slug, else with that name, which several may have."""
    for field in ("slug", "name"):
        for name in LISTED:
            if found := [item["href"] for item in api.data(name) if item[field] == application]:
                return found
    return [None]


def _slim(api: Api) -> None:
    """Slim lists and the search document: what they repeat of the collections."""
    for resource in LISTED:
        path, items = f"{resource}/index.json", api.data(resource)
        api.holds(path, "$", api.documents[path], resource=resource, total=len(items))
        for where, item, entry in _pairs(api, path, items):
            api.holds(path, where, entry, **_copied(resource, item, entry["custom"]))
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


def _copied(resource: str, item: Json, listed: Iterable[str]) -> Json:
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
    return {"version": version["version"], "tags": version["tags"], "digestPrefixes": [*first_digits]}


def _pin(api: Api, path: str, where: str, pin: Json) -> None:
    """A digest decides alone, of several labels the newest; without one repository and tag do."""
    digest, (repository, tag) = pin["digest"], normal(pin["image"])
    if "@" in pin["image"]:
        api.expect(path, f"{where}.digest", digest, pin["image"].partition("@")[2])
    homes: dict[str, str | None] = {}
    owners: dict[str | None, None] = {None: None}
    for image in api.data("images"):
        owned = image["image"] is not None and normal(image["image"])[0] == repository
        owners |= {image["slug"]: None} if owned else {}
        for entry in image["versions"]:
            if (
                digest in lookups.every_digest(entry)
                if digest
                else owned and tag in (entry["version"], *entry["tags"])
            ):
                homes.setdefault(image["slug"], entry["version"])
    if _is_former(api, pin):
        address = lookups.digest_path(digest)
        entries = [each for each in lookups.former(api).get(address, ()) if each["slug"] == pin["slug"]]
        api.holds(path, where, pin, href=api.href(address) if entries else None)
        for entry in entries:
            api.holds(path, where, pin, version=entry["version"], until=entry["until"])
        return
    if (pin["slug"], pin["version"]) not in (homes or owners).items():
        api.blame(path, where, f"is joined to {pin['slug']} {pin['version']}, not as in {homes}")
    release = api.href(f"security/{pin['slug']}/{pin['version']}.json") if pin["version"] else None
    api.holds(path, where, pin, href=release, until=None)


def _is_former(api: Api, pin: Json) -> bool:
    """Whether a pin has a digest that its image, listed or not, had before."""
    listed = {
        digest
        for image in api.data("images")
        for each in image["versions"]
        for digest in lookups.every_digest(each)
    }
    if not pin["version"] or not pin["digest"] or pin["digest"] in listed:
        return False
    digits = pin["digest"].partition(":")[2][:12]
    found = {entry["slug"]: entry["former"] for entry in api.documents["search.json"]["data"]}
    return (
        any(digits in each["digestPrefixes"] for each in found[pin["slug"]]) if pin["slug"] in found else True
    )
