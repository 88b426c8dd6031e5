"""Tapes of LLM agent runs: compare them, set their IDs aside, run their tools again."""

__version__ = "0.1.0"
