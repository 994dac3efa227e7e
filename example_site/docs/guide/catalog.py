#!/usr/bin/env python3
"""Ask a published catalog of container images, from a terminal or as an assistant's tools.

One file for Python 3.9 or newer, without any package. Only `mcp` needs one: pip install 'mcp>=2.3,<3'.
It sends GET requests to the site alone, without credentials, and stores the lists of items in the user's
cache folder, so that an unchanged list is not downloaded again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import sys
import textwrap
import time
import unicodedata
import urllib.error
import urllib.parse
import urllib.request
import zlib
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

USER_AGENT = "catalog.py/1 (mkdocs-catalog-api)"
SEVERITIES = ("critical", "high", "medium", "low", "unknown")
MAX_BYTES = 64 << 20
"""Of one document, decompressed."""
MAX_SECONDS = 60
"""For one document."""
ENTRIES_FOR_PEOPLE, ENTRIES_FOR_ASSISTANTS = 40, 25
"""Entries of a list in an answer; `--json` prints all."""
CHARACTERS_FOR_ASSISTANTS = 300
"""Of one text in an answer."""
DIGEST = re.compile(r"(sha256):([0-9a-f]{64})|(sha512):([0-9a-f]{128})")

Json = Any


class NoAnswerError(Exception):
    """The site is down, is not a catalog, or publishes something unreadable."""


class Answer(NamedTuple):
    """An answer for programs and for people."""

    yes: bool
    """False for *no*, *not listed* and *former*."""
    data: dict[str, Json]
    lines: list[str]


# ---------------------------------------------------------------- documents of the site


class SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follow redirects to https, and from http to http on the same host."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        old, new = urllib.parse.urlsplit(req.full_url), urllib.parse.urlsplit(newurl)
        if new.scheme != "https" and not (old.scheme == new.scheme == "http" and old.netloc == new.netloc):
            raise NoAnswerError(f"{req.full_url} redirects to {newurl}, which is not https")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class Catalog:
    """The published documents of one site."""

    def __init__(self, site: str) -> None:
        """Read the discovery document of a site, given by its address."""
        self.site = re.sub(r"(/api/v1(/index\.json)?)?/*$", "", site)
        parts = urllib.parse.urlsplit(self.site)
        if parts.scheme not in ("https", "http") or not parts.hostname or parts.username or parts.query:
            raise NoAnswerError(
                f"{site} is not the address of a site (give it as https://example.org/catalog)"
            )
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self._opener = urllib.request.build_opener(SafeRedirects)
        index = self._get(f"{self.site}/api/v1/index.json")
        if not isinstance(index, dict) or index.get("apiVersion") != "v1" or "templates" not in index:
            raise NoAnswerError(
                f"{self.site} has no catalog: api/v1/index.json is missing or has another format"
            )
        self.index = index

    def document(self, name: str, *, keep: bool = False) -> Json:
        """Return a document with a fixed address, by its name in the discovery document.

        `keep` stores it in the cache folder with its ETag.
        """
        address = self.index["documents"].get(name)
        if address is None:
            raise NoAnswerError(f"this catalog does not publish {name}")
        found = self._get(self._url(address), keep=keep)
        if found is None:
            raise NoAnswerError(f"{address} is listed in index.json, but missing")
        return found

    def lookup(self, name: str, **parameters: str) -> Json | None:
        """Return the document of a template, or None if there is none for these parameters."""
        template = self.index["templates"].get(name)
        if template is None:
            raise NoAnswerError(f"this catalog does not publish {name} documents")
        quoted = {key: urllib.parse.quote(value, safe="~") for key, value in parameters.items()}
        return self._get(self._url(template.format(**quoted)))

    def _url(self, address: str) -> str:
        if not re.match(r"/(?!/)[!-~]*$", address):
            raise NoAnswerError(
                f"index.json contains an address that is not one of this site: {clean(address)}"
            )
        return self.origin + address

    def _get(self, url: str, *, keep: bool = False) -> Json | None:
        """Return a document; None for 404 and 410."""
        kept = kept_document(url) if keep else None
        headers = {"User-Agent": USER_AGENT, "Accept": "application/json", "Accept-Encoding": "gzip"}
        if kept:
            headers["If-None-Match"] = kept["etag"]
        try:
            with self._opener.open(urllib.request.Request(url, headers=headers), timeout=20) as response:
                body = read_body(response)
                etag = response.headers.get("ETag")
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 304 and kept:
                return kept["document"]
            if error.code in (404, 410):
                return None
            raise NoAnswerError(f"{url}: the server answered {error.code}") from None
        except (OSError, ValueError, zlib.error) as error:
            reason = getattr(error, "reason", None) or error
            raise NoAnswerError(f"{url}: {reason}") from None
        try:
            document = json.loads(body)
        except (ValueError, RecursionError):
            raise NoAnswerError(
                f"{url}: the answer is not JSON (is this the address of a catalog?)"
            ) from None
        if keep and etag:
            keep_document(url, {"etag": etag, "document": document})
        return document


def read_body(response: Any) -> bytes:
    """Read an answer within the limits of size and time, decompressed."""
    deadline = time.monotonic() + MAX_SECONDS
    gzip = response.headers.get("Content-Encoding", "").lower() == "gzip"
    decompress = zlib.decompressobj(31) if gzip else None
    body = bytearray()
    while chunk := response.read1(1 << 16):
        body += decompress.decompress(chunk, MAX_BYTES + 1) if decompress else chunk
        if len(body) > MAX_BYTES:
            raise ValueError(f"the document is larger than {MAX_BYTES >> 20} MB")
        if time.monotonic() > deadline:
            raise ValueError(f"no complete answer within {MAX_SECONDS} s")
    return bytes(body)


def cache_file(url: str) -> Path:
    """Return the file of a document in the user's cache folder."""
    base = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "catalog.py" / f"{hashlib.sha256(url.encode()).hexdigest()}.json"


