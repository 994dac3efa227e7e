"""The rules on what counts, read a second time: from the contract alone, without the package.

`oracle_files` reads a catalog's sources, `oracle_documents` lays out what follows from them.
"""

import re
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace as Record
from typing import Any

from .oracle_files import ANY, SEVERITIES, instant, purl, reference

WEIGHTS = dict(zip(SEVERITIES, (40, 10, 4, 1, 1), strict=True))
BANDS = {"CRITICAL": ("F", 0, 39), "HIGH": ("D", 40, 59), "MEDIUM": ("C", 60, 79)}


def join(scans: list[Record], candidates: list[Record]) -> None:
    """By digest, else by tag if one of both has no digest, else by path."""
    for scan in scans:
        by_digest = [r for r in candidates if scan.digests & set(r.digests)]
        by_tag = [r for r in candidates if scan.tags & r.tags and not (scan.digests and r.digests)]
        for release in by_digest or by_tag or [r for r in candidates if scan.path in r.paths]:
            release.scans.append(scan)


def parts(release: Record) -> list[list[Record]]:
    """The scans of each digest. Those that name none are of what no other names; foreign ones count last."""
    own = [scan for scan in release.scans if not scan.digests or scan.digests & set(release.digests)]
    if not own or len(release.digests) < 2:
        return [own if release.digests and own else release.scans]
    each = [[scan for scan in own if digest in scan.digests] for digest in release.digests]
    return [*each, [scan for scan in own if not scan.digests and not all(each)]]


def replaces(newer: Record, older: Record, rivals: list[Record], now: Fraction) -> bool:
    """A newer one does, unless a time says nothing or it lacks packages of the older one and its parts."""
    parts = [
        s for s in rivals if (s.time, s.digests, s.platform) == (older.time, older.digests, older.platform)
    ]
    usable = all(scan.time is not None and scan.time <= now for scan in (newer, older))
    same_content = not (newer.digests and older.digests) or newer.digests & older.digests
    lacks_packages = same_content and set().union(*(part.classes for part in parts)) - newer.classes
    return usable and newer.time > older.time and not lacks_packages and not other_platform(newer, older)


def other_platform(one: Record, other: Record) -> bool:
    return bool(one.platform and other.platform and one.platform != other.platform)


def counting(release: Record, scanners: list[str], now: Fraction) -> list[Record]:
    """For each digest and platform the first scanner's scans that no newer one replaces."""
    counted: list[Record] = []
    for part in parts(release):
        while part:
            first = min((scan.silent, scanners.index(scan.scanner)) for scan in part)
            rivals = [scan for scan in part if (scan.silent, scanners.index(scan.scanner)) == first]
            newest: list[Record] = []
            for scan in sorted(rivals, key=lambda scan: scan.time or 0, reverse=True):
                newest += [] if any(replaces(other, scan, rivals, now) for other in newest) else [scan]
            counted += newest
            part = [scan for scan in part if all(other_platform(scan, other) for other in newest)]
    return [scan for scan in release.scans if scan in counted]


def statements(documents: list[Any], now: Fraction) -> list[Record]:
    """Those of the highest version of each document; where two differ, what suppresses has no time."""
    highest = {d["@id"]: d["version"] for d in sorted(documents, key=lambda d: d["version"])}
    newest = [document for document in documents if document["version"] == highest[document["@id"]]]
    ids, read = [document["@id"] for document in newest], []
    for document, said in [(d, said) for d in newest for said in d["statements"]]:
        status, suppresses = said["status"], said["status"] in ("not_affected", "fixed")
        keys = ("timestamp", "last_updated")
        times = [instant(entry[key]) for entry in (said, document) for key in keys if key in entry]
        written = said.get("timestamp", document.get("timestamp"))
        times = [instant(written)] if suppresses else times
        usable = [time for time in times if time is not None]
        time = max(usable) if usable and len(usable) == len(times) else None
        doubtful = suppresses and written is not None and (time is None or time > now)
        reason = said.get("justification") or said.get("impact_statement") or status != "not_affected"
        if reason and not doubtful:
            time = None if ids.count(document["@id"]) > 1 and suppresses else time
            shown = (status, said.get("justification", ""), document["@id"])
            about = {"ids": statement_ids(said["vulnerability"]), "products": said.get("products", [])}
            read.append(Record(time=time, suppresses=suppresses, shown=shown, **about))
    return read


def statement_ids(vulnerability: Any) -> set[str]:
    """Without regard to case and blanks; none where `@id` and `name` are two CVEs."""
    given = {"name": vulnerability} if isinstance(vulnerability, str) else vulnerability
    tidy = {key: re.sub(r"\s", "", given[key]).upper() for key in ("@id", "name") if key in given}
    both = {text.rpartition("/")[2] for text in tidy.values()}
    aliases = {re.sub(r"\s", "", alias).upper() for alias in given.get("aliases", [])}
    return set() if len({id_ for id_ in both if id_.startswith("CVE-")}) > 1 else both | aliases


def identified(entry: Any, fits: Callable[[str], bool]) -> bool:
    """All that identifies it holds; an identifier of a wrong type, an empty one or a CPE spoils the whole."""
    identifiers = entry.get("identifiers", {})
    names = [*([entry["@id"]] if "@id" in entry else []), *identifiers.values()]
    understood = set(identifiers) <= {"purl"} and all(isinstance(name, str) and name for name in names)
    return bool(names) and understood and all(fits(name) for name in names)


