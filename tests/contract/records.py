"""The shapes that hold no links: rows, release records, badges."""

import re

from tests.contract import kinds as k
from tests.contract.kinds import Kind, listing, maybe, one_of, record

SEVERITIES = ("critical", "high", "medium", "low", "unknown")
GRADES = ("A+", "A", "B", "C", "D", "F")
COLLECTIONS = ("images", "charts", "roadmap", "updates")

COUNTERS: dict[str, Kind] = dict.fromkeys(SEVERITIES, k.COUNT)
MAYBE_COUNTERS: dict[str, Kind] = {name: maybe(k.COUNT) for name in SEVERITIES}
GRADED: dict[str, Kind] = {"grade": maybe(one_of(*GRADES)), "score": maybe(k.SCORE)}
LIFECYCLE = one_of("available", "deprecated", "withdrawn", "planned")
SAFE = k.text("text without control characters", lambda value: not re.search(r"[\x00-\x1f\x7f-\x9f]", value))
ROW: dict[str, Kind] = {
    "id": k.text("an id", lambda value: bool(value.strip())),
    "severity": one_of(*(word.upper() for word in SEVERITIES)),
    "pkg": SAFE,
    "installed": SAFE,
    "fixed": SAFE,
    "title": k.text(
        "safe text of at most 1,000 characters", lambda v: len(v) <= 1000 and not any(SAFE(v, ""))
    ),
    "url": k.text("empty or an http(s) address", lambda value: value == "" or k.web(value)),
    "targets": listing(SAFE),
}
SUPPRESSED: dict[str, Kind] = {
    "status": one_of("not_affected", "fixed"),
    "justification": SAFE,
    "statement": SAFE,
}
RECORD: dict[str, Kind] = {
    "version": k.LABEL,
    "scanned": k.BOOL,
    "total": maybe(k.COUNT),
    "fixable": maybe(k.COUNT),
    **GRADED,
    "cves": maybe(listing(record(ROW))),
    **MAYBE_COUNTERS,
    "findings": maybe(k.COUNT),
    "unique": maybe(k.COUNT),
    "digest": maybe(k.DIGEST),
    "scannedAt": maybe(k.TIME),
    "scanner": maybe(k.either(k.FILLED, record({"name": k.FILLED, "version": maybe(k.FILLED)}))),
    "osEndOfLife": maybe(k.BOOL),
    "suppressed": maybe(listing(record({**ROW, **SUPPRESSED}))),
}
BADGE: dict[str, Kind] = {
    "schemaVersion": k.constant(1),
    "label": k.TEXT,
    "message": k.FILLED,
    "color": k.FILLED,
    "labelColor": k.FILLED,
    "style": k.constant("for-the-badge"),
    "cacheSeconds": k.constant(3600),
}
LOGOS = [{"namedLogo": k.FILLED, "logoColor": k.FILLED}, {"logoSvg": k.FILLED}, {}]
