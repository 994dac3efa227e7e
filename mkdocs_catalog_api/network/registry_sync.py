"""Writes the data of registries on images and charts to the files that a build reads.

A known digest is not requested again. Existing data is kept if a registry, repository, tag or response is
missing. `prune` removes versions that were removed from the registry.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from queue import SimpleQueue
from typing import TypeVar

from msgspec.structs import replace

from ..authored.clock import now
from ..authored.folders import read_file
from ..authored.from_registry import FromRegistry, note_unlisted, some
from ..items.registry_facts import (
    FORGOTTEN_AFTER,
    ItemFacts,
    RegistryFacts,
    VersionFacts,
    decode,
    encode,
    former_after,
)
from ..items.version_tags import label_first, other_names
from ..problems import Level, Problem, reason
from ..problems.codes import Code
from ..problems.decoding import decoding_reason
from . import learn
from .annotations import Learned, with_item
from .client import PARALLEL, NoAnswerError
from .orders import Item
from .output import Output
from .registry import NoManifestError, Registries

_LATEST = "latest"

T = TypeVar("T")


class Sync:
    """A run over the images and charts in registries; use it as a context manager.

    Hosts do not wait for each other.
    """

    def __init__(self, registries: Registries, output: Output, folder: str, *, prune: bool = False) -> None:
        """`folder` has the files, relative to mkdocs.yml."""
        self.registries, self.output, self.folder, self.prune = registries, output, folder, prune
        self.day = now().date()
        self.left_out: list[str] = []
        self._pools: list[ThreadPoolExecutor] = []

    def __enter__(self) -> Sync:
        return self

    def __exit__(self, exception: object, *_: object) -> None:
        if exception:
            self.registries.client.stop()
        for pool in self._pools:
            pool.shutdown(cancel_futures=True)

    def run(self, items: Iterable[Item]) -> Iterator[str]:
        """Request all items in parallel. Yields the slug of each finished item."""
        hosts = defaultdict[str, list[Item]](list)
        for item in items:
            hosts[item.host].append(item)
        finished = SimpleQueue[str | None]()
        pool = self._pool(max(len(hosts), 1))
        futures = [pool.submit(self._host, items, finished.put) for items in hosts.values()]
        for _ in futures:
            yield from iter(finished.get, None)
        for future in futures:
            future.result()
        self.output.problems.extend(note_unlisted(self.folder, self.left_out))

    def _pool(self, size: int = PARALLEL) -> ThreadPoolExecutor:
        self._pools.append(ThreadPoolExecutor(size))
        return self._pools[-1]

    def _host(self, items: Iterable[Item], finish: Callable[[str | None], None]) -> None:
        """Request the items of a host: first the tags of all repositories, then digests."""
        try:
            requests, repositories = self._pool(), self._pool()
            visits = [_Visit(self, item) for item in items]
            futures = {}
            for visit, has_tags in zip(visits, [*requests.map(_Visit.list_tags, visits)], strict=True):
                if has_tags:
                    futures[repositories.submit(visit.read_digests, requests)] = visit
                else:
                    finish(visit.item.slug)
            for future in as_completed(futures):
                future.result()
                finish(futures[future].item.slug)
        finally:
            finish(None)


class _Visit:
    """One image or chart during a run: what its file had before, and what its registry says now."""

    def __init__(self, run: Sync, item: Item) -> None:
        self.item = item
        self._run, self._registries, self._output = run, run.registries, run.output
        self._name = f"{run.folder}/{'charts' if item.is_chart else 'images'}/{item.slug}.json"
        self._body = b""
        """The file's content before the run."""
        self._before = item.facts(())
        self._tags: Sequence[str] = ()
        """All tags in the registry."""
        self._offered: Sequence[str] = ()
        """Those that are no attachments."""
        self._asked: Sequence[str] = ()
        """Those to request."""
        self._chosen: Collection[str] = ()
        """Those that may be labels, if the page selects versions of the registry."""
        self._unlisted: Sequence[VersionFacts] = ()
        """Versions in the registry that the item does not list."""
        self._learned: dict[str, Learned] = {}
        """Digest → what was read in this run; version → the same for a classic repository."""
        self._failed = False
        """Whether a response could not be used."""

    @property
    def _versions(self) -> Sequence[VersionFacts]:
        """The versions in the file."""
        return self._before.versions

    def list_tags(self) -> bool:
        """List the tags of the repository. Returns whether there are any whose digests are wanted."""
        if not self._read_file():
            return False
        item = self.item
        try:
            if item.is_classic:
                self._classic()
                return False
            self._tags = self._registries.tags(item.repository)
        except NoAnswerError as error:
            self._lost(error)
            return False
        self._offered = [tag for tag in self._tags if not learn.is_attachment(tag)]
        if not self._offered:
            self._lost(NoAnswerError(f"{item.repository.domain} has no tags of {item.name}", 404))
            return False
        if item.choice is not None:
            return self._select(item.choice)
        self._asked = self._listed_tags(self._offered)
        return True

    def _read_file(self) -> bool:
        """Read the item's file. If it is invalid, add a problem and return False."""
        if not self._output.writable(self._name):
            return False
        try:
            self._body = read_file(self._output.root / self._name)
            self._before = decode(self._body)
        except FileNotFoundError:
            pass
        except (OSError, ValueError, RecursionError) as error:
            message = reason(error) if isinstance(error, OSError) else decoding_reason(error)
            hint = "restore it from git, or delete it and run `catalog-api sync` again"
            problem = Problem(self._name, 0, 0, "", f"can't be read: {message}", hint, code=Code.NOT_READ)
            self._output.problems.add(problem)
            return False
        return True

    def _select(self, choice: FromRegistry) -> bool:
        """Select the tags to request: those that are versions, and their other names. Returns whether there
        are any, or saves the item without versions.
        """
        tags, image = self._distinct(self._offered), self.item.name.rpartition("/")[2]
        labels = {tag: tag.replace("_", "+") if self.item.is_chart else tag for tag in tags}
        chosen = {*choice.versions(labels.values(), image)}
        self._chosen = {tag for tag, label in labels.items() if label in chosen}
        names = {*other_names(tags, self._chosen)} | self._chosen
        self._offered = self._asked = [tag for tag in tags if tag in names]
        if self._chosen:
            self._run.left_out += [f"{tag} of {self.item.name}" for tag in tags if tag not in names]
            return True
        hint = "to list one, set `versions: {from: registry, tags: …}` on its page"
        group = f"no tag is a version ({hint})"
        self._warn(("versions",), f"no tag is a version: {some(tags)}", hint, group=group)
        if not self._versions or self._run.prune:
            self._save(())
        return False

    def _distinct(self, tags: Iterable[str]) -> list[str]:
        """Return the tags, sorted: of those that differ only in case the first, with a warning."""
        chosen: dict[str, str] = {}
        for tag in sorted(tags):
            if (first := chosen.setdefault(tag.lower(), tag)) != tag:
                message = f"not used: the tag {tag}, which differs from {first} only in case"
                self._warn((), message, f"delete one of them in {self.item.host}")
        return [*chosen.values()]

    def _listed_tags(self, tags: Collection[str]) -> list[str]:
        """Return the tags that are on the page, and `latest`, which may be another name of a version. Warns
        about versions without a tag in the registry.
        """
        asked: dict[str, None] = {}
        for version in self.item.listed:
            present = [tag for tag in version.tags if tag in tags]
            asked |= dict.fromkeys(present)
            if not present:
                message = f"{self.item.host} has no tag {version.tags[0]} of {self.item.name}"
                self._warn(("versions", version.position), message, "push it, or correct the version")
        return list(asked | dict.fromkeys({_LATEST}.intersection(tags)))

    def _lost(self, error: NoAnswerError) -> None:
        """Handle an unavailable repository: keep the existing data, or remove it with `prune`."""
        host = self.item.host
        if error.status == 404 and self._run.prune and self._versions:
            self._save(())
        elif error.status in (401, 403):
            self._fail(error, f"{host}: access denied ({self._registries.login_hint(host)})")
        elif error.status == 404:
            hint = "check `registry` in mkdocs.yml and the references; private ones also need a login"
            self._fail(error, f"{host}: repositories not found, or without tags ({hint})")
        else:
            self._fail(error)

    def read_digests(self, requests: ThreadPoolExecutor) -> None:
        """Request the digest of each tag, read new digests, and write the file."""
        item, repository = self.item, learn.Repository(self._registries, self.item.repository, self._tags)
        before = {
            tag: version.digest
            for version in (*self._before.unlisted, *self._versions)
            for tag in (version.tags if item.is_chart else (version.version, *version.tags))
            if version.digest and not (version.gone and tag != version.version)
        }
        digests = {tag: digest for tag in self._offered if (digest := before.get(tag))}
        answers = {tag: requests.submit(self._registries.digest, item.repository, tag) for tag in self._asked}
        digests |= self._results(answers)
        wanted = self._listed(digests)
        known: dict[str, VersionFacts] = {facts.digest: facts for facts in self._versions if facts.digest}
        parts = _parts(known[digest] for digest in wanted.values() if digest in known)
        reads: dict[str, Future[Learned | None]] = {}
        read = repository.chart if item.is_chart else repository.image
        for digest in dict.fromkeys(wanted[tag] for tag in self._asked if tag in wanted):
            facts = known.get(digest)
            if item.choice and digest in parts:
                continue
            if facts is None or not (item.is_chart or facts.config):
                reads[digest] = requests.submit(read, digest)
            elif facts.signature is None:
                reads[digest] = requests.submit(repository.refreshed, facts)
        other = ""
        for digest, learned in self._results(reads):
            if learned is None:
                other = digest
                group, kind = f"{item.name}: unused tags", "a chart" if item.is_chart else "an image"
                message = f"{item.repository.repository}@{digest} is not {kind}"
                self._warn((), message, "", group=group, level=Level.INFO)
            else:
                known[digest], self._learned[digest] = learned.facts, learned
                for message in learned.unusable:
                    hint = "correct it in the index and push it again"
                    self._warn((), f"{item.name}: {message}", hint, Code.WRONG_VALUE)
        versions = self._combined(known, wanted, before)
        if other and not versions:
            self._is_other(other)
        newest = self._newest(versions)
        if newest and not newest.gone and self._item_of(newest) is None:  # it was known, but not the newest
            again = requests.submit(read, newest.digest)
            for digest, learned in self._results({newest.digest: again}):
                self._learned |= {digest: learned} if learned else {}
        self._save(versions)
        self._check_digests(digests, known)

    def _is_other(self, digest: str) -> None:
        """Add an error for a repository of another kind; `digest` is one that it has."""
        name, is_chart = self.item.name, self.item.is_chart
        message = f"no tag of {name} belongs to {'a chart' if is_chart else 'an image'}"
        hint = "delete this page"
        with suppress(NoAnswerError):
            kind = learn.Repository(self._registries, self.item.repository).kind(digest)
            if kind == "chart" and not is_chart:
                message = f"{name} is a Helm chart, not an image"
                hint = f"delete this page, and run `catalog-api new chart oci://{name}`"
            if kind == "image" and is_chart:
                message = f"{name} is an image, not a Helm chart"
                hint = f"delete this page, and run `catalog-api new image {name}`"
        self._warn((), message, hint, level=Level.ERROR)

    def _listed(self, digests: Mapping[str, str]) -> Mapping[str, str]:
        """Return tag → digest of the versions that the item lists, and keep the others as unlisted."""
        choice = self.item.choice
        if choice is None:
            on_page = {tag for version in self.item.listed for tag in version.tags}
            named = {digest for tag, digest in digests.items() if tag != _LATEST or tag in on_page}
            return {tag: digest for tag, digest in digests.items() if digest in named}
        by_digest = _grouped(digests)
        groups = {digest: names for digest, tags in by_digest.items() if (names := self._names(tags))}
        others = (tag for digest, tags in by_digest.items() if digest not in groups for tag in tags)
        self._run.left_out += [f"{tag} of {self.item.name}" for tag in others]
        labels = self.item.chosen(choice, [*groups.values()])
        manifests = {facts.digest: facts.manifests for facts in (*self._before.unlisted, *self._versions)}
        self._unlisted = [
            VersionFacts(label, digest, tuple(tags), manifests.get(digest, ()))
            for digest, (label, *tags) in groups.items()
            if label not in labels
        ]
        listed_digests = groups.keys() - {facts.digest for facts in self._unlisted}
        return {tag: digest for tag, digest in digests.items() if digest in listed_digests}

    def _names(self, tags: Iterable[str]) -> list[str]:
        """Return the label of tags with the same digest, and the others; empty if none may be a label."""
        if self.item.choice is None:
            return label_first(tags)
        labels = label_first(tag for tag in tags if tag in self._chosen)[:1]
        others = sorted({*tags}.difference(labels))
        if self.item.is_chart:
            labels = [label.replace("_", "+") for label in labels]
        return [*labels, *others] if labels else []

    def _results(self, futures: Mapping[str, Future[T]]) -> Iterator[tuple[str, T]]:
        """Yield the result of each request. Adds a problem for each failure."""
        for name, future in futures.items():
            try:
                yield name, future.result()
            except NoManifestError as error:
                hint = "delete the tag, or push it again"
                group = f"listed tags without a manifest that can be read ({hint})"
                self._warn((), str(error), hint, group=group)
            except NoAnswerError as error:
                self._fail(error)

    def _combined(
        self, known: Mapping[str, VersionFacts], digests: Mapping[str, str], before: Mapping[str, str]
    ) -> tuple[VersionFacts, ...]:
        """Return all versions: each digest with its tags, and the removed versions."""
        usable: dict[str, str] = {}
        for tag, digest in digests.items():
            readable = digest if digest in known else before.get(tag, "")
            if readable in known:
                usable[tag] = readable
        groups = _grouped(usable)
        parts = _parts(known[digest] for digest in groups) if self.item.choice else set[str]()
        tags_of_parts = {digest: tuple(sorted(names)) for digest, names in _grouped(digests).items()}
        versions: dict[str, VersionFacts] = {}
        covered: set[str] = set()
        for digest, names in sorted(groups.items(), key=lambda group: min(group[1])):
            facts = known[digest]
            if digest in parts:
                continue
            if not self.item.is_chart:
                if not (ordered := self._names(names)):
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
                    message = f"not used: {others[0]} is another chart with version {label}"
                    group = f"{self.item.name}: unused tags"
                    self._warn((), message, "", group=group, level=Level.INFO)
                    continue
            covered |= {label, *others}
            versions[label] = replace(facts, version=label, tags=tuple(others), gone=False)
        return self._with_gone(versions, covered)

    def _with_gone(
        self, versions: Mapping[str, VersionFacts], covered: Collection[str]
    ) -> tuple[VersionFacts, ...]:
        """Return the versions and those on the page that were removed from the registry, sorted."""
        result, present = dict(versions), {tag.lower() for tag in (*versions, *covered)}
        for facts in self._versions:
            if facts.version.lower() in present or self._run.prune or self.item.choice:
                continue
            tags = tuple(tag for tag in facts.tags if tag.lower() not in present)
            result[facts.version] = replace(facts, tags=tags, gone=True)
        return tuple(facts for _, facts in sorted(result.items()))

    def _classic(self) -> None:
        """Read the index of a classic chart repository."""
        item = self.item
        body = self._registries.chart_index(item.reference)
        self._learned = learn.classic_chart(body, item.slug, item.reference)
        offered = {version: self._learned[version].facts for version in self._distinct(self._learned)}
        wanted = offered
        if item.choice is None:
            asked = self._listed_tags({_chart_tag(version) for version in offered})
            wanted = {version: facts for version, facts in offered.items() if _chart_tag(version) in asked}
        kept = [facts for facts in self._versions if facts.version in offered]
        versions = {facts.version: replace(facts, gone=False) for facts in kept} | wanted
        self._save(self._with_gone(versions, versions))
        digests = {_chart_tag(facts.version): facts.digest for facts in wanted.values() if facts.digest}
        self._check_digests(digests, {})

    def _check_digests(self, digests: Mapping[str, str], known: Mapping[str, VersionFacts]) -> None:
        """Warn if the digest on the page differs from the digest of that tag in the registry."""
        for version in self.item.listed:
            tag = next((tag for tag in version.tags if tag in digests), None)
            if tag is None:
                continue
            facts, name = known.get(digests[tag]), self.item.name
            present = {digests[tag], *(part.digest for part in (facts.manifests if facts else ()))}
            for digest in version.digests:
                if digest not in present:
                    released = f", released {facts.released}" if facts and facts.released else ""
                    message = f"{name}:{tag} is {digests[tag]} in the registry{released}, not {digest}"
                    hint = "if the new digest is yours, correct or remove the digest on the page"
                    self._warn(("versions", version.position, "digest"), message, hint, Code.MOVED_TAG)

    def _newest(self, versions: Sequence[VersionFacts]) -> VersionFacts | None:
        """Return the newest of these versions; None without any."""
        label = self.item.order.newest(versions)
        return next((facts for facts in versions if facts.version == label), None)

    def _item_of(self, facts: VersionFacts | None) -> ItemFacts | None:
        """Return what a version says of the item; None if it has to be read."""
        if facts is None:
            return None
        learned = self._learned.get(facts.digest) or self._learned.get(facts.version)
        if learned and learned.item:
            return learned.item
        before = next((old for old in self._versions if old.version == self._before.newest), None)
        return self._before if before and facts.digest and before.digest == facts.digest else None

    def _save(self, versions: tuple[VersionFacts, ...]) -> None:
        """Write the file if it changes, and warn about what no page could use."""
        item, newest = self.item, self._newest(versions)
        for version in versions:
            if version.gone:
                message = f"{version.version} was removed from {item.name}, and is marked as gone"
                self._warn((), message, "run `catalog-api sync --prune` to remove it")
            for part in version.manifests:
                if part.size is None and not version.gone:
                    message = f"{item.name}:{version.version} has no manifest for {part.platform} any more"
                    self._warn((), message, "push it again, as it can't be pulled for that platform")
        learned = self._learned.get(newest.digest) or self._learned.get(newest.version) if newest else None
        for field, why, hint in learned.unused if learned else ():
            message = f"not used: `{field}` in the registry: {why}"
            hint = f"correct it there, or set `{field}` on the page" + (f"; {hint}" if hint else "")
            self._warn((field,), message, hint, Code.WRONG_VALUE)
        day, prune = self._run.day, self._run.prune
        oldest = (day - FORGOTTEN_AFTER).isoformat() if prune else ""
        unlisted = tuple(sorted(self._unlisted, key=lambda facts: facts.version))
        former = former_after(self._before, (*versions, *unlisted), day.isoformat(), oldest)
        file = item.facts(versions, unlisted, former)
        facts = with_item(file, newest.version if newest else None, self._item_of(newest))
        is_empty = not (versions or self._body or (item.choice and not self._failed))
        body = b"" if is_empty else encode(facts)
        self._output.write(self._name, self._body, body, _changes(self._before, facts))

    def _fail(self, error: NoAnswerError, group: str = "") -> None:
        """Add an error. Errors of one group, by default those of one item, share a line if there are many."""
        self._failed = True
        kept = "the existing data is kept" if self._versions else ""
        hint = "; ".join(filter(None, (error.hint, kept)))
        group = group or f"{self.item.name}: no usable responses of the registry"
        self._output.fail(error, self._problem((), error.message, hint, group=group, level=Level.ERROR))

    def _warn(
        self,
        path: Sequence[str | int],
        message: str,
        hint: str,
        code: Code = Code.REGISTRY,
        *,
        group: str = "",
        level: Level = Level.WARNING,
    ) -> None:
        self._output.problems.add(self._problem(path, message, hint, code, group=group, level=level))

    def _problem(
        self,
        path: Sequence[str | int],
        message: str,
        hint: str,
        code: Code = Code.REGISTRY,
        *,
        group: str,
        level: Level,
    ) -> Problem:
        """Return a problem of a field, by default of the reference."""
        name = self.item.name
        message = message if name in message else f"{name}: {message}"
        field = path or (("chart",) if self.item.is_chart else ("image",))
        return self.item.raw.problem(field, message, hint, level, code=code, group=group)


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
