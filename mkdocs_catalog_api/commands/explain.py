"""`catalog-api explain`: what the code at the end of a message stands for."""

from __future__ import annotations

import click

from ..problems.codes import Code

_CODES = {code.value: code for code in Code}


@click.command("explain", short_help="Tell what the code of a message means.")
@click.argument("codes", nargs=-1, metavar="[CODE]...")
def command(codes: tuple[str, ...]) -> None:
    """Tell what the CODE at the end of a message, such as CAT012, means; without one, list them all."""
    if not codes:
        for code in Code:
            click.echo(f"{code}  {code.topic}")
        return
    told = []
    for written in codes:
        found = _CODES.get(written.strip("[]").upper())
        if found is None:
            raise click.UsageError(f"{written!r} is no code; `catalog-api explain` lists them all.")
        told.append(f"{found}: {found.topic}\n\n{found.cause}\n\nWhat to do: {found.remedy}\n")
    click.echo("\n".join(told), nl=False)
