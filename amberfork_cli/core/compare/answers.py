"""A response read for comparing: what it says with IDs made neutral, and what those mean beside it.

A stream counts as the message that it spells. What is fresh in every response (its own id, times, counts of
tokens) says nothing about what was answered, and is set apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from amberfork_cli.core.compare.reading import Element, neutral
from amberfork_cli.core.content import Absent, json_of
from amberfork_cli.core.dialects import dialect_of
from amberfork_cli.core.dialects.dialect import Dialect
from amberfork_cli.core.ids.id_rules import IdRules, sites
from amberfork_cli.core.ids.linkage import Token, link
from amberfork_cli.core.ids.rewriting import rewritten
from amberfork_cli.core.paths import Path, Replacement, replaced
from amberfork_cli.core.sse import response_json
from amberfork_cli.core.tape import Exchange, JsonValue

VOLATILE = frozenset(
    """
    id created created_at completed_at usage usageMetadata usage_metadata system_fingerprint service_tier
    metrics responseId response_id createTime x_groq total_duration load_duration
    prompt_eval_count prompt_eval_duration eval_count eval_duration obfuscation
    """.split()
)
"""Members of a response body that are fresh in every one."""

_SAID = ("output", "outputs")
_THOUGHTS = ("reasoning", "thought")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a response says, and each ID in it: where it stands and what it means."""

    value: JsonValue
    ids: tuple[tuple[Path, Token], ...]

    def firsts(self) -> dict[Path, Path]:
        """For each ID where the first one stands that means the same."""
        known: dict[Token, Path] = {}
        return {path: known.setdefault(token, path) for path, token in self.ids}


@dataclass(frozen=True, slots=True)
class Answering:
    """How responses are read: which IDs are set aside, and which texts are replaced as in requests."""

    rules: IdRules = IdRules.ALL
    replacements: Sequence[Replacement] = ()


AS_IT_CAME = Answering()
"""All IDs set aside, no text replaced."""


def answer_of(exchange: Exchange, how: Answering = AS_IT_CAME) -> Answer | None:
    """What a response says; `None` where there is none, or none that spells JSON."""
    asked = json_of(exchange.request.body)
    value = _spelled(exchange, asked)
    if isinstance(value, Absent):
        return None
    if isinstance(value, dict):
        value = {key: member for key, member in value.items() if key not in VOLATILE}
    value, _ = replaced(value, how.replacements)
    before = [] if isinstance(asked, Absent) else sites(asked, how.rules)
    own = sites(value, how.rules, response=True)
    links = link((*before, *own), how.rules)
    tokens = links.tokens[len(before) :]
    copy = rewritten(value, own, tokens, telling=links.telling, text_of=neutral)
    found = [(site.path, token) for site, token in zip(own, tokens, strict=True) if token is not None]
    return Answer(copy.value, (*found, *copy.mentions))


def reply_of(exchange: Exchange, how: Answering = AS_IT_CAME) -> Element | None:
    """What the model said in a response that the provider keeps, as one message; thoughts are left empty."""
    answer, asked = answer_of(exchange, how), json_of(exchange.request.body)
    dialect = _dialect(exchange, asked)
    said = dialect.reply(answer.value) if dialect and answer else None
    if said is None or answer is None or not isinstance(answer.value, dict):
        return None
    items = {key: _without_thoughts(answer.value[key]) for key in _SAID if key in answer.value}
    return Element((), items, (), said)


def is_thinking(item: object) -> bool:
    """Whether an item of an answer is what the model thought, which the provider keeps to itself."""
    return isinstance(item, dict) and item.get("type") in _THOUGHTS


def _spelled(exchange: Exchange, asked: JsonValue | Absent) -> JsonValue | Absent:
    if exchange.response is None:
        return Absent.VALUE
    spelled = response_json(exchange.response, dialect=_dialect(exchange, asked))
    return json_of(exchange.response.body) if spelled is None else spelled.body


def _dialect(exchange: Exchange, asked: JsonValue | Absent) -> Dialect | None:
    return None if isinstance(asked, Absent) else dialect_of(exchange.request.path, asked)


def _without_thoughts(items: JsonValue) -> JsonValue:
    if not isinstance(items, list):
        return items
    return [
        {"type": item["type"]} if isinstance(item, dict) and is_thinking(item) else item for item in items
    ]
