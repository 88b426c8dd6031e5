"""Which tool calls of a tape are run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tool_run_samples import Asked, chat_tape

from amberfork_cli.core.dialects.calls import tool_turns
from amberfork_cli.core.tools.plan import Choice, Decision, plan_run
from amberfork_cli.core.tools.tool import Effect
from amberfork_cli.errors import OptionError

TOOLS = {"search": Effect.READ_ONLY, "refund": Effect.SIDE_EFFECT, "helper": Effect.UNDECLARED}


def decisions(*names: str, **choice) -> list[str]:
    """What is done with calls of these names, in one turn."""
    turns = tool_turns(chat_tape([Asked(name) for name in names]))
    (planned,) = plan_run(turns, TOOLS, Choice(**choice))
    return [call.decision.value for call in planned.calls]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({}, ["run", "side-effect", "side-effect"]),
        ({"allow": ["refund"]}, ["run", "run-alone", "side-effect"]),
        ({"allow": ["*"]}, ["run", "run-alone", "run-alone"]),
        ({"allow": ["*"], "skip": ["helper"]}, ["run", "run-alone", "left-out"]),
        ({"only": ["s*", "refund"]}, ["run", "side-effect", "left-out"]),
        ({"skip": ["search"]}, ["left-out", "side-effect", "side-effect"]),
    ],
)
def test_side_effects_and_undeclared_tools_run_only_when_they_are_allowed(choice, expected):
    """And what the user leaves out does not run at all."""
    assert decisions("search", "refund", "helper", **choice) == expected


def test_what_would_make_a_call_run_is_said():
    """The flag as it is typed; for a prefixed name the alias that it probably wants."""
    turns = tool_turns(chat_tape([Asked("refund"), Asked("mcp__shop__search"), Asked("nothing_like_it")]))

    (planned,) = plan_run(turns, TOOLS, Choice())

    assert [call.flag for call in planned.calls] == ["--allow refund", "--alias mcp__shop__search=search", ""]


@pytest.mark.parametrize(
    ("aliases", "recorded", "local"),
    [
        ([("lookup", "search")], "lookup", "search"),
        ([("mcp__*__*", "x")], "mcp__a", "mcp__a"),
        ([("mcp__shop__*", "*")], "mcp__shop__search", "search"),
        ([("*_v2", "*")], "search_v2", "search"),
        ([("x", "y"), ("lookup", "search")], "lookup", "search"),
        ([], "search", "search"),
    ],
)
def test_a_tool_may_have_another_name_on_the_tape(aliases, recorded, local):
    """Servers put prefixes before the names of their tools."""
    assert Choice(aliases=aliases).local_name(recorded) == local


def test_an_allowed_tool_may_be_named_as_on_the_tape_or_as_registered():
    """Both are its name."""
    alias = [("shop__refund", "refund")]

    by_tape = decisions("shop__refund", aliases=alias, allow=["shop__refund"])
    by_registry = decisions("shop__refund", aliases=alias, allow=["refund"])

    assert by_tape == by_registry == [Decision.RUN_ALONE]


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"allow": ["refnd"]}, "--allow refnd: no tool of that name; did you mean refund?"),
        ({"skip": ["xyz"]}, "--skip xyz: no tool of that name"),
        ({"only": ["q*"]}, "--only q*: no tool of that name"),
        ({"aliases": [("lookup", "search")]}, "--alias lookup=search: no call on the tape has that name"),
    ],
)
def test_a_name_that_means_nothing_is_trouble(choice, said):
    """A slip in `--skip` must not run what should be left out."""
    with pytest.raises(OptionError) as raised:
        decisions("search", **choice)

    assert str(raised.value) == said


def test_a_call_that_the_recording_cut_short_is_not_run():
    """Its arguments may be half of what the model meant."""
    (turn,) = tool_turns(chat_tape([Asked("search")]))
    (call,) = turn.calls
    cut = replace(turn, calls=(replace(call, call=replace(call.call, complete=False)),))

    (planned,) = plan_run([cut], TOOLS, Choice())

    assert planned.calls[0].decision is Decision.INCOMPLETE


def test_what_the_provider_runs_itself_is_nobodys_tool():
    """Unless the registry has one of that name."""
    (turn,) = tool_turns(chat_tape([Asked("search"), Asked("web_search")]))
    calls = tuple(replace(each, call=replace(each.call, by_provider=True)) for each in turn.calls)

    (planned,) = plan_run([replace(turn, calls=calls)], TOOLS, Choice())

    assert [call.decision for call in planned.calls] == [Decision.RUN, Decision.BY_PROVIDER]
