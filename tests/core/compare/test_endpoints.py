"""Methods and URLs, compared as fingerprints compare them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.compare.endpoints import endpoint_findings, endpoint_text
from amberfork_cli.core.compare.report import MISSING, Kind, Side
from amberfork_cli.core.ids.fingerprint import endpoint_key
from amberfork_cli.core.ids.linkage import Minted
from amberfork_cli.core.tape import Request

SECRET = "sk-do-not-tell"  # noqa: S105 - what must not be told
METHODS = st.sampled_from(["POST", "post", "PUT", "Get"])
PAIRS = st.sampled_from(["a=1", "a=2", "a", "a=", "b=%31", "", f"key={SECRET}", f"API_KEY={SECRET}x", "key"])
URLS = st.builds(
    lambda path, pairs: f"{path}?{'&'.join(pairs)}" if pairs is not None else path,
    st.sampled_from(["/v1/x", "/v1/x/", "/v1/y", ""]),
    st.none() | st.lists(PAIRS, max_size=4),
)


@given(METHODS, URLS, METHODS, URLS)
@settings(max_examples=300)
def test_what_is_told_is_what_the_fingerprints_cover(
    method: str, url: str, other_method: str, other_url: str
) -> None:
    """Something exactly where they differ, and never a credential."""
    told = endpoint_findings(Request(method, url), Request(other_method, other_url), ({}, {}))

    differ = endpoint_key(method, url, {}) != endpoint_key(other_method, other_url, {})
    assert bool(told) is differ
    assert SECRET not in repr(told)


def test_each_part_is_told_with_its_values() -> None:
    """Method and path as they were recorded, a query name by name."""
    assert told("POST", "/v1/a?x=1&y=2&z&w=1&w=2", "PUT", "/v1/b?w=1&w=3&v=&y=2&x=2") == [
        ("method", (), Kind.VALUE, "POST", "PUT"),
        ("path", (), Kind.VALUE, "/v1/a", "/v1/b"),
        ("query", ("w",), Kind.VALUE, ["1", "2"], ["1", "3"]),
        ("query", ("x",), Kind.VALUE, "1", "2"),
        ("query", ("z",), Kind.REMOVED, None, MISSING),
        ("query", ("v",), Kind.ADDED, MISSING, ""),
    ]


def test_an_id_that_a_response_gave_out_is_another_one_in_every_run() -> None:
    """One that no response explains counts as it stands."""
    minted: tuple[Minted, Minted] = {"thread_a": (b"x",)}, {"thread_b": (b"x",)}

    assert told("GET", "/v1/threads/thread_a", "GET", "/v1/threads/thread_b", minted) == []
    assert told("GET", "/v1/threads/thread_a", "GET", "/v1/threads/thread_c", minted) == [
        ("path", (), Kind.VALUE, "/v1/threads/thread_a", "/v1/threads/thread_c")
    ]


def test_an_endpoint_is_shown_without_its_query() -> None:
    """The query may hold a key."""
    assert endpoint_text(Request("post", f"/v1/x?key={SECRET}")) == "POST /v1/x"
    assert endpoint_text(Request("", "")) == ""


def told(
    method: str, url: str, other_method: str, other_url: str, minted: tuple[Minted, Minted] = ({}, {})
) -> list[tuple[str, object, Kind, Side, Side]]:
    """Place, path, kind and both values of each difference."""
    found = endpoint_findings(Request(method, url), Request(other_method, other_url), minted)
    return [
        (finding.spot.label, one.path, one.kind, one.recorded, one.reissued)
        for finding in found
        for one in finding.spot.differences
    ]
