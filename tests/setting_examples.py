"""An example of each setting, as it is written below `catalog-api`, and notes on some of them."""

from __future__ import annotations

EXAMPLES = {
    "registry": "registry: ghcr.io/acme/images",
    "insecure_registries": "insecure_registries: [registry.internal:5000]",
    "images.pages": 'images: {pages: ["images/**/*.md", "!images/drafts/**"]}',
    "images.data": "images: {data: data/images.yml}",
    "images.item_pages": "images: {item_pages: false}",
    "images.defaults": "images: {defaults: {tier: standard, license: GPL-3.0-only}}",
    "images.fields": "images: {fields: {port: integer, shell: {type: text, values: [none, bash]}}}",
    "images.version_fields": "images: {version_fields: {changelog: url}}",
    "images.lines": "images: {lines: major}",
    "images.variants": "images: {variants: none}",
    "images.verify.identity": "images: {verify: {identity: release@example.org, "
    "issuer: https://accounts.google.com}}",
    "images.verify.identity_regexp": 'images: {verify: {identity_regexp: "^https://github[.]com/acme/", '
    "issuer: https://token.actions.githubusercontent.com}}",
    "images.verify.issuer": "images: {verify: {identity: release@example.org, "
    "issuer: https://accounts.google.com}}",
    "images.verify.key": "charts: {verify: {key: https://example.org/cosign.pub}}",
    "updates.data": "updates: {data: versions.json}",
    "security.reports": "security: {reports: reports}",
    "security.vex": "security: {vex: statements}",
    "security.max_age": "security: {max_age: 30}",
    "security.scanners": "security: {scanners: [grype, trivy]}",
    "security.accept": "security: {accept: [ignored, partial]}",
    "security.max_report_size": "security: {max_report_size: 1GB}",
    "security.publish_vex": "security: {publish_vex: true}",
    "lookups": "lookups: [digests, renovate]",
    "headers": "headers: netlify",
    "feeds": "feeds: true",
    "web": "web: false",
}
"""Setting → YAML."""
NOTES = {
    "images.defaults": "See [Defaults](pages.md#defaults).",
    "images.fields": "See [Your own fields](pages.md#your-own-fields).",
    "images.lines": "See [Lines and variants](rules.md#lines-and-variants).",
    "security.scanners": "See [Which scan report counts](rules.md#which-scan-report-counts).",
    "security.reports": "The folder can't be inside `docs_dir`, where MkDocs would publish it.",
    "security.accept": "See [Complete scans](rules.md#complete-scans) and "
    "[scanners' ignore rules](scan.md#scanners-ignore-rules).",
    "security.max_report_size": "A number and a unit: `kB`, `MB`, `GB` (powers of 1000)"
    " or `KiB`, `MiB`, `GiB` (powers of 1024).",
    "lookups": "Each [answers one question](clients.md#one-question-one-document). If the site "
    "has more than 20,000 files, a note names the hosts that accept that many.",
    "headers": "See [Header files](hosts.md#header-files).",
    "feeds": "See [Documents and feeds](history.md#documents-and-feeds).",
}
"""Setting → a sentence or two."""
