"""The versions of an item in their order, and what makes that order doubtful."""

from __future__ import annotations

from typing import TypeVar

from ..catalog.models import ChartEntry, ImageEntry
from ..catalog.versions import in_order, undecided
from ..problems import Level, Problems
from ..problems.codes import Code
from .messages import suggestion
from .pages import RawItem

V = TypeVar("V", ImageEntry, ChartEntry)


def newest_versions(entry: V, raw: RawItem, problems: Problems) -> V:
    """The entry with its versions newest first and `latest` filled in."""
    by_label: dict[str, int] = {}
    folded: dict[str, str] = {}
    for position, version in enumerate(entry.versions):
        label = version.version
        if label.casefold() in folded:
            message = f"the version {label!r} stands here twice"
            if folded[label.casefold()] != label:
                message = f"{label!r} and {folded[label.casefold()]!r} differ only in case"
            problems.add(raw.problem(("versions", position), message, "keep one of them", code=Code.TWICE))
        folded[label.casefold()] = label
        by_label[label] = position
    if isinstance(entry, ImageEntry):
        _check_tags(entry, raw, problems)
    if entry.latest is not None and entry.latest not in by_label:
        message = f"no version is called {entry.latest!r}"
        hint = suggestion(entry.latest, [*by_label], "it has") if by_label else "list it under `versions`"
        problems.add(raw.problem(("latest",), message, hint, code=Code.NEWEST))
        return entry
    labels = in_order(by_label, entry.latest)
    if entry.latest is None and undecided(labels):
        message = f"nothing says which version is the newest, so {labels[0]!r} stands for it"
        hint = "name the newest with `latest: …`"
        problems.add(raw.problem(("versions",), message, hint, Level.WARNING, code=Code.NEWEST))
    versions = [entry.versions[by_label[label]] for label in labels]
    return entry.model_copy(update={"versions": versions, "latest": labels[0] if labels else None})


def _check_tags(entry: ImageEntry, raw: RawItem, problems: Problems) -> None:
    """A tag names one release, whether it is a label or another tag."""
    labels = {version.version for version in entry.versions}
    named: dict[str, str] = {}
    for position, version in enumerate(entry.versions):
        for place, tag in enumerate(version.tags):
            if tag in labels:
                message = f"{tag!r} is the label of a version"
            elif (other := named.setdefault(tag, version.version)) != version.version:
                message = f"the tag {tag!r} is one of version {other!r}"
            else:
                continue
            path, hint = (
                ("versions", position, "tags", place),
                "a tag belongs to one release: keep one of them",
            )
            problems.add(raw.problem(path, message, hint, code=Code.TWICE))
