"""Downloads CISA's list of known exploited vulnerabilities (KEV), and release cycles from endoflife.date.

The data of endoflife.date is under the MIT license.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from ..authored.front_matter import RawItem
from ..authored.settings import KEV
from ..problems import Problem
from ..problems.codes import Code
from ..problems.decoding import decoding_reason
from ..sources.advisories import CYCLES_FOLDER, CYCLES_SIZE, decode_cycles, encode_cycles, read_kev
from .client import Client, NoAnswerError
from .output import Output

CISA = "https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json"
ENDOFLIFE = "https://endoflife.date/api/v1/products"
"""API v1: https://endoflife.date/docs/api/v1/."""

_SHRUNK = 0.9
"""Of the earlier entries. CISA rarely removes one, so a list with fewer is likely to be incomplete."""


def download_kev(client: Client, output: Output, address: str) -> None:
    """Download the list. The existing file is kept if the response is not usable, or lost many entries.

    Raises `OSError` if the file can't be read or written.
    """

    def kept(body: bytes, earlier: bytes) -> bytes:
        found, known = len(read_kev(body)), 0
        with suppress(ValueError, RecursionError):
            known = len(read_kev(earlier))
        if found < known * _SHRUNK:
            raise ValueError(f"it has {found:,} entries, the earlier file {known:,}")
        return body

    _download(client, output, KEV, address, kept)


def download_cycles(
    client: Client, output: Output, products: Mapping[str, Sequence[RawItem]], base: str
) -> None:
    """Download the cycles of each product. An existing file is kept if the response is not usable.

    `products` has the items with each product. Raises `OSError` if a file can't be read or written.
    """
    for product, raws in sorted(products.items()):

        def kept(body: bytes, _: bytes, product: str = product) -> bytes:
            cycles = decode_cycles(body)
            if product not in (cycles.result.name, *cycles.result.aliases):
                raise ValueError(f"it belongs to {cycles.result.name!r:.100}")
            return encode_cycles(cycles)

        name, address = f"{CYCLES_FOLDER}/{product}.json", f"{base.rstrip('/')}/{product}/"
        message = f"{address}: unknown product {product!r} (404)"
        hint = "use the last part of its URL, such as postgresql for https://endoflife.date/postgresql"
        unknown = [raw.problem(("product",), message, hint, code=Code.NOT_FETCHED) for raw in raws]
        _download(client, output, name, address, kept, CYCLES_SIZE, unknown)


def _download(
    client: Client,
    output: Output,
    name: str,
    address: str,
    kept: Callable[[bytes, bytes], bytes],
    size: int | None = None,
    unknown: Sequence[Problem] = (),
) -> None:
    """Save the part of a response that is `kept`, which raises a ValueError if it is invalid.

    `kept` gets the response, and the earlier file or b"".
    `unknown` are the problems for a response with status 404.
    """
    earlier = output.earlier(name)
    if earlier is None:
        return
    try:
        answer = client.ask(address, size=size, errors=(404,) if unknown else ())
        if answer.status == 404:
            output.problems.extend(unknown)
            return
        try:
            body = kept(answer.body, earlier)
        except (ValueError, RecursionError) as error:
            raise NoAnswerError(f"{address}: invalid response: {decoding_reason(error)}") from None
    except NoAnswerError as error:
        hint = ("the earlier file is kept; " if earlier else "") + "run the command again later"
        output.fail(error, Problem(name, 0, 0, "", str(error), hint, code=Code.NOT_FETCHED))
    else:
        output.write(name, earlier, body)
