"""A small agent in Python, and the commands that run it beside the edge."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

AMBERFORK = [sys.executable, "-m", "amberfork_cli"]
LIMIT_S = 30
ASK = """
    import json, os, sys, urllib.request, urllib.error

    def ask(text, variable="OPENAI_BASE_URL", path="/chat/completions", **more):
        body = {"model": "m", "messages": [{"role": "user", "content": text}], **more}
        url = os.environ[variable] + path
        request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
        return urllib.request.urlopen(request, timeout=20).read()
"""


def agent(code: str) -> list[str]:
    """The command of an agent that runs this code; `ask(text)` asks its provider."""
    return [sys.executable, "-c", dedent(ASK) + dedent(code)]


def amberfork(
    *arguments: str, cwd: Path, env: dict[str, str], stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """`amberfork` with these arguments, run to its end."""
    return subprocess.run(
        [*AMBERFORK, *arguments],
        cwd=cwd,
        env=env,
        input=stdin,
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )
