"""`amberfork canon`: bodies and tapes with their IDs set aside."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from command_line import Ended
from run_bodies import ID, body, call, exchange, lines, result, run

CALL = "__amberfork_tool_call_0__"
BODY = body(call(), result())
CANONICAL = body(call(CALL), result(CALL))
RESPONSE = {"status": 200, "body": {"id": "chatcmpl-77aB", "choices": [{"message": call()}]}}


def compact(value: object) -> str:
    """JSON on one line, as amberfork writes it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n"


# One body


def test_a_body_goes_out_indented_with_its_members_in_their_order(amberfork, write):
    """Two spaces; every ID is a token, in its declaration and in the result that points to it."""
    write("body.json", compact(BODY))

    assert amberfork("canon", "body.json") == Ended(0, json.dumps(CANONICAL, indent=2) + "\n")


def test_two_runs_of_one_conversation_come_out_equal(amberfork):
    """Only the IDs were fresh."""
    one = amberfork("canon", stdin=compact(body(call("call_a1B2c3D4"), result("call_a1B2c3D4"))).encode())
    other = amberfork("canon", stdin=compact(body(call("toolu_9Z"), result("toolu_9Z"))).encode())

    assert one == other


@pytest.mark.parametrize("arguments", [(), ("-",)], ids=["no file", "-"])
def test_stdin_is_read_where_no_file_is_named(amberfork, arguments):
    """A body can come through a pipe."""
    assert amberfork("canon", "--compact", *arguments, stdin=compact(BODY).encode()).out == compact(CANONICAL)


def test_compact_and_sorted_by_name_on_request(amberfork):
    """One line; the members of every object by name, the items of lists where they were."""
    given = b'{"b": {"d": 1, "c": [2, 1]}, "a": 1.0}'

    assert amberfork("canon", "--compact", stdin=given).out == '{"b":{"d":1,"c":[2,1]},"a":1.0}\n'
    assert (
        amberfork("canon", "--compact", "--sort-keys", stdin=given).out == '{"a":1.0,"b":{"c":[2,1],"d":1}}\n'
    )


def test_values_come_through_exactly(amberfork):
    """Integers past 64 bits, `1.0`, `-0.0`, half a surrogate pair, 2,000 levels."""
    given = '{"n":[123456789012345678901234567890,1.0,-0.0,"\\ud83d"],"deep":' + "[" * 2000 + "]" * 2000 + "}"

    assert amberfork("canon", "--compact", stdin=given.encode()).out == given + "\n"


@pytest.mark.parametrize(
    ("ids", "kept"),
    [("all", []), ("calls", ["sig"]), ("seed", ["sig"])],
)
def test_the_rules_can_be_chosen(amberfork, ids, kept):
    """Blobs are kept where only tool calls are set aside."""
    thinking = {"type": "thinking", "thinking": "", "signature": "sig"}
    given = {"messages": [{"role": "assistant", "content": [thinking]}]}

    seen = json.loads(amberfork("canon", "--ids", ids, stdin=compact(given).encode()).out)

    signature = seen["messages"][0]["content"][0]["signature"]
    assert [signature] == (kept or ["__amberfork_blob_0__"])


# Tapes


def test_a_tape_goes_out_as_a_tape_with_canonical_requests(amberfork, write):
    """Header, order, unknown members and responses stay; request bodies are canonical."""
    asked = {**exchange(BODY, RESPONSE), "idx": 7, "note": "kept"}
    write("run.jsonl", ['{"tape_version":"1","id":"r"}', *lines([exchange(body()), asked])])

    written = amberfork("canon", "run.jsonl").out.splitlines()

    assert [json.loads(line) for line in written] == [
        {"tape_version": "1", "id": "r"},
        exchange(body()),
        {**exchange(CANONICAL, RESPONSE), "idx": 7, "note": "kept"},
    ]


def test_response_bodies_are_canonical_on_request(amberfork, write):
    """A response goes on with the numbers of its request; the handle that names it is a token too."""
    write("run.jsonl", lines([exchange(BODY, RESPONSE)]))

    written = json.loads(amberfork("canon", "run.jsonl", "--responses").out)

    again = "__amberfork_tool_call_1__"
    assert written["request"]["body"] == CANONICAL
    assert written["response"]["body"] == {
        "id": "__amberfork_item_0__",
        "choices": [{"message": call(again)}],
    }


def test_bare_bodies_go_out_as_bare_bodies(amberfork, write):
    """One a line, as they came."""
    write("bodies.jsonl", [compact(BODY).strip(), compact(body()).strip()])

    assert amberfork("canon", "bodies.jsonl").out == compact(CANONICAL) + compact(body())


