"""Writes the data of registries on images and charts to the files that a build reads.

A known digest is not requested again. Existing data is kept if a registry, repository, tag or response is
missing. `prune` removes versions that were removed from the registry.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from datetime import timedelta
from queue import SimpleQueue
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ..authored.clock import now
from ..authored.folders import read_file
from ..authored.from_registry import note_unlisted, some
from ..items.registry_facts import (
    ItemFacts,
    RegistryFacts,
    VersionFacts,
    decode,
    encode,
    former_after,
    is_earlier,
)
from ..items.version_tags import label_first, other_names
from ..problems import Level, Problem, RefusedError, reason
from ..problems.codes import Code
from ..problems.decoding import decoding_reason
from . import learn
from .annotations import Learned, converted, with_item
from .client import PARALLEL, NoAnswerError
from .orders import Choice, Item
from .output import Output
from .registry import NoManifestError, Registries

_LATEST = "latest"
_SAVED_AFTER = 50
"""Number of new digests after which the file of an item is saved, so that the next run can continue."""
_FORGOTTEN_AFTER = timedelta(days=365)

T = TypeVar("T")


class _State(Struct):
    """The data of one item during a run."""

    item: Item
    name: str
    """The file, relative to mkdocs.yml."""
    body: bytes
    """Its content before the run."""
    before: RegistryFacts
    tags: Sequence[str] = ()
    """All tags in the registry."""
    offered: Sequence[str] = ()
    """Those that are no attachments."""
    asked: Sequence[str] = ()
    """Those to request."""
    chosen: Collection[str] = ()
    """Those that may be labels, if the page selects versions of the registry."""
    failed: bool = False
    """Whether a response could not be used."""
    unlisted: Sequence[VersionFacts] = ()
    """Versions in the registry that the item does not list."""
    learned: dict[str, Learned] = {}
    """Digest → what was read in this run; version → the same for a classic repository."""

    def names(self, tags: Iterable[str]) -> list[str]:
        """Return the label of tags with the same digest, and the others; empty if none may be a label."""
        if self.item.choice is None:
            return label_first(tags)
        labels = label_first(tag for tag in tags if tag in self.chosen)[:1]
        others = sorted({*tags}.difference(labels))
        if self.item.is_chart:
            labels = [label.replace("_", "+") for label in labels]
        return [*labels, *others] if labels else []

    @property
    def versions(self) -> Sequence[VersionFacts]:
        """The versions in the file."""
        return self.before.versions

    def item_of(self, facts: VersionFacts | None) -> ItemFacts | None:
        """Return what a version says of the item; None if it has to be read."""
        if facts is None:
            return None
        learned = self.learned.get(facts.digest) or self.learned.get(facts.version)
        if learned and learned.item:
            return learned.item
        before = next((old for old in self.versions if old.version == self.before.newest), None)
        return self.before if before and facts.digest and before.digest == facts.digest else None

    def newest(self, versions: Sequence[VersionFacts]) -> VersionFacts | None:
        """Return the newest of these versions; None without any."""
        label = self.item.order.newest(versions)
        return next((facts for facts in versions if facts.version == label), None)

    def tags_of(self, facts: VersionFacts) -> tuple[str, ...]:
        """Return all tags of a version. The version of a chart is not a tag."""
        return facts.tags if self.item.is_chart else (facts.version, *facts.tags)


class Sync:
    """A run over the images and charts in registries; use it as a context manager.

    Hosts do not wait for each other.
    """

    def __init__(
        self,
        registries: Registries,
        output: Output,
        folder: str,
        *,
        prune: bool = False,
    ) -> None:
        """`folder` has the files, relative to mkdocs.yml."""
        self._registries, self._output, self._folder = registries, output, folder
        self._prune = prune
        self._pools: list[ThreadPoolExecutor] = []
        self._day = now().date()
        self._left_out: list[str] = []

    def __enter__(self) -> Sync:
        return self

    def __exit__(self, exception: object, *_: object) -> None:
        if exception:
            self._registries.client.stop()
        for pool in self._pools:
            pool.shutdown(cancel_futures=True)

    def run(self, items: Iterable[Item]) -> Iterator[str]:
        """Request all items in parallel. Yields the slug of each finished item."""
        hosts = defaultdict[str, list[Item]](list)
        for item in items:
            hosts[item.host].append(item)
        finished = SimpleQueue[str | None]()
        pool = self._pool(max(len(hosts), 1))
        futures = [pool.submit(self._host, host, items, finished.put) for host, items in hosts.items()]
        for _ in futures:
            yield from iter(finished.get, None)
        for future in futures:
            future.result()

    def convert(self) -> None:
        """Convert the files of earlier releases that the run did not write, as those of former items."""
        for kind in ("images", "charts"):
            for path in sorted((self._output.root / self._folder / kind).glob("*.json")):
                name = f"{self._folder}/{kind}/{path.name}"
                with suppress(OSError, ValueError, RecursionError):  # a build names a file that can't be read
                    body = read_file(path)
                    if is_earlier(body) and name not in self._output.changes and self._output.writable(name):
                        self._output.write(name, body, encode(converted(body)))

    def note_left_out(self) -> None:
        """Add one note on the tags that are not listed."""
        self._output.problems.extend(note_unlisted(self._folder, self._left_out))

    def _pool(self, size: int = PARALLEL) -> ThreadPoolExecutor:
        self._pools.append(ThreadPoolExecutor(size))
        return self._pools[-1]

    def _host(self, host: str, items: Sequence[Item], finish: Callable[[str | None], None]) -> None:
        """Request the items of a host: first the tags of all repositories, then digests."""
        try:
            requests, repositories = self._pool(), self._pool()
            states = []
            for item, state in zip(items, requests.map(self._begin, items), strict=True):
                if state:
                    states.append(state)
                else:
                    finish(item.slug)
            futures = {repositories.submit(self._repository, state, requests): state for state in states}
            for future in as_completed(futures):
                future.result()
                finish(futures[future].item.slug)
        finally:
            finish(None)

    def _begin(self, item: Item) -> _State | None:
        """List the tags of a repository; None if that was all."""
        state = self._read(item)
        if state is None:
            return None
        try:
            if item.is_classic:
                self._classic(state)
                return None
            state.tags = self._registries.tags(item.repository)
        except NoAnswerError as error:
            self._lost(state, error)
            return None
        state.offered = self._distinct(state, [tag for tag in state.tags if not learn.is_attachment(tag)])
        if not state.offered:
            message = f"{item.repository.domain} has no tags of {item.name}"
            self._lost(state, NoAnswerError(message, 404))
            return None
        if item.choice is None:
            state.asked = self._listed_tags(item, state.offered)
        elif not self._select(state, item.choice):
            return None
        return state

    def _select(self, state: _State, choice: Choice) -> bool:
        """Select the tags to request: those that are versions, and their other names. Returns whether there
        are any, or saves the item without versions.
        """
        tags, image = state.offered, state.item.name.rpartition("/")[2]
        labels = {tag: tag.replace("_", "+") if state.item.is_chart else tag for tag in tags}
        chosen = {*choice.values.versions(labels.values(), image)}
        state.chosen = {tag for tag, label in labels.items() if label in chosen}
        names = {*other_names(tags, state.chosen)} | state.chosen
        state.offered = state.asked = [tag for tag in tags if tag in names]
        left_out = [tag for tag in tags if tag not in names]
        if state.chosen:
            self._left_out += [f"{tag} of {state.item.name}" for tag in left_out]
            return True
        message = f"no tag is a version: {some(tags)}"
        hint = "list those that are with `tags` under `versions`"
        self._warn(state.item, ("versions",), message, hint, group=f"no tag is a version ({hint})")
        if not state.versions or self._prune:
            self._save(state, ())
        return False

    def _distinct(self, state: _State, tags: Iterable[str]) -> list[str]:
        """Return the tags, only one of those that differ only in case, with a warning about the others."""
        on_page = {tag for version in state.item.listed or () for tag in version.tags}
        in_file = {tag for version in state.versions for tag in state.tags_of(version)}
        chosen: dict[str, str] = {}
        ordered = sorted(tags, key=lambda tag: (tag not in on_page, tag not in in_file, tag))
        for tag in ordered:
            chosen.setdefault(tag.lower(), tag)
        for tag in ordered:
            if (other := chosen[tag.lower()]) != tag:
                message = f"not used: the tag {tag}, which differs from {other} only in case"
                self._warn(state.item, (), message, f"delete one of them in {state.item.host}")
        return sorted(chosen.values())

    def _listed_tags(self, item: Item, tags: Collection[str]) -> list[str]:
        """Return the tags that are on the page, and `latest`, which may be another name of a version. Warns
        about versions without a tag in the registry.
        """
        asked: dict[str, None] = {}
        for version in item.listed or ():
            present = [tag for tag in version.tags if tag in tags]
            asked |= dict.fromkeys(present)
            if not present:
                message = f"{item.host} has no tag {version.tags[0]} of {item.name}"
                self._warn(item, ("versions", version.position), message, "push it, or correct the version")
        return list(asked | dict.fromkeys({_LATEST}.intersection(tags)))

    def _lost(self, state: _State, error: NoAnswerError) -> None:
        """Handle an unavailable repository: keep the existing data, or remove it with `prune`."""
        if error.status == 404 and self._prune and state.versions:
            self._save(state, ())
        elif error.status in (401, 403):
            host = state.item.host
            self._fail(state, error, f"{host}: access denied ({self._registries.login_hint(host)})")
        elif error.status == 404:
            hint = "check `registry` in mkdocs.yml and the references; private ones also need a login"
            self._fail(state, error, f"{state.item.host}: repositories not found, or without tags ({hint})")
        else:
            self._fail(state, error)

    def _repository(self, state: _State, requests: ThreadPoolExecutor) -> None:
        """Request the digest of each tag, and read new digests."""
        item = state.item
        before = {
            tag: version.digest
            for version in (*state.before.unlisted, *state.versions)
            for tag in state.tags_of(version)
            if version.digest and not (version.gone and tag != version.version)
        }
        digests = {tag: digest for tag in state.offered if (digest := before.get(tag))}
        answers = {tag: requests.submit(self._registries.digest, item.repository, tag) for tag in state.asked}
        digests |= self._results(state, answers)
        wanted = self._listed(state, digests)
        known: dict[str, VersionFacts] = {facts.digest: facts for facts in state.versions if facts.digest}
        parts = _parts(known[digest] for digest in wanted.values() if digest in known)
        reads: dict[str, Future[Learned | None]] = {}
        read: Callable[..., Learned | None] = learn.chart if item.is_chart else learn.image
        for digest in dict.fromkeys(wanted[tag] for tag in state.asked if tag in wanted):
            facts = known.get(digest)
            if item.choice and digest in parts:
                continue
            if facts is None or not (item.is_chart or facts.config):
                reads[digest] = requests.submit(read, self._registries, item.repository, digest, state.tags)
            elif facts.signature is None:
                reads[digest] = requests.submit(
                    learn.refreshed, facts, self._registries, item.repository, state.tags
                )
        kind, other = "a chart" if item.is_chart else "an image", ""
        for number, (digest, learned) in enumerate(self._results(state, reads), 1):
            if learned is None:
                other = digest
                self._note(item, f"{item.repository.repository}@{digest} is not {kind}")
                continue
            known[digest], state.learned[digest] = learned.facts, learned
            if number % _SAVED_AFTER == 0:
                versions = self._combined(state, known, wanted, before)
                self._output.save(state.name, encode(self._facts(state, versions)))
        versions = self._combined(state, known, wanted, before)
        if other and not versions:
            self._is_other(item, other, kind)
        newest = state.newest(versions)
        if newest and not newest.gone and state.item_of(newest) is None:  # it was known, but not the newest
            again = requests.submit(read, self._registries, item.repository, newest.digest, state.tags)
            for digest, learned in self._results(state, {newest.digest: again}):
                state.learned |= {digest: learned} if learned else {}
        self._save(state, versions)
        self._check_digests(item, digests, known)

    def _is_other(self, item: Item, digest: str, kind: str) -> None:
        """Add an error for a repository of another kind; `digest` is one that it has."""
        message, hint = f"no tag of {item.name} belongs to {kind}", "delete this page"
        with suppress(NoAnswerError):
            found = learn.kind(self._registries, item.repository, digest)
            if found == "chart" and not item.is_chart:
                message = f"{item.name} is a Helm chart, not an image"
                hint = f"delete this page, and run `catalog-api new chart oci://{item.name}`"
            if found == "image" and item.is_chart:
                message = f"{item.name} is an image, not a Helm chart"
                hint = f"delete this page, and run `catalog-api new image {item.name}`"
        self._output.problems.add(_problem(item, (), message, hint, Level.ERROR))

    def _listed(self, state: _State, digests: Mapping[str, str]) -> Mapping[str, str]:
        """Return tag → digest of the versions that the item lists. `state.unlisted` gets the others."""
        choice = state.item.choice
        if choice is None:
            on_page = {tag for version in state.item.listed for tag in version.tags}
            named = {digest for tag, digest in digests.items() if tag != _LATEST or tag in on_page}
            return {tag: digest for tag, digest in digests.items() if digest in named}
        by_digest = _grouped(digests)
        groups = {digest: names for digest, tags in by_digest.items() if (names := state.names(tags))}
        others = (tag for digest, tags in by_digest.items() if digest not in groups for tag in tags)
        self._left_out += [f"{tag} of {state.item.name}" for tag in others]
        labels = choice.listed([*groups.values()])
        manifests = {facts.digest: facts.manifests for facts in (*state.before.unlisted, *state.versions)}
        state.unlisted = [
            VersionFacts(label, digest, tuple(tags), manifests.get(digest, ()))
            for digest, (label, *tags) in groups.items()
            if label not in labels
        ]
        listed_digests = groups.keys() - {facts.digest for facts in state.unlisted}
        return {tag: digest for tag, digest in digests.items() if digest in listed_digests}

    def _results(self, state: _State, futures: Mapping[str, Future[T]]) -> Iterator[tuple[str, T]]:
        """Yield the result of each request. Adds a problem for each failure."""
        for name, future in futures.items():
            try:
                yield name, future.result()
            except NoManifestError as error:
                hint = "delete the tag, or push it again"
                group = f"listed tags without a manifest that can be read ({hint})"
                self._warn(state.item, (), str(error), hint, group=group)
            except NoAnswerError as error:
                self._fail(state, error)

    def _combined(
        self,
        state: _State,
        known: Mapping[str, VersionFacts],
        digests: Mapping[str, str],
        before: Mapping[str, str],
    ) -> tuple[VersionFacts, ...]:
        """Return all versions: each digest with its tags, and the removed versions."""
        usable: dict[str, str] = {}
        for tag, digest in digests.items():
            readable = digest if digest in known else before.get(tag, "")
            if readable in known:
                usable[tag] = readable
        groups = _grouped(usable)
        parts = _parts(known[digest] for digest in groups) if state.item.choice else set[str]()
        tags_of_parts = {digest: tuple(sorted(names)) for digest, names in _grouped(digests).items()}
        versions: dict[str, VersionFacts] = {}
        covered: set[str] = set()
        for digest, names in sorted(groups.items(), key=lambda group: min(group[1])):
            facts = known[digest]
            if digest in parts:
                continue
            if not state.item.is_chart:
                if not (ordered := state.names(names)):
                    continue  # a moved `latest` whose new digest can't be read
                label, *others = ordered
                manifests = tuple(
                    replace(part, tags=tags_of_parts.get(part.digest, ())) if part.digest in parts else part
                    for part in facts.manifests
                )
                facts = replace(facts, manifests=manifests)
            else:
                label, others = facts.version, sorted(names)
                if label in versions and _chart_tag(label) not in others:
                    self._note(state.item, f"not used: {others[0]} is another chart with version {label}")
                    continue
            covered |= {label, *others}
            versions[label] = replace(facts, version=label, tags=tuple(others), gone=False)
        return self._with_gone(state, versions, covered)

    def _with_gone(
        self, state: _State, versions: Mapping[str, VersionFacts], covered: Collection[str]
    ) -> tuple[VersionFacts, ...]:
        """Return the versions and those on the page that were removed from the registry, sorted."""
        result, present = dict(versions), {tag.lower() for tag in (*versions, *covered)}
        for facts in state.versions:
            if facts.version.lower() in present or self._prune or state.item.choice:
                continue
            tags = tuple(tag for tag in facts.tags if tag.lower() not in present)
            result[facts.version] = replace(facts, tags=tags, gone=True)
        return tuple(facts for _, facts in sorted(result.items()))

    def _classic(self, state: _State) -> None:
        """Read the index of a classic chart repository."""
        item = state.item
        body = self._registries.chart_index(item.reference)
        state.learned = learn.classic_chart(body, item.slug, item.reference)
        offered = {version: state.learned[version].facts for version in self._distinct(state, state.learned)}
        wanted = offered
        if item.choice is None:
            asked = self._listed_tags(item, {_chart_tag(version) for version in offered})
            wanted = {version: facts for version, facts in offered.items() if _chart_tag(version) in asked}
        kept = [facts for facts in state.versions if facts.version in offered]
        versions = {facts.version: replace(facts, gone=False) for facts in kept} | wanted
        self._save(state, self._with_gone(state, versions, versions))
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
            present = {digests[tag], *(part.digest for part in (facts.manifests if facts else ()))}
            for digest in version.digests:
                if digest not in present:
                    released = f", released {facts.released}" if facts and facts.released else ""
                    message = f"{item.name}:{tag} is {digests[tag]} in the registry{released}, not {digest}"
                    hint = "if the new digest is yours, correct or remove the digest on the page"
                    self._warn(item, ("versions", version.position, "digest"), message, hint, Code.MOVED_TAG)

    def _read(self, item: Item) -> _State | None:
        """Return the data of an item. If its file is invalid, return None and add a problem."""
        name = f"{self._folder}/{'charts' if item.is_chart else 'images'}/{item.slug}.json"
        if not self._output.writable(name):
            return None
        try:
            body = read_file(self._output.root / name)
            return _State(item, name, body, _decoded(body))
        except FileNotFoundError:
            return _State(item, name, b"", item.facts(()))
        except (OSError, ValueError, RecursionError) as error:
            message = reason(error) if isinstance(error, OSError) else decoding_reason(error)
            hint = "restore it from git, or delete it and run `catalog-api sync` again"
            self._output.problems.add(
                Problem(name, 0, 0, "", f"can't be read: {message}", hint, code=Code.NOT_READ)
            )
            return None

    def _facts(self, state: _State, versions: tuple[VersionFacts, ...]) -> RegistryFacts:
        """Return the content of the file with these versions."""
        oldest = (self._day - _FORGOTTEN_AFTER).isoformat() if self._prune else ""
        unlisted = tuple(sorted(state.unlisted, key=lambda facts: facts.version))
        former = former_after(state.before, (*versions, *unlisted), self._day.isoformat(), oldest)
        newest = state.newest(versions)
        file, label = state.item.facts(versions, unlisted, former), newest.version if newest else None
        return with_item(file, label, state.item_of(newest))

    def _save(self, state: _State, versions: tuple[VersionFacts, ...]) -> None:
        """Write the file if it changes."""
        item, facts = state.item, self._facts(state, versions)
        for version in versions:
            if version.gone:
                message = f"{version.version} was removed from {item.name}, and is marked as gone"
                self._warn(item, (), message, "run `catalog-api sync --prune` to remove it")
            for part in version.manifests:
                if part.size is None and not version.gone:
                    message = f"{item.name}:{version.version} has no manifest for {part.platform} any more"
                    self._warn(item, (), message, "push it again, as it can't be pulled for that platform")
        self._warn_of_unused(state, state.newest(versions))
        is_empty = not (versions or state.body or (item.choice and not state.failed))
        body = b"" if is_empty else encode(facts)
        self._output.write(state.name, state.body, body, _changes(state.before, facts))

    def _warn_of_unused(self, state: _State, newest: VersionFacts | None) -> None:
        """Warn of values of the item that this run read, and that a page could not have."""
        learned = state.learned.get(newest.digest) or state.learned.get(newest.version) if newest else None
        for field, why, hint in learned.unused if learned else ():
            message = f"not used: `{field}` in the registry: {why}"
            hint = f"correct it there, or set `{field}` on the page" + (f"; {hint}" if hint else "")
            self._warn(state.item, (field,), message, hint, Code.WRONG_VALUE)

    def _fail(self, state: _State, error: NoAnswerError, group: str = "") -> None:
        """Add an error. Errors of one group, by default those of one item, share a line if there are many."""
        state.failed = True
        kept = "the existing data is kept" if state.versions else ""
        hint = "; ".join(filter(None, (error.hint, kept)))
        group = group or f"{state.item.name}: no usable responses of the registry"
        self._output.fail(error, _problem(state.item, (), error.message, hint, Level.ERROR, group=group))

    def _warn(
        self,
        item: Item,
        path: Sequence[str | int],
        message: str,
        hint: str,
        code: Code = Code.REGISTRY,
        *,
        group: str = "",
    ) -> None:
        self._output.problems.add(_problem(item, path, message, hint, code=code, group=group))

    def _note(self, item: Item, message: str) -> None:
        group = f"{item.name}: unused tags"
        self._output.problems.add(_problem(item, (), message, "", Level.INFO, group=group))


def _decoded(body: bytes) -> RegistryFacts:
    """Return the content of a file, also of one of an earlier release."""
    try:
        return decode(body)
    except RefusedError:
        return converted(body)


def _problem(
    item: Item,
    path: Sequence[str | int],
    message: str,
    hint: str,
    level: Level = Level.WARNING,
    *,
    group: str = "",
    code: Code = Code.REGISTRY,
) -> Problem:
    """Return a problem of a field, by default of the reference."""
    message = message if item.name in message else f"{item.name}: {message}"
    field = path or (("chart",) if item.is_chart else ("image",))
    return item.raw.problem(field, message, hint, level, code=code, group=group)


def _grouped(digests: Mapping[str, str]) -> dict[str, list[str]]:
    """Return digest → its tags."""
    groups: dict[str, list[str]] = {}
    for tag, digest in digests.items():
        groups.setdefault(digest, []).append(tag)
    return groups


def _parts(versions: Iterable[VersionFacts]) -> set[str]:
    """Return the digests of the manifests of indexes."""
    return {part.digest for facts in versions for part in facts.manifests if part.digest != facts.digest}


def _chart_tag(version: str) -> str:
    """Return the tag of a chart's version, with `_` for `+`."""
    return version.replace("+", "_")


def _changes(before: RegistryFacts, after: RegistryFacts) -> Iterator[str]:
    """Yield the versions that differ: `+ 1.2`, `- 1.1`, `~ 1.0`, the last form with different digests. Then
    the former digests that are forgotten.
    """
    old, new = ({facts.version: facts for facts in file.versions} for file in (before, after))
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
    kept = {(facts.version, facts.digest) for facts in after.versions}
    kept |= {(former.version, former.digest) for former in after.former}
    for former in before.former:
        if (former.version, former.digest) not in kept:
            yield f"- {former.version} of {former.digest}, former since {former.until}"
