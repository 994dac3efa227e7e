"""Support for hosts of static sites: header files and limits on the number of files.

A static host sends open CORS and a cache lifetime only if a file at the root of the site sets them. No rule
sets the media type: every host sends `application/json` for `.json`, and a rule for the path would also
label its 404 page as JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ..authored.folders import name_of
from ..authored.settings import HostName
from ..authored.site import Site
from ..catalog.addresses import PREFIX
from ..documents.discovery import ManifestEntry
from ..problems import Level, Problem, Problems
from ..problems.codes import Code

_CORS = "Access-Control-Allow-Origin"
HEADERS: Mapping[str, str] = {
    _CORS: "*",
    "Cache-Control": "public, max-age=3600",
}
_FILES: Mapping[HostName, str] = {
    "netlify": "_headers",
    "cloudflare": "_headers",
    "vercel": "vercel.json",
    "apache": ".htaccess",
}
_BEGIN, _END = "# BEGIN mkdocs-catalog-api", "# END mkdocs-catalog-api"
_VERCEL = [{"key": name, "value": value} for name, value in HEADERS.items()]
_PLAIN_MOUNT = re.compile(r"[A-Za-z0-9._~/-]*")
_MOST = 20_000
# developers.cloudflare.com/pages/platform/limits, docs.gitlab.com/user/gitlab_com (GitLab Pages),
# docs.github.com/pages/getting-started-with-github-pages/github-pages-limits
_TAKEN = "Cloudflare Pages accepts 20,000 files (paid 100,000), GitLab Pages 200,000, GitHub Pages 1 GB"


class HeaderFile(Struct, frozen=True):
    """The header file of one host for a site at one mount path."""

    host: HostName
    mount: str

    @property
    def name(self) -> str:
        """Its name at the root of the site."""
        return _FILES[self.host]

    def body(self) -> bytes:
        """The whole file as written by a build."""
        if self.host == "vercel":
            rules = [{"source": f"{path}(.*)", "headers": _VERCEL} for path in self._paths]
            return _vercel_json(rules)
        lines = [f"{_BEGIN}: written by the build", *self._lines(), _END]
        return "".join(f"{line}\n" for line in lines).encode()

    def author_has_one(self, site: Site) -> bool:
        """Whether docs_dir has a file of this name, or the site has one not written by a build."""
        target = site.site_dir / self.name
        return (site.docs_dir / self.name).exists() or (target.exists() and not _is_ours(target))

    def check(self, site: Site) -> Iterator[Problem]:
        """An error if the host has no rule for the address; a note if the author has a file of this name."""
        # MkDocs copies the author's file from docs_dir; without MkDocs it is already in the site.
        folder = site.docs_dir if (site.docs_dir / self.name).exists() else site.site_dir
        name = name_of(folder / self.name, site.root) or self.name
        if not _PLAIN_MOUNT.fullmatch(self.mount):
            message = f"the path of site_url, {self.mount!r}, can't be written as a rule of {self.host}"
            hint = "choose a plain path, or set the headers at the host yourself"
            yield Problem(name, 0, 0, "", message, hint, code=Code.HEADER_FILE)
        elif self.author_has_one(site):
            message = "this file of yours is never changed, so add the headers of the API to it"
            hint = "copy the lines from Header files in the guide; then remove `headers`"
            yield Problem(name, 0, 0, "", message, hint, Level.INFO, code=Code.HEADER_FILE)

    @property
    def _paths(self) -> Sequence[str]:
        """The path of the API on the host: a site with a path is published in a folder of that name, or
        behind a proxy that removes the name.
        """
        return list(dict.fromkeys((f"{self.mount}/{PREFIX}/", f"/{PREFIX}/")))

    def _lines(self) -> list[str]:
        if self.host == "apache":
            return _apache(self._paths)
        lines = []
        for path in self._paths:
            lines.append(f"{path}*")
            for name, value in HEADERS.items():
                if self.host == "cloudflare":  # this host joins the values of all matching rules
                    lines.append(f"  ! {name}")
                lines.append(f"  {name}: {value}")
        return lines


def _apache(paths: Sequence[str]) -> list[str]:
    """Rules in an `<If>`, which Apache applies after the rest of the file; CORS also on errors.

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
    return [*lines, "  </If>", "</IfModule>"]


def _is_ours(file: Path) -> bool:
    """Whether a build wrote this file, perhaps for another address."""
    if not file.is_file():
        return False
    data = file.read_bytes()
    if data.startswith(_BEGIN.encode()):
        return data.rstrip().endswith(_END.encode())
    try:
        rules = json.loads(data)["headers"]
        return data == _vercel_json(rules) and all(rule["headers"] == _VERCEL for rule in rules)
    except (ValueError, RecursionError, TypeError, KeyError):
        return False


def _vercel_json(rules: Sequence[object]) -> bytes:
    return json.dumps({"headers": rules}, indent=2).encode() + b"\n"


def note_number(written: Collection[ManifestEntry], site: Site, problems: Problems) -> None:
    """Note that some hosts don't accept so many files: the documents, and the site's other files."""
    files = len(written) + site.other_files
    if files > _MOST:
        size = sum(document.bytes for document in written) / 1e6
        message = f"the site has {files:,} files, with {len(written):,} documents of {size:,.0f} MB: {_TAKEN}"
        hint = "leave out unused lookups, as in `lookups: [renovate]`"
        problems.add(site.config.problem(("lookups",), message, hint, Level.INFO, code=Code.HEADER_FILE))
