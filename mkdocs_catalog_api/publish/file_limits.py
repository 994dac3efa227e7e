"""How many files hosts of static sites take."""

from __future__ import annotations

from collections.abc import Collection

from ..authored.config_file import ConfigFile
from ..documents.discovery import ManifestEntry
from ..problems import Level, Problems
from ..problems.codes import Code

_MOST = 20_000
# developers.cloudflare.com/pages/platform/limits, docs.gitlab.com/user/gitlab_com (GitLab Pages),
# docs.github.com/pages/getting-started-with-github-pages/github-pages-limits
_TAKEN = "Cloudflare Pages takes 20,000 files (paid 100,000), GitLab Pages 200,000, GitHub Pages 1 GB"


def note_number(written: Collection[ManifestEntry], config: ConfigFile, problems: Problems) -> None:
    """Note that some hosts won't take so many documents."""
    if len(written) > _MOST:
        size = sum(document.bytes for document in written) / 1e6
        message = f"the API has {len(written):,} documents of {size:,.0f} MB in all: {_TAKEN}"
        hint = "leave out lookups that nobody needs, as in `lookups: [renovate]`"
        problems.add(config.problem(("lookups",), message, hint, Level.INFO, code=Code.MANY_DOCUMENTS))
