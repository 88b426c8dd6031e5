"""The matcher, with the real vcrpy and pytest-recording."""

import os
import subprocess
import sys
from textwrap import dedent

import pytest
from stub_provider import StubProvider, chat

from amberfork_cli.vcr import NAME, body

LIMIT_S = 60


def said(call, result="3 C"):
    """A request with a tool call of that ID."""
    function = {"name": "weather", "arguments": "{}"}
    return {
        "messages": [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "tool_calls": [{"id": call, "type": "function", "function": function}]},
            {"role": "tool", "tool_call_id": call, "content": result},
        ]
    }


def test_fresh_ids_match_and_a_difference_is_explained(tmp_path):
    """Vcrpy alone, with the matcher registered by hand."""
    import requests
    import vcr
    from vcr.errors import CannotOverwriteExistingCassetteException

    recorder = vcr.VCR(match_on=["method", NAME], record_mode="once")
    recorder.register_matcher(NAME, body)
    with StubProvider(lambda _: chat("Hi.")) as stub:
        url = f"{stub.url}/v1/chat/completions"
        with recorder.use_cassette(tmp_path / "tape.yaml"):
            requests.post(url, json=said("call_1"), timeout=9)
        with recorder.use_cassette(tmp_path / "tape.yaml"):
            matched = requests.post(url, json=said("fresh"), timeout=9)
        with (
            recorder.use_cassette(tmp_path / "tape.yaml"),
            pytest.raises(
                CannotOverwriteExistingCassetteException, match=r"messages\[2\].*3 C.*on the tape.*4 C.*now"
            ),
        ):
            requests.post(url, json=said("fresh", "4 C"), timeout=9)
        asked = len(stub.asked)

    assert (matched.status_code, asked) == (200, 1)


def test_pytest_recording_knows_the_matcher_by_its_name(tmp_path):
    """Registered by the plugin; recorded on the first run, matched on the second."""
    (tmp_path / "test_it.py").write_text(
        dedent("""
            import os, pytest, requests

            @pytest.fixture
            def vcr_config():
                return {"match_on": ["method", "amberfork_cli.vcr.body"]}

            @pytest.mark.vcr
            def test_it():
                function = {"name": "f", "arguments": "{}"}
                call = {"id": os.urandom(8).hex(), "type": "function", "function": function}
                messages = [{"role": "assistant", "tool_calls": [call]}]
                assert requests.post(os.environ["STUB"], json={"messages": messages}, timeout=9).ok
        """)
    )
    with StubProvider(lambda _: chat("Hi.")) as stub:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
        ran = [
            subprocess.run(
                [*command, f"--record-mode={mode}"],
                cwd=tmp_path,
                env={**os.environ, "STUB": f"{stub.url}/v1/chat/completions"},
                capture_output=True,
                text=True,
                timeout=LIMIT_S,
                check=False,
            )
            for mode in ("once", "none")
        ]
        asked = len(stub.asked)

    assert [each.returncode for each in ran] == [0, 0], ran[0].stdout + ran[1].stdout
    assert asked == 1
