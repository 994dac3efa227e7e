"""Packages. A package is the type, namespace and name of its package URL; without a URL, its name.

Some types have several spellings of one name, which are compared as one: see `WITH_SPELLINGS`.
"""

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
_WITHOUT_CASE = frozenset({"bitbucket", "composer", "github", "golang", "npm", "nuget"})
WITH_SPELLINGS = _WITHOUT_CASE | {"pypi"}
"""Types with several spellings of one name: in any case, or as PEP 503 has them, `ruamel.yaml` and
`ruamel-yaml`."""
_BETWEEN_WORDS = re.compile("[-_.]+")
_TYPE = re.compile("[a-z][a-z0-9.+-]*")
_QUALIFIER = re.compile("[a-z][a-z0-9._-]*")


class Package(NamedTuple):
    """The identity of a package."""

    type: str
    """Of its package URL, in lower case; empty without one."""
    namespace: str
    """Empty for a distribution's package."""
    name: str

    @classmethod
    def of(cls, type_: str, namespace: str, name: str) -> Package:
        """The package with this name, in whatever spelling."""
        if type_ in DISTRIBUTIONS:
            return cls(type_, "", name)
        if type_ == "pypi":
            return cls(type_, namespace, plain_name(name))
        if type_ in _WITHOUT_CASE:
            return cls(type_, namespace.lower(), name.lower())
        return cls(type_, namespace, name)

    @property
    def full_name(self) -> str:
        """With the namespace: `@babel/core`, `org.apache.logging.log4j:log4j-core`."""
        separator = _IN_NAMES.get(self.type, "/")
        return f"{self.namespace}{separator}{self.name}" if self.namespace else self.name

    def may_be(self, other: Package) -> bool:
        """Whether they are one package, as far as is known: without a URL it may be any of its name."""
        if self.type and other.type:
            return self == other
        return plain_name(self.full_name) == plain_name(other.full_name)

    def __str__(self) -> str:
        """As in files of recorded days: `pkg:golang/stdlib`; without a package URL, its name."""
        return f"pkg:{'/'.join(filter(None, self))}" if self.type else self.name


def plain_name(name: str) -> str:
    """A name as PEP 503 compares it, https://peps.python.org/pep-0503/#normalized-names."""
    return _BETWEEN_WORDS.sub("-", name).lower()


class Purl(NamedTuple):
    """A package URL, its parts percent-decoded and normalized, https://github.com/package-url/purl-spec."""

    package: Package
    version: str
    qualifiers: frozenset[tuple[str, str]] = frozenset()
    subpath: str = ""
    namespace: str = ""
    """As written, with the distribution."""
    name: str = ""
    """As written."""

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
    at = path.find("@", path.rfind("/") + 1)
    version = "" if at < 0 else unquote(path[at + 1 :])
    # Some programs write a slash in a name with its percent sign: `golang.org%2Fx%2Fnet`.
    full_name = unquote(path if at < 0 else path[:at])
    namespace, _, name = full_name.rpartition("/")
    kind = kind.lower()
    if not _TYPE.fullmatch(kind) or not name or not f"{full_name}{version}".isprintable():
        return None
    pairs = parse_qsl(query.replace("+", "%2B")) if query else ()
    qualifiers = frozenset((key.lower(), value) for key, value in pairs)
    if not all(_QUALIFIER.fullmatch(key) for key, _ in qualifiers):
        return None
    package = Package.of(kind, namespace, name)
    return Purl(package, version, qualifiers, unquote(subpath).strip("/"), namespace, name)


@lru_cache(maxsize=65_536)
def package(purl: str, name: str) -> Package:
    """The package with this URL, or with this name if it has no URL."""
    parsed = Purl.parse(purl)
    return parsed.package if parsed else Package("", "", name)


@lru_cache(maxsize=65_536)
def written_name(purl: str, name: str) -> str:
    """The full name of a package in the spelling of its URL, else its name."""
    parsed = Purl.parse(purl)
    if parsed is None:
        return name
    package = parsed.package
    if package.type not in WITH_SPELLINGS:
        return package.full_name
    return Package(package.type, parsed.namespace, parsed.name).full_name


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
