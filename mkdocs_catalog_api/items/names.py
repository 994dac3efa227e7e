"""Names that authors and reports write: slugs, version labels, digests, platforms, references.

Every function returns the value it was given, or raises `RefusedError` with the nearest value or, if there
is none, the allowed ones. The patterns take time linear in the length of the
text; the public ones mean the same in ECMAScript, for schemas.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from msgspec import Struct

from .links import SCHEME, refusal, web_link

SLUG_MAX = 100
VERSION_MAX = 128
"""Of an OCI tag, and so of a chart version too: Helm pushes a chart under its version as the tag."""
_TAG = "1 to 128 letters, digits, . _ and -, but no . or - at the start"
REPOSITORY_MAX = 255
"""Of registry and path together, as the OCI distribution specification recommends."""

# OCI distribution specification, "Pulling manifests"
_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_PATH = re.compile(_COMPONENT.replace(r"\.", "[./]"))
SLUG = re.compile(_COMPONENT)
VERSION_LABEL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
# learn.microsoft.com, "Naming Files, Paths, and Namespaces"
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|\Z)", re.IGNORECASE)
# github.com/distribution/reference
_DOMAIN = re.compile(r"(?:[A-Za-z0-9]+(?:(?:\.|-+)[A-Za-z0-9]+)*|\[[A-Fa-f0-9:]+\])(?::[0-9]+)?")
_IMAGE_ID = re.compile(r"[0-9a-f]{64}")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128}")
# semver.org, "Is there a suggested regular expression", and the `v` that Helm accepts
_NUMBER = r"(?:0|[1-9][0-9]*)"
_PRE_RELEASE = rf"(?:{_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
CHART_VERSION = re.compile(
    rf"v?{_NUMBER}\.{_NUMBER}\.{_NUMBER}"
    rf"(?:-{_PRE_RELEASE}(?:\.{_PRE_RELEASE})*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)
# None of these is an operating system: `arm64/v8` lacks its `linux/`
_ARCHITECTURE_FIRST = re.compile(r"(?:386|amd64|arm|arm64|loong64|mips64le|ppc64le|riscv64|s390x)/")
PLATFORM = re.compile(r"[a-z0-9]+/[a-z0-9]+(?:/[a-z0-9]+(?:[._-][a-z0-9]+)*)?")
MANIFEST_PLATFORM = re.compile(rf"{PLATFORM.pattern}(?:\[[A-Za-z0-9._,-]{{1,100}}\])?")
"""`windows/amd64[10.0.20348.2700]`: the brackets distinguish several manifests for one platform."""
_OTHER_ARCHITECTURES = {"x86_64": "amd64", "x86-64": "amd64", "aarch64": "arm64", "armhf": "arm/v7"}


def reserved(text: str) -> bool:
    """Whether this is the name of a device on Windows, which can't have a file or folder of this name."""
    return bool(_DEVICE.match(text))


def slug(text: str) -> str:
    reserved_path = text == "index" or text.endswith(".json")
    if not reserved_path and len(text) <= SLUG_MAX and SLUG.fullmatch(text):
        return _no_device(text)
    near = _slugify(text.removesuffix(".json"))[:SLUG_MAX].rstrip("-")
    near = "" if near == "index" or reserved(near) else near
    if reserved_path:
        raise refusal(text, "is reserved for documents of the API", "choose another slug", near)
    allowed = "use 1 to 100 lower-case letters and digits, with single . or _, __ or hyphens between them"
    raise refusal(text, "is not a slug", allowed, near)


def _no_device(text: str) -> str:
    if not reserved(text):
        return text
    device, dot, rest = text.partition(".")
    why = "is the name of a device on Windows, where no file can have it"
    raise refusal(text, why, "", f"{device}-1{dot}{rest}")


def slug_from_name(name: str) -> str:
    """The slug of an item without one: `Node.js (LTS)` becomes `node-js-lts`."""
    if _names_a_file(derived := _slugify(name)):
        return derived
    raise refusal(name, "can't be turned into a slug", "add `slug: …`")


def badge_name(value: str) -> str:
    """The badge of a base distribution, a signing tool or a hub: `Wolfi OS` becomes `wolfi-os`."""
    derived = _slugify(value)
    if not _names_a_file(derived):
        why = f"can't be used, because its badge would be badge/{derived[:SLUG_MAX]}.json"
        raise refusal(value, why, "use another name, with 1 to 100 letters and digits")
    return derived


def _names_a_file(derived: str) -> bool:
    return derived != "index" and 1 <= len(derived) <= SLUG_MAX and not reserved(derived)


def hub_name(address: str) -> str:
    """The host's name without `www.` and its top-level domain: `artifacthub` of artifacthub.io."""
    host = (urlsplit(address).hostname or "").removeprefix("www.")
    return badge_name(host.rpartition(".")[0] or host)


def version_label(text: str) -> str:
    if VERSION_LABEL.fullmatch(text):
        return _no_device(text)
    raise refusal(text, "is not an image version", f"write a tag: {_TAG}")


def chart_version(text: str) -> str:
    if len(text) <= VERSION_MAX and CHART_VERSION.fullmatch(text):
        return text
    fix = "write three numbers, as in `1.0.0`" if len(text) <= VERSION_MAX else "use at most 128 characters"
    raise refusal(text, "is not a chart version", fix)


def digest(text: str) -> str:
    if DIGEST.fullmatch(text):
        return text
    raise refusal(text, "is not a digest", _whole_digest(text))


