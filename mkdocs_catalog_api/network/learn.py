"""Reads the data of one digest in a registry: an image with its platforms, or a chart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import yaml
from msgspec import Struct
from msgspec.structs import replace

from ..items.models import ChartVersionEntry, VersionEntry
from ..items.names import CHART_VERSION, DIGEST, MANIFEST_PLATFORM, VERSION_MAX, Reference
from ..items.registry_facts import UNKNOWN_PLATFORM, ManifestFacts, VersionFacts
from ..sources.reports.normalise import mapping, text, texts, utc
from .annotations import Learned, attestation_words, config_words, is_valid, of_chart, of_image
from .client import NoAnswerError
from .registry import Descriptor, Registries, RegistryManifest

_IMAGE_CONFIGS = (
    "application/vnd.oci.image.config.v1+json",
    "application/vnd.docker.container.image.v1+json",
)
_CHART_CONFIG = "application/vnd.cncf.helm.config.v1+json"
_CHART_PROVENANCE = "application/vnd.cncf.helm.chart.provenance.v1.prov"
_SIGNATURE_TYPES = ("application/vnd.dev.sigstore.bundle", "application/vnd.dev.cosign.")
_SIGN_PREDICATE = "https://sigstore.dev/cosign/sign/v1"
_PREDICATES = ("in-toto.io/predicate-type", "dev.sigstore.bundle.predicateType", "predicateType")
_CREATED = "org.opencontainers.image.created"
_HEX = re.compile(r"[0-9a-f]{64}")
_IN_TOTO = "application/vnd.in-toto+json"
_LEVELS = 3
"""Levels of indexes within an index."""
_MOST_PARTS = 1000
_MOST_DEPTH = 50
_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""Reads every scalar as text, so that `1.10` is unchanged."""


class Attached(Struct, frozen=True):
    """Artifacts that are attached to a digest."""

    types: frozenset[str] = frozenset()
    """Predicate types and artifact types."""
    signed: bool = False

    def __or__(self, other: Attached) -> Attached:
        return Attached(self.types | other.types, self.signed or other.signed)


def is_attachment(tag: str) -> bool:
    """Whether a tag is `sha256-<hex>…`, which is not a version."""
    return bool(DIGEST.match(tag.replace("-", ":", 1)))


def _described(descriptors: Iterable[Descriptor] | None) -> Attached:
    types: set[str] = set()
    signed = False
    for descriptor in descriptors or ():
        annotations = mapping(descriptor.annotations)
        kind = text(descriptor.artifact_type) or text(descriptor.media_type)
        predicate = next((text(annotations[name]) for name in _PREDICATES if annotations.get(name)), "")
        is_signature = kind.startswith(_SIGNATURE_TYPES) and not predicate
        if is_signature or predicate == _SIGN_PREDICATE:
            signed = True
        elif predicate or kind:
            types.add(predicate or kind)
    return Attached(frozenset(types), signed)


