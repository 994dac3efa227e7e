"""The client for the network against servers that mean it ill."""

from __future__ import annotations

import gc
import gzip
import ipaddress
import ssl
from collections.abc import Iterator
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


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "pieces",
    [
        # Each would come to a good end if the client were patient enough.
        pytest.param(drops(answer(b"{}", X_Long="x" * 200)), id="head"),
        pytest.param(
            lambda: [b"HTTP/1.1 100 Continue\r\n\r\n"] * 100 + [answer(b"{}")],
            id="100 Continue again and again",
        ),
        pytest.param(lambda: [CHUNKED, *[b"1\r\n \r\n"] * 100, b"0\r\n\r\n"], id="chunks"),
        pytest.param(drops(CHUNKED + b"1;" + b"x" * 200 + b"\r\n{\r\n0\r\n\r\n"), id="size of a chunk"),
        pytest.param(lambda: [CHUNKED, b"0\r\n", *[b"X: y\r\n"] * 100, b"\r\n"], id="trailers"),
        pytest.param(drops(answer(b" " * 200)), id="body"),
    ],
)
def test_an_answer_in_drops_has_an_end(server: FakeServer, pieces: object) -> None:
    server.scripts["/"] = pieces  # type: ignore[assignment]
    server.pause = 0.01
    with pytest.raises(NoAnswerError, match="no complete response"):
        ask(server, whole=0.3)


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param(endless(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"), id="headers"),
        pytest.param(endless(b"HTTP/1.1 200 OK\r\nX: ", b"y" * 1000), id="one header"),
        pytest.param(endless(b"HTTP/1.1 200 OK\r\n\r\n", b" " * 1000), id="body"),
        pytest.param(endless(CHUNKED, b"3e8\r\n" + b" " * 1000 + b"\r\n"), id="chunks"),
        pytest.param(
            lambda: [answer(gzip.compress(bytes(10**7), mtime=0), Content_Encoding="gzip")], id="packed bomb"
        ),
    ],
)
def test_an_answer_without_an_end_is_not_read_to_it(server: FakeServer, pieces: object) -> None:
    server.scripts["/"] = pieces  # type: ignore[assignment]
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
    "location",
    [
        "http://example.org/x",
        "ftp://example.org/x",
        "file:///etc/passwd",
        "//example.org/x",
        "https://user:secret@example.org/",
        "https:///x",
        "http://[::1/",
    ],
)
def test_a_redirect_leads_to_https_or_nowhere(server: FakeServer, location: str) -> None:
    server.scripts["/"] = lambda: [answer(b"", "302 Found", Location=location)]
    with pytest.raises(NoAnswerError, match=r"not requested|No connection|Invalid|No host"):
        ask(server)
    assert len(server.asked) == 1


def test_a_redirect_to_https_is_followed(server: FakeServer) -> None:
    location = server.address.replace("http:", "https:")
    server.scripts["/"] = lambda: [answer(b"", "302 Found", Location=location)]
    with pytest.raises(UnavailableError, match="no complete response"):  # it speaks no TLS
        ask(server)
    assert len(server.asked) == 1


def test_what_a_server_says_reaches_nobody_s_terminal_as_it_is(server: FakeServer) -> None:
    server.scripts["/"] = lambda: [answer(b"", "302 Found", Location="/\x1b[31mred\x9b2J")]
    with pytest.raises(NoAnswerError) as caught:
        ask(server)
    assert str(caught.value).isprintable()


def certificate(folder: Path) -> Path:
    """A file with a key and a certificate that it signed itself, for this machine."""
    key, now = Ed25519PrivateKey.generate(), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    made = builder.add_extension(here, critical=False).sign(key, None)
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    file = folder / "server.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, form, plain)
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return file


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
