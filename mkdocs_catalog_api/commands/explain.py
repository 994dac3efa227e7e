"""`catalog-api explain`: explain the code at the end of a message."""

from __future__ import annotations

import click

from ..problems.codes import Code

_CODES = {code.value: code for code in Code}


@click.command("explain", short_help="Explain the code of a message.")
@click.argument("codes", nargs=-1, metavar="[CODE]...")
def command(codes: tuple[str, ...]) -> None:
    """Explain the CODE at the end of a message, such as CAT012. Without a code, list all of them."""
    if not codes:
        for code in Code:
            click.echo(f"{code}  {code.topic}")
        return
    explanations = []
    for written in codes:
        known = _CODES.get(written.strip("[]").upper())
        if known is None:
            raise click.UsageError(f"{written!r} is not a code (run `catalog-api explain` to list all codes)")
        explanations.append(f"{known}: {known.topic}\n\n{known.cause}\n\nWhat to do: {known.remedy}\n")
    click.echo("\n".join(explanations), nl=False)
