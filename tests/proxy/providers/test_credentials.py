"""What a tape may hold of headers and queries."""

import pytest

from amberfork_cli.core.credential_names import FINGERPRINTED_WITHOUT
from amberfork_cli.core.ids.fingerprint import fingerprint
from amberfork_cli.core.tape import Exchange, Request
from amberfork_cli.proxy.providers.credentials import kept_headers, kept_path


@pytest.mark.parametrize(
    "name",
    [
        "Authorization",
        "x-api-key",
        "api-key",
        "Cookie",
        "Set-Cookie",
        "x-goog-api-key",
        "X-Amz-Security-Token",
    ],
)
def test_a_header_with_a_credential_is_left_out(name):
    """And so is any that nobody has listed."""
    given = ((name, "SECRET"), ("X-New-Secret", "SECRET"), ("Content-Type", "a/b"), ("RETRY-AFTER", "1"))

    assert kept_headers(given) == (("content-type", "a/b"), ("retry-after", "1"))


@pytest.mark.parametrize("name", sorted(FINGERPRINTED_WITHOUT))
def test_what_a_fingerprint_leaves_out_as_a_credential_is_never_on_a_tape(name):
    """So that a request compares equal with and without it."""
    path = f"/v1/x?a=1&{name}=SECRET"

    assert kept_path(path) == "/v1/x?a=1"
    assert fingerprint(Exchange(0, Request("GET", path))) == fingerprint(
        Exchange(0, Request("GET", "/v1/x?a=1"))
    )


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/v1/x", "/v1/x"),
        ("/v1/x?", "/v1/x"),
        ("/v1/x?key=s", "/v1/x"),
        ("/v1/x?KEY=s&page_token=3&a", "/v1/x?page_token=3&a"),
        ("/v1/x?ke%79=s&X-Amz-Signature=s&X-Amz-Date=d", "/v1/x?X-Amz-Date=d"),
        ("/v1/x?client_secret=s&my-api-key=s&keyword=k&max_tokens=5", "/v1/x?keyword=k&max_tokens=5"),
    ],
)
def test_a_query_keeps_all_but_its_credentials(path, kept):
    """Whatever their spelling."""
    assert kept_path(path) == kept
