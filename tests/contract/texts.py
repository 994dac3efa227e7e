"""What strings hold: grammars of references, text that is safe to show, and links that lead somewhere."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from tests.contract.api import Api, Json
from tests.contract.schemas import is_address

_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_DOMAIN = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_HOST = rf"(?:{_DOMAIN}(?:\.{_DOMAIN})*|\[[0-9a-fA-F:]+\])(?::[0-9]+)?"
REFERENCE = re.compile(
    rf"(?P<name>(?:{_HOST}/)?{_COMPONENT}(?:/{_COMPONENT})*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(?P<digest>[a-z0-9]+:[0-9a-f]{64,128}))?"
)
LINKS = ("href", "self", "first", "last", "prev", "next", "collection")
ROW = ("id", "pkg", "installed", "fixed", "title", "targets", "justification", "statement")


def check(api: Api) -> None:
    for path, document in api.documents.items():
        if path not in ("openapi.json", "manifest.json"):
            for where, key, value in _leaves(document, "$", ""):
                if fault := _fault(api, key, value):
                    api.blame(path, where, f"is {value!r}, {fault}")


def _leaves(value: Json, where: str, key: str) -> Iterator[tuple[str, str, Json]]:
    """Every value that holds no other, with its place and the nearest key."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _leaves(part, f"{where}.{name}", name)
    elif isinstance(value, list):
        for position, part in enumerate(value):
            yield from _leaves(part, f"{where}[{position}]", key)
    else:
        yield where, key, value


def _fault(api: Api, key: str, value: Json) -> str:
    if isinstance(value, float) and value.is_integer():
        return "not the shortest number"
    if not isinstance(value, str) or not value:
        return ""
    if not value.strip():
        return "nothing but spaces"
    if key in ROW and re.search(r"[\x00-\x1f\x7f-\x9f]", value):
        return "with control characters"
    if key == "title" and len(value) > 1000:
        return "longer than 1,000 characters"
    if key == "slug" and value == "index":
        return "which is no slug"
    if key == "image" and not value.startswith("/") and not REFERENCE.fullmatch(value):
        return "which is no reference of an image"
    if key in LINKS and not (value.startswith(api.base) and value[len(api.base) + 1 :] in api.files):
        return "which leads to no document"
    if key in ("url", "html") and not (_is_page(api, value) if value.startswith("/") else is_address(value)):
        return "which leads to no page"
    return ""


def _is_page(api: Api, address: str) -> bool:
    if not address.startswith(f"{api.mount}/"):
        return False
    file = unquote(address.removeprefix(f"{api.mount}/").partition("#")[0])
    page = f"{file}index.html" if file.endswith("/") or not file else file
    return ".." not in file.split("/") and (api.site / page).is_file()


def normal(reference: str) -> tuple[str, str]:
    """The repository with its registry, and the tag: `nginx` is docker.io/library/nginx and latest."""
    found = REFERENCE.fullmatch(reference)
    assert found, reference
    domain, slash, path = found["name"].partition("/")
    if not slash or not (domain == "localhost" or "." in domain or ":" in domain):
        domain, path = "docker.io", found["name"]
    if domain in ("docker.io", "index.docker.io"):
        domain, path = "docker.io", path if "/" in path else f"library/{path}"
    return f"{domain}/{path}", found["tag"] or "latest"


def single_versions(fix: str) -> set[str]:
    """The versions among a scanner's words for a fix: not those of a range."""
    words = re.sub(r"([<>=~^!]+)[ \t]+", r"\1", fix)
    found = [re.fullmatch(r"(?:>=|==?)?([^<>=~^!].*)", word) for word in re.split(r"[\s,;|]+", words)]
    return {match[1] for match in found if match and re.search("[0-9]", match[1])}
