"""Requests to AWS: signed anew with the keys of the agent, and with those of nobody else."""

import pytest
from stub_provider import Answer

from amberfork_cli.proxy.edge.calls import Call
from amberfork_cli.proxy.providers.aws import API_KEY, authorized
from amberfork_cli.proxy.providers.upstreams import upstreams
from amberfork_cli.proxy.recording.signing import Signer, SigningError

KEYS = ("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
MOMENT = "20150830T123600Z"
INCOMING = (
    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-west-1/bedrock/aws4_request, "
    "SignedHeaders=host;x-amz-date, Signature=00"
)
SIGNED = {
    "Authorization": INCOMING,
    "X-Amz-Date": MOMENT,
    "X-Amz-Security-Token": "old",
    "X-Amz-Content-Sha256": "00",
}
PATH = "/model/anthropic.claude%3A0/converse"


def test_a_request_is_signed_anew_for_its_provider(bedrock):
    """For the host that it reaches, with the keys and the session of the agent."""
    run = bedrock(
        {"AWS_ACCESS_KEY_ID": KEYS[0], "AWS_SECRET_ACCESS_KEY": KEYS[1], "AWS_SESSION_TOKEN": "tok"}
    )

    status, _, _ = run.ask(b"{}", path=run.bedrock + PATH, headers={**SIGNED, "X-Amz-User-Agent": "sdk"})

    (asked,) = run.provider.asked
    headers = {
        name: asked.headers[name] for name in ("x-amz-date", "x-amz-security-token", "x-amz-user-agent")
    }
    scope = (headers["x-amz-date"], "eu-west-1", "bedrock")
    again = authorized("POST", run.provider.url + PATH, headers.items(), b"{}", keys=KEYS, scope=scope)
    assert (status, asked.path, asked.headers["authorization"]) == (200, PATH, again)
    assert headers["x-amz-security-token"] == "tok"
    assert "x-amz-content-sha256" not in asked.headers
    (exchange,) = run.exchanges()
    assert (exchange.request.path, exchange.extra["provider"]) == (PATH, "bedrock")
    assert "AKIDEXAMPLE" not in run.path.read_text()


def test_an_api_key_takes_the_place_of_a_signature(bedrock):
    """The agent has signed with keys that nobody has."""
    run = bedrock({"AWS_BEARER_TOKEN_BEDROCK": "SECRET"})

    status, _, _ = run.ask(b"{}", path=run.bedrock + PATH, headers=SIGNED)

    assert (status, run.provider.asked[0].headers["authorization"]) == (200, "Bearer SECRET")
    assert "SECRET" not in run.path.read_text()


def test_an_api_key_of_the_agent_passes_as_it_is(bedrock):
    """As every credential does."""
    run = bedrock({})

    run.ask(b"{}", path=run.bedrock + PATH, headers={"Authorization": "Bearer MINE"})

    assert run.provider.asked[0].headers["authorization"] == "Bearer MINE"


def test_what_is_not_aws_has_what_the_agent_signed_where_there_are_no_keys(bedrock):
    """A gateway that has keys of its own does not look at it."""
    run = bedrock({})

    run.ask(b"{}", path=run.bedrock + PATH, headers=SIGNED)

    assert run.provider.asked[0].headers["authorization"] == INCOMING


def test_nobody_but_the_agent_has_a_request_signed(bedrock):
    """Other programs on this machine do not know the path that it was given."""
    run = bedrock({"AWS_BEARER_TOKEN_BEDROCK": "SECRET"})

    status, error = run.error(path="/bedrock" + PATH, headers=SIGNED)

    assert (status, error["__type"]) == (403, "AccessDeniedException")
    assert "not the one that the agent was given" in error["message"]
    assert run.provider.asked == []


@pytest.mark.parametrize(
    ("environment", "whose"),
    [
        ({}, "keys that are not in the environment"),
        ({"AWS_ACCESS_KEY_ID": "OTHER"}, "other keys than the environment has"),
    ],
)
def test_keys_that_are_not_at_hand_are_told_with_what_to_do(environment, whose):
    """Before AWS refuses the request, in words that say nothing of a recorder."""
    found = upstreams({"AWS_REGION": "eu-west-1"})["bedrock"]
    call = Call(found, "POST", PATH, (("authorization", INCOMING),), b"{}", 0, incoming=None)

    with pytest.raises(SigningError, match=whose) as refused:
        Signer(environment).signed(call)

    assert 'eval "$(aws configure export-credentials --format env)"' in str(refused.value)


@pytest.fixture
def bedrock(recording, monkeypatch):
    """Starts a recorder with these variables; `bedrock` is the path of Bedrock that its agent knows."""

    def bedrock(variables):
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", API_KEY):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        run = recording(lambda _: Answer(b'{"output": {}}'))
        run.bedrock = "/" + upstreams({})["bedrock"].segment
        return run

    return bedrock
