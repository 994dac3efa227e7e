"""The sentence that answers on the page of an item for each version: use it, until when, how fresh.

Times are those of the catalog. The script compares them with the reader's clock, and shows another headline
if support has ended or the scan has become too old since the build.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Literal, NamedTuple, TypeAlias

from ..authored.settings import DEFAULT_MAX_AGE
from ..catalog.value import Image, Pin, PinningItem, Release
from ..catalog.verdict import Concern, concerns
from ..items.collections import COLLECTIONS
from .overview import counted, thousands

State: TypeAlias = Literal["good", "fair", "bad", "unknown"]


class Verdict(NamedTuple):
    """The answer for an item, in parts."""

    state: State
    headline: str
    remarks: Sequence[str] = ()
    """Further sentences, the worst first."""
    ends: str | None = None
    """Day on which the support ends."""
    ended: bool = False
    """Whether that day is before the newest scan of the catalog."""
    scanned: str | None = None
    """Time of the oldest scan on which the answer depends."""
    details: Sequence[str] = ()
    """Parts of a sentence that begins with the scan: `signed with Cosign`."""
    if_ended: str = ""
    """Headline for a reader after the end of support; empty if the headline stays."""
    if_stale: str = ""
    """Headline for a reader after the scan has become too old; empty if the headline stays."""


class _Remark(NamedTuple):
    state: State
    text: str


def image_answer(
    image: Image, release: Release | None, users: Sequence[PinningItem], as_of: str, max_age: int | None
) -> Verdict:
    """The answer for a release, if any, of an image that `users` pin.

    `as_of` is a time that is certainly in the past.
    """
    if image.entry.lifecycle == "planned" or release is None:
        return _without_version(image.entry.lifecycle, "image")
    version, figures, entry = release.entry.version, release.figures, release.entry
    newest, advice = release is image.newest, release.advice
    notes = [*_remarks(release, concerns(release, image.entry.lifecycle))]
    if advice.upgrade:
        notes.append(_Remark("fair", f"Update {version} to {advice.upgrade}."))
    if figures and not figures.scanned_at:
        notes.append(_Remark("fair", f"The scan of {version} has no date."))
    verdict = _answer(
        _lifecycle(image.entry.lifecycle, "image"),
        version,
        notes,
        _open(figures.counters, figures.exploited) if figures else None,
        ends=str(entry.end_of_life or "") or None,
        scanned=figures.scanned_at if figures else None,
        details=_signed(image.entry.signature) + [f"used by {_counted(users)}"] * bool(users)
        if newest
        else (),
        as_of=as_of,
        max_age=max_age,
    )
    more = [f"The next line is {advice.new_line}."] if advice.new_line else []
    if not verdict.ends and image.entry.lifecycle != "withdrawn":
        more.append("No end of support is known.")
    return verdict._replace(remarks=[*verdict.remarks, *more])


def _remarks(release: Release, words: Sequence[Concern]) -> Iterator[_Remark]:
    """A sentence for each of the concerns that the rest of the answer does not name."""
    version, selection = release.entry.version, release.selection
    parts, graded = len(selection.parts), release.figures and release.figures.grade
    covered = parts - len(selection.uncovered)
    are = "is" if covered == 1 else "are"
    scanned = f"Only {covered} of {counted(parts, 'platform')} of {version} {are} scanned."
    unclear = f"It is not known which of the {parts} platforms of {version} was scanned."
    limited = f"The scan of {version} leaves vulnerabilities out"
    sentences: dict[Concern, _Remark] = {
        "gone": _Remark("bad", f"{version} is no longer in the registry."),
        "not-scanned": _Remark(
            "unknown", f"{version} has not been scanned, so its vulnerabilities are unknown."
        ),
        "system-end-of-life": _Remark(
            "bad",
            f"The operating system of {version} no longer gets advisories, so finding nothing proves little.",
        ),
        "scanned-in-part": _Remark("fair", scanned if covered else unclear),
    }
    if {*selection.limits} - {"os-end-of-life"}:  # that one is the system's
        sentences["scan-limited"] = _Remark("fair", f"{limited}{'' if graded else ', so it has no grade'}.")
    yield from (sentences[word] for word in words if word in sentences)


def _counted(items: Sequence[PinningItem]) -> str:
    """`2 charts`, and the same for items of other collections."""
    counts = Counter(COLLECTIONS[item.collection].one for item in items)
    return " and ".join(counted(count, noun) for noun, count in counts.items())


def pinning_answer(item: PinningItem, as_of: str, max_age: int | None) -> Verdict:
    """The answer for an item that pins images; it depends on these."""
    versions, noun = item.entry.versions, COLLECTIONS[item.collection].one
    if item.entry.lifecycle == "planned" or not versions:
        return _without_version(item.entry.lifecycle, noun)
    version = versions[0].version
    notes: list[_Remark] = []
    pins: list[Pin] = list({pin.key: pin for pin in item.pins}.values())
    scans = [pin.figures for pin in pins if pin.figures]
    times = [figures.scanned_at for figures in scans if figures.scanned_at]
    counters = {word: sum(figures.counters[word] for figures in scans) for word in ("critical", "high")}
    exploited = sum(figures.exploited or 0 for figures in scans)
    installs = f"installs {counted(len(pins), 'image')}" if pins else "installs no images"
    if len(scans) < len(pins):
        number = f"Only {len(scans)} of {counted(len(pins), 'image')}" if scans else "None of the images"
        state: State = "fair" if scans else "unknown"
        notes.append(_Remark(state, f"{number} that {version} installs {'are' if scans else 'is'} scanned."))
    elif any(figures.grade is None for figures in scans):
        notes.append(
            _Remark("fair", f"Some scans of the images that {version} installs can't show everything.")
        )
    elif len(times) < len(scans):
        notes.append(_Remark("fair", f"Some scans of the images that {version} installs have no date."))
    return _answer(
        _lifecycle(item.entry.lifecycle, noun),
        version,
        notes,
        _open(counters, exploited),
        ends=None,
        scanned=min(times, default=None),
        details=[*_signed(item.entry.signature), installs],
        as_of=as_of,
        max_age=max_age,
    )


def _answer(
    lifecycle: _Remark | None,
    version: str,
    notes: list[_Remark],
    care: _Remark | None,
    *,
    ends: str | None,
    scanned: str | None,
    details: Sequence[str],
    as_of: str,
    max_age: int | None,
) -> Verdict:
    ended, stale = bool(ends and ends < as_of[:10]), _is_stale(scanned, as_of, max_age)
    withdrawn = lifecycle is not None and lifecycle.state == "bad"
    if_ended = _Remark("bad", f"Do not use {version}.")
    if_stale = _Remark("fair", f"The scan of {version} is old, so more may be known now.")
    avoid = care is not None and care.state == "bad"
    every = [
        lifecycle if withdrawn else None,
        if_ended if ended and not withdrawn else None,
        care if avoid else None,
        None if withdrawn else lifecycle,
        *notes,
        if_stale if stale else None,
        None if avoid else care,
    ]
    first, *others = [note for note in every if note] or [_Remark("good", f"Use {version}.")]
    if first is care:
        use = f"Avoid {version}" if avoid else f"Use {version} with care"
        first = _Remark(care.state, f"{use}: {care.text}")
    return Verdict(
        state="bad" if any(note.state == "bad" for note in others) else first.state,
        headline=first.text,
        remarks=[note.text for note in others],
        ends=ends,
        ended=ended,
        scanned=scanned,
        details=details,
        if_ended="" if withdrawn or ended or not ends else if_ended.text,
        if_stale=if_stale.text if first.state == "good" and scanned else "",
    )


def _without_version(lifecycle: str, noun: str) -> Verdict:
    if lifecycle == "planned":
        return Verdict("unknown", f"This {noun} is planned: there is no version yet.")
    note = _lifecycle(lifecycle, noun) or _Remark("unknown", "No version is listed yet.")
    return Verdict(note.state, note.text)


def _lifecycle(lifecycle: str, noun: str) -> _Remark | None:
    remarks = {
        "withdrawn": _Remark("bad", f"Do not use this {noun}: it was withdrawn and is no longer offered."),
        "deprecated": _Remark("fair", f"Do not start with this {noun}: it is deprecated."),
    }
    return remarks.get(lifecycle)


def _open(counters: Mapping[str, int], exploited: int | None) -> _Remark | None:
    """The open vulnerabilities that call for care: critical, high, and known to be exploited."""
    number = {word: counters[word] for word in ("critical", "high") if counters[word]}
    if not number and not exploited:
        return None
    words = " and ".join(f"{thousands(count)} {word}" for word, count in number.items())
    several = "vulnerability is" if sum(number.values()) == 1 else "vulnerabilities are"
    text = f"{words} {several} open" if number else ""
    known = f"{exploited} known to be exploited" if exploited else ""
    state: State = "bad" if counters["critical"] or exploited else "fair"
    return _Remark(state, f"{', '.join(filter(None, (text, known)))}.")


def _signed(tool: str | None) -> list[str]:
    return [f"signed with {tool.capitalize() if tool.islower() else tool}"] if tool else []


def _is_stale(scanned: str | None, as_of: str, max_age: int | None) -> bool:
    if not scanned or not as_of:
        return False
    age = date.fromisoformat(as_of[:10]) - date.fromisoformat(scanned[:10])
    return age.days > (max_age or DEFAULT_MAX_AGE)
