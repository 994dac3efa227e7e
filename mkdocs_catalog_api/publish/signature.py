"""The signature of the manifest: `manifest.json.jws`, a JSON Web Signature with detached content (RFC 7515,
appendix F) by Ed25519 (RFC 8037).

Through the manifest's hashes it covers every document. The algorithm is fixed: of what the file says about
itself nothing is believed, so the header has to be the one that `sign` writes, byte for byte.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from ..problems import RefusedError

MOST = 4096
"""Bytes of the largest file that is taken for a signature."""

_NEW_KEY = "make one with `openssl genpkey -algorithm ed25519 -out key.pem`"
_PUBLIC = "get the public key with `openssl pkey -in key.pem -pubout -out public.pem`"


def private_key(pem: bytes) -> Ed25519PrivateKey:
    """The key in a PEM file (PKCS #8).

    Raises:
        RefusedError: the bytes hold something else.
    """
    if b"PUBLIC KEY" in pem:
        raise RefusedError("a public key; only the private one can sign", "give the file that holds it")
    _check(pem, _NEW_KEY)
    try:
        key = load_pem_private_key(pem, password=None)
    except TypeError:
        hint = "take the password off with `openssl pkey -in key.pem -out plain.pem`"
        raise RefusedError("a key with a password, which nobody could type in CI", hint) from None
    except (ValueError, UnsupportedAlgorithm):
        raise RefusedError("a broken PEM file, or a kind of key that is not known", _NEW_KEY) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise RefusedError(f"{_kind(key)}, not one for Ed25519", _NEW_KEY)
    return key


def public_key(pem: bytes) -> Ed25519PublicKey:
    """The key in a PEM file (SubjectPublicKeyInfo).

    Raises:
        RefusedError: the bytes hold something else, a private key for one.
    """
    if b"PRIVATE KEY" in pem:
        raise RefusedError("a private key, which belongs nowhere but where it signs", _PUBLIC)
    _check(pem, _PUBLIC)
    try:
        key = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm):
        raise RefusedError("a broken PEM file, or a kind of key that is not known", _PUBLIC) from None
    if not isinstance(key, Ed25519PublicKey):
        raise RefusedError(f"{_kind(key)}, not one for Ed25519", _NEW_KEY)
    return key


def _check(pem: bytes, hint: str) -> None:
    """Name what is often taken for a PEM file with a key."""
    start = pem.lstrip()
    if not start:
        raise RefusedError("an empty file", hint)
    if b"OPENSSH PRIVATE KEY" in pem or start.startswith((b"ssh-", b"ecdsa-")):
        raise RefusedError("a key of OpenSSH, not PEM", hint)
    if b"BEGIN CERTIFICATE" in pem:
        raise RefusedError("a certificate, not a key", hint)
    if b"SIGSTORE" in pem or b"COSIGN" in pem:
        raise RefusedError("a key of cosign, which is encrypted in a form of its own", hint)
    if start.startswith(b"{"):
        raise RefusedError("JSON, perhaps a JSON Web Key; the key has to be PEM", hint)
    if b"-----BEGIN " not in pem:
        raise RefusedError("no PEM file with a key", hint)


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
        RefusedError: it is not.
    """
    header, _, signed = signature.strip().partition(b"..")
    try:
        raw = urlsafe_b64decode(signed + b"==")
        if header != _HEADER or _base64(raw) != signed:
            raise ValueError
    except ValueError:
        raise RefusedError("no signature as `catalog-api sign` writes it") from None
    try:
        key.verify(raw, _signed(manifest))
    except InvalidSignature:
        raise RefusedError("made for another manifest or with another key") from None


def _base64(data: bytes) -> bytes:
    return urlsafe_b64encode(data).rstrip(b"=")


def _signed(content: bytes) -> bytes:
    """What is signed (RFC 7515, section 5.1): the content as if it stood in the file."""
    return _HEADER + b"." + _base64(content)


_HEADER = _base64(b'{"alg":"EdDSA"}')
