"""Running the user’s own code, in a process that can be killed.

The command's side is `client` (with `turn`, what to do next, and `child`, one process seen from outside);
the process itself is `process`, with `loader` and `adapters` to find the tools. Both share `protocol` only.
"""
