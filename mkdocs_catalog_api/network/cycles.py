"""Downloads the release cycles of products from endoflife.date. Its data is under the MIT license."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..authored.folders import not_writable, write_whole
from ..authored.pages import RawItem
from ..authored.site import Site
from ..problems import Problem, Problems
from ..problems.codes import Code
from ..sources.cycles import FOLDER, MOST, ProductCycles, decode_cycles, encode_cycles
from .client import Client, NoAnswerError

ENDOFLIFE = "https://endoflife.date/api/v1/products"
"""API v1: https://endoflife.date/docs/api/v1/."""


def download_cycles(
    client: Client,
    base: str,
    products: Mapping[str, Sequence[RawItem]],
    site: Site,
    problems: Problems,
    counts: Counter[str],
) -> None:
    """Download the cycles of each product. An existing file is kept if the response is not usable.

    `products` has the items with each product. `counts` gets the numbers of files `fetched` and
    `unchanged`.

    Raises:
        OSError: a file can't be written.
    """
    for product, raws in sorted(products.items()):
        name = f"{FOLDER}/{product}.json"
        file = site.root / name
        if fault := not_writable(file, name, [site.root]):
            problems.add(fault)
            continue
        address = f"{base}/{product}/"
        try:
            answer = client.ask(address, size=MOST, elsewhere=True)
            if answer.status == 404:
                problems.extend(_unknown(product, address, raws))
                continue
            cycles = _usable(answer.body, product)
        except NoAnswerError as error:
            problems.add(Problem(name, 0, 0, "", str(error), _kept(file.exists()), code=Code.NOT_FETCHED))
            continue
        except ValueError as error:
            message = f"{address}: invalid response: {error}"
            problems.add(Problem(name, 0, 0, "", message, _kept(file.exists()), code=Code.NOT_FETCHED))
            continue
        if file.exists() and _same(file.read_bytes(), cycles):
            counts["unchanged"] += 1
        else:
            write_whole(file, encode_cycles(cycles))
            counts["fetched"] += 1


def _kept(exists: bool) -> str:
    return (
        "the earlier file is kept; run the command again later" if exists else "run the command again later"
    )


def _unknown(product: str, address: str, raws: Iterable[RawItem]) -> Iterable[Problem]:
    message = f"{address}: unknown product {product!r} (404)"
    hint = "use the last part of its URL, such as postgresql for https://endoflife.date/postgresql"
    return [raw.problem(("product",), message, hint, code=Code.NOT_FETCHED) for raw in raws]


def _usable(body: bytes, product: str) -> ProductCycles:
    """Decode a response. Raises ValueError if it is invalid, or belongs to another product."""
    cycles = decode_cycles(body)
    if product not in (cycles.result.name, *cycles.result.aliases):
        raise ValueError(f"it belongs to the product {cycles.result.name!r:.100}")
    return cycles


def _same(earlier: bytes, cycles: ProductCycles) -> bool:
    try:
        return encode_cycles(decode_cycles(earlier)) == encode_cycles(cycles)
    except ValueError:
        return False
