"""The author's statements for other people: what leads where, and that each is on a release by its digest."""

import io
import json
import tarfile
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from tests.contract.api import Api, Json

ARCHIVE = "vex/repository.tar.gz"
MANIFEST = ".well-known/vex-repository.json"


def members(api: Api) -> dict[str, Json]:
    """Name in the archive → the document."""
    with tarfile.open(fileobj=io.BytesIO(api.files[ARCHIVE])) as archive:
        files = {entry.name: archive.extractfile(entry) for entry in archive}
        return {name: json.loads(file.read()) for name, file in files.items() if file}


def lacking(api: Api) -> set[str]:
    """The archive, when the manifest at the site's root says that there is one."""
    return {ARCHIVE} - api.files.keys() if (api.site / MANIFEST).exists() else set()


def wanted(api: Api) -> Iterator[str]:
    """The archive, and a document of each image with an exception that it holds."""
    if (api.site / MANIFEST).exists():
        yield ARCHIVE
        told = [document for document in members(api).values() if "@id" in document]
        products = {product["@id"] for document in told for _, product in _products(document)}
        for path, document in api.documents.items():
            if path.startswith("vex/") and products & {product["@id"] for _, product in _products(document)}:
                yield path


def check(api: Api) -> None:
    """Each exception is one of the catalog: of a release with this digest that suppresses it for this reason,
    while no release with this digest has it open in this package.
    """
    if ARCHIVE not in api.files:
        return
    (version,) = json.loads((api.site / MANIFEST).read_bytes())["versions"]
    (location,) = version["locations"]
    if urlsplit(location["url"])[:3:2] != ("https", f"{api.base}/{ARCHIVE}"):
        api.blame(ARCHIVE, "$", f"is not at {location['url']}")
    archived = [document for document in members(api).values() if "@id" in document]
    told = [one for document in archived for one in _exceptions(document)]
    for path, document in api.documents.items():
        if not path.startswith("vex/"):
            continue
        api.expect(path, "$.@id", document["@id"], location["url"].removesuffix(ARCHIVE) + path)
        own = {
            entry["version"] for entry in api.documents[f"images/{path[4:-5]}/index.json"]["data"]["versions"]
        }
        for exception in _exceptions(document):
            if exception not in told:
                api.blame(path, "$.statements", f"{exception} is not in the archive")
            digest, package, ids, status, reason = exception
            records = [(slug, record) for slug, record in _records(api, digest)]
            if not any(slug == path[4:-5] and record["version"] in own for slug, record in records):
                api.blame(path, "$.statements", f"is on {digest}, which the image does not list")
            hidden = [row for _, record in records for row in record["suppressions"] or ()]
            if not any(
                (row["purl"], row["id"], row["status"]) == (package, ids[0], status)
                and row["justification"] == reason
                for row in hidden
            ):
                api.blame(path, "$.statements", f"{exception} is not suppressed in the catalog")
            for row in (row for _, record in records for row in record["cves"] or ()):
                if row["purl"] == package and {*ids} & {row["id"], *row["aliases"]}:
                    api.blame(path, "$.statements", f"{exception} is open in the catalog")


def _exceptions(document: Json) -> list[tuple[str, str, list[str], str, str]]:
    """Digest, package, ids, status and justification of each pair of product and package."""
    return [
        (
            unquote(product["@id"].partition("@")[2].partition("?")[0]),
            package["@id"],
            [said["vulnerability"]["name"], *said["vulnerability"]["aliases"]],
            said["status"],
            said.get("justification", ""),
        )
        for said, product in _products(document)
        for package in product["subcomponents"]
    ]


def _records(api: Api, digest: str) -> Iterator[tuple[str, Json]]:
    """Slug and release record of every listed version with this digest, or with it as a manifest's."""
    for image in api.data("images"):
        for entry in image["versions"]:
            if digest in (*entry["digests"], *(manifest["digest"] for manifest in entry["manifests"])):
                yield image["slug"], api.documents[f"security/{image['slug']}/{entry['version']}.json"]


def _products(document: Json) -> Iterator[tuple[Json, Json]]:
    for said in document["statements"]:
        yield from ((said, product) for product in said["products"])
