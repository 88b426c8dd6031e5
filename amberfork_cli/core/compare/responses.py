"""What differs between the responses to two paired requests.

A stream counts as the message that it spells. What is fresh in every response (its own id, times, counts of
tokens) says nothing about what was answered, and is set apart.
"""

from __future__ import annotations

from amberfork_cli.core.compare.finding import Finding
from amberfork_cli.core.compare.report import MISSING, Difference, Kind, Origin, Side, Spot
from amberfork_cli.core.compare.values import changes
from amberfork_cli.core.content import Absent, json_of
from amberfork_cli.core.ids.canonical import canonicalize
from amberfork_cli.core.ids.id_rules import IdRules
from amberfork_cli.core.paths import to_text
from amberfork_cli.core.sse import response_json
from amberfork_cli.core.tape import Body, BodyKind, Exchange, JsonValue, Response

VOLATILE = frozenset(
    """
    id created created_at completed_at usage usageMetadata usage_metadata system_fingerprint service_tier
    metrics responseId response_id createTime modelVersion x_groq total_duration load_duration
    prompt_eval_count prompt_eval_duration eval_count eval_duration obfuscation
    """.split()
)


def response_findings(old: Exchange, new: Exchange, rules: IdRules = IdRules.ALL) -> list[Finding]:
    """The differences of two responses: whether there is one, their status, their bodies."""
    if old.response is None or new.response is None:
        return (
            [] if old.response is new.response else [_whole(_presence(old.response), _presence(new.response))]
        )
    found = []
    if old.response.status != new.response.status:
        difference = Difference(Kind.STATUS, (), (), (), old.response.status, new.response.status)
        found.append(Finding(Spot("response.status", (), (difference,)), Origin.RESPONSE))
    return found + _body_findings(
        _answer(old, rules), _answer(new, rules), old.response.body, new.response.body
    )


def _presence(response: Response | None) -> Side:
    return MISSING if response is None else response.status


def _answer(exchange: Exchange, rules: IdRules) -> JsonValue | Absent:
    """What a response says: its JSON, or the one that its stream spells, IDs and fresh members set apart."""
    assert exchange.response is not None  # noqa: S101 - see response_findings
    spelled = response_json(exchange.response)
    value = json_of(exchange.response.body) if spelled is None else spelled.body
    if isinstance(value, Absent):
        return Absent.VALUE
    if isinstance(value, dict):
        value = {key: member for key, member in value.items() if key not in VOLATILE}
    asked = json_of(exchange.request.body)
    request = canonicalize(None if isinstance(asked, Absent) else asked, rules=rules)
    return canonicalize(value, rules=rules, answering=request).value


def _body_findings(
    old: JsonValue | Absent, new: JsonValue | Absent, old_body: Body, new_body: Body
) -> list[Finding]:
    if isinstance(old, Absent) or isinstance(new, Absent):
        same = old_body.kind is new_body.kind and old_body.value == new_body.value
        return [] if same else [_whole(_content(old_body), _content(new_body))]
    by_member: dict[str, list[Difference]] = {}
    for change in changes(old, new):
        inner = change.inner or ()
        difference = Difference(
            change.kind,
            (*change.path, *inner),
            change.old_path,
            change.new_path,
            change.old,
            change.new,
            change.inner,
        )
        by_member.setdefault(to_text(("response", *change.path[:1])), []).append(difference)
    return [
        Finding(Spot(label, (), tuple(differences)), Origin.RESPONSE)
        for label, differences in by_member.items()
    ]


def _content(body: Body) -> Side:
    return MISSING if body.kind is BodyKind.ABSENT else body.value


def _whole(old: Side, new: Side) -> Finding:
    kind = Kind.ADDED if old is MISSING else Kind.REMOVED if new is MISSING else Kind.VALUE
    path = None if old is MISSING else (), None if new is MISSING else ()
    return Finding(Spot("response", (), (Difference(kind, (), *path, old, new),)), Origin.RESPONSE)
