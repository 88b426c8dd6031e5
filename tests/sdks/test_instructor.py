"""Instructor, which patches the SDK of a provider: what it wants has to fit a schema."""

from stub_provider import chat

AGENT = """
    import instructor
    from pydantic import BaseModel

    class City(BaseModel):
        name: str

    client = instructor.from_provider("openai/m", mode=instructor.Mode.JSON)
    asked = [{"role": "user", "content": "Capital of Korea?"}]
    print(client.chat.completions.create(response_model=City, messages=asked).name)
"""


def test_an_agent_runs_again_from_its_tape(runs):
    """One exchange that fits."""
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}

    ran = runs(
        lambda _: chat('{"name": "Seoul"}', usage=usage), AGENT, variables=[("OPENAI_BASE_URL", "/v1")]
    )

    assert ran.recorded.stdout == "Seoul\n", ran.story
    assert ran.same, ran.story
    assert ran.said == [("openai", "/v1/chat/completions", 200)]
