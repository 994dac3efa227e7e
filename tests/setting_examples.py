"""An example of each setting, as it is written below `catalog-api`, and notes on some of them."""

from __future__ import annotations

EXAMPLES = {
    "registry": "registry: ghcr.io/acme/images",
    "registry_facts": "registry_facts: data/registry",
    "insecure_registries": "insecure_registries: [registry.internal:5000]",
    "images.pages": 'images: {pages: ["images/**/*.md", "!images/drafts/**"]}',
    "images.data": "images: {data: data/images.yml}",
    "images.defaults": "images: {defaults: {tier: standard, license: GPL-3.0-only}}",
    "images.fields": "images: {fields: {port: integer, shell: {type: text, values: [none, bash]}}}",
    "images.version_fields": "images: {version_fields: {changelog: url}}",
    "images.vocabulary": "images: {vocabulary: {tier: [core, standard, community]}}",
    "images.map": "images: {map: {category: tags, homepage: project_url}}",
    "images.lines": "images: {lines: major}",
    "images.variants": 'images: {variants: {dev: "*-dev"}}',
    "images.verify.identity": "images:\n"
    "  verify:\n"
    "    identity: release@example.org\n"
    "    issuer: https://accounts.google.com",
    "images.verify.identity_regexp": "images:\n"
    "  verify:\n"
    '    identity_regexp: "^https://github[.]com/acme/"\n'
    "    issuer: https://token.actions.githubusercontent.com",
    "images.verify.issuer": "images:\n"
    "  verify:\n"
    "    identity: release@example.org\n"
    "    issuer: https://accounts.google.com",
    "images.verify.key": "charts: {verify: {key: https://example.org/cosign.pub}}",
    "updates.data": "updates: {data: nvcmp.json}",
    "updates.decisions": "updates: {data: nvcmp.json, decisions: held.yml}",
    "security.reports": "security: {reports: reports}",
    "security.vex": "security: {vex: statements}",
    "security.kev": "security: {kev: data/kev.json}",
    "security.epss": "security: {epss: data/epss.csv.gz}",
    "security.max_age": "security: {max_age: 30}",
    "security.scanners": "security: {scanners: [grype, trivy]}",
    "security.accept": "security: {accept: [filesystem, partial]}",
    "security.max_report_size": "security: {max_report_size: 1GB}",
    "security.publish_vex": "security: {publish_vex: true}",
    "badges.<name>.label": "badges: {cves: {label: open CVEs}}",
    "badges.<name>.color": "badges: {images: {color: blue}}",
    "badges.<name>.labelColor": 'badges: {images: {labelColor: "#555"}}',
    "badges.<name>.logo": "badges: {debian: {logo: debian}}",
    "badges.<name>.logoColor": "badges: {debian: {logo: debian, logoColor: white}}",
    "openapi.contact.name": "openapi: {contact: {name: Acme}}",
    "openapi.contact.url": "openapi: {contact: {url: https://example.org/}}",
    "openapi.contact.email": "openapi: {contact: {email: catalog@example.org}}",
    "openapi.license.name": "openapi: {license: {name: Internal use}}",
    "openapi.license.identifier": "openapi: {license: {name: Creative Commons Attribution 4.0, "
    "identifier: CC-BY-4.0}}",
    "openapi.license.url": "openapi: {license: {name: Acme terms, url: https://example.org/terms}}",
    "lookups": "lookups: [digests, renovate]",
    "history": "history: data/history",
    "signed": "signed: true",
    "headers": "headers: netlify",
    "feeds": "feeds: true",
    "web": "web: false",
}
"""Setting → YAML."""
NOTES = {
    "images.map": "See [Keys that your pages have already](own-fields.md#keys-that-your-pages-have-already).",
    "images.fields": "See [Your own fields](own-fields.md).",
    "images.lines": "See [Release lines and variants](lines.md).",
    "security.scanners": "See [Which report counts](vulnerabilities.md#which-report-counts).",
    "security.reports": "The folder can't be inside `docs_dir`, where MkDocs would publish it.",
    "security.kev": "Get the file with [`catalog-api sync kev`](exploited.md).",
    "security.epss": "Download the file from its publisher.",
    "security.accept": "`partial` grades a version of which some digests have no scan. "
    "`ignored` suppresses [findings that a scanner ignored](vex.md#ignore-rules-of-scanners).",
    "security.max_report_size": "A whole number and a unit without a space: `kB`, `MB`, `GB` (powers of 1000)"
    " or `KiB`, `MiB`, `GiB` (powers of 1024).",
    "badges.<name>.logo": "The SVG file has at most 32 KiB, and "
    "[neither runs nor loads anything](problems.md#cat024).",
    "badges.<name>.color": "A color that shields.io knows: a name or a CSS hex value.",
    "lookups": "The documents that [answer one question each](clients.md#one-question-one-document). Above "
    "20,000 documents, a note names the hosts that accept that many.",
    "signed": "See [Sign and verify the API](sign.md).",
    "headers": "See [Configure your host](hosts.md).",
    "feeds": "See [Feeds](web-pages.md#feeds).",
}
"""Setting → a sentence or two."""
