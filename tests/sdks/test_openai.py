"""The OpenAI SDK: recorded, replayed, and told of a miss by its own exceptions."""

import json

from sdk_answers import say
from stub_provider import Answer

VARIABLES = [("OPENAI_BASE_URL", "/v1")]
AGENT = """
    import asyncio, openai

    client = openai.OpenAI()
    hello = [{"role": "user", "content": "hello"}]
    print(client.chat.completions.create(model="m", messages=hello).choices[0].message.content)
    stream = client.chat.completions.create(model="m", messages=hello, stream=True)
    print([chunk.choices[0].delta.content for chunk in stream])
    first = client.responses.create(model="m", input="hello")
    print(first.id, client.responses.create(model="m", input="yes", previous_response_id=first.id).id)

    async def later():
        async with openai.AsyncOpenAI() as client:
            answers = [client.chat.completions.create(model="m", messages=hello + hello) for _ in range(3)]
            print([answer.choices[0].message.content for answer in await asyncio.gather(*answers)])
            async with client.responses.stream(model="m", input="hello") as stream:
                print([event.delta async for event in stream if event.type == "response.output_text.delta"])

    asyncio.run(later())
"""
MISS = """
    import openai, time

    begun = time.monotonic()
    try:
        openai.OpenAI().chat.completions.create(model="m", messages=[{"role": "user", "content": "bye"}])
    except openai.NotFoundError as error:
        print(error.body["message"], time.monotonic() - begun < 5)
"""


def numbered(asked):
    """The same words, but of responses the number that tells them by what they follow."""
    if asked.path == "/v1/responses" and "stream" not in asked.json:
        name = "resp_2" if "previous_response_id" in asked.json else "resp_1"
        return Answer(json.dumps({"id": name, "object": "response", "output": [], "model": "m"}).encode())
    return say(asked)


def test_an_agent_runs_again_from_its_tape(runs):
    """Whole answers, streams, responses that go on from one another, several at once."""
    ran = runs(numbered, AGENT, variables=VARIABLES)

    assert ran.recorded.stdout == (
        "Hi.\n['Hi', '.', None]\nresp_1 resp_2\n['Hi.', 'Hi.', 'Hi.']\n['Hi', '.']\n"
    ), ran.story
    assert ran.same, ran.story
    chat, responses = (("openai", path, 200) for path in ("/v1/chat/completions", "/v1/responses"))
    assert ran.said == [chat, chat, responses, responses, chat, chat, chat, responses]
    assert ran.streamed == [False, True, False, False, False, False, False, True]


def test_a_miss_is_an_exception_of_the_sdk_at_once(runs):
    """It is not tried again, and says what differs."""
    ran = runs(numbered, AGENT, variables=VARIABLES, other=MISS)

    assert ran.replayed.returncode == 1
    assert 'messages[0].content: "hello" on the tape, "bye" now True' in ran.replayed.stderr
