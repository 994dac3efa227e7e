"""The types of values that authors write and documents publish.

An author's value is validated once, at the input: pydantic reads the validators of a type. msgspec reads its
`Meta`, which every published document is checked against.

YAML is read as text, so integers, numbers, booleans and dates are parsed here from the text of the author.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta
from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic.alias_generators import to_camel

from ..problems import RefusedError
from . import names as references
from .links import SCHEME, web_link

T = TypeVar("T")

camel = to_camel

NOASSERTION = "NOASSERTION"
"""SPDX's word for a license that is not known: it is read as none."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PRODUCT = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
_PICTURES = (".svg", ".png", ".webp")
_MAX_INTEGER = 2**53 - 1
"""The largest integer that is exact in every JSON parser (RFC 8259, section 6)."""


def _text(value: str) -> str:
    if not value.strip():
        raise RefusedError("empty text", "write a text or leave it out")
    if bad := _CONTROL.search(value):
        raise RefusedError(f"text with the control character {bad[0]!r}", "remove it")
    return value


def _of_text(parse: Callable[[str], object]) -> BeforeValidator:
    """Parse a text; data files may have another value."""
    return BeforeValidator(lambda value: parse(value) if isinstance(value, str) else value)


_SIZE = re.compile(r"([0-9]{1,15}(?:[.][0-9]{1,3})?) *([kmgt])(i?)b", re.IGNORECASE)
_PREFIXES = ("", "k", "m", "g", "t")
_UNITS = {"k": 1000, "ki": 1024}


def _integer(text: str) -> int:
    if size := _SIZE.fullmatch(text):
        factor = _UNITS["ki" if size[3] else "k"] ** _PREFIXES.index(size[2].lower())
        raise RefusedError(f"{text[:40]!r} has a unit", f"write bytes: `{int(float(size[1]) * factor)}`")
    if not re.fullmatch(r"[+-]?[0-9]{1,300}", text):
        raise RefusedError(f"{text[:40]!r} is not a whole number", "write plain digits, as in 8080")
    return int(text)


def _number(text: str) -> int | float:
    if not re.fullmatch(r"[+-]?[0-9]{1,16}(?:\.[0-9]{1,16})?", text):
        raise RefusedError(f"{text[:40]!r} is not a number", "write plain digits, as in 0.5")
    return float(text) if "." in text else int(text)


def _boolean(text: str) -> bool:
    word = text.lower()
    if word not in ("true", "yes", "on", "false", "no", "off"):
        raise RefusedError(f"{text[:40]!r} is neither true nor false", "write true or false")
    return word in ("true", "yes", "on")


def _date(value: object) -> object:
    # Another plugin or a data file in JSON may contain a date object or text; front matter contains text.
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, str):
        try:
            valid = bool(re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value)) and datetime.date.fromisoformat(
                value
            )
        except ValueError:
            valid = False
        if not valid:
            raise RefusedError(f"{value[:40]!r} is not a date", "write year-month-day, as in 2026-11-20")
    return value


def _name(value: str) -> str:
    return _text(value) if value else value


def _logo(value: str) -> str:
    """The path of a picture in docs_dir, or its https address."""
    if SCHEME.match(value):
        return _https_link(value)
    parts = value.split("/")
    if not value.lower().endswith(_PICTURES) or "\\" in value or {"", ".", ".."} & {*parts}:
        hint = "write the path of an .svg, .png or .webp file in docs_dir, or an https URL"
        raise RefusedError(f"{value[:80]!r} is not a logo", hint)
    return value


def expression(value: str, hint: str) -> str:
    """A valid regular expression. Raises `RefusedError` with the hint."""
    try:
        re.compile(value)
    except (re.error, OverflowError, RecursionError) as error:
        position = getattr(error, "pos", None)
        where = "" if position is None else f": wrong from character {position + 1} on"
        raise RefusedError(f"{value[:80]!r} is not a regular expression{where}", hint) from None
    return value


def product_name(value: str) -> str:
    if not _PRODUCT.fullmatch(value) or references.reserved(value):
        hint = "write the last part of its URL: `postgresql` for https://endoflife.date/postgresql"
        raise RefusedError(f"{value[:80]!r} is not a product of endoflife.date", hint)
    return value


def _reference(value: str) -> str:
    references.Reference.parse(value)
    return value


