"""Clients that generators make of the API: they compile, and read what is there and what may come."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from sysconfig import get_path
from typing import Any, NamedTuple, TypeAlias

import pytest

from .example import EXAMPLE
from .programs import need
from .sites import Result

BIN = Path(sys.executable).parent
CLIENTS = Path(__file__).parent / "clients"
GUIDE = EXAMPLE / "docs/guide/clients.md"
JAR = f"{get_path('purelib')}/openapi_generator_cli/openapi-generator.jar"
JAVA = ("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # started and ended within seconds
CRATES = [
    f"/usr/share/doc/librust-{crate}-dev" for crate in ("chrono", "serde-derive", "serde-json", "serde-repr")
]
"""Debian's packages of the crates that the models need."""
BODY = ("responses", "200", "content", "application/json", "schema", "$ref")


class Document(NamedTuple):
    schema: str
    """Name of its schema."""
    file: Path


Read: TypeAlias = Mapping[str, Any]
"""`document` as a client has read it, or `error`."""


class Client(NamedTuple):
    """A client in its own folder, made and compiled."""

    generator: str
    folder: Path
    names: set[str]
    """What the generator calls the types of documents and their parts."""
    program: Sequence[str | Path]
    """Reads lines of "schema TAB file", and writes a line of JSON for each."""

    def read(self, documents: Sequence[Document]) -> list[Read]:
        lines = "".join(f"{document.schema}\t{document.file}\n" for document in documents)
        return [json.loads(line) for line in run(self.folder, *self.program, stdin=lines).splitlines()]


def run(folder: Path, *command: str | Path, stdin: str = "") -> str:
    """What a program prints; the test fails with its output if it fails."""
    # Generators tidy up with programs that are beside them.
    environment = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        command, cwd=folder, env=environment, input=stdin, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, f"{command}:\n{done.stdout[-5000:]}\n{done.stderr[-5000:]}"
    return done.stdout


def guide_table() -> dict[str, list[str]]:
    """Generator → the other cells of its row in the guide's table."""
    table = GUIDE.read_text("utf-8").partition("| generator |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `([a-z-]+)` \|(.*)\|$", table, re.MULTILINE)
    return {name: [cell.strip() for cell in cells.split("|")] for name, cells in rows}


def flags(generator: str) -> list[str]:
    """The flags that the guide gives for this generator."""
    return [flag for text in re.findall("`([^`]+)`", guide_table()[generator][0]) for flag in text.split()]


def option(generator: str, name: str) -> dict[str, str]:
    """The names and values of one of these flags; none if the guide does not give it."""
    values = [flag.removeprefix(f"--{name}=") for flag in flags(generator) if flag.startswith(f"--{name}=")]
    pairs = (pair.partition("=") for value in values for pair in value.split(","))
    return {key: value for key, _, value in pairs}


@pytest.fixture(scope="module")
def described(example: Result) -> Any:
    return example.json("openapi.json")


def document_schemas(described: Any) -> list[tuple[re.Pattern[str], str]]:
    """Paths of JSON documents but the description of all others, and the names of their schemas."""
    schemas = []
    for path, item in sorted(described["paths"].items(), key=lambda pair: pair[0].count("{")):
        if path.endswith(".json") and not path.endswith("/openapi.json"):
            part = item["get"]
            for key in BODY:
                part = part[key]
            pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path.removeprefix("/api/v1/")))
            schemas.append((re.compile(pattern), part.rpartition("/")[2]))
    return schemas


@pytest.fixture(scope="module")
def documents(example: Result, described: Any) -> list[Document]:
    """Every JSON document but the description of all others, with its schema."""
    schemas, files = document_schemas(described), {*example.api.rglob("*.json")}
    paths = {
        file: file.relative_to(example.api).as_posix() for file in files - {example.api / "openapi.json"}
    }
    return [
        Document(next(schema for pattern, schema in schemas if pattern.fullmatch(path)), file)
        for file, path in sorted(paths.items())
    ]


CASES = ("field", "word", "kind")
Future: TypeAlias = Mapping[str, list[tuple[Document, Document]]]
"""What is new → documents without it, and with it."""


