"""The command that installs a chart, as its page prints it: one that Helm accepts."""

from __future__ import annotations

import json

import pytest

from .pages import page
from .sites import SiteFolder

VERIFY = "verify: {key: https://acme.org/cosign.pub}"


@pytest.mark.parametrize(
    ("chart", "command"),
    [
        ("oci://ghcr.io/acme/charts/web", "helm install web oci://ghcr.io/acme/charts/web --version 2.0.0"),
        ("https://charts.acme.org", "helm install web web --repo https://charts.acme.org --version 2.0.0"),
        ("http://charts.acme.org/a", "helm install web web --repo http://charts.acme.org/a --version 2.0.0"),
        (
            "https://charts.acme.org/?a=1&b=2",
            "helm install web web --repo 'https://charts.acme.org/?a=1&b=2' --version 2.0.0",
        ),
    ],
)
def test_a_chart_is_installed_from_where_it_is(site: SiteFolder, chart: str, command: str) -> None:
    keys = f"category: Web\ntier: core\nlicense: MIT\nchart: '{chart}'\nversions: [2.0.0]\n{VERIFY}"
    site.page("charts/web.md", keys)
    result = site.mkdocs()
    assert not result.failed, result.logged()
    commands = page(result, "charts/web/index.html").xpath("//*[@class='catalog-pull']")
    (code,) = commands[0].xpath("./code")
    assert code.text_content() == command
    # cosign looks in OCI registries only.
    assert len(commands) == (2 if chart.startswith("oci") else 1)
    assert (json.dumps(result.json("charts/web/index.json")).count("cosign verify") > 0) is chart.startswith(
        "oci"
    )
