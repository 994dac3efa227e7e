"""Downloads the security reports that Artifact Hub has for charts into `scans/hub/`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote, urlsplit

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..authored.folders import not_writable, write_whole
from ..authored.pages import RawItem
from ..catalog.models import ChartEntry
from ..catalog.names import chart_version, slug
from ..problems import Level, Problem, Problems
from ..problems.codes import Code
from ..sources.reports import ReportError, read_report
from ..sources.reports.artifact_hub import FOLDER, SUFFIX, HubPackage, read_package
from ..sources.reports.json_errors import decode
from ..sources.reports.normalise import mapping, text
from .client import Client, NoAnswerError, UnavailableError

_PAGE = 60
"""Maximum number of packages in a response of the hub."""
_MOST = 6_000


class Listing(Struct, frozen=True):
    """A chart on a hub, and its versions to download in addition to the newest."""

    hub: str
    """URL without a slash at the end."""
    repository: str
    package: str
    versions: tuple[str, ...] = ()
    """As on the hub, without a leading `v`."""

    @property
    def name(self) -> str:
        return f"{self.repository}/{self.package}"


class _FoundPackage(Struct):
    """A package in the results of a search."""

    normalized_name: str


class _Search(Struct):
    packages: list[_FoundPackage] | None = None


def listed_at(address: str, versions: Sequence[str], hub: str | None) -> Listing | None:
    """Return the chart at the URL of its page on a hub, or None if it is not an Artifact Hub.

    `hub` replaces the host of the URL, for example with a mirror.
    """
    parts = urlsplit(address)
    match parts.path.strip("/").split("/"):
        case ["packages", "helm", repository, package, *_]:
            try:
                names = slug(repository), slug(package)
            except ValueError:
                return None
            plain = tuple(version.removeprefix("v") for version in versions)
            return Listing(hub or f"{parts.scheme}://{parts.netloc}", *names, plain)
    return None


def search(client: Client, hub: str, repository: str) -> list[str]:
    """Return the names of all charts in a repository, in the order of the hub.

    Raises:
        NoAnswerError: the hub sent no usable response.
    """
    names: dict[str, None] = {}
    for offset in range(0, _MOST, _PAGE):
        query = f"kind=0&repo={quote(repository, safe='')}&deprecated=true&limit={_PAGE}&offset={offset}"
        address = f"{hub}/api/v1/packages/search?{query}"
        try:
            packages = msgspec.convert(decode(client.ask(address).body), _Search).packages or []
            names |= dict.fromkeys(slug(package.normalized_name) for package in packages)
        except (ReportError, msgspec.ValidationError, ValueError) as error:
            raise NoAnswerError(f"{address}: invalid search results: {error}") from None
        if len(packages) < _PAGE:
            break
    return list(names)


def keep_lost_results(earlier: bytes, newer: bytes) -> tuple[bytes, list[str]]:
    """Merge two reports of one version of a chart. If an image with findings is missing from the newer
    report, keep the results of all images that are missing from it.

    Returns the report to save instead of the newer one, and the sorted images with findings in the earlier
    report that are missing from the newer one, or have no result there.

    The response of the hub that was saved with the earlier report is kept: its time is the age of the kept
    results. As it differs from the time on the hub, the next run requests the report again.

    Raises:
        ReportError: one of them is not a report.
    """
    images = mapping(decode(newer))
    with_findings = {image for scan in read_report(earlier) if scan.findings for image in scan.references}
    with_results = {image: body for image, body in images.items() if _has_results(body)}
    lost = with_findings - set(map(text, with_results))
    if not lost:
        return newer, []
    report = msgspec.json.encode(mapping(decode(earlier)) | with_results) if with_results else earlier
    return report, sorted(lost)


def _has_results(body: object) -> bool:
    """Whether Trivy examined any part; in its first schema, the report is the list of results."""
    return isinstance(body, list) or bool(mapping(body).get("Results"))


ARTIFACT_HUB = "https://artifacthub.io"


class Fetch:
    """Downloads the reports of charts to `folder`, the reports folder.

    `label` is its name in problems. Links may point to the folders of `project`.
    """

    def __init__(
        self,
        client: Client,
        folder: Path,
        label: str,
        project: Sequence[Path],
        problems: Problems,
        counts: Counter[str],
    ) -> None:
        """`counts` gets the numbers of reports `fetched`, `unchanged`, `unscanned` and `kept`."""
        self._client, self._folder, self._label = client, folder, label
        self._project = project
        self._problems, self._counts = problems, counts
        self._asked: set[Path] = set()
        """Folders of the requested charts."""
        self._done: set[Path] = set()
        """Folders with complete responses."""
        self._current: set[Path] = set()
        """Files that are current."""
        self._failed = False
        self._refused = 0
        """Number of consecutive failures to reach the hub."""

    def listings(
        self, charts: Iterable[tuple[ChartEntry, RawItem]], repositories: Sequence[str], hub: str | None
    ) -> list[Listing]:
        """Return the charts to download: those of the repositories, or without any, of the catalog."""
        own: dict[str, Listing] = {}
        for chart, raw in charts:
            if chart.hub is None:
                continue
            listing = listed_at(chart.hub, [version.version for version in chart.versions], hub)
            if listing is None:
                message = "skipped, because this is not the URL of a chart on Artifact Hub"
                hint = "for example https://artifacthub.io/packages/helm/REPOSITORY/CHART"
                self._problems.add(
                    replace(raw.problem(("hub",), message, hint, code=Code.NOT_FETCHED), level=Level.INFO)
                )
            elif listing.name in own and own[listing.name].hub != listing.hub:
                message = f"{listing.name} is also the name of a chart on {own[listing.name].hub}"
                self._problems.add(
                    raw.problem(("hub",), message, "use one hub at a time with --hub", code=Code.NOT_FETCHED)
                )
            else:
                before = own[listing.name].versions if listing.name in own else ()
                own[listing.name] = replace(listing, versions=before + listing.versions)
        if repositories:
            listings = [
                each for name in repositories for each in self._charts_of(name, hub or ARTIFACT_HUB, own)
            ]
        else:
            listings = list(own.values())
            if not listings:
                message = "no chart in the catalog has a `hub`"
                hint = "add `hub` to the pages of charts, or use --repository"
                self._problems.add(Problem("", 0, 0, "hub", message, hint, code=Code.NOT_FETCHED))
        self._asked.update(map(self._place, listings))
        return listings

    def _charts_of(self, repository: str, hub: str, own: Mapping[str, Listing]) -> list[Listing]:
        folder = self._folder / FOLDER / repository
        try:
            names = search(self._client, hub, repository)
        except NoAnswerError as error:
            self._asked.add(folder)
            self._problem(folder, str(error))
            return []
        if not names:
            self._problem(folder, f"{hub} has no charts in the repository {repository!r}")
        listings = [Listing(hub, repository, name) for name in names]
        return [replace(own[each.name], hub=hub) if each.name in own else each for each in listings]

    def fetch(self, listing: Listing) -> bool:
        """Download the reports of one chart, or add problems. Returns False if the hub is unreachable."""
        self._failed = False
        newest = self._download(listing, None)
        offered = {entry.version for entry in newest.available_versions or ()} if newest else set()
        for version in dict.fromkeys(listing.versions):
            if newest is None or version == newest.version or self._refused >= 2:
                continue
            if version in offered:
                self._download(listing, version)
            else:
                message = f"{listing.hub} does not list version {version}"
                self._problem(self._place(listing), message, level=Level.INFO)
        if not self._failed:
            self._done.add(self._place(listing))
        return self._refused < 2

    def _download(self, listing: Listing, version: str | None) -> HubPackage | None:
        """Download the data of one version, by default the newest; None if there is no usable response."""
        package = None
        try:
            body, package = self._package(listing, version)
            self._report(listing, body, package)
        except NoAnswerError as error:
            unavailable = isinstance(error, UnavailableError)
            self._problem(
                self._place(listing), str(error), "run the command again later" if unavailable else ""
            )
            self._refused = self._refused + 1 if unavailable else 0
            self._failed = True
        else:
            self._refused = 0
        return package

    def name_stale(self) -> None:
        """Warn about files of earlier runs that could not be compared with the hub."""
        for folder in self._asked - self._done:
            for file in folder.rglob("[!.]*.json"):
                if file not in self._current and file.parent not in self._done:
                    self._problem(file, "stale: not updated by this run", level=Level.WARNING)

    def _place(self, listing: Listing) -> Path:
        return self._folder / FOLDER / listing.repository / listing.package

    def _name(self, file: Path) -> str:
        return f"{self._label}/{file.relative_to(self._folder).as_posix()}"

    def _problem(self, file: Path, message: str, hint: str = "", level: Level = Level.ERROR) -> None:
        self._problems.add(Problem(self._name(file), 0, 0, "", message, hint, level, code=Code.NOT_FETCHED))

    def _package(self, listing: Listing, version: str | None) -> tuple[bytes, HubPackage]:
        path = f"/api/v1/packages/helm/{listing.name}" + (f"/{quote(version, safe='')}" if version else "")
        answer = self._client.ask(listing.hub + path)
        body = answer.body
        if answer.status == 404:
            raise NoAnswerError(
                f"{listing.hub} has no chart {listing.name}{f' {version}' if version else ''}"
            )
        try:
            package = read_package(body)
            chart_version(package.version)
        except ValueError as error:
            raise NoAnswerError(f"{listing.hub}{path}: {error}") from None
        if version not in (None, package.version):
            raise NoAnswerError(f"{listing.hub}{path}: the response is about version {package.version}")
        return body, package

    def _report(self, listing: Listing, body: bytes, package: HubPackage) -> None:
        """Download the report of one version, if it has changed."""
        file = self._place(listing) / f"{package.version}.json"
        for target in (file, file.with_suffix(SUFFIX)):
            if fault := not_writable(target, self._name(target), self._project):
                self._problems.add(fault)
                self._failed = True
                return
        report = b""
        if package.security_report_created_at is not None:
            if _scanned(file) == package.security_report_created_at:
                self._counts["unchanged"] += 1
                self._current.add(file)
                return
            report = self._security_report(listing, body, package)
        if not report.strip():
            self._unscanned(file, body)
        elif not self._kept(file, report):
            write_whole(file, report)
            write_whole(file.with_suffix(SUFFIX), body)
            self._counts["fetched"] += 1
        self._current.add(file)

    def _kept(self, file: Path, report: bytes) -> bool:
        """Keep earlier findings of images that are missing in this report. Returns whether there are any."""
        try:
            earlier = file.read_bytes()
            kept, images = keep_lost_results(earlier, report)
        except (FileNotFoundError, ReportError):  # not readable by a build either
            return False
        if not images:
            return False
        if kept != earlier:
            write_whole(file, kept)
        self._counts["kept"] += 1
        for image in images:
            message = f"the hub has no results for {image} any more, so the earlier findings are kept"
            self._problem(
                file, message, "if the findings are fixed, delete this file and run the command again"
            )
        return True

    def _security_report(self, listing: Listing, body: bytes, package: HubPackage) -> bytes:
        """Return the report of the hub after checking it; empty if there is none."""
        path = f"/api/v1/packages/{package.package_id}/{quote(package.version, safe='')}/security-report"
        answer = self._client.ask(listing.hub + path)
        if answer.status == 404:
            raise NoAnswerError(f"{listing.hub}{path}: the hub has no report, but lists one")
        report = answer.body
        try:
            if report.strip():
                read_report(report, body)
                decode(report)  # also its unused parts, as `keep_lost_results` writes them again
        except ReportError as error:
            raise NoAnswerError(f"{listing.hub}{path}: {error}") from None
        return report

    def _unscanned(self, file: Path, body: bytes) -> None:
        """Handle a version without a scan. An earlier report keeps its response on the package."""
        self._counts["unscanned"] += 1
        if file.is_file():
            message = "stale: not updated, because the hub has no report of this version any more"
            self._problem(file, message, level=Level.WARNING)
        else:
            write_whole(file.with_suffix(SUFFIX), body)


def _scanned(file: Path) -> int | None:
    """Return the time of the existing report; None if there is none or its pair is incomplete."""
    try:
        package = read_package(file.with_suffix(SUFFIX).read_bytes())
    except (OSError, ReportError):
        return None
    return package.security_report_created_at if file.is_file() else None
