"""A URL is taken apart without its credentials, and requests to models are told from others."""

import pytest

from amberfork_cli.core.tape import ABSENT, Body
from amberfork_cli.tapes.endpoints import asks_a_model, endpoint


@pytest.mark.parametrize(
    ("url", "upstream", "path"),
    [
        ("https://api.openai.com/v1/responses", "https://api.openai.com", "/v1/responses"),
        ("https://api.openai.com:443/v1", "https://api.openai.com", "/v1"),
        ("http://api.openai.com:443/v1", "http://api.openai.com:443", "/v1"),
        ("http://LOCALHOST:11434/api/chat", "http://localhost:11434", "/api/chat"),
        ("http://[::1]:8000/a", "http://[::1]:8000", "/a"),
        ("wss://api.openai.com:443/v1/realtime?model=m", "wss://api.openai.com", "/v1/realtime?model=m"),
        ("https://user:password@host/a", "https://host", "/a"),
        ("https://a@b@host/a", "https://host", "/a"),
        ("https://host", "https://host", "/"),
        ("https://host?a=1", "https://host", "/?a=1"),
        ("https://host/a?b=1#secret", "https://host", "/a?b=1"),
        ("//host/a", "//host", "/a"),
        ("/v1/messages?beta=true", None, "/v1/messages?beta=true"),
        ("v1/messages", None, "/v1/messages"),
        ("", None, "/"),
        ("https:///a", None, "/a"),
        ("https://host/model/a%3A0/converse?x=%20+", "https://host", "/model/a%3A0/converse?x=%20+"),
        ("https://host/a?", "https://host", "/a?"),
    ],
)
def test_a_url_is_an_upstream_and_a_path(url: str, upstream: str | None, path: str) -> None:
    """Spelled as they were, but for what is no part of either."""
    where = endpoint(url)

    assert (where.upstream, where.path) == (upstream, path)


@pytest.mark.parametrize(
    "name",
    """key KEY api_key api-key apikey apiKey token access_token id_token client_secret secret password sig
    signature X-Amz-Signature X-Amz-Credential X-Amz-Security-Token subscription-key subscriptionKey auth
    authorization x%2Dapi%2Dkey jwt sessionToken""".split(),
)
def test_the_values_of_credentials_are_replaced(name: str) -> None:
    """Whatever the name is spelled like; the rest of the query stays as it is."""
    assert endpoint(f"https://h/p?a=1&{name}=SECRET&b=").path == f"/p?a=1&{name}=REDACTED&b="


@pytest.mark.parametrize(
    "member",
    """alt=sse api-version=2024-06-01 max_tokens=5 pageToken=abc page_token=abc nextToken=a monkey=1 keyword=x
    tokens=3 key key= author=me design=x beta=true""".split(),
)
def test_other_members_of_a_query_stay(member: str) -> None:
    """Counts, cursors and words that only end like a credential."""
    assert endpoint(f"https://h/p?{member}").path == f"/p?{member}"


CHAT = Body.json({"model": "m", "messages": []})
OTHER = Body.json({"vector": [0.1], "topK": 3})


@pytest.mark.parametrize(
    ("url", "body"),
    [
        ("https://api.openai.com/v1/vector_stores", ABSENT),
        ("https://api.anthropic.com/v1/messages", CHAT),
        ("https://bedrock-runtime.us-east-1.amazonaws.com/model/m/invoke", OTHER),
        ("https://us-central1-aiplatform.googleapis.com/v1/x", OTHER),
        ("https://mine.openai.azure.com/openai/deployments/d/chat/completions", CHAT),
        ("http://localhost:11434/api/chat", OTHER),
        ("http://gateway.internal/v1/chat/completions", OTHER),
        ("http://gateway.internal/anthropic/v1/messages", OTHER),
        ("http://gateway.internal/v1beta/models/g:streamGenerateContent?alt=sse", OTHER),
        ("http://gateway.internal/v1/models", ABSENT),
        ("http://gateway.internal/v1/responses/resp_1", ABSENT),
        ("http://gateway.internal/anything", CHAT),
        ("/v1/messages", CHAT),
    ],
)
def test_a_request_to_a_model_is_known_by_host_path_or_body(url: str, body: Body) -> None:
    """A known host, an endpoint that providers share, or a body in the shape of one of them."""
    assert asks_a_model(endpoint(url), body)


@pytest.mark.parametrize(
    ("url", "body"),
    [
        ("https://httpbin.org/post", OTHER),
        ("https://api.traceloop.dev/v2/datasets", ABSENT),
        ("https://api.smith.langchain.com/runs", CHAT),
        ("https://us.i.posthog.com/batch", CHAT),
        ("https://index-1.svc.pinecone.io/query", OTHER),
        ("https://api.openai.com/v1/traces/ingest", OTHER),
        ("http://localhost:4318/v1/traces", Body.bytes(b"\x0a")),
        ("https://statsig.anthropic.com/v1/rgstr", OTHER),
        ("https://serpapi.com/search?q=a", ABSENT),
        ("https://oauth2.googleapis.com/token", Body.text("grant_type=x")),
        ("https://sts.amazonaws.com/", ABSENT),
        ("https://notapi.openai.com.example.org/x", OTHER),
    ],
)
def test_telemetry_stores_and_what_tools_ask_for_are_not_to_a_model(url: str, body: Body) -> None:
    """Also where they carry what was said to one."""
    assert not asks_a_model(endpoint(url), body)