class Repository(NamedTuple):
    """A repository of a registry, from which digests are read."""

    registries: Registries
    reference: Reference
    tags: Sequence[str] = ()
    """All of its tags, as some are attachments."""

    def kind(self, digest: str) -> str:
        """Return `image`, `chart` or "" for a digest that has been read."""
        manifest = self._manifest(digest)
        if _is_chart(manifest):
            return "chart"
        return "image" if manifest.is_index or _is_image(manifest) else ""

    def image(self, digest: str) -> Learned | None:
        """Return what is known of an image; None if the digest is not one. The caller sets `version` and
        `tags`.
        """
        manifest = self._manifest(digest)
        annotations: dict[str, object] = {**mapping(manifest.annotations)}
        beside = self._attached(digest)
        parts: dict[str, tuple[Mapping[str, object], RegistryManifest | None]] = {}
        config: dict[str, object] = {}
        if manifest.is_index:
            for entry, part in self._parts(manifest, set()):
                if _is_attestation(entry, part):
                    beside |= _described(part.layers if part else None)
                    continue
                values = mapping(entry.platform)
                if part and not (config and _platform(values)):
                    part_config = self._config(part)
                    config = config or part_config
                    values = values if _platform(values) else part_config
                if not (_platform(values) or (part and _is_image(part))):
                    continue
                if not parts:
                    beside |= self._attached(entry.digest)
                parts[entry.digest] = values, part
                annotations = {**mapping(part and part.annotations), **annotations}
        elif _is_image(manifest):
            config = self._config(manifest)
            if _platform(config):
                parts[digest] = config, manifest
        if not (parts or _is_image(manifest)):
            return None
        runs = mapping(config.get("config"))
        annotations = {**mapping(runs.get("Labels")), **annotations}
        manifests = _manifests(parts)
        facts = VersionFacts(
            version="_",
            digest=digest,
            manifests=manifests,
            size=manifests[0].size if manifests else None,
            released=_day(config.get("created")) or _day(annotations.get(_CREATED)),
            attestations=attestation_words(beside.types),
            config=config_words(runs),
            signature="cosign" if beside.signed else None,
        )
        learned = of_image(facts, annotations)
        return replace(learned, unusable=tuple(_unusable_platforms(parts)))

    def chart(self, digest: str) -> Learned | None:
        """Return what is known of a chart; None if the digest is not one."""
        manifest = self._manifest(digest)
        if not _is_chart(manifest):
            return None
        metadata = self._config(manifest)
        beside = self._attached(digest)
        if any(layer.media_type == _CHART_PROVENANCE for layer in manifest.layers or ()):
            beside |= Attached(frozenset({_CHART_PROVENANCE}))
        annotations = {**mapping(manifest.annotations), **mapping(metadata.get("annotations"))}
        facts = VersionFacts(
            version=_chart_version(metadata, f"{self.reference.repository}@{digest}"),
            digest=digest,
            released=_day(annotations.get(_CREATED)),
            app_version=_app_version(metadata),
            attestations=attestation_words(beside.types),
            signature="cosign" if beside.signed else None,
        )
        return of_chart(facts, metadata, annotations)

    def refreshed(self, facts: VersionFacts) -> Learned:
        """Return the facts of a known digest with new attachments."""
        beside = self._attached(facts.digest)
        words, signature = attestation_words({*facts.attestations} | beside.types), facts.signature
        return Learned(replace(facts, attestations=words, signature="cosign" if beside.signed else signature))

    def _manifest(self, digest: str) -> RegistryManifest:
        return self.registries.manifest(self.reference, digest)

    def _config(self, manifest: RegistryManifest) -> dict[str, object]:
        """Return the config of an image or chart."""
        if not (manifest.config and (_is_image(manifest) or _is_chart(manifest))):
            return {}
        digest = manifest.config.digest
        try:
            return msgspec.json.decode(self.registries.blob(self.reference, digest), type=dict[str, object])
        except (ValueError, RecursionError):
            raise NoAnswerError(f"the config {digest} is not a JSON object") from None

    def _attached(self, digest: str) -> Attached:
        """Return the attachments to a digest, from the referrers API, its fallback tag and tags of cosign."""
        result = _described(self.registries.referrers(self.reference, digest))
        start = digest.replace(":", "-")
        for tag in self.tags:
            if tag.startswith(f"{start}.") and tag.endswith(".sig"):
                result |= Attached(signed=True)
            elif tag == start or tag.startswith(f"{start}."):
                manifest = self._manifest(self.registries.digest(self.reference, tag))
                result |= _described(manifest.manifests if manifest.is_index else manifest.layers)
        return result

    def _parts(
        self, index: RegistryManifest, seen: set[str], levels: int = _LEVELS
    ) -> Iterator[tuple[Descriptor, RegistryManifest | None]]:
        """Yield each manifest of an index and of the indexes in it; None if it is listed, but was deleted.

        `seen` gets the digests, each of which is requested once.
        """
        for entry in index.manifests or ():
            if entry.digest in seen:
                continue
            seen.add(entry.digest)
            if len(seen) > _MOST_PARTS:
                name = self.reference.repository
                raise NoAnswerError(f"an index of {name} has more than {_MOST_PARTS:,} manifests")
            try:
                part = self._manifest(entry.digest)
            except NoAnswerError as error:
                if error.status != 404:
                    raise
                part = None
            if part is None or not part.is_index:
                yield entry, part
            elif levels:
                yield from self._parts(part, seen, levels - 1)
            else:
                raise NoAnswerError(f"{entry.digest} is an index within more than {_LEVELS} other indexes")


def _manifests(
    parts: Mapping[str, tuple[Mapping[str, object], RegistryManifest | None]],
) -> tuple[ManifestFacts, ...]:
    """Return the manifests in their order. Those of the same platform have their version or features, too."""
    counts = Counter(_platform(values) for values, _ in parts.values())
    manifests = []
    for digest, (values, part) in parts.items():
        platform = _platform(values)
        name = platform or UNKNOWN_PLATFORM
        if counts[platform] > 1:
            details = text(values.get("os.version")) or ",".join(texts(values.get("os.features")))
            detailed = f"{name}[{details}]"
            name = detailed if MANIFEST_PLATFORM.fullmatch(detailed) else name
        manifests.append(ManifestFacts(name, digest, _size(part) if part else None))
    return tuple(manifests)


