"""The styles of badges from the settings, with the content of their logos."""

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
    """Return the style of each badge in the settings, with the content of its logo."""
    images = [image.entry for image in catalog.images]
    charts = [chart.entry for chart in catalog.charts]
    names = {*badges.FIXED, *([badges.EXPLOITED] if catalog.exploited is not None else [])}
    for name, value, kind in badges.value_badges(images, charts):
        if name in names:
            message = f"the {kind} {value!r} has the same badge name as another value: {name!r}"
            problems.add(
                Problem(
                    "",
                    0,
                    0,
                    kind,
                    message,
                    "use one spelling for both, or rename one of them",
                    code=Code.TWICE,
                )
            )
        names.add(name)
    styles: dict[str, BadgeStyle] = {}
    for name, style in settings.badges.items():
        if name not in names:
            hint = suggestion(name, sorted(names), "use one of")
            message = f"unknown badge {name!r}"
            problems.add(
                site.config.problem(("badges", name), message, hint, Level.WARNING, code=Code.SETTING)
            )
        svg, logo = None, style.logo
        if logo is not None and not _SIMPLE_ICON.fullmatch(logo):
            svg, logo = _svg(site, name, logo, problems), None
        styles[name] = BadgeStyle(style.label, style.color, style.label_color, logo, svg, style.logo_color)
    return styles


def _svg(site: Site, name: str, logo: str, problems: Problems) -> str | None:
    """Return the content of a logo in docs_dir."""

    message = f"{logo!r} is neither a simple-icons slug nor an SVG file in docs_dir"
    hint = "for example assets/wolfi.svg"
    try:
        path = site.docs_dir / logo
        if path.suffix == ".svg" and path.is_file() and not leads_out(path, [site.docs_dir]):
            hint = "save it as a plain SVG with one picture"
            return read_logo(path)
    except OSError as error:
        message = f"{logo!r} can't be read: {reason(error)}"
    except ValueError as why:
        if "\0" not in logo:
            message = f"{logo!r} {why}"
    problems.add(site.config.problem(("badges", name, "logo"), message, hint, code=Code.SETTING))
    return None
