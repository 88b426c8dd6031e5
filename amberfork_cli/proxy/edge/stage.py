"""An edge that stands through many runs at one URL, with the service of one run behind it at a time.

A client that outlives a test, in a fixture of the session say, keeps the URL that it was made with. So the
URL stays, and what answers there changes with the test.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Final

from amberfork_cli.proxy.edge.answering import answer_whole
from amberfork_cli.proxy.edge.calls import FINAL_ERROR_HEADERS, Call
from amberfork_cli.proxy.edge.server import Edge, Service
from amberfork_cli.proxy.providers.upstreams import Upstream

if TYPE_CHECKING:
    from aiohttp.web import StreamResponse

_GRACE_S: Final = 1.0  # for what is under way when a run ends
_NOBODY: Final = "no test with a tape runs now, and the client that asks was made in one"


class Stage:
    """The edge and its `url`, from its making until `close`.

    Of this run `asked` counts the calls, and `fault` says what went wrong inside, if anything did.
    """

    def __init__(self) -> None:
        self._services = _Services()
        self._upstreams: dict[str, Upstream] = {}
        self.fault: str | None = None
        self._edge = Edge(self._services, self._upstreams, tell=self._tell)
        self._edge.__enter__()

    @property
    def url(self) -> str:
        """Where it is; a provider's name follows."""
        return self._edge.url

    @property
    def asked(self) -> int:
        """How many calls came since the run began."""
        return self._services.asked

    def begin(self, service: Service, upstreams: Mapping[str, Upstream]) -> None:
        """A run begins: its service answers."""
        self._upstreams.clear()
        self._upstreams.update(upstreams)
        self.fault = None
        self._services.asked = 0
        self.go_on(service)

    def go_on(self, service: Service) -> None:
        """Another service answers what is asked from now on."""
        self._run(self._services.begin(service))

    def end(self) -> None:
        """The run is over: what is under way has a second to end, and nobody answers any more."""
        self._run(self._services.end())

    def close(self) -> None:
        """Take the edge down."""
        self._edge.__exit__()

    def _tell(self, sentence: str) -> None:
        self.fault = self.fault or sentence

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._services.loop).result()


class _Services(Service):
    """Hands each call to the service of the moment, which keeps it to its end."""

    loop: asyncio.AbstractEventLoop

    def __init__(self) -> None:
        self.asked = 0
        self._now: Service | None = None
        self._begun: list[Service] = []
        self._calls: set[asyncio.Task[Any]] = set()

    async def open(self) -> None:
        self.loop = asyncio.get_running_loop()

    async def begin(self, service: Service) -> None:
        await service.open()
        self._begun.append(service)
        self._now = service

    async def answer(self, call: Call) -> StreamResponse:
        if self._now is None:
            body = call.error(404, "not_found_error", _NOBODY)
            return await answer_whole(call, 404, FINAL_ERROR_HEADERS, body)
        self.asked += 1
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - for the type: a call is answered in a task
        self._calls.add(task)
        try:
            return await self._now.answer(call)
        finally:
            self._calls.discard(task)

    async def end(self) -> None:
        self._now = None
        for cancels in (False, True):
            for task in self._calls if cancels else ():
                task.cancel()
            if self._calls:
                await asyncio.wait({*self._calls}, timeout=_GRACE_S)
        while self._begun:
            await self._begun.pop().close()

    async def close(self) -> None:
        await self.end()
