"""The SDKs of Mistral, Cohere, Groq and Ollama, pointed to the recorder by variables or by their caller."""

import json

import pytest
from stub_provider import Answer, chat

AGENTS = {
    "groq": (
        "GROQ_BASE_URL",
        """
        import groq
        hello = [{"role": "user", "content": "hello"}]
        answer = groq.Groq().chat.completions.create(model="m", messages=hello)
        print(answer.choices[0].message.content)
        """,
    ),
    "cohere": (
        "CO_API_URL",
        """
        import cohere
        answer = cohere.ClientV2().chat(model="m", messages=[{"role": "user", "content": "hello"}])
        print(answer.message.content[0].text)
        """,
    ),
    "ollama": (
        "OLLAMA_HOST",
        """
        import ollama
        print(ollama.chat(model="m", messages=[{"role": "user", "content": "hello"}]).message.content)
        """,
    ),
    "mistral": (
        "MISTRAL_BASE_URL",
        """
        import os
        try:
            from mistralai import Mistral
        except ImportError:
            from mistralai.client import Mistral
        url = os.environ["MISTRAL_BASE_URL"].removesuffix("/v1")
        client = Mistral(api_key="SECRET", server_url=url)
        answer = client.chat.complete(model="m", messages=[{"role": "user", "content": "hello"}])
        print(answer.choices[0].message.content)
        """,
    ),
}


def say(asked):
    """A few words, as each provider puts them."""
    message = {"role": "assistant", "content": "Hi."}
    if asked.path == "/api/chat":
        return Answer(json.dumps({"model": "m", "message": message, "done": True}).encode())
    if asked.path == "/v2/chat":
        parts = {**message, "content": [{"type": "text", "text": "Hi."}]}
        return Answer(json.dumps({"id": "x", "finish_reason": "COMPLETE", "message": parts}).encode())
    return chat("Hi.", usage={"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2})


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_runs_again_from_its_tape(name, runs):
    """One exchange, and no key on the tape."""
    variable, agent = AGENTS[name]

    ran = runs(say, agent, variables=[(variable, "/v1" if name == "mistral" else "")])

    assert (ran.recorded.stdout, ran.recorded.returncode) == ("Hi.\n", 0), ran.recorded.stderr
    assert ran.same
    assert [exchange.extra["provider"] for exchange in ran.exchanges] == [name]
    assert "SECRET" not in str(ran.exchanges)
