"""Words of front matter for what registries know.

A value that a page could not have is left out, so that nobody's annotation stops a build.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import fields, replace
from pydantic import BaseModel, ValidationError

from ..authored.messages import message_and_hint
from ..authored.validate import is_spdx
from ..authored.yaml_text import parse
from ..items.fields import field_type
from ..items.models import ChartEntry, ImageConfig, ImageEntry, VersionEntry
from ..items.registry_facts import (
    ConfigFacts,
    ItemFacts,
    PinFacts,
    RegistryFacts,
    VersionFacts,
)
from ..items.types import NOASSERTION
from ..problems import RefusedError
from ..sources.reports.normalise import mapping, text, texts

OCI, HUB = "org.opencontainers.image.", "artifacthub.io/"
"""Beginnings of the names of annotations that are read."""
_PORT = re.compile(r"[0-9]{1,5}(?:/(?:tcp|udp|sctp))?")
_LONGEST = 2**14
_ATTESTATIONS = {
    "sbom": ("https://spdx.dev/", "https://cyclonedx.org/", "application/spdx", "application/vnd.cyclonedx"),
    "provenance": ("https://slsa.dev/provenance", "application/vnd.cncf.helm.chart.provenance"),
    "vulnerabilities": (
        "https://cosign.sigstore.dev/attestation/vuln",
        "https://in-toto.io/attestation/vuln",
    ),
    "vex": ("https://openvex.dev/", "application/vnd.openvex"),
}
"""Word → how the types of such predicates and artifacts begin."""


class Learned(Struct, frozen=True):
    """What a registry says of a version, and of its item."""

    facts: VersionFacts
    item: ItemFacts | None = None
    """None if it was not read."""
    unused: tuple[tuple[str, str, str], ...] = ()
    """Field, reason and hint of each value of the item that a page could not have."""
    unusable: tuple[str, ...] = ()
    """The same of the version, in sentences."""


def attestation_words(types: Iterable[str]) -> tuple[str, ...]:
    """Return the words for types of predicates and artifacts, sorted; other types are their own word."""
    words = {
        next((word for word, starts in _ATTESTATIONS.items() if kind.startswith(starts)), kind)
        for kind in types
    }
    return tuple(sorted(word for word in words if is_valid(VersionEntry, "attestations", [word])))


def config_words(config: Mapping[str, object]) -> ConfigFacts:
    """Return how containers run, by the config of an image, without what a page could not have, and what is
    longer than 16 KiB. A port is of TCP unless it has another protocol.
    """
    exposed = mapping(config.get("ExposedPorts"))
    ports = {port.removesuffix("/tcp") for port in exposed if _PORT.fullmatch(port)}
    words: dict[str, Any] = {
        "user": text(config.get("User")).strip(),
        "entrypoint": config.get("Entrypoint"),
        "cmd": config.get("Cmd"),
        "working_dir": text(config.get("WorkingDir")).strip(),
        "ports": sorted(ports, key=lambda port: (int(port.partition("/")[0]), port)),
    }
    usable: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in words.items()
        if value and len(str(value)) <= _LONGEST and is_valid(ImageConfig, name, value)
    }
    return ConfigFacts(**usable)


def of_image(facts: VersionFacts, annotations: Mapping[str, object]) -> Learned:
    """Return an image's version, with what its annotations say of the image."""
    base = text(annotations.get(f"{OCI}base.name")).partition("@")[0].rpartition("/")[2].partition(":")[0]
    words: dict[str, object] = {
        "license": text(annotations.get(f"{OCI}licenses")),
        "description": text(annotations.get(f"{OCI}description")),
        "homepage": text(annotations.get(f"{OCI}url")),
        "source": text(annotations.get(f"{OCI}source")),
        # `docker.io/library/debian:12-slim` is Debian: the badge of a base counts all of its images.
        "base": base,
    }
    return _learned(facts, ImageEntry, words)


def of_chart(
    facts: VersionFacts, metadata: Mapping[str, object], annotations: Mapping[str, object]
) -> Learned:
    """Return a chart's version, with what its Chart.yaml and its annotations say of the chart."""
    words: dict[str, object] = {
        "license": text(annotations.get(f"{HUB}license")) or text(annotations.get(f"{OCI}licenses")),
        "description": text(metadata.get("description")),
        "homepage": text(metadata.get("home")),
        "source": next(iter(texts(metadata.get("sources"))), "") or text(annotations.get(f"{OCI}source")),
        "images": _pins(annotations.get(f"{HUB}images")),
        # `true` in a Chart.yaml; the index of a classic repository is read as text.
        "lifecycle": "deprecated" if metadata.get("deprecated") in (True, "true") else "",
    }
    return _learned(facts, ChartEntry, words)


def _learned(facts: VersionFacts, model: type[BaseModel], words: Mapping[str, object]) -> Learned:
    usable: dict[str, Any] = {}
    unused = []
    for field, value in words.items():
        word = " ".join(value.split()) if isinstance(value, str) and field != "images" else value
        if not word or word == NOASSERTION:
            continue
        try:
            field_type(model, field).validate_python(word)
        except ValidationError as error:
            unused.append((field, *message_and_hint(error.errors(include_url=False)[0])))
            continue
        if field == "license" and not is_spdx(str(word)):
            unused.append((field, f"{word!r} is not a valid SPDX license expression", ""))
        else:
            usable[field] = word
    pins = tuple(PinFacts(**pin) for pin in usable.pop("images", ()))
    return Learned(facts, ItemFacts(**usable, images=pins), tuple(unused))


def _pins(written: object) -> object:
    """Return the pins in the YAML text of `artifacthub.io/images`; other text as it is."""
    with suppress(RefusedError):
        data = parse(written).data if isinstance(written, str) else None
        if isinstance(data, list):
            return [
                {key: pin[key] for key in ("name", "image") if pin.get(key)} if isinstance(pin, dict) else pin
                for pin in data
            ]
    return written


def is_valid(model: type[BaseModel], attribute: str, value: object) -> bool:
    """Whether a page could have this value."""
    try:
        field_type(model, attribute).validate_python(value)
    except ValidationError:
        return False
    return True


def with_item(file: RegistryFacts, newest: str | None, item: ItemFacts | None) -> RegistryFacts:
    """Return a file with what its newest version says of the item."""
    given = {"image": file.image, "chart": file.chart, "newest": newest if item else None}
    words = {field.name: getattr(item or ItemFacts(), field.name) for field in fields(ItemFacts)}
    return replace(file, **(words | given))
