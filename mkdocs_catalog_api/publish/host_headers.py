"""Header files of static hosts: each host in its own words, beside what the author wrote there.

A static host sends open CORS and a cache lifetime only when a file at the root of the site says so. The type
of a document is not forced by path: every host sends `application/json` for `.json`, and a rule for the path
would also label its 404 page as JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ..authored.folders import name_of, read_file
from ..authored.settings import HostName
from ..catalog.addresses import PREFIX
from ..problems import CatalogError, Problem, Problems, reason
from ..problems.codes import Code

_CORS = "Access-Control-Allow-Origin"
HEADERS: Mapping[str, str] = {
    _CORS: "*",
    "Cache-Control": "public, max-age=3600",
}
_BEGIN, _END = "# BEGIN mkdocs-catalog-api", "# END mkdocs-catalog-api"
_BLOCK = re.compile(rf"^{_BEGIN}\b.*?^{_END}\b[^\n]*\n?", re.MULTILINE | re.DOTALL)
_PLAIN_MOUNT = re.compile(r"[A-Za-z0-9._~/-]*")
_CLOUDFLARE_RULES = 100  # https://developers.cloudflare.com/pages/configuration/headers/


class _MergeError(Exception):
    """Our rules can't be added to the author's text: why, how to mend it, and where."""

    def __init__(self, message: str, hint: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message, self.hint, self.line, self.column = message, hint, line, column


class _Host(Struct, frozen=True):
    file: str
    """Its name at the root of the site."""
    merge: Callable[[str, Sequence[str]], str]
    """The author's text and the paths of the API → the whole text."""


def _headers_file(own: str, paths: Sequence[str]) -> str:
    rules = ([f"{path}*", *(f"  {name}: {value}" for name, value in HEADERS.items())] for path in paths)
    return _with_block(own, (line for rule in rules for line in rule))


def _cloudflare(own: str, paths: Sequence[str]) -> str:
    """Cloudflare joins the values of all rules that match, so those of other rules are taken out first."""
    values = [line for name, value in HEADERS.items() for line in (f"  ! {name}", f"  {name}: {value}")]
    text = _with_block(own, (line for path in paths for line in (f"{path}*", *values)))
    rules = sum(line.lstrip().startswith(("/", "https://")) for line in text.splitlines())
    if rules > _CLOUDFLARE_RULES:
        message = f"with ours the file has {rules} rules, and Cloudflare reads the first {_CLOUDFLARE_RULES}"
        raise _MergeError(message, "join some of your rules with placeholders or splats")
    return text


def _apache(own: str, paths: Sequence[str]) -> str:
    """In an `<If>`, which Apache applies after everything else of the file; CORS also on errors.

    mod_headers keeps the headers of successes and those of all responses apart and sends both.
    """
    pattern = "|".join(map(re.escape, paths))
    lines = [
        "<IfModule mod_headers.c>",
        rf'  <If "%{{REQUEST_URI}} =~ m#^(?:{pattern}).+\.json$#">',
    ]
    for name, value in HEADERS.items():
        table, other = ("always ", "") if name == _CORS else ("", "always ")
        lines += [f"    Header {other}unset {name}", f'    Header {table}set {name} "{value}"']
    return _with_block(own, [*lines, "  </If>", "</IfModule>"])


def _vercel(own: str, paths: Sequence[str]) -> str:
    """The last of several values counts, so ours stand last (https://vercel.com/docs/project-configuration)."""
    try:
        own.encode()  # fails on what stands for bytes that are not UTF-8
        config = json.loads(own or "{}", object_pairs_hook=_no_key_twice)
    except json.JSONDecodeError as error:
        raise _MergeError(f"not JSON: {error.msg}", "correct it", error.lineno, error.colno) from None
    except (ValueError, RecursionError) as error:
        raise _MergeError(f"not JSON that can be merged: {error}", "correct it") from None
    if not isinstance(config, dict) or not isinstance(config.get("headers", []), list):
        raise _MergeError("`headers` is not a list in an object", "write it as Vercel documents it")
    if "routes" in config:
        raise _MergeError(
            "beside `routes` Vercel does not apply `headers`", "write the routes as rewrites and redirects"
        )
    values = [{"key": name, "value": value} for name, value in HEADERS.items()]
    ours = [{"source": f"{path}(.*)", "headers": values} for path in paths]
    config["headers"] = [rule for rule in config.get("headers", []) if rule not in ours] + ours
    return json.dumps(config, indent=2) + "\n"


def _no_key_twice(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice in one object")
        found[key] = value
    return found


def _with_block(own: str, lines: Iterable[str]) -> str:
    """The author's text with our block after it, in place of the block of an earlier build."""
    own = _BLOCK.sub("", own)
    for number, line in enumerate(own.splitlines(), 1):
        if line.startswith((_BEGIN, _END)):
            message = "the block of mkdocs-catalog-api has lost its first or its last line"
            raise _MergeError(message, "remove what is left of it; the build writes it anew", number, 1)
    block = "\n".join([f"{_BEGIN}: written by the build, your own rules stay as they are", *lines, _END])
    own = own.rstrip()
    return f"{own}\n\n{block}\n" if own else f"{block}\n"


_HOSTS: Mapping[HostName, _Host] = {
    "netlify": _Host("_headers", _headers_file),
    "cloudflare": _Host("_headers", _cloudflare),
    "vercel": _Host("vercel.json", _vercel),
    "apache": _Host(".htaccess", _apache),
}


class HeaderFile(Struct, frozen=True):
    """The header file of one host for a site at one mount path."""

    host: HostName
    mount: str

    @property
    def name(self) -> str:
        """Its name at the root of the site."""
        return _HOSTS[self.host].file

    def merged(self, folder: Path, root: Path) -> bytes:
        """The whole file: the author's own in `folder`, if there is one, and our rules after it.

        `root` is the folder of mkdocs.yml, which problems name files by.

        Raises:
            CatalogError: it can't be done without harm to the author's rules.
        """
        own = folder / self.name
        name = name_of(own, root) or self.name
        try:
            text = read_file(own).decode("utf-8", "surrogateescape") if own.exists() else ""
            return _HOSTS[self.host].merge(text, self._paths()).encode("utf-8", "surrogateescape")
        except _MergeError as why:
            problem = Problem(name, why.line, why.column, "", why.message, why.hint, code=Code.HEADER_FILE)
        except OSError as error:
            message = f"can't be read: {reason(error)}"
            hint = "put a text file there"
            problem = Problem(name, 0, 0, "", message, hint, code=Code.HEADER_FILE)
        problems = Problems()
        problems.add(problem)
        raise CatalogError(problems)

    def _paths(self) -> Sequence[str]:
        """The API as the host sees it: a site below a path is published in a folder of that name, or behind
        a proxy that takes the name away.
        """
        if not _PLAIN_MOUNT.fullmatch(self.mount):
            message = f"the path of site_url, {self.mount!r}, can't be written as a rule of {self.host}"
            raise _MergeError(message, "choose a plain path, or set the headers at the host yourself")
        return list(dict.fromkeys((f"{self.mount}/{PREFIX}/", f"/{PREFIX}/")))
