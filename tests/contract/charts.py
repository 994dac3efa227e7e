"""What items pin, and the sums over it."""

from tests.contract import lookups
from tests.contract.api import PINNING, SEVERITIES, Api, Json
from tests.contract.security import Release, Releases, figures, shown
from tests.contract.texts import normal


def check(api: Api, releases: Releases) -> None:
    for name in PINNING:
        for position, item in enumerate(api.data(name)):
            where = f"$.data[{position}]"
            for number, pin in enumerate(item["images"]):
                _pin(api, f"{name}.json", f"{where}.images[{number}]", pin)
            pins = _pins(api, [item])
            _security(api, f"{name}.json", f"{where}.security", item["security"], pins, releases)


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
        address = f"digests/{digest.replace(':', '/')}.json"
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


def _worst(release: Release) -> tuple[Json, ...]:
    """What is pinned under several names counts as the one of which statements take out least."""
    found = figures([release])
    return (*(found[severity] for severity in SEVERITIES), release.missing)


def _pins(api: Api, charts: list[Json]) -> dict[Json, list[Json]]:
    """What the charts pin: digest (its release's, by tag), else reference → slug and version of each name."""
    versions: dict[Json, str | None] = {}
    for image in api.data("images"):
        versions |= {(image["slug"], entry["version"]): entry["digest"] for entry in image["versions"]}
    parts = {
        manifest["digest"]
        for image in api.data("images")
        for entry in image["versions"]
        for manifest in (entry["manifests"] if len(entry["manifests"]) > 1 else ())
    }
    pins: dict[Json, list[Json]] = {}
    for pin in (pin for chart in charts for pin in chart["images"]):
        # The rows of a manifest alone are published nowhere, nor those of a former digest.
        hidden = pin["digest"] in parts or _is_former(api, pin)
        release = (pin["slug"], None if hidden else pin["version"])
        pins.setdefault(pin["digest"] or versions.get(release) or normal(pin["image"]), []).append(release)
    return pins


def _known(pins: dict[Json, list[Json]], releases: Releases) -> list[Release]:
    """The scanned releases among them."""
    scanned = [[releases[release] for release in names if release in releases] for names in pins.values()]
    return [max(found, key=_worst) for found in scanned if found]


def _outside(pins: dict[Json, list[Json]]) -> int:
    """How many are not releases of the catalog: nothing that was found in them is published."""
    return sum(all(version is None for _, version in names) for names in pins.values())


def _security(
    api: Api, path: str, where: str, security: Json, pins: dict[Json, list[Json]], releases: Releases
) -> None:
    known = _known(pins, releases)
    hidden = security["pinsScanned"] - len(known)
    if not 0 <= hidden <= _outside(pins):
        api.blame(path, f"{where}.pinsScanned", f"is {security['pinsScanned']}, not {len(known)}")
    wanted: Json = figures(known)
    if hidden == 0 and len(known) < len(pins) and known:
        wanted |= {"grade": None, "score": None}
    wanted = shown(wanted)
    if hidden > 0:
        least = {name: wanted[name] or 0 for name in (*SEVERITIES, "total", "fixable", "suppressed")}
        for name in (name for name in least if (security[name] or 0) < least[name]):
            api.blame(path, f"{where}.{name}", f"is {security[name]}, less than of the known pins")
        wanted = {name: security[name] for name in ("grade", "score", "exploited")}
        wanted["total"] = sum(security[name] or 0 for name in SEVERITIES)
        wanted["total"] = wanted["total"] or (0 if security["grade"] else None)
        if security["grade"] and None in [security[name] for name in least]:
            api.blame(path, where, "has a grade, but null for what was found")
    wanted["scanned"] = bool(pins) and security["pinsScanned"] == len(pins)
    if not wanted["scanned"]:
        wanted |= {"grade": None, "score": None}
    if security["complete"] and not (wanted["scanned"] and all(pins)):
        api.blame(path, f"{where}.complete", "is true, but a pin has no scan")
    api.holds(path, where, security, pins=len(pins), version=None, href=None, **wanted)
