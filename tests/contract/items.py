"""Collections, their pages and their items: one body of data in three places."""

from tests.contract.api import COLLECTIONS, LISTED, Api, Json
from tests.contract.badges import OF_IMAGE
from tests.contract.inventory import last_page


def check(api: Api) -> None:
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
    """The pages one after the other are the collection, and each leads to its neighbours."""
    last = last_page(len(data))
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
            totalPages=last,
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
