"""The SDKs for JavaScript: of OpenAI, Azure, Anthropic, Google and AWS, and Vercel's AI SDK."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from textwrap import dedent

import pytest

OPENAI = """
    import OpenAI from "openai";

    const client = new OpenAI();
    const messages = [{ role: "user", content: "hello" }];
    console.log((await client.chat.completions.create({ model: "m", messages })).choices[0].message.content);
    const pieces = [];
    for await (const part of await client.chat.completions.create({ model: "m", messages, stream: true }))
        pieces.push(part.choices[0].delta.content ?? "");
    console.log(JSON.stringify(pieces));
    console.log((await client.responses.create({ model: "m", input: "hello" })).output_text);
"""
AZURE = """
    import { AzureOpenAI } from "openai";

    const client = new AzureOpenAI({ apiVersion: "2024-10-21", deployment: "dep" });
    const messages = [{ role: "user", content: "hello" }];
    const answer = await client.chat.completions.create({ model: "dep", messages });
    console.log(answer.choices[0].message.content);
    console.log((await client.responses.create({ model: "dep", input: "hello" })).output_text);
"""
ANTHROPIC = """
    import Anthropic from "@anthropic-ai/sdk";

    const client = new Anthropic();
    const said = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "hello" }] };
    console.log((await client.messages.create(said)).content[0].text);
    const pieces = [];
    for await (const event of await client.messages.create({ ...said, stream: true }))
        if (event.type === "content_block_delta") pieces.push(event.delta.text);
    console.log(JSON.stringify(pieces));
"""
GEMINI = """
    import { GoogleGenAI } from "@google/genai";

    const client = new GoogleGenAI({ apiKey: process.env.GEMINI_API_KEY });
    const said = { model: "m", contents: "hello" };
    console.log((await client.models.generateContent(said)).text);
    const pieces = [];
    for await (const part of await client.models.generateContentStream(said)) pieces.push(part.text);
    console.log(JSON.stringify(pieces));
"""
VERCEL = """
    import { generateText, streamText } from "ai";
    import { anthropic } from "@ai-sdk/anthropic";
    import { openai } from "@ai-sdk/openai";

    globalThis.AI_SDK_LOG_WARNINGS = false;
    for (const model of [openai("m"), openai.chat("m"), anthropic("m")]) {
        console.log((await generateText({ model, prompt: "hello" })).text);
        const pieces = [];
        for await (const text of streamText({ model, prompt: "hello" }).textStream) pieces.push(text);
        console.log(JSON.stringify(pieces));
    }
