"""What the badges say, as far as the contract fixes it: the figures, not the wording around them."""

import re
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from tests.contract.api import Api, Flaw, Json
from tests.contract.inventory import FIXED_BADGES
from tests.contract.records import GRADES

GREYS = ("grey", "gray", "lightgrey", "lightgray", "inactive")
UNSCANNED = "not scanned"


def check(api: Api) -> None:
    for path in sorted(path for path in api.files if path.startswith("badge/")):
        badge = api.read(path)
        svg = badge.get("logoSvg", "")
        if "logoSvg" in badge and not (isinstance(svg, str) and svg.lstrip().startswith("<")):
            api.blame(path, "$.logoSvg", "is not an SVG image")
        # An author's own base, signature or hub may have no logo that anyone knows.
        if "namedLogo" not in badge and "logoSvg" not in badge and not _author(path):
            api.blame(path, "$", "carries no logo")
    # The contract does not say whether planned images are counted: all badges must agree on one reading.
    images = api.read("images.json")["data"]
    built = [image for image in images if image["lifecycle"] != "planned"]
    readings = [list(_catalog(api, counted)) for counted in (images, built)]
    for path, flaw in min(readings, key=len):
        api.blame(path, flaw.where, flaw.text)
    for image in images:
        _image(api, image)


def _author(path: str) -> bool:
    return path.count("/") == 1 and path[6:-5] not in FIXED_BADGES


def _message(api: Api, name: str) -> str:
    message = api.read(f"badge/{name}.json")["message"]
    assert isinstance(message, str)
    return message


def _numbers(message: str) -> list[int]:
    return [int(number.replace(",", "")) for number in re.findall(r"\d+(?:,\d{3})*", message)]


def grey(color: str) -> bool:
    """A shields.io name for grey, or three or six hex digits with hardly any colour in them."""
    digits = color.removeprefix("#")
    if re.fullmatch(r"[0-9a-fA-F]{3}|[0-9a-fA-F]{6}", digits):
        wide = digits if len(digits) == 6 else "".join(digit * 2 for digit in digits)
        channels = [int(wide[i : i + 2], 16) for i in (0, 2, 4)]
        return max(channels) - min(channels) <= 32
    return color.lower() in GREYS


def _catalog(api: Api, images: list[Json]) -> Iterator[tuple[str, Flaw]]:
    charts = api.read("charts.json")["data"]
    for name, total in (("images", len(images)), ("charts", len(charts))):
        if _numbers(_message(api, name))[:1] != [total]:
            yield _wrong(api, name, f"there are {total} {name}")
    yield from _cves(api, "cves", api.read("security.json")["total"] if _any_scanned(api) else None)
    yield from _multiarch(api, images)
    yield from _license(api, images, charts)
    yield from _shares(api, images, charts)


def _wrong(api: Api, name: str, fact: str) -> tuple[str, Flaw]:
    return f"badge/{name}.json", Flaw("$.message", f"is {_message(api, name)!r}, but {fact}")


def _any_scanned(api: Api) -> bool:
    return bool(api.read("security.json")["scanned"])


def _cves(api: Api, name: str, total: int | None) -> Iterator[tuple[str, Flaw]]:
    message = _message(api, name)
    if total is None:
        if message != UNSCANNED:
            yield _wrong(api, name, "nothing was scanned")
        if not grey(color := api.read(f"badge/{name}.json")["color"]):
            yield f"badge/{name}.json", Flaw("$.color", f"is {color}, not grey, though nothing was scanned")
    elif message == UNSCANNED or (_numbers(message)[:1] or [0]) != [total]:
        yield _wrong(api, name, f"{total} vulnerabilities are open")


def _multiarch(api: Api, images: list[Json]) -> Iterator[tuple[str, Flaw]]:
    """Each architecture that every image lists is named, and no other of the catalog."""
    listed = [{platform.split("/")[1] for platform in image["platforms"]} for image in images]
    common = set.intersection(*listed) if listed else set()
    message = _message(api, "multiarch")
    named = {
        arch for arch in set().union(*listed) if re.search(rf"(?<![\w]){re.escape(arch)}(?![\w])", message)
    }
    if named != common:
        yield _wrong(api, "multiarch", f"the architectures of every image are {sorted(common)}")


