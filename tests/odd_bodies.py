"""Bodies that no provider sends: the words of the protocols in any order, around IDs of any text.

What is promised for every body is tried on these.
"""

import re
from typing import Any

from hypothesis import strategies as st

Json = Any

ODD_IDS = [
    "a",
    "call",
    "exec_0",
    "call_12345678",
    "call_1234567:8",
    "Abcdefghij",
    "é1234567é",
    "Ünïcode123",
    "",
    "x|y12345678",
    "call_a1b2c3d4|fc_a1b2c3d4",
    "fc_a1b2c3d4",
    "call_a1b2c3d4",
    'q"uo"te12',
    "(.*)AAA111",
    "\ud800abcdefg1",
    "__amberfork_tool_call_0__",
    "__amberfork_item_1__",
]
IDS = st.sampled_from(ODD_IDS)
TEXTS = st.lists(st.sampled_from([" ", "-", ":", "é", "word", "\n", '"', "\\", *ODD_IDS]), max_size=4).map(
    "".join
)
DATA: st.SearchStrategy[Json] = st.recursive(
    TEXTS | st.sampled_from([1, 1.0, True, None, 0, -0.0, 2**70]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["id", "type", "call_id", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)
RULES = st.sampled_from(["all", "items", "calls"])
HISTORY = st.sampled_from(["messages", "input", "contents"])


def _objects(**members: st.SearchStrategy[Json] | str) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries(
        {key: st.just(value) if isinstance(value, str) else value for key, value in members.items()}
    )


BLOCKS = st.one_of(
    _objects(type="tool_use", id=IDS, name="f", input=DATA),
    _objects(type="tool_result", tool_use_id=IDS, content=DATA),
    _objects(type="text", text=TEXTS),
    _objects(type="thinking", thinking=TEXTS, signature=IDS),
    _objects(toolUse=_objects(toolUseId=IDS, input=DATA)),
    _objects(toolResult=_objects(toolUseId=IDS, content=DATA)),
    _objects(functionCall=_objects(id=IDS, args=DATA)),
    _objects(functionResponse=_objects(id=IDS, response=DATA)),
    _objects(type="mcp_tool_use", id=IDS, caller=_objects(tool_id=IDS)),
)
MESSAGES = st.one_of(
    _objects(role="user", content=TEXTS),
    _objects(role="user", content=st.lists(BLOCKS, max_size=3)),
    _objects(role="tool", tool_call_id=IDS, content=DATA),
    _objects(role="assistant", tool_calls=st.lists(_objects(id=IDS, arguments=TEXTS), max_size=2)),
    _objects(role="assistant", reasoning_details=st.lists(_objects(id=IDS, data=IDS), max_size=1)),
    _objects(type="function_call", id=IDS, call_id=IDS, arguments=TEXTS),
    _objects(type="function_call_output", call_id=IDS, output=DATA),
    _objects(type="reasoning", id=IDS, encrypted_content=IDS),
    _objects(type="item_reference", id=IDS),
    _objects(type="mcp_approval_request", id=IDS),
    _objects(type="mcp_approval_response", approval_request_id=IDS),
    DATA,
)
RESTS = st.dictionaries(
    st.sampled_from(["previous_response_id", "container", "cachedContent", "model", "instructions"]),
    IDS | TEXTS,
    max_size=2,
)


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, Json]:
    """A body with a history under one of its three names."""
    return {**draw(RESTS), draw(HISTORY): draw(st.lists(MESSAGES, max_size=5))}


@st.composite
def tapes(draw: st.DrawFn) -> list[dict[str, Json]]:
    """Bodies of one or two conversations, interleaved: continued, retried, cut short, edited."""
    histories: list[list[Json]] = [[] for _ in range(draw(st.integers(1, 2)))]
    messages = st.sampled_from(draw(st.lists(MESSAGES, min_size=1, max_size=5)))
    rests = st.sampled_from(draw(st.lists(RESTS, min_size=1, max_size=3)))
    name = draw(HISTORY)
    tape = []
    for _ in range(draw(st.integers(1, 8))):
        number = draw(st.integers(0, len(histories) - 1))
        histories[number] = _next(draw, histories[number], messages)
        tape.append({**draw(rests), name: histories[number]})
    return tape


def _next(draw: st.DrawFn, history: list[Json], messages: st.SearchStrategy[Json]) -> list[Json]:
    place = draw(st.integers(0, len(history)))
    match draw(st.sampled_from(["continue", "continue", "retry", "cut", "edit", "insert"])):
        case "continue":
            return [*history, *draw(st.lists(messages, min_size=1, max_size=2))]
        case "cut":
            return [*history[:place], *draw(st.lists(messages, max_size=1))]
        case "edit":
            return [*history[:place], draw(messages), *history[place + 1 :]]
        case "insert":
            return [*history[:place], draw(messages), *history[place:]]
    return history


def renamings() -> st.SearchStrategy[dict[str, str]]:
    """Other texts for some of the odd IDs, or for all of them, one to one."""
    exchanged = st.permutations(ODD_IDS).map(lambda order: dict(zip(ODD_IDS, order, strict=True)))
    return exchanged | st.dictionaries(IDS, IDS, max_size=4)


def renamed(value: Json, names: dict[str, str]) -> Json:
    """The value with those names replaced where they are a whole string, or stand whole in one."""
    if isinstance(value, str):
        if value in names or not names:
            return names.get(value, value)
        longest_first = "|".join(map(re.escape, sorted(filter(None, names), key=len, reverse=True)))
        whole = rf"(?<![A-Za-z0-9_-])(?:{longest_first or '(?!)'})(?![A-Za-z0-9_-])"
        return re.sub(whole, lambda found: names[found[0]], value)
    if isinstance(value, dict):
        return {key: renamed(member, names) for key, member in value.items()}
    return [renamed(item, names) for item in value] if isinstance(value, list) else value
