"""Which provider a request is for, where the first segment of its path does not say all of it."""

import pytest

from amberfork_cli.proxy.providers.routing import routed
from amberfork_cli.proxy.providers.upstreams import upstreams

OWN = {
    "openai": "https://api.openai.com",
    "anthropic": "https://api.anthropic.com",
    "gemini": "https://generativelanguage.googleapis.com",
    "groq": "https://api.groq.com",
}


def whither(found, path, headers=()):
    """The URL that a request goes to."""
    route = routed(found, path, headers)
    return route.refused or f"{route.upstream.host}{route.target}"


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/openai/v1/chat/completions", "/v1/chat/completions"),
        ("/openai/v1//a%2Fb/%7Ec?x=a+b", "/v1//a%2Fb/%7Ec?x=a+b"),
        ("/anthropic/v1/messages?beta=true", "/v1/messages?beta=true"),
        ("/anthropic/messages?beta=true", "/v1/messages?beta=true"),
        ("/anthropic/messages/batches", "/v1/messages/batches"),
        ("/anthropic/api/event_logging", "/api/event_logging"),
        ("/gemini/v1beta/models/m:generateContent", "/v1beta/models/m:generateContent"),
        ("/gemini/models/m:generateContent", "/v1beta/models/m:generateContent"),
        ("/groq/openai/v1/chat/completions", "/openai/v1/chat/completions"),
        ("/groq/chat/completions", "/openai/v1/chat/completions"),
    ],
)
def test_what_an_sdk_adds_only_to_the_usual_url_is_added(path, target):
    """The request is the one that it makes where nobody records it."""
    assert whither(upstreams({}), path) == OWN[path.split("/")[1]] + target


def test_nothing_is_added_where_the_agent_knows_that_it_asks_somebody_else():
    """Its SDK would ask there for just this."""
    found = upstreams({"ANTHROPIC_BASE_URL": "https://gw.corp"})

    assert whither(found, "/anthropic/messages") == "https://gw.corp/messages"


def test_a_usual_place_that_is_set_is_as_usual():
    """SDKs compare it with the one that they know."""
    found = upstreams({"ANTHROPIC_BASE_URL": "https://api.anthropic.com/"})

    assert whither(found, "/anthropic/messages") == "https://api.anthropic.com/v1/messages"


def test_what_the_command_line_says_is_unknown_to_the_agent():
    """It takes the provider to be where it always is."""
    found = upstreams({}, named=["anthropic=http://stub/x"])

    assert whither(found, "/anthropic/x/messages") == "http://stub/x/v1/messages"


@pytest.mark.parametrize(
    ("recorded", "named", "target"),
    [
        ({"anthropic": "https://api.anthropic.com"}, (), "/v1/messages"),
        ({"anthropic": "https://gw.corp"}, (), "/messages"),
        ({"anthropic": "https://gw.corp"}, ["anthropic=http://nowhere"], "/v1/messages"),
    ],
)
def test_a_replay_asks_for_what_the_recording_asked_for(recorded, named, target):
    """So that it is found on the tape."""
    found = upstreams({}, recorded=recorded, named=named)

    assert routed(found, "/anthropic/messages", ()).target == target


AZURE = "/openai/v1/deployments/d/chat/completions?api-version=2024-10-21"


def test_a_client_of_azure_that_takes_the_variable_of_openai_reaches_azure():
    """Nothing of it goes to OpenAI, least of all its key."""
    found = upstreams({"AZURE_OPENAI_ENDPOINT": "https://me.openai.azure.com/"})

    route = routed(found, AZURE, ())

    assert route.upstream.name == "azure"
    assert route.target == "/openai/deployments/d/chat/completions?api-version=2024-10-21"


def test_a_client_of_azure_goes_nowhere_where_its_endpoint_is_not_known():
    """It is told what to do."""
    status, problem = whither(upstreams({}), AZURE)

    assert status == 400
    assert "AZURE_OPENAI_ENDPOINT" in problem


def test_a_client_of_azure_goes_where_the_agent_has_openai():
    """Which may be Azure, and a gateway in any case."""
    found = upstreams({"OPENAI_BASE_URL": "https://gw.corp/v1"})

    assert whither(found, AZURE).startswith("https://gw.corp/v1/deployments/")


@pytest.mark.parametrize(
    ("location", "host"),
    [
        ("europe-west4", "https://europe-west4-aiplatform.googleapis.com"),
        ("global", "https://aiplatform.googleapis.com"),
        ("eu", "https://aiplatform.eu.rep.googleapis.com"),
    ],
)
def test_a_request_to_vertex_goes_to_the_region_in_its_path(location, host):
    """Where its SDK would have sent it."""
    path = f"/v1/projects/p/locations/{location}/publishers/anthropic/models/m:rawPredict"

    assert whither(upstreams({}), f"/vertex{path}") == host + path


SIGNED = "AWS4-HMAC-SHA256 Credential=AK/20260101/{}/bedrock/aws4_request, SignedHeaders=host, Signature=0"


def test_a_request_to_bedrock_goes_to_the_region_that_it_is_signed_for():
    """A client may have it from its code; without a signature, it goes to that of the environment."""
    found = upstreams({"AWS_REGION": "us-west-2"})
    signed = (("Authorization", SIGNED.format("eu-west-1")),)

    assert whither(found, "/bedrock/m", signed) == "https://bedrock-runtime.eu-west-1.amazonaws.com/m"
    assert whither(found, "/bedrock/m") == "https://bedrock-runtime.us-west-2.amazonaws.com/m"
    assert whither(upstreams({"AWS_ENDPOINT_URL": "http://x"}), "/bedrock/m", signed) == "http://x/m"


def test_only_the_path_that_the_agent_was_given_shows_that_a_request_is_from_it():
    """The name of the provider leads there as well, but nothing is signed on the way."""
    found = upstreams({})
    mine = found["bedrock"]

    assert routed(found, f"/{mine.segment}/m", ()).upstream == mine
    assert routed(found, "/bedrock/m", ()).upstream.ticket == ""


def test_a_path_that_begins_with_no_provider_goes_nowhere():
    """All of them are named."""
    assert whither(upstreams({}), "/cohort/v2") == (
        404,
        '"cohort" is no provider: the path begins with one of ' + ", ".join(upstreams({})),
    )
