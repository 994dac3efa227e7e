"""Which images and packages a VEX statement's products mean.

Whatever is not understood of a product may narrow it, so such a product means nothing at all.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ..problems import RefusedError
from . import names
from .purl import Purl, normalised
from .scans import Finding
from .statements import Component
from .vex_subject import ImagePattern, Subject, plain_platform

_HASHES = {"sha-256": "sha256", "sha-384": "sha384", "sha-512": "sha512"}
_IMAGES = {"oci", "docker"}
_QUALIFIERS = ("arch", "os", "platform", "repository_url", "tag")
_EMPTY = re.compile(r"@(?=[?#]|\Z)|[?&](?:[^=&#]*=?)(?=[&#]|\Z)")
"""A version without a text, or a qualifier."""
_NAME_AN_IMAGE = "write `pkg:oci/NAME?repository_url=REGISTRY/NAME`, a reference or a digest"
_NAME_A_PACKAGE = "write a package URL such as `pkg:deb/debian/zlib1g`"


class ProductMeaning(NamedTuple):
    """All of these must hold: a component's identifiers name one and the same thing."""

    images: tuple[ImagePattern, ...]
    packages: tuple[Purl, ...]

    def holds_in(self, image: Subject) -> bool:
        return all(pattern.holds(image) for pattern in self.images)

    def holds_of(self, package: Purl | None) -> bool:
        """`package` is the finding's own package URL; without one, no package is a product."""
        return all(package is not None and purl.covers(package) for purl in self.packages)


class PartMeaning(NamedTuple):
    """A package by its package URLs, all of which must hold, or else by its plain name."""

    purls: tuple[Purl, ...]
    name: str = ""

    def holds(self, finding: Finding, package: Purl | None) -> bool:
        """`package` is the finding's own package URL.

        Without one, type, name and version must be what the scan says; qualifiers and subpath can't be.
        """
        if not self.purls:
            return finding.pkg == self.name
        if package is not None:
            return all(purl.covers(package) for purl in self.purls)
        type_, name = finding.ecosystem, normalised(finding.ecosystem, finding.pkg)
        return all(
            purl.type == type_
            and name in purl.spellings
            and purl.version in ("", finding.installed)
            and not (purl.qualifiers or purl.subpath)
            for purl in self.purls
        )


class NotUnderstood(NamedTuple):
    """Why a component means nothing, and how to mend it."""

    message: str
    hint: str


# A document names the same components in one statement after another.
@lru_cache(maxsize=65_536)
def product_meaning(component: Component) -> ProductMeaning | NotUnderstood:
    """Which images or packages the component of a product is."""
    try:
        return _product(component)
    except RefusedError as error:
        return NotUnderstood(error.message, error.hint)


@lru_cache(maxsize=65_536)
def part_meaning(component: Component) -> PartMeaning | NotUnderstood:
    """Which package a subcomponent is."""
    try:
        return _part(component)
    except RefusedError as error:
        return NotUnderstood(error.message, error.hint)


def _product(component: Component) -> ProductMeaning:
    purls, others = _identifiers(component)
    digests = tuple(f"{_HASHES[kind]}:{value.lower()}" for kind, value in component.hashes if kind in _HASHES)
    packages = tuple(purl for purl in purls if purl.type not in _IMAGES)
    images = [_of_purl(purl) for purl in purls if purl.type in _IMAGES]
    # Beside another identifier a word is the document's own name for the product, and means no image.
    alone = not (purls or component.hashes)
    images += [found for name in others if (alone or set("/:@") & {*name}) and (found := _of_name(name))]
    if component.hashes:
        if packages and not images:
            raise RefusedError("no scan tells the hash of a package", "leave out `hashes`")
        if not any(map(names.DIGEST.fullmatch, digests)):
            raise RefusedError(
                "none of its hashes is the digest of an image", "give its `sha-256`, 64 digits"
            )
        images.append(ImagePattern(digests=digests))
    if not (images or packages):
        raise RefusedError("it names neither an image nor a package", _NAME_AN_IMAGE)
    return ProductMeaning(tuple(images), packages)