def _https_link(value: str) -> str:
    if not web_link(value).lower().startswith("https://"):
        raise RefusedError(f"{value[:80]!r} is not an https URL", "write it with https://")
    return value


def _checked(
    check: Callable[[str], str], *examples: str, pattern: str = "", uri: bool = False, **length: Any
) -> tuple[Meta, AfterValidator, WithJsonSchema]:
    """A text's rule for authors, and its shape in both forms."""
    shape = Meta(
        pattern=f"^(?:{pattern})$" if pattern else None,
        extra_json_schema={"format": "uri"} if uri else None,
        **length,
    )
    authored = msgspec.json.schema(Annotated[str, shape]) | ({"examples": [*examples]} if examples else {})
    return shape, AfterValidator(check), WithJsonSchema(authored)


def _whole(least: int) -> tuple[Meta, Any, BeforeValidator]:
    """The rules of a whole number."""
    bounds: dict[str, Any] = {"ge": least, "le": _MAX_INTEGER}
    return Meta(**bounds), Field(strict=True, examples=[1], **bounds), _of_text(_integer)


Text = Annotated[str, Field(strict=True), *_checked(_text, min_length=1)]
Name = Annotated[str, Field(strict=True, max_length=128), *_checked(_name, max_length=128)]
"""A text that may be empty: "" for none."""
Argument = Annotated[str, Field(strict=True, max_length=4096), *_checked(str, max_length=4096)]
"""A part of a command, which may be empty or have several lines."""
Integer = Annotated[int, *_whole(-_MAX_INTEGER)]
Count = Annotated[int, *_whole(0)]
Positive = Annotated[int, *_whole(1)]
Number = Annotated[
    int | float,
    Field(allow_inf_nan=False),
    _of_text(_number),
    WithJsonSchema({"type": "number", "examples": [1]}),
]
Boolean = Annotated[bool, Field(strict=True), _of_text(_boolean)]
IsoDate = Annotated[
    str,
    Meta(extra_json_schema={"format": "date"}),
    BeforeValidator(_date),
    WithJsonSchema({"type": "string", "format": "date", "examples": ["2026-01-31"]}),
]

Slug = Annotated[
    str, *_checked(references.slug, "tools", pattern=references.SLUG.pattern, max_length=references.SLUG_MAX)
]
VersionLabel = Annotated[
    str, *_checked(references.version_label, "1.0.0", pattern=references.VERSION_LABEL.pattern)
]
ChartVersion = Annotated[
    str, *_checked(references.chart_version, "1.0.0", pattern=references.CHART_VERSION.pattern)
]
Digest = Annotated[str, *_checked(references.digest, f"sha256:{'0' * 64}", pattern=references.DIGEST.pattern)]
Platform = Annotated[str, *_checked(references.platform, "linux/amd64", pattern=references.PLATFORM.pattern)]
ManifestPlatform = Annotated[
    str,
    *_checked(references.manifest_platform, "linux/amd64", pattern=references.MANIFEST_PLATFORM.pattern),
]
WebLink = Annotated[str, *_checked(web_link, "https://example.org/", uri=True)]
HttpsLink = Annotated[
    str, *_checked(_https_link, "https://example.org/", uri=True, pattern="[Hh][Tt][Tt][Pp][Ss]://.*")
]
BadgeText = Annotated[Text, AfterValidator(lambda text: references.badge_name(text) and text)]
Hub = Annotated[
    str,
    *_checked(
        lambda text: references.hub_name(web_link(text)) and text,
        "https://artifacthub.io/packages/helm/example/tools",
        uri=True,
    ),
]
Repository = Annotated[str, *_checked(references.repository, "registry.example.org/tools")]
NormalizedRepository = Annotated[
    Repository, AfterValidator(lambda text: references.Reference.parse(text).repository)
]
"""A repository, published as `docker.io/library/nginx` if an author writes `nginx`."""
ChartReference = Annotated[
    str, *_checked(references.chart_reference, "oci://registry.example.org/charts/tools")
]
ImageReference = Annotated[str, *_checked(_reference, "registry.example.org/tools:1.0.0")]

Product = Annotated[str, *_checked(product_name, "postgresql", pattern=_PRODUCT.pattern)]
Logo = Annotated[Text, *_checked(_logo, "https://example.org/tools.svg")]
