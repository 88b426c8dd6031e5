"""Reports made by hand, one for each situation that a display has to show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from amberfork_cli.core.compare.report import (
    MISSING,
    Conversation,
    Difference,
    DiffReport,
    ExchangeDiff,
    Kind,
    Origin,
    Side,
    Spot,
    State,
    TapeFacts,
    Trace,
    Words,
    ours,
    quoted,
)
from amberfork_cli.core.paths import Path
from amberfork_cli.core.tape import LeftOut

CHAT = "POST /v1/chat/completions"
CALL: Path = ("messages", 8, "tool_calls", 0, "function", "arguments")


def report(exchanges: Iterable[ExchangeDiff], *, endpoint: str = CHAT, **members: object) -> DiffReport:
    """A report of two tapes called monday and tuesday, whose sizes follow from the exchanges."""
    own = tuple(
        exchange if exchange.endpoint else replace(exchange, endpoint=endpoint) for exchange in exchanges
    )
    recorded = sum(exchange.recorded is not None for exchange in own)
    reissued = sum(exchange.reissued is not None for exchange in own)
    facts = {
        "recorded": TapeFacts("monday.jsonl", recorded),
        "reissued": TapeFacts("tuesday.jsonl", reissued),
    }
    return DiffReport(exchanges=own, **{**facts, **members})  # type: ignore[arg-type]


def matches(numbers: Iterable[int], *, recorded: int = 0, conversation: int = 0) -> list[ExchangeDiff]:
    """Exchanges that match; `recorded` is how far their recorded numbers are ahead."""
    return [ExchangeDiff(State.MATCH, n + recorded, n, conversation=conversation) for n in numbers]


def carried(
    numbers: Iterable[int], *, origin: int, recorded: int = 0, conversation: int = 0
) -> list[ExchangeDiff]:
    """Exchanges that only repeat the change of another."""
    return [
        ExchangeDiff(State.CARRIED, n + recorded, n, conversation=conversation, carried_from=origin)
        for n in numbers
    ]


def fork(number: int, origin: Origin, cause: Words, spots: Sequence[Spot], **members: object) -> ExchangeDiff:
    """A fork at that number on both tapes."""
    made = ExchangeDiff(State.FORK, number, number, origin=origin, cause=cause, spots=tuple(spots))
    return replace(made, **members)  # type: ignore[arg-type]


def value(
    path: Path, old: Side, new: Side, kind: Kind = Kind.VALUE, root: Path = (), **members: object
) -> Difference:
    """A difference of two values, or of one that only one side has."""
    if old is MISSING:
        kind = Kind.ADDED
    if new is MISSING:
        kind = Kind.REMOVED
    return Difference(
        kind,
        path,
        None if old is MISSING else (*root, *path),
        None if new is MISSING else (*root, *path),
        recorded=old,
        reissued=new,
        **members,  # type: ignore[arg-type]
    )


def setting(label: str, old: Side, new: Side, kind: Kind = Kind.VALUE) -> Spot:
    """A place that is the value itself."""
    return Spot(label, (), (value((), old, new, kind, root=(label,)),))


def said(*parts: str) -> Words:
    """Words of ours and of the tape in turn."""
    return tuple(quoted(part) if at % 2 else ours(part) for at, part in enumerate(parts) if part)


def message(kind: Kind, index: int, *summary: str, content: Side = MISSING) -> Difference:
    """A whole message that only one side has."""
    path: Path = ("messages", index)
    removed = kind is Kind.REMOVED
    return Difference(
        kind,
        (),
        path if removed else None,
        None if removed else path,
        recorded=content if removed else MISSING,
        reissued=MISSING if removed else content,
        summary=said(*summary),
    )


def all_same() -> DiffReport:
    """Nothing differs."""
    return report(matches(range(12)))


def changed_argument() -> DiffReport:
    """The model called the same tool with another argument."""
    spot = Spot(
        "messages[8]",
        said("assistant calls ", "get_weather"),
        (
            Difference(
                Kind.VALUE,
                ("arguments", "city"),
                CALL,
                CALL,
                recorded="Lisbon",
                reissued="Porto",
                inner_path=("city",),
            ),
        ),
    )
    cause = said("the model called ", "get_weather", " with city=", '"Porto"', ", not ", '"Lisbon"')
    return report(
        [*matches(range(4)), fork(4, Origin.MODEL_OUTPUT, cause, [spot]), *carried(range(5, 12), origin=4)]
    )


def dropped_turn() -> DiffReport:
    """A call and its result are gone from the history."""
    call = 'search_trains(from="Porto", to="Faro", date="2026-05-02", class="second")'
    result = (
        '{"trains": [{"id": "AP180", "price": 38, "seats": 12}, {"id": "IC520", "price": 27, "seats": 4}]}'
    )
    spot = Spot(
        "messages[7]–[8]",
        said("not in the re-issued request"),
        (
            message(
                Kind.REMOVED, 7, "assistant calls", call, content={"role": "assistant", "tool_calls": [call]}
            ),
            message(Kind.REMOVED, 8, "tool result", result, content={"role": "tool", "content": result}),
        ),
    )
    cause = said(
        "a turn was dropped: ", 'search_trains(from="Porto", to="Faro", ', "…", ")", " and its result"
    )
    return report(
        [
            *matches(range(6)),
            fork(6, Origin.MODEL_OUTPUT, cause, [spot]),
            *carried(range(7, 11), origin=6),
            ExchangeDiff(
                State.MISSING, 11, None, words=said("result of ", 'send_ticket(to="ana@example.com")')
            ),
        ]
    )


def inserted_retry() -> DiffReport:
    """A call failed once and was made again."""
    spot = Spot(
        "messages[9]–[10]",
        said("only in the re-issued request"),
        (
            message(Kind.ADDED, 9, "assistant calls", 'get_weather(city="Porto")'),
            message(Kind.ADDED, 10, "tool result", '{"error": "busy", "wait_ms": 900}'),
        ),
        note=said("the same call as messages[11]"),
    )
    cause = said("a turn was inserted: ", 'get_weather(city="Porto")', " failed once and was called again")
    extra = ExchangeDiff(
        State.EXTRA,
        None,
        6,
        nearest=5,
        nearest_words=said("without messages[9]–[10]"),
        words=said("result of ", 'get_weather(city="Porto")'),
    )
    return report(
        [
            *matches(range(5)),
            fork(5, Origin.TOOL_RESULT, cause, [spot]),
            extra,
            *carried(range(7, 13), origin=5, recorded=-1),
        ]
    )


def missing_extra() -> DiffReport:
    """Nothing changed, but some exchanges have no partner."""
    return report(
        [
            *matches(range(5)),
            ExchangeDiff(State.MISSING, 5, None, words=said("", '"And which of the two is nearer?"')),
            ExchangeDiff(State.MISSING, 6, None, words=said("result of ", 'compare(a="Rossio", b="Baixa")')),
            ExchangeDiff(
                State.EXTRA,
                None,
                5,
                nearest=5,
                nearest_words=said("with another last message"),
                words=said("", '"Tell me what you know so far."'),
            ),
            *matches(range(6, 8), recorded=1),
            ExchangeDiff(State.MISSING, 9, None, words=said("", '"Thanks, that was it."')),
        ]
    )


def model_changed() -> DiffReport:
    """Settings, side by side with their names."""
    spots = [
        setting("model", "gpt-4.1", "gpt-4.1-mini"),
        setting("temperature", 0.7, 0.2),
        setting("parallel_tool_calls", True, MISSING),
    ]
    cause = said(
        "the model changed from ",
        "gpt-4.1",
        " to ",
        "gpt-4.1-mini",
        ", temperature from ",
        "0.7",
        " to ",
        "0.2",
    )
    return report([fork(0, Origin.SETTINGS, cause, spots), *carried(range(1, 10), origin=0)])


def swapped_results() -> DiffReport:
    """Two results answer each other's calls."""
    lisbon, porto = 'get_weather(city="Lisbon")', 'get_weather(city="Porto")'

    def answers(index: int, old: str, new: str) -> Difference:
        path: Path = ("messages", index, "tool_call_id")
        return Difference(
            Kind.LINK, (), path, path, recorded_words=said("", old), reissued_words=said("", new)
        )

    spots = [
        Spot(
            "messages[3]", said("tool result ", '{"temp_c": 21, "sky": "sun"}'), (answers(3, lisbon, porto),)
        ),
        Spot(
            "messages[4]", said("tool result ", '{"temp_c": 16, "sky": "fog"}'), (answers(4, porto, lisbon),)
        ),
    ]
    cause = said("the results of ", lisbon, " and ", porto, " are swapped")
    return report(
        [*matches(range(2)), fork(2, Origin.TOOL_RESULT, cause, spots), *carried(range(3, 6), origin=2)]
    )


