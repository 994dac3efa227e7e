"""Writes the data of registries on images and charts to the files that a build reads.

A known digest is not requested again. Existing data is kept if a registry, repository, tag or response is
missing. `prune` removes versions that were removed from the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..authored.folders import not_writable, read_file, write_whole
from ..authored.pages import RawItem
from ..catalog.names import Reference
from ..catalog.registry_facts import (
    ChartFacts,
    ChartVersionFacts,
    ImageFacts,
    ImageVersionFacts,
    VersionFacts,
    encode,
    label_first,
)
from ..problems import Level, Problem, Problems, reason
from ..problems.codes import Code
from . import learn
from .client import NoAnswerError
from .registry import RefusedAnswerError, Registries

PARALLEL = 8
_PER_DIGEST = 6
"""Requests for a new digest: an index, two manifests, a config, two referrers."""
_SAVED_AFTER = 50
"""Number of new digests after which the file of an item is saved, so that the next run can continue."""

T = TypeVar("T")


class Listed(Struct, frozen=True):
    """A version on a page."""

    position: int
    tags: tuple[str, ...]
    """Its name and its other tags, as in a registry."""
    digests: tuple[str, ...]


class Item(Struct, frozen=True):
    """An image or chart to request."""

    slug: str
    reference: str
    """`image` or `chart` of the page."""
    raw: RawItem
    is_chart: bool
    listed: tuple[Listed, ...] | None
    """The versions on the page; None for all versions in the registry."""

    @property
    def is_classic(self) -> bool:
        return self.reference.startswith(("https://", "http://"))

    @property
    def repository(self) -> Reference:
        return Reference.parse(self.reference.removeprefix("oci://"))

    @property
    def name(self) -> str:
        return self.reference.removeprefix("oci://")


class FileChange(Struct, frozen=True):
    """The changes of a run in one file, for people."""

    file: str
    versions: tuple[str, ...]
    """`+ 1.2`, `- 1.1`, `~ 1`."""


class _State(Struct):
    """The data of one item during a run."""

    file: Path
    label: str
    before: bytes
    known: dict[str, VersionFacts]
    """Digest (for a classic chart: version) → facts in the file."""
    versions: tuple[VersionFacts, ...]
    """The versions in the file."""
    tags: list[str] = []


class Work(Struct, frozen=True):
    """The remaining work for one item."""

    slug: str
    requests: int
    """Approximate maximum number of requests."""
    do: Callable[[], None]


class Sync:
    """A run over all items. It fills `changes` and `problems`."""

    def __init__(
        self,
        registries: Registries,
        folder: Path,
        label: str,
        project: Sequence[Path],
        problems: Problems,
        *,
        prune: bool = False,
        dry_run: bool = False,
    ) -> None:
        """`label` is the name of `folder` in problems. Links may point to the folders of `project`."""
        self._registries, self._folder, self._label = registries, folder, label
        self._project, self._problems = project, problems
        self._prune, self._dry_run = prune, dry_run
        self._requests = ThreadPoolExecutor(PARALLEL)
        self._items = ThreadPoolExecutor(PARALLEL)
        self.changes: list[FileChange] = []
        self.unchanged = 0

    def close(self) -> None:
        """Wait for running requests, and start no more."""
        self._registries.stop()
        self._items.shutdown(cancel_futures=True)
        self._requests.shutdown(cancel_futures=True)
        self.changes.sort(key=lambda change: change.file)

    def begin(self, items: Iterable[Item]) -> tuple[list[Work], int]:
        """List the tags of all repositories. Returns the remaining work, and the approximate maximum number
        of requests.
        """
        futures = [self._items.submit(self._begin, item) for item in items]
        begun = [work for future in futures if (work := future.result())]
        return begun, sum(work.requests for work in begun)

    def run(self, work: Iterable[Work]) -> Iterator[str]:
        """Do the work in parallel. Yields the slug of each finished item."""
        futures = {self._items.submit(each.do): each.slug for each in work}
        for future in as_completed(futures):
            future.result()
            yield futures[future]

    def _begin(self, item: Item) -> Work | None:
        state = self._read(item)
        if state is None:
            return None
        if item.is_classic:
            return Work(item.slug, 1, lambda: self._classic(item, state))
        try:
            tags = self._request(self._registries.tags, item.repository)
        except NoAnswerError as error:
            gone = isinstance(error, RefusedAnswerError) and error.status == 404
            self._lost(item, state, str(error), gone=gone)
            return None
        versions = [tag for tag in tags if not learn.is_attachment(tag)]
        if not versions:
            self._lost(item, state, f"{item.repository.domain} has no tags of {item.name}", gone=True)
            return None
        state.tags = tags
        asked = versions if item.listed is None else self._listed_tags(item, versions)
        known = {tag for version in state.versions for tag in _tags_of(version)}
        requests = len(asked) + _PER_DIGEST * sum(tag not in known for tag in asked)
        return Work(item.slug, requests, lambda: self._repository(item, state, versions, asked))

    def _request(self, ask: Callable[..., T], *arguments: object) -> T:
        """Run a request, with at most `PARALLEL` of them at a time."""
        return self._requests.submit(ask, *arguments).result()

    def _listed_tags(self, item: Item, tags: Collection[str]) -> list[str]:
        """Return the tags that are on the page. Warns about versions without a tag in the registry."""
        asked: dict[str, None] = {}
        for version in item.listed or ():
            present = [tag for tag in version.tags if tag in tags]
            asked |= dict.fromkeys(present)
            if not present:
                message = f"{item.repository.domain} has no tag {version.tags[0]} of {item.name}"
                hint = "push it, or correct the version"
                self._warn(item, ("versions", version.position), message, hint)
        return list(asked)

    def _lost(self, item: Item, state: _State, message: str, *, gone: bool) -> None:
        """Handle an unavailable repository: keep the existing data, or remove it with `prune`."""
        if gone and self._prune and state.versions:
            self._save(item, state, ())
        else:
            self._fail(item, message, "the existing data is kept" if state.versions else "")

    def _repository(self, item: Item, state: _State, versions: Sequence[str], asked: Sequence[str]) -> None:
        """Request the digest of each tag, and read new digests."""
        before = {
            tag: version.digest
            for version in state.versions
            for tag in _tags_of(version)
            if version.digest and not (version.gone and tag != version.version)
        }
        digests = {tag: digest for tag in versions if (digest := before.get(tag))}
        answers = {tag: self._requests.submit(self._registries.digest, item.repository, tag) for tag in asked}
        digests |= self._results(item, answers)
        known = dict(state.known)
        reads: dict[str, Future[VersionFacts]] = {}
        read: Callable[..., VersionFacts] = learn.chart if item.is_chart else learn.image
        for digest in dict.fromkeys(digests[tag] for tag in asked if tag in digests):
            facts = known.get(digest)
            if facts is None:
                reads[digest] = self._requests.submit(
                    read, self._registries, item.repository, digest, state.tags
                )
            elif facts.signature is None:
                reads[digest] = self._requests.submit(self._refreshed, item, facts, digest, state.tags)
        for number, (digest, facts) in enumerate(self._results(item, reads), 1):
            known[digest] = facts
            if number % _SAVED_AFTER == 0:
                self._save(item, state, self._combined(item, state, known, digests, before), final=False)
        self._save(item, state, self._combined(item, state, known, digests, before))
        self._check_digests(item, digests, known)

    def _refreshed(self, item: Item, facts: VersionFacts, digest: str, tags: Sequence[str]) -> VersionFacts:
        """Return the facts of a known digest with new attachments."""
        return learn.with_attached(facts, learn.attached(self._registries, item.repository, digest, tags))

    def _results(self, item: Item, futures: Mapping[str, Future[T]]) -> Iterator[tuple[str, T]]:
        """Yield the result of each request. Adds a problem for each failure."""
        for name, future in futures.items():
            try:
                yield name, future.result()
            except learn.NotOfThisKindError as error:
                self._note(item, str(error))
            except NoAnswerError as error:
                self._fail(item, str(error), "the existing data is kept")

    def _combined(
        self,
        item: Item,
        state: _State,
        known: Mapping[str, VersionFacts],
        digests: Mapping[str, str],
        before: Mapping[str, str],
    ) -> tuple[VersionFacts, ...]:
        """Return all versions: each digest with its tags, and the removed versions."""
        tags: dict[str, list[str]] = {}
        for tag, digest in digests.items():
            if (usable := digest if digest in known else before.get(tag)) is not None:
                tags.setdefault(usable, []).append(tag)
        versions: dict[str, VersionFacts] = {}
        covered: set[str] = set()
        for digest, names in sorted(tags.items(), key=lambda group: min(group[1])):
            facts = known[digest]
            if isinstance(facts, ImageVersionFacts):
                label, *others = label_first(names)
            else:
                label, others = facts.version, sorted(names)
                if label in versions and _chart_tag(label) not in others:
                    self._note(item, f"not used: {others[0]} is another chart with version {label}")
                    continue
            covered |= {label, *others}
            versions[label] = replace(facts, version=label, tags=tuple(others), gone=False)
        return self._with_gone(item, state, versions, covered)

    def _with_gone(
        self, item: Item, state: _State, versions: Mapping[str, VersionFacts], covered: Collection[str]
    ) -> tuple[VersionFacts, ...]:
        """Return the versions and those that were removed from the registry, sorted."""
        result = dict(versions)
        for facts in state.versions:
            if facts.version in result or facts.version in covered or self._prune:
                continue
            tags = tuple(tag for tag in facts.tags if tag not in covered)
            result[facts.version] = replace(facts, tags=tags, gone=True)
        return tuple(facts for _, facts in sorted(result.items()))

    def _classic(self, item: Item, state: _State) -> None:
        """Read the index of a classic chart repository."""
        try:
            body = self._request(self._registries.chart_index, item.reference)
            offered = learn.classic_chart(body, item.slug, item.reference)
        except NoAnswerError as error:
            gone = isinstance(error, RefusedAnswerError) and error.status == 404
            self._lost(item, state, str(error), gone=gone)
            return
        wanted = offered
        if item.listed is not None:
            asked = self._listed_tags(item, {_chart_tag(version) for version in offered})
            wanted = {version: facts for version, facts in offered.items() if _chart_tag(version) in asked}
        kept = [facts for facts in state.versions if facts.version in offered]
        versions = {facts.version: replace(facts, gone=False) for facts in kept} | wanted
        self._save(item, state, self._with_gone(item, state, versions, versions))
        digests = {_chart_tag(facts.version): facts.digest for facts in wanted.values() if facts.digest}
        self._check_digests(item, digests, {})

    def _check_digests(
        self, item: Item, digests: Mapping[str, str], known: Mapping[str, VersionFacts]
    ) -> None:
        """Warn if the digest on the page differs from the digest of that tag in the registry."""
        for version in item.listed or ():
            tag = next((tag for tag in version.tags if tag in digests), None)
            if tag is None:
                continue
            facts = known.get(digests[tag])
            present = {digests[tag]}
            if isinstance(facts, ImageVersionFacts):
                present |= {part.digest for part in facts.manifests}
            for digest in version.digests:
                if digest not in present:
                    created = f", created {facts.created}" if facts and facts.created else ""
                    message = f"{item.name}:{tag} is {digests[tag]} in the registry{created}, not {digest}"
                    hint = "if the new digest is yours, correct or remove the digest on the page"
                    self._warn(item, ("versions", version.position, "digest"), message, hint, Code.MOVED_TAG)

    def _read(self, item: Item) -> _State | None:
        """Return the data of an item. If its file is invalid, return None and add a problem."""
        path = f"{'charts' if item.is_chart else 'images'}/{item.slug}.json"
        file, label = self._folder / path, f"{self._label}/{path}"
        kind: type[ImageFacts | ChartFacts] = ChartFacts if item.is_chart else ImageFacts
        if fault := not_writable(file, label, self._project):
            self._problems.add(fault)
            return None
        try:
            body = read_file(file)
            facts = msgspec.json.decode(body, type=kind)
        except FileNotFoundError:
            return _State(file, label, b"", {}, ())
        except (OSError, ValueError, RecursionError) as error:
            message = reason(error) if isinstance(error, OSError) else str(error)
            hint = "restore it from git, or delete it and run `catalog-api sync` again"
            self._problems.add(
                Problem(label, 0, 0, "", f"can't be read: {message}", hint, code=Code.NOT_READ)
            )
            return None
        known: dict[str, VersionFacts] = {
            version.digest: version for version in facts.versions if version.digest
        }
        return _State(file, label, body, known, facts.versions)

    def _save(
        self, item: Item, state: _State, versions: tuple[VersionFacts, ...], *, final: bool = True
    ) -> None:
        """Write the file if it changes. Records the changes of the whole run once they are final."""
        body = encode(_file(item, versions)) if versions or state.before else b""
        if body != state.before and not self._dry_run and (final or versions):
            write_whole(state.file, body)
        if not final:
            return
        for facts in versions:
            if facts.gone:
                message = f"{facts.version} was removed from {item.name}, and is marked as gone"
                self._warn(item, (), message, "run `catalog-api sync --prune` to remove it")
            for part in facts.manifests if isinstance(facts, ImageVersionFacts) else ():
                if part.size is None and not facts.gone:
                    message = f"{item.name}:{facts.version} has no manifest for {part.platform} any more"
                    self._warn(item, (), message, "push it again, as it can't be pulled for that platform")
        if body == state.before:
            self.unchanged += 1
            return
        self.changes.append(FileChange(state.label, tuple(_changes(state.versions, versions))))

    def _fail(self, item: Item, message: str, hint: str) -> None:
        """Add an error. Errors of one item share a line if there are many."""
        self._add(item, (), message, hint, Level.ERROR, f"{item.name}: no usable responses of the registry")

    def _warn(
        self,
        item: Item,
        path: Sequence[str | int],
        message: str,
        hint: str,
        code: Code = Code.REGISTRY,
    ) -> None:
        self._add(item, path, message, hint, Level.WARNING, "", code)

    def _note(self, item: Item, message: str) -> None:
        self._add(item, (), message, "", Level.INFO, f"{item.name}: unused tags")

    def _add(
        self,
        item: Item,
        path: Sequence[str | int],
        message: str,
        hint: str,
        level: Level,
        group: str = "",
        code: Code = Code.REGISTRY,
    ) -> None:
        message = message if item.name in message else f"{item.name}: {message}"
        field = path or (("chart",) if item.is_chart else ("image",))
        self._problems.add(item.raw.problem(field, message, hint, level, code=code, group=group))


def _file(item: Item, versions: tuple[VersionFacts, ...]) -> ImageFacts | ChartFacts:
    if item.is_chart:
        return ChartFacts(item.reference, tuple(v for v in versions if isinstance(v, ChartVersionFacts)))
    return ImageFacts(item.reference, tuple(v for v in versions if isinstance(v, ImageVersionFacts)))


def _tags_of(facts: VersionFacts) -> tuple[str, ...]:
    """Return all tags of a version. The version of a chart is not a tag."""
    return (facts.version, *facts.tags) if isinstance(facts, ImageVersionFacts) else facts.tags


def _chart_tag(version: str) -> str:
    """Return the tag of a chart's version, with `_` for `+`."""
    return version.replace("+", "_")


def _changes(before: Iterable[VersionFacts], after: Iterable[VersionFacts]) -> Iterator[str]:
    """Yield the versions that differ: `+ 1.2`, `- 1.1`, `~ 1.0`, the last form with different digests."""
    old, new = ({facts.version: facts for facts in versions} for versions in (before, after))
    for label in sorted(old.keys() | new.keys()):
        earlier, later = old.get(label), new.get(label)
        if earlier is None:
            yield f"+ {label}"
        elif later is None:
            yield f"- {label}"
        elif earlier != later:
            gone = ", gone" if later.gone and not earlier.gone else ""
            moved = f", {earlier.digest} to {later.digest}" if earlier.digest != later.digest else ""
            yield f"~ {label}{moved}{gone}"