def test_sorted_members_are_those_of_bodies(amberfork, write):
    """The members of an exchange keep the order of the tape format."""
    request = {"method": "POST", "path": "/", "body": {"b": 1, "a": 2}}
    write("run.jsonl", lines([{"request": request, "response": {"status": 200, "body": {"d": 1, "c": 2}}}]))

    requests = amberfork("canon", "run.jsonl", "--sort-keys").out
    both = amberfork("canon", "run.jsonl", "--sort-keys", "--responses").out

    assert requests == (
        '{"request":{"method":"POST","path":"/","body":{"a":2,"b":1}},"response":{"status":200,"body":{"d":1,"c":2}}}\n'
    )
    assert both == requests.replace('{"d":1,"c":2}', '{"c":2,"d":1}')


def test_compressed_tapes_are_read(amberfork, write):
    """By their first bytes, whatever they are called."""
    write("run.bin", gzip.compress("\n".join(lines([exchange(BODY)])).encode()))

    assert json.loads(amberfork("canon", "run.bin").out) == exchange(CANONICAL)


def test_bodies_that_are_no_json_are_carried_as_they_are(amberfork, write):
    """Text, bytes, null and nothing at all."""
    tape = [
        {"request": {"method": "POST", "path": "/", "body": "call_9Ys2kQ81"}},
        {"request": {"method": "POST", "path": "/", "body": "/wA=", "body_encoding": "base64"}},
        {"request": {"method": "POST", "path": "/", "body": None}},
        {"request": {"method": "GET", "path": "/"}, "response": {"status": 200}},
    ]
    write("run.jsonl", lines(tape))

    seen = amberfork("canon", "run.jsonl", "--responses")

    assert [json.loads(line) for line in seen.out.splitlines()] == tape
    assert (seen.code, seen.err) == (0, "")


# Where it goes


def test_output_to_a_file_says_nothing(amberfork, write):
    """And holds what stdout would have shown."""
    write("body.json", compact(BODY))

    assert amberfork("canon", "body.json", "--compact", "-o", "out.json") == Ended(0, "")
    assert Path("out.json").read_text() == compact(CANONICAL)


def test_the_output_may_be_the_input(amberfork, write):
    """It is read to its end before it is replaced."""
    write("run.jsonl", lines(run() * 50))
    written = amberfork("canon", "run.jsonl").out

    assert amberfork("canon", "run.jsonl", "--output", "run.jsonl") == Ended(0, "")
    assert Path("run.jsonl").read_text() == written


def test_trouble_leaves_no_half_a_file(amberfork, write):
    """A bad line at the end of a tape leaves the output as it was, and nothing beside it."""
    write("run.jsonl", [*lines(run()), "{oops}"])
    write("out.jsonl", "before")

    trouble = amberfork("canon", "run.jsonl", "-o", "out.jsonl")

    assert (trouble.code, trouble.out) == (2, "")
    assert trouble.err.startswith("amberfork: run.jsonl:4:2: ")
    assert Path("out.jsonl").read_text() == "before"
    assert sorted(path.name for path in Path().iterdir()) == ["out.jsonl", "run.jsonl"]


def test_an_output_that_cannot_be_written_is_trouble(amberfork, write):
    """It is named."""
    write("body.json", compact(BODY))

    assert amberfork("canon", "body.json", "-o", "no/out.json") == Ended(
        2, "", "amberfork: cannot write no/out.json: there is no folder no\n"
    )


def test_several_files_are_written_in_place(amberfork, write):
    """Each in its own form."""
    write("a.json", compact(BODY))
    write("b.jsonl", lines([exchange(BODY)]))

    assert amberfork("canon", "--in-place", "--compact", "a.json", "b.jsonl") == Ended(0, "")
    assert Path("a.json").read_text() == compact(CANONICAL)
    assert json.loads(Path("b.jsonl").read_text()) == exchange(CANONICAL)


