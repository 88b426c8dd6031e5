"""Tests with tapes beside the plugins that others run their tests with, and a real async client."""

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from stub_provider import StubProvider, chat

LIMIT_S = 90
NOWHERE = "http://127.0.0.1:9"
HEAD = """
    import asyncio, os, pytest, unittest, openai
    from pathlib import Path

    async def ask(client, text):
        messages = [{"role": "user", "content": text}]
        answer = await client.chat.completions.create(model="m", messages=messages)
        assert answer.choices[0].message.content == text.upper()
"""
STRICT = """
    @pytest.mark.tape
    @pytest.mark.asyncio
    async def test_at_once():
        async with openai.AsyncOpenAI() as client:
            await asyncio.gather(*(ask(client, text) for text in "abcde"))
"""
SESSION = """
    @pytest.fixture(scope="session")
    async def client():
        async with openai.AsyncOpenAI() as client:
            yield client

    @pytest.mark.tape
    async def test_one(client):
        await ask(client, "one")

    @pytest.mark.tape
    async def test_two(client):
        await ask(client, "two")
"""
ANYIO = """
    @pytest.mark.tape
    @pytest.mark.anyio
    async def test_on_both_loops():
        async with openai.AsyncOpenAI() as client:
            await ask(client, "hello")
"""
UNITTEST = """
    @pytest.mark.tape
    class TestIt(unittest.IsolatedAsyncioTestCase):
        async def asyncSetUp(self):
            self.client = openai.AsyncOpenAI()
            await ask(self.client, "set up")

        async def asyncTearDown(self):
            await ask(self.client, "tear down")
            await self.client.close()

        async def test_it(self):
            await ask(self.client, "hello")
"""
IMPORTED = """
    CLIENT = openai.OpenAI()

    @pytest.mark.tape
    def test_it(amberfork_tape, monkeypatch):
        monkeypatch.setattr(CLIENT, "base_url", amberfork_tape.url("openai"))
        CLIENT.chat.completions.create(model="m", messages=[{"role": "user", "content": "hello"}])
"""
FLAKY = """
    @pytest.mark.tape
    def test_again():
        client = openai.OpenAI()
        for text in "ab":
            client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])
        failed = Path(os.environ["FAILED_ONCE"])
        if not failed.exists():
            failed.touch()
            raise AssertionError
"""
MANY = """
    @pytest.mark.tape
    class TestIt:
        @pytest.mark.parametrize("number", range(6))
        def test_it(self, number):
            messages = [{"role": "user", "content": str(number)}]
            openai.OpenAI().chat.completions.create(model="m", messages=messages)
"""
AUTO = ("-p", "pytest_asyncio.plugin", "-o", "asyncio_mode=auto")
OF_THE_SESSION = (
    *AUTO,
    "-o",
    "asyncio_default_fixture_loop_scope=session",
    "-o",
    "asyncio_default_test_loop_scope=session",
)


@pytest.fixture
def ran(tmp_path):
    """Runs pytest twice on a file of tests, first before a stub, then without: what it says at its end."""

    def ran(tests, *options):
        (tmp_path / "test_it.py").write_text(dedent(HEAD) + dedent(tests))
        with StubProvider(lambda asked: chat(asked.json["messages"][0]["content"].upper())) as stub:
            before = run_pytest(tmp_path, stub.url, *options)
        return before, run_pytest(tmp_path, NOWHERE, "--tape-mode=none", *options)

    return ran


def run_pytest(folder: Path, provider: str, *options: str) -> str:
    """The last line, without its time; all of it where a test failed."""
    failed = folder / f"failed-{provider == NOWHERE}"
    env = {
        **os.environ,
        "OPENAI_BASE_URL": f"{provider}/v1",
        "OPENAI_API_KEY": "none",
        "FAILED_ONCE": str(failed),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "amberfork_cli.pytest_plugin", *options, "test_it.py"],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    return done.stdout.splitlines()[-1].partition(" in ")[0] if not done.returncode else done.stdout


@pytest.mark.parametrize(
    ("tests", "options", "ending"),
    [
        pytest.param(STRICT, ("-p", "pytest_asyncio.plugin"), "1 passed", id="asyncio, strict"),
        pytest.param(STRICT, AUTO, "1 passed", id="asyncio, auto"),
        pytest.param(SESSION, OF_THE_SESSION, "2 passed", id="asyncio, a client of the session"),
        pytest.param(ANYIO, ("-p", "anyio"), "2 passed", id="anyio"),
        pytest.param(UNITTEST, (), "1 passed", id="unittest"),
        pytest.param(IMPORTED, (), "1 passed", id="a client made at import"),
        pytest.param(SESSION, (*OF_THE_SESSION, "-p", "randomly"), "2 passed", id="randomly"),
        pytest.param(
            FLAKY, ("-p", "rerunfailures", "--reruns", "1"), "1 passed, 1 rerun", id="rerunfailures"
        ),
        pytest.param(
            MANY, ("-p", "xdist", "-n", "2", "--dist", "loadscope"), "6 passed", id="xdist, loadscope"
        ),
    ],
)
def test_tests_have_their_tapes_under(tests, options, ending, ran):
    """Recorded in the first run, and answered from in the second."""
    assert ran(tests, *options) == (ending, ending)
