"""`catalog-api explain`: what the code at the end of a message stands for."""

from __future__ import annotations

import click

from ..codes import Code


class _Kind(click.ParamType):
    """A code such as `CAT012`, however it is written."""

    name = "CODE"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Code:
        try:
            return Code(value.strip("[]").upper())
        except ValueError:
            self.fail(f"{value!r} is no code; `catalog-api explain` lists them all", param, ctx)


@click.command("explain", short_help="Tell what the code of a message means.")
@click.argument("codes", nargs=-1, type=_Kind(), metavar="[CODE]...")
def command(codes: tuple[Code, ...]) -> None:
    """Tell what the CODE at the end of a message, such as CAT012, means; without one, list them all."""
    if not codes:
        for code in Code:
            click.echo(f"{code}  {code.topic}")
    for number, code in enumerate(codes):
        separator = "\n" if number else ""
        click.echo(f"{separator}{code}: {code.topic}\n\n{code.cause}\n\nWhat to do: {code.remedy}")
