"""Package URLs: `pkg:type/namespace/name@version?qualifiers#subpath`."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote


class Purl(NamedTuple):
    """A package, its parts percent-decoded and normalised, https://github.com/package-url/purl-spec."""

    type: str
    namespace: str
    name: str
    version: str
    qualifiers: dict[str, str]

    @classmethod
    def parse(cls, text: str) -> Purl | None:
        """None when the text is no package URL."""
        return _parse(text) if text[:4].lower() == "pkg:" else None

    def covers(self, other: Purl) -> bool:
        """Whether this names the other package or, by leaving out version or qualifiers, a wider set.

        The rule of the OpenVEX project's own tool, https://github.com/openvex/go-vex.
        """
        return (
            self[:3] == other[:3]
            and self.version in ("", other.version)
            and self.qualifiers.items() <= other.qualifiers.items()
        )


# The same packages are named by one finding after another.
@lru_cache(maxsize=65_536)
def _parse(text: str) -> Purl | None:
    rest, _, query = text[4:].partition("#")[0].partition("?")
    kind, _, path = rest.lstrip("/").partition("/")
    path = path.strip("/")
    # A version may follow the last part only: `@` also begins the namespaces of npm.
    at = path.find("@", path.rfind("/") + 2)
    name = path if at < 0 else path[:at]
    version = "" if at < 0 else unquote(path[at + 1 :])
    namespace, _, name = name.rpartition("/")
    if not kind or not name:
        return None
    kind, name = kind.lower(), unquote(name)
    if kind == "pypi":
        name = name.lower().replace("_", "-")
    qualifiers = {key.lower(): value for key, value in parse_qsl(query.replace("+", "%2B"))}
    return Purl(kind, unquote(namespace), name, version, qualifiers)
