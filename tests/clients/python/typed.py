"""A strictly typed program that uses a client of openapi-python-client."""

from client.models.grade import Grade  # type: ignore[import-not-found,unused-ignore]
from client.models.security_detail import SecurityDetail  # type: ignore[import-not-found,unused-ignore]


def grade(detail: SecurityDetail) -> Grade | None:
    """The grade of the newest version."""
    return detail.latest.grade


assert {grade.name for grade in Grade} == {"A_PLUS", "A", "B", "C", "D", "F"}
