"""The signature of the manifest: `manifest.json.jws`, a JSON Web Signature with detached content (RFC 7515,
appendix F) by Ed25519 (RFC 8037).

Through the manifest's hashes it covers every document. The algorithm is fixed: the header must equal the
one that `sign` writes, byte for byte, since the file's own claims can't be trusted.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from ..problems import RefusedError

MOST = 4096
"""Maximum size of a signature file in bytes."""

_NEW_KEY = "make one with `openssl genpkey -algorithm ed25519 -out key.pem`"
_PUBLIC = "get the public key with `openssl pkey -in key.pem -pubout -out public.pem`"


def private_key(pem: bytes) -> Ed25519PrivateKey:
    """The key in a PEM file (PKCS #8).

    Raises:
        RefusedError: the bytes contain something else.
    """
    if b"PUBLIC KEY" in pem:
        raise RefusedError(
            "a public key; signing requires the private key", "give the file with the private key"
        )
    _check(pem, _NEW_KEY)
    try:
        key = load_pem_private_key(pem, password=None)
    except TypeError:
        hint = "remove the password with `openssl pkey -in key.pem -out plain.pem`"
        raise RefusedError("a key with a password, which CI can't enter", hint) from None
    except (ValueError, UnsupportedAlgorithm):
        raise RefusedError("a broken PEM file, or an unknown kind of key", _NEW_KEY) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise RefusedError(f"{_kind(key)}, not for Ed25519", _NEW_KEY)
    return key


def public_key(pem: bytes) -> Ed25519PublicKey:
    """The key in a PEM file (SubjectPublicKeyInfo).

    Raises:
        RefusedError: the bytes contain something else, such as a private key.
    """
    if b"PRIVATE KEY" in pem:
        raise RefusedError("a private key, which must remain where it signs", _PUBLIC)
    _check(pem, _PUBLIC)
    try:
        key = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm):
        raise RefusedError("a broken PEM file, or an unknown kind of key", _PUBLIC) from None
    if not isinstance(key, Ed25519PublicKey):
        raise RefusedError(f"{_kind(key)}, not for Ed25519", _NEW_KEY)
    return key


def _check(pem: bytes, hint: str) -> None:
    """Name a kind of file that is often mistaken for a PEM file with a key."""
    start = pem.lstrip()
    if not start:
        raise RefusedError("an empty file", hint)
    if b"OPENSSH PRIVATE KEY" in pem or start.startswith((b"ssh-", b"ecdsa-")):
        raise RefusedError("a key of OpenSSH, not PEM", hint)
    if b"BEGIN CERTIFICATE" in pem:
        raise RefusedError("a certificate, not a key", hint)
    if b"SIGSTORE" in pem or b"COSIGN" in pem:
        raise RefusedError("a cosign key, which is encrypted in a special form", hint)
    if start.startswith(b"{"):
        raise RefusedError("JSON, perhaps a JSON Web Key; the key must be PEM", hint)
    if b"-----BEGIN " not in pem:
        raise RefusedError("not a PEM file with a key", hint)


def _kind(key: object) -> str:
    """`a key for RSA` of a class RSAPrivateKey."""
    name = type(key).__name__.lstrip("_")
    return f"a key for {name.removesuffix('Key').removesuffix('Private').removesuffix('Public')}"


def sign(manifest: bytes, key: Ed25519PrivateKey) -> bytes:
    """The signature of these bytes: `header..signature`, in ASCII without a line end."""
    return _HEADER + b".." + _base64(key.sign(_signed(manifest)))


def verify(manifest: bytes, signature: bytes, key: Ed25519PublicKey) -> None:
    """Check that this is the signature of these bytes by this key.

    Raises:
        RefusedError: the signature is invalid.
    """
    header, _, signed = signature.strip().partition(b"..")
    try:
        raw = urlsafe_b64decode(signed + b"==")
        if header != _HEADER or _base64(raw) != signed:
            raise ValueError
    except ValueError:
        raise RefusedError("not a signature written by `catalog-api sign`") from None
    try:
        key.verify(raw, _signed(manifest))
    except InvalidSignature:
        raise RefusedError("made for another manifest or with another key") from None


def _base64(data: bytes) -> bytes:
    return urlsafe_b64encode(data).rstrip(b"=")


def _signed(content: bytes) -> bytes:
    """The signed bytes (RFC 7515, section 5.1): those of a file with attached content."""
    return _HEADER + b"." + _base64(content)


_HEADER = _base64(b'{"alg":"EdDSA"}')
