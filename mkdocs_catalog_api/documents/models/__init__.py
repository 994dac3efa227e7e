"""Every document of the API as a model: what the schemas are generated from, and what the gate checks.

Items derive from what authors write (`catalog.models`) and add what is computed. Fields stand in the order
of the contract; a declared field is always present, null only where its type says so.
"""

from .discovery import Badge, Discovery, Manifest, OpenApi
from .envelopes import CollectionHead, ImageItemHead, ItemHead, PageHead, SecurityIndex
from .fields import PER_PAGE, always_present
from .items import Chart, ChartSecurity, Image, ImageSecurity, RoadmapItem, Update
from .security import (
    Release,
    ReleaseDocument,
    SecurityDetail,
    SecurityHead,
    SecurityIndexEntry,
    SecuritySummary,
    SummaryEntry,
)

__all__ = [
    "PER_PAGE",
    "Badge",
    "Chart",
    "ChartSecurity",
    "CollectionHead",
    "Discovery",
    "Image",
    "ImageItemHead",
    "ImageSecurity",
    "ItemHead",
    "Manifest",
    "OpenApi",
    "PageHead",
    "Release",
    "ReleaseDocument",
    "RoadmapItem",
    "SecurityDetail",
    "SecurityHead",
    "SecurityIndex",
    "SecurityIndexEntry",
    "SecuritySummary",
    "SummaryEntry",
    "Update",
    "always_present",
]
