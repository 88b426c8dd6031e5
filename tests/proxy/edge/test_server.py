"""What the edge says of those who do not speak as it does."""

import socket

import pytest
from stub_provider import chat

HTTP_2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9)
TLS = bytes.fromhex("16030100c8010000c403030000")


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (HTTP_2, "a client speaks HTTP/2, which is not recorded: gRPC knows nothing else, "),
        (TLS, "a request could not be read: "),
    ],
)
def test_a_client_that_speaks_something_else_is_told_of_once(recording, sent, told):
    """Its own words for that say nothing of a recorder, and it tries again."""
    run = recording(lambda _: chat("Hi."))

    for _ in range(2):
        with socket.create_connection(
            ("127.0.0.1", int(run.edge.url.rpartition(":")[2])), timeout=20
        ) as client:
            client.sendall(sent)
            assert b" 400 " in client.recv(65536)

    (sentence,) = run.told
    assert sentence.startswith(told)
    assert run.exchanges() == []
