"""Files made from the code and kept in the repository: `python -m tests.refresh` writes what has changed."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from click.testing import CliRunner

import mkdocs_catalog_api
from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.documents.table import LOOKUP_NAMES
from mkdocs_catalog_api.problems.codes import Code
from mkdocs_catalog_api.sources.reports.formats import SCANNERS

from . import field_tables
from .authors import told
from .broken import catalogs
from .contract.schemas import FROZEN
from .editor_schemas import schemas
from .example import EXAMPLE
from .example_history import recorded
from .guide import GUIDE, PAGES, page
from .past import every_path
from .sites import SiteFolder

CODES, MESSAGES = (Path(__file__).with_name(name) for name in ("codes.txt", "messages.txt"))
_HELP = re.compile(r"(<!-- help: ([a-z-]+) -->\n).*?(<!-- /help -->)", re.DOTALL)
SCHEMAS = Path(mkdocs_catalog_api.__file__).parent / "schemas"


def editor_schemas() -> dict[Path, str]:
    """The schemas for editors in the package."""
    made = schemas(lookups=LOOKUP_NAMES, scanners=[*SCANNERS])
    return {
        SCHEMAS / name: json.dumps(schema, ensure_ascii=False, indent=2) + "\n"
        for name, schema in made.items()
    }


def guide() -> dict[Path, str]:
    """The guide with its tables of fields and settings, and what `--help` prints on 80 columns."""

    def help_text(found: re.Match[str]) -> str:
        run = CliRunner().invoke
        result = run(main, [found[2], "--help"], prog_name="catalog-api", terminal_width=80)
        assert result.exit_code == 0, result.output
        return f"{found[1]}\n```text\n{result.output}```\n\n{found[3]}"

    pages = {name: field_tables.refreshed(page(name)) for name in PAGES}
    return {GUIDE / f"{name}.md": _HELP.sub(help_text, text) for name, text in pages.items()}


def messages() -> dict[Path, str]:
    """Every problem of the broken catalogs as an author reads it, one a line: read the diff."""
    lines: list[str] = []
    for broken in catalogs():
        with tempfile.TemporaryDirectory() as folder:
            site = SiteFolder(Path(folder))
            broken.write(site)
            lines += told(site)[1]
    return {MESSAGES: "".join(f"{line}\n" for line in lines)}


def codes() -> dict[Path, str]:
    """Every code of problems that there ever was, and its name. A line is never removed or changed."""
    given = dict(line.split() for line in CODES.read_text("utf-8").splitlines())
    lines = sorted(({code.value: code.name for code in Code} | given).items())
    return {CODES: "".join(f"{code} {name}\n" for code, name in lines)}


def shape() -> dict[Path, str]:
    """The frozen shape of all documents. It changes only after an approved change: read its diff."""
    with tempfile.TemporaryDirectory() as folder:
        described = every_path(SiteFolder(Path(folder))).json("openapi.json")
    return {FROZEN: json.dumps(described, indent=1, ensure_ascii=False) + "\n"}


def history() -> dict[Path, str]:
    """The history of the example, as its pages, scans and statements have it.

    The last two days are recorded again, and all days if that changes them: in the last days shows whatever
    the sources have otherwise than the days before.
    """
    kept = {day.name: day.read_text("utf-8") for day in sorted((EXAMPLE / "history").iterdir())}
    try:
        made = recorded({name: kept[name] for name in [*kept][:-2]})
    except SystemExit:  # days of another form
        made = {}
    return {
        EXAMPLE / "history" / name: text for name, text in (made if made == kept else recorded({})).items()
    }


GENERATED: Mapping[str, Callable[[], dict[Path, str]]] = {
    "schemas": editor_schemas,
    "guide": guide,
    "messages": messages,
    "codes": codes,
    "contract": shape,
    "history": history,
}
"""What is generated, in order: name → the files as the code has them now."""


def stale(name: str) -> dict[Path, str]:
    """Those of the files that differ from the repository's."""
    return {
        path: text
        for path, text in GENERATED[name]().items()
        if not path.exists() or path.read_text("utf-8") != text
    }


if __name__ == "__main__":
    for name in GENERATED:
        for path, text in stale(name).items():
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote {path}")
