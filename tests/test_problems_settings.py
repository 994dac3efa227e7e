"""Whatever stands wrong in mkdocs.yml is named with its line, its dotted setting and what would do."""

from __future__ import annotations

import pytest

from mkdocs_catalog_api.problems import Level

from .authors import OWN_SETTINGS, REQUIRED, configure, told
from .sites import REGISTRY, SiteFolder

WRONG = [
    (
        "images: {vocabulary: {base: ['!']}}",
        "6:36",
        "images.vocabulary.base[0]",
        "'!' is not a value that can name its badge: in lower case with hyphens it must be"
        " 1 to 100 characters, and not reserved as `index` is",
    ),
    ("registy: x", "6:7", "registy", "unknown setting (perhaps you mean 'registry')"),
    (
        "images: {colour: x}",
        "6:16",
        "images.colour",
        "unknown setting (known are pages, data, defaults, fields, version_fields, vocabulary, verify)",
    ),
    (
        "registry: on",
        "6:7",
        "registry",
        'expected a text, got on, which YAML reads as true (put it in quotes: "on")',
    ),
    (
        "registry: 1.10",
        "6:7",
        "registry",
        'expected a text, got 1.10, which YAML reads as 1.1 (put it in quotes: "1.10")',
    ),
    (
        "registry: 'A B'",
        "6:7",
        "registry",
        "'A B' is not an image reference: the path 'A B' may hold lower-case letters and digits, with . "
        "_ __ or - only between them",
    ),
    (
        "images: x",
        "6:7",
        "images",
        "expected keys and values, got 'x' (write `key: value`, one line for each)",
    ),
    ("images: {page: x}", "6:16", "images.page", "unknown setting (perhaps you mean 'pages')"),
    (
        "images: {pages: /x}",
        "6:16",
        "images.pages",
        "'/x' is not a pattern of pages (write it as seen from docs_dir, with forward slashes, as in "
        "images/**/*.md)",
    ),
    (
        "images: {data: missing.yml}",
        "6:16",
        "images.data",
        "the data file 'missing.yml' is missing (create it or correct the path)",
    ),
    (
        "images: {data: /etc/hosts}",
        "6:16",
        "images.data",
        "'/etc/hosts' is not a relative path (write it as seen from the folder of mkdocs.yml)",
    ),
    (
        "images: {fields: [port]}",
        "6:16",
        "images.fields",
        "expected keys and values, got a list (write `key: value`, one line for each)",
    ),
    (
        "images: {fields: {port: int}}",
        "6:25",
        "images.fields.port.type",
        "'int' is not text, integer, number, boolean, date or url (perhaps you mean 'integer')",
    ),
    (
        "images: {fields: {port: {typ: integer}}}",
        "6:32",
        "images.fields.port.typ",
        "unknown setting (perhaps you mean 'type')",
    ),
    (
        "images: {fields: {my_port: integer}}",
        "6:25",
        "images.fields.my_port",
        "'my_port' is not a camelCase name of letters and digits (perhaps you mean 'myPort')",
    ),
    (
        "images: {fields: {tier: text}}",
        "6:25",
        "images.fields.tier",
        "the field `tier` is built in (close its words with `vocabulary`)",
    ),
    (
        "images: {fields: {versions: text}}",
        "6:25",
        "images.fields.versions",
        "the field `versions` is built in (remove it)",
    ),
    ("images: {fields: {url: url}}", "6:25", "images.fields.url", "`url` is computed (choose another name)"),
    (
        "images: {fields: {catalog: text}}",
        "6:25",
        "images.fields.catalog",
        "`catalog` says which collection a page is in (choose another name)",
    ),
    (
        "images: {fields: {on: text}}",
        "6:25",
        "images.fields.on",
        'the key on, which YAML reads as true, is not a text (put it in quotes: "on")',
    ),
    (
        "images: {fields: {a: {values: [1.10]}}}",
        "6:38",
        "images.fields.a.values[0]",
        'expected a text, got 1.10, which YAML reads as 1.1 (put it in quotes: "1.10")',
    ),
    (
        "images: {fields: {a: {values: [x, x]}}}",
        "6:25",
        "images.fields.a",
        "a word stands twice in `values` (keep one of them)",
    ),
    (
        "images: {fields: {a: {type: date, values: [x]}}}",
        "6:25",
        "images.fields.a",
        "only a field of type text has `values` (remove them, or write `type: text`)",
    ),
    (
        "images: {fields: {a: {required: 'yes'}}}",
        "6:29",
        "images.fields.a.required",
        "expected true or false, got 'yes' (remove the quotes)",
    ),
    (
        "images: {fields: {a: {list: 1}}}",
        "6:29",
        "images.fields.a.list",
        "expected true or false, got 1 (write true or false)",
    ),
    (
        "images: {vocabulary: {teir: [a]}}",
        "6:29",
        "images.vocabulary.teir",
        "`teir` is no field of images whose words can be closed (perhaps you mean 'tier')",
    ),
    (
        "images: {vocabulary: {priority: [a]}}",
        "6:29",
        "images.vocabulary.priority",
        "`priority` is no field of images whose words can be closed (these can: category, "
        "tier, license, base, signature)",
    ),
    (
        "images: {fields: {os: text}, vocabulary: {os: [a]}}",
        "6:49",
        "images.vocabulary.os",
        "`os` is no field of images whose words can be closed (give the words of a field of "
        "your own as `values` under `fields.os`)",
    ),
    (
        "images: {vocabulary: {tier: []}}",
        "6:29",
        "images.vocabulary.tier",
        "an empty list (name at least one or leave it out)",
    ),
    (
        "images: {vocabulary: {tier: core}}",
        "6:29",
        "images.vocabulary.tier",
        "expected a list, got 'core' (write `tier: [core]`)",
    ),
    (
        "images: {vocabulary: {tier: [on]}}",
        "6:36",
        "images.vocabulary.tier[0]",
        'expected a text, got on, which YAML reads as true (put it in quotes: "on")',
    ),
    (
        "security: {reports: nope}",
        "6:18",
        "security.reports",
        "the folder 'nope' is missing (create it or correct the path)",
    ),
    (
        "security: {reports: docs}",
        "6:18",
        "security.reports",
        "the folder lies in docs_dir, so MkDocs would publish it (move it beside mkdocs.yml)",
    ),
    ("security: {max_age: 0}", "6:18", "security.max_age", "0 is too small (at least 1)"),
    (
        "security: {max_age: '30'}",
        "6:18",
        "security.max_age",
        "expected a whole number, got '30' (remove the quotes)",
    ),
    (
        "security: {scanners: [snyk]}",
        "6:29",
        "security.scanners[0]",
        "'snyk' is not trivy, grype, harbor or osv",
    ),
    (
        "security: {scanners: [trivy, trivy]}",
        "6:18",
        "security.scanners",
        "'trivy' stands here twice (keep one of them)",
    ),
    (
        "badges: {cves: {colour: red}}",
        "6:23",
        "badges.cves.colour",
        "unknown setting (perhaps you mean 'color')",
    ),
    (
        "badges: {cves: {color: Red!}}",
        "6:23",
        "badges.cves.color",
        "'Red!' is not a colour (write a name such as blue, or hex digits such as 2f7d32)",
    ),
    (
        "badges: {cves: {logo: assets/x.svg}}",
        "6:23",
        "badges.cves.logo",
        "'assets/x.svg' is neither a simple-icons slug nor an SVG file below docs_dir (as in "
        "assets/wolfi.svg)",
    ),
    (
        "badges: {on: {label: x}}",
        "6:16",
        "badges.on",
        'the key on, which YAML reads as true, is not a text (put it in quotes: "on")',
    ),
    (
        "security: {vex: nope}",
        "6:18",
        "security.vex",
        "the folder 'nope' is missing (create it or correct the path)",
    ),
]