def _whole_digest(near: str) -> str:
    """How to write a digest, with the number of digits if that is wrong: no reader counts 64 digits."""
    digits = re.fullmatch(r"(?:sha[0-9]+:)?([0-9a-f]+)", near)
    counted = f", not {len(digits[1])}" if digits and len(digits[1]) not in (64, 96, 128) else ""
    return f"write `sha256:` and 64 lower-case hex digits{counted}"


def platform(text: str) -> str:
    if _is_platform(text):
        return text
    parts = [_OTHER_ARCHITECTURES.get(part, part) for part in text.strip().lower().split("/")]
    near = "/".join(parts)
    if not _is_platform(near):
        near = "/".join(["linux", *(part for part in parts if part != "linux")])
    example = "write os/arch or os/arch/variant in lower case, as in linux/amd64"
    raise refusal(text, "is not a platform", example, near if _is_platform(near) else "")


def manifest_platform(text: str) -> str:
    platform(without_details(text) if MANIFEST_PLATFORM.fullmatch(text) else text)
    return text


def without_details(text: str) -> str:
    """The platform of a manifest without the brackets."""
    return text.partition("[")[0]


def _is_platform(text: str) -> bool:
    return bool(PLATFORM.fullmatch(text)) and not _ARCHITECTURE_FIRST.match(text)


class Reference(Struct, frozen=True):
    """A container image reference: `[domain/]path[:tag][@digest]`. With both, the digest decides."""

    domain: str
    """Registry with its port if any, in lower case; `docker.io` by default."""
    path: str
    """With the prefix `library/` for official images of Docker Hub."""
    tag: str | None = None
    digest: str | None = None

    @property
    def repository(self) -> str:
        """`domain/path`: the same for every spelling of a repository."""
        return f"{self.domain}/{self.path}"

    @property
    def tag_or_latest(self) -> str:
        """The tag, or `latest` without one."""
        return self.tag or "latest"

    @classmethod
    def parse(cls, text: str) -> Reference:
        """Parse the grammar and short names of github.com/distribution/reference."""
        reference = _read(text)
        if isinstance(reference, Reference):
            return reference
        near = text.lower()
        raise refusal(
            text, "is not an image reference", reference, near if isinstance(_read(near), Reference) else ""
        )


def _near_repository(text: str) -> str:
    """The repository without what does not belong to it: scheme, tag, digest, slash at the end, capitals."""
    near, _, _ = _split(re.sub("^[a-z]+://", "", text.strip()).rstrip("/").lower())
    reference = _read(near)
    is_one = isinstance(reference, Reference) and reference.tag is None and reference.digest is None
    return near if is_one and ("/" in near or "/" not in text.strip()) else ""


def repository(text: str) -> str:
    """An image without tag and digest, as in the field `image` of a page."""
    reference = _read(text)
    if isinstance(reference, str):
        raise refusal(text, "is not an image reference", reference, _near_repository(text))
    if reference.tag is None and reference.digest is None:
        return text
    why = "has a tag or digest, which belongs to the versions"
    raise refusal(text, why, "", _split(text)[0])


def registry(text: str) -> str:
    """What comes before `/slug` in references: a host, with its port if any, or a namespace on it."""
    return text if isinstance(_read(f"{text}/slug"), Reference) and "/" not in text else repository(text)


def chart_reference(text: str) -> str:
    """Where a chart is: `oci://registry/path`, the http(s) address of a repository, or a plain reference."""
    if text.startswith("oci://"):
        Reference.parse(text.removeprefix("oci://"))
        if "/" not in text.removeprefix("oci://"):
            raise refusal(text, "is not a chart reference", "write oci://REGISTRY/PATH")
    elif SCHEME.match(text):
        web_link(text)
    else:
        Reference.parse(text)
    return text


def _split(text: str) -> tuple[str, str | None, str | None]:
    """Name, tag and digest, unchecked."""
    name, at, digest_ = text.partition("@")
    colon = name.rfind(":")
    tag = name[colon + 1 :] if colon > name.rfind("/") else None
    return name if tag is None else name[:colon], tag, digest_ if at else None


def _read(text: str) -> Reference | str:
    """The reference, or how to correct it."""
    if SCHEME.match(text):
        return "remove the scheme"
    name, tag, digest_ = _split(text)
    if _IMAGE_ID.fullmatch(name):
        return "write the name of a repository, not the id of an image"
    domain, slash, path = name.partition("/")
    if not slash or not ("." in domain or ":" in domain or domain == "localhost"):
        domain, path = "docker.io", name
    domain = "docker.io" if domain.lower() == "index.docker.io" else domain.lower()
    if domain == "docker.io" and "/" not in path:
        path = f"library/{path}"
    if len(domain) + 1 + len(path) > REPOSITORY_MAX:
        return f"use at most {REPOSITORY_MAX} characters for registry and path"
    if not _DOMAIN.fullmatch(domain):
        return f"write HOST or HOST:PORT instead of {domain!r}"
    if not _PATH.fullmatch(path):
        path = path.removeprefix("library/")
        return f"use lower-case letters and digits in {path!r}, with . _ __ or - between them"
    if tag is not None and not VERSION_LABEL.fullmatch(tag):
        return f"correct the tag: {_TAG}"
    if digest_ is not None and not DIGEST.fullmatch(digest_):
        return _whole_digest(digest_)
    return Reference(domain, path, tag, digest_)


def _slugify(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
