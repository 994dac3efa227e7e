"""`catalog-api sign`, and what `check-live --key` makes of a signature."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt
import pytest
from click.testing import CliRunner, Result
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_catalog_api.authored.clock import timestamp
from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.commands.run import REQUIREMENT
from mkdocs_catalog_api.problems import RefusedError
from mkdocs_catalog_api.publish import signature

from .live_host import Host, serving
from .sites import SiteFolder

KEY = Ed25519PrivateKey.generate()
PLAIN = serialization.NoEncryption()


def private_pem(key: Any = KEY, secret: bytes = b"") -> bytes:
    encryption = serialization.BestAvailableEncryption(secret) if secret else PLAIN
    pem: bytes = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)
    return pem


def public_pem(key: Any = KEY) -> bytes:
    encoding, form = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    pem: bytes = key.public_key().public_bytes(encoding, form)
    return pem


# Made once and copied, since a build takes longer than all that is tried with it.
@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = SiteFolder(tmp_path_factory.mktemp("signed"))
    site.image("alpha", "versions: ['1.0']")
    assert not site.build().failed
    return site.folder


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    """A built site with a pair of keys beside it."""
    shutil.copytree(built, tmp_path / "site")
    (tmp_path / "key.pem").write_bytes(private_pem())
    (tmp_path / "public.pem").write_bytes(public_pem())
    return tmp_path


def sign(folder: Path, key: str = "key.pem", *options: str, stdin: bytes = b"") -> Result:
    path = key if key == "-" else str(folder / key)
    arguments = ["sign", "-f", str(folder / "site/mkdocs.yml"), "--key", path, *options]
    return CliRunner().invoke(main, arguments, input=stdin)


def api(folder: Path) -> Path:
    return folder / "site/site/api/v1"


# Signing


def test_another_implementation_reads_the_signature(folder: Path) -> None:
    assert sign(folder).exit_code == 0
    manifest = (api(folder) / "manifest.json").read_bytes()
    header, _, given = (api(folder) / "manifest.json.jws").read_bytes().partition(b"..")
    whole = b".".join([header, urlsafe_b64encode(manifest).rstrip(b"="), given])
    assert jwt.PyJWS().decode(whole, public_pem().decode(), algorithms=["EdDSA"]) == manifest


def test_the_example_of_rfc_8037() -> None:
    """Appendix A.4, with the key of A.1."""
    seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
    made = signature.sign(
        b"Example of Ed25519 signing", Ed25519PrivateKey.from_private_bytes(bytes.fromhex(seed))
    )
    assert made == (
        b"eyJhbGciOiJFZERTQSJ9..hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
    )


def test_the_key_may_come_from_standard_input(folder: Path) -> None:
    assert sign(folder, "-", stdin=private_pem()).exit_code == 0
    assert (api(folder) / "manifest.json.jws").is_file()


def keys() -> Iterator[tuple[str, bytes, str]]:
    yield "empty", b"", "an empty file"
    yield "text", b"secret", "not a PEM file with a key"
    yield "bytes", bytes(range(256)), "not a PEM file with a key"
    yield "public", public_pem(), "a public key; signing requires the private key"
    yield "password", private_pem(secret=b"x"), "a key with a password"
    yield "rsa", private_pem(rsa.generate_private_key(65537, 2048)), "a key for RSA, not for Ed25519"
    yield "ec", private_pem(ec.generate_private_key(ec.SECP256R1())), "a key for ECPrivate"
    yield "ed448", private_pem(ed448.Ed448PrivateKey.generate()), "a key for Ed448"
    yield "half", private_pem()[:60], "a broken PEM file"
    yield "jwk", b'{"kty": "OKP", "crv": "Ed25519", "d": "x"}', "JSON, perhaps a JSON Web Key"
    yield "cert", b"-----BEGIN CERTIFICATE-----\n", "a certificate, not a key"
    yield "cosign", b"-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\n", "a cosign key"
    openssh = KEY.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, PLAIN)
    yield "ssh", openssh, "a key of OpenSSH"


@pytest.mark.parametrize(("pem", "words"), [pytest.param(pem, words, id=name) for name, pem, words in keys()])
def test_a_key_that_will_not_do_is_wrong_usage(folder: Path, pem: bytes, words: str) -> None:
    (folder / "key.pem").write_bytes(pem)
    result = sign(folder)
    assert result.exit_code == 2
    assert words.removesuffix("Private") in " ".join(result.stderr.split())
    assert not (api(folder) / "manifest.json.jws").exists()


def test_only_what_is_there_is_signed(folder: Path) -> None:
    (api(folder) / "images.json").write_text("{}")
    (api(folder) / "index.json").unlink()
    result = sign(folder)
    assert result.exit_code == 1
    assert "images.json: does not match its hash in the manifest (build the site again)" in result.stderr
    assert "index.json: listed in the manifest, but can't be read" in result.stderr
    assert not (api(folder) / "manifest.json.jws").exists()


def listing(folder: Path, documents: dict[str, str]) -> Path:
    """Replace what the manifest lists: path → SHA-256."""
    manifest = api(folder) / "manifest.json"
    listed = {path: {"sha256": sha256, "bytes": 1} for path, sha256 in documents.items()}
    manifest.write_text(json.dumps(json.loads(manifest.read_bytes()) | {"documents": listed}))
    return manifest


def test_a_manifest_that_lists_nothing_is_not_signed(folder: Path) -> None:
    manifest = listing(folder, {})
    result = sign(folder)
    assert result.exit_code == 1
    assert f"{manifest}: the manifest lists no document" in result.stderr
    assert not (api(folder) / "manifest.json.jws").exists()


@pytest.mark.parametrize(
    "path",
    [
        *("../secret.json", "../../secret.json", "a/../../secret.json", "..", ".", "", "/", "a//b", "a/"),
        *("{folder}/secret.json", "C:secret.json", "C:/secret.json", "..\\secret.json", "\\\\host\\secret"),
        *("%2e%2e/secret.json", "..%2fsecret.json", "%252e%252e/secret.json", "file:///secret.json"),
        *("images.json\n", "images.json\0", "\u202eimages.json", ".hidden.json", "images.json?x", "\ud800"),
    ],
)
def test_a_manifest_that_leads_out_of_the_api_is_not_signed(folder: Path, path: str) -> None:
    (folder / "secret.json").write_text("x")
    (api(folder).parent / "secret.json").write_text("x")
    path = path.format(folder=folder)
    manifest = listing(folder, {path: hashlib.sha256(b"x").hexdigest()})
    result = sign(folder)
    assert result.exit_code == 1, result.output
    (line, _) = result.stderr.splitlines()
    assert line.startswith(f"error: {manifest}: ")
    assert line.isprintable()
    assert not (api(folder) / "manifest.json.jws").exists()


@pytest.mark.parametrize(
    ("text", "words"), [(None, "does not exist"), ("[]", "not the manifest"), ("{", "not the manifest")]
)
def test_a_site_without_a_manifest_is_not_signed(folder: Path, text: str | None, words: str) -> None:
    manifest = api(folder) / "manifest.json"
    manifest.unlink() if text is None else manifest.write_text(text)
    result = sign(folder)
    assert result.exit_code == 1
    assert words in result.stderr


def test_a_missing_library_is_said_with_the_command_that_brings_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "mkdocs_catalog_api.publish.signature")
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    monkeypatch.delattr("mkdocs_catalog_api.publish.signature")
    result = sign(folder)
    assert result.exit_code == 1
    assert "extra `sign`" in result.stderr
    assert REQUIREMENT in result.stderr


def test_a_build_knows_nothing_of_keys(folder: Path) -> None:
    program = """
