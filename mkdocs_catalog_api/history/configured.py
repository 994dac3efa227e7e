"""The folder of a history: where the settings say that it is, and what it must not be."""

from __future__ import annotations

from ..authored.folders import leads_out, project_of
from ..authored.settings import DEFAULT_HISTORY, Settings
from ..authored.site import Site
from ..problems import Problems
from ..problems.codes import Code
from .days import Folder


def history_folder(site: Site, settings: Settings, problems: Problems, *, to_write: bool) -> Folder | None:
    """The folder that is set, or the default one; None when it is not there, unless it is wanted `to_write`.

    Adds a problem when it is in docs_dir, behind a link out of the project, or set and missing.
    """
    label = settings.history or DEFAULT_HISTORY
    path = site.root / label
    if not (to_write or settings.history or path.exists()):
        return None
    if path.resolve().is_relative_to(site.docs_dir.resolve()):
        message, hint = "the folder lies in docs_dir, so MkDocs would publish it", "put it beside mkdocs.yml"
    elif leads_out(path.parent, project_of(site.root, path.parent)):
        message = f"a link above the folder {label!r} leads out of the project and is not followed"
        hint = "put what it leads to into the project"
    elif to_write or path.exists():
        return Folder(path, label)
    else:
        message, hint = f"the folder {label!r} is missing", "begin it with `catalog-api record`"
    problems.add(site.config.problem(("history",), message, hint, code=Code.MISSING_PATH))
    return None
