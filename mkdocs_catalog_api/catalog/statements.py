"""Statements about vulnerabilities in products (https://github.com/openvex/spec), and the images and
packages that match these products.

Anything in a product that is not understood may narrow it, so such a product matches nothing at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Literal, NamedTuple, TypeVar, get_args

from msgspec import Struct

from ..items import names
from ..problems import RefusedError
from .ids import id_key
from .package_urls import Purl
from .scans import Finding, plain_platform

StatusWord = Literal["not_affected", "affected", "fixed", "under_investigation"]
STATUSES: tuple[StatusWord, ...] = get_args(StatusWord)
JustificationWord = Literal[
    "component_not_present",
    "vulnerable_code_not_present",
    "vulnerable_code_not_in_execute_path",
    "vulnerable_code_cannot_be_controlled_by_adversary",
    "inline_mitigations_already_exist",
]
JUSTIFICATIONS: tuple[JustificationWord, ...] = get_args(JustificationWord)


class Component(NamedTuple):
    """An image or a package as a document identifies it."""

    id: str
    """Its `@id`; empty without one."""
    identifiers: tuple[tuple[str, str], ...] = ()
    """Kind, such as `purl`, and identifier."""
    hashes: tuple[tuple[str, str], ...] = ()
    """Algorithm, such as `sha-256`, and hash."""
    unclear: tuple[str, ...] = ()
    """Keys unknown to OpenVEX, or with an unknown kind of value: they may restrict the match."""

    @property
    def label(self) -> str:
        """Name for messages."""
        named = (self.id, *(value for _, value in (*self.identifiers, *self.hashes)))
        return next(filter(None, named), "")[:120]


class Product(NamedTuple):
    component: Component
    parts: tuple[Component, ...] = ()
    """The affected subcomponents; without any, the whole product."""


class Statement(Struct, frozen=True):
    """One statement about one vulnerability, with everything required to export it."""

    ids: tuple[str, ...]
    """Every id of the vulnerability, aliases included, sorted; CVE and GHSA ids in their usual case."""
    name: str
    """The main one of them."""
    products: tuple[Product, ...]
    status: str
    """One of `STATUSES`. `fixed` means that the product is no longer affected."""
    justification: str
    impact_statement: str
    timestamp: str
    """UTC without a zone, with all digits of the second, `2026-01-15T09:00:00.25`, so that texts sort as
    times. Empty without a reliable time."""
    document: str
    """`@id` of the document, or its file without one."""
    author: str
    """Of the document."""
    index: int
    """Place in the document, from 0."""
    file: str = ""
    """Of the document, relative to the folder of mkdocs.yml."""

    @property
    def suppresses(self) -> bool:
        return self.status in ("not_affected", "fixed")

    @property
    def keys(self) -> tuple[str, ...]:
        """The ids in comparable form."""
        return tuple(map(id_key, self.ids))


_M = TypeVar("_M")

_HASHES = {"sha-256": "sha256", "sha-384": "sha384", "sha-512": "sha512"}
_IMAGES = {"oci", "docker"}
_QUALIFIERS = ("arch", "os", "platform", "repository_url", "tag")
_OWN_NAME = re.compile("[^/:@]*|[a-z][a-z0-9+.-]*://.*|urn:.*", re.IGNORECASE)
"""A plain word or an IRI: next to another identifier, a name that only the document uses."""
_EMPTY = re.compile(r"@(?=[?#]|\Z)|[?&](?:[^=&#]*=?)(?=[&#]|\Z)")
"""An empty version or qualifier."""
_NAME_AN_IMAGE = "write `pkg:oci/NAME?repository_url=REGISTRY/NAME`, a reference or a digest"
_NAME_A_PACKAGE = "write a package URL such as `pkg:deb/debian/zlib1g`"


class Subject(Struct, frozen=True):
    """One scanned image with the names that statements can use."""

    repository: str
    """Normalized, as in `Reference.repository`; empty if it is not known."""
    tags: frozenset[str] = frozenset()
    """All labels of the release."""
    digests: frozenset[str] = frozenset()
    platform: str = ""
    """`os/arch[/variant]`; empty if unknown, or for several platforms."""

    @classmethod
    def scanned(
        cls, image: str | None, tags: Iterable[str], digests: frozenset[str], platform: str
    ) -> Subject:
        """The subject of a scan of the image with the reference `image`; `tags` are those of its release."""
        repository = names.Reference.parse(image).repository if image else ""
        return cls(repository, frozenset(tags), digests, plain_platform(platform))


class ImagePattern(NamedTuple):
    """Images matching a product. An empty field matches all; never are both repository and digests empty."""

    repository: str = ""
    """Begins with a slash without a registry, which matches no image."""
    digests: tuple[str, ...] = ()
    """Hashes of one image by several algorithms."""
    tags: tuple[str, ...] = ()
    """All of them must be digests of the image."""
    os: str = ""
    architecture: str = ""
    platform: str = ""

    def holds(self, image: Subject) -> bool:
        system, architecture, *_ = (*image.platform.split("/"), "")
        return (
            (not self.digests or not image.digests.isdisjoint(self.digests))
            and self.repository in ("", image.repository)
            and image.tags.issuperset(self.tags)
            and self.os in ("", system)
            and self.architecture in ("", architecture)
            and self.platform in ("", image.platform)
        )


class ProductMeaning(NamedTuple):
    """All of these must match: all identifiers of a component mean the same thing."""

    images: tuple[ImagePattern, ...]
    packages: tuple[Purl, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """Digests or repository of the image; none if the product is a package in any image."""
        return self.images[0].digests or (self.images[0].repository,) if self.images else ()


class PartMeaning(NamedTuple):
    """A package by its package URLs, which must all match, or by its plain name."""

    purls: tuple[Purl, ...]
    name: str = ""

    def holds(self, finding: Finding, package: Purl | None) -> bool:
        """`package` is the finding's package URL."""
        if not self.purls:
            return finding.pkg == self.name
        return package is not None and all(purl.covers(package) for purl in self.purls)