def classic_chart(body: bytes, name: str, address: str) -> dict[str, Learned]:
    """Return version → what is known of a chart in the index.yaml of a classic repository."""
    try:
        _check_depth(body)
        index = mapping(yaml.load(body, Loader=_LOADER))  # noqa: S506  # it only creates text, lists and mappings
    except (yaml.YAMLError, ValueError, RecursionError):
        raise NoAnswerError(f"{address}/index.yaml is not valid YAML") from None
    entries = mapping(index.get("entries")).get(name)
    if not isinstance(entries, list):
        raise NoAnswerError(f"{address}/index.yaml has no chart {name}", 404)
    versions: dict[str, Learned] = {}
    for entry in map(mapping, entries):
        version = _chart_version(entry, f"{address}: {name}")
        digest = text(entry.get("digest")).lower()
        digest = f"sha256:{digest}" if _HEX.fullmatch(digest) else digest
        facts = VersionFacts(
            version=version,
            digest=digest if DIGEST.fullmatch(digest) else "",
            released=_day(entry.get("created")),
            app_version=_app_version(entry),
        )
        versions.setdefault(version, of_chart(facts, entry, mapping(entry.get("annotations"))))
    return versions


def _check_depth(body: bytes) -> None:
    """Reject deep nesting, which would overflow the stack of the C composer and crash the program."""
    depth = 0
    for event in yaml.parse(body, Loader=_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MOST_DEPTH:
            raise RecursionError


def _is_attestation(entry: Descriptor, manifest: RegistryManifest | None) -> bool:
    layers = [layer.media_type for layer in (manifest and manifest.layers) or ()]
    return bool(mapping(entry.annotations).get("vnd.docker.reference.type")) or {*layers} == {_IN_TOTO}


def _is_image(manifest: RegistryManifest) -> bool:
    return manifest.config is not None and manifest.config.media_type in _IMAGE_CONFIGS


def _is_chart(manifest: RegistryManifest) -> bool:
    return manifest.config is not None and manifest.config.media_type == _CHART_CONFIG


def _platform(values: Mapping[str, object]) -> str | None:
    """Return `os/arch[/variant]`; None for `unknown/unknown` and invalid values."""
    written = _written_platform(values)
    usable = (
        written and "unknown" not in written.split("/") and is_valid(VersionEntry, "platforms", [written])
    )
    return written if usable else None


def _written_platform(values: Mapping[str, object]) -> str:
    """Return `os/arch[/variant]` as the registry has it; "" without system or architecture."""
    parts = [text(values.get(name)) for name in ("os", "architecture", "variant")]
    return "/".join(filter(None, parts)).lower() if parts[0] and parts[1] else ""


def _unusable_platforms(
    parts: Mapping[str, tuple[Mapping[str, object], RegistryManifest | None]],
) -> Iterator[str]:
    """Yield a sentence on each manifest with a platform that no page could have, such as `arm/v7`."""
    for digest, (values, _) in parts.items():
        written = _written_platform(values)
        if written and "unknown" not in written.split("/") and _platform(values) is None:
            yield f"not used: the platform {written!r} of {digest}"


def _size(manifest: RegistryManifest) -> int | None:
    size = sum(max(layer.size, 0) for layer in manifest.layers or ())
    return size if size < 2**53 else None


def _day(value: object) -> str | None:
    """Return a day in UTC; None for the days that mean "not set" in reproducible builds: those of the years 1
    and 1970, and the first of 1980, which Cloud Native Buildpacks write
    (https://buildpacks.io/docs/for-app-developers/concepts/reproducibility/).
    """
    time = utc(value)
    if time is None or time.year <= 1970:
        return None
    day = f"{time:%Y-%m-%d}"
    return None if day == "1980-01-01" else day


def _chart_version(metadata: Mapping[str, object], name: str) -> str:
    version = text(metadata.get("version"))
    if len(version) > VERSION_MAX or not CHART_VERSION.fullmatch(version):
        raise NoAnswerError(f"{name} has the version {version[:100]!r}, which is not SemVer")
    return version


def _app_version(metadata: Mapping[str, object]) -> str | None:
    version = text(metadata.get("appVersion"))
    return version if version and is_valid(ChartVersionEntry, "app_version", version) else None
