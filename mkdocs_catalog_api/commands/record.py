"""`catalog-api record`: record what the catalog knows, and tell what changed."""

from __future__ import annotations

import sys
from datetime import datetime

import click

from ..authored import clock
from ..authored.settings import HISTORY_FOLDER
from ..catalog.recorded import RecordedDay
from ..history.days import history_folder
from ..history.past import Past
from ..problems import CatalogError, Problem, Problems, reason
from ..problems.codes import Code
from ..sources.assemble import assemble
from ..sources.load import load
from .run import Run, as_objects, count_problems, options, print_object, print_problems

_WORDS = {
    "image-added": "new",
    "image-removed": "removed",
    "release-added": "released",
    "release-rebuilt": "rebuilt",
    "vulnerability-found": "found",
    "vulnerability-gone": "gone",
    "vulnerability-suppressed": "suppressed",
    "vulnerability-reopened": "reopened",
}
"""Kind of event → its word in the closing line."""


def _day(_context: object, _option: object, value: str | None) -> datetime | None:
    if value is None:
        return None
    try:
        return datetime.strptime(value, "%Y-%m-%d")  # only its day is used
    except ValueError:
        today = clock.now().date()
        raise click.BadParameter(f"{value!r} is not a day (write it like {today})") from None


@click.command("record", short_help="Record what changed since the last recorded day.")
@click.option(
    "--date",
    metavar="DAY",
    callback=_day,
    help="The day to record. [default: the day of SOURCE_DATE_EPOCH, else today (UTC)]",
)
@options
def command(run: Run, date: datetime | None) -> None:
    """Record the changes of the catalog since the last recorded day in the folder `history`.

    Keep that folder in git. If you record a day again, its file is replaced.
    """
    problems, recorded = run.problems, None
    try:
        recorded = _record(run, (date or clock.now()).date().isoformat())
    except CatalogError as error:
        problems.extend(error.problems)
    except (MemoryError, OSError) as error:
        message = f"the history can't be written: {reason(error, with_path=True)}"
        problems.add(Problem("", 0, 0, "", message, code=Code.NOT_WRITTEN))
    if run.as_json:
        summary: dict[str, object] = {"refused": recorded is None}
        if recorded:
            summary |= {"date": recorded.date, "events": recorded.counts}
        print_object({"problems": as_objects(problems), "summary": summary})
    else:
        if recorded is None:
            print_problems(problems, quiet=run.quiet, verbose=run.verbose)
        else:
            count_problems(run)
        if recorded is None:
            click.secho(f"nothing recorded: {problems.summary()}", fg="red", err=True)
        elif not run.quiet:
            click.echo(f"recorded {recorded.date}: {_in_words(recorded)}; {problems.summary()}")
    if recorded is None:
        sys.exit(1)


def _in_words(day: RecordedDay) -> str:
    """What changed: `3 images changed: 12 found, 4 gone, 1 rebuilt`."""
    images = len({event.slug for event in day.events})
    if not images:
        return "nothing changed"
    counts = [f"{day.counts[kind]:,} {word}" for kind, word in _WORDS.items() if kind in day.counts]
    return f"{images:,} image{'' if images == 1 else 's'} changed" + (
        f": {', '.join(counts)}" if counts else ""
    )


def _record(run: Run, date: str) -> RecordedDay:
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
    folder.check_next(date)
    past = Past()
    for day in folder.days(before=date):
        past.add(day)
    history = past.history(Problems()) if past.days else None
    catalog = assemble(load(site, settings, run.problems, past=history), site, settings, run.problems)
    if run.problems.refuse(strict=run.strict):
        raise CatalogError(run.problems)
    return past.add(folder.record(date, catalog, past.known))
