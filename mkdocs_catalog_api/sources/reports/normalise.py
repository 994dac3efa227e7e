"""Cleans values of reports: values of a wrong type are treated as missing, text is made safe."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote

from ...catalog.contents import PackageList
from ...catalog.ids import usual
from ...catalog.package_urls import DISTRIBUTIONS, package_url
from ...catalog.scans import SEVERITIES, Scan
from ...problems import RefusedError
from .repeated_keys import Occurrences

TITLE_LENGTH = 1000


class ReportFormat(NamedTuple):
    """A report format, with all data for the program, the tests and the guide."""

    word: str
    """Name in the setting `scanners`. A format with reports of another scanner has the name of that one;
    empty for one of SBOMs."""
    name: str
    """Display name in the JSON, in messages and in the guide."""
    page: str
    """URL of its documentation."""
    what: str
    """The supported input, as Markdown for the guide."""
    keys: tuple[str, ...]
    """Keys of a report that no other format has; none if it is a map of other reports, or has no findings."""
    decode: Callable[[bytes], Any]
    """Decodes a report. Lists, rows and ids are essential and checked; other values may have any type."""
    recognizes: Callable[[Any], bool]
    """Whether a decoded document has this format."""
    read: Callable[[Any], list[Scan]]
    """Reads a decoded report. Raises `RefusedError` if it is not reliable."""
    keys_read: Callable[[Any], Occurrences]
    """Counts the keys of a decoded document that decide what counts: none may stand twice in an object."""
    sample: bytes
    """The shortest report of a high CVE-2026-0001 in zlib 1.2, fixed in 1.3, of ghcr.io/acme/web:1; an SBOM
    with this package alone."""
    contents: Callable[[Any], PackageList | None] | None = None
    """Reads the packages that a decoded report lists besides, if its format can."""


DAMAGED = "the report is damaged or was changed; run the scan again"
"""The hint for an error in an essential part of a report."""

SEVERITY_WORDS: Mapping[str, int] = {word: index for index, word in enumerate(SEVERITIES)}
"""The severities of all scanners."""
UNKNOWN = SEVERITIES.index("UNKNOWN")

_NO_FIX = frozenset({"will not fix", "won't fix", "wont-fix", "not fixed", "none", "n/a", "na", "null", "-"})
UNKNOWN_WORDS = ("NOASSERTION", "NONE")

_BREAK = re.compile("[\t\n\r\u2028\u2029]+")
# Control characters, and marks that change the reading direction and so can disguise text.
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# Lone surrogates, and the two characters that XML does not allow, so that feeds are valid.
_INVALID = re.compile("[\ud800-\udfff\ufffe\uffff]")

_LINK = re.compile(r'https?://[^\s/?#"<>\\][^\s"<>\\]*', re.IGNORECASE)
_ADVISORY = re.compile(r"(CVE|GHSA|RUSTSEC|TEMP)-[0-9A-Za-z-]+")
_DIGEST = re.compile(r"[a-z0-9]+(?:[+._-][a-z0-9]+)*:[0-9a-f]{32,}")
_TIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:[.,]([0-9]+))?"
    r" ?(?:[Zz]|UTC|([+-][0-9]{2}):?([0-9]{2})(?: [A-Z]{2,5})?)?"
)


def mapping(value: object) -> dict[str, object]:
    """Return the object, or an empty one for other values."""
    return value if isinstance(value, dict) else {}


def rows(value: object, where: str, hint: str = DAMAGED) -> list[dict[str, object]]:
    """Return the objects of an essential list; `null` is an empty list.

    Raises `RefusedError` for other values, as ignoring them would hide findings.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise RefusedError(f"`{where}` is not a list", hint)
    for index, row in enumerate(value):
        if not isinstance(row, dict):
            raise RefusedError(f"`{where}[{index}]` is not an object", hint)
    return value


