"""How likely is it that this is exploited? The EPSS scores of the catalog's ids, which change every day."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from msgspec import Meta

from ...catalog.join import Image
from ...catalog.pins import Pin
from ...catalog.published import ApiVersion, Counter, Document, Text
from ..routes import Route
from ..security import Assessed
from ..structs.security import Release
from .lookup import Documents, Lookup, Source

_PATH = "epss.json"
Share = Annotated[float, Meta(ge=0, le=1)]


class EpssScore(Document):
    """The score of one vulnerability."""

    id: Annotated[Text, Meta(description="CVE id.")]
    epss: Annotated[Share, Meta(description="Probability that it is exploited within 30 days.")]
    percentile: Annotated[Share, Meta(description="Share of all vulnerabilities with this score or a lower.")]


class EpssDocument(Document):
    """The scores of one day for the ids of the catalog."""

    api_version: ApiVersion
    resource: Annotated[Literal["epss"], Meta(description="Name of the resource.")]
    score_date: Annotated[
        str,
        Meta(
            pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
            description="Day of the scores.",
            extra_json_schema={"format": "date"},
        ),
    ]
    model_version: Annotated[Text, Meta(description="Version of the model that made them.")]
    total: Annotated[Counter, Meta(description="Number of ids that have a score.")]
    data: Annotated[list[EpssScore], Meta(description="A score for each, by id.")]

    def faults(self) -> Iterator[str]:
        ids = [score.id for score in self.data]
        if self.total != len(ids):
            yield f"data: {len(ids)} scores, where total says {self.total}"
        if ids != sorted({*ids}):
            yield "data is not in the order of the ids"


class EpssScores(Lookup):
    """One document, when there is a file of scores."""

    addresses = {"epss": _PATH}
    routes = (
        Route(
            _PATH,
            "getEpss",
            "lookups",
            "How likely each vulnerability is exploited",
            "The scores of the Exploit Prediction Scoring System for the ids of the catalog. They change "
            "every day, so they stand here alone. Absent when the catalog has no file of them.",
            EpssDocument,
        ),
    )

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._scores = source.scores
        self._ids: set[str] = set()

    def image(self, image: Image, records: Sequence[Release]) -> Documents:
        for found in records:
            self._ids.update([row.id for row in (*(found.cves or ()), *(found.suppressed or ()))])
        return ()

    def outside(self, pin: Pin, found: Assessed) -> None:
        self._ids.update([row.id for row in (*found.rows, *found.suppressed)])

    def end(self) -> Documents:
        assert self._scores is not None  # noqa: S101  # else nobody would ask
        data = [
            EpssScore(id_, float(score.epss), float(score.percentile))
            for id_, score in sorted(self._scores.of(self._ids).items())
        ]
        day, model = self._scores.score_date, self._scores.model_version
        yield _PATH, EpssDocument("v1", "epss", day, model, len(data), data)
