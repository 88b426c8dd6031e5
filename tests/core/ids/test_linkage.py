"""Which ID means which call: occurrence counts, and text is searched only for what no word looks like."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.ids.id_rules import IdClass, IdRules, Role, Site
from amberfork_cli.core.ids.linkage import Linker, Mentions, Token, link, tells, token_text

CALL, ITEM, BLOB = IdClass.CALL, IdClass.ITEM, IdClass.BLOB
LONG = "call_Ab3"


def declares(value: str) -> Site:
    """A call."""
    return Site(CALL, Role.DECLARES, value, ("call_id",))


def answers(value: str) -> Site:
    """The result of a call."""
    return Site(CALL, Role.ANSWERS, value, ("tool_call_id",))


def points(value: str) -> Site:
    """Something that merely points to a call."""
    return Site(CALL, Role.POINTS, value, ("caller_id",))


def item(value: str) -> Site:
    """The handle of an item that stands in the body."""
    return Site(ITEM, Role.VALUE, value, ("id",))


def handle(value: str) -> Site:
    """The handle of something that the provider keeps."""
    return Site(ITEM, Role.POINTS, value, ("previous_response_id",))


def blob(value: str) -> Site:
    """Something that only the provider can read."""
    return Site(BLOB, Role.VALUE, value, ("encrypted_content",))


@pytest.mark.parametrize(
    ("found", "numbers"),
    [
        ([declares("a"), declares("b"), answers("b"), answers("a")], [0, 1, 1, 0]),
        ([declares("a"), answers("a"), declares("a"), answers("a")], [0, 0, 1, 1]),
        ([declares("a"), declares("a"), answers("a"), answers("a")], [0, 1, 0, 1]),
        ([declares(""), answers(""), declares(""), answers("")], [0, 0, 1, 1]),
        ([declares("a"), answers("a"), answers("a"), answers("a")], [0, 0, 0, 0]),
        (
            [declares("a"), *[answers("a")] * 3, *[declares("a")] * 2, *[answers("a")] * 2],
            [0, 0, 0, 0, 1, 2, 1, 2],
        ),
        ([declares("a"), points("a"), declares("a"), points("a"), answers("a")], [0, 0, 1, 1, 0]),
        ([answers("a"), answers("b"), answers("a")], [0, 1, 0]),
        ([answers("a"), declares("b"), declares("a"), answers("a")], [0, 1, 0, 0]),
        ([points("a"), declares("a"), declares("a"), answers("a"), answers("a")], [0, 0, 1, 0, 1]),
    ],
)
def test_each_declaration_is_a_call_and_each_result_answers_one(
    found: list[Site], numbers: list[int]
) -> None:
    """The earliest call of that ID that has no answer yet, else the latest; what points takes the nearest."""
    assert link(found).tokens == tuple((CALL, number) for number in numbers)


def test_a_reference_without_a_declaration_is_an_orphan() -> None:
    """Its token is its own, by value, until a declaration that comes later takes it."""
    links = link([answers("lost"), declares("a"), points("gone"), answers("late"), declares("late")])

    assert links.tokens == ((CALL, 0), (CALL, 1), (CALL, 2), (CALL, 3), (CALL, 3))
    assert links.orphans == {(CALL, 0): "lost", (CALL, 2): "gone"}


def test_handles_and_blobs_go_by_value_and_are_counted_apart() -> None:
    """Each class has numbers of its own."""
    links = link([item("x"), blob("x"), declares("y"), blob("z"), item("x"), handle("w"), item("z")])

    assert links.tokens == ((ITEM, 0), (BLOB, 0), (CALL, 0), (BLOB, 1), (ITEM, 0), (ITEM, 1), (ITEM, 2))
    assert links.orphans == {}


@pytest.mark.parametrize("other", [item, handle, blob])
def test_a_slot_with_the_text_of_a_call_points_to_the_call(other: type) -> None:
    """Whether the call comes before it or after; it uses no answer up."""
    links = link([declares("a"), other("a"), answers("a"), other("b"), declares("b")])

    assert links.tokens == ((CALL, 0), (CALL, 0), (CALL, 0), (CALL, 1), (CALL, 1))


@pytest.mark.parametrize(
    ("rules", "tokens"),
    [
        (IdRules.ALL, ((CALL, 0), (ITEM, 0), (BLOB, 0), (CALL, 0))),
        (IdRules.ITEMS, ((CALL, 0), (ITEM, 0), None, (CALL, 0))),
        (IdRules.CALLS, ((CALL, 0), None, None, (CALL, 0))),
    ],
)
def test_a_class_that_the_rules_leave_alone_has_no_token(
    rules: IdRules, tokens: tuple[Token | None, ...]
) -> None:
    """But a slot whose text is a call's ID is of that call under all rules."""
    assert link([declares("a"), item("x"), blob("y"), blob("a")], rules).tokens == tokens


