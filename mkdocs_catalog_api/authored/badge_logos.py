"""Logos of badges: SVG files of the author, small and self-contained, since every badge carries its own.

Only elements and attributes that draw are let through (https://www.w3.org/TR/SVG2/eltindex.html), and of
references only those to parts of the same picture. So the text does no harm in other hands, and looks as its
author saw it wherever it is shown.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.parsers import expat

LARGEST = 32 * 1024
"""Bytes; a logo of simple-icons has one to three thousand."""
_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_XML = "http://www.w3.org/XML/1998/namespace"

_ELEMENTS = frozenset(
    {
        *("svg", "g", "defs", "symbol", "use", "title", "desc"),
        *("path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan"),
        *("linearGradient", "radialGradient", "stop", "pattern", "clipPath", "mask", "marker"),
        *("filter", "feBlend", "feColorMatrix", "feComponentTransfer", "feComposite", "feDropShadow"),
        *("feFlood", "feFuncA", "feFuncB", "feFuncG", "feFuncR", "feGaussianBlur", "feMerge", "feMergeNode"),
        *("feMorphology", "feOffset", "feTile"),
    }
)
_PROPERTIES = frozenset(
    {
        *("fill", "fill-opacity", "fill-rule", "color", "opacity", "display", "visibility", "overflow"),
        *("stroke", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin"),
        *("stroke-miterlimit", "stroke-opacity", "stroke-width", "vector-effect", "paint-order"),
        *("clip-path", "clip-rule", "mask", "mask-type", "filter", "flood-color", "flood-opacity"),
        *("marker", "marker-start", "marker-mid", "marker-end", "stop-color", "stop-opacity"),
        *("color-interpolation", "color-interpolation-filters", "color-rendering", "image-rendering"),
        *("shape-rendering", "text-rendering", "enable-background", "mix-blend-mode", "isolation"),
        *("font", "font-family", "font-size", "font-stretch", "font-style", "font-variant", "font-weight"),
        *("text-anchor", "text-decoration", "letter-spacing", "word-spacing", "line-height", "direction"),
        *("dominant-baseline", "alignment-baseline", "baseline-shift", "writing-mode", "white-space"),
        *("transform", "transform-origin", "transform-box"),
    }
)
"""What an attribute and a declaration of `style` may set."""
_ATTRIBUTES = _PROPERTIES | {
    *("id", "class", "style", "role", "focusable", "lang", "version", "baseProfile", "tabindex"),
    *("viewBox", "preserveAspectRatio", "width", "height", "x", "y", "x1", "y1", "x2", "y2", "dx", "dy"),
    *("cx", "cy", "r", "rx", "ry", "fx", "fy", "fr", "d", "points", "pathLength", "rotate"),
    *("offset", "gradientUnits", "gradientTransform", "spreadMethod", "textLength", "lengthAdjust"),
    *("patternUnits", "patternContentUnits", "patternTransform", "clipPathUnits", "maskUnits"),
    *("maskContentUnits", "markerUnits", "markerWidth", "markerHeight", "orient", "refX", "refY"),
    *("filterUnits", "primitiveUnits", "in", "in2", "result", "mode", "operator", "type", "values"),
    *("k1", "k2", "k3", "k4", "stdDeviation", "edgeMode", "radius", "tableValues", "slope", "intercept"),
    *("amplitude", "exponent", "href"),
    *(f"{_XLINK} href", f"{_XML} space", f"{_XML} lang"),
}
_UNSEEN = re.compile("(font|text|solid|-inkscape)-[a-z-]+")
"""More of what Inkscape writes into `style`."""
_HARMLESS = re.compile("(data|aria)-[a-z0-9-]+")
_HERE = re.compile(r"#[^\s\"'()\\]+")
_URL = re.compile(rf"url\(\s*([\"']?){_HERE.pattern}\1\s*\)", re.IGNORECASE)
_FUNCTION = re.compile(r"([^\s,;:()\"']*)\s*\(")
_FUNCTIONS = frozenset(
    {
        *("rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch", "calc"),
        *("matrix", "translate", "translatex", "translatey", "scale", "scalex", "scaley", "rotate"),
        *("skewx", "skewy", "blur", "drop-shadow"),
    }
)


def read_logo(path: Path) -> str:
    """The text of an SVG file.

    Raises:
        OSError: the file can't be read.
        ValueError: it is no SVG, too large, or not self-contained, in words that follow its name.
    """
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"is larger than {LARGEST // 1024} KiB, which every view of the badge would load")
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8") from None
    reader = _Reader()
    parser = expat.ParserCreate("utf-8", namespace_separator=" ")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.StartDoctypeDeclHandler = _doctype
    parser.ProcessingInstructionHandler = _instruction
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise ValueError(f"is no SVG: {error}") from None
    reader.finish()
    return text


def _doctype(*_: object) -> None:
    raise ValueError("has a DOCTYPE; save it without")


def _instruction(name: str, _data: str) -> None:
    raise ValueError(f"has the processing instruction <?{name[:40]}?>, which no badge follows")


class _Reader:
    """Looks at one element after the other."""

    def __init__(self) -> None:
        self._open: list[str] = []  # ids of the elements around, "" of those without
        self._used: set[str] = set()
        self._using: set[str] = set()

    def start(self, name: str, attributes: dict[str, str]) -> None:
        namespace, _, tag = name.rpartition(" ")
        if not self._open and (namespace, tag) != (_SVG, "svg"):
            raise ValueError(f'begins with <{tag[:40]}> instead of <svg xmlns="{_SVG}">')
        if namespace != _SVG or tag not in _ELEMENTS:
            raise ValueError(f"has a <{tag[:40]}>, which no badge shows")
        for key, value in attributes.items():
            _check_attribute(key, value)
        self._open.append(attributes.get("id", ""))
        if tag == "use":
            self._used.update(attributes[key][1:] for key in ("href", f"{_XLINK} href") if key in attributes)
            self._using.update(self._open)

    def end(self, _name: str) -> None:
        self._open.pop()

    def finish(self) -> None:
        """Refuse copies of copies: a few lines of them make billions of shapes."""
        for name in sorted((self._used & self._using) - {""}):
            raise ValueError(f"has a <use> of {name[:40]!r}, which holds a <use> itself; draw it once")


def _check_attribute(key: str, value: str) -> None:
    shown = key.rpartition(" ")[2][:40]
    if shown.lower().startswith("on"):
        raise ValueError(f"has the event handler {shown.lower()!r}, which no badge runs")
    if key not in _ATTRIBUTES and not _HARMLESS.fullmatch(key):
        raise ValueError(f"has the attribute {shown!r}, which draws nothing")
    if shown == "href":
        if not _HERE.fullmatch(value):
            raise ValueError(f"refers to {value[:80]!r}, which no badge loads")
    elif key == "style":
        for declaration in filter(None, map(str.strip, value.split(";"))):
            name, _, content = declaration.partition(":")
            name = name.strip().lower()
            if name not in _PROPERTIES and not _UNSEEN.fullmatch(name):
                raise ValueError(f"has the style {name[:40]!r}, which draws nothing")
            _check_content(content)
    elif key in _PROPERTIES:
        _check_content(value)


def _check_content(text: str) -> None:
    """Values of properties are CSS, where a function may load a file and a backslash may hide its name."""
    if "\\" in text or "/*" in text:
        raise ValueError(f"has the value {text[:80]!r}; write it without escapes and comments")
    for function in _FUNCTION.findall(_URL.sub("", text)):
        if function.lower() not in _FUNCTIONS:
            raise ValueError(f"refers to {text.strip()[:80]!r}, which no badge loads")
