"""How providers are reached: by HTTPS, whose authorities the environment names, and by way of a proxy."""

import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

import pytest
import truststore
from stub_provider import StubProvider, chat, chat_request

from amberfork_cli.proxy.edge.server import Edge
from amberfork_cli.proxy.providers.trust import provider_trust
from amberfork_cli.proxy.providers.upstreams import upstreams
from amberfork_cli.proxy.recording.relay import Relay
from amberfork_cli.proxy.replaying.reissue import Nowhere

HELLO = chat_request("Hello?")
ANSWERED = (200, chat("Hi.").body)
SPOKEN_OF = (
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "AWS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
)
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.mark.parametrize("variable", SPOKEN_OF)
def test_an_authority_that_the_environment_names_is_trusted(asking, certificate, variable, monkeypatch):
    """By whichever variable the agent's SDKs have it from."""
    monkeypatch.setenv(variable, str(certificate.parent if variable.endswith("DIR") else certificate))

    with secured(certificate) as provider:
        assert asking(provider) == ANSWERED


def test_an_authority_that_nobody_named_is_not_trusted(asking, certificate):
    """The agent is told what to do; nothing was said to whoever that is."""
    with secured(certificate) as provider:
        status, body = asking(provider)

    assert status == 502
    assert (
        f"no answer from {provider.url}/v1: its certificate is not trusted (self-signed certificate): "
        "SSL_CERT_FILE can name a file with the authority that issued it"
    ) in body.decode()
    assert provider.asked == []


def test_a_certificate_for_another_host_is_not_trusted(asking, certificate, monkeypatch):
    """No authority would change that."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    with secured(certificate) as provider:
        status, body = asking(provider, host="localhost")

    assert status == 502
    assert "its certificate is not trusted (Hostname mismatch, " in body.decode()
    assert "SSL_CERT_FILE" not in body.decode()


def test_a_file_of_authorities_that_is_not_there_changes_nothing(asking, certificate, monkeypatch, tmp_path):
    """Another that is there still counts."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "none.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    with secured(certificate) as provider:
        assert asking(provider) == ANSWERED


def test_authorities_are_found_where_python_finds_none(asking, certificate, monkeypatch, tmp_path):
    """As with Pythons that look for them elsewhere than this system has them."""
    for variable in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / "none"))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))

    with secured(certificate) as provider:
        assert asking(provider) == ANSWERED
    assert isinstance(provider_trust({}), truststore.SSLContext)


@pytest.mark.parametrize("variable", ["https_proxy", "HTTPS_PROXY", "all_proxy"])
def test_a_provider_is_reached_by_way_of_a_proxy(asking, certificate, variable, monkeypatch):
    """As the environment wants it, with the credentials of the proxy, which no provider sees."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    with secured(certificate) as provider, tunnel() as (proxy, opened):
        monkeypatch.setenv(variable, proxy.replace("//", "//me:pw@"))
        answer = asking(provider)

    authority = provider.url.removeprefix("https://")
    assert (answer, opened) == (ANSWERED, [(f"CONNECT {authority} HTTP/1.1", "Basic bWU6cHc=")])
    assert "proxy-authorization" not in provider.asked[0].headers


def test_a_provider_that_needs_no_proxy_is_reached_without(asking, certificate, monkeypatch):
    """`NO_PROXY` names it."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "elsewhere,127.0.0.1")

    with secured(certificate) as provider:
        assert asking(provider) == ANSWERED


def test_a_proxy_that_is_not_spoken_is_told(asking, certificate, monkeypatch):
    """With its kind, and what to do."""
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")

    with secured(certificate) as provider:
        status, body = asking(provider)

    assert status == 502
    assert (
        "socks5 proxies are not gone through: name one for HTTP in HTTPS_PROXY, or the provider in NO_PROXY"
    ) in body.decode()


@pytest.fixture
def certificate(tmp_path):
    """A file with a certificate for 127.0.0.1 that has signed itself, in a folder as OpenSSL wants it."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs openssl, to make a certificate")
    both = tmp_path / "authorities" / "both.pem"
    both.parent.mkdir()
    key = [
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-keyout",
        tmp_path / "key.pem",
    ]
    name = ["-subj", "/CN=stub", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2", "-out", both]
    subprocess.run([openssl, "req", "-x509", *key, *name], check=True, capture_output=True)
    hashed = subprocess.run(
        [openssl, "x509", "-hash", "-noout", "-in", both], check=True, capture_output=True, text=True
    )
    (both.parent / f"{hashed.stdout.strip()}.0").symlink_to(both)
    return both


@pytest.fixture
def asking(monkeypatch):
    """Asks a provider by way of the edge, in an environment that says nothing of authorities and proxies."""
    for name in (*SPOKEN_OF, *PROXIES, *(name.upper() for name in PROXIES)):
        monkeypatch.delenv(name, raising=False)

    def asking(provider, host="127.0.0.1"):
        url = provider.url.replace("127.0.0.1", host)
        found = upstreams({}, named=[f"openai={url}/v1"])
        with Edge(Relay(Nowhere()), found, tell=lambda _: None) as edge:
            asked = edge.url.removeprefix("http://127.0.0.1:")
            return _asked(int(asked))

    return asking


def _asked(port):
    from http.client import HTTPConnection

    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("POST", "/openai/v1/chat/completions", HELLO, {"content-type": "application/json"})
    response = connection.getresponse()
    answer = response.status, response.read()
    connection.close()
    return answer


@contextmanager
def secured(certificate) -> Iterator[StubProvider]:
    """A provider for HTTPS with that certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.parent.parent / "key.pem")
    with StubProvider(lambda _: chat("Hi."), tls=context) as provider:
        yield provider


@contextmanager
def tunnel() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """A proxy for HTTPS: where it is, and what it was asked to open, by whom."""
    opened: list[tuple[str, str]] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        Thread(target=_open_tunnels, args=(server, opened), daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", opened


def _open_tunnels(server, opened):
    with suppress(OSError):  # it is closed with the test
        while True:
            agent, _ = server.accept()
            lines = iter(agent.makefile("rb").readline, b"\r\n")
            asked, *headers = (line.decode().rstrip() for line in lines)
            said = dict(header.split(": ", 1) for header in headers)
            opened.append((asked, said.get("Proxy-Authorization")))
            host, _, port = asked.split()[1].partition(":")
            provider = socket.create_connection((host, int(port)))
            agent.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            for ends in ((agent, provider), (provider, agent)):
                Thread(target=_pump, args=ends, daemon=True).start()


def _pump(source, sink):
    with suppress(OSError):
        while piece := source.recv(65536):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)
