"""The check of words finds each habit in each kind of file, and nothing in code."""

from pathlib import Path

import pytest

from . import words


@pytest.mark.parametrize("rule", words.RULES, ids=lambda rule: rule.name)
def test_each_rule_finds_its_bad_example(
    rule: words.Rule, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Title\n\n{rule.bad}\n", "utf-8")
    assert words.main([str(page)]) == 1
    assert f"{page}:3: {rule.name}: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.md", "One.\n\nThe page\ntells more.\n", 4),
        ("a.html", "<p>\n{{ value }} tells more</p>\n", 2),
        ("a.html", '<p title="x"\n aria-label="it tells more">\n', 2),
        ("a.html", "{# It tells more. #}\n", 1),
        ("a.js", "const x = 1; // it tells more\n", 1),
        ("a.js", "\nf(`${x} tells more`)\n", 2),
        ("a.css", "a { b: c }\n/* It tells more. */\n", 2),
        ("a.py", 'def f():\n    """First.\n\n    It tells more.\n    """\n', 4),
        ("a.py", "x = 1  # it tells more\n", 1),
        ("a.py", 'x = f"{x} tells more"\n', 1),
        ("a.py", 'x = (\n    "This is "\n    "no word."\n)\n', 2),
    ],
)
def test_prose_is_read_in_every_kind_of_file(name: str, text: str, line: int) -> None:
    assert [hit.line for hit in words.hits_in(Path(name), text)] == [line]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "A command:\n\n```sh\ntell\n```\n\nand `tell`, [this](tell).\n"),
        ("a.html", '<p class="tell me">{{ tell }}{% if tell %}\n'),
        ("a.js", "tell(); const tell = 'tell'\n"),
        ("a.css", "tell { said: told }\n"),
        (
            "a.py",
            'def tell(said="told"):\n    """Run `tell`."""\n    re.compile(r"of; tell")\n    f"{tell} x"\n',
        ),
    ],
)
def test_code_is_not_prose(name: str, text: str) -> None:
    assert [*words.hits_in(Path(name), text)] == []


def test_a_paragraph_of_the_guide_has_at_most_sixty_words() -> None:
    long = "word " * 61
    text = f"# {long}\n\n| {long} |\n\n{'word ' * 60}\n\n- {long}\n- word\n"
    assert [(hit.line, hit.rule) for hit in words.hits_in(Path("guide/a.md"), text)] == [
        (7, "long paragraph")
    ]
    assert [*words.hits_in(Path("elsewhere/a.md"), text)] == []


def test_clean_text_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "page.md").write_text("The build reports errors. It stops.\n", "utf-8")
    assert words.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == ""