def kept_document(url: str) -> dict[str, Json] | None:
    """Return a stored document with its ETag, or None."""
    try:
        kept = json.loads(cache_file(url).read_bytes())
        return kept if isinstance(kept["etag"], str) and "document" in kept else None
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, RecursionError):
        return None


def keep_document(url: str, kept: dict[str, Json]) -> None:
    """Store a document with its ETag; without a writable cache folder, nothing is stored."""
    try:
        file = cache_file(url)
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = file.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(kept), "utf-8")
        temporary.replace(file)
    except (OSError, RuntimeError):
        pass


# ---------------------------------------------------------------- words


def clean(text: object) -> str:
    """Return a text without control characters, which could change what a terminal shows."""
    return "".join(char if unicodedata.category(char)[0] != "C" else " " for char in str(text))


def count(number: int, noun: str) -> str:
    """Return `1 image`, `2 images`, `2 vulnerabilities`."""
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number} {noun if number == 1 else plural}"


def severities(counts: dict[str, Json]) -> str:
    """Return `1 critical, 2 high`."""
    return ", ".join(f"{counts[word]} {word}" for word in SEVERITIES if counts.get(word))


def state(figures: dict[str, Json]) -> str:
    """Return the result of a scan in one line, from the figures of the object `security`."""
    if not figures["scanned"]:
        return "not scanned"
    total = figures.get("total")
    if total is None:
        text = "not scanned completely, no vulnerability found so far"
    elif total == 0:
        text = "no known vulnerabilities"
    else:
        text = f"{count(total, 'vulnerability')} ({severities(figures)}), {figures['fixable']} fixable"
    if figures.get("exploited"):
        text += f", {figures['exploited']} known to be exploited"
    if figures.get("grade"):
        text = f"grade {figures['grade']}, {text}"
    elif total is not None:
        text += ", without a grade"
    return text if figures.get("complete") else f"{text}; not everything was scanned"


