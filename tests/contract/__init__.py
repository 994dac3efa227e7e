"""A second reading of the published contract, made by someone who only has the files.

Nothing here imports mkdocs_catalog_api: every rule is written again from the contract, so that a slip in the
program cannot hide behind the same slip in its test.
"""

from collections.abc import Mapping, Sequence, Set
from pathlib import Path

from tests.contract import badges, charts, images, inventory, openapi, pages, security
from tests.contract.api import Api
from tests.contract.documents import Shapes


def check(
    site: Path,
    base: str,
    custom: Mapping[str, Sequence[str]] | None = None,
    named_latest: Set[str] = frozenset(),
) -> list[str]:
    """What the API below `site`/api/v1 breaks of the contract, in words; an empty list when it holds.

    `base` is the mount path ("" or "/catalog"). `custom` lists a collection's own fields in their order.
    `named_latest` holds the items ("images/nginx") whose page names its newest version itself, which then
    may stand first against the version order.

    Each violation reads "document JSON-path: what is wrong". A document that is missing, or whose fields have
    the wrong types, is reported alone: what other documents say of it can only be judged once it is mended.
    """
    api = Api(site, base)
    shapes = Shapes(api, custom or {})
    sound = [shapes.holds(path) for path in sorted(api.files) if api.well_formed(path)]
    if len(sound) < len(api.files) or not all(sound) or not inventory.complete(api):
        return api.violations
    inventory.check(api)
    releases = security.check(api)
    for name in ("images", "charts", "roadmap", "updates"):
        pages.check(api, name)
    images.check(api, releases, named_latest)
    charts.check(api, releases, named_latest)
    badges.check(api)
    openapi.check(api)
    return api.violations
