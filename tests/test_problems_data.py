"""What is wrong in data files is told like what is wrong on pages, with the position in the list."""

from __future__ import annotations

import pytest

from .authors import configure, told
from .sites import SiteFolder

SLUG = "1 to 100 lower-case letters and digits, with single . or _, __ or hyphens only between them"
LIST = "write a list, one `- ` entry for each item"

WRONG = {
    "not a list": ("images.yml", "a: b\n", f"1:1: expected a list, got keys and values ({LIST})"),
    "a text": ("images.yml", "abc\n", f"1:1: expected a list, got 'abc' ({LIST})"),
    "not UTF-8": ("images.yml", b"- name: \xff\n", " the file is not UTF-8 (save it as UTF-8)"),
    "an entry that is a text": (
        "images.yml",
        "- nginx\n",
        "1:3: [0]: expected keys and values, got 'nginx' (write `key: value` for each)",
    ),
    "two documents": ("images.yml", "- a: b\n---\n", "2:1: a second document begins here (remove the line)"),
    "no name": ("roadmap.yml", "- category: a\n", "1:3: [0].name: required, but not given (add `name: …`)"),
    "a name that makes no slug": (
        "roadmap.yml",
        "- {name: '!!', category: a}\n",
        f"1:3: [0].slug: '!!' is not a slug: {SLUG} (add `slug: …`)",
    ),
    "computed": (
        "roadmap.yml",
        "- {name: A, category: a, href: b}\n",
        "1:26: [0].href: `href` is computed (remove it)",
    ),
    "bool": (
        "roadmap.yml",
        "- {name: A, category: a, blocked: maybe}\n",
        "1:26: [0].blocked: 'maybe' is neither true nor false (write true or false)",
    ),
    "outcome": (
        "updates.yml",
        "- {app: a, to: 1, status: done}\n",
        "1:19: [0].status: 'done' is not shipped, held or skipped",
    ),
    "one key in two spellings": (
        "updates.yml",
        "- {app: a, name: b, to: 1, status: held}\n",
        "1:3: [0]: `application` is given twice, once as `name` (keep one of them)",
    ),
    "misspelt": (
        "updates.yml",
        "- {aplication: a, to: 1, outcome: held}\n",
        "1:4: [0].aplication: unknown field (perhaps you mean 'application')",
    ),
    "the same twice": (
        "updates.yml",
        "- {app: a, to: 1, outcome: held}\n- {app: a, to: 1, outcome: shipped}\n",
        "2:3: [1]: the update of 'a' to '1' stands here twice (keep one of them)",
    ),
}


@pytest.mark.parametrize("strict", [False, True], ids=["", "strict"])
@pytest.mark.parametrize(("file", "text", "said"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_entry_is_named_alone(
    site: SiteFolder, file: str, text: str | bytes, said: str, strict: bool
) -> None:
    configure(site)
    site.write(file, text)
    assert told(site, strict=strict) == (True, [f"{file}:{said}"])


def test_a_page_of_updates_without_the_list(site: SiteFolder) -> None:
    configure(site, "updates: {data: docs/updates.md}")
    site.write("docs/updates.md", "---\nupdate: []\n---\n")
    said = "docs/updates.md:1:1: updates: no list `updates` in the front matter"
    assert told(site) == (True, [f"{said} ({LIST})"])


def test_json_is_read_as_programs_write_it(site: SiteFolder) -> None:
    site.settings["roadmap"] = {"data": "roadmap.json"}
    name = '"\\ud83d\\ude80 \\\\ud83d C:\\\\x \\/"'
    site.write("roadmap.json", f'[\n\t{{"name": {name}, "slug": "a", "category": "b", "blocked": true}}\n]\n')
    result = site.build(strict=True)
    assert not result.failed, result.logged()
    item = result.json("roadmap/a/index.json")["data"]
    assert (item["name"], item["blocked"]) == ("🚀 \\ud83d C:\\x /", True)
