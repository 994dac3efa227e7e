"""`catalog-api check-live`: is the API that is online the one that was built?"""

from __future__ import annotations

import datetime
import sys
from typing import TYPE_CHECKING, BinaryIO

import click

from .run import json_option, missing_package, print_object, print_problems, quiet_option
from .sign import read_key

if TYPE_CHECKING:
    from ..network.client import Limits

_LIMIT = 500


@click.command("check-live", short_help="Tell whether a host serves what was built.")
@click.argument("url")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help="Ask for at most so many documents, spread over all kinds."
    f" [default: {_LIMIT}, with --key all of them]",
)
@click.option(
    "--key",
    type=click.File("rb", lazy=True),
    metavar="FILE",
    help="Verify the manifest's signature with this public key (PEM, Ed25519).",
)
@click.option(
    "--max-age",
    type=click.IntRange(1, datetime.timedelta.max.days),
    metavar="DAYS",
    help="Refuse a site that was built longer ago: an old signed manifest is valid for ever.",
)
@click.option(
    "--base",
    metavar="URL",
    help="The site that the manifest has to be of, for previews. [default: with --key that at URL]",
)
@quiet_option
@json_option
@click.pass_obj
def command(
    limits: Limits | None,
    url: str,
    limit: int | None,
    key: BinaryIO | None,
    max_age: int | None,
    base: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Ask the site at URL for its API: is everything there, unchanged, and with the right headers?

    With --key, the manifest has to be of this site, too.
    """
    try:
        from ..network.client import LIVE, Client
        from ..network.live_check import LiveCheck, api_root
    except ModuleNotFoundError as error:
        raise missing_package("check-live", error, "fetch") from None
    try:
        root = api_root(url)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="URL") from None
    try:
        of_site = api_root(base) if base is not None else root if key else None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--base") from None
    public = read_key(key, "public_key") if key else None
    with Client(limits or LIVE) as client:
        check = LiveCheck(
            client,
            root,
            most=limit or (None if key else _LIMIT),
            key=public,
            base=of_site,
            max_age=None if max_age is None else datetime.timedelta(days=max_age),
        )
        problems = check.run()
    if as_json:
        summary = {
            "refused": problems.refuse(strict=False),
            "documents": check.documents,
            "checked": check.checked,
            "bytes": check.bytes,
            "verified": check.verified,
            "generatedAt": check.generated_at,
            "base": check.base,
        }
        print_object({"url": check.root, "problems": check.faults(), "summary": summary})
    else:
        print_problems(problems, quiet=quiet)
        if not quiet:
            looked = (
                f"{check.checked:,} of {check.documents:,} documents" if check.documents else "no documents"
            )
            signed = ", the signature is right" if check.verified else ""
            click.echo(f"{root}: {looked}, {check.bytes / 1e6:,.1f} MB{signed}; {problems.summary()}")
            if check.verified:
                click.echo(f"generatedAt: {check.generated_at}\nbase: {check.base}")
    if problems.refuse(strict=False):
        sys.exit(1)
