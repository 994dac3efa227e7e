"""Items: what is not known, defaults for some pages, descriptions, what replaces what."""

from __future__ import annotations

import pytest

from .authors import told
from .sites import SiteFolder, built, rendered, trivy
from .test_web import page, words


def test_nothing_but_a_name_is_needed(site: SiteFolder) -> None:
    site.page("images/a.md", "versions: ['1']", "# The A")
    site.page("images/b.md", "license: NOASSERTION\ncategory: []")
    site.page("charts/c.md", "title: C")
    site.page("roadmap/d.md", "")
    site.write("docs/index.md", "# Home\n\n<!-- catalog: images -->\n\n<!-- catalog: security -->\n\n"
               "<!-- catalog: badges -->\n")  # fmt: skip
    site.report("a/1.json", trivy([], tag="registry.example.org/hardened/a:1"))
    result = rendered(site, strict=True)
    image, other = result.json("images.json")["data"]
    assert (image["name"], image["category"], image["categories"], image["tier"], image["license"]) == (
        "The A", None, [], None, None,
    )  # fmt: skip
    assert (other["license"], other["category"]) == ("NOASSERTION", None)
    assert result.json("charts/c/index.json")["data"]["license"] is None
    assert result.json("images/index.json")["data"][0]["tier"] is None
    assert result.json("badge/license.json")["message"] == "NOASSERTION"
    html = page(result, "images/a/index.html")
    assert "null" not in words(html) and "None" not in words(html).replace("None known in 1.", "")
    assert not {"Category", "Tier", "License"} & {words(label) for label in html.xpath(".//dt")}


def test_filters_have_the_known_values_only(site: SiteFolder) -> None:
    for number in range(6):
        site.page(f"images/a{number}.md", "" if number else "tier: core\ncategory: Web")
    site.page("images/b.md", "tier: edge\ncategory: Tools")
    site.write("docs/index.md", "# Home\n\n<!-- catalog: images -->\n")
    html = page(rendered(site), "index.html")
    for name, values in (("tier", ["core", "edge"]), ("category", ["Tools", "Web"])):
        assert html.xpath(f".//form//input[@name='{name}']/@value") == values


def test_defaults_of_some_pages(site: SiteFolder) -> None:
    site.settings["images"] = {
        "defaults": [
            {"values": {"tier": "standard", "license": "MIT"}},
            {"pages": "images/old/**", "values": {"lifecycle": "deprecated", "tier": "low"}},
            {"pages": ["images/old/b.md"], "values": {"tier": "none"}},
        ]
    }
    for path in ("a", "old/a2", "old/b", "old/c"):
        site.page(f"images/{path}.md", "lifecycle: withdrawn" if path == "old/c" else "")
    site.page("other/e.md", "title: E")
    site.write("docs/index.md", "# Home\\n")
    site.write("images.yml", "- name: d\n- {name: e, page: other/e.md}\n")
    found = {
        image["slug"]: (image["tier"], image["lifecycle"], image["license"])
        for image in built(site).json("images.json")["data"]
    }
    assert found == {
        "a": ("standard", "available", "MIT"),
        "a2": ("low", "deprecated", "MIT"),
        "b": ("none", "deprecated", "MIT"),
        "c": ("low", "withdrawn", "MIT"),
        "d": ("standard", "available", "MIT"),
        "e": ("standard", "available", "MIT"),
    }


MARKDOWN = "A **fast** [web _server_](https://nginx.org) with `a<b>` & [no](javascript:x)"
PLAIN = "A fast web server with a<b> & no"


@pytest.fixture
def described(site: SiteFolder) -> SiteFolder:
    site.page("images/nginx.md", f"description: '{MARKDOWN}'\nversions: ['1']", "# NGINX\n\nText.")
    site.config["theme"] = {"name": "material"}
    return site


def test_a_description_is_plain_text_in_documents_and_meta_elements(described: SiteFolder) -> None:
    result = rendered(described)
    for document in ("images/nginx/index.json", "images.json", "images/index.json"):
        data = result.json(document)["data"]
        assert (data if isinstance(data, dict) else data[0])["description"] == PLAIN
    html = page(result, "images/nginx/index.html")
    assert html.xpath("//meta[@name='description']/@content") == [PLAIN]
    assert html.xpath("//meta[@property='og:description']/@content") == [PLAIN]


def test_a_description_is_rendered_on_its_page(described: SiteFolder) -> None:
    (lead,) = page(rendered(described), "images/nginx/index.html").find_class("catalog-lead")
    assert words(lead) == PLAIN
    assert lead.xpath(".//a/@href") == ["https://nginx.org"]
    assert [element.tag for element in lead.iter()][1:] == ["strong", "a", "em", "code"]


def test_a_description_that_the_text_has_is_not_repeated(described: SiteFolder) -> None:
    described.page(
        "images/nginx.md",
        "description: 'A **fast** [server](https://nginx.org).'",
        "# NGINX\n\nA *fast* [server](https://example.org/). More text.",
    )
    assert page(rendered(described), "images/nginx/index.html").find_class("catalog-lead") == []


def test_what_an_item_replaces_and_what_replaces_it(site: SiteFolder) -> None:
    site.page("images/nginx.md", "replaces: [nginx, docker.io/bitnami/nginx]\nversions: ['1']", "# Nginx")
    site.page("images/old.md", "replacedBy: nginx\nlifecycle: deprecated\nversions: ['1']")
    site.page("charts/old.md", "replacedBy: web\nlifecycle: deprecated\nversions: ['1.0.0']")
    site.page("charts/web.md", "versions: ['1.0.0']", "# The web")
    result = rendered(site)
    names = ["docker.io/library/nginx", "docker.io/bitnami/nginx"]
    assert result.json("images/nginx/index.json")["data"]["replaces"] == names
    assert result.json("images/old/index.json")["data"]["replacedBy"] == "nginx"
    assert result.json("charts/old/index.json")["data"]["replacedBy"] == "web"
    assert result.json("search.json")["data"][0]["replaces"] == names
    assert "Replaces " + ", ".join(names) in words(page(result, "images/nginx/index.html"))
    for path, name in (("images/old", "Nginx"), ("charts/old", "The web")):
        (answer,) = page(result, f"{path}/index.html").find_class("catalog-answer")
        assert f"Use {name} instead." in words(answer)


def test_an_item_is_replaced_by_another_one(site: SiteFolder) -> None:
    site.page("images/nginx.md", "replacedBy: nginx")
    site.page("images/old.md", "replacedBy: ngnix")
    site.page("images/tagged.md", "replaces: ['nginx:1']")
    site.write_config()
    refused, problems = told(site)
    assert refused
    assert [problem.partition(": ")[2] for problem in problems] == [
        "replacedBy: no other item of images has the slug 'nginx' (use the slug of an item)",
        "replacedBy: no other item of images has the slug 'ngnix' (did you mean `nginx`?)",
        "replaces[0]: 'nginx:1' is not an image repository: it must not contain a tag or digest; add these "
        "to the versions (did you mean `nginx`?)",
    ]
