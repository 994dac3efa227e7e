"""`catalog-api check-live`: check whether the published API is the one that was built."""

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


@click.command("check-live", short_help="Check a published API against its manifest.")
@click.argument("url")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help="Check at most this number of documents, spread over all kinds."
    f" [default: {_LIMIT}; with --key all]",
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
    help="Fail if the site is older. An old signed manifest never becomes invalid.",
)
@click.option(
    "--base",
    metavar="URL",
    help="URL that the manifest must contain, for previews. [default: with --key, URL]",
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
    """Check the API of the site at URL: all documents exist, are unchanged, and have the right headers.

    With --key, the manifest must also belong to this site.
    """
    try:
        from ..network.client import LIVE, Client
        from ..network.live_check import LiveCheck, api_root
    except ModuleNotFoundError as error:
        raise missing_package("check-live", error, "sync") from None
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
            signed = ", valid signature" if check.verified else ""
            click.echo(f"{root}: {looked}, {check.bytes / 1e6:,.1f} MB{signed}; {problems.summary()}")
            if check.verified:
                click.echo(f"generatedAt: {check.generated_at}\nbase: {check.base}")
    if problems.refuse(strict=False):
        sys.exit(1)