def items(value: object) -> list[dict[str, object]]:
    """Return the objects of an optional list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


@lru_cache(maxsize=65_536)
def is_id(written: str) -> bool:
    """Whether a finding's id is not empty once it is made safe; otherwise the finding would be lost."""
    return bool(text(written).strip())


def require_ids(ids: Iterable[str], before: str, after: str) -> None:
    """Raise `RefusedError` if a safe id is empty; its path is `{before}[position]{after}`."""
    for position, written in enumerate(ids):
        if not is_id(written):
            raise RefusedError(f"`{before}[{position}]{after}` is empty", DAMAGED)


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names without empty ones and duplicates."""
    return tuple(dict.fromkeys(filter(None, names)))


def text(value: object) -> str:
    """Return the text, made safe; "" for other values."""
    if not isinstance(value, str):
        return ""
    # `isprintable` is fast, and true for nearly all text; other text is checked in detail.
    if value.isprintable():
        return value
    return _INVALID.sub("\ufffd", _INVISIBLE.sub("", _BREAK.sub(" ", value)))


def title(value: object) -> str:
    """Return safe text of at most 1,000 characters."""
    return text(value)[:TITLE_LENGTH]


def fix(value: object) -> str:
    """Return what a scanner prints as fix; "" if it says in words that there is none."""
    printed = text(value)
    return "" if printed.strip().lower() in _NO_FIX else printed


def texts(value: object) -> list[str]:
    """Return the non-empty strings of a list."""
    return [safe for item in value if (safe := text(item))] if isinstance(value, list) else []


def licenses(names: Iterable[str]) -> tuple[str, ...]:
    """Return the licenses that are known, sorted: SPDX has words for those that are not."""
    return tuple(sorted({safe for name in names if (safe := title(name)) not in ("", *UNKNOWN_WORDS)}))


def link(value: object) -> str:
    """Return the http(s) URL, or ""."""
    address = text(value)
    return address if _LINK.fullmatch(address) else ""


def first_link(*values: object) -> str:
    """Return the first http(s) URL of several values, or ""."""
    return next(filter(None, map(link, values)), "")


def severity(value: object, words: Mapping[str, int] = SEVERITY_WORDS) -> int:
    """Return the index in `SEVERITIES` of one of the scanner's `words`, in any case; else that of UNKNOWN."""
    if not isinstance(value, str):
        return UNKNOWN
    if value in words:
        return words[value]
    return words.get(value.strip().upper(), UNKNOWN)


def odd_severity(value: object, words: Mapping[str, int] = SEVERITY_WORDS) -> str | None:
    """Return None for one of the scanner's `words`, the value for another word, "" for no word."""
    if isinstance(value, str) and value in words:
        return None  # the common case
    word = text(value).strip()
    return None if word.upper() in words else word[:40]


def counted_severity(value: object, odd: Counter[str], words: Mapping[str, int] = SEVERITY_WORDS) -> int:
    """Return the same as `severity`. A missing one and another word are counted in `odd`."""
    worst = severity(value, words)
    if worst == UNKNOWN and (word := odd_severity(value, words)) is not None:
        odd[word] += 1
    return worst


_ECOSYSTEMS = {
    word: kind
    for kind, words in {
        "apk": "alpine wolfi chainguard",
        "deb": "debian ubuntu echo",
        "rpm": "redhat red rhel centos rocky alma almalinux amazon oracle photon fedora suse opensuse sles "
        "azurelinux cbl-mariner mariner openeuler",
        "alpm": "arch archlinux",
        "cargo": "crates.io rust-crate rustbinary",
        "composer": "packagist php-composer composer-vendor",
        "conda": "conda-pkg conda-environment",
        "gem": "rubygems bundler gemspec",
        "golang": "go go-module gobinary gomod",
        "hex": "",
        "maven": "java-archive jenkins-plugin jar pom gradle gradle-lockfile sbt-lockfile",
        "npm": "node-pkg yarn pnpm bun javascript",
        "nuget": "dotnet dotnet-core dotnet-deps packages-props",
        "pub": "dart",
        "pypi": "python python-pkg pip pipenv poetry uv pylock",
        "swift": "swifturl",
        "cocoapods": "",
    }.items()
    for word in (kind, *words.split())
}


