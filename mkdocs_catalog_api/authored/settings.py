"""What a user can set in mkdocs.yml under `catalog-api`; the plugin and the command line share it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, Self, cast

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

from ..catalog import names as references
from ..catalog.fields import ItemFields
from ..catalog.links import web_link
from ..catalog.models import ChartEntry, ImageEntry, ItemEntry, RoadmapEntry, UpdateEntry
from ..problems import Level, Problems, RefusedError
from .check_settings import check_collection, explain_settings, without
from .config_file import ConfigFile
from .messages import location
from .setting_types import (
    CollectionSettings,
    Color,
    Email,
    Once,
    RelativePath,
    Section,
    Size,
    Word,
    or_defaults,
)

Resource = Literal["images", "charts", "roadmap", "updates"]
ITEM_MODELS: dict[Resource, type[ItemEntry]] = {
    "images": ImageEntry,
    "charts": ChartEntry,
    "roadmap": RoadmapEntry,
}
DATA_ENDINGS = (".yml", ".yaml", ".json")
"""Of a data file that the settings do not name."""
SECURITY_FOLDERS = {"reports": "scans", "vex": "vex"}
"""Where vulnerability data lies unless the settings say otherwise, relative to mkdocs.yml."""
ADVISORIES = {
    "kev": "advisories/known_exploited_vulnerabilities.json",
    "epss": "advisories/epss_scores.csv.gz",
}
"""Which files say what is exploited, and how likely, unless the settings do; relative to mkdocs.yml."""
DEFAULT_HISTORY = "history"
"""Where the recorded days lie unless the settings say otherwise, relative to mkdocs.yml."""
Accepted = Literal[
    "filesystem", "repository", "vm", "cyclonedx", "spdx", "directory", "file", "partial", "reference"
]
HostName = Literal["netlify", "cloudflare", "vercel", "apache"]
Lookup = Literal["digests", "cves", "renovate"]


def data_names(stem: str) -> list[str]:
    """What a data file may be called that the settings do not name."""
    return [stem + ending for ending in DATA_ENDINGS]


def _scanner_word(value: object, info: ValidationInfo) -> object:
    """Refuse what is no word of the table of report formats, which the context gives."""
    words: Sequence[str] = cast("Callable[[], Sequence[str]]", info.context)()
    if value not in words:
        expected = ", ".join(map(repr, words))
        raise PydanticCustomError("literal_error", "unknown scanner", {"expected": expected})
    return value


ScannerWord = Annotated[str, BeforeValidator(_scanner_word)]


class UpdatesSettings(Section):
    """Where the updates come from."""

    data: RelativePath | None = Field(
        None,
        description="`.yml`, `.yaml`, `.json`: a list; `.md`: the list under `updates` in its front matter.",
    )
    decisions: RelativePath | None = Field(
        None,
        description="What is held or skipped when `data` is the output of `nvcmp -j`; default "
        "`decisions.yml`.",
    )


class SecuritySettings(Section):
    """Where vulnerability data comes from."""

    reports: RelativePath | None = Field(
        None,
        description="Folder of scanners' reports, relative to mkdocs.yml; default `scans`, if it is there.",
    )
    vex: RelativePath | None = Field(
        None,
        description="Folder of OpenVEX documents, relative to mkdocs.yml; default `vex`, if it is there.",
    )
    kev: RelativePath | None = Field(
        None,
        description="CISA's catalog of known exploited vulnerabilities, relative to mkdocs.yml; "
        "default `advisories/known_exploited_vulnerabilities.json`, if it is there.",
    )
    epss: RelativePath | None = Field(
        None,
        description="The daily scores of EPSS, relative to mkdocs.yml; default "
        "`advisories/epss_scores.csv.gz`, if it is there.",
    )
    max_age: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Age in days above which the scan of a newest release causes a warning."
    )
    scanners: Annotated[tuple[ScannerWord, ...], Field(strict=False, min_length=1), Once] = Field(
        (), description="Which scanner counts when several have scanned a release: the first that has."
    )
    """By default empty: all, in the order of the table of report formats."""
    accept: Annotated[tuple[Accepted, ...], Field(strict=False), Once] = Field(
        (),
        description="What is taken without a warning: reports of something other than an image "
        "(`filesystem`, `repository`, `vm`, `cyclonedx`, `spdx`, `directory`, `file`), scans of some "
        "digests of a release (`partial`), reports that name another registry's image (`reference`).",
    )
    max_report_size: Size = Field(
        512_000_000, description="Reports and VEX documents above this size are refused, such as `512MB`."
    )
    publish_vex: bool = Field(
        False,
        description="Whether the statements are published as OpenVEX documents, which takes an https "
        "`site_url`.",
    )


class BadgeSettings(Section):
    """The looks of one badge."""

    label: Word | None = Field(
        None, description="Text of the left half, in place of the one that the badge has."
    )
    color: Color | None = Field(
        None,
        description="Color of the right half, which shows the value; by default it depends on the value.",
    )
    label_color: Annotated[Color | None, Field(alias="labelColor")] = Field(
        None, description="Color of the left half; by default dark gray."
    )
    logo: Word | None = Field(
        None, description="A simple-icons slug, or the path of an SVG file below docs_dir."
    )
    logo_color: Annotated[Color | None, Field(alias="logoColor")] = Field(
        None, description="Color of a simple-icons logo, by default white; an SVG file has its own."
    )


class ContactSettings(Section):
    """Who answers questions about the API."""

    name: Word | None = Field(
        None, description="Who answers questions about the API: a person, a team or an organization."
    )
    url: Annotated[Word, AfterValidator(web_link)] | None = Field(
        None, description="Page on which they can be reached."
    )
    email: Email | None = Field(None, description="Their e-mail address, as in `catalog@example.org`.")


class LicenseSettings(Section):
    """On what terms the documents may be used: the licence's name, and its SPDX id or its address."""

    name: Word = Field(
        description="Name of the license under which the documents may be used; every `license` needs it."
    )
    identifier: Word | None = Field(
        None, description="SPDX identifier of that license, as in `CC-BY-4.0`; it or `url`, not both."
    )
    url: Annotated[Word, AfterValidator(web_link)] | None = Field(
        None, description="Address of its text, for a license without an SPDX identifier."
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.identifier and self.url:
            raise RefusedError("OpenAPI takes `identifier` or `url`, not both", "keep one of them")
        return self


class OpenApiSettings(Section):
    """What `openapi.json` says of the API beside its paths."""

    contact: ContactSettings | None = None
    license: LicenseSettings | None = None


_DEFAULTS: Any = Field(default={}, validate_default=True)
"""Of a section; made with the settings, as a model takes its time the first time that it makes anything."""


class Settings(Section):
    """All settings; every one has a default."""

    registry: Annotated[Word, AfterValidator(references.repository)] | None = Field(
        None, description="`image` of a page that gives none is registry/slug."
    )
    images: Annotated[CollectionSettings, BeforeValidator(or_defaults)] = _DEFAULTS
    charts: Annotated[CollectionSettings, BeforeValidator(or_defaults)] = _DEFAULTS
    roadmap: Annotated[CollectionSettings, BeforeValidator(or_defaults)] = _DEFAULTS
    updates: Annotated[UpdatesSettings, BeforeValidator(or_defaults)] = _DEFAULTS
    security: Annotated[SecuritySettings, BeforeValidator(or_defaults)] = _DEFAULTS
    badges: dict[Word, Annotated[BadgeSettings, BeforeValidator(or_defaults)]] = {}
    openapi: Annotated[OpenApiSettings, BeforeValidator(or_defaults)] = _DEFAULTS
    lookups: Annotated[tuple[Lookup, ...], Field(strict=False), Once] = Field(
        ("digests", "cves", "renovate"), description="Which lookup documents are written; `[]` for none."
    )
    history: RelativePath | None = Field(
        None,
        description="Folder of the recorded days, relative to mkdocs.yml; default `history`, if it is there.",
    )
    headers: HostName | None = Field(None, description="Host whose header file is written; none by default.")
    feeds: bool = Field(
        False,
        description="Whether feeds and a calendar of ends of life are published, which takes a `site_url`.",
    )
    web: bool = Field(
        True, description="Whether the pages show the catalog: markers are filled and item pages completed."
    )


def item_fields(settings: Settings) -> dict[str, ItemFields[Any]]:
    """Collection → the fields of its items."""
    fields: dict[str, ItemFields[Any]] = {"updates": ItemFields(UpdateEntry)}
    for name, model in ITEM_MODELS.items():
        fields[name] = getattr(settings, name).item_fields(model)
    return fields


def validate_settings(
    options: Mapping[str, object],
    config: ConfigFile,
    problems: Problems,
    scanner_words: Callable[[], Sequence[str]],
) -> Settings | None:
    """The settings, or None and a problem for each fault.

    `scanner_words` gives the words that the setting `scanners` may hold; it is called if that is set.
    """
    before = problems.count(Level.ERROR)
    usable: Mapping[str, object] = options
    settings = None
    while settings is None:
        try:
            settings = Settings.model_validate(usable, context=scanner_words)
        except ValidationError as error:
            found = error.errors(include_url=False)
            if usable is options:
                problems.extend(explain_settings(found, Settings, config))
            # Without what is faulty the rest can be looked at, too.
            usable = without(usable, [location(details) for details in found])
    for resource, model in ITEM_MODELS.items():
        section: CollectionSettings = getattr(settings, resource)
        written = options.get(resource)
        problems.extend(check_collection(resource, model, section, written, config))
    return settings if problems.count(Level.ERROR) == before else None
