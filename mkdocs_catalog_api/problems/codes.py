"""Every kind of problem, with its permanent code: no release reuses a code for another kind."""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """A kind of problem: its code. The guide's page about messages has a row for each.

    A new kind gets the next free number in its group of ten.
    """

    # Files
    SYNTAX = "CAT001"
    NOT_READ = "CAT002"

    # Items
    UNKNOWN_FIELD = "CAT010"
    MISSING_FIELD = "CAT011"
    WRONG_VALUE = "CAT012"
    TWICE = "CAT013"
    NEWEST = "CAT014"
    PAGE = "CAT015"

    # Settings
    SETTING = "CAT020"
    MISSING_PATH = "CAT021"
    PLUGINS = "CAT023"

    # Reports
    BROKEN_REPORT = "CAT030"
    UNMATCHED_REPORT = "CAT031"
    PASSED_OVER = "CAT033"
    SCAN_AGE = "CAT035"
    IN_PART = "CAT036"
    END_OF_LIFE = "CAT037"
    PIN = "CAT038"
    DOUBTFUL_FINDINGS = "CAT039"

    # VEX statements and advisories
    STATEMENT = "CAT041"

    # History
    HISTORY = "CAT050"

    # Web pages
    MARKER = "CAT060"

    # Publication
    IN_THE_WAY = "CAT070"
    NOT_WRITTEN = "CAT071"
    HEADER_FILE = "CAT073"

    # Network
    NOT_FETCHED = "CAT080"
    REGISTRY = "CAT083"
    MOVED_TAG = "CAT084"
