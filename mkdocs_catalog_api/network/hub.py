"""Downloads security reports of charts from Artifact Hub to the reports folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import quote, urlsplit

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ..authored.front_matter import RawItem
from ..items.models import ChartEntry
from ..items.names import chart_version, slug
from ..problems import Level, Problem, RefusedError
from ..problems.codes import Code
from ..sources.reports import read_report
from ..sources.reports.artifact_hub import FOLDER, SUFFIX, HubPackage, read_package
from ..sources.reports.json_errors import decode
from ..sources.reports.normalise import mapping, text
from .client import Client, NoAnswerError
from .output import Output


class Listing(Struct, frozen=True):
    """A chart on a hub, and its versions to download in addition to the newest."""

    hub: str
    """URL without a slash at the end."""
    repository: str
    package: str
    versions: tuple[str, ...]
    """As on the hub, without a leading `v`."""

    @property
    def name(self) -> str:
        return f"{self.repository}/{self.package}"


def listings(
    charts: Iterable[tuple[ChartEntry, RawItem]], mirror: str | None, output: Output
) -> Iterator[Listing]:
    """Return the charts of the catalog on an Artifact Hub, with the versions on all their pages.

    `mirror` replaces the host of each URL.
    """
    listed: dict[str, Listing] = {}
    for chart, raw in charts:
        if chart.hub is None:
            continue
        listing = listed_at(chart.hub, [version.version for version in chart.versions], mirror)
        same = listing and listed.get(listing.name)
        if listing is None:
            message = "skipped, because this is not the URL of a chart on Artifact Hub"
            hint = "for example https://artifacthub.io/packages/helm/REPOSITORY/CHART"
            problem = raw.problem(("hub",), message, hint, Level.INFO, code=Code.NOT_FETCHED)
            output.problems.add(problem)
        elif same and same.hub != listing.hub:
            message = f"{listing.name} is also the name of a chart on {same.hub}, and has the same files"
            hint = "use the same hub on both pages"
            output.problems.add(raw.problem(("hub",), message, hint, code=Code.NOT_FETCHED))
        else:
            earlier = same.versions if same else ()
            listed[listing.name] = replace(listing, versions=earlier + listing.versions)
    return iter(listed.values())


def listed_at(address: str, versions: Iterable[str], mirror: str | None) -> Listing | None:
    """Return the chart at the URL of its page on a hub, or None if it is not an Artifact Hub."""
    parts = urlsplit(address)
    match parts.path.strip("/").split("/"):
        case ["packages", "helm", repository, package, *_]:
            try:
                names = slug(repository), slug(package)
            except ValueError:
                return None
            hub = mirror.rstrip("/") if mirror else f"{parts.scheme}://{parts.netloc}"
            return Listing(hub, *names, tuple(version.removeprefix("v") for version in versions))
    return None


class Hub:
    """Downloads reports to the reports `folder`, relative to mkdocs.yml."""

    def __init__(self, client: Client, output: Output, folder: str) -> None:
        self._client, self._output, self._folder = client, output, folder

    def fetch(self, listing: Listing) -> None:
        """Download the reports of one chart. Existing files are kept if a response is not usable."""
        newest = self._download(listing, None)
        offered = {entry.version for entry in newest.available_versions or ()} if newest else set()
        for version in dict.fromkeys(listing.versions):
            if newest is None or version == newest.version:
                continue
            if version in offered:
                self._download(listing, version)
            else:
                message = f"{listing.hub} does not list version {version}"
                self._problem(self._place(listing), message, level=Level.INFO)

    def _download(self, listing: Listing, version: str | None) -> HubPackage | None:
        """Download the data of one version, by default the newest; None if there is no usable response."""
        package = None
        try:
            body, package = self._package(listing, version)
            self._report(listing, body, package)
        except NoAnswerError as error:
            hint = "earlier reports are kept; run the command again later"
            problem = Problem(self._place(listing), 0, 0, "", str(error), hint, code=Code.NOT_FETCHED)
            self._output.fail(error, problem)
        return package

    def _place(self, listing: Listing) -> str:
        return f"{self._folder}/{FOLDER}/{listing.repository}/{listing.package}"

    def _problem(self, name: str, message: str, hint: str = "", level: Level = Level.ERROR) -> None:
        self._output.problems.add(Problem(name, 0, 0, "", message, hint, level, code=Code.NOT_FETCHED))

    def _package(self, listing: Listing, version: str | None) -> tuple[bytes, HubPackage]:
        path = f"/api/v1/packages/helm/{listing.name}" + (f"/{quote(version, safe='')}" if version else "")
        answer = self._client.ask(listing.hub + path)
        if answer.status == 404:
            raise NoAnswerError(
                f"{listing.hub} has no chart {listing.name}{f' {version}' if version else ''}"
            )
        try:
            package = read_package(answer.body)
            chart_version(package.version)
        except RefusedError as error:
            raise NoAnswerError(f"{listing.hub}{path}: {error.message}") from None
        if version not in (None, package.version):
            raise NoAnswerError(f"{listing.hub}{path}: the response is about version {package.version}")
        return answer.body, package

    def _report(self, listing: Listing, body: bytes, package: HubPackage) -> None:
        """Download the report of one version, if it has changed."""
        name = f"{self._place(listing)}/{package.version}"
        report_name, package_name = f"{name}.json", f"{name}{SUFFIX}"
        earlier, earlier_body = self._output.earlier(report_name), self._output.earlier(package_name)
        if earlier is None or earlier_body is None:
            return
        scanned_at = package.security_report_created_at
        report = b""
        if scanned_at is not None:
            if earlier and _scanned(earlier_body) == scanned_at:
                self._output.write(report_name, earlier, earlier)
                return
            report = self._security_report(listing, body, package)
        if report.strip():
            kept, lost = self._kept(report_name, earlier, report)
            self._output.write(report_name, earlier, kept)
            # A kept report keeps the response that belongs to it, so the next run requests the report again.
            self._output.write(package_name, earlier_body, earlier_body if lost else body)
        elif earlier:
            message = "stale: not updated, because the hub has no report of this version any more"
            self._problem(report_name, message, level=Level.WARNING)
        else:
            self._output.write(package_name, earlier_body, body)

    def _kept(self, name: str, earlier: bytes, report: bytes) -> tuple[bytes, bool]:
        """Return the report to save, and whether it has earlier results.

        If an image with findings has no result in the new report, the results of all images that lack one
        are kept. The hub's earlier response is then kept, too: its time is the age of these results. As it
        differs from the time on the hub, the next run requests the report again.
        """
        try:
            scans = read_report(earlier) if earlier else []
        except RefusedError:  # not readable by a build either
            return report, False
        # In the first schema of Trivy, a report is the list of results.
        results = {
            image: body
            for image, body in mapping(decode(report)).items()
            if isinstance(body, list) or mapping(body).get("Results")
        }
        with_findings = {image for scan in scans if scan.findings for image in scan.references}
        lost = with_findings - {text(image) for image in results}
        for image in sorted(lost):
            message = f"the hub has no results for {image} any more, so the earlier findings are kept"
            hint = "if the findings are fixed, delete this file and run the command again"
            self._problem(name, message, hint)
        if lost:
            report = msgspec.json.encode(mapping(decode(earlier)) | results) if results else earlier
        return report, bool(lost)

    def _security_report(self, listing: Listing, body: bytes, package: HubPackage) -> bytes:
        """Return the report of the hub after checking it; empty if there is none."""
        path = f"/api/v1/packages/{package.package_id}/{quote(package.version, safe='')}/security-report"
        answer = self._client.ask(listing.hub + path)
        if answer.status == 404:
            raise NoAnswerError(f"{listing.hub}{path}: the hub has no report, but lists one")
        report = answer.body
        try:
            if report.strip():
                read_report(report, package)
                decode(report)  # also its unused parts, as `_kept` writes them again
        except RefusedError as error:
            raise NoAnswerError(f"{listing.hub}{path}: {error.message}") from None
        return report


def _scanned(body: bytes) -> int | None:
    """Return the time of the existing report in the response that was saved with it."""
    try:
        return read_package(body).security_report_created_at
    except RefusedError:
        return None
