"""What of a VEX statement can be told to others exactly, whatever image it is told of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

from .purl import Purl
from .statements import Product, Statement
from .vex_products import NotUnderstood, PartMeaning, ProductMeaning, part_meaning, product_meaning
from .vex_subject import ImagePattern


class Meant(NamedTuple):
    """What can be told of one product of a statement; nothing of it depends on the image."""

    images: tuple[ImagePattern, ...]
    """Without their platforms, none when the product is a package wherever it is."""
    platform: dict[str, str]
    parts: tuple[str, ...]


def meanings(statement: Statement) -> Iterator[Meant]:
    """The products that can be told, and wider than they are where the statement does not suppress."""
    for product in statement.products:
        meaning = product_meaning(product.component)
        if isinstance(meaning, NotUnderstood):
            continue
        # The platform goes into the package URL: the scan of one platform may be of a digest of several.
        images = tuple(pattern._replace(os="", architecture="", platform="") for pattern in meaning.images)
        platform = _platform(meaning.images)
        parts = _parts(product, meaning, suppresses=statement.suppresses)
        if not statement.suppresses or not (platform is None or parts is None):
            yield Meant(images, platform or {}, parts or ())


def _platform(images: tuple[ImagePattern, ...]) -> dict[str, str] | None:
    """The qualifiers `arch` and `os`; None when they can't say what is meant."""
    found: dict[str, set[str]] = {"arch": set(), "os": set()}
    for pattern in images:
        system, architecture, variant, *_ = (*pattern.platform.split("/"), "", "", "")
        if variant:
            return None
        found["arch"] |= {pattern.architecture, architecture} - {""}
        found["os"] |= {pattern.os, system} - {""}
    if any(len(values) > 1 for values in found.values()):
        return None
    return {key: value for key, values in found.items() for value in values}


def _parts(product: Product, meaning: ProductMeaning, *, suppresses: bool) -> tuple[str, ...] | None:
    """The packages that are meant, none for all of the image; None when they can't be said."""
    if meaning.packages:
        if product.parts:
            return None
        one = _narrowest(meaning.packages)
        unsaid = suppresses and any(purl.subpath for purl in meaning.packages)  # others leave it aside
        return (one,) if one and not unsaid else None
    if not product.parts:
        return ()
    found: dict[str, None] = {}
    for part in product.parts:
        means = part_meaning(part)
        if not isinstance(means, PartMeaning):
            continue
        if not means.purls:
            found[means.name] = None
        elif suppresses:
            if not any(purl.subpath for purl in means.purls):  # others leave it aside
                found |= dict.fromkeys(filter(None, [_narrowest(means.purls)]))
        else:
            found |= dict.fromkeys(map(_written, means.purls))
    return tuple(found) or None


def _narrowest(purls: tuple[Purl, ...]) -> str | None:
    """The one that all others cover, None when there is none."""
    return next((_written(one) for one in purls if all(other.covers(one) for other in purls)), None)


def _written(purl: Purl) -> str:
    path = "/".join(quote(part, safe="") for part in (*purl.namespace.split("/"), purl.name) if part)
    version = f"@{quote(purl.version, safe='')}" if purl.version else ""
    query = "&".join(f"{key}={quote(value, safe='')}" for key, value in sorted(purl.qualifiers))
    subpath = f"#{quote(purl.subpath)}" if purl.subpath else ""
    return f"pkg:{purl.type}/{path}{version}{'?' if query else ''}{query}{subpath}"
