"""The names of packages that are spelled in several ways: of each package the first by code point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .contents import PackageVersion
from .package_urls import WITH_SPELLINGS, Package, written_name
from .value import Image
from .vulnerabilities import Vulnerability


def spellings(rows: Iterable[Vulnerability], images: Iterable[Image]) -> Mapping[Package, str]:
    """The full names of the packages in these rows and in the contents of these images.

    Without those that are spelled as they are compared.
    """
    names: dict[Package, str] = {}
    for row in rows:
        if row.package.type in WITH_SPELLINGS:
            _see(names, row.package, written_name(row.purl, row.pkg))
    # All releases with a package share one object of its version.
    listed: dict[int, PackageVersion] = {}
    for contents in (release.contents for image in images for release in image.releases):
        if contents:
            listed.update((id(entry), entry) for entry in contents.packages)
    for entry in listed.values():
        if entry.package.type in WITH_SPELLINGS:
            _see(names, entry.package, entry.name)
    return {package: name for package, name in names.items() if name != package.full_name}


def _see(names: dict[Package, str], package: Package, name: str) -> None:
    names[package] = min(name, names.get(package, name))
