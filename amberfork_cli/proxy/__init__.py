"""The loopback edge: a server between an agent and its providers that records, or answers from a tape."""
