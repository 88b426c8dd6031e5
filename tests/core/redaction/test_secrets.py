"""Credentials in texts."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amberfork_cli.core.redaction.secrets import (
    CREDENTIAL,
    KINDS,
    described,
    hidden,
    secrets_in,
    secrets_in_header,
    secrets_in_path,
)

A40 = "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6iJ9l"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nAQAB\n-----END RSA PRIVATE KEY-----"
EXAMPLES = {
    "private-key": [PEM, PEM.replace("\n", "\\n")],
    "anthropic-key": [f"sk-ant-api03-{A40}"],
    "openrouter-key": [f"sk-or-v1-{A40}"],
    "openai-key": [f"sk-{A40}", f"sk-proj-{A40}_-{A40}", f"sk-svcacct-{A40}"],
    "google-key": [f"AIza{A40[:35]}"],
    "google-token": [f"ya29.{A40}"],
    "aws-access-key": ["AKIA" + "ABCDEFGH234567IJ"],
    "bedrock-key": [f"ABSK{A40}{A40}="],
    "github-token": [f"ghp_{A40}", f"github_pat_{A40}_{A40}"],
    "gitlab-token": [f"glpat-{A40[:20]}"],
    "slack-token": ["xoxb-" + "123456789012-abcdefABCDEF"],
    "huggingface-token": [f"hf_{A40[:34]}"],
    "provider-key": [f"gsk_{A40}{A40[:12]}", f"xai-{A40}", f"pplx-{A40}", f"nvapi-{A40}", f"r8_{A40}"],
    "stripe-key": ["sk_" + f"live_{A40[:24]}", f"whsec_{A40}"],
    "jwt": ["eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w"],
}
FRAMED = {
    "aws-secret-key": ("aws_secret_access_key = ", A40, "\n"),
    "azure-storage-key": ("AccountKey=", f"{A40}{A40}abcdef==", ";"),
    "bearer-token": ("Authorization: Bearer ", "abcdef.0123456789", " "),
    "url-password": ("postgres://me:", "hunter22", "@db.example/x"),
}


def test_the_examples_name_every_kind():
    """So that no form goes without a test."""
    assert {*EXAMPLES, *FRAMED} == {kind.name for kind in KINDS}


@pytest.mark.parametrize(("name", "secret"), [(name, each) for name in EXAMPLES for each in EXAMPLES[name]])
@pytest.mark.parametrize(("before", "after"), [("", ""), ("key: ", "."), ('{"k":"', '"}'), ("a\\n", "\\nb")])
def test_a_credential_is_found_wherever_it_stands(name, secret, before, after):
    """Alone, in a sentence, in JSON text, behind an escaped line break."""
    (found,) = secrets_in(before + secret + after)

    assert (found.kind.name, found.start, found.end) == (name, len(before), len(before) + len(secret))


def test_a_private_key_that_is_cut_off_is_one():
    """As far as it goes."""
    text = f"-----BEGIN PRIVATE KEY-----\n{A40}{A40}"

    (found,) = secrets_in(f"{text} and more")

    assert (found.start, found.end) == (0, len(text))


@pytest.mark.parametrize("name", FRAMED)
def test_a_credential_is_known_by_its_frame(name):
    """Only the credential itself counts, not what frames it."""
    before, secret, after = FRAMED[name]

    (found,) = secrets_in(before + secret + after)

    assert (found.kind.name, found.start, found.end) == (name, len(before), len(before) + len(secret))


@pytest.mark.parametrize(
    "text",
    [
        "call_abcdefghijklmnopqrstuvwx",
        "toolu_01D4BTuszhrQvJfKfdzw3NP5",
        "chatcmpl-tool-0123456789abcdef0123456789abcdef",
        "resp_0123456789abcdef0123456789abcdef0123456789abcdef",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "a task-sk-anything and risk-sk-ant",
        "Bearer of-the-good-news-everyone",
        "Bearer ****************",
        "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "https://example.com:8080/a@b",
        "-----BEGIN PRIVATE KEY----- is how a key begins",
        "sk-short",
    ],
)
def test_what_only_looks_random_is_left_alone(text):
    """IDs, digests, prose and placeholders are no credentials."""
    assert secrets_in(text) == []


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("Authorization", "Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
        ("x-api-key", "anything", "anything"),
        ("Cookie", "a=b; c=d", "a=b; c=d"),
        ("authorization", f"Bearer sk-{A40}", f"sk-{A40}"),
    ],
)
def test_a_header_for_credentials_holds_one(name, value, secret):
    """Whatever form it has; the scheme before it is none."""
    (found,) = secrets_in_header(name, value)

    assert value[found.start : found.end] == secret


@pytest.mark.parametrize(
    ("name", "value"),
    [("Authorization", "Bearer REDACTED"), ("x-api-key", ""), ("accept", "a=b"), ("Cookie", "**filtered**")],
)
def test_a_header_without_a_credential_holds_none(name, value):
    """Others, and those from which it has been taken out."""
    assert secrets_in_header(name, value) == []


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("/v1/models/x:generateContent?key=abc&alt=sse", ["abc"]),
        ("/x?a=1&access_token=t0&X-Amz-Signature=s1", ["t0", "s1"]),
        ("/x?pageToken=3&page_token=4&monkey=5", []),
        ("/x?key=REDACTED", []),
    ],
)
def test_the_query_of_a_path_holds_credentials_by_name(path, values):
    """A cursor is none."""
    assert [path[each.start : each.end] for each in secrets_in_path(path)] == values


def test_a_credential_is_told_without_being_given_away():
    """Its kind, its first letters where they say no more than that, its length."""
    text = f"use sk-ant-api03-{A40} now"

    assert described(text, secrets_in(text)[0]) == "an Anthropic API key (sk-ant-…, 53 characters)"
    assert hidden(text) == "use sk-ant-… now"


@pytest.mark.parametrize("kind", [*KINDS, CREDENTIAL], ids=lambda kind: kind.name)
def test_a_placeholder_is_no_credential(kind):
    """In text, in a header, in a query."""
    name = kind.placeholder

    assert secrets_in(f"Bearer {name} //u:{name}@h AccountKey={name}") == []
    assert secrets_in_header("Authorization", f"Bearer {name}") == []
    assert secrets_in_path(f"/x?key={name}") == []


PIECES = [each for group in EXAMPLES.values() for each in group]
PIECES += ["sk-", "eyJ", "://", "u:p@", "Bearer ", " ", "\\n", "-----", "x"]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join))
def test_findings_never_overlap_and_nothing_of_them_is_printed(text):
    """They stand from left to right, and hiding leaves no credential."""
    found = secrets_in(text)

    assert all(one.end <= other.start for one, other in pairwise(found))
    assert secrets_in(hidden(text)) == []
