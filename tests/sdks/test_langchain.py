"""LangChain's chat models: each by the variables that it, or the SDK below it, reads; all in one agent."""

import pytest

AGENT = """
    import asyncio
    from langchain_anthropic import ChatAnthropic
    from langchain_aws import ChatBedrockConverse
    from langchain_deepseek import ChatDeepSeek
    from langchain_groq import ChatGroq
    from langchain_mistralai import ChatMistralAI
    from langchain_openai import AzureChatOpenAI, ChatOpenAI
    from langchain_openrouter import ChatOpenRouter
    from langchain_xai import ChatXAI

    models = [
        *(Model(model="m") for Model in (ChatOpenAI, ChatAnthropic, ChatOpenRouter, ChatGroq, ChatMistralAI)),
        *(Model(model="m") for Model in (ChatDeepSeek, ChatXAI)),
        ChatBedrockConverse(model="anthropic.claude-3", region_name="us-east-1"),
        AzureChatOpenAI(azure_deployment="d", api_version="1"),
    ]

    async def main():
        for model in models:
            pieces = "|".join([part.text async for part in model.astream("hello")]).strip("|")
            print((await model.ainvoke("hello")).text, model.invoke("hello").text, pieces)

    asyncio.run(main())
"""
# provider: variable, path of its base URL, path that is asked
ASKED = {
    "openai": ("OPENAI_BASE_URL", "/v1", "/v1/chat/completions"),
    "anthropic": ("ANTHROPIC_API_URL", "", "/v1/messages"),
    "openrouter": ("OPENROUTER_API_BASE", "/api/v1", "/api/v1/chat/completions"),
    "groq": ("GROQ_BASE_URL", "", "/openai/v1/chat/completions"),
    "mistral": ("MISTRAL_BASE_URL", "/v1", "/v1/chat/completions"),
    "deepseek": ("DEEPSEEK_API_BASE", "/v1", "/v1/chat/completions"),
    "xai": ("XAI_API_BASE", "/v1", "/v1/chat/completions"),
    "bedrock": ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "", "/model/anthropic.claude-3/converse"),
    "azure": ("AZURE_OPENAI_ENDPOINT", "", "/openai/deployments/d/chat/completions?api-version=1"),
}
KEYS = {"AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY": "SECRET"}


@pytest.mark.parametrize("variables_are_set", [True, False])
def test_an_agent_runs_again_from_its_tape(variables_are_set, runs):
    """Whole, streamed and async, by what the agent's environment says, and by what is added to it."""
    said = {name: ASKED[name][:2] for name in ASKED if variables_are_set or name == "azure"}
    options = [("--upstream", f"{name}={{url}}{ASKED[name][1]}") for name in ASKED.keys() - said.keys()]

    ran = runs(
        code=AGENT,
        variables=[*said.values()],
        options=[word for option in options for word in option],
        environment=KEYS,
    )

    assert ran.recorded.stdout == "Hi. Hi. Hi|.\n" * len(ASKED), ran.story
    assert ran.same, ran.story
    streams = {"bedrock": "/model/anthropic.claude-3/converse-stream"}
    assert ran.said == [
        (name, asked, 200)
        for name, (_, _, path) in ASKED.items()
        for asked in (streams.get(name, path), path, path)
    ]
    assert ran.streamed == [True, False, False] * len(ASKED)
