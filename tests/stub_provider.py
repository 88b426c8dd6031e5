"""A model provider on the loopback interface: it answers as a test tells it to, and no model is asked."""

import json
import ssl
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Self


@dataclass(frozen=True)
class Asked:
    """A request as the provider has it."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, read as JSON."""
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """What the provider says: a whole body, or pieces that are sent one by one, chunked.

    With `breaks_off`, the connection is cut where the end would be. With `raw`, these pieces are all that is
    sent, to the letter, and the connection ends after them.
    """

    body: bytes | Iterable[bytes] = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    breaks_off: bool = False
    raw: Iterable[bytes] | None = None


Say = Callable[[Asked], Answer]


class StubProvider:
    """A provider that runs as long as its `with` block; `asked` are the requests so far.

    With `tls` it is one for HTTPS.
    """

    def __init__(self, say: Say, *, tls: ssl.SSLContext | None = None) -> None:
        self.asked: list[Asked] = []
        self._server = _Server(self.asked, say)
        self._scheme = "http"
        if tls is not None:
            self._scheme = "https"
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._thread = Thread(target=lambda: self._server.serve_forever(0.01), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"{self._scheme}://127.0.0.1:{self._server.server_address[1]}"


def chat(text: str, **more: Any) -> Answer:
    """An answer of the Chat Completions API."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return Answer(json.dumps({**body, **more}).encode())


def chat_request(*said: str, **more: Any) -> bytes:
    """A request of the Chat Completions API: user and assistant take turns."""
    roles = ("user", "assistant")
    messages = [{"role": roles[turn % 2], "content": text} for turn, text in enumerate(said)]
    return json.dumps({"model": "m", "messages": messages, **more}).encode()


def chat_stream(*words: str, between: Callable[[], object] = lambda: None) -> Answer:
    """The same as an event stream, a word an event; `between` is called before every event but the first."""
    return Answer(_events(words, between), headers={"content-type": "text/event-stream"})


def _events(words: Iterable[str], between: Callable[[], object]) -> Iterator[bytes]:
    for number, word in enumerate(words):
        if number:
            between()
        choice = {"index": 0, "delta": {"role": "assistant", "content": word}, "finish_reason": None}
        chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        yield b"data: " + json.dumps({**chunk, "choices": [choice]}).encode() + b"\n\n"
    yield b"data: [DONE]\n\n"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 512

    def __init__(self, asked: list[Asked], say: Say) -> None:
        self.asked, self.say = asked, say
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, *_: object) -> None:
        """Tell of what goes wrong here, but for clients that are gone, which some tests want."""
        if not isinstance(sys.exception(), ConnectionError | ssl.SSLError):
            super().handle_error(*_)


class _Handler(BaseHTTPRequestHandler):
    server: "_Server"
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def _serve(self) -> None:
        length = int(self.headers.get("content-length", 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Asked(self.command, self.path, headers, self.rfile.read(length))
        self.server.asked.append(request)
        answer = self.server.say(request)
        if answer.raw is not None:
            for piece in answer.raw:
                self.wfile.write(piece)
                self.wfile.flush()
            self.close_connection = True
            return
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if isinstance(answer.body, bytes):
            self._whole(answer.body, answer)
        else:
            self._piecewise(answer.body, answer)

    def _whole(self, body: bytes, answer: Answer) -> None:
        self.send_header("content-length", str(len(body) + answer.breaks_off))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.close_connection = answer.breaks_off

    def _piecewise(self, pieces: Iterable[bytes], answer: Answer) -> None:
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        for piece in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
        if not answer.breaks_off:
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = answer.breaks_off

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = _serve  # noqa: N815 - http.server's names

    def log_message(self, *_: object) -> None:
        """Say nothing."""
