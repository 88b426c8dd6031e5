"""The pytest plugin, in small projects of one or two files on which pytest is run."""

from __future__ import annotations

import gc
import re
import warnings
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import pytest
from served_agents import ASK
from stub_provider import StubProvider, chat

from amberfork_cli.tapes import open_tape

# Loaded here, since what a run of pytest in this process imports is forgotten after it, and loaded again.
for module in ("aiohttp.web", "deepdiff", "amberfork_cli.proxy.runs.taped_run", "amberfork_cli.render.text"):
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

    def project(tests, *options, provider=True, ci=False, apart=False, **more):
        pytester.makepyfile(test_it=dedent(tests), **{name: dedent(text) for name, text in more.items()})
        monkeypatch.setenv("OPENAI_BASE_URL", f"{stub.url}/v1" if provider else NOWHERE)
        monkeypatch.setenv("CI", "true" if ci else "")
        run = pytester.runpytest_subprocess if apart else pytester.runpytest_inprocess
        ran = run(*PLUGIN, "-p", "no:cacheprovider", "-q", *options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()  # an error that the agent leaves open is its own, and no fault of the next test
        return ran

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
    """A test without a tape fails as soon as it asks, and says what to do."""
    ran = project(GREETS, ci=True)

    assert outcome(ran) == "1 failed"
    missing = Path("tapes", "test_it", "test_greets.jsonl")
    assert f"amberfork: there is no tape {missing}: record it with --tape-mode=once" in str(ran.stdout)
    assert (stub.asked, missing.exists()) == ([], False)


def test_the_mode_is_that_of_option_marker_setting_and_environment_in_this_order(project, pytester):
    """Each counts before the next."""
    tests = """
        import pytest

        @pytest.mark.tape{}
        def test_it(amberfork_tape):
            print("mode", amberfork_tape.mode)
    """
    marked, bare = tests.format("(mode='all')"), tests.format("")

    ran = [project(bare), project(bare, ci=True)]
    pytester.makeini("[pytest]\ntape_mode = new\n")
    ran += [project(bare, ci=True), project(marked, ci=True), project(marked, "--tape-mode=once", ci=True)]

    modes = [re.findall(r"^mode (\w+)", str(each.stdout), re.MULTILINE) for each in ran]
    assert modes == [["once"], ["none"], ["new"], ["all"], ["once"]]


@pytest.mark.parametrize(
    ("marker", "problem"),
    [
        ("(zzz='x')", "@pytest.mark.tape: got an unexpected keyword argument 'zzz'"),
        ("('a', 'once')", "@pytest.mark.tape: takes from 0 to 1 positional arguments but 2 were given"),
        ("(mode='never')", 'there is no tape mode "never": choose of none, once, new, all'),
        ("(upstream='mine')", "--upstream wants NAME=URL, not 'mine'"),
        ("(ignore='a[')", "path 'a[', character 2: brackets hold an index, * or a name in double quotes"),
        ("('.')", "this is a folder, not a tape"),
    ],
)
def test_a_wrong_marker_is_one_line(marker, problem, project):
    """No traceback of ours, and none of what led to it."""
    ran = project(GREETS.replace("mark.tape", f"mark.tape{marker}"))

    assert outcome(ran) == "1 error"
    lines = str(ran.stdout).partition("test_greets ___")[2].splitlines()
    assert lines[1].startswith("amberfork: ")
    assert lines[1].endswith(problem)
    assert lines[2].startswith("=")


def test_one_member_to_ignore_needs_no_list(project):
    """A text is one pattern, and not one for each of its letters."""
    tests = GREETS.replace("mark.tape", "mark.tape(ignore='user', upstream='mine=http://127.0.0.1:9')")
    tests = tests.replace('ask("hello")', 'ask("hello", user=__import__("os").urandom(4).hex())')

    assert [outcome(project(tests)) for _ in range(2)] == ["1 passed"] * 2
    assert outcome(project(tests.replace("hello", "bye"))) == "1 failed"


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


def test_new_does_not_add_what_its_provider_did_not_answer(project, tape):
    """Although the test bears with it."""
    project(GREETS)
    more = f"""{GREETS}
        import urllib.error
        with pytest.raises(urllib.error.HTTPError):
            ask("again")
    """

    ran = project(more, "--tape-mode=new", provider=False)

    assert (outcome(ran), tape("test_greets.jsonl")) == ("1 passed, 1 error", ["hello"])
    assert "test_greets.jsonl: its provider owes an answer" in str(ran.stdout)


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


def test_settings_that_cannot_be_meant_are_told(project, pytester):
    """With the name of their file, as every command does."""
    (pytester.path / "amberfork.toml").write_text('preset = ["no-such"]\n')

    ran = project(GREETS)

    assert outcome(ran) == "1 error"
    assert '\namberfork: amberfork.toml: "preset" cannot be "no-such": choose of' in str(ran.stdout)


def test_clients_of_other_fixtures_find_the_variables_set(project, monkeypatch):
    """The tape is there before them; what the environment was comes back, also what has no place in a run."""
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "SECRET")
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
                assert "AWS_BEARER_TOKEN_BEDROCK" not in os.environ
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
    """Whatever is in its name: what a file system may not take is left out, and a digest tells it apart."""
    texts = ["a b", "a_b", "a/b", "a::b", "a.b", "x" * 300, "x" * 299 + "y", "*?"]
    tests = f"""
        import pytest
        from agent import ask

        @pytest.mark.tape
        @pytest.mark.parametrize("text", {texts}, ids={texts})
        def test_it(text):
            ask(text)
    """

    ran = [outcome(project(tests)) for _ in range(2)]

    assert ran == ["8 passed"] * 2
    names = [path.name for path in (pytester.path / "tapes" / "test_it").iterdir()]
    assert sorted(text for name in names for text in tape(name)) == sorted(texts)
    assert {"test_it[a_b].jsonl", "test_it[a.b].jsonl", "test_it[a_b]-94b53505.jsonl"} < set(names)
    assert all(re.fullmatch(r"[\w.\[\]-]{1,170}", name) for name in names)


