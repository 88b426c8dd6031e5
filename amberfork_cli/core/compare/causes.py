"""Why a request differs, in words: what completes the sentence `Forked at #4: …`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from amberfork_cli.core.compare.alignment import align
from amberfork_cli.core.compare.bodies import Finding
from amberfork_cli.core.compare.report import (
    MISSING,
    Difference,
    Kind,
    Origin,
    Piece,
    Side,
    Words,
    ours,
    quoted,
)
from amberfork_cli.core.compare.values import text_of_json
from amberfork_cli.core.compare.words import call_words, content_said, first_words, result_words, value_words
from amberfork_cli.core.dialects.model import Message, Role, ToolCall, ToolResult
from amberfork_cli.core.paths import to_text
from amberfork_cli.core.tape import JsonValue

_MOST_SETTINGS = 3
_VALUE_CELLS = 32


def cause(findings: Sequence[Finding]) -> tuple[Origin, Words]:
    """Where a change came from, and what it is: told of the first finding that counts, settings together.

    A difference of spelling or form is told only where nothing else differs.
    """
    strong = [finding for finding in findings if not _weak(finding)] or list(findings)
    first = strong[0]
    same = [finding for finding in strong if finding.origin is first.origin]
    words = tuple(_TOLD[first.origin](same))
    later = [finding for finding in strong if finding.origin is not first.origin]
    if first.origin in (Origin.SETTINGS, Origin.TOOLS, Origin.SYSTEM_PROMPT) and later:
        return first.origin, (*words, ours(", and "), *cause(later)[1])
    return first.origin, words


def turn_words(verb: str, results: Sequence[ToolResult]) -> Words:
    """That turns were dropped or inserted, as `verb` says, of which nothing but their results is at hand."""
    calls = [result.answers for result in results if result.answers is not None]
    return (ours(f"a turn was {verb}: "), *_calls_and_results(calls, len(results)))


def _weak(finding: Finding) -> bool:
    return all(difference.kind.weak for difference in finding.spot.differences)


def _model_output(found: Sequence[Finding]) -> Iterator[Piece]:
    first = next((finding for finding in found if any(finding.calls)), found[0])
    old, new = first.calls
    if not first.old or not first.new:
        yield from _hunk(found)
    elif first.spot.differences[0].kind is Kind.REORDERED:
        yield ours(f"the {_count(first)} calls of one turn came in another order")
    elif bool(first.old[0].calls) is not bool(first.new[0].calls):
        yield from _instead(first.old, first.new)
    elif old is not None and new is not None:
        yield from _call(first, old, new)
    elif new is not None:
        yield from (ours("the model also called "), *call_words(new))
    elif old is not None:
        yield from (ours("the model no longer called "), *call_words(old))
    else:
        yield ours("the model's answer " + ("is written differently" if _weak(first) else "changed"))


def _instead(old: Sequence[Message], new: Sequence[Message]) -> Iterator[Piece]:
    """A call where there was an answer, or the other way round."""
    made = next((call for message in old for call in message.calls), None)
    if made is not None:
        yield from (ours("the model answered instead of calling "), *call_words(made))
        return
    call = next(call for message in new for call in message.calls)
    yield from (ours("the model called "), *call_words(call), ours(" instead of answering"))


def _call(finding: Finding, old: ToolCall, new: ToolCall) -> Iterator[Piece]:
    """Two calls of one place: another tool, another argument, another spelling."""
    if old.name != new.name:
        yield from _other_tool(old, new)
        return
    differences = finding.spot.differences
    if _weak(finding):
        yield from (ours("the arguments of "), quoted(new.name), ours(" are spelled differently"))
        return
    yield from (ours("the model called "), quoted(new.name))
    strong = [difference for difference in differences if not difference.kind.weak]
    yield from _argument(strong[0])
    if len(strong) > 1:
        others = len(strong) - 1
        yield ours(f", and {others} more argument{'' if others == 1 else 's'}")


def _argument(difference: Difference) -> Iterator[Piece]:
    path = difference.path[1:] if difference.path[:1] == ("arguments",) else difference.path
    name = to_text(path)
    if not name:
        yield ours(" with other arguments")
    elif difference.kind is Kind.ADDED:
        yield from (ours(" with "), quoted(f"{name}="), *_value(difference.reissued), ours(" added"))
    elif difference.kind is Kind.REMOVED:
        yield from (ours(" without "), quoted(name))
    else:
        yield from (
            ours(" with "),
            quoted(f"{name}="),
            *_value(difference.reissued),
            ours(", not "),
            *_value(difference.recorded),
        )


def _value(side: Side) -> Words:
    if side is MISSING:
        return (ours("nothing"),)
    if isinstance(side, bytes):
        return (ours(f"{len(side)} bytes"),)
    return value_words(_plain(side), _VALUE_CELLS)


def _plain(side: Side) -> JsonValue:
    return None if side is MISSING or isinstance(side, bytes) else side


def _tool_result(found: Sequence[Finding]) -> Iterator[Piece]:
    first = found[0]
    kinds = {difference.kind for finding in found for difference in finding.spot.differences}
    if (not first.old and not first.new) or (
        bool(first.old) is not bool(first.new) and Kind.REORDERED not in kinds
    ):
        yield from _hunk(found)
    elif first.spot.differences[0].kind is Kind.REORDERED:
        yield ours(f"the {_count(first)} results of one parallel batch came in another order")
    elif first.spot.differences[0].kind is Kind.ORPHAN:
        yield ours("a result answers a call that nobody made")
    elif first.spot.differences[0].kind is Kind.LINK:
        yield from _links(found)
    else:
        yield from _of_other_calls(first) or _result_changed(first)


def _of_other_calls(finding: Finding) -> Words:
    """That two results are of calls of different tools; nothing where they are not."""
    sides = [
        [result for message in side for result in message.results] for side in (finding.old, finding.new)
    ]
    calls = [results[0].answers if len(results) == 1 else None for results in sides]
    if calls[0] is None or calls[1] is None or calls[0].name == calls[1].name:
        return ()
    return _other_tool(calls[0], calls[1])


def _other_tool(old: ToolCall, new: ToolCall) -> Words:
    return (ours("the model called "), quoted(new.name), ours(" instead of "), quoted(old.name))


def _result_changed(finding: Finding) -> Words:
    verb = "is written differently" if _weak(finding) else "changed"
    words = result_words(finding.result) if finding.result else (ours("tool result"),)
    return (ours("the "), *words, ours(f" {verb}"))


def _links(found: Sequence[Finding]) -> Iterator[Piece]:
    links = [
        difference
        for finding in found
        for difference in finding.spot.differences
        if difference.kind is Kind.LINK
    ]
    if len(links) == 2 and links[0].recorded_words == links[1].reissued_words:
        yield from (
            ours("the results of "),
            *links[0].recorded_words,
            ours(" and "),
            *links[1].recorded_words,
        )
        yield ours(" are swapped")
    else:
        yield from (
            ours("a result answers "),
            *links[0].reissued_words,
            ours(", not "),
            *links[0].recorded_words,
        )


def _count(finding: Finding) -> int:
    """How many elements a reordered batch has."""
    order = finding.spot.differences[0].reissued
    return len(order) if isinstance(order, list) else 0


def _hunk(found: Sequence[Finding]) -> Iterator[Piece]:
    """Messages that only one side has: a turn, or what can be said of them."""
    dropped, inserted = ([finding for finding in found if side(finding)] for side in (_only_old, _only_new))
    if dropped and inserted:
        yield from _exchanged(dropped[0].old, inserted[0].new)
        return
    verb = "dropped" if dropped else "inserted"
    messages = dropped[0].old if dropped else found[0].new
    if found[0].again:
        (call, *_), *_ = (message.calls for message in messages if message.calls)
        failed = any(_failed(result) for message in messages for result in message.results)
        how = " failed once and was called again" if failed else " was called twice"
        yield from (ours("a turn was inserted: "), *call_words(call), ours(how))
    elif messages and all(message.calls for message in messages):  # their results stand further down
        yield from (ours(f"the model {'no longer' if dropped else 'also'} called "), *_turn(messages))
    elif any(message.calls for message in messages):
        yield from (ours(f"a turn was {verb}: "), *_turn(messages))
    elif messages and messages[0].results:
        yield from (ours("the "), *result_words(messages[0].results[0]), ours(f" was {verb}"))
    else:
        said = _SAYS.get(messages[0].role if messages else Role.UNKNOWN, "a message")
        yield ours(f"{said} was {verb}")


def _exchanged(old: Sequence[Message], new: Sequence[Message]) -> Iterator[Piece]:
    """Messages in the place of others."""
    calls = [any(message.calls for message in side) for side in (old, new)]
    if calls[0] is not calls[1] and old[0].role is new[0].role is Role.ASSISTANT:
        yield from _instead(old, new)
    else:
        yield from (*_turn(old), ours(" gave way to "), *_turn(new))


def _failed(result: ToolResult) -> bool:
    """Whether a result says that its call failed, by its status or by an `error` member."""
    said = content_said(result.content)
    held = text_of_json(said) if isinstance(said, str) else said
    return result.failed or (isinstance(held, dict) and "error" in held)


def _only_old(finding: Finding) -> bool:
    return bool(finding.old) and not finding.new


def _only_new(finding: Finding) -> bool:
    return bool(finding.new) and not finding.old


_SAYS = {
    Role.USER: "a user's message",
    Role.ASSISTANT: "an answer of the model",
    Role.TOOL: "a tool result",
    Role.SYSTEM: "a system prompt",
}


def _turn(messages: Sequence[Message]) -> Words:
    """The calls of some messages and that they have results."""
    calls = [call for message in messages for call in message.calls]
    if not calls:
        return (ours(_SAYS.get(messages[0].role if messages else Role.UNKNOWN, "a message")),)
    return _calls_and_results(calls, sum(len(message.results) for message in messages))


def _calls_and_results(calls: Sequence[ToolCall], results: int) -> Words:
    """`f(…) and its result`; of more than two calls the others are counted."""
    words: list[Piece] = []
    for number, call in enumerate(calls[:2]):
        words += ([ours(" and ")] if number else []) + [*call_words(call)]
    if len(calls) > 2:
        words.append(ours(f" and {len(calls) - 2} more"))
    if not calls:
        return (ours("a tool result" if results == 1 else f"{results} tool results"),)
    if results:
        words.append(ours(" and its result" if len(calls) == 1 else " and their results"))
    return tuple(words)


def _user_prompt(found: Sequence[Finding]) -> Iterator[Piece]:
    if bool(found[0].old) is not bool(found[0].new):
        yield from _hunk(found)
    else:
        yield ours("the user's message " + ("is written differently" if _weak(found[0]) else "changed"))


def _system_prompt(found: Sequence[Finding]) -> Iterator[Piece]:
    difference = found[0].spot.differences[0]
    if isinstance(difference.recorded, str) and isinstance(difference.reissued, str):
        count = _changed_words(difference.recorded, difference.reissued)
        words = f"{count} word{'' if count == 1 else 's'} in {len(difference.recorded):,} characters"
        yield ours(f"the system prompt changed ({words})")
    elif difference.kind in (Kind.ADDED, Kind.REMOVED) and not difference.path:
        yield ours(f"the system prompt was {difference.kind.value}")
    else:
        yield ours("the system prompt " + ("is written differently" if _weak(found[0]) else "changed"))


def _changed_words(old: str, new: str) -> int:
    """How many words are not the same, counted on the side that has more of them."""
    blocks = align(old.split(), new.split())
    return sum(max(block.i2 - block.i1, block.j2 - block.j1) for block in blocks if not block.equal)


def _tools(found: Sequence[Finding]) -> Iterator[Piece]:
    changed = [
        finding.spot.label.removeprefix("tools.")
        for finding in found
        if finding.spot.label.startswith("tools.")
    ]
    differences = [difference for finding in found for difference in finding.spot.differences]
    one_sided = [d for d in differences if d.summary and d.kind in (Kind.ADDED, Kind.REMOVED)]
    parts: list[Words] = []
    if changed:
        parts.append((quoted(", ".join(changed[:_MOST_SETTINGS])), ours("'s schema")))
    named = [
        (quoted(", ".join(str(d.path[0]) for d in one_sided if d.kind is kind)), ours(f" {kind.value}"))
        for kind in (Kind.ADDED, Kind.REMOVED)
        if any(d.kind is kind for d in one_sided)
    ]
    if named:
        parts.append(
            tuple(
                piece
                for number, words in enumerate(named)
                for piece in ((ours(", "),) if number else ()) + words
            )
        )
    if not parts:
        reordered = any(difference.kind is Kind.REORDERED for difference in differences)
        yield ours("the tools came in another order" if reordered else "what is said about the tools changed")
        return
    yield ours("the tools changed: ")
    for number, part in enumerate(parts):
        yield from ((ours("; "),) if number else ()) + part


def _settings(found: Sequence[Finding]) -> Iterator[Piece]:
    """`the model changed from a to b, temperature from 0.7 to 0.2`."""
    plainly = False
    for number, finding in enumerate(found[:_MOST_SETTINGS]):
        name, difference = _setting(finding)
        values = difference is not None and MISSING not in (difference.recorded, difference.reissued)
        yield ours(", " if number else "")
        yield from name
        if _weak(finding):
            yield ours(" is spelled differently")
        elif difference is None:
            yield ours(" changed")
        elif not values:
            yield ours(f" was {difference.kind.value}")
        else:
            yield ours(" from " if plainly else " changed from ")
            yield from (*_bare(difference.recorded), ours(" to "), *_bare(difference.reissued))
        plainly = values and not _weak(finding)
    if len(found) > _MOST_SETTINGS:
        yield ours(f", and {len(found) - _MOST_SETTINGS} more settings")


def _setting(finding: Finding) -> tuple[Words, Difference | None]:
    """What a setting is called, and its difference, if there is one and no more.

    Some providers have the model in the path.
    """
    spot = finding.spot
    if len(spot.differences) > 1:
        return (quoted(spot.label),), None
    difference = spot.differences[0]
    models = _models(difference.recorded, difference.reissued) if spot.label == "path" else None
    if models is not None:
        return (ours("the model"),), replace(difference, recorded=models[0], reissued=models[1])
    name = quoted(spot.label + to_text(("", *difference.path))[len(to_text(("",))) :])
    return ((ours("the "), name) if spot.label == "model" else (name,)), difference


_MODEL = re.compile(r"(/models?/)([^/:]+)")


def _models(old: Side, new: Side) -> tuple[str, str] | None:
    """The models that two URL paths name, where nothing else in them differs."""
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    before, after = _MODEL.search(old), _MODEL.search(new)
    if before is None or after is None or _MODEL.sub(r"\1", old, count=1) != _MODEL.sub(r"\1", new, count=1):
        return None
    return before[2], after[2]


def _bare(side: Side) -> Words:
    """A value as a sentence names it: a short text without its quotes."""
    if isinstance(side, str) and side and side == first_words(side) and len(side) <= _VALUE_CELLS:
        return (quoted(side),)
    return _value(side)


def _response(found: Sequence[Finding]) -> Iterator[Piece]:
    first = found[0].spot.differences[0]
    if first.kind is Kind.STATUS:
        yield from (
            ours("the response was "),
            *_value(first.reissued),
            ours(", not "),
            *_value(first.recorded),
        )
    else:
        yield ours("the response changed")


def _body(found: Sequence[Finding]) -> Iterator[Piece]:
    if any(
        difference.kind in (Kind.LINK, Kind.ORPHAN)
        for finding in found
        for difference in finding.spot.differences
    ):
        yield ours("what the request refers to changed")
    else:
        yield ours("the body changed")


_TOLD: dict[Origin, Callable[[Sequence[Finding]], Iterator[Piece]]] = {
    Origin.MODEL_OUTPUT: _model_output,
    Origin.TOOL_RESULT: _tool_result,
    Origin.USER_PROMPT: _user_prompt,
    Origin.SYSTEM_PROMPT: _system_prompt,
    Origin.TOOLS: _tools,
    Origin.SETTINGS: _settings,
    Origin.RESPONSE: _response,
    Origin.BODY: _body,
}
