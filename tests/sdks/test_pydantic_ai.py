"""Pydantic AI: its providers, each by the variables that it, or the SDK below it, reads; all in one agent."""

AGENT = """
    import asyncio, sys
    from pydantic_ai import Agent

    async def main():
        for model in sys.argv[1].split():
            agent = Agent(model)
            async with agent.run_stream("hello") as run:
                pieces = [text async for text in run.stream_text(delta=True, debounce_by=None)]
            print((await agent.run("hello")).output, "|".join(pieces).strip("|"))

    asyncio.run(main())
"""
# model: provider, variable, path of its base URL, path that is asked
ASKED = {
    "openai-chat:m": ("openai", "OPENAI_BASE_URL", "/v1", "/v1/chat/completions"),
    "openai-responses:m": ("openai", "OPENAI_BASE_URL", "/v1", "/v1/responses"),
    "anthropic:m": ("anthropic", "ANTHROPIC_BASE_URL", "", "/v1/messages"),
    "groq:m": ("groq", "GROQ_BASE_URL", "", "/openai/v1/chat/completions"),
    "cohere:m": ("cohere", "CO_BASE_URL", "", "/v2/chat"),
    "ollama:m": ("ollama", "OLLAMA_BASE_URL", "/v1", "/v1/chat/completions"),
    "moonshotai:m": ("moonshot", "MOONSHOTAI_BASE_URL", "/v1", "/v1/chat/completions"),
    "vllm:m": ("vllm", "VLLM_BASE_URL", "/v1", "/v1/chat/completions"),
    "bedrock:m": ("bedrock", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "", "/model/m/converse"),
    "azure:m": ("azure", "AZURE_OPENAI_ENDPOINT", "", "/openai/deployments/m/chat/completions?api-version=1"),
}
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "AK",
    "AWS_SECRET_ACCESS_KEY": "SECRET",
    "AWS_DEFAULT_REGION": "us-east-1",
    "OPENAI_API_VERSION": "1",
}


def test_an_agent_runs_again_from_its_tape(runs):
    """Streamed and whole."""
    variables = {variable: base for _, variable, base, _ in ASKED.values()}
    code = AGENT.replace("sys.argv[1]", repr(" ".join(ASKED)))

    ran = runs(code=code, variables=[*variables.items()], environment=ENVIRONMENT)

    assert ran.recorded.stdout == "Hi. Hi|.\n" * len(ASKED), ran.story
    assert ran.same, ran.story
    streams = {"bedrock": "/model/m/converse-stream"}
    assert ran.said == [
        (name, asked, 200) for name, _, _, path in ASKED.values() for asked in (streams.get(name, path), path)
    ]
    assert ran.streamed == [True, False] * len(ASKED)