RULES = [
    "Keep every answer short and say where a fact comes from.",
    "Ask before you book anything that cannot be cancelled.",
    "Prices are in euros and include the booking fee.",
    "If two trains arrive within ten minutes, name the cheaper one first.",
    "Never promise a seat that the carrier has not confirmed.",
]


def long_prompt(word: str) -> str:
    """A system prompt of 60 lines with that word in line 41."""
    lines = [f"{n}. {RULES[n % 5]} {RULES[(n + 2) % 5]}" for n in range(1, 61)]
    lines[40] = (
        f"41. {RULES[3]} Before you pay, {word} read the total aloud to the traveller and wait for a yes."
    )
    return "\n".join(lines)


def system_prompt() -> DiffReport:
    """One word of a long text changed."""
    old, new = long_prompt("always"), long_prompt("never")
    cause = said(f"the system prompt changed (1 word in {len(old):,} characters)")
    return report(
        [
            fork(0, Origin.SYSTEM_PROMPT, cause, [setting("system", old, new)]),
            *carried(range(1, 19), origin=0),
        ],
        endpoint="POST /v1/messages",
    )


def tool_schema() -> DiffReport:
    """One tool's schema changed, one tool came, one went."""
    root: Path = ("tools", 0, "function")
    schema = Spot(
        "tools.get_weather",
        said("schema changed"),
        (
            value(
                ("description",),
                "Weather of a city now.",
                "Weather of a city now, in degrees Celsius unless the user has asked for another unit.",
                root=root,
            ),
            value(("parameters", "properties", "unit", "enum", 1), "fahrenheit", "kelvin", root=root),
            value(("parameters", "required", 1), MISSING, "unit", root=root),
        ),
    )

    one_sided = (
        replace(
            message(Kind.ADDED, 1, "", "Search the notes of the user.", " 3 parameters"),
            path=("search_notes",),
        ),
        replace(message(Kind.REMOVED, 1, "1 parameter"), path=("old_search",)),
    )
    spots = [schema, Spot("tools", (), one_sided)]
    cause = said(
        "the tools changed: ",
        "get_weather",
        "'s schema; ",
        "search_notes",
        " added, ",
        "old_search",
        " removed",
    )
    return report([fork(0, Origin.TOOLS, cause, spots), *carried(range(1, 8), origin=0)])


