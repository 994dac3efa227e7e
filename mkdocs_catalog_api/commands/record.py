"""`catalog-api record`: write down what changed in the catalog since the last recorded day."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .. import clock
from ..codes import Code
from ..problems import CatalogError, Level, Problem, Problems
from .run import Run, as_objects, options, print_problems

if TYPE_CHECKING:
    from ..history.days import Folder
    from ..history.git import Commit, Repository
    from ..history.snapshot import Seen, State
    from ..settings import Settings
    from ..site import Site


def _date(_context: object, _option: object, value: str | None) -> str | None:
    from ..history.days import is_date

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
    record = _Record(run)
    with record.reported():
        if verify:
            record.verify()
        elif rebuild:
            record.rebuild()
        elif from_git:
            record.from_git(from_git, since)
        else:
            record.day(date)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


class _Record:
    """One run of the command; `summary` is what it tells programs."""

    def __init__(self, run: Run) -> None:
        self.run, self.problems = run, run.problems
        self.summary: dict[str, object] = {}
        self.said, self.refused = "", "nothing is recorded"

    @contextmanager
    def reported(self) -> Iterator[None]:
        """Tell how it ended, and end the program with 1 when it is refused."""
        from ..history.git import GitError

        refused = True
        try:
            yield
            refused = False
        except CatalogError as error:
            self.problems.extend(error.problems)
        except GitError as error:
            self.problems.add(Problem("", 0, 0, "--from-git", str(error), code=Code.DAY))
        except (MemoryError, OSError) as error:
            message = f"the history can't be written: {str(error) or 'memory ran out'}"
            self.problems.add(Problem("", 0, 0, "", message, code=Code.NOT_WRITTEN))
        if self.run.as_json:
            found = {"problems": as_objects(self.problems), "summary": {"refused": refused} | self.summary}
            click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        else:
            print_problems(self.problems, quiet=self.run.quiet)
            if refused:
                click.secho(f"{self.refused}: {self.problems.summary()}", fg="red", err=True)
            elif not self.run.quiet:
                click.echo(f"{self.said}; {self.problems.summary()}")
        if refused:
            sys.exit(1)

    def _site(self) -> tuple[Site, Settings, Folder]:
        from ..history.configured import history_folder

        site, settings = self.run.read()
        refused = Problems()
        folder = history_folder(site, settings, refused, to_write=True)
        if folder is None:
            raise CatalogError(refused)
        return site, settings, folder

    def _seen(self, site: Site, settings: Settings) -> list[Seen]:
        """The images of the catalog by slug, as a build reads them."""
        from ..api.security import Assessor
        from ..history.snapshot import snapshot
        from ..read import read

        clock.check(self.problems)
        catalog, reports = read(site, settings, self.problems)
        if self.problems.refuse(strict=self.run.strict):
            raise CatalogError(self.problems)
        return [
            *snapshot(catalog, Assessor(reports.findings if reports else lambda _: [], catalog.statements))
        ]

    def day(self, date: str | None) -> None:
        """Record one day."""
        from ..history import chain

        site, settings, folder = self._site()
        date = date or clock.now().date().isoformat()
        recorded = chain.record(folder, date, self._seen(site, settings))
        if date > clock.latest().date().isoformat():
            message = f"{date} has not come yet, and no earlier day can be recorded from now on"
            self.problems.add(Problem(folder.label, 0, 0, "", message, level=Level.WARNING, code=Code.DAY))
        self.summary = recorded._asdict()
        self.said = f"recorded {date}: {_count(recorded.events, 'event')}"

    def verify(self) -> None:
        """Prove chain and replay."""
        from ..history import chain

        self.refused = "the history is not in order"
        _, _, folder = self._site()
        chain.replay(folder)
        self.summary = {"days": len(folder.dates)}
        self.said = f"verified: {len(folder.dates):,} days follow each other"

    def rebuild(self) -> None:
        """Chain the days anew."""
        from ..history import chain

        _, _, folder = self._site()
        changed, dropped = chain.rebuild(folder)
        self.summary = {"days": len(folder.dates), "changed": changed, "dropped": dropped}
        self.said = (
            f"rebuilt: {changed:,} of {_count(len(folder.dates), 'day')} changed, {_count(dropped, 'event')} "
            "left out that said nothing after those of the days before"
        )

    def from_git(self, ref: str, since: str | None) -> None:
        """Record the days of the commits up to a reference."""
        from ..history import chain
        from ..history.days import Folder
        from ..history.git import Repository
        from ..history.snapshot import known
        from ..site import own_files

        site, settings, folder = self._site()
        recorded = chain.hashes(folder)
        repository = Repository(site.root)
        if repository.shallow:
            message = "this clone does not have all commits, so earlier days are missing"
            hint = "get them with `git fetch --unshallow`, in a workflow with `fetch-depth: 0`"
            self.problems.add(Problem("", 0, 0, "--from-git", message, hint, Level.WARNING, code=Code.DAY))
        paths = [site.docs_dir, *(file for file in own_files(site.root, settings) if file != folder.path)]
        commits = repository.last_of_each_day(ref, paths, since)
        state: State = {}
        previous: str | None = None
        with tempfile.TemporaryDirectory(prefix="catalog-api-") as waiting:
            past = Folder(Path(waiting), folder.label)
            for commit in commits:
                seen = self._seen_in(repository, commit, paths, site, settings)
                if seen is not None:
                    previous = chain.append(past, commit.date, previous, state, seen).sha256
                    state = {each.slug: known(state.get(each.slug), each) for each in seen}
                    # The days of a run that was killed while it wrote them are those of this one.
                    if recorded and recorded.pop(0) != (commit.date, previous):
                        message = (
                            f"{_count(len(folder.dates), 'day')} recorded already, not from these commits"
                        )
                        hint = (
                            "a past is taken from git into an empty folder; move this one away to begin anew"
                        )
                        refused = Problems()
                        refused.add(Problem(folder.label, 0, 0, "", message, hint, code=Code.DAY))
                        raise CatalogError(refused)
            days, events = len(past.dates), chain.copy(past, folder)
        if not commits:
            message = "no commit touches the pages, data or reports of the catalog"
            self.problems.add(Problem("", 0, 0, "--from-git", message, level=Level.WARNING, code=Code.DAY))
        self.summary = {"days": days, "skipped": len(commits) - days, "events": events}
        self.said = f"recorded {_count(days, 'day')} from git: {_count(events, 'event')}"

    def _seen_in(
        self, repository: Repository, commit: Commit, paths: Sequence[Path], site: Site, settings: Settings
    ) -> list[Seen] | None:
        """The images as they were, under the configuration of today; None when that catalog is refused."""
        from ..history.git import GitError
        from ..read_site import read_site

        run = replace(self.run, problems=Problems())
        with tempfile.TemporaryDirectory(prefix="catalog-api-") as made:
            tree = Path(made) / "tree"
            repository.extract(commit, paths, tree)
            root = repository.place(site.root, tree)
            try:
                old, _, _ = read_site(
                    run.config_file, run.problems, site_dir=run.site_dir, trusted=run.trust, root=root
                )
                if not old.docs_dir.is_relative_to(tree):
                    raise GitError("docs_dir is no relative path, so its earlier content can't be found")
                return _Record(run)._seen(old, settings)
            except CatalogError as error:
                first = next((each for each in error.problems if each.level is Level.ERROR), "")
                message = f"{commit.date} is left out, its catalog is refused: {first}"
        self.problems.add(
            Problem("", 0, 0, f"commit {commit.sha[:12]}", message, level=Level.WARNING, code=Code.DAY)
        )
        return None
