"""Clients that no recorder would wish for: broken, slow, or from elsewhere."""

import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

import orjson

_HEAD = b"POST /openai/openai/v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n"
_CHUNKED = _HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
_ENDLESS = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"

BROKEN = {
    "nothing": b"",
    "another protocol": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
    "no HTTP": b"what is this\r\n\r\n",
    "half a line": b"POST /openai/v1/ch",
    "half a head": _HEAD,
    "a header without end": _HEAD + b"X-Long: " + b"x" * (1 << 20),
    "headers without end": _HEAD + b"X-Many: x\r\n" * 20_000,
    "a length that is no number": _HEAD + b"Content-Length: nine\r\n\r\n123456789",
    "a length below nothing": _HEAD + b"Content-Length: -9\r\n\r\n",
    "two lengths": _HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
    "half a body": _HEAD + b'Content-Length: 900\r\n\r\n{"mark": "half", ',
    "a chunk of no size": _CHUNKED + b"zz\r\n",
    "chunks without end": _CHUNKED + _ENDLESS * 50,
}
"""What they send before they are gone."""

STRANGE = (
    {"Host": "evil.example"},
    {"Host": "127.0.0.1.evil.example"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"},
)
"""Headers of a web page's requests, or of a name that leads here although it is not ours."""


def break_off_at(port: int, content: bytes) -> None:
    """Send that, hear what there is to hear, and be gone without a word."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=0.02) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, no end
        with suppress(OSError):
            client.sendall(content)
        client.recv(1000)


def ask_strangely(port: int, headers: dict[str, str]) -> int:
    """The status that a request with such headers is answered with."""
    body = orjson.dumps({"mark": "strange", "stream": False, "size": 10})
    given = {"Host": "127.0.0.1", "Content-Length": str(len(body)), **headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(f"{_HEAD.decode().partition('Host')[0]}{lines}\r\n".encode() + body)
        return int(client.recv(100).split(maxsplit=2)[1])


@contextmanager
def slow_clients(port: int, number: int, *, answer: int = 5_000_000) -> Iterator[Callable[[], None]]:
    """So many clients that ask for a large stream; each call reads one byte of each."""
    with ExitStack() as stack:
        clients = [stack.enter_context(socket.socket()) for _ in range(number)]
        for name, client in enumerate(clients):
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", port))
            body = orjson.dumps({"mark": f"slow-{name}", "stream": True, "size": answer, "messages": []})
            client.sendall(_HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)

        def read() -> None:
            for client in clients:
                client.recv(1)

        yield read