"""
BEDROCK = """
    import { BedrockRuntimeClient as Client } from "@aws-sdk/client-bedrock-runtime";
    import { ConverseCommand, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
    import { NodeHttpHandler } from "@smithy/node-http-handler";
    import { bedrock } from "@ai-sdk/amazon-bedrock";
    import { generateText } from "ai";

    const client = new Client({ region: "us-east-1", requestHandler: new NodeHttpHandler() });
    const said = { modelId: "m", messages: [{ role: "user", content: [{ text: "hello" }] }] };
    console.log((await client.send(new ConverseCommand(said))).output.message.content[0].text);
    const pieces = [];
    for await (const event of (await client.send(new ConverseStreamCommand(said))).stream)
        if (event.contentBlockDelta) pieces.push(event.contentBlockDelta.delta.text);
    console.log(JSON.stringify(pieces));
    console.log((await generateText({ model: bedrock("m"), prompt: "hello" })).text);
"""
HTTP_2 = """
    import { BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime";

    const client = new BedrockRuntimeClient({ region: "us-east-1" });
    const said = { modelId: "m", messages: [{ role: "user", content: [{ text: "hello" }] }] };
    await client.send(new ConverseCommand(said)).catch((error) => console.log(error.name));
"""
SEVERAL = """
    import Anthropic from "@anthropic-ai/sdk";
    import OpenAI from "openai";

    const messages = [{ role: "user", content: "hello" }];
    const asked = [
        new OpenAI().chat.completions.create({ model: "m", messages }),
        new Anthropic().messages.create({ model: "m", max_tokens: 9, messages }),
    ];
    const [one, other] = await Promise.all(asked);
    console.log(one.choices[0].message.content, other.content[0].text);
"""
STREAMED = 'Hi.\n["Hi","."]\n'
VERSION = "api-version=2024-10-21"
KEYS = {"AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY": "SECRET", "AWS_REGION": "us-east-1"}


@pytest.fixture
def agent():
    """Writes an agent to where its packages are; gives the command that runs it."""
    place = Path(os.environ["AMBERFORK_SDKS"]) / "agents"
    place.mkdir()

    def agent(code):
        (place / "agent.mjs").write_text(dedent(code))
        return "node", place / "agent.mjs"

    yield agent
    shutil.rmtree(place)


def test_the_sdk_of_openai_runs_again_from_its_tape(runs, agent):
    """Chat whole and streamed, and responses."""
    ran = runs(command=agent(OPENAI), variables=[("OPENAI_BASE_URL", "/v1")])

    assert ran.recorded.stdout == 'Hi.\n["Hi",".",""]\nHi.\n', ran.story
    assert ran.same, ran.story
    chat, responses = "/v1/chat/completions", "/v1/responses"
    assert ran.said == [("openai", path, 200) for path in (chat, chat, responses)]
    assert ran.streamed == [False, True, False]


def test_the_client_for_azure_runs_again_from_its_tape(runs, agent):
    """It takes the variable of OpenAI for its own, and reaches Azure all the same."""
    ran = runs(command=agent(AZURE), variables=[("AZURE_OPENAI_ENDPOINT", "")])

    assert ran.recorded.stdout == "Hi.\nHi.\n", ran.story
    assert ran.same, ran.story
    assert ran.said == [
        ("azure", f"/openai/deployments/dep/chat/completions?{VERSION}", 200),
        ("azure", f"/openai/responses?{VERSION}", 200),
    ]


def test_a_client_for_azure_with_an_endpoint_does_without_the_variable_of_openai(runs, agent):
    """It refuses to have both, so the latter is taken away."""
    option = "new AzureOpenAI({ endpoint: process.env.AZURE_OPENAI_ENDPOINT,"
    command = agent(AZURE.replace("new AzureOpenAI({", option))

    ran = runs(command=("env", "-u", "OPENAI_BASE_URL", *command), variables=[("AZURE_OPENAI_ENDPOINT", "/")])

    assert ran.same, ran.story
    assert [name for name, _, _ in ran.said] == ["azure"] * 2


def test_a_client_for_azure_without_an_endpoint_asks_nobody(runs, agent):
    """Its key would have gone to OpenAI."""
    ran = runs(command=agent(AZURE), options=("--upstream", "openai={url}/v1"))

    assert "set AZURE_OPENAI_ENDPOINT where amberfork is started" in ran.recorded.stderr, ran.story
    assert ran.asked == []


def test_the_sdk_of_anthropic_runs_again_from_its_tape(runs, agent):
    """Whole and streamed."""
    ran = runs(command=agent(ANTHROPIC), variables=[("ANTHROPIC_BASE_URL", "")])

    assert ran.recorded.stdout == STREAMED, ran.story
    assert ran.same, ran.story
    assert ran.said == [("anthropic", "/v1/messages", 200)] * 2
    assert ran.streamed == [False, True]


def test_the_sdk_of_google_runs_again_from_its_tape(runs, agent):
    """Whole and streamed."""
    ran = runs(command=agent(GEMINI), variables=[("GOOGLE_GEMINI_BASE_URL", "")])

    assert ran.recorded.stdout == STREAMED, ran.story
    assert ran.same, ran.story
    assert [name for name, _, _ in ran.said] == ["gemini"] * 2
    assert ran.streamed == [False, True]


def test_the_ai_sdk_runs_again_from_its_tape(runs, agent):
    """What it asks is what it asks where nobody records it, with the version that it leaves out."""
    options = ("--upstream", "openai={url}/v1", "--upstream", "anthropic={url}")

    ran = runs(command=agent(VERCEL), options=options)

    assert ran.recorded.stdout == STREAMED * 3, ran.story
    assert ran.same, ran.story
    asked = [("openai", "/v1/responses"), ("openai", "/v1/chat/completions"), ("anthropic", "/v1/messages")]
    assert ran.said == [(*each, 200) for each in asked for _ in range(2)]
    assert ran.streamed == [False, True] * 3


@pytest.mark.parametrize("keys", [KEYS, {"AWS_BEARER_TOKEN_BEDROCK": "SECRET", "AWS_REGION": "us-east-1"}])
def test_clients_of_bedrock_run_again_from_their_tape(runs, agent, keys):
    """That of AWS with a handler for HTTP/1.1, and the AI SDK's."""
    variables = [("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "")]

    ran = runs(command=agent(BEDROCK), variables=variables, environment=keys)

    assert ran.recorded.stdout == f"{STREAMED}Hi.\n", ran.story
    assert ran.same, ran.story
    paths = ("converse", "converse-stream", "converse")
    assert ran.said == [("bedrock", f"/model/m/{path}", 200) for path in paths]
    assert ran.streamed == [False, True, False]


def test_a_client_that_speaks_http_2_is_told(runs, agent):
    """That of AWS does, where nobody tells it otherwise."""
    variables = [("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "")]

    ran = runs(command=agent(HTTP_2), variables=variables, environment=KEYS)

    assert "a client speaks HTTP/2, which is not recorded" in ran.recorded.stderr, ran.story


def test_an_agent_can_have_several_providers(runs, agent):
    """At once, on one tape."""
    options = ("--upstream", "openai={url}/v1", "--upstream", "anthropic={url}")

    ran = runs(command=agent(SEVERAL), options=options)

    assert ran.recorded.stdout == "Hi. Hi.\n", ran.story
    assert ran.same, ran.story
    assert sorted(name for name, _, _ in ran.said) == ["anthropic", "openai"]