def fix(row: dict[str, Json]) -> str:
    """Return the installed and the fixed version of a package."""
    return f"{row['installed']} → {row['fixed'] or 'no fix'}"


def table(rows: Iterable[Sequence[object]], limit: int = ENTRIES_FOR_PEOPLE) -> list[str]:
    """Return rows as aligned columns of at most 80 characters; long cells are cut."""
    texts = [[clean("" if cell is None else cell) for cell in row] for row in rows]
    hidden = len(texts) - limit
    texts = texts[:limit]
    width = min(shutil.get_terminal_size((80, 24)).columns, 80)
    widths = [min(max(map(len, column)), 25) for column in zip(*texts)]
    lines = []
    for *cells, last in texts:
        cut = [cell if len(cell) <= size else cell[: size - 1] + "…" for cell, size in zip(cells, widths)]
        line = "  ".join([*(cell.ljust(size) for cell, size in zip(cut, widths)), last]).rstrip()
        lines.append(line if len(line) <= width else line[: width - 1] + "…")
    return lines + ([f"… and {hidden} more: --json prints all"] if hidden > 0 else [])


# ---------------------------------------------------------------- the questions


def summary(catalog: Catalog) -> Answer:
    """Return the size of the catalog and its vulnerabilities by severity."""
    security = catalog.document("securitySummary")
    resources = {name: resource["total"] for name, resource in catalog.index["resources"].items()}
    available = security["available"]
    everything = {
        "total": security["total"],
        "bySeverity": security["bySeverity"],
        "fixable": security["fixable"],
        "exploited": security["exploited"],
        "images": len(security["images"]),
        "scanned": security["scanned"],
    }
    data = {
        "title": catalog.index["title"],
        "totals": resources,
        "available": available,
        "all": everything,
        "unscanned": security["unscanned"],
        "oldestScan": security["oldestScan"],
        "newestScan": security["newestScan"],
    }

    def described(counts: dict[str, Json]) -> str:
        text = count(counts["total"], "vulnerability")
        text += f" ({severities(counts['bySeverity'])})" if counts["total"] else ""
        text += f", {counts['fixable']} fixable"
        if counts["exploited"]:
            text += f", {counts['exploited']} known to be exploited"
        return f"{text}, in the newest versions of {count(counts['scanned'], 'scanned image')}"

    lines = [
        clean(catalog.index["title"]),
        ", ".join(f"{total} {name}" for name, total in resources.items() if total),
        f"available: {described(available)}",
    ]
    if {**everything, "images": None} != {**available, "images": None}:
        lines.append(f"all: {described(everything)}")
    if security["unscanned"]:
        lines.append("not scanned: " + clean(", ".join(security["unscanned"][:ENTRIES_FOR_PEOPLE])))
    if security["oldestScan"]:
        lines.append(f"scans from {security['oldestScan'][:10]} to {security['newestScan'][:10]}")
    return Answer(True, data, lines)


class Match(NamedTuple):
    """An item that a search found."""

    score: int
    kind: str
    item: dict[str, Json]
    matched: str
    """The version or digest that a word matched, else empty."""


def text_of(value: Json) -> str:
    """Return every text in a value, in lower case."""
    if isinstance(value, dict):
        return " ".join(text_of(each) for each in value.values())
    if isinstance(value, list):
        return " ".join(text_of(each) for each in value)
    return "" if value is None else str(value).lower()


