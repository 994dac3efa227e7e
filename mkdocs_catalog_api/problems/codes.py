"""Every kind of problem, with its permanent code: no release reuses a code for another kind."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Code(StrEnum):
    """A kind of problem: its code, and what the guide's table says of it.

    A new kind gets the next free number in its group of ten.
    """

    meaning: str

    def __new__(cls, code: str, meaning: str) -> Self:
        member = str.__new__(cls, code)
        member._value_, member.meaning = code, meaning
        return member

    # Files
    SYNTAX = "CAT001", "invalid YAML or TOML in front matter, settings or a data file"
    NOT_READ = "CAT002", "a file or folder can't be read, or is not safe"

    # Items
    UNKNOWN_FIELD = "CAT010", "an unknown, misspelled or computed field, or keys that are not fields"
    MISSING_FIELD = "CAT011", "a required field is missing, or images have no reference"
    WRONG_VALUE = "CAT012", "a value has the wrong form, or is not allowed"
    TWICE = "CAT013", "the same slug, version, tag, update or badge twice"
    NEWEST = "CAT014", "the newest version, a line or a variant is not certain"
    PAGE = "CAT015", "no items, or a page and its item don't match"

    # Settings
    SETTING = "CAT020", "a setting is unknown or invalid"
    MISSING_PATH = "CAT021", "a file or folder is missing, or in the wrong place"
    PLUGINS = "CAT023", "MkDocs or another plugin prevents reading the site"

    # Reports
    BROKEN_REPORT = "CAT030", "a report is damaged, of another format, or missing"
    UNMATCHED_REPORT = "CAT031", "a report belongs to no version, or contradicts its path"
    PASSED_OVER = "CAT033", "a report is not used, because of another one or your settings"
    SCAN_AGE = "CAT035", "a scan is old, missing or undated, or none is surely newer"
    IN_PART = "CAT036", "a scan covers only a part, or leaves vulnerabilities out"
    END_OF_LIFE = "CAT037", "the image's operating system gets no more advisories"
    PIN = "CAT038", "a chart pins another image's digest, or an unknown version"
    DOUBTFUL_FINDINGS = "CAT039", "findings of unknown severity, or that the scanner ignores"

    # VEX statements and advisories
    STATEMENT = "CAT041", "a VEX document or statement is not used, or matches nothing"

    # History
    HISTORY = "CAT050", "a recorded day is damaged, can't be recorded, or shows no fixes"

    # Web pages
    MARKER = "CAT060", "an error in a marker, a template or translated words"

    # Publication
    IN_THE_WAY = "CAT070", "a file that no build wrote is in the way"
    NOT_WRITTEN = "CAT071", "the output can't be written"
    HEADER_FILE = "CAT073", "your header file is left alone, or hosts accept fewer files"

    # Network
    NOT_FETCHED = "CAT080", "a hub or publisher of advisories sent no usable answer"
    REGISTRY = "CAT083", "a registry sent no usable answer, or lacks a version"
    MOVED_TAG = "CAT084", "a registry has another digest or reference than the page"
