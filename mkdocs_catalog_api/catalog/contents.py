"""Contents: the packages of a release, from the lists of its scans and from its SBOMs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from msgspec import Struct

from .package_urls import Package, Purl, package, plain_version, written_name

_QUALIFIERS = ("arch", "distro", "epoch", "upstream")
"""Those that scanners need to find a package's vulnerabilities."""
_WITH_EPOCH = frozenset({"deb", "rpm"})


class PackageVersion(Struct, frozen=True, gc=False):
    """One version of a package. All releases that have it share the object."""

    package: Package
    name: str
    """Full name, as the list spells it."""
    version: str
    """With the epoch of a deb or an rpm, `1:1.0.2k-16.el7`; empty if it is not known."""
    purl: str
    """Package URL with the qualifiers that scanners need; empty if it is not known."""
    source: str
    """Source package, as `openssl` of `libssl3`; empty if it has the same name or is not known."""
    source_version: str
    """Empty if it is the same or not known."""
    licenses: tuple[str, ...]
    """SPDX expressions or names as given, sorted."""
    key: tuple[Package, str, str]
    """Package, version and architecture: the same for what several lists of a release write differently."""


@lru_cache(maxsize=65_536)
def package_version(
    purl: str,
    name: str,
    version: str,
    source: str = "",
    source_version: str = "",
    licenses: tuple[str, ...] = (),
) -> PackageVersion:
    """A package as a list has it. What its package URL says comes first; name and version may be shortened.

    `upstream` of the URL is the source package: `openssl`, `openssl@3.5.4`, `openssl-3.5.4-1.el9.src.rpm`.
    """
    parsed, qualifiers = Purl.parse(purl), dict[str, str]()
    if parsed:
        qualifiers = {key: value for key, value in sorted(parsed.qualifiers) if key in _QUALIFIERS and value}
        version = parsed.version or version
        upstream, epoch = qualifiers.pop("upstream", ""), qualifiers.get("epoch", "0")
        if upstream and not source:
            source, source_version = _upstream(upstream)
        if parsed.package.type in _WITH_EPOCH and epoch != "0" and ":" not in version:
            version = f"{epoch}:{version}"
            source_version = source_version and f"{epoch}:{source_version.removeprefix(f'{epoch}:')}"
    identity = package(purl if parsed else "", name)
    if source in (identity.name, identity.full_name):
        source = ""
    if not source or source_version == version:
        source_version = ""
    if source:
        qualifiers["upstream"] = _written_upstream(identity.type, source, source_version, version)
    return PackageVersion(
        identity,
        written_name(purl if parsed else "", name),
        version,
        _url(parsed, qualifiers) if parsed else "",
        source,
        source_version,
        licenses,
        (identity, plain_version(version), qualifiers.get("arch", "")),
    )


def _written_upstream(type_: str, source: str, source_version: str, version: str) -> str:
    """The source package as scanners read it: of an rpm the name of its file, `openssl-3.0.7-1.el9.src.rpm`.

    `source_version` is empty if it is the package's own `version`.
    """
    if type_ == "rpm" and (source_version or version):
        return f"{source}-{(source_version or version).rpartition(':')[2]}.src.rpm"
    return f"{source}@{source_version}" if source_version else source


def _upstream(text: str) -> tuple[str, str]:
    """Name and version of a source package."""
    if text.endswith(".src.rpm"):
        name, _, release = text.removesuffix(".src.rpm").rpartition("-")
        name, _, version = name.rpartition("-")
        return name, f"{version}-{release}"
    name, _, version = text.partition("@")
    return name, version


def _url(parsed: Purl, qualifiers: dict[str, str]) -> str:
    path = [parsed.package.type, *parsed.namespace.split("/"), parsed.name]
    url = "pkg:" + "/".join(quote(part, safe="") for part in path if part)
    if parsed.version:
        url += f"@{quote(parsed.version, safe=':')}"
    pairs = "&".join(f"{key}={quote(value, safe='')}" for key, value in qualifiers.items())
    return f"{url}?{pairs}" if pairs else url


class System(NamedTuple):
    """An operating system in an image."""

    name: str
    version: str


SYSTEM_TYPES = frozenset({"alpm", "apk", "deb", "rpm"})
"""Types of package URL of an operating system's packages."""


class PackageList(Struct, frozen=True, gc=False):
    """The packages that one report or SBOM lists, each once, in its order."""

    packages: tuple[PackageVersion, ...]
    systems: tuple[System, ...] = ()
    """Those that are named."""
    lacks: bool = False
    """Whether its file shows that packages are missing in it."""

    @classmethod
    def of(
        cls,
        packages: Iterable[PackageVersion],
        systems: Iterable[System] = (),
        *,
        lacks: bool = False,
        is_complete: bool = False,
    ) -> PackageList | None:
        """Return the list; None without a package, from which nothing is known, unless the file says that it
        `is_complete`. One that names a system without a package of it lacks some, and so does one that
        `lacks` some by what its file says.
        """
        listed = _once(packages)
        named = tuple(system for system in systems if system.name)
        if not listed and not is_complete:
            return None
        of_system = any(entry.package.type in SYSTEM_TYPES for entry in listed)
        return cls(listed, named, lacks or bool(named and not of_system))


class Contents(Struct, frozen=True):
    """The packages of a release, as far as they are known."""

    packages: tuple[PackageVersion, ...]
    complete: bool
    """Whether each part has a list of all kinds of packages."""
    systems: tuple[System, ...] = ()


def united(lists: Sequence[PackageList], *, complete: bool) -> Contents | None:
    if not lists:
        return None
    systems = tuple(sorted({system for each in lists for system in each.systems}))
    if len(lists) == 1:
        return Contents(lists[0].packages, complete, systems)
    return Contents(_once(entry for each in lists for entry in each.packages), complete, systems)


def _once(packages: Iterable[PackageVersion]) -> tuple[PackageVersion, ...]:
    """Of those that are the same, the first one with licenses."""
    chosen: dict[object, PackageVersion] = {}
    for entry in packages:
        if not chosen.setdefault(entry.key, entry).licenses:
            chosen[entry.key] = entry
    return tuple(chosen.values())
