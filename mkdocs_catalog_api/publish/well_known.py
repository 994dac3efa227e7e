"""`.well-known/vex-repository.json`: where scanners find the author's statements.

Its format is that of the VEX Repository Specification v0.1 (https://github.com/aquasecurity/vex-repo-spec).
"""

from __future__ import annotations

from urllib.parse import urlsplit

import msgspec

from ..authored.site import Site
from ..catalog.addresses import GENERATOR
from ..problems import Problems
from ..problems.codes import Code
from .site_files import OwnFiles

VEX_REPOSITORY = ".well-known/vex-repository.json"
FILES = OwnFiles(
    called="{path}",
    places=(VEX_REPOSITORY,),
    marks=(f'"generator":"{GENERATOR}"'.encode(),),
    unless="publish_vex: false",
)
_PREVIEW = ("127.0.0.1", "localhost", "::1")


def vex_repository(title: str, archive: str) -> dict[str, bytes]:
    """Path in the site → the file that leads to the archive at the address `archive`."""
    version = {
        "spec_version": "0.1",
        "locations": [{"url": archive}],
        "update_interval": "24h",
        "repository_specific": {"generator": GENERATOR},
    }
    description = f"What {title} says about vulnerabilities in its images"
    body = {"name": title, "description": description, "versions": [version]}
    return {VEX_REPOSITORY: msgspec.json.encode(body) + b"\n"}


def check(site: Site, problems: Problems) -> None:
    """Add a problem unless the site has an https address, and for an author's file in the way."""
    address = urlsplit(site.site_url or "")
    # `mkdocs serve` has an address of its own, and nobody's scanner looks there.
    if address.scheme != "https" and address.hostname not in _PREVIEW:
        message = f"scanners take statements from https only, and site_url is {site.site_url or 'not set'}"
        hint = "set an https `site_url`, or remove `publish_vex`"
        problems.add(site.config.problem(("security", "publish_vex"), message, hint, code=Code.SITE_URL))
    FILES.check([VEX_REPOSITORY], site, problems)
