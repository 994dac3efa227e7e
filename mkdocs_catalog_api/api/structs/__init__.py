"""Every document of the API as a model: what the schemas are generated from, and what the gate checks.

Items derive from what authors write (`catalog.models`) and add what is computed. Fields stand in the order
of the contract; a declared field is always present, null only where its type says so.
"""

from .discovery import Badge, Discovery, Manifest, OpenApi
from .envelopes import CollectionHead, ImageItemHead, ItemHead, PageHead, SecurityIndex
from .fields import PER_PAGE, always_present
from .items import Chart, Image, RoadmapItem, Update
from .security import (
    ReleaseDocument,
    ReleaseHead,
    Rows,
    SecurityDetail,
    SecurityHead,
    SecuritySummary,
)

__all__ = [
    "PER_PAGE",
    "Badge",
    "Chart",
    "CollectionHead",
    "Discovery",
    "Image",
    "ImageItemHead",
    "ItemHead",
    "Manifest",
    "OpenApi",
    "PageHead",
    "ReleaseDocument",
    "ReleaseHead",
    "RoadmapItem",
    "Rows",
    "SecurityDetail",
    "SecurityHead",
    "SecurityIndex",
    "SecuritySummary",
    "Update",
    "always_present",
]
