"""Every kind of problem, each with a code that stays: no release gives a code to another kind."""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """A kind of problem: its code, what it is, where it comes from, and what to do about it.

    A new kind gets the next free number of its ten. The texts are Markdown; the guide's sections begin with
    them (`python -m tests.code_sections` refreshes them).
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
        """Address of the guide's section, below that of the site that the guide is on."""
        return f"guide/problems/#{self.lower()}"

    # A kind: code and topic, cause, remedy.
    # fmt: off
    # What lies in files.
    SYNTAX = ("CAT001", "YAML that can't be read",
        "Front matter, mkdocs.yml or a data file breaks the grammar of YAML (or TOML): a bracket or quote "
        "that is not closed, a tab, a second `: ` in one line, the same key twice.",
        "Look at the line that is named, and at the one above it: the cause may stand there.")
    NOT_READ = ("CAT002", "a file that is not read",
        "A file or folder can't be opened or is not UTF-8, is no file but a pipe, socket or device, is a "
        "link out of the project or to nothing, or is larger than the limit.",
        "Put a plain file of the project there, make it readable, or remove it.")

    # What items say of themselves.
    UNKNOWN_FIELD = ("CAT010", "an unknown field",
        "A key resembles a field and is none, stands where no such field may, or names what is computed.",
        "Correct its spelling, or remove it.")
    MISSING_FIELD = ("CAT011", "a field is missing",
        "An item lacks a field that every item of its kind has.",
        "Add it to the page or entry, or once for all items under `defaults` of the collection.")
    WRONG_VALUE = ("CAT012", "a field holds a wrong value",
        "A value is of another type than the field, is no word of its vocabulary, or can't be what it "
        "should be: a digest is too short, an end of life is before the release, a chart has no `oci://`.",
        "Write what the message says is allowed.")
    TWICE = ("CAT013", "the same thing twice",
        "Two items have one slug, a page lists a version or tag twice, an update stands there twice, an "
        "item is described in two places, or two values ask for the badge of one name.",
        "Keep one of them, or give one another name.")
    NEWEST = ("CAT014", "the newest version is not known",
        "Labels such as `stable` and `edge` have no order, or `latest` names a version that is not listed.",
        "Name the newest version with `latest`.")
    PAGE = ("CAT015", "an item and its page don't fit",
        "A page matches the patterns of two collections, or has the fields of an item and matches none. "
        "`catalog` names no collection, `page` names no page of the site, or an item has no page at all.",
        "Say with `catalog` to which collection the page belongs, or give the item a page.")
    NO_ITEMS = ("CAT016", "there are no items",
        "A pattern of `pages` finds nothing, pages are in a folder of another name, or the catalog has not a "
        "single item.",
        "Correct the pattern: it is seen from `docs_dir`, as in `images/**/*.md`.")
    IGNORED = ("CAT017", "something written that nobody reads",
        "Pages have keys that are no fields, `status` is given for `lifecycle`, or a `.meta.yml` is there "
        "while the plugin `meta` is not on.",
        "Declare your own fields under `fields` of the collection, write `lifecycle`, or turn the plugin on.")

    LINES = ("CAT019", "release lines or variants",
        "`defaultVariant` is not a variant of any version, `lines` does not match all versions, variants "
        "are spelled in two ways, or a product of endoflife.date has no cycle for a version.",
        "Correct the setting on the page. See the lines and variants of all versions in `images.json`.")

    # Settings, and what they name.
    SETTING = ("CAT020", "a wrong setting",
        "A setting is unknown or holds what it can't, in mkdocs.yml (or zensical.toml), or "
        "`SOURCE_DATE_EPOCH` is no time.",
        "Write what the message says is allowed, or remove the setting.")
    MISSING_PATH = ("CAT021", "a file or folder of the settings is missing",
        "A setting names a file or folder that is not there, is of the other kind, lies where it must "
        "not, or stands there under two names.",
        "Create it, or correct the path: it is seen from the folder of mkdocs.yml.")
    SITE_URL = ("CAT022", "the address of the site",
        "`site_url` is not set, or is not the https address that feeds or published statements need.",
        "Set `site_url` in mkdocs.yml to the address that people open.")
    PLUGINS = ("CAT023", "MkDocs and other plugins",
        "The plugin is not in mkdocs.yml or twice, another plugin may make or change pages, or MkDocs "
        "stopped before there were pages.",
        "Build with `mkdocs build`, or name with `--trust` the plugins that change nothing of the catalog.")
    LOGO = ("CAT024", "the logo of a badge",
        "The SVG file of a logo is missing, is too large, or runs or loads something.",
         'Save it as "plain" or "optimised" SVG.')
    NO_REPORT = ("CAT029", "no report where one is expected",
        "The folder of reports has none, or a file in it is not a report.",
        "Save reports of your scanner there, with names that end in `.json`.")

    # Reports.
    BROKEN_REPORT = ("CAT030", "a report that can't be read",
        "A report is not JSON, is of no scanner that is known, is damaged or cut off.",
        "Scan again, or remove the file.")
    UNMATCHED_REPORT = ("CAT031", "a report that belongs nowhere",
        "Neither digest, name nor path of a report lead to a release of the catalog, or nothing reads its "
        "folder.",
        "List the digest or tag on a page, or name the file `<slug>/<version>.json`. Name the folder "
        "`scans`, or set `security.reports`.")
    MISPLACED_REPORT = ("CAT032", "a report whose path says another thing",
        "A report lies where one of another image or version belongs, or is not of an image.",
        "Move or rename it, or scan the release that its path names.")
    PASSED_OVER = ("CAT033", "a report that was passed over",
        "A newer report of the same release counts, or the scanner is not in `security.scanners`. It is a "
        "warning if the version has several digests, and the newest report names none and shows more.",
        "Nothing, or remove the report. After the warning, scan each digest again.")
    UNDATED = ("CAT034", "which report is the newest is not clear",
        "Several reports of a release have the same time, or not all of them have a usable one: none at all, "
        "an unreadable one, or one in the future.",
        "Keep one, or scan again with a tool that writes the time into its report.")
    SCAN_AGE = ("CAT035", "the time of a scan",
        "A scan is older than `security.max_age` or its release, has no time, or one in the future. Or only "
        "older versions are scanned, or, with `max_age`, a newest version has no scan at all.",
        "Scan again, and look at the clock of the scanner.")
    IN_PART = ("CAT036", "a scan that did not look at everything",
        "Some digests of a release have no scan, the scanner did not look at what is in the image, or a "
        "newer report has no packages of the system, or none of languages, where an older one has some.",
        "Scan each digest with all packages, or accept it with `security.accept`.")
    END_OF_LIFE = ("CAT037", "an operating system past its end of life",
        "The scanner says that nobody reports vulnerabilities of the image's system any more, so it finds "
        "few.",
        "Rebuild the image on a base that is maintained, or say `endOfLife` on its page.")
    PIN = ("CAT038", "a pin of a chart",
        "A chart pins a digest that is another image's, what no page of the catalog lists, or a name without "
        "a registry, which is an image of docker.io.",
        "Pin the digest of the image that the chart uses.")
    DOUBTFUL_FINDINGS = ("CAT039", "findings that the scanner did not count or rate",
        "A report has findings without a severity or with one that its scanner does not have, findings that "
        "the scanner was told to ignore, or findings that are not read.",
        "Scan again, or suppress what you ignore on purpose with `security: {accept: [ignored]}`.")

    # What is known beside reports.
    BROKEN_VEX = ("CAT040", "a VEX document that can't be read",
        "A file below the folder of statements is no OpenVEX document, or is damaged.",
        "Write it anew with `vexctl`, or remove it.")
    STATEMENT = ("CAT041", "a VEX statement that does not count",
        "A statement is incomplete, matches no finding of the catalog, or is contradicted at the same time.",
        "Correct it as the message says. Until then its rows still count.")
    ADVISORIES = ("CAT042", "exploited or likely vulnerabilities can't be read",
        "The file of KEV or EPSS is not the one that its publisher gives, or is cut off.",
        "Get it again with `catalog-api fetch --kev` or `--epss`.")

    # The history.
    HISTORY = ("CAT050", "the history is damaged",
        "A recorded day was changed or removed, is cut off, does not follow the one before, or is not a day.",
        "Get the file from git again, or run `catalog-api record --rebuild`.")
    DAY = ("CAT051", "a day that can't be recorded",
        "A later day is recorded already, the day is in the future, or git does not have its state.",
        "Record days in their order, and take a past from a clone with all commits.")

    # Web pages.
    MARKER = ("CAT060", "a marker that can't be filled",
        "A marker names nothing that is known, has a wrong argument, stands within a paragraph, or is not "
        "written as `<!-- catalog: NAME -->`.",
        "Correct it, and leave a blank line before and after it.")
    TEMPLATE = ("CAT061", "a template that can't be rendered",
        "A template of your own has an error, or asks for what the catalog does not have.",
        "Correct the template in the line that is named.")
    HTML = ("CAT062", "a built page that is not filled",
        "With `build --web`, a page is missing in the folder of the site, is not UTF-8, or ends in the "
        "middle.",
        "Run the other generator first, and let it write whole pages.")

    # What is published.
    IN_THE_WAY = ("CAT070", "a file in the way",
        "A file, folder or link that no build wrote stands where one would write.",
        "Move or rename it.")
    NOT_WRITTEN = ("CAT071", "nothing can be written",
        "The disk is full, a folder may not be written, memory ran out, or the check of what was written "
        "found an error of this program.",
        "Make room, or report the message if it speaks of a document.")
    MANY_DOCUMENTS = ("CAT072", "more documents than some hosts take",
        "The API of a large catalog has more files than the plan of a host may allow.",
        "Compare with your host, and leave out lookups that nobody needs.")
    HEADER_FILE = ("CAT073", "the header file of a host",
        "You have a header file of your own, which no build changes. It lacks the headers of the API, or "
        "can't be read.",
        "Add the lines that the message shows, or remove your file: the build then writes one.")
    NOT_SIGNED = ("CAT074", "the site is not what was built",
        "`catalog-api sign` found no manifest, one without documents or with a path outside of the API, or "
        "documents other than those that it lists.",
        "Build the site again, then sign it before anything changes it.")

    # The network.
    NOT_FETCHED = ("CAT080", "something that was not fetched",
        "A hub or publisher of advisories gave no answer, a broken one, or one that lost what it had "
        "before.",
        "Run it again later. What was fetched earlier is kept.")
    ARRIVED = ("CAT081", "what arrives is not what was built",
        "A document of the published API does not arrive, is redirected, changed, not signed as it should "
        "be, or of another site or an older build than you asked for.",
        "Publish the whole site again, and empty the caches before it.")
    HEADERS = ("CAT082", "headers of the host",
        "The host sends other headers than clients need, or another answer than 404 for what is not there.",
        "Tell your host as the guide's page Publish says.")
    REGISTRY = ("CAT083", "a registry did not answer as expected",
        "`sync` got no answer from a registry: no network, wrong credentials, an unknown repository, or an "
        "answer that is too large, malformed or of another type. Or a tag or version is gone.",
        "Fix what the message names, and run `catalog-api sync` again. What was known stays in the file.")
    MOVED_TAG = ("CAT084", "a page and its registry differ",
        "A page gives a digest for a version, and the registry has another one for that tag: the tag was "
        "moved after the page was written. Or a file in `registry/` is about another repository than the "
        "page.",
        "If the new image is yours, correct the digest on the page or remove it, and scan the image again. "
        "Run `catalog-api sync` after a page has got another `image` or `chart`.")
    # fmt: on