import sys
from mkdocs_catalog_api.commands.main import main
from mkdocs_catalog_api.commands.run import REQUIREMENT
main(sys.argv[1:], standalone_mode=False)
print([*{"cryptography", "mkdocs_catalog_api.publish.signature"} & sys.modules.keys()])
"""
    arguments = ["build", "-f", str(folder / "site/mkdocs.yml")]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], check=True, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


# Verifying


@given(st.binary(), st.binary())
def test_a_signature_is_for_these_bytes_alone(content: bytes, other: bytes) -> None:
    made = signature.sign(content, KEY)
    signature.verify(content, made, KEY.public_key())
    if other != content:
        with pytest.raises(RefusedError):
            signature.verify(other, made, KEY.public_key())
    with pytest.raises(RefusedError):
        signature.verify(content, made, Ed25519PrivateKey.generate().public_key())


@given(st.binary(max_size=200) | st.tuples(st.integers(0, 107), st.binary(max_size=2)))
def test_whatever_stands_in_place_of_a_signature_is_none(given: bytes | tuple[int, bytes]) -> None:
    right = signature.sign(b"{}", KEY)
    if isinstance(given, tuple):
        at, piece = given
        given = right[:at] + piece + right[at + 1 :]
    if given.strip() != right:
        with pytest.raises(RefusedError):
            signature.verify(b"{}", given, KEY.public_key())


@pytest.mark.parametrize("header", ['{"alg":"none"}', '{"alg":"HS256"}', '{"alg":"EdDSA","crit":["x"]}'])
def test_the_algorithm_is_never_taken_from_the_header(header: str) -> None:
    encoded = urlsafe_b64encode(header.encode()).rstrip(b"=")
    signed = b".".join([encoded, urlsafe_b64encode(b"{}").rstrip(b"=")])
    made = encoded + b".." + urlsafe_b64encode(KEY.sign(signed)).rstrip(b"=")
    with pytest.raises(RefusedError, match="not a signature written"):
        signature.verify(b"{}", made, KEY.public_key())


# Online


@pytest.fixture
def host(folder: Path) -> Iterator[Host]:
    """The site online, signed."""
    assert sign(folder).exit_code == 0
    with serving(api(folder)) as host:
        yield host


SITE = "https://example.org/catalog/"


def check(host: Host, folder: Path, *options: str, base: str = SITE) -> Result:
    """Verify the host as a preview of the site at `base`."""
    arguments = ["check-live", host.url, "--key", str(folder / "public.pem"), "--base", base, *options]
    return CliRunner().invoke(main, arguments)


def test_a_signed_site_is_verified_as_a_whole(host: Host, folder: Path) -> None:
    result = check(host, folder)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    generated_at = json.loads((api(folder) / "manifest.json").read_bytes())["generatedAt"]
    assert "valid signature" in result.stdout
    assert f"\ngeneratedAt: {generated_at}\nbase: https://example.org/catalog/api/v1\n" in result.stdout
    assert {path.relative_to(api(folder)).as_posix() for path in api(folder).rglob("*.json")} <= {*host.asked}
    summary = json.loads(check(host, folder, "--json").stdout)["summary"]
    assert summary["verified"] is True
    assert summary["generatedAt"] == generated_at
    assert summary["base"] == "https://example.org/catalog/api/v1"


def test_a_forged_document_is_found_through_the_manifest(host: Host, folder: Path) -> None:
    forged = (api(folder) / "images/alpha/index.json").read_bytes().replace(b"alpha", b"gamma")
    host.spoil("images/alpha/index.json", body=forged)
    result = check(host, folder)
    assert result.exit_code == 1
    assert "images/alpha/index.json: does not match its hash in the manifest" in result.stderr


def test_a_forged_manifest_is_found_through_the_signature(host: Host, folder: Path) -> None:
    manifest = (api(folder) / "manifest.json").read_bytes()
    host.spoil("manifest.json", body=manifest.replace(b"generatedAt", b"generatedat"))
    result = check(host, folder)
    assert result.exit_code == 1
    assert "manifest.json.jws: made for another manifest or with another key" in result.stderr
    assert "valid signature" not in result.stdout


def test_a_signature_that_is_missing_or_none_is_an_error(host: Host, folder: Path) -> None:
    host.spoil("manifest.json.jws", status=404)
    result = check(host, folder)
    assert result.exit_code == 1
    assert "manifest.json.jws: the host responds with 404, so there is no signature" in result.stderr
    host.spoil("manifest.json.jws", body=b"x" * 10**6)
    result = check(host, folder)
    assert result.exit_code == 1
    assert "not a signature written by `catalog-api sign`" in result.stderr


def told(result: Result) -> list[str]:
    """The problems of the manifest, without the address in front."""
    assert result.exit_code in (0, 1), result.output
    lines = [line for line in result.stderr.splitlines() if "/manifest.json: " in line]
    return [line.split(": ", 1)[0] + ": " + line.split("/manifest.json: ")[1] for line in lines]


def resigned(folder: Path, **changes: object) -> None:
    """Another manifest with a valid signature; None removes a field."""
    file = api(folder) / "manifest.json"
    manifest = json.loads(file.read_bytes()) | changes
    body = json.dumps({name: value for name, value in manifest.items() if value is not None}).encode()
    file.write_bytes(body)
    (api(folder) / "manifest.json.jws").write_bytes(signature.sign(body, KEY))


def ago(**time: int) -> str:
    return timestamp(datetime.now(UTC) - timedelta(**time))


@pytest.mark.parametrize(
    ("generated_at", "fault"),
    [
        (ago(days=2, hours=20), ""),
        (ago(minutes=-2), ""),
        (ago(days=3, hours=1), "built 3 days ago, on "),
        (ago(days=-1), "`generatedAt` is in the future: "),
        (None, "`generatedAt` is None, "),
        ("yesterday", "`generatedAt` is 'yesterday', "),
        ("2026-02-30T00:00:00Z", "`generatedAt` is '2026-02-30T00:00:00Z', "),
        ("9999-12-31T23:59:59-23:00", "`generatedAt` is '9999-12-31T23:59:59-23:00', "),
    ],
    ids=["in time", "clocks", "old", "future", "missing", "word", "no day", "overflow"],
)
def test_an_old_site_is_refused_though_its_signature_is_valid(
    host: Host, folder: Path, generated_at: str | None, fault: str
) -> None:
    resigned(folder, generatedAt=generated_at)
    assert check(host, folder).exit_code == 0, "without --max-age"
    result = check(host, folder, "--max-age", "3")
    assert "valid signature" in result.stdout
    assert result.exit_code == bool(fault)
    assert [line.startswith(f"error: {fault}") for line in told(result)] == [True] * bool(fault)


def test_more_days_than_any_calendar_has_are_wrong_usage(host: Host, folder: Path) -> None:
    assert check(host, folder, "--max-age", "9" * 15).exit_code == 2


@pytest.mark.parametrize(
    ("base", "other", "level"),
    [
        ("https://example.org/catalog/api/v1", "https://EXAMPLE.org:443/catalog", ""),
        ("https://example.org/catalog/api/v1", "https://example.org/catalog/api/v1/", ""),
        ("https://example.org/catalog/api/v1", "https://example.org/", "error"),
        ("https://example.org/catalog/api/v1", "http://example.org/catalog/", "error"),
        ("https://example.org/catalog/api/v1", "https://example.org.evil.example/catalog/", "error"),
        ("https://example.org:8443/catalog/api/v1", "https://example.org/catalog/", "error"),
        ("https://[/catalog/api/v1", SITE, "error"),
        ("", SITE, "error"),
        (None, SITE, "error"),
        ("/catalog/api/v1", SITE, "warning"),
        ("/other/api/v1", SITE, "error"),
    ],
)
def test_the_manifest_of_another_site_is_refused_though_its_signature_is_valid(
    host: Host, folder: Path, base: str | None, other: str, level: str
) -> None:
    resigned(folder, base=base)
    result = check(host, folder, base=other)
    assert "valid signature" in result.stdout
    assert result.exit_code == (level == "error")
    assert [line.partition(": ")[0] for line in told(result)] == [level] * bool(level)


def test_the_manifest_has_to_be_of_the_site_that_is_asked(host: Host, folder: Path) -> None:
    arguments = ["check-live", host.url, "--key", str(folder / "public.pem")]
    (fault,) = told(CliRunner().invoke(main, arguments))
    assert fault.startswith("error: `base` is 'https://example.org/catalog/api/v1', not 'http://127.0.0.1:")
    resigned(folder, base=f"{host.url}api/v1")
    assert CliRunner().invoke(main, arguments).exit_code == 0
    assert CliRunner().invoke(main, ["check-live", host.url]).exit_code == 0, "without a key"


def test_no_address_of_a_site_is_wrong_usage(host: Host, folder: Path) -> None:
    assert check(host, folder, base="example.org").exit_code == 2
    assert host.asked == []


@pytest.mark.parametrize(
    "pem",
    [private_pem(), b"", public_pem(ec.generate_private_key(ec.SECP256R1()))],
    ids=["private", "empty", "of another kind"],
)
def test_what_is_no_public_key_is_wrong_usage(host: Host, folder: Path, pem: bytes) -> None:
    (folder / "public.pem").write_bytes(pem)
    assert check(host, folder).exit_code == 2
    assert host.asked == []
