"""Every kind of problem, with its permanent code: no release reuses a code for another kind."""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """A kind of problem: its code, topic, cause and remedy.

    A new kind gets the next free number in its group of ten. The texts are Markdown. The sections of the
    guide begin with them (`python -m tests.refresh` refreshes the sections).
    """

    topic: str
    cause: str
    remedy: str

    def __new__(cls, code: str, topic: str, cause: str, remedy: str) -> Code:
        self = str.__new__(cls, code)
        self._value_ = code
        self.topic, self.cause, self.remedy = topic, cause, remedy
        return self

    @property
    def help(self) -> str:
        """URL of the section in the guide, relative to the site that hosts the guide."""
        return f"guide/problems/#{self.lower()}"

    # Each kind has a code, a topic, a cause and a remedy.
    # fmt: off
    # Files
    SYNTAX = ("CAT001", "invalid YAML",
        "Front matter, mkdocs.yml or a data file is not valid YAML (or TOML). Examples are an unclosed "
        "bracket or quote, a tab, a second `: ` in one line, and a duplicate key.",
        "Check the line in the message and the line above it, which may be the cause.")
    NOT_READ = ("CAT002", "unreadable file",
        "A file or folder can't be opened, is not UTF-8, or is larger than the limit. Or it is a "
        "broken link, a link to a place outside the project, or not a regular file.",
        "Replace it with a regular file inside the project, make it readable, or remove it.")

    # Items
    UNKNOWN_FIELD = ("CAT010", "unknown field",
        "A key resembles the name of a field, is in the wrong place, or is the name of a computed field.",
        "Correct its spelling, or remove it.")
    MISSING_FIELD = ("CAT011", "missing required field",
        "An item lacks a field that its collection requires.",
        "Add the field to the page or entry, or for all items to `defaults` of the collection.")
    WRONG_VALUE = ("CAT012", "invalid value",
        "A value has the wrong type, is not in the vocabulary of its field, or makes no sense. Examples are "
        "a short digest, an end of life before the release, and a `chart` without a scheme.",
        "Use one of the values that the message allows.")
    TWICE = ("CAT013", "duplicate",
        "Two items have the same slug, or an item is defined in two places. A page lists a version or tag "
        "twice, an update is listed twice, or two values need a badge with the same name.",
        "Remove or rename one of the two.")
    NEWEST = ("CAT014", "unknown newest version",
        "Versions such as `stable` and `edge` have no order, or `latest` is not a listed version.",
        "Set `latest` to the newest version.")
    PAGE = ("CAT015", "page and item do not match",
        "A page matches the patterns of two collections, `catalog` is not a collection, `page` is not a page "
        "of the site, or an item has no page.",
        "Set `catalog` to the collection of the page, or add a page for the item.")
    NO_ITEMS = ("CAT016", "no items",
        "A pattern of `pages` matches no page, the folder of the pages has another name, or the catalog is "
        "empty.",
        "Correct the pattern. It is relative to `docs_dir`, as in `images/**/*.md`.")
    IGNORED = ("CAT017", "ignored input",
        "Pages have keys that are not fields, `status` is used instead of `lifecycle`, or there is a "
        "`.meta.yml` without the plugin `meta`.",
        "Declare your own fields under `fields` of the collection, use `lifecycle`, or enable the plugin.")

    LINES = ("CAT019", "release lines or variants",
        "`defaultVariant` is not a variant of any version, or `lines` does not match all versions. A variant "
        "has two spellings, or a product of endoflife.date has no cycle for a version.",
        "Correct the setting on the page. `images.json` lists the lines and variants of all versions.")

    # Settings
    SETTING = ("CAT020", "invalid setting",
        "A setting in mkdocs.yml (or zensical.toml) is unknown or has an invalid value, or "
        "`SOURCE_DATE_EPOCH` is not a Unix time.",
        "Use one of the values that the message allows, or remove the setting.")
    MISSING_PATH = ("CAT021", "missing file or folder",
        "A setting contains the path of a file or folder that does not exist, is not of the expected kind, "
        "is in a place where it is not allowed, or is listed under two names.",
        "Create it, or correct the path. It is relative to the folder of mkdocs.yml.")
    SITE_URL = ("CAT022", "URL of the site",
        "`site_url` is not set, or is not the https URL that feeds and published statements need.",
        "Set `site_url` in mkdocs.yml to the public URL of the site.")
    PLUGINS = ("CAT023", "MkDocs and other plugins",
        "The plugin is missing from mkdocs.yml or listed twice, another plugin is not installed, or MkDocs "
        "stopped before it had read the pages.",
        "Correct `plugins` in mkdocs.yml, install the packages of your plugins, and run `mkdocs build` for "
        "details.")
    NO_REPORT = ("CAT029", "no report",
        "The folder of reports contains no report, or contains a file that is not a report.",
        "Save the reports of your scanner there, with names that end in `.json`.")

    # Reports
    BROKEN_REPORT = ("CAT030", "unreadable report",
        "A report is not JSON, comes from an unknown scanner, is damaged, or is cut off.",
        "Scan again, or remove the file.")
    UNMATCHED_REPORT = ("CAT031", "report without a version",
        "The digest, name and path of a report match no version in the catalog, or the build does not read "
        "its folder.",
        "List the digest or tag on a page, or save the report as `scans/<slug>/<version>.json`. If your "
        "reports are in another folder, set `security.reports`.")
    MISPLACED_REPORT = ("CAT032", "report in the wrong place",
        "A report is in the place of another image or version, or is not a scan of an image.",
        "Move or rename the report, or scan the version that belongs to its path.")
    PASSED_OVER = ("CAT033", "unused report",
        "Another report of the same version takes precedence, or the scanner is not in `security.scanners`. "
        "You get a warning if the version has several digests, and the newest report has no digest and more "
        "findings.",
        "You can keep or remove the report. After a warning, scan each digest again.")
    UNDATED = ("CAT034", "unclear which report is newest",
        "Several reports of a version have the same time, or one of them has a time that is missing, "
        "unreadable or in the future.",
        "Keep one report, or scan again with a tool that writes the time to its report.")
    SCAN_AGE = ("CAT035", "age of a scan",
        "A scan is older than `security.max_age` or than its version, has no time, or has a time in the "
        "future. Or a newest version has no scan, although an older version or, with `max_age`, another "
        "image has one.",
        "Scan again, and check the clock of the scanner.")
    IN_PART = ("CAT036", "partial scan",
        "Some digests of a version have no scan, or the scanner did not examine the content of the image. Or "
        "a newer report lacks the packages of the system or of languages that an older report has.",
        "Scan all packages of each digest, or accept partial scans with `security.accept`.")
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
    BROKEN_VEX = ("CAT040", "unreadable VEX document",
        "A file in the folder of statements is not an OpenVEX document, or is damaged.",
        "Create it again with `vexctl`, or remove it.")
    STATEMENT = ("CAT041", "unused VEX statement",
        "A statement is incomplete, matches no finding in the catalog, or contradicts another statement of "
        "the same time.",
        "Correct the statement as described in the message. Until then its vulnerabilities are counted.")
    ADVISORIES = ("CAT042", "unreadable advisory file",
        "A file below `advisories/` is not the one that its publisher offers, or is cut off.",
        "Download it again with `catalog-api fetch --kev`.")

    # History
    HISTORY = ("CAT050", "damaged history",
        "The file of a recorded day is not in the form that `record` writes, or has events that contradict "
        "the days before. After a merge of two histories, the latter is expected.",
        "Restore the file from git. After a merge conflict, keep one side.")
    DAY = ("CAT051", "day that can't be recorded",
        "A later day is already recorded, or the day is in the future.",
        "Record days in order.")

    # Web pages
    MARKER = ("CAT060", "invalid marker",
        "A marker has an unknown name or a wrong argument, is inside a paragraph, or does not have the form "
        "`<!-- catalog: NAME -->`.",
        "Correct the marker, and leave a blank line before and after it.")
    TEMPLATE = ("CAT061", "error in a template",
        "One of your templates has an error, or uses a value that the catalog does not have.",
        "Correct the template in the line shown.")
    HTML = ("CAT062", "built page that is not filled",
        "With `build --web`, a page is missing from the folder of the site, is not UTF-8, or is cut off.",
        "Run the other generator first, and make sure that it writes complete pages.")

    # Publication
    IN_THE_WAY = ("CAT070", "file in the way",
        "A file, folder or link that no build wrote is in the place of an output file.",
        "Move or rename it.")
    NOT_WRITTEN = ("CAT071", "output not written",
        "The disk is full, a folder is not writable, there is not enough memory, or the check of the written "
        "documents found a bug in this program.",
        "Free some space, or report the message as a bug if it is about a document.")
    MANY_DOCUMENTS = ("CAT072", "more documents than some hosts accept",
        "The API of a large catalog has more files than some hosting plans allow.",
        "Check the limit of your host, and leave out unneeded lookups.")
    HEADER_FILE = ("CAT073", "header file of a host",
        "Your own header file, which no build changes, lacks the headers of the API or can't be read.",
        "Add the lines shown in the message, or remove your file: the build then writes one.")

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
