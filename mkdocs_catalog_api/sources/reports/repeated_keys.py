"""Refuses reports in which a key that is read stands twice in one object: programs take either value.

Decoders take the last one, and none of them tells. A key that stands twice is more often in the bytes than in
the decoded objects, so counting it there shows cheaply whether to look exactly, which takes longer than
reading the report. A key that is written with escapes is not found.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from ...problems import RefusedError

Occurrences = Mapping[str, int]
"""Key → in how many objects of a decoded document it is."""
_HINT = "programs take either value, so create the file again with one program"


class _Repeated(Exception):  # noqa: N818  # leaves the decoder
    """A key stands twice."""


def refuse_repeated(data: bytes, read: Occurrences) -> None:
    """Raise `RefusedError` if one of the keys that were read stands twice in an object of the JSON `data`."""
    for key, number in read.items():
        if data.count(b'"%s"' % key.encode()) > number:
            look_for_repeated(data, read.keys())
            return


def look_for_repeated(data: bytes, keys: Collection[str]) -> None:
    """Raise `RefusedError` if one of the keys stands twice in one object. This decodes the whole text."""

    def refuse(pairs: list[tuple[str, object]]) -> None:
        names = [key for key, _ in pairs]
        if len({*names}) == len(names):
            return
        for key, number in Counter(names).items():
            if number > 1 and key in keys:
                raise _Repeated(key)

    try:
        # Only the keys matter. A number of 5,000 digits is not one of Python's.
        json.loads(data, object_pairs_hook=refuse, parse_int=str, parse_float=str)
    except _Repeated as error:
        raise RefusedError(f"`{error}` stands twice in one object", _HINT) from None
    except RecursionError:
        raise RefusedError("nested too deeply", _HINT) from None
    except ValueError:
        return  # of another decoder's JSON: what it read was checked there


def in_objects(key: str, objects: Iterable[Mapping[str, object]]) -> int:
    """Return how many of the objects have the key."""
    return sum(key in each for each in objects)


def every_object(value: object) -> Iterator[Mapping[str, object]]:
    """Yield each object in a decoded value."""
    pending = [value]
    while pending:
        current = pending.pop()
        if isinstance(current, dict):
            yield current
            pending += current.values()
        elif isinstance(current, list):
            pending += current
