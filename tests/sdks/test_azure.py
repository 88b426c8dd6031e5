"""Azure: the clients of the OpenAI SDK that are for it, its newer surface, and Azure's own SDK."""

VERSION = "api-version=2024-10-21"
CHAT = f"/openai/deployments/dep/chat/completions?{VERSION}"
CLASSIC = """
    import asyncio, openai

    hello = [{"role": "user", "content": "hello"}]
    client = openai.AzureOpenAI(api_version="2024-10-21")
    print(client.chat.completions.create(model="dep", messages=hello).choices[0].message.content)
    stream = client.chat.completions.create(model="dep", messages=hello, stream=True)
    print([chunk.choices[0].delta.content for chunk in stream])

    async def later():
        async with openai.AsyncAzureOpenAI(api_version="2024-10-21") as client:
            print((await client.responses.create(model="dep", input="hello")).output_text)
            stream = await client.chat.completions.create(model="dep", messages=hello, stream=True)
            print([chunk.choices[0].delta.content async for chunk in stream])

    asyncio.run(later())
"""
NEWER = """
    import openai

    client = openai.OpenAI()
    hello = [{"role": "user", "content": "hello"}]
    print(client.chat.completions.create(model="dep", messages=hello).choices[0].message.content)
    print(client.responses.create(model="dep", input="hello").output_text)
"""
BOTH = """
    import openai

    hello = [{"role": "user", "content": "hello"}]
    for client in (openai.AzureOpenAI(api_version="2024-10-21"), openai.OpenAI()):
        print(client.chat.completions.create(model="dep", messages=hello).choices[0].message.content)
"""
INFERENCE = """
    import os
    from azure.ai.inference import ChatCompletionsClient
    from azure.core.credentials import AzureKeyCredential

    key = AzureKeyCredential(os.environ["AZURE_AI_API_KEY"])
    client = ChatCompletionsClient(endpoint=os.environ["MY_ENDPOINT"], credential=key)
    hello = [{"role": "user", "content": "hello"}]
    print(client.complete(model="m", messages=hello).choices[0].message.content)
    print([part.choices[0].delta.content for part in client.complete(model="m", messages=hello, stream=True)])
"""


def test_an_agent_runs_again_from_its_tape(runs):
    """Deployments in the path, the version in the query; whole, streamed, async, and responses."""
    ran = runs(code=CLASSIC, variables=[("AZURE_OPENAI_ENDPOINT", "/")])

    assert ran.recorded.stdout == "Hi.\n['Hi', '.', None]\nHi.\n['Hi', '.', None]\n", ran.story
    assert ran.same, ran.story
    responses = f"/openai/responses?{VERSION}"
    assert ran.said == [("azure", path, 200) for path in (CHAT, CHAT, responses, CHAT)]
    assert ran.streamed == [False, True, False, True]
    assert [asked.headers["api-key"] for asked in ran.asked] == ["SECRET"] * 4


def test_the_newer_surface_is_openai_at_another_place(runs):
    """`OPENAI_BASE_URL` has the URL of the resource."""
    ran = runs(code=NEWER, variables=[("OPENAI_BASE_URL", "/openai/v1/")])

    assert ran.same, ran.story
    assert ran.said == [
        ("openai", "/openai/v1/chat/completions", 200),
        ("openai", "/openai/v1/responses", 200),
    ]


def test_an_agent_can_have_azure_and_openai(runs):
    """Each of them goes to its own."""
    ran = runs(code=BOTH, variables=[("AZURE_OPENAI_ENDPOINT", ""), ("OPENAI_BASE_URL", "/v1")])

    assert ran.same, ran.story
    assert ran.said == [("azure", CHAT, 200), ("openai", "/v1/chat/completions", 200)]


def test_a_client_that_reads_no_variable_is_recorded_by_one_of_the_agent(runs):
    """Azure's own SDK has its endpoint from its caller, who has it from somewhere."""
    options = ("--upstream", "models={url}/models", "--env", "MY_ENDPOINT=models")

    ran = runs(code=INFERENCE, options=options)

    assert ran.recorded.stdout == "Hi.\n['Hi', '.', None]\n", ran.story
    assert ran.same, ran.story
    path = "/models/chat/completions?api-version=2024-05-01-preview"
    assert ran.said == [("models", path, 200)] * 2
    assert ran.streamed == [False, True]
