"""What makes it doubtful that a report is of the release that only its path says it is of."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from .releases import Key, Releases
from .scans import Scan

_ARCHIVES = (".tar", ".tgz", ".tar.gz", ".oci")
_ACCEPTABLE = {"filesystem", "repository", "vm", "cyclonedx", "spdx", "directory", "file"}


def mismatches(
    scan: Scan, key: Key, releases: Releases, accept: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Message and hint of each thing that the report itself says otherwise than its path."""
    entry, own = releases.entries[key], releases.repositories[key.slug]
    if scan.kind and scan.kind not in accept:
        hint = "scan the image instead"
        if scan.kind in _ACCEPTABLE:
            hint += f", or say `accept: [{scan.kind}]` under `security`"
        yield f"it is no scan of an image, but of something that the scanner calls {scan.kind}", hint
    if scan.digests and entry.digests:
        message = f"the digest that was scanned, {min(scan.digests)}, is not on the page of {key.slug!r}"
        yield message, f"scan {key} again or add the digest to the page"
    names = {name for name, _ in scan.names if not name.endswith(_ARCHIVES)}
    if own and names and own not in names:
        mirrors = {name for name in names if _last(name) == _last(own)}
        if not mirrors:
            message = f"the report is of {', '.join(sorted(names))}, but its path says {key.slug}"
            yield message, f"move it away or scan {own} again"
        elif "reference" not in accept:
            message = f"the report is of {', '.join(sorted(mirrors))}, and not of {own}"
            yield message, f"scan {own}, or say `accept: [reference]` under `security` if it is a mirror"
    tags = {tag for repository, tag in scan.names if tag and repository == own}
    if tags and tags.isdisjoint((entry.version, *entry.tags)):
        message = f"the report is of the tag {', '.join(sorted(tags))}, but its path says {key.version}"
        yield message, "rename the file or scan the release again"


def _last(repository: str) -> str:
    """The last part of a repository's path."""
    return repository.rpartition("/")[2]
