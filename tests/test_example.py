"""The example site: it holds the contract, and what its own pages print is right."""

from __future__ import annotations

import re
import shlex

from .contract import check
from .example import EXAMPLE
from .sites import Result

CUSTOM = {"images": ["upstream", "port", "fips", "shell"]}


def test_it_holds_the_contract(example: Result) -> None:
    assert check(example.folder / "site", "/hardened", CUSTOM) == []


def test_its_home_page_verifies_an_image_as_the_page_of_the_image_does(example: Result) -> None:
    text = (EXAMPLE / "docs/index.md").read_text("utf-8")
    (command,) = re.findall(r"^(cosign verify .*?)^```$", text, re.DOTALL | re.MULTILINE)
    verify = example.json("images/nginx/index.json")["data"]["verify"]
    assert shlex.split(command.replace("\\\n", "")) == shlex.split(verify["command"])


def test_its_table_of_badges_explains_every_badge(example: Result) -> None:
    text = (EXAMPLE / "docs/badges.md").read_text("utf-8")
    names = [name for row in re.findall(r"^\| (`.+?) \|", text, re.MULTILINE) for name in row.split(", ")]
    assert sorted(names) == sorted(f"`{name}`" for name in example.json("index.json")["badges"])
