"""The way of every document out: encoded, checked, and handed to whoever saves it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256

import msgspec
from msgspec import Struct, field

from .examples import Samples
from .structs.discovery import ManifestEntry
from .verify import Verifier

_ENCODER = msgspec.json.Encoder()


class Output(Struct):
    """Takes each document once.

    Its methods raise ContractError when a document breaks the contract, and what `save_body` raises.
    """

    save_body: Callable[[str, bytes], None]
    """Takes the body of the document at a path below `api/v1/`."""
    written: dict[str, ManifestEntry] = {}
    """Path below `api/v1/` → hash and size of each document that was written."""
    samples: Samples = field(default_factory=Samples)
    """What may become an example of the OpenAPI document."""
    _verifier: Verifier = field(default_factory=Verifier)

    def put(self, path: str, document: Struct) -> None:
        """Check and save a document."""
        body = encode(document)
        self._verifier.check(path, body, type(document))
        self.save(path, body)

    def put_sample(self, path: str, document: Struct) -> None:
        """Likewise; it may become an example."""
        self.samples.take(path, document)
        self.put(path, document)

    def put_kind(self, documents: Iterable[tuple[str, Struct]]) -> None:
        """Likewise for documents of which there are many; the first of each kind becomes an example."""
        for path, document in documents:
            self.samples.take_first(path, document)
            self.put(path, document)

    def save(self, path: str, body: bytes) -> None:
        """Save what is no Struct."""
        self.save_body(path, body)
        self.written[path] = ManifestEntry(sha256(body).hexdigest(), len(body))


def encode(document: object) -> bytes:
    """The bytes of a document: compact JSON and one line break."""
    return _ENCODER.encode_lines([document])  # does not copy them for the line break