def two_conversations() -> DiffReport:
    """One of two interleaved conversations forked, and changed once more later on."""
    call = Spot(
        "messages[6]", said("assistant calls ", "book_hotel"), (value(("arguments", "nights"), 2, 3),)
    )
    answer = Spot(
        "messages[9]",
        said("result of ", "book_hotel(nights=3, ", "…", ")"),
        (value(("confirmation",), "bk_91f3c0", "bk_77a1de"),),
    )
    cause = said("the model called ", "book_hotel", " with nights=", "3", ", not ", "2")
    first = [
        *matches([0, 1, 3]),
        fork(5, Origin.MODEL_OUTPUT, cause, [call]),
        *carried([7, 8], origin=5),
        ExchangeDiff(State.CHANGED, 9, 9, origin=Origin.TOOL_RESULT, spots=(answer,)),
        *carried([11], origin=9),
    ]
    second = matches([2, 4, 6, 10], conversation=1)
    ordered = sorted([*first, *second], key=lambda exchange: exchange.reissued or 0)
    return report(
        ordered,
        conversations=(
            Conversation(0, "Find a hotel for two nights in Porto, near a tram stop, please"),
            Conversation(1, "Which museums are open on Monday?"),
        ),
    )


def same_at_another_place() -> DiffReport:
    """Two exchanges came in another order, and their content is the same."""
    moved = [
        ExchangeDiff(State.MATCH, 3, 4, moved=True),
        ExchangeDiff(State.MATCH, 4, 3),
    ]
    return report([*matches(range(3)), moved[1], moved[0], *matches(range(5, 7))])