@pytest.fixture(scope="module")
def future(documents: list[Document], described: Any, tmp_path_factory: pytest.TempPathFactory) -> Future:
    """Documents as a later version may write them."""
    folder, counts = tmp_path_factory.mktemp("future"), Counter[tuple[str, str]]()
    pairs: dict[str, list[tuple[Document, Document]]] = {case: [] for case in CASES}
    for document in documents:
        value = json.loads(document.file.read_bytes())
        for case, longer in zip(CASES, later(document.schema, value, described), strict=True):
            counts[case, document.schema] += longer != value
            if longer != value and counts[case, document.schema] <= 20:  # the others are of the same shape
                file = folder / f"{case}-{len(pairs[case])}.json"
                file.write_text(json.dumps(longer), "utf-8")
                pairs[case].append((document, Document(document.schema, file)))
    words = {schema for case, schema in counts if case == "word" and counts[case, schema]}
    assert words == {"ImageDocument", "SecurityDetail", "DayChanges"}
    return pairs


def later(schema: str, value: Any, described: Any) -> tuple[Any, Any, Any]:
    """A document with a new field everywhere, a new word in an open list, and an event of a new kind."""
    fields = with_fields(
        value, {"$ref": f"#/components/schemas/{schema}"}, described["components"]["schemas"]
    )
    word, kind = deepcopy(value), deepcopy(value)
    if schema == "ImageDocument":
        word["data"]["tier"] = "premium"
    if schema == "SecurityDetail":
        for row in word["latest"]["suppressions"] or ():
            row["status"] = "deferred"
    if schema == "DayChanges":
        for event in word["data"]:
            event |= {"reason": "moved"} if event["kind"] == "vulnerability-gone" else {}
        if kind["data"]:
            kind["data"][0] = {"kind": "image-renamed", "slug": "nginx", "to": "nginx2"}
    return fields, word, kind


def with_fields(value: Any, schema: Any, schemas: Any) -> Any:
    """The value with one more field in each of its objects but maps, and those that take any field today."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    if "discriminator" in schema:
        schema = schemas[schema["discriminator"]["mapping"][value["kind"]].rpartition("/")[2]]
    if "anyOf" in schema:
        schema = schemas[schema["anyOf"][0]["$ref"].rpartition("/")[2]]
    if isinstance(value, list):
        return [with_fields(part, schema["items"], schemas) for part in value]
    if not isinstance(value, dict) or schema.get("additionalProperties") is True:
        return value
    if schema.get("properties") == {}:  # custom fields of a catalog that declares none
        return value
    known = schema.get("properties") or dict.fromkeys(value, schema["additionalProperties"])
    longer = {key: with_fields(part, known[key], schemas) for key, part in value.items()}
    return longer | ({"added": {"a": [1]}} if "properties" in schema else {})


def without_fields(value: Any) -> Any:
    """The value without what `with_fields` adds: some clients keep it in a part that they do not parse."""
    if isinstance(value, list):
        return [without_fields(part) for part in value]
    if isinstance(value, dict):
        return {key: without_fields(part) for key, part in value.items() if key != "added"}
    return value


def plain(value: Any) -> Any:
    """A document without what clients may write otherwise: null, empty lists, the form of times and URLs."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items() if part is not None and part != []}
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, str) and re.fullmatch(r"[0-9-]{10}T[0-9:]{8}(\.[0-9]+)?(Z|\+00:00)", value):
        whole, _, rest = value.rstrip("Z").removesuffix("+00:00").partition(".")
        return f"{whole}.{rest.rstrip('0')}".rstrip(".")
    if isinstance(value, str) and re.fullmatch("https?://[^/]+/", value):
        return value.rstrip("/")
    return value


