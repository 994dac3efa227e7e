"""`catalog-api sign`: a signature beside the manifest of a built site."""

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
    """The key in a file; ends the program as wrong usage when it holds something else."""
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
@click.option("--site-dir", metavar="DIR", help="Folder of the site, from that of mkdocs.yml.")
@click.option(
    "--key",
    required=True,
    type=click.File("rb", lazy=True),
    metavar="FILE",
    help="The private key: PEM (PKCS #8), Ed25519, without a password; - reads it from standard input.",
)
@quiet_option
def command(config_file: Path, site_dir: str | None, key: BinaryIO, quiet: bool) -> None:
    """Write `manifest.json.jws` beside the manifest of the built site.

    Through the manifest's hashes it covers every document. A build makes another manifest and removes the
    signature: sign after each build.
    """
    private = read_key(key, "private_key")
    from ..authored.folders import write_whole
    from ..publish import signature
    from ..sources.read_site import read_site

    problems = Problems()
    try:
        site, _, _ = read_site(config_file, problems, site_dir=site_dir, trusted=None)
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
        click.secho(f"nothing is signed: {problems.summary()}", fg="red", err=True)
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
    """The manifest of a built site, and a problem for each document that is not the one it speaks of."""
    file = folder / MANIFEST

    def refuse(file: Path, message: str, hint: str = "build the site again") -> None:
        problems.add(Problem(str(file), 0, 0, "", message, hint, code=Code.NOT_SIGNED))

    try:
        manifest = read_file(file)
        documents = msgspec.json.decode(manifest, type=_Manifest).documents
    except FileNotFoundError:
        refuse(file, "is not there", "build the site first")
        return b""
    except OSError as error:
        refuse(file, f"can't be read: {reason(error)}")
        return b""
    except (ValueError, RecursionError) as error:
        refuse(file, f"no manifest of an API: {text(str(error))}")
        return b""
    if not documents:
        refuse(file, "the manifest lists no document, so the signature would cover nothing")
    for path, entry in documents.items():
        if not _DOCUMENT.fullmatch(path):
            refuse(file, f"the manifest lists {path!r}, which is not the path of a document below {PREFIX}/")
            continue
        try:
            if hashlib.sha256(read_file(folder / path, sys.maxsize)).hexdigest() != entry.sha256:
                refuse(folder / text(path), "another document than the manifest speaks of")
        except (OSError, ValueError):
            refuse(folder / text(path), "the manifest speaks of it, and it can't be read")
    return manifest
