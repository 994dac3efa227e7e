"""Logos of badges: what draws is let through, and nothing that could run, load or refer to anything else."""

# ruff: noqa: E501  # markup is given as programs write it

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.authored.badge_logos import read_logo

HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 24 24"'
)

GOOD = {
    "simple-icons": '<svg role="img" viewBox="0 0 24 24" xmlns="http://www.w3.org/2000/svg"><title>NGINX</title>'
    '<path d="M12 0L1.605 6v12L12 24l10.395-6V6L12 0zm6 16.59c0 .705-.646 1.29-1.529 1.29"/></svg>',
    "gradient": f'{HEAD} width="24" height="24"><defs><linearGradient id="a" x1="0" y1="0" x2="1" y2="1" '
    'gradientUnits="objectBoundingBox" gradientTransform="rotate(45 .5 .5)"><stop offset="0" stop-color="#f00"/>'
    '<stop offset="100%" style="stop-color:rgb(0,0,255);stop-opacity:.5"/></linearGradient>'
    '<radialGradient id="b" cx=".5" cy=".5" r=".5" fx=".4" xlink:href="#a" spreadMethod="pad"/></defs>'
    '<rect width="24" height="24" rx="4" fill="url(#a)"/><circle cx="12" cy="12" r="8" fill="url(\'#b\')"/></svg>',
    "clip path": f'{HEAD}><defs><clipPath id="c" clipPathUnits="userSpaceOnUse"><path d="M0 0h24v24z"/></clipPath>'
    '<mask id="m" maskUnits="userSpaceOnUse"><ellipse cx="1" cy="1" rx="1" ry="2" fill="#fff"/></mask></defs>'
    '<g clip-path="url(#c)" mask="url(#m)"><polygon points="1,2 3,4 5,6" fill-rule="evenodd"/></g></svg>',
    "use": f'{HEAD}><symbol id="s" viewBox="0 0 1 1"><path d="M0 0h1"/></symbol><g id="g"><path d="M0 1h1"/></g>'
    '<use href="#s" x="1" y="2" width="3" height="4"/><use xlink:href="#g" transform="translate(1 2)"/></svg>',
    "Illustrator": f'<?xml version="1.0" encoding="utf-8"?>\n<!-- Generator -->\n{HEAD} version="1.1" '
    'id="Layer_1" data-name="Layer 1" x="0px" y="0px" style="enable-background:new 0 0 24 24;" '
    'xml:space="preserve"><g id="XMLID_1_" class="st0"><path style="fill:#326CE5; stroke-width:.5;" d="M0 0"/>'
    "</g></svg>",
    "plain Inkscape": f'{HEAD} version="1.1" id="svg5"><defs id="defs2"/><g id="layer1" '
    'transform="matrix(1,0,0,1,-3.2,4)"><path style="color:#000000;fill:none;stroke:#4d4d4d;stroke-width:2;'
    'stroke-linecap:round;stroke-dasharray:none;-inkscape-stroke:none;paint-order:stroke fill" '
    'd="m 3,4 5,6"/></g></svg>',
    "shadow": f'{HEAD}><filter id="f" x="-1" y="-1" width="3" height="3"><feGaussianBlur in="SourceAlpha" '
    'stdDeviation="2"/><feOffset dx="1" dy="1" result="o"/><feMerge><feMergeNode in="o"/></feMerge></filter>'
    '<text x="1" y="2" font-family="\'DejaVu Sans\', sans-serif" font-size="4" filter="url(#f)">A&amp;B</text></svg>',
    "style sheet of Illustrator": f"{HEAD}><style>.st0 {{ fill: url(#a) }}</style><path class='st0' d='M0 0'/></svg>",
    "Inkscape": f'{HEAD} xmlns:i="http://www.inkscape.org/namespaces/inkscape" i:version="1.3"><metadata/>'
    '<i:grid type="xygrid"/><path d="M0 0"/></svg>',
    "accessible": f'{HEAD} aria-hidden="true" focusable="false"><desc>It says url(https://a.example)</desc></svg>',
}

