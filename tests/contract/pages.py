"""Collections, their pages and their items: one body of data in three places."""

from collections import Counter, defaultdict

from tests.contract.api import Api, Json
from tests.contract.inventory import IMAGE_BADGES, last_page

# Addresses of item documents by collection, field and the value of that field.
Homes = defaultdict[tuple[str, str, str], set[str]]


def check(api: Api, name: str) -> None:
    collection = api.read(f"{name}.json")
    data = collection["data"]
    api.expect(f"{name}.json", "$.total", collection["total"], len(data))
    _pages(api, name, data)
    if name == "updates":
        _updates(api, data)
        return
    _order(api, name, [item["slug"] for item in data])
    for position, item in enumerate(data):
        _item(api, name, item, f"$.data[{position}]")


def _pages(api: Api, name: str, data: list[Json]) -> None:
    last = last_page(len(data))

    def address(number: int) -> str | None:
        return api.href(f"{name}/{number}.json") if 1 <= number <= last else None

    for number in range(1, last + 1):
        wanted = {
            "apiVersion": "v1",
            "resource": name,
            "page": number,
            "perPage": 24,
            "total": len(data),
            "totalPages": last,
            "links": {
                "self": address(number),
                "first": address(1),
                "last": address(last),
                "prev": address(number - 1),
                "next": address(number + 1),
                "collection": api.href(f"{name}.json"),
            },
            "data": data[(number - 1) * 24 : number * 24],
        }
        path = f"{name}/{number}.json"
        api.expect(path, "$", api.read(path), wanted)


def _order(api: Api, name: str, slugs: list[str]) -> None:
    if slugs != sorted(slugs):
        api.blame(f"{name}.json", "$.data", "is not in the order of the slugs")
    for slug in sorted(slug for slug, count in Counter(slugs).items() if count > 1):
        api.blame(f"{name}.json", "$.data", f"has the slug {slug} twice")


def _item(api: Api, name: str, item: Json, where: str) -> None:
    path = f"{name}/{item['slug']}/index.json"
    api.expect(f"{name}.json", f"{where}.href", item["href"], api.href(path))
    found = api.read(path)
    html = found["links"]["html"]
    # An item of a data file has no page of its own: no html; its url is the landing or the home page.
    if html != item["url"] and (html is not None or name == "roadmap"):
        api.blame(path, "$.links.html", f"is {html}, while the url is {item['url']}")
    wanted = {
        "apiVersion": "v1",
        "resource": name,
        "slug": item["slug"],
        "links": {"self": api.href(path), "collection": api.href(f"{name}.json"), "html": html},
        "data": item,
    }
    if name == "images":
        wanted["badges"] = {badge: api.href(f"badge/{item['slug']}/{badge}.json") for badge in IMAGE_BADGES}
    api.expect(path, "$", found, wanted)


def _updates(api: Api, data: list[Json]) -> None:
    homes = _homes(api)
    seen: set[tuple[str, str | None, str]] = set()
    for position, update in enumerate(data):
        where = f"$.data[{position}]"
        key = (update["application"], update["from"], update["to"])
        if key in seen:
            api.blame("updates.json", where, "stands twice: the same application, from and to")
        seen.add(key)
        fitting = _home(homes, update["application"])
        if update["href"] not in (fitting or (None,)):
            wanted = " or ".join(sorted(fitting)) or "null"
            api.blame("updates.json", f"{where}.href", f"is {update['href']}, not {wanted}")


def _homes(api: Api) -> Homes:
    homes: Homes = defaultdict(set)
    for name in ("images", "charts"):
        for item in api.read(f"{name}.json")["data"]:
            for field in ("slug", "name"):
                homes[name, field, item[field]].add(item["href"])
    return homes


def _home(homes: Homes, application: str) -> set[str]:
    """Where an update may lead: whether a chart's slug beats an image's name is left open."""
    image_slug, image_name = homes["images", "slug", application], homes["images", "name", application]
    chart_slug, chart_name = homes["charts", "slug", application], homes["charts", "name", application]
    return image_slug or (chart_slug and chart_slug | image_name) or image_name or chart_name
