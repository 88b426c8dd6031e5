"""The tool calls of a tape, run again turn by turn and compared with what was recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeAlias

from amberfork_cli.core.compare.report import TapeFacts
from amberfork_cli.core.dialects.calls import tool_turns
from amberfork_cli.core.tape import Exchange, JsonValue, Tape
from amberfork_cli.core.tools.arguments import with_free_text
from amberfork_cli.core.tools.comparison import NOT_RECORDED, Comparison, compare
from amberfork_cli.core.tools.invocation import SIDE_EFFECT, Invocation, Outcome
from amberfork_cli.core.tools.moments import recorded_at
from amberfork_cli.core.tools.plan import Choice, Decision, PlannedCall, PlannedTurn, plan_run
from amberfork_cli.core.tools.run_report import CallReport, RunReport
from amberfork_cli.core.tools.tape_digest import TapeDigest
from amberfork_cli.core.tools.tool import ToolContext, idempotency_key
from amberfork_cli.worker.calls import CallFinished, CallRequest, CallResult, CallStarted, TurnEvent
from amberfork_cli.worker.client import WorkerClient

LEFT_OUT = "not run: left out"
INCOMPLETE = "not run: the recorded answer stops before the call is complete"


@dataclass(frozen=True, slots=True)
class TapePlan:
    """The calls of a tape and what is done with each.

    `digest` tells the tape from others, `moments` when its exchanges were recorded, as far as they say.
    """

    facts: TapeFacts
    turns: tuple[PlannedTurn, ...]
    digest: str
    moments: Mapping[int, datetime]

    @property
    def calls(self) -> int:
        """How many calls have a place in the report: all but those that the provider runs itself."""
        return sum(len(_reported(turn)) for turn in self.turns)


@dataclass(frozen=True, slots=True)
class CallBegun:
    """The tool of a call has begun to run; `exchange` is where the call stands on the tape."""

    exchange: int
    planned: PlannedCall


RunEvent: TypeAlias = CallBegun | CallReport


def plan_tape(tape: Tape, client: WorkerClient, choice: Choice) -> TapePlan:
    """What is done with each call of the tape, by the registry that the client has.

    Reads the whole tape. Raises TapeError, RegistryLoadError, and OptionError for names that mean nothing.
    """
    client.start()
    reading = _Reading()
    turns = tool_turns(reading.through(tape))
    effects = {tool.name: tool.effect for tool in client.describe()}
    facts = TapeFacts(tape.source, reading.exchanges, tape.left_out)
    return TapePlan(facts, plan_run(turns, effects, choice), reading.digest.hexdigest(), reading.moments)


def run_plan(
    plan: TapePlan,
    client: WorkerClient,
    *,
    registry: str,
    values: Any = None,
    check_only: bool = False,
    on_event: Callable[[RunEvent], None] = lambda _: None,
) -> RunReport:
    """Run the calls turn by turn, and compare each result with the recorded one.

    `values` are what tools find in their context. With `check_only` nothing runs: arguments are checked, and
    what would run is reported as skipped. `on_event` is told of each call as it begins and as it ends.
    """
    run = _Run(plan, client, {} if values is None else values, check_only, on_event)
    calls = [call for number, turn in enumerate(plan.turns) for call in run.turn(number, turn)]
    return RunReport(
        plan.facts,
        registry,
        tuple(calls),
        turns=len({call.turn for call in calls}),
        by_provider=sum(len(turn.calls) for turn in plan.turns) - plan.calls,
        restarts=client.restarts,
        strays=tuple(run.strays),
    )


@dataclass(slots=True)
class _Reading:
    """What is noted of each exchange as it goes by."""

    exchanges: int = 0
    moments: dict[int, datetime] = field(default_factory=dict)
    digest: TapeDigest = field(default_factory=TapeDigest)

    def through(self, tape: Tape) -> Iterator[Exchange]:
        for exchange in tape:
            self.exchanges += 1
            if (moment := recorded_at(exchange)) is not None:
                self.moments[exchange.number] = moment
            self.digest.add(exchange)
            yield exchange


def _reported(turn: PlannedTurn) -> tuple[PlannedCall, ...]:
    return tuple(call for call in turn.calls if call.decision is not Decision.BY_PROVIDER)


class _Run:
    """One pass over the turns of a plan."""

    def __init__(
        self,
        plan: TapePlan,
        client: WorkerClient,
        values: Any,
        check_only: bool,
        on_event: Callable[[RunEvent], None],
    ) -> None:
        self._plan, self._client, self._values = plan, client, values
        self._check_only, self._on_event = check_only, on_event
        self._schemas = {tool.name: tool.parameters for tool in client.describe()}
        self._number = 0
        self.strays: list[tuple[int, str]] = []

    def turn(self, number: int, turn: PlannedTurn) -> Sequence[CallReport]:
        """What became of the calls of one turn, in their order."""
        self._number = number
        sent = [call for call in _reported(turn) if self._is_sent(call)]
        begun = datetime.now(UTC)
        ran: dict[int, CallReport] = {}

        def tell(event: TurnEvent) -> None:
            if isinstance(event, CallStarted):
                self._on_event(CallBegun(turn.exchange, sent[event.position]))
            elif isinstance(event, CallFinished):
                call = sent[event.position]
                ran[call.position] = self._ran(turn, call, event.result, begun)
                self._on_event(ran[call.position])

        answered = self._client.run_turn([self._request(turn, call) for call in sent], on_event=tell)
        if answered.printed.text:
            self.strays.append((turn.exchange, answered.printed.text))
        return [ran.get(call.position) or self._not_run(turn, call) for call in _reported(turn)]

    def _is_sent(self, call: PlannedCall) -> bool:
        """Whether the worker sees the call; of an unknown tool it knows the names that are close."""
        return call.decision.runs or call.decision is Decision.UNKNOWN

    def _request(self, turn: PlannedTurn, call: PlannedCall) -> CallRequest:
        recorded = call.recorded
        call_id = recorded.call.id or ""
        key = idempotency_key(self._plan.digest, turn.exchange, call.position, call_id)
        result = recorded.result.result.content if recorded.result else None
        return CallRequest(
            call.tool,
            self._arguments(call),
            ToolContext(self._values, call_id, result, key),
            side_effect=call.decision is Decision.RUN_ALONE,
            check_only=self._check_only,
        )

    def _arguments(self, call: PlannedCall) -> JsonValue:
        """As recorded, but for free text, which goes to the only parameter of a tool that has one."""
        arguments = call.recorded.call.arguments
        schema = self._schemas.get(call.tool)
        if schema is None or not call.recorded.call.is_free_text or not isinstance(arguments, str):
            return arguments
        return with_free_text(arguments, schema)

    def _ran(self, turn: PlannedTurn, call: PlannedCall, result: CallResult, begun: datetime) -> CallReport:
        return CallReport(
            turn.exchange,
            self._number,
            call,
            result.invocation,
            self._comparison(turn, call, result.invocation, begun),
            printed=result.printed.text,
            printed_more=result.printed.more,
            runs=result.runs,
            state_lost=result.state_lost,
        )

    def _not_run(self, turn: PlannedTurn, call: PlannedCall) -> CallReport:
        outcome, error = {
            Decision.SIDE_EFFECT: (Outcome.SKIPPED, SIDE_EFFECT),
            Decision.LEFT_OUT: (Outcome.SKIPPED, LEFT_OUT),
            Decision.INCOMPLETE: (Outcome.INVALID, INCOMPLETE),
        }[call.decision]
        end = Invocation(outcome, call.tool, call.recorded.call.id or "", error=error)
        left_out = call.decision is Decision.LEFT_OUT
        comparison = None if left_out else self._comparison(turn, call, end, None)
        report = CallReport(turn.exchange, self._number, call, end, comparison)
        self._on_event(report)
        return report

    def _comparison(
        self, turn: PlannedTurn, call: PlannedCall, end: Invocation, begun: datetime | None
    ) -> Comparison:
        recorded = call.recorded.result
        return compare(
            recorded.result.content if recorded else NOT_RECORDED,
            end,
            failed=recorded.result.failed if recorded else False,
            recorded_at=self._plan.moments.get(turn.exchange),
            fresh_at=begun,
        )
