"""Whatever an author gets wrong on a page, a clear answer names the place, the fault and the way out."""

from __future__ import annotations

import pytest

from mkdocs_catalog_api.commands.run import as_objects
from mkdocs_catalog_api.problems import Problem, Problems
from mkdocs_catalog_api.problems.codes import Code

from .authors import REQUIRED, configure, told
from .sites import REGISTRY, SiteFolder, digest

PAGE = "docs/images/nginx.md"
SLUG = "1 to 100 lower-case letters and digits, with single . or _, __ or hyphens only between them"
VERSION = "an image version (an OCI tag): 1 to 128 letters, digits, . _ and -, not starting with . or -"
DIGEST = "not a digest: sha256: and 64 lower-case hex digits, or sha384: and 96, or sha512: and 128"
PATH = "may hold lower-case letters and digits, with . _ __ or - only between them"
PLATFORM = "os/arch or os/arch/variant in lower case, such as linux/amd64 or linux/arm/v7"
SEMVER = "MAJOR.MINOR.PATCH, then -PRERELEASE and +BUILD if need be, at most 128 characters"


@pytest.fixture(params=[False, True], ids=["", "strict"])
def strict(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def page(site: SiteFolder, text: str | bytes, path: str = PAGE) -> None:
    configure(site)
    target = site.folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text if isinstance(text, bytes) else text.encode())


UNREADABLE = {
    "list never closed": ("versions: [1.10", "5:11: a list that is not closed (close it with ])"),
    "mapping never closed": ("base: {a: b", "5:7: a mapping that is not closed (close it with })"),
    "quote never closed": ('base: "it', "5:7: a quote that is not closed (close it with the same quote)"),
    "quote within quotes": (
        "base: 'it's'",
        "5:11: what stands here belongs to no key (check indentation, quotes and brackets)",
    ),
    "two colons": (
        "description: A: B",
        '5:15: a second `: ` in one line (put the value in quotes: key: "A: B")',
    ),
    "key indented": (
        " base: wolfi",
        "5:6: the key `base` can't stand here (check its indentation, and the line above)",
    ),
    "entry out of line": (
        "versions:\n  - version: 1\n   digest: x",
        "7:4: no entry of the list begins here (check the indentation)",
    ),
    "no colon": (
        "base\nsource: x",
        "6:1: a line without `key: ` (check the line above too)",
    ),
    "tab": ("base:\n\twolfi", "6:1: a tab, which YAML does not allow here (indent with spaces)"),
    "bare @": ("base: @x", "5:7: a value can't begin with @ (put the value in quotes)"),
    "bare *": (
        "base: *x",
        "5:7: an alias that nothing is called by (a value that begins with * needs quotes)",
    ),
    "escape": (
        r'base: "C:\x"',
        "5:7: an unknown escape in a quoted text (write \\\\ for a backslash)",
    ),
    "list in the key's line": (
        "versions: - 1.0",
        "5:11: a list can't begin in this line (begin it in the next line)",
    ),
    "same key twice": ("category: X", "5:1: the key `category` stands here twice (keep one of them)"),
    "tag": (
        "base: !!python/name:os.system",
        "5:7: the tag !!python/name:os.system is not allowed here (remove it, or use quotes)",
    ),
    "untrue bool": (
        "fips: !!bool maybe",
        "5:7: the tag !!bool is not allowed here (remove it, or use quotes)",
    ),
    "list as key": ("? [a]\n: b", "5:3: a list or mapping can't be a key (write `key: value`)"),
    "merge of a text": ("<<: x", "5:5: `<<` takes a mapping (point it at a mapping's anchor)"),
    "alias of itself": ("base: &a [*a]", "5:7: an alias contains itself (remove the alias)"),
    "control character": (
        "base: a\x07b",
        "5:1: a character that YAML does not allow (control characters are not allowed) (remove it)",
    ),
    "too deep": ("base: " + "[" * 5000 + "]" * 5000, "5:57: nested too deeply (at most 50 levels)"),
    "billion laughs": (
        "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(
            f"{b}: &{b} [{', '.join(['*' + a] * 10)}]\n" for a, b in zip("abcdef", "bcdefg", strict=True)
        ),
        "2:1: aliases expand to more than 100,000 values (write them out)",
    ),
}


