"""A place that differs, with what the cause of a fork needs to know of it beyond what a display shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from amberfork_cli.core.compare.report import Difference, Origin, Spot
from amberfork_cli.core.dialects.model import Message, Role, ToolCall, ToolResult
from amberfork_cli.core.paths import Path, to_text


@dataclass(frozen=True, slots=True)
class Finding:
    """A spot, and what is known of it that a display does not need but the cause of a fork does.

    `old` and `new` are the messages it is about, several where a hunk of them was dropped or inserted;
    `calls` and `result` what in them differs. `again` marks an inserted turn whose call is made once more
    right after it, `moved` a hunk that the other side has as well, at another place. Hunks of one `gap` stand
    in the place of each other.
    """

    spot: Spot
    origin: Origin
    old: tuple[Message, ...] = ()
    new: tuple[Message, ...] = ()
    calls: tuple[ToolCall | None, ToolCall | None] = (None, None)
    result: ToolResult | None = None
    again: bool = False
    moved: bool = False
    gap: int | None = None

    @property
    def is_hunk(self) -> bool:
        """Whether it is of whole messages that only one side has at that place."""
        return self.gap is not None


ORIGINS = {
    Role.SYSTEM: Origin.SYSTEM_PROMPT,
    Role.USER: Origin.USER_PROMPT,
    Role.ASSISTANT: Origin.MODEL_OUTPUT,
    Role.TOOL: Origin.TOOL_RESULT,
    Role.UNKNOWN: Origin.BODY,
}
"""Where what each speaker says comes from."""


def origin_of(message: Message | None) -> Origin:
    """Where a change of that message comes from."""
    return ORIGINS[message.role if message else Role.UNKNOWN]


def narrowed(finding: Finding, left: tuple[Difference, ...]) -> Finding:
    """The finding with only those of its differences; of a hunk with only those messages."""
    spot = replace(finding.spot, differences=left)
    messages = finding.old or finding.new
    if not finding.is_hunk or len(messages) != len(finding.spot.differences):
        return replace(finding, spot=spot)
    kept = {id(difference) for difference in left}
    facing = zip(messages, finding.spot.differences, strict=True)
    messages = tuple(message for message, difference in facing if id(difference) in kept)
    spot = replace(spot, label=range_text([message.path for message in messages]))
    old, new = (messages if side else () for side in (finding.old, finding.new))
    return replace(finding, spot=spot, old=old, new=new)


def range_text(paths: Sequence[Path]) -> str:
    """From the first to the last of some neighbours: `messages[7]–[8]`."""
    first, last = paths[0], paths[-1]
    return to_text(first) if first == last else f"{to_text(first)}–{to_text(last[-1:])}"