@pytest.fixture(scope="module")
def generated(example: Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the clients of openapi-generator, made in one run."""
    need("java")
    folder = tmp_path_factory.mktemp("openapi-generator")
    shutil.copy(example.api / "openapi.json", folder)
    names = {
        "additionalProperties": "additional-properties",
        "globalProperties": "global-property",
        "openapiNormalizer": "openapi-normalizer",
    }
    for generator in ("typescript-fetch", "go", "java", "rust"):
        paths = {"inputSpec": "openapi.json", "outputDir": f"./{generator}"}
        options = {key: option(generator, name) for key, name in names.items()}
        configuration = {"generatorName": generator} | paths | options
        (folder / f"{generator}.yaml").write_text(json.dumps(configuration), "utf-8")
    configurations = [file.name for file in sorted(folder.glob("*.yaml"))]
    run(folder, *JAVA, "-jar", JAR, "batch", "--fail-fast", "--root-dir", ".", *configurations)
    return folder


def use_packages(folder: Path, node: Path) -> None:
    shutil.copy(node / "package.json", folder)
    (folder / "node_modules").symlink_to(node / "node_modules")


Fixture: TypeAlias = Callable[[str], Path]
"""Name of a fixture → its folder, made when it is first asked for."""
COMPILE = (
    *("node_modules/.bin/tsc", "--strict", "--target", "es2022", "--module", "nodenext"),
    *("--types", "node", "--skipLibCheck"),
)


def openapi_typescript(api: Path, folder: Path, fixture: Fixture) -> Client:
    use_packages(folder, fixture("node"))
    shutil.copy(CLIENTS / "typescript/typed.ts", folder)
    run(folder, "node_modules/.bin/openapi-typescript", api / "openapi.json", "-o", "client.d.ts")
    run(folder, *COMPILE, "typed.ts")
    names = set[str]()  # it makes no classes
    return Client("openapi-typescript", folder, names, ("node", "typed.js"))


def typescript_fetch(_: Path, folder: Path, fixture: Fixture) -> Client:
    use_packages(folder, fixture("node"))
    shutil.copytree(fixture("generated") / "typescript-fetch", folder / "client")
    shutil.copy(CLIENTS / "typescript/read.ts", folder)
    run(folder, *COMPILE, "read.ts", "client/index.ts")
    names = {file.stem for file in (folder / "client/models").glob("*.ts")} - {"index"}
    return Client("typescript-fetch", folder, names, ("node", "read.js"))


def go(api: Path, folder: Path, fixture: Fixture) -> Client:
    need("go")
    shutil.copytree(
        fixture("generated") / "go", folder / "catalog", ignore=shutil.ignore_patterns("go.*", "test")
    )
    shutil.copy(CLIENTS / "go/main.go", folder)
    source = "".join(file.read_text("utf-8") for file in (folder / "catalog").glob("model_*.go"))
    names = set(re.findall(r"^type (\w+) (?:struct|string)", source, re.MULTILINE))
    names -= {f"Nullable{name}" for name in names}
    table = "".join(f'\t"{name}": func() any {{ return new(catalog.{name}) }},\n' for name in sorted(names))
    (folder / "models.go").write_text(
        f'package main\n\nimport catalog "reader/catalog"\n\n'
        f"var models = map[string]func() any{{\n{table}}}\n",
        "utf-8",
    )
    (folder / "go.mod").write_text("module reader\n\ngo 1.18\n", "utf-8")
    run(folder, "go", "build", "-o", "reader", ".")
    return Client("go", folder, names, (folder / "reader",))


def java(_: Path, folder: Path, fixture: Fixture) -> Client:
    need("javac")
    shutil.copytree(CLIENTS / "java", folder, dirs_exist_ok=True)
    sources = [*(fixture("generated") / "java/src/main/java").rglob("*.java")]
    # The generator's own archive holds Jackson, which the models need.
    options = ("-J-XX:TieredStopAtLevel=1", "-nowarn", "-proc:none", "-cp", JAR, "-d", "out")
    run(folder, "javac", *options, "Read.java", *sources, *folder.rglob("Generated.java"))
    class_path = f"out{os.pathsep}{JAR}"
    return Client("java", folder, {file.stem for file in sources}, (*JAVA, "-cp", class_path, "Read"))


def rust(api: Path, folder: Path, fixture: Fixture) -> Client:
    need("cargo", *CRATES)
    shutil.copytree(CLIENTS / "rust", folder, dirs_exist_ok=True)
    shutil.copytree(fixture("generated") / "rust/src/models", folder / "src/models")
    names = {
        *re.findall(r"^pub use .*::(\w+);", (folder / "src/models/mod.rs").read_text("utf-8"), re.MULTILINE)
    }
    of_documents = {schema for _, schema in document_schemas(json.loads((api / "openapi.json").read_bytes()))}
    (folder / "src/names.rs").write_text(f"models! {{ {' '.join(sorted(of_documents))} }}\n", "utf-8")
    run(folder, "cargo", "build", "--quiet", "--offline")
    return Client("rust", folder, names, (folder / "target/debug/reader",))


def openapi_python_client(api: Path, folder: Path, _: Fixture) -> Client:
    paths = ("--path", api / "openapi.json", "--output-path", "client")
    run(folder, BIN / "openapi-python-client", "generate", *paths, "--meta", "none")
    shutil.copy(CLIENTS / "python/read_attrs.py", folder)
    command = "from client import models; print(*models.__all__)"
    names = {*run(folder, sys.executable, "-c", command).split()}
    return Client("openapi-python-client", folder, names, (sys.executable, "read_attrs.py"))


def datamodel_code_generator(api: Path, folder: Path, _: Fixture) -> Client:
    need(f"{BIN}/datamodel-codegen")
    options = (*flags("datamodel-code-generator"), "--formatters", "builtin", "--output", "client.py")
    run(folder, BIN / "datamodel-codegen", "--input", api / "openapi.json", *options)
    shutil.copy(CLIENTS / "python/read_pydantic.py", folder)
    names = {*re.findall(r"^class (\w+)\(", (folder / "client.py").read_text("utf-8"), re.MULTILINE)}
    return Client("datamodel-code-generator", folder, names, (sys.executable, "read_pydantic.py"))


PYTHON, OTHERS = (openapi_python_client, datamodel_code_generator), (go, java, rust)
MAKERS = {
    maker.__name__.replace("_", "-"): maker
    for maker in (openapi_typescript, typescript_fetch, *PYTHON, *OTHERS)
}
QUICK = "datamodel-code-generator"
"""The one that the quick tests use, too; it is a Python package."""


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=[pytest.mark.slow] if name != QUICK else []) for name in MAKERS],
)
def client(
    example: Result, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Client:
    folder = tmp_path_factory.mktemp(request.param)
    return MAKERS[request.param](example.api, folder, request.getfixturevalue)


def test_the_guide_lists_these_generators() -> None:
    assert [*guide_table()] == [*MAKERS]


def test_it_reads_every_document(client: Client, documents: list[Document]) -> None:
    for document, read in zip(documents, client.read(documents), strict=True):
        assert plain(read.get("document", read)) == plain(json.loads(document.file.read_bytes())), document


def test_it_makes_up_no_names(client: Client, described: Any) -> None:
    assert sorted(client.names - described["components"]["schemas"].keys()) == []


def test_it_reads_later_documents_as_the_guide_says(client: Client, future: Future) -> None:
    _, *cells = guide_table()[client.generator]
    reads = iter(client.read([after for pairs in future.values() for _, after in pairs]))
    behavior = {case: {outcome(case, *pair, next(reads)) for pair in pairs} for case, pairs in future.items()}
    assert behavior == {case: {cell} for case, cell in zip(CASES, cells, strict=True)}


def outcome(case: str, before: Document, after: Document, read: Read) -> str:
    """What a client does with a document that has something new, in the guide's words."""
    known, wanted = (plain(json.loads(each.file.read_bytes())) for each in (before, after))
    document = plain(read.get("document"))
    if "error" in read:
        return "error"
    if document == wanted:
        return "kept"
    if case == "field" and without_fields(document) == known:
        return "ignored"
    if case == "kind" and document["data"][0] in (None, {}):
        return "null" if document["data"][0] is None else "empty event"
    return f"{after}: {document}"
