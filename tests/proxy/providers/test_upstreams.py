"""Where providers are, and how an agent is pointed to the edge."""

import pytest

from amberfork_cli.errors import OptionError
from amberfork_cli.proxy.providers.known import PROVIDERS
from amberfork_cli.proxy.providers.upstreams import agent_environment, agent_variables, upstreams

EDGE = "http://127.0.0.1:9"


def test_every_known_sdk_is_pointed_to_a_prefix_of_its_own():
    """With the path that its base URL has, and what its SDK has behind that."""
    found = upstreams({})
    ticket = found["bedrock"].ticket

    assert agent_variables(found, EDGE) == {
        "OPENAI_BASE_URL": f"{EDGE}/openai/v1",
        "OPENAI_API_BASE": f"{EDGE}/openai/v1",
        "ANTHROPIC_BASE_URL": f"{EDGE}/anthropic",
        "ANTHROPIC_API_URL": f"{EDGE}/anthropic",
        "ANTHROPIC_API_BASE": f"{EDGE}/anthropic",
        "GOOGLE_GEMINI_BASE_URL": f"{EDGE}/gemini",
        "GEMINI_API_BASE": f"{EDGE}/gemini",
        "ANTHROPIC_VERTEX_BASE_URL": f"{EDGE}/vertex/v1",
        "MISTRAL_BASE_URL": f"{EDGE}/mistral/v1",
        "MISTRAL_API_BASE": f"{EDGE}/mistral/v1",
        "MISTRAL_AZURE_API_BASE": f"{EDGE}/mistral/v1",
        "CO_API_URL": f"{EDGE}/cohere",
        "CO_BASE_URL": f"{EDGE}/cohere",
        "GROQ_BASE_URL": f"{EDGE}/groq",
        "GROQ_API_BASE": f"{EDGE}/groq",
        "OLLAMA_HOST": f"{EDGE}/ollama",
        "OLLAMA_API_BASE": f"{EDGE}/ollama",
        "OPENROUTER_BASE_URL": f"{EDGE}/openrouter/api/v1",
        "OPENROUTER_API_BASE": f"{EDGE}/openrouter/api/v1",
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": f"{EDGE}/bedrock-{ticket}",
        "ANTHROPIC_BEDROCK_BASE_URL": f"{EDGE}/bedrock-{ticket}",
        "AWS_BEDROCK_RUNTIME_ENDPOINT": f"{EDGE}/bedrock-{ticket}",
        "AWS_BEDROCK_BASE_URL": f"{EDGE}/bedrock-mantle-{ticket}/openai/v1",
        "ANTHROPIC_BEDROCK_MANTLE_BASE_URL": f"{EDGE}/bedrock-mantle-{ticket}/anthropic",
        "XAI_API_BASE": f"{EDGE}/xai/v1",
        "DEEPSEEK_API_BASE": f"{EDGE}/deepseek/v1",
        "TOGETHER_BASE_URL": f"{EDGE}/together",
        "TOGETHER_AI_API_BASE": f"{EDGE}/together/v1",
        "FIREWORKS_BASE_URL": f"{EDGE}/fireworks/inference",
        "FIREWORKS_API_BASE": f"{EDGE}/fireworks/inference/v1",
        "CEREBRAS_BASE_URL": f"{EDGE}/cerebras",
        "CEREBRAS_API_BASE": f"{EDGE}/cerebras/v1",
        "PERPLEXITY_BASE_URL": f"{EDGE}/perplexity",
        "PERPLEXITY_API_BASE": f"{EDGE}/perplexity",
        "MOONSHOTAI_BASE_URL": f"{EDGE}/moonshot/v1",
        "MOONSHOT_API_BASE": f"{EDGE}/moonshot/v1",
    }