@pytest.mark.parametrize(("lines", "said"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_yaml_that_can_not_be_read(site: SiteFolder, lines: str, said: str, strict: bool) -> None:
    page(site, f"---\n{REQUIRED}{lines}\n---\n")
    assert told(site, strict=strict) == (True, [f"{PAGE}:{said}"])


NO_FRONT_MATTER = {
    "no line break at the end": (
        f"---\n{REQUIRED}---",
        "5:1: the file ends right after the closing ---, so MkDocs takes its front matter for text"
        " (end that line with a line break)",
    ),
    "empty line first": (
        f"\n---\n{REQUIRED}---\n",
        "1:1: front matter must begin at the very start of the file, or MkDocs takes it for text"
        " (remove the space or empty lines before the ---)",
    ),
    "space first": (
        f" ---\n{REQUIRED}---\n",
        "1:1: front matter must begin at the very start of the file, or MkDocs takes it for text"
        " (remove the space or empty lines before the ---)",
    ),
    "a comment first": (
        f"<!-- by the team -->\n\n---\n{REQUIRED}---\n",
        "1:1: front matter must begin at the very start of the file, or MkDocs takes it for text"
        " (move the comment below it)",
    ),
    "never closed": (
        f"---\n{REQUIRED}\n# NGINX\n",
        "1:1: the front matter is never closed (add a line --- after its last key)",
    ),
    "no --- at all": (
        "Title: NGINX\nCategory: Tools\n\n# NGINX\n",
        "1:1: keys without --- lines around them (put a line --- before and after the keys)",
    ),
    "a list": (
        "---\n- a\n- b\n---\n",
        "2:1: front matter is a list, not keys and values (write `key: value` lines)",
    ),
    "a text": (
        "---\nabc\n---\n",
        "2:1: front matter is a single value, not keys and values (write `key: value` lines)",
    ),
}


@pytest.mark.parametrize(("text", "said"), NO_FRONT_MATTER.values(), ids=NO_FRONT_MATTER.keys())
def test_front_matter_that_mkdocs_would_not_see(site: SiteFolder, text: str, said: str, strict: bool) -> None:
    page(site, text)
    assert told(site, strict=strict) == (True, [f"{PAGE}:{said}"])


def test_a_page_that_is_not_utf_8(site: SiteFolder, strict: bool) -> None:
    page(site, b"---\nname: Caf\xe9\n---\n")
    assert told(site, strict=strict) == (True, [f"{PAGE}: the page is not UTF-8 (save it as UTF-8)"])


@pytest.mark.parametrize("text", ["---\n---\n", "---\nname: NGINX\n---\n", "---\ncategory:\n---\n"])
def test_required_fields(site: SiteFolder, text: str, strict: bool) -> None:
    page(site, text)
    said = [
        f"{PAGE}:2:1: {name}: required, but not given (add `{name}: …`)"
        for name in ("category", "license", "tier")
    ]
    assert told(site, strict=strict) == (True, said)


WRONG = {
    "list for a text": ("base: [a]", "5:1: base: expected a text, got a list"),
    "mapping for a text": ("base: {a: b}", "5:1: base: expected a text, got keys and values"),
    "bool for a text": ("base: true", '5:1: base: expected a text, got true (put it in quotes: "true")'),
    "empty text": ("base: ' '", "5:1: base: empty text (write a text or leave it out)"),
    "control character in quotes": (
        r'base: "a\0"',
        r"5:1: base: text with the control character '\x00' (remove it)",
    ),
    "list without a space": (
        "versions:\n  -1.0",
        "5:1: versions: expected a list, got '-1.0' (put a space after the -)",
    ),
    "text for a list": (
        "platforms: linux/amd64",
        "5:1: platforms: expected a list, got 'linux/amd64' (write `platforms: [linux/amd64]`)",
    ),
    "misspelt": ("descripton: x", "5:1: descripton: unknown field (perhaps you mean 'description')"),
    "hyphenated": ("home-page: x", "5:1: home-page: unknown field (perhaps you mean 'homepage')"),
    "computed url": ("url: https://nginx.org", "5:1: url: `url` is computed (remove it)"),
    "computed href": ("href: x", "5:1: href: `href` is computed (remove it)"),
    "computed security": ("security: {}", "5:1: security: `security` is computed (remove it)"),
    "slug index": (
        "slug: index",
        "5:1: slug: 'index' is not free to use as a slug: the documents of the API have names like this",
    ),
    "slug ..": ("slug: '..'", f"5:1: slug: '..' is not a slug: {SLUG}"),
    "slug with /": ("slug: a/b", f"5:1: slug: 'a/b' is not a slug: {SLUG} (perhaps you mean 'a-b')"),
    "slug in upper case": (
        "slug: Nginx",
        f"5:1: slug: 'Nginx' is not a slug: {SLUG} (perhaps you mean 'nginx')",
    ),
    "slug of a document": (
        "slug: a.json",
        "5:1: slug: 'a.json' is not free to use as a slug: the documents of the API have names like this"
        " (perhaps you mean 'a')",
    ),
    "version ..": ("versions: ['..']", f"5:12: versions[0]: '..' is not {VERSION}"),
    "version with /": (
        "versions: [a/b]",
        f"5:12: versions[0]: 'a/b' is not {VERSION} (perhaps you mean 'a-b')",
    ),
    "version with +": (
        "versions: [{version: 1.0+x}]",
        f"5:13: versions[0].version: '1.0+x' is not {VERSION} (perhaps you mean '1.0_x')",
    ),
    "version twice": (
        "versions: [1.0, 1.0]",
        "5:17: versions[1]: the version '1.0' stands here twice (keep one of them)",
    ),
    "versions that differ in case": (
        "versions: [1.0-a, 1.0-A]",
        "5:19: versions[1]: '1.0-A' and '1.0-a' differ only in case (keep one of them)",
    ),
    "version without label": (
        "versions: [{}]",
        "5:12: versions[0].version: required, but not given (add `version: …`)",
    ),
    "version that is null": (
        "versions: [null]",
        "5:12: versions[0]: expected keys and values, got nothing (write `key: value`, one line for each)",
    ),
    "misspelt below": (
        "versions: [{version: 1, relased: 2026-01-01}]",
        "5:25: versions[0].relased: unknown key (perhaps you mean 'released')",
    ),
    "unknown below": (
        "versions: [{version: 1, note: x}]",
        "5:25: versions[0].note: unknown key (known are version, digest, digests, released, endOfLife, size,"
        " tags, platforms, sbom, provenance)",
    ),
    "computed below": (
        "versions: [{version: 1, href: x}]",
        "5:25: versions[0].href: `href` is computed (remove it)",
    ),
    "digest": (
        "versions: [{version: 1, digest: abc}]",
        f"5:25: versions[0].digest: 'abc' is {DIGEST}",
    ),
    "digest in upper case": (
        f"versions: [{{version: 1, digest: 'sha256:{'A' * 64}'}}]",
        f"5:25: versions[0].digest: 'sha256:{'A' * 64}' is {DIGEST} (perhaps you mean 'sha256:{'a' * 64}')",
    ),
    "digest that lacks a digit": (
        f"versions: [{{version: 1, digest: 'sha256:{'a' * 63}'}}]",
        f"5:25: versions[0].digest: 'sha256:{'a' * 63}' is {DIGEST}, not 63",
    ),
    "digest in a list": (
        f"versions: [{{version: 1, digest: ['{digest(1)}', abc]}}]",
        f"5:109: versions[0].digest[1]: 'abc' is {DIGEST}",
    ),
    "digest not the first": (
        f"versions: [{{version: 1, digest: '{digest(1)}', digests: ['{digest(2)}']}}]",
        "5:12: versions[0]: `digest` is not the first of `digests` (give one of the two)",
    ),
    "reference": (
        "image: Nginx",
        f"5:1: image: 'Nginx' is not an image reference: the path 'Nginx' {PATH} (perhaps you mean 'nginx')",
    ),
    "reference with a tag": (
        "image: nginx:1.0",
        "5:1: image: 'nginx:1.0' is not an image repository: it must not hold a tag or digest;"
        " those belong to the versions (perhaps you mean 'nginx')",
    ),
    "platform": (
        "platforms: [amd64]",
        f"5:13: platforms[0]: 'amd64' is not a platform: {PLATFORM} (perhaps you mean 'linux/amd64')",
    ),
    "platform twice": (
        "platforms: [linux/amd64, linux/amd64]",
        "5:1: platforms: 'linux/amd64' stands here twice (keep one of them)",
    ),
    "date": (
        "versions: [{version: 1, released: 2026-13-01}]",
        "5:25: versions[0].released: '2026-13-01' is not a date (write year-month-day, as in 2026-11-20)",
    ),
    "size with a unit": (
        "versions: [{version: 1, size: 12 MB}]",
        "5:25: versions[0].size: '12 MB' is not a whole number (write plain digits, as in 8080)",
    ),
    "size below zero": (
        "versions: [{version: 1, size: -1}]",
        "5:25: versions[0].size: -1 is too small (at least 0)",
    ),
    "size beyond JSON": (
        "versions: [{version: 1, size: 99999999999999999}]",
        "5:25: versions[0].size: 99999999999999999 is too large (at most 9007199254740991)",
    ),
    ".inf": (
        "versions: [{version: 1, size: .inf}]",
        "5:25: versions[0].size: '.inf' is not a whole number (write plain digits, as in 8080)",
    ),
    "link without scheme": (
        "homepage: nginx.org",
        "5:1: homepage: 'nginx.org' is not a web link: it must start with http:// or https://"
        " (perhaps you mean 'https://nginx.org')",
    ),
    "link that runs": (
        "source: javascript:alert(1)",
        "5:1: source: 'javascript:alert(1)' is not a web link: it must start with http:// or https://",
    ),
    "base that names no badge": (
        "base: index",
        "5:1: base: 'index' is not a value that can name its badge: in lower case with hyphens it must be"
        " 1 to 100 characters, and not reserved as `index` is",
    ),
    "base that takes a badge": (
        "base: Images",
        "5:1: base: 'Images' is not free: the badge images counts something else",
    ),
    "latest": ("versions: [1.0]\nlatest: 2.0", "6:1: latest: no version is called '2.0' (it has 1.0)"),
    "latest of none": ("latest: 2.0", "5:1: latest: no version is called '2.0' (list it under `versions`)"),
    "lifecycle": (
        "lifecycle: depricated",
        "5:1: lifecycle: 'depricated' is not available, deprecated, withdrawn or planned"
        " (perhaps you mean 'deprecated')",
    ),
    "collection": (
        "catalog: image",
        "5:1: catalog: 'image' is no collection (write images, charts, roadmap or false)",
    ),
    "collections": (
        "catalog: [images]",
        "5:1: catalog: a list is no collection (write images, charts, roadmap or false)",
    ),
}


@pytest.mark.parametrize(("lines", "said"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_value_is_named_alone(site: SiteFolder, lines: str, said: str, strict: bool) -> None:
    page(site, f"---\n{REQUIRED}{lines}\n---\n")
    assert told(site, strict=strict) == (True, [f"{PAGE}:{said}"])


def test_a_misspelt_required_field_is_told_once(site: SiteFolder) -> None:
    page(site, "---\ncategory: Tools\ntier: core\nlicence: MIT\n---\n")
    assert told(site) == (True, [f"{PAGE}:4:1: licence: unknown field (perhaps you mean 'license')"])


def test_a_file_name_that_makes_no_slug(site: SiteFolder) -> None:
    page(site, f"---\n{REQUIRED}---\n", "docs/images/My_Page.md")
    said = f"'My_Page' is not a slug: {SLUG} (perhaps you mean 'my-page'; add `slug: …` or rename the page)"
    assert told(site) == (True, [f"docs/images/My_Page.md:2:1: slug: {said}"])


def test_no_image_without_registry(site: SiteFolder) -> None:
    page(site, f"---\n{REQUIRED}---\n")
    configure(site, "headers: netlify")
    said = f"{PAGE}:2:1: image: required, but not given (add `image: …`, or set `registry` in mkdocs.yml)"
    assert told(site) == (True, [said])


def test_the_same_slug_twice_names_both_files(site: SiteFolder) -> None:
    page(site, f"---\n{REQUIRED}---\n")
    page(site, f"---\n{REQUIRED}---\n", "docs/images/web/nginx.md")
    site.write("images.yml", "- {name: Nginx, category: a, tier: b, license: MIT}\n")
    taken = "slug: the slug 'nginx' is taken by docs/images/nginx.md (give one of them another `slug`)"
    assert told(site) == (True, [f"docs/images/web/nginx.md:2:1: {taken}", f"images.yml:1:3: [0].{taken}"])


def test_the_same_slug_twice_in_one_file_names_the_line(site: SiteFolder) -> None:
    configure(site)
    site.write("roadmap.yml", "- {name: B, category: a}\n\n- {name: b, category: a}\n")
    said = "the slug 'b' is taken by roadmap.yml:1 (give one of them another `slug`)"
    assert told(site) == (True, [f"roadmap.yml:3:3: [1].slug: {said}"])


def test_a_page_in_two_collections(site: SiteFolder) -> None:
    page(site, f"---\n{REQUIRED}---\n")
    configure(site, f"registry: {REGISTRY}\ncharts: {{pages: 'images/**'}}")
    said = "the page matches the patterns of several collections: images, charts"
    hint = "choose one with `catalog: images`, or narrow the patterns"
    assert told(site) == (True, [f"{PAGE}:2:1: {said} ({hint})"])


CHART = "docs/charts/stack.md"
WRONG_CHARTS = {
    "version": (
        "versions: [1.0]",
        f"5:12: versions[0]: '1.0' is not a chart version (SemVer): {SEMVER} (perhaps you mean '1.0.0')",
    ),
    "pin": (
        "images: ['Nginx:1']",
        f"5:10: images[0]: 'Nginx:1' is not an image reference: the path 'Nginx' {PATH}"
        " (perhaps you mean 'nginx:1')",
    ),
    "pin with a broken digest": (
        "images: ['a@sha256:1']",
        "5:10: images[0]: 'a@sha256:1' is not an image reference:"
        " a digest is sha256: and 64 lower-case hex digits, not 1",
    ),
    "pin without image": (
        "images: [{name: x}]",
        "5:10: images[0].image: required, but not given (add `image: …`)",
    ),
    "two digests": (
        f"images: [{{image: 'a@{digest(1)}', digest: '{digest(2)}'}}]",
        "5:10: images[0]: `digest` is not the digest in `image` (give one of the two)",
    ),
    "digest of another image": (
        f"images: ['{REGISTRY}/redis@{digest(1)}']",
        f"5:10: images[0]: the digest belongs to {REGISTRY}/nginx 1.0, not to {REGISTRY}/redis"
        " (pin the digest of the image that the chart uses)",
    ),
}


@pytest.mark.parametrize(("lines", "said"), WRONG_CHARTS.values(), ids=WRONG_CHARTS.keys())
def test_a_wrong_chart(site: SiteFolder, lines: str, said: str, strict: bool) -> None:
    page(site, f"---\n{REQUIRED}versions: [{{version: 1.0, digest: '{digest(1)}'}}]\n---\n")
    page(site, f"---\n{REQUIRED}{lines}\n---\n", CHART)
    assert told(site, strict=strict) == (True, [f"{CHART}:{said}"])


def test_a_license_that_is_none_only_warns(site: SiteFolder, strict: bool) -> None:
    page(site, "---\ncategory: Tools\ntier: core\nlicense: Apache 2\n---\n")
    said = "'Apache 2' is no SPDX licence expression"
    hint = "use an identifier of https://spdx.org/licenses/, or LicenseRef-… for another licence"
    assert told(site, strict=strict) == (strict, [f"{PAGE}:4:1: license: {said} ({hint})"])


def test_a_problem_is_one_line_whatever_it_names() -> None:
    """A name with an escape sequence must not command the terminal of who reads the log."""
    problem = Problem(
        "scans/a\nb\x1b[2J.json",
        1,
        0,
        "x\u202e",
        "says \x85 and\u2028more \udc80 é 👩‍💻",
        "mend\x7fit",
        code=Code.BROKEN_REPORT,
    )
    assert str(problem) == (
        r"scans/a\nb\x1b[2J.json:1: x\u202e: says \x85 and\u2028more \udc80 é 👩‍💻 (mend\x7fit)"
    )
    problems = Problems()
    problems.add(problem)
    (found,) = as_objects(problems)
    assert found["file"] == "scans/a\nb\x1b[2J.json", "programs get what is there"