def test_under_the_seed_rules_everything_goes_by_value() -> None:
    """One ID, one token, and nothing is looked for in text."""
    found = [Site(CALL, Role.VALUE, value, ()) for value in (LONG, "b", LONG, LONG)]

    links = link(found, IdRules.SEED)

    assert links.tokens == ((CALL, 0), (CALL, 1), (CALL, 0), (CALL, 0))
    assert (links.orphans, links.telling) == ({}, {})


@pytest.mark.parametrize(
    ("value", "does"),
    [
        ("call_9aX", True),
        ("toolu_01AbCdEf", True),
        ("12345678", True),
        ("D681PevKs", True),
        ("Abcdefgh", True),
        ("__amberfork_tool_call_0__", True),
        ("call_1234", True),
        ("a-1b-2c-3d", True),
        ("é1é1é1é1", True),
        ("call_9a", False),
        ("", False),
        ("get_weather", False),
        ("get_weather_123", False),
        ("get-weather.now:12", False),
        ("functions", False),
        ("call_123", False),
        ("abcdefgh1", False),
        ("ABCDEFGH", False),
        ("________", False),
        ("éééééééé", False),
    ],
)
def test_only_what_can_be_told_from_a_word_tells(value: str, *, does: bool) -> None:
    """Eight characters, no plain words with a short number, and a digit or both cases."""
    assert tells(value) is does


def test_telling_ids_are_calls_and_items_that_mean_one_thing() -> None:
    """Not those of two calls, no blobs, no words; an orphan tells as well."""
    twice, once, lost, kept = "twice_Ab3", "once_Ab33", "lost_Ab33", "kept_Ab33"

    links = link(
        [
            declares(twice),
            declares(once),
            declares(twice),
            answers(lost),
            item(kept),
            blob("blob_Ab33"),
            declares("word"),
        ]
    )

    assert links.telling == {once: (CALL, 1), lost: (CALL, 3), kept: (ITEM, 0)}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("call_Ab3", ["call_Ab3"]),
        ("see call_Ab3, call_Ab3.", ["call_Ab3", "call_Ab3"]),
        ('<x id="call_Ab3">', ["call_Ab3"]),
        ("écall_Ab3é", ["call_Ab3"]),
        ("call_Ab3call_Ab3 xcall_Ab3 call_Ab3_ -call_Ab3 call_Ab34", []),
        ("call_Ab3:7 call_Ab3", ["call_Ab3:7", "call_Ab3"]),
        ("call_Ab3:77 call_Ab3:7-", ["call_Ab3", "call_Ab3"]),
        ('"quoted"1 x.*y1AAA', ['"quoted"1', "x.*y1AAA"]),
        ("xAAy1AAA", []),
        ("ünïcode1 ünïcode12", ["ünïcode1"]),
        ("\ud800half123", ["\ud800half123"]),
        ("", []),
    ],
)
def test_mentions_are_whole_ids(text: str, found: list[str]) -> None:
    """Between characters that no ID has; whatever they hold is text, not a pattern; the longest counts."""
    ids = ("call_Ab3", "call_Ab3:7", '"quoted"1', "x.*y1AAA", "ünïcode1", "\ud800half123")
    mentions = Mentions({value: (CALL, number) for number, value in enumerate(ids)})

    assert [mention[0] for mention in mentions.find(text)] == found
    assert mentions.replaced(text, lambda value: value) == text


def test_mentions_are_replaced_where_they_stand() -> None:
    """And nothing else of the text changes."""
    mentions = Mentions({"call_Ab3": (CALL, 0), "é-Ab3456": (ITEM, 0)})

    assert mentions.replaced("a call_Ab3 é-Ab3456,call_Ab3", str.upper) == "a CALL_AB3 É-AB3456,CALL_AB3"
    assert Mentions({}).replaced("a call_Ab3", str.upper) == "a call_Ab3"


IDS = st.text(st.sampled_from("aB1-:.é|("), min_size=8, max_size=10)


