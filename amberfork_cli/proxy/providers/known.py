"""The model providers that are known: where each is, by which variables SDKs learn it, how it words an error.

SDKs of one provider do not agree on what a base URL is: where one adds `/v1` to it, another takes it for a
part of it. So a variable may hold more than the base URL, and a request may come with less than its path.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from amberfork_cli.core.tape import JsonValue

ErrorBody: TypeAlias = Callable[[int, str, str], JsonValue]
"""The body of an error, for a status, a kind (`not_found_error`) and a sentence."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable by which SDKs learn a base URL: what it holds is that URL, and `beyond` behind it.

    One that is only `respected` is pointed to the edge where the agent has it, and else left unset, since to
    set it changes more than where requests go.
    """

    name: str
    beyond: str = ""
    respected: bool = False


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider as its SDKs know it.

    `base` is what they take for the base URL where nothing is set, `None` where that is nothing; text in
    braces stands for an environment variable. `general` is a variable that says it of more than one provider.
    `prefix` is what some SDKs have in their base URL, and others add to it: a request whose path begins with
    one of `bare` has come without. Where a variable holds a host alone, `port` is its port.
    """

    name: str
    base: str | None
    variables: tuple[Variable, ...]
    error: ErrorBody
    general: str | None = None
    prefix: str = ""
    bare: tuple[str, ...] = ()
    port: int | None = None


def openai_error(status: int, kind: str, message: str) -> JsonValue:
    """An error as OpenAI words it, and all who speak its language."""
    return {"error": {"message": message, "type": kind, "param": None, "code": status}}


def _anthropic_error(_: int, kind: str, message: str) -> JsonValue:
    return {"type": "error", "error": {"type": kind, "message": message}}


def _google_error(status: int, kind: str, message: str) -> JsonValue:
    name = kind.removesuffix("_error").upper()
    return {"error": {"code": status, "message": message, "status": name}}


def _mistral_error(status: int, kind: str, message: str) -> JsonValue:
    return {"object": "error", "message": message, "type": kind, "param": None, "code": str(status)}


def _bedrock_error(status: int, _: str, message: str) -> JsonValue:
    return {"__type": _AWS_KINDS.get(status, "ServiceUnavailableException"), "message": message}


_AWS_KINDS: Final = {403: "AccessDeniedException", 404: "ResourceNotFoundException"}


def _plain_error(_: int, kind: str, message: str) -> JsonValue:
    return {"message": message, "type": kind}


def _ollama_error(_: int, __: str, message: str) -> JsonValue:
    return {"error": message}


OPENAI: Final = "openai"
AZURE: Final = "azure"
BEDROCK: Final = "bedrock"
MANTLE: Final = "bedrock-mantle"
VERTEX: Final = "vertex"

