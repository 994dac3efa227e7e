"""The client for the network against servers that mean it ill."""

from __future__ import annotations

import gc
import gzip
import ipaddress
import ssl
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from mkdocs_catalog_api.network.client import Answer, Client, Limits, NoAnswerError, UnavailableError

from .fake_server import FakeServer, answer, drops, endless


@pytest.fixture
def server() -> Iterator[FakeServer]:
    gc.freeze()  # what is there already need not be looked at
    with FakeServer().running() as running:
        yield running
    gc.collect()  # a connection that was left open is a warning here, and so an error
    gc.unfreeze()


def ask(server: FakeServer, path: str = "/", **limits: float) -> Answer:
    given = {"silence": 10.0, "whole": 10.0} | limits
    with Client(Limits(retries=0, **given)) as client:  # type: ignore[arg-type]
        return client.ask(server.address + path)


Pieces = Callable[[], Iterable[bytes]]
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
DROPS: dict[str, Pieces] = {
    # Each would come to a good end if the client were patient enough.
    "head": drops(answer(b"{}", X_Long="x" * 200)),
    "100 Continue again and again": lambda: [b"HTTP/1.1 100 Continue\r\n\r\n"] * 100 + [answer(b"{}")],
    "chunks": lambda: [CHUNKED, *[b"1\r\n \r\n"] * 100, b"0\r\n\r\n"],
    "size of a chunk": drops(CHUNKED + b"1;" + b"x" * 200 + b"\r\n{\r\n0\r\n\r\n"),
    "trailers": lambda: [CHUNKED, b"0\r\n", *[b"X: y\r\n"] * 100, b"\r\n"],
    "body": drops(answer(b" " * 200)),
}
ENDLESS: dict[str, Pieces] = {
    "headers": endless(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
    "one header": endless(b"HTTP/1.1 200 OK\r\nX: ", b"y" * 1000),
    "body": endless(b"HTTP/1.1 200 OK\r\n\r\n", b" " * 1000),
    "chunks": endless(CHUNKED, b"3e8\r\n" + b" " * 1000 + b"\r\n"),
    "packed bomb": lambda: [answer(gzip.compress(bytes(10**7), mtime=0), Content_Encoding="gzip")],
}


@pytest.mark.parametrize("pieces", DROPS.values(), ids=DROPS)
def test_an_answer_in_drops_has_an_end(server: FakeServer, pieces: Pieces) -> None:
    server.scripts["/"] = pieces
    server.pause = 0.01
    with pytest.raises(NoAnswerError, match="no complete response"):
        ask(server, whole=0.3)


@pytest.mark.parametrize("pieces", ENDLESS.values(), ids=ENDLESS)
def test_an_answer_without_an_end_is_not_read_to_it(server: FakeServer, pieces: Pieces) -> None:
    server.scripts["/"] = pieces
    with pytest.raises(NoAnswerError, match=r"no complete response|larger than"):
        ask(server, size=100_000)


@pytest.mark.parametrize("status", ["302 Found", "503 Busy", "404 Not Found"])
def test_a_body_that_nobody_needs_is_not_read(server: FakeServer, status: str) -> None:
    head = f"HTTP/1.1 {status}\r\nLocation: /there\r\n\r\n".encode()
    server.scripts = {"/": endless(head, b" " * 1000), "/there": lambda: [answer(b"{}")]}
    if status.startswith("503"):
        with pytest.raises(UnavailableError, match="responds with 503"):
            ask(server)
    else:
        assert ask(server).status == (200 if status.startswith("302") else 404)


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("http://example.org/x", "not requested"),
        ("ftp://example.org/x", "not requested"),
        ("file:///etc/passwd", "not requested"),
        ("//example.org/x", "not requested"),
        ("https://user:secret@example.org/", "not requested"),
        ("https:///x", "No host"),
        ("http://[::1/", "Invalid"),
        ("/\x1b[31mred\x9b2J", "can't decode byte"),
        ("https://HOST/", "no complete response"),  # followed, and it speaks no TLS
        ("https://nowhere.invalid/", "can.t resolve nowhere.invalid"),
    ],
)
def test_a_redirect_leads_to_https_or_nowhere(server: FakeServer, location: str, said: str) -> None:
    """And what a server says reaches nobody's terminal as it is."""
    location = location.replace("HOST", server.host)
    server.scripts["/"] = lambda: [answer(b"", "302 Found", Location=location)]
    with pytest.raises((NoAnswerError, UnavailableError), match=said) as caught:
        ask(server)
    assert len(server.asked) == 1
    assert str(caught.value).isprintable()


def certificate(folder: Path) -> Path:
    """A file with a key and a certificate that it signed itself, for this machine."""
    key, now = Ed25519PrivateKey.generate(), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    made = builder.add_extension(here, critical=False).sign(key, None)
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    private = key.private_bytes(pem, form, serialization.NoEncryption())
    (folder / "server.pem").write_bytes(private + made.public_bytes(pem))
    return folder / "server.pem"


def test_all_of_it_holds_for_https(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate(tmp_path))
    with FakeServer(tls=tls).running() as server:
        server.scripts = {"/": lambda: [answer(b"{}")], "/drops": drops(answer(b"{}", X_Long="x" * 200))}
        with pytest.raises(NoAnswerError, match="certificate"):
            ask(server)
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "server.pem"))
        assert ask(server).body == b"{}"
        server.pause = 0.01
        with pytest.raises(NoAnswerError, match="no complete response"):
            ask(server, "/drops", whole=0.5)