def test_tests_of_one_name_in_two_folders_have_two_tapes(project, pytester):
    """Each beside its file."""
    for folder in ("one", "two"):
        (pytester.path / folder).mkdir()
        (pytester.path / folder / "test_same.py").write_text(dedent(GREETS.replace("hello", folder)))
    options = ("--import-mode=importlib", "-o", "pythonpath=.")

    ran = [outcome(project(GREETS, *options)) for _ in range(2)]

    assert ran == ["3 passed"] * 2
    assert (pytester.path / "two" / "tapes" / "test_same" / "test_greets.jsonl").exists()


def test_tapes_in_one_folder_are_told_apart_by_that_of_their_tests(project, pytester):
    """A folder that is not beside each file has the same folders in it."""
    everything = pytester.path / "everything"
    pytester.makeini(f"[pytest]\ntape_dir = {everything}\n")
    (pytester.path / "one").mkdir()
    (pytester.path / "one" / "test_it.py").write_text(dedent(GREETS.replace("hello", "one")))
    options = ("--import-mode=importlib", "-o", "pythonpath=.")

    assert [outcome(project(GREETS, *options)) for _ in range(2)] == ["2 passed"] * 2
    assert sorted(str(path.relative_to(everything)) for path in everything.rglob("*.jsonl")) == [
        "one/test_it/test_greets.jsonl",
        "test_it/test_greets.jsonl",
    ]


def test_a_tape_that_cannot_be_written_is_one_line(project, pytester):
    """And no traceback."""
    (pytester.path / "tapes").write_text("a file, where the folder is to be")

    ran = project(GREETS)

    assert outcome(ran) == "1 error"
    assert "\namberfork: cannot write " in str(ran.stdout)
    assert "Traceback" not in str(ran.stdout)