def test_none_is_written_when_one_cannot_be_read(amberfork, write):
    """All of them are read through before the first is written."""
    write("a.json", compact(BODY))
    write("b.jsonl", [*lines(run()), "{oops}"])

    assert amberfork("canon", "--in-place", "a.json", "b.jsonl").code == 2
    assert Path("a.json").read_text() == compact(BODY)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "a.json.gz",
            gzip.compress(compact(BODY).encode()),
            "a.json.gz: only a plain file can be written back: use --output",
        ),
        (
            "a.cassette.json",
            compact({"cassette_version": "0.1", "exchanges": [exchange(BODY)]}).encode(),
            "a.cassette.json: a cassette is written as a tape: use --output",
        ),
    ],
    ids=["compressed", "cassette"],
)
def test_what_would_become_another_kind_of_file_is_not_written_in_place(
    amberfork, write, name, content, said
):
    """A person who wants that names the new file."""
    write(name, content)

    assert amberfork("canon", "--in-place", name) == Ended(2, "", f"amberfork: {said}\n")
    assert Path(name).read_bytes() == content


# Map, digest, check


def test_the_map_says_what_each_token_stands_for(amberfork):
    """Token, class, original, and JSON Pointers to declaration, references and mentions."""
    given = body(call(), result(content=f"see {ID}"), result("call_zZ99"))

    shown = json.loads(amberfork("canon", "--show", "map", stdin=compact(given).encode()).out)

    assert shown == [
        {
            "token": CALL,
            "class": "tool_call",
            "original": ID,
            "declared": ["/messages/1/tool_calls/0/id"],
            "references": ["/messages/2/tool_call_id"],
            "mentions": ["/messages/2/content"],
        },
        {
            "token": "__amberfork_tool_call_1__",
            "class": "tool_call",
            "original": "call_zZ99",
            "declared": [],
            "references": ["/messages/3/tool_call_id"],
            "orphan": True,
        },
    ]


def test_the_map_of_a_tape_has_a_line_for_each_exchange(amberfork, write):
    """Responses have a map of their own, where they are asked for."""
    write("run.jsonl", lines([exchange(body()), exchange(body(), RESPONSE)]))

    shown = [json.loads(line) for line in amberfork("canon", "run.jsonl", "--show", "map").out.splitlines()]
    both = amberfork("canon", "run.jsonl", "--show", "map", "--responses").out.splitlines()[1]

    assert shown == [{"exchange": 0, "ids": []}, {"exchange": 1, "ids": []}]
    assert [use["original"] for use in json.loads(both)["response_ids"]] == [ID, "chatcmpl-77aB"]


def test_digests_are_equal_where_two_runs_ask_the_same(amberfork, write):
    """One line for each request, as `fingerprint` gives it."""
    write("a.jsonl", lines(run("call_9Ys2kQ81")))
    write("b.jsonl", lines(run("call_mW3xT7b2")))
    write("c.jsonl", lines(run(content="sun")))

    a, b, c = (amberfork("canon", "--show", "digest", f"{name}.jsonl").out.splitlines() for name in "abc")

    assert a == b
    assert [len(line) for line in a] == [68, 68, 68]
    assert a[:1] == c[:1]
    assert {*a[1:]} & {*c[1:]} == set()


def test_digests_leave_out_what_is_ignored(amberfork):
    """As a comparison with the same options would."""
    given = compact(body(user="u-1")).encode()

    without = amberfork("canon", "--show", "digest", stdin=compact(body()).encode())
    ignored = amberfork("canon", "--show", "digest", "--ignore", "user", stdin=given)

    assert ignored.out == without.out
    assert ignored.err == "amberfork: stdin: 1 member ignored, 0 texts replaced\n"


def test_a_check_names_the_first_places_and_exits_1(amberfork, write):
    """Of every file; those that are canonical are not named."""
    write("a.json", compact(BODY))
    write("b.jsonl", lines(run()))
    write("c.json", compact(CANONICAL))

    assert amberfork("canon", "--check", "a.json", "b.jsonl", "c.json") == Ended(
        1,
        f"a.json: /messages/1/tool_calls/0/id holds {ID}\n"
        f"a.json: /messages/2/tool_call_id holds {ID}\n"
        f"b.jsonl: #1 /messages/1/tool_calls/0/id holds {ID}\n"
        f"b.jsonl: #1 /messages/2/tool_call_id holds {ID}\n"
        f"b.jsonl: #2 /messages/1/tool_calls/0/id holds {ID}\n"
        f"b.jsonl: #2 /messages/2/tool_call_id holds {ID}\n",
    )


def test_a_check_counts_the_places_that_it_does_not_name(amberfork, write):
    """Five of a file lead to the rest; a long ID is cut, and cannot drive a terminal."""
    write("run.jsonl", lines(run("\x1b[2J" + "x" * 50) * 3))

    found = amberfork("canon", "--check", "run.jsonl").out.splitlines()

    assert found[0] == f"run.jsonl: #1 /messages/1/tool_calls/0/id holds \\u001b[2J{'x' * 36}…"
    assert found[5:] == ["run.jsonl: and 7 more"]