def allowed_spelling() -> DiffReport:
    """With --loose, weak differences are a match."""
    spot = Spot(
        "messages[2]", said("assistant calls ", "pay"), (value(("arguments", "sum"), 1, 1.0, Kind.SPELLING),)
    )
    return report([replace(matches([0])[0], spots=(spot,))], loose=True)


def weak_only() -> DiffReport:
    """Nothing but spelling and form differs."""
    spots = [
        Spot(
            "messages[2]",
            said("assistant calls ", "pay"),
            (value(("arguments", "sum"), 1, 1.0, Kind.SPELLING),),
        ),
        Spot(
            "messages[3]",
            said("user"),
            (value(("content",), "Go on.", [{"type": "text", "text": "Go on."}], Kind.FORM),),
        ),
    ]
    cause = said("the arguments of ", "pay", " are spelled differently")
    return report([*matches(range(2)), fork(2, Origin.MODEL_OUTPUT, cause, spots), *carried([3], origin=2)])


def stopped() -> DiffReport:
    """The re-issued run ended before the recorded one."""
    gone = [ExchangeDiff(State.MISSING, n, None, words=said("", f'"step {n}"')) for n in range(9, 21)]
    return report([*matches(range(9)), *gone])


def forked_alike(count: int = 60, *, turns: int = 1) -> DiffReport:
    """The same change in the system prompt of many conversations."""
    cause = said("the system prompt changed (1 word in 90 characters)")
    spot = setting("system", RULES[0] + " Be kind.", RULES[0] + " Be brief.")
    exchanges = []
    for n in range(count):
        first = n * turns
        one = fork(first, Origin.SYSTEM_PROMPT, cause, [spot], conversation=n, alike=0 if n else None)
        exchanges += [one, *carried(range(first + 1, first + turns), origin=first, conversation=n)]
    words = tuple(Conversation(n, f"Translate letter {n} to French, keep the tone") for n in range(count))
    return report(exchanges, conversations=words)


def many_conversations() -> DiffReport:
    """Five conversations without a change, one that forked, a single exchange that forked otherwise."""
    exchanges = [ex for c in range(5) for ex in matches([2 * c, 2 * c + 1], conversation=c)]
    spot = Spot("messages[1]", said("result of ", "list_files()"), (value(("files", 0), "a.txt", "b.txt"),))
    exchanges += [
        *matches([10], conversation=5),
        fork(
            11, Origin.TOOL_RESULT, said("the result of ", "list_files()", " changed"), [spot], conversation=5
        ),
        *carried([12], origin=11, conversation=5),
        fork(
            13,
            Origin.SETTINGS,
            said("the temperature changed"),
            [setting("temperature", 1, 0.5)],
            conversation=6,
            recorded=14,
        ),
    ]
    words = tuple(Conversation(n, f"Letter {n}: sort my mail") for n in range(7))
    return report(exchanges, conversations=words)


def lost_conversation() -> DiffReport:
    """A whole recorded conversation was never re-issued; two others match."""
    gone = [
        ExchangeDiff(State.MISSING, n, None, conversation=-1, words=said("", f'"step {n}"')) for n in (4, 5)
    ]
    words = (Conversation(0, "Sort my mail"), Conversation(1, "Book a table"))
    return report([*matches(range(2)), *matches(range(2, 4), conversation=1), *gone], conversations=words)


