"""Requests to AWS: signed anew with the keys of the agent, and with those of nobody else."""

import pytest
from stub_provider import Answer

from amberfork_cli.proxy.aws import API_KEY, Signer, SigningError, able_to_sign, authorized, signature_of
from amberfork_cli.proxy.calls import Call
from amberfork_cli.proxy.providers import upstreams

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
PLACEHOLDERS = {"AWS_ACCESS_KEY_ID": "AMBERFORK", "AWS_SECRET_ACCESS_KEY": "a placeholder: the edge signs"}
PATH = "/model/anthropic.claude%3A0/converse"


@pytest.mark.parametrize(
    ("method", "signature"),
    [
        ("GET", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        ("POST", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    ],
)
def test_a_signature_is_the_one_that_aws_publishes(method, signature):
    """For the vanilla requests of its examples."""
    made = authorized(
        method,
        "https://example.amazonaws.com/",
        [("X-Amz-Date", MOMENT)],
        b"",
        keys=KEYS,
        scope=(MOMENT, "us-east-1", "service"),
    )

    assert made == (
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
        f"SignedHeaders=host;x-amz-date, Signature={signature}"
    )


def test_what_is_signed_is_what_is_sent():
    """As botocore does it: an encoded path encoded once more, a query in order, no usual port."""
    made = authorized(
        "POST",
        "https://bedrock-runtime.us-east-1.amazonaws.com:443/model/arn%3Aaws%2Fx/converse?b=2&a=%20",
        [("X-Amz-Date", MOMENT), ("X-Amz-Security-Token", "a  b")],
        b'{"a": 1}',
        keys=KEYS,
        scope=(MOMENT, "us-east-1", "bedrock"),
    )

    assert made == (
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/bedrock/aws4_request, "
        "SignedHeaders=host;x-amz-date;x-amz-security-token, "
        "Signature=a88827f6220766adf5fd4f991cdee1c9fbbdb71a378dfaadbd0b7da6ea77d5ad"
    )


def test_what_a_request_is_signed_for_is_read_from_it():
    """Whose key, for which region and service."""
    found = signature_of((("authorization", INCOMING),))

    assert (found.key, found.region, found.service) == ("AKIDEXAMPLE", "eu-west-1", "bedrock")
    assert signature_of((("authorization", "Bearer x"),)) is None
    assert signature_of(()) is None


@pytest.mark.parametrize(
    ("environment", "answered", "keys"),
    [
        ({}, False, {}),
        ({}, True, PLACEHOLDERS),
        ({"AWS_BEARER_TOKEN_BEDROCK": "SECRET"}, False, PLACEHOLDERS),
        ({"AWS_BEARER_TOKEN_BEDROCK": "SECRET", "AWS_PROFILE": "p"}, False, {"AWS_PROFILE": "p"}),
        ({"AWS_ACCESS_KEY_ID": "AK"}, True, {"AWS_ACCESS_KEY_ID": "AK"}),
    ],
)
def test_an_agent_signs_whatever_keys_it_has(environment, answered, keys, tmp_path):
    """An API key is kept from it, which its SDK would not send here; its own keys are left alone."""
    home = {"HOME": str(tmp_path)}

    assert able_to_sign({**home, **environment}, answered=answered) == {**home, **keys}


def test_keys_in_a_file_are_keys_of_the_agent(tmp_path):
    """With placeholders in its environment, it would not read them."""
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "credentials").touch()

    assert able_to_sign({"HOME": str(tmp_path)}, answered=True) == {"HOME": str(tmp_path)}


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
