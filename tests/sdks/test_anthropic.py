"""The Anthropic SDK, its clients for other clouds as well: recorded, replayed, told of a miss."""

VARIABLES = [("ANTHROPIC_BASE_URL", "")]
AGENT = """
    import anthropic, asyncio

    client = anthropic.Anthropic()
    hello = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hello"}]}
    print(client.messages.create(**hello).content[0].text)
    with client.messages.stream(**hello) as stream:
        print(list(stream.text_stream), stream.get_final_message().stop_reason)

    async def later():
        async with anthropic.AsyncAnthropic() as client, client.messages.stream(**hello) as stream:
            print([text async for text in stream.text_stream])

    asyncio.run(later())
"""
VERTEX = """
    import anthropic, asyncio

    place = {"region": "us-east5", "project_id": "p", "access_token": "SECRET"}
    hello = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hello"}]}
    print(anthropic.AnthropicVertex(**place).messages.create(**hello).content[0].text)

    async def later():
        async with anthropic.AsyncAnthropicVertex(**place).messages.stream(**hello) as stream:
            print([text async for text in stream.text_stream])

    asyncio.run(later())
"""
FOUNDRY = """
    import anthropic

    hello = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hello"}]}
    print(anthropic.AnthropicFoundry().messages.create(**hello).content[0].text)
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


def test_an_agent_runs_again_from_its_tape(runs):
    """Whole answers and streams, the latter async as well."""
    ran = runs(code=AGENT, variables=VARIABLES)

    assert ran.recorded.stdout == "Hi.\n['Hi', '.'] end_turn\n['Hi', '.']\n", ran.story
    assert ran.same, ran.story
    assert ran.said == [("anthropic", "/v1/messages", 200)] * 3
    assert ran.streamed == [False, True, True]


def test_an_agent_on_vertex_runs_again_from_its_tape(runs):
    """Without a word about it in its environment."""
    ran = runs(code=VERTEX, options=("--upstream", "vertex={url}"))

    assert ran.recorded.stdout == "Hi.\n['Hi', '.']\n", ran.story
    assert ran.same, ran.story
    model = "/v1/projects/p/locations/us-east5/publishers/anthropic/models/m"
    assert ran.said == [("vertex", f"{model}:{verb}", 200) for verb in ("rawPredict", "streamRawPredict")]
    assert ran.streamed == [False, True]


def test_an_agent_on_foundry_runs_again_from_its_tape(runs):
    """Whose place its environment has."""
    ran = runs(code=FOUNDRY, variables=[("ANTHROPIC_FOUNDRY_BASE_URL", "/anthropic")])

    assert ran.same, ran.story
    assert ran.said == [("foundry", "/anthropic/v1/messages", 200)]


def test_a_miss_is_an_exception_of_the_sdk(runs):
    """With the sentence that says what differs."""
    ran = runs(code=AGENT, variables=VARIABLES, other=MISS)

    assert ran.replayed.returncode == 1
    assert '"hello" on the tape, "bye" now' in ran.replayed.stderr
