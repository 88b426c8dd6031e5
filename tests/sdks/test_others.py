"""The SDKs of Mistral, Cohere, Groq and Ollama, pointed to the recorder by variables or by their caller."""

import pytest

AGENTS = {
    "groq": """
        import asyncio, groq

        said = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
        print(groq.Groq().chat.completions.create(**said).choices[0].message.content)
        stream = groq.Groq().chat.completions.create(**said, stream=True)
        print([chunk.choices[0].delta.content or "" for chunk in stream])

        async def later():
            print((await groq.AsyncGroq().chat.completions.create(**said)).choices[0].message.content)

        asyncio.run(later())
        """,
    "cohere": """
        import asyncio, cohere

        said = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
        print(cohere.ClientV2().chat(**said).message.content[0].text)
        events = [event for event in cohere.ClientV2().chat_stream(**said) if event.type == "content-delta"]
        print([*(event.delta.message.content.text for event in events), ""])

        async def later():
            print((await cohere.AsyncClientV2().chat(**said)).message.content[0].text)

        asyncio.run(later())
        """,
    "ollama": """
        import asyncio, ollama

        said = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
        print(ollama.chat(**said).message.content)
        print([part.message.content for part in ollama.chat(**said, stream=True)])

        async def later():
            print((await ollama.AsyncClient().chat(**said)).message.content)

        asyncio.run(later())
        """,
    "mistral": """
        import asyncio, os
        try:
            from mistralai import Mistral
        except ImportError:
            from mistralai.client import Mistral

        url = os.environ["MISTRAL_BASE_URL"].removesuffix("/v1")
        client = Mistral(api_key=os.environ["MISTRAL_API_KEY"], server_url=url)
        said = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
        print(client.chat.complete(**said).choices[0].message.content)
        print([event.data.choices[0].delta.content or "" for event in client.chat.stream(**said)])

        async def later():
            print((await client.chat.complete_async(**said)).choices[0].message.content)

        asyncio.run(later())
        """,
}
ASKED = {
    "groq": ("GROQ_BASE_URL", "", "/openai/v1/chat/completions"),
    "cohere": ("CO_API_URL", "", "/v2/chat"),
    "ollama": ("OLLAMA_HOST", "", "/api/chat"),
    "mistral": ("MISTRAL_BASE_URL", "/v1", "/v1/chat/completions"),
}
ALL = """
    import ollama, groq, cohere

    said = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    print(groq.Groq().chat.completions.create(**said).choices[0].message.content)
    print(cohere.ClientV2().chat(**said).message.content[0].text)
    print(cohere.Client().chat(message="hello").text)
    print(ollama.chat(**said).message.content)
"""


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_runs_again_from_its_tape(name, runs):
    """Whole, streamed, async; and no key on the tape."""
    variable, base, path = ASKED[name]

    ran = runs(code=AGENTS[name], variables=[(variable, base)])

    assert ran.recorded.stdout == "Hi.\n['Hi', '.', '']\nHi.\n", ran.story
    assert ran.same, ran.story
    assert ran.said == [(name, path, 200)] * 3
    assert ran.streamed == [False, True, False]


def test_an_agent_can_have_several_providers(runs):
    """At one recorder, on one tape, in the order in which they were asked."""
    ran = runs(code=ALL, variables=[(variable, base) for variable, base, _ in ASKED.values()])

    assert ran.same, ran.story
    assert ran.said == [
        ("groq", "/openai/v1/chat/completions", 200),
        ("cohere", "/v2/chat", 200),
        ("cohere", "/v1/chat", 200),
        ("ollama", "/api/chat", 200),
    ]
