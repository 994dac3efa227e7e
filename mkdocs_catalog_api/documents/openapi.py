"""The OpenAPI 3.1 document of the API, generated from the models that the documents are checked with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field, create_model
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from . import models
from .addresses import PREFIX

_REF = "#/components/schemas/{model}"
_DESCRIPTION = "Read-only, static JSON: every response is a document addressed by its path. No key is needed."

_PARAMETERS: dict[str, tuple[str, dict[str, object]]] = {
    "page": ("Number of the page, from 1 to `totalPages`.", {"type": "integer", "minimum": 1}),
    "slug": ("Slug of the item.", {"type": "string"}),
    "image": ("Slug of the image.", {"type": "string"}),
    "version": ("Label of the version.", {"type": "string"}),
    "name": ("Name of the badge.", {"type": "string"}),
}


@dataclass(frozen=True, slots=True)
class _Route:
    path: str
    operation: str
    tag: str
    summary: str
    model: type[BaseModel]


def openapi(items: Mapping[str, type[BaseModel]], title: str) -> dict[str, Any]:
    """OpenAPI 3.1 of every path; `items` has the model of each collection's items."""
    routes = [*_collection_routes(items), *_security_routes(), *_other_routes()]
    used: list[tuple[type[BaseModel], JsonSchemaMode]] = [(route.model, "serialization") for route in routes]
    references, schema = models_json_schema(used, ref_template=_REF)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": title,
            "version": "v1",
            "description": _DESCRIPTION,
        },
        # Relative to this document, so that it is right under every mount path.
        "servers": [{"url": "../.."}],
        "paths": {
            f"/{PREFIX}/{route.path}": _path(route, references[route.model, "serialization"])
            for route in routes
        },
        "components": {"schemas": schema["$defs"]},
    }


def _path(route: _Route, schema: Mapping[str, object]) -> dict[str, object]:
    parameters = [
        {"name": name, "in": "path", "required": True, "description": text, "schema": kind}
        for name, (text, kind) in _PARAMETERS.items()
        if "{" + name + "}" in route.path
    ]
    operation: dict[str, object] = {
        "operationId": route.operation,
        "tags": [route.tag],
        "summary": route.summary,
        **({"parameters": parameters} if parameters else {}),
        "responses": {
            "200": {
                "description": route.model.__doc__ or route.summary,
                "content": {"application/json": {"schema": schema}},
            },
            "404": {"description": "No such document. The body is the host's own page, not JSON."},
        },
    }
    return {"get": operation}


def _collection_routes(items: Mapping[str, type[BaseModel]]) -> Iterator[_Route]:
    for name, model in items.items():
        stem = model.__name__.removesuffix("Item")
        full = _filled(
            models.CollectionHead, f"{stem}Collection", "Every item of the collection.", _list_of(model)
        )
        page = _filled(models.PageHead, f"{stem}Page", "One page of the collection.", _list_of(model))
        yield _Route(f"{name}.json", f"list{stem}s", name, f"All {name}", full)
        yield _Route(f"{name}/{{page}}.json", f"page{stem}s", name, f"A page of {name}", page)
        if name != "updates":
            head = models.ImageItemHead if name == "images" else models.ItemHead
            one = _filled(head, f"{stem}Document", "One item.", model)
            yield _Route(f"{name}/{{slug}}/index.json", f"get{stem}", name, f"One of the {name}", one)


def _list_of(model: type[BaseModel]) -> Any:
    return list.__class_getitem__(model)


def _filled(head: type[BaseModel], name: str, doc: str, data: Any) -> type[BaseModel]:
    """An envelope with its data, under the name that it has in the schemas."""
    return create_model(name, __base__=head, __doc__=doc, data=(data, Field()))


def _security_routes() -> Iterator[_Route]:
    tag = "security"
    index = _filled(
        models.CollectionHead, "SecurityIndex", "Every scanned image.", list[models.SecurityIndexEntry]
    )
    yield _Route("security.json", "getSecuritySummary", tag, "Security summary", models.SecuritySummary)
    yield _Route("security/index.json", "listSecurity", tag, "Every scanned image", index)
    yield _Route(
        "security/{image}.json", "getSecurityDetail", tag, "All releases of an image", models.SecurityDetail
    )
    yield _Route(
        "security/{image}/{version}.json",
        "getRelease",
        tag,
        "One release of an image",
        models.ReleaseDocument,
    )


def _other_routes() -> Iterator[_Route]:
    yield _Route("badge/{name}.json", "getBadge", "badges", "A badge of the catalog", models.Badge)
    yield _Route("badge/{slug}/{name}.json", "getImageBadge", "badges", "A badge of an image", models.Badge)
    yield _Route("index.json", "getIndex", "discovery", "Where everything is", models.Discovery)
    yield _Route(
        "manifest.json", "getManifest", "discovery", "Hash and size of every document", models.Manifest
    )
