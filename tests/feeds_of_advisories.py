"""Small files as CISA and the makers of EPSS publish them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping

LIMIT = 10_000_000


def kev(added: Mapping[str, str], *, day: str = "2026-11-20", count: int | None = None) -> bytes:
    """A catalog of these CVE ids, each with the day on which it was added."""
    entries = [{"cveID": id_, "vendorProject": "Acme", "dateAdded": date} for id_, date in added.items()]
    catalog = {
        "title": "CISA Catalog of Known Exploited Vulnerabilities",
        "catalogVersion": day.replace("-", "."),
        "dateReleased": f"{day}T17:04:19.9796Z",
        "count": len(entries) if count is None else count,
        "vulnerabilities": entries,
    }
    return json.dumps(catalog, indent=4).encode()


def epss(rows: Mapping[str, tuple[str, str]], *, day: str = "2026-11-20", end: str = "\n") -> bytes:
    """The scores of these CVE ids, not packed."""
    lines = [f"#model_version:v2025.03.14,score_date:{day}T12:55:00Z", "cve,epss,percentile"]
    lines += [f"{id_},{score},{percentile}" for id_, (score, percentile) in rows.items()]
    return "".join(line + end for line in lines).encode()


def packed(rows: Mapping[str, tuple[str, str]], *, day: str = "2026-11-20") -> bytes:
    """The same as its makers send them."""
    return gzip.compress(epss(rows, day=day), mtime=0)


def many(number: int) -> dict[str, tuple[str, str]]:
    """So many rows of scores."""
    return {f"CVE-2026-{at:04}": ("0.00043", "0.12345") for at in range(number)}