@pytest.mark.parametrize("strict", [False, True], ids=["", "strict"])
@pytest.mark.parametrize(("setting", "place", "field", "said"), WRONG, ids=[row[0] for row in WRONG])
def test_a_wrong_setting_is_named_alone(
    site: SiteFolder, setting: str, place: str, field: str, said: str, strict: bool
) -> None:
    configure(site, setting)
    site.write("roadmap.yml", "- {name: Next, category: Tools}\n")
    assert told(site, strict=strict) == (True, [f"mkdocs.yml:{place}: catalog-api.{field}: {said}"])


def test_settings_that_are_no_mapping_at_all(site: SiteFolder) -> None:
    configure(site, "[registry]")
    refused, said = told(site)
    assert refused
    assert len(said) == 1


def test_all_settings_are_told_at_once(site: SiteFolder) -> None:
    configure(site, "registy: x\nimages:\n  fields: {url: url, port: int}\nheaders: 1")
    refused, said = told(site)
    assert refused
    assert [line.split(": ")[0] for line in said] == [
        *("mkdocs.yml:6:7", "mkdocs.yml:8:18", "mkdocs.yml:8:28", "mkdocs.yml:9:7")
    ]


@pytest.mark.parametrize("strict", [False, True], ids=["", "strict"])
def test_the_looks_of_a_badge_that_there_is_not_only_warn(site: SiteFolder, strict: bool) -> None:
    configure(site, "badges: {cve: {label: x}}")
    site.write("roadmap.yml", "- {name: Next, category: Tools}\n")
    said = "mkdocs.yml:6:16: catalog-api.badges.cve: no badge is called 'cve' (perhaps you mean 'cves')"
    assert told(site, strict=strict) == (strict, [said])


