"""Where a changed value came from: the earlier tool result in which it first appeared.

A tool that mints a random id makes the next prompts differ too. Only what identifies is traced: a whole token
of six characters or more with a digit, found in exactly one earlier result.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from amberfork_cli.core.compare.finding import Finding
from amberfork_cli.core.compare.report import Difference, Origin, Side, Trace, Words
from amberfork_cli.core.compare.words import notation, result_words

_TOKEN = re.compile(r"(?<![A-Za-z0-9_-])(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{6,}(?![A-Za-z0-9_-])")


class Tracer:
    """Remembers what changed in tool results, and recognises it where it appears again."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], set[tuple[int, Words]]] = defaultdict(set)

    def trace(self, exchange: int, found: Sequence[Finding]) -> Trace | None:
        """The earlier result that explains a change here, if any. Takes in the results of this exchange."""
        trace = self._source(difference for finding in found for difference in finding.spot.differences)
        for finding in found:
            if finding.origin is Origin.TOOL_RESULT and finding.result is not None:
                words = result_words(finding.result)
                for difference in finding.spot.differences:
                    for pair in _replaced_tokens(difference):
                        self._seen[pair].add((exchange, words))
        return trace

    def _source(self, differences: Iterable[Difference]) -> Trace | None:
        for difference in differences:
            for pair in _replaced_tokens(difference):
                sources = self._seen.get(pair, set())
                if len(sources) == 1:
                    ((number, words),) = sources
                    return Trace(pair[0], number, words)
        return None


def _replaced_tokens(difference: Difference) -> list[tuple[str, str]]:
    """The tokens of the old value and those that stand in their place in the new one, pair by pair."""
    old, new = (_TOKEN.findall(_text(side)) for side in (difference.recorded, difference.reissued))
    gone = [token for token in old if token not in new]
    come = [token for token in new if token not in old]
    return list(zip(gone, come, strict=True)) if len(gone) == len(come) else []


def _text(side: Side) -> str:
    if isinstance(side, str):
        return side
    return notation(side) if isinstance(side, (dict, list, int, float)) else ""