def _or_refusal(read: Callable[[Component], _M]) -> Callable[[Component], _M | RefusedError]:
    """Return the error instead of raising it. A document repeats its components, so results are cached."""

    @lru_cache(maxsize=65_536)
    def meaning(component: Component) -> _M | RefusedError:
        try:
            return read(component)
        except RefusedError as error:
            return error.with_traceback(None)

    return meaning


@_or_refusal
def product_meaning(component: Component) -> ProductMeaning:
    """Return the images or packages that the component of a product identifies."""
    purls, name = _identifiers(component)
    digests = tuple(f"{_HASHES[kind]}:{value.lower()}" for kind, value in component.hashes if kind in _HASHES)
    packages = tuple(purl for purl in purls if purl.package.type not in _IMAGES)
    images = [_of_purl(purl) for purl in purls if purl.package.type in _IMAGES]
    if name and not (_OWN_NAME.fullmatch(name) and (purls or component.hashes)):
        pattern = _of_name(name)
        if pattern is None:
            raise RefusedError(f'"{name[:80]}" names neither an image nor a package', _NAME_AN_IMAGE)
        images.append(pattern)
    if component.hashes:
        if packages and not images:
            raise RefusedError("scans contain no hashes of packages", "leave out `hashes`")
        if not digests or not all(map(names.DIGEST.fullmatch, digests)):
            raise RefusedError("its hashes are not digests of an image", "give its `sha-256`, 64 hex digits")
        images.append(ImagePattern(digests=digests))
    if not (images or packages):
        raise RefusedError("it names neither an image nor a package", _NAME_AN_IMAGE)
    return ProductMeaning(tuple(images), packages)


@_or_refusal
def part_meaning(component: Component) -> PartMeaning:
    """Return the package that a subcomponent identifies."""
    purls, name = _identifiers(component)
    if component.hashes:
        raise RefusedError("scans contain no hashes of packages", "leave out `hashes`")
    if any(purl.package.type in _IMAGES for purl in purls):
        raise RefusedError("an image can't be a package in another image", _NAME_A_PACKAGE)
    if purls:
        return PartMeaning(tuple(purls))
    if not name or "://" in name or name.lower().startswith(("urn:", "swid:")):
        raise RefusedError("it does not name a package", _NAME_A_PACKAGE)
    return PartMeaning((), name)