def every_kind() -> DiffReport:
    """Kinds that have words of their own, more differences than are told, a trace."""
    spots = [
        Spot(
            "messages[4]",
            said("result of ", "count()"),
            (
                value(("rows",), 12, "twelve", Kind.TYPE),
                value(("rows_left",), [1, 2], {"a": None}, Kind.TYPE),
                value(("note",), MISSING, None),
            ),
        ),
        Spot(
            "messages[5]–[7]",
            said("tool results"),
            (
                Difference(
                    Kind.REORDERED, (), None, None, summary=said("the same 3 results in another order")
                ),
            ),
        ),
        Spot(
            "messages[8]",
            said("tool result ", '"ok"'),
            (
                Difference(
                    Kind.ORPHAN,
                    (),
                    ("messages", 8, "tool_call_id"),
                    ("messages", 8, "tool_call_id"),
                    recorded_words=said("", "save()"),
                    reissued_words=said("a call that nobody made"),
                ),
            ),
        ),
        Spot("response", (), (value(("status",), 200, 429, Kind.STATUS), value(("id",), "a", "b"))),
        *(setting(f"option_{n}", n, n + 1) for n in range(4)),
    ]
    later = ExchangeDiff(
        State.CHANGED,
        3,
        2,
        origin=Origin.USER_PROMPT,
        spots=(
            Spot("messages[9]", said("user"), (value(("content",), "Take bk_91f3c0.", "Take bk_77a1de."),)),
        ),
        trace=Trace("bk_91f3c0", 1, said("result of ", "book()")),
    )
    same_again = ExchangeDiff(State.CHANGED, 4, 3, origin=Origin.USER_PROMPT, spots=later.spots, alike=2)
    cause = said("the result of ", "count()", " changed")
    return report(
        [*matches([0]), fork(1, Origin.TOOL_RESULT, cause, spots), later, same_again],
        endpoint="",
    )


def long_texts() -> DiffReport:
    """Texts that were rewritten, changed in many places, added, cut."""
    old = " ".join(RULES)
    lines = [
        f"Rule {n}: the {word} comes first." for n, word in enumerate("tram train ferry bus car bike".split())
    ]
    spots = [
        setting("system", old, "Answer in verse. " * 12),
        setting("instructions", "\n".join(lines), "\n".join(line.replace("first", "last") for line in lines)),
        setting("user", MISSING, "\n" + old),
        setting("prompt", "Do this.\nThen stop.", "Do this.\nBe careful about the price.\nThen stop."),
        setting("data", "QUJD" * 200 + "x" + "RUZH" * 200, "QUJD" * 200 + "y" + "RUZH" * 200),
        setting("schema", {"a": list(range(90))}, MISSING),
    ]
    return report([fork(0, Origin.SYSTEM_PROMPT, said("the system prompt changed"), spots)])


def unseen_changes() -> DiffReport:
    """Changes that nobody would see."""
    korean = "주문 번호를 먼저 확인하고 고객에게 다시 읽어 주세요. 환불 규정을 지키세요. "
    spots = [
        setting("name", "apple", "\u0430pple"),
        setting("space", "a b", "a  b"),
        setting("end", "yes", "yes\n"),
        setting("family", "\U0001f468\u200d\U0001f469", "\U0001f468\U0001f469"),
        setting("prompt", korean * 8, korean * 4 + " " + korean * 4),
        setting("note", "one line\nand another one " + korean, "one line \nand another one " + korean),
        setting("quote", 'say "yes"', "say \x1b[2J \u202e no"),
    ]
    return report([fork(0, Origin.SETTINGS, said("settings changed"), spots)])


def left_out() -> DiffReport:
    """Both tapes were damaged, and values were set aside."""
    facts = TapeFacts(
        "backups/2026/05/monday-of-the-long-week.jsonl",
        3,
        LeftOut(bad_lines=[(2, "x"), (4, "y"), (9, "z")], torn_end=(12, "t"), duplicate_keys=1),
        ignored=12,
    )
    other = TapeFacts(
        "backups/2026/05/tuesday-of-the-long-week.jsonl",
        3,
        LeftOut(bad_lines=[(7, "x")]),
        replaced=2,
        unexplained=1,
    )
    return report(
        matches(range(3)),
        recorded=facts,
        reissued=other,
        ids="calls",
        settings="amberfork.toml",
        notes=("bodies only",),
    )


SITUATIONS = (
    all_same,
    changed_argument,
    dropped_turn,
    inserted_retry,
    missing_extra,
    model_changed,
    swapped_results,
    system_prompt,
    tool_schema,
    two_conversations,
    same_at_another_place,
    allowed_spelling,
    weak_only,
    stopped,
    forked_alike,
    many_conversations,
    lost_conversation,
    every_kind,
    long_texts,
    unseen_changes,
    left_out,
)
