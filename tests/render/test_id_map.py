"""The IDs that were set aside, as JSON and as a table."""

import pytest

from amberfork_cli.core.ids.canonical import IdUse
from amberfork_cli.core.ids.id_rules import IdClass
from amberfork_cli.render.id_map import lay_out, members
from amberfork_cli.render.lines import line_width, plain_text

CALL = IdUse(
    "__amberfork_tool_call_0__",
    IdClass.CALL,
    "call_9Ys2kQ81",
    ("/messages/1/tool_calls/0/id",),
    ("/messages/2/tool_call_id",),
    ("/messages/3/content",),
)
ORPHAN = IdUse(
    "__amberfork_tool_call_1__", IdClass.CALL, "", (), ("/messages/4/tool_call_id",), (), orphan=True
)
BLOB = IdUse(
    "__amberfork_blob_0__", IdClass.BLOB, "\x1b[2J" + "宽" * 400, (), tuple(f"/input/{n}" for n in range(9))
)


def test_members_say_everything_about_an_id() -> None:
    """Mentions, and that it is an orphan, only where there is something to say."""
    assert members([CALL, ORPHAN]) == [
        {
            "token": "__amberfork_tool_call_0__",
            "class": "tool_call",
            "original": "call_9Ys2kQ81",
            "declared": ["/messages/1/tool_calls/0/id"],
            "references": ["/messages/2/tool_call_id"],
            "mentions": ["/messages/3/content"],
        },
        {
            "token": "__amberfork_tool_call_1__",
            "class": "tool_call",
            "original": "",
            "declared": [],
            "references": ["/messages/4/tool_call_id"],
            "orphan": True,
        },
    ]


def test_the_table_has_a_row_for_each_id_and_each_place() -> None:
    """Tokens to the left, what they stand for to the right; of many places a few."""
    assert [plain_text(line) for line in lay_out([CALL, ORPHAN, BLOB], cells=60)] == [
        "__amberfork_tool_call_0__  call_9Ys2kQ81",
        "  declared                 /messages/1/tool_calls/0/id",
        "  referred to              /messages/2/tool_call_id",
        "  in text                  /messages/3/content",
        '__amberfork_tool_call_1__  ""',
        "  orphan                   /messages/4/tool_call_id",
        "__amberfork_blob_0__       \\u001b[2J宽宽宽宽宽宽宽宽宽宽宽…",
        "  referred to              /input/0",
        "                           /input/1",
        "                           /input/2",
        "                           /input/3",
        "                           and 5 more",
    ]


@pytest.mark.parametrize("cells", [60, 80, 120])
def test_no_line_is_wider_than_asked(cells: int) -> None:
    """Long IDs are cut at their end, long places in the middle."""
    deep = IdUse("__amberfork_item_0__", IdClass.ITEM, "宽" * 99, (), ("/é" * 99,))

    assert max(map(line_width, lay_out([BLOB, deep, CALL], cells=cells, dots="..."))) <= cells


def test_without_ids_there_is_no_table() -> None:
    """Nor any line."""
    assert lay_out([], cells=80) == []
