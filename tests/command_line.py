"""What the tests of the command line share: the installed command, and how it ended."""

import sys
from dataclasses import dataclass
from pathlib import Path

COMMAND = str(Path(sys.executable).with_name("amberfork"))
LIMIT_S = 60


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended and what it said, on a terminal all of it as output."""

    code: int
    out: str
    err: str = ""
