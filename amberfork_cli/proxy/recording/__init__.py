"""Calls passed on to their providers, and put on a tape as they are answered."""
