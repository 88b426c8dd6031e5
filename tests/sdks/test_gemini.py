"""The Google Gen AI SDK: recorded and replayed."""

import json

from stub_provider import Answer

AGENT = """
    from google import genai

    client = genai.Client()
    print(client.models.generate_content(model="m", contents="hello").text)
    print([part.text for part in client.models.generate_content_stream(model="m", contents="hello")])
"""


def say(asked):
    """The same words, whole or as a stream."""
    part = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Hi."}]}, "finishReason": "STOP"}]
    }
    if "stream" in asked.path:
        pieces = [b"data: " + json.dumps(part).encode() + b"\r\n\r\n"] * 2
        return Answer(iter(pieces), headers={"content-type": "text/event-stream"})
    return Answer(json.dumps(part).encode())


def test_an_agent_runs_again_from_its_tape(runs):
    """Whole answers and streams; the key is in no path."""
    ran = runs(say, AGENT, variables=[("GOOGLE_GEMINI_BASE_URL", "")])

    assert ran.recorded.stdout == "Hi.\n['Hi.', 'Hi.']\n"
    assert ran.same
    assert [exchange.extra["provider"] for exchange in ran.exchanges] == ["gemini"] * 2
    assert "SECRET" not in str(ran.exchanges)
