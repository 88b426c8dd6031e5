"""Bedrock: boto3, and the clients of Anthropic and OpenAI for it, with keys, an API key, or neither."""

import re

import pytest
from sdk_answers import say
from stub_provider import Answer

BOTO3 = """
    import json, boto3

    client = boto3.client("bedrock-runtime", region_name="eu-west-1")
    said = {"modelId": "anthropic.claude:0", "messages": [{"role": "user", "content": [{"text": "hello"}]}]}
    print(client.converse(**said)["output"]["message"]["content"][0]["text"])
    events = client.converse_stream(**said)["stream"]
    print([event["contentBlockDelta"]["delta"]["text"] for event in events if "contentBlockDelta" in event])
    hello = {"messages": [{"role": "user", "content": "hello"}], "max_tokens": 9}
    said = {"modelId": "arn:aws:bedrock:eu-west-1:1:inference-profile/x", "body": json.dumps(hello)}
    print(json.load(client.invoke_model(**said)["body"])["content"][0]["text"])
    events = client.invoke_model_with_response_stream(**said)["body"]
    print([json.loads(event["chunk"]["bytes"])["type"] for event in events][:2])
"""
PRINTED = "Hi.\n['Hi', '.']\nHi.\n['message_start', 'content_block_start']\n"
CONVERSE = "/model/anthropic.claude%3A0/converse"
INVOKE = "/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Fx/invoke"
PATHS = [CONVERSE, f"{CONVERSE}-stream", INVOKE, f"{INVOKE}-with-response-stream"]
ANTHROPIC = """
    import anthropic, asyncio

    hello = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hello"}]}
    print(anthropic.AnthropicBedrock().messages.create(**hello).content[0].text)

    async def later():
        async with anthropic.AsyncAnthropicBedrock().messages.stream(**hello) as stream:
            print([text async for text in stream.text_stream])

    asyncio.run(later())
    print(anthropic.AnthropicBedrockMantle().messages.create(**hello).content[0].text)
"""
OPENAI = """
    import openai

    print(openai.BedrockOpenAI().responses.create(model="m", input="hello").output_text)
"""
REFUSED = """
    import boto3

    client = boto3.client("bedrock-runtime", region_name="eu-west-1")
    try:
        client.converse(modelId="m", messages=[{"role": "user", "content": [{"text": "hello"}]}])
    except client.exceptions.AccessDeniedException as error:
        print(error)
"""
MISS = """
    import boto3

    client = boto3.client("bedrock-runtime", region_name="eu-west-1")
    try:
        bye = [{"role": "user", "content": [{"text": "bye"}]}]
        client.converse(modelId="anthropic.claude:0", messages=bye)
    except client.exceptions.ResourceNotFoundException as error:
        print(error)
"""
KEYS = {
    "AWS_ACCESS_KEY_ID": "AKEXAMPLE",
    "AWS_SECRET_ACCESS_KEY": "SECRET",
    "AWS_SESSION_TOKEN": "SECRET-TOO",
}
REGION = {"AWS_REGION": "us-east-1"}
API_KEY = {"AWS_BEARER_TOKEN_BEDROCK": "SECRET"}
STUB = [("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "")]
SCOPE = re.compile(
    r"Credential=AKEXAMPLE/\d+/([a-z0-9-]+)/([a-z-]+)/aws4_request, SignedHeaders=([a-z0-9;-]+)"
)


@pytest.fixture(autouse=True)
def no_other_keys(monkeypatch, tmp_path):
    """Only those of a test."""
    for name in (*KEYS, *API_KEY, "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def strict(asked):
    """The same words for those who have signed as AWS wants it, for the host that they reach."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    url = f"http://{asked.headers['host']}{asked.path}"
    region, service, names = SCOPE.search(asked.headers["authorization"]).groups()
    headers = {name: asked.headers[name] for name in names.split(";")}
    request = AWSRequest(method=asked.method, url=url, headers=headers, data=asked.body)
    request.context["timestamp"] = asked.headers["x-amz-date"]
    signer = SigV4Auth(Credentials(*KEYS.values()), service, region)
    right = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    if not asked.headers["authorization"].endswith(f"Signature={right}"):
        return Answer(b'{"message": "the signature does not match"}', status=403)
    return say(asked)


def test_an_agent_with_keys_runs_again_from_its_tape(runs):
    """Each request is signed for whoever has it, and streams are binary."""
    ran = runs(strict, BOTO3, variables=STUB, environment=KEYS)

    assert ran.recorded.stdout == PRINTED, ran.story
    assert ran.same, ran.story
    assert ran.said == [("bedrock", path, 200) for path in PATHS]
    assert ran.streamed == [False, True, False, True]
    assert {asked.headers["x-amz-security-token"] for asked in ran.asked} == {"SECRET-TOO"}
    assert "AKEXAMPLE" not in ran.tape


def test_an_agent_with_an_api_key_runs_again_from_its_tape(runs):
    """Which boto3 would send by HTTPS only: the edge sends it."""
    ran = runs(code=BOTO3, variables=STUB, environment=API_KEY)

    assert ran.recorded.stdout == PRINTED, ran.story
    assert ran.same, ran.story
    assert ran.said == [("bedrock", path, 200) for path in PATHS]
    assert {asked.headers["authorization"] for asked in ran.asked} == {"Bearer SECRET"}


def test_a_replay_needs_no_keys(runs):
    """As on a machine that tests what another has recorded."""
    ran = runs(code=BOTO3, variables=STUB, environment=API_KEY, replayed_with={})

    assert ran.same, ran.story


def test_the_client_of_anthropic_runs_again_from_its_tape(runs):
    """By its own variables, both for Bedrock and for what is called Mantle."""
    variables = [("ANTHROPIC_BEDROCK_BASE_URL", ""), ("ANTHROPIC_BEDROCK_MANTLE_BASE_URL", "/anthropic")]

    ran = runs(strict, ANTHROPIC, variables=variables, environment={**KEYS, **REGION})

    assert ran.recorded.stdout == "Hi.\n['Hi', '.']\nHi.\n", ran.story
    assert ran.same, ran.story
    assert ran.said == [
        ("bedrock", "/model/m/invoke", 200),
        ("bedrock", "/model/m/invoke-with-response-stream", 200),
        ("bedrock-mantle", "/anthropic/v1/messages", 200),
    ]


@pytest.mark.parametrize(("keys", "say"), [(KEYS, strict), (API_KEY, say)], ids=["keys", "API key"])
def test_the_client_of_openai_runs_again_from_its_tape(runs, keys, say):
    """By a variable of its own."""
    ran = runs(
        say, OPENAI, variables=[("AWS_BEDROCK_BASE_URL", "/openai/v1")], environment={**keys, **REGION}
    )

    assert ran.recorded.stdout == "Hi.\n", ran.story
    assert ran.same, ran.story
    assert ran.said == [("bedrock-mantle", "/openai/v1/responses", 200)]


def test_keys_that_are_not_in_the_environment_are_told(runs, tmp_path):
    """The agent has them from a profile; nothing is asked, and nothing goes unrecorded."""
    (tmp_path / ".aws").mkdir()
    profile = "[default]\naws_access_key_id = AKEXAMPLE\naws_secret_access_key = SECRET\n"
    (tmp_path / ".aws" / "credentials").write_text(profile)

    ran = runs(code=REFUSED)

    assert "put the keys there with eval" in ran.recorded.stdout, ran.story
    assert "no exchange was recorded" in ran.recorded.stderr


def test_a_miss_is_an_exception_of_the_sdk(runs):
    """With the sentence that says what differs."""
    ran = runs(strict, BOTO3, variables=STUB, environment=KEYS, other=MISS)

    assert ran.replayed.returncode == 1
    assert '"hello" on the tape, "bye" now' in ran.replayed.stderr
