"""The author's statements for other people's scanners: OpenVEX v0.2.0, https://github.com/openvex/spec.

As in badges, what does not apply is absent, never null: the format knows none.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, field

from ...catalog.published import Document, Text, Timestamp
from ...catalog.statements import JustificationWord, StatusWord
from ...catalog.vulnerabilities import vocabulary

VexStatus = Annotated[StatusWord, vocabulary("VexStatus", StatusWord)]
VexJustification = Annotated[JustificationWord, vocabulary("VexJustification", JustificationWord)]


class VexVulnerability(Document):
    """What a statement is about."""

    name: Annotated[Text, Meta(description="CVE id, else the advisory's id.")]
    aliases: Annotated[list[Text], Meta(description="Its other ids.")]


class VexPackage(Document):
    """A package in an image."""

    id: Annotated[Text, Meta(description="Package URL, or the package's name.")] = field(name="@id")


class VexProduct(Document, kw_only=True):
    """One release of the image."""

    id: Annotated[Text, Meta(description="Package URL with the digest of the release.")] = field(name="@id")
    subcomponents: Annotated[
        Annotated[list[VexPackage], Meta(min_length=1)] | UnsetType,
        Meta(description="The packages that are meant; all of the image where this is absent."),
    ] = UNSET


class VexStatement(Document, kw_only=True):
    """What is said of one vulnerability in some releases."""

    vulnerability: Annotated[VexVulnerability, Meta(description="What the statement is about.")]
    timestamp: Annotated[Timestamp, Meta(description="When it was said.")]
    products: Annotated[list[VexProduct], Meta(min_length=1, description="The releases that are meant.")]
    status: Annotated[VexStatus, Meta(description="What is said of them.")]
    justification: Annotated[VexJustification | UnsetType, Meta(description="Why they are not affected.")] = (
        UNSET
    )
    impact_statement: Annotated[Text | UnsetType, Meta(description="The same in words.")] = field(
        name="impact_statement", default=UNSET
    )
    action_statement: Annotated[Text | UnsetType, Meta(description="What to do about it.")] = field(
        name="action_statement", default=UNSET
    )


class ImageVex(Document, kw_only=True):
    """What the author says about vulnerabilities in the releases of one image."""

    context: Annotated[Literal["https://openvex.dev/ns/v0.2.0"], Meta(description="The format.")] = field(
        name="@context"
    )
    id: Annotated[Text, Meta(description="Address of the document.")] = field(name="@id")
    author: Annotated[Text, Meta(description="Who says it.")]
    timestamp: Annotated[Timestamp, Meta(description="When the newest statement was made.")]
    version: Annotated[Literal[1], Meta(description="Always 1: `timestamp` tells what is newer.")]
    statements: Annotated[list[VexStatement], Meta(min_length=1, description="The oldest first.")]