def test_a_mark_on_one_parameter_is_for_that_one(project, tape):
    """The others keep their environment, although they share the function."""
    tests = """
        import os, pytest
        from agent import ask

        BEFORE = os.environ["OPENAI_BASE_URL"]

        @pytest.mark.parametrize("text", [pytest.param("marked", marks=pytest.mark.tape), "plain"])
        def test_it(text):
            ask(text)
            assert (os.environ["OPENAI_BASE_URL"] == BEFORE) == (text == "plain")
    """

    assert outcome(project(tests)) == "2 passed"
    assert tape("test_it[marked].jsonl") == ["marked"]


def test_a_conftest_can_mark_tests(project, tape):
    """While it goes through what was collected."""
    conftest = """
        def pytest_collection_modifyitems(items):
            for item in items:
                item.add_marker("tape")
    """

    ran = project(GREETS.replace("@pytest.mark.tape", ""), conftest=conftest)

    assert (outcome(ran), tape("test_greets.jsonl")) == ("1 passed", ["hello"])


def test_a_client_of_the_session_finds_each_test_at_the_same_url(project):
    """And an unmarked test, which it finds nobody for, is told so."""
    tests = """
        import os, pytest, urllib.error
        from agent import ask

        @pytest.fixture(scope="session")
        def url():
            return os.environ["OPENAI_BASE_URL"]

        @pytest.fixture
        def client(url, monkeypatch):
            return lambda text: (monkeypatch.setenv("MINE", url), ask(text, variable="MINE"))[1]

        @pytest.mark.tape
        def test_one(client):
            client("one")

        @pytest.mark.tape
        def test_two(client):
            client("two")

        def test_unmarked(client):
            with pytest.raises(urllib.error.HTTPError) as told:
                client("three")
            assert b"no test with a tape runs now" in told.value.read()
    """

    assert [outcome(project(tests)) for _ in range(2)] == ["3 passed"] * 2


def test_a_client_that_is_made_too_early_is_told(project):
    """The test would ask its provider in every run, and cost, and nobody would know."""
    tests = """
        import os, pytest
        from agent import ask

        os.environ["EARLY"] = os.environ["OPENAI_BASE_URL"]

        @pytest.mark.tape
        def test_it():
            ask("hello", variable="EARLY")
    """

    first = project(tests)
    project(GREETS.replace("test_greets", "test_it"))
    later = project(tests)

    assert (outcome(first), outcome(later)) == ("1 failed", "1 failed")
    why = "a client that is made before the test begins has another base URL, and can be given"
    assert f"amberfork: the test asked nothing by way of amberfork: {why}" in str(first.stdout)
    assert f"records it anew): {why} amberfork_tape.url(NAME)" in str(later.stdout)


def test_a_variable_that_is_set_once_more_is_told(project):
    """Whoever did it, what is asked there is not seen."""
    tests = """
        import os, pytest

        @pytest.mark.tape
        def test_it(monkeypatch):
            monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
            monkeypatch.delenv("ANTHROPIC_BASE_URL")
    """

    ran = project(tests)

    assert outcome(ran) == "1 failed"
    assert "something else was put into OPENAI_BASE_URL, ANTHROPIC_BASE_URL after the tape" in str(ran.stdout)


def test_a_test_that_asks_nothing_needs_no_tape_where_its_class_or_module_is_marked(project, pytester):
    """Nor under CI, where it could not get one."""
    tests = """
        import pytest
        from agent import ask

        pytestmark = pytest.mark.tape

        def test_asks():
            ask("hello")

        class TestIt:
            def test_asks_nothing(self):
                pass
    """

    assert [outcome(project(tests)), outcome(project(tests, ci=True))] == ["2 passed"] * 2
    assert len(list((pytester.path / "tapes" / "test_it").iterdir())) == 1


