"""LiteLLM: one call for all providers, each by the variable that it reads for it; all in one agent."""

AGENT = """
    import os
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # not from the network
    import litellm

    litellm.suppress_debug_info = True
    hello = [{"role": "user", "content": "hello"}]
    for model in MODELS:
        said = {"model": model, "messages": hello, "num_retries": 0}
        whole = litellm.completion(**said).choices[0].message.content
        if not model.startswith("cohere"):  # whose events it does not understand
            stream = litellm.completion(**said, stream=True)
            assert "".join(part.choices[0].delta.content or "" for part in stream) == whole
        print(model, whole)
"""
# model: provider, what the agent's environment has, path at the provider
ASKED = {
    "openai/m": ("openai", {}, "/v1/chat/completions"),
    "anthropic/m": ("anthropic", {}, "/v1/messages"),
    "gemini/m": ("gemini", {}, "/v1beta/models/m:generateContent"),
    "mistral/m": ("mistral", {}, "/v1/chat/completions"),
    "groq/m": ("groq", {}, "/openai/v1/chat/completions"),
    "openrouter/m": ("openrouter", {}, "/api/v1/chat/completions"),
    "xai/m": ("xai", {}, "/v1/chat/completions"),
    "deepseek/m": ("deepseek", {}, "/v1/chat/completions"),
    "together_ai/m": ("together", {}, "/v1/chat/completions"),
    "fireworks_ai/m": ("fireworks", {}, "/inference/v1/chat/completions"),
    "cerebras/m": ("cerebras", {}, "/v1/chat/completions"),
    "perplexity/m": ("perplexity", {}, "/chat/completions"),
    "moonshot/m": ("moonshot", {}, "/v1/chat/completions"),
    "bedrock/converse/m": ("bedrock", {"AWS_REGION": "us-east-1"}, "/model/m/converse"),
    "ollama_chat/m": ("ollama", {}, "/api/chat"),
    "azure/m": ("azure", {"AZURE_API_BASE": "{url}"}, "/openai/deployments/m/chat/completions?api-version=1"),
    "azure_ai/m": ("foundry", {"AZURE_AI_API_BASE": "{url}"}, "/chat/completions"),
    "cohere/m": ("cohere", {"COHERE_API_BASE": "{url}/v2/chat"}, "/v2/chat"),
    "hosted_vllm/m": ("vllm", {"HOSTED_VLLM_API_BASE": "{url}/v1"}, "/v1/chat/completions"),
}
BASES = {
    "openai": "/v1",
    "mistral": "/v1",
    "openrouter": "/api/v1",
    "xai": "/v1",
    "deepseek": "/v1",
    "fireworks": "/inference",
    "moonshot": "/v1",
}
KEYS = {"AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY": "SECRET", "AZURE_API_VERSION": "1"}


def test_an_agent_runs_again_from_its_tape(runs):
    """Whole and streamed; where the agent's environment says nothing, LiteLLM is pointed all the same."""
    said = {name: value for _, has, _ in ASKED.values() for name, value in has.items()}
    variables = [(name, value.removeprefix("{url}")) for name, value in said.items() if "{url}" in value]
    environment = {**KEYS, **{name: value for name, value in said.items() if "{url}" not in value}}
    usual = {name for name, has, _ in ASKED.values() if not any("{url}" in value for value in has.values())}
    options = [("--upstream", f"{name}={{url}}{BASES.get(name, '')}") for name in sorted(usual)]
    code = AGENT.replace("MODELS", repr(list(ASKED)))

    ran = runs(
        code=code,
        variables=variables,
        options=[word for option in options for word in option],
        environment=environment,
    )

    assert ran.recorded.stdout == "".join(f"{model} Hi.\n" for model in ASKED), ran.story
    assert ran.same, ran.story
    asked = {(name, path) for name, path, _ in ran.said}
    assert {(name, path) for name, _, path in ASKED.values()} <= asked
    assert {name for name, _ in asked} == {name for name, _, _ in ASKED.values()}