PROVIDERS: Final = (
    Provider(
        OPENAI,
        "https://api.openai.com/v1",
        (Variable("OPENAI_BASE_URL"), Variable("OPENAI_API_BASE")),
        openai_error,
    ),
    Provider(
        "anthropic",
        "https://api.anthropic.com",
        (Variable("ANTHROPIC_BASE_URL"), Variable("ANTHROPIC_API_URL"), Variable("ANTHROPIC_API_BASE")),
        _anthropic_error,
        prefix="/v1",
        bare=("messages", "files", "models", "skills"),
    ),
    Provider(
        "gemini",
        "https://generativelanguage.googleapis.com",
        (Variable("GOOGLE_GEMINI_BASE_URL"), Variable("GEMINI_API_BASE")),
        _google_error,
        prefix="/v1beta",
        bare=("models",),
    ),
    Provider(
        VERTEX,
        "https://aiplatform.googleapis.com",
        (
            Variable("ANTHROPIC_VERTEX_BASE_URL", "/v1"),
            Variable(
                "GOOGLE_VERTEX_BASE_URL", respected=True
            ),  # google-genai forgets the project where it is set
        ),
        _google_error,
    ),
    Provider(
        "mistral",
        "https://api.mistral.ai/v1",
        (Variable("MISTRAL_BASE_URL"), Variable("MISTRAL_API_BASE"), Variable("MISTRAL_AZURE_API_BASE")),
        _mistral_error,
    ),
    Provider(
        "cohere",
        "https://api.cohere.com",
        (
            Variable("CO_API_URL"),
            Variable("CO_BASE_URL"),
            Variable(
                "COHERE_API_BASE", "/v2/chat", respected=True
            ),  # LiteLLM's: an endpoint, of one of two APIs
        ),
        _plain_error,
    ),
    Provider(
        "groq",
        "https://api.groq.com",
        (Variable("GROQ_BASE_URL"), Variable("GROQ_API_BASE")),
        openai_error,
        prefix="/openai/v1",
        bare=("chat", "responses", "embeddings", "models", "audio", "files", "batches"),
    ),
    Provider(
        "ollama",
        "http://127.0.0.1:11434",
        (
            Variable("OLLAMA_HOST"),
            Variable("OLLAMA_API_BASE"),
            Variable("OLLAMA_BASE_URL", "/v1", respected=True),
        ),
        _ollama_error,
        port=11434,
    ),
    Provider(
        "openrouter",
        "https://openrouter.ai/api/v1",
        (Variable("OPENROUTER_BASE_URL"), Variable("OPENROUTER_API_BASE")),
        openai_error,
    ),
    Provider(
        BEDROCK,
        "https://bedrock-runtime.{AWS_REGION}.amazonaws.com",
        (
            Variable("AWS_ENDPOINT_URL_BEDROCK_RUNTIME"),
            Variable("ANTHROPIC_BEDROCK_BASE_URL"),
            Variable("AWS_BEDROCK_RUNTIME_ENDPOINT"),
        ),
        _bedrock_error,
        general="AWS_ENDPOINT_URL",
    ),
    Provider(
        MANTLE,
        "https://bedrock-mantle.{AWS_REGION}.api.aws",
        (
            Variable("AWS_BEDROCK_BASE_URL", "/openai/v1"),
            Variable("ANTHROPIC_BEDROCK_MANTLE_BASE_URL", "/anthropic"),
        ),
        openai_error,
    ),
    Provider(
        AZURE,
        None,
        (Variable("AZURE_OPENAI_ENDPOINT", respected=True), Variable("AZURE_API_BASE", respected=True)),
        openai_error,
    ),
    Provider(
        "foundry",
        None,
        (
            Variable("ANTHROPIC_FOUNDRY_BASE_URL", respected=True),
            Variable("AZURE_AI_API_BASE", respected=True),
        ),
        openai_error,
    ),
    Provider("xai", "https://api.x.ai/v1", (Variable("XAI_API_BASE"),), openai_error),
    Provider("deepseek", "https://api.deepseek.com/v1", (Variable("DEEPSEEK_API_BASE"),), openai_error),
    Provider(
        "together",
        "https://api.together.ai",
        (Variable("TOGETHER_BASE_URL"), Variable("TOGETHER_AI_API_BASE", "/v1")),
        openai_error,
    ),
    Provider(
        "fireworks",
        "https://api.fireworks.ai/inference",
        (Variable("FIREWORKS_BASE_URL"), Variable("FIREWORKS_API_BASE", "/v1")),
        openai_error,
    ),
    Provider(
        "cerebras",
        "https://api.cerebras.ai",
        (Variable("CEREBRAS_BASE_URL"), Variable("CEREBRAS_API_BASE", "/v1")),
        openai_error,
    ),
    Provider(
        "perplexity",
        "https://api.perplexity.ai",
        (Variable("PERPLEXITY_BASE_URL"), Variable("PERPLEXITY_API_BASE")),
        openai_error,
    ),
    Provider(
        "moonshot",
        "https://api.moonshot.ai/v1",
        (Variable("MOONSHOTAI_BASE_URL"), Variable("MOONSHOT_API_BASE")),
        openai_error,
    ),
    Provider(
        "vllm",
        None,
        (Variable("VLLM_BASE_URL", respected=True), Variable("HOSTED_VLLM_API_BASE", respected=True)),
        openai_error,
    ),
)
