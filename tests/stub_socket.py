"""A provider of WebSockets on the loopback interface: it talks as a test tells it to."""

import asyncio
from collections.abc import Awaitable, Callable
from threading import Event, Thread
from typing import Self

from aiohttp import web

Talk = Callable[[web.WebSocketResponse], Awaitable[object]]
Answer = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class StubSocket:
    """A provider that runs as long as its `with` block; `asked` are the headers and paths of its openings.

    Every WebSocket is given to `talk`, unless `answer` answers the opening itself.
    """

    def __init__(self, talk: Talk, *, answer: Answer | None = None, protocols: tuple[str, ...] = ()) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        self._talk, self._answer, self._protocols = talk, answer, protocols
        self._ready = Event()
        self._thread = Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._leave.set)
        self._thread.join()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self._port}"

    async def _serve(self) -> None:
        self._loop, self._leave = asyncio.get_running_loop(), asyncio.Event()
        runner = web.ServerRunner(web.Server(self._handle, access_log=None), shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self._port = runner.addresses[0][1]
        self._ready.set()
        await self._leave.wait()
        await runner.cleanup()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.asked.append((request.raw_path, headers))
        if self._answer is not None:
            return await self._answer(request)
        socket = web.WebSocketResponse(protocols=self._protocols, max_msg_size=0)
        socket.headers["x-request-id"] = "req_1"
        await socket.prepare(request)
        await self._talk(socket)
        return socket