def _license(api: Api, images: list[Json], charts: list[Json]) -> Iterator[tuple[str, Flaw]]:
    """The contract does not say whose licences: those of the images, or of the charts too."""
    message = _message(api, "license")
    for items in (images, [*images, *charts]):
        distinct = sorted({item["license"] for item in items})
        if (
            not distinct
            or [message] == distinct
            or (len(distinct) > 1 and _numbers(message)[:1] == [len(distinct)])
        ):
            return
    yield _wrong(api, "license", f"the licences are {', '.join(distinct)}")


def _plain(value: str) -> str:
    """A value as a badge's name; whether dots become hyphens is not fixed, so here they do."""
    return re.sub("[^a-z0-9]+", "-", value.lower()).strip("-")


def _shares(api: Api, images: list[Json], charts: list[Json]) -> Iterator[tuple[str, Flaw]]:
    """One badge for each base, signature and hub that an item has, saying how many have it."""
    items = [*images, *charts]
    bases = _group(images, lambda item: _plain(item["base"] or ""))
    signatures = _group(items, lambda item: _plain(item["signature"] or ""))
    hosts = _group(charts, lambda item: urlsplit(item["hub"] or "").hostname or "")
    badges = {_plain(path[6:-5]): path[6:-5] for path in sorted(api.files) if _badge_of_author(path)}
    for value in {*bases, *signatures} - set(badges):
        yield f"badge/{value}.json", Flaw("$", "is missing, though an item has this base or signature")
    for host in hosts:
        if not any(_names(badge, host) for badge in badges):
            yield "badge", Flaw("$", f"has no badge for the hub {host}")
    for plain, name in badges.items():
        listed = sum(len(found) for host, found in hosts.items() if _names(plain, host))
        allowed = [
            (len(group[plain]), total)
            for group, total in ((bases, len(images)), (signatures, len(items)))
            if plain in group
        ] + ([(listed, None)] if listed else [])
        if not allowed:
            yield f"badge/{name}.json", Flaw("$", "is for a base, signature or hub that no item has")
        elif not any(_says(_message(api, name), name, count, total) for count, total in allowed):
            yield _wrong(
                api, name, " or ".join(f"{n} of {total or len(charts)} have it" for n, total in allowed)
            )


def _group(items: list[Json], value: Callable[[Json], str]) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = {}
    for item in items:
        if key := value(item):
            found.setdefault(key, []).append(item)
    return found


def _badge_of_author(path: str) -> bool:
    return path.startswith("badge/") and _author(path)


def _names(badge: str, host: str) -> bool:
    """The name of a host is a run of its labels: artifacthub for artifacthub.io, which one is not fixed."""
    labels = host.split(".")
    return any(
        "-".join(labels[i:j]) == badge for i in range(len(labels)) for j in range(i + 1, len(labels) + 1)
    )


def _says(message: str, name: str, count: int, total: int | None) -> bool:
    """A count, a count of a total ("2/3"), or a percentage, with the name itself aside ("debian12")."""
    words = re.sub("[^a-z0-9]+".join(map(re.escape, _plain(name).split("-"))), "", message.lower())
    numbers = _numbers(words)
    if total and "%" in words:
        return bool(numbers) and abs(numbers[0] - 100 * count / total) <= 1
    return numbers[:1] == [count] and (len(numbers) == 1 or numbers[1] == total)


def _image(api: Api, image: Json) -> None:
    slug, security = image["slug"], image["security"]
    total = security["total"] if security["scanned"] else None
    for path, flaw in _cves(api, f"{slug}/cves", total):
        api.blame(path, flaw.where, flaw.text)
    path = f"badge/{slug}/grade.json"
    badge = api.read(path)
    if not security["scanned"]:
        if badge["message"] != UNSCANNED or not grey(badge["color"]):
            api.blame(
                path, "$.message", f"is {badge['message']!r} in {badge['color']}, not {UNSCANNED!r} in grey"
            )
    elif badge["message"] == UNSCANNED or {badge["message"]} & set(GRADES) != {security["grade"]} - {None}:
        api.blame(path, "$.message", f"is {badge['message']!r}, while the grade is {security['grade']}")
    path = f"badge/{slug}/version.json"
    message = api.read(path)["message"]
    allowed = {image["latest"], f"v{image['latest']}"} if image["latest"] else {message}
    if not security["scanned"]:
        allowed.add(UNSCANNED)
    if message not in allowed:
        api.blame(path, "$.message", f"is {message!r}, while the newest version is {image['latest']}")
