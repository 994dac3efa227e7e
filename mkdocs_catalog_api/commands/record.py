"""`catalog-api record`: record the changes of the catalog since the last recorded day."""

from __future__ import annotations

import re
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
from .run import Run, as_objects, missing_package, options, print_object, print_problems


def _secure(_context: object, _option: object, value: str | None) -> str | None:
    if value and not value.startswith(("https://", "http://127.0.0.1", "http://localhost")):
        raise click.BadParameter("must begin with https://, because it affects security data")
    return value


def _date(_context: object, _option: object, value: str | None) -> str | None:
    if value is not None and not is_date(value):
        raise click.BadParameter(f"{value!r} is not a date (use year-month-day, such as 2026-11-20)")
    return value


def _sha256(_context: object, _option: object, value: str | None) -> str | None:
    if value is not None and not re.fullmatch("[0-9a-fA-F]{64}", value):
        raise click.BadParameter(f"{value!r} is not a SHA-256 (64 hexadecimal digits)")
    return value and value.lower()


@click.command("record", short_help="Record the changes since the last recorded day.")
@click.option(
    "--date",
    metavar="DAY",
    callback=_date,
    help="The day to record. [default: the day of SOURCE_DATE_EPOCH, else today (UTC)]",
)
@click.option("--verify", is_flag=True, help="Write nothing, and verify the chain of all recorded days.")
@click.option(
    "--head",
    metavar="SHA256",
    callback=_sha256,
    help="With --verify: check that the chain contains this published day.",
)
@click.option(
    "--against",
    metavar="URL",
    callback=_secure,
    help="With --verify: check that the chain contains the last published day of the site at this URL.",
)
@click.option(
    "--rebuild", is_flag=True, help="Rebuild the chain of the existing days, for example after a merge."
)
@click.option(
    "--from-git",
    metavar="[REF]",
    is_flag=False,
    flag_value="HEAD",
    help="Record the days of all commits up to this one. The history must be empty, or recorded from them."
    " [default: HEAD]",
)
@click.option("--since", metavar="DAY", callback=_date, help="With --from-git, the first day.")
@options
def command(
    run: Run,
    date: str | None,
    verify: bool,
    head: str | None,
    against: str | None,
    rebuild: bool,
    from_git: str | None,
    since: str | None,
) -> None:
    """Record the changes of the catalog since the last recorded day in the folder `history`.

    Keep that folder in git. If you record a day again, its file is replaced.
    """
    if sum(map(bool, (date, verify, rebuild, from_git))) > 1:
        raise click.UsageError(
            "--date, --verify, --rebuild and --from-git can't be combined (use one of them)"
        )
    if since and not from_git:
        raise click.UsageError("--since requires --from-git")
    if (head or against) and not verify:
        raise click.UsageError("--head and --against require --verify")
    problems, done = run.problems, None
    try:
        site, settings, folder = _site(run)
        if verify:
            done = _verify(folder, head, against)
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
            refused = "not verified" if verify else "nothing recorded"
            click.secho(f"{refused}: {problems.summary()}", fg="red", err=True)
        elif not run.quiet:
            click.echo(f"{done.text}; {problems.summary()}")
    if done is None:
        sys.exit(1)


class _Done(NamedTuple):
    """The result, for people and for programs."""

    text: str
    summary: dict[str, object]


def _site(run: Run) -> tuple[Site, Settings, Folder]:
    site, settings = run.read()
    refused = Problems()
    folder = history_folder(site, settings, refused, to_write=True)
    if folder is None:
        raise CatalogError(refused)
    return site, settings, folder


def _seen(run: Run, site: Site, settings: Settings) -> tuple[list[Seen], RecordedFigures]:
    """Return the images of the catalog by slug, as a build reads them, and its counts."""
    clock.check(run.problems)
    catalog = assemble(load(site, settings, run.problems, to_record=True), site, settings, run.problems)
    if run.problems.refuse(strict=run.strict):
        raise CatalogError(run.problems)
    return [*snapshot(catalog)], counted(catalog)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _day(run: Run, site: Site, settings: Settings, folder: Folder, date: str) -> _Done:
    today = clock.latest().date().isoformat()
    if date > today:
        message = f"{date} is in the future (today is {today})"
        hint = "omit `--date` to record today; no day before a recorded day can be recorded"
        raise _refused(Problem(folder.label, 0, 0, "--date", message, hint, code=Code.DAY))
    recorded = chain.record(folder, date, *_seen(run, site, settings))
    return _Done(f"recorded {date}: {_count(recorded.events, 'event')}", recorded._asdict())


