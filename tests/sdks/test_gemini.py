"""The Google Gen AI SDK, for Gemini and for Vertex: recorded and replayed."""

AGENT = """
    import asyncio
    from google import genai

    client = genai.Client()
    said = {"model": "m", "contents": "hello"}
    print(client.models.generate_content(**said).text)
    print([part.text for part in client.models.generate_content_stream(**said)])

    async def later():
        async with genai.Client().aio as client:
            print((await client.models.generate_content(**said)).text)
            print([part.text async for part in await client.models.generate_content_stream(**said)])

    asyncio.run(later())
"""
VERTEX = """
    from google import genai
    from google.oauth2.credentials import Credentials

    place = {"project": "p", "location": "europe-west4", "credentials": Credentials("SECRET")}
    client = genai.Client(vertexai=True, **place)
    print(client.models.generate_content(model="m", contents="hello").text)
    print([part.text for part in client.models.generate_content_stream(model="m", contents="hello")])
"""
VERBS = ("generateContent", "streamGenerateContent?alt=sse")


def told(said):
    """Provider and what is asked for, without the version before it, which the SDK changes now and then."""
    return [(provider, path.partition("/models/")[2], status) for provider, path, status in said]


def test_an_agent_runs_again_from_its_tape(runs):
    """Whole answers and streams, async as well."""
    ran = runs(code=AGENT, variables=[("GOOGLE_GEMINI_BASE_URL", "")])

    assert ran.recorded.stdout == "Hi.\n['Hi', '.']\n" * 2, ran.story
    assert ran.same, ran.story
    assert told(ran.said) == [("gemini", f"m:{verb}", 200) for verb in VERBS] * 2
    assert ran.streamed == [False, True] * 2


def test_an_agent_on_vertex_runs_again_from_its_tape(runs):
    """By a variable that is set only where that is wanted, for the SDK minds it in other ways as well."""
    options = ("--upstream", "vertex={url}", "--env", "GOOGLE_VERTEX_BASE_URL=vertex")

    ran = runs(code=VERTEX, options=options)

    assert ran.recorded.stdout == "Hi.\n['Hi', '.']\n", ran.story
    assert ran.same, ran.story
    assert "/projects/p/locations/europe-west4/" in ran.said[0][1]
    assert told(ran.said) == [("vertex", f"m:{verb}", 200) for verb in VERBS]


def test_a_variable_for_vertex_that_is_set_is_respected(runs):
    """A gateway, say."""
    ran = runs(code=VERTEX, variables=[("GOOGLE_VERTEX_BASE_URL", "/gw")])

    assert ran.same, ran.story
    assert [(provider, path[:4]) for provider, path, _ in ran.said] == [("vertex", "/gw/")] * 2