@pytest.mark.parametrize(
    ("environment", "name", "base"),
    [
        ({}, "openai", "https://api.openai.com/v1"),
        ({"OPENAI_BASE_URL": "https://gw.corp/llm/v1/"}, "openai", "https://gw.corp/llm/v1"),
        ({"OPENAI_BASE_URL": ""}, "openai", "https://api.openai.com/v1"),
        ({"OPENAI_API_BASE": "http://old:1"}, "openai", "http://old:1"),
        ({"TOGETHER_AI_API_BASE": "https://gw.corp/t/v1"}, "together", "https://gw.corp/t"),
        ({"TOGETHER_AI_API_BASE": "https://gw.corp/t"}, "together", "https://gw.corp/t"),
        ({"OLLAMA_HOST": "box:11434"}, "ollama", "http://box:11434"),
        ({"OLLAMA_HOST": "box"}, "ollama", "http://box:11434"),
        ({"OLLAMA_HOST": ":7"}, "ollama", "http://127.0.0.1:7"),
        ({"OLLAMA_HOST": "[::1]/p"}, "ollama", "http://[::1]:11434/p"),
        ({"OLLAMA_HOST": "[::1]:8"}, "ollama", "http://[::1]:8"),
        ({"OLLAMA_HOST": "http://box"}, "ollama", "http://box"),
        ({"AWS_REGION": "eu-west-1"}, "bedrock", "https://bedrock-runtime.eu-west-1.amazonaws.com"),
        ({"AWS_ENDPOINT_URL": "http://stack:4566/"}, "bedrock", "http://stack:4566"),
        ({"AZURE_OPENAI_ENDPOINT": "https://me.openai.azure.com"}, "azure", "https://me.openai.azure.com"),
        ({"AZURE_API_BASE": "https://me.openai.azure.com"}, "azure", "https://me.openai.azure.com"),
    ],
)
def test_what_the_agent_had_set_is_respected(environment, name, base):
    """As the place that calls go on to."""
    assert upstreams(environment)[name].base == base


def test_a_variable_that_changes_more_than_the_place_is_set_only_where_it_was_set():
    """To itself: its neighbours stay as they are."""
    found = upstreams({"AZURE_API_BASE": "https://me.openai.azure.com"})

    made = agent_variables(found, EDGE)

    assert made["AZURE_API_BASE"] == f"{EDGE}/azure"
    assert {"AZURE_OPENAI_ENDPOINT", "GOOGLE_VERTEX_BASE_URL", "OLLAMA_BASE_URL"}.isdisjoint(made)


def test_two_variables_that_say_different_things_of_a_provider_lead_where_each_says():
    """The agent asks the one or the other, and neither may end up with the credentials of the other."""
    said = {"OPENAI_BASE_URL": "https://one/v1", "OPENAI_API_BASE": "https://two/v2"}

    found = upstreams(said)

    assert (found["openai"].base, found["openai-2"].base) == ("https://one/v1", "https://two/v2")
    made = agent_variables(found, EDGE)
    assert made["OPENAI_BASE_URL"] == f"{EDGE}/openai/v1"
    assert made["OPENAI_API_BASE"] == f"{EDGE}/openai-2/v2"


def test_what_is_on_a_tape_leaves_no_variable_of_its_provider_unset():
    """A replay asks nobody, wherever the agent would have gone."""
    made = agent_variables(
        upstreams({}, recorded={"azure": "https://me.azure.com", "ollama": "http://o"}), EDGE
    )

    assert made["AZURE_OPENAI_ENDPOINT"] == made["AZURE_API_BASE"] == f"{EDGE}/azure"
    assert made["OLLAMA_BASE_URL"] == f"{EDGE}/ollama/v1"
    assert "ANTHROPIC_FOUNDRY_BASE_URL" not in made


def test_a_gateway_keeps_its_path_and_never_shows_its_credentials():
    """The path on the tape is the one at the gateway's host."""
    upstream = upstreams({"OPENAI_BASE_URL": "https://me:pw@gw.corp:8443/llm/v1/"})["openai"]

    assert (upstream.host, upstream.path) == ("https://me:pw@gw.corp:8443", "/llm/v1")
    assert upstream.shown == "https://gw.corp:8443/llm/v1"
    assert agent_variables({"openai": upstream}, EDGE)["OPENAI_BASE_URL"] == f"{EDGE}/openai/llm/v1"


