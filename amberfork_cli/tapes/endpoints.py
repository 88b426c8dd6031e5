"""Where a recorded request went: the upstream, the path that a tape keeps, and whether a model answers there.

Queries lose the values that carry credentials. What is sent to a model is told by the host if it is known,
else by path and body; a recording of a whole agent also holds telemetry, vector stores and what its tools
asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote_plus

from amberfork_cli.core.credential_names import names_credential
from amberfork_cli.core.tape import Body, BodyKind

REPLACED: Final = "REDACTED"
"""What stands in a query where a credential stood."""

_URL: Final = re.compile(r"(?is)(?:(?P<scheme>[a-z][a-z0-9+.-]*):)?//(?P<host>[^/?#]*)(?P<path>[^#]*)")
_DEFAULT_PORTS: Final = {"http": ":80", "https": ":443", "ws": ":80", "wss": ":443"}
_MODEL_HOST: Final = re.compile(
    r"""(?x)
    (?:.*\.)? (?:
        api\.openai\.com | api\.anthropic\.com | generativelanguage\.googleapis\.com
        | (?:[a-z0-9-]+-)?aiplatform\.googleapis\.com | bedrock[a-z-]*\.[a-z0-9-]+\.amazonaws\.com
        | openai\.azure\.com | cognitiveservices\.azure\.com | services\.ai\.azure\.com
        | models\.inference\.ai\.azure\.com | inference\.ai\.azure\.com | models\.github\.ai
        | api\.githubcopilot\.com | api\.mistral\.ai | api\.cohere\.(?:com|ai) | api\.groq\.com
        | api\.together\.(?:xyz|ai) | api\.fireworks\.ai | api\.deepseek\.com | api\.x\.ai | openrouter\.ai
        | api\.perplexity\.ai | (?:router|api-inference)\.huggingface\.co | api\.replicate\.com
        | api\.ai21\.com | api\.cerebras\.ai | api\.sambanova\.ai | integrate\.api\.nvidia\.com
        | api\.writer\.com | api\.voyageai\.com | api\.moonshot\.(?:cn|ai) | dashscope[a-z-]*\.aliyuncs\.com
        | open\.bigmodel\.cn | api\.z\.ai | api\.minimax(?:i)?\.(?:chat|io|com) | ollama\.com
        | ml\.cloud\.ibm\.com | api\.novita\.ai | api\.studio\.nebius\.(?:ai|com) | api\.hyperbolic\.xyz
    )"""
)
_OTHER_HOST: Final = re.compile(
    r"""(?x)
    (?:.*\.)? (?:
        traceloop\.(?:com|dev) | langfuse\.com | smith\.langchain\.com | langchain\.com | posthog\.com
        | sentry\.io | segment\.(?:io|com) | datadoghq\.[a-z]+ | mixpanel\.com | amplitude\.com
        | honeycomb\.io | newrelic\.com | nr-data\.net | arize\.com | statsig(?:api)?\.(?:com|net)
        | statsig\.anthropic\.com | wandb\.ai | comet\.com | logfire[a-z.-]*\.pydantic\.dev | pinecone\.io
        | weaviate\.(?:network|cloud|io) | qdrant\.io | zilliz(?:cloud)?\.com | trychroma\.com
        | googletagmanager\.com | google-analytics\.com
    )"""
)
_TELEMETRY_PATH: Final = re.compile(r"/v1/traces(?:/|\?|$)|/api/event_logging/|/api/claude_code/")
_MODEL_PATH: Final = re.compile(
    r"""(?xs)
    (?: /completions | /messages(?:/count_tokens|/batches.*)? | /responses(?:/.*)? | /embeddings | /rerank
        | /(?:converse|invoke)(?:-stream|-with-response-stream)? | /api/(?:chat|generate|embed|tags|show)
        | /v\d[a-z0-9]*/models(?:/.*)? | /images/(?:generations|edits) | /audio/.* | /moderations
        | /(?:threads|assistants|conversations|realtime|batches)(?:/.*)?
        | :[a-z]*(?:[gG]enerateContent|[cC]ountTokens|[eE]mbedContent|[pP]redict).*
    ) $"""
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Scheme and host that a request went to, where they are known, and the path with its query."""

    upstream: str | None
    path: str

    @property
    def host(self) -> str:
        """The name of the host, without its port; empty where it is not known."""
        return re.sub(r"^[^/]*//|:\d+$", "", self.upstream or "")


def endpoint(url: str) -> Endpoint:
    """The two parts of a URL that a tape keeps, without user, password, fragment and credentials.

    The path is spelled as it is in the URL. What has no host is a path.
    """
    found = _URL.match(url.strip())
    if found is None:
        return Endpoint(None, _without_credentials(url.strip().partition("#")[0]))
    scheme = (found["scheme"] or "").lower()
    host = found["host"].rpartition("@")[2].lower().removesuffix(_DEFAULT_PORTS.get(scheme, "\0"))
    upstream = f"{scheme}://{host}" if scheme else f"//{host}"
    return Endpoint(upstream if host else None, _without_credentials(found["path"]))


def asks_a_model(where: Endpoint, body: Body) -> bool:
    """Whether a request is one to a model provider, or to something that speaks as one."""
    path = where.path.partition("?")[0]
    if _OTHER_HOST.fullmatch(where.host) or _TELEMETRY_PATH.search(path):
        return False
    if _MODEL_HOST.fullmatch(where.host) or _MODEL_PATH.search(path):
        return True
    if body.kind is not BodyKind.JSON or isinstance(body.value, bytes):
        return False
    from amberfork_cli.core.dialects import dialect_of  # which most tapes are read without

    return dialect_of("", body.value) is not None


def _without_credentials(path: str) -> str:
    path, mark, query = path.partition("?")
    if not path.startswith("/"):
        path = f"/{path}"
    return path + mark + "&".join(_safe(member) for member in query.split("&"))


def _safe(member: str) -> str:
    name, mark, value = member.partition("=")
    return name + mark + REPLACED if value and names_credential(unquote_plus(name)) else member