def _part(component: Component) -> PartMeaning:
    purls, others = _identifiers(component)
    if component.hashes:
        raise RefusedError("no scan tells the hash of a package", "leave out `hashes`")
    if any(purl.type in _IMAGES for purl in purls):
        raise RefusedError("an image is no package in another", _NAME_A_PACKAGE)
    if purls:
        return PartMeaning(tuple(purls))
    plain = {name for name in others if "://" not in name and not name.startswith(("cpe:", "urn:", "swid:"))}
    if len(plain) != 1:
        raise RefusedError("it does not name a package", _NAME_A_PACKAGE)
    return PartMeaning((), *plain)


def _identifiers(component: Component) -> tuple[list[Purl], list[str]]:
    """The package URLs and the other identifiers."""
    if component.unclear:
        key = component.unclear[0]
        known = "`@id`, `identifiers`, `hashes` and, of a product, `subcomponents`"
        raise RefusedError(f"`{key[:40]}` is not understood there", f"known are {known}")
    purls, others = list[Purl](), list[str]()
    for text in filter(None, [component.id, *(value for _, value in component.identifiers)]):
        if purl := Purl.parse(text):
            if _EMPTY.search(text):  # a script's variable was empty, say: it was to narrow what is meant
                raise RefusedError("its version or a qualifier is empty", "give its value, or leave it out")
            purls.append(purl)
        elif text[:4].lower() == "pkg:":
            raise RefusedError("that is no package URL", "write `pkg:TYPE/NAMESPACE/NAME@VERSION`")
        else:
            others.append(text)
    return purls, others


def _of_name(text: str) -> ImagePattern | None:
    """Of a reference or a bare digest; with both tag and digest, the digest decides."""
    if names.DIGEST.fullmatch(text):
        return ImagePattern(digests=(text,))
    reference = _reference(text)
    if reference is None:
        return None
    if reference.digest:
        return ImagePattern(digests=(reference.digest,))
    return ImagePattern(reference.repository, tags=(reference.tag,) if reference.tag else ())


def _of_purl(purl: Purl) -> ImagePattern:
    """Of `pkg:oci/name@digest?repository_url=…&tag=…&arch=…` or
    `pkg:docker/namespace/name@tag-or-digest?platform=os/arch`.

    Without digest and repository, `pkg:oci` names any image of that name anywhere, and so none for us.
    """
    qualifiers = dict(purl.qualifiers)
    if unknown := sorted(qualifiers.keys() - {*_QUALIFIERS}):
        known = ", ".join(f"`{key}`" for key in _QUALIFIERS)
        raise RefusedError(f"the qualifier `{unknown[0][:40]}` is not understood", f"known are {known}")
    if len(qualifiers) != len(purl.qualifiers):
        raise RefusedError("one of its qualifiers is given twice", "write one product for each")
    if purl.subpath:
        raise RefusedError("a path in an image is not understood", "name the package as a subcomponent")
    digest = purl.version if ":" in purl.version else ""
    if digest and not names.DIGEST.fullmatch(digest):
        raise RefusedError(
            f'its version "{digest[:80]}" is no digest', "sha256: and 64 lower-case hex digits"
        )
    path = f"{purl.namespace}/{purl.name}".lstrip("/")
    location = qualifiers.get("repository_url", "docker.io" if purl.type == "docker" else "").rstrip("/")
    if location and not location.endswith(f"/{path}"):
        location = f"{location}/{path}"
    reference = _reference(location) if location else None
    if not (digest or reference):
        what = f'"{location[:80]}" is no repository' if location else "it names no registry"
        raise RefusedError(what, "add `?repository_url=REGISTRY/NAME`")
    platform = qualifiers.get("platform", "")
    return ImagePattern(
        reference.repository if reference else "",
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
