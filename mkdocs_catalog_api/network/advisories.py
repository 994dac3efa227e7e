"""Downloads CISA's list of known exploited vulnerabilities (KEV), and release cycles from endoflife.date.

The data of endoflife.date is under the MIT license.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from ..authored.pages import RawItem
from ..authored.settings import KEV
from ..problems import Level, Problem
from ..problems.codes import Code
from ..sources.advisories import read_kev
from ..sources.cycles import FOLDER, MOST, decode_cycles, encode_cycles
from .client import Client, NoAnswerError
from .output import Output

CISA = "https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json"
ENDOFLIFE = "https://endoflife.date/api/v1/products"
"""API v1: https://endoflife.date/docs/api/v1/."""
_SHRUNK = 0.9
"""A list with less than this share of the earlier entries is treated as incomplete."""
_LATER = "run the command again later"


def download_kev(client: Client, output: Output, address: str) -> None:
    """Download the list. The existing file is kept if the response is not usable.

    Raises:
        OSError: the file can't be read or written.
    """
    earlier = output.earlier(KEV)
    if earlier is None:
        return
    kept = "the earlier file is kept; " if earlier else ""
    level, hint, before = Level.ERROR, _LATER, None
    try:
        answer = client.ask(address, errors=())
        list_ = read_kev(answer.body)
        with suppress(ValueError, RecursionError):
            before = read_kev(earlier)
    except NoAnswerError as error:
        output.fail(error, Problem(KEV, 0, 0, "", str(error), kept + _LATER, code=Code.NOT_FETCHED))
        return
    except (ValueError, RecursionError) as error:
        message = f"{address}: invalid response: {error}"
        output.problems.add(Problem(KEV, 0, 0, "", message, kept + hint, code=Code.NOT_FETCHED))
        return
    if before and list_.released < before.released:
        message, level = f"{address} has an older file, of {list_.released}", Level.WARNING
    elif before and len(list_.added) < _SHRUNK * len(before.added):
        message = (
            f"{address} has {len(list_.added):,} entries, but the earlier file has {len(before.added):,}"
        )
        hint = "if this is correct, delete the file and run the command again"
    else:
        output.write(KEV, earlier, answer.body)
        return
    output.problems.add(Problem(KEV, 0, 0, "", message, kept + hint, level, code=Code.NOT_FETCHED))


def download_cycles(
    client: Client, output: Output, products: Mapping[str, Sequence[RawItem]], base: str
) -> None:
    """Download the cycles of each product. An existing file is kept if the response is not usable.

    `products` has the items with each product.

    Raises:
        OSError: a file can't be read or written.
    """
    for product, raws in sorted(products.items()):
        name, address = f"{FOLDER}/{product}.json", f"{base.rstrip('/')}/{product}/"
        earlier = output.earlier(name)
        if earlier is None:
            continue
        try:
            answer = client.ask(address, size=MOST)
            if answer.status == 404:
                message = f"{address}: unknown product {product!r} (404)"
                hint = (
                    "use the last part of its URL, such as postgresql for https://endoflife.date/postgresql"
                )
                output.problems.extend(
                    raw.problem(("product",), message, hint, code=Code.NOT_FETCHED) for raw in raws
                )
                continue
            body = _kept_part(answer.body, product, address)
        except NoAnswerError as error:
            hint = ("the earlier file is kept; " if earlier else "") + _LATER
            output.fail(error, Problem(name, 0, 0, "", str(error), hint, code=Code.NOT_FETCHED))
            continue
        output.write(name, earlier, body)


def _kept_part(body: bytes, product: str, address: str) -> bytes:
    """Return the part of a response that is saved.

    Raises:
        NoAnswerError: it is invalid, or belongs to another product.
    """
    try:
        cycles = decode_cycles(body)
    except (ValueError, RecursionError) as error:
        raise NoAnswerError(f"{address}: invalid response: {error}") from None
    if product not in (cycles.result.name, *cycles.result.aliases):
        raise NoAnswerError(f"{address}: invalid response: it belongs to {cycles.result.name!r:.100}")
    return encode_cycles(cycles)