def score_of(word: str, item: dict[str, Json], versions: dict[str, Json]) -> tuple[int, str]:
    """Return how well a word matches an item, 0 for not at all, and the version that it matches."""
    names = [text_of(item["slug"]), text_of(item["name"])]
    replaced = [reference.rsplit("/", 1)[-1].lower() for reference in versions.get("replaces", [])]
    if word in names:
        return 100, ""
    hex_digits = word.split(":")[-1]
    if re.fullmatch(r"[0-9a-f]{7,}", hex_digits):
        for listed in [*versions.get("versions", []), *versions.get("former", [])]:
            if any(hex_digits[:12].startswith(each[: len(hex_digits)]) for each in listed["digests"]):
                return 90, listed["version"]
    if any(name.startswith(word) for name in names):
        return 80 - min(len(min(names, key=len)), 30), ""
    if word in replaced:
        return 45, ""
    for listed in versions.get("versions", []):
        if word in map(str.lower, [listed["version"], *listed["tags"]]):
            return 40, listed["version"]
    for score, text in (
        (35, text_of(names)),
        (20, text_of([item["categories"], item["license"], versions.get("base"), item.get("custom")])),
        (20, text_of([versions.get("custom"), versions.get("replaces")])),
        (10, text_of(item["description"])),
    ):
        if word in text:
            return score, ""
    return 0, ""


def matches(catalog: Catalog, words: Sequence[str]) -> list[Match]:
    """Return the items that match every word, the best first."""
    searched = {entry["slug"]: entry for entry in catalog.document("search", keep=True)["data"]}
    found = []
    for kind, name in (("image", "imagesIndex"), ("chart", "chartsIndex")):
        for item in catalog.document(name, keep=True)["data"]:
            versions = searched.get(item["slug"], {}) if kind == "image" else {}
            scores = [score_of(word.lower(), item, versions) for word in words]
            if all(score for score, _ in scores):
                version = next((version for _, version in scores if version), "")
                found.append(Match(sum(score for score, _ in scores), kind, item, version))
    return sorted(found, key=lambda match: (-match.score, match.kind != "image", match.item["slug"]))


def search(catalog: Catalog, words: str) -> Answer:
    """Find images and charts by name, category, license, base, own field, version or digest."""
    found = matches(catalog, words.split())
    data = {
        "total": len(found),
        "data": [
            {"kind": match.kind, "matchedVersion": match.matched or None, **match.item} for match in found
        ],
    }
    if not found:
        return Answer(False, data, [f"nothing found for {clean(words)}"])
    rows = [
        (
            match.item["slug"],
            match.kind,
            match.matched or match.item["latest"],
            match.item["security"]["grade"] or "-",
            match.item["description"],
        )
        for match in found
    ]
    return Answer(True, data, table(rows))


def item_document(catalog: Catalog, name: str) -> tuple[str, dict[str, Json]] | Answer:
    """Return the kind and the document of an item by slug or name, or the answer that it is not listed."""
    slug = name.lower()
    if re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,99}", slug):
        for kind in ("image", "chart"):
            found = catalog.lookup(kind, slug=slug) if kind in catalog.index["templates"] else None
            if found is not None:
                return kind, found["data"]
    known: list[str] = []
    for kind, lists in (("image", "imagesIndex"), ("chart", "chartsIndex")):
        for entry in catalog.document(lists, keep=True)["data"]:
            if entry["name"].lower() == slug:
                return kind, catalog.lookup(kind, slug=entry["slug"])["data"]  # type: ignore[index]
            known.append(entry["slug"])
    found = [match.item["slug"] for match in matches(catalog, name.split() or [name])]
    near = list(dict.fromkeys(found or get_close_matches(slug, known, 5)))[:5]
    hint = f" (did you mean {', '.join(near)}?)" if near else ""
    data = {"listed": False, "name": name, "similar": near}
    return Answer(False, data, [f"{clean(name)} is not listed{clean(hint)}"])


