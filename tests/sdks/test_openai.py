"""The OpenAI SDK: recorded, replayed, and told of a miss by its own exceptions."""

import json

from stub_provider import Answer, chat, chat_stream

VARIABLES = [("OPENAI_BASE_URL", "/v1")]
AGENT = """
    import asyncio, openai

    def said(stream):
        return "".join(chunk.choices[0].delta.content or "" for chunk in stream)

    client = openai.OpenAI()
    hello = [{"role": "user", "content": "hello"}]
    print(client.chat.completions.create(model="m", messages=hello).choices[0].message.content)
    print(said(client.chat.completions.create(model="m", messages=hello, stream=True)))
    first = client.responses.create(model="m", input="hello")
    print(first.id, client.responses.create(model="m", input="yes", previous_response_id=first.id).id)

    async def later():
        async with openai.AsyncOpenAI() as client:
            answers = [client.chat.completions.create(model="m", messages=hello + hello) for _ in range(3)]
            return [answer.choices[0].message.content for answer in await asyncio.gather(*answers)]

    print(asyncio.run(later()))
"""
MISS = """
    import openai, time

    begun = time.monotonic()
    try:
        openai.OpenAI().chat.completions.create(model="m", messages=[{"role": "user", "content": "bye"}])
    except openai.NotFoundError as error:
        print(error.body["message"], time.monotonic() - begun < 5)
"""


def say(asked):
    """Chat, streams, and responses that are numbered by what they follow."""
    if asked.path == "/v1/responses":
        name = "resp_2" if "previous_response_id" in asked.json else "resp_1"
        return Answer(json.dumps({"id": name, "object": "response", "output": [], "model": "m"}).encode())
    return chat_stream("Hi", " there") if asked.json.get("stream") else chat("Hi.")


def test_an_agent_runs_again_from_its_tape(runs):
    """Whole answers, streams, responses that go on from one another, several at once."""
    ran = runs(say, AGENT, variables=VARIABLES)

    assert ran.recorded.stdout == "Hi.\nHi there\nresp_1 resp_2\n['Hi.', 'Hi.', 'Hi.']\n"
    assert ran.same
    assert len(ran.exchanges) == 7
    assert "SECRET" not in str(ran.exchanges)


def test_a_miss_is_an_exception_of_the_sdk_at_once(runs):
    """It is not tried again, and says what differs."""
    ran = runs(say, AGENT, variables=VARIABLES, other=MISS)

    assert ran.replayed.returncode == 1
    assert 'messages[0].content: "hello" on the tape, "bye" now True' in ran.replayed.stdout