def fits_package(name: str, found: Record, url: str) -> bool:
    (path, version, qualifiers), given = purl(name), purl(url)
    fits = path == given[0] and version in ("", given[1]) and qualifiers.items() <= given[2].items()
    return fits if name.startswith("pkg:") else bool(name == found.row[1])


def fits_image(name: str, found: Record, scan: Record, release: Record) -> bool:
    """Every qualifier counts; a digest means scans of it alone."""
    if re.match("cpe:|pkg:(?!oci/)", name):
        return name.startswith("pkg:") and fits_package(name, found, found.purl)
    others: dict[str, str] = {}
    (repository, tag, digest), arch = reference("@" * name.startswith("sha256:") + name), ""
    if name.startswith("pkg:"):
        _, digest, others = purl(name)
        repository, tag, arch = (others.pop(key, "") for key in ("repository_url", "tag", "arch"))
        repository = reference(repository)[0]
    scanned = scan.digests or (set(release.digests) if len(release.digests) == 1 else set())
    fits = (not digest or digest in scanned) and tag in ("", *release.labels) and arch in ("", scan.platform)
    return fits and not others and bool(repository or digest) and repository in ("", release.image)


def covers(product: Any, found: Record, scan: Record, release: Record) -> bool:
    """A part needs no package URL of the scanner if its report tells the type of the package."""
    parts, url = product.get("subcomponents", []), found.purl or found.typed
    fits = not parts or any(identified(part, lambda name: fits_package(name, found, url)) for part in parts)
    return fits and identified(product, lambda name: fits_image(name, found, scan, release))


def suppression(found: Record, scan: Record, release: Record, catalog: Record) -> Any:
    """One statement on its own id, or one on each of several CVEs, that none contradicts."""
    fitting = [s for s in catalog.statements if any(covers(p, found, scan, release) for p in s.products)]
    several = [{found.id.upper(), cve} for cve in found.cves]
    reasons, contradicted = [], False
    for ids in several if len(several) > 1 else [{id_.upper() for id_ in (found.id, *found.aliases)}]:
        about = [statement for statement in fitting if statement.ids & ids]
        times = [s.time for s in about if not s.suppresses]
        best = [
            s for s in about if s.suppresses and all(None not in (s.time, t) and s.time > t for t in times)
        ]
        reasons.append(agreed([s.shown for s in best if (s.time or 0) == max(o.time or 0 for o in best)]))
        contradicted |= bool(times and not best)
    told = found.told in ("not_affected", "fixed", *catalog.accept) and not contradicted
    return agreed(reasons) or ((found.told, ANY, ANY) if told else None)


def agreed(texts: list[Any]) -> Any:
    """The tuple in which all agree, ANY where they differ; None without one, or when one is None."""
    columns = zip(*texts, strict=True) if all(texts) else []
    return tuple(column[0] if len(set(column)) == 1 else ANY for column in columns) or None


def merge(row: tuple[str, str, str], parts: list[Any], kev: dict[str, str]) -> Record:
    """The worst severity, the first texts by target; suppressed if all of its findings are."""
    (id_, pkg, installed), findings = row, [found for found, _ in parts]
    cves = {cve for found in findings for cve in found.cves} - {id_}
    severity = min((found.severity for found in findings), key=SEVERITIES.index)
    texts = {}
    for key in ("fixed", "title", "url"):
        given = sorted((found.target, getattr(found, key)) for found in findings if getattr(found, key))
        texts[key] = ANY if any(text == ANY for _, text in given) else given[0][1] if given else ""
    exploited = min((kev[name] for name in {id_, *cves} if name in kev), default=None)
    ids, reason = {id_: None} | dict.fromkeys(sorted(cves), id_), agreed([reason for _, reason in parts])
    about = {"id": id_, "pkg": pkg, "installed": installed, "severity": severity, "ids": ids}
    return Record(**about, **texts, exploited=exploited, reason=reason)


def rows(release: Record, catalog: Record) -> list[Record]:
    groups = defaultdict(list)
    for scan in release.counting:
        for found in scan.findings:
            groups[found.row].append((found, suppression(found, scan, release, catalog)))
    merged = [merge(row, found, catalog.kev or {}) for row, found in groups.items()]
    return sorted(merged, key=lambda row: (*id_order(row), row.pkg, row.installed))


def id_order(row: Any) -> tuple[Any, ...]:
    cve = re.fullmatch(r"CVE-(\d+)-(\d+)", row.id)
    number = (0, int(cve[1]), int(cve[2])) if cve else (1,)
    return (SEVERITIES.index(row.severity), number, row.id)


def grade(release: Record, catalog: Record) -> tuple[str | None, float | None]:
    """The worst row sets the band, all rows the place in it; withheld of what nobody has looked at all of."""
    worst = release.open[0].severity if release.open else None
    low_band = ("B", 80, 94) if any(row.fixed for row in release.open) else ("A", 95, 99)
    letter, low, high = BANDS.get(worst, low_band) if worst else ("A+", 100, 100)
    load = sum(Fraction(WEIGHTS[row.severity], 1 if row.fixed else 2) for row in release.open)
    score = low + (high - low) * 20 / (20 + load)
    partial = 1 < len(release.digests) > release.digests_scanned and "partial" not in catalog.accept
    blind = letter in ("A+", "A") and any(scan.ended or scan.narrowed for scan in release.counting)
    return (None, None) if partial or blind else (letter, int(score * 10) / 10)