def image(catalog: Catalog, name: str) -> Answer:
    """Describe one image or chart: reference, versions, result of the scan, support."""
    found = item_document(catalog, name)
    if isinstance(found, Answer):
        return found
    kind, item = found
    lines = [f"{clean(item['name'])} ({kind} {item['slug']})"]
    if item["description"]:
        lines += textwrap.wrap(clean(item["description"]), 78)
    facts = {
        "reference": item.get("image") or item.get("chart"),
        "newest": item["latest"],
        "lifecycle": item["lifecycle"],
        "replaced by": item["replacedBy"],
        "in place of": ", ".join(item.get("replaces", [])),
        "license": item["license"],
        "category": ", ".join(item["categories"]),
        "base": item.get("base"),
        "platforms": ", ".join(item.get("platforms", [])),
        "signature": item["signature"],
        **item["custom"],
        "scan": state(item["security"]),
        "page": catalog.origin + item["url"],
    }
    facts = {key: {True: "yes", False: "no"}.get(value, value) for key, value in facts.items() if value != []}
    lines += [f"{key:12} {clean(value)}" for key, value in facts.items() if value not in (None, "")]
    rows = [
        (
            version["version"],
            version["released"] or "",
            f"supported until {version['endOfLife']}" if version.get("endOfLife") else "",
            version["digest"][:19] if version["digest"] else "",
        )
        for version in item["versions"]
    ]
    if rows:
        lines += ["", *table(rows)]
    return Answer(True, {"listed": True, "kind": kind, **item}, lines)


def release(catalog: Catalog, name: str, version: str | None) -> dict[str, Json] | Answer:
    """Return the release document of a version, by its tag, or the answer that it is not listed."""
    found = item_document(catalog, name)
    if isinstance(found, Answer):
        return found
    kind, item = found
    if kind == "chart":
        lines = [f"{item['slug']} is a chart: ask for the images that it pins", state(item["security"])]
        return Answer(False, {"listed": True, "kind": kind, "images": item["images"]}, lines)
    wanted = version or item["latest"]
    for listed in item["versions"]:
        if wanted in (listed["version"], *listed["tags"]):
            document = catalog.lookup("release", slug=item["slug"], version=listed["version"])
            if document is not None:
                return document
    versions = [listed["version"] for listed in item["versions"]]
    missing = f"{item['slug']} {wanted} is not listed" if wanted else f"{item['slug']} lists no version"
    lines = [clean(missing), *(["listed are:", *table([[each] for each in versions])] if versions else [])]
    return Answer(False, {"listed": False, "slug": item["slug"], "versions": versions}, lines)


def vulnerabilities(catalog: Catalog, name: str, version: str | None = None) -> Answer:
    """List the open vulnerabilities of an image's version, of the newest one without a version."""
    document = release(catalog, name, version)
    if isinstance(document, Answer):
        return document
    lines = [clean(f"{document['slug']} {document['version']}: {state(document)}")]
    if document["scannedAt"]:
        scan = f"scanned {document['scannedAt'][:10]} by {document['scanner']}"
        lines.append(clean(" · ".join([scan, *document["platformsScanned"]])))
    rows = [(row["id"], row["severity"].lower(), row["pkg"], fix(row)) for row in document["cves"] or []]
    if rows:
        lines += ["", *table(rows)]
    return Answer(document["scanned"], document, lines)


