"""Which files there are: no more and no fewer than the contract calls for, each listed with its bytes."""

import hashlib
from collections.abc import Iterator

from tests.contract import badges, history, lookups, vex
from tests.contract.api import COLLECTIONS, LISTED, Api, Json, last_page

LLMS = "llms.txt"


def check(api: Api) -> None:
    lacking = {f"{name}.json" for name in (*COLLECTIONS, "security")} - api.files.keys()
    lacking |= vex.lacking(api)
    wanted = lacking or set(_wanted(api))
    for path in sorted(wanted - api.files.keys()):
        api.blame(path, "$", "is missing")
    if api.violations:
        return
    for path in sorted(api.files.keys() - wanted):
        api.blame(path, "$", "is a document that nothing calls for")
    documents = {
        path: {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)}
        for path, raw in api.files.items()
        if path != "manifest.json"
    }
    base = f"{api.site_url.rstrip('/') or api.mount}/api/v1"
    api.holds("manifest.json", "$", api.documents["manifest.json"], documents=documents, base=base)
    listed = _listed(api)
    totals = {name: len(api.data(name)) for name in COLLECTIONS}
    api.holds(
        "index.json",
        "$",
        api.documents["index.json"],
        resources={
            name: {"href": api.href(f"{name}.json"), "total": total, "totalPages": last_page(total)}
            for name, total in totals.items()
        },
        contents=hashlib.sha256("".join(map(_line, sorted(documents.items()))).encode()).hexdigest(),
        documents={name: address for name, address in listed.items() if "{" not in address}
        | _files_of_site(api),
        templates={name: address for name, address in listed.items() if "{" in address},
        badges={name: api.href(f"badge/{name}.json") for name in badges.of_catalog(api)},
    )
    text = api.files[LLMS].decode()
    for path in ("index.json", *(f"{name}/index.json" for name in LISTED), "openapi.json"):
        if f"]({base}/{path}): " not in text:
            api.blame(LLMS, "$", f"does not link to {base}/{path}")


def _line(document: tuple[str, Json]) -> str:
    path, entry = document
    return f"{path} {entry['sha256']}\n" if path != "index.json" else ""


def _listed(api: Api) -> dict[str, str]:
    """Name → address of what discovery lists beside collections and badges, parameters in braces."""
    paths = {f"{name}Page": f"{name}/{{page}}.json" for name in COLLECTIONS}
    paths |= {name: f"{name}s/{{slug}}/index.json" for name in (each.removesuffix("s") for each in LISTED)}
    paths |= {f"{name}Index": f"{name}/index.json" for name in LISTED}
    paths |= {"securitySummary": "security.json", "securityIndex": "security/index.json"}
    paths |= {"imageSecurity": "security/{slug}.json", "release": "security/{slug}/{version}.json"}
    paths |= {"badge": "badge/{name}.json", "imageBadge": "badge/{slug}/{name}.json"}
    paths |= {name: f"{name}.json" for name in ("search", "openapi", "manifest")} | {"llms": LLMS}
    if "changes.json" in api.documents:
        paths |= {"changes": "changes.json", "fixes": "fixes.json"}
        paths |= {"dayChanges": "changes/{date}.json", "imageHistory": "history/{slug}.json"}
    return {name: api.href(path) for name, path in paths.items()} | lookups.addresses(api)


def _files_of_site(api: Api) -> dict[str, Json]:
    """Name → address of the files beside the API; feeds of the whole catalog only."""
    feeds = [path for path in ("feeds/updates.xml", "feeds/security.xml") if (api.site / path).exists()]
    found: dict[str, Json] = {"feeds": [f"{api.mount}/{path}" for path in feeds]} if feeds else {}
    if (api.site / "eol.ics").exists():
        found["calendar"] = f"{api.mount}/eol.ics"
    return found


def _wanted(api: Api) -> Iterator[str]:
    yield from ("security.json", "security/index.json", "index.json", "openapi.json", "manifest.json")
    yield from ("search.json", LLMS)
    yield from (f"badge/{name}.json" for name in badges.of_catalog(api))
    yield from vex.wanted(api)
    for name in COLLECTIONS:
        yield f"{name}.json"
        yield from (f"{name}/{number + 1}.json" for number in range(last_page(len(api.data(name))) or 1))
        if name in LISTED:
            yield f"{name}/index.json"
            yield from (f"{name}/{item['slug']}/index.json" for item in api.data(name))
    yield from lookups.wanted(api)
    yield from history.paths(api)
    for image in api.data("images"):
        yield from (f"badge/{image['slug']}/{name}.json" for name in badges.OF_IMAGE)
        if image["versions"]:
            yield f"security/{image['slug']}.json"
        yield from (f"security/{image['slug']}/{entry['version']}.json" for entry in image["versions"])
