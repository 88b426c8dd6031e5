r"""What known clients put into every request afresh, as paths to ignore and texts to replace.

None of it is an ID that the protocol knows, so no rule finds it; and all of it differs between two runs of
one program. A preset is as narrow as what its client writes: a date that the client announces is replaced, a
date in a tool's arguments is not. `docs/canonical.md` shows what each one looks like.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from amberfork_cli.core.adjusting import Adjustments


class Preset(StrEnum):
    """A client, or a habit that many clients have."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI_CLI = "gemini-cli"
    OPENAI_AGENTS = "openai-agents"
    DATES = "dates"
    PATHS = "paths"


@dataclass(frozen=True, slots=True)
class _Volatile:
    """What one preset takes out: paths, and regular expressions with what to put in their place."""

    ignore: tuple[str, ...] = ()
    replace: tuple[tuple[str, str], ...] = ()


_ANNOUNCED: Final = "(?:today's date|(?:the )?current (?:date and time|date/time|datetime|date|time))"
_TEMPORARY: Final = "/tmp"  # noqa: S108 - a text that is found, and put in place of other such folders
_SEP: Final = r"[\\/]{1,2}"  # a backslash is two in JSON text, such as a call's arguments
_NAME: Final = r"[^\\/\s\"'`<>|:;,)\]]+"
_WINDOWS_HOME: Final = rf"\b[A-Za-z]:{_SEP}Users{_SEP}{_NAME}"

_PRESETS: Final = {
    Preset.CLAUDE_CODE: _Volatile(
        # A hash and the session, as user_…_account_…_session_…, or as JSON text since 2.1.78.
        ignore=("metadata.user_id",),
        replace=(
            # The first system block, since 2.1.29. Version suffix and cch are computed from the request.
            (r"^(x-anthropic-billing-header: cc_version=\d+\.\d+\.\d+)\.[0-9a-f]+(?=;)", r"\1"),
            (r"^(x-anthropic-billing-header: [^\n]*?\bcch=)[0-9a-f]+(?=;)", r"\1*"),
            # The date: at the end of <env> in the system prompt, later in a reminder of the first message.
            (r"(?<=\nToday's date: )[^\n]+(?=\n</env>)", "*"),
            (r"(?<=# currentDate\nToday's date is )\d{4}-\d{2}-\d{2}", "*"),
        ),
    ),
    Preset.CODEX: _Volatile(
        # Installation, session, thread and turn; the cache key is the session's ID.
        ignore=("client_metadata", "prompt_cache_key"),
        replace=((r"(?<=<current_date>)[^<\n]*(?=</current_date>)", "*"),),
    ),
    Preset.GEMINI_CLI: _Volatile(
        # Its first message, which the user did not write.
        replace=(
            (r"(?<=\nToday's date is )[^\n]+(?= \(formatted according to the user's locale\))", "*"),
            (r"(?<=\nThe project's temporary directory is: )[^\n]+", "*"),
        ),
    ),
    Preset.OPENAI_AGENTS: _Volatile(
        # Where the caller names no conversation, the key is made up for the run; other keys are data.
        replace=((r"^agents-sdk:run:[0-9a-f]{32}$", "agents-sdk:run:*"),),
    ),
    Preset.DATES: _Volatile(
        replace=((rf"(?i)\b({_ANNOUNCED}(?: is|:) *)(?=[^\n.]*\d)[^\n.]*(?:\.\d+[^\n.]*)*", r"\1*"),),
    ),
    Preset.PATHS: _Volatile(
        replace=(
            # Temporary folders first: on macOS and Windows they lie in folders named after the user.
            (r"(?:/private)?/var/folders/[\w+-]{2}/[\w+-]+/T(?=/|\b)", _TEMPORARY),
            (rf"{_WINDOWS_HOME}{_SEP}AppData{_SEP}Local{_SEP}Temp\b", _TEMPORARY),
            (rf"(?<={_TEMPORARY})({_SEP})(?:tmp\.?\w{{6,}}|pytest-of-{_NAME}{_SEP}pytest-\d+)", r"\1*"),
            (rf"(?<![\w./~-])/(?:home|Users)/{_NAME}", "~"),
            (_WINDOWS_HOME, "~"),
        ),
    ),
}


def adjustments_of(presets: Iterable[Preset]) -> Adjustments:
    """What these presets take out, together and in their order; one named twice counts once."""
    from amberfork_cli.core.adjusting import Adjustments  # the names alone, as in a help text, cost nothing
    from amberfork_cli.core.paths import PathPattern, Replacement

    volatile = [_PRESETS[preset] for preset in dict.fromkeys(presets)]
    return Adjustments(
        tuple(PathPattern.parse(path) for each in volatile for path in each.ignore),
        tuple(Replacement.parse(*pair) for each in volatile for pair in each.replace),
    )
