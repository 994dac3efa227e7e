"""`catalog-api sign`: sign the manifest of a built site."""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, overload

import click
import msgspec

from ..authored.folders import not_writable, read_file
from ..catalog.addresses import DOCUMENT_PATH, MANIFEST, PREFIX, SIGNATURE
from ..problems import CatalogError, Problem, Problems, RefusedError, reason
from ..problems.codes import Code
from ..sources.reports.normalise import text
from .run import config_file_option, missing_package, print_problems, quiet_option

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey


@overload
def read_key(file: BinaryIO, kind: Literal["private_key"]) -> Ed25519PrivateKey: ...
@overload
def read_key(file: BinaryIO, kind: Literal["public_key"]) -> Ed25519PublicKey: ...
def read_key(
    file: BinaryIO, kind: Literal["private_key", "public_key"]
) -> Ed25519PrivateKey | Ed25519PublicKey:
    """Return the key in a file. A file without a valid key is a usage error."""
    try:
        from ..publish import signature
    except ModuleNotFoundError as error:
        raise missing_package("a signature", error, "sign") from None
    reader = signature.private_key if kind == "private_key" else signature.public_key
    try:
        return reader(file.read(2**16))
    except RefusedError as error:
        message = f"{file.name} is {error.message} ({error.hint})"
        raise click.BadParameter(message, param_hint="--key") from None


@click.command("sign", short_help="Sign the manifest of a built site.")
@config_file_option
@click.option("--site-dir", metavar="DIR", help="Site folder, relative to the folder of mkdocs.yml.")
@click.option(
    "--key",
    required=True,
    type=click.File("rb", lazy=True),
    metavar="FILE",
    help="The private key: PEM (PKCS #8), Ed25519, without a password. Use - for standard input.",
)
@quiet_option
def command(config_file: Path, site_dir: str | None, key: BinaryIO, quiet: bool) -> None:
    """Write `manifest.json.jws` next to the manifest of the built site.

    The manifest contains the hash of every document, so the signature covers all documents. Sign after each
    build: a build writes a new manifest and removes the signature.
    """
    private = read_key(key, "private_key")
    from ..authored.folders import write_whole
    from ..publish import signature
    from ..sources.read_site import read_site

    problems = Problems()
    try:
        site, _, _ = read_site(config_file, problems, site_dir=site_dir)
        folder = site.site_dir / PREFIX
        file = folder / SIGNATURE
        if fault := not_writable(file, str(file), [site.site_dir]):
            raise CatalogError(Problems([fault]))
        manifest = _checked(folder, problems)
        if problems.refuse(strict=False):
            raise CatalogError(problems)
        write_whole(file, signature.sign(manifest, private))
    except CatalogError as error:
        problems.extend(error.problems)
    except OSError as error:
        message = f"can't be written: {reason(error)}"
        problems.add(Problem(str(error.filename or ""), 0, 0, "", message, code=Code.NOT_WRITTEN))
    print_problems(problems, quiet=quiet)
    if problems.refuse(strict=False):
        click.secho(f"nothing signed: {problems.summary()}", fg="red", err=True)
        sys.exit(1)
    if not quiet:
        sha256 = hashlib.sha256(manifest).hexdigest()
        click.echo(f"signed: {folder / MANIFEST}, sha256 {sha256}")


class _Entry(msgspec.Struct):
    sha256: str


class _Manifest(msgspec.Struct):
    documents: dict[str, _Entry]


_DOCUMENT = re.compile(DOCUMENT_PATH)


def _checked(folder: Path, problems: Problems) -> bytes:
    """Return the manifest of a built site. Adds a problem for each document that differs from it."""
    file = folder / MANIFEST

    def add_problem(file: Path, message: str, hint: str = "build the site again") -> None:
        problems.add(Problem(str(file), 0, 0, "", message, hint, code=Code.NOT_SIGNED))

    try:
        manifest = read_file(file)
        documents = msgspec.json.decode(manifest, type=_Manifest).documents
    except FileNotFoundError:
        add_problem(file, "does not exist", "build the site first")
        return b""
    except OSError as error:
        add_problem(file, f"can't be read: {reason(error)}")
        return b""
    except (ValueError, RecursionError) as error:
        add_problem(file, f"not the manifest of an API: {text(str(error))}")
        return b""
    if not documents:
        add_problem(file, "the manifest lists no documents, so there is nothing to sign")
    for path, entry in documents.items():
        if not _DOCUMENT.fullmatch(path):
            add_problem(
                file, f"the manifest lists {path!r}, which is not the path of a document in {PREFIX}/"
            )
            continue
        try:
            if hashlib.sha256(read_file(folder / path, sys.maxsize)).hexdigest() != entry.sha256:
                add_problem(folder / text(path), "does not match its hash in the manifest")
        except (OSError, ValueError):
            add_problem(folder / text(path), "listed in the manifest, but can't be read")
    return manifest