def test_a_check_of_canonical_output_exits_0(amberfork, write):
    """What canon wrote is canonical, whatever it was made from."""
    write("run.jsonl", lines(run()))
    amberfork("canon", "run.jsonl", "-o", "canonical.jsonl")

    assert amberfork("canon", "--check", "canonical.jsonl") == Ended(0, "")


@pytest.mark.parametrize("options", [("--ignore", "model"), ("--replace", "Weather", "Wind")], ids=" ".join)
def test_what_is_still_to_be_left_out_is_not_canonical(amberfork, options):
    """The counts say what it is."""
    assert amberfork("canon", "--check", *options, stdin=compact(body()).encode()).code == 1


# What is told


def test_what_was_ignored_and_replaced_is_counted(amberfork):
    """On stderr, so that stdout holds nothing but the body."""
    given = compact(body(user="u-1", nested={"user": "u-2"})).encode()

    seen = amberfork(
        "canon",
        "--compact",
        "--ignore",
        "**.user",
        "--replace",
        "Wea",
        "Hea",
        "--replace",
        r"(h)er",
        r"\1or",
        stdin=given,
    )

    assert seen == Ended(
        0,
        '{"model":"m","messages":[{"role":"user","content":"Heathor?"}],"nested":{}}\n',
        "amberfork: stdin: 2 members ignored, 2 texts replaced\n",
    )


def test_settings_are_named_where_they_leave_something_out(amberfork, write):
    """Those of the folder, found upward; options add to them."""
    write("amberfork.toml", 'ignore = ["user"]\nids = "calls"\n')
    given = compact(body(user="u-1", seed=7, thoughtSignature="kept")).encode()

    seen = amberfork("canon", "--compact", "--ignore", "seed", stdin=given)

    assert seen == Ended(
        0,
        '{"model":"m","messages":[{"role":"user","content":"Weather?"}],"thoughtSignature":"kept"}\n',
        "amberfork: stdin: 2 members ignored, 0 texts replaced (amberfork.toml)\n",
    )


def test_settings_that_say_nothing_about_bodies_are_not_named(amberfork, write):
    """A form for `diff` is none of canon's business."""
    write("amberfork.toml", 'format = "json"\n')

    assert amberfork("canon", "--compact", stdin=compact(body()).encode()) == Ended(0, compact(body()))


def test_a_preset_leaves_out_what_its_client_puts_in(amberfork):
    """The session of a run is no difference."""
    given = compact(body(metadata={"user_id": "user_1f_account__session_77"})).encode()

    seen = amberfork("canon", "--compact", "--preset", "claude-code", stdin=given)

    assert json.loads(seen.out)["metadata"] == {}
    assert seen.err == "amberfork: stdin: 1 member ignored, 0 texts replaced\n"


def test_text_that_looks_like_a_token_is_warned_of(amberfork, write):
    """A reader could take it for one."""
    write("run.jsonl", lines([exchange(body()), exchange(body({"role": "user", "content": f"{CALL}?"}))]))

    told = amberfork("canon", "run.jsonl").err

    assert told == (
        "amberfork: run.jsonl: 1 text already held what looks like a token, first at #1 /messages/1/content\n"
    )


# Input that is not what it should be


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b"hello\n", "stdin:1:1: hello is no JSON value; --text takes a file as it is"),
        (b'{"a": 1,\n "b": NaN}', "stdin:2:7: NaN is no JSON value (at /b)"),
        (b'{"a": 1, "a": 2}', "stdin:1:10: duplicate key (at /a)"),
        (b"", "stdin: there is no exchange on this tape"),
    ],
    ids=["text", "NaN", "duplicate", "nothing"],
)
def test_what_is_no_json_is_trouble_with_its_place(amberfork, given, said):
    """Line, column, and where it helps a path; what does not even begin as JSON may be meant as text."""
    assert amberfork("canon", stdin=given) == Ended(2, "", f"amberfork: {said}\n")


def test_text_is_carried_as_it_is_on_request(amberfork):
    """Whatever it spells; only replacements are made."""
    given = b'{"id": "call_1",\r\n not JSON \xe2\x82\xac'

    assert amberfork("canon", "--text", stdin=given).out.encode() == given
    assert amberfork("canon", "--text", "--replace", "not", "no", stdin=given) == Ended(
        0, given.decode().replace("not", "no"), "amberfork: stdin: 0 members ignored, 1 text replaced\n"
    )


