"""What the settings say about badges, their logos read from the site's files."""

from __future__ import annotations

import re

from ..authored.badge_logos import read_logo
from ..authored.folders import leads_out
from ..authored.messages import suggestion
from ..authored.settings import Settings
from ..authored.site import Site
from ..catalog import badges
from ..catalog.badges import BadgeStyle
from ..catalog.value import Catalog
from ..problems import Level, Problem, Problems, reason
from ..problems.codes import Code

_SIMPLE_ICON = re.compile(r"[a-z0-9]+")


def read_badge_styles(
    site: Site, settings: Settings, catalog: Catalog, problems: Problems
) -> dict[str, BadgeStyle]:
    """The style of each badge that the settings name, its logo read from its file."""
    images = [image.entry for image in catalog.images]
    charts = [chart.entry for chart in catalog.charts]
    names = {*badges.FIXED, *([badges.EXPLOITED] if catalog.exploited is not None else [])}
    for name, value, kind in badges.value_badges(images, charts):
        if name in names:
            message = f"the {kind} {value!r} would take the badge name {name!r} of another value"
            problems.add(
                Problem(
                    "", 0, 0, kind, message, "write both alike, or one of them another way", code=Code.TWICE
                )
            )
        names.add(name)
    styles: dict[str, BadgeStyle] = {}
    for name, style in settings.badges.items():
        if name not in names:
            hint = suggestion(name, sorted(names), "the badges are")
            message = f"no badge is called {name!r}"
            problems.add(
                site.config.problem(("badges", name), message, hint, Level.WARNING, code=Code.SETTING)
            )
        svg, logo = None, style.logo
        if logo is not None and not _SIMPLE_ICON.fullmatch(logo):
            svg, logo = _svg(site, name, logo, problems), None
        styles[name] = BadgeStyle(style.label, style.color, style.label_color, logo, svg, style.logo_color)
    return styles


def _svg(site: Site, name: str, logo: str, problems: Problems) -> str | None:
    """The content of a logo's file below docs_dir."""

    message = f"{logo!r} is neither a simple-icons slug nor an SVG file below docs_dir"
    hint = "as in assets/wolfi.svg"
    try:
        path = site.docs_dir / logo
        if path.suffix == ".svg" and path.is_file() and not leads_out(path, [site.docs_dir]):
            hint = "save it as a plain SVG of one picture"
            return read_logo(path)
    except OSError as error:
        message = f"{logo!r} can't be read: {reason(error)}"
    except ValueError as why:
        if "\0" not in logo:
            message = f"{logo!r} {why}"
    problems.add(site.config.problem(("badges", name, "logo"), message, hint, code=Code.LOGO))
    return None
