"""Small files as CISA publishes them."""

from __future__ import annotations

import json
from collections.abc import Mapping


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
