"""WebSockets under way: each lasts a moment longer than its agent, for what that said before it hung up."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Final

from amberfork_cli.proxy.edge.answering import break_off
from amberfork_cli.proxy.edge.calls import Call

if TYPE_CHECKING:
    from aiohttp.web import StreamResponse

_GRACE_S: Final = 1.0


class UnderWay:
    """The WebSockets that a service answers just now."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[StreamResponse]] = set()

    async def answer(self, call: Call, answering: Coroutine[Any, Any, StreamResponse]) -> StreamResponse:
        """What a WebSocket is answered with. It may be cancelled before what answers has come to its end."""
        task = asyncio.create_task(answering)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            break_off(call)
            asyncio.get_running_loop().call_later(_GRACE_S, task.cancel)
            raise

    async def end(self) -> None:
        """Wait for those whose agents have hung up; there may be no others."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _done(self, task: asyncio.Task[StreamResponse]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # it was raised to whoever still waited
