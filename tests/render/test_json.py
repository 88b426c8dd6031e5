"""A diff as data: every report has the shape that the schema promises, and says what the report says."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from diff_samples import (
    SITUATIONS,
    changed_argument,
    dropped_turn,
    every_kind,
    fork,
    left_out,
    missing_extra,
    report,
    said,
    setting,
)
from hostile import reports
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from amberfork_cli.core.compare.report import (
    MISSING,
    DiffReport,
    ExchangeDiff,
    Kind,
    Origin,
    Side,
    State,
    Verdict,
)
from amberfork_cli.core.jsonreader import NonFinite
from amberfork_cli.core.jsontext import loads
from amberfork_cli.render.json import document, lines, to_json, to_jsonl

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/diff-report.schema.json").read_bytes())
DOCUMENT = Draft202012Validator(SCHEMA)
LINE = Draft202012Validator({**SCHEMA["$defs"]["line"], "$defs": SCHEMA["$defs"]})


def test_the_schema_is_one() -> None:
    """What validates nothing would promise nothing."""
    Draft202012Validator.check_schema(SCHEMA)

    assert not DOCUMENT.is_valid({})
    assert not DOCUMENT.is_valid({**document(changed_argument()), "more": 1})
    assert not LINE.is_valid({"kind": "value"})


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_every_situation_fits_the_schema(situation: Callable[[], DiffReport]) -> None:
    """The document and every line, as another program would read them."""
    one = situation()

    assert _errors(DOCUMENT, to_json(one)) == []
    assert [_errors(LINE, line) for line in to_jsonl(one).splitlines() if _errors(LINE, line)] == []


@settings(max_examples=12, deadline=None)
@given(reports())
def test_every_report_fits_the_schema(one: DiffReport) -> None:
    """Whatever stood on the tapes."""
    assert list(DOCUMENT.iter_errors(document(one))) == []
    assert [list(LINE.iter_errors(line)) for line in lines(one) if not LINE.is_valid(line)] == []


def test_the_schema_knows_every_word_that_a_report_may_use() -> None:
    """Kinds, origins, states and verdicts are listed there as they are here."""
    definitions = SCHEMA["$defs"]

    assert definitions["difference"]["properties"]["kind"]["enum"] == [kind.value for kind in Kind]
    assert definitions["exchange"]["properties"]["origin"]["enum"] == [origin.value for origin in Origin]
    assert definitions["exchange"]["properties"]["state"]["enum"] == [state.value for state in State]
    assert SCHEMA["properties"]["summary"]["properties"]["verdict"]["enum"] == [
        each.value for each in Verdict
    ]


def test_a_difference_says_where_and_what() -> None:
    """Pointers into both bodies, the way on inside a text of JSON, both values."""
    exchange = _member(document(changed_argument()), "exchanges")[4]

    assert exchange == {
        "state": "fork",
        "recorded": 4,
        "reissued": 4,
        "conversation": 0,
        "endpoint": "POST /v1/chat/completions",
        "origin": "model output",
        "cause": 'the model called get_weather with city="Porto", not "Lisbon"',
        "places": [
            {
                "place": "messages[8]",
                "who": "assistant calls get_weather",
                "differences": [
                    {
                        "kind": "value",
                        "path": "arguments.city",
                        "recorded_pointer": "/messages/8/tool_calls/0/function/arguments",
                        "reissued_pointer": "/messages/8/tool_calls/0/function/arguments",
                        "inner_pointer": "/city",
                        "recorded": "Lisbon",
                        "reissued": "Porto",
                    }
                ],
            }
        ],
    }


def test_the_summary_says_what_the_text_says() -> None:
    """The same sentence, and all counts."""
    assert document(changed_argument())["summary"] == {
        "verdict": "forked",
        "same": False,
        "sentence": (
            'Forked at #4 (recorded #4): the model called get_weather with city="Porto", not "Lisbon". '
            "4 match, 1 changed, 7 carried, 0 missing, 0 extra."
        ),
        "answer": 'Forked at #4 (recorded #4): the model called get_weather with city="Porto", not "Lisbon".',
        "counts": {
            "exchanges": 12,
            "match": 4,
            "changed": 1,
            "carried": 7,
            "missing": 0,
            "extra": 0,
            "moved": 0,
            "forks": 1,
            "differences": 1,
        },
    }


def test_each_difference_has_a_line_that_needs_no_other() -> None:
    """The line says which exchange, and repeats the place."""
    assert list(lines(changed_argument())) == [
        {
            "exchange": {"recorded": 4, "reissued": 4},
            "conversation": 0,
            "state": "fork",
            "origin": "model output",
            "place": "messages[8]",
            "who": "assistant calls get_weather",
            "kind": "value",
            "path": "arguments.city",
            "recorded_pointer": "/messages/8/tool_calls/0/function/arguments",
            "reissued_pointer": "/messages/8/tool_calls/0/function/arguments",
            "inner_pointer": "/city",
            "recorded": "Lisbon",
            "reissued": "Porto",
        }
    ]


def test_an_exchange_without_a_partner_has_a_line() -> None:
    """Missing and extra are kinds of difference of a run."""
    found = list(lines(missing_extra()))

    assert [(line["kind"], line["exchange"]) for line in found] == [
        ("missing", {"recorded": 5, "reissued": None}),
        ("missing", {"recorded": 6, "reissued": None}),
        ("extra", {"recorded": None, "reissued": 5}),
        ("missing", {"recorded": 9, "reissued": None}),
    ]
    assert (found[2]["nearest"], found[2]["nearest_words"]) == (5, "with another last message")


def test_a_side_without_a_value_has_no_member() -> None:
    """Null is a value, absence is none."""
    absent, null = (_only_difference(setting("n", old, 1)) for old in (MISSING, None))

    assert "recorded" not in absent
    assert "recorded_pointer" not in absent
    assert null["recorded"] is None


@pytest.mark.parametrize(
    ("value", "members"),
    [
        (b"\x00\xff", {"recorded_base64": "AP8="}),
        ([1, NonFinite("nan")], {"recorded_text": "[1,NaN]"}),
        ({"a": [NonFinite("-inf")]}, {"recorded_text": '{"a":[-Infinity]}'}),
        (10**40, {"recorded": 10**40}),
        ("\ud83d", {"recorded": "\ud83d"}),
        ({"recorded_base64": "x"}, {"recorded": {"recorded_base64": "x"}}),
    ],
)
def test_a_value_that_json_has_no_room_for_is_marked(value: Side, members: dict[str, Any]) -> None:
    """Its member says how it is written; everything else is exact."""
    one = report([fork(0, Origin.SETTINGS, said("it changed"), [setting("n", value, 1)])])

    difference = loads(to_jsonl(one))

    assert isinstance(difference, dict)
    of_value = ("recorded", "recorded_base64", "recorded_text")
    assert {name: difference[name] for name in of_value if name in difference} == members


def test_a_hunk_says_which_side_has_it() -> None:
    """A message that was dropped has a pointer and a value on the recorded side alone."""
    first = next(iter(lines(dropped_turn())))

    assert first["recorded_pointer"] == "/messages/7"
    assert "reissued_pointer" not in first
    assert str(first["summary"]).startswith("assistant calls")


def test_what_a_report_knows_beyond_differences_is_there() -> None:
    """Moves, carried changes, traces, references to an equal change."""
    exchanges = _member(document(every_kind()), "exchanges")

    assert exchanges[2]["trace"] == {"token": "bk_91f3c0", "exchange": 1, "words": "result of book()"}
    assert exchanges[3]["alike"] == 2
    carried = _member(document(changed_argument()), "exchanges")[5]
    assert carried["carried_from"] == 4


def test_zero_is_a_number() -> None:
    """A reference to exchange 0 is not left out as nothing."""
    extra = ExchangeDiff(State.EXTRA, None, 1, nearest=0)
    carried = ExchangeDiff(State.CARRIED, 1, 2, carried_from=0)

    exchanges = _member(document(report([extra, carried])), "exchanges")

    assert exchanges[0]["nearest"] == 0
    assert exchanges[1]["carried_from"] == 0


def test_what_was_left_out_of_a_tape_is_told() -> None:
    """Line and problem of each, and how much was set aside."""
    one = document(left_out())

    assert one["recorded"] == {
        "source": "backups/2026/05/monday-of-the-long-week.jsonl",
        "exchanges": 3,
        "bad_lines": [
            {"line": 2, "problem": "x"},
            {"line": 4, "problem": "y"},
            {"line": 9, "problem": "z"},
        ],
        "torn_end": {"line": 12, "problem": "t"},
        "duplicate_keys": 1,
        "ignored": 12,
    }
    assert (one["ids"], one["settings"], one["notes"]) == ("calls", "amberfork.toml", ["bodies only"])


def _errors(validator: Draft202012Validator, text: bytes) -> list[str]:
    return [error.message for error in validator.iter_errors(json.loads(text))]


def _member(of: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = of[name]
    return found


def _only_difference(spot: Any) -> dict[str, Any]:
    (line,) = lines(report([fork(0, Origin.SETTINGS, said("it changed"), [spot])]))
    return line


def test_weak_changes_are_marked() -> None:
    """Whoever counts differences can leave spelling and form out."""
    weak = replace(setting("n", 1, 1.0, Kind.SPELLING))

    assert _only_difference(weak)["weak"] is True
