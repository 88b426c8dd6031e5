"""OpenRouter: its own SDK, and that of OpenAI, both of which have the base URL from their caller."""

OPENAI = """
    import os, openai

    url, key = os.environ["OPENROUTER_BASE_URL"], os.environ["OPENROUTER_API_KEY"]
    client = openai.OpenAI(base_url=url, api_key=key)
    hello = [{"role": "user", "content": "hello"}]
    print(client.chat.completions.create(model="m", messages=hello).choices[0].message.content)
"""
OWN = """
    import asyncio, os
    from openrouter import OpenRouter

    hello = [{"role": "user", "content": "hello"}]
    place = {"api_key": os.environ["OPENROUTER_API_KEY"], "server_url": os.environ["OPENROUTER_BASE_URL"]}
    with OpenRouter(**place) as router:
        print(router.chat.send(model="m", messages=hello).choices[0].message.content)
        with router.chat.send(model="m", messages=hello, stream=True) as stream:
            print([event.choices[0].delta.content or "" for event in stream])

    async def later():
        async with OpenRouter(**place) as router:
            print((await router.chat.send_async(model="m", messages=hello)).choices[0].message.content)

    asyncio.run(later())
"""
CHAT = ("openrouter", "/api/v1/chat/completions", 200)


def test_an_agent_runs_again_from_its_tape_with_the_sdk_of_openai(runs):
    """Its base URL is OpenRouter's."""
    ran = runs(code=OPENAI, options=("--upstream", "openrouter={url}/api/v1"))

    assert ran.recorded.stdout == "Hi.\n", ran.story
    assert ran.same, ran.story
    assert ran.said == [CHAT]


def test_an_agent_runs_again_from_its_tape(runs):
    """Whole, streamed and async."""
    ran = runs(code=OWN, variables=[("OPENROUTER_BASE_URL", "/api/v1")])

    assert ran.recorded.stdout == "Hi.\n['Hi', '.', '']\nHi.\n", ran.story
    assert ran.same, ran.story
    assert ran.said == [CHAT] * 3
    assert ran.streamed == [False, True, False]
