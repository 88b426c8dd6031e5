"""The OpenAI Agents SDK, which has its base URL from that of OpenAI."""

AGENT = """
    import asyncio
    from agents import Agent, Runner, set_default_openai_api, set_tracing_disabled

    set_tracing_disabled(True)

    async def main():
        agent = Agent(name="a", instructions="Be brief.", model="m")
        print((await Runner.run(agent, "hello")).final_output)
        run = Runner.run_streamed(agent, "hello")
        async for event in run.stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                print(event.data.delta, end="|")
        print(run.final_output)
        set_default_openai_api("chat_completions")
        print((await Runner.run(agent, "hello")).final_output)

    asyncio.run(main())
"""


def test_an_agent_runs_again_from_its_tape(runs):
    """Responses whole and streamed, and chat."""
    ran = runs(code=AGENT, options=("--upstream", "openai={url}/v1"))

    assert ran.recorded.stdout == "Hi.\nHi|.|Hi.\nHi.\n", ran.story
    assert ran.same, ran.story
    paths = ("/v1/responses", "/v1/responses", "/v1/chat/completions")
    assert ran.said == [("openai", path, 200) for path in paths]
    assert ran.streamed == [False, True, False]
