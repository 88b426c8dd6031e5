"""Tool calls in this process: found, checked, run at once, answered in their order.

What a tool or a model does wrong is an outcome, never an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from amberfork_cli.core import jsontext
from amberfork_cli.core.tape import JsonValue
from amberfork_cli.core.tools.arguments import NO_NAME, ArgumentFault, AskedCall, parse_arguments, read_call
from amberfork_cli.core.tools.invocation import Invocation, Message, Outcome
from amberfork_cli.core.tools.running import PlainFunctions, Ready, run, sentence
from amberfork_cli.core.tools.tool import Fault, Toolbox, ToolContext, idempotency_key

__all__ = [
    "ArgumentFault",
    "Invocation",
    "Message",
    "Outcome",
    "PlainFunctions",
    "Ready",
    "dispatch_all",
    "invoke",
    "invoke_all",
    "invoke_one",
    "parse_arguments",
    "prepare",
    "run",
]


async def invoke_one(
    tools: Toolbox, tool_call: object, context: object = None, *, coerce: bool = False
) -> Message:
    """The message that answers one tool call, with the result or what went wrong as JSON text.

    `context` is a ToolContext, or the values that one shall hold. `coerce` lets `"3"` pass for 3.
    """
    return (await invoke(tools, tool_call, context, coerce=coerce)).message()


async def dispatch_all(
    tools: Toolbox, tool_calls: Iterable[object] | None, context: object = None, *, coerce: bool = False
) -> list[Message]:
    """The messages that answer the calls of one turn, in the order of the calls, whatever ends first."""
    return [end.message() for end in await invoke_all(tools, tool_calls, context, coerce=coerce)]


async def invoke_all(
    tools: Toolbox, tool_calls: Iterable[object] | None, context: object = None, *, coerce: bool = False
) -> tuple[Invocation, ...]:
    """How the calls of one turn ended, all run at once, in the order of the calls.

    Where the context has an idempotency key, it stands for the turn, and each call gets one made from it.
    """
    import asyncio

    base = ToolContext.of(context)
    calls = [read_call(tool_call) for tool_call in tool_calls or ()]
    return tuple(
        await asyncio.gather(
            *(
                invoke(tools, call, _of_turn(base, position, call), coerce=coerce)
                for position, call in enumerate(calls)
            )
        )
    )


async def invoke(
    tools: Toolbox,
    tool_call: object,
    context: object = None,
    *,
    coerce: bool = False,
    timeout_ms: float | None = None,
    plain: PlainFunctions = PlainFunctions.ON_THREADS,
    on_start: Callable[[], None] | None = None,
) -> Invocation:
    """How one tool call ended.

    `timeout_ms` takes the place of the tool's own limit. `on_start` is called when the tool begins, on the
    thread where it does.
    """
    ready = prepare(tools, tool_call, coerce=coerce)
    if isinstance(ready, Invocation):
        return ready
    return await run(ready, ToolContext.of(context), timeout_ms=timeout_ms, plain=plain, on_start=on_start)


def prepare(tools: Toolbox, tool_call: object, *, coerce: bool = False) -> Ready | Invocation:
    """The call ready to run; or, where it cannot run, the end that it comes to."""
    call = tool_call if isinstance(tool_call, AskedCall) else read_call(tool_call)
    tool = tools.get(call.name) if call.name is not None else None
    if tool is None:
        return _refused(call, Outcome.UNKNOWN, _unknown(call, tools))
    arguments = parse_arguments(call.arguments)
    if isinstance(arguments, ArgumentFault):
        return _refused(call, Outcome.INVALID, str(arguments))
    try:
        checked = tool.schema.check(arguments, coerce=coerce)
    except Exception as error:  # a validator of the user's own, which pydantic lets through
        return _refused(call, Outcome.INVALID, f"the arguments cannot be checked: {sentence(error)}")
    if checked.faults:
        return replace(_refused(call, Outcome.INVALID, _unfit(checked.faults)), details=checked.faults)
    return Ready(tool, checked.arguments, call.call_id)


def _of_turn(context: ToolContext, position: int, call: AskedCall) -> ToolContext:
    if context.idempotency_key is None:
        return context
    key = idempotency_key(context.idempotency_key, position, call.call_id)
    return replace(context, idempotency_key=key)


def _refused(call: AskedCall, outcome: Outcome, error: str) -> Invocation:
    return Invocation(outcome, call.name or NO_NAME, call.call_id, error=error)


def _unknown(call: AskedCall, tools: Toolbox) -> str:
    """That there is no such tool, and which ones it might have meant."""
    from difflib import get_close_matches

    if call.name is None:
        return "the call names no tool"
    shown = call.name if len(call.name) <= 64 else f"{call.name[:64]}…"
    close = get_close_matches(call.name[:64], [tool.name for tool in tools])
    return f"unknown tool {shown!r}" + (f"; did you mean {' or '.join(close)}?" if close else "")


def _unfit(faults: tuple[JsonValue, ...]) -> str:
    """The first fault; the details have them all."""
    first = faults[0]
    if isinstance(first, dict) and first.keys() == {"path", "message"}:
        first = str(Fault(str(first["path"]), str(first["message"])))
    said = first if isinstance(first, str) else jsontext.dumps(first).decode("utf-8")
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"the arguments do not fit: {said}{more}"