def test_other_providers_and_variables_can_be_named():
    """What is said on the command line counts before the environment, and that before a tape."""
    found = upstreams(
        {"OPENAI_BASE_URL": "http://environment/v1"},
        named=["mine=https://llm.mine.example/api", "openai=http://said/v2"],
        variables=["MY_URL=mine", "MY_OPENAI=openai", "MY_OLLAMA=ollama/v1"],
        recorded={
            "openai": "http://tape/v3",
            "groq": "http://tape/q",
            "azure": "http://tape/z",
            "anthropic": "http://tape/",
        },
    )

    made = agent_variables(found, EDGE)
    assert (made["MY_URL"], made["MY_OLLAMA"]) == (f"{EDGE}/mine/api", f"{EDGE}/ollama/v1")
    assert made["MY_OPENAI"] == made["OPENAI_BASE_URL"] == f"{EDGE}/openai/v2"
    assert (made["GROQ_BASE_URL"], made["AZURE_OPENAI_ENDPOINT"]) == (f"{EDGE}/groq/q", f"{EDGE}/azure/z")
    assert found["openai"].host == "http://said"
    assert found["anthropic"].host == "https://api.anthropic.com"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"named": ["x"]}, "--upstream wants NAME=URL, not 'x'"),
        ({"named": ["x="]}, "--upstream wants NAME=URL, not 'x='"),
        ({"named": ["a/b=http://c"]}, "--upstream wants NAME=URL, not 'a/b=http://c'"),
        ({"named": ["x=ftp://y"]}, "--upstream x: this is no URL that a provider can be reached at"),
        ({"named": ["x=http://y:port"]}, "--upstream x: this is no URL that a provider can be reached at"),
        ({"variables": ["X"]}, "--env wants VAR=NAME, not 'X'"),
        ({"variables": ["X=mine"]}, '--env X=mine: there is no provider "mine": name it with --upstream'),
    ],
)
def test_what_cannot_be_meant_is_refused(options, problem):
    """In one sentence."""
    with pytest.raises(OptionError) as refused:
        upstreams({}, **options)

    assert str(refused.value) == problem


def test_a_variable_that_is_no_url_is_named():
    """The agent could not use it either."""
    with pytest.raises(OptionError) as refused:
        upstreams({"OPENAI_BASE_URL": "gw corp"})

    assert str(refused.value) == "OPENAI_BASE_URL: this is no URL that a provider can be reached at"


def test_an_agent_behind_a_proxy_reaches_the_edge_without_it():
    """Whatever else went past the proxy still does."""
    behind = {"HTTPS_PROXY": "http://proxy:1", "NO_PROXY": "corp"}

    made = agent_environment(behind, {}, EDGE)

    assert made == {**behind, "NO_PROXY": "corp,127.0.0.1", "no_proxy": "127.0.0.1"}
    assert agent_environment({"A": "b"}, {}, EDGE) == {"A": "b"}


def test_an_agent_signs_with_placeholders_where_bedrock_is_answered_from_a_tape(tmp_path):
    """Elsewhere its SDK looks for keys where it always does, and other services of AWS are none of ours."""
    environment, found = {"HOME": str(tmp_path)}, upstreams({})

    kept = {
        name: "AWS_ACCESS_KEY_ID" in agent_environment(environment, found, EDGE, answered=[name])
        for name in found
    }

    assert [name for name, has in kept.items() if has] == ["bedrock", "bedrock-mantle"]


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_every_provider_has_a_form_for_errors_that_holds_the_sentence(provider):
    """Somewhere in a JSON object."""
    error = provider.error(404, "not_found_error", "a sentence")

    assert isinstance(error, dict)
    assert "a sentence" in str(error)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("openai", {"error": {"message": "no", "type": "not_found_error", "param": None, "code": 404}}),
        ("anthropic", {"type": "error", "error": {"type": "not_found_error", "message": "no"}}),
        ("gemini", {"error": {"code": 404, "message": "no", "status": "NOT_FOUND"}}),
        (
            "mistral",
            {"object": "error", "message": "no", "type": "not_found_error", "param": None, "code": "404"},
        ),
        ("cohere", {"message": "no", "type": "not_found_error"}),
        ("ollama", {"error": "no"}),
        ("bedrock", {"__type": "ResourceNotFoundException", "message": "no"}),
        ("azure", {"error": {"message": "no", "type": "not_found_error", "param": None, "code": 404}}),
    ],
)
def test_an_error_has_the_form_that_the_sdks_of_its_provider_read(name, body):
    """They turn it into an exception of their own, with the sentence in it."""
    (provider,) = (each for each in PROVIDERS if each.name == name)

    assert provider.error(404, "not_found_error", "no") == body
