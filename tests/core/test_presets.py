"""What each preset takes out of what its client writes, and what it leaves alone."""
# ruff: noqa: S108 - temporary folders are what some texts are about

import pytest

from amberfork_cli.core.adjusting import Adjustments
from amberfork_cli.core.paths import replaced, without
from amberfork_cli.core.presets import Preset, adjustments_of
from amberfork_cli.core.tape import JsonValue

BILLING = "x-anthropic-billing-header: cc_version=2.1.177{}; cc_entrypoint=cli; cch={};"
ENVIRONMENT = "Here is useful information:\n<env>\nPlatform: linux\nToday's date: {}\n</env>\nYou are"
REMINDER = "<system-reminder>\n# currentDate\nToday's date is {}.\n</system-reminder>"
CODEX = "<environment_context>\n  <current_date>{}</current_date>\n  <timezone>UTC</timezone>\n"
GEMINI = "This is the Gemini CLI.\nToday's date is {} (formatted according to the user's locale).\nMy"
GEMINI_FOLDER = "linux\nThe project's temporary directory is: {}\n- Workspace"


def of(preset: Preset, value: JsonValue) -> JsonValue:
    """The value without what the preset takes out."""
    adjustments = adjustments_of([preset])
    return replaced(without(value, adjustments.ignore)[0], adjustments.replace)[0]


@pytest.mark.parametrize(
    ("preset", "one", "other"),
    [
        ("claude-code", BILLING.format(".01c", "36ee5"), BILLING.format(".9f0", "0aaa9")),
        ("claude-code", BILLING.format(".01c", "1") + "\nYou are", BILLING.format(".2", "f") + "\nYou are"),
        ("claude-code", ENVIRONMENT.format("2025-12-02"), ENVIRONMENT.format("12/3/2025")),
        ("claude-code", REMINDER.format("2026-04-05"), REMINDER.format("2026-04-06")),
        (
            "claude-code",
            {"metadata": {"user_id": "user_1f_account__session_aa"}},
            {"metadata": {"user_id": '{"device_id":"x","session_id":"bb"}'}},
        ),
        ("codex", {"client_metadata": {"turn_id": "1"}}, {"client_metadata": {"turn_id": "2"}}),
        ("codex", {"prompt_cache_key": "019e95f9"}, {"prompt_cache_key": "019fff90"}),
        ("codex", CODEX.format("2026-05-16"), CODEX.format("2026-08-14")),
        ("gemini-cli", GEMINI.format("Thursday, April 23, 2026"), GEMINI.format("2026년 4월 23일 목요일")),
        ("gemini-cli", GEMINI_FOLDER.format("/home/a/.gemini/tmp/x"), GEMINI_FOLDER.format("/tmp/y")),
        (
            "openai-agents",
            {"prompt_cache_key": "agents-sdk:run:49265e0d13cf433d8123d770c5acf7ea"},
            {"prompt_cache_key": "agents-sdk:run:0123456789abcdef0123456789abcdef"},
        ),
        ("dates", "Today's date is 2024-09-30. Go on.", "Today's date is Monday, 1 July 2024. Go on."),
        ("dates", "Current date: Wed Mar 4 2026\nok", "Current date: 2026-03-05\nok"),
        ("dates", "The current time is 10:22:33.123Z, hi", "The current time is 11:00:00, hi"),
        ("dates", "current date and time: 2026-01-01T00:00:00Z", "current date and time: 2 Jan 2026, 3 pm"),
        ("paths", "/tmp/tmpab12cd34/x.py", "/tmp/tmp_f9g8h7j/x.py"),
        ("paths", "/private/var/folders/x1/abc_d+0000gn/T/tmpab12cd34/x", "/tmp/tmp.Ab12Cd34Ef/x"),
        ("paths", "/tmp/pytest-of-me/pytest-12/a", "/tmp/pytest-of-you/pytest-3/a"),
        ("paths", "in /home/me/x and '/home/me'", "in /Users/you.name/x and '/Users/you.name'"),
        ("paths", "C:\\Users\\me\\x", "D:\\Users\\you\\x"),
        ("paths", '{"path": "C:\\\\Users\\\\me\\\\x"}', '{"path": "C:\\\\Users\\\\you\\\\x"}'),
        (
            "paths",
            "C:\\Users\\me\\AppData\\Local\\Temp\\tmpab12cd34\\x",
            "C:\\Users\\you\\AppData\\Local\\Temp\\tmpzz99zz99\\x",
        ),
    ],
)  # fmt: skip
def test_what_differs_from_run_to_run_is_taken_out(preset: str, one: JsonValue, other: JsonValue) -> None:
    """Two runs of one program come out equal."""
    assert of(Preset(preset), one) == of(Preset(preset), other)
    assert one != other


