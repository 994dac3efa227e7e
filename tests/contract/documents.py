"""The shape of every document: which keys, in which order, of which type, and where null may stand."""

import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from tests.contract import kinds as k
from tests.contract.api import Api, Flaw, Json
from tests.contract.items import FIELDS
from tests.contract.kinds import Kind, listing, mapping, maybe, record
from tests.contract.records import BADGE, COLLECTIONS, COUNTERS, GRADED, LOGOS, RECORD


class Shapes:
    """The kinds of one API: those that hold links know its base and its files."""

    def __init__(self, api: Api, custom: Mapping[str, Sequence[str]]) -> None:
        self.api = api
        self.link = k.text(f"the address of a document below {api.base}", self._is_document)
        self.page = k.text(f"the address of a page below {api.mount or '/'}", self._is_page)
        self.items = {
            name: record(fields(self.link, self.page) | dict.fromkeys(custom.get(name, ()), k.ANYTHING))
            for name, fields in FIELDS.items()
        }

    def holds(self, path: str) -> bool:
        """Blame what is wrong with the shape of a document; False when the rest cannot be judged for it."""
        shape = self._of(path)
        if shape is None:
            self.api.blame(path, "$", "is a file the contract does not know")
            return True
        flaws = list(shape(self.api.read(path), "$"))
        for flaw in flaws:
            self.api.blame(path, flaw.where, flaw.text)
        return not any(flaw.fatal for flaw in flaws)

    def _of(self, path: str) -> Kind | None:
        match path.split("/"):
            case ["openapi.json"]:
                return mapping(k.TEXT, k.ANYTHING)
            case ["manifest.json"]:
                return self._manifest()
            case ["index.json"]:
                return self._discovery()
            case ["security.json"]:
                return self._summary()
            case ["security", "index.json"]:
                return self._collection("security", self._index_entry())
            case ["security", _]:
                return self._envelope(
                    "security",
                    slug=k.SLUG,
                    image=k.REPOSITORY,
                    latest=record(RECORD),
                    versions=listing(record(RECORD)),
                )
            case ["security", _, _]:
                return self._envelope("security", slug=k.SLUG, image=k.REPOSITORY, **RECORD)
            case ["badge", _] | ["badge", _, "cves.json" | "grade.json" | "version.json"]:
                return self._badge
            case [file] if (name := file.removesuffix(".json")) in COLLECTIONS:
                return self._collection(name, self.items[name])
            case [name, file] if name in COLLECTIONS and re.fullmatch(r"[1-9][0-9]*\.json", file):
                return self._numbered(name)
            case ["images" | "charts" | "roadmap" as name, _, "index.json"]:
                return self._item(name)
        return None

    def _envelope(self, resource: str, **fields: Kind) -> Kind:
        badges = {"badges"} if resource == "images" else set[str]()
        head = {"apiVersion": k.constant("v1"), "resource": k.constant(resource)}
        return record(head | fields, anywhere=badges)

    def _collection(self, resource: str, entry: Kind) -> Kind:
        return self._envelope(resource, total=k.COUNT, data=listing(entry))

    def _numbered(self, resource: str) -> Kind:
        near, far = maybe(self.link), self.link
        links = {"self": far, "first": far, "last": far, "prev": near, "next": near, "collection": far}
        return self._envelope(
            resource,
            page=k.POSITIVE,
            perPage=k.constant(24),
            total=k.COUNT,
            totalPages=k.COUNT,
            links=record(links),
            data=listing(self.items[resource]),
        )

    def _item(self, resource: str) -> Kind:
        links = record({"self": self.link, "collection": self.link, "html": maybe(self.page)})
        badges = record(dict.fromkeys(("cves", "grade", "version"), self.link))
        extra = {"badges": badges} if resource == "images" else {}
        return self._envelope(resource, slug=k.SLUG, links=links, data=self.items[resource], **extra)

    def _summary(self) -> Kind:
        entry = record(
            {
                **COUNTERS,
                "total": k.COUNT,
                "fixable": k.COUNT,
                "suppressed": k.COUNT,
                **GRADED,
                "version": k.LABEL,
                "href": self.link,
            }
        )
        return self._envelope(
            "security",
            total=k.COUNT,
            bySeverity=record(COUNTERS),
            imagesWithCves=k.COUNT,
            images=mapping(k.SLUG, entry),
            scanned=k.COUNT,
            unscanned=listing(k.SLUG),
            fixable=k.COUNT,
            suppressed=k.COUNT,
            unique=k.COUNT,
        )

    def _index_entry(self) -> Kind:
        return record(
            {
                "slug": k.SLUG,
                "name": k.FILLED,
                "image": k.REPOSITORY,
                "version": k.LABEL,
                **GRADED,
                **COUNTERS,
                "total": k.COUNT,
                "fixable": k.COUNT,
                "scannedAt": maybe(k.TIME),
                "href": self.link,
            }
        )

    def _discovery(self) -> Kind:
        resource = record({"href": self.link, "total": k.COUNT, "totalPages": k.COUNT})
        return record(
            {
                "apiVersion": k.constant("v1"),
                "title": k.TEXT,
                "resources": record(dict.fromkeys(COLLECTIONS, resource)),
                "security": record({"summary": self.link, "index": self.link}),
                "badges": mapping(k.SLUG, self.link),
                "openapi": self.link,
                "manifest": self.link,
            }
        )

    def _manifest(self) -> Kind:
        entry = record({"sha256": k.pattern("64 hex digits", "[0-9a-f]{64}"), "bytes": k.POSITIVE})
        return record(
            {
                "apiVersion": k.constant("v1"),
                "generatedAt": k.UTC,
                "generator": record({"name": k.FILLED, "version": k.FILLED}),
                "documents": mapping(k.FILLED, entry),
            }
        )

    def _badge(self, value: Json, where: str) -> Iterator[Flaw]:
        """Any order of keys will do for a badge: its renderer fixes names and types only."""
        named = isinstance(value, dict) and bool({"namedLogo", "logoColor"} & set(value))
        plain = isinstance(value, dict) and "logoSvg" in value
        logo = LOGOS[0] if named else LOGOS[1] if plain else LOGOS[2]
        return record(BADGE | logo, anywhere={*BADGE, *logo})(value, where)

    def _is_document(self, address: str) -> bool:
        return address.startswith(f"{self.api.base}/") and address[len(self.api.base) + 1 :] in self.api.files

    def _is_page(self, address: str) -> bool:
        if not address.startswith(f"{self.api.mount}/"):
            return False
        file = unquote(address.removeprefix(f"{self.api.mount}/").partition("#")[0])
        if ".." in file.split("/"):
            return False
        return (self.api.site / (f"{file}index.html" if file.endswith("/") or not file else file)).is_file()
