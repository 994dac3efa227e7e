"""What every reader does to the values of a report: wrong types count as missing, texts are made safe."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from urllib.parse import quote

from ...catalog.scans import SEVERITIES
from ...catalog.vulnerabilities import CVE_ID

TITLE_LENGTH = 1000


class ReportError(ValueError):
    """The bytes are not a report that can be read. `hint` says what would be.

    `line` and `column` are those of the file, from 1; 0 when it is no place in it that is wrong.
    """

    def __init__(self, message: str, hint: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.hint, self.line, self.column = hint, line, column


DAMAGED = "the report seems damaged or altered; run the scan again"
"""The hint when the heart of a report cannot be counted on."""

SEVERITY_WORDS: Mapping[str, int] = {word: index for index, word in enumerate(SEVERITIES)}
"""The words that all scanners have."""
UNKNOWN = SEVERITIES.index("UNKNOWN")

_BREAK = re.compile("[\t\n\r\u2028\u2029]+")
# Controls, and the marks that reverse the reading order and so can make a text look like another one.
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# Besides lone surrogates the two characters that XML, and so a feed, cannot hold.
_INVALID = re.compile("[\ud800-\udfff\ufffe\uffff]")

_LINK = re.compile(r'https?://[^\s/?#"<>\\][^\s"<>\\]*', re.IGNORECASE)
_CVE = re.compile(CVE_ID)
_ADVISORY = re.compile(r"(CVE|GHSA|RUSTSEC|TEMP)-[0-9A-Za-z-]+")
_DIGEST = re.compile(r"[a-z0-9]+(?:[+._-][a-z0-9]+)*:[0-9a-f]{32,}")
_TIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:[.,]([0-9]+))?"
    r" ?(?:[Zz]|UTC|([+-][0-9]{2}):?([0-9]{2})(?: [A-Z]{2,5})?)?"
)


def mapping(value: object) -> dict[str, object]:
    """The object, or an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def rows(value: object, where: str, hint: str = DAMAGED) -> list[dict[str, object]]:
    """The objects of a list that the report stands or falls with; `null` is an empty list.

    Raises `ReportError` for anything else: to count it as missing would hide findings.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise ReportError(f"`{where}` is not a list", hint)
    for index, row in enumerate(value):
        if not isinstance(row, dict):
            raise ReportError(f"`{where}[{index}]` is not an object", hint)
    return value


def items(value: object) -> list[dict[str, object]]:
    """The objects of a list that a report can do without."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


@lru_cache(maxsize=65_536)
def is_id(written: str) -> bool:
    """Whether anything is left of a finding's id once it is made safe; else the finding would be lost."""
    return bool(text(written).strip())


def require_ids(ids: Iterable[str], before: str, after: str) -> None:
    """Raise `ReportError` for an id of which nothing is left; it is at `{before}[position]{after}`."""
    for position, written in enumerate(ids):
        if not is_id(written):
            raise ReportError(f"`{before}[{position}]{after}` is empty", DAMAGED)


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The names that are not empty, each once."""
    return tuple(dict.fromkeys(filter(None, names)))


def text(value: object) -> str:
    """The text, made safe; empty for anything else."""
    if not isinstance(value, str):
        return ""
    # `isprintable` is a quick answer for nearly every text; what it refuses is looked at with care.
    return value if value.isprintable() else _safe(value)


def _safe(value: str) -> str:
    return _INVALID.sub("\ufffd", _INVISIBLE.sub("", _BREAK.sub(" ", value)))


def title(value: object) -> str:
    """A text of at most 1,000 characters."""
    return text(value)[:TITLE_LENGTH]


def texts(value: object) -> list[str]:
    """The non-empty texts of a list."""
    return [safe for item in value if (safe := text(item))] if isinstance(value, list) else []


def link(value: object) -> str:
    """The http(s) address, or empty."""
    address = text(value)
    return address if _LINK.fullmatch(address) else ""


def first_link(*values: object) -> str:
    """The first of several addresses that is one of the web, or empty."""
    return next(filter(None, map(link, values)), "")


def severity(value: object, words: Mapping[str, int] = SEVERITY_WORDS) -> int:
    """Index in `SEVERITIES` of one of the scanner's `words`, in any case; of other values that of UNKNOWN."""
    if not isinstance(value, str):
        return UNKNOWN
    if value in words:
        return words[value]
    return words.get(value.strip().upper(), UNKNOWN)


def odd_severity(value: object, words: Mapping[str, int] = SEVERITY_WORDS) -> str | None:
    """The word if it is not one of the scanner's `words`, empty if there is none; None for a word of them."""
    if isinstance(value, str) and value in words:
        return None  # as nearly always
    word = text(value).strip()
    return None if word.upper() in words else word[:40]


def canonical_id(written: str, others: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """The id that a vulnerability goes by and, sorted, its other ids.

    A CVE id stays; another id with exactly one CVE among its aliases becomes that CVE; else the id stays.
    """
    ids = {written, *others}
    cves = [name for name in ids if _CVE.fullmatch(name)]
    chosen = cves[0] if len(cves) == 1 and not _CVE.fullmatch(written) else written
    return chosen, tuple(sorted(ids - {chosen}))


_ECOSYSTEMS = {
    word: kind
    for kind, words in {
        "apk": "alpine wolfi chainguard",
        "deb": "debian ubuntu echo",
        "rpm": "redhat rhel centos rocky alma almalinux amazon oracle photon fedora suse opensuse sles "
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
    """The type of package URL (https://github.com/package-url/purl-spec) that a scanner's word for a kind of
    packages means, `Debian:12`, `python-pkg` or `opensuse-leap`; empty for what is not known.
    """
    name = text(word).lower().partition(":")[0]
    return _ECOSYSTEMS.get(name) or _ECOSYSTEMS.get(name.partition("-")[0], "")


def package_class(word: object) -> str:
    """`os-pkgs` or `lang-pkgs`, as Trivy calls them, of a scanner's word for a kind of packages."""
    return "os-pkgs" if ecosystem(word) in ("alpm", "apk", "deb", "rpm") else "lang-pkgs"


def advisory(name: str) -> str:
    """The public page of a vulnerability, by its id; empty when the id does not tell."""
    known = _ADVISORY.fullmatch(name)
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
    """The page of a record of the OSV database."""
    return f"https://osv.dev/vulnerability/{quote(name, safe='')}"


def digests(values: Iterable[object]) -> frozenset[str]:
    """The digests among references (`name@sha256:…`) and bare digests, in lower case."""
    parts = (text(value).rpartition("@")[2].lower() for value in values)
    return frozenset(filter(_DIGEST.fullmatch, parts))


def platform(*parts: object) -> str:
    """`os/arch[/variant]` of the three values; empty without system or architecture."""
    system, architecture, *variant = (text(part) for part in parts)
    if not (system and architecture):
        return ""
    return "/".join([system, architecture, *filter(None, variant)])


def utc_second(value: object) -> str | None:
    """`2026-11-20T06:00:00Z` of a time as `utc` reads it."""
    moment = utc(value)
    return moment.replace(tzinfo=None).isoformat(timespec="seconds") + "Z" if moment else None


def second_fraction(value: object) -> str:
    """Digits after the second of a time as `utc` reads it, all of them but trailing zeros."""
    time = _TIME.fullmatch(text(value).strip())
    return (time[3] or "").rstrip("0") if time else ""


def utc(value: object) -> datetime | None:
    """A time as programs write it: RFC 3339 with any number of digits after the second, a blank instead
    of the `T`, an offset, or no zone at all, which is read as UTC.

    None for anything else, and for the year 1, by which programs written in Go say "not set".
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
