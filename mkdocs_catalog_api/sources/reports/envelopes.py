"""Opens what other programs put around an SBOM or an OpenVEX document.

| around it | written by | its document |
|---|---|---|
| Sigstore bundle, https://docs.sigstore.dev/about/bundle/ | `cosign`, GitHub | `dsseEnvelope` |
| DSSE envelope, https://github.com/secure-systems-lab/dsse | `cosign` | `payload`, base64 |
| in-toto statement, https://github.com/in-toto/attestation | whoever attests | `predicate` |
| GitHub's dependency graph | `gh api repos/…/dependency-graph/sbom` | `sbom` |
| `docker buildx imagetools inspect` | BuildKit | `SPDX`, in a map of platforms if there are several |

Signatures are not checked: what lies in the catalog's folders is as good as its author took care of.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import NamedTuple

from ...problems import RefusedError
from .json_errors import decode
from .normalise import items, mapping, platform, text
from .repeated_keys import Occurrences, in_objects

_KEYS = ("dsseEnvelope", "payload", "payloadType", "predicate", "predicateType", "subject", "sbom", "SPDX")
"""Those that are read here."""
_HINT = "save the file again as the program has written it"
_URL_SAFE = str.maketrans("-_", "+/")


class Enclosed(NamedTuple):
    """A document, and what is around it."""

    document: dict[str, object]
    around: tuple[dict[str, object], ...] = ()
    """The objects around it in the same text, the outermost first."""
    payload: bytes | None = None
    """The text of the envelope that it was in; None if it was in none."""
    is_of_folder: bool = False
    """Whether GitHub made it, of a repository's files."""
    platform: str = ""
    """The platform that the map of platforms gives it."""

    @property
    def statement(self) -> dict[str, object]:
        """The in-toto statement around it; empty without one."""
        return next((each for each in self.around if "predicateType" in each), {})

    @property
    def keys_read(self) -> Occurrences:
        """The keys read here, in the text of the document."""
        return {key: in_objects(key, [*self.around, self.document]) for key in _KEYS}


def enclosed(document: object) -> list[Enclosed]:
    """Return what the document encloses: itself, if nothing is around it; of a map of platforms several.

    Raises `RefusedError` for an envelope whose payload can't be decoded.
    """
    outer = mapping(document)
    envelope = mapping(outer.get("dsseEnvelope")) or outer
    if "payloadType" not in envelope or "payload" not in envelope:
        return [*_of_text(outer, None)]
    payload = _payload(envelope)
    return [*_of_text(mapping(_decoded(payload)), payload)]


def _payload(envelope: dict[str, object]) -> bytes:
    payload = envelope["payload"]
    try:
        return base64.b64decode(str(payload).translate(_URL_SAFE), validate=True)
    except (binascii.Error, ValueError):
        raise RefusedError("the `payload` of the envelope is not base64", _HINT) from None


def _decoded(payload: bytes) -> object:
    try:
        return decode(payload)
    except RefusedError as error:
        # Its line is one of the payload, in which nobody can look.
        raise RefusedError(f"in the `payload` of the envelope: {error.message}", _HINT) from None


def _of_text(outer: dict[str, object], payload: bytes | None) -> Iterator[Enclosed]:
    """Yield what is in one text."""
    if "predicateType" in outer:
        yield Enclosed(mapping(outer.get("predicate")), (outer,), payload)
    elif outer.keys() == {"sbom"}:
        yield Enclosed(mapping(outer["sbom"]), (outer,), payload, is_of_folder=True)
    elif _is_of_buildkit(outer):
        for each in _of_buildkit(outer):
            yield Enclosed(each, (outer,), payload)
    elif outer and all(map(_is_of_buildkit, outer.values())):
        for written, entry in outer.items():
            named = platform(*text(written).split("/"), *[""] * 2)
            for each in _of_buildkit(mapping(entry)):
                yield Enclosed(each, (outer, mapping(entry)), payload, platform=named)
    else:
        yield Enclosed(outer, (), payload)


def _is_of_buildkit(value: object) -> bool:
    return isinstance(mapping(value).get("SPDX"), dict)


def _of_buildkit(entry: dict[str, object]) -> Iterator[dict[str, object]]:
    """Yield the SBOM of an image, and those of the stages of its build."""
    yield mapping(entry["SPDX"])
    yield from items(entry.get("AdditionalSPDXs"))