@given(
    st.lists(IDS, min_size=1, max_size=5, unique=True),
    st.lists(st.sampled_from(["a", ":", " ", "é", 0, 1]), max_size=8),
)
@settings(max_examples=150, deadline=None)
def test_mentions_are_those_of_one_pattern_of_all_ids(ids: list[str], pieces: list[str | int]) -> None:
    """The plain way, tried at each place, longest first: it finds the same, only slower."""
    text = "".join(piece if isinstance(piece, str) else ids[piece % len(ids)] for piece in pieces)
    longest_first = "|".join(map(re.escape, sorted(ids, key=len, reverse=True)))
    plain = re.compile(rf"(?<![A-Za-z0-9_-])(?:{longest_first})(?![A-Za-z0-9_-])")

    found = Mentions(dict.fromkeys(ids, (CALL, 0))).find(text)

    assert [mention.span() for mention in found] == [mention.span() for mention in plain.finditer(text)]


def test_a_token_is_short_and_plain() -> None:
    """At most 40 characters of those that every provider takes for an ID."""
    texts = [token_text((id_class, number)) for id_class in IdClass for number in (0, 7, 10**9)]

    assert texts[::3] == ["__amberfork_tool_call_0__", "__amberfork_item_0__", "__amberfork_blob_0__"]
    assert [text for text in texts if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", text)] == []


def test_what_a_tape_minted_explains_what_the_body_does_not_declare() -> None:
    """A handle and a result stand for the exchange that minted them, and tell in text like any other."""
    minted = {"resp_Ab3": (b"first item 0",), LONG: (b"first tool_call 0",)}
    linker = Linker(IdRules.ALL, calls={LONG}, minted=minted)

    tokens = [
        linker.token(site) for site in (handle("resp_Ab3"), answers(LONG), points(LONG), handle("unknown"))
    ]

    response, call = (ITEM, b"first item 0"), (CALL, b"first tool_call 0")
    assert tokens == [response, call, call, (ITEM, 0)]
    assert linker.telling == {"resp_Ab3": response, LONG: call}
    assert linker.unexplained == {"unknown"}


def test_results_answer_several_minted_calls_of_one_id_in_order() -> None:
    """As they do in one body; what points takes the last; no text can mean one of them."""
    linker = Linker(IdRules.ALL, calls={LONG}, minted={LONG: (b"call 0", b"call 1")})

    tokens = [linker.token(site) for site in (answers(LONG), answers(LONG), answers(LONG), points(LONG))]

    assert tokens == [(CALL, b"call 0"), *[(CALL, b"call 1")] * 3]
    assert linker.telling == {}


def test_a_body_declares_for_itself_what_the_tape_minted_too() -> None:
    """What comes before the declaration is the tape's, what comes after is the body's; no text can tell."""
    linker = Linker(IdRules.ALL, calls={LONG}, minted={LONG: (b"call 0",)})

    tokens = [linker.token(site) for site in (answers(LONG), declares(LONG), answers(LONG))]

    assert tokens == [(CALL, b"call 0"), (CALL, 0), (CALL, 0)]
    assert linker.telling == {}


def test_links_stand_while_the_tape_explains_them_alike() -> None:
    """Another meaning, or a first one, for what was asked; not for what was never asked."""
    minted = {"a": (b"call 0",)}
    linker = Linker(IdRules.ALL, calls={"a", "b"}, minted=minted)
    linker.token(answers("a"))
    linker.token(answers("b"))

    assert linker.stands()
    minted["c"] = (b"call 1",)
    assert linker.stands()
    minted["b"] = (b"call 2",)
    assert not linker.stands()


def test_a_copy_goes_its_own_way() -> None:
    """What the copy takes in leaves no trace in the linker that it was made from."""
    seen = [declares("a"), answers("a"), item("x"), answers("lost_Ab3"), handle("gone")]
    later = [
        declares("a"),
        answers("a"),
        answers("lost_Ab3"),
        declares("lost_Ab3"),
        item("y"),
        item("x"),
        points("new"),
    ]
    linker, plain = (Linker(IdRules.ALL, calls={"a", "lost_Ab3", "new"}) for _ in range(2))
    for site in seen:
        linker.token(site)
        plain.token(site)

    twin = linker.copy()
    of_the_copy = [twin.token(site) for site in later]

    assert (linker.orphans, linker.telling, linker.unexplained) == (
        plain.orphans,
        plain.telling,
        plain.unexplained,
    )
    assert [linker.token(site) for site in later] == of_the_copy == [plain.token(site) for site in later]
