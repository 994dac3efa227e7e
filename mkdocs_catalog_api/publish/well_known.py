"""`.well-known/vex-repository.json`: where scanners find the author's statements.

Its format is that of the VEX Repository Specification v0.1 (https://github.com/aquasecurity/vex-repo-spec).
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from ..codes import Code
from ..problems import CatalogError, Level, Problem, Problems
from ..site import Site
from .earlier import GENERATOR
from .site_files import put, refuse_links, remove, says, source_of

VEX_REPOSITORY = ".well-known/vex-repository.json"
_OURS = f'"generator":"{GENERATOR}"'.encode()
_PREVIEW = ("127.0.0.1", "localhost", "::1")


def vex_repository(title: str, archive: str) -> bytes:
    """The file that leads to the archive at the address `archive`."""
    version = {
        "spec_version": "0.1",
        "locations": [{"url": archive}],
        "update_interval": "24h",
        "repository_specific": {"generator": GENERATOR},
    }
    description = f"What {title} says about vulnerabilities in its images"
    return msgspec.json.encode({"name": title, "description": description, "versions": [version]}) + b"\n"


def check(site: Site, problems: Problems) -> None:
    """Add a problem unless the site has an https address, and for an author's file in the way."""
    address = urlsplit(site.site_url or "")
    # `mkdocs serve` has an address of its own, and nobody's scanner looks there.
    if address.scheme != "https" and address.hostname not in _PREVIEW:
        message = f"scanners take statements from https only, and site_url is {site.site_url or 'not set'}"
        hint = "set an https `site_url`, or remove `publish_vex`"
        problems.add(site.config.problem(("security", "publish_vex"), message, hint, code=Code.SITE_URL))
    if file := source_of(site, VEX_REPOSITORY):
        problems.add(_in_the_way(file))


def publish(body: bytes, site_dir: Path, staging: Path) -> None:
    """Write the file into the site; without a `body`, remove one that an earlier build has written.

    Raises:
        CatalogError: a link, or a file that is not ours, stands there.
    """
    if not body:
        remove(site_dir, VEX_REPOSITORY, (_OURS,))
        return
    target, problems = site_dir / VEX_REPOSITORY, Problems()
    refuse_links(site_dir, VEX_REPOSITORY, problems)
    if target.exists() and not says(target, (_OURS,)):
        problems.add(_in_the_way(VEX_REPOSITORY))
    if list(problems):
        raise CatalogError(problems)
    put(site_dir, VEX_REPOSITORY, body, staging)


def _in_the_way(file: str) -> Problem:
    message = f"{VEX_REPOSITORY} would land on this file"
    return Problem(
        file, 0, 0, "", message, "move it, or set `publish_vex: false`", Level.ERROR, code=Code.IN_THE_WAY
    )
