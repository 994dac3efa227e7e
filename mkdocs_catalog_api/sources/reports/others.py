"""Names files that people save in place of a report, and says how to get one that is read."""

from __future__ import annotations

from collections.abc import Sequence

from .normalise import items, mapping, text, title

_SCAN = "scan the image with `trivy image --format json` or `grype --output json`"
_SIGNATURES = {
    b"\x89PNG": "a PNG picture",
    b"%PDF": "a PDF document",
    b"PK\x03\x04": "a ZIP archive",
    b"\x1f\x8b": "a compressed file",
}
_BY_KEYS: Sequence[tuple[set[str], str, str]] = (
    (
        {"artifacts", "schema", "source"},
        "an SBOM in Syft's own form",
        "for its packages, `syft convert FILE -o cyclonedx-json=NAME.cdx.json`; for its vulnerabilities, "
        "`grype sbom:FILE --output json`",
    ),
    (
        {"@context", "@graph"},
        "an SBOM in SPDX 3",
        "write SPDX 2.3 or CycloneDX: `syft IMAGE -o spdx-json@2.3=NAME.spdx.json`",
    ),
    ({"scan", "vulnerabilities", "version"}, "a report in GitLab's format", _SCAN),
    ({"packageManager", "vulnerabilities"}, "a report of Snyk, which is not read", _SCAN),
    ({"predicate", "predicateType"}, "an in-toto statement", "save its `predicate`, if that is a report"),
    (
        {"payload", "payloadType"},
        "a signed envelope",
        "save the `predicate` in its `payload`, if that is a report: "
        "`jq -r .payload FILE | base64 -d | jq .predicate`",
    ),
    (
        {"dsseEnvelope"},
        "a Sigstore bundle",
        "save the `predicate` in its `payload`, if that is a report: "
        "`jq -r .dsseEnvelope.payload FILE | base64 -d | jq .predicate`",
    ),
    (
        {"@context", "statements"},
        "an OpenVEX document",
        "move it to the folder of the setting `security.vex`",
    ),
)


def other_file(document: object) -> tuple[str, str] | None:
    """Return what a JSON document is if it is known but not read, and how to get a report."""
    if document == {}:
        return (
            "an empty object, as Harbor's API answers if it has no report of the image",
            "scan the image in Harbor, then download its report again",
        )
    keys = mapping(document)
    if errors := items(keys.get("errors")):
        return (
            f"an error of an API instead of a report: {title(errors[0].get('message'))[:100]}",
            "check the URL and the credentials, and download it with `curl --fail`",
        )
    if "runs" in keys and "version" in keys:
        drivers = (mapping(mapping(run.get("tool")).get("driver")) for run in items(keys["runs"]))
        tools = ", ".join(dict.fromkeys(filter(None, (text(driver.get("name"))[:40] for driver in drivers))))
        of = f" of {tools}" if tools else ""
        return f"a SARIF file{of}, which has packages and versions only in sentences", _SCAN
    for names, what, how in _BY_KEYS:
        if names <= keys.keys():
            return what, how
    return None


def binary(data: bytes) -> str:
    """Return what a file is that is no text; "" if it is not known."""
    return next((what for start, what in _SIGNATURES.items() if data.startswith(start)), "")


def other_sbom(data: bytes) -> tuple[str, str] | None:
    """Return what an SBOM is that is not JSON, and how to get one that is read."""
    start = data[:2000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"SPDXVersion:"):
        return "an SBOM in SPDX's tag-value form", "write it as JSON: `syft convert FILE -o spdx-json`"
    if start.startswith(b"<") and b"cyclonedx.org/schema" in start:
        return "an SBOM in CycloneDX's XML form", "write it as JSON: `syft convert FILE -o cyclonedx-json`"
    return None
