"""`catalog-api check-live`: is the API that is online the one that was built?"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from ..problems import Problems
from .run import json_option, quiet_option, tell

if TYPE_CHECKING:
    from ..network.live_check import LiveCheck
    from ..network.live_client import Limits


@click.command("check-live", short_help="Tell whether a host serves what was built.")
@click.argument("url")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=500,
    show_default=True,
    help="Ask for at most so many documents, spread over all kinds.",
)
@quiet_option
@json_option
@click.pass_obj
def command(limits: Limits | None, url: str, limit: int, quiet: bool, as_json: bool) -> None:
    """Ask the site at URL for its API: is everything there, unchanged, and with the right headers?"""
    try:
        from ..network.live_check import LiveCheck, api_root
        from ..network.live_client import LiveClient
    except ModuleNotFoundError as error:
        message = f"check-live needs one more package ({error.name}): pip install 'mkdocs-catalog-api[fetch]'"
        raise click.ClickException(message) from None
    try:
        root = api_root(url)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="URL") from None
    with LiveClient(limits) as client:
        check = LiveCheck(client, root, limit)
        problems = check.run()
    if as_json:
        click.echo(json.dumps(_object(check, problems), ensure_ascii=False, indent=2))
    else:
        tell(problems, quiet=quiet)
        if not quiet:
            looked = (
                f"{check.checked:,} of {check.documents:,} documents" if check.documents else "no documents"
            )
            click.echo(f"{root}: {looked}, {check.bytes / 1e6:,.1f} MB; {problems.summary()}")
    if problems.refuse(strict=False):
        sys.exit(1)


def _object(check: LiveCheck, problems: Problems) -> dict[str, object]:
    return {
        "url": check.root,
        "problems": check.faults(),
        "summary": {
            "refused": problems.refuse(strict=False),
            "documents": check.documents,
            "checked": check.checked,
            "bytes": check.bytes,
        },
    }
