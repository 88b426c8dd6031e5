"""The WebSockets of a tape: which recorded one answers one that an agent opens, and where in it that stands.

What an agent says through a WebSocket rests on what it said before, so a message is looked up in the order of
its connection. Several connections may have one path, and be opened in another order than when they were
recorded: until they say different things, nobody can tell them apart, and nobody needs to. A message that is
not the next one but still to come is answered as well: of what an agent does at once, any part may be first.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from amberfork_cli.core.tape import Exchange
from amberfork_cli.proxy.replaying.recorded import Hit, Key, Miss, RecordedTape, RecordedTurn

_Said: TypeAlias = int
_NOTHING: Final[_Said] = 0


@dataclass(slots=True)
class Connection:
    """A recorded connection: the numbers of its exchanges, its opening apart, if the tape has it.

    `waiting` are those that may still be asked for, by what they are looked up by; the first `passed` are
    not among them.
    """

    opening: int | None = None
    turns: list[int] = field(default_factory=list)
    waiting: dict[Key, deque[int]] = field(default_factory=lambda: defaultdict(deque))
    passed: int = 0


@dataclass(slots=True)
class Playback:
    """One WebSocket of the agent: the recorded connection that answers it, and all that was said so far."""

    endpoint: bytes
    connection: Connection
    said: _Said = _NOTHING


class RecordedSockets:
    """What a tape answers through WebSockets; nothing takes longer on a longer tape."""

    def __init__(self, tape: RecordedTape) -> None:
        self._tape = tape
        self._connections: dict[bytes, list[Connection]] = defaultdict(list)
        self._free: dict[bytes, deque[Connection]] = defaultdict(deque)
        self._connection_of: dict[int, Connection] = {}
        self._said_with: dict[int, _Said] = {}
        self._waiting: dict[tuple[bytes, _Said], deque[int]] = defaultdict(deque)
        named: dict[tuple[bytes, str | None], Connection] = {}
        for turn in tape.turns:
            connection = self._connection_of[turn.number] = self._belonging(turn, named)
            if turn.opens:
                connection.opening = turn.number
            else:
                self._learn(turn, connection)

    def open(self, asked: Exchange) -> Playback | Miss:
        """What answers a WebSocket that is opened now, or what there is to say of a miss."""
        endpoint = self._tape.endpoint_of(asked)
        if free := self._free.get(endpoint):
            connection = free.popleft()
            if connection.opening is None:  # nobody knows how often it was opened
                free.append(connection)
            return Playback(endpoint, connection)
        openings = [each.opening for each in self._connections.get(endpoint, ()) if each.opening is not None]
        nearest = self._tape.reread(openings[-1]) if openings else self._but_for_its_query(asked)
        return Miss(len(openings), nearest)

    def open_again(self, nearest: Exchange) -> Playback:
        """What answers a WebSocket as a recorded one was, which stays as used or unused as it is."""
        return Playback(self._tape.endpoint_of(nearest), self._connection_of[nearest.number])

    def opening(self, playback: Playback) -> Exchange | None:
        """The exchange that answers the opening, used up by it; `None` where the tape has none."""
        number = playback.connection.opening
        return None if number is None else self._tape.use(number).exchange

    def look_up(self, playback: Playback, asked: Exchange) -> Hit | Miss:
        """The exchange that answers a message, used up by it, or what there is to say of a miss."""
        key = self._tape.key_of(asked)
        said, connection = _then(playback.said, key), playback.connection
        found = self._expected(connection)
        if found is None or self._said_with[found] != said:
            found = self._first(self._waiting.get((playback.endpoint, said)))
        if found is None:
            found = self._first(connection.waiting.get(key))
        if found is None:
            return self._missed(playback, asked, key)
        playback.connection, playback.said = self._connection_of[found], said
        return self._tape.use(found)

    def _missed(self, playback: Playback, asked: Exchange, key: Key) -> Hit | Miss:
        """Look for a message in another writing, if that may be, and else for the nearest."""
        connection = playback.connection
        again = [turn for turn in connection.turns if self._tape.recorded_key(turn) == key]
        if again:
            return Miss(len(again), self._tape.reread(again[-1]))
        nearest = self._nearest(connection)
        if nearest is not None and self._tape.is_loosely(nearest, asked, key):
            playback.said = self._said_with[nearest.number]
            return self._tape.use(nearest.number)
        return Miss(0, nearest)

    def _but_for_its_query(self, asked: Exchange) -> Exchange | None:
        """A recorded opening with the same path and another query, which names the model."""
        openings = (self._connections[endpoint][0].opening for endpoint in list(self._connections))
        recorded = (self._tape.reread(number) for number in openings if number is not None)
        path = asked.request.path.partition("?")[0]
        return next((each for each in recorded if each.request.path.partition("?")[0] == path), None)

    def _belonging(self, turn: RecordedTurn, named: dict[tuple[bytes, str | None], Connection]) -> Connection:
        """The connection that a turn belongs to, a new one where it is the first of it."""
        name = turn.endpoint, turn.connection
        if name not in named or (turn.opens and turn.connection is None):
            named[name] = Connection()
            self._connections[turn.endpoint].append(named[name])
            self._free[turn.endpoint].append(named[name])
        return named[name]

    def _learn(self, turn: RecordedTurn, connection: Connection) -> None:
        key = self._tape.recorded_key(turn.number)
        before = self._said_with[connection.turns[-1]] if connection.turns else _NOTHING
        said = self._said_with[turn.number] = _then(before, key)
        self._waiting[turn.endpoint, said].append(turn.number)
        connection.turns.append(turn.number)
        connection.waiting[key].append(turn.number)

    def _expected(self, connection: Connection) -> int | None:
        """The first turn of a connection that nobody has asked for."""
        turns = connection.turns
        while connection.passed < len(turns) and not self._tape.is_unused(turns[connection.passed]):
            connection.passed += 1
        return turns[connection.passed] if connection.passed < len(turns) else None

    def _first(self, waiting: deque[int] | None) -> int | None:
        """The first that nobody has asked for."""
        while waiting and not self._tape.is_unused(waiting[0]):
            waiting.popleft()
        return waiting[0] if waiting else None

    def _nearest(self, connection: Connection) -> Exchange | None:
        """The exchange that should have come, else the last one."""
        known = (self._expected(connection), *connection.turns[-1:], connection.opening)
        number = next((each for each in known if each is not None), None)
        return None if number is None else self._tape.reread(number)


def _then(said: _Said, key: Key) -> _Said:
    return hash((said, key))