@pytest.mark.parametrize(
    ("preset", "one", "other"),
    [
        ("claude-code", BILLING.format(".1", "1"), BILLING.format(".1", "1").replace("2.1.177", "2.1.178")),
        ("claude-code", BILLING.format(".01c", "1"), BILLING.format(".01c", "1").replace("=cli", "=sdk")),
        ("claude-code", f"see {BILLING.format('.01c', '1')}", f"see {BILLING.format('.01c', '2')}"),
        ("claude-code", "Today's date: 2025-12-02", "Today's date: 2025-12-03"),
        ("claude-code", {"metadata": {"team": "a"}}, {"metadata": {"team": "b"}}),
        ("claude-code", {"user_id": "a"}, {"user_id": "b"}),
        ("codex", {"metadata": {"client_metadata": "a"}}, {"metadata": {"client_metadata": "b"}}),
        ("codex", "<current_date>2026-05-16", "<current_date>2026-05-17"),
        ("gemini-cli", "Today's date is 2026-05-16", "Today's date is 2026-05-17"),
        ("openai-agents", "agents-sdk:session:49265e0d13cf433d8123d770c5acf7ea", "agents-sdk:session:0"),
        ("openai-agents", {"prompt_cache_key": "a"}, {"prompt_cache_key": "b"}),
        ("dates", '{"date": "2026-03-01"}', '{"date": "2026-03-02"}'),
        ("dates", "Book it for 2026-03-01", "Book it for 2026-03-02"),
        ("dates", "Today's date is 2024-09-30. 1 left", "Today's date is 2024-09-30. 2 left"),
        ("dates", "the current date is unknown. 1", "the current date is unknown. 2"),
        ("paths", "/home/me/x", "/home/me/y"),
        ("paths", "https://example.org/home/one", "https://example.org/home/two"),
        ("paths", "/srv/home/one", "/srv/home/two"),
        ("paths", "/tmp/one", "/tmp/two"),
    ],
)  # fmt: skip
def test_what_says_something_stays(preset: str, one: JsonValue, other: JsonValue) -> None:
    """A preset is as narrow as what its client writes."""
    assert of(Preset(preset), one) != of(Preset(preset), other)


def test_presets_add_up_each_once() -> None:
    """In the order in which they are named."""
    both = adjustments_of([Preset.CODEX, Preset.DATES, Preset.CODEX])

    codex, dates = adjustments_of([Preset.CODEX]), adjustments_of([Preset.DATES])
    assert both == Adjustments((*codex.ignore, *dates.ignore), (*codex.replace, *dates.replace))
    assert adjustments_of([]) == Adjustments()


@pytest.mark.parametrize("preset", Preset)
def test_taking_out_twice_is_taking_out_once(preset: Preset) -> None:
    """So that canonical output stays as it is."""
    texts: list[JsonValue] = [
        BILLING.format(".01c", "36ee5"),
        ENVIRONMENT.format("2025-12-02"),
        REMINDER.format("2026-04-05"),
        CODEX.format("2026-05-16"),
        GEMINI.format("Thursday"),
        GEMINI_FOLDER.format("/tmp/tmpab12cd34"),
        "agents-sdk:run:49265e0d13cf433d8123d770c5acf7ea",
        "The current time is 10:22:33.123Z",
        "/private/var/folders/x1/abc/T/tmpab12cd34/x /home/me/x C:\\Users\\me\\AppData\\Local\\Temp\\x",
    ]

    once = of(preset, texts)

    assert of(preset, once) == once