def test_bytes_are_carried_as_they_are_on_request(installed):
    """They need not be UTF-8."""
    assert installed("canon", "--text", "-o", "out", stdin=b"\xff\x00\xfe").code == 0
    assert Path("out").read_bytes() == b"\xff\x00\xfe"


def test_lenient_reading_goes_on_and_says_what_it_left_out(amberfork, write):
    """Bad lines on a tape; NaN and doubled members in values."""
    write("run.jsonl", [*lines([exchange(body())]), "{oops", *lines([exchange(BODY)])])

    seen = amberfork("canon", "run.jsonl", "--lenient")

    assert [json.loads(line) for line in seen.out.splitlines()] == [exchange(body()), exchange(CANONICAL)]
    assert seen.err.startswith("amberfork: run.jsonl: 1 bad line left out, first line 2: ")


def test_a_torn_last_line_is_left_out_and_told(amberfork, write):
    """A recorder was killed there."""
    write("run.jsonl", "\n".join([*lines([exchange(body())]), '{"request": {"met']))

    seen = amberfork("canon", "run.jsonl")

    assert json.loads(seen.out) == exchange(body())
    assert seen.code == 0
    assert seen.err.startswith("amberfork: run.jsonl: recording stopped in line 2, ")


def test_the_input_can_be_said_to_be_something_else(amberfork):
    """A body that looks like an exchange is one body when a person says so."""
    given = compact({"request": {"method": "POST", "path": "/"}}).encode()

    assert amberfork("canon", "--compact", "--input-format", "body", stdin=given).out == given.decode()
    assert amberfork("canon", "--input-format", "yaml", stdin=given).err.startswith(
        'amberfork: there is no input format "yaml": choose one of '
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("a b", "several files can only be checked (--check) or written back (--in-place)"),
        ("a --in-place --check", "--in-place and --check exclude each other"),
        ("a --in-place -o b", "--in-place and --output exclude each other"),
        ("a --in-place --show map", "--in-place and --show exclude each other"),
        ("a --check -o b", "--check and --output exclude each other"),
        ("a --check --show digest", "--check and --show exclude each other"),
        ("a --check --compact", "--check and --compact exclude each other"),
        ("a --check --sort-keys", "--check and --sort-keys exclude each other"),
        ("a --text --input-format body", "--text and --input-format exclude each other"),
        ("- --in-place", "--in-place needs files: stdin cannot be written back"),
        ("--in-place", "--in-place needs files: stdin cannot be written back"),
        ("a --ignore a..b", "path 'a..b', character 3: a member name should stand here"),
        ("a --replace ( x", "cannot replace '(' by 'x': missing ), unterminated subpattern at position 0"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_read(amberfork, arguments, said):
    """No file is looked for: none of these exists."""
    assert amberfork("canon", *arguments.split()) == Ended(2, "", f"amberfork: {said}\n")


# On a terminal


def test_on_a_terminal_the_map_is_a_table(on_terminal, write):
    """At any width; an orphan says that it is one, and of many places a few are shown."""
    mentions = [{"role": "user", "content": f"{number} {ID}"} for number in range(6)]
    write("body.json", compact(body(call(), result(), result(""), *mentions)))

    shown = on_terminal("canon", "--show", "map", "body.json", columns=60, NO_COLOR="1")

    assert shown.out.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "") == (
        "#0\n"
        f"{CALL}  {ID}\n"
        "  declared                 /messages/1/tool_calls/0/id\n"
        "  referred to              /messages/2/tool_call_id\n"
        "  in text                  /messages/4/content\n"
        "                           /messages/5/content\n"
        "                           /messages/6/content\n"
        "                           /messages/7/content\n"
        "                           and 2 more\n"
        '__amberfork_tool_call_1__  ""\n'
        "  orphan                   /messages/3/tool_call_id\n"
    )


def test_a_body_cannot_drive_the_terminal(on_terminal, write):
    """Control characters that JSON lets pass are shown as escapes there, and kept in a pipe."""
    write("body.json", '{"messages": ["\x9b2J \u202e \x7f é"]}')

    assert (
        on_terminal("canon", "--compact", "body.json").out == '{"messages":["\\u009b2J \\u202e \\u007f é"]}\n'
    )


def test_a_body_in_a_pipe_is_not_touched(installed, write):
    """What another program reads is what was there."""
    write("body.json", '{"messages":["\x9b2J \u202e \x7f é"]}\n')

    assert installed("canon", "--compact", "body.json").out == '{"messages":["\x9b2J \u202e \x7f é"]}\n'
