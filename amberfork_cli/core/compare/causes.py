"""Why a request differs, in words: what completes the sentence `Forked at #4: …`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from amberfork_cli.core.compare.alignment import align
from amberfork_cli.core.compare.finding import Finding
from amberfork_cli.core.compare.lookalikes import apart
from amberfork_cli.core.compare.report import (
    MISSING,
    Difference,
    Kind,
    Origin,
    Piece,
    Side,
    Words,
    ours,
    plain,
    quoted,
)
from amberfork_cli.core.compare.values import text_of_json
from amberfork_cli.core.compare.words import call_words, content_said, first_words, result_words, value_words
from amberfork_cli.core.dialects.model import Message, Role, ToolCall, ToolResult
from amberfork_cli.core.paths import to_text
from amberfork_cli.core.tape import JsonValue

MOVED = "came at another place"
"""What became of a turn that both sides have, each elsewhere."""

_MOST_SETTINGS = 3
_VALUE_CELLS = 32


def cause(findings: Sequence[Finding]) -> tuple[Origin, Words]:
    """Where a change came from, and what it is: told of the first finding that counts, settings together.

    A difference of spelling or form is told only where nothing else differs.
    """
    origin, words = _cause(findings)
    return origin, apart(words)


def turn_words(what: str, results: Sequence[ToolResult]) -> Words:
    """What became of turns, such as `was dropped`, of which nothing but their results is at hand."""
    calls = [result.answers for result in results if result.answers is not None]
    if not results:
        return (ours(f"a turn {what}"),)
    return (ours(f"a turn {what}: "), *_calls_and_results(calls, len(results)))


def _cause(findings: Sequence[Finding]) -> tuple[Origin, Words]:
    strong = [finding for finding in findings if not _weak(finding)] or list(findings)
    first = strong[0]
    same = [finding for finding in strong if finding.origin is first.origin]
    words = tuple((_role if _is_role(first) else _TOLD[first.origin])(same))
    later = [finding for finding in strong if finding.origin is not first.origin]
    if first.origin in (Origin.SETTINGS, Origin.TOOLS, Origin.SYSTEM_PROMPT) and later:
        return first.origin, (*words, ours(", and "), *_cause(later)[1])
    return first.origin, words


def _is_role(finding: Finding) -> bool:
    """Whether all that changed of a message is who says it."""
    return [difference.path for difference in finding.spot.differences] == [("role",)]


def _role(found: Sequence[Finding]) -> Iterator[Piece]:
    (difference,) = found[0].spot.differences
    yield ours("the role of a message changed from ")
    yield from (*_bare(difference.recorded), ours(" to "), *_bare(difference.reissued))


def _weak(finding: Finding) -> bool:
    return all(difference.kind.weak for difference in finding.spot.differences)


def _model_output(found: Sequence[Finding]) -> Iterator[Piece]:
    here = [finding for finding in found if finding.spot.label == found[0].spot.label]
    first = next((finding for finding in here if any(finding.calls)), found[0])
    old, new = first.calls
    if first.is_hunk:
        yield from _hunk(found)
    elif first.spot.differences[0].kind is Kind.REORDERED:
        yield ours(f"the {_reordered(first)} of one turn came in another order")
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
    strong = [difference for difference in differences if not difference.kind.weak]
    arguments = [difference for difference in strong if difference.path[:1] == ("arguments",)]
    if not arguments:
        yield from (ours("the model's call of "), quoted(new.name), ours(" changed in "))
        yield quoted(to_text(strong[0].path))
        return
    yield from (ours("the model called "), quoted(new.name))
    yield from _argument(arguments[0])
    if len(arguments) > 1:
        others = len(arguments) - 1
        yield ours(f", and {others} more argument{'' if others == 1 else 's'}")


def _argument(difference: Difference) -> Iterator[Piece]:
    name = to_text(difference.path[1:])
    if not name:
        yield ours(" with other arguments")
    elif difference.kind is Kind.ADDED:
        yield from (ours(" with "), quoted(f"{name}="), *_value(difference.reissued), ours(" added"))
    elif difference.kind is Kind.REMOVED:
        yield from (ours(" without "), quoted(name))
    elif (words := _two(_value(difference.reissued), _value(difference.recorded))) is not None:
        yield from (ours(" with "), quoted(f"{name}="), *words[0], ours(", not "), *words[1])
    else:
        yield from (ours(" with another "), quoted(name))


def _two(one: Words, other: Words) -> tuple[Words, Words] | None:
    """The words of two values that differ; nothing where they were cut to what they have in common."""
    return None if plain(one) == plain(other) else (one, other)


def _value(side: Side) -> Words:
    if side is MISSING:
        return (ours("nothing"),)
    if isinstance(side, bytes):
        return (ours(f"{len(side)} bytes"),)
    return value_words(_json(side), _VALUE_CELLS)


def _json(side: Side) -> JsonValue:
    return None if side is MISSING or isinstance(side, bytes) else side


def _tool_result(found: Sequence[Finding]) -> Iterator[Piece]:
    first = found[0]
    if first.is_hunk:
        yield from _hunk(found)
    elif first.spot.differences[0].kind is Kind.REORDERED:
        yield ours(f"the {_reordered(first)} of one parallel batch came in another order")
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
    sides = [(link.recorded_words, link.reissued_words) for link in links]
    if len(links) == 2 and sides[0] == sides[1][::-1]:
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


def _reordered(finding: Finding) -> str:
    """What came in another order, and how many: `3 results`."""
    return plain(finding.spot.differences[0].summary).partition(" in another order")[0]


def _hunk(found: Sequence[Finding]) -> Iterator[Piece]:
    """Messages that only one side has at a place: a turn, or what can be said of them."""
    hunks = [finding for finding in found if finding.is_hunk]
    first = next((finding for finding in hunks if not finding.moved), hunks[0])
    instead = [finding for finding in hunks if finding.gap == first.gap and finding.new and not finding.moved]
    messages = first.old or first.new
    if first.moved:
        yield from _moved(messages)
    elif first.old and instead:
        yield from _exchanged(first.old, instead[0].new)
    elif first.again:
        yield from _again(messages)
    else:
        yield from _one_sided(messages, "dropped" if first.old else "inserted")


def _moved(messages: Sequence[Message]) -> Iterator[Piece]:
    calls = any(message.calls for message in messages)
    if calls:
        yield from (ours(f"a turn {MOVED}: "), *_turn(messages))
    else:
        yield from (*_turn(messages), ours(f" {MOVED}"))


def _again(messages: Sequence[Message]) -> Iterator[Piece]:
    (call, *_), *_ = (message.calls for message in messages if message.calls)
    failed = any(_failed(result) for message in messages for result in message.results)
    how = " failed once and was called again" if failed else " was called twice"
    yield from (ours("a turn was inserted: "), *call_words(call), ours(how))


def _one_sided(messages: Sequence[Message], verb: str) -> Iterator[Piece]:
    if messages and all(message.calls for message in messages):  # their results stand further down
        also = "no longer" if verb == "dropped" else "also"
        yield from (ours(f"the model {also} called "), *_turn(messages))
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
    if found[0].is_hunk:
        yield from _hunk(found)
    else:
        yield ours("the user's message " + ("is written differently" if _weak(found[0]) else "changed"))


def _system_prompt(found: Sequence[Finding]) -> Iterator[Piece]:
    differences = [difference for finding in found for difference in finding.spot.differences]
    first = differences[0]
    if found[0].is_hunk and found[0].moved:
        yield ours(f"the system prompt {MOVED}")
    elif first.kind in (Kind.ADDED, Kind.REMOVED) and not first.path:
        yield ours(f"the system prompt was {first.kind.value}")
    elif _weak(found[0]):
        yield ours("the system prompt is written differently")
    elif len(differences) > 1:
        yield ours(f"the system prompt changed at {len(differences)} places")
    else:
        yield ours(f"the system prompt changed{_extent(first)}")


def _extent(difference: Difference) -> str:
    """How much of a text changed, in brackets; nothing where it is no text on both sides."""
    old, new = difference.recorded, difference.reissued
    if not isinstance(old, str) or not isinstance(new, str):
        return ""
    count = _changed_words(old, new)
    what = f"{count} word{'' if count == 1 else 's'}" if count else "spaces"
    return f" ({what} in {len(old):,} characters)"


def _changed_words(old: str, new: str) -> int:
    """How many words are not the same, counted on the side that has more of them."""
    blocks = align(old.split(), new.split())
    return sum(max(block.i2 - block.i1, block.j2 - block.j1) for block in blocks if not block.equal)


def _tools(found: Sequence[Finding]) -> Iterator[Piece]:
    changed: dict[str, list[str]] = defaultdict(list)
    for finding in found:
        if finding.spot.label.startswith("tools."):
            what = plain(finding.spot.who).removesuffix(" changed")
            changed[what].append(finding.spot.label.removeprefix("tools."))
    differences = [difference for finding in found for difference in finding.spot.differences]
    parts = [(*_names(names), ours(f"'s {what}")) for what, names in changed.items()]
    one_sided = tuple(_one_sided_tools(differences))
    parts += [one_sided] if one_sided else []
    if not parts:
        reordered = any(difference.kind is Kind.REORDERED for difference in differences)
        yield ours("the tools came in another order" if reordered else "what is said about the tools changed")
        return
    yield ours("the tools changed: ")
    for number, part in enumerate(parts):
        yield from ((ours("; "),) if number else ()) + part


def _one_sided_tools(differences: Sequence[Difference]) -> Iterator[Piece]:
    begun = False
    for kind in (Kind.ADDED, Kind.REMOVED):
        names = [str(each.path[0]) for each in differences if each.summary and each.kind is kind]
        if names:
            yield from (*((ours(", "),) if begun else ()), *_names(names), ours(f" {kind.value}"))
            begun = True


def _names(names: Sequence[str]) -> Words:
    """The first of some names of tools, and how many more there are."""
    more = len(names) - _MOST_SETTINGS
    words: Words = tuple(piece for name in names[:_MOST_SETTINGS] for piece in (ours(", "), quoted(name)))[1:]
    return (*words, ours(f" and {more} more")) if more > 0 else words


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
        elif (words := _two(_bare(difference.recorded), _bare(difference.reissued))) is None:
            values = False
            yield ours(" changed")
        else:
            yield ours(" from " if plainly else " changed from ")
            yield from (*words[0], ours(" to "), *words[1])
        plainly = values and not _weak(finding)
    if len(found) > _MOST_SETTINGS:
        more = len(found) - _MOST_SETTINGS
        yield ours(f", and {more} more setting{'' if more == 1 else 's'}")


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
