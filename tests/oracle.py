"""The rules on what counts, read a second time: from the contract alone, without the package.

`oracle_files` reads a catalog's sources, `oracle_documents` lays out what follows from them.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace as Record
from typing import Any

from .oracle_files import ANY, SEVERITIES, instant, purl, reference

WEIGHTS = dict(zip(SEVERITIES, (40, 10, 4, 1, 1), strict=True))
LIMITS = ["only-fixed", "only-notfixed", "ignore-wontfix", "exclude"]
LIMITS += ["no-system-packages", "nothing-recognized", "unknown-distribution", "os-end-of-life"]
BANDS = {"CRITICAL": ("F", 0, 39), "HIGH": ("D", 40, 59), "MEDIUM": ("C", 60, 79)}


def named(scan: Record) -> set[str]:
    return set(scan.digests) | ({scan.manifest} if scan.manifest else set())


def every_digest(release: Record) -> set[str]:
    return {*release.digests, *release.manifests.values()}


def join(scans: list[Record], candidates: list[Record], to: str = "scans", others: Any = ()) -> None:
    """By a digest that is known, wherever the report lies; else by its path, or by its key in a hub's map.

    `others` are further known digests.
    """
    known = {*others}.union(*map(every_digest, candidates))
    for scan in scans:
        if named(scan) & known:
            homes = [r for r in candidates if named(scan) & every_digest(r)]
        elif scan.hub:
            homes = [r for r in candidates if scan.tags & r.tags]
        else:
            homes = [r for r in candidates if at_path(scan, r)]
        for home in homes:
            getattr(home, to).append(scan)


def at_path(scan: Record, release: Record) -> bool:
    """Whether a report without a known digest is of the release, or of the part of it, whose path it has."""
    label, _, digits = scan.path.removesuffix(".json").rpartition(".")
    if scan.path in release.paths:
        return not contradicts(scan, release)
    pointed = {d for d in every_digest(release) if digits and d.startswith(f"sha256:{digits}")}
    if len(digits) != 12 or f"{label}.json" not in release.paths or not pointed:
        return False
    platforms = [name for name, digest in release.manifests.items() if digest in pointed]
    if contradicts(scan, release) or not all(alike(name, scan.platform) for name in platforms):
        return False
    scan.digests = scan.digests | pointed
    return True


def contradicts(scan: Record, release: Record) -> bool:
    """Whether it names a digest where those of the release are known, another image, tag, or no image."""
    if scan.digests and every_digest(release):
        return True
    return bool(release.image and scan.names) and all(another_name(name, release) for name in scan.names)


def another_name(written: str, release: Record) -> bool:
    """A name without a host has no more than its last part; its tag counts if it begins with a number."""
    repository, tag, digest = reference(written)
    last, labels = repository.split("/")[-1], release.labels
    same_end = last == release.image.split("/")[-1]
    host, slash, _ = written.partition("/")
    if not (slash and re.search("[.:]", host)):
        return not same_end or (bool(re.match("[0-9]", tag)) and tag not in labels)
    same = same_end if "reference" in release.accept else repository == release.image
    return not same or (not digest and (tag or "latest") not in labels) or bool(tag and tag not in labels)


def alike(one: str, other: str) -> bool:
    """A variant may be left out, and so may all of it."""
    return not (one and other) or all(map(str.__eq__, one.split("/"), other.split("/")))


def parts(release: Record, scans: list[Record]) -> list[tuple[str, str]]:
    """Digest and platform of each part; one of them may be unknown, and then scans may show it."""
    if release.manifests:
        every = [(digest, name.replace("/v8", "")) for name, digest in release.manifests.items()]
        return [part for part in every if any(alike(part[1], p) for p in release.platforms)] or every
    if len(release.digests) > 1:
        return [(digest, "") for digest in release.digests]
    of_scans = {scan.platform for scan in scans if scan.platform}
    listed = [("", name) for name in release.platforms or sorted(of_scans)]
    return listed or [(release.digests[0] if release.digests else "", "")]


def subject(scan: Record, release: Record) -> tuple[list[tuple[str, str]], bool] | None:
    """The parts that a scan is of, and whether that is certain; None for a platform that is left out."""
    by_digest = [part for part in release.parts if part[0] in named(scan)]
    if by_digest:
        return by_digest, True
    if named(scan) & {*release.manifests.values()}:
        return None
    possible = [part for part in release.parts if part[1] == scan.platform]
    possible = possible or [part for part in release.parts if alike(part[1], scan.platform)]
    return (possible, len(possible) == 1) if possible else None


def looked_at_everything(scan: Record, part: Any, others: list[Record], now: Fraction) -> bool:
    """It covers the part, at a known time, without a limit, and no other scan names a kind that it lacks."""
    kinds = set().union(*(other.named_kinds for other in others if other is not scan))
    dated = scan.time is not None and scan.time <= now
    return bool(scan.sure and part in scan.of and dated and not scan.limits and scan.packages >= kinds)


def count_for(part: Any, scans: list[Record], scanners: list[str], now: Fraction) -> list[Record]:
    """The scans that count for a part: of each scanner the newest ones, then the scanners in order."""
    counted: list[Record] = []
    first: Any = None
    for scanner in scanners:
        own = [scan for scan in scans if scan.scanner == scanner]
        whole = [scan.time for scan in own if looked_at_everything(scan, part, scans, now)]
        since = max(whole, default=None)
        for scan in own:
            future = scan.time is not None and scan.time > now
            newest = since is None or scan.time is None or scan.time >= since
            late = first is None or future or (scan.time is not None and scan.time > first + 2 * 24 * 3600)
            if newest and late:
                counted.append(scan)
        if first is None:
            first = since
    return counted


def whole_scans(scans: list[Record], accept: list[str]) -> list[Record]:
    """The reports of one scanner on one subject with one time, as one scan."""
    groups = defaultdict(list)
    for scan in scans:
        alone = id(scan) if scan.time is None else ""
        groups[scan.scanner, scan.time, frozenset(named(scan)), scan.platform, alone].append(scan)
    united = []
    for files in groups.values():
        limits = set().union(*(scan.limits for scan in files))
        for word in ("no-system-packages", "nothing-recognized"):  # another file may have what one lacks
            limits -= {word} if any(word not in scan.limits for scan in files) else set()
        limits -= {*accept}
        packages = set().union(*(scan.packages for scan in files))
        about = {"limits": limits, "packages": packages}
        about |= {"named_kinds": set().union(*(scan.named_kinds for scan in files))}
        united.append(Record(**vars(files[0]) | about, files=files))
    return united


def contents(release: Record) -> tuple[list[Any], str]:
    """The packages of the lists of scans that count, and of all SBOMs; how far that goes."""
    if not release.counting:
        release.parts = parts(release, release.sboms)
    chosen = [(scan, *release.of[id(scan)]) for scan in release.counting]
    chosen += [(sbom, *found) for sbom in release.sboms if (found := subject(sbom, release))]
    lists = [(scan, of if sure else []) for scan, of, sure in chosen if scan.listed]
    covered = {part for scan, of in lists for part in of if scan.list_is_whole}
    packages = {package["bom-ref"]: package for scan, _ in lists for package in scan.listed}
    every = sorted(packages.values(), key=lambda each: (each["type"] == "library", each["bom-ref"]))
    every = [package | {"bom-ref": str(number)} for number, package in enumerate(every, 1)]
    complete = {*release.parts} <= covered
    return every, ("Known" if complete else "InPart") if lists else "Unknown"


def counting(release: Record, scanners: list[str], now: Fraction) -> list[Record]:
    """The scans that count for one of the parts that they are of."""
    release.parts = parts(release, release.scans)
    release.of = {id(scan): found for scan in release.scans if (found := subject(scan, release))}
    scans = whole_scans([scan for scan in release.scans if id(scan) in release.of], release.accept)
    for scan in scans:
        scan.of, scan.sure = release.of[id(scan.files[0])]
    of_parts = {part: [scan for scan in scans if part in scan.of] for part in release.parts}
    every = [scan for part, of in of_parts.items() for scan in count_for(part, of, scanners, now)]
    release.limits = {id(file): scan.limits for scan in every for file in scan.files}
    return [scan for scan in release.scans if id(scan) in release.limits]


def looked(release: Record, part: tuple[str, str] | None = None) -> dict[str, Any]:
    """What the scans that count have looked at, of a release or one part of it."""
    seen = [(scan, *release.of[id(scan)]) for scan in release.counting]
    seen = [each for each in seen if part is None or part in each[1]]
    wanted = release.parts if part is None else [part]
    covers = {p: [scan for scan, of, sure in seen if sure and p in of] for p in wanted}
    limits = {id(scan): release.limits[id(scan)] for scan, *_ in seen}
    ended = {p for scan, of, _ in seen for p in of if "os-end-of-life" in limits[id(scan)]}
    whole = {p for p, scans in covers.items() if any(not limits[id(scan)] for scan in scans)} - ended
    still = {limit for scan, of, _ in seen for limit in limits[id(scan)] if {*of} & {*wanted} - whole}
    uncovered = [p for p, scans in covers.items() if not scans]
    platforms = {p[1] or scan.platform for p, scans in covers.items() for scan in scans}
    platforms |= {scan.platform for scan, _, sure in seen if not sure}
    return {
        "complete": bool(wanted) and whole >= {*wanted},
        "limits": [limit for limit in LIMITS if limit in still],
        "platformsScanned": sorted(platforms - {""}),
        "missing": [p for p in uncovered if p[0]] if seen else [],
        "doubts": ["scanned-in-part"] * bool(seen and uncovered)
        + ["scan-limited"] * bool({*wanted} - {*uncovered} - whole),
        "digestsScanned": sum(d not in {p[0] for p in uncovered} for d in release.digests),
    }


def statements(documents: list[Any], now: Fraction) -> list[Record]:
    """Of two documents with one id and another content, what suppresses is not used."""
    documents = [document.get("predicate", document) for document in documents]
    contents = defaultdict(set)
    for document in documents:
        times = [document.get(key) for key in ("timestamp", "last_updated")]
        contents[document["@id"]].add(json.dumps([document["statements"], *times], sort_keys=True))
    read = []
    for document, said in [(d, said) for d in documents for said in d["statements"]]:
        status, suppresses = said["status"], said["status"] in ("not_affected", "fixed")
        keys = ("timestamp", "last_updated")
        times = [instant(entry[key]) for entry in (said, document) for key in keys if key in entry]
        written = said.get("timestamp", document.get("timestamp"))
        times = [instant(written)] if suppresses else times
        usable = [time for time in times if time is not None]
        time = max(usable) if usable and len(usable) == len(times) else None
        doubtful = suppresses and written is not None and (time is None or time > now)
        doubtful |= suppresses and len(contents[document["@id"]]) > 1
        reason = said.get("justification") or said.get("impact_statement") or status != "not_affected"
        if reason and not doubtful:
            shown = (status, said.get("justification", ""), document["@id"])
            about = {"ids": statement_ids(said["vulnerability"]), "products": said.get("products", [])}
            read.append(Record(time=time, suppresses=suppresses, shown=shown, **about))
    return read


def statement_ids(vulnerability: Any) -> set[str]:
    """Without regard to case and blanks; none where they are of several CVEs."""
    given = {"name": vulnerability} if isinstance(vulnerability, str) else vulnerability
    written = [*(given[key] for key in ("@id", "name") if key in given), *given.get("aliases", [])]
    ids = {re.sub(r"\s", "", id_).upper().rpartition("/")[2] for id_ in written}
    return set() if sum(id_.startswith("CVE-") for id_ in ids) > 1 else ids


def identified(entry: Any, fits: Callable[[str], bool]) -> bool:
    """All that identifies it holds; an identifier of a wrong type, an empty one or a CPE spoils the whole."""
    identifiers = entry.get("identifiers", {})
    names = [*([entry["@id"]] if "@id" in entry else []), *identifiers.values()]
    understood = set(identifiers) <= {"purl"} and all(isinstance(name, str) and name for name in names)
    return bool(names) and understood and all(fits(name) for name in names)


def fits_package(name: str, found: Record, url: str) -> bool:
    (path, version, qualifiers), given = purl(name), purl(url)
    fits = path == given[0] and version in ("", given[1]) and qualifiers.items() <= given[2].items()
    return fits if name.startswith("pkg:") else bool(name == found.pkg)


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
    of, sure = release.of[id(scan)]
    index = release.digests if of and len(release.digests) == 1 else []
    scanned = named(scan) | {*index} | {part[0] for part in of if sure and part[0]}
    of_tag = tag in ("", *release.labels)
    fits = (not digest or digest in scanned) and of_tag and arch in ("", *scan.platform.split("/")[1:2])
    return fits and not others and bool(repository or digest) and repository in ("", release.image)


def covers(product: Any, found: Record, scan: Record, release: Record) -> bool:
    parts, url = product.get("subcomponents", []), found.purl
    fits = not parts or any(identified(part, lambda name: fits_package(name, found, url)) for part in parts)
    return fits and identified(product, lambda name: fits_image(name, found, scan, release))


def suppression(found: Record, scan: Record, release: Record, catalog: Record) -> Any:
    """One statement on its own id, or one on each of several CVEs, that none on any id of it contradicts."""
    fitting = [s for s in catalog.statements if any(covers(p, found, scan, release) for p in s.products)]
    several = [{found.id.upper(), cve} for cve in found.cves]
    others = {id_.upper() for id_ in found.aliases if id_ not in found.cves}
    reasons, contradicted = [], False
    for ids in several if len(several) > 1 else [{id_.upper() for id_ in (found.id, *found.aliases)}]:
        about = [s for s in fitting if s.ids & ids or (s.ids & others and not s.suppresses)]
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


def merge(id_: str, parts: list[Any], kev: dict[str, str]) -> Record:
    """The worst severity, the first texts by target; suppressed if all of its findings are."""
    findings = [found for found, _ in parts]
    aliases = sorted({alias for found in findings for alias in found.aliases})
    texts = {key: min(getattr(found, key) for found in findings) for key in ("pkg", "installed")}
    texts["purl"] = min(found.purl.partition("?")[0] for found in findings)
    severity = min((found.severity for found in findings), key=SEVERITIES.index)
    for key in ("fixed", "title", "url"):
        given = sorted((found.target, getattr(found, key)) for found in findings if getattr(found, key))
        texts[key] = ANY if any(text == ANY for _, text in given) else given[0][1] if given else ""
    exploited = min((kev[name] for name in {id_, *aliases} if name in kev), default=None)
    about = {"id": id_, "aliases": aliases, "severity": severity, "package": findings[0].row[1]}
    reason = agreed([reason for _, reason in parts])
    return Record(**about, **texts, exploited=exploited, reason=reason)


def rows(release: Record, catalog: Record, part: tuple[str, str] | None = None) -> list[Record]:
    groups = defaultdict(list)
    for scan in release.counting:
        if part is not None and part not in release.of[id(scan)][0]:
            continue
        for found in scan.findings:
            groups[found.row].append((found, suppression(found, scan, release, catalog)))
    merged = [merge(row[0], found, catalog.kev or {}) for row, found in groups.items()]
    return sorted(merged, key=lambda row: (*id_order(row), row.pkg, row.installed, row.package))


def id_order(row: Any) -> tuple[Any, ...]:
    cve = re.fullmatch(r"CVE-(\d+)-(\d+)", row.id)
    number = (0, int(cve[1]), int(cve[2])) if cve else (1,)
    return (SEVERITIES.index(row.severity), number, row.id)


def grade(rows: list[Record], looked: dict[str, Any], catalog: Record) -> tuple[str | None, float | None]:
    """The worst row sets the band, all rows the place in it; withheld of what nobody has looked at all of."""
    worst = rows[0].severity if rows else None
    low_band = ("B", 80, 94) if any(row.fixed for row in rows) else ("A", 95, 99)
    letter, low, high = BANDS.get(worst, low_band) if worst else ("A+", 100, 100)
    load = sum(Fraction(WEIGHTS[row.severity], 1 if row.fixed else 2) for row in rows)
    score = low + (high - low) * 20 / (20 + load)
    partial = looked["missing"] and "partial" not in catalog.accept
    blind = letter in ("A+", "A") and looked["limits"]
    return (None, None) if partial or blind else (letter, int(score * 10) / 10)
