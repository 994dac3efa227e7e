"""Every kind of problem, with its permanent code: no release reuses a code for another kind."""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """A kind of problem: its code, topic, cause and remedy.

    A new kind gets the next free number in its group of ten. The texts are Markdown, and
    rows of a table in the guide (`python -m tests.refresh` refreshes it).
    """

    topic: str
    cause: str
    remedy: str

    def __new__(cls, code: str, topic: str, cause: str, remedy: str) -> Code:
        self = str.__new__(cls, code)
        self._value_ = code
        self.topic, self.cause, self.remedy = topic, cause, remedy
        return self

    # Each kind has a code, a topic, a cause and a remedy.
    # fmt: off
    # Files
    SYNTAX = ("CAT001", "invalid YAML",
        "Front matter, mkdocs.yml or a data file is not valid YAML (or TOML). Examples are an unclosed "
        "bracket or quote, a tab, a second `: ` in one line, and a duplicate key.",
        "Check the line in the message and the line above it, which may be the cause.")
    NOT_READ = ("CAT002", "unreadable file",
        "A file or folder can't be opened, is not UTF-8, is larger than the limit, or is not the file of "
        "its publisher. Or it is a broken link, a link to a place outside the project, or not a regular "
        "file.",
        "Replace it with a regular file inside the project, make it readable, or remove it. Get the list "
        "of exploited vulnerabilities again with `catalog-api sync kev`.")

    # Items
    UNKNOWN_FIELD = ("CAT010", "unknown or ignored field",
        "A key resembles the name of a field, is in the wrong place, or is the name of a computed field. "
        "As a note: pages have keys that are not fields, `status` is used instead of `lifecycle`, or "
        "there is a `.meta.yml` without the plugin `meta`.",
        "Correct its spelling, or remove it. Declare your own fields under `fields` of the collection.")
    MISSING_FIELD = ("CAT011", "missing required field",
        "An item lacks a field that its collection requires.",
        "Add the field to the page or entry, or for all items to `defaults` of the collection.")
    WRONG_VALUE = ("CAT012", "invalid value",
        "A value has the wrong type, is not one that your catalog allows, or makes no sense. Examples are "
        "a short digest, an end of life before the release, and a `chart` without a scheme.",
        "Use one of the values that the message allows.")
    TWICE = ("CAT013", "duplicate",
        "Two items have the same slug, or an item is defined in two places. A page lists a version or tag "
        "twice, an update is listed twice, or two values need a badge with the same name.",
        "Remove or rename one of the two.")
    NEWEST = ("CAT014", "order of versions",
        "Versions such as `stable` and `edge` have no order, or `latest` is not a listed version. "
        "`defaultVariant` is not a variant of any version, `lines` does not match all versions, a variant"
        " has two spellings, or a product of endoflife.date has no cycle for a version.",
        "Set `latest` to the newest version, or correct the setting on the page. `images.json` lists the "
        "lines and variants of all versions.")
    PAGE = ("CAT015", "no items, or page and item do not match",
        "A pattern of `pages` matches no page, the folder of the pages has another name, or the catalog "
        "is empty. A page matches the patterns of two collections, `catalog` is not a collection, `page` "
        "is not a page of the site, or an item has no page.",
        "Correct the pattern, which is relative to `docs_dir`, as in `images/**/*.md`. Set `catalog` to "
        "the collection of the page, or add a page for the item.")

    # Settings
    SETTING = ("CAT020", "invalid setting",
        "A setting in mkdocs.yml (or zensical.toml) is unknown, gone or has an invalid value, or "
        "`SOURCE_DATE_EPOCH` is not a Unix time. `site_url` is not set, or is not the https URL that "
        "feeds and published statements need. The SVG file of a logo is missing or too large, contains a "
        "script, or loads another file.",
        'Use one of the values that the message allows, or remove the setting. Save a logo as "plain" or '
        '"optimized" SVG.')
    MISSING_PATH = ("CAT021", "missing file or folder",
        "A setting contains the path of a file or folder that does not exist, is not of the expected kind, "
        "is in a place where it is not allowed, or is listed under two names.",
        "Create it, or correct the path. It is relative to the folder of mkdocs.yml.")
    PLUGINS = ("CAT023", "MkDocs and other plugins",
        "The plugin is missing from mkdocs.yml or listed twice, another plugin is not installed, or MkDocs "
        "stopped before it had read the pages.",
        "Correct `plugins` in mkdocs.yml, install the packages of your plugins, and run `mkdocs build` for "
        "details.")

    # Reports
    BROKEN_REPORT = ("CAT030", "unreadable or missing report",
        "A report is not JSON, comes from an unknown scanner, is damaged, or is cut off. Or the folder of"
        " reports contains no report.",
        "Scan again, or remove the file. Save the reports of your scanner with names that end in `.json`.")
    UNMATCHED_REPORT = ("CAT031", "report without a version, or in the wrong place",
        "The digest, name and path of a report match no version in the catalog, or the build does not "
        "read its folder. A report is in the place of another image or version, or is not a scan of an "
        "image.",
        "List the digest or tag on a page, or save the report as `scans/<slug>/<version>.json`. If your "
        "reports are in another folder, set `security.reports`.")
    PASSED_OVER = ("CAT033", "unused report",
        "Another report of the same version takes precedence, the scanner is not in `security.scanners`, or "
        "`platforms` leaves out the scanned platform.",
        "You can keep or remove the report.")
    SCAN_AGE = ("CAT035", "age of a scan",
        "A scan is older than `security.max_age` or than its version, has no time, or has a time in the "
        "future; or several reports of a version have the same time, so that the newest is unknown. Or a "
        "newest version has no scan, although an older version or, with `max_age`, another image has one.",
        "Scan again, keep one report of each version, and check the clock of the scanner.")
    IN_PART = ("CAT036", "partial scan",
        "Some parts of a version have no scan, or a report leaves vulnerabilities out. Or a newer report has "
        "looked at less than an older one.",
        "Scan all packages of what `catalog-api list` prints, or accept partial scans with "
        "`security.accept`.")
    END_OF_LIFE = ("CAT037", "operating system past its end of life",
        "The operating system of the image gets no security advisories any more, so the scanner finds few "
        "vulnerabilities.",
        "Rebuild the image on a maintained base, or set `endOfLife` on its page.")
    PIN = ("CAT038", "pin of a chart",
        "A chart pins the digest of another image, a version that is not in the catalog, or a name without a "
        "registry, which is an image on docker.io.",
        "Pin the digest of the image that the chart uses.")
    DOUBTFUL_FINDINGS = ("CAT039", "findings that are not counted or rated",
        "A report has findings with a missing or unknown severity, findings that the scanner is configured "
        "to ignore, or findings that the build does not read.",
        "Scan again, or set `security: {accept: [ignored]}` to suppress the findings that you ignore.")

    # VEX statements and advisories
    STATEMENT = ("CAT041", "unusable VEX document or statement",
        "A file in the folder of statements is not an OpenVEX document, or is damaged. Or a statement is "
        "incomplete, matches no finding in the catalog, or contradicts another statement of the same "
        "time.",
        "Create the document again with `vexctl`, or correct the statement as described in the message. "
        "Until then its vulnerabilities are counted.")

    # History
    HISTORY = ("CAT050", "damaged history, or a day that can't be recorded",
        "The file of a recorded day is not in the form that `record` writes, or has events that "
        "contradict the days before. After a merge of two histories, the latter is expected. Or a later "
        "day is already recorded, or the day is in the future.",
        "Restore the file from git. After a merge conflict, keep one side. Record days in order.")

    # Web pages
    MARKER = ("CAT060", "error in a web page",
        "A marker has an unknown name or a wrong argument, is inside a paragraph, or does not have the "
        "form `<!-- catalog: NAME -->`. One of your templates has an error, or uses a value that the "
        "catalog does not have. With `build --web`, a page is missing from the folder of the site, is not"
        " UTF-8, or is cut off.",
        "Correct the marker, and leave a blank line before and after it; or correct the template in the "
        "line shown. Run the other generator before `build --web`.")

    # Publication
    IN_THE_WAY = ("CAT070", "file in the way",
        "A file, folder or link that no build wrote is in the place of an output file.",
        "Move or rename it.")
    NOT_WRITTEN = ("CAT071", "output not written",
        "The disk is full, a folder is not writable, there is not enough memory, or the check of the written "
        "documents found a bug in this program.",
        "Free some space, or report the message as a bug if it is about a document.")
    HEADER_FILE = ("CAT073", "files for a host",
        "Your own header file, which no build changes, lacks the headers of the API or can't be read. Or "
        "the API of a large catalog has more files than some hosting plans allow.",
        "Add the lines shown in the message, or remove your file: the build then writes one. Check the "
        "limit of your host, and leave out unneeded lookups.")

    # Network
    NOT_FETCHED = ("CAT080", "download failed",
        "A hub or publisher of advisories sent no response, an invalid response, or one that lacks earlier "
        "data.",
        "Run the command again later. The files of earlier runs are kept.")
    REGISTRY = ("CAT083", "unexpected response of a registry",
        "`sync` got no usable response from a registry. Causes are a network error, wrong credentials, an "
        "unknown repository, or a response that is too large or malformed. Or a tag or version is gone.",
        "Fix the cause in the message, and run `catalog-api sync` again. The file keeps its earlier content.")
    MOVED_TAG = ("CAT084", "page and registry differ",
        "The registry has another digest for a tag than the page: the tag was moved after the page was "
        "written. Or a file in `registry/` belongs to another repository than the page.",
        "If the new image is yours, correct or remove the digest on the page, and scan the image again. "
        "Run `catalog-api sync` after you change `image` or `chart` of a page.")
    # fmt: on
