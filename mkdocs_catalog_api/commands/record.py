"""`catalog-api record`: record the changes of the catalog since the last recorded day."""

from __future__ import annotations

import sys
from datetime import datetime

import click

from ..authored import clock
from ..authored.settings import HISTORY_FOLDER
from ..history.days import history_folder
from ..history.state import counted, record, snapshot
from ..problems import CatalogError, Problem, Problems, reason
from ..problems.codes import Code
from ..sources.assemble import assemble
from ..sources.load import load
from .run import Run, as_objects, options, print_object, print_problems


@click.command("record", short_help="Record the changes since the last recorded day.")
@click.option(
    "--date",
    metavar="DAY",
    type=click.DateTime(["%Y-%m-%d"]),
    help="The day to record. [default: the day of SOURCE_DATE_EPOCH, else today (UTC)]",
)
@options
def command(run: Run, date: datetime | None) -> None:
    """Record the changes of the catalog since the last recorded day in the folder `history`.

    Keep that folder in git. If you record a day again, its file is replaced.
    """
    problems, events = run.problems, None
    day = (date or clock.now()).date().isoformat()
    try:
        events = _record(run, day)
    except CatalogError as error:
        problems.extend(error.problems)
    except (MemoryError, OSError) as error:
        message = f"the history can't be written: {reason(error, with_path=True)}"
        problems.add(Problem("", 0, 0, "", message, code=Code.NOT_WRITTEN))
    if run.as_json:
        summary = {"refused": events is None} | ({} if events is None else {"date": day, "events": events})
        print_object({"problems": as_objects(problems), "summary": summary})
    else:
        print_problems(problems, quiet=run.quiet)
        if events is None:
            click.secho(f"nothing recorded: {problems.summary()}", fg="red", err=True)
        elif not run.quiet:
            number = f"{events:,} event{'' if events == 1 else 's'}"
            click.echo(f"recorded {day}: {number}; {problems.summary()}")
    if events is None:
        sys.exit(1)


def _record(run: Run, date: str) -> int:
    site, settings = run.read()
    folder = history_folder(site, run.problems, to_write=True)
    if folder is None:
        raise CatalogError(Problems())
    today = clock.latest().date().isoformat()
    if date > today:
        message = f"{date} is in the future (today is {today})"
        hint = "omit `--date` to record today; no day before a recorded day can be recorded"
        raise CatalogError(
            Problems([Problem(HISTORY_FOLDER, 0, 0, "--date", message, hint, code=Code.HISTORY)])
        )
    clock.check(run.problems)
    catalog = assemble(load(site, settings, run.problems, to_record=True), site, settings, run.problems)
    if run.problems.refuse(strict=run.strict):
        raise CatalogError(run.problems)
    return record(folder, date, snapshot(catalog), run.problems, counted(catalog))