def test_own_fields_and_vocabularies_check_what_pages_say(site: SiteFolder) -> None:
    configure(site, OWN_SETTINGS)
    site.page(
        "images/nginx.md",
        """
        category: Tools
        tier: cor
        license: MIT
        port: x
        shells: [zsh, baash, none]
        ratio: .nan
        fips: maybe
        checked: soon
        copy: [a]
        """,
    )
    assert told(site)[1] == [
        f"docs/images/nginx.md:{line}"
        for line in (
            "2:1: upstream: required, but not given (add `upstream: …`)",
            "3:1: tier: 'cor' is not core or standard (perhaps you mean 'core')",
            "5:1: port: 'x' is not a whole number (write plain digits, as in 8080)",
            "6:10: shells[0]: 'zsh' is not bash, true or none",
            "6:15: shells[1]: 'baash' is not bash, true or none (perhaps you mean 'bash')",
            "7:1: ratio: '.nan' is not a number (write plain digits, as in 0.5)",
            "8:1: fips: 'maybe' is neither true nor false (write true or false)",
            "9:1: checked: 'soon' is not a date (write year-month-day, as in 2026-11-20)",
            "10:1: copy: expected a text, got a list",
        )
    ]


def test_own_fields_may_have_any_name_and_yaml_words(site: SiteFolder) -> None:
    site.settings = {
        "registry": REGISTRY,
        "images": {
            "fields": {"on": "text", "copy": "text", "json": "text", "no": {"values": ["true", "off"]}}
        },
    }
    site.page("images/nginx.md", REQUIRED + "on: yes\ncopy: 1.10\njson: 010\nno: true")
    result = site.build(strict=True)
    assert not result.failed, result.logged()
    image = result.json("images/nginx/index.json")["data"]
    assert list(image)[-4:] == ["on", "copy", "json", "no"]
    assert (image["on"], image["copy"], image["json"], image["no"]) == ("yes", "1.10", "010", "true")


def test_undeclared_keys_are_noted_once_for_the_collection(site: SiteFolder) -> None:
    configure(site)
    for name in ("a", "b"):
        site.page(f"images/{name}.md", f"{REQUIRED}upstream: x\nhide: [toc]\ntags: [web]")
    site.page("images/c.md", f"{REQUIRED}port: 80")
    said = "keys that are no fields stay out of the API (with how many images have them)"
    hint = "declare those that belong in"
    assert told(site, strict=True, level=Level.INFO) == (
        False,
        [f"mkdocs.yml:6:7: catalog-api.images.fields: {said}: port (1), upstream (2) ({hint})"],
    )
