"""`catalog-api explain`: what the code at the end of a message stands for."""

from __future__ import annotations

import click

from ..codes import Code

_CODES: dict[str, Code] = {code.value: code for code in Code}


def _known(_context: object, _option: object, written: tuple[str, ...]) -> list[Code]:
    """The codes, however they are written; as `[cat012]`, say."""
    found = [_CODES.get(word.strip("[]").upper()) for word in written]
    for word, code in zip(written, found, strict=True):
        if code is None:
            raise click.BadParameter(f"{word!r} is no code; `catalog-api explain` lists them all")
    return [code for code in found if code]


@click.command("explain", short_help="Tell what the code of a message means.")
@click.argument("codes", nargs=-1, callback=_known, metavar="[CODE]...")
def command(codes: list[Code]) -> None:
    """Tell what the CODE at the end of a message, such as CAT012, means; without one, list them all."""
    if not codes:
        for code in Code:
            click.echo(f"{code}  {code.topic}")
    for number, code in enumerate(codes):
        separator = "\n" if number else ""
        click.echo(f"{separator}{code}: {code.topic}\n\n{code.cause}\n\nWhat to do: {code.remedy}")
