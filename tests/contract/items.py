"""The fields of the items of each collection, in their order."""

from tests.contract import kinds as k
from tests.contract.kinds import Kind, listing, maybe, one_of, record
from tests.contract.records import GRADED, LIFECYCLE, MAYBE_COUNTERS

COMMON: dict[str, Kind] = {
    "slug": k.SLUG,
    "name": k.FILLED,
    "description": maybe(k.TEXT),
    "category": k.TEXT,
    "categories": listing(k.TEXT),
    "tier": k.TEXT,
    "license": k.TEXT,
    "lifecycle": LIFECYCLE,
}


def images(link: Kind, page: Kind) -> dict[str, Kind]:
    version = {
        "version": k.LABEL,
        "digest": maybe(k.DIGEST),
        "digests": listing(k.DIGEST),
        "released": maybe(k.DATE),
        "endOfLife": maybe(k.DATE),
        "size": maybe(k.COUNT),
        "tags": listing(k.LABEL),
        "platforms": listing(k.PLATFORM),
        "sbom": maybe(k.WEB),
        "provenance": maybe(k.WEB),
        "href": link,
    }
    security = {
        "scanned": k.BOOL,
        "version": maybe(k.LABEL),
        **MAYBE_COUNTERS,
        "total": maybe(k.COUNT),
        "fixable": maybe(k.COUNT),
        "suppressed": maybe(k.COUNT),
        **GRADED,
        "href": maybe(link),
    }
    return COMMON | {
        "image": k.REPOSITORY,
        "base": maybe(k.FILLED),
        "platforms": listing(k.PLATFORM),
        "signature": maybe(k.FILLED),
        "homepage": maybe(k.WEB),
        "source": maybe(k.WEB),
        "versions": listing(record(version, anywhere={"digests"})),
        "latest": maybe(k.LABEL),
        "url": page,
        "href": link,
        "security": record(security),
    }


def charts(link: Kind, page: Kind) -> dict[str, Kind]:
    version = {
        "version": k.SEMVER,
        "appVersion": maybe(k.FILLED),
        "digest": maybe(k.DIGEST),
        "released": maybe(k.DATE),
    }
    pin = {
        "name": k.FILLED,
        "image": k.REFERENCE,
        "digest": maybe(k.DIGEST),
        "slug": maybe(k.SLUG),
        "version": maybe(k.LABEL),
        "href": maybe(link),
    }
    security = {
        "scanned": k.BOOL,
        **MAYBE_COUNTERS,
        "total": maybe(k.COUNT),
        "fixable": maybe(k.COUNT),
        "suppressed": maybe(k.COUNT),
        **GRADED,
        "pins": k.COUNT,
        "pinsScanned": k.COUNT,
    }
    return COMMON | {
        "chart": maybe(k.FILLED),
        "appVersion": maybe(k.FILLED),
        "signature": maybe(k.FILLED),
        "homepage": maybe(k.WEB),
        "source": maybe(k.WEB),
        "hub": maybe(k.WEB),
        "versions": listing(record(version)),
        "latest": maybe(k.SEMVER),
        "images": listing(record(pin)),
        "url": page,
        "href": link,
        "security": record(security),
    }


def roadmap(link: Kind, page: Kind) -> dict[str, Kind]:
    return {
        "slug": k.SLUG,
        "name": k.FILLED,
        "description": maybe(k.TEXT),
        "category": k.TEXT,
        "categories": listing(k.TEXT),
        "tier": maybe(k.TEXT),
        "license": maybe(k.TEXT),
        "homepage": maybe(k.WEB),
        "priority": maybe(k.either(k.TEXT, k.COUNT)),
        "blocked": k.BOOL,
        "blockedReason": maybe(k.TEXT),
        "url": maybe(page),
        "href": link,
    }


def updates(link: Kind, _: Kind) -> dict[str, Kind]:
    return {
        "application": k.FILLED,
        "from": maybe(k.FILLED),
        "to": k.FILLED,
        "outcome": one_of("shipped", "held", "skipped"),
        "checked": maybe(k.either(k.DATE, k.TIME)),
        "note": maybe(k.TEXT),
        "href": maybe(link),
    }


FIELDS = {"images": images, "charts": charts, "roadmap": roadmap, "updates": updates}
