"""The Anthropic SDK: recorded, replayed, and told of a miss by its own exceptions."""

import json

from stub_provider import Answer

VARIABLES = [("ANTHROPIC_BASE_URL", "")]
AGENT = """
    import anthropic

    client = anthropic.Anthropic()
    hello = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hello"}]}
    print(client.messages.create(**hello).content[0].text)
    with client.messages.stream(**hello) as stream:
        print(list(stream.text_stream), stream.get_final_message().stop_reason)
"""
MISS = """
    import anthropic

    try:
        anthropic.Anthropic().messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "bye"}]
        )
    except anthropic.NotFoundError as error:
        print(error.body["error"]["message"])
"""
MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
TEXT = {"type": "text", "text": "Hi."}
EVENTS = [
    {"type": "message_start", "message": MESSAGE},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
    {"type": "message_stop"},
]


def say(asked):
    """The same words, whole or as a stream."""
    if asked.json.get("stream"):
        events = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in EVENTS]
        return Answer(iter(events), headers={"content-type": "text/event-stream"})
    return Answer(json.dumps({**MESSAGE, "content": [TEXT], "stop_reason": "end_turn"}).encode())


def test_an_agent_runs_again_from_its_tape(runs):
    """Whole answers and streams."""
    ran = runs(say, AGENT, variables=VARIABLES)

    assert ran.recorded.stdout == "Hi.\n['Hi', '.'] end_turn\n"
    assert ran.same
    assert [exchange.request.path for exchange in ran.exchanges] == ["/v1/messages"] * 2
    assert "SECRET" not in str(ran.exchanges)


def test_a_miss_is_an_exception_of_the_sdk(runs):
    """With the sentence that says what differs."""
    ran = runs(say, AGENT, variables=VARIABLES, other=MISS)

    assert ran.replayed.returncode == 1
    assert '"hello" on the tape, "bye" now' in ran.replayed.stdout
