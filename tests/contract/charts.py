"""What items pin. The oracle has the sums over it."""

from tests.contract import lookups
from tests.contract.api import PINNING, Api, Json
from tests.contract.texts import normal


def check(api: Api) -> None:
    for name in PINNING:
        for position, item in enumerate(api.data(name)):
            for number, pin in enumerate(item["images"]):
                _pin(api, f"{name}.json", f"$.data[{position}].images[{number}]", pin)


def _pin(api: Api, path: str, where: str, pin: Json) -> None:
    """A digest decides alone, of several labels the newest; without one repository and tag do."""
    digest, (repository, tag) = pin["digest"], normal(pin["image"])
    if "@" in pin["image"]:
        api.expect(path, f"{where}.digest", digest, pin["image"].partition("@")[2])
    homes: dict[str, str | None] = {}
    owners: dict[str | None, None] = {None: None}
    for image in api.data("images"):
        owned = normal(image["image"])[0] == repository
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
    return any(digits in each["digests"] for each in found[pin["slug"]]) if pin["slug"] in found else True
