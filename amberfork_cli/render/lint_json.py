"""What a linter found, as JSON: in amberfork's own form, and as SARIF 2.1.0 for code scanning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from amberfork_cli.core.jsontext import dumps
from amberfork_cli.core.linting.findings import MEANINGS, Finding, LintReport, Rule
from amberfork_cli.core.tape import JsonValue

_VERSION: Final = 1
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_ERRORS: Final = frozenset({Rule.BAD_LINE, Rule.ORPHAN_RESULT, Rule.ARGUMENTS, Rule.SECRET, Rule.NON_FINITE})
_NOTES: Final = frozenset({Rule.UNSAFE_INTEGER, Rule.DEEP_NESTING})


def to_json(reports: Sequence[LintReport]) -> bytes:
    """One document with every finding of every tape."""
    tapes: list[JsonValue] = [
        {
            "tape": report.source,
            "exchanges": report.exchanges,
            "findings": [_finding(finding) for finding in report.findings],
        }
        for report in reports
    ]
    clean = all(report.clean for report in reports)
    return dumps({"lint_version": _VERSION, "clean": clean, "tapes": tapes}, indent=True) + b"\n"


def to_sarif(reports: Sequence[LintReport], *, version: str) -> bytes:
    """One SARIF log with one run; `version` is that of the program."""
    driver: JsonValue = {
        "name": "amberfork",
        "version": version,
        "rules": [_rule(rule) for rule in Rule],
    }
    results: list[JsonValue] = [
        _result(report.source, finding) for report in reports for finding in report.findings
    ]
    run: JsonValue = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=True) + b"\n"


def _finding(finding: Finding) -> JsonValue:
    place = finding.place
    return {
        "rule": finding.rule.value,
        "level": _level(finding.rule),
        "message": finding.message,
        "exchange": place.exchange,
        "line": place.line,
        "pointer": place.pointer,
        "more": finding.more,
    }


def _level(rule: Rule) -> str:
    return "error" if rule in _ERRORS else "note" if rule in _NOTES else "warning"


def _rule(rule: Rule) -> JsonValue:
    return {
        "id": rule.value,
        "shortDescription": {"text": MEANINGS[rule]},
        "defaultConfiguration": {"level": _level(rule)},
    }


def _result(source: str, finding: Finding) -> JsonValue:
    place = finding.place
    physical: dict[str, JsonValue] = {"artifactLocation": {"uri": quote(source, errors="backslashreplace")}}
    if place.line is not None:
        physical["region"] = {"startLine": place.line}
    location: dict[str, JsonValue] = {"physicalLocation": physical}
    if place.exchange is not None or place.pointer:
        exchange = "" if place.exchange is None else f"#{place.exchange}"
        location["logicalLocations"] = [{"fullyQualifiedName": f"{exchange}{place.pointer}"}]
    return {
        "ruleId": finding.rule.value,
        "ruleIndex": list(Rule).index(finding.rule),
        "level": _level(finding.rule),
        "message": {"text": finding.message},
        "locations": [location],
        "occurrenceCount": finding.more + 1,
    }
