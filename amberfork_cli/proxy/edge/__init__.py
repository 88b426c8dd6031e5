"""The server on the loopback interface, and what passes through it, whoever answers."""