def ecosystem(word: object) -> str:
    """Return the type of package URL (https://github.com/package-url/purl-spec) for a scanner's name of a
    package type, such as `Debian:12`, `python-pkg` or `opensuse-leap`; "" if it is unknown.
    """
    name = text(word).lower().partition(":")[0]
    return _ECOSYSTEMS.get(name) or _ECOSYSTEMS.get(name.replace(" ", "-").partition("-")[0], "")


def named_package(word: object, name: str, version: str) -> str:
    """Return the package URL for a package by its type in a scanner's words, as `ecosystem` has them."""
    return package_url(*_package_type(text(word)), name, version)


@lru_cache(maxsize=1_024)
def _package_type(word: str) -> tuple[str, str]:
    """Return type and distribution of packages; both may be empty."""
    type_, distribution = ecosystem(word), ""
    if type_ in DISTRIBUTIONS:
        distribution = word.lower().partition(":")[0].replace(" ", "").partition("-")[0]
    return type_, "" if distribution == type_ else distribution


def package_class(word: object) -> str:
    """Return Trivy's class, `os-pkgs` or `lang-pkgs`, for a scanner's name of a package type."""
    return "os-pkgs" if ecosystem(word) in ("alpm", "apk", "deb", "rpm") else "lang-pkgs"


def advisory(name: str) -> str:
    """Return the public page of a vulnerability by its id; "" if the id has no known page."""
    known = _ADVISORY.fullmatch(name := usual(name))
    match known and known[1]:
        case "CVE":
            return f"https://avd.aquasec.com/nvd/{name.lower()}"
        case "GHSA":
            return f"https://github.com/advisories/{name}"
        case "RUSTSEC":
            return osv_page(name)
        case "TEMP":
            return f"https://security-tracker.debian.org/tracker/{name}"
    return ""


def osv_page(name: str) -> str:
    """Return the page of a record in the OSV database."""
    return f"https://osv.dev/vulnerability/{quote(name, safe='')}"


def digests(values: Iterable[object]) -> frozenset[str]:
    """Return the digests in references (`name@sha256:…`) and bare digests, in lower case."""
    parts = (text(value).rpartition("@")[2].lower() for value in values)
    return frozenset(filter(_DIGEST.fullmatch, parts))


def platform(*parts: object) -> str:
    """Return `os/arch[/variant]` from the three values; "" without system or architecture."""
    system, architecture, *variant = (text(part) for part in parts)
    if not (system and architecture):
        return ""
    return "/".join([system, architecture, *filter(None, variant)])


def utc_second(value: object) -> str | None:
    """Return a time as `2026-11-20T06:00:00Z`. See `utc` for the input."""
    moment = utc(value)
    return moment.replace(tzinfo=None).isoformat(timespec="seconds") + "Z" if moment else None


def second_fraction(value: object) -> str:
    """Return the digits after the second, without trailing zeros. See `utc` for the input."""
    time = _TIME.fullmatch(text(value).strip())
    return (time[3] or "").rstrip("0") if time else ""


def utc(value: object) -> datetime | None:
    """Parse a time in RFC 3339, with any number of digits after the second, a space instead of the `T`,
    and an offset or no zone, which is read as UTC.

    Returns None for other values, and for the year 1, which means "not set" in programs written in Go.
    """
    time = _TIME.fullmatch(text(value).strip())
    if not time:
        return None
    day, clock, fraction, hours, minutes = time.groups(default="")
    zone = f"{hours}:{minutes}" if hours else "+00:00"
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}.{fraction[:6]:0<6}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if moment.year > 1 else None
