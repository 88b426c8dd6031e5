"""A run of tools as data: every report has the shape that the schema promises, and says what it should."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from diff_samples import changed_argument
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from run_samples import a_run, every_end, plan, runs
from tool_run_samples import Asked, ok, run_report

from amberfork_cli.core.jsonreader import NonFinite
from amberfork_cli.core.tools.comparison import Status
from amberfork_cli.core.tools.plan import Decision
from amberfork_cli.core.tools.recorded import Via
from amberfork_cli.core.tools.run_report import RunReport
from amberfork_cli.core.tools.tool import Effect
from amberfork_cli.core.tools.volatile import Volatile
from amberfork_cli.render.json import to_json as diff_to_json
from amberfork_cli.render.run_json import document, to_json, to_jsonl

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/run-report.schema.json").read_bytes())
DOCUMENT = Draft202012Validator(SCHEMA)


def test_the_schema_is_one() -> None:
    """What validates nothing would promise nothing."""
    Draft202012Validator.check_schema(SCHEMA)

    assert not DOCUMENT.is_valid({})
    assert not DOCUMENT.is_valid({**document(a_run()), "more": 1})
    assert not DOCUMENT.is_valid({**document(a_run()), "calls": [{}]})


def test_every_end_of_a_call_fits_the_schema() -> None:
    """As another program would read it, and each status is there."""
    report = every_end()

    found = json.loads(to_json(report))

    assert list(DOCUMENT.iter_errors(found)) == []
    assert {call["status"] for call in found["calls"]} == {None, *(status.value for status in Status)}


@settings(max_examples=40, deadline=None)
@given(runs())
def test_every_run_fits_the_schema(report: RunReport) -> None:
    """Whatever stood on the tape, and whatever the tools did; a plan as well."""
    assert list(DOCUMENT.iter_errors(json.loads(to_json(report)))) == []
    assert list(DOCUMENT.iter_errors(json.loads(to_json(report, is_plan=True)))) == []
    assert [json.loads(line)["role"] for line in to_jsonl(report).splitlines()] == ["tool"] * len(
        report.calls
    )


def test_the_schema_knows_every_word_that_a_report_may_use() -> None:
    """Statuses, decisions, effects, ways and kinds are listed there as they are here."""
    definitions = SCHEMA["$defs"]
    call = definitions["call"]["properties"]

    assert definitions["status"]["enum"] == [status.value for status in Status]
    assert call["decision"]["enum"] == [each.value for each in Decision if each is not Decision.BY_PROVIDER]
    assert call["effect"]["enum"] == [effect.value for effect in Effect]
    assert call["via"]["items"]["enum"] == [via.value for via in Via]
    assert definitions["part"]["properties"]["kind"]["enum"] == [kind.value for kind in Volatile]


def test_a_call_says_what_was_asked_what_came_and_what_differs() -> None:
    """As the tape has it, and as the tool answered."""
    found = document(run_report([[Asked("search", {"city": "Seoul"}, '{"t": 17}')]], [ok({"t": 18})]))

    assert found["calls"] == [
        {
            "exchange": 0,
            "position": 0,
            "call_id": "call_0_0",
            "name": "search",
            "tool": "search",
            "arguments": '{"city": "Seoul"}',
            "decision": "run",
            "status": "changed",
            "good": False,
            "result": {"ok": True, "data": {"t": 18}, "durationMs": 7},
            "recorded": {"content": '{"t": 17}', "failed": False},
            "effect": "read-only",
            "changes": [{"pointer": "/t", "recorded": 17, "fresh": 18}],
        }
    ]


def test_beside_a_diff_it_is_a_member_of_one_document() -> None:
    """Either schema holds its part."""
    schema = json.loads((Path(__file__).parents[2] / "docs/diff-report.schema.json").read_bytes())

    both = json.loads(diff_to_json(changed_argument(), tools=a_run()))

    assert list(Draft202012Validator(schema).iter_errors(both)) == []
    assert both["tools"] == json.loads(to_json(a_run()))


def test_a_plan_says_that_it_is_one() -> None:
    """Nothing ran, although calls have the status of those that were skipped."""
    found = document(plan(), is_plan=True)

    assert found["dry_run"] is True
    assert found["summary"]["sentence"] == "2 calls: 1 would run, 1 skipped: side effect."  # type: ignore[index,call-overload]


def test_a_number_that_json_does_not_have_is_text() -> None:
    """As a tape that was read leniently may hold it."""
    report = run_report([[Asked("search", {}, "x")]], [ok("x")])
    planned = report.calls[0].planned
    call = replace(planned.recorded.call, arguments={"n": NonFinite("NaN")})
    planned = replace(planned, recorded=replace(planned.recorded, call=call))

    (found,) = document(replace(report, calls=(replace(report.calls[0], planned=planned),)))["calls"]  # type: ignore[misc]

    assert found["arguments_text"] == '{"n":NaN}'
