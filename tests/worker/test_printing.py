"""What is printed, as much of it as is worth keeping."""

from __future__ import annotations

from amberfork_cli.worker.channel import SentPrints
from amberfork_cli.worker.printing import MOST_PRINTED, Print, Prints
from amberfork_cli.worker.protocol import Printed


class Pipe:
    """Keeps what is sent."""

    is_ours = True

    def __init__(self) -> None:
        self.sent: list[Printed] = []

    def send(self, message: Printed) -> None:
        self.sent.append(message)


def test_what_is_beyond_the_limit_is_counted() -> None:
    """Whoever it was left out by."""
    prints = Prints(5)

    prints.add("abc")
    prints.add("defg", more=10)
    prints.add("h")

    assert prints.so_far() == Print("abcde", 13)


def test_a_call_that_prints_without_end_sends_its_beginning_and_a_count() -> None:
    """Each print at once as long as it is kept; then one message at the end."""
    pipe = Pipe()
    prints = SentPrints(pipe)  # type: ignore[arg-type]

    prints.send(1, "x" * (MOST_PRINTED - 1))
    prints.send(1, "yz")
    for _ in range(1_000):
        prints.send(1, "more")
    prints.send(2, "another")
    prints.end(1)
    prints.end(2)

    assert pipe.sent == [
        Printed(1, "x" * (MOST_PRINTED - 1)),
        Printed(1, "y", 1),
        Printed(2, "another"),
        Printed(1, "", 4_000),
    ]