def test_what_fixtures_ask_is_on_the_tape_before_and_after_the_test(project, tape):
    """What they ask at their end is judged at their end."""
    tests = """
        import pytest
        from agent import ask

        @pytest.fixture
        def thread():
            ask("open")
            yield
            ask("close")

        @pytest.mark.tape
        def test_it(thread):
            ask("hello")
    """

    ran = [project(tests), project(tests, provider=False)]
    other = project(tests.replace("close", "leave"))
    unclosed = project(tests.replace('ask("close")', ""))

    assert [outcome(each) for each in ran] == ["1 passed"] * 2
    assert tape("test_it.jsonl") == ["open", "hello", "close"]
    assert (outcome(other), outcome(unclosed)) == ("1 passed, 1 error", "1 passed, 1 error")
    assert '"close" on the tape, "leave" now' in str(other.stdout)
    assert "1 missing" in str(unclosed.stdout)


def test_tapes_can_be_recorded_without_credentials(project, pytester):
    """A setting of the project; the test matches its tape all the same, and so does what is added to it."""
    pytester.makeini("[pytest]\ntape_redact = true\n")
    secret = "ghp_" + "0aB" * 12
    tests = GREETS.replace("hello", secret)

    ran = [project(tests), project(tests, provider=False)]
    ran += [project(f"{tests}        ask('new {secret}')\n", "--tape-mode=new")]

    assert [outcome(each) for each in ran] == ["1 passed"] * 3
    written = (pytester.path / "tapes" / "test_it" / "test_greets.jsonl").read_text()
    assert (secret in written, written.count("REDACTED_GITHUB_TOKEN")) == (False, 2)


def test_two_tests_that_ask_the_same_can_share_a_tape_and_others_are_told(project):
    """The first of them records it."""
    tests = """
        import pytest
        from agent import ask

        pytestmark = pytest.mark.tape("shared.jsonl")

        def test_one():
            ask("hello")

        def test_two():
            ask("hello")
    """

    shared, other = project(tests), project(tests.replace("hello", "bye", 1))

    assert (outcome(shared), outcome(other)) == ("2 passed", "1 failed, 1 passed")
    assert "amberfork: other tests have the same tape, and must ask the same: test_it.py::test_two" in str(
        other.stdout
    )


def test_processes_that_a_test_starts_are_seen(project, tape):
    """They inherit the variables."""
    tests = """
        import subprocess, sys, pytest

        @pytest.mark.tape
        def test_it():
            subprocess.run([sys.executable, "-c", "import agent; agent.ask('hello')"], check=True)
    """

    assert [outcome(project(tests)) for _ in range(2)] == ["1 passed"] * 2
    assert tape("test_it.jsonl") == ["hello"]


def test_ctrl_c_keeps_nothing(project, pytester):
    """As any other end of a test that has not passed."""
    ran = project(GREETS + "        raise KeyboardInterrupt\n", apart=True)

    assert "KeyboardInterrupt" in str(ran.stdout)
    assert list((pytester.path / "tapes" / "test_it").iterdir()) == []


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


def test_a_skip_inside_a_test_is_a_skip(project):
    """And leaves no tape."""
    assert outcome(project(GREETS + "        pytest.skip('later')\n")) == "1 skipped"


def test_a_run_without_tapes_imports_nothing_for_them(project, pytester):
    """The plugin costs those nothing who do not use it: not one module more, of ours or of Python's."""
    tests = """
        import sys

        def test_it():
            with open("modules", "a") as file:
                file.write(" ".join(sys.modules) + "\\n")
    """
    project(tests, apart=True)

    pytester.runpytest_subprocess("-p", "no:cacheprovider", "-q")

    with_it, without = ({*line.split()} for line in (pytester.path / "modules").read_text().splitlines())
    assert with_it - without == {"amberfork_cli", "amberfork_cli.pytest_plugin"}
