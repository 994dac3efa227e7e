"""A second reading of the published contract, made by someone who only has the files.

`openapi.json` beside this file is the frozen shape: the description of a catalog that publishes every kind of
document, and has no fields of its own. `python -m tests.refresh` freezes it anew; its diff is reviewed.
What a schema can't say, such as sums, order and links, is written again in the other modules. Nothing here
imports mkdocs_catalog_api, so that a slip in the program cannot hide behind the same slip in its test.
"""

from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from types import MappingProxyType

from tests.contract import badges, history, inventory, items, lookups, schemas, security, texts, vex
from tests.contract.api import Api


def check(
    site: Path,
    base: str,
    custom: Mapping[str, Sequence[str]] | None = None,
    gone: Mapping[str, Set[str]] = MappingProxyType({}),
    files: Mapping[str, bytes] | None = None,
) -> list[str]:
    """What the API below `site`/api/v1 breaks of the contract, in words; an empty list when it holds.

    `base` is the mount path ("" or "/catalog"). `custom` lists a collection's own fields in their order.
    `gone` has the labels of items ("images/nginx") that their registry no longer has: they are never advised
    as an update. `files` are checked in the place of those in the folder.

    Each violation reads "document JSON-path: what is wrong". While a document is missing or has another
    shape or a broken text, only that is reported: what documents say of each other can't be judged yet.
    """
    api = Api(site, base, files)
    api.gone = gone
    if not api.violations:
        schemas.check(api, custom or {})
    if not api.violations:
        inventory.check(api)
        texts.check(api)
    if not api.violations:
        items.check(api)
        security.check(api)
        lookups.check(api)
        badges.check(api)
        vex.check(api)
        history.check(api)
    return api.violations