def _identifiers(component: Component) -> tuple[list[Purl], str]:
    """The package URLs, and the `@id` if it is something else."""
    if component.unclear:
        key = component.unclear[0]
        known = "`@id`, `identifiers`, `hashes` and, of a product, `subcomponents`"
        raise RefusedError(f"`{key[:40]}` is unknown here", f"allowed: {known}")
    purls: list[Purl] = []
    for kind, text in (("@id", component.id), *component.identifiers, *component.hashes):
        if not text and kind != "@id":
            raise RefusedError(f"its `{kind[:40]}` is empty or not text", "add its value, or leave it out")
        if text[:4].lower() == "cpe:" or kind.startswith("cpe"):
            raise RefusedError("scans contain no CPEs of images or packages", "give only its package URL")
    for kind, text in (("@id", component.id), *component.identifiers):
        if purl := Purl.parse(text):
            if _EMPTY.search(text):  # for example an empty variable of a script, meant to restrict the match
                raise RefusedError("its version or a qualifier is empty", "add its value, or leave it out")
            purls.append(purl)
        elif text[:4].lower() == "pkg:" or kind == "purl":
            raise RefusedError("this is not a package URL", "write `pkg:TYPE/NAMESPACE/NAME@VERSION`")
        elif kind != "@id":
            raise RefusedError(f"identifiers of the kind `{kind[:40]}` are unknown", "use `purl`")
    return purls, component.id if Purl.parse(component.id) is None else ""


def _of_name(text: str) -> ImagePattern | None:
    """Of a reference or a bare digest; with both tag and digest, the digest decides."""
    if names.DIGEST.fullmatch(text):
        return ImagePattern(digests=(text,))
    reference = _reference(text)
    if reference is None:
        return None
    if reference.digest:
        return ImagePattern(reference.repository, (reference.digest,))
    return ImagePattern(reference.repository, tags=(reference.tag,) if reference.tag else ())


def _of_purl(purl: Purl) -> ImagePattern:
    """Of `pkg:oci/name@digest?repository_url=…&tag=…&arch=…` or
    `pkg:docker/namespace/name@tag-or-digest?platform=os/arch`.

    Without digest and repository, `pkg:oci` means any image of that name in any registry, so it matches none.
    """
    qualifiers = dict(purl.qualifiers)
    if unknown := sorted(qualifiers.keys() - {*_QUALIFIERS}):
        known = ", ".join(f"`{key}`" for key in _QUALIFIERS)
        raise RefusedError(f"the qualifier `{unknown[0][:40]}` is unknown", f"allowed: {known}")
    if len(qualifiers) != len(purl.qualifiers):
        raise RefusedError("one of its qualifiers is given twice", "write one product for each")
    if purl.subpath:
        raise RefusedError("a path in an image is not allowed", "name the package as a subcomponent")
    digest = purl.version if ":" in purl.version else ""
    if digest and not names.DIGEST.fullmatch(digest):
        raise RefusedError(
            f'its version "{digest[:80]}" is not a digest', "write sha256: and 64 lower-case hex digits"
        )
    path = f"{purl.namespace}/{purl.name}".lstrip("/")
    hub = "docker.io" if purl.package.type == "docker" and not digest else ""
    location = qualifiers.get("repository_url", hub).rstrip("/")
    if location and not location.endswith(f"/{path}"):
        location = f"{location}/{path}"
    reference = _reference(location) if location else None
    if location and not reference:
        raise RefusedError(f'"{location[:80]}" is not a repository', "write `?repository_url=REGISTRY/NAME`")
    platform = qualifiers.get("platform", "")
    return ImagePattern(
        reference.repository if reference else "" if digest else f"/{path}",
        (digest,) if digest else (),
        tuple(filter(None, ("" if digest else purl.version, qualifiers.get("tag", "")))),
        qualifiers.get("os", ""),
        qualifiers.get("arch", ""),
        plain_platform(names.platform(platform)) if platform else "",
    )


def _reference(text: str) -> names.Reference | None:
    try:
        return names.Reference.parse(text)
    except RefusedError:
        return None
