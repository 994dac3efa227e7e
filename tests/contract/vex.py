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
    """The archive, and a document for each image of which it knows a digest."""
    if (api.site / MANIFEST).exists():
        yield ARCHIVE
        told = [document for document in members(api).values() if "@id" in document]
        digests = {_digest(purl) for document in told for _, purl in _products(document)}
        for image in api.data("images"):
            if any(digests.intersection(entry["digests"]) for entry in image["versions"]):
                yield f"vex/{image['slug']}.json"


def check(api: Api) -> None:
    if ARCHIVE not in api.files:
        return
    (version,) = json.loads((api.site / MANIFEST).read_bytes())["versions"]
    (location,) = version["locations"]
    if urlsplit(location["url"])[:3:2] != ("https", f"{api.base}/{ARCHIVE}"):
        api.blame(ARCHIVE, "$", f"is not at {location['url']}")
    digests = {
        image["slug"]: {digest for entry in image["versions"] for digest in entry["digests"]}
        for image in api.data("images")
    }
    told = [one for document in members(api).values() for one in document.get("statements", ())]
    for path, document in api.documents.items():
        if not path.startswith("vex/"):
            continue
        at = location["url"].removesuffix(ARCHIVE) + path
        api.expect(path, "$.@id", document["@id"], at)
        for number, statement in enumerate(document["statements"]):
            if statement not in told:
                api.blame(path, f"$.statements[{number}]", "is not in the archive")
        for place, purl in _products(api.documents[path]):
            digest = _digest(purl)
            if digest not in digests[path[4:-5]]:
                api.blame(path, place, f"is {digest}, which the image does not list")


def _digest(purl: str) -> str:
    return unquote(purl.partition("@")[2].partition("?")[0])


def _products(document: Json) -> Iterator[tuple[str, str]]:
    for number, statement in enumerate(document["statements"]):
        for at, product in enumerate(statement["products"]):
            yield f"$.statements[{number}].products[{at}]", product["@id"]
