"""x"""

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
"""The most packages that the hub gives in one answer."""
_MOST = 6_000


class Listing(Struct, frozen=True):
    """A chart on a hub, and which of its versions are wanted beside the newest."""

    hub: str
    """Address without a slash at the end."""
    repository: str
    package: str
    versions: tuple[str, ...] = ()
    """As the hub writes them, without a leading `v`."""

    @property
    def name(self) -> str:
        return f"{self.repository}/{self.package}"


class _FoundPackage(Struct):
    """A package in an answer to a search."""

    normalized_name: str


class _Search(Struct):
    packages: list[_FoundPackage] | None = None


def listed_at(address: str, versions: Sequence[str], hub: str | None) -> Listing | None:
    """The chart behind the address of its page on a hub, None when that is no Artifact Hub's.

    `hub` replaces the host of the address, as for a mirror.
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
    """The names of all charts of a repository, in the hub's order.

    Raises:
        NoAnswerError: the hub gave no answer that can be used.
    """
    names: dict[str, None] = {}
    for offset in range(0, _MOST, _PAGE):
        query = f"kind=0&repo={quote(repository, safe='')}&deprecated=true&limit={_PAGE}&offset={offset}"
        address = f"{hub}/api/v1/packages/search?{query}"
        try:
            found = msgspec.convert(decode(client.ask(address).body), _Search).packages or []
            names |= dict.fromkeys(slug(package.normalized_name) for package in found)
        except (ReportError, msgspec.ValidationError, ValueError) as error:
            raise NoAnswerError(f"{address}: no answer to a search: {error}") from None
        if len(found) < _PAGE:
            break
    return list(names)


def keep_lost_results(earlier: bytes, newer: bytes) -> tuple[bytes, list[str]]:
    """Two reports of one version of a chart as one: where an image is gone that had findings, all that the
    earlier report says of images which the newer one does not mention stays.

    Returns what to save in place of the newer report, and the images, sorted, that the earlier one found
    something in and that are gone from the newer one, or there without any result.

    The hub's answer that was saved with the earlier report goes on belonging to what is kept: its time says
    how old that is and, as it differs from the hub's, has the next run ask again.

    Raises:
        ReportError: one of them is no report.
    """
    images = mapping(decode(newer))
    found = {image for scan in read_report(earlier) if scan.findings for image in scan.references}
    said = {image: body for image, body in images.items() if _has_results(body)}
    lost = found - set(map(text, said))
    if not lost:
        return newer, []
    report = msgspec.json.encode(mapping(decode(earlier)) | said) if said else earlier
    return report, sorted(lost)


def _has_results(body: object) -> bool:
    """Whether Trivy looked into something; its first schema is the list of results itself."""
    return isinstance(body, list) or bool(mapping(body).get("Results"))


ARTIFACT_HUB = "https://artifacthub.io"


class Fetch:
    """Brings the reports of charts below `folder`, the reports folder, which problems call `label`; links may
    lead to the folders of `project`.
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
        """`counts` is given how many reports were `fetched`, `unchanged`, `unscanned` or `kept`."""
        self._client, self._folder, self._label = client, folder, label
        self._project = project
        self._problems, self._counts = problems, counts
        self._asked: set[Path] = set()
        """Folders of which the hub was to be asked,"""
        self._done: set[Path] = set()
        """those of which it told everything,"""
        self._current: set[Path] = set()
        """and files that are as the hub has them."""
        self._failed = False
        self._refused = 0
        """How many times in a row the hub could not be had."""

    def listings(
        self, charts: Iterable[tuple[ChartEntry, RawItem]], repositories: Sequence[str], hub: str | None
    ) -> list[Listing]:
        """What to ask for: all charts of some repositories, or with none the charts of the catalog."""
        own: dict[str, Listing] = {}
        for chart, raw in charts:
            if chart.hub is None:
                continue
            found = listed_at(chart.hub, [version.version for version in chart.versions], hub)
            if found is None:
                message = "no address of a chart on an Artifact Hub, so nothing is fetched"
                hint = "they look like https://artifacthub.io/packages/helm/REPOSITORY/CHART"
                self._problems.add(
                    replace(raw.problem(("hub",), message, hint, code=Code.NOT_FETCHED), level=Level.INFO)
                )
            elif found.name in own and own[found.name].hub != found.hub:
                message = f"{found.name} is also the name of a chart on {own[found.name].hub}"
                self._problems.add(
                    raw.problem(
                        ("hub",), message, "fetch from one hub at a time with --hub", code=Code.NOT_FETCHED
                    )
                )
            else:
                before = own[found.name].versions if found.name in own else ()
                own[found.name] = replace(found, versions=before + found.versions)
        if repositories:
            listings = [
                each for name in repositories for each in self._charts_of(name, hub or ARTIFACT_HUB, own)
            ]
        else:
            listings = list(own.values())
            if not listings:
                message = "no chart of the catalog says where it is listed"
                hint = "add `hub` to the pages of charts, or give a --repository"
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
            self._problem(folder, f"{hub} lists no chart of the repository {repository!r}")
        found = [Listing(hub, repository, name) for name in names]
        return [replace(own[each.name], hub=hub) if each.name in own else each for each in found]

    def fetch(self, listing: Listing) -> bool:
        """Bring one chart's reports or say why not. False when the hub is out of reach."""
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
        """Bring what belongs to one version, by default the newest; None when nothing is known of it."""
        package = None
        try:
            body, package = self._package(listing, version)
            self._report(listing, body, package)
        except NoAnswerError as error:
            unavailable = isinstance(error, UnavailableError)
            self._problem(self._place(listing), str(error), "run it again later" if unavailable else "")
            self._refused = self._refused + 1 if unavailable else 0
            self._failed = True
        else:
            self._refused = 0
        return package

    def name_stale(self) -> None:
        """Name the files of earlier runs that this one could not compare with what the hub has now."""
        for folder in self._asked - self._done:
            for file in folder.rglob("[!.]*.json"):
                if file not in self._current and file.parent not in self._done:
                    self._problem(file, "stale: kept as an earlier run left it", level=Level.WARNING)

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
                f"{listing.hub} knows no chart {listing.name}{f' {version}' if version else ''}"
            )
        try:
            package = read_package(body)
            chart_version(package.version)
        except ValueError as error:
            raise NoAnswerError(f"{listing.hub}{path}: {error}") from None
        if version not in (None, package.version):
            raise NoAnswerError(f"{listing.hub}{path}: the answer is about version {package.version}")
        return body, package

    def _report(self, listing: Listing, body: bytes, package: HubPackage) -> None:
        """Bring the report of one version, if it is another than the one that is here."""
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
        """Whether an earlier report found what this one no longer mentions. It then stays, and is told."""
        try:
            earlier = file.read_bytes()
            kept, images = keep_lost_results(earlier, report)
        except (FileNotFoundError, ReportError):  # nothing that a build could read
            return False
        if not images:
            return False
        if kept != earlier:
            write_whole(file, kept)
        self._counts["kept"] += 1
        for image in images:
            message = f"the hub has no more results for {image}, so what it last found there is kept"
            self._problem(file, message, "if all of it is really gone, delete this file and fetch again")
        return True

    def _security_report(self, listing: Listing, body: bytes, package: HubPackage) -> bytes:
        """What the hub sends, once it has proved to be a report; nothing when there is none."""
        path = f"/api/v1/packages/{package.package_id}/{quote(package.version, safe='')}/security-report"
        answer = self._client.ask(listing.hub + path)
        if answer.status == 404:
            raise NoAnswerError(f"{listing.hub}{path}: the hub does not know the report that it speaks of")
        report = answer.body
        try:
            if report.strip():
                read_report(report, body)
                decode(report)  # also what no build reads, since `keep_lost_results` writes it again
        except ReportError as error:
            raise NoAnswerError(f"{listing.hub}{path}: {error}") from None
        return report

    def _unscanned(self, file: Path, body: bytes) -> None:
        """The hub never scanned this version; an earlier report keeps the answer that belongs to it."""
        self._counts["unscanned"] += 1
        if file.is_file():
            message = "stale: kept as an earlier run left it, since the hub has no report of this version now"
            self._problem(file, message, level=Level.WARNING)
        else:
            write_whole(file.with_suffix(SUFFIX), body)


def _scanned(file: Path) -> int | None:
    """When the hub made the report that is here, None when there is none or not the whole pair."""
    try:
        package = read_package(file.with_suffix(SUFFIX).read_bytes())
    except (OSError, ReportError):
        return None
    return package.security_report_created_at if file.is_file() else None
