"""Packages. A package is the type, namespace and name of its package URL; without a URL, its name."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, unquote

DISTRIBUTIONS = frozenset({"apk", "deb", "rpm"})
"""Types whose namespace is a distribution (`rpm/oracle`, `rpm/ol`), which scanners write differently: it is
not a part of the package's identity."""
_IN_NAMES = {"composer": "/", "golang": "/", "maven": ":", "npm": "/", "swift": "/"}
"""Type → the character that ends a namespace in the names that scanners print."""
_PREFIX = re.compile("^(?:v|go|0:)(?=[0-9])")


class Package(NamedTuple):
    """The identity of a package."""

    type: str
    """Of its package URL, in lower case; empty without one."""
    namespace: str
    """Empty for a distribution's package."""
    name: str

    @property
    def full_name(self) -> str:
        """With the namespace: `@babel/core`, `org.apache.logging.log4j:log4j-core`."""
        separator = _IN_NAMES.get(self.type, "/")
        return f"{self.namespace}{separator}{self.name}" if self.namespace else self.name

    def __str__(self) -> str:
        """As in files of recorded days: `pkg:golang/stdlib`; without a package URL, its name."""
        return f"pkg:{'/'.join(filter(None, self))}" if self.type else self.name


class Purl(NamedTuple):
    """A package URL, its parts percent-decoded and normalized, https://github.com/package-url/purl-spec."""

    package: Package
    version: str
    qualifiers: frozenset[tuple[str, str]] = frozenset()
    subpath: str = ""
    namespace: str = ""
    """As written, with the distribution."""

    @classmethod
    def parse(cls, text: str) -> Purl | None:
        """Return None if the text is not a package URL."""
        return _parse(text) if text[:4].lower() == "pkg:" else None

    def covers(self, other: Purl) -> bool:
        """Whether this names the other package or, by leaving out version, qualifiers or subpath, a wider
        set.

        The rule of the OpenVEX project's own tool, https://github.com/openvex/go-vex.
        """
        return (
            self.package == other.package
            and (not self.version or plain_version(self.version) == plain_version(other.version))
            and self.qualifiers <= other.qualifiers
            and self.subpath in ("", other.subpath)
        )


# Many findings have the same package.
@lru_cache(maxsize=65_536)
def _parse(text: str) -> Purl | None:
    body, _, subpath = text[4:].partition("#")
    rest, _, query = body.partition("?")
    kind, _, path = rest.lstrip("/").partition("/")
    path = path.strip("/")
    # A version may follow the last part only: `@` also begins the namespaces of npm.
    at = path.find("@", path.rfind("/") + 2)
    name = path if at < 0 else path[:at]
    version = "" if at < 0 else unquote(path[at + 1 :])
    namespace, _, name = name.rpartition("/")
    kind, namespace, name = kind.lower(), unquote(namespace), unquote(name)
    if not kind or not name or not f"{kind}{namespace}{name}{version}".isprintable():
        return None
    if kind == "pypi":
        name = name.lower().replace("_", "-")
    pairs = parse_qsl(query.replace("+", "%2B")) if query else ()
    qualifiers = frozenset((key.lower(), value) for key, value in pairs)
    package = Package(kind, "" if kind in DISTRIBUTIONS else namespace, name)
    return Purl(package, version, qualifiers, unquote(subpath).strip("/"), namespace)


@lru_cache(maxsize=65_536)
def package(purl: str, name: str) -> Package:
    """The package with this URL, or with this name if it has no URL."""
    parsed = Purl.parse(purl)
    return parsed.package if parsed else Package("", "", name)


@lru_cache(maxsize=65_536)
def plain_version(version: str) -> str:
    """The version without a leading `v`, `go` or epoch `0:`, which scanners write or leave out."""
    return _PREFIX.sub("", version, count=1)


@lru_cache(maxsize=65_536)
def package_url(type_: str, namespace: str, name: str, version: str) -> str:
    """The package URL of a package in the words of a scanner; "" without a type or a name.

    `namespace` is the distribution; for other types, the name has the namespace.
    """
    if not (type_ and name):
        return ""
    if type_ == "golang" and name.startswith((".", "/")):
        return ""  # `./staging/src/k8s.io/api` is a folder
    if separator := _IN_NAMES.get(type_):
        namespace, _, name = name.rpartition(separator)
    path = "/".join(quote(part, safe="") for part in (type_, *namespace.split("/"), name) if part)
    return f"pkg:{path}@{quote(version, safe=':')}" if version else f"pkg:{path}"


@lru_cache(maxsize=65_536)
def bare_url(purl: str) -> str:
    """The package URL without qualifiers and subpath; "" for text that is not a package URL."""
    return purl.partition("#")[0].partition("?")[0] if Purl.parse(purl) else ""
