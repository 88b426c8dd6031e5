"""AWS: what a request says of its signature, how one is made, and what an agent needs to make one."""

import pytest

from amberfork_cli.proxy.providers.aws import able_to_sign, authorized, signature_of

KEYS = ("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
MOMENT = "20150830T123600Z"
INCOMING = (
    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-west-1/bedrock/aws4_request, "
    "SignedHeaders=host;x-amz-date, Signature=00"
)
PLACEHOLDERS = {"AWS_ACCESS_KEY_ID": "AMBERFORK", "AWS_SECRET_ACCESS_KEY": "a placeholder: the edge signs"}


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
