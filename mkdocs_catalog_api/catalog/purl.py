"""Package URLs: `pkg:type/namespace/name@version?qualifiers#subpath`."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote

# Types whose namespace is the distribution; of the others it is a part of the package's name.
_DISTRIBUTIONS = {"alpm", "apk", "deb", "rpm"}


class Purl(NamedTuple):
    """A package, its parts percent-decoded and normalised, https://github.com/package-url/purl-spec."""

    type: str
    namespace: str
    name: str
    version: str
    qualifiers: frozenset[tuple[str, str]] = frozenset()
    subpath: str = ""

    @classmethod
    def parse(cls, text: str) -> Purl | None:
        """None when the text is no package URL."""
        return _parse(text) if text[:4].lower() == "pkg:" else None

    def covers(self, other: Purl) -> bool:
        """Whether this names the other package or, by leaving out version, qualifiers or subpath, a wider
        set.

        The rule of the OpenVEX project's own tool, https://github.com/openvex/go-vex.
        """
        return (
            self[:3] == other[:3]
            and self.version in ("", other.version)
            and self.qualifiers <= other.qualifiers
            and self.subpath in ("", other.subpath)
        )

    @property
    def spellings(self) -> tuple[str, ...]:
        """What scanners call the package."""
        if not self.namespace or self.type in _DISTRIBUTIONS:
            return (self.name,)
        return f"{self.namespace}/{self.name}", f"{self.namespace}:{self.name}"


def normalised(type_: str, name: str) -> str:
    """A package's name as package URLs of the type write it."""
    return name.lower().replace("_", "-") if type_ == "pypi" else name


# The same packages are named by one finding after another.
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
    if not kind or not name:
        return None
    kind = kind.lower()
    qualifiers = frozenset((key.lower(), value) for key, value in parse_qsl(query.replace("+", "%2B")))
    package = normalised(kind, unquote(name))
    return Purl(kind, unquote(namespace), package, version, qualifiers, unquote(subpath).strip("/"))