ATTACKS = {
    "script": "<script>alert(1)</script>",
    "script of another letter case": "<SCRIPT/>",
    "script of XHTML": '<script xmlns="http://www.w3.org/1999/xhtml" src="//e.example"/>',
    "HTML": '<img xmlns="http://www.w3.org/1999/xhtml" src="//e.example"/>',
    "foreign object": "<foreignObject><p>x</p></foreignObject>",
    "style sheet": "<style>@import url(//e.example/a.css);</style>",
    "link": '<a href="javascript:alert(1)"><path d="M0 0"/></a>',
    "image": '<image href="https://e.example/a.png"/>',
    "image in it": '<image href="data:image/svg+xml;base64,PHN2Zz4="/>',
    "filter of an image": '<filter id="f"><feImage href="//e.example/a"/></filter>',
    "animated link": '<animate attributeName="href" values="//e.example"/>',
    "set": '<set attributeName="onload" to="alert(1)"/>',
    "animated motion": "<animateMotion/>",
    "animated transform": '<animateTransform begin="click"/>',
    "handler": '<path onload="alert(1)"/>',
    "handler of another letter case": '<g OnClick="x"/>',
    "use of a file": '<use href="https://e.example/a.svg#b"/>',
    "use of data": '<use xlink:href="data:image/svg+xml,x#a"/>',
    "use of a neighbour": '<use href="other.svg#a"/>',
    "javascript": '<use href=" javascript:alert(1)"/>',
    "gradient of a file": '<linearGradient xlink:href="//e.example/a#b"/>',
    "another base": '<g xml:base="https://e.example/"/>',
    "fill from outside": '<path fill="url(https://e.example/a#b)"/>',
    "fill from outside, quoted": "<path fill=\"URL( '//e.example/a#b' )\"/>",
    "fill that ends in a part": '<path fill="url(#a) url(//e.example)"/>',
    "mask from outside": '<path mask="url(//e.example/m.svg#m)"/>',
    "style that loads": '<path style="fill:url(//e.example)"/>',
    "style that loads by another function": "<path style=\"mask:image-set('//e.example/a.png' 1x)\"/>",
    "style sheet that loads": "<style>path { fill: url(//e.example/a#b) }</style>",
    "style that imports": "<path style=\"@import '//e.example'\"/>",
    "style with an escape": r'<path style="fill:u\72l(//e.example)"/>',
    "cursor": '<path cursor="url(//e.example/c.png),auto"/>',
    "fetching attribute": '<path src="//e.example"/>',
    "other namespace": '<path xmlns:x="urn:x" x:href="//e.example"/>',
    "instruction": '<?xml-stylesheet href="//e.example/a.css"?>',
}
WHOLE = {
    "entities": '<!DOCTYPE svg [<!ENTITY x "y">]><svg xmlns="http://www.w3.org/2000/svg">&x;</svg>',
    "external entity": '<!DOCTYPE svg SYSTEM "file:///etc/passwd">' + HEAD + "/>",
    "instruction before": '<?xml-stylesheet href="a.css"?>' + HEAD + "/>",
    "handler of the picture": f'{HEAD} onload="alert(1)"/>',
    "undefined entity": f"{HEAD}>&x;</svg>",
    "two pictures": f"{HEAD}/>{HEAD}/>",
}


@pytest.fixture
def logo(tmp_path: Path) -> Path:
    return tmp_path / "logo.svg"


@pytest.mark.parametrize("name", GOOD)
def test_pictures_as_programs_write_them_are_let_through(logo: Path, name: str) -> None:
    logo.write_text(GOOD[name], "utf-8")
    assert read_logo(logo) == GOOD[name]


@pytest.mark.parametrize("text", [*(f"{HEAD}>{inner}</svg>" for inner in ATTACKS.values()), *WHOLE.values()])
def test_what_could_run_load_or_refer_elsewhere_is_refused(logo: Path, text: str) -> None:
    logo.write_text(text, "utf-8")
    with pytest.raises(ValueError):
        read_logo(logo)


@given(st.text("url(#a)\"' ;:/*\\@imagexprs-.", max_size=24))
def test_no_style_names_another_document(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    logo = tmp_path_factory.getbasetemp() / "logo.svg"
    quoted = text.replace('"', "&quot;")
    logo.write_text(f'{HEAD}><path style="fill:{quoted}"/></svg>', "utf-8")
    try:
        read_logo(logo)
    except ValueError:
        return
    squeezed = re.sub(r"\s*\(\s*", "(", text.lower())
    assert "\\" not in squeezed
    assert "image(" not in squeezed
    assert squeezed.count("url(") == sum(squeezed.count(f"url({quote}#") for quote in ("", "'", '"'))
