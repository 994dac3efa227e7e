"""How likely is it that this is exploited? The EPSS scores of the catalog's ids, which change every day."""

from typing import Annotated, Literal

from msgspec import Meta

from ..catalog.published import ApiVersion, Counter, Document, Text
from ..catalog.value import Catalog
from .kinds import Documents, Kind, Route

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


def _documents(catalog: Catalog) -> Documents:
    scores = catalog.scores
    if scores is not None:
        data = [
            EpssScore(id_, float(score.epss), float(score.percentile))
            for id_, score in sorted(scores.by_id.items())
        ]
        yield _PATH, EpssDocument("v1", "epss", scores.score_date, scores.model_version, len(data), data)


EPSS = Kind(
    "epss",
    routes=(
        Route(
            _PATH,
            "getEpss",
            "lookups",
            "How likely each vulnerability is exploited",
            "The scores of the Exploit Prediction Scoring System for the ids of the catalog. They change "
            "every day, so no other document has them. Absent if the catalog has no file of scores.",
            EpssDocument,
            goes_with="contents",
        ),
    ),
    documents=_documents,
    needs=lambda catalog, settings: catalog.scores is not None,
    addresses={"epss": _PATH},
)
