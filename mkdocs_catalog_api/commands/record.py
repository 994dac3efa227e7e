"""`catalog-api record`: write down what changed in the catalog since the last recorded day."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click
from msgspec.structs import replace

from ..authored import clock
from ..authored.settings import Settings
from ..authored.site import Site, own_files
from ..catalog.history import RecordedFigures
from ..history import chain
from ..history.days import Folder, history_folder, is_date
from ..history.git import Commit, GitError, Repository
from ..history.state import Seen, State, counted, known, snapshot
from ..problems import CatalogError, Level, Problem, Problems, reason
from ..problems.codes import Code
from ..sources.assemble import assemble
from ..sources.load import load
from ..sources.read_site import read_site
from .run import Run, as_objects, options, print_object, print_problems


def _date(_context: object, _option: object, value: str | None) -> str | None:
    if value is not None and not is_date(value):
        raise click.BadParameter(f"{value!r} is no day of the calendar; write it as in 2026-11-20.")
    return value


@click.command("record", short_help="Write down what changed since the last recorded day.")
@click.option(
    "--date",
    metavar="DAY",
    callback=_date,
    help="The day to record. [default: that of SOURCE_DATE_EPOCH, else today, UTC]",
)
@click.option(
    "--verify", is_flag=True, help="Write nothing; prove that every recorded day follows the others."
)
@click.option("--rebuild", is_flag=True, help="Chain the days that are there anew, as after a merge.")
@click.option(
    "--from-git",
    metavar="[REF]",
    is_flag=False,
    flag_value="HEAD",
    help="Record the days of the commits up to this one, into an empty history. [default: HEAD]",
)
@click.option("--since", metavar="DAY", callback=_date, help="With --from-git, the first day.")
@options
def command(
    run: Run, date: str | None, verify: bool, rebuild: bool, from_git: str | None, since: str | None
) -> None:
    """Write down what changed in the catalog since the last recorded day, into the folder `history`.

    Keep that folder in git. The same day again is made anew.
    """
    if sum(map(bool, (date, verify, rebuild, from_git))) > 1:
        raise click.UsageError("--date, --verify, --rebuild and --from-git exclude each other.")
    if since and not from_git:
        raise click.UsageError("--since goes with --from-git.")
    problems, done = run.problems, None
    try:
        site, settings, folder = _site(run)
        if verify:
            done = _verify(folder)
        elif rebuild:
            done = _rebuild(folder)
        elif from_git:
            done = _from_git(run, site, settings, folder, from_git, since)
        else:
            done = _day(run, site, settings, folder, date or clock.now().date().isoformat())
    except CatalogError as error:
        problems.extend(error.problems)
    except GitError as error:
        problems.add(Problem("", 0, 0, "--from-git", str(error), code=Code.DAY))
    except (MemoryError, OSError) as error:
        message = f"the history can't be written: {reason(error, with_path=True)}"
        problems.add(Problem("", 0, 0, "", message, code=Code.NOT_WRITTEN))
    if run.as_json:
        summary = {"refused": done is None} | (done.summary if done else {})
        print_object({"problems": as_objects(problems), "summary": summary})
    else:
        print_problems(problems, quiet=run.quiet)
        if done is None:
            refused = "the history is not in order" if verify else "nothing is recorded"
            click.secho(f"{refused}: {problems.summary()}", fg="red", err=True)
        elif not run.quiet:
            click.echo(f"{done.said}; {problems.summary()}")
    if done is None:
        sys.exit(1)


class _Done(NamedTuple):
    """How it ended, for people and for programs."""

    said: str
    summary: dict[str, object]


def _site(run: Run) -> tuple[Site, Settings, Folder]:
    site, settings = run.read()
    refused = Problems()
    folder = history_folder(site, settings, refused, to_write=True)
    if folder is None:
        raise CatalogError(refused)
    return site, settings, folder


def _seen(run: Run, site: Site, settings: Settings) -> tuple[list[Seen], RecordedFigures]:
    """The images of the catalog by slug, as a build reads them, and its counts."""
    clock.check(run.problems)
    catalog = assemble(load(site, settings, run.problems, to_record=True), site, settings, run.problems)
    if run.problems.refuse(strict=run.strict):
        raise CatalogError(run.problems)
    return [*snapshot(catalog)], counted(catalog)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _day(run: Run, site: Site, settings: Settings, folder: Folder, date: str) -> _Done:
    recorded = chain.record(folder, date, *_seen(run, site, settings))
    if date > clock.latest().date().isoformat():
        message = f"{date} has not come yet, and no earlier day can be recorded from now on"
        run.problems.add(Problem(folder.label, 0, 0, "", message, level=Level.WARNING, code=Code.DAY))
    return _Done(f"recorded {date}: {_count(recorded.events, 'event')}", recorded._asdict())


def _verify(folder: Folder) -> _Done:
    """Prove chain and replay."""
    chain.replay(folder)
    days = len(folder.dates)
    return _Done(f"verified: {_count(days, 'day')} in an unbroken chain", {"days": days})


def _rebuild(folder: Folder) -> _Done:
    changed, dropped = chain.rebuild(folder)
    days = len(folder.dates)
    said = (
        f"rebuilt: {changed:,} of {_count(days, 'day')} changed, {_count(dropped, 'event')} "
        "left out that said nothing after those of the days before"
    )
    return _Done(said, {"days": days, "changed": changed, "dropped": dropped})


def _from_git(run: Run, site: Site, settings: Settings, folder: Folder, ref: str, since: str | None) -> _Done:
    recorded = chain.hashes(folder)
    repository = Repository(site.root)
    if repository.shallow:
        message = "this clone does not have all commits, so earlier days are missing"
        hint = "get them with `git fetch --unshallow`, in a workflow with `fetch-depth: 0`"
        run.problems.add(Problem("", 0, 0, "--from-git", message, hint, Level.WARNING, code=Code.DAY))
    paths = [site.docs_dir, *(file for file in own_files(site.root, settings) if file != folder.path)]
    commits = repository.last_of_each_day(ref, paths, since)
    state: State = {}
    previous: str | None = None
    with tempfile.TemporaryDirectory(prefix="catalog-api-") as waiting:
        past = Folder(Path(waiting), folder.label)
        for commit in commits:
            shown = _seen_in(run, repository, commit, paths, site, settings)
            if shown is not None:
                seen, figures = shown
                previous = chain.append(past, commit.date, previous, state, seen, figures).sha256
                state = {each.slug: known(state.get(each.slug), each) for each in seen}
                # The days of a run that was killed while it wrote them are those of this one.
                if recorded and recorded.pop(0) != (commit.date, previous):
                    message = f"{_count(len(folder.dates), 'day')} recorded already, not from these commits"
                    hint = "a past is taken from git into an empty folder; move this one away to begin anew"
                    raise CatalogError(
                        Problems([Problem(folder.label, 0, 0, "", message, hint, code=Code.DAY)])
                    )
        days, events = len(past.dates), chain.copy(past, folder)
    if not commits:
        message = "no commit touches the pages, data or reports of the catalog"
        run.problems.add(Problem("", 0, 0, "--from-git", message, level=Level.WARNING, code=Code.DAY))
    said = f"recorded {_count(days, 'day')} from git: {_count(events, 'event')}"
    return _Done(said, {"days": days, "skipped": len(commits) - days, "events": events})


def _seen_in(
    run: Run, repository: Repository, commit: Commit, paths: Sequence[Path], site: Site, settings: Settings
) -> tuple[list[Seen], RecordedFigures] | None:
    """The images and counts of a commit, under the configuration of today; None if it is refused."""
    then = replace(run, problems=Problems())
    with tempfile.TemporaryDirectory(prefix="catalog-api-") as made:
        tree = Path(made) / "tree"
        repository.extract(commit, paths, tree)
        root = repository.place(site.root, tree)
        try:
            old, _, _ = read_site(
                run.config_file, then.problems, site_dir=run.site_dir, trusted=run.trust, root=root
            )
            if not old.docs_dir.is_relative_to(tree):
                raise GitError("docs_dir is no relative path, so its earlier content can't be found")
            return _seen(then, old, settings)
        except CatalogError as error:
            first = next((each for each in error.problems if each.level is Level.ERROR), "")
            message = f"{commit.date} is left out, its catalog is refused: {first}"
    place = f"commit {commit.sha[:12]}"
    run.problems.add(Problem("", 0, 0, place, message, level=Level.WARNING, code=Code.DAY))
    return None
