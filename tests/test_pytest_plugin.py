"""The pytest plugin, in small projects of one or two files on which pytest is run."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import pytest
from served_agents import ASK
from stub_provider import StubProvider, chat

from amberfork_cli.tapes import open_tape

# Loaded here, since what a run of pytest in this process imports is forgotten after it, and loaded again.
for module in ("aiohttp.web", "deepdiff", "amberfork_cli.proxy.taped_run", "amberfork_cli.render.text"):
    import_module(module)

pytest_plugins = ["pytester"]

PLUGIN = ["-p", "amberfork_cli.pytest_plugin", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
NOWHERE = "http://127.0.0.1:9/v1"
GREETS = """
    import pytest
    from agent import ask

    @pytest.mark.tape
    def test_greets():
        assert "Hi" in ask("hello").decode()
"""


@pytest.fixture
def stub():
    """A provider that says "Hi." in as many words as it was asked."""
    with StubProvider(lambda asked: chat("Hi. " * len(asked.json["messages"]))) as stub:
        yield stub


@pytest.fixture
def project(pytester, stub, monkeypatch):
    """Writes `test_it.py` and runs pytest on the project, in which `agent.ask(text)` asks the provider."""
    pytester.makepyfile(agent=dedent(ASK))
    pytester.makeini("[pytest]\naddopts = --strict-markers\n")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def project(tests, *options, provider=True, ci=False, apart=False):
        pytester.makepyfile(test_it=dedent(tests))
        monkeypatch.setenv("OPENAI_BASE_URL", f"{stub.url}/v1" if provider else NOWHERE)
        monkeypatch.setenv("CI", "true" if ci else "")
        run = pytester.runpytest_subprocess if apart else pytester.runpytest_inprocess
        return run(*PLUGIN, "-p", "no:cacheprovider", "-q", *options)

    return project


@pytest.fixture
def tape(pytester):
    """What was asked on a tape of that name, one below tapes/test_it."""

    def tape(name):
        with open_tape(pytester.path / "tapes" / "test_it" / name) as exchanges:
            return [exchange.request.body.value["messages"][0]["content"] for exchange in exchanges]

    return tape


def outcome(ran) -> str:
    """The last line of pytest, without its time."""
    return re.sub(r" in [\d.]+s.*", "", str(ran.stdout).strip().splitlines()[-1])


def test_the_first_run_records_and_later_ones_need_no_provider(project, tape, stub):
    """The tape is named after the test, beside it."""
    first, later = project(GREETS), project(GREETS, provider=False)

    assert (outcome(first), outcome(later)) == ("1 passed", "1 passed")
    assert tape("test_greets.jsonl") == ["hello"]
    assert len(stub.asked) == 1


def test_under_ci_nothing_is_recorded(project, stub):
    """A test without a tape fails, and says what to do."""
    ran = project(GREETS, ci=True)

    assert outcome(ran) == "1 error"
    missing = Path("tapes", "test_it", "test_greets.jsonl")
    assert f"amberfork: there is no tape {missing}: record it with --tape-mode=once" in str(ran.stdout)
    assert (stub.asked, missing.exists()) == ([], False)


def test_a_request_that_is_not_on_the_tape_fails_the_test_with_the_report(project):
    """Whatever the test makes of the error."""
    project(GREETS)
    swallowed = GREETS.replace(
        'assert "Hi" in ask("hello").decode()',
        "\n        try:\n            ask('bye')\n        except OSError:\n            pass",
    )

    raised = project(GREETS.replace("hello", "bye"), ci=True)
    quiet = project(swallowed, ci=True)

    assert (outcome(raised), outcome(quiet)) == ("1 failed", "1 failed")
    for ran in (raised, quiet):
        assert 'differs at messages[0].content: "hello" on the tape, "bye" now' in str(ran.stdout)
        assert "Forked at #0" in str(ran.stdout)
    assert "(--tape-mode=all records it anew)" in str(quiet.stdout)


def test_a_recorded_exchange_that_is_not_used_fails_the_test(project):
    """All of them, or one."""
    both = GREETS + "        ask('again')\n"
    project(both)

    one, none = project(GREETS), project(GREETS.replace("assert", "pass  #"))

    assert (outcome(one), outcome(none)) == ("1 failed", "1 failed")
    assert "1 missing" in str(one.stdout)
    assert "nothing that is on the tape" in str(none.stdout)


def test_a_recording_that_fails_is_not_kept(project, pytester):
    """Half a tape would fail the test for ever."""
    ran = project(GREETS + "        assert False\n")

    assert outcome(ran) == "1 failed"
    assert "amberfork: nothing is kept of a recording that failed" in str(ran.stdout)
    assert list((pytester.path / "tapes" / "test_it").iterdir()) == []


def test_new_asks_for_what_is_not_on_the_tape_and_adds_it(project, tape):
    """What is on it is not asked again."""
    project(GREETS)
    more = GREETS + "        ask('again')\n"

    added, later = project(more, "--tape-mode=new"), project(more, "--tape-mode=none", provider=False)

    assert (outcome(added), outcome(later)) == ("1 passed", "1 passed")
    assert tape("test_greets.jsonl") == ["hello", "again"]


def test_all_records_anew(project, tape, stub):
    """In place of what was there."""
    project(GREETS)

    ran = project(GREETS.replace("hello", "bye"), "--tape-mode=all")

    assert (outcome(ran), tape("test_greets.jsonl"), len(stub.asked)) == ("1 passed", ["bye"], 2)


def test_a_tape_can_be_named_and_members_ignored(project, pytester):
    """By the marker; the fixture tells where the tape is, and where a provider."""
    tests = """
        import os, pytest
        from agent import ask

        @pytest.mark.tape("my.jsonl", ignore=["user"], upstream=["mine=http://127.0.0.1:9/x"])
        def test_it(amberfork_tape):
            ask("hello", user=os.urandom(4).hex())
            assert amberfork_tape.path.name == "my.jsonl"
            assert amberfork_tape.url("openai") == os.environ["OPENAI_BASE_URL"]
            assert amberfork_tape.url("mine").endswith("/mine/x")
    """

    assert [outcome(project(tests)) for _ in range(2)] == ["1 passed"] * 2
    assert (pytester.path / "my.jsonl").exists()


def test_the_settings_of_the_project_hold(project, pytester):
    """What `diff` leaves out is left out here."""
    (pytester.path / "amberfork.toml").write_text('ignore = ["user"]\n')
    tests = GREETS.replace('ask("hello")', 'ask("hello", user=__import__("os").urandom(4).hex())')

    assert [outcome(project(tests)) for _ in range(2)] == ["1 passed"] * 2


def test_clients_of_other_fixtures_find_the_variables_set(project):
    """The tape is there before them; what the environment was comes back."""
    tests = """
        import os, pytest
        from agent import ask

        BEFORE = dict(os.environ)

        @pytest.fixture
        def url():
            return os.environ["OPENAI_BASE_URL"]

        @pytest.mark.tape
        class TestIt:
            @pytest.mark.parametrize("text", ["a b", "c/d"])
            def test_it(self, url, text):
                assert url != BEFORE["OPENAI_BASE_URL"]
                ask(text)

        def test_afterwards():
            for name in ("PYTEST_CURRENT_TEST",):
                BEFORE.pop(name, None), os.environ.pop(name, None)
            assert dict(os.environ) == BEFORE
    """

    assert [outcome(project(tests)) for _ in range(2)] == ["3 passed"] * 2


def test_a_marked_class_of_unittest_has_tapes_too(project, pytester):
    """Each of its tests one."""
    tests = """
        import unittest, pytest
        from agent import ask

        @pytest.mark.tape
        class TestIt(unittest.TestCase):
            def test_one(self):
                ask("one")

            def test_two(self):
                ask("two")
    """

    assert [outcome(project(tests)) for _ in range(2)] == ["2 passed"] * 2
    names = sorted(path.name for path in (pytester.path / "tapes" / "test_it").iterdir())
    assert names == ["TestIt.test_one.jsonl", "TestIt.test_two.jsonl"]


def test_each_test_has_a_tape_of_its_own(project, tape, pytester):
    """Whatever is in its name."""
    tests = """
        import pytest
        from agent import ask

        @pytest.mark.tape
        @pytest.mark.parametrize("text", ["a b", "c/d"])
        def test_it(text):
            ask(text)
    """
    project(tests)

    names = sorted(path.name for path in (pytester.path / "tapes" / "test_it").iterdir())
    assert names == ["test_it[a_b].jsonl", "test_it[c_d].jsonl"]
    assert [tape(name) for name in names] == [["a b"], ["c/d"]]


def test_async_tests_and_threads_are_no_matter(project):
    """The edge has a thread of its own, so a loop that waits for it does not wait for itself."""
    tests = """
        import asyncio, pytest
        from agent import ask

        @pytest.mark.tape
        def test_it():
            async def talk():
                return await asyncio.gather(*(asyncio.to_thread(ask, text) for text in "abcdef"))
            assert len(asyncio.run(talk())) == 6
    """

    assert [outcome(project(tests)) for _ in range(2)] == ["1 passed"] * 2


def test_tests_run_side_by_side(project, pytester):
    """Under pytest-xdist, recorded and replayed."""
    pytest.importorskip("xdist")
    tests = """
        import pytest
        from agent import ask

        @pytest.mark.tape
        @pytest.mark.parametrize("number", range(8))
        def test_it(number):
            ask(str(number))
    """

    side_by_side = ("-p", "xdist", "-n", "2")

    ran = [outcome(project(tests, *side_by_side, apart=True)) for _ in range(2)]

    assert ran == ["8 passed"] * 2
    assert len(list((pytester.path / "tapes" / "test_it").iterdir())) == 8


def test_a_provider_that_is_gone_while_recording_fails_the_test(project):
    """The agent is told, and so is the reader."""
    ran = project(GREETS, provider=False)

    assert outcome(ran) == "1 failed"
    assert "502" in str(ran.stdout)


def test_a_wrong_marker_is_an_error(project):
    """Python says what is wrong with it."""
    ran = project(GREETS.replace("mark.tape", "mark.tape(pth='x')"))

    assert outcome(ran) == "1 error"
    assert "unexpected keyword argument 'pth'" in str(ran.stdout)


def test_a_skip_inside_a_test_is_a_skip(project):
    """And leaves no tape."""
    assert outcome(project(GREETS + "        pytest.skip('later')\n")) == "1 skipped"


def test_a_run_without_tapes_imports_nothing_for_them(project):
    """The plugin costs those nothing who do not use it."""
    tests = """
        import sys

        def test_it():
            heavy = {"aiohttp", "orjson", "jiter", "deepdiff", "rich", "typer", "yarl", "pydantic"}
            assert heavy & set(sys.modules) == set()
            ours = {name for name in sys.modules if name.startswith("amberfork_cli")}
            assert ours == {"amberfork_cli", "amberfork_cli.pytest_plugin"}
    """

    assert outcome(project(tests, apart=True)) == "1 passed"