def who_has(catalog: Catalog, identifier: str) -> Answer:
    """List the images and charts that have a vulnerability open, by its CVE or advisory id."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", identifier):
        return Answer(
            False,
            {"id": identifier, "listed": False},
            [f"{clean(identifier)} is not an id of a vulnerability"],
        )
    # Ids of CVEs are in upper case, others as their source writes them.
    written = identifier.upper() if identifier.lower().startswith("cve-") else identifier
    document = catalog.lookup("cve", id=written)
    if document is None:
        index = catalog.document("cves")
        looked = f"{index['scanned']} versions were scanned, {index['unscanned']} were not"
        data = {
            "id": identifier,
            "listed": False,
            "scanned": index["scanned"],
            "unscanned": index["unscanned"],
        }
        return Answer(False, data, [f"no scanned version has {written}: {looked}"])
    rows = [
        (
            f"{row['slug']} {row['version']}",
            "newest" if row["isLatest"] else "",
            row["pkg"],
            fix(row),
        )
        for row in document["data"]
    ]
    lines = [clean(f"{document['id']} {document['severity'].lower()}: {document['title']}")[:200]]
    lines += table(rows) if rows else ["no version has it open"]
    if document["suppressed"]:
        affected = {f"{row['slug']} {row['version']}" for row in document["suppressed"]}
        lines.append(clean("suppressed by a VEX statement in " + ", ".join(sorted(affected)[:10])))
    if document["charts"]:
        lines.append(clean("charts: " + ", ".join(chart["slug"] for chart in document["charts"])))
    lines.append(f"{document['scanned']} versions were scanned, {document['unscanned']} were not")
    return Answer(bool(document["data"]), document, lines)


def normalized(reference: str) -> tuple[str, str | None, str | None]:
    """Return repository with host, tag and digest; the repository is empty for a digest alone."""
    if DIGEST.fullmatch(reference):
        return "", None, reference
    name, _, digest = reference.partition("@")
    repository, colon, tag = name.rpartition(":")
    if not colon or "/" in tag:
        repository, tag = name, ""
    first, slash, rest = repository.partition("/")
    if not slash or not ("." in first or ":" in first or first == "localhost"):
        first, rest = "docker.io", repository
    if first in ("docker.io", "index.docker.io"):
        first, rest = "docker.io", rest if "/" in rest else f"library/{rest}"
    return f"{first}/{rest}", tag or None, digest or None


def check(catalog: Catalog, reference: str) -> Answer:
    """Tell whether the catalog lists a reference or digest, whether it is current, and what to update to."""
    repository, tag, digest = normalized(reference)
    unknown = {"listed": False, "reference": reference}
    if digest:
        parts = DIGEST.fullmatch(digest)
        if not parts:
            return Answer(False, unknown, [f"{clean(digest)} is not a digest"])
        algorithm, hexdigits = (group for group in parts.groups() if group)
        document = catalog.lookup("digest", algorithm=algorithm, hex=hexdigits)
        entries = document["data"] if document else []
    else:
        if not re.fullmatch(r"[a-z0-9.-]+(:\d+)?(/[a-z0-9._-]+)+", repository):
            return Answer(False, unknown, [f"{clean(reference)} is not a reference"])
        host, _, path = repository.partition("/")
        document = catalog.lookup("reference", reference="~".join([host.replace(":", "_"), *path.split("/")]))
        entries = [each for each in document["data"] if each["tag"] == (tag or "latest")] if document else []
        if document and not entries:
            tags = [entry["tag"] for entry in document["data"]]
            lines = [clean(f"{repository} has no version {tag or 'latest'} in this catalog; listed are:")]
            return Answer(False, {**unknown, "tags": tags}, lines + table([[each] for each in tags]))
    if not entries:
        return not_listed(catalog, reference, repository)
    lines = []
    for entry in entries:
        lines += check_lines(entry)
    return Answer(any(entry["listed"] for entry in entries), {"reference": reference, "data": entries}, lines)


def not_listed(catalog: Catalog, reference: str, repository: str) -> Answer:
    """Return the answer that a reference is not listed, with the images that take its place."""
    instead = []
    if repository:
        searched = catalog.document("search", keep=True)["data"]
        instead = [entry["slug"] for entry in searched if repository in entry["replaces"]]
    data = {"listed": False, "reference": reference, "replacedBy": instead}
    lines = [f"{clean(reference)} is not listed in this catalog"]
    if instead:
        lines.append(clean(f"in its place the catalog has: {', '.join(instead)}"))
    return Answer(False, data, lines)


def check_lines(entry: dict[str, Json]) -> list[str]:
    """Return what the catalog knows of a digest or tag."""
    subject = f"{entry['slug']} {entry['version']}" + f" ({entry['platform']})" * bool(entry["platform"])
    if entry["listed"]:
        current = "the newest version" if entry["isLatest"] else f"the newest version is {entry['latest']}"
        first = f"listed: {subject}, {current}"
    else:
        end = f"replaced on {entry['until']}" if entry["until"] else "no longer listed"
        first = f"former: {subject}, {end}"
    lines = [first, f"scan: {state(entry['security'])}"]
    if entry["lifecycle"] not in (None, "available"):
        lines.append(f"lifecycle: {entry['lifecycle']}")
    if entry["endOfLife"]:
        lines.append(f"supported until {entry['endOfLife']}")
    for key, words in (("upgrade", "update to"), ("newLine", "newer line:")):
        target = entry[key]
        if target:
            line = f"{words} {target['version']}"
            if target["fixes"] is not None:
                line += f" (fixes {target['fixes']}, adds {target['adds']})"
            lines += [line, *([f"  {target['digest']}"] if target["digest"] else [])]
    return [clean(line) for line in lines]


def compare(catalog: Catalog, name: str, a: str, b: str) -> Answer:
    """Compare the vulnerabilities of two versions of an image: what B fixes and adds."""
    documents = []
    for version in (a, b):
        document = release(catalog, name, version)
        if isinstance(document, Answer):
            return document
        documents.append(document)
    old, new = documents
    lines = [clean(f"{old['slug']} {document['version']}: {state(document)}") for document in documents]
    data = {"slug": old["slug"]}
    for key, document in (("a", old), ("b", new)):
        data[key] = {name: value for name, value in document.items() if name not in ("cves", "suppressed")}
    if not (old["scanned"] and new["scanned"]):
        return Answer(False, {**data, "fixed": None, "added": None}, [*lines, "both versions need a scan"])
    before, after = ({(row["id"], row["pkg"]): row for row in document["cves"]} for document in documents)
    data["fixed"] = [row for key, row in before.items() if key not in after]
    data["added"] = [row for key, row in after.items() if key not in before]
    for key, words in (("fixed", "fixes"), ("added", "adds")):
        counts = {word: sum(row["severity"] == word.upper() for row in data[key]) for word in SEVERITIES}
        effect = f"{new['version']} {words} {len(data[key])}"
        lines += ["", f"{effect}: {severities(counts)}" if data[key] else effect]
        lines += table([(row["id"], row["severity"].lower(), row["pkg"], row["title"]) for row in data[key]])
    return Answer(True, data, lines)


QUESTIONS: dict[str, Callable[..., Answer]] = {
    "summary": summary,
    "search": search,
    "image": image,
    "vulnerabilities": vulnerabilities,
    "who-has": who_has,
    "check": check,
    "compare": compare,
}


def ask(site: str, question: str, arguments: Sequence[str]) -> Answer:
    """Ask one question.

    Raises:
        NoAnswerError: the site is down, is not a catalog, or one of its documents has another shape.
    """
    try:
        return QUESTIONS[question](Catalog(site), *arguments)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise NoAnswerError(f"a document of {site} has another format: {clean(repr(error))[:200]}") from None


# ---------------------------------------------------------------- tools for assistants


def cut(value: Json) -> Json:
    """Return a value with long lists and texts cut; `…LeftOut` counts the entries that a list lacks."""
    if isinstance(value, str):
        text = clean(value)
        return text if len(text) <= CHARACTERS_FOR_ASSISTANTS else text[:CHARACTERS_FOR_ASSISTANTS] + "…"
    if isinstance(value, list):
        return [cut(each) for each in value[:ENTRIES_FOR_ASSISTANTS]]
    if isinstance(value, dict):
        short = {key: cut(each) for key, each in value.items()}
        for key, each in value.items():
            if isinstance(each, list) and len(each) > ENTRIES_FOR_ASSISTANTS:
                short[f"{key}LeftOut"] = len(each) - ENTRIES_FOR_ASSISTANTS
        return short
    return value


def serve_mcp(site: str) -> None:
    """Offer the questions as tools over standard input and output, until it is closed."""
    try:
        from mcp.server import MCPServer
        from mcp.types import ToolAnnotations
    except ImportError:
        raise NoAnswerError(
            "this needs a package: pip install 'mcp>=2.3,<3' (Python 3.10 or newer)"
        ) from None
    server = MCPServer("catalog", instructions=f"The catalog of container images at {site}.")
    annotations = ToolAnnotations(read_only_hint=True, open_world_hint=True)

    def answered(question: str, *arguments: str) -> str:
        try:
            answer = ask(site, question, arguments)
        except NoAnswerError as error:
            return json.dumps({"answered": False, "reason": clean(error)[:CHARACTERS_FOR_ASSISTANTS]})
        return json.dumps({"yes": answer.yes, **cut(answer.data)}, ensure_ascii=False)

    def catalog_summary() -> str:
        return answered("summary")

    def search_images(words: str) -> str:
        return answered("search", words)

    def get_image(name: str) -> str:
        return answered("image", name)

    def list_vulnerabilities(name: str, version: str = "") -> str:
        return answered("vulnerabilities", name, *([version] if version else []))

    def who_has_vulnerability(vulnerability: str) -> str:
        return answered("who-has", vulnerability)

    def check_reference(reference: str) -> str:
        return answered("check", reference)

    def compare_versions(name: str, a: str, b: str) -> str:
        return answered("compare", name, a, b)

    tools = (
        catalog_summary,
        search_images,
        get_image,
        list_vulnerabilities,
        who_has_vulnerability,
        check_reference,
        compare_versions,
    )
    for tool, question in zip(tools, QUESTIONS.values()):
        server.add_tool(tool, description=question.__doc__, annotations=annotations, structured_output=False)
    server.run()


# ---------------------------------------------------------------- the command line


def arguments() -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(
        prog="catalog.py",
        description="Ask a published catalog of container images.",
        epilog="Exit status: 0 yes, 1 no, not listed or former, 2 no answer.",
    )
    parser.add_argument(
        "site", metavar="SITE", help="address of the catalog's site, https://example.org/catalog"
    )
    commands = parser.add_subparsers(dest="question", required=True, metavar="QUESTION")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="print JSON")
    for name, names in {
        "summary": [],
        "search": ["WORDS"],
        "image": ["NAME"],
        "vulnerabilities": ["NAME", "VERSION"],
        "who-has": ["ID"],
        "check": ["REFERENCE"],
        "compare": ["NAME", "A", "B"],
    }.items():
        text = (QUESTIONS[name].__doc__ or "").strip()
        command = commands.add_parser(name, help=text, description=text, parents=[common])
        for argument in names:
            nargs = {"WORDS": "+", "VERSION": "?"}.get(argument)
            command.add_argument(argument.lower(), metavar=argument, nargs=nargs)
    commands.add_parser("mcp", help="Offer the questions to an assistant over stdio (needs the package mcp).")
    return parser.parse_args()


def main() -> int:
    """Answer one question and return the exit status."""
    given = vars(arguments())
    site, question, as_json = given.pop("site"), given.pop("question"), given.pop("json", False)
    colored = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    try:
        if question == "mcp":
            serve_mcp(site)
            return 0
        answer = ask(site, question, [" ".join(v) if isinstance(v, list) else v for v in given.values()])
    except NoAnswerError as error:
        print(f"no answer: {clean(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    try:
        if as_json:
            print(json.dumps(answer.data, ensure_ascii=False, indent=2))
        else:
            first, *rest = answer.lines
            print(f"\033[1m{first}\033[0m" if colored else first, *rest, sep="\n")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0 if answer.yes else 1


if __name__ == "__main__":
    sys.exit(main())
