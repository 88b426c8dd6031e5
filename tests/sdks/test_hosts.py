"""The SDKs of Together, Fireworks, Cerebras and Perplexity: OpenAI's language at places of their own."""

import pytest

CHAT = """
    said = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    print(client.chat.completions.create(**said).choices[0].message.content)
    print([part.choices[0].delta.content for part in client.chat.completions.create(**said, stream=True)])
"""
CLIENTS = {
    "together": ("from together import Together as Client", ""),
    "fireworks": ("from fireworks import Fireworks as Client", "/inference"),
    "cerebras": ("from cerebras.cloud.sdk import Cerebras as Client", ""),
    "perplexity": ("from perplexity import Perplexity as Client", ""),
}


@pytest.mark.parametrize("name", CLIENTS)
def test_an_agent_runs_again_from_its_tape(name, runs):
    """Whole and streamed."""
    imported, base = CLIENTS[name]
    code = f"    {imported}\n    client = Client()\n{CHAT}"

    ran = runs(code=code, variables=[(f"{name.upper()}_BASE_URL", base)])

    assert ran.recorded.stdout == "Hi.\n['Hi', '.', None]\n", ran.story
    assert ran.same, ran.story
    version = "" if name == "perplexity" else "/v1"
    chats = [said for said in ran.said if "chat" in said[1]]  # Cerebras warms its connection up before
    assert chats == [(name, f"{base}{version}/chat/completions", 200)] * 2
