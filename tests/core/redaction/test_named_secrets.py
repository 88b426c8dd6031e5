"""Credentials that only a name before them tells."""

from __future__ import annotations

import json

import pytest

from amberfork_cli.core.redaction.named_secrets import is_secret, named_in

VALUE = "Qx7vT2mN9pLr4kWz"
QUERY = f"https://h.example/x?a=1&access_token={VALUE}"


@pytest.mark.parametrize(
    "text",
    [
        f"MISTRAL_API_KEY={VALUE}",
        f"A=1\nexport DB_PASSWORD='{VALUE}'\nB=2",
        f'token = "1"\nmy.client_secret := "{VALUE}"',
        f"password: {VALUE}, user: me",
        f"Server=db;User Id=sa;Pwd={VALUE};Encrypt=true",
        json.dumps({"a": 1, "authToken": VALUE, "b": 2}),
        json.dumps(json.dumps({"refresh_token": VALUE})),
        f"login(user='me', passphrase='{VALUE}')",
        f"curl -H 'X-Api-Key: {VALUE}' https://h.example",
        f"Authorization: Token {VALUE}",
        f"curl -s -u me:{VALUE} https://h.example",
        f"{QUERY} is it",
        f"grant_type=x&client_secret={VALUE}",
        f'--b\r\nContent-Disposition: form-data; name="api_key"\r\nA: b\r\n\r\n{VALUE}\r\n--b--',
        f"İ, and secret={VALUE}",
    ],
)
def test_the_value_behind_a_name_is_found(text: str) -> None:
    """Alone, without the name, its quotes, its scheme and what follows."""
    assert {text[start:end] for start, end in named_in(text)} == {VALUE}


def test_a_cookie_is_found_with_all_that_it_says() -> None:
    """Any part of it may be the session."""
    text = "> Cookie: a=b; sid=0123456789\r\n> Cookie: sid=0123456789; a=b\r\n> accept: x"

    assert [text[start:end] for start, end in named_in(text)] == ["sid=0123456789; a=b"]


@pytest.mark.parametrize(
    "text",
    [
        'api_key = os.environ["KEY_2"]',
        "api_key=settings.api_key_2",
        "token: Optional[str] = None",
        "self.password = password_2",
        "apiKey: process.env.OPENAI_API_KEY",
        "OPENAI_API_KEY=your-api-key-1",
        "API_KEY=<key-12345>",
        "PASSWORD=${DB_PASSWORD_1}",
        "PASSWORD=$DB_PASSWORD_1",
        "PRIVATE_KEY=/etc/ssl/key1.pem",
        "PWD=/home/me/project1",
        '"max_tokens": 4096000, "token": "Hello123"',
        '"next_page_token": "abc12345", "sort_key": "abc12345", "eos_token": "<s1>token1"',
        "the password: write it down before you forget it",
        "secret: REDACTED_CREDENTIAL",
        "Authorization: required",
        "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "docker run -u 1000:1000 image",
        "https://h.example/search?key=words&token=1234567890",
        "access_token=12345678",
    ],
)
def test_what_stands_for_a_value_is_none(text: str) -> None:
    """Code, variables, placeholders, paths, counts, cursors, prose."""
    assert [text[start:end] for start, end in named_in(text)] == []


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("authorization_token", VALUE, True),
        ("clientSecret", "AbcdefGHIJKLmnopqrstUV", True),
        ("password", "12345678", True),
        ("cookie", "a=b; c=d", True),
        ("session_token", "12345678", False),
        ("password", "of the user", False),
        ("clientSecret", "someLongNameOfSomething", False),
        ("api_key", "REDACTED_CREDENTIAL", False),
        ("cookie", "accepted", False),
        ("token", VALUE, False),
        ("key", VALUE, False),
    ],
)
def test_a_member_is_a_credential_by_its_name(name: str, value: str, secret: bool) -> None:
    """If the name says so, and the value looks like one."""
    assert is_secret(name, value) is secret
