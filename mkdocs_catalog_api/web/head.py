"""What search engines and chats read of an item's page: OpenGraph (https://ogp.me) and schema.org."""

from __future__ import annotations

from typing import Any

import msgspec
from markupsafe import escape

from .render import Place


def described(data: Any, place: Place, html: str) -> str:
    """Elements for the head of the page of an item, published as `data`, which so far is `html`.

    Those of OpenGraph are left out if the page has its own.
    """
    address = place.absolute(data.url) if data.url else None
    made = ""
    if 'property="og:title"' not in html:
        told = {"type": "website", "title": data.name, "description": data.description, "url": address}
        made = "".join(
            f'<meta property="og:{name}" content="{escape(text)}">' for name, text in told.items() if text
        )
    about = {
        "@context": "https://schema.org",
        "@type": "SoftwareApplication",
        "name": data.name,
        "description": data.description,
        "applicationCategory": data.category,
        "softwareVersion": getattr(data, "latest", None),
        "license": data.license,
        "url": address,
        "sameAs": data.homepage,
    }
    text = msgspec.json.encode({name: value for name, value in about.items() if value}).decode()
    # A text that closes the element or opens a comment would end it early.
    return made + f'<script type="application/ld+json">{text.replace("<", chr(92) + "u003c")}</script>'
