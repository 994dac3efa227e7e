"""What the badges say: the figures of the documents that they stand for."""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from tests.contract.api import LISTED, Api, Json

OF_IMAGE: dict[str, Callable[[Api, Json], str]] = {
    "cves": lambda api, image: _ungraded(api, image) or str(image["security"]["total"]),
    "grade": lambda api, image: _ungraded(api, image) or image["security"]["grade"],
    "version": lambda _, image: image["latest"] or "no version",
}
"""Name of each image's badge, and what it says."""


def check(api: Api) -> None:
    said = of_catalog(api)
    for image in api.data("images"):
        said |= {f"{image['slug']}/{name}": message(api, image) for name, message in OF_IMAGE.items()}
    for name, message in said.items():
        path = f"badge/{name}.json"
        badge = api.documents[path]
        api.holds(path, "$", badge, message=message)
        if message in ("not scanned", "not graded", "partly scanned") and not _grey(badge["color"]):
            api.blame(path, "$.color", f"is {badge['color']}, not grey, though it is {message}")


def _ungraded(api: Api, image: Json) -> str:
    """Why an image has no grade; empty if it has one."""
    if image["security"]["grade"] is not None:
        return ""
    if not image["security"]["scanned"]:
        return "not scanned"
    ended = api.documents[f"security/{image['slug']}.json"]["latest"]["osEndOfLife"]
    return "not graded" if ended else "partly scanned"


def of_catalog(api: Api) -> dict[str, str]:
    """Each badge of the whole catalog, by name, and what it says."""
    listed = {name: [item for item in api.data(name) if item["lifecycle"] != "planned"] for name in LISTED}
    images, charts = listed["images"], listed["charts"]
    every, summary = [item for name in LISTED for item in api.data(name)], api.documents["security.json"]
    both = [item for items in listed.values() for item in items]
    licenses = {item["license"] for item in both if item["license"]}
    platforms = [{platform.partition("/")[2] for platform in image["platforms"]} for image in images]
    common = set.intersection(*platforms) if images else set()
    said = {
        "images": str(len(images)),
        "charts": str(len(charts)),
        "cves": str(summary["total"]) if summary["imagesScanned"] else "not scanned",
        "multiarch": " | ".join(sorted(common)) or "none in common",
        "license": licenses.pop() if len(licenses) == 1 else str(len(licenses)),
    }
    for field, items, words in (("base", images, "images"), ("signature", both, "signed")):
        values = [item[field] for item in items]
        names = {item.get(field) for item in every}
        said |= {_plain(v): f"{values.count(v)} of {len(items)} {words}" for v in names if v}
    hubs = [_hub(chart["hub"]) for chart in charts if chart["hub"]]
    names = {_hub(chart["hub"]) for chart in api.data("charts") if chart["hub"]}
    said |= {hub: f"{hubs.count(hub)} chart{'s' * (hubs.count(hub) != 1)}" for hub in names}
    return dict(sorted(said.items()))


def _grey(color: str) -> bool:
    """Six hex digits with hardly any colour in them."""
    channels = [int(color[place : place + 2], 16) for place in (1, 3, 5)]
    return max(channels) - min(channels) <= 32


def _plain(value: str) -> str:
    return re.sub("[^a-z0-9]+", "-", value.lower()).strip("-")


def _hub(address: str) -> str:
    """The host without `www.` and its last label: `artifacthub` of artifacthub.io."""
    host = (urlsplit(address).hostname or "").removeprefix("www.")
    return _plain(host.rpartition(".")[0] or host)
