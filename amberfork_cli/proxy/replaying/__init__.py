"""Calls answered from a tape: what is found there, what is not, and what to say of that."""
