"""Reports of OSV-Scanner, https://google.github.io/osv-scanner/output/ (`--format json`).

| fact | from |
|---|---|
| coverage.limits | neither `results` nor `image_metadata.os` |
| references | `results[].source.path` of type `docker`, without the path inside the image |
| findings | one per `results[].packages[].groups[]`: a group is one vulnerability with several ids |
| more findings | one per `results[].packages[].vulnerabilities[]` without a group |
| id, aliases | `ids` and `aliases` of the group; `id`, `aliases` and `upstream` of its records |
| more aliases | CVE ids in `related` of records without other CVE ids: an advisory of a distribution |
| severity | `max_severity` of the group, a CVSS score; else the highest of the CVSS vectors of its records |
| severity without a score | the worst `database_specific.severity` of its records |
| pkg, installed | `package.name`, `package.version` (or `package.commit`) |
| purl | made of `package.ecosystem` and the name |
| fixed | `affected[].ranges[].events[].fixed` of the group's records, for the package in its release |
| title | `summary` of the group's records, else `details` |
| url | the page of the record |
| target | `results[].source.path` |

The report contains neither the version of the scanner nor the time of the scan.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from ...catalog.ids import identity, is_cve, usual
from ...catalog.scans import Coverage, Finding, Scan
from ...problems import RefusedError
from .json_errors import explain
from .normalise import (
    DAMAGED,
    SEVERITY_WORDS,
    UNKNOWN,
    ReportFormat,
    distinct,
    ecosystem,
    items,
    mapping,
    named_package,
    odd_severity,
    osv_page,
    package_class,
    require_ids,
    severity,
    text,
    texts,
    title,
)
from .repeated_keys import Occurrences, in_objects

# The severities of all databases in OSV.
_WORDS = {
    **SEVERITY_WORDS,
    "IMPORTANT": 1,
    "MODERATE": 2,
    "NEGLIGIBLE": 3,
    "MINOR": 3,
    "UNIMPORTANT": 3,
    "NONE": UNKNOWN,
}
_BESIDE_RESULTS = {
    "experimental_config",
    "experimental_generic_findings",
    "image_metadata",
    "license_summary",
}


class OsvGroup(Struct, gc=False):
    """One vulnerability with several ids. Values of any type are cleaned where they are used."""

    ids: Annotated[list[Any], Meta(min_length=1)]
    aliases: Any = None
    max_severity: Any = None


class OsvPackage(Struct, gc=False):
    package: Any = None
    vulnerabilities: list[dict[str, Any]] | None = None
    groups: list[OsvGroup] | None = None


class OsvResult(Struct):
    source: Any = None
    packages: list[OsvPackage] | UnsetType | None = UNSET


DECODER = msgspec.json.Decoder(dict[str, Raw])
_RESULTS = msgspec.json.Decoder(list[OsvResult])
_ANY = msgspec.json.Decoder()


def recognizes(document: dict[str, Raw]) -> bool:
    """Whether it is such a report. An empty `results` must have no unknown keys, as other tools write it."""
    results = _ANY.decode(document["results"]) if "results" in document else None
    if results is None:
        return False
    if any("packages" in result for result in items(results)):
        return True
    full = isinstance(results, list) and bool(results)
    return not full and document.keys() - {"results"} <= _BESIDE_RESULTS


def read(document: dict[str, Raw]) -> list[Scan]:
    """Read a report. Raises `RefusedError` for damaged results."""
    try:
        results = _RESULTS.decode(document["results"])
    except msgspec.ValidationError as error:
        raise explain(error, "results") from None
    system = text(mapping(_ANY.decode(document.get("image_metadata", b"null"))).get("os"))
    sources = [mapping(result.source) for result in results]
    names = (text(source.get("path")).split(":/")[0] for source in sources if source.get("type") == "docker")
    packages = [
        (text(source.get("path")), package)
        for source, result in zip(sources, results, strict=True)
        for package in result.packages or ()
    ]
    _check(results)
    odd = Counter[str]()
    findings = tuple(finding for target, package in packages for finding in _findings(package, target, odd))
    return [
        Scan(
            scanner_version="",
            scanned_at=None,
            references=distinct(names),
            coverage=Coverage(
                limits=frozenset(() if results or system else ("nothing-recognized",)),
                found=frozenset(_kinds(packages)),
            ),
            os_end_of_life=None,
            findings=findings,
            odd_severities=tuple(sorted(odd.items())),
        )
    ]


def _kinds(packages: Sequence[tuple[str, OsvPackage]]) -> Iterator[str]:
    """Yield the kinds of the packages with vulnerabilities, as far as they are known."""
    for _, entry in packages:
        word = mapping(entry.package).get("ecosystem")
        if ecosystem(word):
            yield package_class(word)


def keys_read(document: dict[str, Raw]) -> Occurrences:
    results = _RESULTS.decode(document["results"])
    packages = [package for result in results for package in result.packages or ()]
    groups = [group for package in packages for group in package.groups or ()]
    records = [record for package in packages for record in package.vulnerabilities or ()]
    affected = [entry for record in records for entry in items(record.get("affected"))]
    return {
        "results": 1,
        "packages": len(results),
        "groups": sum(package.groups is not None for package in packages),
        "vulnerabilities": sum(package.vulnerabilities is not None for package in packages),
        "ids": len(groups),
        "max_severity": sum(group.max_severity is not None for group in groups),
        "package": sum(package.package is not None for package in packages) + in_objects("package", affected),
        "affected": in_objects("affected", records),
    }


def _check(results: list[OsvResult]) -> None:
    for index, result in enumerate(results):
        if isinstance(result.packages, UnsetType):
            raise RefusedError(f"`results[{index}].packages` is missing", DAMAGED)
        for number, entry in enumerate(result.packages or ()):
            where = f"results[{index}].packages[{number}]"
            for place, group in enumerate(entry.groups or ()):
                if not texts(group.ids):
                    raise RefusedError(f"`{where}.groups[{place}].ids` is empty", DAMAGED)
            ids = (text(record.get("id")) for record in entry.vulnerabilities or ())
            require_ids(ids, f"{where}.vulnerabilities", ".id")


def _groups(entry: OsvPackage) -> list[OsvGroup]:
    """Return the groups of the report, and one group for each vulnerability without a group."""
    groups = entry.groups or []
    grouped = {known for group in groups for known in texts(group.ids)}
    alone = (record for record in entry.vulnerabilities or () if text(record.get("id")) not in grouped)
    return [*groups, *(OsvGroup([record["id"]], record.get("aliases")) for record in alone)]


def _findings(entry: OsvPackage, target: str, odd: Counter[str]) -> Iterator[Finding]:
    """Yield the findings, and count missing and unknown severities in `odd`."""
    package = mapping(entry.package)
    pkg = text(package.get("name"))
    records = {text(record.get("id")): record for record in entry.vulnerabilities or ()}
    for group in _groups(entry):
        ids = texts(group.ids)
        own = [records[known] for known in ids if known in records]
        also = (name for record in own for key in ("aliases", "upstream") for name in texts(record.get(key)))
        names = (*ids, *texts(group.aliases), *also)
        name, aliases = identity(ids[0], names)
        if not any(map(is_cve, (name, *aliases))):
            # An advisory of a distribution. For other records, related ids are different vulnerabilities.
            related = (usual(other) for record in own for other in texts(record.get("related")))
            name, aliases = identity(ids[0], (*names, *filter(is_cve, related)))
        installed = text(package.get("version")) or text(package.get("commit"))
        affected = [entry for record in own for entry in _affected(record, package)]
        summaries = (text(record.get(key)) for key in ("summary", "details") for record in own)
        yield Finding(
            id=name,
            severity=_severity(group.max_severity, own, affected, odd),
            pkg=pkg,
            installed=installed,
            fixed=", ".join(dict.fromkeys(version for entry in affected for version in _fixes(entry))),
            title=title(next(filter(None, summaries), "")),
            url=osv_page(ids[0]),
            target=target,
            aliases=aliases,
            purl=named_package(package.get("ecosystem"), pkg, installed),
        )


def _severity(
    score: object,
    records: Sequence[dict[str, Any]],
    affected: Sequence[dict[str, Any]],
    odd: Counter[str],
) -> int:
    """Return the severity of a CVSS score, by the ranges of CVSS 3: the score of the group, else the highest
    vector in the records and their `affected` entries. Without scores, return the records' worst severity.
    """
    value = _score(score)
    if value is None:
        value = max(_vector_scores([*records, *affected]), default=None)
    if value:
        return next((index for index, least in enumerate((9.0, 7.0, 4.0)) if value >= least), _WORDS["LOW"])
    words = [mapping(record.get("database_specific")).get("severity") for record in records]
    odd_words = [odd_severity(word, _WORDS) for word in words]
    if None in odd_words:
        return min(severity(word, _WORDS) for word in words)
    if value is None:
        odd[next(filter(None, odd_words), odd_severity(score, _WORDS) or "")] += 1
    return UNKNOWN


def _score(written: object) -> float | None:
    """Return a CVSS score from text or a number; None for other values."""
    try:
        value = float(written if type(written) in (int, float) else text(written))  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        return None
    return value if 0 <= value <= 10 else None


def _vector_scores(holders: Sequence[dict[str, Any]]) -> Iterator[float]:
    """Yield the scores of all vectors in records and their `affected` entries."""
    for holder in holders:
        for entry in items(holder.get("severity")):
            score = _vector_score(text(entry.get("score")))
            if score is not None:
                yield score


@lru_cache(maxsize=4_096)
def _vector_score(vector: str) -> float | None:
    """Return the base score of a CVSS vector, version 2, 3 or 4; None for other text."""
    from cvss import CVSS2, CVSS3, CVSS4, CVSSError  # most catalogs have no report of this scanner

    version = CVSS4 if vector.startswith("CVSS:4") else CVSS3 if vector.startswith("CVSS:3") else CVSS2
    try:
        return float(version(vector).scores()[0])
    except CVSSError:
        return None


def _affected(record: dict[str, Any], installed: dict[str, object]) -> Iterator[dict[str, Any]]:
    """Yield the `affected` entries of the installed package: the same name in another ecosystem, or in
    another release of a distribution, is another package.
    """
    for entry in items(record.get("affected")):
        package = mapping(entry.get("package"))
        if text(package.get("name")) == text(installed.get("name")) and _release(package) == _release(
            installed
        ):
            yield entry


def _release(package: dict[str, object]) -> str:
    """Return the ecosystem with its release. Ubuntu's records have `:LTS` after it, its reports may not."""
    return text(package.get("ecosystem")).removesuffix(":LTS")


def _fixes(affected: dict[str, Any]) -> Iterator[str]:
    """Yield the fixed versions. Commits, in ranges of type GIT, are not versions."""
    for span in items(affected.get("ranges")):
        if span.get("type") != "GIT":
            yield from filter(None, (text(event.get("fixed")) for event in items(span.get("events"))))


FORMAT = ReportFormat(
    word="osv",
    name="OSV-Scanner",
    page="https://google.github.io/osv-scanner/",
    what="`--format json`",
    keys=("results",),
    decode=DECODER.decode,
    recognizes=recognizes,
    read=read,
    keys_read=keys_read,
    sample=b"""{"results": [{"source": {"path": "ghcr.io/acme/web:1", "type": "docker"}, "packages": [{
        "package": {"name": "zlib", "version": "1.2"},
        "groups": [{"ids": ["CVE-2026-0001"], "max_severity": "7.5"}],
        "vulnerabilities": [{"id": "CVE-2026-0001", "affected": [{"package": {"name": "zlib"},
        "ranges": [{"type": "ECOSYSTEM", "events": [{"fixed": "1.3"}]}]}]}]}]}]}""",
)