def _verify(folder: Folder, head: str | None, against: str | None) -> _Done:
    """Verify the chain and its replay, and that the chain contains the published days."""
    chain.replay(folder)
    days = {sha256: date for date, sha256 in chain.hashes(folder)}
    published = {head: ""} if head else {}
    if against:
        date, sha256 = _published_head(against)
        published[sha256] = f" of {date} at {against}"
    for sha256, place in published.items():
        if sha256 not in days:
            message = f"no day has the published head{place}, {sha256}: a day was changed or removed"
            hint = (
                "restore the days from git; after a merge and `--rebuild`, build and publish the site first"
            )
            raise _refused(Problem(folder.label, 0, 0, "", message, hint, code=Code.HISTORY))
    since = "".join(f", contains the published day {days[sha256]}" for sha256 in published)
    return _Done(f"verified: {_count(len(days), 'day')} in an unbroken chain{since}", {"days": len(days)})


def _published_head(address: str) -> tuple[str, str]:
    """Return date and SHA-256 of the last published day of a site."""
    try:
        from ..network.client import LIVE, Client, NoAnswerError
        from ..network.live_check import api_root, published_head
    except ModuleNotFoundError as error:
        raise missing_package("--against", error, "sync") from None
    try:
        root = api_root(address)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--against") from None
    try:
        with Client(LIVE) as client:
            return published_head(client, root)
    except NoAnswerError as error:
        hint = "check the URL, and that the site publishes its history"
        raise _refused(Problem("", 0, 0, "--against", str(error), hint, code=Code.ARRIVED)) from None


def _refused(problem: Problem) -> CatalogError:
    return CatalogError(Problems([problem]))


def _rebuild(folder: Folder) -> _Done:
    changed, dropped = chain.rebuild(folder)
    days = len(folder.dates)
    text = (
        f"rebuilt: {changed:,} of {_count(days, 'day')} changed, {_count(dropped, 'event')} "
        "left out that repeated earlier days"
    )
    return _Done(text, {"days": days, "changed": changed, "dropped": dropped})


def _from_git(run: Run, site: Site, settings: Settings, folder: Folder, ref: str, since: str | None) -> _Done:
    recorded = chain.hashes(folder)
    repository = Repository(site.root)
    if repository.shallow:
        message = "this clone lacks commits, so earlier days are missing"
        hint = "run `git fetch --unshallow`, or set `fetch-depth: 0` in the workflow"
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
                # The days of an earlier run that was killed are also days of this run.
                if recorded and recorded.pop(0) != (commit.date, previous):
                    message = f"{_count(len(folder.dates), 'day')} already recorded, not from these commits"
                    hint = "the folder must be empty; move it to start again"
                    raise _refused(Problem(folder.label, 0, 0, "", message, hint, code=Code.DAY))
        days, events = len(past.dates), chain.copy(past, folder)
    if not commits:
        message = "no commit changes the pages, data or reports of the catalog"
        run.problems.add(Problem("", 0, 0, "--from-git", message, level=Level.WARNING, code=Code.DAY))
    text = f"recorded {_count(days, 'day')} from git: {_count(events, 'event')}"
    return _Done(text, {"days": days, "skipped": len(commits) - days, "events": events})


def _seen_in(
    run: Run, repository: Repository, commit: Commit, paths: Sequence[Path], site: Site, settings: Settings
) -> tuple[list[Seen], RecordedFigures] | None:
    """Return the images and counts of a commit, under today's configuration; None if it has errors."""
    then = replace(run, problems=Problems())
    with tempfile.TemporaryDirectory(prefix="catalog-api-") as folder:
        tree = Path(folder) / "tree"
        repository.extract(commit, paths, tree)
        root = repository.place(site.root, tree)
        try:
            old, _, _ = read_site(
                run.config_file, then.problems, site_dir=run.site_dir, trusted=run.trust, root=root
            )
            if not old.docs_dir.is_relative_to(tree):
                raise GitError("docs_dir is not a relative path, so its earlier content can't be found")
            return _seen(then, old, settings)
        except CatalogError as error:
            first = next((each for each in error.problems if each.level is Level.ERROR), "")
            message = f"{commit.date} is left out, because its catalog has errors: {first}"
    place = f"commit {commit.sha[:12]}"
    run.problems.add(Problem("", 0, 0, place, message, level=Level.WARNING, code=Code.DAY))
    return None
